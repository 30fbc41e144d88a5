"""What travels beside what is computed, and how long small requests wait beside large ones.

   wire.py GJKD BUILD_BENCH RESULTS

Columns against the bare loop, single queries beside batches and columns, and twice the load
that can be served. The single query against the echos is load.py's.
"""

import contextlib
import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import time

import load

SHAPES = 200
RAYS = 1000
CROWD = 2000  # shapes of the set whose pairs keep a worker busy for a while
OVERLOAD_S = float(os.environ.get("BENCH_OVERLOAD_S", "10"))
BESIDE_S = float(os.environ.get("BENCH_BESIDE_S", "5"))
RATE = 1000  # of single queries, a second
JOBS = 64


def number(rng, room):
    return round(rng.uniform(-room, room), 6)


def scene(rng, count=SHAPES, room=15):
    """Boxes, capsules and hulls in 3D."""
    def vector(room):
        return [number(rng, room) for _ in range(3)]
    shapes = {}
    for i in range(count):
        kind = ({"type": "box", "half_extents": [abs(x) + 0.1 for x in vector(1)]},
                {"type": "capsule", "a": vector(1), "b": vector(1), "radius": 0.3},
                {"type": "hull", "points": [vector(1) for _ in range(16)]})[i % 3]
        shapes[f"s{i}"] = kind | {"position": vector(room)}
    return {"dimension": 3, "shapes": shapes}


def varint(value):
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def packed(field, numbers):
    data = struct.pack(f"<{len(numbers)}d", *numbers)
    return varint(field << 3 | 2) + varint(len(data)) + data


def rays(rng):
    """RaycastColumns by hand: this needs no library."""
    return (b"\x08\x03" + packed(2, [number(rng, 15) for _ in range(3 * RAYS)])
            + packed(3, [number(rng, 1) for _ in range(3 * RAYS)]))


