"""Ticks that only move shapes, told beside the log: the same on all nodes that hear of them, and never made up
on one that does not."""

import itertools
import shutil
import struct
import time

import pytest

import nats_filter
from daemon import Daemon
from messages import TYPE, gjkd as pb
from test_cluster import CIRCLE, NODES, SET, cluster, engine, join, metric, revision_of, seen  # noqa: F401
from test_cluster import put_back, same_everywhere
from wire import eventually

KEPT = SET | {"history": {"ticks": 64}}
SLOW = ("--pose-checkpoint", "30m")  # no tick goes through the log because time has passed


@pytest.fixture
def filtered(engine):  # noqa: F811
    made = nats_filter.Filter(engine.port, "gjkd.test.tick")
    yield made
    made.close()


@pytest.fixture
def lossy(join, filtered):  # noqa: F811
    """Three nodes, of which the last hears of ticks through the filter."""
    nodes = [join(host, *SLOW) for host in NODES[:2]] + [join(NODES[2], *SLOW, "--nats", filtered.url)]
    return nodes


def move(node, name, tick, **poses):
    shapes = {key: {"position": value} for key, value in poses.items()}
    reply = node.put(f"/v1/sets/{name}/ticks/{tick}", {"shapes": shapes})
    assert (reply.status_code, reply.headers["Gjkd-Durability"]) == (201, "memory"), reply.text
    return reply


def shows(node, name, tick):
    """Waits until the node has that tick."""
    def newest():
        reply = node.get(f"/v1/sets/{name}?fields=summary")
        return reply.status_code == 200 and reply.json()["tick"] == tick
    assert eventually(newest), node.get(f"/v1/sets/{name}?fields=summary").text


def begin(nodes, name="t", body=KEPT):
    """A set whose first tick, which goes through the log, is everywhere."""
    made = nodes[0].put(f"/v1/sets/{name}", body)
    first = move(nodes[0], name, 1, a=[1, 0])
    for node in nodes:
        seen(node, f"/v1/sets/{name}", revision_of(made))
        shows(node, name, 1)
    return first


def at(node, name, path, body, tick):
    return node.call("POST", f"/v1/sets/{name}/{path}", json=body | {"at": {"tick": tick}}).json()


def history(node, name, ticks):
    return [node.get(f"/v1/sets/{name}/ticks/{tick}").content for tick in ticks]


def test_ticks_are_told_beside_the_log(cluster):  # noqa: F811
    begin(cluster)
    revision = metric(cluster[0], "gjkd_cluster_published_total")
    for tick in range(2, 31):
        move(cluster[0], "t", tick, a=[tick, 0.1], **({"b": [0, tick]} if tick % 3 == 0 else {}))
    for node in cluster:
        shows(node, "t", 30)
    assert metric(cluster[0], "gjkd_cluster_published_total") - revision <= 1, "but for a checkpoint"
    assert eventually(lambda: metric(cluster[0], "gjkd_cluster_ticks_published_total") >= 28)
    for node in cluster[1:]:
        assert metric(node, "gjkd_cluster_ticks_received_total") >= 28
        assert metric(node, "gjkd_cluster_tick_gaps_total") == 0
    same_everywhere(cluster, "t", 1)
    ticks = [1, 1.5, 2, 2.25, 5.5, 17.75, 30]
    assert history(cluster[1], "t", ticks) == history(cluster[0], "t", ticks) == history(cluster[2], "t", ticks)
    assert "pose_gap" not in cluster[1].get("/v1/sets/t/ticks").json()


