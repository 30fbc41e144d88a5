"""Bodies that do not come, or not in time: 504 all the same, from the request line on."""

import json
import time

import pytest

import contract
import problem
from wire import Wire, eventually

pytestmark = pytest.mark.http

PAIR = json.dumps({"a": {"type": "circle", "radius": 1},
                   "b": {"type": "circle", "radius": 1, "position": [5, 0]}}).encode()
TIMEOUT = "Gjkd-Timeout-Ms: 300"
LATEST_S = 30  # on a busy machine under a sanitizer


def head(wire, *lines, method="POST", path="/v1/distance", length=len(PAIR)):
    framing = f"Content-Length: {length}" if length is not None else "Transfer-Encoding: chunked"
    lines = [f"{method} {path} HTTP/1.1", f"Host: {wire.host}", "Content-Type: application/json",
             framing, *lines]
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


def check_late(wire, started, earliest_s=0.3):
    """The next answer is that time was up, and it was. It is the last one, too."""
    reply = wire.reply()
    assert earliest_s <= time.monotonic() - started < LATEST_S
    problem.check(reply, "deadline-exceeded")
    assert reply.headers["connection"] == "close" and reply.headers["date"]
    contract.check("POST", "/v1/distance", {"Content-Type": "application/json"}, PAIR, reply.status,
                   reply.headers, reply.body)
    return reply


@pytest.mark.parametrize("begun", [0, 1, len(PAIR) - 1])
@pytest.mark.parametrize("length", [len(PAIR), None], ids=["length", "chunked"])
def test_a_body_that_stalls(gjkd, begun, length):
    with Wire(gjkd) as wire:
        started = time.monotonic()
        start = PAIR[:begun]
        if length is None and begun:
            start = b"%x\r\n%s" % (len(PAIR), start)
        wire.send(head(wire, TIMEOUT, "X-Request-Id: late-1", length=length) + start)
        assert check_late(wire, started).headers["x-request-id"] == "late-1"
        assert wire.closes(LATEST_S)


def test_the_timeout_of_the_daemon(start):
    daemon = start("--request-timeout=1s")
    for lines in ([], ["Gjkd-Timeout-Ms: 60000"]):
        with Wire(daemon) as wire:
            started = time.monotonic()
            wire.send(head(wire, *lines) + b"{")
            check_late(wire, started, 1)
            assert wire.closes(LATEST_S)


def test_who_was_told_to_continue_and_did_not(gjkd):
    with Wire(gjkd) as wire:
        started = time.monotonic()
        wire.send(head(wire, TIMEOUT, "Expect: 100-continue"))
        assert wire.reply().status == 100
        check_late(wire, started)
        assert wire.closes(LATEST_S)


def test_a_body_that_trickles(gjkd):
    with Wire(gjkd) as wire:
        started = time.monotonic()
        wire.send(head(wire, TIMEOUT, length=1000))
        while time.monotonic() - started < 0.6:  # still while the answer is on its way
            wire.send(b" ")
            time.sleep(0.02)
        check_late(wire, started)
        assert wire.closes(LATEST_S)


def test_a_body_that_comes_just_in_time(gjkd):
    with Wire(gjkd) as wire:
        for _ in range(3):
            wire.send(head(wire, "Gjkd-Timeout-Ms: 5000") + PAIR[:9])
            time.sleep(0.3)
            wire.send(PAIR[9:])
            reply = wire.reply()
            assert reply.status == 200 and reply.json()["distance"] == 3


def test_only_the_second_of_two_is_late(gjkd):
    with Wire(gjkd) as wire:
        started = time.monotonic()
        wire.send(head(wire) + PAIR + head(wire, TIMEOUT) + PAIR[:5])
        assert wire.reply().json()["distance"] == 3
        check_late(wire, started)
        assert wire.closes(LATEST_S)


def test_what_comes_after_the_answer_is_not_answered(gjkd):
    with Wire(gjkd) as wire:
        started = time.monotonic()
        wire.send(head(wire, TIMEOUT) + PAIR[:5])
        check_late(wire, started)
        wire.send(PAIR[5:] + head(wire) + PAIR)
        assert wire.closes(LATEST_S)


def test_no_time_at_all(gjkd):
    with Wire(gjkd) as wire:
        started = time.monotonic()
        wire.send(head(wire, "Gjkd-Timeout-Ms: 0"))
        check_late(wire, started, 0)


def test_what_the_head_was_refused_for_is_told(start):
    daemon = start("--request-timeout=1s")
    with Wire(daemon) as wire:
        wire.send(head(wire, path="/v1/nope") + b"{")
        reply = wire.reply()
        problem.check(reply, "route-not-found")
        assert reply.headers["connection"] == "close" and wire.closes(LATEST_S)


def test_the_answer_to_head_has_no_body(gjkd):
    with Wire(gjkd) as wire:
        wire.send(head(wire, TIMEOUT, method="HEAD", path="/v1/sets"))
        reply = wire.reply(head=True)
        assert reply.status == 504 and int(reply.headers["content-length"]) > 0
        assert wire.closes(LATEST_S)


def test_a_write_that_was_late_is_not_made(gjkd, name):
    with Wire(gjkd) as wire:
        body = b'{"dimension": 2}'
        wire.send(head(wire, TIMEOUT, method="PUT", path=f"/v1/sets/{name}", length=len(body))
                  + body[:-1])
        problem.check(wire.reply(), "deadline-exceeded")
        wire.send(body[-1:])
        assert wire.closes(LATEST_S)
    assert gjkd.get(f"/v1/sets/{name}").status_code == 404


def metric(daemon, line):
    for text in daemon.get("/metrics").text.splitlines():
        if text.startswith(line + " "):
            return float(text.split(" ")[1])
    return 0


def test_late_bodies_count(start):
    daemon = start()
    with Wire(daemon) as wire:
        wire.send(head(wire, TIMEOUT))
        problem.check(wire.reply(), "deadline-exceeded")
    assert eventually(lambda: metric(
        daemon, 'gjkd_http_requests_total{route="/v1/distance",method="POST",code="504"}') == 1)
    assert metric(daemon, 'gjkd_jobs_rejected_total{reason="deadline-exceeded"}') == 1


@pytest.mark.concurrency
def test_many_at_once(start):
    daemon = start()
    wires = [Wire(daemon) for _ in range(200)]
    started = time.monotonic()
    for i, wire in enumerate(wires):
        wire.send(head(wire, f"Gjkd-Timeout-Ms: {300 + i}") + PAIR[:i % 20])
    for wire in wires:
        check_late(wire, started)
    assert daemon.post("/v1/distance", json.loads(PAIR)).json()["distance"] == 3
    for wire in wires:
        wire.socket.close()


def test_a_daemon_that_drains_does_not_forget_them(start):
    daemon = start("--drain-timeout=20s")
    with Wire(daemon) as wire:
        started = time.monotonic()
        wire.send(head(wire, "Gjkd-Timeout-Ms: 1500", "Expect: 100-continue"))
        assert wire.reply().status == 100
        daemon.process.terminate()
        check_late(wire, started, 1.5)
        assert wire.closes(LATEST_S)
    assert daemon.process.wait(20) == 0
