"""Moving a body: the answer's members, what it is asked of, batches, columns, and what is refused. How it
moves is tested by tests/unit/core/scene/test_move.c and tests/property/test_move.c."""

import math
import random

import pytest

import problem
from messages import TYPE, gjkd as pb
from near import near
from test_columns import NONE, ask, send

BOX = {"type": "box"}
CAPSULE = {"type": "capsule", "a": [0, 0, 0.4], "b": [0, 0, 1.4], "radius": 0.4}
GROUND = {"type": "mesh", "materials": [4, 5], "vertices": [[-9, -9, 0], [9, -9, 0], [9, 9, 0], [-9, 9, 0]],
          "triangles": [[0, 1, 2], [0, 2, 3]]}
SKIN = 1.8e-4
WALK = {"shape": "me", "up": [0, 0, 1], "step": 0.35, "snap": 0.3}


@pytest.fixture
def url(gjkd, name):
    gjkd.store(name, {"dimension": 3, "history": {"ticks": 2}, "shapes": {
        "ground": GROUND, "me": CAPSULE | {"position": [0, 0, SKIN], "group": "mine"},
        "crate": BOX | {"half_extents": [1, 1, 0.15], "position": [4, 0, 0.15], "meta": {"of": "wood"}},
        "wall": BOX | {"half_extents": [0.5, 9, 3], "position": [-4, 0, 3], "category": 2, "group": "walls"}}})
    return f"/v1/sets/{name}/move"


def test_a_walk(gjkd, url):
    answer = gjkd.ask(url, WALK | {"translation": [2, 0.5, -0.1]})
    assert set(answer) == {"position", "moved", "blocked", "pushed", "legs", "grounded", "ground", "contacts",
                           "status", "revision"}
    assert near(answer["position"], [2, 0.5, SKIN], 1e-9) and answer["pushed"] == [0, 0, 0]
    assert near(answer["moved"], [2, 0.5, 0], 1e-9) and near(answer["blocked"], [0, 0, -0.1], 1e-9)
    assert near([sum(leg[i] for leg in answer["legs"]) for i in range(3)], answer["moved"], 1e-12)
    ground = answer["ground"]
    assert answer["grounded"] is True and ground["id"] == "ground" and ground["fraction"] == 1
    assert near(ground["normal"], [0, 0, 1]) and ground["material"] == 4 + ground["piece"]
    floor, = answer["contacts"]
    assert floor["id"] == "ground" and floor["fraction"] == 0 and floor["step"] is False


def test_a_step_and_a_wall(gjkd, url):
    up = gjkd.ask(url, WALK | {"translation": [4, 0, -0.1]})
    assert near(up["position"], [4, 0, 0.3 + SKIN], 1e-6) and up["ground"]["id"] == "crate"
    assert [c["id"] for c in up["contacts"] if c["step"]] == ["crate"]
    stopped = gjkd.ask(url, WALK | {"translation": [4, 1, 0], "step": None})
    assert near(stopped["position"][0], 3 - 0.4, 0.2) and not any(c["step"] for c in stopped["contacts"])
    wall = gjkd.ask(url, WALK | {"translation": [-5, 0, 0]})
    assert near(wall["position"], [-3.5 + 0.4 + SKIN, 0, SKIN], 1e-8)
    assert wall["contacts"][-1]["id"] == "wall" and wall["contacts"][-1]["group"] == "walls"
    assert near(wall["contacts"][-1]["fraction"], (3.1 - SKIN) / 5, 1e-8)


def test_no_up_knows_no_floor(gjkd, url):
    for up in ({}, {"up": None}):
        answer = gjkd.ask(url, {"shape": "me", "translation": [1, 0, -1]} | up)
        assert answer["grounded"] is False and answer["ground"] is None
        assert near(answer["position"], [1, 0, SKIN], 1e-8)


