"""Batches: what the queries would be told alone, in their order, from one version."""

import json
import random

import pytest

import problem
import scenes

RAY = {"op": "raycast", "origin": [-50, 0], "direction": [1, 0]}


@pytest.fixture(scope="module", params=[2, 3])
def scene(gjkd, request):
    dimension = request.param
    name = f"batch{dimension}"
    gjkd.store(name, {"dimension": dimension, "history": {"ticks": 8},
                      "shapes": scenes.scene(41, dimension)})
    rng = random.Random(41)
    for tick in (10, 20, 35):
        moved = {id: {"position": scenes.vector(rng, dimension, -5, 5)}
                 | scenes.turned(rng, dimension) for id in rng.sample(scenes.IDS, 12)}
        if tick == 20:
            moved |= {"Z": None, "new": scenes.shape(rng, dimension, 3)}
        assert gjkd.put(f"/v1/sets/{name}/ticks/{tick}", {"shapes": moved}).status_code == 201
    yield dimension, f"/v1/sets/{name}"
    gjkd.call("DELETE", f"/v1/sets/{name}")


def query(rng, dimension):
    """Any query that a batch may have, some of them wrong about what there is."""
    def stored():
        return rng.choice(scenes.IDS + ["nobody"])

    def operand():
        return rng.choice([stored(), {"id": stored(), "position": [1] * dimension},
                           scenes.shape(rng, dimension, 4)])

    def vector():
        return scenes.vector(rng, dimension, -6, 6)

    asked = rng.choice([
        lambda: {"op": "detect", "a": operand(), "b": operand()},
        lambda: {"op": "detect", "a": operand(), "penetration": rng.random() < 0.5},
        lambda: {"op": "detect", "limit": rng.choice([1, 1000])},
        lambda: {"op": "distance", "a": operand(), "b": operand()},
        lambda: {"op": "distance", "a": operand(), "limit": rng.randint(1, 30)},
        lambda: {"op": "raycast", "origin": vector(), "direction": vector(),
                 "mode": rng.choice(["closest", "any", "all"])},
        lambda: {"op": "cast", "shape": operand(), "translation": vector(),
                 "mode": rng.choice(["closest", "any", "all"])},
        lambda: {"op": "hit", "shooter": "red", "ray": {"origin": vector(), "direction": vector()},
                 "claim": {"group": "blue"}, "radius": rng.choice([0, 0.2]),
                 "policy": {"near_miss": 1}},
    ])()
    if rng.random() < 0.3:
        asked["at"] = {"tick": rng.choice([10, 12.5, 19.75, 20, 34, 35, 5, 36])}
    if rng.random() < 0.3:
        asked["filter"] = {"ignore_groups": ["red"]}
    if rng.random() < 0.3:
        asked["options"] = {"max_iterations": 50}
    return asked


def alone(gjkd, url, asked, common):
    """What the query is told by itself: the text of its result, revision and tick left out."""
    body = {**common, **asked}
    op = body.pop("op")
    answer = gjkd.post(f"{url}/{op}", body).json()
    if "code" in answer:
        return answer
    return scenes.without(answer, "revision", "tick")


def same(result, expected):
    if "code" not in expected:
        assert json.dumps(result) == json.dumps(expected)
        return
    error = result["error"]
    assert error["code"] == expected["code"] and error["detail"] == expected["detail"]
    if "errors" in expected:
        place = expected["errors"][0]["pointer"]
        assert error["errors"][0]["pointer"].endswith(place)


@pytest.mark.parametrize("common", [
    {}, {"at": {"tick": 17.25}}, {"filter": {"mask": 3}, "options": {"tolerance": 1e-4}}])
def test_every_result_is_that_of_the_query_alone(gjkd, scene, common):
    dimension, url = scene
    rng = random.Random(7)
    queries = [query(rng, dimension) for _ in range(150)]
    reply = gjkd.ask(f"{url}/batch", {**common, "queries": queries})
    assert reply["revision"] == 4 and len(reply["results"]) == 150
    assert reply.get("tick") == common.get("at", {}).get("tick")
    failed = 0
    for asked, result in zip(queries, reply["results"]):
        same(result, alone(gjkd, url, asked, common))
        assert "revision" not in result and "tick" not in result
        failed += "error" in result
    assert 0 < failed < 120


def test_again_and_in_parts_the_same_bytes(gjkd, scene):
    dimension, url = scene
    rng = random.Random(8)
    queries = [query(rng, dimension) for _ in range(100)] * 6
    reply = gjkd.post(f"{url}/batch", {"queries": queries})
    assert reply.status_code == 200
    assert gjkd.post(f"{url}/batch", {"queries": queries}).content == reply.content
    few = gjkd.post(f"{url}/batch", {"queries": queries[:100]})
    results = reply.json()["results"]
    assert results[:100] == few.json()["results"]
    assert [q.get("error", {}).get("code") for q in results[100:200]] == [
        q.get("error", {}).get("code") for q in results[:100]]


def test_without_queries(gjkd, scene):
    assert gjkd.ask(f"{scene[1]}/batch", {"queries": []}) == {"revision": 4, "results": []}


