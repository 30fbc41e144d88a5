"""Watches: how many a client has, whose time and memory they take, and whose token they end with."""

import json
import os
import signal
import struct
import threading
import time
import urllib.parse

import pytest

import problem
from events import Events
from stream_wire import BINARY, CLOSE, PING, TEXT, WebSocket, pack_call, unpack_answer
from test_events import CIRCLE, patch
from test_memory import plain_memory
from test_tokens import bearer, line, secret
from wire import Wire, eventually

pytestmark = pytest.mark.http

EVENTS = "/v1/sets/s/events"
EMPTY = {"dimension": 2, "shapes": {}}


def metric(daemon, name):
    lines = daemon.get("/metrics").text.splitlines()
    return float(next(line for line in lines if line.startswith(name + " ")).split()[1])


# --- How many ---


class Wires:
    """Watches of one client, each over a connection of its own."""

    def __init__(self, daemon):
        self.daemon, self.open = daemon, []

    def ask(self):
        events = Events(self.daemon, "s")
        if events.status == 200:
            self.open.append(events)
        else:
            events.close()
        return events.status

    def end_one(self):
        self.open.pop().close()

    def close(self):
        for events in self.open:
            events.close()


class Calls:
    """The same over a stream."""

    def __init__(self, daemon):
        self.stream, self.count = WebSocket(daemon), 0

    def ask(self):
        self.count += 1
        answer = self.stream.ask(self.count, "WATCH", EVENTS)
        if answer["status"] != 200:
            self.count -= 1
            assert answer["body"]["code"] == "too-many"
        return answer["status"]

    def end_one(self):
        assert self.stream.ask(self.count, "UNWATCH", "")["status"] == 204
        self.count -= 1

    def close(self):
        self.stream.socket.close()


@pytest.mark.parametrize("kind", [Wires, Calls])
@pytest.mark.parametrize("threads", ["1", "3"])
def test_a_client_has_so_many(start, kind, threads):
    daemon = start("--max-watches", "5", "--io-threads", threads)
    daemon.store("s", EMPTY)
    watches = kind(daemon)
    assert [watches.ask() for _ in range(6)] == [200] * 5 + [422]
    watches.end_one()
    assert eventually(lambda: metric(daemon, "gjkd_watches") == 4)
    assert [watches.ask() for _ in range(2)] == [200, 422]
    watches.close()


def test_the_refusal_names_the_limit(start):
    daemon = start("--max-watches", "1")
    daemon.store("s", EMPTY)
    assert daemon.get("/v1").json()["limits"]["watches_max"] == 1
    with Events(daemon, "s") as watching, WebSocket(daemon) as stream:
        assert watching.status == 200
        refused = daemon.get(EVENTS)
        problem.check(refused, "too-many")
        assert refused.json()["limit"] == 1
        answer = stream.ask(1, "WATCH", EVENTS)
        assert (answer["status"], answer["body"]["code"], answer["body"]["limit"]) == (422, "too-many", 1)


def test_both_kinds_count_together_and_all_that_end_are_given_back(start):
    daemon = start("--max-watches", "4", "--io-threads", "2")
    daemon.store("s", EMPTY), daemon.store("t", EMPTY)
    with Events(daemon, "s"), WebSocket(daemon) as kept, WebSocket(daemon) as lost:
        assert lost.ask(1, "WATCH", EVENTS)["status"] == 200
        assert lost.ask(2, "WATCH", "/v1/sets/t/events?kinds=overlap")["status"] == 200
        assert kept.ask(1, "WATCH", EVENTS)["status"] == 200
        assert kept.ask(2, "WATCH", EVENTS)["status"] == 422
        lost.socket.close()
        assert eventually(lambda: kept.ask(2, "WATCH", EVENTS)["status"] == 200)
        assert kept.ask(3, "WATCH", EVENTS)["status"] == 200
        assert kept.ask(4, "WATCH", EVENTS)["status"] == 422
        daemon.call("DELETE", "/v1/sets/s")  # which ends all four
        assert [kept.answer()["event"]["kind"] for _ in range(3)] == ["deleted"] * 3
        daemon.store("s", EMPTY)
        for id_ in range(10, 13):
            assert kept.ask(id_, "WATCH", EVENTS)["status"] == 200


