"""A disk that does not answer, and a file that somebody takes away: writes say so, and reads go on."""

import concurrent.futures
import json
import shutil
import signal
import socket
import struct
import time

import pytest

from stored import BOX, everything, failing, kill, open_store, scene
from stream_wire import WebSocket
from wire import eventually

pytestmark = pytest.mark.http


def metric(daemon, name):
    return next(float(line.rsplit(" ", 1)[1]) for line in daemon.get("/metrics").text.splitlines()
                if line.startswith(name + " "))


def check_unknown(reply):
    """A 504 that says that the write may be stored, and how to find out."""
    assert reply.status_code == 504, (reply.status_code, reply.text)
    body = reply.json()
    assert body["code"] == "deadline-exceeded"
    assert "may have the write" in body["detail"] and "compare its ETag" in body["detail"]
    assert "Gjkd-Durability" not in reply.headers and "ETag" not in reply.headers


# For what the disk will not answer. What it answers has all the time that a busy disk takes.
SOON = {"Gjkd-Timeout-Ms": "1000"}


@pytest.fixture
def hanging(failing):
    """A daemon with a set, whose disk does not answer any more; it answers at the test's end."""
    daemon = failing("--pose-checkpoint", "30m")
    daemon.store("a", scene({"x": BOX}))
    daemon.store("ticking", scene({"x": BOX}, history={"ticks": 4}))
    failing.say("hang")
    yield daemon
    failing.say("")


def test_writes_are_answered_at_their_deadline_and_reads_go_on(failing, hanging):
    before = everything(hanging)
    calls = [("PUT", "/v1/sets/new", scene({})), ("PUT", "/v1/sets/a/shapes/y", BOX),
             ("PATCH", "/v1/sets/a", {"meta": {}}), ("DELETE", "/v1/sets/a", None),
             ("PUT", "/v1/sets/ticking/ticks/1", {"shapes": {"x": {"position": [1, 1]}}}),
             ("POST", "/v1/sets/ticking/ticks/2", {"shapes": {}, "queries": []})]
    for method, path, body in calls:
        begun = time.monotonic()
        check_unknown(hanging.call(method, path, json=body, headers=SOON))
        assert 0.9 < time.monotonic() - begun < 10, (method, path)
    assert everything(hanging) == before
    failing.say("")
    assert eventually(lambda: hanging.get("/v1/sets/a").status_code == 404), "all were stored"
    assert list(everything(hanging)) == ["new", "ticking"]
    assert hanging.get("/v1/sets/ticking").json()["tick"] == 2
    made = hanging.put("/v1/sets/new/shapes/z", BOX)
    tag = hanging.get("/v1/sets/new").headers["ETag"]
    kill(hanging)
    again = failing()
    assert everything(again)["new"][0] == tag
    assert again.get("/v1/sets/new/shapes/z").headers["ETag"] == made.headers["ETag"]
    again.stop()


def test_it_is_told_in_readyz_metrics_and_log(failing, hanging):
    assert hanging.get("/readyz").json() == {"status": "ok"}
    assert metric(hanging, "gjkd_store_oldest_wait_seconds") == 0
    check_unknown(hanging.put("/v1/sets/a/shapes/y", BOX, headers=SOON))
    assert metric(hanging, "gjkd_store_oldest_wait_seconds") >= 0.9
    assert eventually(lambda: hanging.get("/readyz").json()["status"] == "degraded", 30)
    reply = hanging.get("/readyz")
    assert reply.status_code == 200 and hanging.get("/livez").status_code == 200
    words = reply.json()["detail"].split()
    assert " ".join(words[:6]) == "the disk has not answered for" and words[7:] == ["s"]
    assert 5 <= int(words[6]) <= metric(hanging, "gjkd_store_oldest_wait_seconds") < 60
    assert metric(hanging, "gjkd_ready") == 1
    assert eventually(lambda: b"the disk of --data-dir has not answered for" in hanging.stderr())
    failing.say("")
    assert eventually(lambda: hanging.get("/readyz").json() == {"status": "ok"})
    assert eventually(lambda: b"the disk answers again" in hanging.stderr())
    assert "y" in hanging.get("/v1/sets/a").json()["shapes"]
    hanging.stop()


