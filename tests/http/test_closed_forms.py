"""Pairs and rays whose answers a formula gives."""

import math

import pytest

from near import dot, length, near, scale, sub

pytestmark = pytest.mark.plain


def ball(radius, position):
    return {"type": "circle" if len(position) == 2 else "sphere", "radius": radius,
            "position": position}


@pytest.mark.parametrize("p, q", [([1, 2], [4, 6]), ([1, 2, 3], [3, 5, 9])])
@pytest.mark.parametrize("radii", [(1, 2), (0.25, 0.5), (4, 3), (6, 0.5)])
def test_two_balls(gjkd, p, q, radii):
    apart = math.dist(p, q) - sum(radii)
    normal = scale(1 / math.dist(p, q), sub(q, p))
    pair = {"a": ball(radii[0], p), "b": ball(radii[1], q)}
    detect = gjkd.ask("/v1/detect", pair)
    distance = gjkd.ask("/v1/distance", pair)
    assert detect["colliding"] == distance["colliding"] == (apart <= 0)
    assert near(detect["depth"], max(-apart, 0)) and near(distance["distance"], max(apart, 0))
    assert near(detect["normal"], normal)
    if apart > 0:
        assert near(distance["point_a"], [x + radii[0] * n for x, n in zip(p, normal)])
        assert near(distance["point_b"], [x - radii[1] * n for x, n in zip(q, normal)])


def test_balls_that_touch(gjkd):
    pair = {"a": ball(2, [0, 0]), "b": ball(3, [3, 4])}
    detect = gjkd.ask("/v1/detect", pair)
    distance = gjkd.ask("/v1/distance", pair)
    assert detect["state"] == distance["state"] == "touching"
    assert detect["colliding"] is True and distance["colliding"] is True
    assert near(detect["normal"], [0.6, 0.8]) and near(distance["normal"], [0.6, 0.8])
    assert near(distance["point_a"], [1.2, 1.6])


def test_coincident_centres(gjkd):
    pair = {"a": ball(2, [5, 5]), "b": ball(3, [5, 5])}
    answers = [gjkd.ask("/v1/detect", pair) for _ in range(3)]
    assert near(answers[0]["depth"], 5) and near(length(answers[0]["normal"]), 1)
    assert answers[0] == answers[1] == answers[2]


# sphere of radius 1 and box of half extents 1, 2, 3: centre -> signed distance
SPHERE_AND_BOX = [
    ([4, 0, 0], 2), ([0, -5, 0], 2), ([3, 4, 0], math.sqrt(8) - 1), ([3, 4, 5], math.sqrt(12) - 1),
    ([1.5, 0, 0], -0.5), ([0, 0, 0], -2), ([0.5, 0, 2.75], -1.25), ([1 + 0.48, 2 + 0.64, 0], -0.2),
]


@pytest.mark.parametrize("centre, apart", SPHERE_AND_BOX)
def test_sphere_and_box(gjkd, centre, apart):
    pair = {"a": {"type": "box", "half_extents": [1, 2, 3]}, "b": ball(1, centre)}
    assert near(gjkd.ask("/v1/detect", pair)["depth"], max(-apart, 0))
    answer = gjkd.ask("/v1/distance", pair)
    assert near(answer["distance"], max(apart, 0))
    if apart > 0:
        closest = [max(-h, min(h, c)) for h, c in zip([1, 2, 3], centre)]
        assert near(answer["point_a"], closest)


def test_turned_box_and_sphere(gjkd):
    # A cube turned by 45 degrees about z shows its edge, at sqrt 2, to the sphere.
    half = math.pi / 8
    box = {"type": "box", "half_extents": [1, 1, 1],
           "orientation": [0, 0, math.sin(half), math.cos(half)]}
    answer = gjkd.ask("/v1/distance", {"a": box, "b": ball(0.5, [3, 0, 0])})
    assert near(answer["distance"], 2.5 - math.sqrt(2)) and near(answer["normal"], [1, 0, 0])


@pytest.mark.parametrize("dimension", [2, 3])
def test_box_and_cloud_of_points(gjkd, dimension):
    # The cloud's hull is the octahedron |x| + |y| (+ |z|) <= 1, its inner points say nothing.
    axes = [[float(i == j) for j in range(dimension)] for i in range(dimension)]
    cloud = axes + [scale(-1, x) for x in axes] + [scale(0.3, x) for x in axes]
    pair = {"a": {"type": "box", "half_extents": [1] * dimension},
            "b": {"type": "hull", "points": cloud, "position": [2] * dimension}}
    answer = gjkd.ask("/v1/distance", pair)
    # From the box's corner (1, 1, ...) to the plane sum(2 - x) = 1.
    apart = (dimension - 1) / math.sqrt(dimension)
    assert near(answer["distance"], apart)
    assert near(answer["point_a"], [1] * dimension)
    assert near(answer["normal"], [1 / math.sqrt(dimension)] * dimension)
    pair["b"]["position"] = [1.5] + [0] * (dimension - 1)
    assert near(gjkd.ask("/v1/detect", pair)["depth"], 0.5)


