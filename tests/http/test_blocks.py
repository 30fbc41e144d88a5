"""Blocks of columns: BatchColumns and TickColumns against each block's message alone."""

import json
import os
import random

import pytest

import problem
import scenes
from column_tables import NONE
from daemon import Daemon
from messages import TYPE, flat, gjkd as pb
from stream_wire import BINARY, WebSocket, pack_call, unpack_answer

PATH, COVER = "/v1/sets/blocks", "blocks.cover"
FULL = bool(os.environ.get("GJKD_FULL"))
ROUTES = {"raycast": pb.RaycastAnswers, "cast": pb.CastAnswers, "detect": pb.PairAnswers,
          "distance": pb.PairAnswers, "nearest": pb.NearestAnswers, "overlap": pb.OverlapAnswers, "hit": pb.HitAnswers, "configurations": pb.ConfigurationAnswers,
          "move": pb.MoveAnswers}


def fill(daemon, dimension, path=PATH):
    """A set and its cover, each with the ticks 1 to 3, in which all has moved."""
    rng = random.Random(70 + dimension)
    for at, seed in ((path, 5), (f"/v1/sets/{COVER}", 6)):
        shapes = scenes.scene(seed, dimension)
        assert daemon.put(at, {"dimension": dimension, "history": {"ticks": 3},
                               "shapes": shapes}).status_code in (200, 201)
        for tick in (1, 2, 3):
            moved = {i: {"position": scenes.vector(rng, dimension, -2, 2)} for i in shapes}
            assert daemon.put(f"{at}/ticks/{tick}", {"shapes": moved}).status_code == 201
    return [shape["handle"] for shape in daemon.get(path).json()["shapes"].values()]


def question(kind, rng, dimension, handles, count):
    """A message of so many rows."""
    def vectors(low=-4, high=4):
        return flat(scenes.vector(rng, dimension, low, high) for _ in range(count))

    def some():
        return [rng.choice(handles) for _ in range(count)]

    partial = rng.random() < 0.3
    if kind == "raycast":
        return pb.RaycastColumns(dimension=dimension, origin=vectors(), direction=vectors(), partial=partial,
                                 exits=rng.random() < 0.5, mode=rng.choice([0, 0, 1, 2]))
    if kind == "cast":
        return pb.CastColumns(dimension=dimension, shape=some(), translation=vectors(), partial=partial,
                              at_start=rng.choice([0, 1, 2, 3]), mode=rng.choice([0, 0, 2]))
    if kind in ("detect", "distance"):
        return pb.PairColumns(dimension=dimension, a=some(), b=some(), position_a=vectors(), partial=partial)
    if kind == "hit":
        return pb.HitColumns(dimension=dimension, origin=vectors(), direction=vectors(), claim=some(),
                             obstacles=rng.choice(["", COVER, "blocks"]), partial=partial,
                             more_obstacles=rng.choice([[], ["blocks"]]), near_miss=rng.choice([0, 1]))
    if kind == "nearest":
        return pb.NearestColumns(dimension=dimension, shape=some(), position=vectors(), limit=3, partial=partial)
    if kind == "overlap":
        return pb.OverlapColumns(dimension=dimension, shape=some(), position=vectors(), partial=partial,
                                 penetration=rng.choice([0, 1]))
    if kind == "move":
        return pb.MoveColumns(dimension=dimension, shape=some(), translation=vectors(-1, 1), partial=partial)
    shapes = rng.sample(handles, 2)
    return pb.ConfigurationColumns(dimension=dimension, shape=shapes, self=True, distance=True,
                                   threshold=[1], position=vectors() + vectors())


def block_of(kind, message):
    return pb.Block(**{kind: message})


def drawn(rng, dimension, handles, count):
    """So many blocks of every kind, also empty ones, as pairs of kind and message."""
    blocks = [(kind, question(kind, rng, dimension, handles, rng.choice([1, 3, 40])))
              for kind in list(ROUTES) * count]
    blocks.append(("raycast", pb.RaycastColumns(dimension=dimension)))
    rng.shuffle(blocks)
    return blocks


def send(daemon, url, message, **headers):
    data = message if isinstance(message, bytes) else message.SerializeToString()
    return daemon.call("POST", url, data=data, headers={"Content-Type": TYPE} | headers)


