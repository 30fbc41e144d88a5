"""How much memory does a stored shape take, and how much more each tick that it is remembered at?

   memory.py GJKD RESULTS

Some equal sets of each kind of shape go into a daemon of its own. `ours` is what gjkd counts
for a shape (the `bytes` of the set's summary), `resident` what the process grew by with each
set but the first, which also brings what decoding needs for a while.

For ticks a game is played: at each of them every shape, or one of twenty, stands somewhere else,
and what the set grows by is told for each shape that moved, at each tick.
"""

import json
import math
import subprocess
import sys
import urllib.request

SHAPES = 10000
SETS = 4
PLAYERS = 1280
TICKS = 128
HULL = [[round(math.cos(2.4 * i) * math.sqrt(1 - z * z), 3),
         round(math.sin(2.4 * i) * math.sqrt(1 - z * z), 3), z]
        for i in range(32) for z in [(2 * i + 1) / 32 - 1]]
KINDS = {
    "circle": (2, {"type": "circle", "radius": 0.5}),
    "box, 2D": (2, {"type": "box", "half_extents": [0.5, 1.25]}),
    "polygon of 8": (2, {"type": "polygon", "vertices": [
        [math.cos(math.pi / 4 * i), math.sin(math.pi / 4 * i)] for i in range(8)]}),
    "sphere": (3, {"type": "sphere", "radius": 0.5}),
    "box, 3D": (3, {"type": "box", "half_extents": [0.5, 1.25, 2]}),
    "capsule, 3D": (3, {"type": "capsule", "a": [0, 0, -1], "b": [0, 0, 1], "radius": 0.25}),
    "hull of 32": (3, {"type": "hull", "points": HULL}),
}


def shapes_of(dimension, shape):
    side = math.ceil(SHAPES ** (1 / dimension))
    for i in range(SHAPES):
        position = [4.0 * (i // side ** axis % side) for axis in range(dimension)]
        yield f"shape-{i}", {**shape, "position": position}


def resident(url):
    with urllib.request.urlopen(url + "metrics") as reply:
        for line in reply.read().decode().splitlines():
            if line.startswith("process_resident_memory_bytes "):
                return float(line.split()[1])
    raise KeyError("process_resident_memory_bytes")


def measure(binary, case):
    dimension, shape = KINDS[case]
    process = subprocess.Popen([binary, "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL)
    try:
        url = process.stdout.readline().decode().split()[-1]
        body = json.dumps({"dimension": dimension, "shapes": dict(shapes_of(dimension, shape))})
        before = 0
        for number in range(1 + SETS):
            before = before if number > 1 else resident(url)
            request = urllib.request.Request(url + f"v1/sets/{number}", body.encode(), method="PUT",
                                             headers={"Content-Type": "application/json"})
            with urllib.request.urlopen(request) as reply:
                summary = json.load(reply)
        return {"case": case, "ours": summary["bytes"] / SHAPES, "unit": "bytes a shape",
                "resident": (resident(url) - before) / SHAPES / SETS, "body": len(body) / SHAPES}
    finally:
        process.terminate()
        process.wait()


def write(url, path, body):
    request = urllib.request.Request(url + path, json.dumps(body).encode(), method="PUT",
                                     headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)["bytes"]


def measure_ticks(binary, case, every):
    """PLAYERS boxes of which one of `every` moves at each of so many ticks, twice as many as
    are kept before the first is looked at, so that all memory has been used before."""
    process = subprocess.Popen([binary, "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL)
    try:
        url = process.stdout.readline().decode().split()[-1]
        shapes = dict(list(shapes_of(*KINDS["box, 3D"]))[:PLAYERS])
        tick, sizes = 0, {}
        for ticks in (1, 1 + TICKS):
            write(url, "v1/sets/game", {"dimension": 3, "history": {"ticks": ticks},
                                        "shapes": shapes})
            for _ in range(2 * ticks):
                moved = list(shapes)[tick % every::every]
                angle = 0.001 * tick
                turn = [0, 0, math.sin(angle), math.cos(angle)]
                size = write(url, f"v1/sets/game/ticks/{tick}", {"shapes": {
                    i: {"position": [x + angle for x in shapes[i]["position"]],
                        "orientation": turn} for i in moved}})
                tick += 1
            sizes[ticks] = size, resident(url)
        (few, low), (many, high) = sizes[1], sizes[1 + TICKS]
        changes = TICKS * PLAYERS / every
        return {"case": case, "ours": (many - few) / changes, "unit": "bytes a shape and tick",
                "resident": (high - low) / changes, "body": 0}
    finally:
        process.terminate()
        process.wait()


def main(binary, results):
    with open(results, "w", encoding="utf-8") as out:
        for case in KINDS:
            out.write(json.dumps(measure(binary, case)) + "\n")
        out.write(json.dumps(measure_ticks(binary, "all move", 1)) + "\n")
        out.write(json.dumps(measure_ticks(binary, "one of 20 moves", 20)) + "\n")


main(*sys.argv[1:])
