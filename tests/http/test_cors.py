"""Pages of other origins: who may read answers in a browser."""

import pytest

from daemon import Daemon, run_to_end

pytestmark = pytest.mark.http

HOME = "https://game.example"
TOOL = "http://localhost:3000"


@pytest.fixture(scope="module")
def shared():
    daemon = Daemon("--cors-origin", HOME, f"--cors-origin={TOOL},https://other.example", "--demo")
    yield daemon
    daemon.stop()


def cors(reply):
    return {k.lower(): v for k, v in reply.headers.items()
            if k.lower().startswith("access-control-")}


@pytest.mark.parametrize("origin", [HOME, TOOL, "https://other.example"])
def test_an_allowed_origin(shared, origin):
    reply = shared.get("/v1/sets/arena2d?fields=summary", headers={"Origin": origin})
    assert reply.status_code == 200 and "Origin" in reply.headers["Vary"]
    assert cors(reply)["access-control-allow-origin"] == origin
    exposed = {x.strip() for x in cors(reply)["access-control-expose-headers"].split(",")}
    assert {"ETag", "Retry-After", "X-Request-Id", "Server-Timing", "Location"} <= exposed
    assert "access-control-allow-credentials" not in cors(reply)


@pytest.mark.parametrize("origin", [
    "https://evil.example", "http://game.example", "https://game.example:8443", "null",
    "https://game.example.evil", "https://GAME.example", "https://game.example/",
    "https://evil.example, https://game.example", "*", "", "https://game.exampl"])
def test_a_foreign_origin_is_told_nothing(shared, origin):
    for method, path in (("GET", "/v1"), ("OPTIONS", "/v1"), ("GET", "/nope")):
        headers = {"Origin": origin, "Access-Control-Request-Method": "POST"}
        reply = shared.call(method, path, headers=headers)
        assert cors(reply) == {} and reply.headers["Vary"] == "Origin"


def test_no_origin(shared):
    reply = shared.get("/v1")
    assert cors(reply) == {} and reply.headers["Vary"] == "Origin"


@pytest.mark.parametrize("path", ["/v1/sets/arena2d/detect", "/v1/sets/nowhere", "/v1/detect",
                                  "/livez"])
def test_a_preflight(shared, path):
    reply = shared.call("OPTIONS", path, headers={
        "Origin": HOME, "Access-Control-Request-Method": "PUT",
        "Access-Control-Request-Headers": "if-match,authorization,content-type"})
    assert reply.status_code == 204 and reply.content == b""
    told = cors(reply)
    assert told["access-control-allow-origin"] == HOME
    assert int(told["access-control-max-age"]) >= 600
    methods = {x.strip() for x in told["access-control-allow-methods"].split(",")}
    assert {"GET", "HEAD", "PUT", "POST", "PATCH", "DELETE"} <= methods
    headers = {x.strip().lower() for x in told["access-control-allow-headers"].split(",")}
    assert "content-encoding" in headers, "a page may send its body packed"
    assert {"if-match", "if-none-match", "gjkd-min-revision", "gjkd-timeout-ms", "authorization",
            "content-type", "x-request-id"} <= headers
    assert reply.headers["Vary"] == "Origin"


def test_refusals_can_be_read_too(shared):
    for path in ("/nope", "/v1/sets/nowhere"):
        reply = shared.get(path, headers={"Origin": HOME})
        assert reply.status_code == 404
        assert cors(reply)["access-control-allow-origin"] == HOME
    reply = shared.get("/v1", headers={"Origin": HOME, "X": "x" * 9000})
    assert reply.status_code == 431 and cors(reply)["access-control-allow-origin"] == HOME


def test_options_without_a_page(shared):
    reply = shared.call("OPTIONS", "/v1")
    assert reply.status_code == 405 and "GET" in reply.headers["Allow"]


def test_any_origin(start):
    daemon = start("--cors-origin=*")
    for origin in (HOME, "null"):
        reply = daemon.get("/v1", headers={"Origin": origin})
        assert cors(reply)["access-control-allow-origin"] == "*" and "Vary" not in reply.headers


def test_without_the_flag_nobody(gjkd):
    headers = {"Origin": HOME, "Access-Control-Request-Method": "POST"}
    assert cors(gjkd.get("/v1", headers=headers)) == {}
    assert gjkd.call("OPTIONS", "/v1", headers=headers).status_code == 405


def test_a_preflight_needs_no_token(start, tmp_path):
    path = tmp_path / "tokens"
    path.write_text("")
    daemon = start("--token-file", str(path), "--cors-origin", HOME)
    headers = {"Origin": HOME, "Access-Control-Request-Method": "POST"}
    assert daemon.call("OPTIONS", "/v1/detect", headers=headers).status_code == 204
    reply = daemon.post("/v1/detect", {}, headers=headers)
    assert reply.status_code == 401 and cors(reply)["access-control-allow-origin"] == HOME
    assert daemon.call("OPTIONS", "/v1/detect").status_code == 401


@pytest.mark.parametrize("origin", ["game.example", "https://game.example/", "null",
                                    "https://Game.example", ""])
def test_bad_origins_are_refused_at_the_start(origin):
    ended = run_to_end("--cors-origin", origin)
    assert ended.returncode == 2 and "--cors-origin" in ended.stderr
