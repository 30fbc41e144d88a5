"""How many queries a client may ask, by address and by token."""

import time

import pytest

import problem
from messages import TYPE, gjkd as pb
from test_tokens import bearer, line

PAIR = {"a": {"type": "point"}, "b": {"type": "point", "position": [3, 4]}}


def ask(daemon, **options):
    return daemon.post("/v1/distance", PAIR, **options)


def burst(daemon, count, **options):
    """How many of so many are answered, and the first refusal."""
    replies = [ask(daemon, **options) for _ in range(count)]
    refused = [r for r in replies if r.status_code != 200]
    return len(replies) - len(refused), refused[0] if refused else None


def test_as_many_as_allowed_and_one_more(start):
    daemon = start("--rate-limit=5")
    began = time.monotonic()
    served, refusal = burst(daemon, 30)
    took = time.monotonic() - began
    assert 5 <= served <= 5 + 5 * took + 1
    problem.check(refusal, "rate-limited", limit=5)
    assert refusal.headers["Retry-After"] == "1"
    for path in ("/livez", "/readyz", "/problems/rate-limited"):
        assert daemon.get(path).status_code == 200, "probes cost nothing"
    time.sleep(1.1)
    assert ask(daemon).status_code == 200


FREE = [("GET", "/metrics"), ("GET", "/v1"), ("GET", "/v1/sets"), ("GET", "/v1/sets/arena2d"),
        ("HEAD", "/v1/sets/arena2d"), ("GET", "/v1/sets/arena2d?fields=summary"),
        ("GET", "/v1/sets/arena2d/shapes/player-2"), ("GET", "/v1/sets/arena2d/ticks"),
        ("GET", "/"), ("GET", "/openapi.json"), ("GET", "/livez"), ("GET", "/readyz"),
        ("GET", "/healthz"), ("GET", "/problems/rate-limited")]
PAID = [("POST", "/v1/detect"), ("POST", "/v1/sets/arena2d/raycast"), ("POST", "/v1/batch"),
        ("PUT", "/v1/sets/mine"), ("PATCH", "/v1/sets/arena2d"), ("DELETE", "/v1/sets/mine"),
        ("PUT", "/v1/sets/arena2d/shapes/x"), ("PUT", "/v1/sets/arena2d/ticks/1")]


def test_only_queries_and_writes_are_paid_for(start):
    daemon = start("--rate-limit=1", "--demo")
    for method, path in FREE * 3:
        assert daemon.call(method, path).status_code == 200, path
    query = {"op": "distance", **PAIR}
    reply = daemon.post("/v1/batch", {"queries": [query] * 1000})
    assert reply.status_code == 200, "what was read before cost nothing"
    for method, path in PAID:
        problem.check(daemon.call(method, path, json={}), "rate-limited", limit=1)
    for method, path in FREE:
        assert daemon.call(method, path).status_code == 200, path
    problem.check(daemon.get("/nope"), "route-not-found")
    problem.check(daemon.call("DELETE", "/v1"), "method-not-allowed")


def test_a_token_that_is_used_up_may_still_read(start, tmp_path):
    path = tmp_path / "tokens"
    path.write_text(line("writer", "write"))
    daemon = start("--rate-limit-per-token=1", "--token-file", str(path), "--demo")
    query = {"op": "distance", **PAIR}
    assert daemon.post("/v1/batch", {"queries": [query] * 1000}, headers=bearer("writer")
                       ).status_code == 200
    for method, path in PAID:
        problem.check(daemon.call(method, path, json={}, headers=bearer("writer")),
                      "rate-limited", limit=1, detail="this token")
    for method, path in FREE:
        assert daemon.call(method, path, headers=bearer("writer")).status_code == 200, path


def test_no_limit_by_default(gjkd):
    assert burst(gjkd, 200)[0] == 200


def test_retry_after_is_long_enough(start):
    daemon = start("--rate-limit=1")
    assert ask(daemon).status_code == 200
    refusal = ask(daemon)
    assert refusal.status_code == 429
    time.sleep(int(refusal.headers["Retry-After"]))
    assert ask(daemon).status_code == 200


def test_a_large_request_counts_as_many(start):
    """Its answer is given, and then it has to be waited for."""
    daemon = start("--rate-limit=10", "--demo")
    rays = pb.RaycastColumns(dimension=2, origin=[0.0, 0.0] * 100, direction=[1.0, 0.0] * 100)
    reply = daemon.call("POST", "/v1/sets/arena2d/raycast", data=rays.SerializeToString(),
                        headers={"Content-Type": TYPE, "Accept": None})
    assert reply.status_code == 200
    refusal = ask(daemon)
    problem.check(refusal, "rate-limited", limit=10)
    assert 8 <= int(refusal.headers["Retry-After"]) <= 10, "a hundred queries, ten a second"