def test_capsules_that_cross(gjkd):
    a = {"type": "capsule", "a": [-1, 0, 0], "b": [1, 0, 0], "radius": 0.25}
    b = {"type": "capsule", "a": [0, -1, 0], "b": [0, 1, 0], "radius": 0.5, "position": [0, 0, 1]}
    answer = gjkd.ask("/v1/distance", {"a": a, "b": b})
    assert near(answer["distance"], 0.25)
    assert near(answer["point_a"], [0, 0, 0.25]) and near(answer["point_b"], [0, 0, 0.5])


@pytest.mark.parametrize("shape", [
    {"type": "point"}, {"type": "segment", "a": [0, -1], "b": [0, 1]},
    {"type": "polygon", "vertices": [[-2, -1], [0, -1], [0, 1], [-2, 1]]},
    {"type": "hull", "points": [[0, 0], [0, 1], [-1, 0]]},
])
def test_rounding_adds_a_ball(gjkd, shape):
    target = {"type": "point", "position": [3, 0], "rounding": 0.25}
    answer = gjkd.ask("/v1/distance", {"a": shape | {"rounding": 0.5}, "b": target})
    assert near(answer["distance"], 2.25)
    assert near(answer["point_a"], [0.5, 0]) and near(answer["point_b"], [2.75, 0])


# shape, origin, direction, distance, normal
RAYS = [
    ({"type": "circle", "radius": 1}, [-3, 0], [2, 0], 2, [-1, 0]),
    ({"type": "sphere", "radius": 1}, [-3, 0, 0.6], [1, 0, 0], 2.2, [-0.8, 0, 0.6]),
    ({"type": "box", "half_extents": [1, 2]}, [3, 1], [-5, 0], 2, [1, 0]),
    ({"type": "box", "half_extents": [1, 2], "rounding": 0.5}, [3, 1], [-1, 0], 1.5, [1, 0]),
    ({"type": "capsule", "a": [-1, 0, 0], "b": [1, 0, 0], "radius": 0.5}, [0, 0, 4], [0, 0, -1],
     3.5, [0, 0, 1]),
    ({"type": "triangle", "a": [0, 0, 0], "b": [4, 0, 0], "c": [0, 4, 0]}, [1, 1, 3], [0, 0, -2],
     3, [0, 0, 1]),
    ({"type": "triangle", "a": [0, 0, 0], "b": [4, 0, 0], "c": [0, 4, 0]}, [1, 1, -3], [0, 0, 2],
     3, [0, 0, -1]),
    ({"type": "segment", "a": [0, -1], "b": [0, 1]}, [-2, 0], [1, 0], 2, [-1, 0]),
    ({"type": "segment", "a": [0, 0], "b": [2, 0]}, [-2, 0], [1, 0], 2, [-1, 0]),
    ({"type": "point", "position": [3, 4]}, [0, 0], [3, 4], 5, [-0.6, -0.8]),
    ({"type": "hull", "points": [[1, 1, 1], [-1, -1, 1], [-1, 1, -1], [1, -1, -1]]}, [3, 3, 3],
     [-1, -1, -1], 2 * math.sqrt(3), None),
]


@pytest.mark.parametrize("shape, origin, direction, distance, normal", RAYS)
def test_ray(gjkd, shape, origin, direction, distance, normal):
    answer = gjkd.ask("/v1/raycast", {"shape": shape, "origin": origin, "direction": direction})
    hit, = answer["hits"]
    assert hit["id"] is None and hit["inside"] is False and hit["status"] == "converged"
    assert near(hit["distance"], distance)
    unit = scale(1 / length(direction), direction)
    assert near(hit["point"], [o + distance * u for o, u in zip(origin, unit)])
    assert near(length(hit["normal"]), 1) and dot(hit["normal"], direction) <= 0
    if normal:
        assert near(hit["normal"], normal)


def test_ray_that_misses(gjkd):
    answer = gjkd.ask("/v1/raycast", {"shape": {"type": "circle", "radius": 1},
                                      "origin": [-3, 1.001], "direction": [1, 0]})
    assert answer["hits"] == []
    behind = gjkd.ask("/v1/raycast", {"shape": {"type": "circle", "radius": 1},
                                      "origin": [3, 0], "direction": [1, 0]})
    assert behind["hits"] == []


def test_far_from_the_origin_loses_nothing(gjkd):
    far = 2.0 ** 40
    near_by = gjkd.ask("/v1/distance", {"a": ball(1, [0, 0]), "b": ball(1, [3, 4])})
    away = gjkd.ask("/v1/distance", {"a": ball(1, [far, far]), "b": ball(1, [far + 3, far + 4])})
    assert near(away["distance"], near_by["distance"]) and near(away["normal"], near_by["normal"])