def send_alone(daemon, path, kind, message, **headers):
    named = {"nearest": ("distance", f"{TYPE}; message=NearestColumns"),
             "overlap": ("detect", f"{TYPE}; message=OverlapColumns")}
    route, type_ = named.get(kind, (kind, TYPE))
    return send(daemon, f"{path}/{route}", message, **({"Content-Type": type_} | headers))


def batch_of(dimension, blocks, **more):
    return pb.BatchColumns(dimension=dimension, block=[block_of(*b) for b in blocks], **more)


class World:
    def __init__(self, dimension):
        self.dimension = dimension
        self.daemons = [Daemon("--workers=1", "--io-threads=1"), Daemon("--workers=16")]
        self.handles = [fill(daemon, dimension) for daemon in self.daemons][0]
        self.streams = [WebSocket(daemon) for daemon in self.daemons]

    def stop(self):
        for stream, daemon in zip(self.streams, self.daemons):
            stream.socket.close()
            daemon.stop()


@pytest.fixture(scope="module", params=[2, 3])
def world(request):
    made = World(request.param)
    yield made
    made.stop()


def over_stream(stream, path, data, accept=TYPE):
    stream.send(BINARY, pack_call(1, "POST", path, TYPE, data, [("Accept", accept)]))
    _, status, _, body, _ = unpack_answer(stream.receive()[1])
    return status, body


@pytest.mark.parametrize("seed", range(4))
def test_a_block_has_the_bytes_of_its_message_alone(world, seed):
    rng = random.Random(seed)
    blocks = drawn(rng, world.dimension, world.handles, 1 + seed)
    batch = batch_of(world.dimension, blocks)
    replies = [send(daemon, f"{PATH}/batch", batch) for daemon in world.daemons]
    assert [r.status_code for r in replies] == [200, 200], replies[0].text
    for daemon, stream, reply in zip(world.daemons, world.streams, replies):
        assert reply.headers["Content-Type"] == TYPE
        assert over_stream(stream, f"{PATH}/batch", batch.SerializeToString()) == (200, reply.content)
        answers = pb.BatchAnswers.FromString(reply.content)
        assert answers.SerializeToString() == reply.content
        for (kind, message), answer in zip(blocks, answers.block, strict=True):
            alone = send_alone(daemon, PATH, kind, message)
            assert alone.status_code == 200 and answer.WhichOneof("answers") == kind
            assert getattr(answer, kind).SerializeToString() == alone.content
    assert [a for a in answers.block] == [a for a in pb.BatchAnswers.FromString(replies[0].content).block]
    told = send(world.daemons[0], f"{PATH}/batch", batch, Accept="application/json")
    assert told.headers["Content-Type"].startswith("application/json")
    for (kind, message), answer in zip(blocks, told.json()["block"], strict=True):
        alone = send_alone(world.daemons[0], PATH, kind, message, Accept="application/json")
        assert answer == {kind: alone.json()}
    assert told.json()["revision"] == pb.BatchAnswers.FromString(replies[0].content).revision


@pytest.fixture(params=[2, 3])
def set_of(request, gjkd):
    handles = fill(gjkd, request.param)
    yield request.param, handles
    gjkd.call("DELETE", PATH)
    gjkd.call("DELETE", f"/v1/sets/{COVER}")


def ray(dimension, count=1, **more):
    return pb.RaycastColumns(dimension=dimension, origin=[-5.0] * dimension * count,
                             direction=[1.0] * dimension * count, **more)


