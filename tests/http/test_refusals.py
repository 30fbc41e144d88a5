"""What is refused before a body is looked at: routes, methods, media, lengths, queries."""

import pytest

import problem
from wire import Wire

PAIR = {"a": {"type": "point"}, "b": {"type": "point"}}


@pytest.mark.parametrize("path", ["/nope", "/v2", "/v1/nope", "/v1/sets/x/nope", "/v1//sets",
                                  "/v1/detect/x", "/v1/sets/x/detect/y", "/V1", "/livez/x",
                                  "/v1/sets%2Fx"])
def test_no_route(gjkd, path):
    problem.check(gjkd.get(path), "route-not-found")


@pytest.mark.http
def test_no_route_of_slashes(gjkd):
    with Wire(gjkd) as wire:  # requests of Debian 13 sends one
        wire.request("GET", "//")
        problem.check(wire.reply(), "route-not-found")


@pytest.mark.parametrize("method, path, allowed", [
    ("POST", "/v1/sets", {"GET", "HEAD"}), ("DELETE", "/v1/sets", {"GET", "HEAD"}),
    ("POST", "/v1/sets/x", {"GET", "HEAD", "PUT", "DELETE"}),
    ("GET", "/v1/detect", {"POST"}), ("PUT", "/v1/sets/x/detect", {"POST"}),
    ("DELETE", "/v1/raycast", {"POST"}), ("HEAD", "/v1/distance", {"POST"}),
    ("POST", "/livez", {"GET", "HEAD"}), ("PUT", "/metrics", {"GET", "HEAD"}),
    ("POST", "/v1", {"GET", "HEAD"}), ("FROB", "/v1/sets/x", {"GET", "HEAD", "PUT", "DELETE"}),
])
def test_method_not_allowed(gjkd, method, path, allowed):
    reply = gjkd.call(method, path)
    assert reply.status_code == 405
    assert allowed <= {m.strip() for m in reply.headers["Allow"].split(",")}
    assert method not in reply.headers["Allow"]
    if method != "HEAD":
        problem.check(reply, "method-not-allowed")


@pytest.mark.parametrize("accept", ["text/plain", "image/*", "application/json;q=0",
                                    "application/xml, text/csv;q=0.5"])
def test_not_acceptable(gjkd, accept):
    problem.check(gjkd.get("/v1/sets", headers={"Accept": accept}), "not-acceptable")
    problem.check(gjkd.post("/v1/detect", PAIR, headers={"Accept": accept}), "not-acceptable")


@pytest.mark.parametrize("accept", ["*/*", "application/json", "application/*", "APPLICATION/JSON",
                                    "text/plain, */*;q=0.1", "application/json; charset=utf-8",
                                    "text/html, application/json;q=0.9"])
def test_acceptable(gjkd, accept):
    assert gjkd.get("/v1/sets", headers={"Accept": accept}).status_code == 200
    assert gjkd.post("/v1/detect", PAIR, headers={"Accept": accept}).status_code == 200


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded",
                                  "application/jsonp", "multipart/form-data; boundary=x", "json"])
def test_unsupported_media_type(gjkd, kind):
    for method, path in (("POST", "/v1/detect"), ("PUT", "/v1/sets/x")):
        reply = gjkd.call(method, path, data=b'{"dimension": 2}', headers={"Content-Type": kind})
        problem.check(reply, "unsupported-media-type")


def test_a_body_without_a_type(gjkd):
    with Wire(gjkd) as wire:
        wire.send(b"POST /v1/detect HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}")
        problem.check(wire.reply(), "unsupported-media-type")


@pytest.mark.parametrize("coding, status", [("br", 415), ("identity", 200)])
def test_an_encoded_body(gjkd, coding, status):
    reply = gjkd.call("POST", "/v1/detect", json=PAIR, headers={"Content-Encoding": coding})
    assert reply.status_code == status


@pytest.mark.parametrize("kind", ["application/json", "application/json; charset=utf-8",
                                  "Application/JSON;charset=UTF-8", "application/json ;x=y"])
def test_supported_media_type(gjkd, kind):
    reply = gjkd.call("POST", "/v1/detect", data=b'{"a":{"type":"point"},"b":{"type":"point"}}',
                      headers={"Content-Type": kind})
    assert reply.status_code == 200


