"""A NATS server that asks for credentials: what a node says where they are wrong, and that it goes on by itself
when they are set right."""

import http.client
import json
import re
import signal
import subprocess

import pytest

import nats
import test_tls
from daemon import BINARY, Daemon, clean_environment
from nats_keys import Operator
from test_cluster import SET, metric, state
from wire import eventually

HOST = "127.0.0.1"
JOIN_S = 60


class Guarded:
    """A server whose configuration says who may come in."""

    def __init__(self, folder, config):
        nats.need_server()
        self.file = folder / "nats.conf"
        self.allow(config)
        self.server = nats.Nats(folder / "streams", "-c", str(self.file))

    def allow(self, config):
        self.file.write_text(config)

    def restart(self):
        self.server.kill()
        self.server.start()

    def url(self, who=""):
        return f"nats://{who}@{HOST}:{self.server.port}" if who else self.server.url


@pytest.fixture
def guard(tmp_path):
    """guard(configuration) -> a server"""
    made = []

    def start(config):
        made.append(Guarded(tmp_path, config))
        return made[-1]
    yield start
    for each in made:
        each.server.stop()


def user(password):
    return f"authorization {{ users: [ {{ user: me, password: {password} }} ] }}\n"


class Waiting:
    """A node that cannot join its cluster yet."""

    def __init__(self, url, *flags):
        self.port = nats.free_port()
        self.process = subprocess.Popen(
            [BINARY, "--listen", f"{HOST}:{self.port}", "--nats", url, "--cluster", "test", "--cluster-init", *flags],
            env=clean_environment(GJKD_DRAIN_DELAY="0"), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def ready(self):
        """Status and body of /readyz; None where it does not answer."""
        connection = http.client.HTTPConnection(HOST, self.port, timeout=20)
        try:
            connection.request("GET", "/readyz")
            reply = connection.getresponse()
            return reply.status, json.loads(reply.read())
        except OSError:
            return None
        finally:
            connection.close()

    def says(self, pattern):
        """Reads its log up to a line that has that."""
        while not re.search(pattern, line := self.process.stderr.readline().decode()):
            assert line, f"it has ended, and not said {pattern}"

    def refuses(self, pattern):
        """Is it not ready, and says why?"""
        answer = self.ready()
        return answer is not None and answer[0] == 503 and re.search(pattern, answer[1]["detail"])

    def joins(self):
        return eventually(lambda: (self.ready() or [0])[0] == 200, JOIN_S)

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=60)


@pytest.fixture
def wait_with():
    nodes = []

    def start(*words):
        nodes.append(Waiting(*words))
        return nodes[-1]
    yield start
    for node in nodes:
        node.end()


@pytest.mark.parametrize("config, who", [(user("right"), "me:right"),
                                         ("authorization { token: right }\n", "right")])
def test_credentials_in_the_url(guard, config, who):
    engine = guard(config)
    node = Daemon("--nats", engine.url(who), "--cluster", "test", "--cluster-init")
    assert node.put("/v1/sets/s", SET).headers["Gjkd-Durability"] == "quorum"
    assert b"right" not in node.stderr()
    node.stop()


@pytest.mark.parametrize("who", ["me:wrong", ""])
def test_a_node_that_starts_with_wrong_ones_says_so_and_joins_when_they_are_right(guard, wait_with, who):
    engine = guard(user("right"))
    node = wait_with(engine.url(who))
    node.says("NATS refuses the credentials of this node.*set right those in the URLs of --nats")
    assert eventually(lambda: node.refuses("NATS refuses the credentials"))
    assert "wrong" not in json.dumps(node.ready())
    engine.allow(user("wrong") if who else "")
    engine.restart()
    assert node.joins()


def test_a_running_node_that_is_refused_goes_on_when_it_is_let_in_again(guard):
    """Twice refused, the library of NATS gives a connection up for good."""
    engine = guard(user("right"))
    node = Daemon("--nats", engine.url("me:right"), "--cluster", "test", "--cluster-init")
    node.store("s", SET)
    engine.allow(user("other"))
    engine.restart()
    assert eventually(lambda: "refuses the credentials" in node.get("/readyz").json().get("detail", ""),
                      JOIN_S)
    assert node.get("/readyz").json()["status"] == "degraded"
    assert node.get("/v1/sets/s").status_code == 200
    assert node.put("/v1/sets/s", SET).status_code == 503
    engine.allow(user("right"))
    engine.restart()
    assert eventually(lambda: state(node) == "ready", JOIN_S)
    assert node.get("/readyz").json() == {"status": "ok"}
    assert node.put("/v1/sets/s", SET | {"history": {"ticks": 3}}).status_code == 200
    other = Daemon("--nats", engine.url("me:right"), "--cluster", "test", "--cluster-init")
    for tick in range(1, 4):  # told beside the log, by the other connection
        assert node.put(f"/v1/sets/s/ticks/{tick}",
                        {"shapes": {"a": {"position": [tick, 1]}}}).status_code == 201
    assert eventually(lambda: other.get("/v1/sets/s").content == node.get("/v1/sets/s").content)
    assert eventually(lambda: metric(other, "gjkd_cluster_ticks_received_total") > 0)
    other.stop()
    node.stop()


def test_credentials_of_an_operator(guard, wait_with, tmp_path):
    operator, stranger = Operator(), Operator()
    engine = guard(operator.config())
    file = tmp_path / "gjkd.creds"
    node = wait_with(engine.url(), "--nats-creds", str(file))
    node.says("no connection to NATS can be made.*No such file.*see --nats-creds")
    assert eventually(lambda: node.refuses("no connection to NATS"))
    assert str(tmp_path) not in json.dumps(node.ready()), "paths are for the log"
    file.write_text(stranger.credentials())
    node.says("NATS refuses the credentials of this node.*the file of --nats-creds")
    file.write_text(operator.credentials())
    assert node.joins(), "the file is read anew for every connection"
    lone = Daemon("--nats", engine.url(), "--cluster", "test", "--cluster-init", "--nats-creds", str(file))
    assert lone.put("/v1/sets/s", SET).headers["Gjkd-Durability"] == "quorum"
    lone.stop()


def test_a_certificate_that_nobody_has_signed(wait_with, tmp_path):
    nats.need_server()
    cert, key = test_tls.make(tmp_path, "nats")
    engine = nats.Nats(tmp_path / "streams", "--tls", "--tlscert", cert, "--tlskey", key)
    try:
        node = wait_with(engine.url)
        node.says("TLS with NATS fails.*--nats-ca")
        assert eventually(lambda: node.refuses("TLS with NATS fails"))
    finally:
        engine.stop()


def test_more_copies_than_servers(guard, wait_with):
    engine = guard("")
    node = wait_with(engine.url(), "--replicas", "3")
    node.says("--replicas asks for copies on several servers, and this one is alone")
    assert eventually(lambda: node.refuses("the stream of its cluster cannot be opened"))
