"""Clients do not keep each other waiting: while some ask heavy questions or write large sets, the small
questions and writes of others are answered soon, and nobody's answer changes by that."""

import contextlib
import json
import math
import select
import threading
import time

import pytest

import probe
from daemon import Daemon
from probe import FULL, Probe, judge, timed
from wire import Wire, eventually

WRITE_MS = 500
CROWD = 30000
BURDEN_MS = 120000
MANY = 12  # more than two workers and the eight slots that are lent to tasks that wait
ROUNDS = 16  # more than may be lent
PAUSE_S = 0.03  # one is lent meanwhile, if need be
JSON = {"Content-Type": "application/json"}
SET = json.dumps({"dimension": 2, "shapes": {"a": {"type": "circle", "radius": 1}}})
# A write, and a query that is left to workers.
OTHERS = (("PUT", "/v1/sets/other", SET),
          ("POST", "/v1/sets/other/distance", json.dumps({"a": "a", "b": {"type": "point"}}) + " " * 4000))
HULL = {"type": "hull", "points": [[math.cos(i / 16384 * math.tau), math.sin(i / 16384 * math.tau)]
                                   for i in range(16384)]}
# Seconds of work each.
ALL_PAIRS = ("POST", "/v1/sets/crowd/detect", "{}")
LONG_LIST = ("POST", "/v1/sets/crowd/distance", json.dumps({"a": HULL, "limit": 1000000}))
AGAINST = ("POST", "/v1/sets/crowd/detect", json.dumps({"against": "corner"}))
BATCH = ("POST", "/v1/sets/crowd/batch", json.dumps({"queries": [{"op": "detect"}] * 10}))


def crowd(**shape):
    return {"dimension": 2, "shapes": {f"{i:05}": shape for i in range(CROWD)}}


@contextlib.contextmanager
def burden(daemon, requests):
    """Requests of which each takes seconds, all at once. The block begins when they are worked on, and gets a
    function that tells whether none is answered yet. When it ends their clients leave."""
    before = daemon.processor_seconds()
    with contextlib.ExitStack() as stack:
        wires = [Wire(daemon) for _ in requests]
        for wire, (method, path, body) in zip(wires, requests):
            stack.callback(wire.reset)
            wire.request(method, path, body.encode(), [f"Gjkd-Timeout-Ms: {BURDEN_MS}"])
        assert eventually(lambda: daemon.processor_seconds() > before + 0.2)
        yield lambda: not select.select([wire.socket for wire in wires], [], [], 0)[0]


@pytest.fixture(scope="module")
def two_workers():
    daemon = Daemon("--workers", "2", "--io-threads", "1")
    daemon.store("crowd", crowd(type="circle", radius=1, group="one"))  # all collide, and no pair counts
    daemon.store("corner", crowd(type="point", position=[0.9, 0.9]))  # of their boxes
    daemon.store("other", json.loads(SET))
    yield daemon
    daemon.stop()


def answer_all(daemon, requests):
    """The statuses of the answers to requests that are sent at once."""
    with contextlib.ExitStack() as stack:
        wires = [stack.enter_context(Wire(daemon)) for _ in requests]
        for wire, (method, path, body) in zip(wires, requests):
            wire.request(method, path, body.encode())
        return [wire.reply().status for wire in wires]


def check_soon(daemon, host, work):
    """With --full: are the writes and queries of that client answered soon beside work()?"""
    def attempt():
        probes = [Probe(daemon, path, method, body, host=host, pause=0.02) for method, path, body in OTHERS]
        with probes[0], probes[1]:
            work()
        return probes

    judge(attempt, WRITE_MS)


def check_beside(daemon, requests, host):
    """Are writes and queries of that client answered while all the requests are worked on?"""
    with burden(daemon, requests) as goes_on:
        for _ in range(ROUNDS):
            for method, path, body in OTHERS:
                assert probe.ask((daemon.host, daemon.port), method, path, body, JSON, host) == 200
                assert goes_on(), f"{method} had to wait"
            time.sleep(PAUSE_S)

    def work():
        with burden(daemon, requests):
            time.sleep(4)

    if FULL:
        check_soon(daemon, host, work)


@timed
@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2"])
@pytest.mark.parametrize("question", [ALL_PAIRS, LONG_LIST, AGAINST, BATCH],
                         ids=["pairs", "list", "against", "batch"])
def test_heavy_questions(two_workers, question, host):
    check_beside(two_workers, [question] * MANY, host)


@timed
def test_more_heavy_questions_than_threads(two_workers):
    check_beside(two_workers, [ALL_PAIRS] * 100, "127.0.0.2")


@timed
@pytest.mark.skipif(not FULL, reason="its answers are timed, which needs a quiet machine")
def test_large_writes(two_workers):
    """Which are built without a pause."""
    point = {"type": "point", "position": [1, 2]}
    large = json.dumps({"dimension": 2, "shapes": {f"p{i}": point for i in range(150000)}})
    writes = [("PUT", f"/v1/sets/large{i % 3}", large) for i in range(6)]

    def work():
        assert set(answer_all(two_workers, writes)) <= {200, 201}

    check_soon(two_workers, "127.0.0.2", work)


@timed
def test_many_writers_of_one_set(two_workers):
    """Each rebuilds a set of many shapes; they wait for each other, and hold no worker meanwhile."""
    write = ("PATCH", "/v1/sets/crowd", json.dumps({"shapes": {"a": {"type": "circle", "radius": 2}}}))

    def revision():
        return two_workers.get("/v1/sets/crowd?fields=summary").json()["revision"]

    def work():
        before = revision()
        assert answer_all(two_workers, [write] * 200) == [200] * 200
        assert revision() == before + 200

    if FULL:
        check_soon(two_workers, "127.0.0.1", work)
    else:
        work()


@pytest.mark.plain
def test_pauses_change_no_bit(two_workers):
    """The same questions alone and beside many others."""
    questions = [("/v1/sets/crowd/distance", json.dumps({"a": {"type": "point"}, "limit": 20000})),
                 ("/v1/sets/crowd/detect", json.dumps({"a": {"type": "point"}, "limit": 20000}))]

    def answer(question):
        path, body = question
        with two_workers.new_session() as session:
            return session.post(two_workers.url + path, data=body, headers=JSON,
                                timeout=60).content

    alone = [answer(question) for question in questions]
    with burden(two_workers, [ALL_PAIRS] * 6) as goes_on:
        found, threads = {}, []
        for i in range(8):
            threads.append(threading.Thread(
                target=lambda i=i: found.update({i: answer(questions[i % 2])})))
            threads[-1].start()
        for thread in threads:
            thread.join(60)
        assert goes_on()
    assert [found[i] for i in range(8)] == alone * 4