def test_the_tick_of_the_batch_holds_for_blocks_without_one(gjkd, set_of):
    dimension, handles = set_of
    rng = random.Random(1)
    blocks = [b for b in drawn(rng, dimension, handles, 1) if b[0] != "configurations"]
    answers = pb.BatchAnswers.FromString(
        send(gjkd, f"{PATH}/batch", batch_of(dimension, blocks, at_tick=[1.5])).content)
    for (kind, message), answer in zip(blocks, answers.block):
        message.at_tick[:] = [1.5]
        alone = send_alone(gjkd, PATH, kind, message)
        assert getattr(answer, kind).SerializeToString() == alone.content
    own = batch_of(dimension, [("raycast", ray(dimension, at_tick=[2]))])
    both = batch_of(dimension, [("raycast", ray(dimension, at_tick=[2]))], at_tick=[99])
    assert send(gjkd, f"{PATH}/batch", own).content == send(gjkd, f"{PATH}/batch", both).content
    late = batch_of(dimension, [("raycast", ray(dimension))], at_tick=[99])
    problem.check(send(gjkd, f"{PATH}/batch", late), "tick-in-future", "/block/0/raycast/at_tick/0")
    arm = pb.ConfigurationColumns(dimension=dimension, shape=handles[:1], position=[0.0] * dimension)
    then = send(gjkd, f"{PATH}/batch", batch_of(dimension, [("configurations", arm)], at_tick=[1]))
    told = gjkd.ask(f"{PATH}/configurations", {"shapes": [gjkd_id(gjkd, handles[0])], "at": {"tick": 1},
                                               "poses": [[{"position": [0.0] * dimension}]]})
    row = pb.BatchAnswers.FromString(then.content).block[0].configurations
    assert list(row.colliding) == [told["results"][0]["colliding"]]


def gjkd_id(gjkd, handle):
    return next(i for i, s in gjkd.get(PATH).json()["shapes"].items() if s["handle"] == handle)


def test_a_bad_row_names_its_block_and_partial_spares_the_others(gjkd, set_of):
    dimension, handles = set_of
    good, url = ("raycast", ray(dimension, 3)), f"{PATH}/batch"
    bad = ray(dimension, 2, ignore_group_of=[NONE, 4000])
    reply = send(gjkd, url, batch_of(dimension, [good, good, ("raycast", bad), ("raycast", bad)]))
    problem.check(reply, "shape-not-found", "/block/2/raycast/ignore_group_of/1")
    bad.partial = True
    other = pb.PairColumns(dimension=dimension, a=[handles[0]] * 2, b=[handles[1], 4000], partial=True)
    answers = pb.BatchAnswers.FromString(
        send(gjkd, url, batch_of(dimension, [good, ("raycast", bad), ("detect", other)])).content)
    assert list(answers.block[1].raycast.status) == [0, 4] and list(answers.block[2].detect.status)[1] == 4
    assert answers.block[0].raycast.SerializeToString() == send(gjkd, f"{PATH}/raycast", good[1]).content
    zero = ray(dimension, 2)
    zero.direction[dimension:] = [0.0] * dimension
    problem.check(send(gjkd, url, batch_of(dimension, [good, ("raycast", zero)])),
                  "zero-direction", "/block/1/raycast/direction/1")
    missing = pb.HitColumns(dimension=dimension, origin=[0.0] * dimension, direction=[1.0] * dimension,
                            obstacles="nowhere")
    problem.check(send(gjkd, url, batch_of(dimension, [good, ("hit", missing)])),
                  "set-not-found", "/block/1/hit/obstacles")
    arm = pb.ConfigurationColumns(dimension=dimension, shape=[4000], position=[0.0] * dimension)
    problem.check(send(gjkd, url, batch_of(dimension, [good, ("configurations", arm)])),
                  "shape-not-found", "/block/1/configurations/shape/0")


