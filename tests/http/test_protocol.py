"""HTTP/1.1 itself: kept connections, pipelines, chunks, framing that two readers could read
two ways, and bodies around the limit."""

import json

import pytest

import problem
from daemon import Daemon
from wire import Wire

pytestmark = pytest.mark.http

PAIR = json.dumps({"a": {"type": "circle", "radius": 1},
                   "b": {"type": "circle", "radius": 1, "position": [5, 0]}}).encode()
HEAD = b"POST /v1/distance HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


def is_answer(reply):
    return reply.status == 200 and reply.json()["distance"] == 3


def chunks(body, size):
    pieces = [body[i:i + size] for i in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in pieces) + b"0\r\n\r\n"


def test_a_kept_connection(gjkd):
    with Wire(gjkd) as wire:
        for _ in range(200):
            wire.request("POST", "/v1/distance", PAIR)
            assert is_answer(wire.reply())


def test_a_refusal_keeps_the_connection(gjkd):
    with Wire(gjkd) as wire:
        for body in (b"{}", b"nonsense"):
            wire.request("POST", "/v1/distance", body)
            assert wire.reply().status in (400, 422)
            wire.request("POST", "/v1/distance", PAIR)
            assert is_answer(wire.reply())


def test_connection_close(gjkd):
    with Wire(gjkd) as wire:
        wire.request("POST", "/v1/distance", PAIR, headers=["Connection: close"])
        reply = wire.reply()
        assert is_answer(reply) and reply.headers["connection"].lower() == "close"
        assert wire.closes(5)


def test_http_1_0(gjkd):
    with Wire(gjkd) as wire:
        wire.send(b"GET /livez HTTP/1.0\r\nHost: localhost\r\n\r\n")
        assert wire.reply().status == 200
        assert wire.closes(5)


def test_a_pipeline(gjkd):
    with Wire(gjkd) as wire:
        bodies = [PAIR.replace(b"[5, 0]", b"[%d, 0]" % (5 + i)) for i in range(50)]
        wire.send(b"".join(HEAD + b"Content-Length: %d\r\n\r\n" % len(b) + b for b in bodies))
        for i in range(50):
            assert wire.reply().json()["distance"] == 3 + i


def test_a_pipeline_of_many_kinds(gjkd):
    with Wire(gjkd) as wire:
        for _ in range(10):
            wire.request("GET", "/livez")
            wire.request("HEAD", "/v1/sets")
            wire.request("POST", "/v1/distance", b"broken")
            wire.request("GET", "/nope")
            wire.request("POST", "/v1/distance", PAIR + b" " * 200000)
            wire.request("POST", "/v1/distance", PAIR)
        for _ in range(10):
            assert wire.reply().status == 200
            assert wire.reply(head=True).status == 200
            assert wire.reply().status == 400
            assert wire.reply().status == 404
            assert is_answer(wire.reply())
            assert is_answer(wire.reply())


@pytest.mark.parametrize("size", [1, 7, 100000])
def test_chunks(gjkd, size):
    with Wire(gjkd) as wire:
        for _ in range(3):
            wire.send(HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + chunks(PAIR, size))
            assert is_answer(wire.reply())


def test_chunks_byte_by_byte(gjkd):
    with Wire(gjkd) as wire:
        for byte in HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + chunks(PAIR, 16):
            wire.send(bytes([byte]))
        assert is_answer(wire.reply())


@pytest.mark.parametrize("framing", [
    b"Content-Length: %d\r\nTransfer-Encoding: chunked\r\n",
    b"Transfer-Encoding: chunked\r\nContent-Length: %d\r\n",
    b"Content-Length: %d\r\nContent-Length: %d\r\n",
    b"Content-Length: %d\r\nContent-Length: 1\r\n",
    b"Content-Length: 1\r\nContent-Length: %d\r\n",
    b"Content-Length: %d, 1\r\n", b"Content-Length: +%d\r\n", b"Content-Length: -1\r\n",
    b"Content-Length: x\r\n", b"Content-Length: 0x10\r\n",
    b"Content-Length: 99999999999999999999999\r\n",
    b"Transfer-Encoding: identity\r\nContent-Length: %d\r\n",
    b"Transfer-Encoding: gzip, chunked\r\n",
    b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
])
def test_doubtful_framing_is_refused_and_closed(gjkd, framing):
    with Wire(gjkd) as wire:
        count = framing.count(b"%d")
        wire.send(HEAD + framing % ((len(PAIR),) * count) + b"\r\n" + PAIR)
        reply = wire.reply()
        assert reply.status in (400, 413, 501)
        # What follows must not be read as a request. (Where libmicrohttpd itself refuses,
        # its 0.9.75 sends the head twice.)
        rest = wire.rest(5)
        assert rest is not None and b" 200 " not in rest


