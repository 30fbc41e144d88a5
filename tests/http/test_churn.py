"""Sets that come and go: memory comes back, and --max-memory holds."""

import http.client
import json
import os
import pathlib
import threading
import time

import pytest

import problem
from wire import eventually

# Create, edit, delete: so many times. A full run has 100,000.
ROUNDS = int(os.environ.get("GJKD_ROUNDS", "3000"))
THREADS = 4
WARM_UP = 400


plain_memory = pytest.mark.plain  # sanitizers hold freed memory back


def resident(daemon):
    status = pathlib.Path(f"/proc/{daemon.process.pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) * 1024


def settled(daemon):
    """The memory of a daemon that has nothing left to free: it has computed nothing for a second."""
    lowest, spent, idle = resident(daemon), daemon.processor_seconds(), 0
    for _ in range(1200):
        time.sleep(0.05)
        lowest = min(lowest, resident(daemon))
        now = daemon.processor_seconds()
        idle, spent = idle + 1 if now == spent else 0, now
        if idle == 20:
            break
    return lowest


def settles_at(daemon, most):
    """Does its memory come down to so many bytes? A thread of a daemon on a busy machine may wait for
    its turn longer than it looks as if it had nothing to do."""
    return eventually(lambda: resident(daemon) <= most)


def hull(k):
    return {"type": "hull", "points": [[i % 7 + k, i % 5, i % 3] for i in range(20)]}


def churn(daemon, part, rounds):
    address = daemon.url.removeprefix("http://")
    connection = http.client.HTTPConnection(address, timeout=60)
    url = f"/v1/sets/churn-{part}"
    body = json.dumps({"dimension": 3, "history": {"ticks": 3}, "meta": {"k": "x" * 300},
                       "shapes": {f"s{i}": hull(i) for i in range(10)}})
    patch = json.dumps({"shapes": {"s1": {"position": [1, 2, 3]}, "s2": None, "new": hull(1),
                                   "s3": {"type": "sphere", "radius": 2}}, "meta": {"k": None}})
    tick = json.dumps({"shapes": {f"s{i}": {"position": [i, i, 0]} for i in range(4, 10)}})
    headers = {"Content-Type": "application/json"}
    for i in range(rounds):
        calls = [("PUT", url, body, 201), ("PATCH", url, patch, 200)]
        calls += [("PUT", f"{url}/ticks/{t}", tick, 201) for t in range(i % 5)]
        for method, path, data, status in [*calls, ("DELETE", url, None, 204)]:
            connection.request(method, path, data, headers if data else {})
            reply = connection.getresponse()
            reply.read()
            assert reply.status == status, (method, path, reply.status)
    connection.close()


def churn_all(daemon, rounds):
    failures = []

    def run(part):
        try:
            churn(daemon, part, rounds // THREADS)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=run, args=(part,)) for part in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


@plain_memory
def test_memory_comes_back(start):
    daemon = start()
    churn_all(daemon, WARM_UP)
    before = settled(daemon)
    churn_all(daemon, ROUNDS)
    assert settles_at(daemon, before * 1.1), (before, resident(daemon))
    assert daemon.get("/v1/sets").json()["sets"] == []


@plain_memory
def test_memory_of_a_large_set(start):
    daemon = start()
    ball = {"type": "sphere", "radius": 1}
    before = settled(daemon)
    daemon.store("large", {"dimension": 3, "shapes": {}})
    for part in range(3):
        shapes = {f"{part}-{i}": ball | {"position": [i, part, 0]} for i in range(30000)}
        assert daemon.call("PATCH", "/v1/sets/large", json={"shapes": shapes}).status_code == 200
    size = daemon.get("/v1/sets/large?fields=summary").json()["bytes"]
    assert size > 50e6
    daemon.call("DELETE", "/v1/sets/large")
    assert settles_at(daemon, before + size / 4), (before, resident(daemon))


def metric(daemon, name):
    lines = daemon.get("/metrics").text.splitlines()
    return int(next(line for line in lines if line.startswith(f"{name} ")).split()[1])


def answer_alone(ask):
    """The answer of ask() once no request before it holds memory any more: on a busy machine that is
    given back a moment after its answer, and meanwhile a daemon with little left is overloaded."""
    replies = []

    def is_alone():
        replies.append(ask())
        return replies[-1].status_code != 503
    assert eventually(is_alone)
    return replies[-1]


@plain_memory
def test_the_limit_of_memory_holds(start):
    """Sets take all but an eighth of it, less what else is counted just then."""
    daemon = start("--max-memory", "4000000")
    shapes = {f"s{i}": hull(i) for i in range(100)}
    sizes, count = [], 0
    while True:
        reply = answer_alone(
            lambda: daemon.put(f"/v1/sets/n{count}", {"dimension": 3, "shapes": shapes}))
        if reply.status_code != 201:
            break
        sizes.append(reply.json()["bytes"])
        count += 1
    problem.check(reply, "out-of-memory")
    assert 2000000 <= sum(sizes) <= 3500000  # the bodies and trees of writes count besides
    assert metric(daemon, "gjkd_set_bytes") == sum(sizes)
    problem.check(daemon.get(f"/v1/sets/n{count}"), "set-not-found")
    # Nor may a stored one grow, by any way; it stays what it was.
    last = f"/v1/sets/n{count - 1}"
    before = daemon.get(last)
    more = {f"t{i}": hull(i) for i in range(100)}
    for method, path, body in (("PATCH", last, {"shapes": more}),
                               ("PUT", last, {"dimension": 3, "shapes": shapes | more})):
        problem.check(answer_alone(lambda: daemon.call(method, path, json=body)), "out-of-memory")
    assert daemon.get(last).content == before.content
    # What makes room is always taken, and reads and questions go on.
    assert daemon.ask(f"{last}/distance", {"a": "s1", "limit": 2})["nearest"]
    reply = daemon.call("PATCH", last, json={"shapes": {f"s{i}": None for i in range(90)}})
    assert reply.status_code == 200 and reply.json()["bytes"] < sizes[-1] / 5
    daemon.call("DELETE", "/v1/sets/n0")
    reply = answer_alone(lambda: daemon.put("/v1/sets/n0", {"dimension": 3, "shapes": shapes}))
    assert reply.status_code == 201


@plain_memory
def test_ticks_count(start):
    daemon = start("--max-memory", "1000000")
    daemon.store("s", {"dimension": 3, "history": {"ticks": 4096},
                       "shapes": {f"s{i}": hull(i) for i in range(50)}})
    tick = 0
    while True:
        poses = {f"s{i}": {"position": [tick, i, 0]} for i in range(50)}
        reply = answer_alone(lambda: daemon.put(f"/v1/sets/s/ticks/{tick}", {"shapes": poses}))
        if reply.status_code != 201:
            break
        tick += 1
    problem.check(reply, "out-of-memory")
    assert 5 < tick < 4096
    assert daemon.get("/v1/sets/s/ticks").json()["newest"] == tick - 1
    reply = daemon.call("PATCH", "/v1/sets/s", json={"history": {"ticks": 2}})
    assert reply.status_code == 200
    reply = answer_alone(lambda: daemon.put(f"/v1/sets/s/ticks/{tick}", {"shapes": poses}))
    assert reply.status_code == 201


@plain_memory
def test_memory_of_deleted_histories(start):
    """Sets with deep histories, deleted while others ask them. With one worker: a second one runs only
    now and then, and its first turn, which makes it a heap of its own, might come at any time."""
    daemon = start("--workers", "1")
    over = threading.Event()

    def ask():
        session = daemon.new_session()
        while not over.is_set():
            at = {"at": {"tick": 3.5}, "origin": [0, 0, 0], "direction": [1, 0, 0]}
            reply = daemon.post("/v1/sets/deep/raycast", at, session=session)
            assert reply.status_code in (200, 404, 410, 409, 503)  # a busy machine lags
            time.sleep(0.02)  # or these threads leave none of Python's time to the one that loads
        session.close()

    def load():
        daemon.store("deep", {"dimension": 3, "history": {"ticks": 64},
                              "shapes": {f"s{i}": hull(i) for i in range(200)}})
        for tick in range(80):
            poses = {f"s{i}": {"position": [tick, i, 0]} for i in range(200)}
            assert daemon.put(f"/v1/sets/deep/ticks/{tick}", {"shapes": poses}).status_code == 201
        size = daemon.get("/v1/sets/deep?fields=summary").json()["bytes"]
        assert daemon.call("DELETE", "/v1/sets/deep").status_code == 204
        return size

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(12):  # until every thread has met every other one
        load()
    before = settled(daemon)
    sizes = [load() for _ in range(6)]
    over.set()
    for thread in threads:
        thread.join()
    assert settles_at(daemon, before + sizes[0] / 2), "not even half of one is left of six"
    assert metric(daemon, "gjkd_set_bytes") == 0
