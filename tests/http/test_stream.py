"""Streams: the WebSocket itself, calls over it, their order, their limits and their end."""

import asyncio
import gzip
import hashlib
import json
import re
import signal
import struct
import threading
import time
from unittest.mock import ANY

import pytest

import problem
from events import Events
from test_operations import samples, total
from stream_wire import (BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, Refused, WebSocket, pack_call,
                       unpack_answer)
from wire import Wire, eventually

pytestmark = pytest.mark.http

CIRCLE = {"type": "circle", "radius": 1}
PING_CALL = b'{"id":7,"method":"GET","path":"/livez"}'
PONG_ANSWER = {"status": "ok"}


@pytest.fixture
def ws(gjkd):
    with WebSocket(gjkd) as stream:
        yield stream


# --- The handshake ---

def test_the_protocol_is_echoed(gjkd, ws):
    assert "sec-websocket-protocol" not in ws.headers
    with WebSocket(gjkd, {"Sec-WebSocket-Protocol": "other, gjkd.v1"}) as stream:
        assert stream.headers["sec-websocket-protocol"] == "gjkd.v1"


@pytest.mark.parametrize("headers, without", [
    ({"Sec-WebSocket-Version": "12"}, ()), ({"Sec-WebSocket-Key": "short"}, ()), ({}, ("Upgrade",)),
    ({"Connection": "keep-alive"}, ()), ({}, ("Sec-WebSocket-Key",))])
def test_bad_handshakes(gjkd, headers, without):
    with pytest.raises(Refused) as refused:
        WebSocket(gjkd, headers, without=without)
    problem.check(refused.value, "bad-request")
    assert refused.value.headers["sec-websocket-version"] == "13", "RFC 6455, 4.2.2"


def test_a_page_of_another_origin_is_refused(start):
    daemon = start("--cors-origin", "https://good.example")
    own = f"http://{daemon.host}:{daemon.port}"
    for origin in (own, "https://good.example"):
        with WebSocket(daemon, {"Origin": origin}) as stream:
            assert stream.ask(1, "GET", "/livez")["status"] == 200
    other_schemes = [f"{scheme}://{daemon.host}:{daemon.port}" for scheme in ("ftp", "file", "ws", "https+x", "x")]
    for origin in ("https://evil.example", "null", f"http://{daemon.host}:{daemon.port + 1}",
                   f"://{daemon.host}:{daemon.port}", f"javascript:{own}", *other_schemes):
        with pytest.raises(Refused) as refused:
            WebSocket(daemon, {"Origin": origin})
        problem.check(refused.value, "forbidden")


def test_a_scheme_that_is_not_the_webs_has_to_be_named(start):
    for allowed, fine in (("*", False), ("app://localhost", True)):
        daemon = start("--cors-origin", allowed)
        if fine:
            with WebSocket(daemon, {"Origin": "app://localhost"}) as stream:
                assert stream.ask(1, "GET", "/livez")["status"] == 200
        else:
            with pytest.raises(Refused) as refused:
                WebSocket(daemon, {"Origin": "app://localhost"})
            problem.check(refused.value, "forbidden")
    with WebSocket(start("--cors-origin", "*"), {"Origin": "http://elsewhere.example"}) as stream:
        assert stream.ask(1, "GET", "/livez")["status"] == 200


# --- Frames ---

@pytest.mark.parametrize("cuts", [[0], [1], [5, 6, 7], list(range(len(PING_CALL)))])
def test_fragments_are_joined(ws, cuts):
    pieces = [PING_CALL[a:b] for a, b in zip([0, *cuts], [*cuts, None])]
    for i, piece in enumerate(pieces):
        ws.send(TEXT if i == 0 else CONTINUATION, piece, fin=i == len(pieces) - 1)
        if i == 0 and len(pieces) > 1:
            ws.send(PING, b"between")
            assert ws.receive() == (PONG, b"between")
    assert ws.answer()["body"] == PONG_ANSWER


def test_bytes_may_come_one_by_one(ws):
    for byte in ws.frame(TEXT, PING_CALL):
        ws.socket.sendall(bytes([byte]))
    assert ws.answer()["body"] == PONG_ANSWER


@pytest.mark.parametrize("payload", [b"", b"x", b"y" * 125])
def test_pings_are_answered(ws, payload):
    ws.send(PING, payload)
    assert ws.receive() == (PONG, payload)
    ws.send(PONG, b"unasked")
    ws.send(TEXT, PING_CALL)
    assert ws.answer()["id"] == 7


