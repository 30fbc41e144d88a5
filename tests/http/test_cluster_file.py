"""Nodes of a cluster with a data directory: a start reads the file and the rest of the log, the file is
some place of the log whatever ends the daemon, and a log that it does not belong to lets it go."""

import http.client
import json
import os
import random
import shutil
import signal
import subprocess
import threading

import pytest

import nats
from daemon import BINARY, Daemon, clean_environment, run_to_end
from stored import BOX, everything, kill
from test_cluster import (CIRCLE, NODES, SET, ask_engine, engine, join, metric,  # noqa: F401
                          revision_of, seen, trimmed)
from wire import eventually

LARGE = {"dimension": 2, "shapes": {f"s{i:04}": CIRCLE | {"meta": "m" * 400} for i in range(1000)}}


def has_saved(node, revision):
    """Waits until the node's file has that revision."""
    assert eventually(lambda: metric(node, "gjkd_cluster_file_revision") >= revision, within=30)


def alike(nodes, name, revision):
    """Waits until all nodes answer the set alike, to the byte. (The memory that a list of sets tells
    depends on the edits that led there.)"""
    for node in nodes:
        seen(node, f"/v1/sets/{name}", revision)

    def answered():
        replies = [node.get(f"/v1/sets/{name}") for node in nodes]
        return {(reply.status_code, reply.headers["ETag"], reply.content) for reply in replies}
    assert eventually(lambda: len(answered()) == 1, within=30)


def ticks_of(node):
    return node.get("/v1/sets/t/ticks").content


def end(node, how):
    if how == signal.SIGTERM:
        node.stop()
    else:
        kill(node)


def dir_flags(folder):
    return ("--data-dir", str(folder))


def fill(node):
    """Sets of several kinds; the revision of the last write."""
    node.store("plain", SET | {"meta": {"n": [1, 2.5]}})
    node.store("gone", SET)
    node.store("history", SET | {"history": {"ticks": 3}})
    for tick in range(1, 6):
        body = {"shapes": {"a": {"position": [tick, 0.1], "teleport": tick == 4}}}
        assert node.put(f"/v1/sets/history/ticks/{tick}", body).status_code == 201
    assert node.put("/v1/sets/history/shapes/late", CIRCLE).status_code == 201
    assert node.call("DELETE", "/v1/sets/gone").status_code == 204
    node.store("many", {"dimension": 2, "shapes": {}})
    for i in range(20):
        reply = node.call("PATCH", "/v1/sets/many", json={"shapes": {
            f"s{(i * 7) % 20:02}": BOX | {"position": [i, -0.0]}, f"s{i // 2:02}": None if i % 2 else BOX}})
        assert reply.status_code == 200, reply.text
    return revision_of(reply)


def answers(node):
    """What a client can know of the sets and their ticks, as bytes."""
    paths = ["/v1/sets/" + s["name"] for s in node.get("/v1/sets").json()["sets"]]
    paths += ["/v1/sets/history/ticks"] + [f"/v1/sets/history/ticks/{t}" for t in ("3", "3.5", "4.25", "5")]
    return {path: (reply.headers.get("ETag"), reply.content)
            for path, reply in ((path, node.get(path)) for path in paths)}


def assert_alike(node, other):
    """Ticks may take a while."""
    if not eventually(lambda: answers(node) == answers(other), within=30):
        assert answers(node) == answers(other)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_start_reads_the_file_and_the_rest_of_the_log(join, tmp_path, how):
    other = join(NODES[0])
    node = join(NODES[1], *dir_flags(tmp_path / "d"))
    reply = node.put("/v1/sets/first", SET)
    assert reply.headers["Gjkd-Durability"] == "quorum", "whatever becomes of the file"
    assert node.get("/v1").json()["durability"] == "quorum"
    revision = fill(node)
    has_saved(node, revision)
    end(node, how)
    node = join(NODES[1], *dir_flags(tmp_path / "d"))
    assert metric(node, "gjkd_cluster_applied_total") == 0, "all of it is in the file"
    assert metric(node, "gjkd_cluster_revision") == revision
    assert_alike(node, other)
    assert node.get("/v1/sets/many").json()["shapes"]["s19"]["handle"]
    end(node, how)
    for i in range(5):
        reply = other.call("PATCH", "/v1/sets/many", json={"shapes": {f"later{i}": BOX}})
    other.put("/v1/sets/history/ticks/6", {"shapes": {"b": {"position": [1, 6]}, "new": CIRCLE}})
    assert other.put("/v1/sets/first", SET | {"meta": "other"}).status_code == 200
    node = join(NODES[1], *dir_flags(tmp_path / "d"))
    assert metric(node, "gjkd_cluster_applied_total") == 7, "as many writes as came meanwhile"
    assert metric(node, "gjkd_cluster_resets_total") == 0
    assert_alike(node, other)
    after = node.call("PATCH", "/v1/sets/many", json={"shapes": {"more": BOX}},
                      headers={"If-Match": reply.headers["ETag"]})
    assert after.status_code == 200
    alike([node, other], "many", revision_of(after))


