"""Messages of others on the subjects of a cluster: they are passed over, and what stops a node is told."""

import base64
import json
import os
import socket

import pytest

from test_cluster import (LARGE, NODES, SET, cluster, engine, join, messages, metric,  # noqa: F401
                          revision_of, roll_up, seen)
from wire import eventually

LOG = "gjkd.test.log.s.s"  # the set s
SUBJECTS = {"ticks": "gjkd.test.tick", "another set": "gjkd.test.log.s.other", "node": "gjkd.test.log.n.node-0",
            "part": "gjkd.test.log.p.s", "elsewhere": "gjkd.test.log.x.y.z"}
HEAD = b"NATS/1.0\r\nGjkd-Format: %d\r\nGjkd-Id: 1234567812345678\r\n" \
       b"Gjkd-After: %d-%s\r\nGjkd-Flags: %d\r\nGjkd-Node: x\r\n\r\n"

STRAYS = {
    "empty": [b""],
    "garbage": [b"hello"],
    "of gjkd 0.1": [b"GJL3" + os.urandom(60)],
    "numbers": [os.urandom(300)],
    "huge": [bytes(1_000_000)],
    "many": [b"%d" % i for i in range(300)],
}


class Publisher:
    """Whoever else may speak to NATS."""

    def __init__(self, server):
        self.socket = socket.create_connection((server.host, server.port), 10)
        self.file = self.socket.makefile("rb")
        self.file.readline()
        self.socket.sendall(b'CONNECT {"verbose":false,"headers":true}\r\n')

    def publish(self, subject, data, head=b""):
        if head:
            self.socket.sendall(b"HPUB %s %d %d\r\n%s%s\r\n" % (
                subject.encode(), len(head), len(head) + len(data), head, data))
        else:
            self.socket.sendall(b"PUB %s %d\r\n%s\r\n" % (subject.encode(), len(data), data))

    def flush(self):
        self.socket.sendall(b"PING\r\n")
        while self.file.readline() != b"PONG\r\n":
            pass


@pytest.fixture
def publisher(engine):  # noqa: F811
    one = Publisher(engine)
    yield one
    one.file.close()
    one.socket.close()


def stop_nothing(nodes, name="s"):
    """Every node writes, and every node shows it."""
    for i, node in enumerate(nodes):
        reply = node.put(f"/v1/sets/{name}", SET | {"meta": {"by": i}})
        assert reply.status_code in (200, 201), reply.text
        for other in nodes:
            assert seen(other, f"/v1/sets/{name}", revision_of(reply)).json()["meta"] == {"by": i}
    for node in nodes:
        assert node.get("/readyz").json() == {"status": "ok"}


@pytest.mark.parametrize("what", STRAYS)
def test_strays_in_the_log_are_passed_over(cluster, join, publisher, what):  # noqa: F811
    stop_nothing(cluster)
    for data in STRAYS[what]:
        publisher.publish(LOG, data)
    publisher.flush()
    for node in cluster:
        assert eventually(
            lambda: metric(node, "gjkd_cluster_stray_messages_total") == len(STRAYS[what])), what
        assert node.stderr().count(b"none of gjkd's was passed over") == 1
    stop_nothing(cluster)
    publisher.publish(LOG, STRAYS[what][0])
    publisher.flush()
    stop_nothing(cluster, "t")
    later = join("127.0.0.4")  # takes the log from its beginning
    stop_nothing([*cluster, later])
    cluster[0].stop()
    again = join(NODES[0])
    stop_nothing([again, *cluster[1:], later])


def test_a_write_that_a_stray_overtakes(cluster, publisher):  # noqa: F811
    """The revision that a writer is told is its place in the log, which others wait for."""
    for i in range(200):
        publisher.publish(LOG, b"hello" * 40_000)
        reply = cluster[0].put(f"/v1/sets/s{i}", SET)
        assert reply.status_code == 201, reply.text
        seen(cluster[1], f"/v1/sets/s{i}", revision_of(reply))
    publisher.flush()
    for node in cluster[1:]:
        assert eventually(lambda: metric(node, "gjkd_cluster_stray_messages_total") == 200)


