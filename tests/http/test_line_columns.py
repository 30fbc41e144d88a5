"""Rows of columns that have several lines: how many there may be, of a row and in all."""

import time

import pytest

import problem
from messages import TYPE, gjkd as pb
from stream_wire import BINARY, WebSocket, pack_call, unpack_answer
from test_churn import answer_alone
from test_columns import NONE, ask, send

PATH = "/v1/sets/s"
ANSWERS_MAX, IGNORE_MAX = 1000000, 65536
ALL = 2


def store(daemon, count, **apart):
    """`count` discs at the origin; those of `apart` have other members."""
    discs = {f"{i:04}": {"type": "circle", "radius": 1, "category": 1} | apart.get(f"{i:04}", {})
             for i in range(count)}
    return daemon.store("s", {"dimension": 2, "shapes": discs})


@pytest.fixture
def five(start):
    daemon = start()
    store(daemon, 5)
    return daemon


def rays(count=1, **more):
    return pb.RaycastColumns(dimension=2, origin=[-4.0, 0.0] * count, direction=[1.0, 0.0] * count,
                             **more)


def casts(handle, **more):
    return pb.CastColumns(dimension=2, shape=[handle], position=[-4.0, 0.0], translation=[9.0, 0.0],
                          **more)


@pytest.mark.parametrize("limit, count", [(0, 5), (4, 4), (5, 5), (6, 5), (NONE, 5)])
def test_lines_of_a_row(five, limit, count):
    answer = ask(five, f"{PATH}/raycast", rays(2, mode=ALL, limit=limit), pb.RaycastAnswers)
    assert list(answer.count) == [count] * 2
    assert list(answer.handle) == [1, 2, 3, 4, 5][:count] * 2  # by distance, then by id
    assert len(answer.distance) == 2 * count and len(answer.point) == 4 * count
    left = max(count - 1, 4 if limit == 0 or limit > 4 else limit)  # it does not hit itself
    answer = ask(five, f"{PATH}/cast", casts(1, mode=ALL, limit=limit), pb.CastAnswers)
    assert list(answer.count) == [min(left, 4)] and list(answer.handle) == [2, 3, 4, 5][:left]


def test_a_row_without_a_line_between_others(five):
    message = pb.RaycastColumns(dimension=2, origin=[-4, 0, -4, 9, 0, 0], direction=[1, 0] * 3, mode=ALL)
    answer = ask(five, f"{PATH}/raycast", message, pb.RaycastAnswers)
    assert list(answer.count) == [5, 0, 5] and len(answer.handle) == 10
    assert list(answer.inside) == [0] * 5 + [1] * 5 and list(answer.status) == [0] * 3
    message.origin[:], message.direction[:] = [-4, 9], [1, 0]
    assert ask(five, f"{PATH}/raycast", message, pb.RaycastAnswers) == pb.RaycastAnswers(
        revision=1, count=[0], status=[0])


@pytest.mark.parametrize("op, message", [("raycast", rays), ("cast", lambda **more: casts(1, **more))])
def test_any(five, op, message):
    kind = pb.RaycastAnswers if op == "raycast" else pb.CastAnswers
    answer = ask(five, f"{PATH}/{op}", message(mode=1), kind)
    assert answer == kind(revision=1, handle=[0], status=[0])
    answer = ask(five, f"{PATH}/{op}", message(mode=1, mask=[2]), kind)
    assert answer == kind(revision=1, handle=[NONE], status=[0])
    answer = ask(five, f"{PATH}/{op}", message(mode=1, partial=True, ignore_group_of=[99]), kind)
    assert answer == kind(revision=1, handle=[NONE], status=[4])


@pytest.mark.parametrize("mode", [3, NONE])
def test_modes_that_there_are_not(five, mode):
    for op, message in (("raycast", rays(mode=mode)), ("cast", casts(1, mode=mode))):
        problem.check(send(five, f"{PATH}/{op}", message), "out-of-range", "/mode")