def test_what_is_no_batch_is_refused(gjkd, set_of):
    dimension, _ = set_of
    url, other = f"{PATH}/batch", 5 - dimension
    check = lambda message, code, pointer=None, **more: problem.check(
        send(gjkd, url, message), code, pointer, **more)
    check(pb.BatchColumns(block=[block_of("raycast", ray(dimension))]), "missing-member", "/dimension")
    check(batch_of(other, []), "dimension-mismatch", "/dimension")
    check(batch_of(dimension, [("raycast", ray(other))]), "dimension-mismatch", "/block/0/raycast/dimension")
    check(pb.BatchColumns(dimension=dimension, block=[pb.Block()]), "missing-member", "/block/0")
    two = block_of("raycast", ray(dimension)).SerializeToString() * 2
    check(b"\x08%c" % dimension + b"\x12%c" % len(two) + two if len(two) < 128 else
          b"\x08%c" % dimension + b"\x12%c\x01" % (len(two) & 127 | 128) + two, "wrong-type", "/block/0")
    check(b"\x08%c\x12\x02\x7a\x00" % dimension, "unknown-member", "/block/0")
    check(b"\x08%c\x12\x04\x0a\x02\x08" % dimension, "malformed-protobuf")
    check(b"\x08%c\x12\x04\x0a\x02\x08\xff" % dimension, "malformed-protobuf", "/block/0/raycast")
    check(b"\x08%c\x22\x00" % dimension, "unknown-member")
    check(batch_of(dimension, [], at_tick=[1, 2]), "too-many", "/at_tick", limit=1)
    check(batch_of(dimension, [], at_tick=[-1]), "out-of-range", "/at_tick/0")
    empty = send(gjkd, url, batch_of(dimension, []))
    assert empty.status_code == 200 and not pb.BatchAnswers.FromString(empty.content).block
    etag = gjkd.get(PATH).headers["ETag"]
    assert empty.headers["ETag"] == etag
    assert send(gjkd, url, batch_of(dimension, []), **{"If-Match": etag}).status_code == 200
    problem.check(send(gjkd, url, batch_of(dimension, []), **{"If-Match": '"no"'}), "revision-mismatch")
    problem.check(send(gjkd, "/v1/sets/nowhere/batch", batch_of(dimension, [])), "set-not-found")
    json_in = {"Content-Type": "application/json", "Accept": TYPE}
    problem.check(gjkd.call("POST", url, data=b'{"queries": []}', headers=json_in), "not-acceptable")
    stateless = gjkd.call("POST", "/v1/batch", data=b"x", headers={"Content-Type": TYPE})
    problem.check(stateless, "unsupported-media-type")


def test_blocks_and_their_rows_are_limited(start):
    gjkd = start("--max-batch=100")
    handles = fill(gjkd, 2)
    url = f"{PATH}/batch"
    for count, status in ((49, 200), (50, 200), (51, 422)):
        blocks = [("raycast", ray(2, 50)), ("distance", pb.PairColumns(
            dimension=2, a=handles[:1] * count, b=handles[1:2] * count))]
        reply = send(gjkd, url, batch_of(2, blocks))
        assert reply.status_code == status
    problem.check(reply, "too-many", "/block/1/distance", limit=100)
    for count in (1023, 1024):
        reply = send(gjkd, url, batch_of(2, [("raycast", pb.RaycastColumns(dimension=2))] * count))
        assert len(pb.BatchAnswers.FromString(reply.content).block) == count
    reply = send(gjkd, url, batch_of(2, [("raycast", pb.RaycastColumns(dimension=2))] * 1025))
    problem.check(reply, "too-many", "/block", limit=1024)


def test_the_deadline_holds(gjkd, set_of):
    dimension, handles = set_of
    rng = random.Random(3)
    moves = [("move", question("move", rng, dimension, handles, 8000)) for _ in range(8)]
    reply = send(gjkd, f"{PATH}/batch", batch_of(dimension, moves), **{"Gjkd-Timeout-Ms": "20"})
    problem.check(reply, "deadline-exceeded")


def test_queries_are_counted_by_kind(start):
    gjkd = start()
    handles = fill(gjkd, 2)
    before = counted(gjkd)
    blocks = [("raycast", ray(2, 7)), ("distance", pb.PairColumns(dimension=2, a=handles[:1] * 5,
                                                                  b=handles[1:2] * 5))]
    assert send(gjkd, f"{PATH}/batch", batch_of(2, blocks)).status_code == 200
    assert {k: v - before[k] for k, v in counted(gjkd).items() if v != before[k]} == {
        "raycast": 7, "distance": 5}


def counted(gjkd):
    lines = [line for line in gjkd.get("/metrics").text.splitlines() if line.startswith("gjkd_queries_total{")]
    return {line.split('"')[1]: int(float(line.split()[-1])) for line in lines}


# --- Ticks ---

def poses(dimension, handles, at, **more):
    return pb.PoseColumns(dimension=dimension, handle=handles,
                          position=[float(at)] * dimension * len(handles), **more)


def tick_of(dimension, handles, at, blocks, **more):
    return pb.TickColumns(poses=poses(dimension, handles, at, **more), block=[block_of(*b) for b in blocks])


