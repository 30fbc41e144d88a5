"""Was everything that clients of one set saw as if each operation had happened in one moment between its
question and its answer?

Revisions claim the order of all writes. So nothing is searched: the claim is taken at its word and
held against what was seen. In that order

- every acknowledged write stands, with a revision and a tag of its own, right behind the state that
  it was conditional upon, so that of those that held one tag one at most was acknowledged;
- no write stands behind one that began after it had been answered;
- reads and refused writes can each be given a place, between two writes, that agrees with what they
  saw and with the times of all others.

A write whose outcome is unknown counts where somebody has seen its state. One that nobody saw may have
been in any place that its condition allows: what it could explain is not held against the cluster.
"""

import bisect
import dataclasses
import heapq
import itertools

from history import ABSENT, ACKED, FOREVER, REFUSED, UNKNOWN


def check(history):
    """What is wrong, a list of texts: empty where the history is linearizable."""
    wrong = []
    states = seen_states(history, wrong)
    order = order_of(history, states, wrong)
    if not wrong:
        check_conditions(order, wrong)
        check_times(order, wrong)
    if not wrong:
        places = Places(order)
        check_places(history, places, wrong)
        check_ages(history, places, wrong)
        check_nodes(history, places, wrong)
    return wrong


# --- The order that revisions claim ---

def seen_states(history, wrong):
    """{value: state}, of all states that were answered or read."""
    states = {}
    told = [w.state for w in history.writes if w.outcome == ACKED]
    for state in told + [r.state for r in history.reads]:
        known = states.setdefault(state.value, state)
        if known != state:
            wrong.append(f"one write was seen as two states: {known} and {state}")
    by_tag = {}
    for state in states.values():
        other = by_tag.setdefault(state.tag, state)
        if other != state:
            wrong.append(f"two states have one tag: {other} and {state}")
    return states


def order_of(history, states, wrong):
    """Writes that have happened, by revision, each with its state."""
    writes = {w.value: w for w in history.writes}
    order = []
    for state in states.values():
        write = writes.get(state.value)
        if state == ABSENT:
            continue
        if write is None:
            wrong.append(f"nobody wrote what was read: {state}")
        elif write.outcome not in (ACKED, UNKNOWN):
            wrong.append(f"a write was {write.outcome} and yet seen: {state}")
        else:
            order.append(dataclasses.replace(write, state=state))
    order.sort(key=lambda w: w.state.revision)
    for before, after in zip(order, order[1:]):
        if before.state.revision == after.state.revision:
            wrong.append(f"one revision was given twice: {before.state} and {after.state}")
    return order


def check_conditions(order, wrong):
    before = ABSENT
    for write in order:
        if write.expected is not None and write.expected != before.tag:
            wrong.append(f"{write.state} was conditional upon {write.expected!r}, "
                         f"but came after {before}")
        before = write.state


def check_times(order, wrong):
    earliest, of = FOREVER, None  # end among all later ones
    for write in reversed(order):
        if write.start > earliest:
            wrong.append(f"{of.state} was answered before {write.state} was asked for, and yet "
                         "follows it")
        if write.end < earliest:
            earliest, of = write.end, write


# --- Places of what changes nothing ---

class Places:
    """Place i is behind i writes: which of them a moment allows, and which one a state has."""

    def __init__(self, order):
        self.order = order
        self.of_tag = {write.state.tag: i for i, write in enumerate(order, 1)} | {"": 0}
        # Of the writes so far the latest start, and of those from here on the earliest end: both rise.
        self.starts = list(itertools.accumulate((w.start for w in order), max))
        self.ends = list(itertools.accumulate((w.end for w in reversed(order)), min))[::-1]

    def first(self, start):
        """Behind every write that was answered before `start`."""
        return bisect.bisect_left(self.ends, start)

    def last(self, end):
        """Before the first write that had not begun at `end`."""
        return bisect.bisect_right(self.starts, end)


class Newest:
    """The highest place of what had ended when something began; asked in the order of beginnings."""

    def __init__(self):
        self.waiting, self.place, self.op, self.numbers = [], 0, None, itertools.count()

    def add(self, end, place, op):
        heapq.heappush(self.waiting, (end, next(self.numbers), place, op))

    def at(self, start):
        while self.waiting and self.waiting[0][0] < start:
            _, _, place, op = heapq.heappop(self.waiting)
            if place > self.place:
                self.place, self.op = place, op
        return self.place


def check_places(history, places, wrong):
    """Each operation gets the first place that it can have: then those that follow it have the most
    left."""
    ops = [(r, places.of_tag[r.state.tag], True) for r in history.reads if r.fresh]
    ops += [(w, places.of_tag.get(w.expected), False) for w in history.writes if w.outcome == REFUSED]
    newest = Newest()
    for op, about, must_be_there in sorted(ops, key=lambda each: each[0].start):
        first = max(places.first(op.start), newest.at(op.start))
        last = places.last(op.end)
        if must_be_there:
            place = about if first <= about <= last else None
        else:
            place = first if first != about else first + 1
            if place > last:
                place = first if is_explained(history, places.order, about, op) else None
        if place is None:
            wrong.append(f"no moment explains {op}: it would be behind {first} to {last} writes, "
                         f"and its state is behind {about}")
        else:
            newest.add(op.end, place, op)


def is_explained(history, order, about, refused):
    """May a write that nobody saw have replaced the state, unseen until the next one replaced it?"""
    if about is None:
        return True
    if about < len(order) and order[about].expected is not None:
        return False
    tag = order[about - 1].state.tag if about > 0 else ""
    seen = {w.value for w in order}
    return any(w.outcome == UNKNOWN and w.value not in seen and w.start < refused.end and
               w.expected in (None, tag) for w in history.writes)


# --- What one node answers ---

def check_ages(history, places, wrong):
    """The answer was sent after the request, so it must have what had been answered `age` before that."""
    for read in history.reads:
        first = places.first(read.start - read.age)
        if places.of_tag[read.state.tag] < first:
            wrong.append(f"{read} lacks {places.order[first - 1].state}, which is older than it says")


def check_nodes(history, places, wrong):
    """A node never goes back, shows what it has acknowledged, what was asked for, and nothing early."""
    ops = [(w, False) for w in history.writes if w.outcome == ACKED]
    ops += [(r, True) for r in history.reads]
    by_node = {}
    for op, is_read in sorted(ops, key=lambda each: each[0].start):
        newest, place = by_node.setdefault(op.node, Newest()), places.of_tag[op.state.tag]
        if is_read and place < newest.at(op.start):
            wrong.append(f"the node had gone further: {op} after {newest.op}")
        if is_read and op.state.revision < op.at_least:
            wrong.append(f"older than was asked for: {op}")
        if is_read and place > places.last(op.end):
            wrong.append(f"read before it was written: {op}")
        newest.add(op.end, place, op)