@pytest.mark.parametrize("scene", [2], indirect=True)
@pytest.mark.parametrize("wrong, code, place", [
    ({"op": "fly"}, "out-of-range", "/op"),
    ({"op": "batch", "queries": []}, "out-of-range", "/op"),
    ({}, "missing-member", "/op"),
    (None, "wrong-type", ""),
    (7, "wrong-type", ""),
    ({"op": "raycast", "origin": [0, 0]}, "missing-member", "/direction"),
    ({"op": "detect", "a": "a", "b": "b9", "trace": True}, "unknown-member", "/trace"),
    ({"op": "detect", "a": "nobody"}, "shape-not-found", "/a"),
    ({"op": "detect", "against": "nowhere"}, "set-not-found", "/against"),
    ({"op": "raycast", "orgin": [0, 0], "direction": [1, 0]}, "unknown-member", "/orgin"),
    (RAY | {"at": {"tick": 3}}, "tick-expired", "/at/tick"),
    (RAY | {"at": {"tick": 99}}, "tick-in-future", "/at/tick"),
    (RAY | {"filter": {"mask": -1}}, "out-of-range", "/filter/mask"),
])
def test_a_failing_query_stands_in_its_place(gjkd, scene, wrong, code, place):
    results = gjkd.ask(f"{scene[1]}/batch", {"queries": [RAY, wrong, RAY]})["results"]
    assert results[0] == results[2] and "hits" in results[0]
    error = results[1]["error"]
    assert error["code"] == code and error["status"] == problem.STATUS[code]
    assert error["type"] == f"/problems/{code}"
    assert error["errors"][0]["pointer"] == f"/queries/1{place}"


def test_the_batch_s_own_tick_fails_its_queries_one_by_one(gjkd, scene):
    dimension, url = scene
    ray = {"op": "raycast", "origin": [-50] + [0] * (dimension - 1),
           "direction": [1] + [0] * (dimension - 1)}
    body = {"at": {"tick": 1}, "queries": [ray, ray | {"at": {"tick": 10}}]}
    first, second = gjkd.ask(f"{url}/batch", body)["results"]
    assert first["error"]["code"] == "tick-expired"
    assert first["error"]["errors"][0]["pointer"] == "/at/tick"
    assert "hits" in second


def test_filters_and_options_replace_the_batch_s_whole(gjkd, name):
    ball = {"type": "circle", "radius": 1}
    gjkd.store(name, {"dimension": 2, "shapes": {
        "red": ball | {"group": "red", "category": 1, "position": [5, 0]},
        "blue": ball | {"group": "blue", "category": 2, "position": [9, 0]}}})
    ray = {"op": "raycast", "origin": [0, 0], "direction": [1, 0], "mode": "all"}
    results = gjkd.ask(f"/v1/sets/{name}/batch", {"filter": {"ignore_groups": ["red"]}, "queries": [
        ray, ray | {"filter": {"mask": 1}}, ray | {"filter": {}}, ray | {"filter": None}]})["results"]
    assert [[h["id"] for h in r["hits"]] for r in results] == [
        ["blue"], ["red"], ["red", "blue"], ["blue"]]


def test_without_a_set(gjkd):
    circle, sphere = {"type": "circle", "radius": 1}, {"type": "sphere", "radius": 1}
    detect = {"op": "detect", "a": circle, "b": circle}
    queries = [
        detect, {"op": "distance", "a": sphere, "b": sphere | {"position": [5, 0, 0]}},
        {"op": "raycast", "origin": [-5, 0], "direction": [1, 0], "shapes": {"x": circle}},
        {"op": "cast", "shape": circle, "translation": [9, 0],
         "against": circle | {"position": [6, 0]}},
        {"op": "hit", "ray": {"origin": [0, 0], "direction": [1, 0]}, "claim": {"id": "x"}},
        {"op": "detect", "a": "stored", "b": circle},
        {"op": "detect", "a": circle, "b": sphere},
        detect | {"at": {"tick": 1}},
    ]
    reply = gjkd.ask("/v1/batch", {"queries": queries})
    assert set(reply) == {"results"}
    for asked, result in zip(queries[:4], reply["results"]):
        body = {k: v for k, v in asked.items() if k != "op"}
        assert result == gjkd.ask(f"/v1/{asked['op']}", body)
    assert [r["error"]["code"] for r in reply["results"][4:]] == [
        "out-of-range", "wrong-type", "dimension-mismatch", "unknown-member"]
    point = {"type": "point"}
    results = gjkd.ask("/v1/batch", {"dimension": 3, "queries": [
        {"op": "detect", "a": point, "b": point},
        {"op": "detect", "a": point, "b": point, "dimension": 2}]})["results"]
    assert [len(r["normal"]) for r in results] == [3, 2]
    problem.check(gjkd.post("/v1/batch", {"at": {"tick": 1}, "queries": []}), "unknown-member", "/at")


