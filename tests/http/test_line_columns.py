"""Rows of columns that have several lines: how many there may be, of a row and in all."""

import pytest

import problem
from messages import gjkd as pb
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


def test_lists_are_counted_as_memory(start):
    """What the rows list is refused where there is no memory for it, and given back."""
    daemon = start("--max-memory", "96M", "--workers", "2")
    store(daemon, 1000)
    for _ in range(3):
        problem.check(send(daemon, f"{PATH}/raycast", rays(1000, mode=ALL)), "out-of-memory")
        assert len(ask(daemon, f"{PATH}/raycast", rays(10, mode=ALL), pb.RaycastAnswers).handle) == 10000


def test_too_many_is_not_told_before_what_comes_first(start):
    """A row that names a shape that is not there refuses the message, however many lines the others
    have, and with any number of workers."""
    for workers in ("1", "16"):
        daemon = start("--workers", workers)
        store(daemon, 1000)
        message = rays(1010, mode=ALL, ignore_group_of=[NONE] * 1009 + [7777])
        problem.check(send(daemon, f"{PATH}/raycast", message), "shape-not-found", "/ignore_group_of/1009")
