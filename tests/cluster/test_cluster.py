"""Three nodes, one truth: what is written on one is answered by all, and of many writers one is right."""

import json
import select
import subprocess
import threading
import time

from daemon import BINARY, Daemon, clean_environment
from nodes import CLUSTER
from traffic import Traffic, box, judge

MESH = {"type": "mesh", "vertices": [[x / 7, y / 3, (x * y) % 5 / 8] for y in range(150)
                                     for x in range(150)],
        "triangles": [[y * 150 + x, y * 150 + x + 1, (y + 1) * 150 + x]
                      for y in range(149) for x in range(149)]}


def put(node, name, body, **headers):
    status, headers, body = node.ask("PUT", f"/v1/sets/{name}", body, headers)
    assert status in (200, 201), body
    return headers, json.loads(body)


def test_what_a_node_says_of_itself(cluster):
    for i, node in enumerate(cluster.nodes):
        about = json.loads(node.ask("GET", "/v1")[2])
        assert about["durability"] == "quorum"
        assert about["cluster"] | {"revision_lag": 0} == {
            "name": "test", "node": f"node-{i + 1}", "state": "ready", "revision_lag": 0}
        assert node.ask("GET", "/readyz")[0] == 200


def test_what_one_node_took_all_answer(cluster):
    """Sets of all sizes, in any order of nodes: equal bytes, tags, handles; then deleted everywhere."""
    bodies = {"plain": {"dimension": 2, "shapes": {"a": box(1), "b": box(2)}},
              "empty": {"dimension": 3, "meta": {"k": [1, 2.5]}},
              "world": {"dimension": 3, "shapes": {"m": MESH, "p": {"type": "point"}}}}
    for i, (name, body) in enumerate(bodies.items()):
        headers, summary = put(cluster.nodes[i], name, body)
        assert headers["Gjkd-Durability"] == "quorum"
        for node in cluster.nodes:  # also one that does not know the set yet
            status, seen, _ = node.ask("GET", f"/v1/sets/{name}",
                                       headers={"Gjkd-Min-Revision": str(summary["revision"])})
            assert status == 200 and seen["ETag"] == headers["ETag"]
        cluster.agree(f"/v1/sets/{name}")
    shapes = json.loads(cluster.agree("/v1/sets/plain")[2])["shapes"]
    handles = {name: shape["handle"] for name, shape in shapes.items()}
    status, headers, body = cluster.nodes[2].ask(
        "PATCH", "/v1/sets/plain", {"shapes": {"c": box(3), "a": None}})
    assert status == 200
    _, tag, body = cluster.agree("/v1/sets/plain")
    assert tag == headers["ETag"]
    assert json.loads(body)["shapes"]["b"]["handle"] == handles["b"]
    assert json.loads(body)["shapes"]["c"]["handle"] not in handles.values()
    asked = [node.ask("POST", "/v1/sets/world/distance", {"a": "m", "b": "p"}) for node in cluster.nodes]
    assert {status for status, _, _ in asked} == {200} and len({body for _, _, body in asked}) == 1
    for i, name in enumerate(bodies):
        assert cluster.nodes[i - 1].ask("DELETE", f"/v1/sets/{name}")[0] == 204
        cluster.wait_gone(name)


def test_a_set_made_anew_matches_no_older_tag(cluster):
    first, _ = put(cluster.nodes[0], "anew", {"dimension": 2})
    assert cluster.nodes[1].ask("DELETE", "/v1/sets/anew", headers={"If-Match": first["ETag"]})[0] == 204
    second, _ = put(cluster.nodes[2], "anew", {"dimension": 2})
    assert second["ETag"] != first["ETag"]
    status, _, _ = cluster.nodes[0].ask("PATCH", "/v1/sets/anew", {"meta": 1},
                                        {"If-Match": first["ETag"]})
    assert status == 412