def test_ticks_that_nobody_writes_are_told_too(failing, open_store):
    """The checkpoint of ticks hangs, while no write waits."""
    gjkd = failing("--pose-checkpoint", "100ms")
    gjkd.store("t", scene({"x": BOX}, history={"ticks": 4}))
    gjkd.put("/v1/sets/t/ticks/1", {"shapes": {"x": {"position": [1, 1]}}})
    time.sleep(0.5)
    failing.say("hang")
    reply = gjkd.put("/v1/sets/t/ticks/2", {"shapes": {"x": {"position": [2, 2]}}})
    assert reply.status_code == 201 and reply.headers["Gjkd-Durability"] == "memory"
    assert eventually(lambda: gjkd.get("/readyz").json()["status"] == "degraded", 30)
    failing.say("")
    assert eventually(lambda: gjkd.get("/readyz").json() == {"status": "ok"})
    gjkd.stop()


def test_a_look_at_the_file_may_hang_too(failing):
    daemon = failing("--pose-checkpoint", "30m")
    daemon.store("a", scene({"x": BOX}))
    failing.say("stat")
    assert eventually(lambda: daemon.get("/readyz").json()["status"] == "degraded", 30)
    assert "has not answered" in daemon.get("/readyz").json()["detail"]
    assert daemon.get("/v1/sets/a").status_code == 200
    failing.say("")
    assert eventually(lambda: daemon.get("/readyz").json() == {"status": "ok"})
    assert daemon.put("/v1/sets/b", scene({})).headers["Gjkd-Durability"] == "disk"


