"""A shooter's server: what do a level and the questions of a tick cost?

   shooter.py GJKD RESULTS

A level of triangles is one mesh. It is put by JSON, as columns of floats, and as these packed. Then 32 players
of 18 shapes walk on it: 64 times a second their poses come as columns, each of them is moved (a capsule is
cast along its way and down) and shoots at another (a hit at a decimal tick of the past, with the level as
obstacle). The daemon gets one core.
"""

import contextlib
import gzip
import json
import math
import os
import pathlib
import random
import struct
import sys
import time

import load
import rewind
import wire

PLAYERS, PARTS = 32, 18
TICKS_HZ = 64
TICKS = int(os.environ.get("BENCH_SHOOTER_TICKS", "640"))
KEPT = 64
WIDTH = 160  # samples of the level on a side: 50,562 triangles
ROOM = 0.4 * WIDTH
UPLOADS = {50562: ("JSON", "columns", "columns, gzip"), 1000000: ("columns", "columns, gzip")}


def height(x, y):
    return 3 * math.sin(x / 9) * math.cos(y / 7) + 0.2 * math.sin(2 * x + y)


def terrain(triangles):
    side = math.isqrt(triangles // 2) + 1
    vertices = [(x - side / 2, y - side / 2, height(x - side / 2, y - side / 2))
                for y in range(side) for x in range(side)]
    faces = []
    for y in range(side - 1):
        for x in range(side - 1):
            at = y * side + x
            faces += [(at, at + 1, at + side + 1), (at, at + side + 1, at + side)]
    return vertices, faces


def body_columns(vertices, faces):
    """A BodyColumns message: dimension, type, vertices_float, triangles."""
    floats = b"".join(struct.pack("<3f", *vertex) for vertex in vertices)
    indices = b"".join(wire.varint(index) for face in faces for index in face)
    return b"".join([b"\x08\x03\x12\x04mesh\x22", wire.varint(len(floats)), floats, b"\x2a",
                     wire.varint(len(indices)), indices])


def put(server, set_name, body, kind, coding=None):
    """Seconds that a level takes until it can be asked about, and the bytes that the process grew by."""
    connection = load.http.client.HTTPConnection(server.host)
    rewind.call(connection, "PUT", f"/v1/sets/{set_name}", b'{"dimension": 3}')
    before = wire.resident_kib(server)
    headers = {"Content-Type": kind} | ({"Content-Encoding": coding} if coding else {})
    start = time.perf_counter()
    connection.request("PUT", f"/v1/sets/{set_name}/shapes/ground", body, headers)
    reply = connection.getresponse()
    text = reply.read()
    spent = time.perf_counter() - start
    if reply.status != 201:
        sys.exit(f"{set_name}: {reply.status} {text.decode()}")
    connection.close()
    return spent, 1024 * (wire.resident_kib(server) - before)


def uploads(gjkd, lines):
    for triangles, forms in UPLOADS.items():
        vertices, faces = terrain(triangles)
        for form in forms:
            with contextlib.ExitStack() as running:
                server = load.Server(running, [gjkd, "--listen", "127.0.0.1:0"])
                if form == "JSON":
                    mesh = {"type": "mesh", "vertices": vertices, "triangles": faces}
                    body, kind = json.dumps(mesh).encode(), "application/json"
                else:
                    body, kind = body_columns(vertices, faces), "application/x-protobuf"
                coding = "gzip" if "gzip" in form else None
                body = gzip.compress(body, 1) if coding else body
                spent, grown = put(server, "level", body, kind, coding)
                print(json.dumps({"case": f"mesh of {len(faces)} triangles by {form}", "unit": "ms",
                                  "ours": round(1000 * spent, 1), "body_bytes": len(body),
                                  "resident_bytes_a_triangle": round(grown / len(faces), 1)}),
                      file=lines, flush=True)


# --- Ticks ---

def stand(player, tick):
    """Where a player stands: on a circle of his own, on the ground."""
    turn = player["way"] + 0.1 / player["radius"] * tick
    x = player["at"][0] + player["radius"] * math.cos(turn)
    y = player["at"][1] + player["radius"] * math.sin(turn)
    return [x, y, height(x, y) + 1.0]


def parts():
    """The hitboxes of a player, about its middle."""
    shapes = [{"type": "sphere", "radius": 0.15}, {"type": "box", "half_extents": [0.2, 0.12, 0.3]}]
    shapes += [{"type": "capsule", "a": [0, 0, -0.1], "b": [0, 0, 0.1], "radius": 0.08}] * (PARTS - 2)
    places = [[0, 0, 0.75], [0, 0, 0.3]]
    places += [[0.3 * math.cos(i), 0.2 * math.sin(i), -0.9 + 0.09 * i] for i in range(PARTS - 2)]
    return list(zip(shapes, places))


def pose_columns(players, handles, tick):
    positions, rotations = [], []
    for player in players:
        at = stand(player, tick)
        half = 0.5 * (player["way"] + 0.1 / player["radius"] * tick)
        for _, place in parts():
            c, s = math.cos(2 * half), math.sin(2 * half)
            positions += [at[0] + c * place[0] - s * place[1], at[1] + s * place[0] + c * place[1],
                          at[2] + place[2]]
            rotations += [0.0, 0.0, math.sin(half), math.cos(half)]
    numbers = b"".join(map(wire.varint, handles))
    return (b"\x08\x03\x12" + wire.varint(len(numbers)) + numbers + wire.packed(3, positions) +
            wire.packed(4, rotations))


def moves(players, tick):
    """Each player's capsule along its way, and down to the ground."""
    queries = []
    for player in players:
        a, b = stand(player, tick), stand(player, tick + 1)
        body = {"type": "capsule", "a": [0, 0, -0.5], "b": [0, 0, 0.5], "radius": 0.4}
        ahead = [q - p for p, q in zip(a, b)]
        queries.append({"op": "cast", "shape": body | {"position": a}, "translation": ahead})
        queries.append({"op": "cast", "shape": body | {"position": b}, "translation": [0, 0, -0.5]})
    return {"queries": queries}


def shots(rng, players, tick):
    queries = []
    for number, player in enumerate(players):
        other = (number + 1 + rng.randrange(PLAYERS - 1)) % PLAYERS
        then = tick - rng.uniform(4, 16)
        eye, goal = stand(player, tick), stand(players[other], then)
        queries.append({
            "op": "hit", "shooter": f"p{number:02}", "at": {"tick": then}, "claim": {"group": f"p{other:02}"},
            "ray": {"origin": [eye[0], eye[1], eye[2] + 0.6],
                    "direction": [q - p + rng.gauss(0, 0.1) for p, q in zip(eye, goal)]},
            "policy": {"obstacles": "level", "max_rewind_ticks": 32}})
    return {"queries": queries}


def spent_ns(server):
    """Processor time so far of all threads, which schedstat tells to the nanosecond."""
    threads = pathlib.Path(f"/proc/{server.process.pid}/task").glob("*/schedstat")
    return sum(int(thread.read_text().split()[0]) for thread in threads)


def ask(connection, path, body):
    answer = rewind.call(connection, "POST", path, body)
    failed = [one for one in answer["results"] if "error" in one]
    if failed:
        sys.exit(f"{path}: {failed[0]}")
    return answer["results"]


def play(gjkd, lines):
    rng = random.Random(18)
    players = [{"at": [rng.uniform(-ROOM, ROOM), rng.uniform(-ROOM, ROOM)], "way": rng.uniform(0, 6),
                "radius": rng.uniform(2, 8)} for _ in range(PLAYERS)]
    with contextlib.ExitStack() as running:
        server = load.Server(running, [gjkd, "--listen", "127.0.0.1:0", "--io-threads", "1",
                                       "--workers", "1"])
        for task in os.listdir(f"/proc/{server.process.pid}/task"):
            os.sched_setaffinity(int(task), {0})
        put(server, "level", body_columns(*terrain(50562)), "application/x-protobuf")
        connection = load.http.client.HTTPConnection(server.host)
        shapes = {f"p{i:02}/{k:02}": shape | {"group": f"p{i:02}"}
                  for i in range(PLAYERS) for k, (shape, _) in enumerate(parts())}
        rewind.call(connection, "PUT", "/v1/sets/players", json.dumps(
            {"dimension": 3, "history": {"ticks": KEPT}, "shapes": shapes}).encode())
        told = rewind.call(connection, "GET", "/v1/sets/players")["shapes"]
        handles = [told[id]["handle"] for id in sorted(shapes)]
        kinds = ("tick", "moves", "shots")
        spent = {kind: [] for kind in (*kinds, "all", "wall")}
        verdicts, touched = {}, 0
        for tick in range(KEPT + TICKS):
            bodies = (pose_columns(players, handles, tick), json.dumps(moves(players, tick)).encode(),
                      json.dumps(shots(rng, players, tick)).encode() if tick >= KEPT else None)
            if tick < KEPT:
                rewind.call(connection, "PUT", f"/v1/sets/players/ticks/{tick}", bodies[0],
                            "application/x-protobuf")
                continue
            start, marks = time.perf_counter(), [spent_ns(server)]
            rewind.call(connection, "PUT", f"/v1/sets/players/ticks/{tick}", bodies[0],
                        "application/x-protobuf")
            marks.append(spent_ns(server))
            casts = ask(connection, "/v1/sets/level/batch", bodies[1])
            marks.append(spent_ns(server))
            hits = ask(connection, "/v1/sets/players/batch", bodies[2])
            marks.append(spent_ns(server))
            spent["wall"].append((time.perf_counter() - start) * 1e3)
            spent["all"].append((marks[3] - marks[0]) / 1e6)
            for i, kind in enumerate(kinds):
                spent[kind].append((marks[i + 1] - marks[i]) / 1e6)
            touched += sum(bool(one["hits"]) for one in casts)
            for one in hits:
                said = one["reason"] or one["verdict"]
                verdicts[said] = verdicts.get(said, 0) + 1
        report(spent, lines)
        print(json.dumps({"case": "verdicts on shots", "unit": "", "ours": sum(verdicts.values()),
                          "hits_of_casts": touched} | verdicts), file=lines)


def report(spent, lines):
    cases = {"tick": f"tick of {PLAYERS * PARTS} shapes", "moves": f"{2 * PLAYERS} casts of capsules at the level",
             "shots": f"{PLAYERS} shots, rewound", "all": "all of a tick, processor time",
             "wall": "all of a tick, by the clock"}
    for kind, case in cases.items():
        sorted_ms = sorted(spent[kind])
        print(json.dumps({"case": case, "unit": "ms", "ours": round(sorted_ms[len(sorted_ms) // 2], 3),
                          "p99": round(sorted_ms[len(sorted_ms) * 99 // 100], 3),
                          "most": round(sorted_ms[-1], 3), "due_every": round(1000 / TICKS_HZ, 3)}),
              file=lines, flush=True)


def main(gjkd, results):
    for number in (load.signal.SIGTERM, load.signal.SIGHUP):
        load.signal.signal(number, lambda *_: sys.exit(1))
    with open(results, "w", encoding="utf-8") as lines:
        play(gjkd, lines)
        uploads(gjkd, lines)


if __name__ == "__main__":
    main(*sys.argv[1:])