@pytest.mark.parametrize("code", [1000, 1001, 3000, None])
def test_a_close_is_answered(gjkd, code):
    with WebSocket(gjkd) as stream:
        stream.send(CLOSE, struct.pack(">H", code) + b"bye" if code else b"")
        opcode, payload = stream.receive()
        assert opcode == CLOSE and (code is None or payload[:2] == struct.pack(">H", code))
        assert stream.socket.recv(1) == b""


def test_nothing_follows_a_close_frame(gjkd):
    """What was no call closes the stream once, whatever else comes."""
    with WebSocket(gjkd) as stream:
        stream.send(TEXT, b"[]")
        opcode, payload = stream.receive()
        assert opcode == CLOSE and payload[:2] == struct.pack(">H", 1007)
        stream.send(CLOSE, b"x")  # half a code, which would be refused elsewhere
        assert stream.socket.recv(1) == b""


BAD = [
    (1002, WebSocket.frame(TEXT, PING_CALL, masked=False)),
    (1002, WebSocket.frame(TEXT, PING_CALL, rsv=4)),
    (1002, WebSocket.frame(TEXT, PING_CALL, rsv=1)),
    (1002, WebSocket.frame(3, b"")),
    (1002, WebSocket.frame(11, b"")),
    (1002, WebSocket.frame(PING, b"x" * 126)),
    (1002, WebSocket.frame(PING, b"x", fin=False)),
    (1002, WebSocket.frame(CONTINUATION, b"x")),
    (1002, WebSocket.frame(TEXT, b"{", fin=False) + WebSocket.frame(TEXT, b"}")),
    (1002, WebSocket.frame(CLOSE, b"x")),
    (1007, WebSocket.frame(TEXT, b'{"id":1,"method":"\xff"}')),
    (1007, WebSocket.frame(TEXT, b'{"id":1,"method":"\xc0\xaf"}')),
    (1007, WebSocket.frame(TEXT, b'{"a":"\xed\xa0\x80"}')),
    (1007, WebSocket.frame(TEXT, b"\xce", fin=False) + WebSocket.frame(CONTINUATION, b"\xce")),
    (1007, WebSocket.frame(TEXT, b"")),
    (1007, WebSocket.frame(TEXT, b"[]")),
    (1007, WebSocket.frame(TEXT, b'{"method":"GET","path":"/livez"}')),
    (1007, WebSocket.frame(TEXT, b'{"id":1.5,"method":"GET","path":"/livez"}')),
    (1007, WebSocket.frame(TEXT, b'{"id":-1,"method":"GET","path":"/livez"}')),
    (1007, WebSocket.frame(TEXT, b'{"id":9007199254740993,"method":"GET","path":"/livez"}')),
    (1007, WebSocket.frame(TEXT, b'{"id":1,"method":"GET","path":"/livez"}}')),
    (1007, WebSocket.frame(TEXT, b'{"id":1,"method":"GET","path":"/li')),
    (1007, WebSocket.frame(BINARY, b"\x08")),
    (1007, WebSocket.frame(TEXT, b'{"id":"1","method":"GET","path":"/livez"}')),
    (1007, WebSocket.frame(TEXT, b'{"id":null,"method":"GET","path":"/livez"}')),
    (1007, WebSocket.frame(TEXT, b'{"id":1,"method":"GET","path":"/livez","id":1}')),
    (1007, WebSocket.frame(BINARY, b"\x0a\x01\x31")),
    (1007, WebSocket.frame(BINARY, b"\x12\x05GET")),
]


@pytest.mark.parametrize("i", range(len(BAD)))
def test_what_is_no_call_closes_with_its_code(gjkd, i):
    code, data = BAD[i]
    with WebSocket(gjkd) as stream:
        stream.socket.sendall(data)
        assert stream.close_code() == code


def test_messages_have_a_limit(start):
    daemon = start("--max-body", "65536")
    call = lambda size: PING_CALL[:-1] + b" " * (size - len(PING_CALL)) + b"}"
    for size in (65535, 65536):
        with WebSocket(daemon) as stream:
            stream.send(TEXT, call(size))
            assert stream.answer()["body"] == PONG_ANSWER
    with WebSocket(daemon) as stream:
        stream.send(TEXT, call(65537))
        assert stream.close_code() == 1009
    with WebSocket(daemon) as stream:
        stream.send(TEXT, call(60000)[:30000], fin=False)
        stream.send(CONTINUATION, b" " * 40000)
        assert stream.close_code() == 1009


# --- Calls ---

def test_every_id(ws):
    for id_ in (0, 1, 1 << 53):
        assert ws.ask(id_, "GET", "/livez") ["body"] == PONG_ANSWER


