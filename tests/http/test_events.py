"""Event streams: a copy of a set that is kept by its changes, from where they are told, and what
becomes of readers that are slow, gone or no longer allowed."""

import json
import os
import random
import statistics
import threading
import time

import pytest

import problem
from events import Events, Follower, StreamEvents
from stream_wire import WebSocket
from test_operations import samples, total
from wire import eventually

pytestmark = pytest.mark.http

EDITS = 100_000 if os.environ.get("GJKD_FULL") else 1500
KEPT = 1024  # changes of a set
CIRCLE = {"type": "circle", "radius": 1}


def patch(daemon, name, shapes, **members):
    reply = daemon.call("PATCH", f"/v1/sets/{name}", json={"shapes": shapes, **members})
    assert reply.status_code == 200, reply.text
    return reply.json()["revision"]


def test_a_change_is_told_as_get_shows_it(gjkd, name):
    gjkd.store(name, {"dimension": 2, "shapes": {"a": CIRCLE, "b": CIRCLE}})
    with Events(gjkd, name) as stream:
        assert stream.status == 200
        assert stream.headers["content-type"] == "text/event-stream"
        assert stream.headers["cache-control"] == "no-store"
        revision = patch(gjkd, name, {"a": {"position": [1, 2], "meta": {"k": "v\n"}}, "b": None})
        event = stream.next()
        reply = gjkd.get(f"/v1/sets/{name}")
        assert f'"{event.id}"' == reply.headers["ETag"]
        assert event.data == {"kind": "change", "revision": revision, "tick": None, "ticks": None,
                              "shapes": {"a": reply.json()["shapes"]["a"], "b": None}}


def test_the_first_line_says_where_the_stream_stands(gjkd, name):
    gjkd.store(name, {"dimension": 2, "shapes": {}})
    tag = gjkd.get(f"/v1/sets/{name}").headers["ETag"].strip('"')
    with Events(gjkd, name) as stream:
        patch(gjkd, name, {"a": CIRCLE})
        assert stream._block() == f"id: {tag}"


def test_meta_and_history_are_told_where_they_change(gjkd, name):
    gjkd.store(name, {"dimension": 2, "shapes": {}})
    with Events(gjkd, name) as stream:
        patch(gjkd, name, {}, meta={"a": 1}, history={"ticks": 2})
        data = stream.next().data
        assert data["meta"] == {"a": 1} and data["history"] == {"ticks": 2} and data["shapes"] == {}
        patch(gjkd, name, {}, meta={"a": 1})
        assert not {"meta", "history"} & set(stream.next().data)
        patch(gjkd, name, {}, meta=None, history=None)
        data = stream.next().data
        assert data["meta"] is None and data["history"] is None


def test_a_set_put_again_tells_what_differs(gjkd, name):
    shapes = {"a": CIRCLE, "b": {"type": "box", "half_extents": [1, 2], "position": [1, 0]}}
    gjkd.store(name, {"dimension": 2, "shapes": shapes | {"c": CIRCLE}})
    with Events(gjkd, name) as stream:
        gjkd.store(name, {"dimension": 2, "shapes": shapes | {"d": CIRCLE}})
        assert list(stream.next().data["shapes"]) == ["c", "d"]
        gjkd.store(name, {"dimension": 2, "shapes": shapes | {"d": CIRCLE | {"angle": -0.0}}})
        assert list(stream.next().data["shapes"]) == ["d"]


def test_deleted_ends_the_stream(gjkd, name):
    gjkd.store(name, {"dimension": 2, "shapes": {}})
    with Events(gjkd, name) as stream:
        gjkd.call("DELETE", f"/v1/sets/{name}")
        gjkd.store(name, {"dimension": 2, "shapes": {}})
        assert [e.kind for e in stream] == ["deleted"]


