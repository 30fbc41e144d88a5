"""The worked examples of the GJK literature, with their Minkowski difference in mind:
A = (4,11) (4,5) (9,9) and B = (5,7) (7,3) (10,2) (12,7), overlapping; B moved by (3,-1), apart."""

import math

import pytest

from near import add, dot, near, scale, sub

pytestmark = pytest.mark.plain

A = [[4, 11], [4, 5], [9, 9]]
B = [[5, 7], [7, 3], [10, 2], [12, 7]]
MOVE = [3, -1]
DISTANCE = 11 / math.sqrt(41)


def polygon(vertices, **more):
    return {"type": "polygon", "vertices": vertices} | more


def prism(vertices, **more):
    return {"type": "hull", "points": [[x, y, z] for x, y in vertices for z in (-1, 1)]} | more


def outward_normals(vertices):
    area = sum(p[0] * q[1] - p[1] * q[0] for p, q in zip(vertices, vertices[1:] + vertices[:1]))
    for p, q in zip(vertices, vertices[1:] + vertices[:1]):
        side = math.copysign(1 / math.dist(p, q), area)
        yield [side * (q[1] - p[1]), side * (p[0] - q[0])]


def least_translation(a, b):
    """(depth, normal) by the separating axis theorem: the least move of b along an
    edge normal, of a or of b turned around, that ends the overlap."""
    normals = [*outward_normals(a), *(scale(-1, n) for n in outward_normals(b))]
    return min((max(dot(p, n) for p in a) - min(dot(q, n) for q in b), n) for n in normals)


# form, what makes shapes of it, and the third coordinate of a vector, if any
FORMS = [pytest.param(polygon, [], id="polygons"), pytest.param(prism, [0], id="prisms")]


@pytest.mark.parametrize("form, third", FORMS)
def test_overlap(gjkd, form, third):
    depth, normal = least_translation(A, B)
    answer = gjkd.ask("/v1/detect", {"a": form(A), "b": form(B)})
    assert answer["colliding"] is True and answer["state"] == "overlapping"
    assert answer["status"] == "converged"
    assert near(answer["depth"], depth) and near(answer["depth_lower_bound"], depth, 1e-10)
    assert answer["depth_lower_bound"] <= answer["depth"] + 1e-14
    assert near(answer["normal"], normal + third)
    way = sub(answer["point_a"], answer["point_b"])
    assert near(way, scale(answer["depth"], answer["normal"]))


@pytest.mark.parametrize("form, third", FORMS)
def test_overlap_has_distance_zero(gjkd, form, third):
    answer = gjkd.ask("/v1/distance", {"a": form(A), "b": form(B)})
    assert answer["colliding"] is True and answer["state"] == "overlapping"
    assert answer["distance"] == 0 and answer["lower_bound"] == 0
    assert answer["normal"] is None and answer["point_a"] is None and answer["point_b"] is None


@pytest.mark.parametrize("form, third", FORMS)
def test_the_depth_leaves_them_touching(gjkd, form, third):
    overlap = gjkd.ask("/v1/detect", {"a": form(A), "b": form(B)})
    moved = form(B, position=scale(overlap["depth"], overlap["normal"]))
    assert gjkd.ask("/v1/detect", {"a": form(A), "b": moved})["state"] == "touching"


@pytest.mark.parametrize("form, third", FORMS)
@pytest.mark.parametrize("moved_by", ["position", "vertices"])
def test_separated(gjkd, form, third, moved_by):
    if moved_by == "position":
        b = form(B, position=MOVE + third)
    else:
        b = form([add(vertex, MOVE) for vertex in B])
    answer = gjkd.ask("/v1/distance", {"a": form(A), "b": b})
    assert answer["colliding"] is False and answer["state"] == "separated"
    assert answer["status"] == "converged"
    assert near(answer["distance"], DISTANCE) and near(answer["lower_bound"], DISTANCE, 1e-9)
    assert near(answer["point_a"][:2], [6.92683, 7.34146], 1e-5)
    assert near(answer["point_b"][:2], [8, 6])
    way = sub(answer["point_b"], answer["point_a"])
    assert near(way, scale(answer["distance"], answer["normal"]))
    if third:
        assert near(answer["point_a"][2], answer["point_b"][2]) and -1 <= answer["point_a"][2] <= 1


@pytest.mark.parametrize("form, third", FORMS)
def test_separated_has_a_separating_axis(gjkd, form, third):
    answer = gjkd.ask("/v1/detect", {"a": form(A), "b": form(B, position=MOVE + third)})
    assert answer["colliding"] is False and answer["state"] == "separated"
    assert answer["depth"] == 0 and answer["depth_lower_bound"] == 0
    assert answer["point_a"] is None and answer["point_b"] is None
    normal = answer["normal"][:2]
    assert max(dot(p, normal) for p in A) < min(dot(add(q, MOVE), normal) for q in B)


def test_a_and_b_exchanged(gjkd):
    there = gjkd.ask("/v1/distance", {"a": polygon(A), "b": polygon(B, position=MOVE)})
    back = gjkd.ask("/v1/distance", {"a": polygon(B, position=MOVE), "b": polygon(A)})
    assert near(back["distance"], there["distance"])
    assert near(back["normal"], scale(-1, there["normal"]))
    assert near(back["point_a"], there["point_b"]) and near(back["point_b"], there["point_a"])