def test_handles_to_ignore(five):
    for unknown in (IGNORE_MAX - 3, IGNORE_MAX - 2):
        message = rays(mode=ALL, ignore=[5, 2, *range(100, 100 + unknown)])
        assert list(ask(five, f"{PATH}/raycast", message, pb.RaycastAnswers).handle) == [1, 3, 4]
    message.ignore.append(7)
    problem.check(send(five, f"{PATH}/raycast", message), "too-many", "/ignore", limit=IGNORE_MAX)


@pytest.mark.plain
def test_lines_of_an_answer(start):
    """Rows of 1,000 lines; by its mask the last row has as many as the limit leaves, or one fewer,
    or it is one line too many."""
    daemon = start()
    store(daemon, 1000, **{"0000": {"category": 4}})
    for count, masks in ((ANSWERS_MAX - 1, [1]), (ANSWERS_MAX, [5]), (ANSWERS_MAX + 1, [5, 4])):
        message = rays(999 + len(masks), mode=ALL, mask=[5] * 999 + masks)
        if count <= ANSWERS_MAX:
            answer = ask(daemon, f"{PATH}/raycast", message, pb.RaycastAnswers)
            assert len(answer.handle) == sum(answer.count) == count
        else:
            problem.check(send(daemon, f"{PATH}/raycast", message), "too-many", "/limit",
                          limit=ANSWERS_MAX)
    message.limit = 999
    answer = ask(daemon, f"{PATH}/raycast", message, pb.RaycastAnswers)
    assert len(answer.handle) == 999 * 1000 + 1


@pytest.mark.plain
def test_rows_behind_too_many_lines_cost_nothing(start):
    """65,536 rows would have 65 times the lines of an answer; the limit is told in the time of those
    that fit."""
    daemon = start()
    store(daemon, 1000)
    begun = time.monotonic()
    problem.check(send(daemon, f"{PATH}/raycast", rays(1010, mode=ALL)), "too-many", limit=ANSWERS_MAX)
    once = time.monotonic() - begun
    problem.check(send(daemon, f"{PATH}/raycast", rays(65536, mode=ALL)), "too-many", limit=ANSWERS_MAX)
    assert time.monotonic() - begun - once < 10 * once + 5


def test_bytes_of_an_answer(start):
    """A message as long as --max-answer is the last one that is sent."""
    daemon = start()
    store(daemon, 1000)
    message = rays(100, mode=ALL)
    size = len(send(daemon, f"{PATH}/raycast", message).content)
    for most, is_fine in ((size - 1, False), (size, True), (size + 1, True)):
        small = start("--max-answer", str(most))
        store(small, 1000)
        reply = send(small, f"{PATH}/raycast", message)
        if is_fine:
            assert reply.status_code == 200 and len(reply.content) == size
        else:
            problem.check(reply, "too-many", "/limit", limit=most)


@pytest.mark.plain
def test_lists_are_counted_as_memory(start):
    """What the rows list is refused where there is no memory for it, and given back."""
    daemon = start("--max-memory", "96M", "--workers", "2")
    store(daemon, 1000)
    for _ in range(3):
        reply = answer_alone(lambda: send(daemon, f"{PATH}/raycast", rays(1000, mode=ALL)))
        problem.check(reply, "out-of-memory")
        assert len(ask(daemon, f"{PATH}/raycast", rays(10, mode=ALL), pb.RaycastAnswers).handle) == 10000


@pytest.mark.plain
def test_near_misses_behind_too_many_lines(start):
    """Shots that pass by a thousand discs: those behind the limit have no room for a single one."""
    daemon = start("--workers", "1")
    store(daemon, 1000)
    for count in (1000, 1001, 1010):
        message = pb.HitColumns(dimension=2, origin=[-4.0, 3.0] * count, direction=[1.0, 0.0] * count,
                                near_miss=5)
        if count * 1000 <= ANSWERS_MAX:
            answer = ask(daemon, f"{PATH}/hit", message, pb.HitAnswers)
            assert list(answer.near_count) == [1000] * count
        else:
            problem.check(send(daemon, f"{PATH}/hit", message), "too-many", limit=ANSWERS_MAX)


