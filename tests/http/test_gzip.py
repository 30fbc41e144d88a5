"""gzip both ways: Content-Encoding of bodies, Accept-Encoding of answers."""

import concurrent.futures
import gzip
import json
import random
import socket
import time
import zlib

import pytest
import requests

import problem
from test_operations import samples, total

pytestmark = pytest.mark.http

JSON = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
SET = {"dimension": 2, "shapes": {f"s{i}": {"type": "circle", "radius": 1} for i in range(50)}}


def send(gjkd, method, path, data, **headers):
    """Sends bytes as they are; the packed body is not what the description is about."""
    return requests.request(method, gjkd.url + path, data=data, headers=JSON | headers, timeout=60)


def packed(body):
    return gzip.compress(json.dumps(body).encode(), mtime=0)


@pytest.mark.parametrize("method, path, code", [
    ("POST", "detect", "set-not-found"), ("POST", "ticks/1", "set-not-found"),
    ("PATCH", "shapes/a", None), ("PUT", "ticks/1", None)])
def test_a_question_needs_its_set_first_a_write_its_body(gjkd, method, path, code):
    target = f"/v1/sets/missing/{path}"
    broken = send(gjkd, method, target, packed({})[:-3])
    problem.check(broken, code or "bad-request")
    plain = send(gjkd, method, target, "{", **{"Content-Encoding": "identity"})
    problem.check(plain, code or "malformed-json")


@pytest.mark.parametrize("coding", ["gzip", "GZIP", "x-gzip"])
def test_a_packed_body_is_the_same_body(gjkd, name, coding):
    reply = send(gjkd, "PUT", f"/v1/sets/{name}", packed(SET), **{"Content-Encoding": coding})
    assert reply.status_code == 201, reply.text
    assert reply.json()["shapes"] == 50
    query = {"a": "s1", "b": "s2"}
    answer = send(gjkd, "POST", f"/v1/sets/{name}/detect", packed(query)).json()
    assert answer == gjkd.ask(f"/v1/sets/{name}/detect", query)


def test_piece_by_piece_and_in_members(gjkd, name):
    text = json.dumps(SET).encode()
    members = gzip.compress(text[:100], mtime=0) + gzip.compress(text[100:], mtime=0)

    def trickle():
        for i in range(0, len(members), 7):
            yield members[i:i + 7]
    assert send(gjkd, "PUT", f"/v1/sets/{name}", trickle()).status_code == 201


WHOLE = packed({"a": {"type": "point"}, "b": {"type": "point"}})


@pytest.mark.parametrize("body", [
    WHOLE[:-1], WHOLE[:-8], WHOLE[:20], WHOLE[:5], WHOLE + b"x", WHOLE + b"\0" * 20, b"{}",
    WHOLE[:-8] + bytes([WHOLE[-8] ^ 1]) + WHOLE[-7:],
    WHOLE[:-4] + bytes([WHOLE[-4] ^ 1]) + WHOLE[-3:],
    zlib.compress(b"{}"), WHOLE + WHOLE[:10]], ids=range(11))
def test_what_is_no_gzip(gjkd, body):
    problem.check(send(gjkd, "POST", "/v1/detect", body), "bad-request", detail="gzip")


@pytest.mark.parametrize("coding", ["br", "deflate", "gzip, gzip", "zstd", "gzip, br"])
def test_other_codings(gjkd, coding):
    reply = send(gjkd, "POST", "/v1/detect", WHOLE, **{"Content-Encoding": coding})
    problem.check(reply, "unsupported-media-type")


def test_identity(gjkd):
    body = gzip.decompress(WHOLE)
    assert send(gjkd, "POST", "/v1/detect", body, **{"Content-Encoding": "identity"}).status_code == 200


def test_an_empty_packed_body(gjkd):
    problem.check(send(gjkd, "POST", "/v1/detect", gzip.compress(b"", mtime=0)), "malformed-json")


@pytest.mark.parametrize("extra, status", [(-1, 200), (0, 200), (1, 413)])
def test_the_limit_is_that_of_the_unpacked_body(start, extra, status):
    daemon = start("--max-body", "65536")
    text = gzip.decompress(WHOLE)
    body = gzip.compress(text + b" " * (65536 + extra - len(text)))
    reply = send(daemon, "POST", "/v1/detect", body)
    assert reply.status_code == status, reply.text
    if status == 413:
        problem.check(reply, "body-too-large", limit=65536, hint="x-protobuf")


