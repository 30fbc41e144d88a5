"""Does the judge of histories see what is broken, and nothing else?"""

import dataclasses
import itertools
import random

import pytest

from history import ABSENT, ACKED, FAILED, FOREVER, REFUSED, UNKNOWN, History, Read, State, Write
from linear import check


def state(n):
    return State(n, f"t{n}", n)


def acked(n, expected, start, end, node=0):
    return Write(n, expected, node, start, end, ACKED, state(n))


def refused(n, expected, start, end):
    return Write(n, expected, 0, start, end, REFUSED)


def unknown(n, expected, start):
    return Write(n, expected, 0, start, FOREVER, UNKNOWN)


def read(n, start, end, fresh=True, node=0, **more):
    return Read(state(n) if n else ABSENT, node, start, end, fresh, **more)


def history(*ops):
    made = History()
    made.writes = [op for op in ops if isinstance(op, Write)]
    made.reads = [op for op in ops if isinstance(op, Read)]
    return made


CHAIN = [acked(1, "", 0, 1), acked(2, "t1", 2, 5), acked(3, "t2", 4, 7)]

RIGHT = {
    "nothing": [],
    "a chain": CHAIN,
    "reads in its course": [*CHAIN, read(1, 1, 3), read(2, 3, 4.5), read(2, 3, 6), read(3, 8, 9)],
    "no set yet": [*CHAIN, read(0, 0, 0.5), read(0, 0, 9)],
    "one of two": [acked(1, "", 0, 1), acked(2, "t1", 2, 4), refused(9, "t1", 2, 4)],
    "refused before the answer of the other": [
        acked(1, "", 0, 1), acked(2, "t1", 2, 9), refused(8, "t1", 3, 4)],
    "an old copy, where that may be": [*CHAIN, read(1, 8, 9, fresh=False, node=1)],
    "an unknown one was never seen": [acked(1, "", 0, 1), unknown(5, "t1", 2), read(1, 3, 4)],
    "an unknown one was seen": [acked(1, "", 0, 1), unknown(5, "t1", 2), read(5, 3, 4), read(5, 5, 6)],
    "an unknown one made somebody fail": [
        acked(1, "", 0, 1), unknown(5, "t1", 2), refused(6, "t1", 3, 4)],
    "failed and never seen": [acked(1, "", 0, 1), Write(5, "t1", 0, 2, 3, FAILED), read(1, 4, 5)],
    "as old as it says": [*CHAIN, read(1, 8, 9, False, 1, age=3.5), read(2, 8, 9, False, 2, age=2)],
    "unconditional ones": [acked(1, None, 0, 9), acked(2, None, 0, 9), read(2, 3, 4), read(2, 5, 6)],
}

WRONG = {
    "two for one tag": [acked(1, "", 0, 1), acked(2, "t1", 2, 4), acked(3, "t1", 2, 4)],
    "two made it": [acked(1, "", 0, 1), acked(2, "", 0, 1)],
    "a lost write": [*CHAIN, read(2, 8, 9)],
    "a lost write, and another upon what was before it": [
        acked(1, "", 0, 1), acked(2, "t1", 2, 3), acked(3, "t1", 4, 5)],
    "an old copy": [*CHAIN, read(1, 8, 9)],
    "back again": [acked(1, "", 0, 1), acked(2, "t1", 2, 9), read(2, 3, 4), read(1, 5, 6)],
    "back again on one node": [
        acked(1, "", 0, 1), acked(2, "t1", 2, 9), read(2, 3, 4, False, 1), read(1, 5, 6, False, 1)],
    "not what the node itself has acknowledged": [
        acked(1, "", 0, 1), acked(2, "t1", 2, 3, node=1), read(1, 4, 5, False, 1)],
    "older than was asked for": [*CHAIN, read(2, 8, 9, False, 1, at_least=3)],
    "older than it says": [*CHAIN, read(1, 8, 9, False, 1, age=2.5)],
    "nothing, and older than it says": [*CHAIN, read(0, 8, 9, False, 1, age=6)],
    "read before it was written": [acked(1, "", 5, 6), read(1, 3, 4, False)],
    "nobody wrote it": [*CHAIN, read(7, 8, 9)],
    "refused and yet there": [acked(1, "", 0, 1), refused(2, "t1", 2, 3), read(2, 4, 5)],
    "failed and yet there": [acked(1, "", 0, 1), Write(2, "t1", 0, 2, 3, FAILED), read(2, 4, 5)],
    "refused for no reason": [acked(1, "", 0, 1), refused(2, "t1", 2, 3), acked(3, "t1", 4, 5)],
    "all refused": [acked(1, "", 0, 1), refused(2, "t1", 2, 3), refused(3, "t1", 2, 3),
                    read(1, 4, 5)],
    "against the clock": [acked(2, None, 0, 1), acked(1, None, 2, 3)],
    "gone": [*CHAIN, read(0, 8, 9)],
    "a revision twice": [acked(1, None, 0, 1), Write(2, None, 0, 2, 3, ACKED, State(2, "t2", 1))],
    "a tag twice": [acked(1, None, 0, 1), Write(2, None, 0, 2, 3, ACKED, State(2, "t1", 2))],
    "two answers for one write": [acked(1, None, 0, 1),
                                  Read(State(1, "other", 1), 0, 2, 3, True)],
}