def test_many_writes_hold_nothing_that_reads_need(failing):
    """More writes than threads and connections of a client, most of whose clients have left."""
    gjkd = failing("--request-timeout", "60s", "--workers", "2", "--max-memory", "64M",
                   "--max-connections-per-address", "200")
    gjkd.store("a", scene({"x": BOX}))
    shapes = {f"s{i}": BOX | {"meta": "m" * 2000} for i in range(250)}
    failing.say("hang")

    def write(i):
        with gjkd.new_session() as session:
            path = f"/v1/sets/a/shapes/s{i}" if i % 2 else f"/v1/sets/w{i}"
            body = BOX if i % 2 else scene(shapes if i % 40 == 0 else {})
            return gjkd.call("PUT", path, json=body, session=session,
                             headers={"Gjkd-Timeout-Ms": "500"}).status_code

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        assert set(pool.map(write, range(240))) == {504}
    left = [socket.create_connection((gjkd.host, gjkd.port), 10) for _ in range(100)]
    for i, one in enumerate(left):
        body = json.dumps(BOX).encode()
        one.sendall(f"PUT /v1/sets/a/shapes/l{i} HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                    f"application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
    assert eventually(lambda: metric(gjkd, "gjkd_store_changes_waiting") >= 340)
    for one in left:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        one.close()  # with a reset
    assert eventually(lambda: metric(gjkd, "gjkd_http_connections") < 20, 20), "they are let go"
    for _ in range(20):
        assert gjkd.get("/livez").status_code == 200
        assert list(gjkd.get("/v1/sets/a").json()["shapes"]) == ["x"]
        assert gjkd.ask("/v1/sets/a/detect", {})["pairs"] == []
        assert gjkd.ask("/v1/batch", {"queries": []}) is not None
    failing.say("")
    assert eventually(lambda: metric(gjkd, "gjkd_store_changes_waiting") == 0, 60)
    assert len(gjkd.get("/v1/sets/a").json()["shapes"]) == 1 + 120 + 100
    gjkd.stop()


def test_calls_of_a_stream_are_answered_too(failing, hanging):
    with WebSocket(hanging) as ws:
        check_stream(ws, failing, hanging)


def check_stream(ws, failing, hanging):
    ws.call(1, "PUT", "/v1/sets/a/shapes/y", BOX, headers=SOON)
    ws.call(2, "GET", "/v1/sets/ticking")
    assert ws.answer()["status"] == 200, "what is asked of another set waits for no write"
    first = ws.answer()
    assert (first["id"], first["status"]) == (1, 504), first
    assert "compare its ETag" in first["body"]["detail"]
    ws.call(2, "GET", "/v1/sets/a")
    assert list(ws.answer()["body"]["shapes"]) == ["x"]
    ws.call(3, "PUT", "/v1/sets/a/shapes/z", BOX)
    assert eventually(lambda: metric(hanging, "gjkd_store_changes_waiting") == 2)
    ws.socket.close()  # and nobody waits for the third
    assert hanging.get("/livez").status_code == 200
    failing.say("")
    assert eventually(lambda: len(hanging.get("/v1/sets/a").json()["shapes"]) == 3)
    hanging.stop()


def test_late_writes_give_their_memory_back_once(failing):
    """Large ones, over a stream and without, whose requests are answered before their store is. They have
    time enough to come as far as the disk on a busy machine."""
    daemon = failing("--max-memory", "64M")
    points = [[i % 300, i // 300, i % 7] for i in range(30000)]
    body = {"dimension": 3, "shapes": {"p": {"type": "hull", "points": points}}}

    def held():
        return metric(daemon, "gjkd_memory_bytes") - metric(daemon, "gjkd_set_bytes")

    assert daemon.put("/v1/sets/a", body).status_code == 201
    at_rest = held()
    late = {"Gjkd-Timeout-Ms": "5000"}
    failing.say("hang")
    with WebSocket(daemon) as ws:
        ws.call(1, "PUT", "/v1/sets/b", body, headers=late)
        check_unknown(daemon.put("/v1/sets/c", body, headers=late))
        assert ws.answer()["status"] == 504
    failing.say("")
    assert eventually(lambda: daemon.get("/v1/sets/c").status_code == 200)
    assert eventually(lambda: abs(held() - at_rest) < 200_000), (held(), at_rest)
    assert b"level=error" not in daemon.stderr()
    daemon.stop()


def test_a_daemon_whose_disk_hangs_can_be_stopped(failing):
    """Every request was answered, so that the end is as after any drain that takes too long."""
    gjkd = failing("--drain-timeout", "2s")
    gjkd.store("a", scene({"x": BOX}))
    failing.say("hang")
    check_unknown(gjkd.put("/v1/sets/a/shapes/y", BOX, headers=SOON))
    gjkd.signal(signal.SIGTERM)
    assert gjkd.wait(30) == 0
    assert "leaving work that nobody waits for" in gjkd.stderr().decode()
    gjkd.close()


def test_a_last_checkpoint_that_hangs_does_not_hold_the_end_up(failing):
    gjkd = failing("--pose-checkpoint", "30m", "--drain-timeout", "2s")
    gjkd.store("a", scene({"x": BOX}, history={"ticks": 4}))
    for tick in range(1, 4):
        gjkd.put(f"/v1/sets/a/ticks/{tick}", {"shapes": {"x": {"position": [tick, 0]}}})
    failing.say("hang")
    gjkd.signal(signal.SIGTERM)
    assert gjkd.wait(30) == 1
    assert "the disk does not answer" in gjkd.stderr().decode()
    gjkd.close()


def test_a_reload_does_not_wait_for_it(failing, tmp_path):
    (tmp_path / "more.json").write_text(json.dumps(scene({})))
    gjkd = failing("--load", str(tmp_path / "more.json"))
    failing.say("hang")
    check_unknown(gjkd.put("/v1/sets/a", scene({}), headers=SOON))
    assert eventually(lambda: gjkd.get("/readyz").json()["status"] == "degraded", 30)
    gjkd.process.send_signal(signal.SIGHUP)
    assert eventually(lambda: b"SIGHUP: nothing is loaded" in gjkd.stderr())
    failing.say("")
    assert eventually(lambda: gjkd.get("/v1/sets/a").status_code == 200)
    gjkd.stop()


# --- A file that is taken away ---

def take_away(folder, how):
    """Deletes or moves what the daemon has open. Returns how to undo it, or None."""
    file, log, away = folder / "sets.db", folder / "sets.db-wal", folder.parent / "away"
    if how == "deleted":
        file.unlink()
    elif how == "log deleted":
        log.unlink()
    elif how == "replaced":
        shutil.copy(file, folder / "other")
        (folder / "other").rename(file)
    elif how == "moved":
        file.rename(away)
        return lambda: away.rename(file)
    elif how == "folder moved":
        folder.rename(away)
        return lambda: away.rename(folder)
    return None


@pytest.mark.parametrize("how", ["deleted", "log deleted", "replaced", "moved", "folder moved"])
def test_writes_to_a_file_that_is_gone_are_not_promised(open_store, tmp_path, how):
    gjkd = open_store(tmp_path / "data", "--pose-checkpoint", "200ms")
    gjkd.store("a", scene({"x": BOX}, history={"ticks": 4}))
    assert gjkd.put("/v1/sets/a/ticks/1", {"shapes": {}}).status_code == 201
    before = everything(gjkd)
    undo = take_away(tmp_path / "data", how)
    for reply in (gjkd.put("/v1/sets/a/shapes/y", BOX), gjkd.put("/v1/sets/b", scene({})),
                  gjkd.call("DELETE", "/v1/sets/a")):
        assert reply.status_code == 507 and reply.json()["code"] == "not-stored", reply.text
        assert "Gjkd-Durability" not in reply.headers
    assert everything(gjkd) == before
    ready = gjkd.get("/readyz")
    assert ready.status_code == 200 and ready.json()["status"] == "degraded"
    assert "deleted or moved" in ready.json()["detail"]
    assert b"was deleted or moved: put it back" in gjkd.stderr()
    if undo is None:
        gjkd.stop()
        return
    undo()
    assert gjkd.put("/v1/sets/a/shapes/y", BOX).headers["Gjkd-Durability"] == "disk"
    assert eventually(lambda: gjkd.get("/readyz").json() == {"status": "ok"})
    after = everything(gjkd)
    kill(gjkd)
    gjkd = open_store(tmp_path / "data")
    assert everything(gjkd)["a"][1]["shapes"] == after["a"][1]["shapes"]
    gjkd.stop()


def test_it_is_told_before_anybody_writes(open_store, tmp_path):
    gjkd = open_store(tmp_path, "--pose-checkpoint", "30m")
    gjkd.store("a", scene({}))
    (tmp_path / "sets.db").unlink()
    assert eventually(lambda: gjkd.get("/readyz").json()["status"] == "degraded")
    assert gjkd.get("/v1/sets/a").status_code == 200
    gjkd.stop()


def test_another_file_at_its_place_is_left_alone(open_store, tmp_path):
    """The end of the daemon whose file was taken away does not remove the log of the one there now."""
    gjkd = open_store(tmp_path / "data")
    gjkd.store("a", scene({"x": BOX}))
    (tmp_path / "data").rename(tmp_path / "away")
    other = open_store(tmp_path / "data")
    other.store("b", scene({"x": BOX}))
    kill(other)
    log = (tmp_path / "data" / "sets.db-wal").read_bytes()
    gjkd.stop()
    assert log and (tmp_path / "data" / "sets.db-wal").read_bytes() == log
    other = open_store(tmp_path / "data")
    assert list(everything(other)) == ["b"]
    other.stop()
