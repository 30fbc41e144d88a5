"""Messages of others on the subjects of a cluster: they are passed over, and what stops a node is told."""

import base64
import json
import os
import socket
import struct

import pytest

from test_cluster import (NODES, SET, cluster, engine, join, metric, revision_of,  # noqa: F401
                          seen, trimmed)
from wire import eventually

LOG = "gjkd.test.log"
SUBJECTS = {"ticks": "gjkd.test.tick", "note": "gjkd.test.chunk.snapshot",
            "piece": "gjkd.test.chunk." + "ab" * 32, "chunk": "gjkd.test.chunk.x"}

STRAYS = {
    "empty": [b""],
    "garbage": [b"hello"],
    "magic alone": [b"GJL3"],
    "magic and garbage": [b"GJL3" + bytes(range(256))],
    "magic and zeros": [b"GJL3" + bytes(200)],
    "the magic before": [b"GJL2" + os.urandom(60)],
    "a later magic": [b"GJL9" + os.urandom(60)],
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
    config = json.dumps({"name": "gjkd_test", "subjects": [LOG], "retention": "limits",
                         "storage": "file", "max_consumers": -1, "max_msgs": -1, "max_bytes": -1,
                         "discard": "old", "num_replicas": 1}).encode()
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


LARGE = {"dimension": 2, "shapes": {f"s{i:04}": {"type": "circle", "radius": 1, "meta": "m" * 400}
                                    for i in range(1000)}}


@pytest.mark.parametrize("what", ["empty", "garbage", "magic and zeros", "many"])
def test_strays_among_snapshots_and_pieces(cluster, join, publisher, engine, what):  # noqa: F811
    """A node that starts needs the newest snapshot, whose note is the last of its subject no more."""
    rounds = 0
    while trimmed(engine) == 1 and rounds < 300:
        rounds += 1
        assert cluster[rounds % 3].put("/v1/sets/large", LARGE | {"meta": rounds}).status_code < 300
    assert trimmed(engine) > 1
    newest = revision_of(cluster[0].get("/v1/sets/large"))
    names = subjects(publisher)
    assert SUBJECTS["note"] in names and len(names) > 1
    for name in names:  # pieces, too, which are named by what they hold
        for data in STRAYS[what][:20]:
            publisher.publish(name, data)
    publisher.flush()
    late = join("127.0.0.4")
    reply = seen(late, "/v1/sets/large", newest)
    assert reply.content == seen(cluster[0], "/v1/sets/large", newest).content
    assert metric(late, "gjkd_cluster_stray_messages_total") > 0
    made = sum(metric(node, "gjkd_cluster_snapshots_total") for node in cluster)
    while sum(metric(node, "gjkd_cluster_snapshots_total") for node in cluster) == made:
        rounds += 1
        assert rounds < 600, "no snapshot is made any more"
        assert cluster[rounds % 3].put("/v1/sets/large", LARGE | {"meta": rounds}).status_code < 300
    stop_nothing([*cluster, late])


def subjects(publisher):
    """Of everything in the stream of pieces."""
    body = b'{"subjects_filter": ">"}'
    answer = ask(publisher, b"$JS.API.STREAM.INFO.gjkd_test_chunks", body)
    return list(answer["state"]["subjects"])


def ask(publisher, subject, body):
    """A question to the servers' own interface."""
    publisher.socket.sendall(b"SUB _INBOX.y 7\r\nPUB %s _INBOX.y %d\r\n%s\r\n" %
                             (subject, len(body), body))
    while not (line := publisher.file.readline()).startswith(b"MSG _INBOX.y"):
        pass
    text = publisher.file.read(int(line.split()[-1]))
    publisher.socket.sendall(b"UNSUB 7\r\n")
    return json.loads(text)


def last_message(publisher, place):
    """The log's message at that place, by the servers' own interface."""
    answer = ask(publisher, b"$JS.API.STREAM.MSG.GET.gjkd_test", json.dumps({"seq": place}).encode())
    return base64.b64decode(answer["message"]["data"])


@pytest.mark.parametrize("magic, words", [(b"GJL4", "later version"), (b"GJL3", "cannot be taken")])
def test_what_a_node_cannot_take_is_told(cluster, publisher, magic, words):  # noqa: F811
    """A message that follows the last one and is not understood: no node may pass it over."""
    stop_nothing(cluster)
    place = revision_of(cluster[0].get("/v1/sets/s"))
    id_, _, epoch = struct.unpack("<QQQ", last_message(publisher, place)[4:28])
    publisher.publish(LOG, magic + struct.pack("<QQQQI", 99, id_, epoch, 0, 0) +
                      struct.pack("<I", 1) + b"\xff" * 40)
    publisher.flush()
    for node in cluster:
        assert eventually(lambda: node.get("/readyz").json()["status"] == "degraded"), words
        reply = node.get("/readyz")
        assert reply.status_code == 200 and words in reply.json()["detail"], reply.text
        assert metric(node, "gjkd_cluster_degraded") == 1
        assert metric(node, "gjkd_cluster_stray_messages_total") == 0
        assert node.get("/v1/sets/s").status_code == 200
        refused = node.put("/v1/sets/s", SET)
        assert refused.status_code == 503 and refused.json()["code"] == "not-ready", refused.text
        assert words.encode() in node.stderr()
    assert [node.get("/v1").json()["cluster"]["state"] for node in cluster] == ["degraded"] * 3