@pytest.mark.parametrize("what", RIGHT)
def test_what_is_right(what):
    assert check(history(*RIGHT[what])) == []


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong(what):
    assert check(history(*WRONG[what])) != []


# --- Against a search of all orders ---

def search(ops):
    """Is there an order of all operations that explains them, with revisions rising? Reads are fresh."""
    def go(rest, now):
        needed = [op for op in rest if not (isinstance(op, Write) and op.outcome == UNKNOWN)]
        if not needed:
            return True
        horizon = min(op.end for op in needed)
        for op in rest:
            if op.start > horizon:
                continue
            others = [other for other in rest if other is not op]
            if isinstance(op, Read):
                fits, then = op.state == now, now
            elif op.outcome == REFUSED:
                fits, then = now.tag != op.expected, now
            else:
                fits = op.expected is None or op.expected == now.tag
                then = op.state or state(op.value)
                fits = fits and then.revision > now.revision
            if fits and go(others, then):
                return True
        return False
    return go(list(ops), ABSENT)


def random_history(chance, length, clients):
    """Operations that an atomic register answered, each in a moment of its own; some are then changed, so
    that some of the histories are broken."""
    now, moment, free = ABSENT, 0.0, [0.0] * clients
    ops, tags = [], [""]  # tags that a client has seen
    for n in range(1, length + 1):
        client = chance.randrange(clients)
        moment += chance.random()
        start = max(free[client], moment - 3 * chance.random())
        moment = max(moment, start)
        end = moment + 3 * chance.random()
        free[client] = end + 0.01
        kind = chance.random()
        if kind < 0.4 or now.tag not in tags:
            ops.append(Read(now, client, start, end, True))
            tags.append(now.tag)
            continue
        expected = chance.choice([now.tag, now.tag, chance.choice(tags)])
        if expected != now.tag:
            ops.append(refused(n, expected, start, end))
            continue
        now = state(n)
        if kind < 0.9:
            tags.append(now.tag)
        ops.append(acked(n, expected, start, end) if kind < 0.9 else unknown(n, expected, start))
    return ops


def damage(chance, ops):
    """One operation says something else than it saw."""
    at = chance.randrange(len(ops))
    op = ops[at]
    states = [ABSENT] + [state(w.value) for w in ops if isinstance(w, Write) and w.outcome == ACKED]
    if isinstance(op, Read):
        op = dataclasses.replace(op, state=chance.choice(states))
    elif op.outcome == REFUSED:
        op = acked(op.value, op.expected, op.start, op.end)
    elif op.outcome == ACKED and chance.random() < 0.5:
        op = refused(op.value, op.expected, op.start, op.end)
    else:
        op = dataclasses.replace(op, expected=chance.choice([s.tag for s in states]))
    return ops[:at] + [op] + ops[at + 1:]


def test_it_agrees_with_a_search_of_all_orders():
    chance, verdicts = random.Random(5), []
    for round_ in range(3000):
        ops = random_history(chance, chance.randrange(1, 8), 3)
        assert check(history(*ops)) == [], ops
        if any(isinstance(op, Write) and op.outcome == UNKNOWN for op in ops):
            continue  # the search does not know which of them somebody has seen
        if round_ % 2:
            ops = damage(chance, ops)
        verdicts.append(search(ops))
        assert (check(history(*ops)) == []) == verdicts[-1], ops
    assert verdicts.count(False) > 200 and verdicts.count(True) > 200
