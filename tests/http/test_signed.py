"""distance with signed: depths too, as less than nothing, alone, in nearest and between two sets."""

import random

import pytest

import messages
import problem
import scenes
from near import dot, near, sub

PAIR = ["colliding", "state", "distance", "lower_bound", "signed_distance"]


def check(signed, plain, deep):
    """A signed answer against the plain distance and detect of the same pair."""
    assert [signed[k] for k in PAIR[:4]] == [plain[k] for k in PAIR[:4]]
    if plain["distance"] > 0:
        assert signed["signed_distance"] == plain["distance"]
        assert all(signed[k] == plain[k] for k in ("normal", "point_a", "point_b"))
        return
    assert signed["signed_distance"] == -deep["depth"] and str(signed["signed_distance"]) != "-0.0"
    assert all(signed[k] == deep[k] for k in ("normal", "point_a", "point_b", "status"))
    apart = sub(signed["point_b"], signed["point_a"])
    assert near(dot(apart, signed["normal"]), signed["signed_distance"], 1e-8)


@pytest.mark.parametrize("dimension", [2, 3])
def test_pairs(gjkd, name, dimension):
    shapes = scenes.scene(11 + dimension, dimension)
    gjkd.store(name, {"dimension": dimension, "shapes": shapes})
    rng, states = random.Random(3), set()
    for _ in range(150):
        a, b = rng.sample(sorted(shapes), 2)
        queries = [{"op": op, "a": a, "b": b} for op in ("distance", "distance", "detect")]
        queries[0]["signed"] = True
        signed, plain, deep = gjkd.ask(f"/v1/sets/{name}/batch", {"queries": queries})["results"]
        check(signed, plain, deep)
        states.add(plain["state"])
        inline = gjkd.ask("/v1/distance", {"a": shapes[a], "b": shapes[b], "signed": True})
        assert {k: inline[k] for k in signed} == signed
        assert gjkd.ask(f"/v1/sets/{name}/distance", {"a": a, "b": b, "signed": False}) == \
            plain | {"revision": 1}
    assert states >= {"separated", "overlapping"}



def test_touching_within_the_tolerance_is_signed_too(gjkd):
    for x, wanted in ((1.995, -0.005), (2.005, 0.005), (2, 0)):
        pair = {"a": {"type": "circle", "radius": 1}, "b": {"type": "circle", "radius": 1, "position": [x, 0]},
                "signed": True, "options": {"tolerance": 0.01}}
        told = gjkd.ask("/v1/distance", pair)
        assert told["state"] == "touching" and near(told["signed_distance"], wanted)
        assert told["normal"] == [1, 0]


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_nearest_is_in_the_order_of_signed_distances(gjkd, name, dimension, seed):
    shapes = scenes.scene(seed, dimension)
    gjkd.store(name, {"dimension": dimension, "shapes": shapes})
    url = f"/v1/sets/{name}"
    for a in list(shapes)[:8]:
        others = [i for i in shapes if i != a and scenes.passes(shapes[i], i, {})]
        queries = [{"op": "distance", "a": a, "b": b, "signed": True} for b in others]
        alone = gjkd.ask(f"{url}/batch", {"queries": queries})["results"]
        wanted = sorted(zip(others, alone), key=lambda p: (p[1]["signed_distance"], p[0].encode()))
        for limit in (1, 3, len(others)):
            told = gjkd.ask(f"{url}/distance", {"a": a, "signed": True, "limit": limit})
            assert [(n["id"], scenes.without(n, "id", "group")) for n in told["nearest"]] == wanted[:limit]
            assert told.get("truncated", False) == (limit < len(others))
        near_ones = gjkd.ask(f"{url}/distance", {"a": a, "signed": True, "limit": 99, "max_distance": 0.25})
        assert [n["id"] for n in near_ones["nearest"]] == [i for i, d in wanted if d["distance"] <= 0.25]


def test_inside_a_closed_mesh_comes_first(gjkd, name):
    corners = [[x, y, z] for x in (-9, 9) for y in (-9, 9) for z in (-9, 9)]
    faces = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6],
             [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
    mesh = {"type": "mesh", "vertices": corners, "triangles": faces, "closed": True}
    gjkd.store(name, {"dimension": 3, "shapes": {
        "room": mesh, "deep": {"type": "sphere", "radius": 1, "position": [0.5, 0, 0]}}})
    told = gjkd.ask(f"/v1/sets/{name}/distance",
                    {"a": {"type": "sphere", "radius": 1}, "signed": True, "limit": 2})["nearest"]
    assert [n["id"] for n in told] == ["room", "deep"]
    assert told[0]["inside"] is True and near(told[0]["signed_distance"], -10) and told[0]["distance"] == 0
    assert near(max(map(abs, told[0]["normal"])), 1) and near(told[1]["signed_distance"], -1.5)


def test_it_is_refused_where_it_has_no_meaning(gjkd, name):
    gjkd.store(name, {"dimension": 2, "shapes": {"a": {"type": "point"}}})
    problem.check(gjkd.post(f"/v1/sets/{name}/distance", {"a": "a", "signed": 1}), "wrong-type", pointer="/signed")
    problem.check(gjkd.post(f"/v1/sets/{name}/detect", {"a": "a", "signed": True}), "unknown-member")


def test_columns_tell_the_same(gjkd, name):
    for dimension in (2, 3):
        shapes = scenes.scene(17, dimension)
        gjkd.call("DELETE", f"/v1/sets/{name}")
        handles = gjkd.put(f"/v1/sets/{name}?fields=handles", {"dimension": dimension, "shapes": shapes}).json()["handles"]
        pairs = [random.Random(k).sample(sorted(shapes), 2) for k in range(80)]
        lines = gjkd.ask(f"/v1/sets/{name}/batch", {"queries": [
            {"op": "distance", "a": a, "b": b, "signed": True} for a, b in pairs]})["results"]
        body = messages.gjkd.PairColumns(dimension=dimension, a=[handles[a] for a, _ in pairs],
                                         b=[handles[b] for _, b in pairs])
        setattr(body, "signed", True)
        headers = {"Content-Type": messages.TYPE}
        url = f"/v1/sets/{name}"
        reply = gjkd.call("POST", f"{url}/distance", data=body.SerializeToString(), headers=headers)
        answers = messages.gjkd.PairAnswers.FromString(reply.content)
        assert list(answers.value) == [line["signed_distance"] for line in lines]
        for column in ("normal", "point_a", "point_b"):
            assert messages.rows(getattr(answers, column), dimension) == [line[column] for line in lines]
        alone = gjkd.call("POST", f"{url}/distance", json={"a": pairs[0][0], "b": pairs[0][1], "signed": True},
                          headers={"Accept": messages.TYPE})
        assert messages.gjkd.PairAnswers.FromString(alone.content).value[0] == lines[0]["signed_distance"]
        refused = gjkd.call("POST", f"{url}/detect", data=body.SerializeToString(), headers=headers)
        problem.check(refused, "unknown-member", pointer="/signed")
