"""Shares of memory: uploads that never end do not keep others from asking, whatever their size, and
their bodies have to come at a least rate."""

import contextlib
import functools
import json
import random
import socket
import time

import pytest

import messages
import problem
from probe import Probe, judge
from stream_wire import WebSocket
from test_churn import metric
from test_late_bodies import head
from test_memory import LIMIT, MIB, SMALL, call, is_bounded, peak, plain_memory
from wire import Wire, eventually

LARGE = 16 * MIB
OTHERS_MS = 500
BODY = json.dumps(SMALL)


def begin(daemon, length, chunked=False):
    """A body that stops one byte short."""
    connection = socket.create_connection((daemon.host, daemon.port), 30)
    framing = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {length}"
    connection.sendall((f"POST /v1/detect HTTP/1.1\r\nHost: localhost\r\n{framing}\r\n"
                        "Content-Type: application/json\r\n\r\n").encode())
    for start in range(0, length, MIB):
        piece = b" " * (min(MIB, length - start) - (start + MIB >= length))
        connection.sendall(b"%x\r\n%s\r\n" % (len(piece), piece) if chunked else piece)
    return connection


def check_others(daemon, begin_all, host):
    def attempt():
        with Probe(daemon, "/v1/detect", "POST", BODY, host=host, pause=0.02) as others:
            uploads = begin_all()
            time.sleep(2)
        for upload in uploads:
            upload.close()
        assert "507" not in others.statuses
        return [others]

    judge(attempt, OTHERS_MS)
    assert is_bounded(daemon)


@plain_memory
@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2"])
@pytest.mark.parametrize("chunked", [False, True], ids=["length", "chunked"])
def test_large_uploads_that_stop_one_byte_short(start, chunked, host):
    daemon = start("--max-memory", str(LIMIT), "--io-threads", "2", "--workers", "2")
    check_others(daemon, lambda: [begin(daemon, LARGE, chunked) for _ in range(32)], host)


@plain_memory
@pytest.mark.parametrize("size", [65536 - 1000, 65537, 200000])
def test_many_small_uploads_that_stop_one_byte_short(start, size):
    daemon = start("--max-memory", str(LIMIT), "--io-threads", "2", "--workers", "2")
    check_others(daemon, lambda: [begin(daemon, size) for _ in range(600)], "127.0.0.2")


@plain_memory
@pytest.mark.http
def test_half_of_the_memory_is_for_others(start):
    """Another client's body is taken although one has begun all it can; the first has its 503."""
    daemon = start("--max-memory", str(LIMIT), "--min-body-rate", "0")
    uploads = [begin(daemon, LARGE) for _ in range(4)]
    time.sleep(0.5)
    refused = call(daemon, "POST", "/v1/detect", b" " * LARGE)
    problem.check(refused, "overloaded")
    with Wire(daemon) as other:
        other.socket.close()
        other.socket = socket.create_connection((daemon.host, daemon.port), 30,
                                                source_address=("127.0.0.2", 0))
        other.send(head(other, length=LARGE) + b" " * LARGE)
        problem.check(other.reply(), "malformed-json")
    for upload in uploads:
        upload.close()
    assert peak(daemon) <= LIMIT + 64 * MIB


def closes_after(connection, daemon_s):
    connection.settimeout(daemon_s)
    started = time.monotonic()
    answer = connection.recv(65536)
    return answer, time.monotonic() - started


def test_a_large_body_that_stalls_is_cut_off(start):
    """After a window of 5 s, long before its deadline."""
    daemon = start("--request-timeout", "300s")
    with begin(daemon, 65536 * 2) as upload:
        answer, took = closes_after(upload, 60)
    assert answer.startswith(b"HTTP/1.1 504") and b"slower than 16384 bytes a second" in answer
    assert 4.9 <= took < 60


def test_a_large_body_that_comes_slowly_is_taken(start):
    """A byte more than the rate asks for, but never all at once."""
    daemon = start("--request-timeout", "60s", "--min-body-rate", "8000")
    body = BODY.encode() + b" " * 100000
    with Wire(daemon) as wire:
        wire.send(head(wire, path="/v1/detect", length=len(body)) + body[:36000])
        due = time.monotonic()
        for at in range(36000, len(body), 8000):
            due += 0.9
            time.sleep(max(0, due - time.monotonic()))
            wire.send(body[at:at + 8000])
        assert wire.reply().status == 200


@pytest.mark.parametrize("flags,length", [(["--min-body-rate", "0"], 131072), ([], 60000)],
                         ids=["no-limit", "small"])
def test_who_may_take_its_time(start, flags, length):
    daemon = start("--request-timeout", "9s", *flags)
    with begin(daemon, length) as upload:
        answer, took = closes_after(upload, 60)
    assert answer.startswith(b"HTTP/1.1 504") and b"not there in time" in answer
    assert took > 6.5


def test_processor_time_is_charged(start):
    """All pairs of a crowd take ten times what counts as one query, and more. What it costs to store the
    crowd has to be paid off before."""
    daemon = start("--rate-limit", "4", "--request-timeout", "300s")
    ball = {"type": "circle", "radius": 1, "group": "one"}
    daemon.store("crowd", {"dimension": 2, "shapes": {f"{i:05}": ball for i in range(3000)}})
    reply = daemon.post("/v1/sets/crowd/detect", {}, timeout=310)
    while reply.status_code == 429:
        time.sleep(int(reply.headers["Retry-After"]))
        reply = daemon.post("/v1/sets/crowd/detect", {}, timeout=310)
    assert reply.status_code == 200
    refusals = []

    def is_charged():
        """Asking so often is refused, too, but only for a second."""
        reply = daemon.post("/v1/distance", SMALL)
        if reply.status_code == 429 and int(reply.headers["Retry-After"]) >= 2:
            refusals.append(reply)
        return refusals

    # It is charged when its answer has been sent.
    assert eventually(is_charged)
    problem.check(refusals[0], "rate-limited", limit=4)


