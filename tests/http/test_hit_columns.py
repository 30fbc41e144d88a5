"""Shots as columns: who was there, forms, rows in part, and what is refused."""

import random

import pytest

import problem
import scenes
from messages import TYPE, gjkd as pb
from test_columns import NONE, ask, bits, send

VERDICTS = ["confirmed", "adjusted", "denied", "unverifiable"]
REASONS = [None, "other-target", "blocked", "miss", "no-target", "tick-expired", "tick-in-future",
           "rewind-limit"]
COUNT = 120


class Range:
    """A set and its cover, each with the ticks 1 to 3, in which all has moved."""

    def __init__(self, gjkd, name, dimension):
        self.gjkd, self.dimension = gjkd, dimension
        self.path, self.cover = f"/v1/sets/{name}", f"{name}.cover"
        rng = random.Random(51)
        for path, seed in ((self.path, 5), (f"/v1/sets/{self.cover}", 6)):
            shapes = scenes.scene(seed, dimension, scenes.IDS if seed == 5 else scenes.IDS[:4])
            assert gjkd.put(path, {"dimension": dimension, "history": {"ticks": 3},
                                   "shapes": shapes}).status_code == 201
            for tick in (1, 2, 3):
                moved = {i: {"position": scenes.vector(rng, dimension, -2, 2)} for i in shapes}
                if tick == 3:
                    moved[scenes.IDS[3]] = None
                assert gjkd.put(f"{path}/ticks/{tick}", {"shapes": moved}).status_code == 201
        shapes = gjkd.get(self.path).json()["shapes"]
        self.handles = {i: s["handle"] for i, s in shapes.items()}
        self.ids = {h: i for i, h in self.handles.items()}
        self.groups = {i: s.get("group") for i, s in shapes.items()}


@pytest.fixture(params=[2, 3])
def field(request, gjkd, name):
    made = Range(gjkd, name, request.param)
    yield made
    gjkd.call("DELETE", f"/v1/sets/{made.cover}")
    gjkd.call("DELETE", made.path)


class Shots:
    """Rows of a message."""

    def __init__(self, field, seed):
        rng = random.Random(seed)
        self.field = field
        self.columns = {"dimension": field.dimension, "origin": [], "direction": [],
                        "at_tick": [], "shooter_of": [], "claim": [], "radius": [],
                        "max_distance": []}
        for _ in range(COUNT):
            self.add(rng)

    def add(self, rng):
        field, columns = self.field, self.columns
        origin = scenes.vector(rng, field.dimension, -4, 4)
        direction = [aim - x + 1e-3 for aim, x in
                     zip(scenes.vector(rng, field.dimension, -1, 1), origin)]
        tick = rng.choice([0.5, 1, 1.25, 2, 2.5, 3, 3.5])
        shooter, claim = rng.choice(list(field.handles)), rng.choice(list(field.handles))
        radius, reach = rng.choice([0, 0, 0.25]), rng.uniform(0.5, 12)
        columns["origin"] += origin
        columns["direction"] += direction
        for key, value in (("at_tick", tick), ("shooter_of", field.handles[shooter]),
                           ("claim", field.handles[claim]), ("radius", radius),
                           ("max_distance", reach)):
            columns[key].append(value)


def test_who_was_there_then(gjkd, name):
    """A claim that was not there is `no-target`; a shooter counts by the group that it had."""
    disc = {"type": "circle", "radius": 1}
    gjkd.store(name, {"dimension": 2, "history": {"ticks": 4}, "shapes": {
        "gun": disc | {"group": "g"}, "foe": disc | {"position": [5, 0]}}})
    path = f"/v1/sets/{name}"
    handles = {i: s["handle"] for i, s in gjkd.get(path).json()["shapes"].items()}
    for tick, shapes in ((1, {}), (2, {"foe": None}), (3, {"gun": None})):
        assert gjkd.put(f"{path}/ticks/{tick}", {"shapes": shapes}).status_code == 201
    shot = {"dimension": 2, "origin": [0, 0], "direction": [1, 0], "claim": [handles["foe"]],
            "shooter_of": [handles["gun"]]}
    def judged(tick, **more):
        answer = ask(gjkd, f"{path}/hit", pb.HitColumns(**(shot | {"at_tick": [tick]} | more)),
                     pb.HitAnswers)
        return VERDICTS[answer.verdict[0]], REASONS[answer.reason[0]]
    assert judged(1) == ("confirmed", None)
    assert judged(2) == ("denied", "no-target")
    assert judged(2, claim=[NONE]) == ("denied", "miss")
    assert judged(1, claim_group=True) == ("denied", "no-target")
    assert judged(9) == ("unverifiable", "tick-in-future")
    message = pb.HitColumns(**(shot | {"at_tick": [3]}))
    problem.check(send(gjkd, f"{path}/hit", message), "shape-not-found", "/shooter_of/0")


