"""Overlaps of a tick: the pairs that detect lists there, and those that it listed at the tick before."""

import json
import random

import pytest

import problem

DISC = {"type": "circle", "radius": 0.5}


@pytest.fixture
def url(gjkd, name):
    gjkd.store(name, {"dimension": 2, "history": {"ticks": 4}, "shapes": {
        "a": DISC | {"group": "a"}, "b": DISC | {"position": [0.5, 0]}, "c": DISC | {"position": [9, 0]}}})
    return f"/v1/sets/{name}"


def tick(gjkd, url, number, shapes, **members):
    reply = gjkd.post(f"{url}/ticks/{number}", {"shapes": shapes, "overlaps": {}} | members)
    assert reply.status_code == 201, reply.text
    return reply.json()["overlaps"]


def test_all_begin_at_the_first_and_then_what_differs(gjkd, url):
    assert tick(gjkd, url, 3, {}) == {"begin": [["a", "b"]], "end": []}
    assert tick(gjkd, url, 4, {}) == {"begin": [], "end": []}
    assert tick(gjkd, url, 7, {"b": {"position": [9, 0.5]}}) == {"begin": [["b", "c"]], "end": [["a", "b"]]}
    # Edits between ticks show at the next one; what was removed and made again is the same pair.
    gjkd.call("PATCH", url, json={"shapes": {"c": None}})
    gjkd.call("PATCH", url, json={"shapes": {"c": DISC | {"position": [9, 0.1]}}})
    assert tick(gjkd, url, 8, {}) == {"begin": [], "end": []}
    assert tick(gjkd, url, 9, {"b": None}) == {"begin": [], "end": [["b", "c"]]}


def test_the_filter(gjkd, url):
    overlaps = {"filter": {"ignore_groups": ["a"]}}
    assert tick(gjkd, url, 1, {"c": {"position": [0, 0]}}, overlaps=overlaps) == \
        {"begin": [["b", "c"]], "end": []}
    # That of the batch is its own.
    assert tick(gjkd, url, 2, {"a": {"position": [99, 0]}}, filter={"ignore": ["a"]}) == \
        {"begin": [], "end": [["a", "b"], ["a", "c"]]}
    assert tick(gjkd, url, 3, {"a": {"position": [0, 0]}}, overlaps={"filter": None}) == \
        {"begin": [["a", "b"], ["a", "c"]], "end": []}


def test_beside_queries(gjkd, url):
    body = {"shapes": {}, "overlaps": {}, "queries": [{"op": "detect", "a": "a", "b": "c"}]}
    told = gjkd.post(f"{url}/ticks/1", body).json()
    assert list(told)[-2:] == ["results", "overlaps"] and told["results"][0]["colliding"] is False
    assert gjkd.post(f"{url}/ticks/2", {"queries": [], "overlaps": None}).json().get("overlaps") is None
    assert gjkd.post(f"{url}/ticks/3", {"overlaps": {}}).json()["results"] == []


def test_repeated_it_answers_again(gjkd, url):
    body = {"shapes": {"b": {"position": [9, 0.5]}}, "overlaps": {}}
    tick(gjkd, url, 1, {})
    first = gjkd.post(f"{url}/ticks/2", body)
    tick(gjkd, url, 3, {"b": {"position": [0, 0]}})
    again = gjkd.post(f"{url}/ticks/2", body)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["overlaps"] == again.json()["overlaps"] == {"begin": [["b", "c"]], "end": [["a", "b"]]}
    for number in (4, 5):
        tick(gjkd, url, number, {})
    again = gjkd.post(f"{url}/ticks/2", body).json()["overlaps"]  # tick 1 is gone
    expired(again)


def test_repeated_when_it_is_packed(gjkd, name):
    rng = random.Random(25)
    gjkd.store(name, {"dimension": 2, "history": {"ticks": 32}, "shapes": {f"d{i}": DISC for i in range(9)}})
    told = []
    for number in range(30):
        moved = rng.sample(range(9), 1 + number % 9)
        body = {"overlaps": {}, "shapes": {
            f"d{i}": {"position": [rng.uniform(0, 3), rng.uniform(0, 3)], "angle": rng.random()} for i in moved}}
        told.append((body, gjkd.post(f"/v1/sets/{name}/ticks/{number}", body).json()["overlaps"]))
    for number, (body, overlaps) in enumerate(told):
        again = gjkd.post(f"/v1/sets/{name}/ticks/{number}", body)
        assert again.status_code == 200 and again.json()["overlaps"] == overlaps, number