@pytest.mark.parametrize("query", [{"op": "distance", **PAIR}, {"op": "distance"}],
                         ids=["answered", "failing"])
def test_a_batch_costs_what_it_holds(start, query):
    daemon = start("--rate-limit=10")
    assert daemon.post("/v1/batch", {"queries": [query] * 100}).status_code == 200
    refusal = ask(daemon)
    problem.check(refusal, "rate-limited", limit=10)
    assert 8 <= int(refusal.headers["Retry-After"]) <= 10


def test_every_address_for_itself(start):
    daemon = start("--rate-limit=2", "--trusted-proxy=127.0.0.1")

    def asked_by(*spellings):
        """Several spellings of one client are one client."""
        began = time.monotonic()
        served = sum(burst(daemon, 10, headers={"X-Forwarded-For": s})[0] for s in spellings)
        assert 2 <= served <= 2 + 2 * (time.monotonic() - began) + 1, spellings
    asked_by("192.0.2.1")
    asked_by("192.0.2.2", "192.0.2.2:4711", "::ffff:192.0.2.2")
    asked_by("192.0.2.3", "203.0.113.9, 192.0.2.3", "unknown, 192.0.2.3", "192.0.2.3, 127.0.0.1")
    asked_by("2001:db8::1", "2001:db8::2", "[2001:db8::3]:80")  # of one /64
    asked_by("[2001:db8:1::1]:80")


def test_nobody_forwards_but_the_trusted(start):
    daemon = start("--rate-limit=2", "--trusted-proxy=192.0.2.1")
    began = time.monotonic()
    served = sum(ask(daemon, headers={"X-Forwarded-For": f"10.0.0.{i}"}).status_code == 200
                 for i in range(20))
    assert served <= 3 + 2 * (time.monotonic() - began)


def test_every_token_for_itself(start, tmp_path):
    path = tmp_path / "tokens"
    path.write_text(line("reader", "read") + line("writer", "write"))
    daemon = start("--rate-limit-per-token=3", "--token-file", str(path))
    for name in ("reader", "writer"):
        began = time.monotonic()
        served, refusal = burst(daemon, 30, headers=bearer(name))
        assert 3 <= served <= 4 + 3 * (time.monotonic() - began)
        problem.check(refusal, "rate-limited", detail="this token")


def test_guesses_of_tokens_count_too(start, tmp_path):
    path = tmp_path / "tokens"
    path.write_text(line("reader", "read"))
    daemon = start("--rate-limit=3", "--token-file", str(path))
    began = time.monotonic()
    statuses = [ask(daemon, headers={"Authorization": f"Bearer {i}"}).status_code
                for i in range(30)]
    assert set(statuses) == {401, 429}
    assert 3 <= statuses.count(401) <= 4 + 3 * (time.monotonic() - began)


@pytest.mark.http
def test_guesses_are_slow_where_reading_is_free(start, tmp_path):
    """And whoever guesses is not told when a guess was right."""
    path = tmp_path / "tokens"
    path.write_text(line("reader", "read"))
    daemon = start("--rate-limit=2", "--token-file", str(path))

    def read(token=None):
        headers = {"Authorization": f"Bearer {token}"} if token else bearer("reader")
        return daemon.get("/metrics", headers=headers)
    assert [read().status_code for _ in range(20)] == [200] * 20
    assert [daemon.get("/metrics").status_code for _ in range(20)] == [401] * 20
    began = time.monotonic()
    statuses = [read(f"guess-{i}").status_code for i in range(30)]
    refusal = read()
    assert set(statuses) == {401, 429}
    assert statuses.count(401) <= 3 + 2 * (time.monotonic() - began)
    problem.check(refusal, "rate-limited", limit=2, detail="unknown tokens")
    assert daemon.get("/readyz").status_code == 200
    time.sleep(int(refusal.headers["Retry-After"]))
    assert read().status_code == 200


@pytest.mark.concurrency
def test_many_at_once_are_counted_as_one_client(start):
    from concurrent.futures import ThreadPoolExecutor
    daemon = start("--rate-limit=10", "--io-threads=2")
    began = time.monotonic()
    with ThreadPoolExecutor(8) as pool:
        def client(_):
            with daemon.new_session() as session:
                return sum(ask(daemon, session=session).status_code == 200 for _ in range(20))
        served = sum(pool.map(client, range(8)))
    assert 10 <= served <= 11 + 10 * (time.monotonic() - began)
