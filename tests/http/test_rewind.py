"""Queries at a tick: a set remembers, and answers as one that was built by hand in that state."""

import copy
import math
import random

import pytest

import problem
import scenes


class Model:
    """The history of a set, kept by hand: what GET told of every tick, and the patches since."""

    def __init__(self, gjkd, name, dimension, shapes, ticks):
        self.gjkd, self.name, self.dimension = gjkd, name, dimension
        self.url = f"/v1/sets/{name}"
        gjkd.store(name, {"dimension": dimension, "shapes": shapes, "history": {"ticks": ticks}})
        self.states, self.jumps = {}, {}

    def stamp(self, tick, patches):
        reply = self.gjkd.put(f"{self.url}/ticks/{tick}", {"shapes": patches})
        assert reply.status_code == 201, reply.text
        self.states[tick] = self.gjkd.get(self.url).json()["shapes"]
        self.jumps[tick] = {i for i, p in patches.items() if p and p.get("teleport")}

    def state(self, t):
        """What must exist at t, and which of its shapes are on their way."""
        before = max(tick for tick in self.states if tick <= t)
        shapes = copy.deepcopy(self.states[before])
        if before == t:
            return shapes, {}
        after = min(tick for tick in self.states if tick > t)
        goals = {i: self.states[after][i] for i, s in shapes.items()
                 if i in self.states[after] and i not in self.jumps[after]
                 and self.states[after][i]["handle"] == s["handle"]}
        return shapes, {i: (goal, (t - before) / (after - before)) for i, goal in goals.items()}


def rotation(shape, dimension):
    if dimension == 2:
        return shape.get("angle", 0)
    q = shape.get("orientation", [0, 0, 0, 1])
    return [x / math.hypot(*q) for x in q]


def slerp(a, b, t):
    dot = sum(x * y for x, y in zip(a, b))
    if dot < 0:
        b, dot = [-x for x in b], -dot
    turn = math.acos(min(dot, 1))
    if turn < 1e-9:
        return a
    return [(math.sin((1 - t) * turn) * x + math.sin(t * turn) * y) / math.sin(turn)
            for x, y in zip(a, b)]


def same_rotation(a, b, dimension):
    if dimension == 2:
        return abs(math.remainder(a - b, 2 * math.pi)) < 1e-12
    return min(math.dist(a, b), math.dist(a, [-x for x in b])) < 1e-12


def check_poses(model, t):
    """GET of the tick against positions and rotations computed here. Returns what it answered."""
    d = model.dimension
    shapes, moving = model.state(t)
    told = model.gjkd.get(f"{model.url}/ticks/{t!r}").json()["shapes"]
    assert list(told) == scenes.in_order(shapes)
    for i, shape in shapes.items():
        start, turn = shape.get("position", [0] * d), rotation(shape, d)
        goal, share = moving.get(i, (shape, 0))
        end, goal_turn = goal.get("position", [0] * d), rotation(goal, d)
        wanted = [a + (b - a) * share for a, b in zip(start, end)]
        assert math.dist(told[i]["position"], wanted) < 1e-12
        if d == 2:
            wanted = turn + math.remainder(goal_turn - turn, 2 * math.pi) * share
        else:
            wanted = slerp(turn, goal_turn, share)
        assert same_rotation(rotation(told[i], d), wanted, d), (i, t)
    return shapes, told


def build(model, shapes, told):
    """A set by hand: the definitions as of then, at the poses that were told."""
    name = f"{model.name}-then"
    model.gjkd.call("DELETE", f"/v1/sets/{name}")
    model.gjkd.store(name, {"dimension": model.dimension,
                            "shapes": {i: s | told[i] for i, s in shapes.items()}})
    return name


def questions(rng, dimension, ids):
    room = 3
    a, b = rng.sample(ids, 2)
    inline = scenes.shape(rng, dimension, room)
    ray = {"origin": scenes.vector(rng, dimension, -9, 9),
           "direction": [x or 1 for x in scenes.vector(rng, dimension, -1, 1)]}
    rule = {"filter": scenes.random_filter(rng)}
    yield "detect", {}
    yield "detect", rule
    yield "detect", {"a": a, "b": b}
    yield "detect", {"a": a}
    yield "detect", {"a": inline} | rule
    yield "detect", {"a": {"id": a, "position": scenes.vector(rng, dimension, -1, 1)}, "b": b}
    yield "distance", {"a": a, "b": b}
    yield "distance", {"a": b, "limit": 7}
    yield "distance", {"a": inline, "limit": 3, "max_distance": 2} | rule
    for mode in ("closest", "all", "any"):
        yield "raycast", ray | {"mode": mode}
    yield "raycast", ray | {"mode": "all"} | rule
    yield "raycast", ray | {"target": a}
    yield "cast", {"shape": inline, "translation": ray["direction"], "mode": "all"}
    yield "cast", {"shape": a, "translation": [5] * dimension} | rule


