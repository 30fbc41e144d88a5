"""What may not work over a connection may not work over a stream either: stalls of a loop, answers
that nobody reads, trees of JSON, half-sent messages, slow points, many watches."""

import json
import os
import signal
import socket
import threading
import time

import pytest

from probe import FULL
from stream_wire import CLOSE, CONTINUATION, PING, PONG, TEXT, WebSocket
from test_operations import samples, total
from wire import eventually

pytestmark = pytest.mark.http

MIB = 1 << 20
LIMIT = 64 * MIB
ELSEWHERE = "127.0.0.9"
NARROW = 2304  # bytes that the kernel keeps for a client that does not read
CIRCLE = {"type": "circle", "radius": 1}


def peak(daemon):
    """The most memory that the daemon has had."""
    with open(f"/proc/{daemon.process.pid}/status", encoding="ascii") as status:
        return int(status.read().split("VmHWM:")[1].split()[0]) * 1024


counted = pytest.mark.plain  # a sanitizer has memory of its own


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


def test_a_client_of_many_streams_has_one_share_of_the_loop(start):
    """Each of its streams has some hundred short calls waiting; another client's is answered among the
    first, though it came last."""
    streams, calls = 40, 300
    daemon = start("--io-threads", "1")
    many = [WebSocket(daemon, source=ELSEWHERE) for _ in range(streams)]
    with WebSocket(daemon) as single:
        os.kill(daemon.process.pid, signal.SIGSTOP)
        for stream in many:
            stream.socket.sendall(b"".join(stream.frame(TEXT, b'{"id":1,"method":"GET","path":"/livez"}')
                                           for _ in range(calls)))
        single.call(1, "GET", "/livez")
        os.kill(daemon.process.pid, signal.SIGCONT)
        length = len(single.frame(TEXT, single.receive()[1], masked=False))
        os.kill(daemon.process.pid, signal.SIGSTOP)
        answered = sum(unread(stream.socket) for stream in many) // length
        os.kill(daemon.process.pid, signal.SIGCONT)
    for stream in many:
        stream.socket.close()
    assert answered < streams * calls // 2


def unread(connection):
    """The number of bytes that have come."""
    count = 0
    connection.setblocking(False)
    try:
        while piece := connection.recv(1 << 20):
            count += len(piece)
    except BlockingIOError:
        pass
    return count


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


def test_a_stream_has_as_many_watches_as_its_client(start):
    daemon = start()
    daemon.store("s", {"dimension": 2, "shapes": {}})
    most = daemon.get("/v1").json()["limits"]["watches_max"]
    with WebSocket(daemon) as stream:
        for id_ in range(most):
            stream.call(id_, "WATCH", "/v1/sets/s/events")
            assert stream.answer()["status"] == 200
        assert stream.ask(most, "WATCH", "/v1/sets/s/events")["body"]["code"] == "too-many"
        assert stream.ask(5, "UNWATCH", "")["status"] == 204
        assert stream.ask(most, "WATCH", "/v1/sets/s/events")["status"] == 200


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


# --- Peers that do not read ---

def flood(streams, data, seconds):
    """Sends that again and again on all streams, as far as the daemon reads."""
    until, at = time.monotonic() + seconds, [0] * len(streams)
    for stream in streams:
        stream.socket.setblocking(False)
    while time.monotonic() < until:
        moved = 0
        for i, stream in enumerate(streams):
            try:
                sent = stream.socket.send(data[at[i]:at[i] + MIB])
            except BlockingIOError:
                continue
            except OSError:
                sent = 0
            at[i] = (at[i] + sent) % len(data)
            moved += sent
        if moved == 0:
            time.sleep(0.02)


def statuses(daemon, source, count=10):
    """Of another client's requests."""
    found = set()
    for _ in range(count):
        with socket.create_connection((daemon.host, daemon.port), 10, source_address=(source, 0)) as other:
            other.sendall(b"POST /v1/distance HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                          b"Content-Length: 43\r\nConnection: close\r\n\r\n"
                          b'{"a":{"type":"point"},"b":{"type":"point"}}')
            found.add(other.recv(65536).split(b" ", 2)[1])
    return found


FLOODS = {
    "empty pings": WebSocket.frame(PING) * 10000,
    "full pings": WebSocket.frame(PING, b"x" * 125) * 1000,
    "pings among fragments": (WebSocket.frame(TEXT, b" ", fin=False) + WebSocket.frame(PING, b"xy") * 50 +
                              (WebSocket.frame(CONTINUATION, b"", fin=False) + WebSocket.frame(PING)) * 1000 +
                              WebSocket.frame(CONTINUATION, b"x")),
    "pings among calls": (WebSocket.frame(TEXT, b'{"id":1,"method":"GET","path":"/v1"}') +
                          WebSocket.frame(PING, b"z" * 60)) * 500,
    "pongs": WebSocket.frame(PONG, b"x" * 125) * 1000,
}


@counted
@pytest.mark.parametrize("name", FLOODS)
@pytest.mark.parametrize("has_token", [True, False], ids=["open", "before the token"])
def test_frames_that_are_answered_are_bounded(start, tmp_path, name, has_token):
    """Of the pongs of pings that come faster than they are read."""
    flags = []
    if not has_token:
        file = tmp_path / "tokens"
        file.write_text(f"somebody {'0' * 64} read\n")
        file.chmod(0o600)
        flags = ["--token-file", str(file)]
    daemon = start("--max-memory", str(LIMIT), *flags)
    before = peak(daemon)
    streams = [WebSocket(daemon, source=ELSEWHERE, receives=NARROW) for _ in range(40)]
    flood(streams, FLOODS[name], 2)
    assert peak(daemon) <= before + LIMIT
    assert statuses(daemon, "127.0.0.2") == ({b"200"} if has_token else {b"401"})
    for stream in streams:
        stream.socket.close()
    if has_token:  # which the metrics ask for
        assert eventually(lambda: total(samples(daemon)[0], "gjkd_streams") == 0)


