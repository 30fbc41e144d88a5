"""Does an honest client get its answers while every attack goes on at once, in 512 MiB?

   attacks.py GJKD SECONDS [ATTACK...]    all attacks, or these of attackers.py

The daemon runs in a control group of 512 MiB with the limits that it takes from that by itself. An
honest client is measured alone; then each attacker, from an address of its own, does its worst. The
daemon is never killed, no honest answer is wrong or lost, nor any write, the memory of the attacks is
given back, and the 99th percentile is at most five times what it was alone. What is put off with 503
is asked again when the answer says so, with that time counted; one in a hundred may be, because a busy
machine, too, makes the daemon late. An idle daemon outside of the group is asked the same: where its
clients have to wait meanwhile, too, the machine is busy, and its figure counts in place of that alone.
Exit code 0, 1, or 77 where there can be no control group.
"""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

import attackers
from cgroup import Cgroup, Unavailable

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "http"))
from stream_wire import WebSocket  # noqa: E402

SKIPPED = 77
MEMORY = 512 << 20
ALONE_S = 20
FACTOR = 5
TRIES = 3
SETTLE_S = 120  # queued work ends, and what malloc keeps is trimmed
KEPT_MIB = 64  # malloc's threads, caches of the attacks' sets
PUT_OFF_MAX = 0.01  # of all requests
FULL = bool(os.environ.get("GJKD_FULL"))  # streams and events too, and the factor is judged
FLAGS = ("--listen", "127.0.0.1:0", "--request-timeout", "5s", "--io-threads", "2",
         "--workers", "2")
HONEST = "127.0.0.1"


