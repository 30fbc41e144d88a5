"""Calls over a stream against requests, ticks with questions, and events to many watchers.

   stream.py GJKD BUILD_BENCH RESULTS
"""

import contextlib
import json
import os
import pathlib
import random
import select
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request

import load

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "http"))
from events import Events  # noqa: E402
from stream_wire import BINARY, TEXT, WebSocket, pack_call  # noqa: E402

UNDER_WAY = 16
ROUNDS = 5  # odd
ROUND_S = float(os.environ.get("BENCH_ROUND_S", "2"))
WATCHERS = [1, 100, 1000]
CHANGES = int(os.environ.get("BENCH_CHANGES", "200"))
IDLE = int(os.environ.get("BENCH_IDLE", "10000"))
TICKS = int(os.environ.get("BENCH_TICKS", "300"))
POSES, SHOTS = 576, 32
TEXT_BODY = b'{"a":"s0","b":"s1"}'
PATH = "/v1/sets/s/distance"


class Daemon(load.Server):
    def __init__(self, running, gjkd, *flags):
        super().__init__(running, [gjkd, "--listen=127.0.0.1:0", "--log-level=error", "--io-threads=1", *flags])
        self.host, port = self.host.split(":")
        self.port = int(port)

    def resident(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) * 1024


def row(case, ours, peer, peer_name, unit, **more):
    return {"case": case, "ours": ours, "peer": peer, "peer_name": peer_name, "unit": unit,
            "ratio": ours / peer if peer else None} | more


def middle(pairs):
    """Of so many rounds the one with the median ratio."""
    return sorted(pairs, key=lambda pair: pair[0] / pair[1])[len(pairs) // 2]


# --- One call ---

def measured(daemon, command):
    """(answers a second, processor time of the daemon for each in us)"""
    before = daemon.processor_s()
    told = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0])
    count = told["answers"] if "answers" in told else told["accepted"]
    rate = count / told["seconds"] if "answers" in told else told["accepted_per_s"]
    return rate, (daemon.processor_s() - before) * 1e6 / count


def rates(daemon, tools, folder):
    (folder / "http").write_bytes(
        b"POST " + PATH.encode() + b" HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Content-Length: " + str(len(TEXT_BODY)).encode() + b"\r\n\r\n" + TEXT_BODY)
    (folder / "1").write_bytes(b'{"id":1,"method":"POST","path":"' + PATH.encode() + b'","body":' + TEXT_BODY + b"}")
    columns = b"\x08\x02" + b"\x12\x01\x01" + b"\x1a\x01\x02"  # PairColumns: dimension, a, b
    (folder / "2").write_bytes(pack_call(1, "POST", PATH, "application/x-protobuf", columns))
    for opcode, name in (("1", "JSON"), ("2", "binary")):
        with WebSocket(daemon) as stream:
            stream.send(int(opcode), (folder / opcode).read_bytes())
            answer = stream.receive()[1]
            assert b'"status":200' in answer or b"\x10\xc8\x01" in answer, answer
        pairs, costs = [], []
        for _ in range(ROUNDS):
            ours, cost = measured(daemon, [tools / "bench_calls", str(daemon.port), str(ROUND_S), str(UNDER_WAY),
                                           opcode, folder / opcode])
            peer, peer_cost = measured(daemon, [tools / "bench_load", str(daemon.port), str(ROUND_S),
                                                f"s:0:{UNDER_WAY}:{folder / 'http'}"])
            pairs.append((ours, peer))
            costs.append((cost, peer_cost))
        yield row(f"{name} calls, {UNDER_WAY} under way", *middle(pairs), "JSON over HTTP", "requests/s")
        yield row(f"{name} calls, the daemon's processor", *middle(costs), "JSON over HTTP", "us")


# --- A tick and what is asked of it ---

def tick_message(tick, rng):
    def packed(field, data):
        return bytes([field << 3 | 2]) + varint(len(data)) + data

    def varint(value):
        out = b""
        while value > 127:
            out, value = out + bytes([value & 127 | 128]), value >> 7
        return out + bytes([value])
    handles = b"".join(varint(h) for h in range(1, POSES + 1))
    places = struct.pack(f"<{2 * POSES}d", *(rng.uniform(-50, 50) for _ in range(2 * POSES)))
    return pack_call(2 * tick, "PUT", f"/v1/sets/game/ticks/{tick}", "application/x-protobuf",
                     b"\x08\x02" + packed(2, handles) + packed(3, places))


