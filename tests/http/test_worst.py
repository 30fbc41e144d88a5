"""Where everything collides with everything: limits and deadlines bound the work."""

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