def test_of_eight_that_hold_one_tag_one_is_acknowledged(cluster):
    headers, _ = put(cluster.nodes[0], "contended", {"dimension": 2})
    tag, revision = headers["ETag"], 0
    for round_ in range(20):
        found, gate = [], threading.Barrier(8)

        def write(i):
            gate.wait(30)
            found.append(cluster.nodes[i % 3].ask("PATCH", "/v1/sets/contended",
                                                  {"meta": [round_, i]}, {"If-Match": tag}))
        writers = [threading.Thread(target=write, args=(i,)) for i in range(8)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        statuses = sorted(status for status, _, _ in found)
        assert statuses == [200] + [412] * 7, statuses
        [(_, headers, body)] = [each for each in found if each[0] == 200]
        assert json.loads(body)["revision"] > revision
        tag, revision = headers["ETag"], json.loads(body)["revision"]
    assert cluster.agree("/v1/sets/contended")[1] == tag


def test_a_revision_that_will_not_come_is_waited_for_until_the_deadline(cluster):
    _, summary = put(cluster.nodes[0], "waited", {"dimension": 2})
    for name in ("waited", "never-made"):
        status, _, body = cluster.nodes[1].ask(
            "GET", f"/v1/sets/{name}", headers={"Gjkd-Min-Revision": str(summary["revision"] + 10**9),
                                                "Gjkd-Timeout-Ms": "300"})
        assert status == 504 and json.loads(body)["code"] == "deadline-exceeded"


def test_what_never_comes_holds_up_nothing_else(cluster):
    """Requests for a revision, and under a tick, that nobody made wait until their time is up: newest reads,
    writes of the same set and reads of its next revision are answered meanwhile."""
    headers, summary = put(cluster.nodes[0], "held-up", {"dimension": 2, "history": {"ticks": 4}})
    tag = headers["ETag"][:-1] + '-99"'
    asked = [("GET", None, {"Gjkd-Min-Revision": str(summary["revision"] + 10**9)})] * 4
    asked += [("PATCH", {"meta": 1}, {"If-Match": tag})] * 3
    hopeless = [cluster.nodes[0].connection() for _ in asked]
    for connection, (method, body, fields) in zip(hopeless, asked):
        connection.request(method, "/v1/sets/held-up", body and json.dumps(body),
                           {"Content-Type": "application/json", "Gjkd-Timeout-Ms": "60000"} | fields)
    time.sleep(0.5)
    newest = {"Gjkd-Consistency": "linearizable"}
    assert cluster.nodes[0].ask("GET", "/v1/sets/held-up", headers=newest)[0] == 200
    revision = json.loads(cluster.nodes[1].ask("PATCH", "/v1/sets/held-up", {"meta": 2})[2])["revision"]
    shown = cluster.nodes[0].ask("GET", "/v1/sets/held-up", headers={"Gjkd-Min-Revision": str(revision)})
    assert shown[0] == 200
    waiting = [connection.sock for connection in hopeless[:4]]
    assert not select.select(waiting, [], [], 0)[0], "they still wait"
    for connection in hopeless:
        connection.close()


def test_more_copies_than_servers(cluster):
    """Of a stream that is to be made, with the remedy; one that is there is kept as it is."""
    words = [BINARY, "--listen", "127.0.0.1:0", "--nats", cluster.engine.url, "--replicas", "5", "--cluster-init",
             "--cluster"]
    with subprocess.Popen([*words, "five"], env=clean_environment(), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as node:
        while b"fewer servers with JetStream than --replicas" not in (line := node.stderr.readline()):
            assert line, "it has ended"
        node.terminate()
        assert node.communicate(timeout=60)[0] == b"", "it was not ready"
    node = Daemon(*words[3:], CLUSTER, "--node", "node-4")
    assert b"5 copies of the stream gjkd_test: NATS has fewer servers" in node.stderr()
    assert node.get("/readyz").status_code == 200
    node.stop()


def test_eight_writers(cluster):
    traffic = Traffic(cluster, "calm")
    time.sleep(3)
    judge(cluster, traffic, 20)