def test_answers_are_those_of_http(gjkd, ws, name):
    gjkd.store(name, {"dimension": 2, "shapes": {"a": CIRCLE, "b": CIRCLE | {"position": [1.1, 0]}}})
    calls = [("GET", f"/v1/sets/{name}", None), ("HEAD", f"/v1/sets/{name}", None),
             ("POST", f"/v1/sets/{name}/detect", {"a": "a", "b": "b"}),
             ("POST", f"/v1/sets/{name}/detect", {"a": "x", "b": "b"}),
             ("POST", f"/v1/sets/{name}/batch", {"queries": [{"op": "detect", "a": "a"}] * 50}),
             ("GET", "/nowhere", None), ("DELETE", "/v1", None), ("GET", f"/v1/sets/{name}?x=1", None),
             ("GET", "/openapi.json", None), ("GET", f"/v1/sets?prefix={name}", None)]
    for method, path, body in calls:
        reply = gjkd.call(method, path, json=body)
        content = json.dumps(body).encode() if body is not None else b""
        ws.send(BINARY, pack_call(5, method, path, body=content))
        opcode, data = ws.receive()
        id_, status, type_, answer, headers = unpack_answer(data)
        assert (opcode, id_, status, answer) == (BINARY, 5, reply.status_code, reply.content)
        assert type_ == (reply.headers["Content-Type"] if answer else "")
        assert dict(headers).get("ETag") == reply.headers.get("ETag")
        told = ws.ask(6, method, path, body)
        assert told["status"] == status
        assert "body" not in told if not answer else told["body"] == reply.json()


def test_the_bytes_of_a_text_answer_are_those_of_http(gjkd, ws, name):
    gjkd.store(name, {"dimension": 2, "shapes": {"a": CIRCLE}, "meta": {"é": [1e-300, "\"\\"]}})
    ws.call(3, "GET", f"/v1/sets/{name}")
    _, payload = ws.receive()
    assert payload.endswith(b',"body":' + gjkd.get(f"/v1/sets/{name}").content + b"}")


def test_headers_travel(gjkd, ws, name):
    made = ws.ask(1, "PUT", f"/v1/sets/{name}", {"dimension": 2, "shapes": {}})
    tag = made["headers"]["ETag"]
    assert made["status"] == 201
    assert ws.ask(2, "GET", f"/v1/sets/{name}", headers={"If-None-Match": tag})["status"] == 304
    assert ws.ask(3, "PATCH", f"/v1/sets/{name}", {}, headers={"If-Match": '"x-1"'})["status"] == 412
    assert ws.ask(4, "GET", "/livez", headers={"X-Request-Id": "mine"})["headers"]["X-Request-Id"] == "mine"
    assert ws.ask(5, "DELETE", "/livez")["headers"]["Allow"] == "GET, HEAD"
    for header in ("Host", "content-length", "Authorization", "Origin", "X-Forwarded-For"):
        assert ws.ask(6, "GET", "/livez", headers={header: "1"})["status"] == 400


def test_text_is_never_packed(gjkd, ws, name):
    gjkd.store(name, {"dimension": 2, "shapes": {"a": {"type": "circle", "radius": 1}}})
    answer = ws.ask(1, "GET", f"/v1/sets/{name}", headers={"accept-encoding": "gzip"})
    assert answer["status"] == 200 and "Content-Encoding" not in answer["headers"]
    assert answer["body"] == gjkd.get(f"/v1/sets/{name}").json()
    assert answer["headers"]["ETag"] == gjkd.get(f"/v1/sets/{name}").headers["ETag"]


@pytest.mark.parametrize("message, code", [
    ('{"id":1,"method":"GET","path":"/livez","bodi":1}', "unknown-member"),
    ('{"id":1,"path":"/livez"}', "missing-member"), ('{"id":1,"method":"GET"}', "missing-member"),
    ('{"method":1,"path":"/livez","id":1}', "wrong-type"),
    ('{"id":1,"method":"GET","path":["/livez"]}', "wrong-type"),
    ('{"id":1,"method":"GET","path":"/livez","headers":[]}', "wrong-type"),
    ('{"id":1,"method":"GET","path":"/livez","headers":{"If-Match":1}}', "wrong-type"),
    ('{"id":1,"method":"GET","path":"/livez","authorization":"Bearer x"}', "unknown-member"),
    ('{"id":1,"method":"get","path":"/livez"}', "method-not-allowed"),
    ('{"id":1,"method":"WATCH","path":"/v1/sets"}', "bad-request"),
    ('{"id":1,"method":"POST","path":"/v1/detect","body":{"a":}}', "malformed-json"),
    ('{"id":1,"method":"POST","path":"/v1/detect","body":{"a":{"type":"point"}]}', "malformed-json"),
    ('{"id":1,"method":"POST","path":"/v1/detect"}', "malformed-json"),
    ('{"id":1,"method":"GET","path":"livez"}', "bad-request"),
    ('{"id":1,"method":"UNWATCH"}', "bad-request"),
    ('{"id":1,"method":"WATCH","path":"/livez"}', "bad-request"),
    ('{"id":1,"method":"WATCH","path":"/v1/sets/nowhere/events"}', "set-not-found")])
