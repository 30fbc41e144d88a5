"""Curved shapes against closed forms, and their ranges."""

import math

import pytest

from near import near


def at(shape, *position):
    return shape | {"position": list(position)}


@pytest.mark.parametrize("shape, point, distance", [
    ({"type": "ellipse", "radii": [3, 1]}, (5, 0), 2),
    ({"type": "ellipse", "radii": [3, 1]}, (0, -4), 3),
    ({"type": "half_ellipse", "width": 4, "height": 3}, (0, 5), 2),
    ({"type": "half_ellipse", "width": 4, "height": 3}, (1, -2), 2),
    ({"type": "slice", "radius": 2, "theta": math.pi / 2}, (5, 0), 3),
    ({"type": "slice", "radius": 2, "theta": math.pi / 2}, (-1, 0), 1),
    ({"type": "slice", "radius": 2, "theta": math.pi / 2}, (0, 1), math.sqrt(0.5)),
    ({"type": "ellipsoid", "radii": [1, 2, 3]}, (0, 0, 5), 2),
    ({"type": "cylinder", "a": [0, 0, -1], "b": [0, 0, 1], "radius": 2}, (3, 4, 0), 3),
    ({"type": "cylinder", "a": [0, 0, -1], "b": [0, 0, 1], "radius": 2}, (6, 0, 4), 5),
    ({"type": "cone", "a": [0, 0, 0], "b": [0, 0, 1], "radius": 1}, (1, 0, 1), math.sqrt(0.5)),
    ({"type": "cone", "a": [0, 0, 0], "b": [0, 0, 1], "radius": 1}, (0, 0, 3), 2),
])
def test_distance_to_a_point(gjkd, shape, point, distance):
    answer = gjkd.ask("/v1/distance", {"a": shape, "b": at({"type": "point"}, *point)})
    assert near(answer["distance"], distance, 1e-9) and answer["state"] == "separated"
    assert answer["lower_bound"] <= distance * (1 + 1e-15) + 1e-15
    rounded = gjkd.ask("/v1/distance", {"a": shape | {"rounding": 0.25},
                                        "b": at({"type": "point"}, *point)})
    assert near(rounded["distance"], distance - 0.25, 1e-9)


@pytest.mark.parametrize("shape, origin, direction, distance", [
    ({"type": "ellipse", "radii": [3, 1]}, [-5, 0], [1, 0], 2),
    ({"type": "half_ellipse", "width": 4, "height": 3}, [0, -2], [0, 1], 2),
    ({"type": "slice", "radius": 2, "theta": math.pi}, [5, 0], [-1, 0], 3),
    ({"type": "ellipsoid", "radii": [1, 2, 3]}, [0, 0, -9], [0, 0, 2], 6),
    ({"type": "cylinder", "a": [0, 0, -1], "b": [0, 0, 1], "radius": 2}, [-5, 0, 0], [1, 0, 0], 3),
    ({"type": "cone", "a": [0, 0, 0], "b": [0, 0, 1], "radius": 1}, [-5, 0, 0.5], [1, 0, 0], 4.5),
])
def test_rays(gjkd, shape, origin, direction, distance):
    hit, = gjkd.ask("/v1/raycast", {"shape": shape, "origin": origin,
                                    "direction": direction})["hits"]
    assert near(hit["distance"], distance, 1e-9)


@pytest.mark.parametrize("shape, pointer", [
    ({"type": "ellipse", "radii": [3, 0]}, "/a/radii/1"),
    ({"type": "slice", "radius": 1, "theta": 3.2}, "/a/theta"),
    ({"type": "slice", "radius": 1, "theta": 0}, "/a/theta"),
    ({"type": "half_ellipse", "width": -1, "height": 1}, "/a/width"),
    ({"type": "cylinder", "a": [0, 0, 0], "b": [0, 0, 0], "radius": 1}, "/a/b"),
    ({"type": "cone", "a": [1, 0, 0], "b": [1, 0, 0], "radius": 1}, "/a/b"),
])
def test_ranges(gjkd, shape, pointer):
    answer = gjkd.call("POST", "/v1/detect", json={"a": shape, "b": {"type": "point"}})
    assert answer.status_code == 422
    assert answer.json()["errors"][0] | {"detail": ""} == {
        "pointer": pointer, "code": "out-of-range", "detail": ""}


def test_curves_are_kept_in_sets(gjkd, name):
    shapes = {"e": {"type": "ellipse", "radii": [3, 1]},
              "h": {"type": "half_ellipse", "width": 4, "height": 3, "position": [20, 0]},
              "s": {"type": "slice", "radius": 2, "theta": 1, "position": [40, 0]}}
    gjkd.store(name, {"dimension": 2, "shapes": shapes})
    kept = gjkd.get(f"/v1/sets/{name}").json()["shapes"]
    assert {i: {k: v for k, v in s.items() if k != "handle"} for i, s in kept.items()} == shapes
    ray = {"origin": [-10, 0.5], "direction": [1, 0], "mode": "all"}
    hits = gjkd.ask(f"/v1/sets/{name}/raycast", ray)["hits"]
    assert [h["id"] for h in hits] == ["e", "h", "s"]
    for hit in hits:
        assert gjkd.ask(f"/v1/sets/{name}/raycast", ray | {"target": hit["id"]})["hits"] == [hit]
