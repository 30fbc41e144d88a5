#!/usr/bin/env python3
"""Looks for requests that cost the daemon much for what they are long: a hill climber over JSON.

    GJKD_BINARY=build/release/server/gjkd tests/fuzz/dearest.py [--seconds 60] [--seed 1] [--only PATTERN] [--keep]

It starts a daemon with a few small sets, asks it small requests of every operation, and changes those
that took the most processor time a byte: numbers, names, repeated and spliced parts. Time is what the
kernel says that the daemon's threads ran (schedstat), so a busy machine does not disturb it; each
record is measured twice and the lesser one counts. At the end it prints the dearest request of each
operation; --keep writes those of more than 20 microseconds a byte to tests/http/adversarial/found/,
from where test_adversarial.py sends them ever after."""

import argparse
import copy
import glob
import http.client
import json
import os
import pathlib
import random
import re
import sys
import time

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests/http"))

from daemon import Daemon  # noqa: E402

FOUND = ROOT / "tests/http/adversarial/found"
BYTES_MAX = 3000  # of a request: the corpus has the large ones
KEPT_US_A_BYTE = 20
DEARER = 1.1  # a change has to gain so much: what is measured varies a little
POPULATION = 6  # of each operation
DEADLINE_MS = 1000

NUMBERS = [0, 1, -1, 2, 0.5, 1e-9, 1e-15, 1e9, 1e100, 64, 1000, 1 / 3, -0.25]
NAMES = ["sphere", "box", "hull", "cylinder", "cone", "ellipsoid", "capsule", "mesh", "compound",
         "heightfield", "triangle", "point", "segment", "closest", "all", "any", "s1", "s2", "g1"]


