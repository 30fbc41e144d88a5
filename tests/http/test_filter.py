"""The filter holds for every kind of question, and just as the contract words it."""

import random

import pytest

import scenes

ROUNDS = 40


@pytest.fixture(scope="module", params=[2, 3])
def crowd(gjkd, request):
    """A set in which all shapes overlap at the origin, and its shapes."""
    dimension, rng = request.param, random.Random(7)
    ball = {"type": "circle" if dimension == 2 else "sphere", "radius": 2}
    shapes = {i: ball | {"position": scenes.vector(rng, dimension, -0.5, 0.5)}
              | scenes.labels(rng) for i in scenes.IDS}
    name = f"crowd{dimension}"
    gjkd.store(name, {"dimension": dimension, "shapes": shapes})
    yield f"/v1/sets/{name}", shapes, dimension
    gjkd.call("DELETE", f"/v1/sets/{name}")


def rules():
    rng = random.Random(11)
    yield from ({}, {"ignore": []}, {"only_groups": []}, {"ignore_groups": []}, {"mask": 0},
                {"category": 0})
    yield from (scenes.random_filter(rng) for _ in range(ROUNDS))


def allowed(shapes, rule):
    return scenes.in_order(i for i, s in shapes.items() if scenes.passes(s, i, rule))


def test_one_against_all(gjkd, crowd):
    url, shapes, _ = crowd
    for rule in rules():
        hits = gjkd.ask(f"{url}/detect", {"a": "a", "filter": rule})["hits"]
        assert [h["id"] for h in hits] == [i for i in allowed(shapes, rule) if i != "a"], rule


def test_an_operands_own_labels_have_no_effect(gjkd, crowd):
    url, shapes, dimension = crowd
    probe = {"type": "point", "position": [0] * dimension, "category": 0, "mask": 0, "group": "red"}
    hits = gjkd.ask(f"{url}/detect", {"a": probe})["hits"]
    assert [h["id"] for h in hits] == allowed(shapes, {})


def test_nearest(gjkd, crowd):
    url, shapes, _ = crowd
    for rule in rules():
        body = {"a": "a", "limit": 100, "filter": rule}
        nearest = gjkd.ask(f"{url}/distance", body)["nearest"]
        assert [n["id"] for n in nearest] == [i for i in allowed(shapes, rule) if i != "a"], rule


def test_rays(gjkd, crowd):
    url, shapes, dimension = crowd
    ray = {"origin": [0] * dimension, "direction": [1] * dimension}
    for rule in rules():
        wanted = allowed(shapes, rule)
        hits = gjkd.ask(f"{url}/raycast", ray | {"mode": "all", "filter": rule})["hits"]
        assert [h["id"] for h in hits] == wanted, rule
        closest = gjkd.ask(f"{url}/raycast", ray | {"filter": rule})["hits"]
        assert [h["id"] for h in closest] == wanted[:1], rule
        hit = gjkd.ask(f"{url}/raycast", ray | {"mode": "any", "filter": rule})["hit"]
        assert hit is bool(wanted), rule


def counts(shapes, i, j, rule):
    """Does the pair of one set count?"""
    same = shapes[i].get("group") is not None and shapes[i].get("group") == shapes[j].get("group")
    return (scenes.passes(shapes[i], i, rule) and scenes.passes(shapes[j], j, rule)
            and scenes.accept(shapes[i], shapes[j]) and not same)


def test_all_pairs(gjkd, crowd):
    url, shapes, _ = crowd
    order = scenes.in_order(shapes)
    for rule in rules():
        pairs = gjkd.ask(f"{url}/detect", {"filter": rule})["pairs"]
        wanted = [(i, j) for k, i in enumerate(order) for j in order[k + 1:]
                  if counts(shapes, i, j, rule)]
        assert [(p["a"], p["b"]) for p in pairs] == wanted, rule


def test_set_against_set_compares_no_groups(gjkd, crowd):
    url, shapes, _ = crowd
    order = scenes.in_order(shapes)
    for rule in rules():
        pairs = gjkd.ask(f"{url}/detect", {"against": url.split("/")[-1], "filter": rule})["pairs"]
        wanted = [(i, j) for i in order for j in order
                  if scenes.passes(shapes[i], i, rule) and scenes.passes(shapes[j], j, rule)
                  and scenes.accept(shapes[i], shapes[j])]
        assert [(p["a"], p["b"]) for p in pairs] == wanted, rule


def test_named_operands_are_never_filtered(gjkd, crowd):
    url, _, dimension = crowd
    nobody = {"mask": 0, "only_groups": [], "ignore": ["a", "b9"]}
    assert gjkd.ask(f"{url}/detect", {"a": "a", "b": "b9", "filter": nobody})["colliding"] is True
    assert gjkd.ask(f"{url}/distance", {"a": "a", "b": "b9", "filter": nobody})["distance"] == 0
    ray = {"origin": [-9] + [0] * (dimension - 1), "direction": [1] + [0] * (dimension - 1)}
    for named in ("target", "shape"):
        hits = gjkd.ask(f"{url}/raycast", ray | {named: "a", "filter": nobody})["hits"]
        assert [h["id"] for h in hits] == ["a"]