def test_column_ticks_of_many_shapes_are_equal_everywhere(join):  # noqa: F811
    nodes = [join(host, *SLOW) for host in NODES]
    shapes = {f"s{i:04}": {"type": "sphere", "radius": 1 + i / 7, "position": [i, 0, 0]} for i in range(1280)}
    nodes[0].store("many", {"dimension": 3, "shapes": shapes, "history": {"ticks": 8}})
    handles = [each["handle"] for each in nodes[0].get("/v1/sets/many").json()["shapes"].values()]
    url = nodes[0].url + "/v1/sets/many/ticks/"
    for tick in range(1, 25):
        moved = [h for h in handles if tick % 2 or h % 3]
        body = pb.PoseColumns(dimension=3, handle=moved,
                              position=[x for h in moved for x in (h + tick / 3, tick, -h)],
                              rotation=[x for h in moved for x in (0, 0, 0.6, 0.8)])
        reply = nodes[0].session.put(url + str(tick), data=body.SerializeToString(),
                                     headers={"Content-Type": TYPE})
        assert reply.status_code == 201, reply.text
    for node in nodes:
        shows(node, "many", 24)
    same_everywhere(nodes, "many", 1)
    for tick in (17, 18.5, 20.3, 24):
        assert len({node.get(f"/v1/sets/many/ticks/{tick}").content for node in nodes}) == 1


def test_ticks_of_many_shapes_hardly_wait_for_the_log(join, engine):  # noqa: F811
    """Whose poses are put into it in parts, beside them: here no part comes to it. A tick waits until the node leaves
    off, after 250 ms, not for the second that the log has to answer. A busy machine may hold it up in some rounds."""
    log = nats_filter.Filter(engine.port, "none")
    node = join(NODES[0], "--pose-checkpoint", "100ms", "--nats", log.url)
    shapes = {f"s{i:05}": {"type": "sphere", "radius": 1, "position": [i, 0, 0]} for i in range(10_000)}
    node.store("many", {"dimension": 3, "shapes": shapes, "history": {"ticks": 2}})
    handles = [each["handle"] for each in node.get("/v1/sets/many").json()["shapes"].values()]
    ticks = itertools.count(1)

    def tick(count):
        number = next(ticks)
        body = pb.PoseColumns(dimension=3, handle=handles[:count], position=[number] * 3 * count).SerializeToString()
        reply = node.session.put(f"{node.url}/v1/sets/many/ticks/{number}", data=body, headers={"Content-Type": TYPE})
        assert reply.status_code == 201, reply.text

    def wait_s():
        """From the time at which a part was sent until a tick is answered that was put then."""
        log.muted_at, log.mutes = None, b"gjkd.test.log.p."
        tick(10_000)
        assert eventually(lambda: log.muted_at)
        tick(1)
        return time.monotonic() - log.muted_at
    tick(1)  # the first of a node goes through the log
    waits = [wait_s()]
    while waits[-1] >= 0.6 and len(waits) < 8:
        waits.append(wait_s())
    assert waits[-1] < 0.6, waits
    published, log.mutes = metric(node, "gjkd_cluster_published_total"), None
    assert eventually(lambda: metric(node, "gjkd_cluster_published_total") > published), "the set is put at last"
    node.stop()
    log.close()


def test_a_node_ends_while_ticks_wait_for_the_log(join, engine):  # noqa: F811
    """They are messages of cnats, which must not be freed after it."""
    log = nats_filter.Filter(engine.port, "gjkd.test.log.")
    nodes = [join(NODES[0], *SLOW), join(NODES[1], *SLOW), join(NODES[2], *SLOW, "--nats", log.url)]
    begin(nodes)

    def write_and_tick():
        assert nodes[0].call("PATCH", "/v1/sets/t", json={"meta": 1}).status_code == 200
        for tick in range(2, 9):
            move(nodes[0], "t", tick, a=[tick, 0])
    log.hold(1, write_and_tick)
    shows(nodes[1], "t", 8)
    nodes[2].stop()
    log.close()