def test_a_bomb_costs_no_memory(start):
    daemon = start("--max-body", "1048576")
    pid = daemon.process.pid

    def peak_kb():
        with open(f"/proc/{pid}/status") as status:
            return int(next(line for line in status if line.startswith("VmHWM")).split()[1])
    bomb = gzip.compress(bytes(1 << 29), 9)
    assert len(bomb) < 1 << 20
    before = peak_kb()
    problem.check(send(daemon, "POST", "/v1/detect", bomb), "body-too-large")
    assert peak_kb() - before < 16384
    assert send(daemon, "POST", "/v1/detect", WHOLE).status_code == 200


# --- Answers ---

def raw(gjkd, path, method="GET", **headers):
    """The reply with its bytes as they came."""
    reply = requests.request(method, gjkd.url + path, headers={"Accept-Encoding": None} | headers,
                             timeout=60, stream=True)
    reply.bytes = reply.raw.read(decode_content=False)
    return reply


@pytest.mark.parametrize("accept, wanted", [
    ("gzip", True), ("br, gzip", True), ("GZIP;q=0.5", True), ("*", True), ("*;q=0.1", True),
    ("gzip;q=0.5, identity;q=0.5", True), ("deflate, *", True),
    ("identity", False), ("gzip;q=0", False), ("*, gzip;q=0", False), ("", False), ("br", False),
    ("gzip;q=0.5, identity", False), ("gzipped", False)])
def test_who_gets_gzip(gjkd, name, accept, wanted):
    gjkd.store(name, SET)
    reply = raw(gjkd, f"/v1/sets/{name}", **{"Accept-Encoding": accept})
    assert (reply.headers.get("Content-Encoding") == "gzip") == wanted
    assert "Accept-Encoding" in reply.headers["Vary"]
    plain = raw(gjkd, f"/v1/sets/{name}")
    assert "Content-Encoding" not in plain.headers and "Accept-Encoding" in plain.headers["Vary"]
    assert (gzip.decompress(reply.bytes) if wanted else reply.bytes) == plain.bytes
    assert int(reply.headers["Content-Length"]) == len(reply.bytes)
    head = raw(gjkd, f"/v1/sets/{name}", "HEAD", **{"Accept-Encoding": accept})
    assert {k: v for k, v in head.headers.items() if k in ("Content-Length", "ETag", "Vary")} == \
        {k: v for k, v in reply.headers.items() if k in ("Content-Length", "ETag", "Vary")}


def reused(daemon):
    """(bodies packed, bodies reused) so far."""
    found = samples(daemon)[0]
    return tuple(total(found, f"gjkd_packed_{what}_total") for what in ("made", "reused"))


@pytest.mark.parametrize("count", [100, 2000, 20000])
def test_the_same_bytes_are_packed_once(start, count):
    """A set in one piece, one that a loop would not print, and one that is streamed."""
    daemon = start()
    body = {"dimension": 2, "shapes": {f"s{i}": {"type": "circle", "radius": 1 + i} for i in range(count)}}
    daemon.store("s", body)
    for path in ("/v1/sets/s", "/openapi.json"):
        made, before = reused(daemon)
        first, *others = [raw(daemon, path, **{"Accept-Encoding": "gzip"}) for _ in range(3)]
        head = raw(daemon, path, "HEAD", **{"Accept-Encoding": "gzip"})
        assert reused(daemon) == (made + 1, before + 3)
        assert gzip.decompress(first.bytes) == raw(daemon, path).bytes
        for reply in others:
            assert reply.bytes == first.bytes and reply.headers["Vary"] == first.headers["Vary"]
            assert reply.headers["ETag"] == first.headers["ETag"]
            assert reply.headers["Content-Type"] == first.headers["Content-Type"]
        assert head.headers["Content-Length"] == str(len(first.bytes))
    assert total(samples(daemon)[0], "gjkd_packed_bytes") > len(first.bytes)


