"""What is acknowledged stays, whatever is killed, stopped or cut off, and reads go on."""

import contextlib
import itertools
import json
import os
import random
import shutil
import time

import pytest

from nodes import CLUSTER, why_no_clock
from traffic import Traffic, judge
from wire import eventually

FULL = bool(os.environ.get("GJKD_FULL"))
ROUNDS = 4 if FULL else 1
HOUR_S, MINUTE_S = 3600, 60
CUT_S = 14
HEALED_S = 15  # after which writes go on, where no more waits for a processor than can run
names = (f"fault{i}" for i in itertools.count())
full_only = pytest.mark.skipif(not FULL, reason="takes longer: only with --full")


def more(traffic, count=10):
    """Waits until so many more writes have been acknowledged."""
    target = traffic.acked() + count
    assert eventually(lambda: traffic.acked() >= target, 120), "writes do not go on"


def goes_on(traffic):
    """Writes go on after all that was broken is whole again, and how soon, without a person."""
    healed = time.monotonic()
    more(traffic, 1)
    took = time.monotonic() - healed
    assert took < HEALED_S * max(1, os.getloadavg()[0] / os.cpu_count()), took
    return took


def leader(cluster):
    """The machine whose server leads the stream of the cluster."""
    stream = f"gjkd_{CLUSTER}"
    assert eventually(lambda: cluster.engine.streams().get(stream, -1) >= 0, 60)
    return stream, cluster.engine.streams()[stream]


def test_a_node_dies(cluster):
    traffic = Traffic(cluster, next(names), stay=(0, 1))
    for _ in range(ROUNDS):
        more(traffic)
        cluster.nodes[2].kill()
        more(traffic)
        cluster.nodes[2].start()
        cluster.wait()
    more(traffic)
    judge(cluster, traffic, 30)


def test_the_leader_of_the_log_dies(cluster):
    traffic = Traffic(cluster, next(names))
    for _ in range(ROUNDS):
        more(traffic)
        _, which = leader(cluster)
        cluster.engine.kill(which)
        more(traffic)
        cluster.engine.start(which)
        cluster.engine.wait()
    judge(cluster, traffic, 20)


def test_without_the_engine_reads_go_on_and_writes_are_refused_at_once(cluster):
    traffic = Traffic(cluster, next(names))
    more(traffic)
    cluster.engine.kill()
    for node in cluster.nodes:
        assert eventually(lambda: node.state() == "degraded", 60)
        status, _, body = node.ask("GET", "/readyz")
        assert status == 200 and "degraded" in body.decode()
        status, headers, body = node.ask("PUT", "/v1/sets/refused", {"dimension": 2})
        assert status == 503 and json.loads(body)["code"] == "not-ready"
        assert "Retry-After" in headers and "Gjkd-Durability" not in headers
    cluster.engine.start()
    cluster.engine.wait()
    more(traffic)
    judge(cluster, traffic, 20)
    assert all(node.ask("GET", "/v1/sets/refused")[0] == 404 for node in cluster.nodes)


def test_an_import_ends_though_the_log_does_not_answer(cluster):
    """It has begun when the servers stop, so that nothing refuses it: each line has the time of a request."""
    for which in range(3):
        cluster.engine.pause(which)
    try:
        with contextlib.closing(cluster.nodes[0].connection(60)) as connection:
            status, _, body = cluster.nodes[0].ask(
                "POST", "/v1/import", '{"name": "begun", "dimension": 2}\n',
                {"Content-Type": "application/x-ndjson", "Gjkd-Timeout-Ms": "2000"}, connection)
    finally:
        for which in range(3):
            cluster.engine.go_on(which)
    told = json.loads(body)
    assert (status, told["code"], told["errors"][0]["pointer"]) == (504, "deadline-exceeded", "/1")
    cluster.engine.wait()


def test_a_node_sleeps(cluster):
    """SIGSTOP of a node while the others write: it catches up when it wakes."""
    traffic = Traffic(cluster, next(names), stay=(0, 1))
    for _ in range(ROUNDS):
        more(traffic)
        cluster.nodes[2].pause()
        time.sleep(3 if FULL else 1)
        cluster.nodes[2].go_on()
    more(traffic)
    judge(cluster, traffic, 20)


def test_the_clock_of_a_node_jumps(alone):
    """By an hour, back and forth, under writes: the time of day decides nothing."""
    if why_no_clock():
        pytest.skip(why_no_clock())
    node = alone.nodes[2]
    node.kill()
    node.give_clock()
    node.start()
    alone.wait()
    traffic = Traffic(alone, next(names))
    for seconds in (HOUR_S, 0, -HOUR_S, HOUR_S, 0) * ROUNDS:
        node.set_clock(seconds)
        assert eventually(lambda: abs(node.time_of_day() - time.time() - seconds) < MINUTE_S), seconds
        more(traffic, 20)
    # Later a node may read the log anew: what it knew of it may be rolled up by then.
    assert not any(each.has_begun_anew() for each in alone.nodes)
    node.set_clock(-HOUR_S)
    _, which = leader(alone)
    alone.engine.kill(which)  # what waits by the time of day would wait for an hour now
    more(traffic)
    alone.engine.start(which)
    alone.engine.wait()
    judge(alone, traffic, 100)


