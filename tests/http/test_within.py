"""relation within: what lies wholly within a shape. The oracle scans supports: the farthest point of a
shape along the normals of the container's sides, which the test knows."""

import math
import random

import pytest

import problem
import scenes
from near import dot, length, scale, sub

EPS = 1e-9


def turn(rotation, v):
    if len(v) == 2:
        c, s = math.cos(rotation or 0), math.sin(rotation or 0)
        return [c * v[0] - s * v[1], s * v[0] + c * v[1]]
    x, y, z, w = rotation or (0, 0, 0, 1)
    t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])]
    return [v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2],
            v[2] + w * t[2] + x * t[1] - y * t[0]]


def back(rotation, v):
    inverse = -rotation if isinstance(rotation, (int, float)) else \
        rotation and [-rotation[0], -rotation[1], -rotation[2], rotation[3]]
    return turn(inverse, v)


def support(shape, d):
    """How far the shape reaches along the unit vector d."""
    rotation = shape.get("angle", shape.get("orientation"))
    own, kind = back(rotation, d), shape["type"]
    at = dot(shape.get("position", [0] * len(d)), d) + shape.get("rounding", 0)
    if kind == "compound":
        return at + max(support(part, own) for part in shape["parts"])
    if kind == "ellipse" or kind == "ellipsoid":
        return at + length([r * c for r, c in zip(shape["radii"], own)])
    if kind in ("cylinder", "cone"):
        axis = sub(shape["b"], shape["a"])
        along = dot(axis, own) / length(axis)
        disc = shape["radius"] * math.sqrt(max(0, 1 - along * along))
        ends = [dot(shape["a"], own) + disc, dot(shape["b"], own) + (disc if kind == "cylinder" else 0)]
        return at + max(ends)
    points = {"box": lambda: [[s * h for s, h in zip(signs, shape["half_extents"])]
                              for signs in [[x, y, z] for x in (1, -1) for y in (1, -1) for z in (1, -1)]],
              "point": lambda: [[0] * len(d)], "circle": lambda: [[0, 0]], "sphere": lambda: [[0, 0, 0]],
              "mesh": lambda: shape["vertices"], "chain": lambda: shape["vertices"],
              "polygon": lambda: shape["vertices"], "hull": lambda: shape["points"]}.get(
                  kind, lambda: [shape[k] for k in "abc" if k in shape])()
    return at + shape.get("radius", 0) + max(dot(p, own) for p in points)


def normals(container, dimension):
    """Of the sides, in the container's frame: of a box its axes, of a simplex all its faces."""
    if container["type"] == "box":
        return [[s * (i == k) for i in range(dimension)] for k in range(dimension) for s in (1, -1)]
    p = container.get("points") or container.get("vertices")
    middle = scale(1 / len(p), [sum(c) for c in zip(*p)])
    found = []
    for skip in range(len(p)):
        q = [v for i, v in enumerate(p) if i != skip]
        e = [sub(v, q[0]) for v in q[1:]]
        n = [e[0][1], -e[0][0]] if dimension == 2 else [
            e[0][1] * e[1][2] - e[0][2] * e[1][1], e[0][2] * e[1][0] - e[0][0] * e[1][2],
            e[0][0] * e[1][1] - e[0][1] * e[1][0]]
        n = scale((1 if dot(n, sub(q[0], middle)) > 0 else -1) / length(n), n)
        found.append(n)
    return found


def containers(rng, dimension):
    simplex = [scenes.vector(rng, dimension, -3, 3) for _ in range(dimension + 1)]
    yield {"type": "box", "half_extents": scenes.vector(rng, dimension, 0.8, 2.5)}
    yield {"type": "hull", "points": simplex}
    if dimension == 2:
        yield {"type": "polygon", "vertices": simplex}


def small(rng, dimension):
    shape = scenes.shape(rng, dimension, 2)
    more = [{"type": "ellipse" if dimension == 2 else "ellipsoid", "radii": scenes.vector(rng, dimension, 0.1, 1)}]
    if dimension == 3:
        ends = {"a": scenes.vector(rng, 3, -1, 0), "b": scenes.vector(rng, 3, 0.1, 1), "radius": 0.3}
        more += [{"type": "cylinder"} | ends, {"type": "cone"} | ends]
    more.append({"type": "compound", "parts": [{"type": "point", "position": scenes.vector(rng, dimension, -1, 1)},
                                               scenes.shape(rng, dimension, 0.5)]})
    place = {k: v for k, v in shape.items() if k in ("position", "angle", "orientation")}
    return rng.choice([shape] * 4 + [m | place for m in more])