@counted
@pytest.mark.parametrize("call", [
    b'{"id":1,"method":"GET","path":"/v1"}',
    b'{"id":1,"method":"GET","path":"/nowhere"}',
    b'{"id":1,"method":"POST","path":"/v1/sets/s/detect","headers":{"Gjkd-Timeout-Ms":"1"},"body":{}}'],
    ids=["open", "refused", "late"])
def test_small_answers_that_nobody_reads_are_bounded(start, call):
    """Many streams of one client; another client has its memory meanwhile."""
    daemon = start("--max-memory", str(LIMIT), "--workers", "1")
    daemon.store("s", {"dimension": 2, "shapes": {f"s{i}": CIRCLE for i in range(1000)}})
    before = peak(daemon)
    streams = [WebSocket(daemon, source=ELSEWHERE, receives=NARROW) for _ in range(150)]
    flood(streams, WebSocket.frame(TEXT, call) * 3000, 3)
    assert peak(daemon) <= before + LIMIT
    assert statuses(daemon, "127.0.0.2") <= {b"200", b"503"}
    for stream in streams:
        stream.socket.close()
    assert eventually(lambda: total(samples(daemon)[0], "gjkd_streams") == 0)
    assert eventually(lambda: total(samples(daemon)[0], "gjkd_jobs_queued") == 0, 60)
    assert eventually(lambda: total(samples(daemon)[0], "gjkd_memory_bytes") < LIMIT // 4)


def test_what_waits_is_answered_once_it_is_read(start):
    """Reading stops while the client's share is full; no answer is lost, and pongs are whole."""
    calls = 1500
    daemon = start("--max-memory", str(LIMIT // 4), "--io-threads", "2")
    ping = WebSocket.frame(PING, b"p" * 125)
    sent = b"".join(WebSocket.frame(TEXT, b'{"id":%d,"method":"GET","path":"/v1"}' % i) + ping * (i % 3)
                    for i in range(calls))
    failures = []

    def read(stream):
        try:
            time.sleep(0.5)
            frames = [stream.receive() for _ in range(calls + sum(i % 3 for i in range(calls)))]
            assert [json.loads(data)["id"] for opcode, data in frames if opcode == TEXT] == list(range(calls))
            assert all(opcode == TEXT or (opcode, data) == (PONG, b"p" * 125) for opcode, data in frames)
        except (AssertionError, EOFError, OSError) as error:
            failures.append(error)

    streams = [WebSocket(daemon, receives=1 << 16) for _ in range(8)]
    threads = [threading.Thread(target=read, args=(stream,)) for stream in streams]
    threads += [threading.Thread(target=stream.socket.sendall, args=(sent,)) for stream in streams]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for stream in streams:
        stream.socket.close()
    assert not failures, failures[0]


def test_control_frames_are_whole_beside_answers(start):
    """However full the buffer is when a pong is due, and however little is read at a time."""
    daemon = start()
    with WebSocket(daemon, receives=NARROW) as stream:
        stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        expected = 0
        for i in range(400):
            data = b""
            for j in range(i % 23):
                data += WebSocket.frame(TEXT, b'{"id":%d,"method":"GET","path":"/livez"}' % (i * 50 + j))
                data += WebSocket.frame(PING, bytes([97 + j]) * (i * 7 % 126))
                expected += 2
            stream.socket.sendall(data)
            while expected > 900:
                check_frame(*stream.receive())
                expected -= 1
        for _ in range(expected):
            check_frame(*stream.receive())


def check_frame(opcode, payload):
    assert opcode in (TEXT, PONG)
    if opcode == TEXT:
        assert json.loads(payload)["status"] == 200
    else:
        assert payload == payload[:1] * len(payload) and len(payload) <= 125


def take_all_memory(daemon, uploads, over):
    """Half-sent bodies of eight clients, again and again."""
    head = (b"POST /v1/detect HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Content-Length: 60000\r\n\r\n")
    while not over.is_set() and len(uploads) < 5000:
        uploads.append(socket.socket())
        try:
            uploads[-1].settimeout(5)
            uploads[-1].bind((f"127.0.1.{len(uploads) % 8}", 0))
            uploads[-1].connect((daemon.host, daemon.port))
            uploads[-1].sendall(head + b" " * 50000)
        except OSError:
            time.sleep(0.005)


def test_a_stream_that_finds_no_memory_says_so(start):
    """Others hold all there is: the stream closes with 1013, and later there are streams again."""
    daemon = start("--max-memory", str(LIMIT // 4), "--min-body-rate", "0")
    over, uploads = threading.Event(), []
    thread = threading.Thread(target=take_all_memory, args=(daemon, uploads, over))
    with WebSocket(daemon) as stream:
        stream.call(1, "GET", "/livez")
        opcode, payload = stream.receive()
        assert opcode == TEXT
        thread.start()
        deadline = time.monotonic() + 60
        while opcode == TEXT and time.monotonic() < deadline:
            stream.call(2, "GET", "/livez")
            opcode, payload = stream.receive()
        over.set()
        thread.join()
        assert opcode == CLOSE and payload[:2] == b"\x03\xf5"
    for upload in uploads:
        upload.close()

    def streams_again():
        try:
            with WebSocket(daemon, timeout=5) as other:
                return other.ask(1, "GET", "/livez")["status"] == 200
        except (OSError, EOFError):
            return False

    assert eventually(streams_again)