@pytest.mark.parametrize("framing, body", [
    (b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", chunks(PAIR, 50)),
    (b"Content-Length: %d\r\nContent-Length: %d\r\n" % (len(PAIR), len(PAIR)), PAIR)])
def test_two_lengths_are_a_problem(gjkd, framing, body):
    with Wire(gjkd) as wire:
        wire.send(HEAD + framing + b"\r\n" + body)
        reply = wire.reply()
    if "x-request-id" in reply.headers:
        problem.check(reply, "bad-request")
    else:  # libmicrohttpd 1.0 refuses it itself
        assert reply.status == 400


@pytest.mark.parametrize("junk", [b"\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
                                  b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 64,
                                  b"GET /livez HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", b"\0" * 500])
def test_junk_does_no_harm(gjkd, junk):
    with Wire(gjkd, timeout=2) as wire:
        wire.send(junk)
        try:
            assert wire.reply().status >= 400
        except (EOFError, TimeoutError, ConnectionResetError):
            pass
    assert gjkd.get("/livez").status_code == 200


def test_bodies_are_read_but_not_wanted(gjkd):
    """A body where none belongs neither harms nor is taken for the next request."""
    with Wire(gjkd) as wire:
        for _ in range(3):
            wire.send(b"GET /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n"
                      b"Content-Type: application/json\r\n\r\nGET /")
            assert wire.reply().status in (200, 400)
            wire.request("POST", "/v1/distance", PAIR)
            assert is_answer(wire.reply())


LIMIT = 4000


@pytest.fixture(scope="module")
def small():
    daemon = Daemon("--max-body", str(LIMIT))
    yield daemon
    daemon.stop()


def padded(size):
    return PAIR + b" " * (size - len(PAIR))


@pytest.mark.parametrize("framing", ["length", "chunks"])
@pytest.mark.parametrize("size, fits", [(LIMIT - 1, True), (LIMIT, True), (LIMIT + 1, False),
                                        (LIMIT * 50, False)])
def test_a_body_around_the_limit(small, framing, size, fits):
    with Wire(small) as wire:
        body = padded(size)
        try:
            if framing == "length":
                wire.send(HEAD + b"Content-Length: %d\r\n\r\n" % size + body)
            else:
                wire.send(HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + chunks(body, 1000))
        except (BrokenPipeError, ConnectionResetError):
            assert not fits
        if fits:
            assert is_answer(wire.reply())
        else:
            problem.check(wire.reply(), "body-too-large", limit=LIMIT)
            assert wire.closes(5)


def test_an_over_long_body_is_refused_before_it_is_sent(small):
    for extra in (b"", b"Expect: 100-continue\r\n"):
        with Wire(small) as wire:
            wire.send(HEAD + b"Content-Length: 1000000000\r\n" + extra + b"\r\n")
            problem.check(wire.reply(), "body-too-large", limit=LIMIT)


def test_the_refusal_of_an_over_long_body_arrives(small):
    """Also at a client that does not listen before it has sent all, as most do."""
    reply = small.call("POST", "/v1/distance", data=padded(600000),
                       headers={"Content-Type": "application/json"})
    problem.check(reply, "body-too-large", limit=LIMIT)


def test_the_refusal_of_an_over_long_set_says_how_to_store_it(small):
    """The hint at PATCH is worth following: the same shapes fit in two pieces."""
    shapes = {f"s{i}": {"type": "circle", "radius": 1 + i} for i in range(100)}
    halves = [dict(list(shapes.items())[i::2]) for i in range(2)]
    reply = small.put("/v1/sets/large", {"dimension": 2, "shapes": shapes})
    problem.check(reply, "body-too-large", limit=LIMIT, hint="PATCH the others in")
    assert small.put("/v1/sets/large", {"dimension": 2, "shapes": halves[0]}).status_code == 201
    assert small.call("PATCH", "/v1/sets/large", json={"shapes": halves[1]}).status_code == 200
    assert set(small.get("/v1/sets/large").json()["shapes"]) == set(shapes)


def test_expect_100_continue(small):
    with Wire(small) as wire:
        wire.send(HEAD + b"Content-Length: %d\r\nExpect: 100-continue\r\n\r\n" % len(PAIR))
        assert wire.reply().status == 100
        wire.send(PAIR)
        assert is_answer(wire.reply())


def test_the_limit_is_told(small):
    assert small.get("/v1").json()["limits"]["body_bytes_max"] == LIMIT


def test_the_default_limit(gjkd):
    limit = gjkd.get("/v1").json()["limits"]["body_bytes_max"]
    assert limit == 16777216
    headers = {"Content-Type": "application/json"}
    reply = gjkd.call("POST", "/v1/distance", data=padded(limit), headers=headers)
    assert reply.status_code == 200
    with Wire(gjkd) as wire:
        wire.send(HEAD + b"Content-Length: %d\r\n\r\n" % (limit + 1))
        problem.check(wire.reply(), "body-too-large", limit=limit)