def test_a_refused_call_has_its_problem_as_body(ws, message, code):
    ws.send(TEXT, message.encode())
    answer = ws.answer()
    assert answer["body"]["code"] == code and answer["status"] == answer["body"]["status"]
    assert ws.ask(2, "GET", "/livez")["status"] == 200


def test_what_is_null_is_absent(ws):
    ws.send(TEXT, b'{"id":1.0,"method":"GET","path":"/livez","headers":null,"body":null}')
    assert ws.answer() | {"headers": None} == {"id": 1, "status": 200, "headers": None, "body": PONG_ANSWER}
    ws.send(TEXT, b'{"id":10e-1,"method":"GET","path":"/livez","headers":{"If-Match":null}}')
    assert ws.answer()["id"] == 1


def test_calls_that_are_refused_in_binary(ws):
    for call, code in ((b"\x08\x05\x3a\x00", "malformed-protobuf"), (b"\x08\x05", "missing-member"),
                       (pack_call(5, "GET", "/livez", headers=[("a", "b")] * 33), "headers-too-large"),
                       (pack_call(5, "GET", "/livez") + b"\x32\x01x", "bad-request"),
                       (pack_call(5, "GET", ""), "missing-member")):
        ws.send(BINARY, call)
        id_, status, type_, body, _ = unpack_answer(ws.receive()[1])
        assert (id_, type_) == (5, "application/problem+json") and json.loads(body)["code"] == code
        assert json.loads(body)["status"] == status
    ws.send(BINARY, pack_call(5, "GET", "/livez", headers=[("a", "b")] * 32))
    assert unpack_answer(ws.receive()[1])[1] == 200


def test_a_body_that_is_no_json_is_a_string(ws):
    answer = ws.ask(1, "GET", "/metrics")
    assert answer["headers"]["Content-Type"].startswith("text/plain")
    assert answer["body"].startswith("# HELP")


def test_columns_need_a_binary_call(gjkd, ws, name):
    gjkd.store(name, {"dimension": 2, "shapes": {"c": CIRCLE}})
    path, body = f"/v1/sets/{name}/raycast", {"origin": [-9, 0], "direction": [1, 0]}
    answer = ws.ask(1, "POST", path, body=body, headers={"Accept": "application/x-protobuf"})
    assert answer["status"] == 406 and answer["body"]["code"] == "not-acceptable"
    assert "binary call" in answer["body"]["detail"]
    assert len(ws.ask(2, "POST", path, body=body)["body"]["hits"]) == 1
    ws.send(BINARY, pack_call(3, "POST", path, "application/json", json.dumps(body).encode(),
                              headers=[("Accept", "application/x-protobuf")]))
    assert unpack_answer(ws.receive()[1])[1:3] == (200, "application/x-protobuf")


def test_only_binary_answers_are_packed(gjkd, ws):
    whole = gjkd.get("/openapi.json").content
    ws.call(1, "GET", "/openapi.json", headers={"Accept-Encoding": "gzip"})
    assert ws.receive()[1].endswith(b',"body":' + whole + b"}")
    ws.send(BINARY, pack_call(2, "GET", "/openapi.json", headers=[("Accept-Encoding", "gzip")]))
    _, status, _, body, headers = unpack_answer(ws.receive()[1])
    assert status == 200 and dict(headers)["Content-Encoding"] == "gzip" and gzip.decompress(body) == whole
    ws.send(BINARY, pack_call(3, "PUT", "/v1/sets/t-packed", body=gzip.compress(b'{"dimension":2}'),
                              headers=[("Content-Encoding", "gzip")]))
    assert unpack_answer(ws.receive()[1])[1] == 201
    assert ws.ask(4, "DELETE", "/v1/sets/t-packed") == {"id": 4, "status": 204, "headers": ANY}


