"""What it costs to keep sets on disk: writes, reads beside it, and starting with all of it.

   store.py GJKD BUILD_BENCH RESULTS

Two daemons, one in memory and one with a directory on the disk of BENCH_DISK (build/bench by
default, for /tmp may be memory), asked in turns.
"""

import contextlib
import http.client
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import load

SHAPES = 200
ROUNDS = 5  # odd
READ_ROUNDS = 11
ROUND_S = float(os.environ.get("BENCH_ROUND_S", "2"))
WRITERS = [1, 16, 64]
MANY = int(os.environ.get("BENCH_SHAPES", "1000000"))
TRIANGLES = 500_000
STEP = 20_000  # shapes of one request


class Daemon(load.Server):
    """A daemon on a free port, in memory or on a directory."""

    def __init__(self, running, gjkd, *flags):
        self.begun = time.monotonic()
        super().__init__(running, [gjkd, "--listen=127.0.0.1:0", "--log-level=error",
                                   "--request-timeout=10m", "--max-body=256M", *flags])
        self.ready_s = time.monotonic() - self.begun
        self.port = self.host.rsplit(":", 1)[1]

    def call(self, method, path, body):
        connection = http.client.HTTPConnection(self.host, timeout=900)
        connection.request(method, path, json.dumps(body), {"Content-Type": "application/json"})
        reply = connection.getresponse()
        text = reply.read().decode()
        connection.close()
        if reply.status not in (200, 201):
            sys.exit(f"{method} {path}: {reply.status} {text[:200]}")
        return reply.headers


def box(i):
    return {"type": "box", "half_extents": [0.5, 0.25 + i % 7 / 8, 0.5],
            "position": [i % 100 * 1.5, i // 100 % 100 * 1.25, i // 10000 * 1.75]}


def request(folder, name, method, path, body):
    """A file with the whole request, for bench_load."""
    text = json.dumps(body)
    file = folder / name
    file.write_text(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json"
                    f"\r\nContent-Length: {len(text)}\r\n\r\n{text}")
    return file


def ask(tools, daemon, file, connections):
    output = subprocess.run([tools / "bench_load", daemon.port, str(ROUND_S),
                             f"s:0:{connections}:{file}"],
                            capture_output=True, text=True, check=True).stdout
    return json.loads(output.splitlines()[0])


def row(case, ours, peer, unit, **more):
    return {"case": case, "ours": round(ours, 2), "peer": round(peer, 2), "peer_name": "memory",
            "unit": unit, "ratio": round(ours / peer, 4) if peer else None, **more}


def in_turns(tools, disk, memory, file, connections, rounds):
    """Of so many rounds the one with the median ratio: (ours, peer)."""
    found = []
    for _ in range(rounds):
        ours = ask(tools, disk, file, connections)
        found.append((ours, ask(tools, memory, file, connections)))
    found.sort(key=lambda pair: pair[0]["accepted_per_s"] / pair[1]["accepted_per_s"])
    return found[len(found) // 2]


def writes(tools, disk, memory, folder):
    """PATCHes of one shape of a set, answered when they are on disk."""
    file = request(folder, "write", "PATCH", "/v1/sets/s",
                   {"shapes": {"b7": {"position": [1, 2, 3]}}})
    for connections in WRITERS:
        ours, peer = in_turns(tools, disk, memory, file, connections, ROUNDS)
        yield row(f"writes, {connections} at once", ours["accepted_per_s"], peer["accepted_per_s"],
                  "requests/s")
        for name in ("p50", "p99"):
            yield row(f"writes, {connections} at once, {name}", ours[name], peer[name], "us")


def reads(tools, disk, memory, folder):
    file = request(folder, "read", "POST", "/v1/sets/s/distance", {"a": "b3", "b": "b90"})
    ours, peer = in_turns(tools, disk, memory, file, 64, READ_ROUNDS)
    yield row("reads of a pair, 64 at once", ours["accepted_per_s"], peer["accepted_per_s"], "requests/s")


def starts(running, gjkd, folder):
    """A start with a million shapes, and with one large mesh."""
    side = int((TRIANGLES // 2) ** 0.5)
    vertices = [[x, y, (x * y) % 7 / 8] for y in range(side + 1) for x in range(side + 1)]
    mesh = [t for y in range(side) for x in range(side) for a in [y * (side + 1) + x]
            for t in ([a, a + 1, a + side + 2], [a, a + side + 2, a + side + 1])]
    for case, count, shapes in [
            (f"start with {MANY:,} shapes", MANY, None),
            (f"start with a mesh of {len(mesh):,} triangles", len(mesh),
             {"m": {"type": "mesh", "vertices": vertices, "triangles": mesh}})]:
        where = folder / case.replace(" ", "-")
        filled = Daemon(running, gjkd, f"--data-dir={where}")
        filled.call("PUT", "/v1/sets/s", {"dimension": 3, "shapes": shapes or {}})
        for first in range(0, count, STEP) if shapes is None else ():
            filled.call("PATCH", "/v1/sets/s", {"shapes": {
                f"b{i:07}": box(i) for i in range(first, min(count, first + STEP))}})
        filled.stop()
        empty = Daemon(running, gjkd, f"--data-dir={folder / 'empty'}")
        empty.stop()
        full = Daemon(running, gjkd, f"--data-dir={where}")
        processor_s = full.processor_s()
        full.stop()
        yield row(case, full.ready_s, empty.ready_s, "s", processor_s=round(processor_s, 2),
                  file_mb=round((where / "sets.db").stat().st_size / 1e6))


def measure(gjkd, tools):
    disk_of = os.environ.get("BENCH_DISK", "build/bench")
    with contextlib.ExitStack() as running:
        folder = pathlib.Path(running.enter_context(tempfile.TemporaryDirectory(dir=disk_of)))
        disk = Daemon(running, gjkd, f"--data-dir={folder / 'data'}")
        memory = Daemon(running, gjkd)
        for daemon in (disk, memory):
            daemon.call("PUT", "/v1/sets/s", {"dimension": 3, "shapes": {
                f"b{i}": box(i) for i in range(SHAPES)}})
        yield from reads(tools, disk, memory, folder)
        yield from writes(tools, disk, memory, folder)
        disk.stop()
        memory.stop()
        yield from starts(running, gjkd, folder)


def main(gjkd, tools, results):
    rows = []
    for each in measure(gjkd, pathlib.Path(tools)):
        rows.append(each)
        print(f"{each['case']}: {each['ours']} {each['unit']}", file=sys.stderr)
    pathlib.Path(results).write_text("".join(json.dumps(each) + "\n" for each in rows))


if __name__ == "__main__":
    main(*sys.argv[1:])
