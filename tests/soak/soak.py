"""Does the daemon stay as it is under everything at once?

   soak.py GJKD SECONDS

Clients query, edit, stamp ticks, send nonsense, leave in the middle and have its files read again
(SIGHUP), all without pause. No answer may be a failure of the daemon's own, /livez and /readyz
answer all the while, and in the end memory and descriptors are what they were when the load had
settled; then SIGTERM, exit 0. What happened is printed; exit code 0 or 1.
"""

import collections
import hashlib
import http.client
import json
import os
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

TOKEN, READER = "soak-all", "soak-read"
SETS = 8  # of each kind; each client has its own
SHAPES = 40
TICKS = 64
SETTLED = 0.4  # of the time: then memory is looked at for the first time
# What memory may be more at the end than it was when settled: pages come and go with the moment.
GROWTH_BYTES, GROWTH_SHARE = 8 << 20, 0.10
STRAY_FILES = 4


class Client:
    """One kind of load; `ask` judges each answer's status."""

    def __init__(self, soak, number):
        self.soak, self.number, self.random = soak, number, random.Random(number)
        self.connection = None

    def ask(self, method, path, body=None, expected=(200,), token=TOKEN,
            content_type="application/json"):
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {token}"}
        if data is not None:
            headers["Content-Type"] = content_type
        if self.connection is None:
            self.connection = http.client.HTTPConnection(self.soak.host, self.soak.port, timeout=60)
        try:
            self.connection.request(method, path, data, headers)
            reply = self.connection.getresponse()
            answer = reply.read()
        except (http.client.HTTPException, OSError):
            self.connection.close()
            self.connection = None
            raise
        self.soak.count(f"{method} {reply.status}")
        # Overload is an answer like any other; nothing else of the 5xx is.
        if reply.status not in (*expected, 503):
            self.soak.fail(f"{method} {path}: {reply.status} {answer[:300]!r}")
        return answer

    def point(self, dimension, scale=20.0):
        return [round(self.random.uniform(-scale, scale), 3) for _ in range(dimension)]

    def shape(self, dimension):
        kind = self.random.randrange(4)
        place = {"position": self.point(dimension), "group": f"g{self.random.randrange(4)}"}
        if kind == 0:
            return {"type": "circle" if dimension == 2 else "sphere", "radius": 1, **place}
        if kind == 1:
            return {"type": "box", "half_extents": [1] * dimension, **place}
        if kind == 2:
            return {"type": "capsule", "a": self.point(dimension, 2), "b": self.point(dimension, 2),
                    "radius": 0.5, **place}
        return {"type": "hull", "points": [self.point(dimension, 2) for _ in range(12)], **place}

    def shapes(self, dimension, count=SHAPES):
        return {f"s{i}": self.shape(dimension) for i in range(count)}


class Queries(Client):
    """Every kind of question to sets that others change meanwhile; 404 where they are gone."""

    def step(self):
        dimension = self.random.choice([2, 3])
        path = f"/v1/sets/d{dimension}-{self.random.randrange(SETS)}"
        one = {"id": f"s{self.random.randrange(SHAPES)}", "position": self.point(dimension)}
        op, body = self.random.choice([
            ("detect", {}), ("detect", {"a": one}), ("distance", {"a": one, "limit": 5}),
            ("detect", {"a": one, "b": "s1"}), ("distance", {"a": one, "b": "s2", "trace": True}),
            ("detect", {"against": f"d{dimension}-0"}),
            ("raycast", {"origin": self.point(dimension), "direction": self.point(dimension),
                         "mode": "all"}),
            ("cast", {"shape": one, "translation": self.point(dimension)})])
        # 422: the set that it asks about has the other dimension at the moment.
        self.ask("POST", f"{path}/{op}", body, expected=(200, 404, 422), token=READER)
        pair = {"a": self.shape(dimension), "b": self.shape(dimension)}
        self.ask("POST", f"/v1/{self.random.choice(['detect', 'distance'])}", pair, token=READER)


class Batches(Client):
    """Questions by the hundred, on workers."""

    def step(self):
        queries = [{"op": self.random.choice(["detect", "distance"]),
                    "a": f"s{self.random.randrange(SHAPES)}",
                    "b": f"s{self.random.randrange(SHAPES)}"} for _ in range(300)]
        self.ask("POST", f"/v1/sets/d2-{self.random.randrange(SETS)}/batch", {"queries": queries},
                 expected=(200, 404))