class Honest(threading.Thread):
    """Small questions to a set of its own, over HTTP and a stream, and writes to it, whose answers and
    events it knows. They follow each other with a pause, and each kind is measured by itself."""

    host = HONEST

    def __init__(self, port):
        super().__init__()
        self.port, self.stopped, self.failures = port, threading.Event(), []
        self.ms = {kind: [] for kind in ("query", "write") + (("stream", "event") if FULL else ())}
        self.writes, self.connection, self.stream = 0, None, None
        self.asked = self.put_off = 0
        self.first = None  # revision before this client's writes

    def send(self, method, path, body):
        """Status and answer, the last of at most three."""
        for _ in range(TRIES):
            if self.connection is None:
                self.connection = http.client.HTTPConnection(HONEST, self.port, timeout=30)
            self.connection.request(method, path, json.dumps(body),
                                    {"Content-Type": "application/json"})
            reply = self.connection.getresponse()
            answer = json.loads(reply.read())
            self.asked += 1
            if reply.status != 503:
                break
            self.put_off += 1
            time.sleep(int(reply.headers["Retry-After"]))
        return reply, answer

    def ask(self, kind, method, path, body, expected):
        begun = time.monotonic()
        try:
            reply, answer = self.send(method, path, body)
            fine = reply.status in (200, 201) and expected(answer)
            if not fine:
                self.failures.append(f"{method} {path}: {reply.status} {str(answer)[:300]}")
            self.writes += kind == "write" and reply.status in (200, 201)
        except (OSError, http.client.HTTPException) as error:
            self.failures.append(f"{method} {path}: {error!r}")
            self.connection.close()
            self.connection = None
        self.ms[kind].append((time.monotonic() - begun) * 1e3)

    def write(self):
        at = float(self.writes + 1)
        self.ask("write", "PUT", "/v1/sets/honest",
                 {"dimension": 2, "shapes": {"a": {"type": "circle", "radius": 1},
                                             "b": {"type": "point", "position": [at + 1, 0]}}},
                 self.follows)

    def follows(self, answer):
        """Is that the revision after the last one, so that no write was lost?"""
        self.first = answer["revision"] - 1 if self.first is None else self.first
        return answer["revision"] == self.first + self.writes + 1

    def watch(self):
        self.stream = WebSocket(self, timeout=30)
        answer = self.stream.ask(1, "WATCH", "/v1/sets/honest/events")
        assert answer["status"] == 200, answer

    def await_event(self, begun):
        """Until the stream has told of the newest write."""
        wanted = self.first + self.writes
        event = {"revision": None}
        while event["revision"] != wanted:
            event = self.stream.answer()["event"]
        self.ms["event"].append((time.monotonic() - begun) * 1e3)

    def ask_stream(self):
        begun = time.monotonic()
        answer = self.stream.ask(2, "POST", "/v1/sets/honest/distance", {"a": "a", "b": "b"})
        self.asked += 1
        if answer["status"] == 503:
            self.put_off += 1
        elif answer["status"] != 200 or answer["body"]["distance"] != float(self.writes):
            self.failures.append(f"stream: {str(answer)[:300]}")
        self.ms["stream"].append((time.monotonic() - begun) * 1e3)

    def use_stream(self, use, *what):
        """A stream that ends is a failure, and is opened again."""
        try:
            use(*what)
        except (OSError, EOFError, AssertionError) as error:
            self.failures.append(f"stream: {error!r}")
            self.stream.socket.close()
            self.watch()

    def run(self):
        self.write()
        if FULL:
            self.watch()
        while not self.stopped.is_set():
            begun = time.monotonic()
            self.write()
            if FULL:
                self.use_stream(self.await_event, begun)
            for _ in range(20):
                self.ask("query", "POST", "/v1/sets/honest/distance", {"a": "a", "b": "b"},
                         lambda answer: answer["distance"] == float(self.writes))
                time.sleep(0.005)
                if FULL:
                    self.use_stream(self.ask_stream)
                    time.sleep(0.005)
        if FULL:
            self.stream.socket.close()

    def quantiles(self):
        """Median, 99th percentile and maximum of each kind; what was measured is forgotten."""
        told = {}
        for kind, ms in self.ms.items():
            ms = sorted(ms)
            told[kind] = (ms[len(ms) // 2], ms[int(len(ms) * 0.99)], ms[-1], len(ms))
            self.ms[kind] = []
        return told


class Daemon:
    """In the group, or in none."""

    def __init__(self, binary, group=None):
        self.log = tempfile.TemporaryFile()
        environment = {k: v for k, v in os.environ.items() if not k.startswith("GJKD_")}
        self.process = subprocess.Popen([binary, *FLAGS], env=environment, stderr=self.log,
                                        stdout=subprocess.PIPE,
                                        preexec_fn=group and (lambda: group.add(os.getpid())))
        line = self.process.stdout.readline().decode()
        self.port = int(re.fullmatch(r"gjkd listening on http://[0-9.]+:(\d+)/\n", line)[1])

    def resident(self, which):
        """VmHWM, the most, or VmRSS, now; in MiB."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return int(re.search(which + r":\s+(\d+)", file.read())[1]) / 1024

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process.stdout.close()
        self.log.seek(0)
        return self.process.returncode, self.log.read().decode(errors="replace")


class Attacks:
    def __init__(self, port):
        self.port, self.attackers = port, []

    def begin(self, names):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "attackers.py")
        for i, name in enumerate(names or attackers.ATTACKS):
            self.attackers.append(subprocess.Popen(
                [sys.executable, script, name, "127.0.0.1", str(self.port), f"127.0.0.{i + 10}"],
                stdin=subprocess.PIPE))

    def end(self):
        for attacker in self.attackers:
            attacker.kill()
            attacker.wait()
            attacker.stdin.close()


def tell(what, quantiles):
    for kind, (median, p99, worst, count) in quantiles.items():
        print(f"{what}, {kind}: {count}, median {median:.2f} ms, 99 % {p99:.2f} ms, "
              f"slowest {worst:.1f} ms", flush=True)


def beside(battle, idle, seconds):
    """What the two clients measure in that time."""
    clients = [Honest(battle.port), Honest(idle.port)]
    for client in clients:
        client.start()
    begun = time.monotonic()
    while time.monotonic() < begun + seconds and battle.process.poll() is None:
        time.sleep(0.2)
    for client in clients:
        client.stopped.set()
    for client in clients:
        client.join()
    honest = clients[0]
    if honest.put_off > PUT_OFF_MAX * honest.asked:
        honest.failures.append(f"{honest.put_off} of {honest.asked} requests were put off")
    return [client.quantiles() for client in clients], honest.failures


def compare(alone, attacked):
    """Both of the client and of that of the idle daemon."""
    for kind in alone[0]:
        p99, idle = attacked[0][kind][1], attacked[1][kind][1]
        print(f"{kind}: the 99th percentile is {p99 / alone[0][kind][1]:.1f} times what it was alone, "
              f"{p99 / idle:.1f} times that of an idle daemon at the same time")
        if p99 > FACTOR * max(alone[0][kind][1], idle):
            yield f"{kind}: the 99th percentile is more than {FACTOR} times what it should be"


def fight(binary, group, seconds, names):
    battle, idle = Daemon(binary, group), Daemon(binary)
    attackers.prepare(attackers.Attacker("127.0.0.1", battle.port, "127.0.0.2"))
    alone, failures = beside(battle, idle, min(ALONE_S, seconds))
    tell("alone", alone[0])
    resident = battle.resident("VmRSS")
    attacks = Attacks(battle.port)
    attacks.begin(names)
    attacked, failed = beside(battle, idle, seconds)
    attacks.end()
    tell("under attack", attacked[0])
    tell("an idle daemon meanwhile", attacked[1])
    if battle.process.poll() is None:
        print(f"peak: {battle.resident('VmHWM'):.0f} MiB resident, {group.peak() >> 20} MiB in the group, of "
              f"{MEMORY >> 20}")
        until = time.monotonic() + SETTLE_S
        while battle.resident("VmRSS") > resident + KEPT_MIB and time.monotonic() < until:
            time.sleep(1)
        after = battle.resident("VmRSS")
        print(f"resident: {resident:.0f} MiB before, {after:.0f} after")
        if after > resident + KEPT_MIB:
            failures.append(f"{after:.0f} MiB are kept, {resident:.0f} before")
    failures += failed
    slower = list(compare(alone, attacked))
    failures += slower if FULL else []
    code, log = battle.end()
    idle.end()
    if code != 0 or group.killed() > 0 or re.search("level=error|crashed|Sanitizer", log):
        failures.append(f"exit code {code}, killed {group.killed()}: {log[-2000:]}")
    return failures


def main(binary, seconds, *names):
    try:
        group = Cgroup(MEMORY)
    except Unavailable as why:
        print(f"skipped: {why}")
        sys.exit(SKIPPED)
    try:
        failures = fight(binary, group, float(seconds), names)
    finally:
        group.remove()
    for failure in failures[:20]:
        print("FAIL", failure)
    if len(failures) > 20:
        print(f"FAIL and {len(failures) - 20} more")
    sys.exit(1 if failures else 0)


main(*sys.argv[1:])