def test_a_call_that_watches_already_counts_once(start):
    daemon = start("--max-watches", "2")
    daemon.store("s", EMPTY)
    with WebSocket(daemon) as stream:
        assert stream.ask(1, "WATCH", EVENTS)["status"] == 200
        for _ in range(5):
            assert stream.ask(1, "WATCH", EVENTS)["status"] == 400
        assert stream.ask(2, "WATCH", EVENTS)["status"] == 200


def test_each_token_is_a_client(start, tmp_path):
    (tmp_path / "tokens").write_text(line("red", "write") + line("blue", "read"))
    daemon = start("--token-file", str(tmp_path / "tokens"), "--max-watches", "2")
    assert daemon.put("/v1/sets/s", EMPTY, headers=bearer("red")).status_code == 201
    with WebSocket(daemon, bearer("red")) as red, WebSocket(daemon, bearer("blue")) as blue:
        for stream in red, blue:
            assert [stream.ask(i, "WATCH", EVENTS)["status"] for i in range(3)] == [200, 200, 422]
        daemon_red = daemon.get(EVENTS, headers=bearer("red"))
        problem.check(daemon_red, "too-many")


# --- What they cost ---


def threads_ns(daemon):
    """Processor time of each thread."""
    folder = f"/proc/{daemon.process.pid}/task"
    spent = {}
    for thread in os.listdir(folder):
        with open(f"{folder}/{thread}/schedstat") as file:
            spent[thread] = int(file.read().split()[0])
    return spent


def spent_ns(daemon):
    return sum(threads_ns(daemon).values())


class Loop:
    """The thread of the only loop."""

    def __init__(self, daemon):
        self.daemon = daemon
        before = threads_ns(daemon)
        for _ in range(200):
            daemon.get("/livez")
        after = threads_ns(daemon)
        self.thread = max(after, key=lambda thread: after[thread] - before.get(thread, 0))

    def spent_ns(self):
        return threads_ns(self.daemon)[self.thread]


def filtered(set_, mask):
    return f"/v1/sets/{set_}/events?kinds=overlap&filter=" + urllib.parse.quote(json.dumps({"mask": mask}))


def read_answers(stream, count):
    """So many answers, passing over events; how many events came with them."""
    events = 0
    while count > 0:
        answer = stream.answer()
        events += "event" in answer
        if "status" in answer:
            assert answer["status"] in (200, 204), answer
            count -= 1
    return events


def watch_with_filters(stream, first, count, set_="s"):
    """WATCHes with a filter each, and until each has told what overlaps now."""
    sent = b"".join(stream.frame(TEXT, json.dumps(
        {"id": i, "method": "WATCH", "path": filtered(set_, 4294967295 - 2 * i)}).encode())
        for i in range(first, first + count))
    sender = threading.Thread(target=stream.socket.sendall, args=(sent,))
    sender.start()
    events = read_answers(stream, count)
    sender.join()
    for _ in range(count - events):
        assert stream.answer()["event"]["all"]


def test_the_thousandth_filter_costs_no_more_than_the_first(start):
    daemon = start("--io-threads", "1", "--workers", "1", "--max-watches", "100000")
    daemon.store("s", EMPTY)
    loop = Loop(daemon)
    costs = []
    with WebSocket(daemon) as stream:
        for first in range(0, 16000, 2000):
            before = loop.spent_ns()
            watch_with_filters(stream, first, 2000)
            costs.append(loop.spent_ns() - before)
    assert min(costs[-3:]) < 2.5 * min(costs[:3]) + 50e6, costs


