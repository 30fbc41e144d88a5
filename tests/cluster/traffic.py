"""Clients of a cluster: writers with If-Match, and readers that must never be refused."""

import http.client
import json
import random
import re
import threading
import time

import pytest

import linear
from history import ABSENT, ACKED, FAILED, REFUSED, UNKNOWN, History, State
from nodes import CLUSTER
from stream_wire import WebSocket

TIMEOUT_S = 20  # a bound of what would otherwise hang: a busy machine makes everything late
STALE_MS = 2000  # --stale-after; twice that where the machine is slow between the check and the answer
# Problems that say that nothing has happened and nothing will.
NOTHING = {"not-ready", "overloaded", "draining", "not-stored", "out-of-memory",
           "rate-limited"}


def box(n):
    return {"type": "box", "half_extents": [1, 2], "position": [n, -n]}


def document(value):
    """Every part of it tells which write it was, so that half of one is seen."""
    return {"dimension": 2, "meta": value, "shapes": {"s0": box(value), "s1": box(value)}}


def state_of(headers, body):
    """The state that a GET of a set shows."""
    found = json.loads(body)
    value = found["meta"]
    for shape in found["shapes"].values():
        assert shape["position"] == [value, -value], f"half applied: {body}"
    return State(value, headers["ETag"], found["revision"])


class Client(threading.Thread):
    """Does step() until stop(). What went wrong is raised by stop()."""

    def __init__(self, nodes, histories, seed):
        super().__init__(daemon=True)  # a test that fails leaves it running
        self.nodes, self.histories, self.chance = nodes, histories, random.Random(seed)
        self.connections, self.over, self.wrong = {}, threading.Event(), None
        self.trouble = None  # the last answer that told no state, or why there was none

    def ask(self, node, method, path, body=None, headers=()):
        """As Node.ask on a kept connection; None where the connection failed."""
        connection = self.connections.get(node)
        if connection is None:
            connection = self.connections[node] = node.connection(TIMEOUT_S)
        try:
            return node.ask(method, path, body, headers, connection)
        except (OSError, http.client.HTTPException) as error:
            self.trouble = repr(error)
            self.connections.pop(node).close()
            return None

    def run(self):
        try:
            while not self.over.is_set():
                self.step()
        except BaseException as error:
            self.wrong = error
        finally:
            for connection in self.connections.values():
                connection.close()

    def stop(self):
        self.over.set()
        self.join()
        if self.wrong is not None:
            raise self.wrong


class Writer(Client):
    """Reads a set on any node and writes it on any other under the condition that it is as it was read."""

    def step(self):
        name = self.chance.choice(sorted(self.histories))
        state = read(self, self.chance.choice(self.nodes), name, self.histories[name])
        if state is not None:
            write(self, self.chance.choice(self.nodes), name, self.histories[name], state)


def read(client, node, name, history, at_least=0, fresh=False, linearizable=False):
    """GET, noted in the history; None where there was no answer that tells a state. `fresh`: it is known to be
    new, for another reason than that it was asked to be."""
    start = history.now()
    headers = {"Gjkd-Min-Revision": str(at_least)} if at_least else {}
    if linearizable:
        headers["Gjkd-Consistency"] = "linearizable"
    reply = client.ask(node, "GET", f"/v1/sets/{name}", headers=headers)
    end = history.now()
    if reply is None:
        return None
    if reply[0] not in (200, 404):
        client.trouble = (reply[0], reply[2][:300])
        return None
    state = ABSENT if reply[0] == 404 else state_of(reply[1], reply[2])
    age = int(reply[1].get("Gjkd-Age-Ms", "0")) / 1000
    history.read(state, node.machine, start, end, fresh or linearizable, at_least, age)
    return state


def write(client, node, name, history, state):
    value = history.new_value()
    change = document(value)
    if state is ABSENT:
        method, headers = "PUT", {"If-None-Match": "*"}
    elif value % 5 == 0:
        method, headers = "PUT", {"If-Match": state.tag}
    else:
        method, headers = "PATCH", {"If-Match": state.tag}
    operation = history.begin(value, state.tag, node.machine)
    reply = client.ask(node, method, f"/v1/sets/{name}", change, headers)
    if reply is None:
        return history.end(operation, UNKNOWN)
    status, headers, body = reply
    if status in (200, 201):
        assert headers["Gjkd-Durability"] == "quorum", headers["Gjkd-Durability"]
        return history.end(operation, ACKED, State(value, headers["ETag"], json.loads(body)["revision"]))
    code = json.loads(body)["code"]
    if status in (412, 404):
        return history.end(operation, REFUSED)
    if code in NOTHING:
        client.over.wait(0.02)
        return history.end(operation, FAILED)
    assert status == 504, (status, body)
    return history.end(operation, UNKNOWN)


