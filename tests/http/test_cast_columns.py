"""Casts as columns: every row as JSON answers it."""

import random

import pytest

import problem
import scenes
from messages import TYPE, gjkd as pb, rows
from test_columns import NONE, STATUSES, Stored, ask, bits, pose, send

AT_START = ["report", "ignore", "resolve"]
COUNT = 60


@pytest.fixture(params=[2, 3])
def stored(request, gjkd, name):
    return Stored(gjkd, name, request.param)


def ways(rng, stored, count):
    return [scenes.vector(rng, stored.dimension, -3, 3) for _ in range(count)]


def check(stored, message, queries):
    """The columns' answer against one JSON query a row; how many rows hit something."""
    answer = ask(stored.gjkd, f"{stored.path}/cast", message, pb.CastAnswers)
    width, hit_count = stored.dimension, 0
    points, normals = rows(answer.point, width), rows(answer.normal, width)
    zeros = [0.0] * width
    assert len(answer.handle) == len(queries)
    assert bool(answer.depth) == (message.at_start == 2)
    for i, query in enumerate(queries):
        hits = stored.gjkd.ask(f"{stored.path}/cast", query)["hits"]
        if not hits:
            assert (answer.handle[i], answer.fraction[i], points[i], normals[i], answer.inside[i],
                    answer.status[i]) == (NONE, 1, zeros, zeros, 0, 0)
            continue
        hit, hit_count = hits[0], hit_count + 1
        assert stored.ids[answer.handle[i]] == hit["id"]
        assert bits([answer.fraction[i]]) == bits([hit["fraction"]])
        assert bits(points[i]) == bits(hit["point"] or zeros)
        assert bits(normals[i]) == bits(hit["normal"] or zeros)
        assert answer.inside[i] == hit["inside"] and STATUSES[answer.status[i]] == hit["status"]
        if message.at_start == 2:
            assert bits([answer.depth[i]]) == bits([hit.get("depth") or 0.0])
    return hit_count


def test_where_they_stand(stored):
    rng = random.Random(41)
    movers = rng.choices(list(stored.handles), k=COUNT)
    way = ways(rng, stored, COUNT)
    message = pb.CastColumns(dimension=stored.dimension, shape=[stored.handles[m] for m in movers],
                             translation=sum(way, []))
    assert check(stored, message, [{"shape": m, "translation": w}
                                   for m, w in zip(movers, way)]) > 10


@pytest.mark.parametrize("at_start", range(3))
def test_one_shape_from_many_places(stored, at_start):
    rng = random.Random(42)
    mover = next(iter(stored.handles))
    way = ways(rng, stored, COUNT)
    poses = [pose(rng, stored.dimension) for _ in way]
    turn = "angle" if stored.dimension == 2 else "orientation"
    message = pb.CastColumns(
        dimension=stored.dimension, shape=[stored.handles[mover]], at_start=at_start,
        position=sum((p for p, _ in poses), []), rotation=sum((r for _, r in poses), []),
        translation=sum(way, []))
    queries = [{"shape": {"id": mover, "position": p, turn: r if stored.dimension == 3 else r[0]},
                "translation": w, "at_start": AT_START[at_start]}
               for (p, r), w in zip(poses, way)]
    assert check(stored, message, queries) > (0 if at_start == 1 else 10)


def test_turning(stored):
    """From the origin a translation is a place to the bit, as JSON's `to` has it."""
    rng = random.Random(43)
    mover = next(iter(stored.handles))
    way = ways(rng, stored, COUNT)
    turns = [pose(rng, stored.dimension)[1] for _ in way]
    turn = "angle" if stored.dimension == 2 else "orientation"
    message = pb.CastColumns(
        dimension=stored.dimension, shape=[stored.handles[mover]],
        position=[0.0] * stored.dimension * COUNT, translation=sum(way, []),
        to_rotation=sum(turns, []))
    queries = [{"shape": {"id": mover, "position": [0] * stored.dimension},
                "to": {"position": w, turn: t if stored.dimension == 3 else t[0]}}
               for w, t in zip(way, turns)]
    assert check(stored, message, queries) > 10


def test_who_is_asked(stored):
    rng = random.Random(44)
    movers = rng.choices(list(stored.handles), k=COUNT)
    way = ways(rng, stored, COUNT)
    mask = [rng.choice([NONE, 1, 6]) for _ in way]
    category = [rng.choice([NONE, 1, 2]) for _ in way]
    own = [rng.choice([NONE, stored.handles[m]]) for m in movers]
    queries = []
    for i, mover in enumerate(movers):
        group = stored.groups[mover] if own[i] != NONE else None
        queries.append({"shape": mover, "translation": way[i], "filter": {
            "mask": mask[i], "category": category[i],
            "ignore_groups": ["red"] + ([group] if group else [])}})
    message = pb.CastColumns(dimension=stored.dimension, shape=[stored.handles[m] for m in movers],
                             translation=sum(way, []), mask=mask, category=category,
                             ignore_group_of=own, ignore_groups=["red"])
    assert check(stored, message, queries) > 3


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
    check(stored, message, [{"shape": m, "translation": w, "at": {"tick": t}}
                            for m, w, t in zip(movers, way, ticks)])
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
    ({"at_start": 3}, "out-of-range", "/at_start"),
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
