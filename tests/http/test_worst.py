"""Where everything collides with everything: limits and deadlines bound the work."""

import math

import problem

COUNT = 30000


def crowd(group):
    ball = {"type": "circle", "radius": 1} | ({"group": group} if group else {})
    return {"dimension": 2, "shapes": {f"{i:05}": ball for i in range(COUNT)}}


def within(timeout_ms):
    return {"headers": {"Gjkd-Timeout-Ms": str(timeout_ms)}}


def test_the_first_pairs_of_many(start):
    daemon = start("--workers", "1")
    daemon.store("crowd", crowd(None))
    reply = daemon.ask("/v1/sets/crowd/detect", {"limit": 3}, **within(20000))
    assert [(p["a"], p["b"]) for p in reply["pairs"]] == [("00000", f"{i:05}") for i in (1, 2, 3)]
    assert reply["truncated"] is True


def test_work_ends_at_its_deadline(start):
    """Pairs of one group never count: nothing ends the search but the deadline. The one
    worker must be free for the next question, whose own deadline is not the whole search."""
    daemon = start("--workers", "1")
    daemon.store("crowd", crowd("one"))
    reply = daemon.post("/v1/sets/crowd/detect", {}, **within(300))
    problem.check(reply, "deadline-exceeded")
    nearest = {"a": {"type": "point"}, "limit": 2000}
    reply = daemon.ask("/v1/sets/crowd/distance", nearest, **within(6000))
    assert [n["id"] for n in reply["nearest"]] == [f"{i:05}" for i in range(2000)]


def test_long_lists_of_filters(start):
    """Of 50,000 ids none is a shape's: each shape is looked up in all of them."""
    daemon = start("--workers", "1")
    points = {f"s{i}": {"type": "point", "position": [i, i]} for i in range(20000)}
    daemon.store("points", {"dimension": 2, "shapes": points})
    for name in ("ignore", "ignore_groups", "only_groups"):
        question = {"a": {"type": "circle", "radius": 1e9}, "limit": 1,
                    "filter": {name: [f"zzzz{i}" for i in range(50000, 0, -1)]}}
        reply = daemon.ask("/v1/sets/points/detect", question, **within(2500))
        assert [hit["id"] for hit in reply["hits"]] == ([] if name == "only_groups" else ["s0"])


def test_reading_ends_at_its_deadline(start):
    """These points make every new corner of a hull see most of its faces. Reading them ends with the
    deadline too: the one worker is free for the write that follows."""
    daemon = start("--workers", "1")
    points = []
    for i in range(60000):
        radius, turn = 1.003 ** -i, 2.399 * i
        points.append([radius * math.cos(turn), radius * math.sin(turn), radius])
    hull = {"a": {"type": "hull", "points": points}, "b": {"type": "point"}}
    problem.check(daemon.post("/v1/detect", hull, **within(300)), "deadline-exceeded")
    assert daemon.call("PUT", "/v1/sets/next", json={"dimension": 2}, **within(4000)).ok


def tower(count):
    """Boxes on each other as one closed mesh: a ray upwards crosses every one, each with all below."""
    faces = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6],
             [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
    vertices = [[x, y, i + z] for i in range(count) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    triangles = [[8 * i + c for c in face] for i in range(count) for face in faces]
    return {"type": "mesh", "vertices": vertices, "triangles": triangles, "closed": True}


def test_the_way_out_ends_at_its_deadline(start):
    daemon = start("--workers", "1")
    daemon.store("tower", {"dimension": 3, "shapes": {"a": tower(10000)}})
    upwards = {"origin": [0.3, 0.4, -5], "direction": [0, 0, 1], "exits": True}
    problem.check(daemon.post("/v1/sets/tower/raycast", upwards, **within(300)), "deadline-exceeded")
    aside = upwards | {"origin": [-5, 0.4, 0.3], "direction": [1, 0, 0]}
    hit = daemon.ask("/v1/sets/tower/raycast", aside, **within(4000))["hits"][0]
    assert (hit["distance"], hit["exit"]) == (5, 6)
