"""Verdicts on shots, over HTTP: a duel between Alice and Bob that the server remembers."""

import random

import pytest

import problem

DISC = {"type": "circle", "radius": 0.5}
ALICE = {"shooter": "alice", "ray": {"origin": [0, 0], "direction": [1, 0]}}


@pytest.fixture(scope="module")
def duel(gjkd):
    """Bob walks from (10, 0) at tick 10 to (10, 4) at tick 20 and teleports to (10, -4) for 30."""
    gjkd.store("duel", {"dimension": 2, "history": {"ticks": 3}, "shapes": {
        "alice": DISC | {"group": "alice"},
        "alice/shield": {"type": "box", "half_extents": [0.1, 1], "position": [1, 0],
                         "group": "alice"},
        "bob/body": DISC | {"group": "bob"}, "bob/head": DISC | {"group": "bob"},
        "carol": DISC | {"group": "carol", "position": [20, 0]}}})
    gjkd.store("walls", {"dimension": 2, "shapes": {
        "wall": {"type": "box", "half_extents": [0.5, 3], "position": [5.5, 0]}}})
    for tick, y, jump in ((10, 0, {}), (20, 4, {}), (30, -4, {"teleport": True})):
        bob = {"bob/body": {"position": [10, y]} | jump, "bob/head": {"position": [10, y + 0.75]} | jump}
        assert gjkd.put(f"/v1/sets/duel/ticks/{tick}", {"shapes": bob}).status_code == 201
    gjkd.put("/v1/sets/duel/shapes/dave", DISC | {"position": [-20, 0]})

    def judge(**asked):
        return gjkd.ask("/v1/sets/duel/hit", ALICE | asked)

    yield judge
    gjkd.call("DELETE", "/v1/sets/duel")
    gjkd.call("DELETE", "/v1/sets/walls")


def aimed(x, y, **more):
    return {"origin": [0, 0], "direction": [x, y], **more}


def test_confirmed_with_its_evidence(duel):
    answer = duel(at={"tick": 10}, claim={"id": "bob/body"})
    assert answer == {
        "verdict": "confirmed", "reason": None,
        "hit": {"id": "bob/body", "group": "bob", "distance": 9.5, "point": [9.5, 0],
                "normal": [-1, 0], "inside": False, "status": "converged"},
        "obstacle": None, "near_misses": [],
        "rewind": {"requested": 10, "from": 10, "to": 10, "alpha": 0, "age_ticks": 20},
        "revision": 5, "tick": 10}


@pytest.mark.parametrize("tick, ray, claim, verdict, reason, hit", [
    (10, aimed(1, 0), {"id": "bob/head"}, "adjusted", None, "bob/body"),
    (10, aimed(1, 0), {"group": "bob"}, "confirmed", None, "bob/body"),
    (10, aimed(1, 0), {"id": "carol"}, "denied", "other-target", "bob/body"),
    (15, aimed(10, 2), {"id": "bob/body"}, "confirmed", None, "bob/body"),
    (15, aimed(1, 0), {"id": "bob/body"}, "denied", "other-target", "carol"),
    (25, aimed(1, 0), {"id": "bob/body"}, "denied", "other-target", "carol"),
    (29.9, aimed(10, 4), {"id": "bob/body"}, "confirmed", None, "bob/body"),
    (30, aimed(10, -4), {"group": "bob"}, "confirmed", None, "bob/body"),
    (10, aimed(0, 1), {"id": "bob/body"}, "denied", "miss", None),
    (10, aimed(1, 0, max_distance=9.4), {"id": "bob/body"}, "denied", "miss", None),
    (10, aimed(1, 0, max_distance=9.5), {"id": "bob/body"}, "confirmed", None, "bob/body"),
    (10, aimed(1, 0), {"id": "dave"}, "denied", "no-target", None),
    (10, aimed(1, 0), {"group": "nobody"}, "denied", "no-target", None),
    (9.99, aimed(1, 0), {"id": "bob/body"}, "unverifiable", "tick-expired", None),
    (30.01, aimed(1, 0), {"id": "nobody"}, "unverifiable", "tick-in-future", None),
])
def test_verdicts(duel, tick, ray, claim, verdict, reason, hit):
    answer = duel(at={"tick": tick}, ray=ray, claim=claim)
    assert (answer["verdict"], answer["reason"]) == (verdict, reason)
    assert (answer["hit"] or {}).get("id") == hit
    rewind = answer["rewind"]
    assert rewind["requested"] == tick and rewind["age_ticks"] == 30 - tick
    assert answer.get("set") == ("duel" if verdict == "unverifiable" else None)
    if verdict == "unverifiable":
        assert rewind["from"] is rewind["to"] is rewind["alpha"] is None
    else:
        assert rewind["from"] + rewind["alpha"] * (rewind["to"] - rewind["from"]) == pytest.approx(tick)