def test_a_stray_as_the_first_message(engine, join, publisher):  # noqa: F811
    """It is what an empty log has at its first place."""
    config = json.dumps({"name": "gjkd_test", "subjects": ["gjkd.test.log.>"], "retention": "limits",
                         "storage": "file", "max_consumers": -1, "max_msgs": -1, "max_bytes": -1,
                         "discard": "old", "num_replicas": 1, "allow_rollup_hdrs": True}).encode()
    assert "error" not in ask(publisher, b"$JS.API.STREAM.CREATE.gjkd_test", config)
    publisher.publish(LOG, b"hello")
    publisher.flush()
    stop_nothing([join(host) for host in NODES])


@pytest.mark.parametrize("head", [b"NATS/1.0 100 Idle Heartbeat\r\n\r\n", b"NATS/1.0\r\na: b\r\n\r\n",
                                  b"NATS/1.0 503\r\n\r\n"])
def test_heads_that_look_like_the_servers_own(cluster, publisher, head):  # noqa: F811
    stop_nothing(cluster)
    for data in (b"", b"hello"):
        publisher.publish(LOG, data, head)
    publisher.flush()
    stop_nothing(cluster)


@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize("what", STRAYS)
def test_strays_on_other_subjects_stop_nothing(cluster, join, publisher, what, subject):  # noqa: F811
    stop_nothing(cluster)
    for data in STRAYS[what]:
        publisher.publish(SUBJECTS[subject], data)
    publisher.flush()
    stop_nothing(cluster)
    later = join("127.0.0.4")
    stop_nothing([*cluster, later])
    ticking = SET | {"history": {"ticks": 4}}
    assert cluster[0].put("/v1/sets/ticking", ticking).status_code == 201
    for tick in range(1, 4):
        assert cluster[0].put(f"/v1/sets/ticking/ticks/{tick}", {"shapes": {
            "a": {"position": [tick, 0]}}}).status_code == 201
    assert eventually(lambda: all(node.get("/v1/sets/ticking").status_code == 200 and
                                  node.get("/v1/sets/ticking").json()["tick"] == 3
                                  for node in [*cluster, later]))
    if subject == "ticks":
        assert eventually(lambda: metric(cluster[1], "gjkd_cluster_stray_messages_total") > 0)


def test_strays_before_a_set_is_rolled_up(engine, join, publisher):  # noqa: F811
    nodes = [join(host) for host in NODES[:2]]
    for data in (b"", b"hello", bytes(1000)):
        publisher.publish("gjkd.test.log.s.large", data)
        publisher.publish("gjkd.test.log.p.large", data)
    publisher.flush()
    revision = roll_up(engine, nodes)
    late = join(NODES[2])
    assert len({seen(node, "/v1/sets/large", revision).content for node in [*nodes, late]}) == 1


def ask(publisher, subject, body):
    """A question to the servers' own interface."""
    publisher.socket.sendall(b"SUB _INBOX.y 7\r\nPUB %s _INBOX.y %d\r\n%s\r\n" %
                             (subject, len(body), body))
    while not (line := publisher.file.readline()).startswith(b"MSG _INBOX.y"):
        pass
    text = publisher.file.read(int(line.split()[-1]))
    publisher.socket.sendall(b"UNSUB 7\r\n")
    return json.loads(text)


def last_message(publisher, name):
    return ask(publisher, b"$JS.API.STREAM.MSG.GET.gjkd_test",
               json.dumps({"last_by_subj": f"gjkd.test.log.s.{name}"}).encode())["message"]


def last_of(publisher, name):
    """Place and id of the set's last message."""
    answer = last_message(publisher, name)
    head = base64.b64decode(answer["hdrs"]).decode().split("\r\n")
    return answer["seq"], next(line for line in head if line.startswith("Gjkd-Id: "))[9:].encode()