def test_which_set_lacks_the_tick(gjkd, name):
    disc = {"type": "circle", "radius": 1, "position": [5, 0]}
    names = [name, f"{name}.two", f"{name}.one"]
    for each, ticks in zip(names, (3, 3, 1)):
        gjkd.store(each, {"dimension": 2, "history": {"ticks": ticks}, "shapes": {"x": disc}})
        for tick in (1, 2, 3):
            assert gjkd.put(f"/v1/sets/{each}/ticks/{tick}", {"shapes": {}}).status_code == 201
    ray = {"origin": [0, 0], "direction": [1, 0]}
    message = pb.HitColumns(dimension=2, **{k: 3 * v for k, v in ray.items()}, at_tick=[2, 3, 4],
                            obstacles_at_shot=True, more_obstacles=names[1:])
    def told(*row):
        answer = ask(gjkd, f"/v1/sets/{name}/hit", message, pb.HitAnswers)
        return [(REASONS[answer.reason[i]], answer.obstacle_set[i], answer.obstacle[i]) for i in row]
    assert told(0, 1, 2) == [("tick-expired", 2, NONE), ("blocked", 1, 1), ("tick-in-future", NONE, NONE)]
    rule = {"policy": {"obstacles": [{"set": each, "at": "shot"} for each in names[1:]]}, "ray": ray}
    for tick, lacking, number in ((2, names[2], 1), (4, name, None)):
        answer = gjkd.ask(f"/v1/sets/{name}/hit", rule | {"at": {"tick": tick}})
        assert (answer["set"], answer["obstacle"]) == (lacking, None)
        reply = gjkd.post(f"/v1/sets/{name}/hit", rule | {"at": {"tick": tick}}, headers={"Accept": TYPE})
        row = pb.HitAnswers.FromString(reply.content)
        assert list(row.obstacle_set) == ([] if number is None else [number])
        assert list(row.obstacle) == ([] if number is None else [NONE])
    message.obstacles = message.more_obstacles.pop()  # the one that forgets
    del message.at_tick[1:], message.origin[2:], message.direction[2:]
    assert told(0) == [("tick-expired", 0, NONE)]
    for each in names[1:]:
        gjkd.call("DELETE", f"/v1/sets/{each}")


def test_pieces(gjkd, name):
    gjkd.store(name, {"dimension": 2, "shapes": {"chain": {
        "type": "chain", "vertices": [[2, -9], [2, 1], [2, 9]]}}})
    message = pb.HitColumns(dimension=2, origin=[0, 5, 0, 5], direction=[1, 0, -1, 0])
    answer = ask(gjkd, f"/v1/sets/{name}/hit", message, pb.HitAnswers)
    assert list(answer.piece) == [1, NONE] and list(answer.distance) == [2, 0]
    del message.origin[:2], message.direction[:2]
    assert not ask(gjkd, f"/v1/sets/{name}/hit", message, pb.HitAnswers).piece


def test_forms(gjkd, field):
    handle = next(iter(field.ids))
    message = pb.HitColumns(dimension=field.dimension, origin=[-4.0] * field.dimension,
                            direction=[1.0] * field.dimension, claim=[handle], at_tick=[2])
    binary = ask(gjkd, f"{field.path}/hit", message, pb.HitAnswers)
    told = send(gjkd, f"{field.path}/hit", message, accept="application/json").json()
    assert told == {"revision": binary.revision, **{k: list(getattr(binary, k)) for k in (
        "verdict", "reason", "handle", "distance", "point", "normal", "obstacle_distance",
        "status", "rewind")}}
    query = {"at": {"tick": 2}, "claim": {"id": field.ids[handle]}, "ray": {
        "origin": [-4.0] * field.dimension, "direction": [1.0] * field.dimension}}
    reply = gjkd.post(f"{field.path}/hit", query, headers={"Accept": TYPE})
    assert reply.content == binary.SerializeToString()
    message.near_miss = 1
    message.more_obstacles.extend([field.cover, field.path[9:]])
    query["policy"] = {"near_miss": 1, "obstacles": [field.cover, field.path[9:]]}
    reply = gjkd.post(f"{field.path}/hit", query, headers={"Accept": TYPE})
    binary = ask(gjkd, f"{field.path}/hit", message, pb.HitAnswers)
    told = gjkd.ask(f"{field.path}/hit", query)
    assert [near["distance"] for near in told["near_misses"]] == list(binary.near_distance) != []
    if told["obstacle"]:
        assert list(binary.obstacle_set) == [1 + [field.cover, field.path[9:]].index(told["obstacle"]["set"])]
        binary.obstacle_set[0] -= 1  # the query's list counts from 0
    assert reply.content == binary.SerializeToString()
    problem.check(gjkd.post(f"{field.path}/hit", query | {"include": ["meta"]}, headers={"Accept": TYPE}),
                  "not-acceptable")


