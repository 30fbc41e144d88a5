"""include: ["meta"]: the lines of a set's answers tell what is stored as meta of their shapes."""

import pytest

import problem

META = {"hp": 12.5, "deep": {"meta": [1, {"meta": None}], "}": "\"meta\":{}"}}


def ball(x, **members):
    return {"type": "circle", "radius": 1, "position": [x, 0], **members}


SET = {"dimension": 2, "history": {"ticks": 4}, "shapes": {
    "a": ball(0, meta=META, group="g"), "b": ball(1.5, meta="b", group="h"), "c": ball(1.75)}}
METAS = {"a": META, "b": "b", "c": None}
ASK = {"include": ["meta"]}
RAY = {"origin": [-5, 0], "direction": [1, 0]}


@pytest.fixture
def url(gjkd, name):
    gjkd.store(name, SET)
    gjkd.put(f"/v1/sets/{name}/ticks/1", {"shapes": {"a": {"position": [0.25, 0]}}})  # moved, not defined
    return f"/v1/sets/{name}"


LINES = [("detect", {"a": "c"}, "hits"), ("distance", {"a": "c", "limit": 9}, "nearest"),
         ("raycast", RAY | {"mode": "all"}, "hits"), ("raycast", RAY | {"target": "a"}, "hits"),
         ("cast", {"shape": ball(-5), "translation": [9, 0], "mode": "all"}, "hits")]


@pytest.mark.parametrize("op, query, lines", LINES)
@pytest.mark.parametrize("at", [{}, {"at": {"tick": 1}}])
def test_each_line_tells_meta(gjkd, url, op, query, lines, at):
    plain = gjkd.ask(f"{url}/{op}", query | at)
    told = gjkd.ask(f"{url}/{op}", query | at | ASK)
    assert len(told[lines]) >= 1
    for line in told[lines]:
        assert line.pop("meta") == METAS[line["id"]]
    assert told == plain
    batched = gjkd.ask(f"{url}/batch", {"queries": [{"op": op, **query, **ASK}, {"op": op, **query}]})
    assert [line["meta"] for line in batched["results"][0][lines]] == [METAS[line["id"]] for line in plain[lines]]
    assert "meta" not in batched["results"][1][lines][0]
    assert gjkd.ask(f"{url}/{op}", query | at | {"include": []}) == plain
    assert gjkd.ask(f"{url}/{op}", query | at | {"include": None}) == plain


@pytest.mark.parametrize("query", [{}, {"against": "self"}])
def test_pairs_tell_both(gjkd, url, query):
    query = {k: url.split("/")[-1] for k in query}
    pairs = gjkd.ask(f"{url}/detect", query | ASK)["pairs"]
    assert len(pairs) >= 3
    for line in pairs:
        assert (line["meta_a"], line["meta_b"]) == (METAS[line["a"]], METAS[line["b"]])


@pytest.mark.parametrize("op", ["detect", "distance"])
def test_a_single_pair_tells_both_and_an_inline_shape_has_none(gjkd, url, op):
    told = gjkd.ask(f"{url}/{op}", {"a": "a", "b": ball(9, meta=[7])} | ASK)
    assert told["meta_a"] == META and told["meta_b"] is None
    told = gjkd.ask(f"{url}/{op}", {"a": {"id": "c", "position": [3, 0]}, "b": "b"} | ASK)
    assert told["meta_a"] is None and told["meta_b"] == "b"


def test_an_inline_target_has_none(gjkd, url):
    told = gjkd.ask(f"{url}/raycast", RAY | {"shape": ball(0, meta=3)} | ASK)
    assert [line["meta"] for line in told["hits"]] == [None]


def test_a_shot_tells_hit_obstacle_and_near_misses(gjkd, url):
    shot = {"ray": RAY, "claim": {"id": "a"}, "policy": {"near_miss": 3, "obstacles": url.split("/")[-1]}}
    told = gjkd.ask(f"{url}/hit", shot | ASK)
    assert told["hit"]["meta"] == META and told["obstacle"]["meta"] == META
    assert {m["id"]: m["meta"] for m in told["near_misses"]} == {"b": "b", "c": None}


def test_meta_changes_with_the_shape(gjkd, url):
    for meta in ({"x": 1e20}, [], "", 0, None, {"z": "\u00e9\n"}):
        gjkd.call("PATCH", f"{url}/shapes/b", json={"meta": meta, "rounding": 0.5})
        hits = gjkd.ask(f"{url}/detect", {"a": "c"} | ASK)["hits"]
        assert {h["id"]: h["meta"] for h in hits}["b"] == meta


def test_refusals(gjkd, url):
    problem.check(gjkd.post(f"{url}/detect", {"include": ["mata"]}), "out-of-range", pointer="/include/0")
    problem.check(gjkd.post(f"{url}/detect", {"include": "meta"}), "wrong-type", pointer="/include")
    problem.check(gjkd.post(f"{url}/detect", {"include": [1]}), "wrong-type", pointer="/include/0")
    problem.check(gjkd.post("/v1/detect", {"a": ball(0), "b": ball(1)} | ASK), "unknown-member",
                  pointer="/include")
    reply = gjkd.post(f"{url}/detect", {"a": "a", "b": "b"} | ASK, headers={"Accept": "application/x-protobuf"})
    problem.check(reply, "not-acceptable")


def test_rows_of_configurations_tell_both(gjkd, url):
    rows = {"shapes": ["c"], "poses": [[{"position": [x, 0]}] for x in (-1.6, 3.25, 99)]}
    told = gjkd.ask(f"{url}/configurations", rows | ASK)
    pairs = [(row.pop("meta_a"), row.pop("meta_b")) for row in told["results"]]
    assert pairs == [(META, None), ("b", None), (None, None)]
    assert told == gjkd.ask(f"{url}/configurations", rows)
    columns = gjkd.post(f"{url}/configurations", rows | ASK, headers={"Accept": "application/x-protobuf"})
    problem.check(columns, "not-acceptable")
    problem.check(gjkd.post(f"{url}/configurations", rows | {"include": ["id"]}), "out-of-range",
                  pointer="/include/0")
