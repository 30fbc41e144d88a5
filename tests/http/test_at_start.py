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
    assert deep["inside"] and all(deep[k] is None for k in (*FIELDS, "normal"))
    assert gjkd.ask("/v1/cast", cast | {"at_start": "ignore"})["hits"] == []
    at_wall = cast | {"shape": {"type": "sphere", "radius": 1, "position": [-9.5, 2, 1]}, "at_start": "resolve"}
    hit = gjkd.ask("/v1/cast", at_wall)["hits"][0]
    assert near(hit["depth"], 0.5) and near(hit["normal"], [-1, 0, 0]) and hit["piece"] in (0, 1)
    assert gjkd.ask("/v1/cast", at_wall | {"at_start": "ignore"})["hits"] == []


def test_refusals(gjkd, url):
    cast = {"shape": BALL, "translation": [1, 0]}
    problem.check(gjkd.post(url, cast | {"at_start": "begin"}), "out-of-range", pointer="/at_start")
    problem.check(gjkd.post(url, cast | {"at_start": True}), "wrong-type", pointer="/at_start")