def test_a_tick_and_its_questions_are_as_two_requests(world):
    for k, (daemon, stream) in enumerate(zip(world.daemons, world.streams)):
        rng = random.Random(9)
        handles = fill(daemon, world.dimension, f"{PATH}.one")
        assert handles == fill(daemon, world.dimension, f"{PATH}.two")
        for tick in (10, 11, 12):
            blocks = [b for b in drawn(rng, world.dimension, handles, 1)
                      if b[0] != "hit" or "blocks" not in (b[1].obstacles, *b[1].more_obstacles)]
            message = tick_of(world.dimension, handles[:3], tick / 10, blocks)
            put = daemon.call("PUT", f"{PATH}.two/ticks/{tick}", data=message.poses.SerializeToString(),
                              headers={"Content-Type": TYPE})
            reply = send(daemon, f"{PATH}.one/ticks/{tick}", message)
            assert (put.status_code, reply.status_code) == (201, 201), reply.text
            assert reply.headers["ETag"] == daemon.get(f"{PATH}.one").headers["ETag"]
            assert "Gjkd-Durability" in reply.headers
            answers = pb.TickAnswers.FromString(reply.content)
            assert answers.SerializeToString() == reply.content
            assert not answers.unknown and answers.revision == put.json()["revision"]
            for (kind, asked), answer in zip(blocks, answers.block, strict=True):
                alone = send_alone(daemon, f"{PATH}.two", kind, asked)
                assert getattr(answer, kind).SerializeToString() == alone.content
            again = over_stream(stream, f"{PATH}.one/ticks/{tick}", message.SerializeToString())
            assert again == (200, reply.content)
            told = send(daemon, f"{PATH}.one/ticks/{tick}", message, Accept="application/json")
            assert told.status_code == 200 and set(told.json()) == {"revision", "block"}
        for name in ("one", "two"):
            daemon.call("DELETE", f"{PATH}.{name}")


def test_a_refused_tick_changes_nothing(gjkd, set_of):
    dimension, handles = set_of
    before, url = gjkd.get(PATH).headers["ETag"], f"{PATH}/ticks/9"
    good = ("raycast", ray(dimension))
    unknown = ("raycast", ray(dimension, ignore_group_of=[4000]))
    shot = ("hit", pb.HitColumns(dimension=dimension, origin=[0.0] * dimension, direction=[1.0] * dimension,
                                 shooter_of=[4000]))
    seen = ("hit", pb.HitColumns(at_tick=[2]))
    seen[1].MergeFrom(shot[1])
    arm = ("configurations", pb.ConfigurationColumns(dimension=dimension, shape=[4000],
                                                     position=[0.0] * dimension))
    then = ("configurations", pb.ConfigurationColumns(at_tick=[2]))
    then[1].MergeFrom(arm[1])
    twice = ("configurations", pb.ConfigurationColumns(dimension=dimension, shape=handles[:1] * 2,
                                                       position=[0.0] * dimension * 2))
    nought = ("detect", pb.PairColumns(dimension=dimension, a=handles[:1], b=[0]))
    cases = [
        (tick_of(dimension, handles[:1], 0, [good, nought]), "shape-not-found", "/block/1/detect/b/0"),
        (tick_of(dimension, handles[:1], 0, [shot]), "shape-not-found", "/block/0/hit/shooter_of/0"),
        (tick_of(dimension, handles[:1], 0, [seen]), "shape-not-found", "/block/0/hit/shooter_of/0"),
        (tick_of(dimension, handles[:1], 0, [then]), "shape-not-found", "/block/0/configurations/shape/0"),
        (tick_of(dimension, handles[:1], 0, [twice]), "out-of-range", "/block/0/configurations/shape/1"),
        (tick_of(dimension, [4000], 0, [good]), "shape-not-found", "/poses/handle/0"),
        (tick_of(5 - dimension, [], 0, [good]), "dimension-mismatch", "/poses/dimension"),
        (tick_of(dimension, handles[:1] * 2, 0, [good]), "out-of-range", "/poses/handle/1"),
        (tick_of(dimension, handles[:1], 0, [good, unknown]), "shape-not-found",
         "/block/1/raycast/ignore_group_of/0"),
        (tick_of(dimension, handles[:1], 0, [arm]), "shape-not-found", "/block/0/configurations/shape/0"),
        (tick_of(dimension, handles[:1], 0, [("raycast", ray(dimension, at_tick=[9.5]))]),
         "tick-in-future", "/block/0/raycast/at_tick/0"),
        (tick_of(dimension, handles[:1], 0, [("raycast", ray(dimension, at_tick=[0.5]))]),
         "tick-expired", "/block/0/raycast/at_tick/0"),
        (pb.TickColumns(block=[block_of(*good)]), "missing-member", "/poses"),
        (tick_of(dimension, [], 0, []).SerializeToString() * 2, "wrong-type", "/poses"),
    ]
    for message, code, pointer in cases:
        problem.check(send(gjkd, url, message), code, pointer)
    problem.check(send(gjkd, f"{PATH}/ticks/2", tick_of(dimension, [], 0, [good])), "tick-conflict")
    problem.check(send(gjkd, url, tick_of(dimension, [], 0, [good]), **{"If-Match": '"no"'}),
                  "revision-mismatch")
    problem.check(send(gjkd, "/v1/sets/nowhere/ticks/1", tick_of(dimension, [], 0, [])), "set-not-found")
    assert gjkd.get(PATH).headers["ETag"] == before
    assert send(gjkd, url, tick_of(dimension, [], 0, [good]), **{"If-Match": before}).status_code == 201


