"""kill -9 in a flood of writes, and a disk that runs full: what was acknowledged is there, whole."""

import http.client
import json
import os
import random
import subprocess
import threading
import time

import pytest

from stored import BOX, everything, kill, open_store, scene

pytestmark = pytest.mark.http

ROUNDS = 200 if os.environ.get("GJKD_FULL") else 5
WRITERS = 6


class Writer(threading.Thread):
    """Writes to a set of its own without pause. Write n leaves n at every place that it touches;
    `acked` is the last one that was answered, with its ETag, and `sent` the last that was sent."""

    def __init__(self, name):
        super().__init__()
        self.set, self.sent, self.acked, self.tag = name, 0, 0, None
        self.wrong = None

    def aim(self, daemon):
        self.connection = http.client.HTTPConnection(daemon.host, daemon.port, timeout=30)

    def write(self, n):
        if n % 50 == 1 and n > 1:  # a whole new set of another size
            shapes = {f"s{i}": BOX | {"position": [n, i]} for i in range(n % 7 + 2)}
            method, body = "PUT", scene(shapes, meta=n)
        elif n == 1:
            method, body = "PUT", scene({"s0": BOX | {"position": [1, 0]},
                                         "s1": BOX | {"position": [1, 1]}}, meta=1)
        else:
            method, body = "PATCH", {"meta": n, "shapes": {
                "s0": {"position": [n, 0]}, "s1": {"position": [n, 1]}, "last": BOX | {
                    "position": [n, 2]} if n % 2 else None}}
        headers = {"Content-Type": "application/json", "Connection": "keep-alive"}
        self.connection.request(method, f"/v1/sets/{self.set}", json.dumps(body), headers)
        reply = self.connection.getresponse()
        return reply.status, reply.headers, json.loads(reply.read())

    def run(self):
        try:
            while True:
                self.sent += 1
                status, headers, body = self.write(self.sent)
                if status not in (200, 201) or headers["Gjkd-Durability"] != "disk":
                    self.wrong = (status, body)
                    return
                self.acked, self.tag = body["revision"], headers["ETag"]
        except (OSError, http.client.HTTPException):
            pass

    def judge(self, found):
        """What the daemon has after its restart is the last acknowledged write, or the one that was
        under way: whole."""
        assert self.wrong is None, self.wrong
        if found is None:
            assert self.acked == 0
            self.sent = 0
            return
        tag, body = found
        assert self.acked <= body["revision"] <= self.sent, (self.acked, body["revision"])
        if body["revision"] == self.acked:
            assert tag == self.tag
        n = body["meta"]
        assert n == body["revision"]
        places = {body["shapes"][s]["position"][0] for s in ("s0", "s1")}
        assert places == {n}, "half applied"
        assert n % 50 == 1 or ("last" in body["shapes"]) == (n % 2 == 1)
        self.acked = self.sent = n


def follow(writer):
    """The same writer for another round: a thread runs once."""
    new = Writer(writer.set)
    new.acked, new.sent, new.tag = writer.acked, writer.sent, writer.tag
    return new


def test_kill_in_a_flood_of_writes(open_store, tmp_path):
    chance = random.Random(7)
    writers = [Writer(f"w{i}") for i in range(WRITERS)]
    written = 0
    for _ in range(ROUNDS):
        gjkd = open_store(tmp_path)
        for writer in writers:
            writer.aim(gjkd)
            writer.start()
        time.sleep(chance.uniform(0.01, 0.3))
        kill(gjkd)
        for writer in writers:
            writer.join()
            writer.connection.close()
        gjkd = open_store(tmp_path)
        found = everything(gjkd)
        before = sum(writer.acked for writer in writers)
        for writer in writers:
            writer.judge(found.get(writer.set))
            if writer.set in found:
                writer.tag = found[writer.set][0]
        written = max(written, before)
        kill(gjkd)  # right after the start, too
        writers = [follow(writer) for writer in writers]
    assert written > 10 * ROUNDS


# --- A small file system ---

def test_a_full_disk_refuses_writes_and_reads_go_on(small_disk, open_store):
    gjkd = open_store(small_disk)
    stored, refused = {}, 0
    for i in range(200):
        body = scene({f"s{k}": BOX | {"position": [i, k], "meta": "x" * 500} for k in range(40)})
        reply = gjkd.put(f"/v1/sets/n{i % 60}", body)
        if reply.status_code in (200, 201):
            stored[f"n{i % 60}"] = (reply.headers["ETag"], i)
        else:
            assert reply.status_code == 507 and reply.json()["code"] == "not-stored"
            refused += 1
    assert refused > 0 and len(stored) > 5
    before = everything(gjkd)
    assert {name: tag for name, (tag, _) in before.items()} == {
        name: tag for name, (tag, _) in stored.items()}
    kill(gjkd)
    gjkd = open_store(small_disk)
    assert everything(gjkd) == before
    # With room again it goes on by itself, and says so.
    more = 0
    while gjkd.put(f"/v1/sets/more{more}", body).status_code != 507:
        more += 1
    assert b"writes are refused" in gjkd.stderr() and b"stored again" not in gjkd.stderr()
    subprocess.run(["mount", "-o", "remount,size=8m", small_disk], check=True)
    for name in everything(gjkd):
        assert gjkd.call("DELETE", f"/v1/sets/{name}").status_code == 204
    gjkd.store("after", scene({"a": BOX}))
    assert b"sets are stored again" in gjkd.stderr()
    after = everything(gjkd)
    kill(gjkd)
    gjkd = open_store(small_disk)
    assert everything(gjkd) == after and list(after) == ["after"]
    gjkd.stop()
