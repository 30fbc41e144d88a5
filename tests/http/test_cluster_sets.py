"""Nodes that hold some of the sets (--sets): the others are elsewhere, and each node says where."""

import json

import pytest

import problem
from daemon import run_to_end
from stream_wire import WebSocket
from test_cluster import CIRCLE, NODES, SET, engine, join, seen  # noqa: F401 (fixtures)
from wire import eventually

NAMES = ("a1", "b1", "my-c", "other")


@pytest.fixture
def halves(join):  # noqa: F811
    """The first holds a and b sets, the second b and c sets, the third all."""
    nodes = [join(NODES[0], "--sets", "a*,b*"), join(NODES[1], "--sets", "b*,*-c"),
             join(NODES[2])]
    assert eventually(lambda: all(len(node.get("/v1/cluster").json()["nodes"]) == 3 for node in nodes))
    for name in NAMES:
        made = nodes[2].put(f"/v1/sets/{name}", SET).json()["revision"]
    for node, name in ((nodes[0], "b1"), (nodes[1], "my-c")):  # the log is shown to its end
        seen(node, f"/v1/sets/{name}", nodes[2].get(f"/v1/sets/{name}").json()["revision"])
    assert made
    return nodes


def names(node):
    return [each["name"] for each in node.get("/v1/sets").json()["sets"]]


def test_each_holds_what_it_was_told_to(halves):
    assert [names(node) for node in halves] == [["a1", "b1"], ["b1", "my-c"], list(NAMES)]
    lines = halves[0].get("/v1/export").text.splitlines()
    assert [json.loads(line)["name"] for line in lines] == ["a1", "b1"]
    told = {each["node"]: each["sets"] for each in halves[1].get("/v1/cluster").json()["nodes"]}
    assert eventually(lambda: told == {"node-0": 2, "node-1": 2, "node-2": 4}
                      or told.update({each["node"]: each["sets"] for each in
                                      halves[1].get("/v1/cluster").json()["nodes"]}))
    kept = halves[0].call("PATCH", "/v1/sets/b1", json={"meta": 1}).json()["revision"]
    assert seen(halves[1], "/v1/sets/b1", kept).json()["meta"] == 1


@pytest.mark.parametrize("method, path, body", [
    ("GET", "", None), ("PUT", "", SET), ("PATCH", "", {"meta": 1}), ("DELETE", "", None),
    ("GET", "/shapes/a", None), ("PUT", "/shapes/c", CIRCLE), ("DELETE", "/shapes/a", None),
    ("POST", "/detect", {"a": "a", "b": "b"}), ("POST", "/batch", {"queries": []}),
    ("GET", "/ticks", None), ("POST", "/ticks/1", {}), ("GET", "/events", None)])
def test_others_are_told_where_to_go(halves, method, path, body):
    before = halves[2].get("/v1/sets/a1").content
    for name in ("a1", "a-that-nobody-made"):
        reply = halves[1].call(method, f"/v1/sets/{name}{path}", json=body)
        problem.check(reply, "not-here", detail="nodes that do: node-0, node-2")
    assert halves[2].get("/v1/sets/a1").content == before


def test_a_query_of_a_held_set_may_not_name_another(halves):
    ray = {"origin": [-9, 0], "direction": [1, 0]}
    shot = {"ray": ray, "policy": {"obstacles": {"set": "a1", "at": "newest"}}}
    reply = halves[1].post("/v1/sets/b1/hit", shot)
    problem.check(reply, "not-here", pointer="/policy/obstacles/set", detail="node-0, node-2")


def test_a_stream_goes_on(halves):
    with WebSocket(halves[1]) as stream:
        stream.call(1, "GET", "/v1/sets/a1")
        stream.call(2, "GET", "/v1/sets/b1")
        answers = {each["id"]: each["status"] for each in (stream.answer(), stream.answer())}
    assert answers == {1: 421, 2: 200}


def test_an_import_is_refused_at_its_line(halves):
    lines = "".join(json.dumps({"name": name, **SET}) + "\n" for name in ("b2", "a2"))
    reply = halves[1].call("POST", "/v1/import", data=lines,
                           headers={"Content-Type": "application/x-ndjson"})
    problem.check(reply, "not-here", pointer="/2", detail="nodes that do: node-0, node-2")
    assert halves[2].get("/v1/sets/a2").status_code == 404


def test_ticks_of_other_sets_are_passed_over(halves):
    halves[0].put("/v1/sets/a1", SET | {"history": {"ticks": 8}})
    for tick in range(5):
        reply = halves[0].put(f"/v1/sets/a1/ticks/{tick}", {"shapes": {"a": {"position": [tick, 0]}}})
        assert reply.status_code in (200, 201), reply.text
    assert eventually(lambda: halves[2].get("/v1/sets/a1/ticks").json()["newest"] == 4)
    metrics = halves[1].get("/metrics").text
    assert 'gjkd_cluster_ticks_dropped_total 0' in metrics


def test_a_node_that_nobody_holds_for_says_so(join):  # noqa: F811
    node = join(NODES[0], "--sets", "here")
    problem.check(node.get("/v1/sets/there"), "not-here", detail="no node is known that does")


@pytest.mark.parametrize("patterns, error", [
    ("", '"" is not the name of a set'), ("a,,b", '"" is not the name of a set'),
    ("a b", '"a b" is not the name'), ("a?", '"a?" is not the name'), ("[a]", '"[a]" is not'),
    ("a" * 129, "is not the name of a set"),
    (f"{'a' * 127}*,{'b' * 128}", "at most 255 bytes"),
])
def test_patterns_that_are_none_are_refused(patterns, error):
    ended = run_to_end("--nats", "nats://x", "--cluster", "a", "--sets", patterns, "--check-config")
    assert ended.returncode == 2 and error in ended.stderr, ended.stderr


def test_patterns_may_have_255_bytes():
    ended = run_to_end("--nats", "nats://x", "--cluster", "a", "--sets", f"{'a' * 127}*,{'b' * 126}",
                       "--check-config")
    assert ended.returncode == 0, ended.stderr
    ended = run_to_end("--check-config", "--sets", "a")
    assert ended.returncode == 2 and "--sets has no effect without --nats" in ended.stderr
