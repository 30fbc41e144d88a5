"""Overlap events: followed from the start they tell what `detect {}` lists, at every revision."""

import json
import os
import random
import threading
import urllib.parse

import pytest

import problem
from events import Events
from stream_wire import WebSocket
from test_events import CIRCLE, patch
from wire import eventually

pytestmark = pytest.mark.http

EDITS = 20_000 if os.environ.get("GJKD_FULL") else 600


def overlapping(daemon, name, filter_=None):
    body = {"penetration": False} | ({"filter": filter_} if filter_ else {})
    reply = daemon.ask(f"/v1/sets/{name}/detect", body)
    return {(p["a"], p["b"]) for p in reply["pairs"]}, reply["revision"]


class Overlaps:
    """The pairs that overlap, by the events that begin and end them."""

    def __init__(self, daemon, name, filter_=None, **options):
        self.daemon, self.name, self.filter = daemon, name, filter_
        query = "?kinds=overlap"
        if filter_:
            query += "&filter=" + urllib.parse.quote(json.dumps(filter_))
        self.stream = Events(daemon, name, query, **options)
        assert self.stream.status == 200
        self.pairs, self.revision, self.alls = None, 0, 0

    def read(self):
        event = self.stream.next()
        if event.kind == "reset":
            self.pairs = None
            return event
        assert event.kind == "overlap", event
        begin = [tuple(p) for p in event.data["begin"]]
        end = [tuple(p) for p in event.data["end"]]
        assert sorted(begin) == begin and sorted(end) == end and all(a < b for a, b in begin + end)
        if event.data.get("all"):
            assert self.pairs is None and end == []
            self.pairs = set()
            self.alls += 1
        assert event.data["revision"] > self.revision or event.data.get("all")
        assert not self.pairs & set(begin), "never a pair twice"
        assert set(end) <= self.pairs, "nothing ends that did not begin"
        assert begin or end or event.data.get("all")
        self.pairs = self.pairs - set(end) | set(begin)
        self.revision = event.data["revision"]
        return event


@pytest.fixture
def three(gjkd, name):
    """a and b overlap, c stands apart."""
    gjkd.store(name, {"dimension": 2, "shapes": {
        "a": CIRCLE, "b": CIRCLE | {"position": [1, 0]}, "c": CIRCLE | {"position": [9, 0]}}})
    return name


def test_pairs_begin_and_end(gjkd, three):
    follower = Overlaps(gjkd, three)
    first = follower.read().data
    assert first == {"kind": "overlap", "revision": 1, "tick": None, "all": True,
                     "begin": [["a", "b"]], "end": []}
    for shapes, begin, end in (
            ({"c": {"position": [2, 0]}}, [["a", "c"], ["b", "c"]], []),
            ({"a": {"position": [-9, 0]}}, [], [["a", "b"], ["a", "c"]]),
            ({"b": None}, [], [["b", "c"]]),
            ({"a": {"position": [2, 1]}, "b": CIRCLE | {"position": [1, 1]}},
             [["a", "b"], ["a", "c"], ["b", "c"]], [])):
        revision = patch(gjkd, three, shapes)
        data = follower.read().data
        assert (data["revision"], data["begin"], data["end"]) == (revision, begin, end)
        assert follower.pairs == overlapping(gjkd, three)[0]
    follower.stream.close()


def test_what_changes_nothing_is_not_told(gjkd, three):
    follower = Overlaps(gjkd, three)
    follower.read()
    patch(gjkd, three, {"a": {"position": [0.1, 0]}}, meta={"k": 1})
    patch(gjkd, three, {"a": None, "new": CIRCLE | {"position": [30, 0]}})
    assert follower.read().data["end"] == [["a", "b"]]
    gjkd.store(three, {"dimension": 2, "shapes": {"b": CIRCLE, "c": CIRCLE}})
    assert follower.read().data["begin"] == [["b", "c"]]
    gjkd.store(three, {"dimension": 2, "shapes": {"c": CIRCLE, "b": CIRCLE | {"radius": 2}}})
    gjkd.call("DELETE", f"/v1/sets/{three}")
    assert follower.stream.next().kind == "deleted" and follower.stream.next() is None
    follower.stream.close()


def test_both_kinds_on_one_stream(gjkd, three):
    with Events(gjkd, three, "?kinds=change,overlap&since=1") as stream:
        assert stream.next().data["all"]
        patch(gjkd, three, {"c": {"position": [1, 1]}})
        assert {stream.next().kind, stream.next().kind} == {"change", "overlap"}


