"""Who pays for freeing a large set: never the thread that others wait for."""

import os
import threading
import time

import pytest

SHAPES = 100000
# Many rays, and a short answer: some tenths of a second at a worker.
QUERY = {"queries": [{"op": "raycast", "origin": [-5, i % 100 + 0.5], "direction": [1, 1e-3],
                      "mode": "all", "limit": 1} for i in range(4000)]}


def processor_times(daemon):
    """Nanoseconds of the busiest io thread, and of all workers; these step back (nice 10 more)."""
    own = os.getpriority(os.PRIO_PROCESS, daemon.process.pid)
    times = {False: [0], True: [0]}
    folder = f"/proc/{daemon.process.pid}/task"
    for task in os.listdir(folder):
        with open(f"{folder}/{task}/stat") as stat, open(f"{folder}/{task}/schedstat") as used:
            nice = int(stat.read().rsplit(")", 1)[1].split()[16])
            if int(task) != daemon.process.pid:
                times[nice > own].append(int(used.read().split()[0]))
    return max(times[False]), sum(times[True])


IDLE_NS = 1_000_000  # of a thread in 0.1 s: loops wake up once a second


def settled(daemon):
    """The same, once no thread has worked for a second; one may wait for its turn meanwhile."""
    now, still = processor_times(daemon), 0
    while still < 10:
        time.sleep(0.1)
        before, now = now, processor_times(daemon)
        is_idle = all(b - a < IDLE_NS for a, b in zip(before, now))
        still = still + 1 if is_idle else 0
    return now


def store(daemon):
    shapes = {f"s{i}": {"type": "point", "position": [i % 1000, i // 1000]} for i in range(SHAPES)}
    daemon.store("big", {"dimension": 2, "shapes": shapes})


def delete(daemon):
    with daemon.new_session() as session:
        assert daemon.call("DELETE", "/v1/sets/big", session=session).status_code == 204


def delete_under_a_query(daemon):
    """Whether the query still ran when the set was gone, so that it was the last to let go."""
    statuses = []

    def ask():
        with daemon.new_session() as session:
            statuses.append(daemon.call("POST", "/v1/sets/big/batch", json=QUERY, session=session)
                            .status_code)
    reader = threading.Thread(target=ask)
    _, idle = processor_times(daemon)
    reader.start()
    while processor_times(daemon)[1] - idle < 20e6 and reader.is_alive():
        time.sleep(0.001)
    delete(daemon)
    was_last = reader.is_alive()
    reader.join()
    assert statuses == [200]
    return was_last


@pytest.mark.concurrency
@pytest.mark.plain
def test_the_last_reader_of_a_large_set(start):
    daemon = start("--io-threads=1", "--workers=2", "--request-timeout=120s")
    store(daemon)
    _, before = settled(daemon)
    delete(daemon)
    freeing = settled(daemon)[1] - before
    assert freeing > 1e6, "a set of that size is some work to free"
    for _ in range(5):
        store(daemon)
        before, _ = settled(daemon)
        if delete_under_a_query(daemon):
            assert settled(daemon)[0] - before < freeing / 2
            return
    pytest.fail("the query was always over before the set was deleted")
