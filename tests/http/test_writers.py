"""Eight writers of one set at once: nobody's write is lost, and each makes one revision."""

import threading
import time

import pytest

import problem

pytestmark = pytest.mark.concurrency

WRITERS = 8
TOGETHER_S = 120  # for what takes seconds, under a sanitizer tens of them


def together(gjkd, act, count=WRITERS):
    """act(session, number) in so many threads; the first failure is this test's."""
    failures = []
    gate = threading.Barrier(count)

    def run(number):
        session = gjkd.new_session()
        try:
            gate.wait(TOGETHER_S)
            act(session, number)
        except BaseException as failure:
            failures.append(failure)
        finally:
            session.close()

    threads = [threading.Thread(target=run, args=(n,), daemon=True) for n in range(count)]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + TOGETHER_S
    for thread in threads:
        thread.join(max(deadline - time.monotonic(), 0))
    assert not any(thread.is_alive() for thread in threads), "the writers do not come to an end"
    if failures:
        raise failures[0]


def ways(url, number):
    """How a writer counts its own number up in the set: (method, path, body of n)."""
    return [
        ("PATCH", url, lambda n: {"meta": {f"w{number}": n}}),
        ("PATCH", url, lambda n: {"shapes": {f"w{number}": {"position": [n, 0]}}}),
        ("PATCH", f"{url}/shapes/w{number}", lambda n: {"meta": n}),
        ("PUT", f"{url}/shapes/w{number}",
         lambda n: {"type": "point", "meta": n, "position": [n, 0]}),
    ]


def test_if_match_lets_one_through(gjkd, name):
    url = f"/v1/sets/{name}"
    gjkd.store(name, {"dimension": 2, "meta": {"n": 0},
                      "shapes": {f"w{i}": {"type": "point"} for i in range(WRITERS)}})
    first = gjkd.get(url).json()["revision"]
    won = {}
    lock = threading.Lock()

    def write(session, number):
        for n in range(12):
            etag = gjkd.get(f"{url}?fields=summary", session=session).headers["ETag"]
            method, path, body = ways(url, number)[n % 4]
            reply = gjkd.call(method, path, session=session, json=body(n),
                              headers={"If-Match": etag})
            if reply.status_code == 412:
                problem.check(reply, "revision-mismatch")
                continue
            assert reply.status_code == 200, reply.text
            revision = reply.json()["revision"]
            with lock:
                assert revision not in won, "one 2xx for a revision"
                won[revision] = reply.headers["ETag"]

    together(gjkd, write)
    last = gjkd.get(url)
    assert sorted(won) == list(range(first + 1, last.json()["revision"] + 1))
    assert len(set(won.values())) == len(won)
    assert won[max(won)] == last.headers["ETag"]


def test_counters_without_conditions(gjkd, name):
    """Each writer's own members are never overwritten by another's older view."""
    url = f"/v1/sets/{name}"
    gjkd.store(name, {"dimension": 2, "meta": {},
                      "shapes": {f"w{i}": {"type": "point"} for i in range(WRITERS)}})
    first = gjkd.get(url).json()["revision"]
    rounds = 15

    def write(session, number):
        for n in range(1, rounds + 1):
            for method, path, body in ways(url, number):
                reply = gjkd.call(method, path, session=session, json=body(n))
                assert reply.status_code == 200

    together(gjkd, write)
    document = gjkd.get(url).json()
    assert document["revision"] == first + WRITERS * rounds * 4
    assert document["meta"] == {f"w{i}": rounds for i in range(WRITERS)}
    for shape in document["shapes"].values():
        assert shape["meta"] == rounds and shape["position"] == [rounds, 0]


def test_if_match_counts_up(gjkd, name):
    """Read, add one, write if nobody else did: the sum is right in the end."""
    url = f"/v1/sets/{name}"
    gjkd.store(name, {"dimension": 2, "meta": {"n": 0}})

    def count(session, number):
        done = 0
        for _ in range(6 * WRITERS):  # a write that comes too late does so once for each other one
            document = gjkd.get(url, session=session)
            n = document.json()["meta"]["n"]
            reply = gjkd.call("PATCH", url, session=session, json={"meta": {"n": n + 1}},
                              headers={"If-Match": document.headers["ETag"]})
            assert reply.status_code in (200, 412)
            done += reply.status_code == 200
            if done == 6:
                return
        raise AssertionError("more writes came too late than others were made")

    together(gjkd, count)
    assert gjkd.get(url).json()["meta"] == {"n": 6 * WRITERS}


def test_one_creates(gjkd, name):
    url = f"/v1/sets/{name}"
    gjkd.store(name, {"dimension": 2})
    statuses = []

    def create(session, number):
        for i in range(10):
            reply = gjkd.put(f"{url}/shapes/s{i}", {"type": "point", "meta": number},
                             session=session, headers={"If-None-Match": "*"})
            statuses.append((i, reply.status_code))

    together(gjkd, create)
    assert {s for _, s in statuses} == {201, 412}
    assert sorted(i for i, s in statuses if s == 201) == list(range(10))
    assert gjkd.get(url).json()["revision"] == 11


def test_ticks_writers_and_readers(gjkd, name):
    """At tick t every shape stands at x = t, whoever asks and whenever."""
    url = f"/v1/sets/{name}"
    gjkd.store(name, {"dimension": 2, "history": {"ticks": 8},
                      "shapes": {f"s{i}": {"type": "circle", "radius": 1, "position": [0, 10 * i]}
                                 for i in range(5)}})
    ticks, over = 60, threading.Event()
    seen = set()

    def act(session, number):
        if number == 0:
            try:
                for t in range(ticks):
                    shapes = {f"s{i}": {"position": [t, 10 * i]} for i in range(5)}
                    reply = gjkd.put(f"{url}/ticks/{t}", {"shapes": shapes}, session=session)
                    assert reply.status_code == 201
            finally:
                over.set()  # the others do not go on without it
        while not over.is_set():
            if number == 1:
                gjkd.call("PATCH", url, session=session, json={"meta": {"n": number}})
                continue
            newest = gjkd.get(f"{url}/ticks", session=session).json()["newest"]
            if newest is None:
                continue
            t = max(newest - 1.5, 0)
            query = {"origin": [-50, 10], "direction": [1, 0], "at": {"tick": t}}
            reply = gjkd.post(f"{url}/raycast", query, session=session)
            if reply.status_code == 200:
                hit, = reply.json()["hits"]
                assert hit["id"] == "s1" and hit["distance"] == 50 + t - 1
                seen.add(t)
            else:
                problem.check(reply, "tick-expired")

    together(gjkd, act)
    assert len(seen) > 5, "the readers met many ticks"
