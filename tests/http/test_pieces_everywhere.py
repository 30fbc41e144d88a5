"""Wholes of many pieces beside wholes, in every operation and at any tick: each answer is the one that
their pieces give as shapes of their own, and the same to the bit by every way of asking."""

import itertools
import math
import random

import pytest

import messages
import pieces
from near import near

BOTH = pytest.mark.parametrize("dimension", [2, 3])
NONE = 4294967295
TICKS = (1, 1.375, 2)


def turn(choose, dimension):
    if dimension == 2:
        return {"angle": choose.uniform(-3, 3)}
    q = [choose.gauss(0, 1) for _ in range(4)]
    return {"orientation": [x / math.hypot(*q) for x in q]}


def place(choose, dimension, span):
    return {"position": [choose.uniform(-span, span) for _ in range(dimension)]} | turn(choose, dimension)


def rotate(shape, v):
    """A vector of the shape's frame in the world."""
    if len(v) == 2:
        c, s = math.cos(shape.get("angle", 0)), math.sin(shape.get("angle", 0))
        return [c * v[0] - s * v[1], s * v[0] + c * v[1]]
    x, y, z, w = unit(shape.get("orientation", [0, 0, 0, 1]))
    t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])]
    u = [y * t[2] - z * t[1], z * t[0] - x * t[2], x * t[1] - y * t[0]]
    return [a + w * b + c for a, b, c in zip(v, t, u)]


def unit(q):
    return [x / math.hypot(*q) for x in q]


def compose(whole, part):
    """The pose of a part of a whole in the world."""
    d = len(whole["position"])
    moved = rotate(whole, part.get("position", [0] * d))
    out = part | {"position": [a + b for a, b in zip(whole["position"], moved)]}
    if d == 2:
        return out | {"angle": whole.get("angle", 0) + part.get("angle", 0)}
    ax, ay, az, aw = unit(whole.get("orientation", [0, 0, 0, 1]))
    bx, by, bz, bw = unit(part.get("orientation", [0, 0, 0, 1]))
    return out | {"orientation": [aw * bx + ax * bw + ay * bz - az * by,
                                  aw * by - ax * bz + ay * bw + az * bx,
                                  aw * bz + ax * by - ay * bx + az * bw,
                                  aw * bw - ax * bx - ay * by - az * bz]}


class World:
    """A set of two of each kind, that moves from tick 1 to tick 2, and what it is made of at any tick."""

    def __init__(self, gjkd, name, dimension):
        self.gjkd, self.dimension, self.url = gjkd, dimension, f"/v1/sets/{name}"
        choose = random.Random(dimension)
        self.geometry = {f"{id}{n}": s for id, s in pieces.all_of(dimension).items() for n in (0, 1)}
        shapes = {id: s | place(choose, dimension, 5) for id, s in self.geometry.items()}
        gjkd.store(name, {"dimension": dimension, "history": {"ticks": 4}, "shapes": shapes})
        self.handles = {id: s["handle"] for id, s in gjkd.get(self.url).json()["shapes"].items()}
        for tick in 1, 2:
            moved = {id: place(choose, dimension, 6 if id[-1] == "1" else 2) for id in shapes}
            assert gjkd.put(f"{self.url}/ticks/{tick}", {"shapes": moved}).status_code == 201
        self.parts = {}
        for id, shape in self.geometry.items():
            told = None
            if shape["type"] != "compound":
                told = gjkd.get(f"{self.url}/shapes/{id}?fields=pieces").json()["pieces"]
            self.parts[id] = pieces.apart(shape, told)

    def at(self, tick):
        """By id: the pieces as convex shapes of the world; None for a hole."""
        told = self.gjkd.get(f"{self.url}/ticks/{tick}").json()["shapes"]
        return {id: [part and compose(told[id], part) for part in parts]
                for id, parts in self.parts.items()}

    def ask(self, op, **body):
        return self.gjkd.ask(f"{self.url}/{op}", body)

    def ask_apart(self, queries):
        return self.gjkd.ask("/v1/batch", {"dimension": self.dimension, "queries": queries})["results"]