def test_how_many_queries(start):
    daemon = start("--max-batch", "20")
    daemon.store("s", {"dimension": 2, "shapes": {"a": {"type": "circle", "radius": 1}}})
    for path in ("/v1/sets/s/batch", "/v1/batch"):
        for count in (19, 20):
            query = {"op": "detect", "a": {"type": "point"}, "b": {"type": "point"}}
            assert len(daemon.ask(path, {"queries": [query] * count})["results"]) == count
        reply = daemon.post(path, {"queries": [query] * 21})
        problem.check(reply, "too-many", "/queries", limit=20)


@pytest.mark.plain
def test_the_largest_batch(gjkd, name):
    gjkd.store(name, {"dimension": 2, "shapes": {
        f"s{i}": {"type": "circle", "radius": 0.4, "position": [i % 32, i // 32]}
        for i in range(1024)}})
    queries = [{"op": "raycast", "origin": [-1, i % 320 / 10], "direction": [1, 0]}
               for i in range(65536)]
    results = gjkd.ask(f"/v1/sets/{name}/batch", {"queries": queries})["results"]
    assert len(results) == 65536
    assert results[:320] * 204 == results[:320 * 204]
    assert results[10]["hits"][0]["id"] == "s32"
    queries.append(queries[0])
    problem.check(gjkd.post(f"/v1/sets/{name}/batch", {"queries": queries}), "too-many", "/queries",
                  limit=65536)


@pytest.mark.plain
def test_answers_max_holds_for_the_whole_reply(start, name):
    """700 coincident shapes: 244,650 pairs. Of five such queries the fifth is cut, and what comes
    behind it has no room left, except where nothing is listed."""
    gjkd = start("--max-answer", "1G", "--request-timeout", "120s")
    gjkd.store(name, {"dimension": 2, "shapes": {
        f"s{i}": {"type": "circle", "radius": 1} for i in range(700)}})
    pairs = {"op": "detect", "penetration": False}
    a = {"type": "circle", "radius": 1, "position": [1, 0]}
    queries = [pairs] * 5 + [{"op": "detect", "a": "s1", "b": "s2"}, {"op": "detect", "a": a},
                             {"op": "detect", "a": a | {"position": [9, 9]}}]
    reply = gjkd.post(f"/v1/sets/{name}/batch", {"queries": queries})
    assert reply.status_code == 200
    results = json.loads(reply.content)["results"]
    assert [len(r["pairs"]) for r in results[:5]] == [244650] * 4 + [21400]
    assert [r.get("truncated") for r in results[:5]] == [None] * 4 + [True]
    assert results[4]["pairs"] == results[0]["pairs"][:21400]
    assert results[5]["state"] == "overlapping"
    assert results[6] == {"hits": [], "truncated": True}
    assert results[7] == {"hits": []}


def test_room_that_ends_among_many_cheap_queries(start, name):
    """Chunks of these grow, and a list now and then takes of the room of --max-answer."""
    pair = {"op": "detect", "a": "s1", "b": "s2", "penetration": False}
    hits = {"op": "detect", "a": {"type": "circle", "radius": 1}, "penetration": False}
    queries = [hits if i % 50 == 49 else pair for i in range(3000)]
    replies = []
    for workers in ("1", "4"):
        gjkd = start("--max-answer", "1M", "--workers", workers)
        gjkd.store(name, {"dimension": 2, "shapes": {
            f"s{i}": {"type": "circle", "radius": 1} for i in range(200)}})
        replies.append(gjkd.post(f"/v1/sets/{name}/batch", {"queries": queries}))
        assert replies[-1].status_code == 200
    assert replies[0].content == replies[1].content
    results = replies[0].json()["results"]
    assert all(r["state"] == "overlapping" for q, r in zip(queries, results) if q is pair)
    listed = [r for q, r in zip(queries, results) if q is hits]
    whole = next(i for i, r in enumerate(listed) if "truncated" in r)
    assert 20 < whole < 59
    assert all(len(r["hits"]) == 200 for r in listed[:whole])
    assert 0 < len(listed[whole]["hits"]) < 200
    assert all(r == {"hits": [], "truncated": True} for r in listed[whole + 1:])


def test_one_version_of_another_set(gjkd, name):
    """However often it is named."""
    ball = {"type": "circle", "radius": 1}
    gjkd.store(name, {"dimension": 2, "shapes": {"a": ball}})
    gjkd.store(f"{name}-walls", {"dimension": 2, "shapes": {"w": ball}})
    against = {"op": "detect", "against": f"{name}-walls"}
    results = gjkd.ask(f"/v1/sets/{name}/batch", {"queries": [against] * 50})["results"]
    assert all(r == results[0] for r in results)
    assert results[0]["against_revision"] == 1 and len(results[0]["pairs"]) == 1
    gjkd.call("DELETE", f"/v1/sets/{name}-walls")


def test_time_is_up_in_the_middle(gjkd, name):
    gjkd.store(name, {"dimension": 2, "shapes": {
        f"s{i}": {"type": "circle", "radius": 1} for i in range(600)}})
    reply = gjkd.post(f"/v1/sets/{name}/batch", {"queries": [{"op": "detect", "limit": 1000}] * 3000},
                      headers={"Gjkd-Timeout-Ms": "60"})
    problem.check(reply, "deadline-exceeded")
