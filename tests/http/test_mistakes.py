"""All mistakes of a body are told at once, at most 16; what follows from another is not."""

import pytest

import problem

MANY = 16
BALL = {"type": "circle", "radius": 1}


def places(reply_or_problem):
    found = reply_or_problem if isinstance(reply_or_problem, dict) else reply_or_problem.json()
    return [(error["pointer"], error["code"]) for error in found["errors"]]


def put(gjkd, shapes, **more):
    return gjkd.put("/v1/sets/mistaken", {"dimension": 2, "shapes": shapes} | more)


def test_several_in_one_shape(gjkd):
    reply = put(gjkd, {"a": {"type": "circle", "radius": -1, "rounding": "no", "category": 0.5,
                             "position": [0, "x"], "angle": True, "group": "..", "colour": 1}})
    assert places(reply) == [
        ("/shapes/a/position/1", "wrong-type"), ("/shapes/a/angle", "wrong-type"),
        ("/shapes/a/colour", "unknown-member"), ("/shapes/a/rounding", "wrong-type"),
        ("/shapes/a/radius", "out-of-range"), ("/shapes/a/category", "wrong-type"),
        ("/shapes/a/group", "bad-name")]
    problem.check(reply, "wrong-type", "/shapes/a/position/1")


def test_several_shapes(gjkd):
    reply = put(gjkd, {"a": BALL, "b": {"type": "circle", "radius": 0}, "c": 5,
                       "d//e": {"type": "blob"}, "f": {"radius": 1}}, meta=None, size=3)
    assert places(reply) == [
        ("/size", "unknown-member"), ("/shapes/b/radius", "out-of-range"),
        ("/shapes/c", "wrong-type"), ("/shapes/d~1~1e", "bad-name"),
        ("/shapes/d~1~1e/type", "unknown-type"), ("/shapes/f/type", "missing-member")]
    found = problem.check(reply, "unknown-member", "/size")
    assert found["detail"] == found["errors"][0]["detail"]


def test_nothing_is_stored(gjkd):
    assert put(gjkd, {"a": BALL, "b": {}, "c": {}}).status_code == 422
    problem.check(gjkd.get("/v1/sets/mistaken"), "set-not-found")


@pytest.mark.parametrize("count", [MANY - 1, MANY, MANY + 1, 1000])
def test_limit(gjkd, count):
    reply = put(gjkd, {f"s{i:04}": {"type": "circle", "radius": -1 - i} for i in range(count)})
    wanted = [(f"/shapes/s{i:04}/radius", "out-of-range") for i in range(min(count, MANY))]
    assert places(reply) == wanted
    assert "-16" in reply.json()["errors"][-1]["detail"] or count < MANY


@pytest.mark.parametrize("count", [MANY, MANY + 1])
def test_limit_in_one_object(gjkd, count):
    pair = {"a": BALL, "b": BALL} | {f"x{i}": 1 for i in range(count)}
    assert len(gjkd.post("/v1/detect", pair).json()["errors"]) == MANY


@pytest.mark.parametrize("path, body, wanted", [
    ("detect", {"a": {"type": "circle", "radius": 0}, "b": 5, "penetration": 1, "trace": True},
     ["/a/radius", "/b", "/penetration"]),
    ("raycast", {"origin": [0], "direction": ["x", "y"], "shape": BALL, "solid": 0, "limit": 0,
                 "options": {"tolerance": -1, "max_iterations": 0}, "filter": {"mask": -1}},
     ["/origin", "/direction/0", "/direction/1", "/solid", "/limit", "/filter/mask",
      "/options/tolerance", "/options/max_iterations"]),
    ("cast", {"shape": {"type": "circle"}, "translation": 1, "mode": "first"},
     ["/shape/radius", "/translation", "/mode", "/against"]),
    ("batch", {"querys": [], "filter": {"ignore": ["", "a", 7]}}, ["/querys", "/filter/ignore/0",
                                                                   "/filter/ignore/2"]),
])
def test_of_a_query(gjkd, path, body, wanted):
    reply = gjkd.post(f"/v1/{path}", body)
    assert [place for place, _ in places(reply)] == wanted
    problem.check(reply, reply.json()["code"])


def test_of_a_shot(gjkd):
    gjkd.put("/v1/sets/range", {"dimension": 2, "shapes": {"a": BALL}})
    reply = gjkd.post("/v1/sets/range/hit", {
        "shooter": "", "ray": {"origin": [0, 0], "direction": "up"}, "radius": -1, "claim": {},
        "policy": {"near_miss": -1, "obstacles": "no/set", "strict": True}})
    assert [place for place, _ in places(reply)] == [
        "/shooter", "/ray/direction", "/radius", "/claim/id", "/policy/strict",
        "/policy/obstacles", "/policy/near_miss"]