def ball(i):
    return {"type": "sphere", "radius": 1, "position": [i % 7 * 0.1, i // 7 % 7 * 0.1, 0],
            "group": f"g{i % 3}"}


SHAPES = [
    {"type": "sphere", "radius": 1}, {"type": "box", "half_extents": [1, 2, 3]},
    {"type": "hull", "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]},
    {"type": "cylinder", "a": [0, 0, 0], "b": [0, 0, 1], "radius": 1, "rounding": 0.1},
    {"type": "cone", "a": [0, 0, 0], "b": [0, 0, 1], "radius": 1},
    {"type": "ellipsoid", "radii": [1, 2, 3], "orientation": [0, 0, 0.6, 0.8]},
    {"type": "mesh", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "closed": True,
     "triangles": [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]},
    {"type": "heightfield", "columns": 3, "rows": 3, "spacing": [1, 1],
     "heights": [0, 1, 0, 1, 2, 1, 0, 1, 0], "base": -1},
    {"type": "compound", "parts": [{"type": "sphere", "radius": 1},
                                   {"type": "box", "half_extents": [1, 1, 1]}]},
]
RAY = {"origin": [-5, 0.1, 0.2], "direction": [1, 0.01, 0]}
SETS = {
    "balls": {"dimension": 3, "history": {"ticks": 4},
              "shapes": {f"s{i}": ball(i) for i in range(2000)}},
    "mixed": {"dimension": 3, "shapes": {f"s{i}": SHAPES[i % len(SHAPES)] | {
        "position": [i % 10 * 0.5, i // 10 * 0.5, 0], "group": f"g{i % 3}"} for i in range(200)}},
}


def seeds():
    """Requests as (method, path, body)."""
    for a in SHAPES:
        for b in (SHAPES[1], SHAPES[5], SHAPES[6]):
            pair = {"a": a, "b": b | {"position": [0.3, 0.2, 0.1]}}
            yield "POST", "/v1/detect", pair | {"contacts": 8}
            yield "POST", "/v1/detect", pair | {"options": {"max_iterations": 1000,
                                                            "tolerance": 1e-15}}
            yield "POST", "/v1/distance", pair
            yield "POST", "/v1/raycast", RAY | {"shape": a}
            yield "POST", "/v1/cast", {"shape": a, "translation": [9, 1, 0], "target": b | {
                "position": [5, 0, 0]}}
    for name in SETS:
        at = f"/v1/sets/{name}"
        yield "POST", at + "/detect", {"a": SHAPES[1], "limit": 5}
        yield "POST", at + "/detect", {"filter": {"ignore": ["s1", "s2"], "only_groups": ["g1"]}}
        yield "POST", at + "/detect", {"against": "mixed", "limit": 9}
        yield "POST", at + "/distance", {"a": SHAPES[2], "limit": 5, "max_distance": 9}
        yield "POST", at + "/distance", {"against": "mixed", "limit": 9}
        yield "POST", at + "/raycast", RAY | {"mode": "all"}
        yield "POST", at + "/cast", {"shape": SHAPES[0], "translation": [9, 0, 0], "mode": "all"}
        yield "POST", at + "/hit", {"ray": RAY, "claim": {"group": "g1"}, "shooter": "g2",
                                    "radius": 0.5, "policy": {"near_miss": 3}}
        yield "POST", at + "/batch", {"queries": [{"op": "detect", "a": "s1"},
                                                  {"op": "raycast", **RAY}]}
    yield "PUT", "/v1/sets/new", {"dimension": 3, "shapes": {"a": SHAPES[2], "b": SHAPES[6]}}
    yield "PATCH", "/v1/sets/mixed", {"shapes": {"s1": {"position": [1, 2, 3]}, "s2": SHAPES[8]}}


# --- Changes ---

def places(value, path=()):
    """The paths of all parts of a document."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(
        value, list) else ()
    for key, part in items:
        yield from places(part, path + (key,))


def part_at(value, path):
    for key in path:
        value = value[key]
    return value


def change_number(rng, number):
    return rng.choice([rng.choice(NUMBERS), number * rng.choice([0.5, 2, 10, -1, 1 + 1e-9]),
                       number + rng.choice([1, -1, 1e-6]), int(number)])


def change_list(rng, items, others):
    items = list(items)
    kind = rng.randrange(4)
    if kind == 0 and items:  # once more, or many times
        items += [copy.deepcopy(rng.choice(items)) for _ in range(rng.choice([1, 3, 30]))]
    elif kind == 1 and len(items) > 1:
        del items[rng.randrange(len(items))]
    elif kind == 2:
        rng.shuffle(items)
    elif others:
        items.append(copy.deepcopy(rng.choice(others)))
    return items


def change_members(rng, members):
    members = dict(members)
    if len(members) > 1 and rng.random() < 0.4:
        del members[rng.choice(list(members))]
    elif rng.random() < 0.5:
        members.update(rng.choice([
            {"rounding": rng.choice(NUMBERS)}, {"mode": "all"}, {"limit": 100000},
            {"contacts": 1024}, {"options": {"max_iterations": 1000, "tolerance": 1e-15}},
            {"trace": True}, {"max_distance": rng.choice(NUMBERS)}]))
    elif members:
        members[f"m{rng.randrange(9)}"] = copy.deepcopy(rng.choice(list(members.values())))
    return members


def change(rng, body, other):
    body = copy.deepcopy(body)
    path = rng.choice(list(places(body)))
    old = part_at(body, path)
    donors = [part_at(other, p) for p in places(other)]
    if rng.random() < 0.15:
        new = copy.deepcopy(rng.choice(donors))
    elif isinstance(old, bool) or old is None:
        new = not old
    elif isinstance(old, (int, float)):
        new = change_number(rng, old)
    elif isinstance(old, str):
        new = rng.choice(NAMES)
    elif isinstance(old, list):
        new = change_list(rng, old, donors)
    else:
        new = rng.choice(SHAPES) if "type" in old and rng.random() < 0.3 else change_members(rng, old)
    if not path:
        return new if isinstance(new, dict) else body
    part_at(body, path[:-1])[path[-1]] = new
    return body


# --- Measuring ---

def ran_ns(pid):
    """What all threads of a process have run."""
    total = 0
    for file in glob.glob(f"/proc/{pid}/task/*/schedstat"):
        with open(file) as text:
            total += int(text.read().split()[0])
    return total


class Target:
    def __init__(self):
        self.daemon = Daemon("--io-threads", "1", "--workers", "1")
        for name, body in SETS.items():
            self.daemon.store(name, body)

    def ask(self, method, path, text):
        """Status of the answer, and what the daemon ran for it."""
        before = ran_ns(self.daemon.process.pid)
        connection = http.client.HTTPConnection(self.daemon.host, self.daemon.port, timeout=30)
        connection.request(method, path, text, {"Content-Type": "application/json",
                                                "Gjkd-Timeout-Ms": str(DEADLINE_MS)})
        reply = connection.getresponse()
        reply.read()
        connection.close()
        return reply.status, ran_ns(self.daemon.process.pid) - before

    def cost(self, method, path, body):
        """Microseconds a byte; None: what is refused is no find."""
        text = json.dumps(body, separators=(",", ":"))
        if len(text) > BYTES_MAX:
            return None
        status, took = self.ask(method, path, text)
        if status not in (200, 201, 504):
            return None
        if took > 2e6:
            took = min(took, self.ask(method, path, text)[1])
        return took / 1e3 / (len(text) + 100)  # and its head


def climb(target, rng, seconds, only):
    """The dearest requests by method and path: lists of (cost, body), the dearest first."""
    best, tried, end = {}, 0, time.monotonic() + seconds
    for method, path, body in seeds():
        cost = target.cost(method, path, body) if re.search(only, path) else None
        if cost is not None:
            best.setdefault((method, path), []).append((cost, body))
    keys = list(best)
    while time.monotonic() < end:
        key = rng.choice(keys)
        population = best[key]
        population.sort(key=lambda entry: -entry[0])
        del population[POPULATION:]
        at = min(rng.randrange(len(population)), rng.randrange(len(population)))
        base, body = population[at]
        other = rng.choice(best[rng.choice(keys)])[1]
        for _ in range(rng.choice([1, 1, 2, 4])):
            body = change(rng, body, other)
        cost = target.cost(*key, body)
        tried += 1
        if cost is not None and cost > DEARER * base:
            population.insert(0, (cost, body))
    return best, tried


def keep(best):
    FOUND.mkdir(exist_ok=True)
    for (method, path), population in best.items():
        cost, body = population[0]
        if cost >= KEPT_US_A_BYTE and path.startswith("/v1/"):
            name = path.removeprefix("/v1/").replace("sets/", "").replace("/", "_")
            text = json.dumps(body, separators=(",", ":"))
            (FOUND / f"found_{name}.http").write_text(f"{method} {path}\n{text}\n")


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--only", default="", help="paths that this regular expression finds")
    options.add_argument("--keep", action="store_true")
    chosen = options.parse_args()
    os.environ.setdefault("GJKD_BINARY", str(ROOT / "build/release/server/gjkd"))
    target = Target()
    try:
        best, tried = climb(target, random.Random(chosen.seed), chosen.seconds, chosen.only)
    finally:
        target.daemon.stop()
    print(f"{tried} requests tried; the dearest, in microseconds of processor time a byte:")
    for (method, path), population in sorted(best.items(), key=lambda item: -item[1][0][0]):
        population.sort(key=lambda entry: -entry[0])
        cost, body = population[0]
        text = json.dumps(body, separators=(",", ":"))
        print(f"{cost:9.2f}  {method} {path} {len(text)} bytes: {text[:160]}")
    if chosen.keep:
        keep(best)


if __name__ == "__main__":
    main()
