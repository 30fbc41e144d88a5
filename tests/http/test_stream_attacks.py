"""What may not work over a connection may not work over a stream either: stalls of a loop, answers
that nobody reads, trees of JSON, half-sent messages, slow points, many watches."""

import json
import socket
import threading
import time

import pytest

from daemon import BINARY
from probe import FULL
from stream_wire import CLOSE, CONTINUATION, TEXT, WebSocket
from test_operations import samples, total
from wire import eventually

pytestmark = pytest.mark.http

MIB = 1 << 20
LIMIT = 64 * MIB
CIRCLE = {"type": "circle", "radius": 1}


def peak(daemon):
    """The most memory that the daemon has had."""
    with open(f"/proc/{daemon.process.pid}/status", encoding="ascii") as status:
        return int(status.read().split("VmHWM:")[1].split()[0]) * 1024


counted = pytest.mark.skipif("asan" in BINARY or "tsan" in BINARY,
                             reason="the sanitizer has memory of its own")


@counted
def test_answers_that_nobody_reads_are_bounded(start):
    """Each is some MB; clients that ask a thousand times and never read have the budget, not more."""
    daemon = start("--max-memory", str(LIMIT))
    meta = {"t": "x" * 3000}
    daemon.store("s", {"dimension": 2, "shapes": {f"s{i}": CIRCLE | {"meta": meta} for i in range(1500)}})
    streams = [WebSocket(daemon) for _ in range(10)]
    query = json.dumps({"a": {"type": "circle", "radius": 9}, "include": ["meta"]}).encode()
    for id_ in range(60):
        for stream in streams:
            stream.send(TEXT, b'{"id":%d,"method":"POST","path":"/v1/sets/s/detect","body":%s}' % (id_, query))
    assert eventually(lambda: total(samples(daemon)[0], "gjkd_jobs_queued") == 0, 60)
    for stream in streams:
        stream.socket.close()
    assert peak(daemon) <= LIMIT + 64 * MIB
    assert eventually(lambda: total(samples(daemon)[0], "gjkd_streams") == 0)
    with WebSocket(daemon) as stream:
        assert stream.ask(1, "POST", "/v1/sets/s/detect", {"a": "s1"})["status"] == 200


@counted
def test_a_tree_of_json_is_counted(start):
    daemon = start("--max-memory", str(LIMIT))
    with WebSocket(daemon) as stream:
        bodies = b"[" + b"{}," * (5 * MIB) + b"{}]"
        stream.send(TEXT, b'{"id":1,"method":"PUT","path":"/v1/sets/s","body":' + bodies + b"}")
        opcode, payload = stream.receive()
        assert opcode == CLOSE or json.loads(payload)["status"] in (413, 422, 503, 507), payload
    assert peak(daemon) <= LIMIT + 64 * MIB
    with WebSocket(daemon) as stream:
        assert stream.ask(1, "PUT", "/v1/sets/s", {"dimension": 2})["status"] == 201


@counted
def test_half_sent_messages_leave_room_for_others(start):
    """One client has begun all the messages that it can; another's body is taken."""
    daemon = start("--max-memory", str(LIMIT), "--min-body-rate", "0")
    begun = []
    for _ in range(8):
        stream = WebSocket(daemon)
        stream.socket.sendall(stream.frame(TEXT, b" " * (8 * MIB))[:-1])
        begun.append(stream)
    time.sleep(0.5)
    body = b" " * (8 * MIB)
    with socket.create_connection((daemon.host, daemon.port), 30, source_address=("127.0.0.2", 0)) as other:
        other.sendall(b"POST /v1/detect HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                      b"Content-Length: %d\r\n\r\n" % len(body) + body)
        assert other.recv(65536).startswith(b"HTTP/1.1 400")
    for stream in begun:
        stream.socket.close()
    assert peak(daemon) <= LIMIT + 64 * MIB


def test_a_message_that_stalls_is_cut_off(start):
    daemon = start("--request-timeout", "60s")
    with WebSocket(daemon) as stream:
        stream.send(TEXT, b"{" + b" " * 200000, fin=False)
        opcode, payload = stream.receive()
        assert opcode == CLOSE and payload[:2] == b"\x03\xf0" and b"slower than" in payload


def test_one_stream_does_not_stall_the_loop(start):
    """A thousand heavy questions are under way; every short one is answered beside them."""
    daemon = start("--io-threads", "1", "--workers", "1")
    daemon.store("s", {"dimension": 2, "shapes": {f"s{i}": CIRCLE | {"position": [i % 7, i // 7 % 7]}
                                                  for i in range(3000)}})
    with WebSocket(daemon) as heavy, WebSocket(daemon) as light:
        for id_ in range(1000):
            heavy.call(id_, "POST", "/v1/sets/s/detect", {"limit": 10}, headers={"Gjkd-Timeout-Ms": "20000"})
        for id_ in range(100):
            assert light.ask(id_, "GET", "/livez")["status"] == 200
        queued = total(samples(daemon)[0], "gjkd_jobs_queued")
        assert queued > 0 or not FULL, "they were answered beside the others"


def test_points_and_lists_end_at_their_deadline(start):
    daemon = start("--workers", "1")
    daemon.store("s", {"dimension": 2, "shapes": {f"s{i}": CIRCLE for i in range(3000)}})
    late = {"Gjkd-Timeout-Ms": "200"}
    points = [[i % 1009, i * i % 1013, i * i * i % 1019] for i in range(30000)]
    ignored = [f"s{i}" for i in range(100000)]
    with WebSocket(daemon) as stream:
        stream.call(1, "POST", "/v1/detect", {"a": {"type": "hull", "points": points},
                                              "b": {"type": "hull", "points": points}}, headers=late)
        stream.call(2, "POST", "/v1/sets/s/detect", {"filter": {"ignore": ignored}}, headers=late)
        assert {stream.answer()["status"] for _ in range(2)} <= {200, 503, 504}
        assert eventually(lambda: stream.ask(3, "PUT", "/v1/sets/next", {"dimension": 2})["status"] in (200, 201), 60)


def test_watches_of_a_stream_are_counted(start):
    daemon = start()
    daemon.store("s", {"dimension": 2, "shapes": {}})
    with WebSocket(daemon) as stream:
        for id_ in range(1023):
            stream.call(id_, "WATCH", "/v1/sets/s/events")
            assert stream.answer()["status"] == 200
        assert stream.ask(1023, "WATCH", "/v1/sets/s/events")["status"] == 200
        assert stream.ask(1024, "WATCH", "/v1/sets/s/events")["body"]["code"] == "too-many"
        assert stream.ask(5, "UNWATCH", "")["status"] == 204
        assert stream.ask(1024, "WATCH", "/v1/sets/s/events")["status"] == 200


def test_fragments_without_end_are_bounded(start):
    daemon = start("--max-body", "100000")
    with WebSocket(daemon) as stream:
        stream.send(TEXT, b"{", fin=False)
        sender = threading.Thread(target=endless, args=(stream,))
        sender.start()
        assert stream.close_code() in (1009, 1008)
        sender.join()


def endless(stream):
    try:
        while True:
            stream.send(CONTINUATION, b" " * 10, fin=False)
    except OSError:
        return