@pytest.fixture
def world(gjkd, name):
    return lambda dimension: World(gjkd, name, dimension)


def without(answer, *names):
    return {k: v for k, v in answer.items() if k not in ("revision", "tick", *names)}


def pairs_of_pieces(a, b):
    return [(i, k) for i, p in enumerate(a) for k, q in enumerate(b) if p and q]


@BOTH
@pytest.mark.parametrize("tick", TICKS[1:])
def test_two_wholes_are_their_nearest_or_deepest_pieces(world, dimension, tick):
    there = world(dimension)
    parts = there.at(tick)
    apart = met = 0
    for a, b in itertools.combinations(parts, 2):
        indices = pairs_of_pieces(parts[a], parts[b])
        each = {op: there.ask_apart([{"op": op, "a": parts[a][i], "b": parts[b][k]} for i, k in indices])
                for op in ("distance", "detect")}
        distance = there.ask("distance", a=a, b=b, at={"tick": tick})
        detect = there.ask("detect", a=a, b=b, at={"tick": tick}, penetration="pieces")
        whole = there.ask("detect", a=a, b=b, at={"tick": tick})
        assert whole["state"] == detect["state"]
        if detect.get("inside"):
            assert not any(one["colliding"] for one in each["detect"])
            assert whole["inside"] and whole["depth"] > 0
            continue
        assert detect["colliding"] == any(one["colliding"] for one in each["detect"])
        spoke = indices.index((detect["piece_a"], detect["piece_b"]))
        if detect["state"] == "overlapping":
            met += 1
            deepest = max(one["depth"] for one in each["detect"])
            assert near(detect["depth"], deepest, 1e-13)
            assert whole["depth"] >= whole["depth_lower_bound"] >= deepest - 1e-9
            assert near(each["detect"][spoke]["depth"], deepest, 1e-13)
        elif detect["state"] == "separated":
            apart += 1
            nearest = min(one["distance"] for one in each["distance"])
            spoke = indices.index((distance["piece_a"], distance["piece_b"]))
            assert near(distance["distance"], nearest, 1e-13)
            assert near(each["distance"][spoke]["distance"], nearest, 1e-13)
    assert apart and met


@BOTH
def test_contacts_of_two_wholes(world, dimension):
    there = world(dimension)
    parts = there.at(1.375)
    told = 0
    for a, b in itertools.combinations(parts, 2):
        indices = pairs_of_pieces(parts[a], parts[b])
        each = there.ask_apart([{"op": "detect", "a": parts[a][i], "b": parts[b][k]} for i, k in indices])
        wanted = {pair: one["depth"] for pair, one in zip(indices, each) if one["state"] == "overlapping"}
        answer = there.ask("detect", a=a, b=b, at={"tick": 1.375}, contacts=1024)
        found = {(c["piece_a"], c["piece_b"]): c["depth"] for c in answer["contacts"]}
        told += len(wanted)
        assert set(wanted) <= set(found) and len(found) <= 1024 and "truncated" not in answer
        assert all(near(found[pair], wanted.get(pair, 0), 1e-10) for pair in found)
        order = [(-c["depth"], c["piece_a"], c["piece_b"]) for c in answer["contacts"]]
        assert order == sorted(order)
    assert told > 5


@BOTH
@pytest.mark.parametrize("tick", TICKS[1:])
def test_a_moving_whole_touches_with_its_first_piece(world, dimension, tick):
    there = world(dimension)
    parts = there.at(tick)
    choose = random.Random(dimension + 7)
    hits = 0
    for a, b in itertools.permutations(parts, 2):
        way = [choose.uniform(-12, 12) for _ in range(dimension)]
        hit = there.ask("cast", shape=a, target=b, translation=way, at={"tick": tick})["hits"]
        alone = {str(k): part for k, part in enumerate(parts[b]) if part}
        each = there.ask_apart([{"op": "cast", "shape": part, "shapes": alone, "translation": way}
                                for part in parts[a] if part])
        first = min((one["hits"][0]["fraction"] for one in each if one["hits"]), default=None)
        if hit and hit[0]["inside"] and "piece" not in hit[0]:
            assert "solid" in (a[:-1], b[:-1])  # inside a closed mesh, none of whose triangles it meets
            continue
        assert bool(hit) == (first is not None)
        if hit:
            hits += 1
            assert near(hit[0]["fraction"], first, 1e-9)
            assert parts[a][hit[0]["moving_piece"]] and parts[b][hit[0]["piece"]]
    assert hits > 3


