"""A rolling upgrade of a cluster behind the shipped HAProxy, as the operators' page says: nothing is refused. Where
GJKD_BEFORE names the daemon of the version before, the nodes are of that one at first."""

import os
import signal

import pytest
import requests

import nats
from daemon import BINARY, Daemon
from test_haproxy import CLUSTER, STORED, Front, Load, free_port
from tools import needs
from wire import eventually

pytestmark = needs("haproxy")
REQUESTS = 50_000 if os.environ.get("GJKD_FULL") else 2_000
BEFORE = os.environ.get("GJKD_BEFORE", BINARY)
HOSTS = ["127.0.0.1", "127.0.0.2", "127.0.0.3"]
SETS = ["yard", "hall", "room", "attic"]
CIRCLE = {"type": "circle", "radius": 1}


@pytest.fixture
def engine(tmp_path):
    nats.need_server()
    made = nats.Nats(tmp_path / "streams")
    yield made
    made.stop()


def is_ok(node):
    try:
        return requests.get(f"{node.url}/readyz", timeout=20).json() == {"status": "ok"}
    except requests.ConnectionError:
        return False


@pytest.mark.timeout(1800)
def test_nothing_is_refused(engine):
    def start(i, port, binary):
        node = Daemon("--nats", engine.url, "--cluster", "upgrade", "--node", f"node-{i}", "--insecure",
                      *(["--cluster-init"] if i == 0 else []), env={"GJKD_DRAIN_DELAY": ""},
                      listen=("--listen", f"{HOSTS[i]}:{port}"), binary=binary)
        assert eventually(lambda: is_ok(node))
        return node
    nodes = [start(i, free_port(HOSTS[i]), BEFORE) for i in range(3)]
    front = Front(nodes, CLUSTER, 9)
    try:
        for name in SETS:
            made = requests.put(f"{front.url}/v1/sets/{name}", timeout=20, json={
                "dimension": 2, "shapes": {shape: CIRCLE for shape in STORED.values()}})
            assert made.status_code == 201
        load = Load(front, [(method, f"/v1/sets/{name}{path}", body) for name in SETS for method, path, body in (
            ("POST", "/detect", STORED), ("GET", "", None), ("PATCH", "", {"meta": name}),
            ("PUT", f"/shapes/{STORED['a']}".replace("player-1/", "player-1%2F"), CIRCLE))])
        for i, node in enumerate(nodes):
            assert eventually(lambda: sum(load.counts) >= REQUESTS * (i + 1) // 4, 600)
            node.signal(signal.SIGTERM)
            assert node.wait() == 0
            node.close()
            nodes[i] = start(i, node.port, BINARY)
            assert eventually(lambda: front.up() == 9, 60)
        assert eventually(lambda: sum(load.counts) >= REQUESTS, 600)
        load.end()
        assert load.lost == []
        print(f"{sum(load.counts)} requests, none refused")
    finally:
        front.stop()
        for node in nodes:
            if not node.closed:
                node.stop()