def test_what_has_changed_is_packed_anew(start):
    daemon = start()
    gzipped = {"Accept-Encoding": "gzip"}
    daemon.store("s", {"dimension": 2, "shapes": {f"s{i}": {"type": "point"} for i in range(500)}})
    for i in range(3):
        daemon.call("PATCH", "/v1/sets/s", json={"shapes": {"s1": {"position": [i, 0]}}})
        assert raw(daemon, "/v1/sets/s", **gzipped).bytes == raw(daemon, "/v1/sets/s", **gzipped).bytes
        told = json.loads(gzip.decompress(raw(daemon, "/v1/sets/s", **gzipped).bytes))
        assert told["shapes"]["s1"]["position"] == [i, 0]
    assert reused(daemon) == (3, 6)
    daemon.call("DELETE", "/v1/sets/s")
    assert raw(daemon, "/v1/sets/s", **gzipped).status_code == 404


def test_bodies_of_one_tag_are_told_apart(start):
    """A region and its pieces have one tag; so have a set and its summary."""
    daemon = start()
    ring = [[i, (i * i) % 7] for i in range(300)]
    region = {"type": "region", "polygons": [[ring + [[299, -9], [0, -9]]]]}
    daemon.store("s", {"dimension": 2, "shapes": {"r": region}})
    for path in ("/v1/sets/s/shapes/r", "/v1/sets/s/shapes/r?fields=pieces", "/v1/sets/s?fields=summary", "/v1/sets/s"):
        for _ in range(2):
            assert gzip.decompress(raw(daemon, path, **{"Accept-Encoding": "gzip"}).bytes) == raw(daemon, path).bytes


def test_a_64th_of_the_memory_keeps_packed_bodies(start):
    daemon = start("--max-memory=64M")
    bodies = {f"s{i}": {"type": "point", "meta": str(random.Random(i).getrandbits(4000))} for i in range(50)}
    daemon.store("s", {"dimension": 2, "shapes": bodies})
    for i in range(40):
        daemon.call("PATCH", "/v1/sets/s", json={"meta": i})
        assert raw(daemon, "/v1/sets/s", **{"Accept-Encoding": "gzip"}).status_code == 200
        assert total(samples(daemon)[0], "gjkd_packed_bytes") <= 1 << 20
    assert reused(daemon) == (40, 0) and total(samples(daemon)[0], "gjkd_packed_bytes") > 3 << 18


def test_tags_of_both_forms_are_accepted(gjkd, name):
    gjkd.store(name, SET)
    path = f"/v1/sets/{name}/shapes/s1"
    stored = gjkd.get(path).headers["ETag"]
    plain, zipped = raw(gjkd, path), raw(gjkd, path, **{"Accept-Encoding": "gzip"})
    assert plain.headers["ETag"] == stored
    assert zipped.headers["ETag"] == stored[:-1] + '-gzip"'
    for tag in (stored, zipped.headers["ETag"]):
        for accept in ("gzip", "identity"):
            reply = raw(gjkd, path, **{"If-None-Match": tag, "Accept-Encoding": accept})
            assert reply.status_code == 304 and reply.bytes == b""
            assert reply.headers["ETag"] == (zipped if accept == "gzip" else plain).headers["ETag"]
    changed = gjkd.call("PATCH", path, json={"radius": 2}, headers={"If-Match": zipped.headers["ETag"]})
    assert changed.status_code == 200
    late = gjkd.call("PATCH", path, json={"radius": 2}, headers={"If-Match": zipped.headers["ETag"]})
    problem.check(late, "revision-mismatch")
    for wrong in (stored[:-1] + '-gzi"', stored[:-1] + '-gzip-gzip"', '"-gzip"'):
        reply = gjkd.call("PATCH", path, json={"radius": 2}, headers={"If-Match": wrong})
        problem.check(reply, "revision-mismatch")


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("path", ["", "?fields=summary", "/shapes/s1", "/ticks/1", "/ticks"])
def test_not_modified_is_told_as_the_answer_would_be(gjkd, name, path, method):
    """The same tag and Vary, whichever of the forms is known, alone, weak or in a list."""
    many = {f"s{i}": {"type": "circle", "radius": 1, "position": [i, 0.1]} for i in range(2000)}
    gjkd.store(name, {"dimension": 2, "history": {"ticks": 2}, "shapes": many})
    assert gjkd.put(f"/v1/sets/{name}/ticks/1", {"shapes": {}}).ok
    for accept in ("gzip", "identity"):
        whole = raw(gjkd, f"/v1/sets/{name}{path}", method, **{"Accept-Encoding": accept})
        tag = whole.headers["ETag"]
        for known in (tag, "W/" + tag, f'"a", {tag}', f'{tag} , W/"b"'):
            reply = raw(gjkd, f"/v1/sets/{name}{path}", method,
                        **{"Accept-Encoding": accept, "If-None-Match": known})
            assert reply.status_code == 304 and reply.bytes == b""
            assert reply.headers["ETag"] == tag
            assert "Vary" not in whole.headers or reply.headers["Vary"] == whole.headers["Vary"]
        for known in (tag[:-1] + 'x"', f'"a", W/{tag[:-1]}-gzi"'):
            assert raw(gjkd, f"/v1/sets/{name}{path}", method,
                       **{"Accept-Encoding": accept, "If-None-Match": known}).status_code == 200