def test_rows_in_part_beside_a_tick(gjkd, set_of):
    dimension, handles = set_of
    blocks = [("raycast", ray(dimension, 5, at_tick=[1, 2, 3.5, 9, 10], partial=True)),
              ("raycast", ray(dimension, 1, at_tick=[9])),
              ("detect", pb.PairColumns(dimension=dimension, a=handles[:2], b=[handles[2], 4000], partial=True))]
    message = tick_of(dimension, [4000, handles[0], 4001], 1, blocks, partial=True)
    reply = send(gjkd, f"{PATH}/ticks/9", message)
    assert reply.status_code == 201
    answers = pb.TickAnswers.FromString(reply.content)
    assert list(answers.unknown) == [0, 2]
    assert list(answers.block[0].raycast.status) == [2, 0, 0, 0, 3]  # tick 1 has gone for tick 9
    assert answers.block[1].raycast.handle[0] == answers.block[0].raycast.handle[3]
    assert list(answers.block[2].detect.status)[1] == 4
    told = send(gjkd, f"{PATH}/ticks/9", message, Accept="application/json").json()
    assert told["unknown"] == [0, 2] and told["block"][0]["raycast"]["status"] == [2, 0, 0, 0, 3]
    # Once the tick is made, no block refuses it: tick 2 goes with this one.
    gone = tick_of(dimension, handles[:1], 2, [("raycast", ray(dimension, 1, at_tick=[2]))])
    reply = send(gjkd, f"{PATH}/ticks/10", gone)
    assert reply.status_code == 201
    assert list(pb.TickAnswers.FromString(reply.content).block[0].raycast.status) == [2]


def test_a_refusal_after_the_tick_says_that_it_is_made(start):
    gjkd = start("--max-answer", "65536", "--workers", "1")
    handles = fill(gjkd, 2)
    many = [("raycast", ray(2, 5000, partial=True))]
    reply = send(gjkd, f"{PATH}/ticks/9", tick_of(2, handles[:1], 1, many))
    problem.check(reply, "too-many", limit=65536)
    assert reply.headers["Gjkd-Durability"] == "memory" and gjkd.get(f"{PATH}/ticks").json()["newest"] == 9
    late = [("move", pb.MoveColumns(dimension=2, shape=handles[:1], translation=[1.0, 0.0] * 60000))]
    for tick, deadline_ms in enumerate((400, 1600, 6400, 25600), start=10):
        reply = send(gjkd, f"{PATH}/ticks/{tick}", tick_of(2, handles[:1], 1, late),
                     **{"Gjkd-Timeout-Ms": str(deadline_ms)})
        problem.check(reply, "deadline-exceeded")
        is_made = gjkd.get(f"{PATH}/ticks").json()["newest"] == tick
        assert reply.headers.get("Gjkd-Durability") == ("memory" if is_made else None)
        if is_made:  # a busy machine may not come as far as that at first
            break
    assert is_made


