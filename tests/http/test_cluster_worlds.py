"""A log that does not go on from what a node shows: its sets are answered until the log has been read anew,
and then those of the log, all at once."""

import itertools
import shutil
import signal
import threading

import nats_filter
from daemon import Daemon
from test_cluster import CIRCLE, NODES, engine, join, metric, put_back, revision_of, seen  # noqa: F401
from wire import eventually

SMALL = {"dimension": 2, "shapes": {"a": CIRCLE}}
NAMES = [f"s{i:02}" for i in range(30)]
LARGE = {"dimension": 2, "shapes": {f"s{i:04}": CIRCLE | {"meta": "m" * 400} for i in range(1000)}}


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


def lose_the_end(engine, join, old, tmp_path, before, lost, kept):
    """Writes before(node), then lost(node), which the engine loses; then kept(another node) without the first."""
    before(old)
    engine.kill()
    shutil.copytree(engine.folder, tmp_path / "copy")
    engine.start()
    assert eventually(lambda: old.get("/v1").json()["cluster"]["state"] == "ready", within=30)
    lost(old)
    old.process.send_signal(signal.SIGSTOP)
    try:
        put_back(engine, tmp_path / "copy")
        new = join(NODES[1])
        kept(new)
    finally:
        old.process.send_signal(signal.SIGCONT)
    return new


def test_reads_go_on_while_a_node_begins_anew(engine, join, tmp_path):
    old = join(NODES[0], "--request-timeout", "120s")  # it sleeps for long where the machine is slow

    def lost(node):
        for name in NAMES:
            node.store(name, {"dimension": 2, "shapes": {"a": CIRCLE}})

    def kept(node):
        for i in range(40):
            assert node.put("/v1/sets/large", LARGE | {"meta": i}).status_code in (200, 201)
        for name in NAMES:
            node.store(name, {"dimension": 3})

    def begin(node):
        lost(node)
        reader.start()

    reader = Reader(old)
    new = lose_the_end(engine, join, old, tmp_path, lambda node: node.store("first", {"dimension": 2}),
                       begin, kept)
    assert eventually(lambda: reader.lists and 3 in reader.lists[-1], within=60)
    reader.stop()
    assert set(reader.gets) == {200}
    changes = [d for d, before in zip(reader.lists, [None] + reader.lists) if d != before]
    assert changes == [[2] * 30, [3] * 30], "no list has sets of both logs, or lacks some"
    assert metric(old, "gjkd_cluster_resets_total") == 1
    after = old.call("PATCH", "/v1/sets/s00", json={"meta": "after"})
    assert after.status_code == 200
    assert seen(new, "/v1/sets/s00", revision_of(after)).content == old.get("/v1/sets/s00").content


def test_who_waits_for_a_revision_waits_for_the_new_log(engine, join, tmp_path):
    """Sets of the old one may have higher ones."""
    old = join(NODES[0])
    revision = []

    def lost(node):
        for i in range(100):
            reply = node.put("/v1/sets/s", {"dimension": 2, "meta": i})
        revision[:] = [revision_of(reply)]

    def kept(node):
        for i in range(10):
            revision.append(revision_of(node.put("/v1/sets/s", {"dimension": 2, "meta": "new"})))

    lose_the_end(engine, join, old, tmp_path, lambda node: node.store("first", {"dimension": 2}), lost, kept)
    assert revision[-1] < revision[0]
    assert eventually(lambda: old.get("/v1/sets/s").json()["meta"] == "new", within=60)
    assert seen(old, "/v1/sets/s", revision[-1]).json()["revision"] == revision[-1]


def test_a_write_that_was_rolled_up_before_its_node_saw_it_is_not_refused(engine, join):  # noqa: F811
    """The log takes it, and the node hears of that only by what stands for all that came before."""
    filtered = nats_filter.Filter(engine.port, "gjkd.test.log.")
    other, node = join(NODES[0]), join(NODES[1], "--nats", filtered.url)
    try:
        made = node.put("/v1/sets/s", SMALL)
        seen(other, "/v1/sets/s", revision_of(made))
        answers = []
        asks = threading.Thread(target=lambda: answers.append(node.call(
            "PATCH", "/v1/sets/s", json={"meta": "mine"}, headers={"If-Match": made.headers["ETag"]})))
        filtered.hold(1, asks.start)
        assert eventually(lambda: other.get("/v1/sets/s").json().get("meta") == "mine")
        for i in itertools.count():
            assert other.call("PATCH", "/v1/sets/s", json={"meta": f"{i} " + "m" * 3000}).status_code == 200
            if metric(other, "gjkd_cluster_rollups_total") > 0:
                break
        with filtered.changed:
            filtered.held.clear()
        filtered.release()
        asks.join()
        assert answers[0].status_code in (200, 504), answers[0].text
    finally:
        filtered.close()
