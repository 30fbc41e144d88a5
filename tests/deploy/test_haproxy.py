"""Two daemons behind the shipped HAProxy configuration: what is asked is answered by either, nothing is
written, a drain loses nothing, and a death no more than what was in flight."""

import concurrent.futures
import http.server
import json
import os
import signal
import socket
import subprocess
import threading
import time

import pytest
import requests

from daemon import Daemon
from events import Events
from stream_wire import PING, PONG, WebSocket
from tools import DEPLOY, needs, run
from wire import Wire, eventually

pytestmark = needs("haproxy")
CONFIG = DEPLOY / "haproxy" / "haproxy.cfg"
CLUSTER = DEPLOY / "haproxy" / "cluster.cfg"
CLIENTS = 16
PAIR = {"a": {"type": "circle", "radius": 1},
        "b": {"type": "circle", "radius": 1, "position": [5, 0]}}
STORED = {"a": "player-1/sword", "b": "player-2"}
# Slow to ask about, with a short answer: parallel slanted rods, which do not touch although the
# boxes around them do.
ROD = {"type": "hull", "points": [[t + x, t + y, t] for t in (0, 20)
                                  for x, y in ((0, 0), (.01, 0), (0, .01), (.01, .01))]}
SLOW = {"dimension": 3, "shapes": {f"rod-{i}-{j}": {**ROD, "position": [i / 10, j / 10, 0]}
                                   for i in range(35) for j in range(35)}}


def free_port(host):
    with socket.socket() as probe:
        probe.bind((host, 0))
        return probe.getsockname()[1]


