"""The Host header without tokens: names that a browser may be fooled with are refused."""

import pytest

import problem
from wire import Wire

pytestmark = pytest.mark.http


def ask(gjkd, *lines, version="1.1"):
    with Wire(gjkd) as wire:
        wire.send("\r\n".join([f"GET /v1 HTTP/{version}", *lines, "", ""]).encode())
        return wire.reply()


@pytest.mark.parametrize("host", [
    "127.0.0.1", "127.0.0.1:8080", "localhost", "localhost:1", "LOCALHOST", "[::1]", "[::1]:8080",
    "10.1.2.3", "192.168.0.7:80", "[fe80::1]", "[2001:db8::7]:443"])
def test_allowed(gjkd, host):
    assert ask(gjkd, f"Host: {host}").status == 200


@pytest.mark.parametrize("host", [
    "evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example",
    "localhost@evil.example", "[::1].evil.example", "1.2.3", "999.1.1.1", "[evil]", "::1",
    "localhost:port", "localhost ", "local host", ""])
def test_forbidden(gjkd, host):
    reply = ask(gjkd, f"Host: {host}")
    if host == "localhost ":  # blanks around a value do not belong to it
        assert reply.status == 200
    else:
        assert reply.status in (400, 403)
        problem.check(reply, "forbidden" if reply.status == 403 else "bad-request")


def test_forbidden_is_the_code_of_a_name(gjkd):
    problem.check(ask(gjkd, "Host: evil.example"), "forbidden")


def test_two_hosts(gjkd):
    assert ask(gjkd, "Host: localhost", "Host: evil.example").status in (400, 403)
    assert ask(gjkd, "Host: evil.example", "Host: localhost").status in (400, 403)


def test_no_host(gjkd):
    assert ask(gjkd).status == 400


@pytest.mark.parametrize("path", ["/livez", "/readyz", "/metrics", "/v1/sets", "/problems/internal",
                                  "/nope"])
def test_it_holds_for_every_route(gjkd, path):
    problem.check(gjkd.get(path, headers={"Host": "evil.example"}), "forbidden")


def test_it_holds_for_writes(gjkd, name):
    reply = gjkd.put(f"/v1/sets/{name}", {"dimension": 2}, headers={"Host": "evil.example"})
    problem.check(reply, "forbidden")
    assert gjkd.get(f"/v1/sets/{name}").status_code == 404