@pytest.mark.plain
def test_too_many_is_not_told_before_what_comes_first(start):
    """A row that names a shape that is not there refuses the message, however many lines the others
    have, and with any number of workers."""
    for workers in ("1", "16"):
        daemon = start("--workers", workers)
        store(daemon, 1000)
        message = rays(1010, mode=ALL, ignore_group_of=[NONE] * 1009 + [7777])
        problem.check(send(daemon, f"{PATH}/raycast", message), "shape-not-found", "/ignore_group_of/1009")


# --- One shape against the set ---

def named(message, kind=TYPE):
    return f"{kind}; message={message}"


def nearest(**more):
    return pb.NearestColumns(dimension=2, **more)


@pytest.mark.parametrize("limit, count", [(0, 1), (1, 1), (3, 3), (4, 4), (5, 4), (NONE, 4)])
def test_nearest_lines_of_a_row(five, limit, count):
    answer = ask(five, f"{PATH}/distance", nearest(shape=[3, 3], limit=limit), pb.NearestAnswers,
                 named("NearestColumns"))
    assert list(answer.count) == [count] * 2 and list(answer.handle) == [1, 2, 4, 5][:count] * 2


def test_points_have_no_handle_but_a_position(five):
    answer = ask(five, f"{PATH}/distance", nearest(shape=[NONE], position=[3, 0, 0, 4.5]), pb.NearestAnswers,
                 named("NearestColumns"))
    assert list(answer.value) == [2, 3.5] and list(answer.handle) == [1, 1]
    for shapes in ([NONE], [1, NONE]):
        problem.check(send(five, f"{PATH}/distance", nearest(shape=shapes), kind=named("NearestColumns")),
                      "missing-member", "/position")


@pytest.mark.parametrize("columns, count", [
    ({}, 0), ({"shape": [1]}, 1), ({"shape": [1, 2]}, 2), ({"shape": [1], "max_distance": [1, 2, 3]}, 3),
    ({"shape": [2], "position": [0, 0]}, 1), ({"shape": [2], "position": [0, 0, 1, 1]}, 2)])
def test_the_longest_column_counts(five, columns, count):
    for kind, path in ((pb.NearestColumns, "distance"), (pb.OverlapColumns, "detect")):
        known = {k: v for k, v in columns.items() if k in kind.DESCRIPTOR.fields_by_name}
        if known == columns:
            answers = pb.NearestAnswers if path == "distance" else pb.OverlapAnswers
            answer = ask(five, f"{PATH}/{path}", kind(dimension=2, **columns), answers, named(kind.__name__))
            assert len(answer.count) == len(answer.status) == count


@pytest.mark.parametrize("columns, code, pointer", [
    ({"shape": [1, 2], "position": [0, 0]}, "wrong-type", "/position"),
    ({"shape": [1, 2], "mask": [1, 2, 3]}, "wrong-type", "/mask"),
    ({"position": [0, 0]}, "missing-member", "/shape"),
    ({"shape": [1], "position": [0, 0, 1]}, "wrong-type", "/position"),
    ({"shape": [1], "position": [0]}, "wrong-type", "/position"),
    ({"shape": [1, 99]}, "shape-not-found", "/shape/1"), ({"shape": [99, 1]}, "shape-not-found", "/shape/0"),
    ({"shape": [1], "at_tick": [1]}, "tick-expired", "/at_tick/0"),
    ({"shape": [1], "rotation": [float("nan")]}, "not-finite", "/rotation/0")])
