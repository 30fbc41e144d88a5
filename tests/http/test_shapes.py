"""Every type of shape: what is welcome, what is refused and where."""

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


PENTAGRAM = [[0, 1], [0.588, -0.809], [-0.951, 0.309], [0.951, 0.309], [-0.588, -0.809]]
DENTED = [[0, 0], [2, 0], [2, 2], [1, 0.5], [0, 2]]


def refuse(gjkd, shape, code, pointer, dimension=2, **more):
    reply = gjkd.post("/v1/detect", {"dimension": dimension, "a": shape, "b": {"type": "point"}})
    return problem.check(reply, code, pointer=pointer and "/a" + pointer, **more)


def test_a_concave_polygon_names_the_vertex(gjkd):
    shape = {"type": "polygon", "vertices": DENTED}
    refuse(gjkd, shape, "not-convex", "/vertices/3", hint="hull")
    refuse(gjkd, {"type": "polygon", "vertices": DENTED[::-1]}, "not-convex", "/vertices/1",
           hint="hull")


def test_a_self_crossing_polygon(gjkd):
    found = refuse(gjkd, {"type": "polygon", "vertices": PENTAGRAM}, "not-convex", None,
                   hint="hull")
    assert found["errors"][0]["pointer"].startswith("/a/vertices/")


@pytest.mark.parametrize("vertices", [
    [[0, 0], [1, 1], [2, 2]], [[0, 0], [0, 0], [0, 0]], [[0, 0], [1, 0], [0, 0]]])
def test_a_polygon_without_area(gjkd, vertices):
    refuse(gjkd, {"type": "polygon", "vertices": vertices}, "not-convex", None, hint="hull")


REFUSED = [
    ({"type": "circle"}, "missing-member", "/radius"),
    ({"type": "circle", "radius": 0}, "out-of-range", "/radius"),
    ({"type": "circle", "radius": -1}, "out-of-range", "/radius"),
    ({"type": "circle", "radius": "1"}, "wrong-type", "/radius"),
    ({"type": "circle", "radius": True}, "wrong-type", "/radius"),
    ({"type": "circle", "radius": None}, "missing-member", "/radius"),
    ({"type": "circle", "radius": 1, "rounding": -0.1}, "out-of-range", "/rounding"),
    ({"type": "circle", "radius": 1, "position": [1, "2"]}, "wrong-type", "/position/1"),
    ({"type": "circle", "radius": 1, "position": 7}, "wrong-type", "/position"),
    ({"type": "circle", "radius": 1, "angle": [0]}, "wrong-type", "/angle"),
    ({"type": "circle", "radius": 1, "category": 4294967296}, "out-of-range", "/category"),
    ({"type": "circle", "radius": 1, "mask": -1}, "out-of-range", "/mask"),
    ({"type": "circle", "radius": 1, "mask": "1"}, "wrong-type", "/mask"),
    ({"type": "circle", "radius": 1, "group": 5}, "wrong-type", "/group"),
    ({"type": "circle", "radius": 1, "group": ""}, "bad-name", "/group"),
    ({"type": "circle", "radius": 1, "group": "a//b"}, "bad-name", "/group"),
    ({"type": "circle", "raduis": 1}, "unknown-member", "/raduis"),
    ({"type": "circle", "radius": 1, "half_extents": [1, 1]}, "unknown-member", "/half_extents"),
    ({"type": "cirle", "radius": 1}, "unknown-type", "/type"),
    ({"type": 3, "radius": 1}, "wrong-type", "/type"),
    ({"radius": 1}, "missing-member", "/type"),
    ({"type": "segment", "a": [0, 0]}, "missing-member", "/b"),
    ({"type": "capsule", "a": [0, 0], "b": [1, 0], "radius": 0}, "out-of-range", "/radius"),
    ({"type": "box", "half_extents": [1, -1]}, "out-of-range", "/half_extents/1"),
    ({"type": "polygon", "vertices": "round"}, "wrong-type", "/vertices"),
    ({"type": "polygon", "vertices": [[0, 0], [1, 0], 5]}, "wrong-type", "/vertices/2"),
    ({"type": "polygon", "vertices": [[0, 0], [1, 0], [1, None]]}, "wrong-type", "/vertices/2/1"),
    ({"type": "polygon", "vertices": [[0, 0], [1, 0]]}, "out-of-range", "/vertices"),
    ({"type": "hull", "points": []}, "out-of-range", "/points"),
    ({"type": "circle", "radius": 1, "position": [1e200, 0]}, "out-of-range", None),
]


@pytest.mark.parametrize("shape, code, pointer", REFUSED)
def test_refused(gjkd, shape, code, pointer):
    refuse(gjkd, shape, code, pointer)


def test_did_you_mean(gjkd):
    refuse(gjkd, {"type": "circle", "raduis": 1}, "unknown-member", "/raduis", hint="radius")
    refuse(gjkd, {"type": "polygn", "vertices": []}, "unknown-type", "/type", hint="polygon")


@pytest.mark.parametrize("orientation", [[0, 0, 0, 2], [0, 0, 0, 0], [0, 0, 0, 1.0011],
                                         [0, 0, 0, 0.9989]])
def test_bad_orientation(gjkd, orientation):
    refuse(gjkd, {"type": "sphere", "radius": 1, "orientation": orientation}, "bad-orientation",
           "/orientation", dimension=3)


def test_as_many_points_as_allowed_and_one_more(gjkd):
    limit = gjkd.get("/v1").json()["limits"]["points_per_hull_max"]
    shape = {"type": "hull", "points": [[i % 2, i % 3] for i in range(limit)]}
    assert near(distance(gjkd, shape, DOT)["distance"], 99)
    shape["points"].append([0, 0])
    refuse(gjkd, shape, "too-many", "/points", limit=limit)


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