def ticks(daemon):
    rng = random.Random(7)
    with WebSocket(daemon) as stream:
        shapes = {f"p{i}": {"type": "circle", "radius": 0.5, "group": f"g{i % 64}"} for i in range(POSES)}
        stream.ask(1, "PUT", "/v1/sets/game", {"dimension": 2, "history": {"ticks": 64}, "shapes": shapes})
        took = []
        for tick in range(1, TICKS + 1):
            shots = [{"op": "hit", "shooter": f"g{i}", "at": {"tick": max(1, tick - i % 8)},
                      "ray": {"origin": [rng.uniform(-50, 50), rng.uniform(-50, 50)],
                              "direction": [rng.uniform(-1, 1), 1], "max_distance": 60},
                      "claim": {"id": f"p{rng.randrange(POSES)}"}} for i in range(SHOTS)]
            sent = (stream.frame(BINARY, tick_message(tick, rng))
                    + stream.frame(TEXT, json.dumps({"id": 1, "method": "POST", "path": "/v1/sets/game/batch",
                                                     "body": {"queries": shots}}).encode()))
            began = time.monotonic()
            stream.socket.sendall(sent)
            answers = [stream.receive() for _ in range(2)]
            took.append((time.monotonic() - began) * 1e6)
            results = json.loads([payload for opcode, payload in answers if opcode == TEXT][0])["body"]["results"]
            assert len(results) == SHOTS and all("verdict" in result for result in results)
    took.sort()
    yield row(f"a tick of {POSES} poses and {SHOTS} hits, median", statistics.median(took), None, "", "us",
              p99=took[len(took) * 99 // 100])


# --- Events ---

def patch(writer, i):
    writer.call(1, "PATCH", "/v1/sets/s", {"shapes": {"s0": {"position": [i, 0]}}})


def watching(daemon, count):
    streams = [WebSocket(daemon) for _ in range(count)]
    for stream in streams:
        assert stream.ask(1, "WATCH", "/v1/sets/s/events")["status"] == 200
    return streams


def reading(daemon, count):
    """Event streams."""
    return [Events(daemon, "s") for _ in range(count)]


@contextlib.contextmanager
def drained(sockets):
    """A process throws away whatever comes."""
    child = os.fork()
    if child == 0:
        poll = select.epoll()
        by_fd = {s.fileno(): s for s in sockets}
        for fd in by_fd:
            poll.register(fd, select.EPOLLIN)
        while True:
            for fd, _ in poll.poll():
                if not by_fd[fd].recv(1 << 18):
                    os._exit(1)
    try:
        yield
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def delays(daemon, count):
    """From the sending of a write to its event, at every watcher."""
    with contextlib.ExitStack() as open_, WebSocket(daemon) as writer:
        streams = {s.socket.fileno(): open_.enter_context(s) for s in watching(daemon, count)}
        poll = select.epoll()
        for fd in streams:
            poll.register(fd, select.EPOLLIN)
        found = []
        for i in range(CHANGES):
            began, due = time.monotonic(), set(streams)
            patch(writer, i)
            while due:
                for fd, _ in poll.poll():
                    at = time.monotonic()
                    if b'"event"' in streams[fd].receive()[1]:
                        found.append((at - began) * 1e6)
                        due.discard(fd)
            assert writer.answer()["status"] == 200
    found.sort()
    return row(f"write to event, {count} watchers, median", statistics.median(found), None, "", "us",
               p99=found[len(found) * 99 // 100])


def told(daemon):
    """Events so far."""
    with urllib.request.urlopen(f"http://{daemon.host}:{daemon.port}/metrics") as reply:
        return sum(float(line.split()[1]) for line in reply.read().decode().splitlines()
                   if line.startswith("gjkd_events_total"))


def commits(daemon, tools, folder):
    """What a write takes with 1,000 watchers, against none: one now and then, while the watchers read nothing, so that
    the daemon alone is measured; and one after the other, while another process reads."""
    body = b'{"shapes":{"s0":{"position":[1,0]}}}'
    (folder / "patch").write_bytes(
        b"PATCH /v1/sets/s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Content-Length: " + str(len(body)).encode() + b"\r\n\r\n" + body)

    def write(rate):
        command = [tools / "bench_load", str(daemon.port), str(ROUND_S), f"s:{rate}:1:{folder / 'patch'}"]
        return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0])
    count = max(WATCHERS)
    for name, watch in (("streams", watching), ("event streams", reading)):
        single, rates_, events = [], [], []
        for _ in range(ROUNDS):
            alone, alone_rate = write(20), write(0)
            with contextlib.ExitStack() as open_:
                watchers = [open_.enter_context(each) for each in watch(daemon, count)]
                single.append((write(20)["p50"], alone["p50"]))
                with drained([each.socket for each in watchers]):
                    before = told(daemon)
                    beside = write(0)
                    events.append((told(daemon) - before) / ROUND_S)
                rates_.append((beside["accepted_per_s"], alone_rate["accepted_per_s"]))
        yield row(f"a write, {count} {name} watch, median", *middle(single), "none", "us")
        yield row(f"writes in a row, {count} {name} watch", *middle(rates_), "none", "requests/s",
                  events_per_s=statistics.median(events))


def idle(running, gjkd):
    daemon = Daemon(running, gjkd, f"--max-streams={IDLE + 10}", f"--max-connections={IDLE + 100}",
                    f"--max-connections-per-address={IDLE + 100}")
    before = daemon.resident()
    with contextlib.ExitStack() as open_:
        for _ in range(IDLE):
            open_.enter_context(WebSocket(daemon))
        each = (daemon.resident() - before) / IDLE
        yield row(f"{IDLE} idle streams, memory of each", each, None, "", "bytes",
                  all_mib=(daemon.resident() - before) / 2**20)


def main(gjkd, tools, results):
    import resource
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    tools = pathlib.Path(tools)
    with contextlib.ExitStack() as running, open(results, "w", encoding="utf-8") as out:
        folder = pathlib.Path(running.enter_context(tempfile.TemporaryDirectory()))
        daemon = Daemon(running, gjkd, "--max-connections=4096", "--max-connections-per-address=4096")
        shapes = {f"s{i}": {"type": "circle", "radius": 1, "position": [3 * i, 0]} for i in range(100)}
        with WebSocket(daemon) as stream:
            assert stream.ask(1, "PUT", "/v1/sets/s", {"dimension": 2, "shapes": shapes})["status"] == 201

        def keep(row_):
            out.write(json.dumps(row_) + "\n")
            out.flush()
        for row_ in (*rates(daemon, tools, folder), *ticks(daemon)):
            keep(row_)
        for count in WATCHERS:
            keep(delays(daemon, count))
        for row_ in (*commits(daemon, tools, folder), *idle(running, gjkd)):
            keep(row_)


main(*sys.argv[1:])