@full_only
def test_a_server_of_the_engine_sleeps(cluster):
    traffic = Traffic(cluster, next(names))
    for _ in range(ROUNDS):
        more(traffic)
        _, which = leader(cluster)
        cluster.engine.pause(which)
        more(traffic)
        cluster.engine.go_on(which)
        cluster.engine.wait()
    judge(cluster, traffic, 20)


@full_only
def test_everything_dies_now_and_then(cluster):
    chance = random.Random(3)
    traffic = Traffic(cluster, next(names), stay=())
    for _ in range(2 * ROUNDS):
        more(traffic, 5)
        which = chance.randrange(3)
        if chance.random() < 0.5:
            cluster.engine.kill(which)
            time.sleep(chance.random())
            cluster.engine.start(which)
            cluster.engine.wait()
        else:
            cluster.nodes[which].kill()
            time.sleep(chance.random())
            cluster.nodes[which].start()
            cluster.wait()
    cluster.engine.kill()
    cluster.engine.start()
    cluster.engine.wait()
    more(traffic)
    judge(cluster, traffic, 50)


def test_all_nodes_start_anew(cluster):
    """From the log alone: everything is there, with its tags and handles."""
    traffic = Traffic(cluster, next(names))
    more(traffic)
    judge(cluster, traffic, 10)
    before = [cluster.agree(path) for path in ("/v1/sets", f"/v1/sets/{min(traffic.histories)}")]
    for node in cluster.nodes:
        node.kill()
    for node in cluster.nodes:
        node.start()
    cluster.wait()
    assert [cluster.agree(path) for path in ("/v1/sets",
                                             f"/v1/sets/{min(traffic.histories)}")] == before


@full_only
def test_a_machine_is_cut_off(network):
    """The node there answers what it knows and takes no write; the two others go on."""
    traffic = Traffic(network, next(names))
    for which in range(3):
        more(traffic)
        network.machines.cut(which)
        lone = network.nodes[which]
        assert eventually(lambda: lone.state() == "degraded", 90), lone.state()
        more(traffic)
        assert lone.ask("GET", "/readyz")[0] == 200
        network.machines.heal()
        network.engine.wait()
        network.wait()
    judge(network, traffic, 40)


@pytest.mark.parametrize("way", ["to", "from"])
@full_only
def test_the_leader_of_the_log_is_cut_one_way(network, way):
    """It hears the others, or they hear it, and not both: whatever is acknowledged then stays, and writes go
    on soon after."""
    traffic = Traffic(network, next(names))
    more(traffic)
    _, which = leader(network)
    for other in {0, 1, 2} - {which}:
        network.machines.cut_way(*((which, other) if way == "from" else (other, which)))
    time.sleep(CUT_S)
    network.machines.heal()
    goes_on(traffic)
    network.engine.wait()
    more(traffic)
    judge(network, traffic, 40)


def revision_of(answer):
    assert answer[0] in (200, 201), answer
    return json.loads(answer[2])["revision"]


def test_a_server_that_kept_what_the_others_lost(alone):
    """Most servers lose the end of the log, as by a power cut, and go on; the one that kept it goes on
    delivering it at the places where the others now have other messages. No node may take it from there."""
    servers, nodes = alone.engine.servers, alone.nodes
    put(nodes[0], "before")
    alone.agree("/v1/sets/before")
    for node in nodes:
        node.kill()
    alone.engine.kill()
    for server in servers[:2]:
        shutil.copytree(server.keeps(), f"{server.keeps()}.old")
    alone.engine.start()
    alone.engine.wait()
    nodes[0].start()
    lost = revision_of(put(nodes[0], "lost"))
    stream, _ = leader(alone)
    assert eventually(lambda: servers[2].last_place(stream) >= lost, 60)
    nodes[0].kill()
    alone.engine.kill()
    for server in servers[:2]:
        shutil.rmtree(server.keeps())
        shutil.move(f"{server.keeps()}.old", server.keeps())
        server.start(alone.engine.routes)
    assert eventually(lambda: alone.engine.streams().get(stream, -1) in (0, 1), 60)
    nodes[0].start()
    kept = [revision_of(put(nodes[0], f"kept{i}")) for i in range(5)]
    assert kept[-1] > lost, "another message has the place of what was lost"
    servers[2].start(alone.engine.routes)
    alone.engine.wait()
    assert eventually(lambda: servers[2].last_place(stream) >= kept[-1], 60)
    for _ in range(8):  # its reader is given to one server or another
        nodes[1].start()
        found = json.loads(nodes[1].ask("GET", "/v1/sets")[2])["sets"]
        assert [each["name"] for each in found] == ["before"] + [f"kept{i}" for i in range(5)]
        assert not nodes[1].has_begun_anew()
        nodes[1].kill()
    for node in nodes[1:]:
        node.start()
    alone.wait()
    alone.agree("/v1/sets/kept0")


