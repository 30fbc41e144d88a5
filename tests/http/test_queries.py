"""Questions to a stored set: operands, forms of the answers, what is refused."""

import pytest

import problem
import scenes
from near import near

SHAPES = {
    "crate": {"type": "box", "half_extents": [1, 1], "group": "props"},
    "ball": {"type": "circle", "radius": 1, "position": [1.5, 0]},
    "far": {"type": "circle", "radius": 1, "position": [10, 0], "angle": 0.25},
}


@pytest.fixture
def stored(gjkd, name):
    gjkd.store(name, {"dimension": 2, "shapes": SHAPES})
    return f"/v1/sets/{name}"


def test_operands_by_id(gjkd, stored):
    answer = gjkd.ask(f"{stored}/detect", {"a": "crate", "b": "ball"})
    assert answer["colliding"] is True and near(answer["depth"], 0.5)
    assert near(answer["normal"], [1, 0]) and answer["revision"] == 1
    assert "tick" not in answer
    assert near(gjkd.ask(f"{stored}/distance", {"a": "ball", "b": "far"})["distance"], 6.5)


@pytest.mark.parametrize("operand", [
    {"id": "far", "position": [2.5, 0]}, {"id": "far", "position": [2.5, 0], "angle": 1},
    {"type": "circle", "radius": 1, "position": [2.5, 0]}])
def test_what_if_and_inline(gjkd, stored, operand):
    answer = gjkd.ask(f"{stored}/distance", {"a": "crate", "b": operand})
    assert near(answer["distance"], 0.5)
    # Asking what if changes nothing.
    assert near(gjkd.ask(f"{stored}/distance", {"a": "crate", "b": "far"})["distance"], 8)


def test_what_if_replaces_each_part_of_the_pose_on_its_own(gjkd, name):
    bar = {"type": "box", "half_extents": [3, 1], "position": [0, 5], "angle": 1.5707963267948966}
    gjkd.store(name, {"dimension": 2, "shapes": {"bar": bar}})
    wall = {"type": "segment", "a": [-50, 0], "b": [50, 0]}

    def height(**pose):
        body = {"a": wall, "b": {"id": "bar"} | pose}
        return gjkd.ask(f"/v1/sets/{name}/distance", body)["distance"]

    assert near(height(), 2) and near(height(position=[0, 9]), 6)
    assert near(height(angle=0), 4) and near(height(position=[0, 9], angle=0), 8)


def test_a_and_b_may_be_the_same(gjkd, stored):
    answer = gjkd.ask(f"{stored}/detect", {"a": "crate", "b": "crate"})
    assert answer["state"] == "overlapping" and near(answer["depth"], 2)


def test_a_stored_answer_is_the_stateless_answer(gjkd, stored):
    for op in ("detect", "distance"):
        one = gjkd.ask(f"{stored}/{op}", {"a": "crate", "b": "ball"})
        other = gjkd.ask(f"/v1/{op}", {
            k: {m: v for m, v in SHAPES[i].items() if m != "group"}
            for k, i in (("a", "crate"), ("b", "ball"))})
        assert scenes.without(one, "revision") == other


def test_one_against_all(gjkd, stored):
    answer = gjkd.ask(f"{stored}/detect", {"a": "ball"})
    hit, = answer["hits"]
    assert hit["id"] == "crate" and hit["group"] == "props" and near(hit["depth"], 0.5)
    assert near(hit["normal"], [-1, 0]), "from a to the hit"
    assert answer["revision"] == 1


def test_an_inline_shape_against_all(gjkd, stored):
    answer = gjkd.ask(f"{stored}/detect", {"a": {"type": "circle", "radius": 20}})
    assert [h["id"] for h in answer["hits"]] == ["ball", "crate", "far"]
    assert [h["group"] for h in answer["hits"]] == [None, "props", None]


def test_what_if_against_all_leaves_itself_out(gjkd, stored):
    answer = gjkd.ask(f"{stored}/detect", {"a": {"id": "far", "position": [1, 0]}})
    assert [h["id"] for h in answer["hits"]] == ["ball", "crate"]


def test_all_pairs(gjkd, stored):
    answer = gjkd.ask(f"{stored}/detect", {})
    pair, = answer["pairs"]
    assert (pair["a"], pair["b"]) == ("ball", "crate") and near(pair["normal"], [-1, 0])


def test_against_another_set(gjkd, stored, name):
    other = f"{name}-other"
    gjkd.store(other, {"dimension": 2, "shapes": {
        "stone": {"type": "circle", "radius": 1, "position": [10, 1.5]}}})
    gjkd.store(other, gjkd.get(f"/v1/sets/{other}").json())
    answer = gjkd.ask(f"{stored}/detect", {"against": other})
    pair, = answer["pairs"]
    assert (pair["a"], pair["b"]) == ("far", "stone") and near(pair["depth"], 0.5)
    assert near(pair["normal"], [0, 1])
    assert answer["revision"] == 1 and answer["against_revision"] == 2
    gjkd.call("DELETE", f"/v1/sets/{other}")


