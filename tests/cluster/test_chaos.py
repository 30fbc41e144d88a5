"""One fault after the other, by chance, under eight writers and two readers: nothing that was acknowledged is
lost, no revision has two contents, no answer is older than it says, and writes go on soon after the last
fault, without a person. GJKD_SEED is the seed of the first run."""

import bisect
import os
import random
import shutil
import time

import pytest

from history import ACKED
from test_faults import FULL, HEALED_S, leader, more
from traffic import Traffic, judge
from wire import eventually

RUNS, RUN_S = (60, 45) if FULL else (2, 6)
FIRST = int(os.environ.get("GJKD_SEED", "1"))
FAULT_S, CALM_S = 5, 2


# Each fault begins, and returns what ends it.

def a_server_dies(world, which):
    world.engine.kill(which)
    return lambda: world.engine.start(which)


def a_server_sleeps(world, which):
    world.engine.pause(which)
    return lambda: world.engine.go_on(which)


def a_node_dies(world, _):
    world.nodes[2].kill()
    return lambda: world.nodes[2].start()


def a_node_sleeps(world, _):
    world.nodes[2].pause()
    return lambda: world.nodes[2].go_on()


def a_machine_is_cut_off(world, which):
    world.machines.cut(which)
    return world.machines.heal


def a_machine_is_not_heard(world, which):
    for other in {0, 1, 2} - {which}:
        world.machines.cut_way(which, other)
    return world.machines.heal


def a_machine_hears_nothing(world, which):
    for other in {0, 1, 2} - {which}:
        world.machines.cut_way(other, which)
    return world.machines.heal


def two_machines_are_parted_one_way(world, which):
    world.machines.cut_way(which, (which + 1) % 3)
    return world.machines.heal


def a_disk_is_full(world, which):
    filler = world.engine.servers[which].keeps() / "filler"
    try:
        with open(filler, "wb") as file:
            while True:
                file.write(bytes(1 << 16))
                file.flush()
    except OSError:
        pass

    def end():  # a server that met a full disk keeps nothing until it is started again
        filler.unlink()
        world.engine.kill(which)
        world.engine.start(which)
    return end


def a_disk_is_lost(world, which):
    """The others still have all, if none of them has failed just now: so they are waited for."""
    world.engine.wait()
    stream, _ = leader(world)
    servers = world.engine.servers
    newest = max(server.last_place(stream) for server in servers)
    assert eventually(lambda: all(server.last_place(stream) >= newest for server in servers), 60)
    world.engine.kill(which)
    for each in servers[which].keeps().iterdir():
        shutil.rmtree(each) if each.is_dir() else each.unlink()
    world.engine.start(which)

    def end():
        world.engine.wait()
        assert eventually(lambda: servers[which].last_place(stream) >= newest, 60)
    return end


def all_servers_die(world, _):
    world.engine.kill()
    return world.engine.start


FAULTS = [a_server_dies, a_server_sleeps, a_node_dies, a_node_sleeps, a_machine_is_cut_off,
          a_machine_is_not_heard, a_machine_hears_nothing, two_machines_are_parted_one_way,
          a_disk_is_full, a_disk_is_lost, all_servers_die]


def pauses(traffic, begun, end):
    """The name of each fault, and the longest time without a write that began before the next fault."""
    acked = sorted(write.end for history in traffic.histories.values() for write in history.writes
                   if write.outcome == ACKED)
    ends = [start for start, _ in begun[1:]] + [end]
    for (start, name), until in zip(begun, ends):
        first, last = bisect.bisect_left(acked, start), bisect.bisect_left(acked, until)
        gaps = [after - before for before, after in zip(acked[first:last], acked[first + 1:last + 1])]
        if gaps:  # else the fault before still lasts
            yield name, max(gaps)


@pytest.mark.parametrize("seed", range(FIRST, FIRST + RUNS))
def test_faults_by_chance(world, seed):
    chance = random.Random(seed)
    traffic = Traffic(world, f"chaos{seed}", stay=(0, 1))
    more(traffic)
    end, begun = time.monotonic() + RUN_S, []
    while time.monotonic() < end:
        fault, which = chance.choice(FAULTS), chance.randrange(3)
        begun.append((time.monotonic(), fault.__name__))
        mend = fault(world, which)
        time.sleep(chance.random() * FAULT_S)
        mend()
        time.sleep(chance.random() * CALM_S)
    mended = time.monotonic()
    more(traffic, 1)
    assert time.monotonic() - mended < HEALED_S, "writes go on"
    world.engine.wait()
    more(traffic)
    judge(world, traffic, 20)
    for name, pause in pauses(traffic, begun, mended):
        print(f"{name}: {pause:.1f} s without a write")
