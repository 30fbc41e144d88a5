"""One budget of memory: --max-memory bounds the process whatever clients send, ask for or leave
unread, the others are served meanwhile, and what is counted is what the process grows by."""

import collections
import concurrent.futures
import gzip
import json
import math
import os
import random
import socket
import threading
import time

import pytest
import requests

import messages
import problem
from daemon import run_to_end
from test_churn import answer_alone, metric, plain_memory, resident, settled
from test_tls import flags as tls_flags, make as make_certificate
from wire import Wire, eventually

pytestmark = pytest.mark.http  # bodies as long as may be; a call has a little more around it

MIB = 1 << 20
LIMIT = 64 * MIB
SLACK = 64 * MIB  # what the process may take beside what it counts
BODY = 16 * MIB
SMALL = {"a": {"type": "circle", "radius": 1}, "b": {"type": "point", "position": [3, 0]}}
HEADERS = {"Content-Type": "application/json"}
REFUSALS = {503: "overloaded", 507: "out-of-memory"}


class Others(threading.Thread):
    """Small queries and probes of an honest client, on and on; their statuses."""

    def __init__(self, daemon):
        super().__init__(daemon=True)
        self.daemon_, self.statuses, self.stopped = daemon, [], threading.Event()

    def run(self):
        session = self.daemon_.new_session()
        while not self.stopped.is_set():
            reply = session.post(self.daemon_.url + "/v1/distance", json=SMALL, timeout=30)
            self.statuses.append(reply.status_code)
            self.statuses.append(session.get(self.daemon_.url + "/livez", timeout=30).status_code)
            time.sleep(0.005)
        session.close()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *failure):
        self.stopped.set()
        self.join(60)
        assert failure[0] is not None or (self.statuses and set(self.statuses) == {200})