def test_ticks_go_on_where_the_file_left_them(join, tmp_path):
    flags = (*dir_flags(tmp_path / "d"), "--pose-checkpoint", "100ms")
    other, node = join(NODES[0]), join(NODES[1], *flags)
    node.put("/v1/sets/t", SET | {"history": {"ticks": 4}})
    for tick in range(1, 9):
        # More than poses, or it may be told beside the log: the file has what the log has.
        made = node.put(f"/v1/sets/t/ticks/{tick}", {"shapes": {"a": {"position": [tick, 1]},
                                                                f"new{tick}": CIRCLE}})
        assert (made.status_code, made.headers["Gjkd-Durability"]) == (201, "quorum")
    has_saved(node, revision_of(made))
    node.stop()
    node = join(NODES[1], *flags)
    assert eventually(lambda: ticks_of(node) == ticks_of(other))
    assert node.put("/v1/sets/t/ticks/8", {"shapes": {}}).status_code == 409, "it is there already"
    reply = node.put("/v1/sets/t/ticks/9", {"shapes": {"a": {"position": [9, 1]}}})
    assert (reply.status_code, revision_of(reply)) == (201, revision_of(made))
    alike([node, other], "t", revision_of(made))


class Writer(threading.Thread):
    """Writes n = 1, 2, ... to a set of its own, at any node that lives; `acked` holds what was answered
    with 2xx, `sent` all."""

    def __init__(self, name, nodes):
        super().__init__()
        self.set, self.nodes, self.chance = name, nodes, random.Random(name)
        self.sent = self.acked = 0
        self.goes_on, self.wrong = True, None

    def write(self, n):
        node = self.chance.choice(self.nodes)
        connection = http.client.HTTPConnection(*node, timeout=30)
        try:
            connection.request("PATCH", f"/v1/sets/{self.set}", json.dumps(
                {"meta": n, "shapes": {"a": {"position": [n, 0]}, "b": {"position": [n, 1]},
                                       f"s{n % 7}": BOX if n % 2 else None}}),
                {"Content-Type": "application/json"})
            return connection.getresponse().status
        finally:
            connection.close()

    def run(self):
        while self.goes_on:
            self.sent += 1
            try:
                status = self.write(self.sent)
            except (OSError, http.client.HTTPException):
                continue
            if status == 200:
                self.acked = self.sent
            elif status not in (503, 504):
                self.wrong = status
                return

    def judge(self, node):
        body = node.get(f"/v1/sets/{self.set}").json()
        n = body.get("meta", 0)
        assert self.wrong is None and self.acked <= n <= self.sent, (self.wrong, self.acked, n, self.sent)
        places = {body["shapes"][s].get("position", [0])[0] for s in "ab"}
        assert places == {n} or (n == 0 and places == {0}), "half applied"
        return n


ROUNDS = 40 if os.environ.get("GJKD_FULL") else 4


def test_kill_in_a_flood_of_writes(join, tmp_path):
    chance = random.Random(3)
    ports = [nats.free_port(host) for host in NODES]

    def start(i):
        return join(NODES[i], *dir_flags(tmp_path / str(i)), "--listen", f"{NODES[i]}:{ports[i]}")

    nodes = [start(i) for i in range(3)]
    for k in range(4):
        nodes[0].store(f"w{k}", SET)
    writers = [Writer(f"w{k}", list(zip(NODES, ports))) for k in range(4)]
    for writer in writers:
        writer.start()
    try:
        for _ in range(ROUNDS):
            victim = chance.randrange(3)
            saves, acked = metric(nodes[victim], "gjkd_cluster_file_saves_total"), writers[0].acked
            assert eventually(lambda: writers[0].acked > acked + 20 and metric(
                nodes[victim], "gjkd_cluster_file_saves_total") > saves, within=60)
            kill(nodes[victim])
            nodes[victim] = start(victim)
            assert metric(nodes[victim], "gjkd_cluster_resets_total") == 0
    finally:
        for writer in writers:
            writer.goes_on = False
        for writer in writers:
            writer.join()
    for node in nodes:  # all at once, and none is stopped before the others have what it has
        kill(node)
    nodes = [start(i) for i in range(3)]
    for writer in writers:
        last = {writer.judge(node) for node in nodes}
        alike(nodes, writer.set, 0)
        assert len({writer.judge(node) for node in nodes}) == 1 and min(last) >= writer.acked
    assert min(writer.acked for writer in writers) > ROUNDS


