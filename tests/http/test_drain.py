"""SIGTERM: what was begun is answered, nothing new is taken, and the end is clean."""

import functools
import json
import signal
import socket
import threading
import time

import pytest

import problem
from daemon import Daemon
from wire import Wire, eventually

pytestmark = pytest.mark.http

PAIR = json.dumps({"a": {"type": "circle", "radius": 1},
                   "b": {"type": "circle", "radius": 1, "position": [5, 0]}}).encode()
HEAD = (b"POST /v1/distance HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Content-Length: %d\r\n\r\n" % len(PAIR))


ORDINARY_DELAY = {"GJKD_DRAIN_DELAY": ""}  # not the tests' own


@pytest.fixture
def start(start):
    return functools.partial(start, env=ORDINARY_DELAY)


def is_closed(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return False
    except ConnectionRefusedError:
        return True


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_an_idle_daemon_ends_at_once(number):
    daemon = Daemon("--drain-timeout", "300s", env=ORDINARY_DELAY)
    daemon.signal(number)
    assert daemon.wait() == 0
    daemon.stop()


def test_idle_connections_close(start):
    daemon = start()
    with Wire(daemon) as used, Wire(daemon) as fresh:
        used.request("GET", "/livez")
        assert used.reply().status == 200
        daemon.signal()
        assert used.closes(8) and fresh.closes(8)
    assert daemon.wait() == 0


def test_what_is_on_its_way_is_answered(start):
    daemon = start()
    with Wire(daemon) as wire:
        wire.begin("/v1/distance", len(PAIR))
        wire.send(PAIR[:10])
        daemon.signal()
        assert eventually(lambda: is_closed(daemon.port)), "the listener closes"
        assert daemon.process.poll() is None
        wire.send(PAIR[10:])
        reply = wire.reply()
        assert reply.status == 200 and reply.json()["distance"] == 3
        assert reply.headers["connection"].lower() == "close"
        assert wire.closes(5)
    assert daemon.wait() == 0


def test_readyz_says_so(start):
    daemon = start("--io-threads", "1")  # which has read what was sent before
    with Wire(daemon) as busy, Wire(daemon) as probe:
        probe.send(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n")
        busy.begin("/v1/distance", len(PAIR))
        daemon.signal()
        assert eventually(lambda: daemon.get("/readyz").status_code == 503)
        probe.send(b"\r\n")
        problem.check(probe.reply(), "draining")
        busy.send(PAIR)
        assert busy.reply().status == 200
    assert daemon.wait() == 0


def test_work_of_the_workers_is_answered(start):
    daemon = start()
    hull = {"type": "hull", "points": [[i % 7, i % 5, i % 3] for i in range(105)]}
    daemon.store("s", {"dimension": 3, "shapes": {f"h{i}": hull for i in range(60)}})
    wires = [Wire(daemon) for _ in range(4)]
    for wire in wires:
        wire.begin("/v1/sets/s/detect", 2)
    for wire in wires:
        wire.send(b"{}")
    time.sleep(0.05)
    daemon.signal()
    for wire in wires:
        reply = wire.reply()
        assert reply.status == 200 and len(reply.json()["pairs"]) == 60 * 59 // 2
        wire.socket.close()
    assert daemon.wait() == 0


def test_a_client_that_left_does_not_hold_up_the_end(start):
    """Half a request, and the end of the connection in the same breath."""
    daemon = start()
    for _ in range(60):
        with Wire(daemon) as wire:
            wire.send(HEAD + PAIR[:10])
    time.sleep(0.5)
    daemon.signal()
    assert daemon.wait() == 0


def test_a_second_signal_ends_at_once():
    daemon = Daemon("--drain-timeout", "300s", env=ORDINARY_DELAY)
    with Wire(daemon) as wire:
        wire.begin("/v1/distance", len(PAIR))
        daemon.signal()
        assert eventually(lambda: daemon.get("/readyz").status_code == 503)
        assert daemon.process.poll() is None, "it waits for what was begun"
        daemon.signal()
        daemon.wait()
    daemon.close()


@pytest.mark.concurrency
def test_under_load_nothing_that_was_begun_is_lost(start):
    """Clients that ask without pause: each answer is whole, then the connection ends
    between two answers."""
    daemon = start()
    broken, answered = [], []

    def load():
        with Wire(daemon) as wire:
            try:
                while True:
                    wire.request("POST", "/v1/distance", PAIR)
                    reply = wire.reply()
                    answered.append(reply.status)
                    if reply.headers.get("connection", "").lower() == "close":
                        return
            except (EOFError, ConnectionError):
                if wire.buffer:
                    broken.append(wire.buffer)

    threads = [threading.Thread(target=load) for _ in range(8)]
    for thread in threads:
        thread.start()
    assert eventually(lambda: len(answered) > 50)
    daemon.signal()
    for thread in threads:
        thread.join()
    assert daemon.wait() == 0
    assert not broken and set(answered) <= {200, 503}
