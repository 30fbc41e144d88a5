"""Clients that are slow on purpose, half there or only idle: the others are served.

The long ones run with tests/run.sh --full (GJKD_FULL in the environment)."""

import os
import resource
import shutil
import socket
import subprocess

import pytest

import problem
from wire import Wire

pytestmark = pytest.mark.http

FULL = bool(os.environ.get("GJKD_FULL"))
long = pytest.mark.skipif(not FULL, reason="takes long; GJKD_FULL asks for it")
PAIR = {"a": {"type": "circle", "radius": 1}, "b": {"type": "point", "position": [3, 0]}}
# What is missing of each keeps a request from being whole.
BEGINNINGS = [b"", b"P", b"POST /v1/distance HTTP/1.1\r\n",
              b"POST /v1/distance HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
              b"Content-Length: 1000\r\n\r\n{",
              b"POST /v1/distance HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
              b"Transfer-Encoding: chunked\r\n\r\n5\r\n{\"a\""]


def serves(daemon, times=5):
    for _ in range(times):
        session = daemon.new_session()
        reply = daemon.post("/v1/distance", PAIR, session=session, timeout=5)
        assert reply.status_code == 200 and reply.json()["distance"] == 2
        session.close()


@pytest.mark.concurrency
@pytest.mark.parametrize("beginning", BEGINNINGS)
def test_half_open_connections(start, beginning):
    daemon = start()
    wires = [Wire(daemon) for _ in range(300)]
    for wire in wires:
        wire.send(beginning)
    serves(daemon)
    for wire in wires:
        wire.socket.close()
    serves(daemon)


def test_a_slow_client_has_its_time_and_no_more(start):
    daemon = start("--request-timeout=2s")
    wires = [Wire(daemon) for _ in BEGINNINGS[1:]]
    for wire, beginning in zip(wires, BEGINNINGS[1:]):
        wire.send(beginning)
    serves(daemon)
    for wire in wires:
        assert wire.rest(within=10) is not None, "the connection is ended"
        wire.socket.close()


def test_one_address_leaves_room_for_the_others(start):
    daemon = start("--max-connections-per-address=20")
    wires = []
    for _ in range(40):
        wire = socket.create_connection((daemon.host, daemon.port))
        wires.append(wire)
    other = socket.socket()
    other.bind(("127.0.0.9", 0))
    other.settimeout(5)
    other.connect((daemon.host, daemon.port))
    other.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert other.recv(100).startswith(b"HTTP/1.1 200 ")
    for wire in [*wires, other]:
        wire.close()


# Slowloris, slow bodies, slow reading: as slowhttptest does them.
@long
@pytest.mark.parametrize("attack", [
    ["-H", "-i", "1"], ["-B", "-i", "1", "-s", "8192", "-t", "POST"],
    ["-X", "-w", "1", "-y", "8", "-n", "1", "-z", "1", "-k", "3"]])
def test_slowhttptest(start, attack):
    assert shutil.which("slowhttptest"), "deploy/packages/test names it"
    daemon = start("--request-timeout=5s")
    attacker = subprocess.Popen(
        ["slowhttptest", *attack, "-c", "500", "-r", "200", "-l", "20", "-p", "3",
         "-u", f"{daemon.url}/v1"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    try:
        while attacker.poll() is None:
            serves(daemon)
    finally:
        attacker.kill()
        attacker.wait()
    serves(daemon)


@long
def test_ten_thousand_idle_connections(start):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 12000:
        pytest.skip(f"this process may have {hard} files only")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    daemon = start("--max-connections=11000", "--max-connections-per-address=0")
    idle = [socket.create_connection((daemon.host, daemon.port)) for _ in range(10000)]
    serves(daemon, 50)
    idle[-1].sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert idle[-1].recv(100).startswith(b"HTTP/1.1 200 ")
    for one in idle:
        one.close()
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    serves(daemon)


def body_of(length):
    """A pair whose body is exactly so long."""
    text = b'{"a":{"type":"point"},"b":{"type":"point"}}'
    return text[:1] + b" " * (length - len(text)) + text[1:]


@pytest.mark.parametrize("chunked", [False, True])
def test_bodies_at_the_limit(start, chunked):
    daemon = start("--max-body=2000")
    for length, code in ((1999, None), (2000, None), (2001, "body-too-large")):
        body = body_of(length)
        assert len(body) == length
        with daemon.new_session() as session:
            reply = daemon.call("POST", "/v1/detect", data=iter([body]) if chunked else body,
                                headers={"Content-Type": "application/json"}, session=session)
        if code:
            problem.check(reply, code, limit=2000)
        else:
            assert reply.status_code == 200