@pytest.mark.parametrize("form, flags, body, words", [
    (5, 0, b"\xff" * 40, "later version"), (4, 0, b"\xff" * 40, "cannot be taken"),
    (4, 1, (10 ** 9).to_bytes(8, "little"), "cannot be taken"),  # its part is not in the log
    (4, 1, b"", "cannot be taken"), (4, 1, bytes(8 * 16385), "cannot be taken"),
], ids=["later", "garbage", "lost-part", "no-part", "many-parts"])
def test_what_a_node_cannot_take_is_told(cluster, publisher, form, flags, body, words):  # noqa: F811
    """A message that follows the last one and is not understood: no node may pass it over."""
    stop_nothing(cluster)
    assert cluster[0].put("/v1/sets/fine", SET).status_code == 201
    publisher.publish(LOG, body, HEAD % (form, *last_of(publisher, "s"), flags))
    publisher.flush()
    for node in cluster:
        assert eventually(lambda: node.get("/readyz").json()["status"] == "degraded"), words
        reply = node.get("/readyz")
        assert reply.status_code == 200 and words in reply.json()["detail"], reply.text
        assert metric(node, "gjkd_cluster_degraded") == 1
        assert metric(node, "gjkd_cluster_stray_messages_total") == 0
        refused = node.put("/v1/sets/s", SET)
        assert refused.status_code == 503 and refused.json()["code"] == "not-ready", refused.text
        assert words.encode() in node.stderr()
        unknown = node.get("/v1/sets/s")
        assert (unknown.status_code, unknown.json()["code"]) == (503, "not-ready"), unknown.text
        assert node.put("/v1/sets/fine", SET).status_code == 200, "other sets go on"
        assert node.get("/v1/sets/fine").status_code == 200
    assert [node.get("/v1").json()["cluster"]["state"] for node in cluster] == ["degraded"] * 3


def test_what_a_node_could_not_take_comes_with_a_rollup(cluster, publisher):  # noqa: F811
    """A node that could took it, and rolls it up: the others have its content only from there."""
    is_whole_and_same = 6
    stop_nothing(cluster)
    whole = base64.b64decode(last_message(publisher, "s")["data"])
    before = cluster[0].get("/v1/sets/s").headers["ETag"]
    bad = b"\xff" * 40
    for flags, text in (0, bad), (is_whole_and_same, bad), (is_whole_and_same, whole):
        place, id = last_of(publisher, "s")
        head = HEAD.replace(b"12345678\r", b"%08d\r" % place, 1)  # an id of its own
        publisher.publish(LOG, text, head % (4, place, id, flags))
        publisher.flush()
        for node in cluster:
            assert eventually(lambda: metric(node, "gjkd_cluster_revision") > place)
            assert node.get("/v1/sets/s").status_code == (503 if text == bad else 200)
    for node in cluster:
        assert node.get("/v1/sets/s").headers["ETag"] == cluster[0].get("/v1/sets/s").headers["ETag"] != before
        assert node.get("/readyz").json() == {"status": "ok"}


def test_ticks_of_other_sets_come_into_the_log(engine, join, publisher):  # noqa: F811
    """Where one that ticks is not understood any more."""
    node = join(NODES[0], "--pose-checkpoint", "100ms")
    for name in ("a", "b"):
        node.store(name, SET | {"history": {"ticks": 4}})

    def tick(name, number):
        reply = node.put(f"/v1/sets/{name}/ticks/{number}", {"shapes": {"a": {"position": [number, 0]}}})
        assert reply.status_code == 201, reply.text
    for name in ("a", "b"):
        tick(name, 1)
    number = 1
    while node.get("/readyz").json()["status"] != "degraded":  # a message of the node's own may be first
        number += 1
        tick("a", number)
        publisher.publish("gjkd.test.log.s.a", b"\xff" * 40, HEAD % (5, *last_of(publisher, "a"), 0))
        publisher.flush()
        eventually(lambda: node.get("/readyz").json()["status"] == "degraded", within=1)
    for number in range(2, 6):
        before = messages(engine, "b")
        tick("b", number)
        assert eventually(lambda: messages(engine, "b") > before), number


def test_a_message_that_another_overtook_is_passed_over(cluster, publisher):  # noqa: F811
    """As a server that takes two messages upon one state would have it."""
    made = cluster[0].put("/v1/sets/s", SET)
    before = last_of(publisher, "s")
    after = cluster[0].put("/v1/sets/s", SET | {"meta": 1})
    publisher.publish(LOG, b"\xff" * 40, HEAD % (4, *before, 0))
    publisher.flush()
    for node in cluster:
        seen(node, "/v1/sets/s", revision_of(after))
        assert eventually(lambda: metric(node, "gjkd_cluster_conflicts_total") == 1)
        assert node.get("/v1/sets/s").headers["ETag"] == after.headers["ETag"] != made.headers["ETag"]
        assert node.get("/readyz").json() == {"status": "ok"}
