"""Several nodes on one log: what is written on any of them is the same on all, one writer of an ETag
wins, and without the engine reads go on."""

import json
import shutil
import signal
import socket
import subprocess
import threading
import time

import pytest

import nats
import nats_filter
import test_tls
from daemon import BINARY, Daemon, clean_environment, run_to_end
from wire import Wire, eventually

CIRCLE = {"type": "circle", "radius": 1}
SET = {"dimension": 2, "shapes": {"a": CIRCLE, "b": {"type": "box", "half_extents": [1, 2]}}}
NODES = ("127.0.0.1", "127.0.0.2", "127.0.0.3")


@pytest.fixture
def engine(tmp_path):
    nats.need_server()
    server = nats.Nats(tmp_path / "streams")
    yield server
    server.stop()


@pytest.fixture
def join(engine):
    """join(host, *flags) -> a node of the cluster."""
    nodes = []

    def join_one(host=NODES[0], *flags, **options):
        init = [] if nodes else ["--cluster-init"]
        nodes.append(Daemon("--nats", engine.url, "--cluster", "test", "--node", f"node-{len(nodes)}",
                            *init, *flags, listen=("--listen", f"{host}:0"), **options))
        return nodes[-1]

    yield join_one
    for node in nodes:
        if not node.closed:
            node.stop()


@pytest.fixture
def cluster(join):
    return [join(host) for host in NODES]


def state(node):
    return node.get("/v1").json()["cluster"]["state"]


def seen(node, path, revision):
    """What a node answers once it has that revision."""
    reply = node.get(path, headers={"Gjkd-Min-Revision": str(revision)})
    assert reply.status_code == 200, reply.text
    return reply


def same_everywhere(cluster, name, revision):
    """A tick raises no revision: what it changed arrives without a word to wait for."""
    for node in cluster:
        seen(node, f"/v1/sets/{name}", revision)

    def contents():
        return {node.get(f"/v1/sets/{name}").content for node in cluster}
    assert eventually(lambda: len(contents()) == 1)
    replies = [node.get(f"/v1/sets/{name}") for node in cluster]
    assert len({reply.content for reply in replies}) == 1
    assert len({reply.headers["ETag"] for reply in replies}) == 1
    assert len({node.get("/v1/sets").content for node in cluster}) == 1, "bytes, too"
    return replies[0]


def revision_of(reply):
    """As its entity tag, "INCARNATION-REVISION" or "INCARNATION-REVISION-TICK", tells it."""
    return int(reply.headers["ETag"].strip('"').split("-")[1])


def test_a_node_tells_of_itself(cluster):
    about = cluster[1].get("/v1").json()
    assert about["durability"] == "quorum"
    assert about["cluster"] == {"name": "test", "node": "node-1", "state": "ready",
                                "revision_lag": 0}
    assert cluster[1].get("/readyz").json() == {"status": "ok"}


def test_any_node_tells_who_is_there(engine, cluster):
    made = cluster[0].put("/v1/sets/s", SET)

    def told(node):
        return {each["node"]: each for each in node.get("/v1/cluster").json()["nodes"]}
    for node in cluster:
        assert eventually(lambda: all(each["last"] >= revision_of(made) and each["sets"] == 1
                                      for each in told(node).values()))
        about = node.get("/v1/cluster").json()
        assert (about["name"], about["state"]) == ("test", "ready")
        assert list(told(node)) == ["node-0", "node-1", "node-2"]
        assert {(each["state"], each["version"]) for each in about["nodes"]} == {
            ("ready", node.get("/v1").json()["version"])}
        assert all(each["age_ms"] < 5000 for each in about["nodes"])
        assert eventually(lambda: node.get("/v1/cluster").json()["log"]["last"] >= revision_of(made))
        log = node.get("/v1/cluster").json()["log"]
        assert log["servers"] == 1 and log["bytes"] > 0
    shown = run_to_end("--cluster-status", node.url)
    assert shown.returncode == 0, shown.stderr
    assert list(json.loads(shown.stdout)) == ["name", "node", "state", "log", "nodes"]
    assert run_to_end("--cluster-status", "http://127.0.0.1:1").returncode == 1
    assert run_to_end("--cluster-status", "127.0.0.1:1").returncode == 2
    cluster[2].stop()
    assert eventually(lambda: told(cluster[0])["node-2"]["state"] == "away", within=30)
    assert told(cluster[0])["node-1"]["state"] == "ready"
    engine.signal(signal.SIGSTOP)
    assert eventually(lambda: told(cluster[0])["node-1"]["state"] == "away", within=30)
    assert cluster[0].get("/v1/cluster").json()["log"] is None
    engine.signal(signal.SIGCONT)
    alone = Daemon()
    assert alone.get("/v1/cluster").status_code == 404
    alone.stop()


def metric(node, name):
    return next(float(line.split()[1]) for line in node.get("/metrics").text.splitlines()
                if line.startswith(name + " "))


def test_metrics_count_the_log(cluster):
    revision = revision_of(cluster[0].put("/v1/sets/s", SET))
    seen(cluster[1], "/v1/sets/s", revision)
    assert metric(cluster[0], "gjkd_cluster_published_total") == 1
    assert metric(cluster[1], "gjkd_cluster_published_total") == 0
    for node in cluster[:2]:
        assert metric(node, "gjkd_cluster_revision") >= revision, "nodes say in the log how far they are"
        assert eventually(lambda: metric(node, "gjkd_cluster_revision_lag") == 0)
        assert metric(node, "gjkd_cluster_degraded") == metric(node, "gjkd_cluster_resets_total") == 0