def check_answers(model, rng, t):
    shapes, told = check_poses(model, t)
    if len(shapes) < 2:
        return
    by_hand = build(model, shapes, told)
    for op, body in questions(rng, model.dimension, sorted(shapes)):
        then = model.gjkd.ask(f"{model.url}/{op}", body | {"at": {"tick": t}})
        now = model.gjkd.ask(f"/v1/sets/{by_hand}/{op}", body)
        assert then.pop("tick") == t
        assert scenes.without(then, "revision") == scenes.without(now, "revision"), (op, body, t)
    model.gjkd.call("DELETE", f"/v1/sets/{by_hand}")


def some_patch(rng, dimension, stored):
    """What happens to one shape from one tick to the next."""
    what = rng.random()
    if stored is None:
        return scenes.shape(rng, dimension, 3) | scenes.labels(rng)
    if what < 0.15:
        return None
    if what < 0.3:
        return scenes.geometry(rng, dimension)
    if what < 0.4:
        return {"group": rng.choice(["red", None]), "mask": rng.choice([1, 3, None])}
    patch = {"position": scenes.vector(rng, dimension, -3, 3)} | scenes.turned(rng, dimension)
    return patch | {"teleport": True} if what > 0.85 else patch


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_as_if_built_by_hand(gjkd, name, dimension, seed):
    rng = random.Random(1000 * dimension + seed)
    shapes = scenes.scene(seed, dimension)
    model = Model(gjkd, name, dimension, shapes, 16)
    ids = [*shapes, "late-1", "late-2", "late-3"]
    tick = 100
    for _ in range(8):
        stored = gjkd.get(model.url).json()["shapes"]
        patches = {i: some_patch(rng, dimension, stored.get(i)) for i in rng.sample(ids, 9)}
        model.stamp(tick, {i: p for i, p in patches.items() if p is not None or i in stored})
        tick += rng.choice([1, 1, 2, 7])
    kept = sorted(model.states)
    for before, after in zip(kept, kept[1:]):
        check_answers(model, rng, float(before))
        check_answers(model, rng, before + (after - before) * rng.choice([0.25, 0.5, 0.75]))
        check_answers(model, rng, before + (after - before) * rng.random())
    check_answers(model, rng, float(kept[-1]))


def ray_at(gjkd, url, tick):
    ray = {"origin": [0, -10], "direction": [0, 1], "mode": "all", "at": {"tick": tick}}
    return gjkd.ask(f"{url}/raycast", ray)["hits"]


def test_replaced_between_two_ticks(gjkd, name):
    """A shape is rewound with the geometry, filter and group that it had."""
    model = Model(gjkd, name, 2, {"t": {"type": "circle", "radius": 1, "group": "old"}}, 8)
    model.stamp(1, {})
    model.stamp(2, {"t": {"type": "box", "half_extents": [3, 3], "group": "new"}})
    for tick, distance, group in ((1, 9, "old"), (1.99, 9, "old"), (2, 7, "new")):
        hit, = ray_at(gjkd, model.url, tick)
        assert hit["distance"] == distance and hit["group"] == group
    # Gone and come back it is another shape, which comes from nowhere.
    model.stamp(3, {"t": None})
    model.stamp(4, {"t": {"type": "point", "position": [8, 8]}})
    assert ray_at(gjkd, model.url, 3.5) == []
    assert ray_at(gjkd, model.url, 2.5)[0]["distance"] == 7
    query = {"a": "t", "b": {"type": "point"}, "at": {"tick": 3}}
    problem.check(gjkd.post(f"{model.url}/detect", query), "shape-not-found", pointer="/a")


def test_removed_and_stored_again_within_one_step(gjkd, name):
    model = Model(gjkd, name, 2, {"t": {"type": "circle", "radius": 1}}, 8)
    model.stamp(1, {})
    gjkd.call("DELETE", f"{model.url}/shapes/t")
    gjkd.put(f"{model.url}/shapes/t", {"type": "circle", "radius": 1, "position": [8, 0]})
    model.stamp(2, {})
    assert model.states[1]["t"]["handle"] != model.states[2]["t"]["handle"]
    check_poses(model, 1.5)
    assert ray_at(gjkd, model.url, 1.5)[0]["distance"] == 9