def test_overlaps_are_told_behind_the_changes_that_led_to_them(gjkd, three):
    """Whoever goes on from the id of an event has then seen every change up to it."""
    with Events(gjkd, three, "?kinds=change,overlap") as stream:
        assert stream.next().data["all"]
        changed = overlapped = 1
        for i in range(40):
            revision = patch(gjkd, three, {"c": {"position": [9 - 8 * (i % 2), 0]}})
        while changed < revision or overlapped < 2:
            event = stream.next()
            if event.kind == "change":
                changed = event.data["revision"]
            else:
                overlapped = event.data["revision"]
                assert overlapped <= changed, event


def test_each_filter_has_its_own_pairs(gjkd, three):
    ignoring = Overlaps(gjkd, three, {"ignore": ["b"]})
    everything = Overlaps(gjkd, three)
    assert ignoring.read().data["begin"] == [] and len(everything.read().data["begin"]) == 1
    patch(gjkd, three, {"c": {"position": [1, 0]}})
    assert ignoring.read().data["begin"] == [["a", "c"]]
    assert everything.read().data["begin"] == [["a", "c"], ["b", "c"]]
    patch(gjkd, three, {"c": {"group": "g"}, "a": {"group": "g"}})
    assert ignoring.read().data["end"] == [["a", "c"]]
    ignoring.stream.close(), everything.stream.close()


@pytest.mark.parametrize("query, code", [
    ("kinds=overlap&filter={", "wrong-type"), ("kinds=overlap&filter=[]", "wrong-type"),
    ("kinds=overlap&filter={}{}", "wrong-type"), ("kinds=overlap&filter={\"mask\":-1}", "out-of-range"),
    ("kinds=overlap&filter={},\"a\":\"b\"", "wrong-type"), ("filter={}", "bad-request"),
    ("kinds=overlap&filter={\"masks\":1}", "unknown-member")])
def test_filters_are_checked(gjkd, three, query, code):
    reply = gjkd.get(f"/v1/sets/{three}/events?{query}")
    problem.check(reply, code)


def test_a_slow_reader_begins_anew(start):
    daemon = start("--io-threads", "1")
    near = {f"{'x' * 100}{i}": CIRCLE for i in range(90)}
    daemon.store("s", {"dimension": 2, "shapes": near})
    slow = Overlaps(daemon, "s", receive_bytes=4096)
    slow.read()
    apart = {id_: {"position": [i * 3, 0]} for i, id_ in enumerate(near)}
    for i in range(40):  # 4,005 pairs of 200 bytes each
        patch(daemon, "s", apart if i % 2 == 0 else {id_: {"position": [0, 0]} for id_ in near})
        assert eventually(lambda: overlapping(daemon, "s"))
    last = patch(daemon, "s", {min(near): {"position": [99, 99]}})
    wanted = overlapping(daemon, "s")[0]
    while slow.revision < last or slow.pairs is None:
        slow.read()
    assert slow.alls > 1 and slow.pairs == wanted
    slow.stream.close()


class Mover:
    """Edits at random of shapes that often meet."""

    def __init__(self, daemon, name, seed):
        self.daemon, self.path, self.random, self.tick = daemon, f"/v1/sets/{name}", random.Random(seed), 0

    def shape(self):
        spot = {"position": [self.random.uniform(0, 12), self.random.uniform(0, 12)]}
        kinds = [{"type": "circle", "radius": self.random.uniform(0.2, 1)},
                 {"type": "box", "half_extents": [1, self.random.random()], "angle": self.random.random()},
                 {"type": "chain", "vertices": [[0, 0], [1, 1], [2, 0]]}]
        extra = {"group": self.random.choice("gh")} if self.random.random() < 0.3 else {}
        if self.random.random() < 0.2:
            extra |= {"category": 2, "mask": self.random.choice([1, 2, 3])}
        return self.random.choice(kinds) | spot | extra

    def id(self):
        return f"s{self.random.randrange(30)}"

    def edit(self):
        choice = self.random.random()
        if choice < 0.01:
            shapes = {self.id(): self.shape() for _ in range(20)}
            self.daemon.put(self.path, {"dimension": 2, "history": {"ticks": 4}, "shapes": shapes})
            self.tick = 0
        elif choice < 0.3:
            self.tick += 1
            shapes = {self.id(): self.shape() for _ in range(self.random.choice([1, 3, 25]))}
            self.daemon.put(f"{self.path}/ticks/{self.tick}", {"shapes": shapes})
        elif choice < 0.4:
            self.daemon.call("DELETE", f"{self.path}/shapes/{self.id()}")
        else:
            shapes = {self.id(): self.random.choice([None, self.shape(), self.shape()])
                      for _ in range(self.random.randrange(1, 4))}
            self.daemon.call("PATCH", self.path, json={"shapes": shapes})