def test_a_lost_tick_is_a_gap_in_every_answer_that_needs_it(lossy, filtered):
    begin(lossy)
    owner, other, lacking = lossy
    move(owner, "t", 2, a=[2, 0])
    shows(lacking, "t", 2)
    filtered.lose(2, lambda: [move(owner, "t", tick, a=[tick, 0], b=[tick, 9]) for tick in (3, 4)])
    for tick in (5, 6):
        move(owner, "t", tick, a=[tick, 0])
    for node in lossy:
        shows(node, "t", 6)
    assert metric(lacking, "gjkd_cluster_tick_gaps_total") == 1
    newest = [node.get("/v1/sets/t").json() for node in lossy]
    assert newest[0]["shapes"] == newest[2]["shapes"], "one message brings all that was missed"
    assert newest[0] == newest[1] and newest[2]["ticks"]["pose_gap"] is True
    assert lossy[0].get("/v1/sets/t").headers["ETag"] == lacking.get("/v1/sets/t").headers["ETag"]
    for tick in (2.5, 3, 3.5, 4, 4.75):
        poses = lacking.get(f"/v1/sets/t/ticks/{tick}").json()
        assert poses["pose_gap"] is True and poses["shapes"]["a"]["position"] == [2, 0], "nothing moves"
        assert at(lacking, "t", "detect", {"a": "a", "b": "b"}, tick)["pose_gap"] is True
        assert at(other, "t", "detect", {"a": "a", "b": "b"}, tick).get("pose_gap") is None
    for tick in (1.5, 2, 5, 5.5, 6):
        assert history(lacking, "t", [tick]) == history(owner, "t", [tick])
        assert "pose_gap" not in at(lacking, "t", "distance", {"a": "a", "b": "b"}, tick)


def test_every_kind_of_question_tells_of_a_gap(lossy, filtered):
    begin(lossy)
    lossy[0].store("wall", SET | {"history": {"ticks": 8}})
    filtered.lose(1, lambda: move(lossy[0], "t", 2, a=[2, 0]))
    move(lossy[0], "t", 3, a=[3, 0])
    lacking = lossy[2]
    shows(lacking, "t", 3)
    seen(lacking, "/v1/sets/wall", revision_of(lossy[0].put("/v1/sets/wall", KEPT)))
    move(lossy[0], "wall", 2, a=[9, 9])
    shows(lacking, "wall", 2)
    ray = {"origin": [-5, 0], "direction": [1, 0]}
    questions = {
        "detect": [{"a": "a", "b": "b"}, {"a": "a"}, {}, {"against": "t"}],
        "distance": [{"a": "a", "b": "b"}, {"a": "a", "limit": 2}],
        "raycast": [ray, ray | {"mode": "any"}, ray | {"mode": "all"}, ray | {"target": "b"}],
        "cast": [{"shape": "a", "translation": [1, 0]}],
        "hit": [{"ray": ray}],
        "configurations": [{"shapes": ["a"], "poses": [[{"position": [4, 4]}]]}],
        "batch": [{"queries": [{"op": "raycast", **ray}]}],
    }
    for path, bodies in questions.items():
        for body in bodies:
            assert at(lacking, "t", path, body, 2)["pose_gap"] is True, (path, body)
            assert "pose_gap" not in at(lossy[0], "t", path, body, 2), (path, body)
            assert "pose_gap" not in at(lacking, "t", path, body, 3), (path, body)
    mixed = lacking.ask("/v1/sets/t/batch", {"queries": [
        {"op": "raycast", **ray, "at": {"tick": 1}}, {"op": "raycast", **ray, "at": {"tick": 2.5}}]})
    assert ["pose_gap" in each for each in mixed["results"]] == [False, True] and "pose_gap" not in mixed
    other = {"against": "t", "against_at": {"tick": 2.5}}
    assert lacking.ask("/v1/sets/wall/detect", other)["pose_gap"] is True
    shot = {"ray": ray, "policy": {"obstacles": {"set": "t", "at": "shot"}}}
    assert at(lacking, "wall", "hit", shot, 2)["pose_gap"] is True