def test_overlaps_that_begin_and_end(gjkd, name):
    for k in ("columns", "json"):
        gjkd.store(f"{name}.{k}", {"dimension": 2, "history": {"ticks": 4}, "shapes": {
            i: {"type": "circle", "radius": 0.5, "category": 2 if i == "c" else 1, "position": [9 * n, 0]}
            for n, i in enumerate("abc")}})
    shapes = gjkd.get(f"/v1/sets/{name}.columns").json()["shapes"]
    handles = {i: shape["handle"] for i, shape in shapes.items()}
    for tick, (moved, rule) in enumerate([("a", {}), ("b", {}), ("c", {}), ("b", {"mask": 1})]):
        at = 0.25 * (tick + 1)
        message = pb.TickColumns(poses=pb.PoseColumns(dimension=2, handle=[handles[moved]], position=[at, 0]),
                                 overlaps=True, overlap_mask=rule.get("mask", 0))
        answers = pb.TickAnswers.FromString(send(gjkd, f"/v1/sets/{name}.columns/ticks/{tick}", message).content)
        told = gjkd.post(f"/v1/sets/{name}.json/ticks/{tick}", {
            "shapes": {moved: {"position": [at, 0]}}, "overlaps": {"filter": rule}, "queries": []}).json()
        for side in ("begin", "end"):
            assert list(getattr(answers, side)) == [handles[i] for pair in told["overlaps"][side] for i in pair]
        as_json = send(gjkd, f"/v1/sets/{name}.columns/ticks/{tick}", message, Accept="application/json").json()
        assert as_json["begin"] == list(answers.begin) and as_json["end"] == list(answers.end)
    for k in ("columns", "json"):
        gjkd.call("DELETE", f"/v1/sets/{name}.{k}")


# --- Bytes that are no messages ---

def test_a_message_without_bytes_is_one_over_a_stream_too(gjkd, name):
    gjkd.store(name, {"dimension": 2, "history": {"ticks": 2}, "shapes": {"a": {"type": "point"}}})
    routes = [("POST", route) for route in ("raycast", "cast", "detect", "distance", "hit", "configurations", "move",
                                            "batch", "ticks/1")] + [("PUT", "ticks/1"), ("PUT", "shapes/b")]
    with WebSocket(gjkd) as stream:
        for method, route in routes:
            url = f"/v1/sets/{name}/{route}"
            alone = gjkd.call(method, url, data=b"", headers={"Content-Type": TYPE})
            told = problem.check(alone, "missing-member")
            stream.send(BINARY, pack_call(1, method, url, TYPE))
            _, status, _, body, _ = unpack_answer(stream.receive()[1])
            assert status == 422 and json.loads(body) == told, route
            stream.send(BINARY, pack_call(1, method, url))
            _, status, _, body, _ = unpack_answer(stream.receive()[1])
            assert json.loads(body) == gjkd.call(method, url, data=b"").json(), route


@pytest.mark.parametrize("kind", ["batch", "tick"])
def test_truncated_and_flipped_bytes_are_answered_or_refused(start, kind):
    gjkd = start("--workers=2")
    handles = fill(gjkd, 2)
    rng = random.Random(8)
    blocks = [(k, question(k, rng, 2, handles, 2)) for k in ROUTES]
    message = batch_of(2, blocks, at_tick=[2]) if kind == "batch" else tick_of(2, handles[:2], 0, blocks)
    data = message.SerializeToString()
    url = f"{PATH}/batch" if kind == "batch" else f"{PATH}/ticks/"
    bodies = [data[:end] for end in range(1, len(data), 1 if FULL else 7)]
    for i in range(0, len(data), 1 if FULL else 11):
        for bit in (1, 128):
            bodies.append(data[:i] + bytes([data[i] ^ bit]) + data[i + 1:])
    with WebSocket(gjkd) as stream:
        for k, body in enumerate(bodies):
            status, answer = over_stream(stream, url + ("" if kind == "batch" else str(10 + k)), body)
            assert status in (200, 201, 400, 404, 409, 410, 422), answer
            if status >= 400:
                assert json.loads(answer)["code"] not in ("internal", "out-of-memory")