def test_followed_from_the_start_they_tell_what_detect_lists(start):
    daemon = start()
    mover = Mover(daemon, "s", 11)
    daemon.put("/v1/sets/s", {"dimension": 2, "history": {"ticks": 4}, "shapes": {}})
    some = {"category": 1, "only_groups": ["g", "h"], "ignore": ["s3"]}
    followers = [Overlaps(daemon, "s"), Overlaps(daemon, "s", some)]
    lists = {f: {} for f in followers}
    for i in range(EDITS):
        mover.edit()
        for follower in followers:
            pairs, revision = overlapping(daemon, "s", follower.filter)
            lists[follower][revision] = pairs
            while i % 7 == 0 and follower.pairs != pairs:
                event = follower.read()
                told = event.data["revision"]
                assert told not in lists[follower] or follower.pairs == lists[follower][told]
    for follower in followers:
        assert follower.alls == 1 and follower.revision > 1
        follower.stream.close()


def watched(stream, name, writes, kinds="overlap"):
    """Watches, pipelines the writes (method, path, body) on the same stream, and reads until all are
    answered and the last of them is told. Returns the events of overlaps and resets."""
    stream.call(0, "WATCH", f"/v1/sets/{name}/events?kinds={kinds}")
    assert stream.answer()["status"] == 200

    def send():
        for i, (method, path, body) in enumerate(writes, 1):
            stream.call(i, method, f"/v1/sets/{name}{path}", body)
        stream.call(len(writes) + 1, "PATCH", f"/v1/sets/{name}", {"shapes": {"last": CIRCLE}})

    sender = threading.Thread(target=send)
    sender.start()
    told, statuses = [], {}
    while len(statuses) <= len(writes) or not any(["a", "last"] in e.get("begin", []) for e in told):
        answer = stream.answer()
        if "event" in answer:
            told += [answer["event"]] if answer["event"]["kind"] != "change" else []
        else:
            statuses[answer["id"]] = answer["status"]
    sender.join()
    assert set(statuses.values()) <= {200, 201}, statuses
    assert told[0].get("all") or told[0]["kind"] == "reset"
    return told


VISITS = 1000


@pytest.mark.parametrize("kinds", ["overlap", "change,overlap"])
@pytest.mark.parametrize("ticks", [1, 8])
def test_each_visit_of_one_tick_is_told(gjkd, name, ticks, kinds):
    """The visitor is near a at odd ticks only. What is not told has to be covered by a reset."""
    gjkd.store(name, {"dimension": 2, "history": {"ticks": ticks}, "shapes": {
        "a": CIRCLE, "visitor": CIRCLE | {"position": [50, 0]}}})
    writes = [("PUT", f"/ticks/{tick}", {"shapes": {"visitor": {"position": [1 if tick % 2 else 50, 0]}}})
              for tick in range(1, 2 * VISITS + 1)]
    with WebSocket(gjkd) as stream:
        told = watched(stream, name, writes, kinds)
    at, here, visits = 0, False, 0  # all up to the tick `at` is told
    for event in told:
        tick = event["tick"] or 0
        if event["kind"] == "reset":
            at, here = None, None
        elif event.get("all"):
            at, here = tick, ["a", "visitor"] in event["begin"]
        elif ["a", "visitor"] in event["begin"] + event["end"]:
            begins = ["a", "visitor"] in event["begin"]
            assert (tick, begins) == (at + 1, not here), (event, at, here)
            at, here, visits = tick, begins, visits + begins
    assert at == 2 * VISITS
    resets = sum(e["kind"] == "reset" for e in told)
    assert resets > 0 or visits == VISITS, (visits, resets)


def test_a_visit_between_ticks_is_told(gjkd, three):
    writes = [("PATCH", "", {"shapes": {"c": {"position": [x, 0]}}}) for x in [2, 9] * 100]
    with WebSocket(gjkd) as stream:
        told = watched(stream, three, writes)
    assert all(e["kind"] == "overlap" for e in told)
    assert [bool(e["begin"]) for e in told if ["a", "c"] in e["begin"] + e["end"]] == [True, False] * 100


def test_what_was_not_kept_is_a_reset(start):
    """All pairs of 600 shapes in one place take far longer to compare than such a tick takes to make."""
    daemon = start()
    heap = {f"s{i:03}": CIRCLE | {"position": [50, 0]} for i in range(600)}
    daemon.store("s", {"dimension": 2, "history": {"ticks": 1}, "shapes": heap | {"a": CIRCLE}})
    moved = [{id: {"position": [50, 0.01 * k]} for id in heap} for k in range(2)]
    writes = [("PUT", f"/ticks/{tick}", {"shapes": moved[tick % 2]}) for tick in range(1, 301)]
    with WebSocket(daemon) as stream:
        told = watched(stream, "s", writes)
    assert "reset" in [e["kind"] for e in told]
    for before, after in zip(told, told[1:]):
        assert before["kind"] != "reset" or after["kind"] == "reset" or after.get("all")