def test_large_answers_and_small_ones(gjkd, ws, name):
    shapes = {f"s{i}": CIRCLE | {"meta": {"t": "x" * 500}} for i in range(4000)}
    gjkd.store(name, {"dimension": 2, "shapes": shapes})
    for id_ in range(20):
        ws.call(id_, "GET", f"/v1/sets/{name}" if id_ % 5 == 0 else "/livez")
    time.sleep(0.2)
    wanted = gjkd.get(f"/v1/sets/{name}").json()
    answers = [ws.answer() for _ in range(20)]
    assert sorted(a["id"] for a in answers) == list(range(20))
    assert all(a["body"] == (wanted if a["id"] % 5 == 0 else PONG_ANSWER) for a in answers)


# --- Order ---

def test_a_call_on_a_set_follows_the_writes_before_it(gjkd, ws, name):
    """Everything at once: each read sees just the writes that stand before it."""
    ws.call(0, "PUT", f"/v1/sets/{name}", {"dimension": 2, "shapes": {}})
    for i in range(1, 300, 2):
        ws.call(i, "PATCH", f"/v1/sets/{name}", {"shapes": {"a": CIRCLE | {"position": [i, 0]}}})
        ws.call(i + 1, "POST", f"/v1/sets/{name}/raycast", {"origin": [0, 5], "direction": [0, -1]})
    seen = {}
    for _ in range(301):
        answer = ws.answer()
        seen[answer["id"]] = answer["body"]["revision"]
    assert seen[0] == 1
    for i in range(1, 300, 2):
        assert seen[i] == (i + 1) // 2 + 1 and seen[i + 1] >= seen[i]


def test_a_question_that_names_another_set_follows_the_writes_to_that(gjkd, ws, name):
    other = name + "-other"
    gjkd.store(name, {"dimension": 2, "shapes": {"a": CIRCLE}})
    gjkd.store(other, {"dimension": 2, "shapes": {}})
    many = {f"s{i}": CIRCLE | {"position": [3 * i, 0]} for i in range(3000)}
    questions = [("detect", {"against": other}), ("detect", {"ag\\u0061inst": other}),
                 ("batch", {"queries": [{"op": "detect", "against": other}]}),
                 ("distance", {"against": other, "limit": 1})]
    for round_, (route, body) in enumerate(questions):
        revision = 2 * round_ + 1
        ws.call(1, "PATCH", f"/v1/sets/{other}", {"shapes": many})
        text = json.dumps({"id": 2, "method": "POST", "path": f"/v1/sets/{name}/{route}", "body": body})
        ws.send(TEXT, text.replace("\\\\", "\\").encode())
        ws.call(3, "GET", f"/v1/sets?prefix={other}")
        answers = {a["id"]: a["body"] for a in (ws.answer() for _ in range(3))}
        found = answers[2]["results"][0] if route == "batch" else answers[2]
        assert found["against_revision"] == answers[1]["revision"] == revision + 1
        assert answers[3]["sets"][0]["revision"] >= revision + 1
        ws.ask(4, "PATCH", f"/v1/sets/{other}", {"shapes": dict.fromkeys(many)})
    gjkd.call("DELETE", f"/v1/sets/{other}")