def test_what_is_refused(five, columns, code, pointer):
    for kind, path in ((pb.NearestColumns, "distance"), (pb.OverlapColumns, "detect")):
        reply = send(five, f"{PATH}/{path}", kind(dimension=2, **columns), kind=named(kind.__name__))
        problem.check(reply, code, pointer)
    problem.check(send(five, f"{PATH}/detect", pb.OverlapColumns(dimension=2, shape=[1], penetration=3),
                       kind=named("OverlapColumns")), "out-of-range", "/penetration")


def test_one_shape_in_part(five):
    for kind, answers, path in ((pb.NearestColumns, pb.NearestAnswers, "distance"),
                                (pb.OverlapColumns, pb.OverlapAnswers, "detect")):
        message = kind(dimension=2, shape=[1, 99, 2, 3], at_tick=[], partial=True, ignore_group_of=[NONE] * 3 + [98])
        answer = ask(five, f"{PATH}/{path}", message, answers, named(kind.__name__))
        few = 1 if path == "distance" else 4
        assert list(answer.count) == [few, 0, few, 0] and list(answer.status) == [0, 4, 0, 4]
        message.at_tick.append(7)
        answer = ask(five, f"{PATH}/{path}", message, answers, named(kind.__name__))
        assert list(answer.count) == [0] * 4 and list(answer.status) == [2] * 4


def test_rows_of_one_shape_have_the_limit_of_all_rows(start):
    daemon = start("--max-batch", "100")
    store(daemon, 2)
    for kind, path in ((pb.NearestColumns, "distance"), (pb.OverlapColumns, "detect")):
        for count in (99, 100, 101):
            reply = send(daemon, f"{PATH}/{path}", kind(dimension=2, shape=[1] * count), kind=named(kind.__name__))
            if count <= 100:
                assert reply.status_code == 200
            else:
                problem.check(reply, "too-many", "/shape", limit=100)


# --- Which message ---

@pytest.mark.parametrize("kind", [
    'application/x-protobuf;message="OverlapColumns"', "application/protobuf ; Message=OverlapColumns",
    "APPLICATION/X-PROTOBUF; charset=x; message=OverlapColumns; q=1"])
def test_a_message_is_named(five, kind):
    message = pb.OverlapColumns(dimension=2, shape=[2])
    reply = send(five, f"{PATH}/detect", message, kind=kind)
    assert list(pb.OverlapAnswers.FromString(reply.content).handle) == [1, 3, 4, 5]


@pytest.mark.parametrize("method, path, taken, other", [
    ("POST", "detect", "PairColumns or OverlapColumns", "NearestColumns"),
    ("POST", "distance", "PairColumns or NearestColumns", "OverlapColumns"),
    ("POST", "raycast", "RaycastColumns", ""), ("POST", "cast", "CastColumns", "castColumns"),
    ("POST", "hit", "HitColumns", '"'), ("POST", "move", "MoveColumns", "Move"),
    ("POST", "configurations", "ConfigurationColumns", "MoveColumns"),
    ("PUT", "ticks/1", "PoseColumns", "BodyColumns"), ("PUT", "shapes/a", "BodyColumns", "PoseColumns")])
def test_messages_that_a_route_does_not_take(five, method, path, taken, other):
    reply = five.call(method, f"{PATH}/{path}", data=b"\x08\x02", headers={"Content-Type": named(other)})
    problem.check(reply, "unsupported-media-type", detail=taken, hint=taken.split()[0])
    stream = WebSocket(five)
    stream.send(BINARY, pack_call(1, method, f"{PATH}/{path}", named(other), b"\x08\x02", []))
    _, status, _, body, _ = unpack_answer(stream.receive()[1])
    assert status == 415 and taken.encode() in body
    stream.socket.close()


def test_without_a_name_it_is_pairs(five):
    pairs = pb.PairColumns(dimension=2, a=[1], b=[2])
    for kind in (TYPE, named("PairColumns"), f"{TYPE}; messages=OverlapColumns"):
        assert list(ask(five, f"{PATH}/detect", pairs, pb.PairAnswers, kind).state) == [2]
