"""Clients of a cluster: writers with If-Match, and readers that must never be refused."""

import http.client
import json
import random
import threading

import linear
from history import ABSENT, ACKED, FAILED, REFUSED, UNKNOWN, History, State

TIMEOUT_S = 20
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

    def ask(self, node, method, path, body=None, headers=()):
        """As Node.ask on a kept connection; None where the connection failed."""
        connection = self.connections.get(node)
        if connection is None:
            connection = self.connections[node] = node.connection(TIMEOUT_S)
        try:
            return node.ask(method, path, body, headers, connection)
        except (OSError, http.client.HTTPException):
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
    if reply is None or reply[0] not in (200, 404):
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
        name = self.chance.choice(sorted(self.histories))
        assert read(self, self.nodes[0], name, self.histories[name]) is not None, (
            f"node {self.nodes[0].machine} has not answered a read")
        self.answered += 1
        if self.answered % 4 == 0:  # it may be refused
            read(self, self.nodes[0], name, self.histories[name], linearizable=True)
        self.over.wait(0.005)


class Traffic:
    """Eight writers on all nodes, and a reader of each node that `stay`s up."""

    WRITERS = 8

    def __init__(self, cluster, name, sets=2, stay=(0, 1, 2)):
        self.cluster = cluster
        cluster.traffic.append(self)
        self.histories = {f"{name}-{i}": History() for i in range(sets)}
        self.writers = [Writer(cluster.nodes, self.histories, i) for i in range(self.WRITERS)]
        self.readers = [Reader(cluster.nodes[i], self.histories, 100 + i) for i in stay]
        for client in self.writers + self.readers:
            client.start()

    def acked(self):
        return sum(w.outcome == ACKED for h in self.histories.values() for w in list(h.writes))

    def stop(self):
        for client in self.writers + self.readers:
            client.over.set()
        for client in self.writers + self.readers:
            client.stop()
        self.cluster.traffic.remove(self)
        assert all(reader.answered > 0 for reader in self.readers)

    def last_reads(self):
        """Of every set on every node, which must be as new as the last acknowledged write."""
        client = Client(self.cluster.nodes, self.histories, 0)
        for name, history in self.histories.items():
            newest = max((w.state.revision for w in history.writes if w.outcome == ACKED), default=0)
            for node in self.cluster.nodes:
                state = read(client, node, name, history, at_least=newest, fresh=True)
                assert state is not None, f"node {node.machine} does not know {name}"
        for connection in client.connections.values():
            connection.close()


def keep(history, file):
    """Writes all operations down, in the order in which they began."""
    operations = sorted(history.writes + history.reads, key=lambda each: each.start)
    file.write_text("".join(f"{each}\n" for each in operations))
    return file


def judge(cluster, traffic, least):
    """What must hold when the writers have ended and all that was broken is whole again."""
    traffic.stop()
    cluster.wait()
    for name in traffic.histories:
        cluster.agree(f"/v1/sets/{name}")
    traffic.last_reads()
    for name, history in traffic.histories.items():
        wrong = linear.check(history)
        assert wrong == [], (name, wrong[:5], f"see {keep(history, cluster.folder / name)}")
    assert traffic.acked() >= least, traffic.acked()
