"""Whole requests, spoiled at random, on connections of their own: whatever comes, the daemon says
something that is HTTP or hangs up, and goes on serving. Under a sanitizer it would also tell of
what it did wrong in memory. GJKD_MUTATIONS says how many; a failure names its seed."""

import json
import os
import random
import re
import socket

import pytest

# A full run has 50 times as many.
MUTATIONS = int(os.environ.get("GJKD_MUTATIONS", "10000" if os.environ.get("GJKD_FULL") else "200"))
SEEDS = 4
PATIENCE_S = 0.3  # for the answer to what may be half a request
STATUS = re.compile(rb"HTTP/1\.[01] (\d{3}) ")
# What a spoiled request may be answered with: not 500, and nothing that HTTP does not have.
ALLOWED = {200, 201, 204, 304, 400, 403, 404, 405, 406, 409, 410, 411, 412, 413, 414, 415, 422, 431,
           501, 504, 505}
BALL = {"type": "circle", "radius": 1}
SEEDED = [
    ("GET", "/v1/sets", None), ("GET", "/v1/sets/{set}", None), ("GET", "/livez", None),
    ("GET", "/v1/sets/{set}/shapes/a%2Fb", None), ("DELETE", "/v1/sets/{set}/shapes/b", None),
    ("GET", "/v1/sets/{set}/ticks/1.5", None), ("HEAD", "/v1/sets/{set}?fields=summary", None),
    ("PUT", "/v1/sets/{set}", {"dimension": 2, "history": {"ticks": 4},
                               "shapes": {"a/b": BALL, "b": BALL}}),
    ("PATCH", "/v1/sets/{set}", {"shapes": {"b": {"position": [1, 2]}, "a/b": None}}),
    ("PUT", "/v1/sets/{set}/ticks/7", {"shapes": {"b": {"position": [3, 4], "teleport": True}}}),
    ("POST", "/v1/sets/{set}/raycast", {"origin": [-5, 0], "direction": [1, 0], "mode": "all"}),
    ("POST", "/v1/distance", {"a": BALL, "b": BALL | {"position": [5, 1e-9]}}),
    ("POST", "/v1/sets/{set}/batch", {"queries": [{"op": "detect"}, {"op": "distance", "a": "b"}]}),
    ("POST", "/v1/sets/{set}/hit", {"shooter": "x", "claim": {"id": "b"},
                                    "ray": {"origin": [-9, 0], "direction": [1, 0]}}),
]
BYTES = [b"\0", b"\r\n", b"\n", b" ", b":", b"%2F", b"%00", b"..", b'"', b"{", b"]", b"\xff", b"-", b"1e999",
         b"Content-Length: 5\r\n", b"Transfer-Encoding: chunked\r\n", b"HTTP/1.1", b"A" * 5000]


def whole(daemon, name, method, path, body):
    data = b"" if body is None else json.dumps(body).encode()
    lines = [f"{method} {path.format(set=name)} HTTP/1.1", f"Host: {daemon.host}:{daemon.port}",
             "If-None-Match: \"0-1\"", "Gjkd-Timeout-Ms: 5000", "X-Request-Id: r-1"]
    if data:
        lines += ["Content-Type: application/json", f"Content-Length: {len(data)}"]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + data


def spoil(rng, request):
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(request) + 1)
        to = min(len(request), at + rng.choice((0, 1, 2, 8, 40)))
        piece = rng.choice((rng.choice(BYTES), rng.randbytes(rng.randint(1, 4)), b"", request[at:to] * 2))
        request = request[:at] + piece + request[to:]
    return request


def exchange(daemon, request):
    """All that comes back until the daemon hangs up or keeps silent."""
    answer = b""
    with socket.create_connection((daemon.host, daemon.port), PATIENCE_S) as connection:
        try:
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
            while piece := connection.recv(65536):
                answer += piece
        except OSError:  # reset, or nothing for a while
            pass
    return answer


@pytest.mark.parametrize("seed", range(SEEDS))
def test_spoiled_requests(gjkd, name, seed):
    rng = random.Random(seed)
    gjkd.store(name, SEEDED[7][2])
    answered = 0
    for i in range(MUTATIONS // SEEDS):
        request = spoil(rng, whole(gjkd, name, *rng.choice(SEEDED)))
        answer = exchange(gjkd, request)
        if answer:
            status = STATUS.match(answer)
            assert status and int(status[1]) in ALLOWED, (seed, i, request, answer[:400])
            answered += 1
    assert answered > MUTATIONS // SEEDS // 2  # most are still requests
    assert gjkd.get("/livez").status_code == 200
    assert gjkd.get("/v1/sets").status_code == 200
