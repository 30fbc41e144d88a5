"""Column messages that are answered in part, and the exits of rays as a column."""

import math
import random

import pytest

import problem
from messages import flat, gjkd as pb
from test_columns import (
    NONE, Stored, ask, bits, put_poses, ray_message, ray_rows, rows, send)

TICK_EXPIRED, TICK_IN_FUTURE, UNKNOWN_HANDLE = 2, 3, 4


@pytest.fixture(params=[2, 3])
def ticked(request, gjkd, name):
    """The seeded scene with the ticks 10, 20 and 30."""
    stored = Stored(gjkd, name, request.param)
    assert gjkd.call("PATCH", stored.path, json={"history": {"ticks": 3}}).status_code == 200
    for tick in (10, 20, 30):
        assert gjkd.put(f"{stored.path}/ticks/{tick}", {"shapes": {}}).status_code == 201
    stored.newest = gjkd.get(stored.path).json()["revision"]
    return stored


def status_of(tick, handles, known):
    if tick is not None and not 10 <= tick <= 30:
        return TICK_EXPIRED if tick < 10 else TICK_IN_FUTURE
    return 0 if all(h in known for h in handles) else UNKNOWN_HANDLE


def test_rays_in_part(gjkd, ticked):
    rng = random.Random(31)
    rays = ray_rows(rng, ticked.dimension, 80)
    ticks = [rng.choice([9.5, 10, 17.25, 30, 31]) for _ in rays]
    shooters = [rng.choice([NONE, 1, 999]) for _ in rays]
    message = ray_message(ticked.dimension, rays, at_tick=ticks, ignore_group_of=shooters)
    assert send(gjkd, f"{ticked.path}/raycast", message).status_code in (409, 410)
    message.partial = True
    answer = ask(gjkd, f"{ticked.path}/raycast", message, pb.RaycastAnswers)
    points, normals = rows(answer.point, ticked.dimension), rows(answer.normal, ticked.dimension)
    zeros = [0.0] * ticked.dimension
    good = []
    for i, tick in enumerate(ticks):
        status = status_of(tick, [h for h in (shooters[i],) if h != NONE], ticked.ids)
        assert answer.status[i] == status
        if status:
            assert (answer.handle[i], answer.distance[i], points[i], normals[i]) == (
                NONE, 0, zeros, zeros)
        else:
            good.append(i)
    assert 10 < len(good) < 70
    alone = ask(gjkd, f"{ticked.path}/raycast", ray_message(
        ticked.dimension, [rays[i] for i in good], at_tick=[ticks[i] for i in good],
        ignore_group_of=[shooters[i] for i in good]), pb.RaycastAnswers)
    assert [answer.handle[i] for i in good] == list(alone.handle)
    assert bits([answer.distance[i] for i in good]) == bits(alone.distance)


@pytest.mark.parametrize("op", ["detect", "distance"])
def test_pairs_in_part(gjkd, ticked, op):
    rng = random.Random(32)
    known = list(ticked.ids)
    a = [rng.choice([*known, 998]) for _ in range(60)]
    b = [rng.choice([*known, 999]) for _ in a]
    ticks = [rng.choice([5, 10, 25.5, 40]) for _ in a]
    message = pb.PairColumns(dimension=ticked.dimension, a=a, b=b, at_tick=ticks, partial=True)
    answer = ask(gjkd, f"{ticked.path}/{op}", message, pb.PairAnswers)
    wanted = [status_of(tick, (a[i], b[i]), ticked.ids) for i, tick in enumerate(ticks)]
    assert list(answer.status) == wanted and {0, 2, 3}.issubset(wanted)
    width = ticked.dimension
    for i, status in enumerate(wanted):
        found = (answer.state[i], answer.value[i], answer.lower_bound[i], answer.iterations[i])
        if status:
            assert found == (0, 0, 0, 0)
            for column in (answer.normal, answer.point_a, answer.point_b):
                assert list(column[i * width:(i + 1) * width]) == [0.0] * width
    good = [i for i, status in enumerate(wanted) if status == 0]
    alone = ask(gjkd, f"{ticked.path}/{op}", pb.PairColumns(
        dimension=width, a=[a[i] for i in good], b=[b[i] for i in good],
        at_tick=[ticks[i] for i in good]), pb.PairAnswers)
    assert bits([answer.value[i] for i in good]) == bits(alone.value)


def test_all_rows_lack_their_tick(gjkd, ticked):
    message = ray_message(ticked.dimension, ray_rows(random.Random(1), ticked.dimension, 3),
                          at_tick=[99], partial=True)
    answer = ask(gjkd, f"{ticked.path}/raycast", message, pb.RaycastAnswers)
    assert list(answer.status) == [TICK_IN_FUTURE] * 3 and list(answer.handle) == [NONE] * 3


def test_a_set_without_ticks_has_none_of_them(gjkd, name):
    stored = Stored(gjkd, name, 2)
    message = ray_message(2, [([0, 0], [1, 0])], at_tick=[1], partial=True)
    answer = ask(gjkd, f"{stored.path}/raycast", message, pb.RaycastAnswers)
    assert list(answer.status) == [TICK_EXPIRED]


def test_what_is_wrong_in_itself_refuses_the_whole_all_the_same(gjkd, ticked):
    message = ray_message(ticked.dimension, [([0] * ticked.dimension, [0] * ticked.dimension)],
                          partial=True)
    problem.check(send(gjkd, f"{ticked.path}/raycast", message), "zero-direction", "/direction/0")


# --- Poses ---