def test_what_any_node_writes_is_the_same_on_all(cluster):
    writes = [
        ("PUT", "/v1/sets/s", SET, 201),
        ("PATCH", "/v1/sets/s", {"meta": {"n": 1}, "shapes": {"c": CIRCLE, "a": None}}, 200),
        ("PUT", "/v1/sets/s/shapes/d", CIRCLE | {"position": [3, 4]}, 201),
        ("PATCH", "/v1/sets/s/shapes/d", {"position": [-0.0, 0.1]}, 200),
        ("PATCH", "/v1/sets/s/shapes/d", {"radius": 2, "meta": [1]}, 200),
        ("DELETE", "/v1/sets/s/shapes/b", None, 204),
        ("PUT", "/v1/sets/s", SET | {"history": {"ticks": 3}}, 200),
        ("PUT", "/v1/sets/s/ticks/7", {"shapes": {"a": {"position": [1, 1], "teleport": True}}}, 201),
        ("PUT", "/v1/sets/s/ticks/8", {"shapes": {"a": {"position": [2, 1]}}}, 201),
    ]
    revisions = []
    for i, (method, path, body, status) in enumerate(writes):
        node = cluster[i % 3 if "ticks" not in path else 1]  # one node ticks a set
        reply = node.call(method, path, **({"json": body} if body is not None else {}))
        durability = "memory" if "ticks" in path else "quorum"
        assert (reply.status_code, reply.headers["Gjkd-Durability"]) == (status, durability), reply.text
        revisions.append(revision_of(reply))
        same_everywhere(cluster, "s", revisions[-1])
        told = {node.get(path).headers.get("ETag") for node in cluster}
        assert told == ({reply.headers["ETag"]} if method != "DELETE" else {None})
    assert revisions[:-2] == sorted(set(revisions[:-2]))
    ticks = {node.get("/v1/sets/s/ticks/7.5").content for node in cluster}
    assert len(ticks) == 1, "a jump is one on every node"
    reply = cluster[0].call("DELETE", "/v1/sets/s")
    assert (reply.status_code, reply.headers["Gjkd-Durability"]) == (204, "quorum")
    for node in cluster:
        assert eventually(lambda: node.get("/v1/sets/s").status_code == 404)


def test_ticks_that_move_shapes_raise_no_revision(cluster):
    made = cluster[0].put("/v1/sets/t", SET | {"history": {"ticks": 3}})
    revision, etags = revision_of(made), [made.headers["ETag"]]
    for tick in range(1, 7):
        body = {"shapes": {"a": {"position": [tick, 1]}}}
        reply = cluster[0].put(f"/v1/sets/t/ticks/{tick}", body)
        assert (reply.status_code, reply.json()["revision"]) == (201, revision)
        assert reply.headers["ETag"] == etags[0][:-1] + f'-{tick}"'
        etags.append(reply.headers["ETag"])
    for node in cluster:
        assert eventually(lambda: node.get("/v1/sets/t").headers["ETag"] == etags[-1])
    same_everywhere(cluster, "t", revision)
    stale = {"If-Match": etags[-2]}
    assert cluster[1].call("PATCH", "/v1/sets/t", json={"meta": 1}, headers=stale).status_code == 412
    reply = cluster[1].call("PATCH", "/v1/sets/t", json={"meta": 1}, headers={"If-Match": etags[-1]})
    assert revision_of(reply) > revision and reply.headers["ETag"].endswith('-6"')
    body = {"shapes": {"a": {"position": [7, 1]}, "new": CIRCLE}}
    more = cluster[0].put("/v1/sets/t/ticks/7", body, headers={
        "Gjkd-Min-Revision": str(revision_of(reply))})
    assert revision_of(more) > revision_of(reply), "what changes more than poses does"
    same_everywhere(cluster, "t", revision_of(more))


@pytest.mark.http
def test_ticks_are_events_on_every_node(cluster):
    made = cluster[0].put("/v1/sets/watched", SET | {"history": {"ticks": 3}})
    seen(cluster[1], "/v1/sets/watched", revision_of(made))
    with Daemon.new_session() as session:
        reply = session.get(cluster[1].url + "/v1/sets/watched/events?kinds=change", stream=True,
                            timeout=60)
        lines = reply.iter_lines()
        assert next(line for line in lines if line.startswith(b"id: "))
        for tick in (1, 2):
            cluster[0].put(f"/v1/sets/watched/ticks/{tick}",
                           {"shapes": {"a": {"position": [tick, 1]}}})
            told = json.loads(next(line for line in lines if line.startswith(b"data: "))[6:])
            assert (told["tick"], list(told["shapes"])) == (tick, ["a"])
        reply.close()


def test_a_tick_that_is_sent_to_another_node_again_is_known_there(cluster):
    cluster[0].store("t", SET | {"history": {"ticks": 3}})
    body = {"shapes": {"a": {"position": [1, 1]}}}
    assert cluster[0].put("/v1/sets/t/ticks/1", body).status_code == 201
    assert cluster[1].put("/v1/sets/t/ticks/1", body).status_code == 200
    assert cluster[2].put("/v1/sets/t/ticks/0", body).status_code == 409


def test_a_set_made_again_has_another_life_and_later_revisions(cluster):
    first = cluster[0].put("/v1/sets/again", SET)
    assert cluster[1].call("DELETE", "/v1/sets/again").status_code == 204
    second = cluster[2].put("/v1/sets/again", SET)
    assert second.status_code == 201 and revision_of(second) > revision_of(first) + 1
    assert first.headers["ETag"].split("-")[0] != second.headers["ETag"].split("-")[0]
    same_everywhere(cluster, "again", revision_of(second))


def test_an_etag_of_one_node_counts_at_once_on_the_others(cluster):
    etag = cluster[0].put("/v1/sets/e", SET).headers["ETag"]
    for i in range(60):
        reply = cluster[(i + 1) % 3].call("PATCH", "/v1/sets/e", json={"meta": i},
                                          headers={"If-Match": etag})
        assert reply.status_code == 200, (i, reply.text)
        etag = reply.headers["ETag"]
    for i in range(20):
        cluster[i % 3].store(f"fresh{i}", SET)
        reply = cluster[(i + 1) % 3].call("PATCH", f"/v1/sets/fresh{i}", json={"meta": i})
        assert reply.status_code == 200, "a node that does not know the set yet asks the log"