def test_teleport(gjkd, name):
    dot = {"type": "circle", "radius": 1}
    model = Model(gjkd, name, 2, {"walks": dot, "jumps": dot}, 8)
    model.stamp(10, {})
    there = {"position": [8, 0]}
    model.stamp(11, {"walks": there, "jumps": there | {"teleport": True}})
    model.stamp(12, {"walks": {"position": [8, 4]}, "jumps": {"position": [8, 4]}})
    told = gjkd.get(f"{model.url}/ticks/10.5").json()["shapes"]
    assert told["walks"]["position"] == [4, 0] and told["jumps"]["position"] == [0, 0]
    told = gjkd.get(f"{model.url}/ticks/11.5").json()["shapes"]  # it jumped once
    assert told["walks"]["position"] == told["jumps"]["position"] == [8, 2]
    assert "teleport" not in gjkd.get(f"{model.url}/shapes/jumps").json()
    for t in (10, 10.5, 11, 11.25, 12):
        check_poses(model, t)


def test_edits_show_at_the_next_tick(gjkd, name):
    model = Model(gjkd, name, 2, {"t": {"type": "circle", "radius": 1}}, 8)
    model.stamp(1, {})
    gjkd.call("PATCH", f"{model.url}/shapes/t", json={"position": [4, 0]})
    gjkd.put(f"{model.url}/shapes/new", {"type": "point"})
    assert list(gjkd.get(f"{model.url}/ticks/1").json()["shapes"]) == ["t"]
    assert gjkd.get(f"{model.url}/ticks/1").json()["shapes"]["t"]["position"] == [0, 0]
    problem.check(gjkd.get(f"{model.url}/ticks/1.5"), "tick-in-future")
    model.stamp(2, {})
    assert gjkd.get(f"{model.url}/ticks/1.5").json()["shapes"]["t"]["position"] == [2, 0]
    check_poses(model, 2)


def test_out_of_history(gjkd, name):
    model = Model(gjkd, name, 2, {"t": {"type": "point"}}, 2)
    for tick in (5, 6, 7):
        model.stamp(tick, {})
    rays = {"origin": [1, 1], "direction": [1, 0]}
    for op, body in (("detect", {}), ("distance", {"a": "t"}), ("raycast", rays),
                     ("cast", {"shape": "t", "translation": [1, 1]})):
        url = f"{model.url}/{op}"
        for tick, code in ((0, "tick-expired"), (5.999, "tick-expired"), (7.001, "tick-in-future"),
                           (1e300, "tick-in-future")):
            reply = gjkd.post(url, body | {"at": {"tick": tick}})
            problem.check(reply, code, pointer="/at/tick")
        for tick in (6, 6.5, 7):
            assert gjkd.ask(url, body | {"at": {"tick": tick}})["tick"] == tick
        assert "tick" not in gjkd.ask(url, body)


def test_the_other_set_stands_at_its_newest(gjkd, name):
    model = Model(gjkd, name, 2, {"t": {"type": "circle", "radius": 1}}, 4)
    other = Model(gjkd, f"{name}-other", 2, {"o": {"type": "circle", "radius": 1}}, 4)
    model.stamp(1, {})
    other.stamp(1, {})
    model.stamp(2, {"t": {"position": [50, 0]}})
    other.stamp(2, {"o": {"position": [1, 0]}})
    query = {"against": other.name, "at": {"tick": 1}}
    pair, = gjkd.ask(f"{model.url}/detect", query)["pairs"]
    assert pair["depth"] == 1 and (pair["a"], pair["b"]) == ("t", "o")
    gjkd.call("DELETE", other.url)


def test_a_read_does_not_change_with_later_ticks(gjkd, name):
    model = Model(gjkd, name, 3, scenes.scene(5, 3), 8)
    model.stamp(1, {})
    model.stamp(2, {i: {"position": [0, 0, 0]} for i in model.states[1]})
    first = [gjkd.ask(f"{model.url}/detect", {"at": {"tick": t}}) for t in (1, 1.5, 2)]
    gjkd.call("PATCH", model.url, json={"shapes": {i: None for i in model.states[1]}})
    model.stamp(3, {})
    again = [gjkd.ask(f"{model.url}/detect", {"at": {"tick": t}}) for t in (1, 1.5, 2)]
    assert [scenes.without(a, "revision") for a in again] == \
        [scenes.without(a, "revision") for a in first]