def test_a_tick_and_questions_right_behind_it(gjkd, ws, name):
    gjkd.store(name, {"dimension": 2, "history": {"ticks": 8}, "shapes": {"a": CIRCLE}})
    for tick in range(1, 50):
        ws.call(2 * tick, "PUT", f"/v1/sets/{name}/ticks/{tick}", {"shapes": {"a": {"position": [tick, 0]}}})
        ws.call(2 * tick + 1, "POST", f"/v1/sets/{name}/distance",
                {"a": "a", "b": {"type": "point"}, "at": {"tick": tick}})
    for _ in range(98):
        answer = ws.answer()
        assert answer["status"] in (200, 201), answer
        if answer["id"] % 2 == 1:
            assert answer["body"]["distance"] == max(answer["id"] // 2 - 1, 0)


def test_no_more_calls_are_under_way_than_may_be(start):
    daemon = start("--workers", "1", "--max-jobs", "2000")
    with WebSocket(daemon) as stream:
        hull = {"type": "hull", "points": [[i % 97, i * i % 89] for i in range(100)]}
        slow = {"queries": [{"op": "detect", "a": hull, "b": hull}]}
        count = 1024 + 300
        sent = b"".join(stream.frame(TEXT, json.dumps(
            {"id": i, "method": "POST", "path": "/v1/batch", "body": slow}).encode())
            for i in range(count))
        sender = threading.Thread(target=stream.socket.sendall, args=(sent,))
        sender.start()
        most = 0
        ids = set()
        for i in range(count):
            if i % 100 == 0:
                most = max(most, total(samples(daemon)[0], "gjkd_jobs_queued"))
            answer = stream.answer()
            assert answer["status"] == 200, answer
            ids.add(answer["id"])
        sender.join()
        assert ids == set(range(count)) and most <= 1024


# --- Events ---

def watch_text(ws, call, path):
    """Watches, and returns what reads the next event."""
    assert ws.ask(call, "WATCH", path)["status"] == 200
    return lambda: ws.answer()["event"]


def watch_binary(ws, call, path):
    ws.send(BINARY, pack_call(call, "WATCH", path))
    assert unpack_answer(ws.receive()[1])[:2] == (call, 200)
    return lambda: json.loads(unpack_answer(ws.receive()[1])[3])


@pytest.mark.parametrize("watch", [watch_text, watch_binary])
def test_events_have_ids_from_which_others_go_on(gjkd, ws, name, watch):
    path = f"/v1/sets/{name}"
    gjkd.store(name, {"dimension": 2, "shapes": {}})
    with Events(gjkd, name) as sse:
        next_event = watch(ws, 1, path + "/events?kinds=change,overlap")
        assert next_event()["id"].endswith("-1"), "all pairs"
        gjkd.call("PATCH", path, json={"meta": {"n": 1}})
        change, same = next_event(), sse.next()
        assert list(change)[0] == "id" and change["id"] == same.id
        assert re.fullmatch(r"[0-9a-f]{24}-2", change["id"])
        assert {k: v for k, v in change.items() if k != "id"} == same.data
    gjkd.call("PATCH", path, json={"meta": {"n": 2}})
    assert next_event()["revision"] == 3
    assert ws.ask(1, "UNWATCH", "")["status"] == 204
    next_event = watch(ws, 2, f"{path}/events?since={change['id']}")
    event = next_event()
    assert (event["kind"], event["revision"], event["meta"]) == ("change", 3, {"n": 2})
    gjkd.call("DELETE", path)
    deleted = next_event()
    assert (deleted["kind"], deleted["id"][:16]) == ("deleted", change["id"][:16])
    gjkd.store(name, {"dimension": 2, "shapes": {}})
    for n in range(4):
        gjkd.call("PATCH", path, json={"meta": {"again": n}})
    event = watch(ws, 3, f"{path}/events?since={change['id']}")()
    assert event["kind"] == "reset" and event["id"][:16] != change["id"][:16]
    assert event["id"].endswith("-5")

def test_events_travel_beside_calls(gjkd, ws, name):
    gjkd.store(name, {"dimension": 2, "shapes": {}})
    assert ws.ask(9, "WATCH", f"/v1/sets/{name}/events?kinds=change,overlap")["status"] == 200
    assert ws.answer()["event"]["all"]
    ws.call(1, "PATCH", f"/v1/sets/{name}", {"shapes": {"a": CIRCLE, "b": CIRCLE}})
    got = [ws.answer() for _ in range(3)]
    events = {g["event"]["kind"]: g["event"] for g in got if "event" in g}
    assert events["overlap"]["begin"] == [["a", "b"]] and set(events["change"]["shapes"]) == {"a", "b"}
    assert ws.ask(9, "UNWATCH", "")["status"] == 204
    assert ws.ask(9, "UNWATCH", "")["status"] == 400
    ws.send(BINARY, pack_call(4, "WATCH", f"/v1/sets/{name}/events?since=1"))
    assert unpack_answer(ws.receive()[1])[:2] == (4, 200)
    id_, status, type_, body, _ = unpack_answer(ws.receive()[1])
    assert (id_, status, type_) == (4, 200, "text/event-stream")
    assert json.loads(body) == events["change"]
    gjkd.call("DELETE", f"/v1/sets/{name}")
    assert json.loads(unpack_answer(ws.receive()[1])[3])["kind"] == "deleted"
    assert ws.ask(1, "GET", "/livez")["status"] == 200


def test_a_watch_that_waits_can_be_ended(gjkd, ws, name):
    """WATCH follows the write before it, UNWATCH follows the WATCH."""
    shapes = {f"s{i}": CIRCLE for i in range(2000)}
    ws.call(1, "PUT", f"/v1/sets/{name}", {"dimension": 2, "shapes": shapes})
    ws.call(2, "WATCH", f"/v1/sets/{name}/events")
    ws.call(2, "UNWATCH", "")
    assert [(a["id"], a["status"]) for a in (ws.answer() for _ in range(3))] == [(1, 201), (2, 200), (2, 204)]


def test_head_of_events_watches_nothing(start):
    daemon = start()
    daemon.store("s", {"dimension": 2, "shapes": {}})
    with WebSocket(daemon) as stream:
        assert stream.ask(1, "HEAD", "/v1/sets/s/events")["status"] == 200
        assert total(samples(daemon)[0], "gjkd_watches") == 0


def test_a_silent_watch_brings_pings(gjkd, ws, name):
    gjkd.store(name, {"dimension": 2, "shapes": {}})
    assert ws.ask(1, "WATCH", f"/v1/sets/{name}/events")["status"] == 200
    assert ws.receive() == (PING, b"")


def test_watches_end_with_their_stream(start):
    daemon = start()
    daemon.store("s", {"dimension": 2, "shapes": {}})
    gauge = lambda name: total(samples(daemon)[0], name)
    with WebSocket(daemon) as stream:
        for i in range(10):
            assert stream.ask(i, "WATCH", "/v1/sets/s/events")["status"] == 200
        assert stream.ask(3, "WATCH", "/v1/sets/s/events")["status"] == 400
        assert gauge("gjkd_watches") == 10 and gauge("gjkd_streams") == 1
    assert eventually(lambda: gauge("gjkd_watches") == gauge("gjkd_streams") == 0)


# --- Tokens, limits, the end ---

@pytest.fixture
def guarded(start, tmp_path):
    tokens = tmp_path / "tokens"
    line = lambda token, scope: f"{token} {hashlib.sha256(token.encode()).hexdigest()} {scope}\n"
    tokens.write_text(line("reader", "read") + line("writer", "write"))
    tokens.chmod(0o600)
    daemon = start("--token-file", str(tokens))
    daemon.tokens, daemon.line = tokens, line
    return daemon


def test_the_token_stands_in_the_handshake(guarded):
    with WebSocket(guarded, {"Authorization": "Bearer reader"}) as stream:
        assert stream.ask(1, "GET", "/v1")["status"] == 200
        assert stream.ask(2, "PUT", "/v1/sets/s", {"dimension": 2, "shapes": {}})["status"] == 403
    with pytest.raises(Refused) as refused:
        WebSocket(guarded, {"Authorization": "Bearer nobody"})
    problem.check(refused.value, "unauthenticated")


def test_or_it_is_the_first_message(guarded):
    with WebSocket(guarded) as stream:
        stream.send(TEXT, b'{"authorization":"Bearer writer"}')
        assert stream.answer() == {"status": 204}
        assert stream.ask(2, "PUT", "/v1/sets/s", {"dimension": 2, "shapes": {}})["status"] == 201
    for message in (b'{"authorization":"Bearer nobody"}', PING_CALL):
        with WebSocket(guarded) as stream:
            stream.send(TEXT, message)
            assert stream.close_code() == 1008


def test_a_token_is_no_longer_than_a_header_may_be(guarded, gjkd):
    with WebSocket(guarded) as stream:
        stream.send(TEXT, b'{"authorization":"Bearer writer%s"}' % (b" " * 8192))
        assert stream.close_code() == 1008
    with WebSocket(gjkd) as stream:
        stream.send(TEXT, b'{"authorization":"%s"}' % (b"x" * 8192))
        assert stream.answer() == {"status": 204}
        stream.send(TEXT, b'{"authorization":"%s"}' % (b"x" * 8193))
        assert stream.close_code() == 1008


def test_guesses_of_tokens_are_charged_to_their_address(start, tmp_path):
    tokens = tmp_path / "tokens"
    tokens.write_text(f"reader {hashlib.sha256(b'reader').hexdigest()} read\n")
    tokens.chmod(0o600)
    daemon = start("--token-file", str(tokens), "--rate-limit", "5")
    guesses = 0
    while True:
        with WebSocket(daemon) as stream:
            stream.send(TEXT, b'{"authorization":"Bearer guess"}')
            opcode, payload = stream.receive()
            assert opcode == CLOSE and payload[:2] == struct.pack(">H", 1008)
            guesses += 1
            if b"unknown tokens" in payload:
                break
            assert guesses < 100, payload
    reply = daemon.get("/v1", headers={"Authorization": "Bearer guess"})
    problem.check(reply, "rate-limited")


def test_a_stream_without_a_token_is_closed_in_time(guarded):
    with WebSocket(guarded) as stream:
        began = time.monotonic()
        assert stream.close_code() == 1008
        assert 4.5 < time.monotonic() - began < 60


def test_a_revoked_token_ends_its_stream(guarded):
    with WebSocket(guarded, {"Authorization": "Bearer reader"}) as stream:
        assert stream.ask(1, "GET", "/v1")["status"] == 200
        guarded.tokens.write_text(guarded.line("writer", "write"))
        guarded.process.send_signal(signal.SIGHUP)
        assert stream.close_code() == 1008


def test_a_drain_closes_streams(start):
    daemon = start()
    with WebSocket(daemon) as stream, WebSocket(daemon) as silent:
        assert stream.ask(1, "GET", "/livez")["status"] == 200
        daemon.signal()
        assert stream.close_code() == 1001
        assert silent.receive()[0] == CLOSE  # and it does not answer
        assert daemon.wait(5) == 0


def test_streams_are_counted(start):
    daemon = start("--max-streams", "2")
    streams = [WebSocket(daemon), WebSocket(daemon)]
    with pytest.raises(Refused) as refused:
        WebSocket(daemon)
    problem.check(refused.value, "overloaded")
    streams.pop().socket.close()
    assert eventually(lambda: total(samples(daemon)[0], "gjkd_streams") == 1)
    streams.append(WebSocket(daemon))
    for stream in streams:
        assert stream.ask(1, "GET", "/livez")["status"] == 200
        stream.socket.close()


@pytest.mark.concurrency
def test_of_many_handshakes_at_once_none_is_too_many(start):
    daemon = start("--max-streams", "3", "--io-threads", "4")
    handshake = (b"GET /v1/stream HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\n"
                 b"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                 b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n" % daemon.port)
    for _ in range(5):
        wires = [Wire(daemon) for _ in range(64)]
        for wire in wires:
            wire.send(handshake)
        statuses = [int(wire.socket.recv(12)[9:]) for wire in wires]
        assert (statuses.count(101), statuses.count(503)) == (3, 61)
        for wire in wires:
            wire.socket.close()
        assert eventually(lambda: total(samples(daemon)[0], "gjkd_streams") == 0)


def test_a_message_must_come_in_time(start):
    daemon = start("--request-timeout", "1s")
    with WebSocket(daemon) as stream:
        stream.send(TEXT, PING_CALL[:-1], fin=False)
        stream.send(PING, b"there?")
        assert stream.receive() == (PONG, b"there?")
        assert stream.close_code() == 1008
    with WebSocket(daemon) as stream:
        stream.socket.sendall(stream.frame(TEXT, PING_CALL)[:-1])
        assert stream.close_code() == 1008
    assert eventually(lambda: total(samples(daemon)[0], "gjkd_streams") == 0)


def test_who_does_not_read_is_let_go(start):
    """After a window of 10 s, and all that waited is given back."""
    daemon = start()
    shapes = {f"s{i}": CIRCLE | {"meta": {"t": "x" * 500}} for i in range(4000)}
    daemon.store("s", {"dimension": 2, "shapes": shapes})
    with WebSocket(daemon) as deaf, WebSocket(daemon) as honest:
        for id_ in range(50):
            deaf.call(id_, "GET", "/v1/sets/s")
        honest.call(1, "GET", "/livez")
        assert eventually(lambda: total(samples(daemon)[0], "gjkd_streams") == 1, 40)
        assert honest.answer()["status"] == 200
        assert honest.ask(2, "GET", "/livez")["status"] == 200


def test_who_goes_in_the_middle_costs_nothing(start):
    daemon = start("--io-threads", "1")
    hull = {"type": "hull", "points": [[i % 97, i * i % 89] for i in range(100)]}
    for _ in range(5):
        with WebSocket(daemon) as stream:
            for i in range(20):
                stream.call(i, "POST", "/v1/batch", {"queries": [{"op": "detect", "a": hull, "b": hull}] * 20})
    assert eventually(lambda: total(samples(daemon)[0], "gjkd_streams") == 0)
    assert eventually(lambda: total(samples(daemon)[0], "gjkd_http_connections") <= 2)
    assert eventually(lambda: total(samples(daemon)[0], "gjkd_memory_bytes") < 8 << 20)


def test_the_websockets_library_agrees(gjkd):
    websockets = pytest.importorskip("websockets")

    async def talk():
        url = f"ws://{gjkd.host}:{gjkd.port}/v1/stream"
        async with websockets.connect(url, subprotocols=["gjkd.v1"], compression="deflate") as ws:
            assert ws.subprotocol == "gjkd.v1"
            await ws.send(PING_CALL.decode())
            assert json.loads(await ws.recv())["body"] == PONG_ANSWER
            await (await ws.ping())
            await ws.send(pack_call(3, "GET", "/livez"))
            assert unpack_answer(await ws.recv())[3] == b'{"status":"ok"}'

    asyncio.run(talk())
