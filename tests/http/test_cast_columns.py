"""Casts as columns: forms, rows in part, and what is refused."""

import random

import pytest

import problem
import scenes
from messages import TYPE, gjkd as pb
from test_columns import NONE, Stored, ask, send

COUNT = 60


@pytest.fixture(params=[2, 3])
def stored(request, gjkd, name):
    return Stored(gjkd, name, request.param)


def ways(rng, stored, count):
    return [scenes.vector(rng, stored.dimension, -3, 3) for _ in range(count)]


def test_at_ticks_and_in_part(gjkd, stored):
    assert gjkd.call("PATCH", stored.path, json={"history": {"ticks": 2}}).status_code == 200
    rng = random.Random(45)
    ids = list(stored.handles)
    for tick in (1, 2):
        moved = {i: {"position": scenes.vector(rng, stored.dimension, -2, 2)} for i in ids}
        assert gjkd.put(f"{stored.path}/ticks/{tick}", {"shapes": moved}).status_code == 201
    movers = rng.choices(ids, k=COUNT)
    way = ways(rng, stored, COUNT)
    ticks = [rng.choice([1, 1.5, 2]) for _ in way]
    message = pb.CastColumns(dimension=stored.dimension, shape=[stored.handles[m] for m in movers],
                             translation=sum(way, []), at_tick=ticks)
    message.at_tick[0], message.at_tick[1], message.shape[2] = 0.5, 3, 999
    problem.check(send(gjkd, f"{stored.path}/cast", message), "tick-expired", "/at_tick/0")
    message.partial = True
    answer = ask(gjkd, f"{stored.path}/cast", message, pb.CastAnswers)
    assert list(answer.status[:4]) == [2, 3, 4, 0]
    assert list(answer.handle[:3]) == [NONE] * 3 and list(answer.fraction[:3]) == [0, 0, 0]
    assert list(answer.inside[:3]) == [0, 0, 0]


def test_pieces_and_materials(gjkd, name):
    """Only messages with such rows have such columns."""
    gjkd.store(name, {"dimension": 3, "shapes": {
        "floor": {"type": "mesh", "vertices": [[-5, -5, 0], [5, -5, 0], [0, 5, 0]],
                  "triangles": [[0, 1, 2]], "materials": [7]},
        "pair": {"type": "compound", "position": [0, 0, 3], "parts": [
            {"type": "sphere", "radius": 0.5, "position": [0, 0, 1]},
            {"type": "sphere", "radius": 0.5}]}}})
    handles = {i: s["handle"] for i, s in gjkd.get(f"/v1/sets/{name}").json()["shapes"].items()}
    answer = ask(gjkd, f"/v1/sets/{name}/cast", pb.CastColumns(
        dimension=3, shape=[handles["pair"]], translation=[0, 0, -5, 0, 0, 5]), pb.CastAnswers)
    assert list(answer.handle) == [handles["floor"], NONE]
    assert (list(answer.piece), list(answer.moving_piece), list(answer.material)) == (
        [0, NONE], [1, NONE], [7, 0])
    answer = ask(gjkd, f"/v1/sets/{name}/cast", pb.CastColumns(
        dimension=3, shape=[handles["pair"]], translation=[0, 0, 5]), pb.CastAnswers)
    assert not (answer.piece or answer.moving_piece or answer.material or answer.depth)


def test_forms(gjkd, stored):
    mover = next(iter(stored.handles))
    way = [1.5] * stored.dimension
    message = pb.CastColumns(dimension=stored.dimension, shape=[stored.handles[mover]],
                             translation=way, at_start=2)
    binary = ask(gjkd, f"{stored.path}/cast", message, pb.CastAnswers)
    told = send(gjkd, f"{stored.path}/cast", message, accept="application/json").json()
    assert told == {"revision": 1, **{k: list(getattr(binary, k)) for k in (
        "handle", "fraction", "point", "normal", "inside", "depth", "status")}}
    query = {"shape": mover, "translation": way, "at_start": "resolve"}
    reply = gjkd.post(f"{stored.path}/cast", query, headers={"Accept": TYPE})
    assert reply.content == binary.SerializeToString()
    for more in ({"mode": "all"}, {"mode": "any"}, {"include": ["meta"]}):
        problem.check(gjkd.post(f"{stored.path}/cast", query | more, headers={"Accept": TYPE}),
                      "not-acceptable")
    empty = ask(gjkd, f"{stored.path}/cast", pb.CastColumns(dimension=stored.dimension),
                pb.CastAnswers)
    assert not empty.handle


@pytest.mark.parametrize("changes, code, pointer", [
    ({"dimension": 3}, "dimension-mismatch", "/dimension"),
    ({"shape": []}, "missing-member", "/shape"),
    ({"shape": [1, 2, 3]}, "wrong-type", "/shape"),
    ({"shape": [1, 99]}, "shape-not-found", "/shape/1"),
    ({"shape": [99]}, "shape-not-found", "/shape/0"),
    ({"translation": [0, 0, 1]}, "wrong-type", "/translation"),
    ({"translation": [0, 0, 1, float("nan")]}, "not-finite", "/translation/1"),
    ({"translation": [0, 0, 1, 1e151]}, "out-of-range", "/translation/1"),
    ({"position": [0, 0]}, "wrong-type", "/position"),
    ({"rotation": [0]}, "wrong-type", "/rotation"),
    ({"to_rotation": [0]}, "wrong-type", "/to_rotation"),
    ({"to_rotation": [0, float("inf")]}, "not-finite", "/to_rotation/1"),
    ({"at_start": 4}, "out-of-range", "/at_start"),
    ({"mask": [1, 2, 3]}, "wrong-type", "/mask"),
    ({"at_tick": [-1]}, "out-of-range", "/at_tick/0"),
    ({"at_tick": [0]}, "tick-expired", "/at_tick/0"),
    ({"ignore_group_of": [NONE, 77]}, "shape-not-found", "/ignore_group_of/1"),
    ({"ignore_groups": ["a//b"]}, "bad-name", "/ignore_groups/0"),
])
def test_refused(gjkd, name, changes, code, pointer):
    stored = Stored(gjkd, name, 2)
    good = {"dimension": 2, "shape": [1, 2], "translation": [1, 0, 0, 1]}
    problem.check(send(gjkd, f"{stored.path}/cast", pb.CastColumns(**(good | changes))), code,
                  pointer)
