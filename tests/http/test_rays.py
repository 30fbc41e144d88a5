"""Rays through a set: the three modes, reach, inside and solid."""

import pytest

import problem
import scenes
from near import near

ROW = {
    "c": {"type": "circle", "radius": 1, "position": [4, 0], "group": "g"},
    "a": {"type": "box", "half_extents": [1, 1], "position": [8, 0]},
    "b": {"type": "circle", "radius": 1, "position": [8, 0]},
    "off": {"type": "circle", "radius": 1, "position": [4, 5]},
}
RAY = {"origin": [0, 0], "direction": [2, 0]}


@pytest.fixture
def row(gjkd, name):
    gjkd.store(name, {"dimension": 2, "shapes": ROW})

    def cast(**more):
        return gjkd.ask(f"/v1/sets/{name}/raycast", RAY | more)

    cast.url = f"/v1/sets/{name}/raycast"
    return cast


def ids(answer):
    return [hit["id"] for hit in answer["hits"]]


def test_closest_is_the_default(row):
    answer = row()
    assert answer == row(mode="closest") and ids(answer) == ["c"]
    hit, = answer["hits"]
    assert set(hit) == {"id", "group", "distance", "point", "normal", "inside", "status"}
    assert hit["group"] == "g" and near(hit["distance"], 3) and near(hit["point"], [3, 0])
    assert near(hit["normal"], [-1, 0]) and hit["inside"] is False
    assert answer["revision"] == 1


def test_all_by_distance_then_id(row):
    answer = row(mode="all")
    assert ids(answer) == ["c", "a", "b"]
    assert [near(h["distance"], d) for h, d in zip(answer["hits"], (3, 7, 7))] == [True] * 3


def test_equal_distances_go_by_id(gjkd, name):
    shapes = {i: {"type": "box", "half_extents": [1, 1], "position": [5, 0]} for i in scenes.IDS}
    gjkd.store(name, {"dimension": 2, "shapes": shapes})
    answer = gjkd.ask(f"/v1/sets/{name}/raycast", RAY | {"mode": "all"})
    assert ids(answer) == scenes.in_order(scenes.IDS)
    closest = gjkd.ask(f"/v1/sets/{name}/raycast", RAY)
    assert ids(closest) == ids(answer)[:1]


def test_any_answers_nothing_else(row):
    assert row(mode="any") == {"hit": True, "revision": 1}
    assert row(mode="any", max_distance=2.9) == {"hit": False, "revision": 1}


def test_any_stateless(gjkd):
    shape = {"type": "circle", "radius": 1, "position": [4, 0]}
    assert gjkd.ask("/v1/raycast", RAY | {"shape": shape, "mode": "any"}) == {"hit": True}


@pytest.mark.parametrize("reach, found", [(2.999, []), (3, ["c"]), (7, ["c", "a", "b"]), (0, [])])
def test_the_reach_is_inclusive(row, reach, found):
    assert ids(row(mode="all", max_distance=reach)) == found


def test_limit(row):
    answer = row(mode="all", limit=2)
    assert ids(answer) == ["c", "a"] and answer["truncated"] is True
    assert row(mode="all", limit=3).get("truncated", False) is False


def test_solid_or_not(row):
    inside = row(origin=[4, 0.5])["hits"][0]
    assert inside["id"] == "c" and inside["distance"] == 0 and inside["inside"] is True
    assert inside["normal"] is None and inside["point"] == [4, 0.5]
    assert ids(row(origin=[4, 0.5], mode="all", solid=False)) == ["a", "b"]


def test_on_the_boundary_is_inside(row):
    hit = row(origin=[3, 0])["hits"][0]
    assert hit["distance"] == 0 and hit["inside"] is True
    assert ids(row(origin=[3, 0], solid=False)) == ["a"]


@pytest.mark.parametrize("shape", [
    {"type": "point"}, {"type": "segment", "a": [-1, 0], "b": [1, 0]},
    {"type": "box", "half_extents": [0, 1]}, {"type": "hull", "points": [[0, 0], [0, 1]]}])
