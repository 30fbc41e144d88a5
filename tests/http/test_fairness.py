"""Clients do not keep each other waiting: while some ask heavy questions or write large sets, the small
questions and writes of others are answered soon, and nobody's answer changes by that."""

import json
import threading
import time

import pytest

from probe import Probe, judge, timed

WRITE_MS = 500
CROWD = 30000
JSON = {"Content-Type": "application/json"}
SET = json.dumps({"dimension": 2, "shapes": {"a": {"type": "circle", "radius": 1}}})
ALL_PAIRS = ("/v1/sets/crowd/detect", "{}")
LONG_LIST = ("/v1/sets/crowd/distance", json.dumps({"a": {"type": "point"}, "limit": 1000000}))
AGAINST = ("/v1/sets/crowd/detect", json.dumps({"against": "crowd"}))
BATCH = ("/v1/sets/crowd/batch", json.dumps({"queries": [{"op": "detect"}] * 10}))


def crowd():
    """All collide with all, and no pair counts: nothing ends a search but its deadline."""
    ball = {"type": "circle", "radius": 1, "group": "one"}
    return {"dimension": 2, "shapes": {f"{i:05}": ball for i in range(CROWD)}}


def ask(daemon, path, body, timeout_ms, statuses, method="POST"):
    with daemon.new_session() as session:
        reply = session.request(method, daemon.url + path, data=body, timeout=130,
                                headers=JSON | {"Gjkd-Timeout-Ms": str(timeout_ms)})
        statuses.append(reply.status_code)


class Burden:
    """So many heavy questions at once, until their deadline."""

    def __init__(self, daemon, question, count, timeout_ms):
        self.statuses = []
        self.threads = [threading.Thread(target=ask, args=(daemon, *question, timeout_ms,
                                                           self.statuses))
                        for _ in range(count)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        time.sleep(0.2)
        return self

    def __exit__(self, *failure):
        for thread in self.threads:
            thread.join(60)


@pytest.fixture
def two_workers(start):
    daemon = start("--workers", "2", "--io-threads", "1", "--request-timeout", "120s")
    daemon.store("crowd", crowd())
    daemon.store("other", json.loads(SET))
    return daemon


def others(daemon, host):
    """Writes, and queries that are left to workers, of another client (or of the same)."""
    long = json.dumps({"a": "a", "b": {"type": "point"}}) + " " * 4000
    return (Probe(daemon, "/v1/sets/other", "PUT", SET, host=host, pause=0.02),
            Probe(daemon, "/v1/sets/other/distance", "POST", long, host=host, pause=0.02))


def check_others(daemon, host, work, least=1):
    """Are the writes and queries of that client answered with 200 beside work(), and at least so many of
    each before it ends?"""
    def attempt():
        writes, queries = others(daemon, host)
        with writes, queries:
            work()
        return writes, queries

    judge(attempt, WRITE_MS, least)


def check_beside(daemon, question, count, host):
    """Without pauses the others would be answered once: when the questions end, at their deadline."""
    def work():
        with Burden(daemon, question, count, 4000) as burden:
            pass
        assert set(burden.statuses) <= {200, 504, 503}

    check_others(daemon, host, work, least=3)


@timed
@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2"])
@pytest.mark.parametrize("question", [ALL_PAIRS, LONG_LIST, AGAINST, BATCH],
                         ids=["pairs", "list", "against", "batch"])
def test_two_heavy_questions(two_workers, question, host):
    check_beside(two_workers, question, 2, host)


@timed
def test_many_heavy_questions(two_workers):
    check_beside(two_workers, ALL_PAIRS, 100, "127.0.0.2")


@timed
def test_large_writes(two_workers):
    """Which are built without a pause."""
    point = {"type": "point", "position": [1, 2]}
    large = json.dumps({"dimension": 2, "shapes": {f"p{i}": point for i in range(150000)}})
    statuses = []

    def write(name):
        for _ in range(2):
            ask(two_workers, f"/v1/sets/{name}", large, 120000, statuses, "PUT")

    def work():
        threads = [threading.Thread(target=write, args=(f"large{i}",)) for i in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert set(statuses) <= {200, 201}

    check_others(two_workers, "127.0.0.2", work)


@timed
def test_many_writers_of_one_set(two_workers):
    """Each rebuilds a set of many shapes; they wait for each other, and hold no worker meanwhile."""
    body = json.dumps({"shapes": {"a": {"type": "circle", "radius": 2}}})
    written = [1]

    def work():
        statuses = []
        threads = [threading.Thread(target=ask, args=(two_workers, "/v1/sets/crowd", body, 20000,
                                                      statuses, "PATCH"))
                   for _ in range(200)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        written[0] += 200
        assert statuses == [200] * 200
        summary = two_workers.get("/v1/sets/crowd?fields=summary").json()
        assert summary["revision"] == written[0]

    check_others(two_workers, "127.0.0.1", work)


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
    with Burden(two_workers, ALL_PAIRS, 6, 4000):
        found, threads = {}, []
        for i in range(8):
            threads.append(threading.Thread(
                target=lambda i=i: found.update({i: answer(questions[i % 2])})))
            threads[-1].start()
        for thread in threads:
            thread.join(60)
    assert [found[i] for i in range(8)] == alone * 4