def test_what_it_is_asked_of(gjkd, url, name):
    way = {"translation": [-5, 0, 0]}
    through = gjkd.ask(url, WALK | way | {"filter": {"mask": 1}})
    assert near(through["position"], [-5, 0, SKIN], 1e-8)
    assert through == gjkd.ask(url, WALK | way | {"filter": {"ignore": ["wall"]}})
    assert through == gjkd.ask(url, WALK | way | {"filter": {"ignore_groups": ["walls"]}})
    told = gjkd.ask(url, WALK | {"translation": [4, 0, 0], "include": ["meta"]})
    assert {c["id"]: c["meta"] for c in told["contacts"]}["crate"] == {"of": "wood"}
    elsewhere = gjkd.ask(url, WALK | {"shape": {"id": "me", "position": [0, 5, SKIN]}, "translation": [1, 0, 0]})
    assert near(elsewhere["position"], [1, 5, SKIN], 1e-8)
    inline = gjkd.ask(url, WALK | {"shape": CAPSULE | {"position": [0, 5, SKIN]}, "translation": [1, 0, 0],
                                   "filter": {"ignore_groups": ["mine"]}})
    assert inline == elsewhere
    for tick, x in ((1, -4), (2, -6)):
        moved = {"shapes": {"wall": {"position": [x, 0, 3]}}}
        assert gjkd.put(f"/v1/sets/{name}/ticks/{tick}", moved).status_code == 201
    for tick, x in ((1, -4), (1.5, -5), (2, -6)):
        answer = gjkd.ask(url, WALK | {"translation": [-9, 0, 0], "at": {"tick": tick}})
        assert answer["tick"] == tick and near(answer["position"][0], x + 0.9 + SKIN, 1e-8)


def test_a_body_in_the_floor_is_pushed_out_of_it_alone(gjkd, url):
    deep = WALK | {"shape": {"id": "me", "position": [-3.2, 0, -0.003]}, "translation": [0, 2, 0]}
    answer = gjkd.ask(url, deep)
    assert near(answer["pushed"], [0.1, 0, 0.003], 1e-8) and near(answer["moved"][1], 2, 1e-8)
    left = gjkd.ask(url, deep | {"depenetrate": 0})
    assert left["pushed"] == [0, 0, 0] and near(left["position"], [-3.2, 2, -0.003], 1e-8)


def random_moves(rng, count):
    return [{"translation": [rng.uniform(-5, 5), rng.uniform(-5, 5), rng.choice([0, -0.2, 0.5])],
             "shape": {"id": "me", "position": [rng.uniform(-3, 3), rng.uniform(-3, 3), rng.choice([0, SKIN, 1])]}}
            for _ in range(count)]


def test_batches_and_columns_say_the_same(gjkd, url, name):
    moves = random_moves(random.Random(6), 60)
    alone = [gjkd.ask(url, WALK | move) for move in moves]
    queries = [{"op": "move"} | WALK | move for move in moves]
    batch = gjkd.ask(f"/v1/sets/{name}/batch", {"queries": queries})["results"]
    assert batch == [{k: v for k, v in answer.items() if k != "revision"} for answer in alone]
    me = gjkd.get(f"/v1/sets/{name}/shapes/me").json()["handle"]
    message = pb.MoveColumns(dimension=3, shape=[me], up=[0, 0, 1], step=[0.35], snap=[0.3],
                             position=sum((m["shape"]["position"] for m in moves), []),
                             translation=sum((m["translation"] for m in moves), []))
    columns = ask(gjkd, url, message, pb.MoveAnswers)
    assert list(columns.position) == sum((a["position"] for a in alone), [])
    assert list(columns.count) == [len(a["contacts"]) for a in alone]
    assert list(columns.leg) == sum((leg for a in alone for leg in a["legs"]), [])
    for i in (0, 7):
        row = pb.MoveColumns(dimension=3, shape=[me], up=[0, 0, 1], step=[0.35], snap=[0.3],
                             position=moves[i]["shape"]["position"], translation=moves[i]["translation"])
        one = ask(gjkd, url, row, pb.MoveAnswers)
        as_row = gjkd.call("POST", url, json=WALK | moves[i], headers={"Accept": TYPE})
        assert pb.MoveAnswers.FromString(as_row.content) == one