class Reader(Client):
    """Asks one node without pause, which must answer whatever becomes of the others."""

    def __init__(self, node, histories, seed):
        super().__init__([node], histories, seed)
        self.answered = 0

    def step(self):
        name, begun = self.chance.choice(sorted(self.histories)), time.monotonic()
        assert read(self, self.nodes[0], name, self.histories[name]) is not None, (
            f"node {self.nodes[0].machine} has not answered a read in {time.monotonic() - begun:.1f} s: {self.trouble}")
        self.answered += 1
        if self.answered % 4 == 0:  # it may be refused
            read(self, self.nodes[0], name, self.histories[name], linearizable=True)
        self.over.wait(0.005)


class Asker(Client):
    """Asks one node, by HTTP and by calls of a stream, for everything that a set can be asked, with a deadline:
    whatever becomes of the others, each request is answered."""

    DEADLINE_MS = 3000
    SHAPES = [f"s{i}" for i in range(8)]
    LARGE = {"dimension": 2, "shapes": {f"{i:0100}": box(i) for i in range(3000)}}  # larger than a message

    def __init__(self, node, name, seed):
        super().__init__([node], {}, seed)
        self.node, self.name, self.tick, self.tag = node, name, 0, '"0"'
        self.stream, self.calls, self.answered, self.refused, self.slowest = None, 0, 0, 0, (0, "")

    def question(self):
        """(method, path, body, headers)"""
        path, revision = f"/v1/sets/{self.name}", str(self.chance.randrange(1, 10**6))
        shape, poses = self.chance.choice(self.SHAPES), {s: {"position": [self.tick, 1]} for s in self.SHAPES}
        newest = {"Gjkd-Consistency": "linearizable"}
        self.tick += 1
        whole = {"dimension": 2, "history": {"ticks": 16}, "shapes": {s: box(self.tick) for s in self.SHAPES}}
        line = json.dumps({"name": f"{self.name}-line"} | whole)
        return self.chance.choice([
            ("PUT", path, whole, {}), ("PUT", path, whole, {"If-Match": self.tag}),
            ("PUT", f"{path}-large", self.LARGE, {}), ("DELETE", path, None, {}),
            ("PATCH", path, {"meta": self.tick}, {}), ("PATCH", path, {"meta": 1}, {"If-Match": '"0"'}),
            ("PUT", f"{path}/shapes/{shape}", box(self.tick), {}), ("DELETE", f"{path}/shapes/{shape}", None, {}),
            ("PUT", f"{path}/ticks/{self.tick}", {"shapes": poses}, {}),
            ("PUT", f"{path}/ticks/{self.tick}", {"shapes": poses}, {"If-Match": self.tag}),
            ("POST", f"{path}/ticks/{self.tick}", {"shapes": poses, "queries": [{"op": "distance", "a": "s0"}]}, {}),
            ("GET", path, None, {}), ("GET", path, None, newest), ("GET", f"{path}-none", None, newest),
            ("GET", path, None, {"Gjkd-Min-Revision": revision}), ("GET", f"{path}/ticks", None, {}),
            ("POST", f"{path}/distance", {"a": "s0", "b": "s1"}, newest),
            ("POST", f"{path}/batch", {"queries": [{"op": "distance", "a": "s0", "b": "s1"}] * 50}, newest),
            ("GET", f"/v1/export?prefix={self.name}", None, {}), 
            ("POST", "/v1/import?replace=true", line, {"Content-Type": "application/x-ndjson"}),
            ("GET", "/v1/cluster", None, {}), ("GET", "/readyz", None, {}), ("GET", "/readyz", None, {}), ("GET", "/v1/sets", None, newest), ("GET", "/metrics", None, {})])

    def over_stream(self, method, path, body, headers):
        if self.stream is None:
            self.stream = WebSocket(self.node, timeout=TIMEOUT_S)
        self.calls += 1
        self.stream.call(self.calls, method, path, body, headers=headers)
        answer = self.stream.answer()
        assert answer["id"] == self.calls, answer
        return answer["status"], answer.get("headers", {}), answer.get("body")

    def over_http(self, method, path, body, headers):
        reply = self.ask(self.node, method, path, body, headers)
        assert reply is not None, "there is no answer"
        is_json = "json" in reply[1].get("Content-Type", "") and "ndjson" not in reply[1]["Content-Type"]
        return reply[0], reply[1], json.loads(reply[2]) if is_json else None

    def step(self):
        question = self.question()
        question[3]["Gjkd-Timeout-Ms"] = str(self.DEADLINE_MS)
        is_long = "port?" in question[1]  # exports and imports are no calls of a stream
        begun = time.monotonic()
        ask = self.over_stream if self.chance.random() < 0.3 and not is_long else self.over_http
        try:
            status, headers, body = ask(*question)
        except (OSError, EOFError, AssertionError) as error:
            raise AssertionError(f"node {self.node.machine}: {question[0]} {question[1]} {question[3]} by "
                                 f"{ask.__name__} after {time.monotonic() - begun:.1f} s: {error!r}") from error
        self.slowest = max(self.slowest, (time.monotonic() - begun, f"{question[0]} {question[1]} {status}"))
        assert status in (200, 201, 204, 404, 409, 410, 412, 422, 503, 504), (question, status)
        if question[1] == "/readyz" and body == {"status": "ok"}:
            assert int(headers["Gjkd-Age-Ms"]) < 2 * STALE_MS, "it says ok, and its answers are old"
        self.refused += status == 503 and body["code"] == "not-ready" and question[0] in ("PUT", "PATCH", "DELETE")
        self.tag = headers.get("ETag", self.tag)
        self.answered += 1
        self.over.wait(0.01)

    def run(self):
        super().run()
        if self.stream is not None:
            self.stream.socket.close()


