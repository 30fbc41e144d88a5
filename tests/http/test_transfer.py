"""GET /v1/export and POST /v1/import: whole sets of a running daemon, one a line."""

import gzip
import hashlib
import json
import select
import socket
import time

import pytest

import problem
from stored import BOX, everything, kill, open_store, scene  # noqa: F401, a fixture
from stream_wire import WebSocket
from wire import Wire

pytestmark = pytest.mark.http

LINES = "application/x-ndjson"
PACKED = {"Content-Encoding": "gzip"}
MESH = {"type": "hull", "points": [[i % 97 / 7, i % 89 / 3] for i in range(400)]}


def lines(*bodies):
    return "".join(json.dumps(body) + "\n" for body in bodies)


def feed(daemon, text, path="/v1/import", **headers):
    data = text if isinstance(text, bytes) else text.encode()
    return daemon.call("POST", path, data=data, headers={"Content-Type": LINES} | headers)


def place(told):
    return told["errors"][0]["pointer"]


def statuses(reply):
    assert reply.status_code == 200, reply.text
    return {row["name"]: row["status"] for row in reply.json()["sets"]}


def names(reply):
    return [json.loads(line)["name"] for line in reply.text.splitlines()]


def content(daemon):
    return {name: {k: v for k, v in body.items() if k not in ("revision", "tick", "ticks")}
            for name, (_, body) in everything(daemon).items()}


# --- Export ---

def test_an_export_is_every_set_as_get_shows_it(start):
    daemon = start("--demo")
    daemon.store("empty", scene({}))
    daemon.store("big", scene({f"b{i}": MESH for i in range(300)}))  # beyond what GET prints at once
    reply = daemon.get("/v1/export")
    assert reply.headers["Content-Type"] == LINES and "ETag" not in reply.headers
    assert reply.headers["Transfer-Encoding"] == "chunked"
    shown = [daemon.get(f"/v1/sets/{name}").text for name in ("arena2d", "big", "empty", "range3d")]
    assert reply.text == "".join(text + "\n" for text in shown)
    head = daemon.call("HEAD", "/v1/export")
    assert head.status_code == 200 and head.content == b""
    assert daemon.get("/v1/sets").status_code == 200


def test_an_export_of_nothing(start):
    daemon = start()
    assert daemon.get("/v1/export").text == ""
    daemon.store("a1", scene({}))
    assert daemon.get("/v1/export", params={"prefix": "b"}).text == ""
    assert names(daemon.get("/v1/export", params={"prefix": "a"})) == ["a1"]


def test_an_export_of_many_sets(start):
    daemon = start()
    wanted = [f"n{i:04}" for i in range(1500)]
    assert set(statuses(feed(daemon, lines(*(scene({}, name=n) for n in wanted)))).values()) == {201}
    assert names(daemon.get("/v1/export")) == wanted


@pytest.mark.parametrize("options, code", [
    ({"params": {"limit": "1"}}, "bad-request"), ({"params": {"replace": "true"}}, "bad-request"),
    ({"headers": {"Accept": "application/json"}}, "not-acceptable"),
])
def test_a_malformed_export(gjkd, options, code):
    problem.check(gjkd.get("/v1/export", **options), code)


def test_tokens_see_and_write_their_own_sets(start, tmp_path):
    tokens = tmp_path / "tokens"
    rows = {"all": "read,write", "reader": "read", "mine": "write a.", "other": "read b."}
    tokens.write_text("".join(f"{name} {hashlib.sha256(name.encode()).hexdigest()} {what}\n"
                              for name, what in rows.items()))
    tokens.chmod(0o600)
    daemon = start("--token-file", str(tokens))

    def auth(name):
        return {"Authorization": f"Bearer {name}"}

    text = lines(*(scene({}, name=n) for n in ("a.1", "a.2", "b.1")))
    assert set(statuses(feed(daemon, text, **auth("all"))).values()) == {201}
    problem.check(daemon.get("/v1/export"), "unauthenticated")
    problem.check(feed(daemon, text), "unauthenticated")
    problem.check(feed(daemon, text, **auth("reader")), "forbidden")
    assert names(daemon.get("/v1/export", headers=auth("reader"))) == ["a.1", "a.2", "b.1"]
    assert names(daemon.get("/v1/export", headers=auth("other"))) == ["b.1"]
    for prefix, seen in {"b": ["b.1"], "a.": [], "b.1x": []}.items():
        reply = daemon.get("/v1/export", headers=auth("other"), params={"prefix": prefix})
        assert names(reply) == seen
    told = problem.check(feed(daemon, text, "/v1/import?replace=true", **auth("mine")), "forbidden")
    assert place(told) == "/3/name"
    assert [json.loads(line)["revision"] for line in
            daemon.get("/v1/export", headers=auth("reader")).text.splitlines()] == [1, 1, 1]
    told = statuses(feed(daemon, lines(scene({}, name="a.1"), scene({}, name="a.3")), **auth("mine")))
    assert told == {"a.1": 412, "a.3": 201}