def test_a_set_against_itself(gjkd, stored, name):
    pairs = gjkd.ask(f"{stored}/detect", {"against": name})["pairs"]
    assert [(p["a"], p["b"]) for p in pairs] == [
        ("ball", "ball"), ("ball", "crate"), ("crate", "ball"), ("crate", "crate"), ("far", "far")]


def test_without_penetration(gjkd, stored):
    few = {"colliding", "state", "status", "iterations"}
    answer = gjkd.ask(f"{stored}/detect", {"a": "ball", "penetration": False})
    assert set(answer["hits"][0]) == few | {"id", "group"}
    answer = gjkd.ask(f"{stored}/detect", {"penetration": False})
    assert set(answer["pairs"][0]) == few | {"a", "b"}


def test_nearest(gjkd, stored):
    answer = gjkd.ask(f"{stored}/distance", {"a": {"type": "point", "position": [5, 0]}})
    nearest, = answer["nearest"]
    assert nearest["id"] == "ball" and near(nearest["distance"], 2.5)
    assert nearest["group"] is None and near(nearest["normal"], [-1, 0])
    answer = gjkd.ask(f"{stored}/distance", {"a": "far", "limit": 5})
    assert [n["id"] for n in answer["nearest"]] == ["ball", "crate"]


@pytest.mark.parametrize("reach, ids", [(2.4, []), (2.5, ["ball"]), (3.9, ["ball"]),
                                        (4, ["ball", "crate", "far"]), (0, [])])
def test_nearest_within_a_distance(gjkd, stored, reach, ids):
    body = {"a": {"type": "point", "position": [5, 0]}, "limit": 9, "max_distance": reach}
    assert [n["id"] for n in gjkd.ask(f"{stored}/distance", body)["nearest"]] == ids


def test_a_colliding_shape_is_at_distance_zero(gjkd, stored):
    body = {"a": {"type": "circle", "radius": 3}, "limit": 9, "max_distance": 0}
    nearest = gjkd.ask(f"{stored}/distance", body)["nearest"]
    assert [(n["id"], n["distance"]) for n in nearest] == [("ball", 0), ("crate", 0)]
    assert nearest[0]["point_a"] is None


def test_a_set_of_none(gjkd, name):
    gjkd.store(name, {"dimension": 3})
    dot = {"type": "point"}
    assert gjkd.ask(f"/v1/sets/{name}/detect", {})["pairs"] == []
    assert gjkd.ask(f"/v1/sets/{name}/detect", {"a": dot})["hits"] == []
    assert gjkd.ask(f"/v1/sets/{name}/distance", {"a": dot})["nearest"] == []
    ray = {"origin": [0, 0, 0], "direction": [0, 0, 1]}
    assert gjkd.ask(f"/v1/sets/{name}/raycast", ray)["hits"] == []
    assert gjkd.ask(f"/v1/sets/{name}/raycast", ray | {"mode": "any"})["hit"] is False


@pytest.mark.parametrize("op, body", [
    ("detect", {"a": "nobody"}), ("detect", {"a": "crate", "b": "nobody"}),
    ("distance", {"a": {"id": "nobody", "position": [0, 0]}}), ("distance", {"a": "nobody"}),
    ("raycast", {"origin": [0, 0], "direction": [1, 0], "target": "nobody"}),
    ("raycast", {"origin": [0, 0], "direction": [1, 0], "shape": "nobody"})])
def test_shape_not_found(gjkd, stored, op, body):
    problem.check(gjkd.post(f"{stored}/{op}", body), "shape-not-found")


@pytest.mark.parametrize("op", ["detect", "distance", "raycast"])
def test_set_not_found(gjkd, op):
    body = {"origin": [0, 0], "direction": [1, 0]} if op == "raycast" else {"a": "x", "b": "y"}
    problem.check(gjkd.post(f"/v1/sets/nobody/{op}", body), "set-not-found")


def test_against_a_set_that_is_not(gjkd, stored, name):
    problem.check(gjkd.post(f"{stored}/detect", {"against": "nobody"}), "set-not-found")
    problem.check(gjkd.post(f"{stored}/detect", {"against": "-x"}), "bad-name",
                  pointer="/against")
    gjkd.store(f"{name}-3d", {"dimension": 3})
    problem.check(gjkd.post(f"{stored}/detect", {"against": f"{name}-3d"}), "dimension-mismatch")
    gjkd.call("DELETE", f"/v1/sets/{name}-3d")


@pytest.mark.parametrize("op, body", [
    ("detect", {"a": "crate", "b": "ball"}), ("detect", {}), ("distance", {"a": "crate"}),
    ("raycast", {"origin": [0, 0], "direction": [1, 0]})])
def test_a_set_without_ticks_answers_no_past(gjkd, stored, op, body):
    reply = gjkd.post(f"{stored}/{op}", body | {"at": {"tick": 3}})
    problem.check(reply, "tick-expired")
