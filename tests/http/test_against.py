"""Questions to two sets: distance against, and against_at for both."""

import pytest

import problem
import scenes


@pytest.fixture
def two(gjkd, name):
    """Two crowded sets of shapes: their documents, and the first one's path."""
    first, second = scenes.scene(21, 2), scenes.scene(22, 2)
    gjkd.store(name, {"dimension": 2, "shapes": first})
    gjkd.store(f"{name}.b", {"dimension": 2, "shapes": second})
    yield first, second, f"/v1/sets/{name}"
    gjkd.call("DELETE", f"/v1/sets/{name}.b")


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("rule", [{}, {"mask": 3, "ignore": ["a", "b9"]}])
def test_the_nearest_pairs_of_two_sets(gjkd, name, two, signed, rule):
    first, second, url = two
    wanted = []
    for a, shape in first.items():
        told = gjkd.ask(f"/v1/sets/{name}.b/batch", {"queries": [
            {"op": "distance", "a": {k: v for k, v in shape.items() if k not in ("mask", "category", "group")},
             "b": b, "signed": signed} for b in second]})["results"]
        wanted += [(a, b, line) for b, line in zip(second, told) if scenes.passes(shape, a, rule)
                   and scenes.passes(second[b], b, rule) and scenes.accept(shape, second[b])]
    key = "signed_distance" if signed else "distance"
    wanted.sort(key=lambda p: (p[2][key], p[0].encode(), p[1].encode()))
    assert len(wanted) > 60
    for limit, reach in ((None, None), (2, None), (40, None), (9999, None), (9999, 0.5), (3, 0)):
        query = {"against": f"{name}.b", "signed": signed, "filter": rule, "limit": limit, "max_distance": reach}
        answer = gjkd.ask(f"{url}/distance", query)
        fit = [p for p in wanted if reach is None or p[2]["distance"] <= reach]
        told = [(p["a"], p["b"], scenes.without(p, "a", "b")) for p in answer["pairs"]]
        assert told == fit[:limit or 1]
        assert answer.get("truncated", False) == (len(fit) > (limit or 1))
        assert answer["against_revision"] == 1 and answer["revision"] == 1


def test_a_set_against_itself_is_as_against_a_copy(gjkd, name, two):
    first, _, url = two
    gjkd.store(f"{name}.b", {"dimension": 2, "shapes": first})
    for op in ("detect", "distance"):
        query = {"limit": 500}
        same = gjkd.ask(f"{url}/{op}", query | {"against": name})
        copy = gjkd.ask(f"{url}/{op}", query | {"against": f"{name}.b"})
        assert same == copy | {"against_revision": 1}
        assert any(p["a"] == p["b"] for p in same["pairs"])


@pytest.mark.parametrize("op", ["detect", "distance"])
def test_against_at_rewinds_the_other_set(gjkd, name, op):
    def ball(x):
        return {"type": "circle", "radius": 1, "position": [x, 0]}
    gjkd.store(name, {"dimension": 2, "shapes": {"a": ball(0)}, "history": {"ticks": 9}})
    gjkd.store(f"{name}.b", {"dimension": 2, "shapes": {"b": ball(9)}, "history": {"ticks": 9}})
    gjkd.put(f"/v1/sets/{name}/ticks/7", {"shapes": {}})
    for tick, x in ((1, 1), (2, 3), (3, 20)):
        gjkd.put(f"/v1/sets/{name}.b/ticks/{tick}", {"shapes": {"b": {"position": [x, 0]}}})
    url, query = f"/v1/sets/{name}/{op}", {"against": f"{name}.b"}
    gjkd.store(f"{name}.c", {"dimension": 2, "shapes": {"b": ball(1.5)}})
    wanted = gjkd.ask(url, {"against": f"{name}.c"})
    told = gjkd.ask(url, query | {"against_at": {"tick": 1.25}})
    assert told["pairs"] == wanted["pairs"] != [] and told["against_revision"] == 4
    assert gjkd.ask(url, query | {"against_at": {"tick": 1.25}, "at": {"tick": 7}})["tick"] == 7
    assert gjkd.ask(url, query | {"against_at": {"tick": 3}})["pairs"] == gjkd.ask(url, query)["pairs"]
    for tick, code in ((0.5, "tick-expired"), (3.5, "tick-in-future")):
        problem.check(gjkd.post(url, query | {"against_at": {"tick": tick}}), code, pointer="/against_at/tick")
    problem.check(gjkd.post(url, {"against": f"{name}.c", "against_at": {"tick": 1}}), "tick-expired",
                  pointer="/against_at/tick")
    problem.check(gjkd.post(url, {"a": "a", "against_at": {"tick": 1}}), "unknown-member", pointer="/against_at")
    for suffix in (".b", ".c"):
        gjkd.call("DELETE", f"/v1/sets/{name}{suffix}")


def test_refusals(gjkd, name, two):
    _, _, url = two
    other = f"{name}.b"
    for op in ("detect", "distance"):
        for operand in ("a", "b"):
            reply = gjkd.post(f"{url}/{op}", {"against": other, operand: "a"})
            problem.check(reply, "unknown-member", pointer=f"/{operand}")
        problem.check(gjkd.post(f"{url}/{op}", {"against": "nowhere"}), "set-not-found", pointer="/against")
        problem.check(gjkd.post(f"{url}/{op}", {"against": "no/name"}), "bad-name", pointer="/against")
    problem.check(gjkd.post(f"{url}/distance", {}), "missing-member", pointer="/a")
    problem.check(gjkd.post("/v1/distance", {"against": other}), "unknown-member", pointer="/against")
