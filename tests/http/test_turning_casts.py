"""cast to a pose: a shape that moves and turns, by the shortest arc."""

import math
import random

import pytest

import problem
import scenes
from near import near

pytestmark = pytest.mark.plain

ROD = {"type": "segment", "a": [0, 0], "b": [1, 0]}


def test_a_rod_turns_about_its_end(gjkd):
    for where, radius in ((1, 0.01), (2.5, 1e-4), (-2, 0.05)):
        disc = {"type": "circle", "radius": radius, "position": [0.6 * math.cos(where), 0.6 * math.sin(where)]}
        hit = gjkd.ask("/v1/cast", {"shape": ROD, "to": {"angle": 3 * where / abs(where)}, "against": disc})["hits"][0]
        assert near(hit["fraction"], (abs(where) - math.asin(radius / 0.6)) / 3, 1e-9)
        assert hit["distance"] == 0 and hit["inside"] is False and hit["status"] == "converged"


def test_half_turns_go_the_positive_way_and_others_the_shorter(gjkd):
    up, down = ({"type": "point", "position": [0, y]} for y in (0.5, -0.5))
    for angle, meets in ((math.pi, up), (-math.pi, up), (4, down), (-4, up), (-2, down), (2 * math.pi + 2, up)):
        for target in (up, down):
            hits = gjkd.ask("/v1/cast", {"shape": ROD, "to": {"angle": angle}, "against": target})["hits"]
            assert bool(hits) == (target is meets), (angle, target)
    rod = {"type": "segment", "a": [0, 0, 0], "b": [0, 1, 0]}  # about x, the positive way: y to z
    for sign in (1, -1):
        told = [bool(gjkd.ask("/v1/cast", {
            "shape": rod, "to": {"orientation": [sign, 0, 0, 0]},
            "against": {"type": "point", "position": [0, 0, z]}})["hits"]) for z in (0.5, -0.5)]
        assert told == [True, False]


def test_without_a_turn_it_is_the_translation(gjkd, name):
    for dimension in (2, 3):
        shapes = scenes.scene(51, dimension)
        gjkd.call("DELETE", f"/v1/sets/{name}")
        gjkd.store(name, {"dimension": dimension, "shapes": shapes})
        rng = random.Random(dimension)
        for a in shapes:
            way = scenes.vector(rng, dimension, -3, 3)
            end = [p + w for p, w in zip(shapes[a]["position"], way)]
            way = [e - p for p, e in zip(shapes[a]["position"], end)]
            for more in ({"mode": "all"}, {}, {"at_start": "ignore", "mode": "all"}):
                asked = {"shape": a, "to": {"position": end}} | more
                plain = gjkd.ask(f"/v1/sets/{name}/cast", {"shape": a, "translation": way} | more)
                assert gjkd.ask(f"/v1/sets/{name}/cast", asked) == plain


@pytest.mark.parametrize("dimension", [2, 3])
def test_samples_along_the_way_agree(gjkd, name, dimension):
    shapes = {i: s for i, s in scenes.scene(61, dimension).items() if scenes.passes(s, i, {})}
    gjkd.store(name, {"dimension": dimension, "shapes": shapes})
    url, rng, seen = f"/v1/sets/{name}", random.Random(7), 0
    for _ in range(25):
        moving = scenes.geometry(rng, dimension) | {"position": scenes.vector(rng, dimension, -3, 3)}
        turn = scenes.turned(rng, dimension)
        end = scenes.vector(rng, dimension, -3, 3)
        told = gjkd.ask(f"{url}/cast", {"shape": moving, "to": {"position": end} | turn, "mode": "all",
                                        "at_start": "ignore"})["hits"]
        fraction = {h["id"]: h["fraction"] for h in told}
        assert [h["id"] for h in told] == sorted(fraction, key=lambda i: (fraction[i], i.encode()))
        for i in shapes:
            alone = gjkd.ask(f"{url}/cast", {"shape": moving, "to": {"position": end} | turn, "target": i,
                                             "at_start": "ignore"})["hits"]
            assert alone == [h for h in told if h["id"] == i]
        start = {"op": "distance", "a": moving, "limit": 99}
        queries, times = [start], []
        for k in range(1, 41):
            t = k / 40
            pose = {"position": [p + t * (e - p) for p, e in zip(moving["position"], end)]}
            if dimension == 2:
                a = math.remainder(turn["angle"], 2 * math.pi)
                pose["angle"] = t * a
            else:
                q = turn["orientation"]
                q = q if q[3] >= 0 else [-x for x in q]
                half = math.atan2(math.hypot(*q[:3]), q[3])
                s = math.sin(t * half) / math.sin(half)
                pose["orientation"] = [s * q[0], s * q[1], s * q[2], math.cos(t * half)]
            queries.append({"op": "detect", "a": moving | pose, "penetration": False})
            times.append(t)
        results = gjkd.ask(f"{url}/batch", {"queries": queries})["results"]
        inside = {n["id"] for n in results[0]["nearest"] if n["state"] == "overlapping"}
        for t, result in zip(times, results[1:]):
            for hit in result["hits"]:
                if hit["id"] not in inside and hit["state"] == "overlapping":
                    assert fraction.get(hit["id"], 2) <= t + 1e-9, (hit, t)
                    seen += 1
    assert seen > 50


def test_pieces_and_either_mode(gjkd, name):
    arm = {"type": "compound", "parts": [{"type": "circle", "radius": 0.25, "position": [2, 0]},
                                         {"type": "circle", "radius": 0.25, "position": [-3, 0]}]}
    gjkd.store(name, {"dimension": 2, "shapes": {
        "hub": {"type": "circle", "radius": 1}, "peg": {"type": "circle", "radius": 0.05, "position": [0, 2]}}})
    cast = {"shape": arm, "to": {"angle": 3}}
    hit = gjkd.ask(f"/v1/sets/{name}/cast", cast)["hits"][0]
    assert hit["id"] == "peg" and hit["moving_piece"] == 0
    assert near(hit["fraction"], (math.pi / 2 - 2 * math.asin(0.3 / 4)) / 3, 1e-9)
    assert gjkd.ask(f"/v1/sets/{name}/cast", cast | {"mode": "any"})["hit"] is True
    assert gjkd.ask(f"/v1/sets/{name}/cast", cast | {"mode": "any", "filter": {"ignore": ["peg"]}})["hit"] is False


def test_a_stored_shape_from_where_it_stands(gjkd, name):
    gjkd.store(name, {"dimension": 2, "shapes": {
        "rod": ROD | {"position": [5, 5], "angle": 1}, "peg": {"type": "point", "position": [5, 5.5]}}})
    hit = gjkd.ask(f"/v1/sets/{name}/cast", {"shape": "rod", "to": {"angle": 2}})["hits"][0]
    assert hit["id"] == "peg" and near(hit["fraction"], math.pi / 2 - 1, 1e-9) and near(hit["point"], [5, 5.5])