def test_a_set_that_is_made_is_looked_for_by_those_of_its_name(start):
    """Many watches wait for other sets."""
    daemon = start("--io-threads", "1", "--workers", "1", "--max-watches", "100000")
    loop = Loop(daemon)

    def cost():
        before = loop.spent_ns()
        for _ in range(300):
            daemon.store("s", EMPTY)
            daemon.call("DELETE", "/v1/sets/s")
        return loop.spent_ns() - before

    alone = cost()
    with WebSocket(daemon) as stream:
        for first in range(0, 24000, 500):
            stream.socket.sendall(b"".join(stream.frame(TEXT, json.dumps(
                {"id": i, "method": "WATCH", "path": f"/v1/sets/w{i}/events?wait=true"}).encode())
                for i in range(first, first + 500)))
            read_answers(stream, 500)
        crowded = cost()
        daemon.store("w7", EMPTY)
        assert stream.answer()["id"] == 7
    assert crowded < 2 * alone + 50e6, (crowded, alone)


@pytest.mark.parametrize("ends", ["UNWATCH", "close", "delete"])
def test_many_watches_end(start, ends):
    daemon = start("--io-threads", "2", "--max-watches", "100000")
    daemon.store("s", EMPTY)
    streams = [WebSocket(daemon) for _ in range(3)]
    for stream in streams:
        watch_with_filters(stream, 0, 2000)
    assert metric(daemon, "gjkd_watches") == 6000
    if ends == "UNWATCH":
        for stream in streams:
            sent = b"".join(stream.frame(TEXT, b'{"id":%d,"method":"UNWATCH"}' % i) for i in range(2000))
            stream.socket.sendall(sent)
            read_answers(stream, 2000)
    elif ends == "delete":
        daemon.call("DELETE", "/v1/sets/s")
        for stream in streams:
            assert all(stream.answer()["event"]["kind"] == "deleted" for _ in range(2000))
    for stream in streams:
        stream.socket.close()
    assert eventually(lambda: metric(daemon, "gjkd_watches") == 0)
    daemon.store("s", EMPTY)
    with Events(daemon, "s", "?kinds=overlap") as events:
        assert events.next().data["all"]