@BOTH
@pytest.mark.parametrize("tick", TICKS)
def test_nearest_among_wholes(world, dimension, tick):
    there = world(dimension)
    for a in there.parts:
        lines = there.ask("distance", a=a, limit=20, at={"tick": tick})["nearest"]
        assert len(lines) == len(there.parts) - 1
        distances = [line["distance"] for line in lines]
        for line in lines:
            pair = there.ask("distance", a=a, b=line["id"], at={"tick": tick})
            assert without(line, "id", "group") == without(pair)
        inside = [line.get("inside", False) for line in lines]
        assert inside == sorted(inside, reverse=True)
        assert [d or 0 for d in distances] == sorted(d or 0 for d in distances)


@BOTH
@pytest.mark.parametrize("tick", TICKS)
def test_sets_against_sets(world, name, gjkd, dimension, tick):
    there = world(dimension)
    other = name + ".b"
    choose = random.Random(dimension + 9)
    gjkd.store(other, {"dimension": dimension, "shapes": {
        id: s | place(choose, dimension, 3) for id, s in there.geometry.items()}})
    inline = gjkd.get(f"/v1/sets/{other}").json()["shapes"]
    found = there.ask("detect", against=other, at={"tick": tick})["pairs"]
    wanted = []
    for a, b in itertools.product(sorted(there.parts), sorted(inline)):
        shape = {k: v for k, v in inline[b].items() if k != "handle"}
        pair = there.ask("detect", a=a, b=shape, at={"tick": tick})
        if pair["colliding"]:
            wanted.append({"a": a, "b": b} | without(pair))
    assert len(wanted) > 3
    assert [without(line, "group_a", "group_b") for line in found] == wanted
    gjkd.call("DELETE", f"/v1/sets/{other}")


@BOTH
def test_columns_batches_and_singles_agree_at_every_tick(world, dimension):
    there = world(dimension)
    pairs = list(itertools.permutations(there.parts, 2))
    rows = [(a, b, TICKS[i % 3]) for i, (a, b) in enumerate(pairs)]
    message = messages.gjkd.PairColumns(
        dimension=dimension, a=[there.handles[a] for a, _, _ in rows],
        b=[there.handles[b] for _, b, _ in rows], at_tick=[tick for _, _, tick in rows])
    for op, value, bound in (("detect", "depth", "depth_lower_bound"),
                             ("distance", "distance", "lower_bound")):
        reply = there.gjkd.call("POST", f"{there.url}/{op}", data=message.SerializeToString(),
                                headers={"Content-Type": messages.TYPE})
        columns = messages.gjkd.PairAnswers.FromString(reply.content)
        batch = there.ask("batch", queries=[{"op": op, "a": a, "b": b, "at": {"tick": tick}}
                                            for a, b, tick in rows])["results"]
        states = ["separated", "touching", "overlapping"]
        for i, (a, b, tick) in enumerate(rows):
            alone = there.ask(op, a=a, b=b, at={"tick": tick})
            assert without(alone) == batch[i]
            assert states[columns.state[i]] == alone["state"]
            assert columns.value[i] == (alone[value] or 0) and columns.lower_bound[i] == alone[bound]
            for member in "normal", "point_a", "point_b":
                got = getattr(columns, member)[dimension * i:dimension * (i + 1)]
                assert list(got) == (alone[member] or [0] * dimension)
            assert columns.piece_a[i] == alone.get("piece_a", NONE)
            assert columns.piece_b[i] == alone.get("piece_b", NONE)