def put(node, name, tag=None):
    headers = {"If-Match": tag} if tag else {}
    return node.ask("PUT", f"/v1/sets/{name}", {"dimension": 2, "meta": name}, headers)


@full_only
def test_the_log_is_deleted_and_made_anew(alone):
    """Its sequence numbers come once more: no tag of before may match, and no node mixes what was with what
    is."""
    status, headers, _ = put(alone.nodes[0], "old")
    assert status == 201
    alone.agree("/v1/sets/old")
    stream, _ = leader(alone)
    alone.engine.delete_stream(stream)
    for node in alone.nodes:  # what they have they answer, and take nothing on top of it
        assert eventually(lambda: node.state() != "ready", 60)
        assert node.ask("GET", "/v1/sets/old")[0] == 200
        assert put(node, "refused")[0] == 503
    for node in alone.nodes:
        node.kill()
        node.start()
    alone.wait()
    made = put(alone.nodes[2], "new")
    assert made[0] == 201 and made[1]["ETag"] != headers["ETag"]
    sets = json.loads(alone.agree("/v1/sets")[2])["sets"]
    assert [each["name"] for each in sets] == ["new"]
    for node in alone.nodes:
        assert put(node, "old", headers["ETag"])[0] == 412
    again = put(alone.nodes[1], "old")
    assert again[0] == 201 and again[1]["ETag"] != headers["ETag"]
    alone.agree("/v1/sets/old")


@full_only
def test_all_servers_are_restored_from_an_old_copy(alone):
    """Under running nodes, which have acknowledged more than the log has now. It is lost, and they say so: each
    reads the log anew, counts that and logs it, and none mixes what was with what is. Tags of what was lost
    match nothing, though its revisions come again."""
    nodes, servers = alone.nodes, alone.engine.servers
    put(nodes[0], "kept")
    put(nodes[0], "changed")
    alone.agree("/v1/sets/changed")
    alone.engine.kill()
    for server in servers:
        shutil.copytree(server.keeps(), f"{server.keeps()}.old")
    alone.engine.start()
    alone.engine.wait()
    alone.wait()
    tag = nodes[1].ask("GET", "/v1/sets/changed")[1]["ETag"]
    lost = put(nodes[0], "changed", tag)
    assert lost[0] == 200 and put(nodes[1], "lost")[0] == 201
    assert alone.agree("/v1/sets/changed")[1] == lost[1]["ETag"]
    alone.agree("/v1/sets/lost")
    alone.engine.kill()
    for server in servers:
        shutil.rmtree(server.keeps())
        shutil.move(f"{server.keeps()}.old", server.keeps())
    for node in nodes:  # until the log can be read they show what they have
        assert eventually(lambda: node.state() == "degraded", 60)
        assert node.ask("GET", "/v1/sets/lost")[0] == 200 and not node.has_begun_anew()
    alone.engine.start()
    alone.engine.wait()
    alone.wait()
    assert [each["name"] for each in json.loads(alone.agree("/v1/sets")[2])["sets"]] == ["changed", "kept"]
    for node in nodes:
        assert node.has_begun_anew()
        assert b"what is shown is dropped once the log has been read anew" in node.daemon.stderr()
        assert node.ask("GET", "/v1/sets/changed")[1]["ETag"] == tag
        assert put(node, "changed", lost[1]["ETag"])[0] == 412
    assert put(nodes[2], "changed", tag)[0] == 200
    assert put(nodes[2], "lost")[0] == 201
    alone.agree("/v1/sets/lost")


def test_a_consumer_is_lost(cluster):
    """The engine forgets what it was to deliver to each node, and says nothing: the nodes follow the log again
    within seconds."""
    stream, _ = leader(cluster)
    put(cluster.nodes[0], "before-loss")
    cluster.agree("/v1/sets/before-loss")
    for name in cluster.engine.ask(f"$JS.API.CONSUMER.NAMES.{stream}")["consumers"]:
        assert cluster.engine.ask(f"$JS.API.CONSUMER.DELETE.{stream}.{name}").get("success")
    lost = time.monotonic()
    wrote = eventually(lambda: put(cluster.nodes[0], "after-loss")[0] in (200, 201), 30)
    cluster.agree("/v1/sets/after-loss")
    took = time.monotonic() - lost
    print(f"shown everywhere {took:.1f} s after the loss")
    assert wrote and took < HEALED_S * max(1, os.getloadavg()[0] / os.cpu_count())
