"""Clients that take more than their share: of connections, of time, of the workers."""

import json
import time

import pytest

import problem
from daemon import Daemon
from wire import Wire, eventually


def is_served(wire):
    """Is the connection answered, or closed without a word?"""
    try:
        wire.send(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return wire.reply().status == 200
    except (EOFError, ConnectionError):
        return False


@pytest.mark.parametrize("flags", [["--max-connections=3"], ["--max-connections-per-address=3"]])
@pytest.mark.parametrize("threads", ["1", "3"])
def test_as_many_connections_as_allowed_and_one_more(start, flags, threads):
    daemon = start(*flags, "--io-threads", threads)
    wires = [Wire(daemon) for _ in range(3)]
    assert all(is_served(wire) for wire in wires)
    for _ in range(5):
        with Wire(daemon) as one_more:
            assert not is_served(one_more)
    assert all(is_served(wire) for wire in wires)
    wires.pop().socket.close()

    def fits():
        with Wire(daemon) as wire:
            return is_served(wire)
    assert eventually(fits), "there is room again"
    for wire in wires:
        wire.socket.close()


def test_a_trusted_proxy_may_have_any_number(start):
    daemon = start("--max-connections-per-address=2", "--trusted-proxy=127.0.0.0/8")
    wires = [Wire(daemon) for _ in range(10)]
    assert all(is_served(wire) for wire in wires)
    for wire in wires:
        wire.socket.close()


@pytest.fixture(scope="module")
def hasty():
    daemon = Daemon("--request-timeout", "1s")
    yield daemon
    daemon.stop()


HEAD = (b"POST /v1/detect HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Content-Length: 100000\r\n\r\n")


@pytest.mark.parametrize("begin", [b"", b"GET /v1/sets?prefix=", b"GET /livez HTTP/1.1\r\nX: "],
                         ids=["nothing", "line", "head"])
def test_a_request_that_dribbles_in_is_cut(hasty, begin):
    """A byte at a time is no inactivity, and still the whole request is late. (Whose body is late is
    answered: test_late_bodies.py.)"""
    started = time.monotonic()
    with Wire(hasty) as wire:
        try:
            wire.send(begin)
            while time.monotonic() - started < 60:
                if begin:
                    wire.send(b"x")
                if wire.closes(0.1):
                    break
        except ConnectionError:
            pass
    assert 0.9 < time.monotonic() - started < 59


def test_a_kept_connection_outlives_the_timeout_of_a_request(hasty):
    with Wire(hasty) as wire:
        assert is_served(wire)
        time.sleep(2.5)
        assert is_served(wire)


def test_a_request_that_came_too_late_is_answered_504(start):
    daemon = start("--request-timeout", "1ms")

    def answer():
        try:
            with Wire(daemon) as wire:
                wire.send(HEAD.replace(b"100000", b"2") + b"{")
                time.sleep(0.02)
                wire.send(b"}")
                reply = wire.reply()
                # On a busy machine the daemon may see all of it at once.
                return reply if reply.status != 422 else None
        except (EOFError, ConnectionError):
            return None  # it has been cut just then
    problem.check(eventually(answer), "deadline-exceeded")


def test_as_many_jobs_as_allowed(start):
    daemon = start("--max-jobs=1", "--workers=1", "--io-threads=1")
    hull = {"type": "hull", "points": [[i % 7, i % 5, i % 3] for i in range(105)]}
    body = json.dumps({"dimension": 3, "shapes": {f"h{i}": hull for i in range(600)}}).encode()
    wires = [Wire(daemon, timeout=60) for _ in range(12)]
    for wire in wires:
        wire.request("PUT", "/v1/sets/slow", body)
    replies = [wire.reply() for wire in wires]
    for wire in wires:
        wire.socket.close()
    refused = [reply for reply in replies if reply.status not in (200, 201)]
    assert len(refused) < len(replies)
    assert refused, "twelve at once are more than one at work and one that waits"
    for reply in refused:
        problem.check(reply, "overloaded", detail="1 requests wait")
        assert int(reply.headers["retry-after"]) >= 1