def request(path, body, kind="application/json"):
    head = (f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n")
    return head.encode() + body


class Bench:
    def __init__(self, running, gjkd, tools):
        self.running, self.gjkd, self.tools = running, gjkd, pathlib.Path(tools)
        self.folder = pathlib.Path(running.enter_context(tempfile.TemporaryDirectory()))
        rng = random.Random(1)
        self.set = json.dumps(scene(rng)).encode()
        self.rays = rays(rng)
        self.write("set.json", self.set)
        self.write("rays.bin", self.rays)
        ray = {"origin": [-14, 0, 0], "direction": [1, 0.1, 0.2]}
        pair = {"a": {"type": "box", "half_extents": [1, 2, 3]}, "b": "s1"}
        single = self.write("single", request("/v1/sets/s/distance", json.dumps(pair).encode()))
        self.single = single
        self.crowd = json.dumps(scene(rng, CROWD, 20)).encode()
        self.heavy = self.write("heavy", request("/v1/sets/crowd/detect",
                                                 b'{"penetration": false}'))
        self.columns = self.write("columns", request("/v1/sets/s/raycast", self.rays,
                                                     "application/x-protobuf"))
        queries = [ray | {"op": "raycast"} for _ in range(1000)]
        self.batch = self.write("batch", request("/v1/sets/s/batch",
                                                 json.dumps({"queries": queries}).encode()))

    def write(self, name, data):
        path = self.folder / name
        path.write_bytes(data)
        return path

    def start(self, *flags):
        """A daemon with the set in it."""
        server = load.Server(self.running, [self.gjkd, "--listen", "127.0.0.1:0", "--log-level=error",
                                             *flags])
        server.port = server.host.rsplit(":", 1)[1]
        connection = load.http.client.HTTPConnection(server.host)
        for name, body in (("s", self.set), ("crowd", self.crowd)):
            connection.request("PUT", f"/v1/sets/{name}", body,
                               {"Content-Type": "application/json"})
            reply = connection.getresponse()
            if reply.status != 201:
                sys.exit(reply.read().decode())
            reply.read()
        connection.close()
        return server

    def load(self, server, seconds, *streams):
        """{name: what bench_load says of it}"""
        output = subprocess.run([self.tools / "bench_load", server.port, str(seconds),
                                 *map(str, streams)], capture_output=True, text=True, check=True)
        return {row["stream"]: row for row in map(json.loads, output.stdout.splitlines())}


def row(case, ours, peer, peer_name, unit, **more):
    return {"case": case, "ours": round(ours, 2), "peer": round(peer, 2), "peer_name": peer_name,
            "unit": unit, "ratio": round(ours / peer, 4) if peer else None, **more}


def columns(bench):
    """Rows of columns through HTTP against the same rays in a bare loop."""
    server = bench.start("--workers=1", "--io-threads=1")
    for connections in (1, 2):
        output = subprocess.run(
            [bench.tools / "bench_rows", server.port, str(server.process.pid), "s",
             bench.folder / "set.json", bench.folder / "rays.bin", str(connections)],
            capture_output=True, text=True, check=True).stdout
        found = json.loads(output)
        for name, measure in (("", found["wall"]), (", processor time", found["processor"])):
            yield row(f"columns of 1,000 rays, {connections} at once{name}",
                      measure["served_ns"], measure["bare_ns"], "bare loop", "ns a row",
                      above_ns=round(measure["served_ns"] - measure["bare_ns"], 1),
                      bare_to_ours=measure["ratio"])
    server.stop()


def beside(bench):
    """Single queries alone, and beside one client that sends large requests back to back."""
    server = bench.start()
    single = f"single:{RATE}:16:{bench.single}"
    for name, path in (("batches", bench.batch), ("columns", bench.columns)):
        alone = bench.load(server, BESIDE_S, single)["single"]
        both = bench.load(server, BESIDE_S, single, f"large:0:1:{path}")
        large = both["large"]
        if not large["accepted"]:
            continue  # the daemon has none of these
        for quantile in ("p50", "p99"):
            yield row(f"single query beside {name} of 1,000, {quantile}", both["single"][quantile],
                      alone[quantile], "alone", "us", large_per_s=large["accepted_per_s"])
    server.stop()


def resident_kib(server):
    for line in pathlib.Path(f"/proc/{server.process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


def overload(bench):
    """Twice what the workers can do, with a short queue."""
    server = bench.start(f"--max-jobs={JOBS}", "--io-threads=1", "--workers=1")
    flat_out = bench.load(server, 3, f"heavy:0:8:{bench.heavy}")["heavy"]
    capacity = flat_out["accepted_per_s"]
    before = bench.load(server, 2, f"single:{RATE}:4:{bench.single}")["single"]
    warm = bench.load(server, 2, f"heavy:{2 * capacity}:512:{bench.heavy}")["heavy"]
    memory = resident_kib(server)
    found = bench.load(server, OVERLOAD_S, f"heavy:{2 * capacity}:512:{bench.heavy}")["heavy"]
    grown = resident_kib(server) - memory
    after = bench.load(server, 2, f"single:{RATE}:4:{bench.single}")["single"]
    yield row("at twice the capacity, accepted", found["accepted_per_s"], capacity, "flat out",
              "requests/s", refused=found["refused"], failed=found["failed"] + warm["failed"],
              grown_kib=grown)
    waiting_us = {rate: (JOBS + 1) * 1e6 / rate for rate in (capacity, found["accepted_per_s"])}
    yield row("at twice the capacity, accepted p99", found["p99"], waiting_us[capacity],
              "queue times service", "us",
              ratio_at_its_rate=round(found["p99"] / waiting_us[found["accepted_per_s"]], 4),
              refused_server_p99=found["refused_server_p99"])
    yield row("single query after the overload, p50", after["p50"], before["p50"], "before", "us")
    server.stop()


def single(bench, echo):
    """A single JSON query against the bare echo and one that parses; more: the topic http."""
    servers = load.start_all(bench.running, bench.gjkd, echo)
    yield from (each for each in load.compare(servers) if each["peer_name"].startswith("echo"))
    for server in servers.values():
        server.stop()


def main(gjkd, tools, results):
    for number_ in (load.signal.SIGTERM, load.signal.SIGHUP):
        load.signal.signal(number_, lambda *_: sys.exit(1))  # so that the servers are stopped
    with contextlib.ExitStack() as running:
        bench = Bench(running, gjkd, tools)
        with open(results, "w", encoding="utf-8") as lines:
            for topic in (columns(bench), single(bench, pathlib.Path(tools) / "bench_echo"),
                          beside(bench), overload(bench)):
                for each in topic:
                    print(json.dumps(each), file=lines, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