class Traffic:
    """Eight writers on all nodes, and a reader of each node that `stay`s up, and so many more that ask each of
    those for everything."""

    WRITERS = 8

    def __init__(self, cluster, name, sets=2, stay=(0, 1, 2), asks=0):
        self.cluster = cluster
        cluster.traffic.append(self)
        self.histories = {f"{name}-{i}": History() for i in range(sets)}
        self.writers = [Writer(cluster.nodes, self.histories, i) for i in range(self.WRITERS)]
        self.readers = [Reader(cluster.nodes[i], self.histories, 100 + i) for i in stay]
        self.askers = [Asker(cluster.nodes[i], f"{name}-asked", 200 + i + 10 * j) for i in stay for j in range(asks)]
        self.clients = self.writers + self.readers + self.askers
        for client in self.clients:
            client.start()

    def acked(self):
        return sum(w.outcome == ACKED for h in self.histories.values() for w in list(h.writes))

    def stop(self):
        for client in self.clients:
            client.over.set()
        for client in self.clients:
            client.stop()
        self.cluster.traffic.remove(self)
        assert all(client.answered > 0 for client in self.readers + self.askers)

    def last_reads(self):
        """Of every set on every node, which must be as new as the last acknowledged write."""
        client = Client(self.cluster.nodes, self.histories, 0)
        for name, history in self.histories.items():
            newest = max((w.state.revision for w in history.writes if w.outcome == ACKED), default=0)
            for node in self.cluster.nodes:
                state = read(client, node, name, history, at_least=newest, fresh=True)
                assert state is not None, f"node {node.machine} does not know {name}: {client.trouble}"
        for connection in client.connections.values():
            connection.close()


def keep(history, file):
    """Writes all operations down, in the order in which they began."""
    operations = sorted(history.writes + history.reads, key=lambda each: each.start)
    file.write_text("".join(f"{each}\n" for each in operations))
    return file


def evidence(cluster, name, history, wrong):
    """What tells whether the engine or gjkd lost a write: what clients saw of the set around the revisions that
    `wrong` names, what the log has there, and what the nodes have said."""
    named = [int(revision) for revision in re.findall(r"revision=(\d+)", " ".join(wrong))] or [1]
    around, stream = range(max(1, min(named) - 40), max(named) + 20), f"gjkd_{CLUSTER}"
    lines = [str(w) for w in history.writes if w.state and w.state.revision in around]
    lines += [str(r) for r in history.reads if r.state.revision in named]
    lines += [f"log, {place}: {found}" for place in around
              if (found := cluster.engine.message(stream, place)) and found[0].endswith(f".s.{name}")]
    for node in cluster.nodes:
        lines += [f"node {node.machine}: {line}" for line in node.warnings()]
    return "\n".join(lines)


def judge(cluster, traffic, least):
    """What must hold when the writers have ended and all that was broken is whole again."""
    traffic.stop()
    cluster.wait()
    for name in traffic.histories:
        cluster.agree(f"/v1/sets/{name}")
    traffic.last_reads()
    for name, history in traffic.histories.items():
        wrong = linear.check(history)
        if wrong:
            file = keep(history, cluster.folder / name)
            pytest.fail("\n".join([name, *wrong[:5], f"see {file}", evidence(cluster, name, history, wrong[:5])]))
    assert traffic.acked() >= least, traffic.acked()
