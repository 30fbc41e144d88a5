"""What clients of one set asked and were told, with the times between which it must have happened."""

import dataclasses
import itertools
import threading
import time

FOREVER = float("inf")

# What became of an operation that would change the set.
ACKED = "acked"      # it has happened
REFUSED = "refused"  # 412: it has not, because the set was not as If-Match asked
FAILED = "failed"    # it has not, for another reason
UNKNOWN = "unknown"  # no answer, or one that leaves it open: it may still happen, whenever it likes


@dataclasses.dataclass(frozen=True)
class State:
    """A state of the set as clients see it. Every write of a history writes another `value`."""
    value: object
    tag: str
    revision: int


ABSENT = State(None, "", 0)


@dataclasses.dataclass
class Write:
    """`expected` is the tag of If-Match, "" for a set that must not be there yet, None for a write
    that takes any state. `state`: what it made, once that is known."""
    value: object
    expected: object
    node: int
    start: float
    end: float = FOREVER
    outcome: str = UNKNOWN
    state: State = None


@dataclasses.dataclass
class Read:
    """`fresh`: no older than what had been answered anywhere when it was asked. Others may be old,
    but on one node they never go back. `at_least`: the revision that was asked for."""
    state: State
    node: int
    start: float
    end: float
    fresh: bool = False
    at_least: int = 0
    age: float = FOREVER  # it has all that had been answered so many seconds before its answer


class History:
    """Collects operations of many threads, by one clock."""

    def __init__(self):
        self.lock, self.writes, self.reads = threading.Lock(), [], []
        self.numbers = itertools.count(1)

    def now(self):
        return time.monotonic()

    def new_value(self):
        with self.lock:
            return next(self.numbers)

    def begin(self, value, expected, node):
        write = Write(value, expected, node, self.now())
        with self.lock:
            self.writes.append(write)
        return write

    def end(self, write, outcome, state=None):
        write.outcome, write.state = outcome, state
        if outcome != UNKNOWN:
            write.end = self.now()

    def read(self, *words, **more):
        with self.lock:
            self.reads.append(Read(*words, **more))