def race(cluster, writers, rounds, write):
    """Statuses of writes by so many threads, each of which asks write(session, node, round)."""
    results, gate = [], threading.Barrier(writers)

    def run(k):
        node = cluster[k % len(cluster)]
        with Daemon.new_session() as session:
            for i in range(rounds):
                gate.wait(60)
                reply = write(session, node, i)
                results.append((i, reply.status_code, reply.headers.get("ETag")))

    threads = [threading.Thread(target=run, args=(k,)) for k in range(writers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert len(results) == writers * rounds
    return results


def test_of_those_who_hold_one_etag_one_wins(cluster):
    etags = [cluster[0].put(f"/v1/sets/r{i}", SET).headers["ETag"] for i in range(20)]
    results = race(cluster, 8, 20, lambda session, node, i: node.call(
        "PATCH", f"/v1/sets/r{i}", session, json={"meta": i}, headers={"If-Match": etags[i]}))
    for i in range(20):
        assert sorted(s for j, s, _ in results if j == i) == [200] + 7 * [412]
    same_everywhere(cluster, "r19", revision_of(seen(cluster[0], "/v1/sets/r19", 1)))


def test_of_those_who_make_a_set_one_wins(cluster):
    results = race(cluster, 6, 20, lambda session, node, i: node.call(
        "PUT", f"/v1/sets/n{i}", session, json=SET, headers={"If-None-Match": "*"}))
    for i in range(20):
        assert sorted(s for j, s, _ in results if j == i) == [201] + 5 * [412]


def test_writes_without_conditions_all_count(cluster):
    cluster[0].store("all", {"dimension": 2, "shapes": {}})
    results = race(cluster, 6, 15, lambda session, node, i: node.call(
        "PUT", f"/v1/sets/all/shapes/x{threading.get_ident()}-{i}", session, json=CIRCLE))
    assert {s for _, s, _ in results} == {201}
    etags = {etag for _, _, etag in results}
    assert len(etags) == 90, "each has a revision of its own"
    last = max(int(etag.strip('"').split("-")[1]) for etag in etags)
    assert len(same_everywhere(cluster, "all", last).json()["shapes"]) == 90


def test_a_large_set_goes_in_pieces(cluster):
    shapes = {f"shape-{i:06}": {"type": "circle", "radius": 1 + i / 7, "meta": "m" * 60,
                                "position": [i / 3, -i]} for i in range(20000)}
    written = cluster[0].put("/v1/sets/large", {"dimension": 2, "shapes": shapes})
    assert written.status_code == 201 and int(written.request.headers["Content-Length"]) > 2 << 20
    same_everywhere(cluster, "large", revision_of(written))
    late = cluster[1].call("PATCH", "/v1/sets/large", json={"shapes": {"shape-000007": None}})
    assert len(same_everywhere(cluster, "large", revision_of(late)).json()["shapes"]) == 19999


def test_who_names_a_revision_waits_for_it(cluster):
    def answer(name):
        """Of a question for a set that the node does not know yet, and that is made at the place that it names,
        unless a barrier takes that."""
        def ask():
            with Daemon.new_session() as session:
                answers.append(cluster[1].call("POST", f"/v1/sets/{name}/detect", session, json={"a": "a"},
                                               headers={"Gjkd-Min-Revision": str(before + 1)}).status_code)

        answers, before = [], revision_of(cluster[0].put("/v1/sets/other", SET))
        asker = threading.Thread(target=ask)
        asker.start()
        made = cluster[0].put(f"/v1/sets/{name}", SET)
        asker.join(60)
        assert answers == [200] or revision_of(made) > before + 1
        return answers
    assert any(answer(f"later{i}") == [200] for i in range(40))  # ended by the first
    before = revision_of(cluster[0].put("/v1/sets/other", SET))
    late = {"Gjkd-Min-Revision": str(before + 1000), "Gjkd-Timeout-Ms": "200"}
    reply = cluster[2].get("/v1/sets/other", headers=late)
    assert (reply.status_code, reply.json()["code"]) == (504, "deadline-exceeded")
    assert cluster[2].get("/v1/sets/none", headers=late).status_code == 504
    assert cluster[2].get("/v1/sets/none", headers={"Gjkd-Min-Revision": "1"}).status_code == 404
    reply = cluster[2].get("/v1/sets/other", headers={"Gjkd-Min-Revision": "x"})
    assert (reply.status_code, reply.json()["code"]) == (400, "bad-request")


def test_an_answer_tells_how_old_it_may_be(cluster):
    for path in ("/v1", "/v1/sets", "/v1/sets/none"):
        assert eventually(lambda: 0 <= int(cluster[1].get(path).headers["Gjkd-Age-Ms"]) < 2000)
    alone = Daemon()
    assert "Gjkd-Age-Ms" not in alone.get("/v1").headers
    alone.stop()


def test_past_a_limit_of_age_a_node_is_degraded(engine, join):
    node = join(NODES[0], "--stale-after", "300ms")
    assert node.put("/v1/sets/s", SET).status_code == 201
    assert eventually(lambda: node.get("/readyz").json().get("detail", "").endswith("ms old")), "between barriers"
    assert eventually(lambda: node.get("/readyz").json() == {"status": "ok"})
    engine.signal(signal.SIGSTOP)
    try:
        assert eventually(lambda: int(node.get("/v1/sets/s").headers["Gjkd-Age-Ms"]) > 3000)
        assert node.get("/readyz").json()["status"] == "degraded"
    finally:
        engine.signal(signal.SIGCONT)


def test_a_linearizable_read_is_not_older_than_its_request(engine, join):
    filtered = nats_filter.Filter(engine.port, "gjkd.test.log.")
    writer, reader = join(NODES[0]), join(NODES[1], "--nats", filtered.url)
    fresh = {"Gjkd-Consistency": "linearizable"}
    try:
        for i in range(50):
            writer.store("s", SET | {"meta": i})
            assert reader.get("/v1/sets/s", headers=fresh).json()["meta"] == i
        names = [each["name"] for each in reader.get("/v1/sets", headers=fresh).json()["sets"]]
        assert names == ["s"]
        filtered.hold(1, lambda: writer.store("s", SET | {"meta": "held back"}))
        assert reader.get("/v1/sets/s").json()["meta"] == 49, "others may be old"
        for path in ("/v1/sets/s", "/v1/sets"):
            reply = reader.get(path, headers=fresh | {"Gjkd-Timeout-Ms": "500"})
            assert (reply.status_code, reply.json()["code"]) == (503, "not-ready"), reply.text
        reply = reader.get("/v1/sets/s", headers={"Gjkd-Consistency": "strong"})
        assert (reply.status_code, reply.json()["code"]) == (400, "bad-request")
    finally:
        filtered.close()


def test_a_server_that_delivers_at_other_places_is_not_followed(engine, join):
    """A server that was killed may, for a while after its start, have another end of the log than the leader."""
    filtered = nats_filter.Filter(engine.port, "none")
    writer, reader = join(NODES[0]), join(NODES[1], "--nats", filtered.url)
    try:
        before = made = writer.put("/v1/sets/s", SET)
        seen(reader, "/v1/sets/s", revision_of(made))
        filtered.adds = True
        filtered.cut()
        assert eventually(lambda: state(reader) == "degraded")
        for i in range(40):
            assert state(reader) == "degraded", "it follows"
            time.sleep(0.05)
        for i in range(5):
            made = writer.put("/v1/sets/s", SET | {"meta": i})
            assert reader.get("/v1/sets/s").headers["ETag"] == before.headers["ETag"]
            fresh = reader.get("/v1/sets/s", headers={"Gjkd-Consistency": "linearizable",
                                                      "Gjkd-Timeout-Ms": "100"})
            assert fresh.status_code == 503, "it cannot know"
        filtered.adds = False
        filtered.cut()
        assert seen(reader, "/v1/sets/s", revision_of(made)).headers["ETag"] == made.headers["ETag"]
    finally:
        filtered.close()


def test_what_was_not_delivered_is_not_passed_over(engine, join):
    """Nor where it is asked for and does not come, while what follows it does."""
    filtered = nats_filter.Filter(engine.port, "gjkd.test.log.s.")
    writer, reader = join(NODES[0]), join(NODES[1], "--nats", filtered.url)
    fresh = {"Gjkd-Consistency": "linearizable", "Gjkd-Timeout-Ms": "1000"}
    try:
        seen(reader, "/v1/sets/s", revision_of(writer.put("/v1/sets/s", SET | {"meta": 0})))
        filtered.swallows = b"stream_msg_get_response"
        filtered.lose(1, lambda: writer.put("/v1/sets/s", SET | {"meta": 1}))
        until = time.monotonic() + 7  # longer than a question waits for its answer
        while time.monotonic() < until:
            reply = reader.get("/v1/sets/s", headers=fresh)
            assert reply.status_code == 503 or reply.json()["meta"] == 1, reply.text
            time.sleep(0.05)
        filtered.swallows = None
        assert eventually(lambda: reader.get("/v1/sets/s", headers=fresh).json().get("meta") == 1)
    finally:
        filtered.close()


def test_messages_come_to_a_log_that_is_not_read_any_more(engine, join):
    """A thread of cnats may be about to deliver one to the subscription that the node has just ended. Leaks are not
    looked for: cnats forgets a long message of which it has read a part when the connection ends."""
    filtered = nats_filter.Filter(engine.port, "none")
    writer = join(NODES[0])
    reader = join(NODES[1], "--nats", filtered.url, env={"MALLOC_PERTURB_": "165", "LSAN_OPTIONS": "detect_leaks=0"})
    try:
        seen(reader, "/v1/sets/s", revision_of(writer.put("/v1/sets/s", SET | {"meta": 0})))
        filtered.floods = True
        time.sleep(5)
        filtered.floods = False
        written = writer.put("/v1/sets/s", SET | {"meta": 1})
        assert seen(reader, "/v1/sets/s", revision_of(written)).json()["meta"] == 1
        assert b"opened again" in reader.stderr()
    finally:
        filtered.close()


def test_what_a_node_has_missed_is_not_asked_for_one_by_one(engine, join):
    """What comes after a break is compared with what the log's leader has, a chain of changes by its end."""
    filtered = nats_filter.Filter(engine.port, "none")
    writer, reader = join(NODES[0]), join(NODES[1], "--nats", filtered.url)
    try:
        seen(reader, "/v1/sets/s", revision_of(writer.put("/v1/sets/s", SET)))
        reader.process.send_signal(signal.SIGSTOP)
        try:
            filtered.cut()
            for i in range(100):
                written = writer.call("PATCH", "/v1/sets/s", json={"meta": i})
        finally:
            reader.process.send_signal(signal.SIGCONT)
        assert seen(reader, "/v1/sets/s", revision_of(written)).json()["meta"] == 99
        assert 0 < filtered.asked < 50, "its last one, those before and behind a barrier, and of each attempt"
    finally:
        filtered.close()


def test_without_the_engine_reads_go_on_and_writes_are_refused(engine, cluster):
    revision = revision_of(cluster[0].put("/v1/sets/s", SET))
    for node in cluster:
        seen(node, "/v1/sets/s", revision)
    engine.kill()
    for node in cluster:
        assert eventually(lambda: state(node) == "degraded")
        assert node.get("/readyz").json()["status"] == "degraded"
        assert node.ask("/v1/sets/s/detect", {"a": "a", "b": "b"})["colliding"]
        for method, path, body in (("PUT", "/v1/sets/s", SET), ("DELETE", "/v1/sets/s", None),
                                   ("PATCH", "/v1/sets/s", {"meta": 1}),
                                   ("PUT", "/v1/sets/s/shapes/x", CIRCLE)):
            reply = node.call(method, path, **({"json": body} if body is not None else {}))
            assert (reply.status_code, reply.json()["code"]) == (503, "not-ready")
            assert int(reply.headers["Retry-After"]) > 0
    engine.start()
    for node in cluster:
        assert eventually(lambda: state(node) == "ready", within=30)
    reply = cluster[2].call("PATCH", "/v1/sets/s", json={"meta": 1})
    assert reply.status_code == 200 and revision_of(reply) > revision
    same_everywhere(cluster, "s", revision_of(reply))


def test_an_engine_that_does_not_answer_is_away(engine, cluster):
    revision = revision_of(cluster[0].put("/v1/sets/s", SET))
    engine.signal(signal.SIGSTOP)
    try:
        assert eventually(lambda: state(cluster[0]) == "degraded", within=30)
        hurry = {"Gjkd-Timeout-Ms": "1000"}  # the first ones may be 504
        assert eventually(lambda: cluster[0].call("PUT", "/v1/sets/s", json=SET, headers=hurry).status_code == 503)
        assert cluster[0].get("/v1/sets/s").status_code == 200
    finally:
        engine.signal(signal.SIGCONT)
    assert eventually(lambda: cluster[0].put("/v1/sets/s", SET).status_code == 200, within=30)
    same_everywhere(cluster, "s", revision + 1)


def write_in_thread(node, path, answers):
    def write():
        with Daemon.new_session() as session:
            reply = node.call("PUT", path, session, json=SET)
            answers.append((reply.status_code, reply.json().get("code")))
    writer = threading.Thread(target=write)
    writer.start()
    return writer


def hold_up_a_write(engine, node, path):
    """Three writes at once, one of which the engine is sent and does not answer. Their threads; the two
    others' answers are there."""
    for _ in range(20):
        answers = []
        engine.signal(signal.SIGSTOP)
        writers = [write_in_thread(node, path, answers) for _ in range(3)]
        assert eventually(lambda: state(node) == "degraded", within=30)
        assert eventually(lambda: len(answers) >= 2, within=20), "they wait for the first"
        if len(answers) == 2:
            return writers, answers
        end_hold_up(engine, node, writers)  # none was sent before it was known that the engine is away
    raise AssertionError("no write was sent")


def end_hold_up(engine, node, writers):
    engine.signal(signal.SIGCONT)
    for writer in writers:
        writer.join(60)
    assert eventually(lambda: state(node) == "ready", within=30)


def test_writes_behind_one_that_is_under_way_are_refused_at_once(engine, cluster):
    """What became of that one nobody can say. Who comes after it need not wait for that: neither writes
    of its set nor those of others that share its line or its lock."""
    node = cluster[0]
    revision = revision_of(node.put("/v1/sets/s", SET))
    writers, answers = hold_up_a_write(engine, node, "/v1/sets/s")
    try:
        assert answers == 2 * [(503, "not-ready")]
        for path in ["/v1/sets/s"] + [f"/v1/sets/other{i}" for i in range(64)]:
            reply = node.put(path, SET)
            assert (reply.status_code, reply.json()["code"]) == (503, "not-ready")
        assert node.call("DELETE", "/v1/sets/s").status_code == 503
        assert node.call("PATCH", "/v1/sets/s", json={"meta": 1}).status_code == 503
        assert len(answers) == 2, "the first one is under way still"
    finally:
        end_hold_up(engine, node, writers)
    assert answers[2] in ((200, None), (504, "deadline-exceeded"))
    after = node.call("PATCH", "/v1/sets/s", json={"meta": 2})
    assert after.status_code == 200 and revision_of(after) > revision
    same_everywhere(cluster, "s", revision_of(after))


def test_a_node_that_comes_later_catches_up(cluster, join):
    for i in range(30):
        reply = cluster[i % 3].put(f"/v1/sets/s{i % 5}", SET | {"meta": i})
    late = join("127.0.0.4")
    same_everywhere(cluster + [late], "s4", revision_of(reply))
    cluster[1].stop()
    reply = late.call("PATCH", "/v1/sets/s4", json={"meta": None})
    same_everywhere([cluster[0], cluster[2], late], "s4", revision_of(reply))


def messages(engine, name, kind="s"):
    """Of a set, that are in the log; p: the parts of those that are too long."""
    subject = f"gjkd.test.log.{kind}.{name}"
    body = json.dumps({"subjects_filter": subject}).encode()
    state = ask_engine(engine, "$JS.API.STREAM.INFO.gjkd_test", body)["state"]
    return state.get("subjects", {}).get(subject, 0)


LARGE = {"dimension": 2, "shapes": {f"s{i:04}": CIRCLE | {"meta": "m" * 400} for i in range(1000)}}


def roll_up(engine, nodes, name="large", body=LARGE):
    """Writes to a set until it is rolled up; the last revision."""
    for n in range(400):
        before = messages(engine, name)
        reply = nodes[n % len(nodes)].put(f"/v1/sets/{name}", body | {"meta": n})
        assert reply.status_code in (200, 201), reply.text
        if eventually(lambda: messages(engine, name) < before, within=0.2):
            return revision_of(reply)
    raise AssertionError("the log of the set grows and grows")


def test_the_log_of_a_set_stays_short(engine, join):
    nodes = [join(NODES[0]), join(NODES[1])]
    nodes[0].store("gone", SET)
    assert nodes[1].call("DELETE", "/v1/sets/gone").status_code == 204
    assert messages(engine, "gone") == 1, "what says that it is gone"
    ticking = {"dimension": 2, "history": {"ticks": 3}, "shapes": LARGE["shapes"] | SET["shapes"]}
    nodes[1].store("ticks", ticking)
    for tick in range(5):
        body = {"shapes": {"a": {"position": [tick, 1], "teleport": tick == 4}}}
        assert nodes[0].put(f"/v1/sets/ticks/ticks/{tick}", body).status_code == 201
    shape = nodes[0].put("/v1/sets/ticks/shapes/x", CIRCLE | {"position": [1, 0.1]})
    before = messages(engine, "ticks")
    many = {key: None for key in LARGE["shapes"]}
    for n in range(100):
        for shapes in (many, LARGE["shapes"]):
            shape = nodes[0].call("PATCH", "/v1/sets/ticks", json={"shapes": shapes})
            assert shape.status_code == 200
        if eventually(lambda: messages(engine, "ticks") < before, within=0.2):
            break
    assert messages(engine, "ticks") < before
    assert sum(metric(node, "gjkd_cluster_rollups_total") for node in nodes) > 0
    late = join(NODES[2])
    contents = {seen(node, "/v1/sets/ticks", revision_of(shape)).content for node in [*nodes, late]}
    assert len(contents) == 1
    assert late.get("/v1/sets/ticks").headers["ETag"] == shape.headers["ETag"]
    for tick in ("2", "2.5", "3.5", "4"):
        assert len({node.get(f"/v1/sets/ticks/ticks/{tick}").content for node in [*nodes, late]}) == 1
    assert late.get("/v1/sets/ticks/ticks/1").status_code == 410
    assert late.get("/v1/sets/gone").status_code == 404
    after = late.call("PATCH", "/v1/sets/ticks", json={"meta": 1})
    assert len({seen(n, "/v1/sets/ticks", revision_of(after)).content for n in [*nodes, late]}) == 1
    again = late.put("/v1/sets/gone", SET)
    assert again.status_code == 201
    assert len({seen(n, "/v1/sets/gone", revision_of(again)).content for n in [*nodes, late]}) == 1


def test_rollups_lose_nothing_that_another_node_wrote(engine, join):
    """A node begins one while it has got what another one wrote, and does not show it yet, as it lacks a part. For that
    order it is left without the answer to a barrier, for which it waits a second; then it rolls up."""
    log = nats_filter.Filter(engine.port, "none")
    node, other = join(NODES[0], "--nats", log.url), join(NODES[1])

    def swallow(words):
        log.swallowed, log.refused, log.swallows = 0, 0, words

    def is_refused_in_time(path):
        assert node.put(path, LARGE).status_code == 201
        swallow(b'{"stream":"gjkd_test"')
        assert eventually(lambda: log.swallowed)
        with Wire(node) as wire:
            wire.request("PUT", path, json.dumps(SET).encode())
            assert eventually(lambda: len(node.get(path).json()["shapes"]) == 2), "now its log is heavy"
            swallow(b"stream_msg_get_response")
            written = other.call("PATCH", path, json={"shapes": LARGE["shapes"]})
            assert written.status_code == 200, written.text
            refused = eventually(lambda: log.swallowed and log.refused, within=1.5)
            log.swallows = None
            assert wire.reply().status in (200, 504), "unknown if it was rolled up before the node could ask"
        for each in (node, other):
            assert len(seen(each, path, revision_of(written)).json()["shapes"]) == 1002
        return refused
    assert any(is_refused_in_time(f"/v1/sets/s{i}") for i in range(20)), "a busy machine may need some"
    assert [metric(each, "gjkd_cluster_resets_total") for each in (node, other)] == [0, 0]
    log.close()


def test_changes_are_weighed_against_the_set_as_the_log_has_it(engine, join):
    """In memory a thousand circles weigh ten times as much."""
    node = join()
    node.store("s", {"dimension": 2, "shapes": {f"s{i}": CIRCLE for i in range(1000)}})
    for n in range(8):
        before = messages(engine, "s")
        shapes = {f"s{i}": CIRCLE | {"radius": n + 2} for i in range(1000)}
        assert node.call("PATCH", "/v1/sets/s", json={"shapes": shapes}).status_code == 200
        if eventually(lambda: messages(engine, "s") < before, within=3):
            break
    assert 0 < n < 7, n


def test_a_deletion_leaves_nothing_to_be_rolled_up(engine, join):
    node = join()
    for _ in range(8):
        node.store("s", LARGE)
        assert node.call("DELETE", "/v1/sets/s").status_code == 204
    node.store("s", LARGE)
    assert not eventually(lambda: messages(engine, "s") != 2, within=1)
    assert messages(engine, "s", "p") > 0
    assert node.call("DELETE", "/v1/sets/s").status_code == 204
    assert eventually(lambda: messages(engine, "s", "p") == 0)


def test_a_node_that_was_away_goes_on_with_what_was_rolled_up(engine, join):
    nodes = [join(NODES[0]), join(NODES[1])]
    nodes[0].store("gone", SET)
    stays = nodes[0].put("/v1/sets/stays", SET)
    etag = stays.headers["ETag"]
    seen(nodes[1], "/v1/sets/large", revision_of(nodes[0].put("/v1/sets/large", LARGE)))
    nodes[1].process.send_signal(signal.SIGSTOP)
    try:
        assert nodes[0].call("DELETE", "/v1/sets/gone").status_code == 204
        revision = roll_up(engine, nodes[:1])
    finally:
        nodes[1].process.send_signal(signal.SIGCONT)
    same_everywhere(nodes, "large", revision)
    assert nodes[1].get("/v1/sets/gone").status_code == 404
    assert nodes[1].get("/v1/sets/stays").headers["ETag"] == etag
    reply = nodes[1].call("PATCH", "/v1/sets/stays", json={"meta": 1}, headers={"If-Match": etag})
    assert reply.status_code == 200
    same_everywhere(nodes, "stays", revision_of(reply))


def test_the_engine_may_speak_tls(tmp_path):
    nats.need_server()
    cert, key = test_tls.make(tmp_path, "nats")
    engine = nats.Nats(tmp_path / "streams", "--tls", "--tlscert", cert, "--tlskey", key)
    try:
        node = Daemon("--nats", engine.url.replace("nats:", "tls:"), "--cluster", "test", "--cluster-init",
                      "--nats-ca", cert)
        reply = node.put("/v1/sets/s", SET)
        assert (reply.status_code, reply.headers["Gjkd-Durability"]) == (201, "quorum")
        node.stop()
    finally:
        engine.stop()


def test_passwords_are_not_printed():
    ended = run_to_end("--nats", "nats://me:secret@a:1,nats://b:2", "--cluster", "x",
                       "--print-config")
    assert "nats = nats://***@a:1,nats://b:2  ; flag" in ended.stdout
    assert "secret" not in ended.stdout


def test_sets_outlive_all_nodes(join):
    first = join()
    etag = first.put("/v1/sets/s", SET).headers["ETag"]
    content = first.get("/v1/sets/s").content
    first.stop()
    reply = join().get("/v1/sets/s")
    assert (reply.headers["ETag"], reply.content) == (etag, content)


def test_the_demo_sets_are_made_once(join):
    etags = {join(host, "--demo").get("/v1/sets/arena2d").headers["ETag"] for host in NODES[:2]}
    assert len(etags) == 1


def ask_engine(engine, subject, body=b""):
    """A request to the NATS server, by its own protocol; the answer as JSON."""
    with socket.create_connection((engine.host, engine.port), timeout=20) as line:
        file = line.makefile("rwb")
        file.readline()
        file.write(b'CONNECT {"verbose": false}\r\nSUB _INBOX.test 1\r\n')
        file.write(b"PUB %s _INBOX.test %d\r\n%s\r\n" % (subject.encode(), len(body), body))
        file.flush()
        while not (head := file.readline()).startswith(b"MSG"):
            assert head, "the server has closed the connection"
            if head.startswith(b"PING"):
                file.write(b"PONG\r\n")
                file.flush()
        return json.loads(file.read(int(head.split()[-1])))


def test_a_lost_or_other_log_empties_no_node(engine, join):
    old, other = join(NODES[0]), join(NODES[1])
    made = old.put("/v1/sets/s", SET)
    same_everywhere([old, other], "s", revision_of(made))
    assert ask_engine(engine, "$JS.API.STREAM.DELETE.gjkd_test")["success"]
    empty = Daemon("--nats", engine.url, "--cluster", "test", "--cluster-init",
                   listen=("--listen", f"{NODES[2]}:0"))
    for node in (old, other):
        assert eventually(lambda: state(node) == "degraded", within=30)
        assert node.put("/v1/sets/s", SET).status_code == 503
    assert empty.put("/v1/sets/t", SET).status_code == 201
    for node in (old, other):
        reply = node.get("/readyz")
        assert eventually(lambda: "another log" in node.get("/readyz").json().get("detail", ""))
        assert reply.status_code == 200 and reply.json()["status"] == "degraded"
        assert node.get("/v1/sets/s").headers["ETag"] == made.headers["ETag"]
        assert node.get("/v1/sets/t").status_code == 404
        assert node.put("/v1/sets/s", SET).status_code == 503
    empty.stop()


def put_back(engine, copy):
    """The engine has lost what it took since the copy was made."""
    engine.kill()
    shutil.rmtree(engine.folder)
    shutil.copytree(copy, engine.folder)
    engine.start()


def test_a_log_that_lost_its_end_and_goes_on_is_another_world(engine, join, tmp_path):
    """As when most servers lose their power: who has seen more lets it go, and takes nothing upon it."""
    old = join(NODES[0])
    old.put("/v1/sets/s", SET)
    engine.kill()
    shutil.copytree(engine.folder, tmp_path / "copy")
    engine.start()
    assert eventually(lambda: old.call("PATCH", "/v1/sets/s", json={"meta": "lost"}).status_code == 200,
                      within=30)
    put_back(engine, tmp_path / "copy")
    new = join(NODES[1])
    for i in range(3):
        reply = new.call("PATCH", "/v1/sets/s", json={"meta": i})
        assert reply.status_code == 200
    assert eventually(lambda: old.get("/v1/sets/s").content == new.get("/v1/sets/s").content, within=60)
    assert b"the log has lost its end" in old.stderr() or b"the log goes on otherwise" in old.stderr()
    reply = old.call("PATCH", "/v1/sets/s", json={"meta": "old"})
    assert reply.status_code == 200 and revision_of(reply) > 5
    same_everywhere([old, new], "s", revision_of(reply))


def first_event(node, since):
    """Its id and its kind, or b"" where the events simply go on."""
    with Daemon.new_session() as session:
        reply = session.get(f"{node.url}/v1/sets/s/events?since={since}", stream=True, timeout=60)
        assert reply.status_code == 200
        lines = reply.iter_lines()
        told = next(line for line in lines if line.startswith(b"id: ")), next(lines)
        reply.close()
    return told


def test_a_tag_of_what_the_log_has_lost_matches_nothing(engine, join, tmp_path):
    """Another write gets the place, and so the revision, of one that the log has lost."""
    old = join(NODES[0])
    old.put("/v1/sets/s", SET)
    engine.kill()
    shutil.copytree(engine.folder, tmp_path / "copy")
    engine.start()
    replies = []

    def write(meta):
        replies.append(old.call("PATCH", "/v1/sets/s", json={"meta": meta}))
        return replies[-1].status_code == 200
    assert eventually(lambda: write("lost"), within=30)
    lost = replies[-1]
    put_back(engine, tmp_path / "copy")
    new = join(NODES[1])
    kept = new.call("PATCH", "/v1/sets/s", json={"meta": 0})
    while revision_of(kept) < revision_of(lost):
        kept = new.call("PATCH", "/v1/sets/s", json={"meta": revision_of(kept)})
    tag, other = lost.headers["ETag"], kept.headers["ETag"]
    assert tag != other and tag[:17] == other[:17], "the set goes on"
    assert eventually(lambda: old.get("/v1/sets/s").headers["ETag"] == other, within=60)
    for node in (old, new):
        assert node.get("/v1/sets/s", headers={"If-None-Match": tag}).status_code == 200
        assert node.get("/v1/sets/s", headers={"If-None-Match": other}).status_code == 304
        assert node.call("PATCH", "/v1/sets/s", json={"meta": 1}, headers={"If-Match": tag}).status_code == 412
        assert first_event(node, other.strip('"')) == (f"id: {other}".replace('"', "").encode(), b"")
        assert first_event(node, tag.strip('"'))[1] == b"event: reset"


def test_refusals_are_put_to_the_log(engine, cluster):
    """A server alone may not know the newest: what most of them keep decides, at one message each."""
    made = cluster[0].put("/v1/sets/s", SET)
    seen(cluster[1], "/v1/sets/s", revision_of(made))
    refusals, begun, before = 40, time.monotonic(), metric(cluster[1], "gjkd_cluster_revision")
    for i in range(refusals):
        headers = ({"If-None-Match": "*"}, {"If-Match": '"0-1"'})[i % 2]
        assert cluster[1].call("PUT", "/v1/sets/s", json=SET, headers=headers).status_code == 412
    put = metric(cluster[1], "gjkd_cluster_revision") - before
    own = len(cluster) * (1 + 2 * (time.monotonic() - begun))  # each node asks twice a second, too
    assert refusals <= put <= refusals + own
    assert cluster[1].call("PATCH", "/v1/sets/none", json={}).status_code == 404
    same_everywhere(cluster, "s", revision_of(made))
    engine.signal(signal.SIGSTOP)
    try:
        reply = cluster[1].call("PUT", "/v1/sets/s", json=SET, headers={"If-None-Match": "*"})
        assert reply.status_code == 503 and reply.json()["code"] == "not-ready"
    finally:
        engine.signal(signal.SIGCONT)


def test_a_node_waits_for_the_engine_and_ends_when_it_is_told_to(tmp_path):
    port = nats.free_port()
    node = subprocess.Popen([BINARY, "--listen", "127.0.0.1:0", "--cluster", "test", "--nats",
                             f"nats://127.0.0.1:{port}"], env=clean_environment(),
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while b"waiting for NATS" not in node.stderr.readline():
        pass
    node.send_signal(signal.SIGTERM)
    out, _ = node.communicate(timeout=60)
    assert out == b"" and node.returncode == 1


def test_an_engine_before_2_10_ends_the_start(tmp_path):
    old = shutil.which("nats-server", path="/usr/sbin:/usr/bin")
    if old is None or b"v2.9." not in subprocess.check_output([old, "--version"]):
        pytest.skip("Debian 12's nats-server is not there")
    port = str(nats.free_port())
    with subprocess.Popen([old, "-js", "-a", "127.0.0.1", "-p", port, "-sd", tmp_path],
                          stderr=subprocess.DEVNULL) as engine_before:
        ended = run_to_end("--nats", f"nats://127.0.0.1:{port}", "--cluster", "x", "--cluster-init",
                           "--listen", "127.0.0.1:0")
        engine_before.kill()
    assert ended.returncode == 2 and "NATS is older than 2.10" in ended.stderr


def test_the_node_that_makes_the_log_puts_its_sets_there(engine, join, tmp_path):
    alone = Daemon("--data-dir", str(tmp_path / "data"))
    for i in range(3):
        alone.store(f"s{i}", SET | {"meta": i, "history": {"ticks": 3}})
    handle = alone.get("/v1/sets/s2").json()["shapes"]["b"]["handle"]
    alone.stop()
    nodes = [join(NODES[0], "--data-dir", str(tmp_path / "data")), join(NODES[1])]
    for node in nodes:
        assert [each["name"] for each in node.get("/v1/sets").json()["sets"]] == ["s0", "s1", "s2"]
        assert node.get("/v1/sets/s2").json()["shapes"]["b"]["handle"] == handle
    reply = nodes[1].call("PATCH", "/v1/sets/s1", json={"meta": "in the log"})
    assert reply.status_code == 200
    same_everywhere(nodes, "s1", revision_of(reply))
    nodes[0].stop()
    again = join(NODES[0], "--cluster-init", "--data-dir", str(tmp_path / "data"))
    assert seen(again, "/v1/sets/s1", revision_of(reply)).json()["meta"] == "in the log"


def test_a_node_that_finds_no_log_waits_for_one(engine):
    node = subprocess.Popen([BINARY, "--listen", "127.0.0.1:0", "--cluster", "test", "--nats",
                             engine.url], env=clean_environment(),
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while b"no such stream" not in node.stderr.readline():
        pass
    assert "error" in ask_engine(engine, "$JS.API.STREAM.INFO.gjkd_test"), "it makes none"
    node.send_signal(signal.SIGTERM)
    out, _ = node.communicate(timeout=60)
    assert out == b"" and node.returncode == 1


@pytest.mark.parametrize("flags, error", [
    (["--cluster", "a"], "--nats is missing"),
    (["--nats", "nats://me:password@x"], "--cluster is missing"),
    (["--nats", "nats://x", "--cluster", "a.b"], "--cluster: a name has 1 to 32"),
    (["--nats", "nats://x", "--cluster", "a" * 33], "--cluster: a name has 1 to 32"),
    (["--nats", "nats://x", "--cluster", "a", "--node", "n" * 65], "--node: a name has at most 64"),
    (["--nats", "nats://x", "--cluster", "a", "--replicas", "6"], "--replicas: \"6\""),
    (["--nats", "", "--cluster", "a"], "--nats: no server is named"),
    (["--node", "a"], "--node has no effect without --nats and --cluster"),
    (["--check-config", "--nats-ca", "a.pem"], "--nats-ca has no effect without --nats and"),
])
def test_settings_that_do_not_fit_are_refused(flags, error):
    ended = run_to_end(*flags)
    assert ended.returncode == 2 and error in ended.stderr and "password" not in ended.stderr
