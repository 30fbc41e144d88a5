"""Nodes that hold half of the sets each, behind the shipped HAProxy: every set is answered, by a node that
holds it, and a node needs memory for its half."""

import json
import os

import pytest
import requests

import nats
from daemon import Daemon
from test_haproxy import Front, free_port
from tools import DEPLOY, needs
from wire import eventually

pytestmark = needs("haproxy")
HALVES = ("a*,b*,c*,d*", "n*,o*,p*,q*")
NAMES = [f"{first}{i}" for first in "abcdnopq" for i in range(3)]
SET = {"dimension": 2, "shapes": {f"s{i}": {"type": "circle", "radius": 1, "position": [3 * i, 0]}
                                  for i in range(500)}}


class Gone:
    """A server of a part that does not run."""

    def __init__(self):
        self.host, self.port = "127.0.0.1", free_port("127.0.0.1")


@pytest.fixture
def parts(tmp_path, monkeypatch):
    nats.need_server()
    engine = nats.Nats(tmp_path / "streams")
    started = [Daemon("--nats", engine.url, "--cluster", "parts", "--node", f"part-{i}", "--sets", half,
                      *(["--cluster-init"] if i == 0 else []))
               for i, half in enumerate(HALVES)]
    monkeypatch.setitem(os.environ, "GJKD_PARTS", str(DEPLOY / "haproxy/parts.map"))
    front = Front([started[0], Gone(), started[1], Gone()], DEPLOY / "haproxy/parts.cfg", 6)
    yield front, started
    front.stop()
    for daemon in started:
        daemon.stop()
    engine.stop()


def metric(daemon, name):
    return next(float(line.split()[-1]) for line in daemon.get("/metrics").text.splitlines()
                if line.startswith(name + " "))


def test_every_set_is_answered(parts):
    front, daemons = parts
    for name in NAMES:
        assert requests.put(f"{front.url}/v1/sets/{name}", json=SET, timeout=20).status_code == 201
    for name in NAMES:
        ask = requests.post(f"{front.url}/v1/sets/{name}/detect", json={"a": "s0", "b": "s1"}, timeout=20)
        assert (ask.status_code, ask.json()["colliding"]) == (200, False)
        patched = requests.patch(f"{front.url}/v1/sets/{name}", json={"meta": name}, timeout=20)
        assert patched.status_code == 200
        assert requests.get(f"{front.url}/v1/sets/{name}", timeout=20).json()["meta"] == name
    held = [[json.loads(line)["name"] for line in daemon.get("/v1/export").text.splitlines()]
            for daemon in daemons]
    assert held == [NAMES[:12], NAMES[12:]]


def test_a_half_takes_half_of_the_memory(parts):
    front, daemons = parts
    whole = Daemon()
    for name in NAMES:
        assert requests.put(f"{front.url}/v1/sets/{name}", json=SET, timeout=20).status_code == 201
        assert whole.put(f"/v1/sets/{name}", SET).status_code == 201
    assert eventually(lambda: [metric(daemon, "gjkd_sets") for daemon in daemons] == [12, 12])
    all_of_it = metric(whole, "gjkd_set_bytes")
    whole.stop()
    assert all(metric(daemon, "gjkd_set_bytes") < 0.51 * all_of_it for daemon in daemons)
