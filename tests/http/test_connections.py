"""Many connections at once, slow ones, and ones that go away."""

import os
import socket
import time

import pytest

import problem
from wire import Wire, eventually

pytestmark = pytest.mark.http

BODY = b'{"a": {"type": "point"}, "b": {"type": "point", "position": [%d, 0]}}'
ROUND_S = 30.0  # a round takes milliseconds; lost wake-ups would take a second each, or for ever


@pytest.mark.concurrency
@pytest.mark.parametrize("count", [1, 64, 127, 128, 129, 256])
def test_all_at_once(gjkd, count):
    wires = [Wire(gjkd) for _ in range(count)]
    try:
        for _ in range(8):
            start = time.monotonic()
            for i, wire in enumerate(wires):
                wire.request("POST", "/v1/distance", BODY % i)
            for i, wire in enumerate(wires):
                reply = wire.reply()
                assert reply.status == 200 and reply.json()["distance"] == i
            assert time.monotonic() - start < ROUND_S
    finally:
        for wire in wires:
            wire.socket.close()


@pytest.mark.concurrency
@pytest.mark.parametrize("count", [127, 128, 129])
def test_large_requests_at_once(gjkd, count):
    """The same with bodies that are handed to the workers."""
    wires = [Wire(gjkd) for _ in range(count)]
    try:
        for _ in range(2):
            for i, wire in enumerate(wires):
                wire.request("POST", "/v1/distance", BODY % i + b" " * 100000)
            for i, wire in enumerate(wires):
                reply = wire.reply()
                assert (reply.status, reply.json().get("code")) == (503, "overloaded") or \
                    reply.json()["distance"] == i
    finally:
        for wire in wires:
            wire.socket.close()


@pytest.mark.concurrency
def test_connections_that_open_and_close(gjkd):
    for i in range(300):
        with Wire(gjkd) as wire:
            wire.request("POST", "/v1/distance", BODY % i)
            assert wire.reply().json()["distance"] == i


def open_files(gjkd):
    return len(os.listdir(f"/proc/{gjkd.process.pid}/fd"))


HALVES = [
    b"", b"GET /livez HTTP/1.1\r\nHost: loc",
    b"POST /v1/distance HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Content-Length: 100\r\n\r\n{\"a\": ",
    b"POST /v1/distance HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n40\r\n{\"a\": ",
    b"PUT /v1/sets/half HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Content-Length: 1000000\r\n\r\n{\"dimension\": 2" + b" " * 500000,
]


@pytest.mark.concurrency
@pytest.mark.parametrize("rudely", [False, True], ids=["closed", "reset"])
def test_a_client_that_goes_half_way(gjkd, rudely):
    gjkd.get("/livez")
    before = open_files(gjkd)
    for i, half in enumerate(HALVES * 7):
        wire = Wire(gjkd)
        wire.send(half)
        time.sleep(0.001 * (i % 3))  # the end comes with the last bytes, or behind them
        wire.reset() if rudely else wire.socket.close()
    assert gjkd.get("/v1/sets/half").status_code == 404
    assert eventually(lambda: open_files(gjkd) <= before), "its connections are gone"


@pytest.mark.concurrency
def test_a_client_that_goes_within_the_first_line(gjkd):
    """Its last bytes and its end arrive together."""
    gjkd.get("/livez")
    before = open_files(gjkd)
    for _ in range(60):
        with Wire(gjkd) as wire:
            wire.send(b"GE")
    assert eventually(lambda: open_files(gjkd) <= before), "its connections are gone"


@pytest.mark.concurrency
@pytest.mark.parametrize("rudely", [False, True], ids=["closed", "reset"])
def test_a_client_that_does_not_wait_for_the_answer(gjkd, rudely):
    gjkd.get("/livez")
    before = open_files(gjkd)
    for i in range(40):
        wire = Wire(gjkd)
        wire.request("POST", "/v1/distance", BODY % i + b" " * (200000 if i % 2 else 0))
        wire.reset() if rudely else wire.socket.close()
    assert gjkd.get("/livez").status_code == 200
    assert eventually(lambda: open_files(gjkd) <= before)