def test_columns_tell_of_gaps_row_by_row(lossy, filtered):
    begin(lossy)
    filtered.lose(1, lambda: move(lossy[0], "t", 2, a=[2, 0]))
    move(lossy[0], "t", 3, a=[3, 0])
    shows(lossy[2], "t", 3)
    handle = lossy[0].get("/v1/sets/t/shapes/a").json()["handle"]
    ticks = [1, 1.5, 2, 3]
    rays = {"dimension": 2, "origin": [-5, 0] * 4, "direction": [1, 0] * 4}
    pair = {"dimension": 2, "a": [handle] * 4, "b": [handle] * 4}
    sweep = {"dimension": 2, "shape": [handle], "translation": [1, 0] * 4}
    forms = [("raycast", pb.RaycastColumns, pb.RaycastAnswers, rays),
             ("distance", pb.PairColumns, pb.PairAnswers, pair),
             ("cast", pb.CastColumns, pb.CastAnswers, sweep),
             ("hit", pb.HitColumns, pb.HitAnswers, rays | {"shooter_of": [handle]})]
    for path, question, answer, body in forms:
        def gaps(node, at_tick):
            message = question(**body, at_tick=at_tick).SerializeToString()
            reply = node.session.post(node.url + f"/v1/sets/t/{path}", data=message,
                                      headers={"Content-Type": TYPE})
            assert reply.status_code == 200, reply.text
            return list(answer.FromString(reply.content).pose_gap)
        assert gaps(lossy[2], ticks) == [0, 1, 1, 0], path
        assert gaps(lossy[2], [2]) == [1, 1, 1, 1], path
        assert gaps(lossy[2], [3]) == gaps(lossy[0], ticks) == [], path
    one = lossy[2].session.post(lossy[2].url + "/v1/sets/t/distance", json={"a": "a", "b": "b", "at": {"tick": 2}},
                                headers={"Accept": TYPE})
    assert list(pb.PairAnswers.FromString(one.content).pose_gap) == [1]


def test_a_tick_waits_for_the_log_that_it_stands_upon(lossy, filtered):
    begin(lossy)
    filtered.hold(3, lambda: [move(lossy[0], "t", tick, a=[tick, 0]) for tick in (2, 3, 4)])
    assert lossy[2].get("/v1/sets/t?fields=summary").json()["tick"] == 1
    filtered.release()
    shows(lossy[2], "t", 4)
    assert metric(lossy[2], "gjkd_cluster_tick_gaps_total") == 0
    assert history(lossy[2], "t", [1.5, 2, 3.5]) == history(lossy[0], "t", [1.5, 2, 3.5])


def test_a_write_brings_the_ticks_that_a_node_lacks_and_the_late_ones_are_dropped(lossy, filtered):
    begin(lossy)
    filtered.hold(2, lambda: [move(lossy[0], "t", tick, a=[tick, 0]) for tick in (2, 3)])
    written = lossy[0].call("PATCH", "/v1/sets/t", json={"shapes": {"c": CIRCLE}})
    assert written.headers["Gjkd-Durability"] == "quorum"
    seen(lossy[2], "/v1/sets/t", revision_of(written))
    shows(lossy[2], "t", 3)
    filtered.release()
    assert eventually(lambda: metric(lossy[2], "gjkd_cluster_ticks_dropped_total") == 2)
    sets = [node.get("/v1/sets/t") for node in lossy]
    assert len({reply.headers["ETag"] for reply in sets}) == 1
    assert sets[0].json()["shapes"] == sets[2].json()["shapes"]
    assert lossy[2].get("/v1/sets/t/ticks/2").json()["pose_gap"] is True
    assert history(lossy[2], "t", [3]) == history(lossy[0], "t", [3]), "the newest came with the write"
    last = move(lossy[0], "t", 4, a=[4, 0])
    assert revision_of(last) == revision_of(written)
    for node in lossy:
        shows(node, "t", 4)
    assert len({reply.content for reply in (node.get("/v1/sets/t/shapes/a") for node in lossy)}) == 1


