"""What do tick updates cost those who ask about the past?

   rewind.py GJKD BUILD_BENCH RESULTS

64 players of 20 shapes each walk about; their poses come 128 times a second, as columns, while
four connections fire rewound rays as fast as they are answered. Beside it the same rays without
the updates, in turns. Also the bytes that a tick takes.
"""

import contextlib
import json
import math
import os
import pathlib
import random
import sys
import tempfile

import load
import wire

PLAYERS, PARTS = 64, 20
TICKS_HZ = 128
FIRST_TICKS = 64  # that rays look back at
ROUND_S = float(os.environ.get("BENCH_REWIND_S", "3"))
ROUNDS = 5  # odd: the median is one of them
ROOM = 60


def player(rng):
    return {"at": [rng.uniform(-ROOM, ROOM), rng.uniform(-ROOM, ROOM), 0.0],
            "way": rng.uniform(0, 2 * math.pi)}


def part_place(each, part, tick):
    """Parts stand around their player, who walks and turns."""
    angle = each["way"] + 0.02 * tick + part
    x = each["at"][0] + 0.04 * tick * math.cos(each["way"]) + 0.4 * math.cos(angle)
    y = each["at"][1] + 0.04 * tick * math.sin(each["way"]) + 0.4 * math.sin(angle)
    return [x, y, 0.1 * part], [0.0, 0.0, math.sin(angle / 2), math.cos(angle / 2)]


def scene(players):
    shapes = {}
    for number, each in enumerate(players):
        for part in range(PARTS):
            position, orientation = part_place(each, part, 0)
            kind = ({"type": "box", "half_extents": [0.2, 0.15, 0.3]},
                    {"type": "capsule", "a": [0, 0, -0.2], "b": [0, 0, 0.2], "radius": 0.12},
                    {"type": "sphere", "radius": 0.2})[part % 3]
            shapes[f"p{number:02}/{part:02}"] = kind | {
                "position": position, "orientation": orientation, "group": f"p{number:02}"}
    return {"dimension": 3, "history": {"ticks": 4096}, "shapes": shapes}


def pose_columns(players, handles, tick):
    positions, rotations = [], []
    for each in players:
        for part in range(PARTS):
            position, orientation = part_place(each, part, tick)
            positions += position
            rotations += orientation
    numbers = b"".join(map(wire.varint, handles))
    return (wire.varint(1 << 3) + wire.varint(3) + wire.varint(2 << 3 | 2) +
            wire.varint(len(numbers)) + numbers + wire.packed(3, positions) +
            wire.packed(4, rotations))


def request(method, path, body, kind):
    head = (f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {kind}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n")
    return head.encode() + body


def call(connection, method, path, body=b"", kind="application/json"):
    connection.request(method, path, body, {"Content-Type": kind} if body else {})
    reply = connection.getresponse()
    text = reply.read()
    if reply.status not in (200, 201):
        sys.exit(f"{method} {path}: {reply.status} {text.decode()}")
    return json.loads(text)


class Scene:
    def __init__(self, running, gjkd, tools):
        self.tools = pathlib.Path(tools)
        self.folder = pathlib.Path(running.enter_context(
            tempfile.TemporaryDirectory(prefix="gjkd-bench-")))
        self.running, self.gjkd = running, gjkd
        rng = random.Random(128)
        self.players = [player(rng) for _ in range(PLAYERS)]
        self.rays = [self.write_rays(rng, i) for i in range(4)]

    def write_rays(self, rng, number):
        each = rng.choice(self.players)
        origin = [rng.uniform(-ROOM, ROOM), rng.uniform(-ROOM, ROOM), 1.0]
        goal, _ = part_place(each, 3, FIRST_TICKS)
        body = json.dumps({"origin": origin, "direction": [b - a for a, b in zip(origin, goal)],
                           "at": {"tick": FIRST_TICKS - 10.5 - 3 * number}}).encode()
        path = self.folder / f"ray{number}"
        path.write_bytes(request("POST", "/v1/sets/s/raycast", body, "application/json"))
        return path

    def start(self):
        """A daemon with the first ticks in it; what a tick added."""
        server = load.Server(self.running, [self.gjkd, "--listen", "127.0.0.1:0"])
        server.port = server.host.rsplit(":", 1)[1]
        connection = load.http.client.HTTPConnection(server.host)
        call(connection, "PUT", "/v1/sets/s", json.dumps(scene(self.players)).encode())
        shapes = call(connection, "GET", "/v1/sets/s")["shapes"]
        handles = [shapes[name]["handle"] for name in sorted(shapes)]
        bytes_at = {}
        for tick in range(1, FIRST_TICKS + 1):
            bytes_at[tick] = call(connection, "PUT", f"/v1/sets/s/ticks/{tick}",
                                  pose_columns(self.players, handles, tick),
                                  "application/x-protobuf")["bytes"]
        connection.close()
        per_tick = (bytes_at[FIRST_TICKS] - bytes_at[1]) / (FIRST_TICKS - 1)
        path = self.folder / "tick"
        path.write_bytes(request("PUT", "/v1/sets/s/ticks/1@@@@@@@@@@",
                                 pose_columns(self.players, handles, FIRST_TICKS + 1),
                                 "application/x-protobuf"))
        return server, path, per_tick, bytes_at[1]

    def load(self, server, *streams):
        output = wire.subprocess.run(
            [self.tools / "bench_load", server.port, str(ROUND_S), *streams],
            capture_output=True, text=True, check=True).stdout
        found = {row["stream"]: row for row in map(json.loads, output.splitlines())}
        for name, row in found.items():
            if not row["accepted"] or row["failed"] or row["refused"]:
                sys.exit(f"{name}: {row}")
        return found


def median_of(rounds, measure):
    return sorted(map(measure, rounds))[len(rounds) // 2]


def main(gjkd, tools, results):
    for number in (load.signal.SIGTERM, load.signal.SIGHUP):
        load.signal.signal(number, lambda *_: sys.exit(1))
    with contextlib.ExitStack() as running:
        bench = Scene(running, gjkd, tools)
        rays = [f"ray{i}:0:1:{path}" for i, path in enumerate(bench.rays)]
        alone, beside = [], []
        for _ in range(ROUNDS):
            server, tick, per_tick, first = bench.start()
            alone.append(bench.load(server, *rays))
            beside.append(bench.load(server, *rays, f"tick:{TICKS_HZ}:1:{tick}"))
            server.stop()

        def rate(row):
            return sum(row[f"ray{i}"]["accepted_per_s"] for i in range(4))

        def quantile(name):
            return lambda row: max(row[f"ray{i}"][name] for i in range(4))
        with open(results, "w", encoding="utf-8") as lines:
            for case, unit, measure in [("rewound rays", "requests/s", rate),
                                        ("rewound ray, p50", "us", quantile("p50")),
                                        ("rewound ray, p99", "us", quantile("p99"))]:
                print(json.dumps(wire.row(f"{case}, beside ticks", median_of(beside, measure),
                                          median_of(alone, measure), "without ticks", unit)),
                      file=lines)
            for name in ("p50", "p99"):
                print(json.dumps({"case": f"tick of {PLAYERS * PARTS} shapes, {name}", "unit": "us",
                                  "ours": median_of(beside, lambda row: row["tick"][name])}),
                      file=lines)
            print(json.dumps({"case": "bytes of a tick, a shape", "unit": "bytes",
                              "ours": round(per_tick / (PLAYERS * PARTS), 1),
                              "first": round(first / (PLAYERS * PARTS), 1)}), file=lines)


if __name__ == "__main__":
    main(*sys.argv[1:])