def delete_streams(engine):
    for name in ("gjkd_test", "gjkd_test_chunks"):
        assert ask_engine(engine, f"$JS.API.STREAM.DELETE.{name}")["success"]


def export(folder):
    ended = run_to_end("--export", *dir_flags(folder))
    assert ended.returncode == 0, ended.stderr
    return {body["name"]: body for body in map(json.loads, ended.stdout.splitlines())}


def test_a_log_made_anew_sets_the_file_aside(engine, join, tmp_path):
    node = join(NODES[0], *dir_flags(tmp_path / "d"))
    has_saved(node, revision_of(node.put("/v1/sets/s", SET)))
    before = everything(node)
    node.stop()
    delete_streams(engine)
    new = join(NODES[1])
    after = new.put("/v1/sets/t", SET)
    node = join(NODES[0], *dir_flags(tmp_path / "d"))
    assert node.get("/v1/sets/s").status_code == 404
    alike([node, new], "t", revision_of(after))
    assert b"the log was made anew" in node.stderr()
    assert metric(node, "gjkd_cluster_resets_total") == 1
    assert eventually(lambda: metric(node, "gjkd_cluster_file_saves_total") > 0, within=30)
    rescued = tmp_path / "rescued"
    rescued.mkdir()
    shutil.copy(tmp_path / "d" / "sets.db.before", rescued / "sets.db")
    assert export(rescued)["s"]["shapes"] == before["s"][1]["shapes"]
    node.stop()
    assert list(export(tmp_path / "d")) == ["t"]
    node = join(NODES[0], *dir_flags(tmp_path / "d"))
    assert metric(node, "gjkd_cluster_resets_total") == 0, "the file is of the new log"
    alike([node, new], "t", revision_of(after))


def assert_answers_alone(node, before):
    """It answers what its file has, and refuses writes."""
    assert node.get("/readyz").json()["status"] == "degraded"
    assert node.get("/v1").json()["cluster"]["state"] == "degraded"
    assert answers(node) == before
    assert node.ask("/v1/sets/plain/detect", {"a": "a", "b": "b"})["colliding"]
    reply = node.call("PATCH", "/v1/sets/plain", json={"meta": 1})
    assert (reply.status_code, reply.json()["code"]) == (503, "not-ready")


def test_a_start_without_the_engine_answers_from_the_file(engine, join, tmp_path):
    node = join(NODES[0], *dir_flags(tmp_path / "d"))
    has_saved(node, fill(node))
    node.stop()
    node = join(NODES[0], *dir_flags(tmp_path / "d"))
    before = answers(node)
    node.stop()
    engine.kill()
    node = join(NODES[0], *dir_flags(tmp_path / "d"))
    assert_answers_alone(node, before)
    engine.start()
    assert eventually(lambda: node.get("/readyz").json() == {"status": "ok"}, within=60)
    assert answers(node) == before and metric(node, "gjkd_cluster_resets_total") == 0
    reply = node.call("PATCH", "/v1/sets/plain", json={"meta": 1})
    assert reply.status_code == 200
    other = join(NODES[1])
    alike([node, other], "plain", revision_of(reply))


def test_a_start_with_a_file_finds_another_log_later(engine, join, tmp_path):
    node = join(NODES[0], *dir_flags(tmp_path / "d"))
    has_saved(node, fill(node))
    before = answers(node)
    node.stop()
    engine.kill()
    shutil.rmtree(engine.folder)
    node = join(NODES[0], *dir_flags(tmp_path / "d"))
    assert_answers_alone(node, before)
    engine.start()
    assert answers(node) == before
    other = join(NODES[1])
    reply = other.put("/v1/sets/t", SET)
    assert eventually(lambda: node.get("/v1/sets/t").status_code == 200, within=60)
    assert node.get("/v1/sets/plain").status_code == 404, "the worlds are not mixed"
    alike([node, other], "t", revision_of(reply))
    assert eventually((tmp_path / "d" / "sets.db.before").exists, within=30)