def test_how_long_ago_it_may_be(duel):
    claim = {"id": "bob/body"}
    assert duel(at={"tick": 10}, claim=claim, policy={"max_rewind_ticks": 20})["verdict"] == "confirmed"
    answer = duel(at={"tick": 10}, claim=claim, policy={"max_rewind_ticks": 19.5})
    assert (answer["verdict"], answer["reason"]) == ("unverifiable", "rewind-limit")
    nobody = duel(at={"tick": 10}, claim={"id": "dave"}, policy={"max_rewind_ticks": 19.5})
    assert (nobody["verdict"], nobody["reason"]) == ("denied", "no-target")


def test_a_wall_in_the_way(gjkd, duel):
    asked = {"at": {"tick": 10}, "claim": {"id": "bob/body"}, "policy": {"obstacles": "walls"}}
    answer = duel(**asked)
    assert (answer["verdict"], answer["reason"]) == ("denied", "blocked")
    assert answer["hit"]["id"] == "bob/body"
    assert answer["obstacle"]["id"] == "wall" and answer["obstacle"]["distance"] == 5
    gjkd.call("PATCH", "/v1/sets/walls/shapes/wall", json={"position": [11, 0]})
    assert duel(**asked)["verdict"] == "confirmed"  # where it stands now; behind Bob
    gjkd.call("PATCH", "/v1/sets/walls/shapes/wall", json={"position": [5.5, 0]})
    reply = gjkd.post("/v1/sets/duel/hit", ALICE | asked | {"policy": {"obstacles": "nowhere"}})
    problem.check(reply, "set-not-found", "/policy/obstacles")


def test_near_misses(duel):
    asked = {"at": {"tick": 20}, "claim": {"id": "bob/body"}}
    answer = duel(**asked, policy={"near_miss": 4.25})
    assert answer["hit"]["id"] == "carol"
    assert answer["near_misses"] == [
        {"id": "bob/body", "group": "bob", "distance": 3.5},
        {"id": "bob/head", "group": "bob", "distance": 4.25}]
    assert len(duel(**asked, policy={"near_miss": 4.249999})["near_misses"]) == 1
    assert duel(**asked, policy={"near_miss": 0})["near_misses"] == []


def test_a_ray_is_near_what_it_reaches_at_its_end(gjkd, name):
    """The distance that a ray tells, as its max_distance: it hits still, and what else is there is at 0."""
    rng = random.Random(5)
    for _ in range(40):
        wall = {"type": "box", "half_extents": [rng.uniform(0.1, 1), 3], "position": [rng.uniform(3, 1e5), 0]}
        gjkd.store(name, {"dimension": 2, "history": {"ticks": 1}, "shapes": {"a": wall, "b": wall}})
        gjkd.put(f"/v1/sets/{name}/ticks/1", {"shapes": {}})
        ray = {"origin": [rng.uniform(-2, 2), rng.uniform(-1, 1)], "direction": [1, rng.uniform(-1e-6, 1e-6)]}
        reach = gjkd.ask(f"/v1/sets/{name}/raycast", ray)["hits"][0]["distance"]
        judged = gjkd.ask(f"/v1/sets/{name}/hit", {"ray": ray | {"max_distance": reach}, "policy": {"near_miss": 0}})
        assert judged["hit"]["id"] == "a" and judged["hit"]["distance"] == reach
        assert judged["near_misses"] == [{"id": "b", "group": None, "distance": 0}]