def test_a_write_of_a_node_that_lags_behind_keeps_newer_poses(lossy, filtered):
    begin(lossy)
    filtered.hold(2, lambda: [move(lossy[0], "t", tick, a=[tick, 0], b=[tick, 1]) for tick in (2, 3)])
    shows(lossy[1], "t", 3)
    written = lossy[2].call("PATCH", "/v1/sets/t", json={"shapes": {"b": {"position": [0, 7]}, "c": CIRCLE}})
    assert written.status_code == 200
    seen(lossy[0], "/v1/sets/t", revision_of(written))
    found = lossy[0].get("/v1/sets/t").json()
    assert found["shapes"]["a"]["position"] == [3, 0], "a later pose than the writer knew"
    assert found["shapes"]["b"]["position"] == [0, 7] and "c" in found["shapes"]
    filtered.release()
    assert eventually(lambda: metric(lossy[2], "gjkd_cluster_ticks_dropped_total") == 2)
    move(lossy[0], "t", 4, a=[4, 0])
    for node in lossy:
        shows(node, "t", 4)
    shapes = [node.get("/v1/sets/t").json()["shapes"] for node in lossy]
    assert shapes[0] == shapes[1] == shapes[2] and shapes[2]["a"]["position"] == [4, 0]
    assert lossy[2].get("/v1/sets/t/ticks/2.5").json()["pose_gap"] is True
    assert history(lossy[0], "t", [1.5, 2, 3]) == history(lossy[1], "t", [1.5, 2, 3])


def take_over(node, name, tick, **poses):
    """Ticks a set on another node, as soon as the one before has not for so long."""
    shapes = {key: {"position": value} for key, value in poses.items()}
    assert eventually(lambda: node.put(f"/v1/sets/{name}/ticks/{tick}",
                                       {"shapes": shapes}).status_code == 201, within=20)


def test_one_node_ticks_a_set_until_it_has_been_silent(lossy):
    begin(lossy)
    for turn, (holder, other) in enumerate([(0, 2), (2, 1)]):
        body = {"shapes": {"a": {"position": [turn, 5]}}}
        for n in range(2):
            refused = lossy[other].put("/v1/sets/t/ticks/1000", body)
            assert (refused.status_code, refused.json()["code"]) == (409, "tick-conflict")
            assert f"node-{holder} ticks the set" in refused.json()["detail"]
            move(lossy[holder], "t", 10 * turn + 2 + n, a=[turn, n])
        take_over(lossy[other], "t", 10 * turn + 10, a=[turn, 9])
        for node in lossy:
            shows(node, "t", 10 * turn + 10)
    assert len({node.get("/v1/sets/t").content for node in lossy}) == 1


def test_a_tick_that_the_next_owner_lacked_is_gone_on_all_nodes(lossy, filtered):
    begin(lossy)
    filtered.hold(1, lambda: move(lossy[0], "t", 2, a=[2, 0]))
    take_over(lossy[2], "t", 3, a=[3, 0])  # it has not heard of the other's
    for node in lossy:
        shows(node, "t", 3)
    filtered.release()
    assert eventually(lambda: metric(lossy[2], "gjkd_cluster_ticks_dropped_total") == 1)
    assert len({node.get("/v1/sets/t").content for node in lossy}) == 1
    assert len({node.get("/v1/sets/t/ticks").content for node in lossy}) == 1
    for node in lossy:
        assert node.get("/v1/sets/t/ticks/2").json().get("pose_gap") is True


def test_a_repeated_tick_is_known_on_all_nodes(lossy):
    begin(lossy)
    move(lossy[0], "t", 2, a=[2, 0])
    for node in lossy:
        shows(node, "t", 2)
        for tick in (1, 2):
            reply = node.put(f"/v1/sets/t/ticks/{tick}", {"shapes": {"a": {"position": [tick, 0]}}})
            assert reply.status_code == 200, reply.text


def test_an_etag_with_a_tick_counts_on_a_node_that_has_not_heard_of_it(lossy, filtered):
    begin(lossy)
    filtered.hold(1, lambda: move(lossy[0], "t", 2, a=[2, 0]))
    tag = lossy[0].get("/v1/sets/t").headers["ETag"]
    assert tag.endswith('-2"')
    filtered.release()
    reply = lossy[2].call("PATCH", "/v1/sets/t", json={"meta": 1}, headers={"If-Match": tag})
    assert reply.status_code == 200, reply.text