@pytest.mark.plain
def test_calls_that_wait_are_not_looked_through(start):
    """A thousand calls wait for a long write. Each message that comes meanwhile, and each answer, costs the
    loop what it costs without them."""
    daemon = start("--io-threads", "1", "--workers", "2", "--max-memory", "2G")
    daemon.store("s", EMPTY)
    loop = Loop(daemon)
    points = [[(i * 7919) % 1009 - 500, (i * 104729) % 997 - 500, (i * 1299709) % 991 - 500]
              for i in range(60000)]
    slow = {"dimension": 3, "shapes": {f"h{i}": {"type": "mesh", "vertices": points, "triangles": [
        [k, k + 1, k + 2] for k in range(0, 59000, 2)]} for i in range(9)}}
    flood_count = 3000

    def cost_of(kind):
        """What the loop spends on the flood; None where the write had ended before it came."""
        with WebSocket(daemon) as stream:
            calls = [{"id": 1, "method": "PUT", "path": "/v1/sets/s", "body": slow}]
            calls += [{"id": 10 + i, "method": "GET", "path": "/v1/sets/s/shapes/x"} for i in range(500)]
            calls += [{"id": 7, "method": "WATCH", "path": EVENTS}] if kind == "unwatch" else []
            calls += [{"id": 7, "method": "UNWATCH"} if kind == "unwatch" else
                      {"id": 8, "method": "GET", "path": "/v1/sets/s/shapes/x"} for _ in range(500)]
            stream.socket.sendall(b"".join(stream.frame(TEXT, json.dumps(c).encode()) for c in calls))
            flood = stream.frame(TEXT, b'{"id":3,"method":"GET","path":"/livez"}') * flood_count
            time.sleep(0.2)  # until the head of the line is read; nothing tells
            before = loop.spent_ns()
            sender = threading.Thread(target=stream.socket.sendall, args=(flood,))
            sender.start()
            seen = []
            while seen.count(3) < flood_count:
                seen.append(stream.answer()["id"])
            cost = loop.spent_ns() - before
            sender.join()
            has_waited = 1 not in seen[:flood_count // 2]
            while 1 not in seen or len(seen) < flood_count + len(calls):
                seen.append(stream.answer()["id"])
        assert eventually(lambda: metric(daemon, "gjkd_watches") == 0)
        return cost if has_waited else None

    costs = {}
    for kind in "control", "unwatch":
        tries = (cost_of(kind) for _ in range(5))  # a busy machine may hold this client up
        costs[kind] = next((cost for cost in tries if cost is not None), None)
        assert costs[kind] is not None, "the write was to be longer"
    assert costs["unwatch"] < 3 * costs["control"] + 100e6, costs


@pytest.mark.parametrize("shared", [False, True], ids=["own", "shared"])
@pytest.mark.plain
def test_events_do_not_wait_for_those_of_others(start, tmp_path, shared):
    """A client with hundreds of overlap watches of a large set, each of which takes a worker's time. What
    the daemon has spent when another client's event is there is a small part of what all of them take,
    also where the first client has made that client's topic."""
    (tmp_path / "tokens").write_text(line("red", "write") + line("blue", "write"))
    daemon = start("--token-file", str(tmp_path / "tokens"), "--workers", "1", "--io-threads", "1")
    circles = {f"s{i}": CIRCLE | {"position": [i % 60 * 1.5, i // 60 * 1.5]} for i in range(3000)}
    for name, shapes in ("big", circles), ("small", {"a": CIRCLE}):
        body = {"dimension": 2, "shapes": shapes}
        assert daemon.put(f"/v1/sets/{name}", body, headers=bearer("red")).status_code == 201
    count = 150
    shares = []
    with WebSocket(daemon, bearer("red"), timeout=100) as red, \
            WebSocket(daemon, bearer("blue")) as blue:
        if shared:
            assert red.ask(9999, "WATCH", "/v1/sets/small/events")["status"] == 200
        watch_with_filters(red, 0, count, "big")
        assert blue.ask(1, "WATCH", "/v1/sets/small/events")["status"] == 200
        for turn in range(3):
            told = 0
            moved = {f"s{i}": {"position": [i % 60 * 1.5, i // 60 * 1.5 + 1 + turn]}
                     for i in range(0, 3000, 7)}
            before = spent_ns(daemon)
            reply = daemon.call("PATCH", "/v1/sets/big", json={"shapes": moved}, headers=bearer("red"))
            assert reply.status_code == 200
            reply = daemon.call("PATCH", "/v1/sets/small", headers=bearer("blue"),
                                json={"shapes": {"a": {"position": [turn + 1, 0]}}})
            assert reply.status_code == 200
            assert blue.answer()["event"]["kind"] == "change"
            until_event = spent_ns(daemon) - before
            while told < count:
                event = red.answer()
                told += event["id"] != 9999
            shares.append(until_event / (spent_ns(daemon) - before))
    assert min(shares) < 0.4, shares


def fill_share(daemon, name):
    """Watches of red with filters as long as may be, until one is refused; its answer and the streams."""
    refused, streams = None, []
    ignored = ",".join(f'"{i:02}{"x" * 118}"' for i in range(30))
    while refused is None and len(streams) < 20:
        stream = WebSocket(daemon, bearer("red"))
        streams.append(stream)
        for i in range(1000):
            filter_ = '{"ignore":[%s],"mask":%d}' % (ignored, len(streams) * 1000 + i)
            stream.call(i, "WATCH", f"/v1/sets/{name}/events?kinds=overlap&filter={filter_}")
            opcode, payload = stream.receive()
            while opcode == TEXT and b'"event"' in payload or opcode == PING:
                opcode, payload = stream.receive()
            if opcode == CLOSE:  # 1013: not even for the refusal was there memory
                assert struct.unpack(">H", payload[:2]) == (1013,), payload
                refused = {"status": 503}
                break
            answer = json.loads(payload)
            if answer["status"] != 200:
                refused = answer
                break
    return refused, streams


@plain_memory
@pytest.mark.parametrize("kinds", ["change", "overlap", "change,overlap"])
def test_a_full_share_takes_no_events_from_others(start, tmp_path, kinds):
    """Red begins a topic and then has no memory left for its events; blue watches the same."""
    (tmp_path / "tokens").write_text(line("red", "write") + line("blue", "write"))
    daemon = start("--token-file", str(tmp_path / "tokens"), "--max-memory", str(32 << 20),
                   "--max-watches", "100000")
    for name in ("s", "small"):
        assert daemon.put(f"/v1/sets/{name}", EMPTY, headers=bearer("blue")).status_code == 201
    path = f"/v1/sets/small/events?kinds={kinds}"
    with WebSocket(daemon, bearer("red")) as red, WebSocket(daemon, bearer("blue")) as blue:
        assert red.ask(1, "WATCH", path)["status"] == 200
        refused, streams = fill_share(daemon, "s")
        assert refused["status"] in (503, 507), refused
        assert blue.ask(1, "WATCH", path)["status"] == 200
        wanted = {}
        for turn in range(50):
            reply = daemon.put(f"/v1/sets/small/shapes/{turn}", CIRCLE, headers=bearer("blue"))
            assert reply.status_code == 201, reply.text
            wanted = set(kinds.split(",")) - ({"overlap"} if turn == 0 else set())
            while wanted:
                event = blue.answer()["event"]
                assert event["kind"] in ("change", "overlap") and "reset" not in event, event
                wanted.discard(event["kind"])
    for stream in streams:
        stream.socket.close()


@plain_memory
def test_idle_watches_are_held_in_their_clients_share(start, tmp_path):
    """Filters as long as may be: a client's are refused while others still have half of the memory."""
    (tmp_path / "tokens").write_text(line("red", "write") + line("blue", "write"))
    limit = 32 << 20
    daemon = start("--token-file", str(tmp_path / "tokens"), "--max-memory", str(limit),
                   "--max-watches", "100000")
    assert daemon.put("/v1/sets/s", EMPTY, headers=bearer("red")).status_code == 201
    refused, streams = fill_share(daemon, "s")
    assert refused["status"] in (503, 507), refused
    used = float(daemon.get("/metrics", headers=bearer("blue")).text.split("\ngjkd_memory_bytes ")[1]
                 .split()[0])
    assert used < 0.65 * limit, (used, len(streams))
    points = {f"p{i}": {"type": "point", "position": [i, i]} for i in range(5000)}
    reply = daemon.put("/v1/sets/t", {"dimension": 2, "shapes": points}, headers=bearer("blue"))
    assert reply.status_code == 201, reply.text
    with Events(daemon, "s", "?kinds=overlap",
                headers=[f"Authorization: Bearer {secret('blue')}"]) as events:
        assert events.status == 200 and events.next().data["all"]
    for stream in streams:
        stream.socket.close()


# --- Tokens ---


@pytest.fixture
def guarded(start, tmp_path):
    """A daemon, and grant(*lines): its file of tokens, read again."""
    path = tmp_path / "tokens"

    def write(lines):
        fresh = tmp_path / "fresh"
        fresh.write_text("".join(lines))
        fresh.chmod(0o600)
        fresh.rename(path)

    def grant(*lines):
        before = daemon.stderr().count(b"SIGHUP:")
        write(lines)
        daemon.process.send_signal(signal.SIGHUP)
        assert eventually(lambda: daemon.stderr().count(b"SIGHUP:") > before)

    write([line("root", "write"), line("red", "read"), line("blue", "read")])
    daemon = start("--token-file", str(path), "--io-threads", "2")
    for name in "s", "other":
        body = {"dimension": 2, "shapes": {"a": CIRCLE}}
        assert daemon.put(f"/v1/sets/{name}", body, headers=bearer("root")).status_code == 201
    return daemon, grant


ROOT, RED, BLUE = line("root", "write"), line("red", "read"), line("blue", "read")


def move(daemon, name="s", x=1):
    reply = daemon.call("PATCH", f"/v1/sets/{name}", json={"shapes": {"a": {"position": [x, 0]}}},
                        headers=bearer("root"))
    assert reply.status_code == 200


def check_last(answer, id_, status, code):
    assert (answer["id"], answer["status"], answer["body"]["code"]) == (id_, status, code)
    assert answer["body"]["status"] == status
    challenge = answer["headers"].get("WWW-Authenticate", "")
    assert ("invalid_token" in challenge) == (status == 401)


def test_a_second_token_of_a_stream_takes_its_watches_with_it(guarded):
    daemon, grant = guarded
    with WebSocket(daemon, bearer("red")) as stream:
        assert stream.ask(1, "WATCH", EVENTS)["status"] == 200
        stream.send(TEXT, json.dumps({"authorization": f"Bearer {secret('blue')}"}).encode())
        assert stream.answer() == {"status": 204}
        assert stream.ask(2, "WATCH", EVENTS)["status"] == 200
        assert stream.ask(3, "WATCH", "/v1/sets/other/events?kinds=overlap")["status"] == 200
        assert stream.answer()["event"]["all"]
        started = time.monotonic()
        grant(ROOT, RED)
        last = {(answer := stream.answer())["id"]: answer for _ in range(2)}
        assert time.monotonic() - started < 10
        for id_ in 2, 3:
            check_last(last[id_], id_, 401, "unauthenticated")
        move(daemon)
        event = stream.answer()
        assert event["id"] == 1 and event["event"]["kind"] == "change", "the first token's goes on"
        assert stream.ask(4, "WATCH", EVENTS)["status"] == 401
        assert stream.ask(2, "UNWATCH", "")["status"] == 400


def test_a_stream_ends_with_the_token_that_opened_it(guarded):
    daemon, grant = guarded
    late = WebSocket(daemon)
    late.send(TEXT, json.dumps({"authorization": f"Bearer {secret('red')}"}).encode())
    assert late.answer() == {"status": 204}
    for stream in WebSocket(daemon, bearer("red")), late:
        with stream:
            stream.send(TEXT, json.dumps({"authorization": f"Bearer {secret('blue')}"}).encode())
            assert stream.answer() == {"status": 204}
            assert stream.ask(1, "WATCH", EVENTS)["status"] == 200
            if stream is late:
                grant(ROOT, BLUE)
                assert late.close_code() == 1008


def test_a_token_that_is_narrowed_takes_the_watches_outside_with_it(guarded):
    daemon, grant = guarded
    inside, outside = (Events(daemon, name, headers=[f"Authorization: Bearer {secret('red')}"])
                       for name in ("other", "s"))
    with WebSocket(daemon, bearer("red")) as stream:
        assert stream.ask(1, "WATCH", EVENTS)["status"] == 200
        assert stream.ask(2, "WATCH", "/v1/sets/other/events")["status"] == 200
        grant(ROOT, BLUE, line("red", "read", "oth"))
        check_last(stream.answer(), 1, 403, "forbidden")
        assert outside.next() is None, "it just ends"
        move(daemon, "other"), move(daemon)
        event = stream.answer()
        assert (event["id"], event["event"]["kind"]) == (2, "change")
        assert inside.next().kind == "change"
        assert stream.ask(3, "WATCH", EVENTS)["status"] == 403
    inside.close(), outside.close()


def test_who_waits_for_a_set_is_judged_like_the_others(guarded):
    daemon, grant = guarded
    waiting = Events(daemon, "later", "?wait=true", headers=[f"Authorization: Bearer {secret('red')}"])
    with WebSocket(daemon, bearer("red")) as stream:
        assert stream.ask(1, "WATCH", "/v1/sets/later/events?wait=true")["status"] == 200
        grant(ROOT, BLUE, line("red", "read", "s,other:read"))
        check_last(stream.answer(), 1, 403, "forbidden")
        assert waiting.next() is None
        assert stream.ask(2, "WATCH", "/v1/sets/later/events?wait=true")["status"] == 403
        body = {"dimension": 2, "shapes": {}}
        assert daemon.put("/v1/sets/later", body, headers=bearer("root")).status_code == 201
        move(daemon)
        assert stream.ask(3, "GET", "/livez")["status"] == 200, "nothing else was told"
    waiting.close()


def test_a_binary_watch_is_told_too(guarded):
    daemon, grant = guarded
    with WebSocket(daemon, bearer("red")) as stream:
        stream.send(BINARY, pack_call(5, "WATCH", EVENTS))
        opcode, payload = stream.receive()
        assert opcode == BINARY and unpack_answer(payload)[1] == 200
        grant(ROOT, BLUE, line("red", "read", "oth"))
        opcode, payload = stream.receive()
        id_, status, _, body, _ = unpack_answer(payload)
        assert opcode == BINARY and (id_, status) == (5, 403)
        assert json.loads(body)["code"] == "forbidden"


def test_a_watch_that_waits_while_its_token_is_revoked_never_begins(guarded):
    """The WATCH was let pass, but stands behind a long write."""
    daemon, grant = guarded
    grant(ROOT, BLUE, line("red", "write"))
    hull = {"type": "hull", "points": [[i % 97, i * i % 89, i % 83] for i in range(9000)]}
    with WebSocket(daemon, bearer("root")) as stream:
        stream.send(TEXT, json.dumps({"authorization": f"Bearer {secret('red')}"}).encode())
        assert stream.answer() == {"status": 204}
        stream.call(1, "PUT", "/v1/sets/s", {"dimension": 3, "shapes": {f"h{i}": hull for i in range(60)}})
        stream.call(2, "WATCH", EVENTS)
        grant(ROOT, BLUE)
        last = {}
        while 2 not in last or (last[2]["status"] == 200 and len(last) < 3):
            answer = stream.answer()
            last[answer["id"] if answer["id"] not in last else 3] = answer
        final = last.get(3, last[2])
        check_last(final, 2, 401, "unauthenticated")


def test_watches_of_the_token_that_opened_the_stream_tell_why_it_ends(guarded):
    daemon, grant = guarded
    with WebSocket(daemon, bearer("red")) as stream:
        for id_ in 1, 2:
            assert stream.ask(id_, "WATCH", EVENTS)["status"] == 200
        stream.send(TEXT, json.dumps({"authorization": f"Bearer {secret('blue')}"}).encode())
        assert stream.answer() == {"status": 204}
        assert stream.ask(3, "WATCH", EVENTS)["status"] == 200
        grant(ROOT, BLUE)
        last = {(answer := stream.answer())["id"]: answer for _ in range(2)}
        for id_ in 1, 2:
            check_last(last[id_], id_, 401, "unauthenticated")
        assert stream.close_code() == 1008, "and nothing of the other token's watch, which only ends"
    assert eventually(lambda: metric_of(daemon, "gjkd_watches") == 0)


def test_thousands_of_watches_are_judged(guarded):
    daemon, grant = guarded
    with WebSocket(daemon, bearer("root")) as stream:
        stream.send(TEXT, json.dumps({"authorization": f"Bearer {secret('red')}"}).encode())
        assert stream.answer() == {"status": 204}
        count = 3000
        for i in range(count):
            stream.call(i, "WATCH", ("/v1/sets/other/events", EVENTS)[i % 2])
        read_answers(stream, count)
        grant(ROOT, BLUE, line("red", "read", "oth"))
        ended = set()
        for _ in range(count // 2):
            answer = stream.answer()
            assert answer["status"] == 403
            ended.add(answer["id"])
        assert ended == set(range(1, count, 2))
        assert metric_of(daemon, "gjkd_watches") == count // 2


def metric_of(daemon, name):
    lines = daemon.get("/metrics", headers=bearer("root")).text.splitlines()
    return float(next(line for line in lines if line.startswith(name + " ")).split()[1])


# --- Drain ---


def test_event_streams_end_before_the_drain_delay(start):
    """The listener is open for longer: what is asked meanwhile is answered, but no events."""
    daemon = start("--drain-timeout", "40s", env={"GJKD_DRAIN_DELAY": "8s"})
    daemon.store("s", EMPTY)
    events = [Events(daemon, "s") for _ in range(20)]
    with WebSocket(daemon) as stream, Wire(daemon) as wire:
        assert stream.ask(1, "WATCH", EVENTS)["status"] == 200
        daemon.signal()
        started = time.monotonic()
        assert all(one.next() is None for one in events)
        assert time.monotonic() - started < 7
        assert stream.ask(2, "GET", "/livez")["status"] == 200
        answer = stream.ask(3, "WATCH", EVENTS)
        assert (answer["status"], answer["body"]["code"]) == (503, "draining")
        wire.request("GET", EVENTS)
        problem.check(wire.reply(), "draining")
        assert time.monotonic() - started < 8, "the listener is still open"
        assert stream.close_code() == 1001
    for one in events:
        one.close()
    assert daemon.wait() == 0