def test_a_ray_ends_where_a_segment_does(gjkd, name):
    box = {"type": "box", "half_extents": [0.5, 0.25], "position": [0.625, 3.25]}
    gjkd.store(name, {"dimension": 2, "history": {"ticks": 1}, "shapes": {"a": box}})
    gjkd.put(f"/v1/sets/{name}/ticks/1", {"shapes": {}})
    ray = {"origin": [0.25, 0.75], "direction": [0, 1], "max_distance": 2}
    judged = gjkd.ask(f"/v1/sets/{name}/hit", {"ray": ray, "policy": {"near_miss": 1}})
    assert judged["near_misses"] == [{"id": "a", "group": None, "distance": 0.25}]


def test_a_ball_for_a_ray(duel):
    asked = {"at": {"tick": 15}, "claim": {"id": "bob/body"}}
    assert duel(**asked, radius=1.4)["hit"]["id"] == "carol"
    answer = duel(**asked, radius=1.6)
    assert answer["verdict"] == "confirmed"
    assert answer["hit"]["distance"] == pytest.approx(10 - (2.1 ** 2 - 4) ** 0.5, abs=1e-9)


def test_filters(duel):
    asked = {"at": {"tick": 10}, "claim": {"id": "carol"}}
    assert duel(**asked, filter={"ignore_groups": ["bob"]})["verdict"] == "confirmed"
    assert duel(**asked, filter={"only_groups": []})["reason"] == "miss"


def test_the_set_as_it_is(duel):
    answer = duel(claim={"id": "carol"})
    assert answer["verdict"] == "confirmed" and answer["rewind"] is None and "tick" not in answer


def test_a_set_that_keeps_no_ticks(gjkd, name):
    gjkd.store(name, {"dimension": 3, "shapes": {"x": {"type": "sphere", "radius": 1}}})
    asked = {"ray": {"origin": [-5, 0, 0], "direction": [1, 0, 0]}, "claim": {"id": "x"}}
    answer = gjkd.ask(f"/v1/sets/{name}/hit", asked | {"at": {"tick": 3}})
    assert (answer["verdict"], answer["reason"], answer["set"]) == ("unverifiable", "tick-expired", name)
    assert answer["rewind"] == {"requested": 3, "from": None, "to": None, "alpha": None,
                                "age_ticks": None}
    assert gjkd.ask(f"/v1/sets/{name}/hit", asked)["verdict"] == "confirmed"


def test_no_such_set(gjkd):
    problem.check(gjkd.post("/v1/sets/nowhere/hit", ALICE | {"claim": {"id": "x"}}), "set-not-found")


def test_without_a_claim_the_first_hit_confirms(gjkd, duel):
    ask = {"at": {"tick": 10}, "claim": None}
    told = duel(**ask)
    assert (told["verdict"], told["reason"], told["hit"]["id"]) == ("confirmed", None, "bob/body")
    missed = duel(**ask, ray=aimed(0, 1))
    assert (missed["verdict"], missed["reason"], missed["hit"]) == ("denied", "miss", None)
    blocked = duel(**ask, policy={"obstacles": "walls"})
    assert (blocked["verdict"], blocked["reason"], blocked["obstacle"]["id"]) == ("denied", "blocked", "wall")
    assert duel(**ask | {"at": {"tick": 9}})["reason"] == "tick-expired"


