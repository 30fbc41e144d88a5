"""Loops never stall: whatever clients send or ask, /livez, /readyz and /metrics are answered at once,
and what is too long for a loop is answered by a worker with the same bytes."""

import gzip
import json
import threading

import pytest

from daemon import Daemon
from probe import Probe, judge, timed

PROBE_MS = 50
COUNT = 40000
JSON = {"Content-Type": "application/json"}


def check_probes(daemon, work):
    """Are probes answered in time while work() goes on, and every one with 200?"""
    def attempt():
        probes = [Probe(daemon, path) for path in ("/livez", "/readyz", "/metrics")]
        with probes[0], probes[1], probes[2]:
            work()
        return probes

    judge(attempt, PROBE_MS)


@pytest.fixture(scope="module")
def sparse():
    """A daemon with one loop and points on a diagonal, whose boxes hardly ever meet anything, so that
    questions to the set look cheap; each in a group of its own and at two ticks."""
    daemon = Daemon("--io-threads", "1", "--workers", "2")
    shapes = {f"s{i}": {"type": "point", "position": [i * 10.0, i * 10.0], "group": f"g{i % 7}"}
              for i in range(COUNT)}
    daemon.store("diag", {"dimension": 2, "history": {"ticks": 2}, "shapes": shapes})
    for tick in 1, 2:
        assert daemon.put(f"/v1/sets/diag/ticks/{tick}", {}).status_code == 201
    yield daemon
    daemon.stop()


RAY = {"origin": [-5, -5], "direction": [1, 1]}

QUESTIONS = {
    "detect": ("detect", {"a": {"type": "circle", "radius": 1e9}}),
    "detect-few": ("detect", {"a": {"type": "circle", "radius": 1e9}, "limit": 100}),
    "filtered": ("detect", {"a": {"type": "circle", "radius": 1e9}, "limit": 1,
                            "filter": {"ignore": [f"g{i}" for i in range(7)] + ["x"] * 200}}),
    "nearest": ("distance", {"a": {"type": "point"}, "limit": 1000000}),
    "farthest": ("distance", {"a": {"type": "point", "position": [2e5, -2e5]}, "limit": 500}),
    "ray": ("raycast", RAY | {"direction": [1, 1.0000001], "mode": "any"}),
    "rays": ("raycast", RAY | {"mode": "all"}),
    "cast": ("cast", {"shape": {"type": "circle", "radius": 1e6}, "translation": [1e7, 0],
                      "mode": "all"}),
    "rewound": ("detect", {"a": {"type": "circle", "radius": 1e9}, "at": {"tick": 1.5}}),
}


@timed
@pytest.mark.parametrize("kind", QUESTIONS)
def test_questions_that_look_cheap(sparse, kind):
    path, body = QUESTIONS[kind]
    text = json.dumps(body)

    def work():
        for _ in range(3):
            with sparse.new_session() as session:
                reply = session.post(f"{sparse.url}/v1/sets/diag/{path}", data=text, headers=JSON,
                                     timeout=60)
            assert reply.status_code == 200, reply.text

    check_probes(sparse, work)


def ask_packed(sparse, path, body):
    with sparse.new_session() as session:
        headers = JSON | {"Content-Encoding": "gzip", "Accept-Encoding": "gzip"}
        return session.post(sparse.url + path, data=body, headers=headers, timeout=60).status_code


def at_once(count, task):
    threads = [threading.Thread(target=task) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)


@timed
def test_bodies_that_unpack_to_a_thousand_times_as_much(sparse):
    bomb = gzip.compress(b" " * (16 << 20))
    statuses = []
    check_probes(sparse, lambda: at_once(
        8, lambda: statuses.append(ask_packed(sparse, "/v1/detect", bomb))))
    assert set(statuses) <= {400, 503, 504}


@timed
@pytest.mark.http  # a text call is never answered by packed bytes
def test_files_and_lists_that_are_packed(sparse):
    def ask():
        with sparse.new_session() as session:
            for _ in range(4):
                reply = session.get(sparse.url + "/openapi.json", timeout=60,
                                    headers={"Accept-Encoding": "gzip"})
                assert reply.headers["Content-Encoding"] == "gzip"

    check_probes(sparse, lambda: at_once(8, ask))


@timed
def test_sets_of_few_large_shapes(sparse):
    cloud = [[(i * 7919) % 1009 / 7, (i * 104729) % 1013 / 7] for i in range(30000)]
    sparse.store("cloud", {"dimension": 2, "shapes": {"c": {"type": "hull", "points": cloud}}})
    paths = "/v1/sets/cloud", "/v1/sets/cloud/shapes/c"

    def ask():
        with sparse.new_session() as session:
            for path in paths:
                assert session.get(sparse.url + path, timeout=60).status_code == 200

    check_probes(sparse, lambda: at_once(8, ask))


@pytest.mark.plain
def test_a_trial_that_is_given_up_changes_no_bit(sparse):
    """Bodies of more than 2,500 bytes go to a worker at once; short ones are tried on the loop."""
    for path, body in QUESTIONS.values():
        short = json.dumps(body, separators=(",", ":"))
        long = short[:-1] + " " * 4000 + "}"
        with sparse.new_session() as session:
            answers = [session.post(f"{sparse.url}/v1/sets/diag/{path}", data=text, headers=JSON,
                                    timeout=60).content for text in (short, long, short)]
        assert len(set(answers)) == 1


def test_a_trial_that_is_given_up_counts_once(sparse):
    def count():
        lines = sparse.get("/metrics").text.splitlines()
        found = [line for line in lines if line.startswith('gjkd_queries_total{op="cast"}')]
        return float(found[0].split()[-1]) if found else 0

    before = count()
    for _ in range(5):
        sparse.ask("/v1/sets/diag/cast", QUESTIONS["cast"][1])
    assert count() == before + 5