def test_a_set_that_is_deleted_is_not_reset(gjkd, name):
    """Whoever catches up while the set goes is told what has changed, or that it is gone, and nothing in between."""
    for i in range(40):
        gjkd.store(name, {"dimension": 2, "shapes": {}})
        for j in range(3):
            patch(gjkd, name, {f"s{j}": CIRCLE})
        readers = []
        opening = threading.Thread(target=lambda: readers.extend(
            Events(gjkd, name, "?since=1&kinds=change,overlap") for _ in range(12)))
        opening.start()
        while opening.is_alive() and len(readers) < i % 12:
            pass
        gjkd.call("DELETE", f"/v1/sets/{name}")
        opening.join()
        for reader in readers:
            if reader.status == 200:
                kinds = [event.kind for event in reader if event.kind != "overlap"]
                assert kinds in (["deleted"], ["change", "deleted"]), kinds
            else:
                assert reader.status == 404
            reader.close()


# --- since ---

@pytest.fixture
def edited(gjkd, name):
    """A set with a revision more than are kept."""
    gjkd.store(name, {"dimension": 2, "shapes": {}})
    for i in range(KEPT + 1):
        patch(gjkd, name, {f"s{i % 7}": CIRCLE | {"position": [i, 0]}})
    return name


def test_since_reaches_as_far_as_is_kept(gjkd, edited):
    newest = KEPT + 2
    for since, kind in ((newest - KEPT - 1, "reset"), (newest - KEPT, "change"),
                        (newest - KEPT + 1, "change"), (0, "reset"), (newest + 1, "reset")):
        with Events(gjkd, edited, f"?since={since}") as stream:
            event = stream.next()
            assert (event.kind, event.data["revision"]) == (kind, newest), since
    with Events(gjkd, edited, f"?since={newest}") as stream:
        patch(gjkd, edited, {"s0": None})
        assert stream.next().data["shapes"] == {"s0": None}


def test_since_joins_changes(gjkd, name):
    gjkd.store(name, {"dimension": 2, "shapes": {"a": CIRCLE, "b": CIRCLE, "c": CIRCLE}})
    since = gjkd.get(f"/v1/sets/{name}").headers["ETag"].strip('"')
    patch(gjkd, name, {"a": None, "b": None, "new": CIRCLE})
    patch(gjkd, name, {"a": CIRCLE, "new": None}, meta={"m": 1})
    last = patch(gjkd, name, {"c": {"position": [1, 1]}})
    document = gjkd.get(f"/v1/sets/{name}").json()
    with Events(gjkd, name, f"?since={since}") as stream:
        data = stream.next().data
        assert data["revision"] == last and data["meta"] == {"m": 1}
        assert data["shapes"] == {"a": document["shapes"]["a"], "b": None,
                                  "c": document["shapes"]["c"], "new": None}


def test_another_incarnation_is_reset(gjkd, name):
    gjkd.store(name, {"dimension": 2, "shapes": {}})
    old = gjkd.get(f"/v1/sets/{name}").headers["ETag"].strip('"')
    gjkd.call("DELETE", f"/v1/sets/{name}")
    gjkd.store(name, {"dimension": 2, "shapes": {}})
    with Events(gjkd, name, f"?since={old}") as stream:
        assert stream.next().kind == "reset"
        patch(gjkd, name, {"a": CIRCLE})
        assert stream.next().kind == "change", "events go on after a reset"


def test_the_last_event_that_was_seen_comes_before_since(gjkd, name):
    gjkd.store(name, {"dimension": 2, "shapes": {}})
    for i in range(2):
        patch(gjkd, name, {f"s{i}": CIRCLE})
    tag = gjkd.get(f"/v1/sets/{name}").headers["ETag"].strip('"')
    patch(gjkd, name, {"s2": CIRCLE})
    with Events(gjkd, name, "?since=1", [f"Last-Event-ID: {tag}"]) as stream:
        assert list(stream.next().data["shapes"]) == ["s2"]
    with Events(gjkd, name, "?since=1", ["Last-Event-ID: "]) as stream:
        assert len(stream.next().data["shapes"]) == 3


# --- What is asked for ---

# --- Waiting for a set ---