def test_an_obstacle_is_told_of_a_miss_too(gjkd, duel):
    told = duel(at={"tick": 10}, ray=aimed(1, 0, max_distance=7), claim={"id": "bob/body"},
                policy={"obstacles": "walls"})
    assert (told["verdict"], told["reason"], told["hit"]) == ("denied", "miss", None)
    assert told["obstacle"]["id"] == "wall" and told["obstacle"]["distance"] == 5
    short = duel(at={"tick": 10}, ray=aimed(1, 0, max_distance=4), claim={"id": "bob/body"},
                 policy={"obstacles": "walls"})
    assert short["reason"] == "miss" and short["obstacle"] is None


def test_near_misses_are_told_of_a_target_that_was_not_there(gjkd, duel):
    told = duel(at={"tick": 10}, claim={"id": "dave"}, policy={"near_miss": 5})
    assert told["reason"] == "no-target" and told["hit"] is None
    ids = [m["id"] for m in told["near_misses"]]
    assert "bob/body" in ids
    late = duel(at={"tick": 10}, claim={"id": "bob/body"}, policy={"near_miss": 5, "max_rewind_ticks": 1})
    assert late["reason"] == "rewind-limit" and late["near_misses"] == []


def test_without_at_it_judges_the_newest_state(gjkd, duel):
    told = duel(at=None, claim=None)
    assert told["rewind"] is None and "tick" not in told
    assert told["hit"] == duel(at={"tick": 30}, claim=None)["hit"]


@pytest.fixture
def blocks(gjkd):
    """Sets of obstacles with their near sides at 4, 5.5 (of pieces), 7 and 30."""
    wall = {"type": "box", "half_extents": [0.5, 3]}
    chain = {"type": "chain", "vertices": [[0, 3], [0, 1], [0, -1], [0, -3]], "position": [5.5, 0]}
    gjkd.store("near", {"dimension": 2, "shapes": {"x": wall | {"position": [4.5, 0]}}})
    gjkd.store("mesh", {"dimension": 2, "shapes": {"x": chain}})
    gjkd.store("far", {"dimension": 2, "shapes": {"x": wall | {"position": [7.5, 0]}, "y": wall | {"position": [5, 50]}}})
    gjkd.store("behind", {"dimension": 2, "shapes": {"x": wall | {"position": [30.5, 0]}}})
    yield
    for name in ("near", "mesh", "far", "behind"):
        gjkd.call("DELETE", f"/v1/sets/{name}")


@pytest.mark.parametrize("radius", [0, 0.25])
def test_obstacles_of_several_sets(gjkd, duel, blocks, radius):
    def judge(*obstacles):
        return duel(at={"tick": 10}, radius=radius, policy={"obstacles": list(obstacles)})

    alone = duel(at={"tick": 10}, radius=radius, policy={"obstacles": "mesh"})
    told = judge("far", {"set": "mesh"}, "behind")
    assert list(told["obstacle"])[0] == "set" and told["obstacle"].pop("set") == "mesh"
    assert told == alone and told["obstacle"]["distance"] == 5.5 - radius
    assert told["obstacle"]["piece"] == 1
    assert judge("mesh") == alone, "one set has no name"
    assert judge("behind", "far", "near", "mesh")["obstacle"]["set"] == "near"
    assert judge("far", {"set": "near", "filter": {"ignore": ["x"]}})["obstacle"]["set"] == "far"
    assert judge("near", "near")["obstacle"]["distance"] == 4 - radius
    assert judge("behind", "behind")["obstacle"] is None
    assert judge() == duel(at={"tick": 10}, radius=radius)
    # In a batch and at the ends of the list.
    query = ALICE | {"op": "hit", "at": {"tick": 10}, "radius": radius, "policy": {"obstacles": ["far", "mesh"]}}
    assert gjkd.ask("/v1/sets/duel/batch", {"queries": [query]})["results"][0]["obstacle"]["set"] == "mesh"
    assert judge(*["far"] * 15, "near")["obstacle"]["set"] == "near"


