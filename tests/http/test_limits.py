"""Limits that GET /v1 shows: at each one it works, one past it the answer names it."""

import json

import pytest

import problem
from wire import Wire

WINDOW = 100  # requests on their way at once


def put_sets(daemon, count):
    """PUTs that many empty sets over one pipelined connection; the statuses."""
    body = b'{"dimension": 2}'
    statuses = []
    with Wire(daemon) as wire:
        for begin in range(0, count, WINDOW):
            window = range(begin, min(begin + WINDOW, count))
            for i in window:
                wire.request("PUT", f"/v1/sets/s{i}", body)
            statuses += [wire.reply().status for _ in window]
    return statuses


def test_as_many_sets_as_allowed_and_one_more(start):
    daemon = start()
    limit = daemon.get("/v1").json()["limits"]["sets_max"]
    assert set(put_sets(daemon, limit)) == {201}
    problem.check(daemon.put("/v1/sets/one-more", {"dimension": 2}), "too-many", limit=limit)
    # Replacing one is no more, and after deleting one there is room again.
    assert daemon.put("/v1/sets/s1", {"dimension": 2}).status_code == 200
    assert daemon.call("DELETE", "/v1/sets/s1").status_code == 204
    assert daemon.put("/v1/sets/one-more", {"dimension": 2}).status_code == 201
    listed, cursor = 0, None
    while listed == 0 or cursor:
        page = daemon.get("/v1/sets", params={"limit": 999} | ({"cursor": cursor} if cursor else {}))
        listed += len(page.json()["sets"])
        cursor = page.json()["next"]
    assert listed == limit


@pytest.mark.plain
def test_a_set_of_many_shapes(gjkd, name):
    """A large body through the workers, and an answer as large."""
    count = 60000
    shapes = {f"s{i:05}": {"type": "circle", "radius": 1, "position": [3 * i, 0]}
              for i in range(count)}
    text = json.dumps({"dimension": 2, "shapes": shapes})
    reply = gjkd.call("PUT", f"/v1/sets/{name}", data=text,
                      headers={"Content-Type": "application/json"})
    assert reply.status_code == 201 and reply.json()["shapes"] == count
    assert len(gjkd.get(f"/v1/sets/{name}").json()["shapes"]) == count
    everything = {"a": {"type": "box", "half_extents": [1e6, 1]}, "penetration": False}
    assert len(gjkd.ask(f"/v1/sets/{name}/detect", everything)["hits"]) == count
    ray = {"origin": [-2, 0], "direction": [1, 0], "mode": "all"}
    hits = gjkd.ask(f"/v1/sets/{name}/raycast", ray)["hits"]
    assert [h["id"] for h in hits] == sorted(shapes)