def test_all_engines_lost(engine, join, tmp_path):
    nodes = [join(NODES[i], *dir_flags(tmp_path / str(i))) for i in range(2)]
    revision = fill(nodes[0])
    for node in nodes:
        has_saved(node, revision)
        node.stop()
    delete_streams(engine)
    waits = join(NODES[2], *dir_flags(tmp_path / "0"))
    assert waits.get("/readyz").json()["status"] == "degraded"
    assert b"there is no such stream" in waits.stderr(), "it makes no empty log in the place of its sets"
    assert waits.get("/v1/sets/many").status_code == 200
    waits.stop()
    lines = tmp_path / "sets.ndjson"
    kept = export(tmp_path / "1")
    lines.write_text("".join(json.dumps(body) + "\n" for body in kept.values()))
    nodes = [join(NODES[0], *dir_flags(tmp_path / "new"), "--load", str(lines)),
             join(NODES[1], *dir_flags(tmp_path / "1"))]
    assert eventually(lambda: everything(nodes[0]) == everything(nodes[1]), within=30)
    found = {name: body for name, (_, body) in everything(nodes[1]).items()}
    assert {name: set(body["shapes"]) for name, body in found.items()} == {
        name: set(body["shapes"]) for name, body in kept.items()}


def test_a_file_before_the_log_begins_goes_on_with_a_snapshot(engine, join, tmp_path):
    other, node = join(NODES[0]), join(NODES[1], *dir_flags(tmp_path / "d"))
    node.store("gone", SET)
    has_saved(node, fill(node))
    kill(node)
    assert other.call("DELETE", "/v1/sets/plain").status_code == 204
    first, rounds = int(metric(other, "gjkd_cluster_revision")) + 2, 0
    while trimmed(engine) < first and rounds < 300:
        rounds += 1
        reply = other.put("/v1/sets/large", LARGE | {"meta": rounds})
        assert reply.status_code in (200, 201)
    assert trimmed(engine) >= first
    node = join(NODES[1], *dir_flags(tmp_path / "d"))
    seen(node, "/v1/sets/large", revision_of(reply))
    assert metric(node, "gjkd_cluster_resets_total") == 0
    assert node.get("/v1/sets/plain").status_code == 404
    assert_alike(node, other)
    has_saved(node, revision_of(reply))
    kill(node)
    node = join(NODES[1], *dir_flags(tmp_path / "d"))
    assert_alike(node, other)


def test_a_log_that_went_another_way_lets_the_file_go(engine, join, tmp_path):
    """The streams come back as they were a while ago, and are written to since: same epoch, same places."""
    node = join(NODES[0], *dir_flags(tmp_path / "d"))
    node.store("s", SET)
    node.stop()
    engine.signal(signal.SIGTERM)
    engine.process.wait()
    shutil.copytree(engine.folder, tmp_path / "old")
    engine.start()
    node = join(NODES[0], *dir_flags(tmp_path / "d"))
    for i in range(3):
        reply = node.put(f"/v1/sets/lost{i}", SET)
    has_saved(node, revision_of(reply))
    node.stop()
    engine.kill()
    shutil.rmtree(engine.folder)
    shutil.copytree(tmp_path / "old", engine.folder)
    engine.start()
    other = join(NODES[1])
    for i in range(6):
        reply = other.put(f"/v1/sets/kept{i}", SET)
        assert reply.status_code == 201
    node = join(NODES[0], *dir_flags(tmp_path / "d"))
    assert eventually(lambda: everything(node) == everything(other), within=30)
    assert b"another one than the node's file is of" in node.stderr()
    assert eventually((tmp_path / "d" / "sets.db.before").exists, within=30)


def refused(*flags):
    ended = run_to_end("--listen", "127.0.0.1:0", *flags)
    assert ended.returncode == 1 and ended.stdout == "", ended
    return ended.stderr


def test_a_file_belongs_to_its_cluster(engine, join, tmp_path):
    folder, alone = tmp_path / "d", tmp_path / "alone"
    node = join(NODES[0], *dir_flags(folder))
    has_saved(node, revision_of(node.put("/v1/sets/s", SET)))
    assert "another process uses it" in refused("--nats", engine.url, "--cluster", "test",
                                                *dir_flags(folder))
    node.stop()
    assert 'by a node of the cluster test, which' in refused(*dir_flags(folder))
    assert 'by a node of the cluster test, not of b' in refused(
        "--nats", engine.url, "--cluster", "b", *dir_flags(folder))
    ended = subprocess.run([BINARY, "--import", *dir_flags(folder)], input='{"name": "x"}', text=True,
                           env=clean_environment(), capture_output=True, timeout=60)
    assert ended.returncode == 1 and 'by a node of the cluster test' in ended.stderr
    assert list(export(folder)) == ["s"], "nothing has changed it, and it can be read"
    single = Daemon(*dir_flags(alone))
    single.store("mine", SET)
    single.stop()
    said = refused("--nats", engine.url, "--cluster", "test", *dir_flags(alone))
    assert "the sets of a daemon without a cluster" in said and "--load" in said
    assert list(export(alone)) == ["mine"]


