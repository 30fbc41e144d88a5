"""A log that is not the one that a node knows: its sets are answered until the other one has been read, and
then those of the other one, all at once."""

import json
import signal
import threading

from daemon import Daemon
from test_cluster import CIRCLE, NODES, ask_engine, engine, join, metric, revision_of, seen  # noqa: F401
from wire import eventually

NAMES = [f"s{i:02}" for i in range(30)]
LARGE = {"dimension": 2, "shapes": {f"s{i:04}": CIRCLE | {"meta": "m" * 400} for i in range(1000)}}


def delete_streams(engine):
    for name in ("gjkd_test", "gjkd_test_chunks"):
        assert ask_engine(engine, f"$JS.API.STREAM.DELETE.{name}")["success"]


class Reader(threading.Thread):
    """Asks a node without pause; `lists`: the dimensions of the sets in each list of them, `gets`: what
    asking for one was answered with."""

    def __init__(self, node):
        super().__init__()
        self.node, self.lists, self.gets, self.goes_on = node, [], [], True

    def run(self):
        with Daemon.new_session() as session:
            while self.goes_on:
                sets = self.node.call("GET", "/v1/sets?prefix=s", session).json()["sets"]
                self.lists.append([each["dimension"] for each in sets])
                self.gets.append(self.node.call("GET", f"/v1/sets/{NAMES[-1]}", session).status_code)

    def stop(self):
        self.goes_on = False
        self.join()


def make_another_world(engine, join, old, fill):
    """Another log, which the node finds with all that is written there."""
    old.process.send_signal(signal.SIGSTOP)
    try:
        delete_streams(engine)
        new = join(NODES[1])
        fill(new)
    finally:
        old.process.send_signal(signal.SIGCONT)
    return new


def test_reads_go_on_while_a_node_begins_anew(engine, join):
    old = join(NODES[0])
    for name in NAMES:
        old.store(name, {"dimension": 2, "shapes": {"a": CIRCLE}})

    def fill(new):
        for i in range(40):
            assert new.put("/v1/sets/large", LARGE | {"meta": i}).status_code in (200, 201)
        for name in NAMES:
            new.store(name, {"dimension": 3})

    reader = Reader(old)
    reader.start()
    assert eventually(lambda: len(reader.gets) > 3)
    new = make_another_world(engine, join, old, fill)
    assert eventually(lambda: 3 in reader.lists[-1], within=60)
    reader.stop()
    assert set(reader.gets) == {200}
    changes = [d for d, before in zip(reader.lists, [None] + reader.lists) if d != before]
    assert changes == [[2] * 30, [3] * 30], "no list has sets of both worlds, or lacks some"
    assert metric(old, "gjkd_cluster_resets_total") == 1
    after = old.call("PATCH", "/v1/sets/s00", json={"meta": "after"})
    assert after.status_code == 200
    assert seen(new, "/v1/sets/s00", revision_of(after)).content == old.get("/v1/sets/s00").content


def test_who_waits_for_a_revision_waits_for_the_new_log(engine, join):
    """Sets of the old one may have higher ones."""
    old = join(NODES[0])
    for i in range(50):
        reply = old.put("/v1/sets/s", {"dimension": 2, "meta": i})
    revision = []

    def fill(new):
        for i in range(revision_of(reply) // 2):
            revision[:] = [revision_of(new.put("/v1/sets/s", {"dimension": 2, "meta": "new"}))]

    make_another_world(engine, join, old, fill)
    assert revision[0] < revision_of(reply)
    assert eventually(lambda: old.get("/v1/sets/s").json()["meta"] == "new", within=60)
    assert seen(old, "/v1/sets/s", revision[0]).json()["revision"] == revision[0]


def test_two_worlds_that_memory_has_no_room_for(engine, join):
    """The old one goes then, and the node answers from what it has of the new one."""
    old = join(NODES[0], "--max-memory", "24M")
    for i in range(12):
        assert old.put(f"/v1/sets/large{i}", LARGE | {"meta": "old"}).status_code == 201
    used = metric(old, "gjkd_memory_bytes")

    def fill(new):
        for i in range(12):
            assert new.put(f"/v1/sets/large{i}", LARGE | {"meta": "new"}).status_code == 201

    new = make_another_world(engine, join, old, fill)
    assert used > 12 << 20, used
    assert eventually(lambda: {each.get("meta") for each in (
        old.get(f"/v1/sets/large{i}").json() for i in range(12))} == {"new"}, within=60)
    assert b"no room for the sets of both worlds" in old.stderr()
    assert metric(old, "gjkd_memory_bytes") < 1.1 * used
    after = new.call("PATCH", "/v1/sets/large0", json={"meta": "after"})
    assert seen(old, "/v1/sets/large0", revision_of(after)).json()["meta"] == "after"
    assert json.loads(old.get("/readyz").text) == {"status": "ok"}