def test_what_was_told_last_comes_into_the_log(join, filtered):  # noqa: F811
    nodes = [join(NODES[0], "--pose-checkpoint", "100ms"), join(NODES[1], "--nats", filtered.url)]
    made = nodes[0].put("/v1/sets/t", KEPT)
    filtered.lose(0, lambda: None)
    filtered.loses = True
    for tick in range(1, 9):
        move(nodes[0], "t", tick, a=[tick, 0])
    shows(nodes[1], "t", 8)
    late = join(NODES[2])
    shows(late, "t", 8)
    for node in (nodes[1], late):
        assert node.get("/v1/sets/t/shapes/a").json()["position"] == [8, 0]
        assert revision_of(node.get("/v1/sets/t")) == revision_of(made)


def test_a_checkpoint_is_no_event(join):  # noqa: F811
    nodes = [join(host, "--pose-checkpoint", "100ms") for host in NODES[:2]]
    begin(nodes)
    with Daemon.new_session() as session:
        reply = session.get(nodes[1].url + "/v1/sets/t/events?kinds=change", stream=True, timeout=60)
        lines = reply.iter_lines()
        assert next(line for line in lines if line.startswith(b"id: "))
        for tick in (2, 3):
            before = metric(nodes[1], "gjkd_cluster_applied_total")
            move(nodes[0], "t", tick, a=[tick, 0])
            told = next(line for line in lines if line.startswith(b"data: "))
            assert f'"tick":{tick},'.encode() in told and b'"a":{' in told
            assert eventually(lambda: metric(nodes[1], "gjkd_cluster_applied_total") > before)
        reply.close()


def test_a_tick_that_changes_more_keeps_its_place_among_the_others(lossy):
    begin(lossy)
    for tick in range(2, 20):
        if tick % 4 == 0:
            body = {"shapes": {"a": {"position": [tick, 0]}, f"new{tick}": CIRCLE}}
            reply = lossy[0].put(f"/v1/sets/t/ticks/{tick}", body)
            assert (reply.status_code, reply.headers["Gjkd-Durability"]) == (201, "quorum")
        else:
            move(lossy[0], "t", tick, a=[tick, 0])
    for node in lossy:
        shows(node, "t", 19)
    ticks = [tick / 2 for tick in range(2, 39)]
    assert history(lossy[0], "t", ticks) == history(lossy[1], "t", ticks) == history(lossy[2], "t", ticks)
    same_everywhere(lossy, "t", revision_of(reply))


def test_a_tick_that_is_too_long_to_be_told_goes_through_the_log(join):  # noqa: F811
    nodes = [join(host, *SLOW) for host in NODES[:2]]
    longest = ((1 << 20) - 4096 - 95) // 39  # rows of a position, behind the head of a set called "n"
    shapes = {f"s{i:05}": {"type": "sphere", "radius": 1} for i in range(longest + 1)}
    nodes[0].store("n", {"dimension": 3, "shapes": shapes, "history": {"ticks": 2}})
    handles = list(range(1, longest + 2))

    def tick(number, count):
        body = pb.PoseColumns(dimension=3, handle=handles[:count],
                              position=[x for i in range(count) for x in (i, number, 0)])
        reply = nodes[0].session.put(f"{nodes[0].url}/v1/sets/n/ticks/{number}", data=body.SerializeToString(),
                                     headers={"Content-Type": TYPE})
        assert (reply.status_code, reply.headers["Gjkd-Durability"]) == (201, "memory"), reply.text
        return metric(nodes[0], "gjkd_cluster_published_total")
    log = [tick(1, 1), tick(2, longest - 1), tick(3, longest), tick(4, longest + 1), tick(5, 1)]
    assert log[0] == log[1] == log[2] == log[3] - 1 == log[4] - 1
    shows(nodes[1], "n", 5)
    assert len({node.get("/v1/sets/n").content for node in nodes}) == 1


