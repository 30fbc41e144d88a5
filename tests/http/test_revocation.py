"""SIGHUP with a file of tokens that lacks one: its connections end."""

import json
import signal
import time

import pytest

from test_tokens import line, secret
from wire import Wire, eventually

pytestmark = pytest.mark.http


@pytest.fixture
def tokens(tmp_path):
    """tokens(*names): the file, rewritten in place of the old one, with those tokens."""
    def write(*names):
        fresh = tmp_path / "fresh"
        fresh.write_text("".join(line(name, "write") for name in names))
        fresh.chmod(0o600)
        fresh.rename(tmp_path / "tokens")
        return str(tmp_path / "tokens")
    return write


def ask(wire, name, method="GET", path="/v1/sets", body=b""):
    wire.request(method, path, body, headers=[f"Authorization: Bearer {secret(name)}"])


def is_answered(wire, name):
    ask(wire, name)
    return wire.reply().status == 200


def reload(daemon, count):
    daemon.process.send_signal(signal.SIGHUP)
    assert eventually(lambda: f"SIGHUP: {count} tokens".encode() in daemon.stderr())


@pytest.mark.parametrize("threads", ["1", "3"])
def test_idle_connections_of_a_revoked_token_end(start, tokens, threads):
    daemon = start("--token-file", tokens("red", "blue"), "--io-threads", threads)
    red, blue = [Wire(daemon) for _ in range(5)], [Wire(daemon) for _ in range(5)]
    anyone = Wire(daemon)
    anyone.request("GET", "/livez")
    assert anyone.reply().status == 200
    assert all(is_answered(wire, "red") for wire in red)
    assert all(is_answered(wire, "blue") for wire in blue)
    tokens("blue")
    reload(daemon, 1)
    assert all(wire.closes(1) for wire in red), "at once"
    assert all(is_answered(wire, "blue") for wire in blue)
    anyone.request("GET", "/livez")
    assert anyone.reply().status == 200
    for wire in [*red, *blue, anyone]:
        wire.socket.close()


def test_the_last_token_of_a_connection_counts(start, tokens):
    daemon = start("--token-file", tokens("red", "blue"))
    with Wire(daemon) as wire, Wire(daemon) as other:
        assert is_answered(wire, "red") and is_answered(wire, "blue")
        assert is_answered(other, "blue") and is_answered(other, "red")
        tokens("blue")
        reload(daemon, 1)
        assert other.closes(1)
        assert is_answered(wire, "blue")


def test_a_busy_connection_ends_after_its_answer(start, tokens):
    """One whose body is on its way; and one whose question is at a worker."""
    daemon = start("--token-file", tokens("red", "blue"))
    hull = {"type": "hull", "points": [[i % 7, i % 5, i % 3] for i in range(105)]}
    shapes = {f"h{i}": hull for i in range(500)}
    with Wire(daemon) as sending, Wire(daemon) as working:
        ask(working, "blue", "PUT", "/v1/sets/s", json.dumps({"dimension": 3, "shapes": shapes}).encode())
        assert working.reply().status == 201
        body = json.dumps({"a": {"type": "point"}, "b": {"type": "point"}}).encode()
        head = (f"POST /v1/distance HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                f"Authorization: Bearer {secret('red')}\r\nContent-Length: {len(body)}\r\n\r\n")
        sending.send(head.encode() + body[:10])
        ask(working, "red", "POST", "/v1/sets/s/detect", b'{"limit": 1000}')
        time.sleep(1)  # until both heads are read, which nothing tells
        tokens("blue")
        reload(daemon, 1)
        sending.send(body[10:])
        for wire in (sending, working):
            reply = wire.reply()
            assert reply.status == 200, reply.text
            assert wire.closes(10), "long before one that is idle"


def test_a_reload_that_fails_ends_nothing(start, tokens, tmp_path):
    daemon = start("--token-file", tokens("red"))
    with Wire(daemon) as wire:
        assert is_answered(wire, "red")
        (tmp_path / "tokens").write_text("nonsense\n")
        daemon.process.send_signal(signal.SIGHUP)
        assert eventually(lambda: b"keeping the tokens" in daemon.stderr())
        assert is_answered(wire, "red")