def test_on_a_shape_without_thickness_is_inside(gjkd, shape):
    body = {"shape": shape, "origin": [0, 0], "direction": [1, 0]}
    hit, = gjkd.ask("/v1/raycast", body)["hits"]
    assert hit["inside"] is True and hit["distance"] == 0 and hit["normal"] is None
    assert gjkd.ask("/v1/raycast", body | {"solid": False})["hits"] == []


def test_one_shape_alone(row):
    assert ids(row(target="b")) == ["b"] and ids(row(shape="b")) == ["b"]
    assert row(target="b") == row(shape="b")
    assert ids(row(target="off")) == []
    moved = row(shape={"id": "off", "position": [6, 0]})["hits"][0]
    assert moved["id"] == "off" and near(moved["distance"], 5)
    inline = row(shape={"type": "circle", "radius": 1, "position": [20, 0]})["hits"][0]
    assert inline["id"] is None and near(inline["distance"], 19)


def test_inline_shapes(gjkd):
    shapes = {i: {k: v for k, v in s.items() if k != "group"} for i, s in ROW.items()}
    answer = gjkd.ask("/v1/raycast", RAY | {"shapes": shapes, "mode": "all"})
    assert ids(answer) == ["c", "a", "b"] and "revision" not in answer
    assert ids(gjkd.ask("/v1/raycast", RAY | {"shapes": shapes})) == ["c"]
    assert gjkd.ask("/v1/raycast", RAY | {"shapes": {}})["hits"] == []


def test_inline_shapes_are_checked(gjkd):
    reply = gjkd.post("/v1/raycast", RAY | {"shapes": {"a/b": {"type": "circle", "radius": -1}}})
    problem.check(reply, "out-of-range", pointer="/shapes/a~1b/radius")
    reply = gjkd.post("/v1/raycast", RAY | {"shapes": {"a//b": {"type": "circle", "radius": 1}}})
    problem.check(reply, "bad-name")


@pytest.mark.parametrize("y", [1, -1])
def test_a_grazing_ray_hits(gjkd, y):
    box = {"type": "box", "half_extents": [1, 1]}
    hit, = gjkd.ask("/v1/raycast", {"shape": box, "origin": [-3, y], "direction": [1, 0]})["hits"]
    assert near(hit["distance"], 2)


def test_the_length_of_the_direction_says_nothing(gjkd):
    body = {"shape": {"type": "circle", "radius": 1, "position": [4, 0]}, "origin": [0, 0]}
    answers = [gjkd.ask("/v1/raycast", body | {"direction": [x, 0]}) for x in (1, 2, 1e-100, 1e100)]
    assert all(a == answers[0] for a in answers)


@pytest.mark.parametrize("radii", [[2, 1], [5, 1], [0.1, 3], [1, 1]])
@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 0.99])
def test_a_grazing_ray_that_ends_before_the_touch_misses(gjkd, radii, part):
    reach = radii[0] + 1
    query = {"origin": [-reach, radii[1]], "direction": [1, 0],
             "shape": {"type": "ellipse", "radii": radii}}
    assert len(gjkd.ask("/v1/raycast", query | {"max_distance": reach})["hits"]) == 1
    assert gjkd.ask("/v1/raycast", query | {"max_distance": part * reach})["hits"] == []


@pytest.mark.parametrize("form, named", [
    ({"shape": ROW["c"]}, None), ({"shapes": {"c": ROW["c"]}}, "c"),
    ({"shape": {"type": "point", "position": [4, 0]}}, None)])
def test_a_hit_tells_the_group_of_a_shape_that_is_brought(gjkd, form, named):
    hit, = gjkd.ask("/v1/raycast", RAY | form)["hits"]
    grouped = "group" in str(form)
    assert (hit["id"], hit["group"]) == (named, "g" if grouped else None)


@pytest.mark.parametrize("form, named", [
    ({"target": "c"}, "c"), ({"shape": {"id": "c", "angle": 1}}, "c"), ({"shape": ROW["c"]}, None)])
def test_a_hit_tells_the_group_of_its_target(row, form, named):
    hit, = row(**form)["hits"]
    assert (hit["id"], hit["group"]) == (named, "g")