class Front:
    """HAProxy, as shipped, between the tests and the daemons."""

    def __init__(self, servers, config=CONFIG, up=2):
        self.host, self.port, self.stats = "127.0.0.1", free_port("127.0.0.1"), free_port("127.0.0.1")
        self.url = f"http://{self.host}:{self.port}"
        environment = {**os.environ, "GJKD_FRONT": f"{self.host}:{self.port}",
                       "GJKD_STATS": f"{self.host}:{self.stats}"}
        for number, server in enumerate(servers):
            environment[f"GJKD_SERVER_{number + 1}"] = f"{server.host}:{server.port}"
        run("haproxy", "-c", "-f", config, env=environment)
        self.process = subprocess.Popen(["haproxy", "-db", "-f", str(config)], env=environment,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert eventually(lambda: self.up() == up, 20)

    def up(self):
        """How many servers does it think are up?"""
        try:
            text = requests.get(f"http://{self.host}:{self.stats}/metrics", timeout=5).text
        except requests.ConnectionError:
            return 0
        return sum(line.endswith(" 1") for line in text.splitlines()
                   if line.startswith("haproxy_server_status{") and 'state="UP"' in line)

    def stop(self):
        self.process.send_signal(signal.SIGUSR1 if self.process.poll() is None else 0)
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@pytest.fixture
def servers():
    started = [Daemon("--demo", "--io-threads", "1", "--drain-timeout", "60s",
                      listen=("--listen", f"127.0.0.{i}:0"))
               for i in (1, 2)]
    yield started
    for daemon in started:
        if not daemon.closed:
            daemon.stop()


@pytest.fixture
def front(servers):
    front = Front(servers)
    yield front
    front.stop()


class Load:
    """Clients that ask without pause, each one of the questions: (method, path, body)."""

    QUESTIONS = [("POST", "/v1/sets/arena2d/detect", STORED), ("POST", "/v1/distance", PAIR)]

    def __init__(self, front, questions=QUESTIONS):
        self.front, self.over, self.lost = front, threading.Event(), []
        self.questions = questions
        self.counts = [0] * CLIENTS
        self.lock = threading.Lock()
        self.pool = concurrent.futures.ThreadPoolExecutor(CLIENTS)
        self.clients = [self.pool.submit(self.client, i) for i in range(CLIENTS)]

    def client(self, number):
        method, path, body = self.questions[number % len(self.questions)]
        body = b"" if body is None else json.dumps(body).encode()
        lost, wire = [], Wire(self.front)
        while not self.over.is_set():
            try:
                wire.request(method, path, body)
                reply = wire.reply()
                if reply.status != 200:
                    lost.append((method, path, reply.status, reply.body))
                self.counts[number] += reply.status == 200
                gone = reply.headers.get("connection", "").lower() == "close"
            except (EOFError, OSError) as error:
                lost.append((method, path, error))
                gone = True
            if gone:
                wire.socket.close()
                wire = Wire(self.front)
        wire.socket.close()
        with self.lock:
            self.lost += lost

    def goes_on(self):
        """Waits until every client has been answered some more times."""
        before = list(self.counts)
        assert eventually(lambda: all(now >= then + 20 for now, then in zip(self.counts, before)))

    def end(self):
        self.over.set()
        for client in self.clients:
            client.result(60)
        self.pool.shutdown()


def test_a_client_cannot_choose_its_address():
    """X-Forwarded-For from outside is deleted before the proxy adds the client's own address."""
    daemon = Daemon("--access-log", "--log-format", "json", "--trusted-proxy", "127.0.0.0/8")
    front = Front([daemon, daemon])
    try:
        reply = requests.get(front.url + "/v1", timeout=10, headers={
            "X-Forwarded-For": "203.0.113.9", "X-Request-Id": "forged"})
        assert reply.status_code == 200
        assert eventually(lambda: b'"id":"forged"' in daemon.stderr())
        record = next(r for r in map(json.loads, daemon.stderr().splitlines())
                      if r.get("id") == "forged")
        assert record["client"] == "127.0.0.1"
    finally:
        front.stop()
        daemon.stop()


WRITES = [("PUT", "/v1/sets/room", {"dimension": 2}), ("DELETE", "/v1/sets/arena2d", None),
          ("PATCH", "/v1/sets/arena2d", {"meta": 1}),
          ("PUT", "/v1/sets/arena2d/shapes/x", {"type": "point"}),
          ("PUT", "/v1/sets/arena2d/ticks/1", {"shapes": {}}),
          ("POST", "/v1/sets/arena2d/ticks/1", {"shapes": {}, "queries": []}),
          ("POST", "/v1/sets/arena2d/%74icks/1", {"shapes": {}, "queries": []}),
          ("GET", "/v1/stream", None), ("GET", "/v1/%73tream", None)]


@pytest.mark.parametrize("method, path, body", WRITES)
def test_nothing_is_written(servers, front, method, path, body):
    """A set would live on one server, and be an old copy there after the next failover."""
    before = [server.get("/v1/sets/arena2d").text for server in servers]
    reply = requests.request(method, front.url + path, json=body, timeout=10)
    assert reply.status_code == 403
    assert reply.headers["Content-Type"] == "application/problem+json"
    assert reply.json()["code"] == "forbidden" and "cluster" in reply.json()["hint"]
    for server, text in zip(servers, before):
        assert server.get("/v1/sets/arena2d").text == text
        assert server.get("/v1/sets/room").status_code == 404


def test_loaded_sets_are_answered_by_both(servers, front):
    for _ in range(20):
        assert requests.post(f"{front.url}/v1/sets/arena2d/detect", json=STORED,
                             timeout=10).status_code == 200
    assert requests.get(f"{front.url}/v1/sets/arena2d/ticks", timeout=10).status_code == 200
    for server in servers:
        text = server.get("/metrics").text
        assert 'route="/v1/sets/{set}/detect",method="POST",code="200"' in text


def test_stateless_queries_go_to_both(servers, front):
    for _ in range(20):
        assert requests.post(f"{front.url}/v1/distance", json=PAIR, timeout=10).json()["distance"] == 3
    for server in servers:
        text = server.get("/metrics").text
        assert 'route="/v1/distance",method="POST",code="200"' in text


def test_request_ids_and_metrics(servers, front):
    assert requests.get(f"{front.url}/v1", timeout=10).headers["X-Request-Id"]
    given = requests.get(f"{front.url}/v1", headers={"X-Request-Id": "mine"}, timeout=10)
    assert given.headers["X-Request-Id"] == "mine"
    for path in ("/metrics", "/%6detrics", "/metric%73"):
        assert requests.get(front.url + path, timeout=10).status_code == 404


@pytest.mark.parametrize("which", [0, 1])
def test_a_drain_loses_nothing(servers, front, which):
    load = Load(front)
    load.goes_on()
    servers[which].signal(signal.SIGTERM)
    assert servers[which].wait() == 0
    load.goes_on()
    load.end()
    assert load.lost == []
    assert eventually(lambda: front.up() == 1)


def test_a_drain_answers_what_is_slow(servers, front):
    """A query of half a second, asked before the signal, comes through HAProxy after it."""
    for server in servers:  # past the proxy, as if they had been started with it
        server.store("slow", SLOW)
    with Wire(front) as wire:
        before = [server.processor_seconds() for server in servers]
        wire.request("POST", "/v1/sets/slow/detect", b"{}")
        assert eventually(lambda: any(server.processor_seconds() > spent + 0.1
                                      for server, spent in zip(servers, before))), "it is asked"
        for server in servers:  # whichever has it
            server.signal(signal.SIGTERM)
        reply = wire.reply()
        assert reply.status == 200 and reply.json()["pairs"] == []
    assert [server.wait() for server in servers] == [0, 0]


@pytest.mark.parametrize("which", [0, 1])
def test_a_death_loses_what_was_in_flight_at_most(servers, front, which):
    load = Load(front)
    load.goes_on()
    servers[which].process.kill()
    servers[which].wait()
    load.goes_on()
    assert eventually(lambda: front.up() == 1)
    load.goes_on()
    load.end()
    servers[which].close()
    assert len(load.lost) <= CLIENTS, load.lost
    assert eventually(lambda: front.up() == 1)
    answered = requests.post(f"{front.url}/v1/distance", json=PAIR, timeout=10)
    assert answered.json()["distance"] == 3


# --- Before a cluster: who is asked for what, by stand-ins that tell who they are ---

class Node(http.server.ThreadingHTTPServer):
    """Answers everything with its number, /readyz with `state`, and writes with `refusal` if it has one."""

    def __init__(self, number):
        super().__init__(("127.0.0.1", 0), NodeHandler)
        self.number, self.state, self.refusal, self.asked, self.written = number, "ok", None, 0, 0
        self.host, self.port = self.server_address
        self.handle_error = lambda *_: None  # HAProxy ends its checks without a word
        self.thread = threading.Thread(target=self.serve_forever, args=(0.05,))
        self.thread.start()

    def stop(self):
        self.shutdown()
        self.thread.join()
        self.server_close()


class NodeHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body, status = str(self.server.number), 200
        if self.path == "/readyz":
            body = json.dumps({"status": self.server.state})
        elif self.command != "GET" and not self.path.endswith("detect"):
            status = self.server.refusal or 200
            self.server.asked += 1
            self.server.written += status == 200
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = answer

    def log_message(self, *_):
        pass


@pytest.fixture
def nodes():
    nodes = [Node(number) for number in (1, 2, 3)]
    yield nodes
    for node in nodes:
        node.stop()


@pytest.fixture
def before_nodes(nodes):
    front = Front(nodes, CLUSTER, 9)  # each for writes, for reads, and for reads where it is cut off
    yield front
    front.stop()


def who(front, method, path, body=None):
    reply = requests.request(method, front.url + path, json=body, timeout=20)
    assert reply.status_code == 200, reply.status_code
    return reply.text


def test_a_set_prefers_one_node_for_reads_and_writes(nodes, before_nodes):
    preferred = set()
    for i in range(30):
        asked = {who(before_nodes, method, path) for method, path in (
            ("GET", f"/v1/sets/r{i}"), ("GET", f"/v1/sets/%72{i}"), ("PUT", f"/v1/sets/r{i}"),
            ("PATCH", f"/v1/sets/r{i}"), ("DELETE", f"/v1/sets/r{i}"), ("PUT", f"/v1/sets/r{i}/shapes/a"),
            ("PUT", f"/v1/sets/r{i}/ticks/7"), ("POST", f"/v1/sets/r{i}/ticks/7"),
            ("POST", f"/v1/sets/r{i}/detect"), ("GET", f"/v1/sets/r{i}/ticks/7"))}
        assert len(asked) == 1
        preferred |= asked
    assert preferred == {"1", "2", "3"}


def test_all_goes_where_the_engine_is(nodes, before_nodes):
    """Reads too: a node that is cut off from it would answer what was, whatever has been written since."""
    nodes[1].state = "degraded"
    assert eventually(lambda: before_nodes.up() == 7, 20)
    paths = [f"/v1/sets/r{i}" for i in range(30)]
    reads = [who(before_nodes, "GET", path) for path in paths]
    assert set(reads) == {"1", "3"}
    assert reads == [who(before_nodes, "POST", f"{path}/detect") for path in paths]
    assert reads == [who(before_nodes, "PUT", path) for path in paths], "who wrote it reads it"
    nodes[1].state = "ok"
    assert eventually(lambda: before_nodes.up() == 9, 20)
    for method in ("GET", "PUT"):
        assert {who(before_nodes, method, path) for path in paths} == {"1", "2", "3"}


def test_where_no_node_has_the_engine_all_are_read(nodes, before_nodes):
    for node in nodes:
        node.state = "degraded"
    assert eventually(lambda: before_nodes.up() == 3, 20)
    assert {who(before_nodes, "GET", f"/v1/sets/r{i}") for i in range(30)} == {"1", "2", "3"}
    nodes[2].state = "ok"
    assert eventually(lambda: before_nodes.up() == 5, 20)
    assert {who(before_nodes, "GET", f"/v1/sets/r{i}") for i in range(30)} == {"3"}


def test_where_no_node_has_the_engine_a_node_says_so(nodes, before_nodes):
    """It knows better than the proxy why, and when to try again."""
    for node in nodes:
        node.state, node.refusal = "degraded", 503
    assert eventually(lambda: before_nodes.up() == 3, 20)
    reply = requests.put(f"{before_nodes.url}/v1/sets/r", json={}, timeout=20)
    assert reply.status_code == 503 and sum(node.asked for node in nodes) == 1


def test_where_no_node_is_left_the_proxy_says_so_as_gjkd_does():
    class Gone:
        host, port = "127.0.0.1", free_port("127.0.0.1")
    front = Front([Gone] * 3, CLUSTER, 0)

    def says_so():
        try:
            return requests.get(f"{front.url}/readyz", timeout=20).status_code == 503
        except requests.ConnectionError:
            return False  # it does not listen yet
    try:
        assert eventually(says_so, 20)
        for method in ("GET", "PUT"):
            reply = requests.request(method, f"{front.url}/v1/sets/r", json={}, timeout=20)
            assert reply.status_code == 503 and reply.headers["Retry-After"] == "1"
            assert reply.headers["Content-Type"] == "application/problem+json"
            assert reply.json()["code"] == "not-ready" and reply.json()["status"] == 503
    finally:
        front.stop()


@pytest.mark.parametrize("refusal", [503, 504])
def test_a_write_is_sent_once(nodes, before_nodes, refusal):
    """Whether one that failed has happened the proxy cannot know."""
    nodes[0].refusal = refusal
    statuses = [requests.put(f"{before_nodes.url}/v1/sets/r{i}", timeout=20).status_code
                for i in range(30)]
    assert 0 < statuses.count(refusal) < 30 and set(statuses) == {200, refusal}
    assert sum(node.written for node in nodes) == statuses.count(200)
    assert nodes[0].asked == statuses.count(refusal)


# --- What stays open ---

def test_events_pass(servers, front):
    with Events(front, "arena2d") as events:
        assert events.status == 200
        for server in servers:
            server.call("PATCH", "/v1/sets/arena2d", json={"meta": {"n": 1}})
        assert events.next().data["meta"]["n"] == 1


def test_streams_pass_before_a_cluster():
    """Calls, events and pings; the end of a stream's daemon is told by its close code."""
    daemons = [Daemon() for _ in range(3)]
    front = Front(daemons, CLUSTER, 9)
    try:
        with WebSocket(front) as stream:
            assert stream.ask(1, "PUT", "/v1/sets/s", {"dimension": 2, "shapes": {}})["status"] == 201
            assert stream.ask(2, "WATCH", "/v1/sets/s/events")["status"] == 200
            stream.call(3, "PATCH", "/v1/sets/s", {"meta": {"n": 1}})
            told = [stream.answer() for _ in range(2)]
            assert [t["event"]["meta"] for t in told if "event" in t] == [{"n": 1}]
            stream.send(PING, b"there?")
            assert stream.receive() == (PONG, b"there?")
            for daemon in daemons:
                daemon.signal()
            assert stream.close_code() == 1001
    finally:
        front.stop()
        for daemon in daemons:
            daemon.stop()
