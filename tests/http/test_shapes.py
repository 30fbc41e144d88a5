"""Every type of shape, and its limits."""

import pytest

import problem
from near import near

DOT = {"type": "point", "position": [100, 0]}
WELCOME_2D = [
    {"type": "point"},
    {"type": "circle", "radius": 1},
    {"type": "segment", "a": [-1, 0], "b": [1, 0]},
    {"type": "capsule", "a": [-0.5, 0], "b": [0.5, 0], "radius": 0.5},
    {"type": "box", "half_extents": [1, 2]},
    {"type": "polygon", "vertices": [[-1, -1], [1, -1], [0, 1]]},
    {"type": "hull", "points": [[1, 0], [0, 0], [-1, 3], [0.1, 0.2]]},
]
WELCOME_3D = [
    {"type": "point"},
    {"type": "sphere", "radius": 1},
    {"type": "segment", "a": [-1, 0, 0], "b": [1, 0, 0]},
    {"type": "capsule", "a": [0, 0, 0], "b": [1, 0, 0], "radius": 0.5},
    {"type": "box", "half_extents": [1, 2, 3]},
    {"type": "hull", "points": [[1, 0, 0], [0, 0, 1], [-1, 3, 0], [0, 0, 0]]},
    {"type": "triangle", "a": [0, 0, 0], "b": [1, 0, 0], "c": [0, 1, 0]},
]
DEGENERATE = [
    {"type": "segment", "a": [1, 0], "b": [1, 0]},
    {"type": "capsule", "a": [0, 0], "b": [0, 0], "radius": 1},
    {"type": "box", "half_extents": [0, 1]},
    {"type": "box", "half_extents": [0, 0]},
    {"type": "hull", "points": [[1, 0]]},
    {"type": "hull", "points": [[1, 0], [1, 0], [1, 0]]},
    {"type": "hull", "points": [[-1, 0], [0, 0], [1, 0]]},
]


def distance(gjkd, a, b):
    return gjkd.ask("/v1/distance", {"a": a, "b": b})


def right_end(shape):
    """Largest x of a shape in its own frame, told by a point far to the right."""
    points = shape.get("points") or shape.get("vertices") or [
        shape[k] for k in "abc" if k in shape] or [shape.get("half_extents", [0])]
    return max(p[0] for p in points) + shape.get("radius", 0)


@pytest.mark.parametrize("shape", WELCOME_2D + DEGENERATE, ids=lambda s: s["type"])
def test_in_2d(gjkd, shape):
    answer = distance(gjkd, shape, {"type": "segment", "a": [100, -50], "b": [100, 50]})
    assert near(answer["distance"], 100 - right_end(shape))


@pytest.mark.parametrize("shape", WELCOME_3D, ids=lambda s: s["type"])
def test_in_3d(gjkd, shape):
    wall = {"type": "box", "half_extents": [0, 50, 50], "position": [100, 0, 0]}
    body = {"dimension": 3, "a": shape, "b": wall}
    assert near(gjkd.ask("/v1/distance", body)["distance"], 100 - right_end(shape))


def test_either_winding(gjkd):
    vertices = [[-1, -1], [1, -1], [1, 1], [-1, 1]]
    there = distance(gjkd, {"type": "polygon", "vertices": vertices}, DOT)
    back = distance(gjkd, {"type": "polygon", "vertices": vertices[::-1]}, DOT)
    assert near(there["distance"], 99) and there["distance"] == back["distance"]


def test_collinear_vertices(gjkd):
    vertices = [[-1, -1], [0, -1], [1, -1], [1, 0], [1, 1], [-1, 1]]
    assert near(distance(gjkd, {"type": "polygon", "vertices": vertices}, DOT)["distance"], 99)
    vertices[1][1] += 1e-13
    assert near(distance(gjkd, {"type": "polygon", "vertices": vertices}, DOT)["distance"], 99)


def test_null_is_absent(gjkd):
    bare = {"type": "circle", "radius": 1}
    full = bare | dict.fromkeys(["rounding", "position", "angle", "group", "meta", "category",
                                 "mask"])
    assert distance(gjkd, full, DOT) == distance(gjkd, bare, DOT)


def test_a_quaternion_is_normalised(gjkd):
    box = {"type": "box", "half_extents": [2, 1, 1]}
    wall = {"type": "point", "position": [0, 9, 0]}
    turned = box | {"orientation": [0, 0, 0.70746, 0.70746]}  # 1.0005 long, a quarter turn
    assert near(gjkd.ask("/v1/distance", {"a": turned, "b": wall})["distance"], 7)


def test_as_many_points_as_allowed_and_one_more(gjkd):
    limit = gjkd.get("/v1").json()["limits"]["points_per_hull_max"]
    shape = {"type": "hull", "points": [[i % 2, i % 3] for i in range(limit)]}
    assert near(distance(gjkd, shape, DOT)["distance"], 99)
    shape["points"].append([0, 0])
    reply = gjkd.post("/v1/detect", {"a": shape, "b": {"type": "point"}})
    problem.check(reply, "too-many", pointer="/a/points", limit=limit)


def test_dimensions_must_agree(gjkd):
    circle, sphere = {"type": "circle", "radius": 1}, {"type": "sphere", "radius": 1}
    dot = {"type": "point"}
    for body in ({"a": circle, "b": sphere}, {"dimension": 3, "a": circle, "b": dot},
                 {"dimension": 2, "a": dot, "b": sphere},
                 {"a": dot | {"position": [1, 2]}, "b": dot | {"position": [1, 2, 3]}}):
        problem.check(gjkd.post("/v1/detect", body), "dimension-mismatch")


def test_what_decides_the_dimension(gjkd):
    dot = {"type": "point"}
    assert len(gjkd.ask("/v1/detect", {"a": dot, "b": dot})["normal"]) == 2
    assert len(gjkd.ask("/v1/detect", {"a": dot, "b": dot, "dimension": 3})["normal"]) == 3
    sphere = {"type": "sphere", "radius": 1}
    assert len(gjkd.ask("/v1/detect", {"a": dot, "b": sphere})["normal"]) == 3
    placed = dot | {"position": [0, 0, 0]}
    assert len(gjkd.ask("/v1/detect", {"a": dot, "b": placed})["normal"]) == 3


@pytest.mark.parametrize("dimension, code", [
    (1, "out-of-range"), (4, "out-of-range"), (-2, "out-of-range"), (1e20, "out-of-range"),
    (2.5, "wrong-type"), ("2", "wrong-type")])
def test_no_other_dimension(gjkd, dimension, code):
    dot = {"type": "point"}
    reply = gjkd.post("/v1/detect", {"a": dot, "b": dot, "dimension": dimension})
    problem.check(reply, code, pointer="/dimension")