def test_poses_in_part(gjkd, ticked):
    """Who left spoils its own row, and the answer tells which."""
    some = list(ticked.ids)[:3]
    handles = [777, some[0], 888, some[1], some[2]]
    width, turns = ticked.dimension, 1 if ticked.dimension == 2 else 4
    places = [[10.0 + i] * width for i in range(5)]
    message = pb.PoseColumns(dimension=width, handle=handles, position=flat(places),
                             rotation=[0.5] * 5 * turns, teleport=[777, some[1]])
    before = gjkd.get(ticked.path).json()
    problem.check(put_poses(gjkd, ticked.path, 31, message), "shape-not-found", "/handle/0")
    assert gjkd.get(ticked.path).json() == before
    message.partial = True
    first = put_poses(gjkd, ticked.path, 31, message)
    assert (first.status_code, first.json()["tick"]) == (201, 31)
    assert first.json()["unknown"] == [0, 2]
    shapes = gjkd.get(ticked.path).json()["shapes"]
    moved = {ticked.ids[h]: place for h, place in zip(handles, places) if h in ticked.ids}
    for name, shape in shapes.items():
        assert shape["position"] == moved.get(name, before["shapes"][name]["position"])
    # Again, when another of them has left: that tick's answer is the same.
    gone = ticked.ids[some[0]]
    assert gjkd.call("DELETE", f"{ticked.path}/shapes/{gone}").status_code == 204
    again = put_poses(gjkd, ticked.path, 31, message)
    assert (again.status_code, again.json()["unknown"]) == (200, [0, 2])
    # Without anybody, and with all of them.
    message = pb.PoseColumns(dimension=width, handle=[777], position=[0.0] * width, partial=True)
    assert put_poses(gjkd, ticked.path, 32, message).json()["unknown"] == [0]
    message.handle[0] = some[1]
    assert put_poses(gjkd, ticked.path, 33, message).json()["unknown"] == []
    message.partial = False
    assert "unknown" not in put_poses(gjkd, ticked.path, 34, message).json()


def test_wrong_poses_in_part_are_refused_all_the_same(gjkd, ticked):
    width = ticked.dimension
    good = {"dimension": width, "handle": [777, 778], "position": [0.0] * 2 * width, "partial": True}
    for changes, code, pointer in [
            ({"handle": [777, 777]}, "out-of-range", "/handle/1"),
            ({"position": [0.0] * width + [math.nan] * width}, "not-finite", "/position/1"),
            ({"teleport": [779]}, "out-of-range", "/teleport/0")]:
        problem.check(put_poses(gjkd, ticked.path, 31, pb.PoseColumns(**(good | changes))), code,
                      pointer)


# --- The tick that a set lacks ---

def test_a_tick_that_is_lacking_names_the_set(gjkd, ticked, name):
    here = ticked.path.removeprefix("/v1/sets/")
    gjkd.store(f"{name}.other", {"dimension": ticked.dimension, "shapes": {}})
    asked = {"against": f"{name}.other", "against_at": {"tick": 5}}
    for reply, code, pointer, lacking in [
            (gjkd.post(f"{ticked.path}/detect", {"at": {"tick": 5}}), "tick-expired", "/at/tick", here),
            (gjkd.post(f"{ticked.path}/detect", {"at": {"tick": 50}}), "tick-in-future", "/at/tick", here),
            (gjkd.post(f"{ticked.path}/detect", asked), "tick-expired", "/against_at/tick",
             f"{name}.other"),
            (send(gjkd, f"{ticked.path}/raycast", ray_message(
                ticked.dimension, ray_rows(random.Random(1), ticked.dimension, 1), at_tick=[99])),
             "tick-in-future", "/at_tick/0", here)]:
        problem.check(reply, code, pointer)
        assert f'"{lacking}"' in reply.json()["detail"]
    gjkd.call("DELETE", f"/v1/sets/{name}.other")


# --- Exits ---

def test_exits_are_those_of_json(gjkd, ticked):
    rays = ray_rows(random.Random(33), ticked.dimension, 120)
    message = ray_message(ticked.dimension, rays, exits=True)
    answer = ask(gjkd, f"{ticked.path}/raycast", message, pb.RaycastAnswers)
    assert len(answer.exit) == len(rays)
    hit_count = 0
    for i, (origin, direction) in enumerate(rays):
        hits = gjkd.ask(f"{ticked.path}/raycast", {"origin": origin, "direction": direction,
                                                   "exits": True})["hits"]
        assert bits([answer.exit[i]]) == bits([hits[0]["exit"] if hits else 0.0])
        hit_count += len(hits)
    assert hit_count > 10
    message.exits = False
    assert not ask(gjkd, f"{ticked.path}/raycast", message, pb.RaycastAnswers).exit


def test_no_column_of_exits_where_nothing_is_hit(gjkd, ticked):
    far = [([1000.0] * ticked.dimension, [1.0] * ticked.dimension)]
    answer = ask(gjkd, f"{ticked.path}/raycast", ray_message(ticked.dimension, far, exits=True),
                 pb.RaycastAnswers)
    assert list(answer.handle) == [NONE] and not answer.exit


def test_an_exit_as_a_row_of_one(gjkd, name):
    gjkd.store(name, {"dimension": 2, "shapes": {"disc": {"type": "circle", "radius": 1}}})
    reply = gjkd.post(f"/v1/sets/{name}/raycast",
                      {"origin": [-3, 0.6], "direction": [1, 0], "exits": True},
                      headers={"Accept": "application/x-protobuf"})
    answer = pb.RaycastAnswers.FromString(reply.content)
    assert math.isclose(answer.distance[0], 2.2) and math.isclose(answer.exit[0], 3.8)