@pytest.mark.parametrize("dimension", [2, 3])
def test_it_is_what_support_scans_say(gjkd, name, dimension):
    rng, found = random.Random(5), 0
    for _ in range(12):
        shapes = {f"s{i}": small(rng, dimension) for i in range(60)}
        gjkd.store(name, {"dimension": dimension, "shapes": shapes})
        for container in containers(rng, dimension):
            placed = container | {"position": scenes.vector(rng, dimension, -1, 1)} | scenes.turned(rng, dimension)
            if rng.random() < 0.3:
                placed = {"type": "compound", "parts": [placed]}
            told = gjkd.ask(f"/v1/sets/{name}/detect", {"a": placed, "relation": "within"})
            inner = placed["parts"][0] if placed["type"] == "compound" else placed
            rotation = inner.get("angle", inner.get("orientation"))
            planes = [turn(rotation, n) for n in normals(container, dimension)]
            beyond = {i: max(support(s, n) - support(inner, n) for n in planes) for i, s in shapes.items()}
            assert all(abs(b) > EPS for b in beyond.values())
            assert [h["id"] for h in told["hits"]] == sorted(i for i, b in beyond.items() if b < 0)
            found += len(told["hits"])
            assert all(set(h) == {"id", "group", "colliding", "state", "status", "iterations"}
                       for h in told["hits"])
    assert found > 50


def test_what_fills_it_lies_within_and_a_hair_more_does_not(gjkd, name):
    box = {"type": "box", "half_extents": [1, 1]}
    shapes = {"same": box, "corner": {"type": "point", "position": [1, 1]}, "ball": {"type": "circle", "radius": 1},
              "longer": box | {"half_extents": [1.0001, 1]}, "beside": box | {"position": [0.0001, 0]},
              "hair": box | {"half_extents": [1 + 1e-12, 1]}, "rounded": box | {"rounding": 1e-4},
              "turned": box | {"angle": math.pi / 2}}
    gjkd.store(name, {"dimension": 2, "shapes": shapes})
    ask = {"a": box, "relation": "within"}
    told = gjkd.ask(f"/v1/sets/{name}/detect", ask)
    assert [h["id"] for h in told["hits"]] == ["ball", "corner", "hair", "same", "turned"]
    loose = gjkd.ask(f"/v1/sets/{name}/detect", ask | {"options": {"tolerance": 0.001}})
    assert len(loose["hits"]) == len(shapes)
    itself = gjkd.ask(f"/v1/sets/{name}/detect", {"a": "same", "relation": "within"})
    assert [h["id"] for h in itself["hits"]] == ["ball", "corner", "hair", "turned"]


@pytest.mark.parametrize("limit", [4, 5, 6])
def test_limit_and_filter(gjkd, name, limit):
    shapes = {f"p{i}": {"type": "point", "position": [i / 10, 0], "category": 1 + i % 2} for i in range(10)}
    gjkd.store(name, {"dimension": 2, "shapes": shapes | {"out": {"type": "point", "position": [5, 5]}}})
    ask = {"a": {"type": "box", "half_extents": [1, 1]}, "relation": "within", "limit": limit, "filter": {"mask": 2}}
    told = gjkd.ask(f"/v1/sets/{name}/detect", ask)
    assert [h["id"] for h in told["hits"]] == ["p1", "p3", "p5", "p7", "p9"][:limit]
    assert told.get("truncated", False) == (limit < 5)


@pytest.mark.parametrize("container", [
    {"type": "triangle", "a": [0, 0, 0], "b": [4, 0, 0], "c": [0, 4, 0]},
    {"type": "hull", "points": [[0, 0, 0], [4, 0, 0], [0, 4, 0], [1, 1, 0]]},
    {"type": "hull", "points": [[0, 0, 0], [1e-200, 0, 0], [0, 1e-200, 0], [0, 0, 1e-200]]},
    {"type": "hull", "points": [[0, 0, 0], [4, 4, 4], [1, 1, 1]]},
    {"type": "hull", "points": [[0, 0, 0]]},
    {"type": "box", "half_extents": [1, 0, 0]}])
