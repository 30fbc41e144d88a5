"""Two daemons behind the shipped HAProxy configuration: sets stay where they are, a drain
loses nothing, and a death no more than what was in flight."""

import concurrent.futures
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
from tools import DEPLOY, needs, run
from wire import Wire, eventually

pytestmark = needs("haproxy")
CONFIG = DEPLOY / "haproxy" / "haproxy.cfg"
CLIENTS = 16
PAIR = {"a": {"type": "circle", "radius": 1},
        "b": {"type": "circle", "radius": 1, "position": [5, 0]}}
STORED = {"a": "player-1/sword", "b": "player-2"}
# Slow to ask about, with a short answer: parallel slanted rods, which do not touch although the
# boxes around them do.
ROD = {"type": "hull", "points": [[t + x, t + y, t] for t in (0, 20)
                                  for x, y in ((0, 0), (.01, 0), (0, .01), (.01, .01))]}
SLOW = {"dimension": 3, "shapes": {f"rod-{i}-{j}": {**ROD, "position": [i / 10, j / 10, 0]}
                                   for i in range(45) for j in range(45)}}


def free_port(host):
    with socket.socket() as probe:
        probe.bind((host, 0))
        return probe.getsockname()[1]


class Front:
    """HAProxy, as shipped, between the tests and two daemons."""

    def __init__(self, servers):
        self.host, self.port, self.stats = "127.0.0.1", free_port("127.0.0.1"), free_port("127.0.0.1")
        self.url = f"http://{self.host}:{self.port}"
        environment = {**os.environ, "GJKD_FRONT": f"{self.host}:{self.port}",
                       "GJKD_STATS": f"{self.host}:{self.stats}"}
        for number, server in enumerate(servers):
            environment[f"GJKD_SERVER_{number + 1}"] = f"{server.host}:{server.port}"
        run("haproxy", "-c", "-f", CONFIG, env=environment)
        self.process = subprocess.Popen(["haproxy", "-db", "-f", str(CONFIG)], env=environment,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert eventually(lambda: self.up() == 2, 20)

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
    """Clients that ask without pause: stateless queries and queries of a preloaded set."""

    def __init__(self, front):
        self.front, self.over, self.answered, self.lost = front, threading.Event(), 0, []
        self.lock = threading.Lock()
        self.pool = concurrent.futures.ThreadPoolExecutor(CLIENTS)
        self.clients = [self.pool.submit(self.client, i) for i in range(CLIENTS)]

    def client(self, number):
        path, body = ("/v1/distance", PAIR) if number % 2 else ("/v1/sets/arena2d/detect", STORED)
        body = json.dumps(body).encode()
        answered, lost, wire = 0, [], Wire(self.front)
        while not self.over.is_set():
            try:
                wire.request("POST", path, body)
                reply = wire.reply()
                if reply.status != 200:
                    lost.append((path, reply.status, reply.body))
                answered += reply.status == 200
                gone = reply.headers.get("connection", "").lower() == "close"
            except (EOFError, OSError) as error:
                lost.append((path, error))
                gone = True
            if gone:
                wire.socket.close()
                wire = Wire(self.front)
        wire.socket.close()
        with self.lock:
            self.answered += answered
            self.lost += lost

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


def test_a_set_stays_on_one_server(servers, front):
    """Under every spelling of its name, and with the sets whose names begin like it."""
    names = [f"room-{i}" for i in range(20)]
    for name in names:
        for full in (name, f"{name}.players", f"{name}.walls.2"):
            reply = requests.put(f"{front.url}/v1/sets/{full}", json={"dimension": 2}, timeout=10)
            assert reply.status_code == 201
    for name in names:
        for path in (name, name.replace("r", "%72", 1), f"{name}.players"):
            assert requests.get(f"{front.url}/v1/sets/{path}", timeout=10).status_code == 200
        reply = requests.post(f"{front.url}/v1/sets/{name}/detect",
                              json={"against": f"{name}.walls.2"}, timeout=10)
        assert reply.status_code == 200
    there = [{s["name"] for s in server.get("/v1/sets?prefix=room").json()["sets"]}
             for server in servers]
    assert not there[0] & there[1] and len(there[0] | there[1]) == 60
    assert all(len(sets) > 3 for sets in there), "both carry some"


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
    time.sleep(1.5)
    servers[which].signal(signal.SIGTERM)
    assert servers[which].wait() == 0
    time.sleep(1.5)
    load.end()
    assert load.lost == [] and load.answered > 500
    assert eventually(lambda: front.up() == 1)


def test_a_drain_answers_what_is_slow(servers, front):
    """A query of a second, asked before the signal, comes through HAProxy after it."""
    for server in servers:
        server.store("slow", SLOW)
    with Wire(front) as wire:
        wire.request("POST", "/v1/sets/slow/detect", b"{}")
        time.sleep(0.2)
        for server in servers:  # whichever has it
            server.signal(signal.SIGTERM)
        reply = wire.reply()
        assert reply.status == 200 and reply.json()["pairs"] == []
    assert [server.wait() for server in servers] == [0, 0]


@pytest.mark.parametrize("which", [0, 1])
def test_a_death_loses_what_was_in_flight_at_most(servers, front, which):
    load = Load(front)
    time.sleep(1.5)
    servers[which].process.kill()
    servers[which].wait()
    time.sleep(2.5)
    load.end()
    servers[which].close()
    assert len(load.lost) <= CLIENTS, load.lost
    assert load.answered > 500
    assert eventually(lambda: front.up() == 1)
    answered = requests.post(f"{front.url}/v1/distance", json=PAIR, timeout=10)
    assert answered.json()["distance"] == 3