def test_rows_that_cannot_be_answered(gjkd, url, name):
    handles = {i: s["handle"] for i, s in gjkd.get(f"/v1/sets/{name}").json()["shapes"].items()}
    message = pb.MoveColumns(dimension=3, shape=[handles["me"], 999, handles["me"]],
                             translation=[1, 0, 0] * 3, at_tick=[])
    problem.check(send(gjkd, url, message), "shape-not-found", "/shape/1")
    message.partial = True
    answer = ask(gjkd, url, message, pb.MoveAnswers)
    assert list(answer.status) == [0, 4, 0] and list(answer.leg_count) == [1, 0, 1]
    assert list(answer.ground) == [NONE] * 3 and list(answer.position[3:6]) == [0, 0, 0]
    ignoring = pb.MoveColumns(dimension=3, shape=[handles["me"]], translation=[-5, 0, 0],
                              ignore=[handles["wall"], 999])
    assert near(list(ask(gjkd, url, ignoring, pb.MoveAnswers).position), [-5, 0, SKIN], 1e-8)


@pytest.mark.parametrize("more, code, pointer", [
    ({"shape": []}, "missing-member", "/shape"),
    ({"translation": [1, 2]}, "wrong-type", "/translation"),
    ({"translation": [math.nan, 0, 0, 0, 0, 0]}, "not-finite", "/translation/0"),
    ({"up": [0, 0, 1, 0]}, "wrong-type", "/up"),
    ({"up": [0, 0, 1, 0, 0, 0]}, "zero-direction", "/up/1"),
    ({"up": [0, math.inf, 1]}, "not-finite", "/up/0"),
    ({"max_slope": [0.1, 2]}, "out-of-range", "/max_slope/1"),
    ({"max_slope": [0.1] * 3}, "wrong-type", "/max_slope"),
    ({"step": [-1]}, "out-of-range", "/step/0"),
    ({"snap": [0, -1]}, "out-of-range", "/snap/1"),
    ({"skin": [-1e-9]}, "out-of-range", "/skin/0"),
    ({"skin": [math.nan]}, "not-finite", "/skin/0"),
    ({"depenetrate": [-1]}, "out-of-range", "/depenetrate/0"),
    ({"slides": 33}, "out-of-range", "/slides"),
    ({"position": [0, 0, 0]}, "wrong-type", "/position"),
    ({"rotation": [0, 0, 0, 2] * 2}, "bad-orientation", "/rotation/0"),
    ({"ignore_groups": ["a b"]}, "bad-name", "/ignore_groups/0"),
    ({"dimension": 2}, "dimension-mismatch", "/dimension"),
])
def test_columns_that_are_refused(gjkd, url, more, code, pointer):
    columns = {"dimension": 3, "shape": [1], "translation": [1, 0, 0] * 2} | more
    problem.check(send(gjkd, url, pb.MoveColumns(**columns)), code, pointer)


def test_what_is_not_there(gjkd, url):
    problem.check(gjkd.post(url, WALK | {"shape": "you", "translation": [1, 0, 0]}), "shape-not-found", pointer="/shape")
    problem.check(gjkd.post("/v1/sets/nowhere/move", WALK | {"translation": [1, 0, 0]}), "set-not-found")
    failing, fine = gjkd.ask(url.replace("move", "batch"), {"queries": [
        {"op": "move", "shape": "you", "translation": [1, 0, 0]}, {"op": "move", "shape": "me", "translation": [1, 0, 0]}]})["results"]
    assert failing["error"]["code"] == "shape-not-found" and near(fine["position"][0], 1, 1e-9)
    problem.check(gjkd.post("/v1/move", {"shape": CAPSULE, "translation": [1, 0, 0]}), "route-not-found")