@pytest.mark.parametrize("kind", [Events, StreamEvents])
def test_a_set_that_is_not_there_is_waited_for(gjkd, name, kind):
    stream = kind(gjkd, name, "?wait=true")
    assert stream.status == 200
    for life in range(3):
        shapes = {f"s{i}": CIRCLE | {"position": [i, life]} for i in range(KEPT + life)}
        gjkd.store(name, {"dimension": 2, "history": {"ticks": 2}, "meta": {"life": life}, "shapes": shapes})
        document, event = gjkd.get(f"/v1/sets/{name}"), stream.next()
        assert (event.kind, f'"{event.id}"') == ("change", document.headers["ETag"])
        document = document.json()
        assert event.data == {"kind": "change"} | {
            k: document[k] for k in ("revision", "tick", "ticks", "history", "meta", "shapes")}
        patch(gjkd, name, {"s0": None})
        assert stream.next().data["shapes"] == {"s0": None}
        gjkd.call("DELETE", f"/v1/sets/{name}")
        assert stream.next().kind == "deleted", "and goes back to waiting"
    stream.close()


@pytest.mark.parametrize("kind", [Events, StreamEvents])
def test_overlaps_of_a_set_that_is_waited_for(gjkd, name, kind):
    stream = kind(gjkd, name, "?wait=true&kinds=change,overlap&filter=%7B%22ignore%22:%5B%22c%22%5D%7D")
    assert stream.status == 200
    for _ in range(2):
        gjkd.store(name, {"dimension": 2, "shapes": {"a": CIRCLE, "b": CIRCLE, "c": CIRCLE}})
        change, overlap = stream.next(), stream.next()
        assert set(change.data["shapes"]) == {"a", "b", "c"}
        assert overlap.data["all"] and overlap.data["begin"] == [["a", "b"]]
        patch(gjkd, name, {"a": {"position": [9, 9]}})
        assert {stream.next().kind, (last := stream.next()).kind} == {"change", "overlap"}, last
        gjkd.call("DELETE", f"/v1/sets/{name}")
        assert stream.next().kind == "deleted"
    stream.close()


@pytest.mark.parametrize("kind", [Events, StreamEvents])
def test_a_set_that_is_made_is_told_of_at_once(gjkd, name, kind):
    """Whenever it is made, and made again before its end was read."""
    waits = []
    stream = kind(gjkd, name, "?wait=true")
    for i in range(9):
        time.sleep(i % 3 * 0.15)
        began = time.monotonic()
        gjkd.store(name, {"dimension": 2, "shapes": {}})
        assert stream.next().kind == "change"
        waits.append(time.monotonic() - began)
        gjkd.call("DELETE", f"/v1/sets/{name}")
        if i % 2:
            gjkd.store(name, {"dimension": 2, "shapes": {}})
        assert stream.next().kind == "deleted"
        if i % 2:
            assert stream.next().kind == "change"
            gjkd.call("DELETE", f"/v1/sets/{name}")
            assert stream.next().kind == "deleted"
    stream.close()
    assert statistics.median(waits) < 0.1, waits


def test_a_set_of_meta_alone_is_waited_for(gjkd, name):
    with Events(gjkd, name, "?wait=true") as stream:
        gjkd.store(name, {"dimension": 3, "shapes": {}})
        data = stream.next().data
        assert (data["shapes"], data["meta"], data["history"]) == ({}, None, None)


def test_who_has_a_set_that_is_gone_is_reset(gjkd, name):
    """Its shapes are not those of the set that is made."""
    gjkd.store(name, {"dimension": 2, "shapes": {"old": CIRCLE}})
    tag = gjkd.get(f"/v1/sets/{name}").headers["ETag"].strip('"')
    gjkd.call("DELETE", f"/v1/sets/{name}")
    streams = {since: Events(gjkd, name, f"?wait=true&since={since}") for since in (tag, "1", "0")}
    gjkd.store(name, {"dimension": 2, "shapes": {"a": CIRCLE}})
    assert [stream.next().kind for stream in streams.values()] == ["reset", "reset", "change"]
    patch(gjkd, name, {"b": CIRCLE})
    assert all(set(stream.next().data["shapes"]) == {"b"} for stream in streams.values())
    for stream in streams.values():
        stream.close()