@pytest.mark.plain
def test_an_export_goes_on_while_sets_change(start):
    daemon = start()
    for name in "abcd":
        daemon.store(name, scene({f"s{i}": MESH for i in range(400)}))
    with socket.create_connection(("127.0.0.1", daemon.port)) as peer:
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        peer.sendall(b"GET /v1/export HTTP/1.0\r\nHost: localhost\r\n\r\n")
        got = peer.recv(1000)
        daemon.call("DELETE", "/v1/sets/a")  # is being sent
        daemon.call("DELETE", "/v1/sets/c")
        daemon.store("d", scene({"x": BOX}))
        while piece := peer.recv(65536):
            got += piece
    sets = [json.loads(line) for line in got.split(b"\r\n\r\n", 1)[1].splitlines()]
    assert [s["name"] for s in sets] == ["a", "b", "d"]
    assert [len(s["shapes"]) for s in sets] == [400, 400, 1]


@pytest.mark.plain
def test_a_reader_that_stops_keeps_little(start):
    """Many slow readers of a large export: the daemon keeps what is not yet sent of none of them."""
    daemon = start("--max-memory", "256M")
    for i in range(8):
        daemon.store(f"s{i}", scene({f"s{k}": MESH for k in range(500)}))
    before = memory(daemon)
    peers = []
    for _ in range(50):
        peer = socket.create_connection(("127.0.0.1", daemon.port))
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        peer.sendall(b"GET /v1/export HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert peer.recv(100)
        peers.append(peer)
    assert memory(daemon) - before < 50 * (64 << 10)
    assert daemon.get("/v1/sets").status_code == 200
    for peer in peers:
        peer.close()
    end = time.monotonic() + 20
    while memory(daemon) > before + (4 << 20) and time.monotonic() < end:
        time.sleep(0.1)
    assert memory(daemon) <= before + (4 << 20)  # exchanges that are kept for reuse


def memory(daemon):
    for line in daemon.get("/metrics").text.splitlines():
        if line.startswith("gjkd_memory_bytes "):
            return float(line.split()[1])
    raise AssertionError("no such metric")


# --- Import ---

def test_an_import_creates_keeps_and_replaces(start):
    one, two = start(), start()
    for name in ("a", "b", "c"):
        one.store(name, scene({"x": BOX, name: MESH}, meta={"of": name}))
    text = one.get("/v1/export").text
    two.store("b", scene({"kept": BOX}))
    reply = feed(two, text)
    assert statuses(reply) == {"a": 201, "b": 412, "c": 201}
    assert [row["revision"] for row in reply.json()["sets"]] == [1, 1, 1]
    assert list(content(two)["b"]["shapes"]) == ["kept"]
    reply = feed(two, text, "/v1/import?replace=true")
    assert statuses(reply) == {"a": 200, "b": 200, "c": 200}
    assert [row["revision"] for row in reply.json()["sets"]] == [2, 2, 2]
    stripped = [{name: {**body, "shapes": {i: {k: v for k, v in s.items() if k != "handle"}
                                           for i, s in body["shapes"].items()}}
                 for name, body in content(daemon).items()} for daemon in (one, two)]
    assert stripped[0] == stripped[1]


@pytest.mark.parametrize("bad, code, pointer", [
    (json.dumps(scene({"a": {"type": "circle", "radius": -1}}, name="b")), "out-of-range",
     "/3/shapes/a/radius"),
    (json.dumps(scene({"a": {}}, name="b")), "missing-member", "/3/shapes/a/type"),
    (json.dumps(scene({})), "missing-member", "/3/name"),
    (json.dumps(scene({}, name="x/y")), "bad-name", "/3/name"),
    (json.dumps(scene({}, name="a")), "bad-name", "/3/name"),
    ("{\"name\": \"b\", ", "malformed-json", "/3"), ("[]", None, "/3"), ("null", None, "/3"),
    ("{} {}", "malformed-json", "/3"), ("\x00", "malformed-json", "/3"),
])
def test_a_mistake_refuses_all(start, bad, code, pointer):
    daemon = start()
    text = json.dumps(scene({}, name="a")) + "\n \t\r\n" + bad + "\n" + json.dumps(scene({}, name="z"))
    reply = feed(daemon, text)
    assert reply.status_code in (400, 422), reply.text
    told = reply.json()
    assert place(told).startswith(pointer) and code in (None, told["code"]), told
    assert told["status"] == 422 or told["detail"].startswith("line 3, column "), told
    assert feed(daemon, gzip.compress(text.encode()), **PACKED).json() == told
    assert daemon.get("/v1/export").text == ""


@pytest.mark.parametrize("text", ["", "\n", " \r\n\t\n\n"])
def test_an_import_of_nothing(gjkd, text):
    assert feed(gjkd, text).json() == {"sets": []}


def test_media_and_parameters(gjkd):
    problem.check(gjkd.call("POST", "/v1/import", data=b"{}", headers={"Content-Type": "text/plain"}),
                  "unsupported-media-type")
    problem.check(feed(gjkd, "", "/v1/import?replace=yes"), "bad-request")
    problem.check(feed(gjkd, "", "/v1/import?prefix=a"), "bad-request")
    assert feed(gjkd, "", "/v1/import?replace=false").status_code == 200


def test_no_end_of_line_and_windows_ends(start):
    daemon = start()
    text = "\r\n".join(json.dumps(scene({}, name=n)) for n in "ab")
    assert statuses(feed(daemon, text)) == {"a": 201, "b": 201}


SETS_MAX = 10000


@pytest.mark.parametrize("count", [SETS_MAX - 1, SETS_MAX, SETS_MAX + 1])
def test_as_many_sets_as_there_may_be(start, count):
    daemon = start()
    reply = feed(daemon, lines(*(scene({}, name=f"s{i:05}") for i in range(count))))
    if count <= SETS_MAX:
        assert set(statuses(reply).values()) == {201}
        assert len(names(daemon.get("/v1/export"))) == count
    else:
        assert problem.check(reply, "too-many")["limit"] == SETS_MAX
        assert daemon.get("/v1/export").text == ""


def test_sets_before_one_that_has_no_room_stay(start):
    daemon = start()
    daemon.store("z", scene({}))
    text = lines(*(scene({}, name=f"s{i:05}") for i in range(SETS_MAX)))
    told = problem.check(feed(daemon, text), "too-many")
    assert place(told) == "/10000"
    assert len(names(daemon.get("/v1/export"))) == SETS_MAX


@pytest.mark.parametrize("packed", [False, True])
def test_a_body_beyond_the_limit_of_others(start, packed):
    daemon = start("--max-body", "64K")
    text = lines(*(scene({f"b{k}": MESH for k in range(40)}, name=f"s{i}") for i in range(10)))
    assert len(text) > 4 * 65536
    body = gzip.compress(text.encode()) if packed else text
    assert set(statuses(feed(daemon, body, **(PACKED if packed else {}))).values()) == {201}
    problem.check(daemon.put("/v1/sets/x", json.loads(text.splitlines()[0])), "body-too-large")


def test_a_body_beyond_the_memory(start):
    daemon = start("--max-memory", "32M")
    before = memory(daemon)
    text = (" " * 1023 + "\n") * (50 << 10)
    reply = feed(daemon, text)
    assert reply.status_code in (503, 507), reply.text
    line = gzip.compress(b" " * (50 << 20))
    assert feed(daemon, line, **PACKED).status_code in (503, 507)
    assert daemon.get("/v1/export").text == ""
    end = time.monotonic() + 20
    while memory(daemon) > before + (1 << 20) and time.monotonic() < end:
        time.sleep(0.1)
    assert memory(daemon) <= before + (1 << 20)


@pytest.mark.plain
def test_a_packed_body_stays_packed(start):
    """Of a body of 100 MB no more than a line is in memory; nor does one of blank lines need any."""
    daemon = start("--max-memory", "32M", "--request-timeout", "600s")
    statuses(feed(daemon, lines(*(scene({}, name=f"s{i}") for i in range(100)))))
    hull = json.dumps({"type": "hull", "points": [[i % 97 / 7, i * i % 97 / 3] for i in range(30_000)]})
    body = gzip.compress("".join(f'{{"name": "s{i}", "dimension": 2, "shapes": {{"a": {hull}}}}}\n'
                                 for i in range(100)).encode(), 1)
    before, least = memory(daemon), peak(daemon)
    assert len(hull) > 1_000_000 and len(body) < 8 << 20 and set(statuses(feed(daemon, body, **PACKED)).values()) == {412}
    assert memory(daemon) <= before + (1 << 20) and peak(daemon) < least + (30 << 20)
    blank = gzip.compress((b" " * 1023 + b"\n") * (100 << 10))
    assert feed(daemon, blank, **PACKED).json() == {"sets": []}


def peak(daemon):
    with open(f"/proc/{daemon.process.pid}/status", encoding="ascii") as status:
        return 1024 * int(next(line for line in status if line.startswith("VmHWM")).split()[1])


@pytest.mark.parametrize("spoil", [lambda body: body[:-9], lambda body: body[:len(body) // 2],
                                   lambda body: body + b"x", lambda body: body[:-6] + b"x" + body[-5:]])
def test_a_packed_body_that_is_spoilt(start, spoil):
    daemon = start()
    body = gzip.compress(lines(*(scene({"b": MESH}, name=f"s{i}") for i in range(50))).encode())
    problem.check(feed(daemon, spoil(body), **PACKED), "bad-request", detail="gzip")
    assert daemon.get("/v1/export").text == ""
    assert set(statuses(feed(daemon, body, **PACKED)).values()) == {201}


@pytest.mark.parametrize("framing", ["Content-Length: 100000", "Transfer-Encoding: chunked"])
def test_a_body_that_is_cut(start, framing):
    daemon = start()
    line = lines(scene({}, name="a")).encode()
    piece = line if "Length" in framing else b"%x\r\n%s\r\n" % (len(line), line)
    with socket.create_connection(("127.0.0.1", daemon.port)) as peer:
        peer.sendall(b"POST /v1/import HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + LINES.encode()
                     + b"\r\n" + framing.encode() + b"\r\n\r\n" + piece)
        time.sleep(0.2)
    time.sleep(0.2)
    assert daemon.get("/v1/export").text == ""


@pytest.mark.parametrize("first", [1, 1000])
def test_a_body_that_trickles(start, first):
    """Neither a small body nor one that has earned some time keeps its connection."""
    daemon = start("--request-timeout", "1s")
    with socket.create_connection(("127.0.0.1", daemon.port), timeout=20) as peer:
        peer.sendall(b"POST /v1/import HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + LINES.encode()
                     + b"\r\nContent-Length: 1000000\r\n\r\n" + b"\n" * first)
        begun = time.monotonic()
        assert b" 504 " in peer.recv(4096)
        assert 0.5 < time.monotonic() - begun < 10


def test_a_deadline_that_is_given_stands(start):
    daemon = start()
    with socket.create_connection(("127.0.0.1", daemon.port), timeout=20) as peer:
        peer.sendall(b"POST /v1/import HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + LINES.encode()
                     + b"\r\nGjkd-Timeout-Ms: 300\r\nContent-Length: 1000000\r\n\r\n" + b"\n" * 900000)
        begun = time.monotonic()
        assert b" 504 " in peer.recv(4096)
        assert time.monotonic() - begun < 8


def test_both_are_no_calls_on_a_stream(gjkd):
    with WebSocket(gjkd) as stream:
        for method, path in (("GET", "/v1/export"), ("POST", "/v1/import")):
            told = stream.ask(1, method, path)
            assert told["status"] == 400, told


def test_an_import_is_on_the_disk_when_it_is_answered(open_store, tmp_path):
    gjkd = open_store(tmp_path)
    reply = feed(gjkd, lines(*(scene({"x": BOX}, name=f"s{i}") for i in range(200))))
    assert reply.headers["Gjkd-Durability"] == "disk"
    before = content(gjkd)
    kill(gjkd)
    gjkd = open_store(tmp_path)
    assert content(gjkd) == before and len(before) == 200
    gjkd.stop()


def test_queries_go_on_beside_an_import(start):
    daemon = start("--io-threads", "1")
    text = lines(*(scene({f"b{k}": MESH for k in range(60)}, name=f"s{i}") for i in range(10)))
    with Wire(daemon) as wire:
        wire.request("POST", "/v1/import", text.encode(), ["X-Request-Id: import"])
        for _ in range(50):
            assert daemon.get("/v1/sets", params={"limit": 1}).status_code == 200
        assert not select.select([wire.socket], [], [], 0)[0], "it goes on"
        assert wire.reply().status_code == 200