@pytest.mark.parametrize("path", ["/v1/sets/x?field=summary", "/v1/sets/x?fields=everything",
                                  "/v1?x=1", "/livez?x", "/v1/sets/x?fields=summary&x="])
def test_unknown_query_parameters(gjkd, path):
    gjkd.store("x", {"dimension": 2})
    problem.check(gjkd.get(path), "bad-request")


def test_unknown_query_parameters_of_a_query(gjkd):
    problem.check(gjkd.post("/v1/detect?dry=1", PAIR), "bad-request")
    problem.check(gjkd.put("/v1/sets/x?force=1", {"dimension": 2}), "bad-request")


TARGET_BYTES_MAX = 4096
FIELD_BYTES_MAX = 8192  # names and values of all fields, and for each of them
FIELD_OVERHEAD_BYTES = 64
CODES = {414: "uri-too-long", 431: "headers-too-large"}


def answer_to_sizes(gjkd, target_bytes, field_bytes, fields):
    """Asks for a path that is too long to be anything, with that much of everything."""
    path = "/v1/no/such/".ljust(target_bytes, "x")
    with Wire(gjkd) as wire:
        left = field_bytes - len("Host") - len(wire.host) - FIELD_OVERHEAD_BYTES * (fields + 1)
        lines = []
        for i in range(fields, 0, -1):
            lines.append(f"X-{i:03}: ".ljust(left // i + len(": "), "y"))
            left -= left // i
        wire.request("GET", path, headers=lines)
        return wire.reply()


@pytest.mark.parametrize("fields", [1, 12, 40, 70])
@pytest.mark.parametrize("target, fields_bytes, status", [
    (TARGET_BYTES_MAX - 1, 100, 404), (TARGET_BYTES_MAX, 100, 404),
    (TARGET_BYTES_MAX + 1, 100, 414),
    (100, FIELD_BYTES_MAX - 1, 404), (100, FIELD_BYTES_MAX, 404), (100, FIELD_BYTES_MAX + 1, 431),
    (TARGET_BYTES_MAX, FIELD_BYTES_MAX, 404), (TARGET_BYTES_MAX + 1, FIELD_BYTES_MAX, 414),
    (TARGET_BYTES_MAX, FIELD_BYTES_MAX + 1, 431),
])
def test_sizes_of_the_head(gjkd, target, fields_bytes, status, fields):
    reply = answer_to_sizes(gjkd, target, max(fields_bytes, 100 * (fields + 1)), fields)
    assert reply.status == status
    problem.check(reply, CODES.get(status, "route-not-found"))


def test_uri_too_long(gjkd):
    with Wire(gjkd) as wire:
        wire.request("GET", "/v1/sets/" + "x" * 20000)
        reply = wire.reply()
        assert reply.status == 414
        if "problem" in reply.headers.get("content-type", ""):
            problem.check(reply, "uri-too-long")


def test_headers_too_large(gjkd):
    with Wire(gjkd) as wire:
        wire.request("GET", "/v1/sets", headers=[f"X-{i}: {'x' * 1000}" for i in range(100)])
        reply = wire.reply()
        assert reply.status == 431
        if "problem" in reply.headers.get("content-type", ""):
            problem.check(reply, "headers-too-large")


@pytest.mark.parametrize("body", [b"", b"{}"])
def test_a_head_of_any_size_is_answered(gjkd, body):
    """Those too that leave libmicrohttpd, which has 16 KiB for a connection, no memory for an answer."""
    for size in range(15000, 17000, 23):
        with Wire(gjkd) as wire:
            wire.request("POST", "/v1/detect", body, headers=["X: " + "y" * size])
            assert wire.reply().status == 431, size
            assert wire.closes(10)
    for count in range(120, 150):
        with Wire(gjkd) as wire:
            wire.request("POST", "/v1/detect", body, headers=[f"X-{i:03}: {'y' * 40}" for i in range(count)])
            assert wire.reply().status == 431, count
    for size in (*range(15000, 16200, 23), *range(16200, 16500, 3), *range(16500, 17000, 23)):
        with Wire(gjkd) as wire:
            wire.request("POST", "/v1/" + "x" * size, body)
            assert wire.reply().status in (414, 431), size


PARAMETERS_MAX = 32


@pytest.mark.parametrize("pattern", ["&", "a&", "ab=1&", "abcdefgh=" + "1" * 40 + "&", "prefix"])
def test_a_target_of_any_parameters_is_answered(gjkd, pattern):
    """Those too for which libmicrohttpd has no memory; it has 16 KiB for a connection."""
    start = "/v1/sets?"
    for size in (TARGET_BYTES_MAX, TARGET_BYTES_MAX + 1, *range(4500, 16300, 503),
                 *range(16300, 16384, 7)):
        with Wire(gjkd) as wire:
            wire.request("GET", (start + pattern * size)[:size])
            reply = wire.reply()
            if size < 16340:  # of a longer line the parser says so itself
                problem.check(reply, "uri-too-long" if size > TARGET_BYTES_MAX else "bad-request")
            assert reply.status in (400, 414), size
            assert size <= TARGET_BYTES_MAX or wire.closes(10)
    with Wire(gjkd) as wire:
        wire.request("GET", "/livez")
        assert wire.reply().status == 200
        wire.request("POST", start + pattern * 8000 + "&", b"{}")
        assert wire.reply().status == 414
        assert wire.closes(10)


def test_as_many_parameters_as_there_may_be(gjkd):
    start = "/v1/sets?limit=1"
    assert gjkd.get(start + "&" * (PARAMETERS_MAX - 1)).status_code == 200
    problem.check(gjkd.get(start + "&" * PARAMETERS_MAX), "bad-request")
    problem.check(gjkd.get("/v1/no/such/" + "&" * 100), "route-not-found")  # these are its path's


@pytest.mark.parametrize("count", [130, 150, 200, 400, 1000, 10000])
@pytest.mark.parametrize("line", ["X: y", "X-Long-{}: " + "y" * 50])
def test_floods_of_fields(gjkd, count, line):
    """Refused as what they are; a flood that overflows the parser by the parser itself."""
    with Wire(gjkd) as wire:
        try:
            wire.send("".join(["GET /livez HTTP/1.1\r\nHost: localhost\r\n"] +
                              [line.format(i) + "\r\n" for i in range(count)] + ["\r\n"]).encode())
            reply = wire.reply()
            assert reply.status == 431
            if len(line) < 5 and count <= 150:
                problem.check(reply, "headers-too-large")
        except ConnectionError:
            assert count >= 1000  # it was still sending
    assert gjkd.get("/livez").status_code == 200


@pytest.mark.parametrize("value", ["soon", "-5", "1.5", "", "99999999999999999999x"])
def test_a_bad_timeout(gjkd, value):
    problem.check(gjkd.post("/v1/detect", PAIR, headers={"Gjkd-Timeout-Ms": value}), "bad-request")


@pytest.mark.parametrize("value", ["9999999999999999", "18446744073709551616", "9" * 100, "0" * 30 + "9000"])
def test_a_timeout_may_be_as_long_as_it_likes(gjkd, value):
    """It only ever shortens the daemon's own."""
    assert gjkd.post("/v1/detect", PAIR, headers={"Gjkd-Timeout-Ms": value}).status_code == 200


def test_a_deadline_that_cannot_be_met(gjkd, name):
    """All pairs of some thousand overlapping hulls take far longer than a millisecond."""
    hull = {"type": "hull", "points": [[i % 7, i % 5, i % 3] for i in range(105)]}
    gjkd.store(name, {"dimension": 3, "shapes": {f"h{i}": hull for i in range(600)}})
    reply = gjkd.post(f"/v1/sets/{name}/detect", {}, headers={"Gjkd-Timeout-Ms": "1"})
    problem.check(reply, "deadline-exceeded")
    assert gjkd.post("/v1/detect", PAIR, headers={"Gjkd-Timeout-Ms": "30000"}).status_code == 200


@pytest.mark.parametrize("code", sorted(problem.STATUS))
def test_every_code_is_explained(gjkd, code):
    reply = gjkd.get(f"/problems/{code}")
    assert reply.status_code == 200
    told = reply.json()
    assert told["code"] == code and told["status"] == problem.STATUS[code]
    assert told["type"] == f"/problems/{code}"
    assert problem.is_text(told["title"]) and len(told["detail"]) > 20


def test_no_such_code(gjkd):
    assert gjkd.get("/problems/nope").status_code == 404