def expired(overlaps):
    error = overlaps["error"]
    assert (error["status"], error["code"]) == (410, "tick-expired")
    assert error["errors"][0]["pointer"] == "/overlaps" and "history" in error["hint"]


def test_a_set_that_keeps_one_tick(gjkd, url):
    gjkd.call("PATCH", url, json={"history": {"ticks": 1}})
    assert tick(gjkd, url, 1, {})["begin"] == [["a", "b"]]
    body = {"shapes": {"b": {"position": [9, 0.5]}}, "overlaps": {}}
    assert gjkd.post(f"{url}/ticks/2", body).json()["overlaps"] == {"begin": [["b", "c"]], "end": [["a", "b"]]}
    repeated = gjkd.post(f"{url}/ticks/2", body)
    assert repeated.status_code == 200
    expired(repeated.json()["overlaps"])
    # The ticks are forgotten, and begin anew.
    gjkd.call("PATCH", url, json={"history": None})
    gjkd.call("PATCH", url, json={"history": {"ticks": 1}})
    assert tick(gjkd, url, 1, {})["begin"] == [["b", "c"]]


def test_max_answer_holds_for_pairs_and_queries(start):
    daemon = start("--max-answer", "64K")
    near = {f"{'x' * 120}{i:02}": DISC for i in range(30)}  # 435 pairs of 251 bytes
    daemon.store("s", {"dimension": 2, "history": {"ticks": 4}, "shapes": near})
    body = {"shapes": {}, "overlaps": {}, "queries": [{"op": "detect"}]}
    told = daemon.post("/v1/sets/s/ticks/1", body).json()
    begin = told["overlaps"]["begin"]
    assert 200 < len(begin) <= 262 and told["overlaps"]["truncated"] is True
    assert begin == sorted([a, b] for a in near for b in near if a < b)[:len(begin)]
    assert told["results"] == [{"pairs": [], "truncated": True}]


@pytest.mark.plain
def test_answers_max_holds_for_pairs_and_queries(start):
    daemon = start("--max-answer", "1G", "--request-timeout", "120s")
    shapes = {f"s{i:04}": DISC for i in range(1415)}  # 1,000,405 pairs, as few as pass the limit
    daemon.store("s", {"dimension": 2, "history": {"ticks": 2}, "shapes": shapes})
    body = {"shapes": {}, "overlaps": {}, "queries": [{"op": "detect", "penetration": False}]}
    told = daemon.post("/v1/sets/s/ticks/1", body).json()
    assert len(told["overlaps"]["begin"]) == 1000000 and told["overlaps"]["truncated"] is True
    assert told["results"] == [{"pairs": [], "truncated": True}]


def pairs_at(gjkd, url, number, filter_):
    body = {"penetration": False, "at": {"tick": number}, "filter": filter_}
    return {(p["a"], p["b"]) for p in gjkd.ask(f"{url}/detect", body)["pairs"]}


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("moved", [2, 40])
def test_they_are_the_difference_of_what_detect_lists(gjkd, name, dimension, moved):
    rng = random.Random(dimension * 100 + moved)
    url, ball = f"/v1/sets/{name}", "circle" if dimension == 2 else "sphere"
    gjkd.store(name, {"dimension": dimension, "history": {"ticks": 2}, "shapes": {}})
    ids, before, seen = [f"s{i}" for i in range(40)], set(), 0
    filter_ = {"ignore": ["s3"], "mask": 5}
    for number in range(40):
        shapes = {id: rng.choice([None] + 9 * [{
            "type": ball, "radius": 1, "position": [rng.uniform(0, 8) for _ in range(dimension)],
            "group": rng.choice("gh"), "category": rng.choice([1, 2, 4])}]) for id in rng.sample(ids, moved)}
        told = tick(gjkd, url, number, shapes, overlaps={"filter": filter_})
        after = pairs_at(gjkd, url, number, filter_)
        assert told == {"begin": sorted(map(list, after - before)), "end": sorted(map(list, before - after))}
        seen += len(told["end"])
        before = after
    assert seen > 3
