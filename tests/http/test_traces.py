"""Traces: the same answer, and beside it each step that led there."""

import math
import random

import pytest

import scenes
from near import add, dot, length, near, sub

A = {"type": "polygon", "vertices": [[4, 11], [4, 5], [9, 9]]}
B = {"type": "polygon", "vertices": [[5, 7], [7, 3], [10, 2], [12, 7]]}
CUBE = {"type": "box", "half_extents": [1, 1, 1]}
STEP = {"phase", "direction", "support", "simplex", "closest", "lower_bound", "upper_bound",
        "note"}


@pytest.mark.parametrize("path", ["/v1/detect", "/v1/distance"])
@pytest.mark.parametrize("a, b", [(A, B), (A, B | {"position": [3, -1]}),
                                  (CUBE, CUBE | {"position": [1.5, 0.1, 0.2]}),
                                  (CUBE, {"type": "sphere", "radius": 1, "position": [4, 1, 1]})])
def test_the_answer_is_the_same(gjkd, path, a, b):
    plain = gjkd.ask(path, {"a": a, "b": b})
    traced = gjkd.ask(path, {"a": a, "b": b, "trace": True})
    trace = traced.pop("trace")
    assert traced == plain
    assert gjkd.ask(path, {"a": a, "b": b, "trace": False}) == plain
    # what is traced is the general method from its start, though the answer came a shorter way
    assert trace["steps"] and plain["iterations"] >= 1
    assert ("minkowski" in trace) == (a is A)


def test_steps(gjkd):
    answer = gjkd.ask("/v1/detect", {"a": A, "b": B, "trace": True})
    steps = answer["trace"]["steps"]
    assert {s["phase"] for s in steps} == {"gjk", "epa"}
    for step in steps:
        assert set(step) == STEP and step["note"]
        support = step["support"]
        assert support["a"] in A["vertices"] and support["b"] in B["vertices"]
        assert near(sub(support["a"], support["b"]), support["w"])
        assert step["upper_bound"] is None or step["lower_bound"] <= step["upper_bound"]
    assert near(-steps[-1]["lower_bound"], answer["depth"])


def hull(rng, dimension, reach):
    shape = {"type": "hull", "position": scenes.vector(rng, dimension, -reach, reach),
             "points": [scenes.vector(rng, dimension, -1, 1)
                        for _ in range(rng.choice([1, 2, 4, 9, 20]))]}
    if rng.random() < 0.3:
        shape["rounding"] = 0.25
    return shape | scenes.turned(rng, dimension)


def turn(shape, point):
    if "angle" in shape:
        c, s = math.cos(shape["angle"]), math.sin(shape["angle"])
        return [c * point[0] - s * point[1], s * point[0] + c * point[1]]
    x, y, z, w = shape["orientation"]
    t = [2 * (y * point[2] - z * point[1]), 2 * (z * point[0] - x * point[2]),
         2 * (x * point[1] - y * point[0])]
    return add(add(point, [w * n for n in t]),
               [y * t[2] - z * t[1], z * t[0] - x * t[2], x * t[1] - y * t[0]])


def corners(shape):
    return [add(turn(shape, p), shape["position"]) for p in shape["points"]]


def check_support(step, a, b):
    """Corners of the shapes, the farthest apart along a direction of length 1."""
    direction, found = step["direction"], step["support"]
    assert near(length(direction), 1.0)
    assert any(near(found["a"], p) for p in a) and any(near(found["b"], p) for p in b)
    assert near(dot(direction, found["a"]), max(dot(direction, p) for p in a))
    assert near(dot(direction, found["b"]), min(dot(direction, p) for p in b))
    assert near(found["w"], sub(found["a"], found["b"]))


def check_simplex(step, found, dimension):
    """Of support points that were found; the point of it that is called closest is closest."""
    assert len(step["simplex"]) <= dimension + 1
    assert all(p in found for p in step["simplex"])
    closest = step["closest"]
    assert (closest is not None) == bool(step["simplex"])
    for p in step["simplex"]:
        assert dot(closest, p) >= dot(closest, closest) - 1e-12


def signed_distance(gjkd, a, b):
    answer = gjkd.ask("/v1/distance", {"a": a, "b": b})
    return answer["distance"] or -gjkd.ask("/v1/detect", {"a": a, "b": b})["depth"]


@pytest.mark.parametrize("op", ["detect", "distance"])
@pytest.mark.parametrize("dimension", [2, 3])
def test_every_step_is_true(gjkd, dimension, op):
    """What a client draws: real support points, simplices of them, bounds that only close in and
    always enclose the truth, until they are the answer's."""
    rng = random.Random(dimension)
    phases, apart, deep = set(), 0, 0
    for _ in range(40):
        a, b = hull(rng, dimension, 0.5), hull(rng, dimension, rng.choice([0.5, 3]))
        answer = gjkd.ask(f"/v1/{op}", {"a": a, "b": b, "trace": True})
        truth, on_a, on_b = signed_distance(gjkd, a, b), corners(a), corners(b)
        lower, upper, found = -math.inf, math.inf, []
        for step in answer["trace"]["steps"]:
            phases.add(step["phase"])
            check_support(step, on_a, on_b)
            found.append(step["support"]["w"])
            check_simplex(step, found, dimension)
            next_upper = math.inf if step["upper_bound"] is None else step["upper_bound"]
            assert step["lower_bound"] >= lower and next_upper <= upper
            lower, upper = step["lower_bound"], next_upper
            assert lower - 1e-12 <= truth <= upper + 1e-12
        if op == "distance" and answer["state"] == "separated":
            apart += 1
            assert near(lower, answer["lower_bound"]) and near(upper, answer["distance"])
        if op == "detect" and answer["state"] == "overlapping":
            deep += 1
            assert near(-lower, answer["depth"]) and near(-upper, answer["depth_lower_bound"])
    assert phases == {"gjk", "epa"} and apart + deep > 5


def test_minkowski_points(gjkd):
    points = gjkd.ask("/v1/detect", {"a": A, "b": B, "trace": True})["trace"]["minkowski"]
    assert sorted(points) == sorted(sub(a, b) for a in A["vertices"] for b in B["vertices"])


def test_only_of_a_pair(gjkd, name):
    gjkd.store(name, {"dimension": 2, "shapes": {"a": A}})
    answer = gjkd.call("POST", f"/v1/sets/{name}/detect", json={"a": "a", "trace": True})
    assert answer.status_code == 422 and answer.json()["code"] == "unknown-member"
