"""Separated, touching, overlapping; the status; the options that rule them."""

import math

import pytest

import problem
from near import length, near

SQUARE = {"type": "box", "half_extents": [1, 1]}


def beside(x):
    return {"a": SQUARE, "b": SQUARE | {"position": [x, 0]}}


@pytest.mark.parametrize("x, state", [
    (3, "separated"), (2 + 1e-6, "separated"), (2, "touching"), (2 - 1e-12, "touching"),
    (2 + 1e-12, "touching"), (2 - 1e-6, "overlapping"), (0, "overlapping")])
def test_state(gjkd, x, state):
    for op in ("detect", "distance"):
        answer = gjkd.ask(f"/v1/{op}", beside(x))
        assert answer["state"] == state
        assert answer["colliding"] is (state != "separated")
        assert answer["status"] == "converged" and answer["iterations"] >= 0


@pytest.mark.parametrize("gap, state", [(0.015, "touching"), (0.025, "separated"),
                                        (-0.015, "touching"), (-0.025, "overlapping")])
def test_the_tolerance_is_relative_to_the_size(gjkd, gap, state):
    # The larger side is 2, so 0.01 of it is 0.02.
    pair = beside(2 + gap) | {"options": {"tolerance": 0.01}}
    assert gjkd.ask("/v1/detect", pair)["state"] == state
    assert gjkd.ask("/v1/distance", pair)["state"] == state


def test_touching_has_normal_and_points(gjkd):
    detect = gjkd.ask("/v1/detect", beside(2))
    distance = gjkd.ask("/v1/distance", beside(2))
    for answer in (detect, distance):
        assert near(answer["normal"], [1, 0])
        assert near(answer["point_a"][0], 1) and near(answer["point_b"][0], 1)
    assert near(detect["depth"], 0) and near(distance["distance"], 0)


FLAT = [
    ({"type": "segment", "a": [0, 0], "b": [2, 0]}, {"type": "segment", "a": [1, 0], "b": [3, 0]}),
    ({"type": "point"}, {"type": "point"}),
    ({"type": "triangle", "a": [0, 0, 0], "b": [3, 0, 0], "c": [0, 3, 0]},
     {"type": "triangle", "a": [1, 1, 0], "b": [3, 1, 0], "c": [1, 3, 0]}),
    ({"type": "box", "half_extents": [2, 0, 2]}, {"type": "box", "half_extents": [1, 0, 1]}),
]


@pytest.mark.parametrize("a, b", FLAT)
def test_without_an_interior_between_them_they_touch_at_most(gjkd, a, b):
    detect = gjkd.ask("/v1/detect", {"a": a, "b": b})
    assert detect["state"] == "touching" and detect["depth"] == 0
    assert near(length(detect["normal"]), 1)
    assert gjkd.ask("/v1/distance", {"a": a, "b": b})["state"] == "touching"


def test_a_normal_of_flat_shapes_has_width_zero(gjkd):
    a, b = FLAT[2]
    normal = gjkd.ask("/v1/detect", {"a": a, "b": b})["normal"]
    assert near([abs(x) for x in normal], [0, 0, 1])


def test_without_penetration(gjkd):
    for x, state in ((1, "overlapping"), (2, "touching"), (3, "separated")):
        answer = gjkd.ask("/v1/detect", beside(x) | {"penetration": False})
        assert set(answer) == {"colliding", "state", "status", "iterations"}
        assert answer["state"] == state


def test_members_of_the_answers(gjkd):
    pair = {"colliding", "state", "normal", "point_a", "point_b", "status", "iterations"}
    assert set(gjkd.ask("/v1/detect", beside(1))) == pair | {"depth", "depth_lower_bound"}
    assert set(gjkd.ask("/v1/distance", beside(3))) == pair | {"distance", "lower_bound"}


@pytest.mark.parametrize("options", [
    {"tolerance": 0.01}, {"tolerance": 1e-300}, {"max_iterations": 5}, {"max_iterations": 1000},
    {"max_iterations": 1e2}, {"tolerance": None}, {}, None])
def test_options_within_their_range(gjkd, options):
    ray = {"shape": SQUARE, "origin": [-3, 0], "direction": [1, 0]}
    for path, body in (("detect", beside(1)), ("distance", beside(3)), ("raycast", ray)):
        gjkd.ask(f"/v1/{path}", body | {"options": options})


def test_bounds_hold_at_the_iteration_limit(gjkd):
    # Two fine polygons under the fewest iterations: whatever is answered, the bounds are true.
    ring = [[math.cos(2 * math.pi * i / 500), math.sin(2 * math.pi * i / 500)] for i in range(500)]
    a = {"type": "polygon", "vertices": ring}
    b = {"type": "polygon", "vertices": ring, "position": [1.3, 1.7], "angle": 0.7}
    exact = gjkd.ask("/v1/distance", {"a": a, "b": b})
    rough = gjkd.ask("/v1/distance", {"a": a, "b": b, "options": {"max_iterations": 5}})
    assert rough["lower_bound"] <= exact["distance"] + 1e-15 and exact["status"] == "converged"
    assert rough["distance"] >= exact["lower_bound"] - 1e-15
    assert rough["state"] in ("separated", "touching")
    assert rough["status"] in ("converged", "iteration_limit")


def test_a_shape_against_itself(gjkd):
    answer = gjkd.ask("/v1/detect", {"a": SQUARE, "b": SQUARE})
    assert answer["state"] == "overlapping" and near(answer["depth"], 2)