def test_events_go_on_from_the_tag_of_a_packed_answer(gjkd, name):
    gjkd.store(name, SET)
    tag = raw(gjkd, f"/v1/sets/{name}", **{"Accept-Encoding": "gzip"}).headers["ETag"].strip('"')
    assert tag.endswith("-gzip")
    assert gjkd.call("PATCH", f"/v1/sets/{name}/shapes/s1", json={"radius": 2}).ok
    for since in (tag, tag[:-5]):
        with requests.get(f"{gjkd.url}/v1/sets/{name}/events?since={since}", stream=True,
                          timeout=60) as events:
            assert events.status_code == 200
            lines = events.iter_lines()
            event = next(line for line in lines if line.startswith(b"data:"))
            assert list(json.loads(event[5:])["shapes"]) == ["s1"]
    for wrong in (tag + "-gzip", tag[:-1], tag[:-5] + "-", tag[:-5] + "-br"):
        problem.check(gjkd.get(f"/v1/sets/{name}/events?since={wrong}"), "bad-request")


@pytest.mark.parametrize("path", ["/openapi.json", "/gjkd.proto", "/playground/playground.js", "/"])
def test_files_are_packed(gjkd, path):
    reply = raw(gjkd, path, **{"Accept-Encoding": "gzip", "Accept": "*/*"})
    assert reply.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(reply.bytes) == raw(gjkd, path, Accept="*/*").bytes


@pytest.mark.parametrize("path", ["/openapi.json", "/gjkd.proto", "/playground/playground.js", "/"])
def test_files_have_tags_too(gjkd, path):
    page = {"Accept": "text/html"} if path == "/" else {}
    plain, zipped = (raw(gjkd, path, **page, **{"Accept-Encoding": coding}) for coding in ("identity", "gzip"))
    tag = plain.headers["ETag"]
    assert zipped.headers["ETag"] == tag[:-1] + '-gzip"'
    for known in (tag, zipped.headers["ETag"], f'"other", W/{tag}', "*"):
        reply = raw(gjkd, path, **page, **{"If-None-Match": known, "Accept-Encoding": "gzip"})
        assert reply.status_code == 304 and reply.bytes == b""
        assert reply.headers["ETag"] == zipped.headers["ETag"]
    assert raw(gjkd, path, **page, **{"If-None-Match": '"other"'}).status_code == 200
    assert raw(gjkd, path, **page, **{"If-Match": '"other"'}).status_code == 412
    if path == "/":
        assert raw(gjkd, path, Accept="*/*", **{"If-None-Match": tag}).status_code == 200


def test_other_answers_are_packed_where_they_are_large(gjkd, name):
    gjkd.store(name, {"dimension": 2, "shapes": {
        f"s{i}": {"type": "circle", "radius": 1} for i in range(400)}})
    for limit, wanted in ((5, False), (400, True)):
        body = {"a": {"type": "circle", "radius": 1}, "limit": limit}
        reply = requests.post(f"{gjkd.url}/v1/sets/{name}/detect", json=body, timeout=60)
        assert (reply.headers.get("Content-Encoding") == "gzip") == wanted
        assert reply.json() == gjkd.ask(f"/v1/sets/{name}/detect", body, headers={
            "Accept-Encoding": "identity"})