def test_obstacles_at_the_shot(gjkd, duel):
    wall = {"type": "box", "half_extents": [0.5, 9], "position": [5.5, 0]}
    gjkd.store("gates", {"dimension": 2, "history": {"ticks": 8}, "shapes": {"gate": wall | {"category": 2}}})
    for tick, y in ((10, 0), (20, 100), (30, 0)):  # open at 20
        gjkd.put(f"/v1/sets/gates/ticks/{tick}", {"shapes": {"gate": {"position": [5.5, y]}}})

    def judge(tick, **obstacles):
        return duel(at={"tick": tick}, claim=None, policy={"obstacles": {"set": "gates"} | obstacles},
                    ray=aimed(1, 0, max_distance=8))

    assert judge(10)["obstacle"]["id"] == judge(20)["obstacle"]["id"] == "gate"  # the newest
    assert judge(20, at="newest")["obstacle"]["id"] == "gate"
    assert judge(20, at="shot")["obstacle"] is None and judge(10, at="shot")["obstacle"]["id"] == "gate"
    assert judge(12, at="shot")["obstacle"] is None  # a fifth of the way: 20 up
    assert judge(10.5, at="shot")["obstacle"]["id"] == "gate"
    assert judge(10, at="shot", filter={"mask": 1})["obstacle"] is None
    assert judge(10, filter={"ignore": ["gate"]})["obstacle"] is None
    assert judge(10, filter=None)["obstacle"]["id"] == "gate"
    named = duel(at={"tick": 20}, claim=None, policy={"obstacles": "gates"}, ray=aimed(1, 0, max_distance=8))
    assert named == judge(20)
    # A state by hand is the same.
    gjkd.store("copy", {"dimension": 2, "shapes": {"gate": wall | {"position": [5.5, 5]}}})
    by_hand = duel(at={"tick": 10.5}, claim=None, policy={"obstacles": "copy"}, ray=aimed(1, 0, max_distance=8))
    assert by_hand["obstacle"] == judge(10.5, at="shot")["obstacle"]
    gjkd.call("PATCH", "/v1/sets/gates", json={"history": {"ticks": 1}})
    gone = judge(20, at="shot")
    assert (gone["verdict"], gone["reason"], gone["near_misses"]) == ("unverifiable", "tick-expired", [])
    assert gone["rewind"]["from"] == 20 and gone["set"] == "gates"  # the shot's own set has it
    gjkd.put("/v1/sets/duel/ticks/31", {"shapes": {}})
    assert judge(30.5, at="shot")["reason"] == "tick-in-future"
    for name in ("gates", "copy"):
        gjkd.call("DELETE", f"/v1/sets/{name}")


def test_an_obstacle_tells_piece_and_material(gjkd, name):
    ball = {"type": "sphere", "radius": 1}
    gjkd.store(name, {"dimension": 3, "shapes": {"target": ball | {"position": [20, 0, 0]}}})
    gjkd.store(f"{name}.level", {"dimension": 3, "shapes": {"wall": {
        "type": "mesh", "vertices": [[5, -9, -9], [5, 9, -9], [5, 9, 9], [5, -9, 9]],
        "triangles": [[0, 1, 2], [0, 2, 3]], "materials": [40, 41]}}})
    for radius in (0, 0.5):
        told = gjkd.ask(f"/v1/sets/{name}/hit", {
            "ray": {"origin": [0, -1, 1], "direction": [1, 0, 0]}, "radius": radius,
            "policy": {"obstacles": [f"{name}.level", name]}})["obstacle"]
        assert (told["set"], told["id"], told["piece"], told["material"]) == (f"{name}.level", "wall", 1, 41)
        assert told["distance"] == 5 - radius
    gjkd.call("DELETE", f"/v1/sets/{name}.level")