@pytest.mark.parametrize("changes, code, pointer", [
    ({"origin": [0, 0, 1]}, "wrong-type", "/origin"),
    ({"direction": [1, 0, 0, 0]}, "zero-direction", "/direction/1"),
    ({"direction": []}, "missing-member", "/direction"),
    ({"radius": [-1]}, "out-of-range", "/radius/0"),
    ({"radius": [1, 2, 3]}, "wrong-type", "/radius"),
    ({"claim": [1]}, "wrong-type", "/claim"),
    ({"shooter_of": [1, 99]}, "shape-not-found", "/shooter_of/1"),
    ({"at_tick": [float("nan")]}, "not-finite", "/at_tick/0"),
    ({"at_tick": [1, -1]}, "out-of-range", "/at_tick/1"),
    ({"max_distance": [1, -1]}, "out-of-range", "/max_distance/1"),
    ({"max_rewind_ticks": -1}, "out-of-range", "/max_rewind_ticks"),
    ({"max_rewind_ticks": float("inf")}, "not-finite", "/max_rewind_ticks"),
    ({"obstacles": "a b"}, "bad-name", "/obstacles"),
    ({"obstacles": "nobody"}, "set-not-found", "/obstacles"),
    ({"more_obstacles": ["a b"]}, "bad-name", "/more_obstacles/0"),
    ({"more_obstacles": [""]}, "bad-name", "/more_obstacles/0"),
    ({"more_obstacles": ["nobody"]}, "set-not-found", "/more_obstacles/0"),
    ({"obstacles": None, "more_obstacles": ["nobody"]}, "set-not-found", "/more_obstacles/0"),
    ({"more_obstacles": ["a"] * 16}, "too-many", "/more_obstacles"),
    ({"near_miss": -1}, "out-of-range", "/near_miss"),
    ({"near_miss": float("nan")}, "not-finite", "/near_miss"),
    ({"obstacles": None, "obstacles_at_shot": True}, "out-of-range", "/obstacles_at_shot"),
])
def test_refused(gjkd, name, changes, code, pointer):
    gjkd.store(name, {"dimension": 2, "shapes": scenes.scene(5, 2)})
    if "obstacles" in changes:
        changes = changes | {"obstacles": changes["obstacles"] or name}
    good = {"dimension": 2, "origin": [0, 0, 1, 1], "direction": [1, 0, 0, 1]}
    reply = send(gjkd, f"/v1/sets/{name}/hit", pb.HitColumns(**(good | changes)))
    problem.check(reply, code, pointer)


def test_shots_in_part(field):
    """A shooter that is gone spoils its own row; a tick that is not kept is a verdict anyway."""
    rng, shots = random.Random(8), Shots(field, 8)
    gone = [rng.random() < 0.3 for _ in range(COUNT)]
    shooters = [99999 if lost else h for lost, h in zip(gone, shots.columns["shooter_of"])]
    columns = shots.columns | {"obstacles": field.cover}
    path = f"{field.path}/hit"
    refused = send(field.gjkd, path, pb.HitColumns(**(columns | {"shooter_of": shooters})))
    kept = [i for i in range(COUNT) if gone[i] and 1 <= columns["at_tick"][i] <= 3]
    problem.check(refused, "shape-not-found", f"/shooter_of/{kept[0]}")
    whole = ask(field.gjkd, path, pb.HitColumns(**columns), pb.HitAnswers)
    answer = ask(field.gjkd, path, pb.HitColumns(**(columns | {
        "shooter_of": shooters, "partial": True})), pb.HitAnswers)
    statuses = set()
    for i in range(COUNT):
        tick, width = columns["at_tick"][i], field.dimension
        status = 2 if tick < 1 else 3 if tick > 3 else 4 if gone[i] else 0
        statuses.add(status)
        assert answer.status[i] == status
        place = slice(i * width, (i + 1) * width)
        told = (answer.verdict[i], answer.reason[i], answer.handle[i], *bits([answer.distance[i]]),
                *bits(answer.point[place]), *bits(answer.normal[place]),
                *bits([answer.obstacle_distance[i]]))
        if status == 4:
            nothing = [0.0] * width
            assert told == (3, 0, NONE, *bits([0.0]), *bits(nothing), *bits(nothing),
                            *bits([-1.0]))
        else:
            assert told == (
                whole.verdict[i], whole.reason[i], whole.handle[i], *bits([whole.distance[i]]),
                *bits(whole.point[place]), *bits(whole.normal[place]),
                *bits([whole.obstacle_distance[i]]))
            assert whole.status[i] == status
    assert statuses == {0, 2, 3, 4}


def test_one_shooter_for_all_rows_that_is_gone(field):
    message = pb.HitColumns(dimension=field.dimension, origin=[0.0] * 2 * field.dimension,
                            direction=[1.0] * 2 * field.dimension, shooter_of=[99999], partial=True)
    answer = ask(field.gjkd, f"{field.path}/hit", message, pb.HitAnswers)
    assert list(answer.status) == [4, 4] and list(answer.verdict) == [3, 3]