def test_a_client_that_shuts_its_half_gets_its_answer(gjkd):
    with Wire(gjkd) as wire:
        wire.request("POST", "/v1/distance", BODY % 3)
        wire.socket.shutdown(socket.SHUT_WR)
        assert wire.reply().json()["distance"] == 3


@pytest.mark.concurrency
def test_slow_clients_hold_up_nobody(gjkd):
    slow = [Wire(gjkd) for _ in range(50)]
    for wire in slow:
        wire.send(HALVES[2])
    start = time.monotonic()
    for _ in range(50):
        assert gjkd.get("/livez").status_code == 200
    assert time.monotonic() - start < ROUND_S
    for wire in slow:
        wire.socket.close()


@pytest.mark.concurrency
def test_a_reader_that_does_not_read(gjkd, name):
    """Large answers that nobody takes do not keep others waiting."""
    shapes = {f"s{i}": {"type": "circle", "radius": 1} for i in range(3000)}
    gjkd.store(name, {"dimension": 2, "shapes": shapes})
    wires = [Wire(gjkd) for _ in range(8)]
    for wire in wires:
        for _ in range(10):
            wire.request("GET", f"/v1/sets/{name}")
    start = time.monotonic()
    for _ in range(20):
        assert gjkd.post("/v1/distance", {}).status_code == 422
    assert time.monotonic() - start < ROUND_S
    assert all(len(wires[0].reply().json()["shapes"]) == 3000 for _ in range(10))
    for wire in wires:
        wire.reset()


def test_too_long_a_queue_of_work_is_refused_politely(gjkd, name):
    """A 503, where there is one, says when to come back; nothing is lost silently."""
    hull = {"type": "hull", "points": [[i % 7, i % 5, i % 3] for i in range(105)]}
    gjkd.store(name, {"dimension": 3, "shapes": {f"h{i:03}": hull for i in range(60)}})
    wires = [Wire(gjkd, timeout=60) for _ in range(64)]
    for wire in wires:
        wire.request("POST", f"/v1/sets/{name}/detect", b'{"limit": 1}')
    for wire in wires:
        reply = wire.reply()
        if reply.status != 200:
            problem.check(reply, "overloaded")
            assert int(reply.headers["retry-after"]) >= 0
        else:
            assert len(reply.json()["pairs"]) == 1
        wire.socket.close()


# --- More parameters than a connection has memory for: libmicrohttpd drops what it cannot refuse ---

def many_parameters(count):
    return b"GET /v1/sets?%s HTTP/1.1\r\nHost: localhost\r\n\r\n" % (b"&" * count)


def test_such_a_request_ends_too_and_is_counted(start):
    daemon = start()
    counts = range(100, 400, 5)
    for count in counts:
        with Wire(daemon) as wire:
            wire.send(many_parameters(count))
            text = wire.rest(0.02) or wire.buffer
            assert text == b"" or text.startswith(b"HTTP/1.1 4") or b" 200 OK\r\n" in text
    routes = ('gjkd_http_requests_total{route="none"', "gjkd_http_requests_abandoned_total ",
              'gjkd_http_requests_total{route="/v1/sets"')
    assert eventually(lambda: sum(
        float(line.split(" ")[1]) for line in daemon.get("/metrics").text.splitlines()
        if line.startswith(routes)) == len(counts))


def test_such_a_request_behind_one_at_a_worker_does_not_keep_the_connection(start):
    daemon = start("--request-timeout=1s")
    body = b'{"dimension": 2}'
    for count in range(200, 400, 20):
        with Wire(daemon) as wire:
            wire.send(b"PUT /v1/sets/s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n"
                      b"Content-Type: application/json\r\n\r\n%s" % (len(body), body)
                      + many_parameters(count))
            wire.socket.shutdown(socket.SHUT_WR)
            assert wire.rest(10) is not None, count
    daemon.process.terminate()
    assert daemon.process.wait(20) == 0