@pytest.mark.parametrize("obstacles, code, pointer, more", [
    (["walls", "nowhere"], "set-not-found", "/policy/obstacles/1", {}),
    ([{"set": "walls"}, {"set": "nowhere"}], "set-not-found", "/policy/obstacles/1/set", {}),
    ([{"set": "walls", "at": "shot"}], "out-of-range", "/policy/obstacles/0/at", {"hint": "PATCH"}),
    (["walls"] * 17, "too-many", "/policy/obstacles", {"limit": 16})])
def test_lists_of_obstacles_that_are_refused(gjkd, duel, obstacles, code, pointer, more):
    body = ALICE | {"at": {"tick": 10}, "policy": {"obstacles": obstacles}}
    problem.check(gjkd.post("/v1/sets/duel/hit", body), code, pointer, limit=more.get("limit"))
    assert more.get("hint", "") in gjkd.post("/v1/sets/duel/hit", body).json().get("hint", "")
    batch = gjkd.ask("/v1/sets/duel/batch", {"queries": [{"op": "detect"}, {"op": "hit"} | body]})
    error = batch["results"][1]["error"]
    assert (error["code"], error["errors"][0]["pointer"]) == (code, f"/queries/1{pointer}")


def test_obstacles_that_are_refused(gjkd, duel):
    def refused(code, pointer, **obstacles):
        body = ALICE | {"at": {"tick": 10}, "policy": {"obstacles": obstacles}}
        problem.check(gjkd.post("/v1/sets/duel/hit", body), code, pointer=f"/policy/obstacles{pointer}")

    refused("out-of-range", "/at", set="walls", at="shot")  # it keeps no ticks
    refused("set-not-found", "/set", set="nowhere")


def test_a_shooter_that_no_shape_belongs_to(gjkd, duel):
    def judge(path="/v1/sets/duel/hit", **asked):
        return gjkd.post(path, ALICE | asked)

    for at in (None, {"tick": 30}):
        problem.check(judge(at=at, shooter="alcie"), "shape-not-found", "/shooter")
    # An id is no group, and what another set has is not there.
    problem.check(judge(shooter="bob/body"), "shape-not-found", "/shooter")
    gjkd.store("duel.stand", {"dimension": 2, "shapes": {"x": DISC | {"group": "eve"}}})
    problem.check(judge(shooter="eve", policy={"obstacles": "duel.stand"}), "shape-not-found",
                  "/shooter")
    gjkd.call("DELETE", "/v1/sets/duel.stand")
    batch = {"queries": [{"op": "hit"} | ALICE | {"shooter": who} for who in
                         ("alice", "bob", "carol", "alcie", None)]}
    results = gjkd.ask("/v1/sets/duel/batch", batch)["results"]
    assert ["verdict" in r for r in results] == [True, True, True, False, True]
    error = results[3]["error"]
    assert (error["code"], error["errors"][0]["pointer"]) == ("shape-not-found",
                                                              "/queries/3/shooter")
    # Nobody can tell of a tick that is not kept.
    assert duel(at={"tick": 3}, shooter="alcie")["reason"] == "tick-expired"


def test_a_shooter_that_left_or_came_since(gjkd, name):
    disc = DISC | {"position": [5, 0]}
    gjkd.store(name, {"dimension": 2, "history": {"ticks": 4}, "shapes": {
        "foe": disc, "gun": DISC | {"group": "g"}}})
    path = f"/v1/sets/{name}"
    for tick, shapes in ((1, {}), (2, {"gun": None}), (3, {"late": DISC | {"group": "l"}})):
        assert gjkd.put(f"{path}/ticks/{tick}", {"shapes": shapes}).status_code == 201

    def judge(shooter, at):
        return gjkd.post(f"{path}/hit", {"shooter": shooter, "at": at, "ray": ALICE["ray"]})

    assert judge("g", {"tick": 1}).json()["hit"]["id"] == "foe"
    for at in ({"tick": 2}, {"tick": 3}, None):
        problem.check(judge("g", at), "shape-not-found", "/shooter")
    for at in ({"tick": 1.5}, {"tick": 3}, None):
        assert judge("l", at).status_code == 200