def test_what_nobody_understands_is_dropped(engine, lossy, filtered):  # noqa: F811
    import socket
    begin(lossy)
    forged = [b"", b"GJT1", b"x" * 200, struct.pack("<IQI", 0x31544a47, 0, 1 << 31), bytes(65536)]
    with socket.create_connection(("127.0.0.1", engine.port)) as raw:
        raw.sendall(b'CONNECT {"verbose":false}\r\n')
        for body in forged:
            raw.sendall(b"PUB gjkd.test.tick %d\r\n%s\r\n" % (len(body), body))
        raw.sendall(b"PING\r\n")
        while b"PONG" not in raw.recv(65536):
            pass
    for node in lossy:
        assert eventually(lambda: metric(node, "gjkd_cluster_ticks_dropped_total") == len(forged))
    move(lossy[0], "t", 2, a=[2, 0])
    for node in lossy:
        shows(node, "t", 2)


def test_without_the_engine_ticks_go_on_where_they_came_from(engine, cluster):  # noqa: F811
    begin(cluster)
    engine.kill()
    for node in cluster:
        assert eventually(lambda: node.get("/v1").json()["cluster"]["state"] == "degraded")
    body = {"shapes": {"a": {"position": [2, 0]}}}
    refused = cluster[1].put("/v1/sets/t/ticks/2", body)
    assert (refused.status_code, refused.json()["code"]) == (409, "tick-conflict"), refused.text
    for tick in range(2, 40):
        move(cluster[0], "t", tick, a=[tick, 0])
    more = cluster[0].put("/v1/sets/t/ticks/40", {"shapes": {"new": {"type": "circle", "radius": 1}}})
    assert (more.status_code, more.json()["code"]) == (503, "not-ready"), "only what moves shapes"
    engine.start()
    assert eventually(lambda: cluster[0].get("/v1").json()["cluster"]["state"] == "ready", within=30)
    move(cluster[0], "t", 41, a=[41, 0])
    for node in cluster:
        assert eventually(lambda: node.get("/v1/sets/t").json()["tick"] == 41, within=30)
        assert node.get("/v1/sets/t").json()["shapes"]["a"]["position"] == [41, 0]


def try_tick(node, tick, **poses):
    body = {"shapes": {key: {"position": value} for key, value in poses.items()}}
    assert eventually(lambda: node.put(f"/v1/sets/t/ticks/{tick}", body).status_code in (200, 201), within=30)


def test_ticks_upon_a_log_that_lost_its_end_are_let_go_with_it(engine, join, tmp_path):  # noqa: F811
    """A tick names a place of the log. A log that goes on otherwise has another change of the set there."""
    old = join(NODES[0], *SLOW)
    old.put("/v1/sets/t", KEPT)
    engine.kill()
    shutil.copytree(engine.folder, tmp_path / "copy")
    engine.start()
    for tick in range(1, 4):
        try_tick(old, tick, a=[tick, 0])
    put_back(engine, tmp_path / "copy")
    new = join(NODES[1], *SLOW)
    for i in range(5):  # so that its log is the longer one
        assert eventually(lambda: new.call("PATCH", "/v1/sets/t", json={"meta": i}).status_code == 200, within=30)
    try_tick(new, 1, b=[7, 0])
    assert eventually(lambda: old.get("/v1/sets/t").content == new.get("/v1/sets/t").content, within=60)
    assert old.get("/v1/sets/t").json()["ticks"]["newest"] == 1
    ticks = itertools.count(2)

    def come_from(node):
        """Where the servers have been away, a tick may be lost on its way: the next one makes up for it."""
        tick = next(ticks)
        try_tick(node, tick, a=[tick, 1])
        return eventually(lambda: {each.get("/v1/sets/t?fields=summary").json()["tick"] for each in (old, new)} == {tick},
                          within=1)
    for node in (new, old):
        assert eventually(lambda: come_from(node), within=30)
    assert old.get("/v1/sets/t").json()["shapes"] == new.get("/v1/sets/t").json()["shapes"]