class Edits(Client):
    """Sets come, change and go."""

    def step(self):
        dimension = self.random.choice([2, 3])
        path = f"/v1/sets/d{dimension}-{self.random.randrange(SETS)}"
        whole = {"dimension": dimension, "shapes": self.shapes(dimension)}
        self.ask("PUT", path, whole, expected=(200, 201))
        self.ask("GET", path, expected=(200, 404))
        for _ in range(4):
            change = {"shapes": {f"s{self.random.randrange(SHAPES)}":
                                 self.random.choice([None, self.shape(dimension)])}}
            self.ask("PATCH", path, change, expected=(200, 404),
                     content_type="application/merge-patch+json")
        self.ask("PUT", f"{path}/shapes/s{self.random.randrange(SHAPES)}",
                 self.shape(dimension), expected=(200, 201, 404))
        if self.random.random() < 0.1:
            self.ask("DELETE", path, expected=(204, 404))


class Ticks(Client):
    """A game: sixty states a second or so, and questions about the last ones."""

    def __init__(self, soak, number):
        super().__init__(soak, number)
        self.path, self.tick = f"/v1/sets/game-{number}", 0

    def step(self):
        if self.tick % 2000 == 0:
            self.ask("PUT", self.path, {"dimension": 3, "history": {"ticks": TICKS},
                                        "shapes": self.shapes(3)}, expected=(200, 201))
            self.tick = 0
        self.tick += 1
        moved = {f"s{self.random.randrange(SHAPES)}": {"position": self.point(3)}
                 for _ in range(8)}
        self.ask("PUT", f"{self.path}/ticks/{self.tick}", {"shapes": moved}, expected=(201,))
        at = max(self.tick - self.random.random() * TICKS, 1)
        self.ask("POST", f"{self.path}/raycast",
                 {"origin": self.point(3), "direction": self.point(3), "at": {"tick": at}},
                 expected=(200, 410))
        self.ask("POST", f"{self.path}/hit", {
            "shooter": "g0", "at": {"tick": at}, "claim": {"group": "g1"}, "radius": 0.1,
            "ray": {"origin": self.point(3), "direction": self.point(3), "max_distance": 50},
            "policy": {"max_rewind_ticks": TICKS // 2, "near_miss": 1}})


class Nonsense(Client):
    """What is refused, each for its own reason."""

    def step(self):
        method, path, body, expected, token = self.random.choice([
            ("POST", "/v1/detect", b'{"a": ', 400, TOKEN),
            ("POST", "/v1/detect", b'{"a":' * 70, 400, TOKEN),
            ("POST", "/v1/detect", b"\xff\xfe", 400, TOKEN),
            ("POST", "/v1/detect", {"a": {"type": "blob"}}, 422, TOKEN),
            ("POST", "/v1/detect", {"q": 1}, 422, TOKEN),
            ("POST", "/v1/sets/nobody/detect", {}, 404, TOKEN),
            ("PUT", "/v1/sets/-bad", {"dimension": 2}, 422, TOKEN),
            ("PUT", "/v1/sets/x", {"dimension": 2}, 403, READER),
            ("PUT", "/v1/sets/x", {"dimension": 2, "shapes": {"a": {"type": "box"}}}, 422, TOKEN),
            ("GET", "/nope", None, 404, TOKEN), ("GET", "/v1?x=1", None, 400, TOKEN),
            ("GET", "/v1", None, 401, "wrong"), ("GET", "/v1", None, 401, "x" * 3000),
            ("BREW", "/v1", None, 405, TOKEN), ("GET", "/v1/sets/" + "x" * 5000, None, 414, TOKEN),
        ])
        self.ask(method, path, body, expected=(expected,), token=token)


class Leavers(Client):
    """Clients that are gone: before, in the middle of, and after their request."""

    def step(self):
        whole = json.dumps({"a": self.shape(3), "b": self.shape(3)}).encode()
        slow = b"{}"
        head = (f"POST /v1/sets/d3-0/detect HTTP/1.1\r\nHost: localhost\r\n"
                f"Authorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\n"
                f"Content-Length: {{}}\r\n\r\n")
        data = self.random.choice([
            b"", b"GET", b"\0" * 100, head.format(len(whole)).encode(),
            head.format(len(whole)).encode() + whole[:20],
            head.format(2).encode() + slow, head.format(10 ** 9).encode() + whole,
            b"GET / HTTP/1.1\r\n" + b"X-Header: x\r\n" * 2000])
        with socket.create_connection((self.soak.host, self.soak.port), 30) as connection:
            try:
                connection.sendall(data)
                if self.random.random() < 0.5:
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                          struct.pack("ii", 1, 0))
                time.sleep(self.random.choice([0, 0, 0.01]))
            except OSError:
                pass  # it was refused first
        self.soak.count("left")
        time.sleep(0.002)


class Probes(Client):
    """What a load balancer and Prometheus do, and memory and descriptors from time to time."""

    def step(self):
        for path in ("/livez", "/readyz"):
            self.ask("GET", path)
        self.soak.samples.append((time.monotonic(), *self.measure()))
        time.sleep(0.25)

    def measure(self):
        text = self.ask("GET", "/metrics").decode()
        return tuple(float(re.search(rf"^{name} (\S+)$", text, re.M)[1])
                     for name in ("process_resident_memory_bytes", "process_open_fds"))


class Hangups(Client):
    def step(self):
        self.soak.process.send_signal(signal.SIGHUP)
        self.soak.count("SIGHUP")
        time.sleep(0.5)


class Soak:
    def __init__(self, binary, seconds):
        self.seconds, self.samples, self.failures = seconds, [], []
        self.happened, self.lock = collections.Counter(), threading.Lock()
        self.over = threading.Event()
        self.folder = tempfile.TemporaryDirectory()
        tokens = os.path.join(self.folder.name, "tokens")
        with open(tokens, "w", encoding="ascii") as file:
            for name, token, scope in (("all", TOKEN, "admin"), ("reader", READER, "read")):
                file.write(f"{name} {hashlib.sha256(token.encode()).hexdigest()} {scope}\n")
        self.log = open(os.path.join(self.folder.name, "log"), "w+b")
        environment = {k: v for k, v in os.environ.items() if not k.startswith("GJKD_")}
        self.process = subprocess.Popen(
            [binary, "--listen", "127.0.0.1:0", "--demo", "--token-file", tokens, "--max-jobs",
             "256"], env=environment, stdout=subprocess.PIPE, stderr=self.log)
        line = self.process.stdout.readline().decode()
        self.host, port = re.fullmatch(r"gjkd listening on http://([0-9.]+):(\d+)/\n", line).groups()
        self.port = int(port)
        probe = Probes(self, 0)
        _, self.files = probe.measure()
        probe.connection.close()

    def count(self, what):
        with self.lock:
            self.happened[what] += 1

    def fail(self, what):
        with self.lock:
            self.failures.append(what)

    def run_one(self, client):
        while not self.over.is_set():
            try:
                client.step()
            except Exception as error:  # whatever it is, the soak has failed
                self.fail(f"{type(client).__name__}: {error!r}")
                time.sleep(0.1)
        if client.connection is not None:
            client.connection.close()

    def run(self):
        kinds = [Queries, Queries, Batches, Edits, Ticks, Nonsense, Leavers, Probes, Hangups]
        threads = [threading.Thread(target=self.run_one, args=(kind(self, i),))
                   for i, kind in enumerate(kinds)]
        begun = time.monotonic()
        for thread in threads:
            thread.start()
        while time.monotonic() < begun + self.seconds and self.process.poll() is None:
            time.sleep(0.2)
        self.over.set()
        for thread in threads:
            thread.join()
        self.judge(begun)

    def judge(self, begun):
        probe = Probes(self, 0)
        time.sleep(1.5)  # what the last ones left behind is swept once a second
        resident, files = probe.measure()
        probe.connection.close()
        first = [s for s in self.samples if s[0] > begun + SETTLED * self.seconds]
        settled = sorted(s[1] for s in first[:max(len(first) // 3, 1)])
        before = settled[len(settled) // 2]
        allowed = max(GROWTH_BYTES, GROWTH_SHARE * before)
        if resident > before + allowed:
            self.fail(f"memory grew from {before:.0f} to {resident:.0f} bytes")
        if files > self.files + STRAY_FILES:
            self.fail(f"descriptors grew from {self.files:.0f} to {files:.0f}")
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(30)
        if code != 0:
            self.fail(f"exit code {code}")
        self.log.seek(0)
        log = self.log.read().decode(errors="replace")
        if re.search(r"level=error|crashed|Sanitizer", log):
            self.fail(f"its log: {log[-3000:]}")
        print(f"{self.seconds:.0f} s, {sum(self.happened.values())} events")
        for what, count in sorted(self.happened.items()):
            print(f"  {what:<12} {count}")
        print(f"memory: {before / 1e6:.1f} MB settled, {resident / 1e6:.1f} MB at the end; "
              f"descriptors: {self.files:.0f} and {files:.0f}")

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.log.close()
        self.folder.cleanup()


def main(binary, seconds):
    soak = Soak(binary, float(seconds))
    try:
        soak.run()
    finally:
        soak.close()
    for failure in soak.failures[:20]:
        print("FAIL", failure)
    if len(soak.failures) > 20:
        print(f"FAIL and {len(soak.failures) - 20} more")
    sys.exit(1 if soak.failures else 0)


main(*sys.argv[1:])
