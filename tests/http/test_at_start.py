"""cast at_start: what is told of shapes that overlap before anything moves."""

import random

import pytest

import problem
import scenes
from near import dot, near, scale, sub

BALL = {"type": "circle", "radius": 1}
FIELDS = {"depth", "point_a", "point_b"}


@pytest.fixture
def url(gjkd, name):
    gjkd.store(name, {"dimension": 2, "shapes": {
        "near": BALL | {"position": [1.5, 0]}, "next": BALL | {"position": [5, 0]},
        "ahead": {"type": "segment", "a": [8, -1], "b": [8, 1]}}})
    return f"/v1/sets/{name}/cast"


def test_report_is_the_default(gjkd, url):
    cast = {"shape": BALL, "translation": [9, 0], "mode": "all"}
    plain = gjkd.ask(url, cast)
    assert gjkd.ask(url, cast | {"at_start": "report"}) == plain == gjkd.ask(url, cast | {"at_start": None})
    assert [h["id"] for h in plain["hits"]] == ["near", "next", "ahead"]
    assert plain["hits"][0]["inside"] and not FIELDS & set(plain["hits"][0])


def test_ignore_lets_the_shape_out(gjkd, url):
    cast = {"shape": BALL, "translation": [9, 0], "at_start": "ignore"}
    assert [h["id"] for h in gjkd.ask(url, cast | {"mode": "all"})["hits"]] == ["next", "ahead"]
    assert [h["id"] for h in gjkd.ask(url, cast)["hits"]] == ["next"]
    assert gjkd.ask(url, cast | {"target": "near"})["hits"] == []
    assert gjkd.ask(url, cast | {"mode": "any", "translation": [1, 0]})["hit"] is False
    # Touching is no overlap: it counts where the way leads in.
    touching = cast | {"shape": BALL | {"position": [-0.5, 0]}}
    assert gjkd.ask(url, touching)["hits"][0]["id"] == "near"


def test_resolve_tells_the_way_out(gjkd, url):
    hit = gjkd.ask(url, {"shape": BALL, "translation": [9, 0], "at_start": "resolve"})["hits"][0]
    assert hit["id"] == "near" and hit["fraction"] == 0 and hit["inside"] is True
    assert near(hit["depth"], 0.5) and hit["normal"] == [-1, 0]
    assert near(hit["point_a"], [1, 0]) and near(hit["point_b"], [0.5, 0]) and hit["point"] == hit["point_b"]
    others = gjkd.ask(url, {"shape": BALL, "translation": [9, 0], "at_start": "resolve", "mode": "all"})["hits"]
    assert not FIELDS & set(others[1])


@pytest.mark.parametrize("dimension", [2, 3])
def test_resolve_agrees_with_detect(gjkd, name, dimension):
    shapes = scenes.scene(41, dimension)
    gjkd.store(name, {"dimension": dimension, "shapes": shapes})
    rng, seen = random.Random(1), 0
    for a in shapes:
        way = scenes.vector(rng, dimension, -3, 3)
        cast = {"shape": a, "translation": way, "mode": "all"}
        plain = gjkd.ask(f"/v1/sets/{name}/cast", cast)["hits"]
        told = gjkd.ask(f"/v1/sets/{name}/cast", cast | {"at_start": "resolve"})["hits"]
        left = gjkd.ask(f"/v1/sets/{name}/cast", cast | {"at_start": "ignore"})["hits"]
        assert [h["id"] for h in told] == [h["id"] for h in plain]
        assert left == [h for h in plain if not h["inside"]]
        for hit in told:
            if not hit["inside"]:
                assert hit in plain
                continue
            deep = gjkd.ask(f"/v1/sets/{name}/detect", {"a": a, "b": hit["id"]})
            assert all(hit[k] == deep[k] for k in FIELDS)
            assert hit["normal"] == [0 - x for x in deep["normal"]]
            out = scale(hit["depth"], hit["normal"])
            if deep["status"] == "converged":
                moved = {"id": a, "position": [p + q for p, q in zip(shapes[a]["position"], out)]}
                after = gjkd.ask(f"/v1/sets/{name}/distance", {"a": moved, "b": hit["id"], "signed": True})
                assert abs(after["signed_distance"]) < 1e-8
            assert near(dot(sub(hit["point_b"], hit["point_a"]), hit["normal"]), hit["depth"], 1e-8)
            seen += 1
    assert seen > 20


