"""The largest set that the limits allow, made of several PATCHes as the contract advises.

It takes a minute and a gigabyte and a half: with tests/run.sh --full (GJKD_FULL)."""

import os
import random

import pytest

import problem
from test_churn import plain_memory, resident, settled

PATCH_SHAPES = 100000  # of one PATCH
MERGE_PATCH = {"Content-Type": "application/merge-patch+json"}
SIDE = 400  # half of the side of the cube that the shapes stand in
MEMORY_SLACK = 1.6  # of the process against what the summary counts
KEPT_BYTES = 128 << 20  # that a daemon may keep of what it freed

pytestmark = pytest.mark.skipif(not os.environ.get("GJKD_FULL"),
                                reason="takes long; GJKD_FULL asks for it")


def patch(daemon, text):
    return daemon.call("PATCH", "/v1/sets/large", data=text, headers=MERGE_PATCH)


def make_boxes(rng, begin, end):
    def box(i):
        x, y, z = (round(rng.uniform(-SIDE, SIDE), 4) for _ in range(3))
        return (f'"s{i}":{{"type":"box","half_extents":[0.5,0.25,1],'
                f'"position":[{x},{y},{z}]}}')
    return '{"shapes":{' + ",".join(box(i) for i in range(begin, end)) + "}}"


@pytest.fixture
def large(start):
    """(daemon, limit): a daemon whose set `large` is full."""
    daemon = start()
    limit = daemon.get("/v1").json()["limits"]["shapes_per_set_max"]
    rng = random.Random(1)
    assert daemon.put("/v1/sets/large", {"dimension": 3}).status_code == 201
    for begin in range(0, limit, PATCH_SHAPES):
        reply = patch(daemon, make_boxes(rng, begin, min(begin + PATCH_SHAPES, limit)))
        assert reply.status_code == 200, reply.text
    assert reply.json()["shapes"] == limit
    return daemon, limit


@plain_memory
def test_a_full_set(large):
    daemon, limit = large
    more = '{"shapes": {"one-more": {"type": "sphere", "radius": 1, "position": [0, 0, 500]}}}'
    problem.check(patch(daemon, more), "too-many", pointer="/shapes", limit=limit)
    # One for one is no more; it is found at once, alone at its place.
    assert patch(daemon, more.replace('{"one-more"', '{"s7": null, "one-more"')).status_code == 200
    ray = {"origin": [0, 0, 600], "direction": [0, 0, -1]}
    hit, = daemon.ask("/v1/sets/large/raycast", ray)["hits"]
    assert (hit["id"], hit["distance"]) == ("one-more", 99)
    nearest, = daemon.ask("/v1/sets/large/distance",
                          {"a": {"type": "point", "position": [0, 0, 503]}})["nearest"]
    assert (nearest["id"], nearest["distance"]) == ("one-more", 2)
    # All pairs: what each says of itself, the pair says too.
    pairs = daemon.ask("/v1/sets/large/detect", {"penetration": False})["pairs"]
    assert pairs == sorted(pairs, key=lambda p: (p["a"].encode(), p["b"].encode()))
    for pair in pairs[:: len(pairs) // 20]:
        hits = daemon.ask("/v1/sets/large/detect", {"a": pair["a"], "penetration": False})["hits"]
        assert pair["b"] in [h["id"] for h in hits]
    # What it takes is what it says, and it comes back.
    counted = daemon.get("/v1/sets/large?fields=summary").json()["bytes"]
    assert counted / MEMORY_SLACK < resident(daemon) < counted * MEMORY_SLACK
    assert daemon.call("DELETE", "/v1/sets/large").status_code == 204
    assert settled(daemon) < KEPT_BYTES