def test_a_set_that_is_there_need_not_be_waited_for(gjkd, name):
    gjkd.store(name, {"dimension": 2, "shapes": {}})
    patch(gjkd, name, {"a": CIRCLE})
    with Events(gjkd, name, "?wait=true&since=1") as stream:
        assert set(stream.next().data["shapes"]) == {"a"}
    with Events(gjkd, name, "?wait=false") as stream:
        gjkd.call("DELETE", f"/v1/sets/{name}")
        assert stream.next().kind == "deleted" and stream.next() is None


def test_what_cannot_be_waited_for(gjkd, name):
    for query, code in (("", "set-not-found"), ("?wait=false", "set-not-found"), ("?wait=", "bad-request"),
                        ("?wait=1", "bad-request"), ("?wait=true&kinds=x", "bad-request"),
                        ("?wait=true&kinds=overlap&filter=%5B%5D", "wrong-type")):
        problem.check(gjkd.get(f"/v1/sets/{name}/events{query}"), code)
    problem.check(gjkd.get("/v1/sets/.x/events?wait=true"), "set-not-found")
    problem.check(gjkd.get(f"/v1/sets/{name}?wait=true"), "bad-request")


def test_many_lives_end_like_the_document(gjkd, name):
    """A copy that waits through sets that come and go holds the last one."""
    with Events(gjkd, name, "?wait=true") as stream:
        rng = random.Random(17)
        for life in range(6):
            gjkd.store(name, {"dimension": 2, "shapes": {f"l{life}": CIRCLE}})
            for i in range(rng.randrange(30)):
                patch(gjkd, name, {f"s{rng.randrange(9)}": rng.choice([None, CIRCLE])})
            if life < 5:
                time.sleep(rng.choice([0, 0, 0.7]))
                gjkd.call("DELETE", f"/v1/sets/{name}")
        wanted = gjkd.get(f"/v1/sets/{name}")
        tag, shapes, fresh = wanted.headers["ETag"].strip('"'), {}, True
        for event in stream:
            if event.kind == "deleted":
                shapes, fresh = {}, True
                continue
            assert event.kind == "change"
            assert not fresh or all(event.data["shapes"].values()), "everything comes first"
            fresh = False
            shapes |= event.data["shapes"]
            if event.id == tag:
                break
        assert {k: v for k, v in shapes.items() if v} == wanted.json()["shapes"]


@pytest.mark.parametrize("query", ["?kinds=", "?kinds=change", "?kinds=change&since=1", ""])
def test_what_is_taken(gjkd, name, query):
    gjkd.store(name, {"dimension": 2, "shapes": {}})
    with Events(gjkd, name, query) as stream:
        assert stream.status == 200


@pytest.mark.parametrize("query", [
    "?kinds=changes", "?kinds=change,", "?since=x", "?since=-1", "?since=1-2", "?since=" + "1" * 20,
    "?since=0123456789abcdef-", "?since=0123456789ABCDEF-1", "?until=3", "?since=1&since=2"])
def test_what_is_refused(gjkd, name, query):
    gjkd.store(name, {"dimension": 2, "shapes": {}})
    problem.check(gjkd.get(f"/v1/sets/{name}/events{query}"), "bad-request")


def test_other_refusals(gjkd, name):
    gjkd.store(name, {"dimension": 2, "shapes": {}})
    path = f"/v1/sets/{name}/events"
    problem.check(gjkd.get("/v1/sets/nowhere/events"), "set-not-found")
    problem.check(gjkd.post(path, {}), "method-not-allowed")
    problem.check(gjkd.get(path, headers={"Accept": "application/json"}), "not-acceptable")
    problem.check(gjkd.get(path, headers={"Last-Event-ID": "?"}), "bad-request")
    head = gjkd.call("HEAD", path)
    assert head.status_code == 200 and head.headers["Content-Type"] == "text/event-stream"


