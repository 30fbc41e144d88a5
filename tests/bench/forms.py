"""How many questions does a core answer over HTTP, in each form that they may have?

   forms.py GJKD BUILD_BENCH RESULTS [OTHER_GJKD]

The daemon's processor time for each form, in rounds that take turns, so that the medians compare.
With another gjkd, every form goes to both in turns.
"""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys

import load
import postgis
import wire

ROUNDS = 5
TICK_SHAPES = 1280
PIPELINED = 16


def moves(rng, count):
    """Where so many shapes stand: {id: patch}"""
    def place():
        x, y, z, w = (rng.gauss(0, 1) for _ in range(4))
        length = (x * x + y * y + z * z + w * w) ** 0.5
        return {"position": [wire.number(rng, 50) for _ in range(3)],
                "orientation": [x / length, y / length, z / length, w / length]}
    return {f"unit-{i}": place() for i in range(count)}


def pose_columns(handles, patches):
    numbers = b"".join(map(wire.varint, handles))
    return (b"\x08\x03" + wire.varint(2 << 3 | 2) + wire.varint(len(numbers)) + numbers
            + wire.packed(3, [x for patch in patches for x in patch["position"]])
            + wire.packed(4, [x for patch in patches for x in patch["orientation"]]))


class Forms(wire.Bench):
    """The questions of wire.py, and the same rays as JSON, and ticks in both forms."""

    def __init__(self, running, gjkd, tools):
        super().__init__(running, gjkd, tools)
        rng = random.Random(1)
        wire.scene(rng)  # as in wire.Bench, so that the rays are the same
        origins, directions = ([[wire.number(rng, room) for _ in range(3)]
                                for _ in range(wire.RAYS)] for room in (15, 1))
        rays = [{"op": "raycast", "origin": o, "direction": d} for o, d in zip(origins, directions)]
        self.batch = self.write("rays.json", wire.request("/v1/sets/s/batch",
                                                          json.dumps({"queries": rays}).encode()))
        self.moves = moves(rng, TICK_SHAPES)

    def start_with_units(self):
        server = self.start("--io-threads=1", "--workers=1")
        shapes = {name: {"type": "box", "half_extents": [1, 1, 1], **patch}
                  for name, patch in self.moves.items()}
        connection = load.http.client.HTTPConnection(server.host)
        for set_name in ("json", "columns"):
            connection.request("PUT", f"/v1/sets/{set_name}", json.dumps(
                {"dimension": 3, "history": {"ticks": 16}, "shapes": shapes}).encode(),
                {"Content-Type": "application/json"})
            connection.getresponse().read()
        connection.request("GET", "/v1/sets/columns")
        stored = json.loads(connection.getresponse().read())["shapes"]
        connection.close()
        handles = [stored[name]["handle"] for name in self.moves]
        bodies = {"json": ("application/json", json.dumps({"shapes": self.moves}).encode()),
                  "columns": ("application/x-protobuf",
                              pose_columns(handles, self.moves.values()))}
        server.ticks = {}
        for name, (kind, body) in bodies.items():
            server.ticks[name] = wire.request(f"/v1/sets/{name}/ticks/ROUND@@@@@@@@@@", body,
                                              kind).replace(b"POST", b"PUT", 1)
        server.rounds = 0
        return server

    def cost_of_tick(self, server, name):
        """bench_load numbers its requests from 1, and ticks have to go up."""
        server.rounds += 1
        path = self.write("tick", server.ticks[name].replace(b"ROUND", b"%d" % server.rounds))
        return self.cost_of(server, path, 1, 1)

    def cost_of(self, server, path, queries, connections=2):
        """Processor time a query, in microseconds, of requests of so many each."""
        before = server.processor_s()
        found = self.load(server, 1, f"form:0:{connections}:{path}")["form"]
        if found["refused"] or found["failed"] or not found["accepted"]:
            sys.exit(f"{path}: {found}")
        return (server.processor_s() - before) * 1e6 / (found["accepted"] * queries)


def single(server, pipelined):
    os.environ["BENCH_PIPELINED"] = str(pipelined)
    try:
        return server.load(load.CONNECTIONS if pipelined == 1 else 4)["processor_us"]
    finally:
        del os.environ["BENCH_PIPELINED"]


def rows(bench, servers):
    forms = {
        "single JSON query": lambda server: single(server, 1),
        f"JSON queries, {PIPELINED} pipelined": lambda server: single(server, PIPELINED),
        "batch of 1,000 rays as JSON": lambda server: bench.cost_of(server, bench.batch, wire.RAYS),
        "1,000 rays as columns": lambda server: bench.cost_of(server, bench.columns, wire.RAYS),
        f"tick of {TICK_SHAPES:,} shapes as JSON":
            lambda server: bench.cost_of_tick(server, "json"),
        f"tick of {TICK_SHAPES:,} shapes as columns":
            lambda server: bench.cost_of_tick(server, "columns"),
    }
    costs = {(form, name): [] for form in forms for name in servers}
    for server in servers.values():
        server.load(load.CONNECTIONS)  # warms up
    for _ in range(ROUNDS):
        for form, ask in forms.items():
            for name, server in servers.items():
                costs[form, name].append(ask(server))
    medians = {key: sorted(each)[ROUNDS // 2] for key, each in costs.items()}
    for form in forms:
        yield wire.row(form, 1e6 / medians[form, "gjkd"], 0, "", "a second and core",
                       us=round(medians[form, "gjkd"], 2))
    for form in forms:
        peer = form.replace("as JSON", "as columns").replace("batch of 1,000 rays", "1,000 rays")
        if peer != form:
            yield wire.row(form, medians[form, "gjkd"], medians[peer, "gjkd"], "as columns",
                           "us of a core")
        if "other" in servers:
            ratios = sorted(ours / other for ours, other in
                            zip(costs[form, "gjkd"], costs[form, "other"]))
            yield wire.row(form, medians[form, "gjkd"], medians[form, "other"], "other gjkd",
                           "us of a core", spread=[round(ratios[0], 3), round(ratios[-1], 3)])


def main(gjkd, tools, results, other=None):
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))  # so that the servers are stopped
    with contextlib.ExitStack() as running:
        servers = {"gjkd": Forms(running, gjkd, tools)}
        if other:
            servers["other"] = Forms(running, other, tools)
        bench = servers["gjkd"]
        servers = {name: each.start_with_units() for name, each in servers.items()}
        with open(results, "w", encoding="utf-8") as lines:
            for each in (*rows(bench, servers), *postgis.rows(running, servers["gjkd"])):
                print(json.dumps(each), file=lines, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
