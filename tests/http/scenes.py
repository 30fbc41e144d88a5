"""Sets to ask about: seeded random scenes, and the contract's filter said again in Python."""

import math
import random

ALL = 4294967295
# Ids whose bytewise order is not that of a human eye, a locale or a number.
IDS = ["Z", "a", "A", "a-1", "a.1", "a/1", "a0", "a:1", "a@1", "a_1", "a~", "B", "b10", "b9", "_",
       "-", ".x", "~", "0", "00", "9", "crate/lid", "crate-lid"]
GROUPS = [None, None, "red", "blue", "team/7"]


def in_order(ids):
    return sorted(ids, key=str.encode)


def number(rng, low, high):
    return round(rng.uniform(low, high), 3)


def vector(rng, dimension, low, high):
    return [number(rng, low, high) for _ in range(dimension)]


def geometry(rng, dimension):
    """A shape of any type of the dimension, of a size near 1, in its own frame."""
    ball = "circle" if dimension == 2 else "sphere"
    kind = rng.choice(["point", ball, "segment", "capsule", "box", "hull",
                       "polygon" if dimension == 2 else "triangle"])
    shape = {"type": kind}
    if kind in (ball, "capsule"):
        shape["radius"] = number(rng, 0.2, 1)
    if kind in ("segment", "capsule", "triangle"):
        for corner in "abc"[:3 if kind == "triangle" else 2]:
            shape[corner] = vector(rng, dimension, -1, 1)
    elif kind == "box":
        shape["half_extents"] = vector(rng, dimension, 0.1, 1)
    elif kind == "hull":
        shape["points"] = [vector(rng, dimension, -1, 1) for _ in range(rng.randint(1, 9))]
    elif kind == "polygon":
        turns = sorted(rng.uniform(0, 2 * math.pi) for _ in range(6))
        shape["vertices"] = [[math.cos(t), math.sin(t)] for t in turns]
    if rng.random() < 0.3:
        shape["rounding"] = number(rng, 0.05, 0.3)
    return shape


def turned(rng, dimension):
    if dimension == 2:
        return {"angle": number(rng, -3, 3)}
    q = [rng.gauss(0, 1) for _ in range(4)]
    return {"orientation": [x / math.hypot(*q) for x in q]}


def shape(rng, dimension, room):
    """A placed shape in a room of that half width."""
    placed = geometry(rng, dimension) | {"position": vector(rng, dimension, -room, room)}
    if rng.random() < 0.7:
        placed |= turned(rng, dimension)
    return placed


def labels(rng):
    """Category, mask and group, each perhaps left to its default."""
    given = {}
    if rng.random() < 0.6:
        given["category"] = rng.choice([1, 2, 4, 6, ALL])
    if rng.random() < 0.6:
        given["mask"] = rng.choice([1, 2, 3, 5, ALL, 0])
    if group := rng.choice(GROUPS):
        given["group"] = group
    return given


def scene(seed, dimension, ids=IDS):
    """{id: shape} of a set that is crowded enough to have hits and gaps."""
    rng = random.Random(seed)
    room = 2.5 if dimension == 2 else 1.5
    return {i: shape(rng, dimension, room) | labels(rng) for i in ids}


def random_filter(rng):
    """A filter with some of its members, and possibly none."""
    chosen = {
        "category": rng.choice([1, 2, 3, 8, ALL]), "mask": rng.choice([1, 2, 6, ALL]),
        "ignore": rng.sample(IDS, 4) + ["nobody"], "ignore_groups": rng.sample(GROUPS[2:], 1),
        "only_groups": rng.sample(GROUPS[2:], 2),
    }
    return {k: v for k, v in chosen.items() if rng.random() < 0.35}


def passes(stored, i, rule):
    """Does the shape `i` pass? Word for word what the contract says."""
    group = stored.get("group")
    return bool(
        stored.get("category", 1) & rule.get("mask", ALL)
        and rule.get("category", ALL) & stored.get("mask", ALL)
        and i not in rule.get("ignore", [])
        and (group is None or group not in rule.get("ignore_groups", []))
        and ("only_groups" not in rule or group in rule["only_groups"]))


def accept(a, b):
    """Do two stored shapes accept each other?"""
    return bool(a.get("category", 1) & b.get("mask", ALL)
                and b.get("category", 1) & a.get("mask", ALL))


def without(answer, *members):
    return {k: v for k, v in answer.items() if k not in members}