def test_head_is_answered_by_a_head_alone(gjkd, name):
    """Not even by the end of the chunks that GET is answered by."""
    import socket
    gjkd.store(name, {"dimension": 2, "shapes": {}})
    with socket.create_connection((gjkd.host, gjkd.port), 10) as sock:
        sock.sendall(f"HEAD /v1/sets/{name}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        text = b""
        while piece := sock.recv(4096):
            text += piece
    assert text.startswith(b"HTTP/1.1 200") and text.index(b"\r\n\r\n") == len(text) - 4


def test_an_old_client_is_served_too(gjkd, name):
    """HTTP/1.0 has no chunks: there the stream ends with the connection."""
    import socket
    gjkd.store(name, {"dimension": 2, "shapes": {}})
    with socket.create_connection((gjkd.host, gjkd.port), 10) as sock:
        sock.sendall(f"GET /v1/sets/{name}/events HTTP/1.0\r\n\r\n".encode())
        text = b""
        while b"id: " not in text:
            text += sock.recv(4096)
        patch(gjkd, name, {"a": CIRCLE})
        while b'"shapes":{"a"' not in text:
            text += sock.recv(4096)
        gjkd.call("DELETE", f"/v1/sets/{name}")
        while piece := sock.recv(4096):
            text += piece
        assert b"event: deleted" in text and b"Transfer-Encoding" not in text


# --- Readers that come and go ---

def watches(daemon):
    return total(samples(daemon)[0], "gjkd_watches")


def test_readers_and_events_are_counted(start):
    daemon = start()
    daemon.store("s", {"dimension": 2, "shapes": {}})
    streams = [Events(daemon, "s") for _ in range(20)]
    assert watches(daemon) == 20
    patch(daemon, "s", {"a": CIRCLE})
    for stream in streams:
        assert stream.next().kind == "change"
    assert total(samples(daemon)[0], "gjkd_events_total", kind="change") == 20
    for stream in streams:
        stream.close()
    assert eventually(lambda: watches(daemon) == 0)
    assert total(samples(daemon)[0], "gjkd_http_connections") <= 2


def test_memory_is_given_back(start):
    daemon = start("--io-threads", "1")
    used = lambda: total(samples(daemon)[0], "gjkd_memory_bytes")
    daemon.store("s", {"dimension": 2, "shapes": {}})
    patch(daemon, "s", {"a": CIRCLE})
    streams = [Events(daemon, "s", "?since=1") for _ in range(50)]
    for stream in streams:
        assert stream.next().kind == "change"
        stream.close()
    daemon.call("DELETE", "/v1/sets/s")
    assert eventually(lambda: watches(daemon) == 0)
    before = used()
    daemon.store("s", {"dimension": 2, "shapes": {}})
    for i in range(300):
        patch(daemon, "s", {f"s{i}": CIRCLE})
    daemon.call("DELETE", "/v1/sets/s")
    assert eventually(lambda: used() <= before + 65536), (before, used())


def test_a_slow_reader_is_reset_and_costs_no_memory(start):
    daemon = start("--io-threads", "1")
    meta = {"text": "x" * 3900}
    ids = [f"s{i}" for i in range(60)]
    daemon.store("s", {"dimension": 2, "shapes": {id_: CIRCLE | {"meta": meta} for id_ in ids}})
    with Events(daemon, "s", receive_bytes=4096) as slow, Events(daemon, "s") as quick:
        before = total(samples(daemon)[0], "gjkd_memory_bytes")
        for i in range(100):  # of a quarter of a MiB each
            last = patch(daemon, "s", {id_: {"position": [i, 0]} for id_ in ids})
            assert quick.next().kind == "change"
        held = total(samples(daemon)[0], "gjkd_memory_bytes") - before
        assert held < 4 << 20, held
        kinds, at = [], 0
        while at < last:
            event = slow.next()
            kinds.append(event.kind)
            assert event.data["revision"] > at
            at = event.data["revision"]
        assert "reset" in kinds and len(kinds) < 60
        last = patch(daemon, "s", {"s0": None})
        assert slow.next().data["shapes"] == {"s0": None}


def test_many_readers_all_see_the_newest(start):
    """Revisions that come faster than a crowd can be told are joined; readers that come and go meanwhile miss nothing,
    and neither do those of another set."""
    daemon = start("--io-threads", "1")
    for name in ("s", "t"):
        daemon.store(name, {"dimension": 2, "shapes": {}})
    followers = [Follower(daemon, name, kind) for _ in range(60) for name in ("s", "t")
                 for kind in (Events, StreamEvents)]
    for i in range(200):
        last = {name: patch(daemon, name, {f"s{i % 7}": CIRCLE | {"position": [i, 0]}, f"s{(i + 3) % 7}": None})
                for name in ("s", "t")}
        if i % 4 == 0:
            followers[i].stream.close()
        elif i % 4 == 2:
            followers[i].connect()
    for i in range(0, 200, 4):
        followers[i].connect()
    documents = {name: daemon.get(f"/v1/sets/{name}").json() for name in last}
    for follower in followers:
        follower.follow(last[follower.name])
        assert follower.text() == documents[follower.name] and follower.resets == 0
    for name in last:
        daemon.call("DELETE", f"/v1/sets/{name}")
    for follower in followers:
        assert follower.stream.next().kind == "deleted"
        follower.stream.close()
    assert eventually(lambda: watches(daemon) == 0)


def test_copies_taken_in_between_end_like_the_others(start):
    """An event that joins revisions is right for a copy of any of them: shapes come and go while copies are taken, and a
    crowd makes the events long."""
    daemon = start("--io-threads", "1")
    daemon.store("s", {"dimension": 2, "shapes": {}})
    crowd = [StreamEvents(daemon, "s") for _ in range(100)]
    is_over = threading.Event()

    def write(seed):
        rng = random.Random(seed)
        with WebSocket(daemon) as stream:
            while not is_over.is_set():
                shape = rng.choice([None, CIRCLE | {"position": [rng.random(), 0]}])
                assert stream.ask(1, "PATCH", "/v1/sets/s", {"shapes": {f"s{rng.randrange(9)}": shape}})["status"] == 200

    writers = [threading.Thread(target=write, args=(seed,)) for seed in range(3)]
    for writer in writers:
        writer.start()
    followers = [Follower(daemon, "s", kind) for _ in range(40) for kind in (Events, StreamEvents)]
    is_over.set()
    for writer in writers:
        writer.join()
    document = daemon.get("/v1/sets/s").json()
    for follower in followers:
        follower.follow(document["revision"])
        assert follower.text() == document
        follower.stream.close()
    for reader in crowd:
        reader.close()


def test_silence_is_broken(gjkd, name):
    gjkd.store(name, {"dimension": 2, "shapes": {}})
    with Events(gjkd, name) as stream:
        began = time.monotonic()
        stream._block()
        assert stream._block() == ":"
        assert 5 < time.monotonic() - began < 60


def test_a_drain_ends_streams_at_once(start):
    daemon = start()
    daemon.store("s", {"dimension": 2, "shapes": {}})
    streams = [Events(daemon, "s") for _ in range(10)]
    daemon.signal()
    for stream in streams:
        assert list(stream) == []
        stream.close()
    assert daemon.wait(5) == 0


def test_a_revoked_token_ends_its_streams(start, tmp_path):
    import hashlib
    import signal
    tokens = tmp_path / "tokens"
    line = lambda token: f"{token} {hashlib.sha256(token.encode()).hexdigest()} write\n"
    tokens.write_text(line("one") + line("two"))
    daemon = start("--token-file", str(tokens))
    auth = {t: f"Authorization: Bearer {t}" for t in ("one", "two")}
    daemon.session.headers["Authorization"] = "Bearer two"
    daemon.store("s", {"dimension": 2, "shapes": {}})
    with Events(daemon, "s") as stranger:
        assert stranger.status == 401
    one, two = Events(daemon, "s", headers=[auth["one"]]), Events(daemon, "s", headers=[auth["two"]])
    tokens.write_text(line("two"))
    daemon.process.send_signal(signal.SIGHUP)
    assert list(one) == []
    patch(daemon, "s", {"a": CIRCLE})
    assert two.next().kind == "change"
    one.close(), two.close()


# --- A copy kept by events ---

def random_shape(random_):
    shape = random_.choice([
        {"type": "circle", "radius": random_.uniform(0.1, 3)},
        {"type": "box", "half_extents": [random_.uniform(0, 3), 1e-7]},
        {"type": "chain", "vertices": [[0, 0], [1, random_.random()], [2, 0]]},
        {"type": "hull", "points": [[0, 0], [random_.random(), 1], [1, 0.1]], "group": "g"}])
    if random_.random() < 0.7:
        shape["position"] = [random_.uniform(-50, 50), random_.choice([0, -0.0, 1e9 / 3, 5])]
    if random_.random() < 0.3:
        shape["angle"] = random_.uniform(-7, 7)
    if random_.random() < 0.2:
        shape["meta"] = {"é\n": [random_.random()]}
    return shape


class Editor:
    """Edits of every kind, at random."""

    def __init__(self, daemon, name, seed):
        self.daemon, self.name, self.random = daemon, name, random.Random(seed)
        self.path = f"/v1/sets/{name}"
        self.tick = 0

    def id(self):
        return f"s{self.random.randrange(40)}"

    def document(self):
        count = self.random.randrange(30)
        return {"dimension": 2, "history": {"ticks": self.random.choice([0, 3, 8])},
                "shapes": {self.id(): random_shape(self.random) for _ in range(count)}}

    def put(self):
        self.daemon.put(self.path, self.document())
        self.tick = 0

    def patch(self):
        body = {"shapes": {self.id(): self.random.choice([None, random_shape(self.random)])
                           for _ in range(self.random.randrange(6))}}
        if self.random.random() < 0.1:
            body["meta"] = self.random.choice([None, {"n": self.random.random()}])
        if self.random.random() < 0.05:
            body["history"] = self.random.choice([None, {"ticks": 5}])
        self.daemon.call("PATCH", self.path, json=body)

    def put_shape(self):
        self.daemon.put(f"{self.path}/shapes/{self.id()}", random_shape(self.random))

    def delete_shape(self):
        self.daemon.call("DELETE", f"{self.path}/shapes/{self.id()}")

    def move(self):
        self.daemon.call("PATCH", f"{self.path}/shapes/{self.id()}",
                         json={"position": [self.random.random(), 0]})

    def stamp(self):
        self.tick += 1
        moves = {self.id(): random_shape(self.random) | {"teleport": True} for _ in range(5)}
        self.daemon.put(f"{self.path}/ticks/{self.tick}", {"shapes": moves})

    def edit(self):
        kinds = (self.patch, self.put_shape, self.delete_shape, self.move, self.stamp, self.put)
        self.random.choices(kinds, (20, 20, 10, 30, 20, 1))[0]()


def check_copy(daemon, follower):
    reply = daemon.get(f"/v1/sets/{follower.name}")
    follower.follow(reply.json()["revision"])
    text = json.dumps(follower.text(), separators=(",", ":"), ensure_ascii=False)
    assert text == json.dumps(reply.json(), separators=(",", ":"), ensure_ascii=False)


@pytest.mark.timeout(3000 if os.environ.get("GJKD_FULL") else 300)
def test_a_follower_holds_the_newest_document(start):
    """Whatever is done to a set, a copy kept by its events is the same; connections that are made
    again go on where they were, and slow phases end in joined changes or a reset."""
    daemon = start()
    editor = Editor(daemon, "s", 7)
    assert daemon.put("/v1/sets/s", editor.document()).status_code == 201
    steady = Follower(daemon, "s")
    streamed = Follower(daemon, "s", StreamEvents)
    changing = Follower(daemon, "s", StreamEvents)
    slow = Follower(daemon, "s", receive_bytes=4096)
    for i in range(EDITS):
        editor.edit()
        if i % 50 == 0:
            check_copy(daemon, steady)
            check_copy(daemon, streamed)
        if i % 117 == 0:
            changing.stream.close()
        elif i % 117 == 60:
            changing.connect()
            check_copy(daemon, changing)
        if i % 1000 == 999:  # whoever reads nothing for a minute is disconnected
            check_copy(daemon, slow)
    for follower in (steady, streamed, slow):
        check_copy(daemon, follower)
    changing.connect()
    check_copy(daemon, changing)
    assert steady.resets == streamed.resets == 0 and changing.changes > 0
    for follower in (steady, streamed, changing, slow):
        follower.stream.close()