def test_flat_containers_hold_what_is_in_their_plane(gjkd, name, container):
    shapes = {"origin": {"type": "point"}, "above": {"type": "point", "position": [0, 0, 0.01]},
              "line": {"type": "segment", "a": [0.5, 0.5, 0], "b": [1, 0.25, 0]},
              "steep": {"type": "segment", "a": [0.5, 0.5, 0.5], "b": [2, 2, 2]},
              "along": {"type": "segment", "a": [-0.5, 0, 0], "b": [0.5, 0, 0]},
              "far": {"type": "point", "position": [3, 3, 0]}}
    gjkd.store(name, {"dimension": 3, "shapes": shapes})
    told = [h["id"] for h in gjkd.ask(f"/v1/sets/{name}/detect", {"a": container, "relation": "within"})["hits"]]
    size = max((abs(c) for p in container.get("points", [[4]]) for c in p), default=4)
    wanted = {"box": ["along", "origin"], "triangle": ["line", "origin"]}.get(container["type"])
    if wanted is None:
        n = len(container["points"])
        wanted = {1: ["origin"], 3: ["origin", "steep"], 4: ["line", "origin"] if size > 1 else ["origin"]}[n]
    assert told == wanted


def test_many_sided_containers(gjkd, name):
    rng = random.Random(8)
    points = [scale(2 / length(v), v) for v in ([rng.gauss(0, 1) for _ in range(3)] for _ in range(400))]
    shapes = {f"s{i}": {"type": "sphere", "radius": 0.1, "position": scenes.vector(rng, 3, -2, 2)} for i in range(300)}
    gjkd.store(name, {"dimension": 3, "shapes": shapes})
    told = {h["id"] for h in gjkd.ask(f"/v1/sets/{name}/detect", {
        "a": {"type": "hull", "points": points}, "relation": "within"})["hits"]}
    for i, s in shapes.items():
        far = length(s["position"]) + 0.1
        assert (i in told) or far > 1.7, "deep inside"
        assert (i not in told) or far <= 2 + EPS, "beyond the sphere around the hull"
    assert 30 < len(told) < 200


@pytest.mark.parametrize("container", [
    {"type": "circle", "radius": 1}, {"type": "box", "half_extents": [1, 1], "rounding": 0.1}, {"type": "point"},
    {"type": "compound", "parts": [{"type": "box", "half_extents": [1, 1]}] * 2},
    {"type": "compound", "parts": [{"type": "circle", "radius": 1}]}, {"type": "segment", "a": [0, 0], "b": [1, 0]},
    {"type": "region", "polygons": [[[[0, 0], [1, 0], [0, 1]]]]}])
def test_other_containers_are_refused(gjkd, name, container):
    gjkd.store(name, {"dimension": 2, "shapes": {"c": container}})
    for a in (container, "c"):
        problem.check(gjkd.post(f"/v1/sets/{name}/detect", {"a": a, "relation": "within"}), "out-of-range",
                      pointer="/a", hint="box, polygon, hull or triangle")
        assert gjkd.ask(f"/v1/sets/{name}/detect", {"a": a, "relation": "intersects"}).keys() == {"hits", "revision"}


def test_refusals(gjkd, name):
    gjkd.store(name, {"dimension": 2, "shapes": {"a": {"type": "box", "half_extents": [1, 1]}}})
    url = f"/v1/sets/{name}/detect"
    for query in ({}, {"a": "a", "b": "a"}, {"against": name}):
        problem.check(gjkd.post(url, query | {"relation": "within"}), "unknown-member", pointer="/relation")
    problem.check(gjkd.post(url, {"a": "a", "relation": "inside"}), "out-of-range", pointer="/relation")
    problem.check(gjkd.post("/v1/detect", {"a": {"type": "point"}, "b": {"type": "point"}, "relation": "within"}),
                  "unknown-member", pointer="/relation")