@BOTH
def test_rays_at_every_tick(world, dimension):
    there = world(dimension)
    choose = random.Random(dimension + 11)
    rows = []
    for i in range(60):
        origin = [choose.uniform(-9, 9) for _ in range(dimension)]
        aim = [choose.uniform(-4, 4) for _ in range(dimension)]
        rows.append((origin, [t - o for t, o in zip(aim, origin)], TICKS[i % 3]))
    message = messages.gjkd.RaycastColumns(
        dimension=dimension, origin=messages.flat(o for o, _, _ in rows),
        direction=messages.flat(d for _, d, _ in rows), at_tick=[tick for _, _, tick in rows])
    reply = there.gjkd.call("POST", f"{there.url}/raycast", data=message.SerializeToString(),
                            headers={"Content-Type": messages.TYPE})
    columns = messages.gjkd.RaycastAnswers.FromString(reply.content)
    batch = there.ask("batch", queries=[
        {"op": "raycast", "origin": o, "direction": d, "at": {"tick": t}} for o, d, t in rows])["results"]
    parts = {tick: there.at(tick) for tick in TICKS}
    hits = 0
    for i, (origin, direction, tick) in enumerate(rows):
        ray = {"origin": origin, "direction": direction}
        alone = there.ask("raycast", **ray, at={"tick": tick})["hits"]
        assert alone == batch[i]["hits"]
        hit = alone[0] if alone else {}
        assert columns.handle[i] == there.handles.get(hit.get("id"), NONE)
        assert columns.distance[i] == hit.get("distance", 0)
        assert columns.piece[i] == hit.get("piece", NONE)
        assert (columns.material[i] if columns.material else 0) == hit.get("material", 0)
        every = {f"{id}/{k}": part for id, some in parts[tick].items()
                 for k, part in enumerate(some) if part}
        first = there.gjkd.ask("/v1/raycast", ray | {"shapes": every})["hits"]
        if hit.get("inside") and "piece" not in hit:
            continue
        assert len(first) == len(alone)
        if hit:
            hits += 1
            assert near(hit["distance"], first[0]["distance"], 1e-12)
    assert hits > 20


def test_a_shot_meets_obstacles_of_many_pieces(world, name, gjkd):
    there = world(3)
    walls = name + ".walls"
    gjkd.store(walls, {"dimension": 3, "shapes": {
        "hill": pieces.mesh(materials=list(range(100, 132))) | {"position": [0, 0, 30]}}})
    shot = {"ray": {"origin": [0.1, 0.2, 40], "direction": [0, 0, -1]}, "claim": {"id": "mesh0"},
            "policy": {"obstacles": walls}}
    for radius in (0, 0.25):
        answer = there.ask("hit", **shot, radius=radius, at={"tick": 1.5})
        assert (answer["verdict"], answer["reason"]) == ("denied", "blocked")
        told = answer["obstacle"]
        wall = gjkd.get(f"/v1/sets/{walls}").json()["shapes"]["hill"]
        target = {k: v for k, v in wall.items() if k != "handle"}
        if radius == 0:
            wanted = gjkd.ask("/v1/raycast", {**shot["ray"], "shape": target})["hits"][0]
            assert told["distance"] == wanted["distance"]
        else:
            ball = {"type": "sphere", "radius": radius, "position": shot["ray"]["origin"]}
            wanted = gjkd.ask("/v1/cast", {"shape": ball, "against": target,
                                           "translation": [0, 0, -100]})["hits"][0]
            assert near(told["distance"], wanted["distance"], 1e-9)
        assert told["id"] == "hill" and told["piece"] == wanted["piece"]
        assert told["material"] == wanted["material"] == 100 + told["piece"]
    # Misses of wholes are told by their distance from the ray.
    past = {"ray": {"origin": [40, 0, 0], "direction": [0, 0, 1], "max_distance": 5},
            "claim": {"id": "mesh0"}, "policy": {"near_miss": 100}, "at": {"tick": 1.375}}
    told = there.ask("hit", **past)
    segment = {"type": "segment", "a": [40, 0, 0], "b": [40, 0, 5]}
    assert told["reason"] == "miss" and len(told["near_misses"]) == len(there.parts)
    for miss in told["near_misses"]:
        pair = there.ask("distance", a=miss["id"], b=segment, at={"tick": 1.375})
        assert near(miss["distance"], pair["distance"], 1e-10)
    gjkd.call("DELETE", f"/v1/sets/{walls}")