def test_a_damaged_file_is_refused(engine, join, tmp_path):
    node = join(NODES[0], *dir_flags(tmp_path / "d"))
    has_saved(node, fill(node))
    node.stop()
    import sqlite3
    for table, column in (("copy", "place"), ("ticks", "sum"), ("sets", "revision")):
        shutil.copytree(tmp_path / "d", tmp_path / table)
        with sqlite3.connect(tmp_path / table / "sets.db") as database:
            database.execute(f"UPDATE {table} SET {column} = {column} + 1")
        database.close()
        said = refused("--nats", engine.url, "--cluster", "test", *dir_flags(tmp_path / table))
        assert "damaged" in said and "away" in said


@pytest.mark.plain
@pytest.mark.parametrize("order", ["fsync", "write", "full"])
def test_a_failing_disk_stops_the_file_and_nothing_else(join, tmp_path, order):
    library, page = tmp_path / "failing_disk.so", tmp_path / "order"
    source = os.path.join(os.path.dirname(__file__), "failing_disk.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    page.write_bytes(bytes(4096))

    def say(text):
        with open(page, "r+b") as file:
            file.write(text.encode().ljust(16, b"\0"))

    failing = {"env": {"LD_PRELOAD": str(library), "FAILING_DISK": str(page)}}
    other, node = join(NODES[0]), join(NODES[1], *dir_flags(tmp_path / "d"), **failing)
    has_saved(node, fill(node))
    for _ in range(2):
        say(order)
        reply = node.call("PATCH", "/v1/sets/many", json={"shapes": {"s01": None, "late": CIRCLE}})
        assert (reply.status_code, reply.headers["Gjkd-Durability"]) == (200, "quorum")
        assert eventually(lambda: metric(node, "gjkd_cluster_file_failing") == 1, within=30)
        assert node.get("/readyz").json()["status"] == "ok"
        assert b"all goes on without it" in node.stderr()
        kill(node)  # what the failed transaction left is no place of the log, or all of one
        say("")
        node = join(NODES[1], *dir_flags(tmp_path / "d"), **failing)
        assert_alike(node, other)
    reply = node.put("/v1/sets/after", SET)
    has_saved(node, revision_of(reply))
    say(order)
    reply = node.put("/v1/sets/after", SET | {"meta": 1})
    assert eventually(lambda: metric(node, "gjkd_cluster_file_failing") == 1, within=30)
    say("")
    has_saved(node, revision_of(reply))
    assert eventually(lambda: b"is written again" in node.stderr(), within=30)
    assert metric(node, "gjkd_cluster_file_failing") == 0
    node.stop()
    node = join(NODES[1], *dir_flags(tmp_path / "d"))
    assert metric(node, "gjkd_cluster_applied_total") == 0
    assert_alike(node, other)


def test_a_full_disk_stops_the_file_and_nothing_else(small_disk, join):
    other, node = join(NODES[0]), join(NODES[1], *dir_flags(small_disk))
    saved = revision_of(node.put("/v1/sets/small", SET))
    has_saved(node, saved)
    assert node.get("/readyz").json() == {"status": "ok"}
    for i in range(6):
        reply = node.put(f"/v1/sets/large{i}", LARGE)
        assert (reply.status_code, reply.headers["Gjkd-Durability"]) == (201, "quorum")
    assert eventually(lambda: metric(node, "gjkd_cluster_file_failing") == 1, within=30)
    assert metric(node, "gjkd_cluster_file_failures_total") > 0
    ready = node.get("/readyz")
    assert ready.status_code == 200 and ready.json()["status"] == "ok"
    assert "--data-dir cannot be written" in ready.json()["detail"]
    assert b"all goes on without it" in node.stderr()
    alike([node, other], "large5", revision_of(reply))
    kill(node)
    node = join(NODES[1], *dir_flags(small_disk))
    assert metric(node, "gjkd_cluster_applied_total") > 0, "what the file lacks is in the log"
    assert everything(node) == everything(other)
    subprocess.run(["mount", "-o", "remount,size=32m", small_disk], check=True)
    has_saved(node, revision_of(reply))
    assert metric(node, "gjkd_cluster_file_failing") == 0
    assert node.get("/readyz").json() == {"status": "ok"}
    kill(node)
    node = join(NODES[1], *dir_flags(small_disk))
    assert metric(node, "gjkd_cluster_applied_total") == 0
    assert everything(node) == everything(other)
    node.stop()