def test_pieces_and_inside_a_closed_mesh(gjkd):
    corners = [[x, y, z] for x in (-9, 9) for y in (-9, 9) for z in (-9, 9)]
    faces = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6],
             [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
    mesh = {"type": "mesh", "vertices": corners, "triangles": faces, "closed": True}
    cast = {"shape": {"type": "sphere", "radius": 1}, "translation": [20, 0, 0], "against": mesh}
    deep = gjkd.ask("/v1/cast", cast | {"at_start": "resolve"})["hits"][0]
    assert deep["inside"] and near(deep["depth"], 10) and near(sub(deep["point_b"], deep["point_a"]),
                                                               scale(deep["depth"], deep["normal"]))
    assert gjkd.ask("/v1/cast", cast | {"at_start": "ignore"})["hits"] == []
    at_wall = cast | {"shape": {"type": "sphere", "radius": 1, "position": [-9.5, 2, 1]}, "at_start": "resolve"}
    hit = gjkd.ask("/v1/cast", at_wall)["hits"][0]
    assert near(hit["depth"], 0.5) and near(hit["normal"], [-1, 0, 0]) and hit["piece"] in (0, 1)
    assert gjkd.ask("/v1/cast", at_wall | {"at_start": "ignore"})["hits"] == []


def test_leaving_tells_what_gets_deeper(gjkd, url):
    ask = lambda way, **more: gjkd.ask(url, {"shape": BALL, "translation": way, "at_start": "leaving",
                                             "mode": "all"} | more)["hits"]
    near_by, *others = ask([9, 1])
    assert near_by["id"] == "near" and near_by["inside"] is True and near_by["fraction"] == 0
    assert near_by["normal"] == [-1, 0] and not FIELDS & set(near_by)
    assert [h["id"] for h in others] == ["next", "ahead"]
    assert ask([-9, 1]) == [] == ask([0, 9]) == ask([0, 0])
    # Touching is told only where it gets deeper, as with any start.
    touching = BALL | {"position": [-0.5, 0]}
    assert ask([1, 0], shape=touching)[0]["id"] == "near" and ask([-1, 0], shape=touching) == []
    to = {"shape": BALL, "at_start": "leaving", "mode": "all"}
    assert gjkd.ask(url, to | {"to": {"position": [-9, 1], "angle": 1}})["hits"] == []
    assert gjkd.ask(url, to | {"to": {"position": [9, 1], "angle": 1}})["hits"][0]["inside"] is True


# A floor of 2 triangles, a wall at its end, and a cellar below, as one shape.
LEVEL = {"type": "mesh", "materials": [1, 1, 2, 2, 3, 3],
         "vertices": [[-9, -9, 0], [9, -9, 0], [9, 9, 0], [-9, 9, 0], [9, -9, 4], [9, 9, 4],
                      [-9, -9, -5], [9, -9, -5], [9, 9, -5], [-9, 9, -5]],
         "triangles": [[0, 1, 2], [0, 2, 3], [1, 2, 5], [1, 5, 4], [6, 7, 8], [6, 8, 9]]}
CAPSULE = {"type": "capsule", "a": [0, 0, 0.4], "b": [0, 0, 1.4], "radius": 0.4, "position": [3, 1, -0.003]}


@pytest.mark.parametrize("at_start", ["ignore", "leaving"])
def test_a_level_is_one_shape(gjkd, name, at_start):
    """A capsule that stands 3 mm in the floor: only the floor is passed over."""
    gjkd.store(name, {"dimension": 3, "shapes": {"level": LEVEL, "body": CAPSULE}})
    url = f"/v1/sets/{name}/cast"
    cast = {"shape": "body", "at_start": at_start}
    wall, = gjkd.ask(url, cast | {"translation": [20, 3, 0]})["hits"]
    assert wall["id"] == "level" and wall["material"] == 2 and wall["inside"] is False
    assert near(wall["fraction"], 5.6 / 20) and near(wall["normal"], [-1, 0, 0])
    for way in ([5, 4, 0], [-8, -7, 0], [0, 0, 3], [-5, 5, 0.1]):
        assert gjkd.ask(url, cast | {"translation": way})["hits"] == []
        queries = [{"op": "cast", **cast, "translation": way}, {"op": "cast", **cast, "translation": [20, 3, 0]}]
        results = gjkd.ask(f"/v1/sets/{name}/batch", {"queries": queries})["results"]
        assert results == [{"hits": []}, {"hits": [wall]}]
    floor, = gjkd.ask(url, cast | {"translation": [0, 0, -9]})["hits"]
    if at_start == "ignore":
        assert floor["material"] == 3 and near(floor["fraction"], (5 - 0.003) / 9)
    else:
        assert floor["material"] == 1 and floor["inside"] and floor["fraction"] == 0
        assert near(floor["normal"], [0, 0, 1])
    turned, = gjkd.ask(url, cast | {"to": {"position": [23, 4, -0.003], "orientation": [0, 0, 0.6, 0.8]}})["hits"]
    assert turned["material"] == 2 and near(turned["fraction"], 5.6 / 20, 1e-8)


def test_refusals(gjkd, url):
    cast = {"shape": BALL, "translation": [1, 0]}
    problem.check(gjkd.post(url, cast | {"at_start": "begin"}), "out-of-range", pointer="/at_start")
    problem.check(gjkd.post(url, cast | {"at_start": True}), "wrong-type", pointer="/at_start")