def peak(daemon):
    with open(f"/proc/{daemon.process.pid}/status") as status:
        line = next(line for line in status if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def is_bounded(daemon):
    return metric(daemon, "gjkd_memory_bytes") <= LIMIT and peak(daemon) <= LIMIT + SLACK


def limited(start, *flags):
    return start("--max-memory", str(LIMIT), "--workers", "2", "--io-threads", "2", *flags)


def call(daemon, method, path, body, **headers):
    """Without the check of the contract, which takes long for large bodies."""
    with daemon.new_session() as session:
        return session.request(method, daemon.url + path, data=body, headers=HEADERS | headers,
                               verify=daemon.session.verify, timeout=60)


def filled(unit, length=BODY, around=(b'{"queries":[', b"]}")):
    count = (length - len(around[0]) - len(around[1])) // (len(unit) + 1)
    return around[0] + b",".join([unit] * count) + around[1]


# --- Bodies and their trees ---

TREES = {
    "objects": b"{}", "arrays": b"[]", "members": b'{"":0}', "numbers": b"0",
    "deep": b"[" * 60 + b"]" * 60, "strings": b'"' + b"\\u0041" * 20 + b'"',
    "queries": b'{"op":"detect","a":{"type":"sphere","radius":1}}',
}


@plain_memory
@pytest.mark.parametrize("name", TREES)
def test_trees(start, name):
    """Many at once, of bodies that become many times their text."""
    daemon = limited(start)
    body, seen = filled(TREES[name]), []

    def send():
        seen.append(call(daemon, "POST", "/v1/batch", body))

    with Others(daemon):
        threads = [threading.Thread(target=send) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(seen) == 4
    for reply in seen:
        if reply.status_code in REFUSALS:
            problem.check(reply, REFUSALS[reply.status_code])
            assert ("Retry-After" in reply.headers) == (reply.status_code == 503)
    assert is_bounded(daemon)
    daemon.ask("/v1/distance", SMALL)


@plain_memory
def test_a_tree_that_cannot_fit_is_not_built(start):
    """507, because waiting would not help; what fits is still taken."""
    daemon = limited(start)
    for unit in (b"{}", b"0"):
        problem.check(answer_alone(lambda: call(daemon, "POST", "/v1/batch", filled(unit))), "out-of-memory")
    assert peak(daemon) < BODY + 32 * MIB  # the body alone
    # Brackets and commas in a string are no values.
    text = b'{"dimension":2,"meta":{"k":"' + b"[," * MIB + b'"},"shapes":{}}'
    problem.check(call(daemon, "PUT", "/v1/sets/s", text), "too-many")
    assert is_bounded(daemon)


def bodies_of_writes():
    points = json.dumps([[i % 97, i % 89, i % 83] for i in range(100)]).encode()
    shape = b'{"type":"hull","points":' + points + b"}"
    whole = filled(b'"%08d":' + shape, around=(b'{"dimension":3,"shapes":{', b"}}"))
    count = whole.count(b"%08d")
    whole = whole % tuple(range(count))
    return {
        "PUT set": ("PUT", "/v1/sets/w", whole),
        "PATCH": ("PATCH", "/v1/sets/big", b'{"shapes":{' + whole[len(b'{"dimension":3,"shapes":{'):-2] + b"}}"),
        "PUT shape": ("PUT", "/v1/sets/big/shapes/x", filled(b"[1,2,3]", around=(b'{"type":"hull","points":[', b"]}"))),
        "tick": ("PUT", "/v1/sets/big/ticks/1", filled(b'"a":{"position":[1,2,3]}', around=(b'{"shapes":{', b"}}"))),
        "pairs": ("POST", "/v1/detect", filled(b'{"type":"sphere","radius":1}', around=(b'{"shapes":[', b"]}"))),
    }


@plain_memory
@pytest.mark.parametrize("name", ["PUT set", "PATCH", "PUT shape", "tick", "pairs"])
def test_writes_of_large_bodies(start, name):
    daemon = limited(start)
    daemon.store("big", {"dimension": 3, "history": {"ticks": 10},
                         "shapes": {"a": {"type": "sphere", "radius": 1}}})
    before = daemon.get("/v1/sets/big").content
    method, path, body = bodies_of_writes()[name]
    with Others(daemon):
        replies = [call(daemon, method, path, body) for _ in range(2)]
    assert all(reply.status_code in (400, 413, 422, 503, 507) for reply in replies)
    assert is_bounded(daemon)
    assert daemon.get("/v1/sets/big").content == before


@plain_memory
def test_columns(start):
    daemon = limited(start, "--max-batch", "1000000")
    daemon.store("s", {"dimension": 3, "shapes": {"a": {"type": "sphere", "radius": 1}}})
    count = 250000
    body = messages.gjkd.RaycastColumns(
        dimension=3, origin=[0.0, 0.0, 5.0] * count, direction=[0.0, 0.0, -1.0] * count).SerializeToString()
    types = {"Content-Type": messages.TYPE, "Accept": messages.TYPE}
    with Others(daemon):
        for _ in range(3):
            reply = call(daemon, "POST", "/v1/sets/s/raycast", body, **types)
            assert reply.status_code in (200, 503, 507), reply.text
    assert is_bounded(daemon)


# --- Answers that nobody reads ---

def ask_and_leave(daemon, request, count):
    """Connections that ask and do not read."""
    left = []
    for _ in range(count):
        client = socket.create_connection((daemon.host, daemon.port), 10)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.sendall(request)
        left.append(client)
    return left


def text_of(method, path, body=b""):
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return head.encode() + b"Content-Length: %d\r\n\r\n" % len(body) + body


def store_large(daemon, shapes=5, points=30000, name="large"):
    """A set of some MB; PUT shape by shape."""
    rng = random.Random(1)
    daemon.store(name, {"dimension": 3, "shapes": {}})
    for i in range(shapes):
        cloud = [[rng.gauss(0, 1) for _ in range(3)] for _ in range(points)]
        assert daemon.put(f"/v1/sets/{name}/shapes/h{i}", {"type": "hull", "points": cloud}).ok


@plain_memory
def test_large_sets_that_nobody_reads(start):
    daemon = limited(start)
    store_large(daemon)
    before, counted = resident(daemon), metric(daemon, "gjkd_memory_bytes")
    with Others(daemon):
        left = ask_and_leave(daemon, text_of("GET", "/v1/sets/large"), 40)
        time.sleep(1)
        assert resident(daemon) < before + 16 * MIB
        assert metric(daemon, "gjkd_memory_bytes") < counted + 8 * MIB
        # The set that they hold stays counted, though it is gone.
        daemon.call("DELETE", "/v1/sets/large")
        assert metric(daemon, "gjkd_memory_bytes") > counted - MIB
        for client in left:
            client.close()
        assert eventually(lambda: metric(daemon, "gjkd_memory_bytes") < counted / 2)
    assert is_bounded(daemon)


@plain_memory
@pytest.mark.parametrize("form", ["pairs", "batch", "tick"])
def test_answers_that_nobody_reads(start, form):
    daemon = limited(start)
    spheres = {f"s{i}": {"type": "sphere", "radius": 1} for i in range(700)}
    daemon.store("s", {"dimension": 3, "history": {"ticks": 4}, "shapes": spheres})
    assert daemon.put("/v1/sets/s/ticks/1", {"shapes": {}}).ok
    query = {"op": "detect", "a": {"type": "sphere", "radius": 2}}
    request = {"pairs": text_of("POST", "/v1/sets/s/detect", b"{}"),
               "batch": text_of("POST", "/v1/sets/s/batch",
                                json.dumps({"queries": [query] * 200}).encode()),
               "tick": text_of("GET", "/v1/sets/s/ticks/1")}[form]
    with Others(daemon):
        left = ask_and_leave(daemon, request, 12)
        time.sleep(4)
        assert metric(daemon, "gjkd_memory_bytes") <= LIMIT
    for client in left:
        client.close()
    assert is_bounded(daemon)
    assert eventually(lambda: metric(daemon, "gjkd_memory_bytes") < 8 * MIB, 60)


# --- Large sets are sent as they are printed ---

@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    return make_certificate(tmp_path_factory.mktemp("memory"), "memory")


@pytest.mark.parametrize("is_secure", [False, True])
def test_a_large_set_reads_back(start, certificate, is_secure):
    daemon = start(*(tls_flags(certificate) if is_secure else ()))
    if is_secure:
        daemon.session.verify = certificate[0]
    shapes = {f"b/{i:06}": {"type": "sphere", "radius": 1 + i, "group": "g\u00e9"[:1],
                            "position": [i / 3, -i, 1e-9 * i], "orientation": [0, 0, 0, 1]}
              for i in range(20000)}
    shapes |= {f"n{i}": {"type": "hull", "points": [[math.sin(i * k), k, k * k % 7] for k in range(900)]}
               for i in range(30)}
    body = {"dimension": 3, "meta": {"k": "v" * 3000}, "history": {"ticks": 9}, "shapes": shapes}
    daemon.store("s", body)
    reply = daemon.get("/v1/sets/s")
    assert reply.status_code == 200 and len(reply.content) > 3 * MIB
    assert int(reply.headers["Content-Length"]) == len(reply.content)
    answer = reply.json()
    assert answer["meta"] == body["meta"] and answer["history"] == body["history"]
    assert list(answer["shapes"]) == sorted(shapes)
    for name, shape in answer["shapes"].items():
        assert isinstance(shape.pop("handle"), int)
        assert shape == shapes[name]
    single = daemon.get("/v1/sets/s/shapes/n7").json()
    assert single.pop("revision") == answer["revision"] and single.pop("handle")
    assert single == answer["shapes"]["n7"]
    head = daemon.call("HEAD", "/v1/sets/s")
    assert head.headers["Content-Length"] == reply.headers["Content-Length"]
    assert head.headers["ETag"] == reply.headers["ETag"]
    again = daemon.get("/v1/sets/s", headers={"If-None-Match": reply.headers["ETag"]})
    assert again.status_code == 304
    # Pipelined behind it, the next answer begins where it should.
    if not is_secure:
        with Wire(daemon) as wire:
            wire.request("GET", "/v1/sets/s")
            wire.request("GET", "/livez")
            assert wire.reply().body == reply.content
            assert wire.reply().status_code == 200


def test_a_set_that_changes_while_it_is_sent(start):
    """One version from the first byte to the last."""
    daemon = start()
    store_large(daemon)
    whole = daemon.get("/v1/sets/large").content
    with Wire(daemon) as wire:
        wire.request("GET", "/v1/sets/large")
        wire._more()
        assert daemon.put("/v1/sets/large/shapes/h0", {"type": "sphere", "radius": 1}).ok
        daemon.call("DELETE", "/v1/sets/large")
        assert wire.reply().body == whole


@pytest.mark.parametrize("is_secure", [False, True])
@pytest.mark.plain
def test_an_answer_in_many_blocks(start, certificate, is_secure):
    """Bytes do not depend on how they are kept: the list asked in parts is the same list."""
    daemon = start(*(tls_flags(certificate) if is_secure else ()))
    if is_secure:
        daemon.session.verify = certificate[0]
    count = 30000
    daemon.store("s", {"dimension": 2, "shapes": {
        f"s{i:05}": {"type": "circle", "radius": 1, "position": [i / 7, 0]} for i in range(count)}})
    query = {"a": {"type": "circle", "radius": 100000}}
    whole = call(daemon, "POST", "/v1/sets/s/detect", json.dumps(query))
    hits = whole.json()["hits"]
    assert len(whole.content) > 4 * MIB and len(hits) == count
    part = daemon.ask("/v1/sets/s/detect", query | {"limit": 100})
    assert part["hits"] == hits[:100] and part["truncated"] is True
    batch = call(daemon, "POST", "/v1/sets/s/batch",
                 json.dumps({"queries": [{"op": "detect", **query}] * 3}))
    assert [result["hits"] for result in batch.json()["results"]] == [hits] * 3
    assert int(batch.headers["Content-Length"]) == len(batch.content)


def store_mesh(daemon, triangles=50000, name="mesh"):
    """A set whose answer is printed from the lists of one mesh: about 10 MB."""
    rng = random.Random(1)
    mesh = messages.gjkd.BodyColumns(dimension=3, type="mesh")
    mesh.vertices.extend(rng.gauss(0, 1) for _ in range(9 * triangles))
    mesh.triangles.extend(range(3 * triangles))
    daemon.store(name, {"dimension": 3, "shapes": {}})
    assert call(daemon, "PUT", f"/v1/sets/{name}/shapes/m", mesh.SerializeToString(),
                **{"Content-Type": messages.TYPE}).ok


def columns_of(rays):
    columns = messages.gjkd.RaycastColumns(dimension=3)
    columns.origin.extend([2.0, 0.0, 0.0] * rays)
    columns.direction.extend(math.sin(i) for i in range(3 * rays))
    return columns.SerializeToString()


def test_small_requests_after_large_packed_ones(start):
    """What a large answer held is given back once, wherever in its memory it was."""
    daemon = start("--io-threads", "1", "--workers", "2", "--max-memory", "256M")
    store_mesh(daemon)
    daemon.store("few", {"dimension": 3, "shapes": {"a": {"type": "sphere", "radius": 1}}})
    counted = metric(daemon, "gjkd_memory_bytes")
    body = gzip.compress(columns_of(40000), 1)
    with daemon.new_session() as session:
        for _ in range(3):
            reply = session.get(daemon.url + "/v1/sets/mesh", timeout=60,
                                headers={"Accept-Encoding": "gzip"})
            assert reply.status_code == 200 and len(reply.content) > 9e6
            reply = session.post(daemon.url + "/v1/sets/few/raycast", data=body, timeout=60,
                                 headers={"Content-Type": messages.TYPE, "Content-Encoding": "gzip"})
            assert reply.status_code == 200
            for path in ("/metrics", "/openapi.json", "/v1/sets/few"):
                for coding in ("gzip", "identity"):
                    reply = session.get(daemon.url + path, headers={"Accept-Encoding": coding})
                    assert reply.status_code == 200, (path, coding, reply.text)
    assert eventually(lambda: metric(daemon, "gjkd_memory_bytes") < counted + MIB)


@plain_memory
def test_a_large_answer_is_whole_or_refused(start):
    """Also where memory runs out between the first byte and the last."""
    daemon = limited(start)
    store_mesh(daemon, triangles=20000)
    whole = call(daemon, "GET", "/v1/sets/mesh", None).content
    seen = collections.Counter()

    def ask(i):
        try:
            reply = call(daemon, "GET", "/v1/sets/mesh", None,
                         **{"Accept-Encoding": ("gzip", "identity")[i % 2]})
            assert reply.status_code in (200, *REFUSALS), reply.text
            announced = int(reply.headers["Content-Length"])
            if i % 2 == 1 and len(reply.content) < announced:  # which requests does not mind
                seen["closed"] += 1
                return
            assert reply.status_code != 200 or reply.content == whole
            assert reply.status_code == 200 or reply.json()["detail"]
            seen[reply.status_code] += 1
        except (requests.ConnectionError, requests.exceptions.ChunkedEncodingError):
            seen["closed"] += 1

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        list(pool.map(ask, range(96)))
    assert seen[200] > 0 and len(seen) > 1
    assert call(daemon, "GET", "/v1/sets/mesh", None).content == whole
    assert is_bounded(daemon)


# --- --max-answer ---

MAX_ANSWER = 65536


@pytest.fixture(scope="module")
def crowd():
    rng = random.Random(2)
    return {f"s{i:04}": {"type": "circle", "radius": 2, "position": [rng.random(), rng.random()]}
            for i in range(600)}


LISTS = {
    "hits": ("detect", {"a": {"type": "circle", "radius": 9}}, "hits"),
    "pairs": ("detect", {}, "pairs"),
    "nearest": ("distance", {"a": {"type": "circle", "radius": 1}, "limit": 600}, "nearest"),
    "rays": ("raycast", {"origin": [-9, 0.5], "direction": [1, 0], "mode": "all"}, "hits"),
    "casts": ("cast", {"shape": {"type": "circle", "radius": 1, "position": [-9, 0]},
                       "translation": [20, 0], "mode": "all"}, "hits"),
}


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.plain
def test_lists_end_at_max_answer(start, crowd, name):
    op, query, member = LISTS[name]
    free, daemon = start(), start("--max-answer", str(MAX_ANSWER))
    for each in (free, daemon):
        each.store("s", {"dimension": 2, "shapes": crowd})
    whole = free.ask(f"/v1/sets/s/{op}", query)
    assert "truncated" not in whole
    reply = daemon.post(f"/v1/sets/s/{op}", query)
    answer = reply.json()
    assert answer["truncated"] is True
    assert answer[member] == whole[member][:len(answer[member])] and answer[member]
    assert MAX_ANSWER - 2048 < len(reply.content) <= MAX_ANSWER
    # A GET is not limited.
    assert daemon.get("/v1/sets/s").json()["shapes"].keys() == crowd.keys()


def test_a_batch_ends_as_a_whole(start, crowd):
    queries = [{"op": "detect", "a": {"type": "circle", "radius": 9}, "limit": 40 + i % 7}
               for i in range(30)]
    queries.insert(20, {"op": "distance", **SMALL})
    replies = []
    for workers in ("1", "4"):
        daemon = start("--max-answer", str(MAX_ANSWER), "--workers", workers)
        daemon.store("s", {"dimension": 2, "shapes": crowd})
        replies.append(daemon.post("/v1/sets/s/batch", {"queries": queries}))
    assert replies[0].content == replies[1].content
    alone = start()
    alone.store("s", {"dimension": 2, "shapes": crowd})
    results = replies[0].json()["results"]
    assert len(results) == len(queries) and results[20]["distance"] == 2
    ended = False
    for query, result in zip(queries, results):
        if query["op"] == "detect":
            body = {k: v for k, v in query.items() if k != "op"}
            hits = alone.ask("/v1/sets/s/detect", body)["hits"]
            assert result["hits"] == hits[:len(result["hits"])]
            assert not ended or result["hits"] == []
            ended = ended or len(result["hits"]) < len(hits)
            assert len(result["hits"]) == len(hits) or result["truncated"] is True
    assert ended and len(replies[0].content) < MAX_ANSWER + 200 * len(queries)


def test_max_answer_is_a_setting():
    assert "max-answer = 67108864" in run_to_end("--print-config").stdout
    assert run_to_end("--max-answer", "65535", "--check-config").returncode == 2
    assert run_to_end("--max-answer", "65536", "--check-config").returncode == 0


# --- Slow readers ---

@pytest.mark.plain
def test_a_reader_that_is_too_slow_is_closed(start):
    """Less than 64 KiB/s for 10 s with more than 1 MiB waiting; a little more is enough."""
    daemon = start()
    store_large(daemon, shapes=12)
    wires = {}
    for name in ("silent", "steady"):
        wires[name] = Wire(daemon)
        wires[name].request("GET", "/v1/sets/large")
    wires["silent"].socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    begun = time.monotonic()
    open_now = lambda: metric(daemon, "gjkd_http_connections")
    assert eventually(lambda: open_now() == 3)  # a busy loop accepts a moment later
    while open_now() == 3 and time.monotonic() < begun + 60:
        wires["steady"]._take(MIB // 4)
        time.sleep(0.25)
    assert 8 < time.monotonic() - begun < 60
    assert open_now() == 2
    wires["steady"]._take(MIB)  # still served
    with pytest.raises((ConnectionResetError, EOFError)):
        while True:
            wires["silent"]._more()
    for wire in wires.values():
        wire.socket.close()


# --- What is counted ---

@plain_memory
@pytest.mark.parametrize("kind", ["spheres", "hulls", "ticks"])
def test_the_count_is_what_the_process_grows_by(start, kind):
    daemon = start("--max-memory", "2G")
    shapes = {"spheres": {f"shape-{i:06}": {"type": "sphere", "radius": 1, "position": [i, 0, 0]}
                          for i in range(30000)},
              "hulls": {f"hull-{i}": {"type": "hull", "points": [[math.sin(i * k), k, k * k % 7] for k in range(60)]}
                        for i in range(1500)},
              "ticks": {f"shape-{i}": {"type": "sphere", "radius": 1} for i in range(500)}}[kind]
    body = {"dimension": 3, "history": {"ticks": 200}, "shapes": shapes}
    daemon.store("warm", body)
    memory, counted = settled(daemon), metric(daemon, "gjkd_memory_bytes")
    for k in range(4):
        daemon.store(f"s{k}", body)
        for tick in range(100 if kind == "ticks" else 0):
            poses = {name: {"position": [tick, k, 0]} for name in shapes}
            assert daemon.put(f"/v1/sets/s{k}/ticks/{tick}", {"shapes": poses}).ok
    grown = settled(daemon) - memory
    counted = metric(daemon, "gjkd_memory_bytes") - counted
    assert grown > 15 * MIB
    assert abs(counted - grown) <= 0.15 * grown, (counted / MIB, grown / MIB)


@plain_memory
@pytest.mark.concurrency
def test_connections_count(start):
    daemon = start()
    assert metric(daemon, "gjkd_http_connections") == 1
    memory, counted = settled(daemon), metric(daemon, "gjkd_memory_bytes")
    wires = [Wire(daemon) for _ in range(900)]
    for wire in wires:  # what a connection takes, it takes with its first request
        wire.request("GET", "/livez")
        assert wire.reply().status_code == 200
    more = metric(daemon, "gjkd_memory_bytes") - counted
    assert 900 * 17100 <= more < 900 * 17100 + MIB  # requests' arenas that are kept besides
    grown = settled(daemon) - memory
    assert abs(more - grown) <= 0.15 * grown
    for wire in wires:
        wire.socket.close()
    assert eventually(lambda: metric(daemon, "gjkd_memory_bytes") <= counted + MIB)


def test_the_default_is_three_quarters_of_what_is_allowed():
    line = next(line for line in run_to_end("--print-config").stdout.splitlines()
                if line.startswith("max-memory = "))
    bytes_ = int(line.split()[2].rstrip(";"))
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert 0 < bytes_ <= total * 3 // 4
