"""distance with max_distance and without a: all pairs that are near, against the pairs asked alone."""

import itertools

import pytest

import problem
import scenes


def alone(gjkd, url, shapes, rule, **members):
    """Every pair that may count, with what it says by itself."""
    def mates(a, b):
        return None is not shapes[a].get("group") == shapes[b].get("group")
    ids = sorted((i for i in shapes if scenes.passes(shapes[i], i, rule)), key=str.encode)
    pairs = [(a, b) for a, b in itertools.combinations(ids, 2)
             if scenes.accept(shapes[a], shapes[b]) and not mates(a, b)]
    lines = gjkd.ask(f"{url}/batch", {"queries": [{"op": "distance", "a": a, "b": b} | members
                                                  for a, b in pairs]})["results"]
    return [{"a": a, "b": b} | line for (a, b), line in zip(pairs, lines)]


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("rule", [{}, {"mask": 3, "ignore": ["a", "b9"]}])
@pytest.mark.parametrize("members", [{}, {"signed": True}, {"options": {"tolerance": 1e-3}}])
def test_all_pairs_within(gjkd, name, dimension, rule, members):
    shapes, url = scenes.scene(31, dimension), f"/v1/sets/{name}"
    gjkd.store(name, {"dimension": dimension, "shapes": shapes})
    every = alone(gjkd, url, shapes, rule, **members)
    some = sorted(p["distance"] for p in every)[len(every) // 3]
    assert every[0]["distance"] != every[-1]["distance"] and some > 0
    for reach in (0, some, some * (1 - 2 ** -53), 1e300):
        near = [p for p in every if p["distance"] <= reach]
        asked = {"max_distance": reach, "filter": rule} | members
        assert gjkd.ask(f"{url}/distance", asked) == {"pairs": near, "revision": 1}
        for limit in (1, len(near) - 1, len(near), len(near) + 1):
            told = gjkd.ask(f"{url}/distance", asked | {"limit": limit})
            assert told["pairs"] == near[:limit]
            assert told.get("truncated", False) == (limit < len(near))
    assert len([p for p in every if p["distance"] <= some]) == len([p for p in every if p["distance"] < some]) + 1


def test_batches_say_the_same(gjkd, name):
    shapes, url = scenes.scene(32, 2), f"/v1/sets/{name}"
    gjkd.store(name, {"dimension": 2, "shapes": shapes})
    asked = {"max_distance": 0.5, "include": ["meta"]}
    told = gjkd.ask(f"{url}/distance", asked)
    assert len(told["pairs"]) > 9 and all(p["meta_a"] is None for p in told["pairs"])
    batch = gjkd.ask(f"{url}/batch", {"queries": [{"op": "distance"} | asked, {"op": "distance", "a": None} | asked]})
    assert batch == {"results": [{"pairs": told["pairs"]}] * 2, "revision": 1}


def test_between_two_sets(gjkd, name):
    first, second, url = scenes.scene(33, 2), scenes.scene(34, 2), f"/v1/sets/{name}"
    gjkd.store(name, {"dimension": 2, "shapes": first})
    gjkd.store(f"{name}.b", {"dimension": 2, "shapes": second})
    asked = {"against": f"{name}.b", "max_distance": 0.5}
    told, nearest = gjkd.ask(f"{url}/distance", asked), gjkd.ask(f"{url}/distance", asked | {"limit": 99999})
    ids = [(pair["a"], pair["b"]) for pair in told["pairs"]]
    assert ids == sorted(ids) and len(ids) > 9, "all pairs are in the order of ids"
    assert told == nearest | {"pairs": sorted(nearest["pairs"], key=lambda pair: (pair["a"], pair["b"]))}
    assert "truncated" not in told and nearest["pairs"][-1]["distance"] <= 0.5
    assert len(gjkd.ask(f"{url}/distance", {"against": f"{name}.b"})["pairs"]) == 1
    gjkd.call("DELETE", f"/v1/sets/{name}.b")


def test_at_a_tick(gjkd, name):
    ball = {"type": "circle", "radius": 1}
    gjkd.store(name, {"dimension": 2, "history": {"ticks": 4}, "shapes": {"b": ball, "a": ball, "c": ball}})
    for tick, x in ((1, 4), (2, 8)):
        gjkd.put(f"/v1/sets/{name}/ticks/{tick}", {"shapes": {
            "a": {"position": [x, 0]}, "c": {"position": [-99 * tick, 0]}}})
    told = gjkd.ask(f"/v1/sets/{name}/distance", {"max_distance": 4, "at": {"tick": 1.5}})
    assert [(p["a"], p["b"], p["distance"], p["normal"]) for p in told["pairs"]] == [("a", "b", 4, [-1, 0])]
    assert told["tick"] == 1.5
    assert gjkd.ask(f"/v1/sets/{name}/distance", {"max_distance": 4})["pairs"] == []
    problem.check(gjkd.post(f"/v1/sets/{name}/distance", {"max_distance": 4, "at": {"tick": 3}}), "tick-in-future",
                  pointer="/at/tick")


def test_answers_end_at_a_limit_of_bytes(start):
    daemon = start("--max-answer", "64K")
    daemon.store("s", {"dimension": 2, "shapes": {f"p{i:03}": {"type": "point", "position": [i, 0]} for i in range(200)}})
    told = daemon.ask("/v1/sets/s/distance", {"max_distance": 200})
    assert told["truncated"] is True and 100 < len(told["pairs"]) < 199 * 100
    assert [(p["a"], p["b"]) for p in told["pairs"][:2]] == [("p000", "p001"), ("p000", "p002")]


def test_neither_without_a_set_nor_as_columns(gjkd, name):
    gjkd.store(name, {"dimension": 2, "shapes": {"a": {"type": "point"}}})
    problem.check(gjkd.post("/v1/distance", {"max_distance": 1}), "unknown-member", pointer="/max_distance")
    reply = gjkd.call("POST", f"/v1/sets/{name}/distance", json={"max_distance": 1},
                      headers={"Accept": "application/x-protobuf"})
    problem.check(reply, "not-acceptable")