def test_of_a_change(gjkd):
    gjkd.put("/v1/sets/changed", {"dimension": 2, "history": {"ticks": 2},
                                  "shapes": {"a": BALL, "b": BALL}})
    wrong = {"shapes": {"a": {"position": [1]}, "b": {"radius": "big", "colour": None},
                        "c": {"radius": 1}}}
    wanted = ["/shapes/a/position", "/shapes/b/colour", "/shapes/b/radius", "/shapes/c/type"]
    patched = gjkd.call("PATCH", "/v1/sets/changed", json=wrong)
    assert [place for place, _ in places(patched)] == wanted
    ticked = gjkd.put("/v1/sets/changed/ticks/1", wrong)
    assert [place for place, _ in places(ticked)] == wanted
    alone = gjkd.put("/v1/sets/changed/shapes/a", {"type": "circle", "radius": 0, "mask": -1})
    assert [place for place, _ in places(alone)] == ["/radius", "/mask"]


def test_queries_of_a_batch_are_judged_one_by_one(gjkd):
    good = {"op": "detect", "a": BALL, "b": BALL}
    bad = {"op": "detect", "a": {"type": "circle", "radius": 0}, "b": {"type": "blob"}}
    worst = good | {f"x{i}": i for i in range(MANY + 1)}
    reply = gjkd.post("/v1/batch", {"queries": [good, bad, good, worst, {"op": "fly"}]})
    assert reply.status_code == 200
    results = reply.json()["results"]
    assert ["error" in result for result in results] == [False, True, False, True, True]
    assert results[0] == results[2]
    assert places(results[1]["error"]) == [("/queries/1/a/radius", "out-of-range"),
                                           ("/queries/1/b/type", "unknown-type")]
    assert places(results[3]["error"]) == [(f"/queries/3/x{i}", "unknown-member")
                                           for i in range(MANY)]
    assert places(results[4]["error"]) == [("/queries/4/op", "out-of-range")]


@pytest.mark.parametrize("body, wanted", [
    # The misspelt member is also the missing one.
    ({"a": {"type": "circle", "raduis": 1}, "b": BALL}, [("/a/raduis", "unknown-member")]),
    # A pair with a wrong operand is a pair all the same.
    ({"a": BALL, "b": {"type": "circle"}, "trace": True}, [("/b/radius", "missing-member")]),
    ({"a": BALL, "trace": True}, [("/b", "missing-member")]),
    # What has no meaning in this dimension is not unknown besides.
    ({"a": {"type": "sphere", "radius": 1, "angle": 1}, "b": {"type": "point"}},
     [("/a/angle", "dimension-mismatch")]),
])
def test_consequences_are_not_told(gjkd, body, wanted):
    assert places(gjkd.post("/v1/detect", body)) == wanted


def test_hint_and_limit_belong_to_the_first(gjkd):
    long_id = "i" * 129
    first = gjkd.post("/v1/detect", {"a": {"type": "circle", "raduis": 1},
                                     "b": {"type": "point", "group": long_id}}).json()
    assert first["hint"] == 'did you mean "radius"?'
    assert "limit" not in first and len(first["errors"]) == 2
    alone = gjkd.post("/v1/detect", {"a": BALL, "b": {"type": "point", "group": long_id}}).json()
    assert alone["limit"] == 128 and len(alone["errors"]) == 1


def test_long_texts_are_cut_to_valid_ones(gjkd):
    name = "\u00e9" * 300
    found = gjkd.post("/v1/detect", {"a": BALL, "b": BALL, "x": 1, name: 1, name + "y": 1}).json()
    assert [error["code"] for error in found["errors"]][:2] == ["unknown-member"] * 2
    assert all(len(error["pointer"].encode()) < 384 for error in found["errors"])


def test_malformed_json_stands_alone(gjkd):
    reply = gjkd.call("POST", "/v1/detect", data=b'{"a": 1, "b": 2, "c": 3',
                      headers={"Content-Type": "application/json"})
    found = problem.check(reply, "malformed-json")
    assert "errors" not in found


def test_a_slash_in_an_id_gets_a_hint(gjkd):
    problem.check(gjkd.get("/v1/sets/x/shapes/player/sword"), "route-not-found", hint="%2F")
    assert "hint" not in gjkd.get("/v1/sets/x/nope").json()
    assert "hint" not in gjkd.get("/v1/sets/x/shapes/").json()
