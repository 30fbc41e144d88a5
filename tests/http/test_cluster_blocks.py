"""A tick with its questions on one node: the others answer the same of it, and tell what it overlaps."""

import random
import threading

import pytest

import scenes
from events import StreamEvents
from messages import gjkd as pb
from test_blocks import batch_of, block_of, drawn, fill, ray, send, tick_of
from test_cluster import CIRCLE, NODES, engine, join, same_everywhere  # noqa: F401
from test_cluster_ticks import SLOW, shows

PATH = "/v1/sets/blocks"


@pytest.fixture
def nodes(join):  # noqa: F811
    return [join(host, *SLOW) for host in NODES]


@pytest.mark.parametrize("dimension", [2, 3])
def test_the_blocks_of_a_tick_are_answered_alike(nodes, dimension):
    rng, handles = random.Random(dimension), fill(nodes[0], dimension)
    for tick in (4, 5, 6):
        position = [x for _ in handles for x in scenes.vector(rng, dimension, -2, 2)]
        blocks = drawn(rng, dimension, handles, 2)
        message = pb.TickColumns(poses=pb.PoseColumns(dimension=dimension, handle=handles, position=position),
                                 block=[block_of(*each) for each in blocks])
        reply = send(nodes[0], f"{PATH}/ticks/{tick}", message)
        assert reply.status_code == 201, reply.text
    told = [each.SerializeToString() for each in pb.TickAnswers.FromString(reply.content).block]
    for node in nodes:
        shows(node, "blocks", 6)
        shows(node, "blocks.cover", 3)
    same_everywhere(nodes, "blocks", 1)
    for node in nodes:
        reply = send(node, f"{PATH}/batch", batch_of(dimension, blocks))
        assert reply.status_code == 200, reply.text
        assert [each.SerializeToString() for each in pb.BatchAnswers.FromString(reply.content).block] == told


@pytest.mark.parametrize("what", ["columns", "json", "linearizable"])
def test_what_waits_for_a_worker_does_not_wait_for_itself(join, what):  # noqa: F811
    """What has waited for the log in its set's line takes turns with others at its answer."""
    node, over = join(NODES[0], "--workers", "1"), threading.Event()
    handles, many = fill(node, 3), {"queries": [{"op": "detect"}] * 300}

    def ask():
        with node.new_session() as session:
            while not over.is_set():
                assert node.post(f"{PATH}/batch", many, session=session).status_code == 200

    others = [threading.Thread(target=ask) for _ in range(4)]
    for other in others:
        other.start()
    try:
        for tick in range(10, 14):
            if what == "columns":
                message = tick_of(3, handles, tick, [("raycast", ray(3, 2000))])
                assert send(node, f"{PATH}/ticks/{tick}", message).status_code == 201
            elif what == "json":
                assert node.post(f"{PATH}/ticks/{tick}", {"shapes": {}} | many).status_code == 201
            else:
                reply = node.call("POST", f"{PATH}/batch", json=many, headers={"Gjkd-Consistency": "linearizable"})
                assert reply.status_code == 200
    finally:
        over.set()
        for other in others:
            other.join()


def test_overlaps_of_another_nodes_ticks_are_told(nodes):
    """Each of them is told on all nodes, or a reset says that some are not."""
    nodes[0].store("s", {"dimension": 2, "history": {"ticks": 8}, "shapes": {
        "a": CIRCLE, "visitor": CIRCLE | {"position": [50, 0]}}})
    for node in nodes:
        shows(node, "s", None)
    watches = [StreamEvents(node, "s", "?kinds=overlap") for node in nodes]
    for watch in watches:
        assert watch.next().data["begin"] == []
    for tick in range(1, 102):
        poses = {"visitor": {"position": [1 if tick % 2 else 50, 0]}}
        assert nodes[0].put(f"/v1/sets/s/ticks/{tick}", {"shapes": poses}).status_code == 201
    for watch in watches:
        told = []
        while not told or told[-1].kind == "reset" or told[-1].data["tick"] < 101:
            told.append(watch.next())
        visits = [event.data["tick"] for event in told if event.kind == "overlap" and event.data["begin"]]
        assert visits == list(range(1, 102, 2)) or any(event.kind == "reset" for event in told)
        watch.close()