# --- Old versions that answers are read from ---

@functools.cache
def mesh_of(seed, triangles=18000):
    """A mesh of about 3 MB, whose answer is about 4 MB and is printed as a whole."""
    rng = random.Random(seed)
    mesh = messages.gjkd.BodyColumns(dimension=3, type="mesh")
    mesh.vertices.extend(rng.gauss(0, 1) for _ in range(9 * triangles))
    mesh.triangles.extend(range(3 * triangles))
    return mesh.SerializeToString()


@functools.cache
def spheres_of(seed, count=9000):
    """Shapes that take ten times as much memory as text."""
    rng = random.Random(seed)
    return json.dumps({"dimension": 3, "shapes": {
        f"s{i}": {"type": "sphere", "radius": 1 + rng.randrange(9), "position": [i % 100, i // 100, 0]}
        for i in range(count)}})


def put_mesh(daemon, seed):
    return call(daemon, "PUT", "/v1/sets/s/shapes/m", mesh_of(seed % 2),
                **{"Content-Type": messages.TYPE})


def put_set(daemon, seed):
    return call(daemon, "PUT", "/v1/sets/s", spheres_of(seed % 2))


def put_and_delete(daemon, seed):
    """A set that is made anew every time, so that no version follows another."""
    call(daemon, "DELETE", "/v1/sets/s", None)
    return put_set(daemon, seed)


class Readers(contextlib.ExitStack):
    """Clients of another address that ask for the set and read nothing."""

    def __init__(self, daemon):
        super().__init__()
        self.target, self.count = daemon, 0

    def ask(self, host="127.0.0.2", path="/v1/sets/s"):
        reader = self.enter_context(socket.socket())
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        reader.bind((host, 0))
        reader.connect((self.target.host, self.target.port))
        reader.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        self.count += 1

    def call(self):
        """The same over a stream."""
        stream = self.enter_context(WebSocket(self.target, {"X-Forwarded-For": "10.1.2.3"}))
        stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        stream.call(1, "GET", "/v1/sets/s")
        self.count += 1

    def open(self):
        """So many the daemon has not closed. One connection asks."""
        return int(metric(self.target, "gjkd_http_connections")) - 1


@plain_memory
@pytest.mark.parametrize("put", [put_set, put_and_delete])
def test_old_versions_count_for_their_readers(start, put):
    """Writes go on although another client reads none of the versions that they replace."""
    daemon = start("--max-memory", str(LIMIT), "--io-threads", "2", "--workers", "2")
    daemon.store("s", {"dimension": 3, "shapes": {}})
    with Readers(daemon) as readers:
        for seed in range(24):
            reply = put(daemon, seed)
            assert reply.status_code in (200, 201), (seed, reply.text)
            readers.ask()
            readers.ask()
            assert call(daemon, "POST", "/v1/distance", json.dumps(SMALL)).status_code == 200
            time.sleep(0.15)
        assert is_bounded(daemon)
        assert readers.open() < readers.count


@plain_memory
def test_old_versions_count_for_streams_too(start):
    daemon = start("--max-memory", str(LIMIT), "--io-threads", "2", "--workers", "2",
                   "--trusted-proxy", "127.0.0.1")
    daemon.store("s", {"dimension": 3, "shapes": {}})
    shapes = {f"{'s' * 100}{i}": {"type": "sphere", "radius": 1, "group": "g" * 120} for i in range(7000)}
    with Readers(daemon) as readers:
        for seed in range(24):
            shapes[f"{'s' * 100}0"]["radius"] = seed + 1
            body = json.dumps({"dimension": 3, "shapes": shapes})
            reply = call(daemon, "PUT", "/v1/sets/s", body)
            assert reply.status_code == 200, (seed, reply.text)
            readers.call()
            time.sleep(0.15)
        assert is_bounded(daemon)
        assert readers.open() < readers.count


@plain_memory
def test_a_reader_of_an_old_version_is_served(start):
    """Within its client's share, and as long as it reads; the same client's writes are taken too."""
    daemon = start("--max-memory", str(LIMIT), "--io-threads", "1", "--workers", "2")
    daemon.store("s", {"dimension": 3, "shapes": {}})
    assert put_mesh(daemon, 0).ok
    whole = call(daemon, "GET", "/v1/sets/s", None).content
    with Wire(daemon) as wire:
        wire.request("GET", "/v1/sets/s")
        wire._more()
        assert put_mesh(daemon, 1).ok
        time.sleep(1)
        assert wire.reply().body == whole


@plain_memory
@pytest.mark.concurrency
def test_who_reads_nothing_of_an_old_version_is_closed(start):
    """After ten seconds, however short the answer is; of the newest version it may take its time."""
    daemon = start("--io-threads", "1")
    daemon.store("s", {"dimension": 3, "shapes": {}})
    assert put_set(daemon, 0).ok
    with Readers(daemon) as readers:
        readers.ask()
        time.sleep(0.5)
        counted = metric(daemon, "gjkd_memory_bytes")
        assert put_set(daemon, 1).ok
        readers.ask()
        assert metric(daemon, "gjkd_memory_bytes") > counted + 4 * MIB
        assert readers.open() == 2
        assert eventually(lambda: readers.open() == 1, 30)
        assert eventually(lambda: metric(daemon, "gjkd_memory_bytes") < counted + MIB)
