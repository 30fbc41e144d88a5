"""One fault after the other, by chance, under eight writers and two readers: nothing that was acknowledged is
lost, no revision has two contents, no answer is older than it says, and writes go on soon after the last
fault, without a person. GJKD_SEED is the seed of the first run, GJKD_RUNS their number."""

import bisect
import os
import random
import shutil
import time

import pytest

from history import ACKED
from nodes import BEFORE, why_no_clock
from test_faults import FULL, HOUR_S, MINUTE_S, goes_on, leader, more
from traffic import Traffic, judge
from wire import eventually

RUNS, RUN_S = (60, 45) if FULL else (3, 6)
RUNS = int(os.environ.get("GJKD_RUNS", RUNS))
FIRST = int(os.environ.get("GJKD_SEED", "1"))
FAULT_S, CALM_S, SLOW_S = 5, 2, 0.3


# Each fault begins, and returns what ends it. Node 2 alone dies, sleeps, is of another version or has a clock
# of its own: readers ask the others, which have to answer all the while.

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


def a_node_is_of_the_version_before(world, _):
    world.nodes[2].kill()
    world.nodes[2].start(binary=BEFORE)

    def end():
        world.nodes[2].kill()
        world.nodes[2].start()
    return end


def a_clock_jumps(world, which):
    """The servers' clocks are the machine's: they are not programs of its C library."""
    world.nodes[2].set_clock((-HOUR_S, MINUTE_S, HOUR_S)[which])
    return lambda: world.nodes[2].set_clock(0)


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


def during(context):
    context.__enter__()
    return lambda: context.__exit__(None, None, None)


def a_disk_is_slow(world, which):
    return during(world.disks[which].be_slow(SLOW_S))


def a_disk_stands_still(world, which):
    return during(world.disks[which].stand_still())


def kill_the_spare(world, which):
    """Kills a server, and waits until the two others have all that was ever acknowledged: what it kept may be
    lost then."""
    world.engine.kill(which)
    others = [server for server in world.engine.servers if server.process is not None]

    def have_all():
        stream, first = leader(world)
        newest = world.engine.servers[first].last_place(stream)
        return first != which and all(server.last_place(stream) >= newest for server in others)
    assert eventually(have_all, 60)


def come_back(world, which):
    """Starts a server, and waits until it has what the others have: until then none of them may fail."""
    world.engine.start(which)

    def end():
        stream, first = leader(world)
        newest = world.engine.servers[first].last_place(stream)
        world.engine.wait()
        assert eventually(lambda: world.engine.servers[which].last_place(stream) >= newest, 60)
    return end


def empty(folder):
    """Also while somebody makes files in it."""
    for each in folder.iterdir():
        if each.is_dir():
            shutil.rmtree(each, ignore_errors=True)
        else:
            each.unlink(missing_ok=True)


def a_disk_is_lost(world, which):
    kill_the_spare(world, which)
    empty(world.engine.servers[which].keeps())
    return come_back(world, which)


def a_server_has_an_old_copy(world, which):
    """What it kept is put back as it was some time before."""
    keeps, old = world.engine.servers[which].keeps(), world.folder / "old"
    kill_the_spare(world, which)
    shutil.copytree(keeps, old)
    come_back(world, which)()
    time.sleep(FAULT_S / 2)
    kill_the_spare(world, which)
    empty(keeps)
    shutil.copytree(old, keeps, dirs_exist_ok=True)
    shutil.rmtree(old)
    return come_back(world, which)


def a_data_directory_is_removed(world, which):
    """While its server runs, which goes on as it can, and is then started again."""
    empty(world.engine.servers[which].keeps())

    def end():
        kill_the_spare(world, which)
        come_back(world, which)()
    return end


def all_servers_die(world, _):
    world.engine.kill()
    return world.engine.start


FAULTS = [a_server_dies, a_server_sleeps, a_node_dies, a_node_sleeps, a_machine_is_cut_off,
          a_machine_is_not_heard, a_machine_hears_nothing, two_machines_are_parted_one_way,
          a_disk_is_full, a_disk_is_slow, a_disk_stands_still, a_disk_is_lost, a_server_has_an_old_copy,
          a_data_directory_is_removed, all_servers_die]
FAULTS += [] if why_no_clock() else [a_clock_jumps]
FAULTS += [a_node_is_of_the_version_before] if BEFORE else []


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


REASONS = [b"takes no writes", b"NATS is away", b"waiting for NATS", b"not what the log's leader has",
           b"writes are refused until", b"is dropped once the log has been read",
           b"is not delivered to its end", b"gjkd_test: "]


def check_reports(world, traffic):
    """A node that has refused writes has said in its log why; its metrics say that it takes them now."""
    for asker in traffic.askers:
        text = asker.node.daemon.stderr()
        assert not asker.refused or any(reason in text for reason in REASONS), text
        assert eventually(lambda: b"\ngjkd_cluster_degraded 0\n" in asker.node.ask("GET", "/metrics")[2])


@pytest.mark.parametrize("seed", range(FIRST, FIRST + RUNS))
def test_faults_by_chance(world, seed):
    chance = random.Random(seed)
    if not why_no_clock():
        world.nodes[2].kill()
        world.nodes[2].give_clock()
        world.nodes[2].start()
        world.wait()
    traffic = Traffic(world, f"chaos{seed}", stay=(0, 1), asks=1)
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
    healed_s = goes_on(traffic)
    world.engine.wait()
    more(traffic)
    judge(world, traffic, 20)
    check_reports(world, traffic)
    print(f"writes went on after {healed_s:.1f} s; slowest answers:", *(client.slowest for client in traffic.askers))
    for name, pause in pauses(traffic, begun, mended):
        print(f"{name}: {pause:.1f} s without a write")