def test_an_export_is_packed_while_it_is_sent(start):
    daemon = start()
    mesh = {"type": "hull", "points": [[i % 97 / 7, i % 89 / 3] for i in range(400)]}
    for i in range(3):
        daemon.store(f"big{i}", {"dimension": 2, "shapes": {f"b{j}": mesh for j in range(300)}})
    plain = raw(daemon, "/v1/export")
    assert "Content-Encoding" not in plain.headers and plain.headers["Vary"] == "Accept-Encoding"
    reply = raw(daemon, "/v1/export", **{"Accept-Encoding": "gzip"})
    assert reply.headers["Content-Encoding"] == "gzip" and reply.headers["Vary"] == "Accept-Encoding"
    assert gzip.decompress(reply.bytes) == plain.bytes and len(reply.bytes) < len(plain.bytes) / 4
    again = send(daemon, "POST", "/v1/import?replace=true", reply.bytes, **{"Content-Type": "application/x-ndjson"})
    assert [row["status"] for row in again.json()["sets"]] == [200] * 3
    nothing = raw(daemon, "/v1/export?prefix=small", **{"Accept-Encoding": "gzip"})
    assert gzip.decompress(nothing.bytes) == b""


def test_an_export_of_the_same_bytes_is_packed_a_little_at_a_time(start):
    """A loop does that, which serves others meanwhile; each time it sends a chunk."""
    daemon = start()
    shape = {"type": "circle", "radius": 1, "meta": "a" * 4000}
    daemon.store("same", {"dimension": 2, "shapes": {f"s{i:04}": shape for i in range(2000)}})
    with socket.create_connection((daemon.host, daemon.port), 60) as client:
        client.sendall(b"GET /v1/export HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Encoding: gzip\r\n\r\n")
        stream = client.makefile("rb")
        while stream.readline() != b"\r\n":
            pass
        chunks = []
        while length := int(stream.readline(), 16):
            chunks.append(stream.read(length))
            stream.readline()
    unpacker = zlib.decompressobj(31)
    lengths = [len(unpacker.decompress(chunk)) for chunk in chunks]
    assert sum(lengths) > 8_000_000 and max(lengths) <= 150_000, lengths


def test_problems_are_not_packed(gjkd):
    reply = raw(gjkd, "/v1/sets/none", **{"Accept-Encoding": "gzip"})
    assert reply.status_code == 404 and "Content-Encoding" not in reply.headers


CROWD = {"dimension": 2, "shapes": {
    f"s{i}": {"type": "circle", "radius": 3, "position": [i % 60, i // 60]} for i in range(600)}}


def leave(gjkd, timeout_ms, pause_s, again):
    """Asks for a long packed answer that comes too late, and closes or sends the next request."""
    body = b'{"penetration":false,"limit":60000}'
    request = (f"POST /v1/sets/crowd/detect HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n"
               f"Content-Type: application/json\r\nGjkd-Timeout-Ms: {timeout_ms}\r\n"
               f"If-Match: *\r\nX-Padding: {'x' * 2000}\r\n"
               f"Content-Length: {len(body)}\r\n\r\n").encode() + body
    with socket.create_connection((gjkd.host, gjkd.port), 30) as client:
        client.sendall(request)
        if again:
            client.settimeout(30)
            assert client.recv(12) in (b"HTTP/1.1 504", b"HTTP/1.1 200")
            client.sendall(request.replace(b"Accept-Encoding: gzip", b"Accept-Encoding: "))
        time.sleep(pause_s)


def test_late_answers_need_nothing_of_their_connection(start):
    """A request owns its head: its worker reads that after the connection has gone. Under ASan."""
    gjkd = start("--io-threads", "2", "--workers", "2")
    gjkd.store("crowd", CROWD)
    begun = time.monotonic()
    assert gjkd.call("POST", "/v1/sets/crowd/detect", json={"penetration": False}).status_code == 200
    whole_ms = max(2, (time.monotonic() - begun) * 1e3)

    def many(seed):
        rng = random.Random(seed)
        for _ in range(20):
            leave(gjkd, max(1, int(rng.uniform(0.1, 1.5) * whole_ms)), rng.uniform(0, 0.01),
                  rng.random() < 0.5)

    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        list(pool.map(many, range(6)))
    assert gjkd.get("/livez").status_code == 200
    gjkd.stop()
