"""A daemon that runs out of file descriptors: it neither spins nor stops accepting."""

import os
import resource
import socket
import time

import pytest

import daemon
from wire import Wire, eventually

pytestmark = pytest.mark.http

LIVEZ = b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"
TICKS_PER_S = os.sysconf("SC_CLK_TCK")
FULL_S = 2
ROUND_S = 30.0


def descriptors(gjkd):
    return len(os.listdir(f"/proc/{gjkd.process.pid}/fd"))


def processor_s(gjkd):
    with open(f"/proc/{gjkd.process.pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_S


def allow(gjkd, count):
    """Sets the daemon's soft limit on open files while it runs; None: up to the hard one."""
    hard = resource.prlimit(gjkd.process.pid, resource.RLIMIT_NOFILE)[1]
    resource.prlimit(gjkd.process.pid, resource.RLIMIT_NOFILE, (count or hard, hard))


def is_served(gjkd):
    try:
        with Wire(gjkd, timeout=0.5) as wire:
            wire.send(LIVEZ)
            return wire.reply().status == 200
    except (EOFError, OSError):
        return False


def queue_connections(gjkd, count):
    connections = []
    for _ in range(count):
        connection = socket.socket()
        connection.setblocking(False)
        connection.connect_ex((gjkd.host, gjkd.port))
        connections.append(connection)
    return connections


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_without_descriptors_it_rests_and_then_accepts_again(start, threads):
    gjkd = start("--io-threads", str(threads))
    kept = Wire(gjkd)
    kept.send(LIVEZ)
    assert kept.reply().status == 200
    allow(gjkd, 3)  # fewer than are open: no loop can accept, and most have no connection
    waiting = queue_connections(gjkd, 400)
    time.sleep(0.5)
    used = processor_s(gjkd)
    time.sleep(FULL_S)
    used = processor_s(gjkd) - used
    assert used < 0.1 * FULL_S, f"{used} s of processor time in {FULL_S} s of waiting"
    kept.send(LIVEZ)
    assert kept.reply().status == 200, "connections that are open are served"
    for connection in waiting:
        connection.close()
    allow(gjkd, None)
    began = time.monotonic()
    assert eventually(lambda: is_served(gjkd))
    assert time.monotonic() - began < ROUND_S
    kept.socket.close()
    assert gjkd.stderr().count(b"cannot accept") <= threads, "not a record for every attempt"


@pytest.fixture
def limit_files(monkeypatch, tmp_path):
    """limit_files("SOFT:HARD"): from now on gjkd is started with that limit on open files."""
    def limit(text):
        wrapper = tmp_path / "gjkd"
        wrapper.write_text(f'#!/bin/sh\nexec prlimit --nofile={text} "{daemon.BINARY}" "$@"\n')
        wrapper.chmod(0o755)
        monkeypatch.setattr(daemon, "BINARY", str(wrapper))
    return limit


FEW, OTHERS = 64, 32 + 12  # the limit, and what one io thread needs besides connections


def test_as_many_connections_as_the_limit_on_files_leaves(start, limit_files):
    limit_files(f"{FEW}:{FEW}")
    gjkd = start("--io-threads", "1", "--workers", "1")
    most = FEW - OTHERS
    assert f"max-connections is {most} instead of 8192".encode() in gjkd.stderr()
    wires = [Wire(gjkd) for _ in range(most)]
    for wire in wires:
        wire.send(LIVEZ)
        assert wire.reply().status == 200
    assert not is_served(gjkd), "one more is closed at once"
    assert descriptors(gjkd) < FEW
    assert b"cannot accept" not in gjkd.stderr()
    for wire in wires:
        wire.socket.close()
    assert eventually(lambda: is_served(gjkd), ROUND_S)


def test_the_soft_limit_is_raised_first(start, limit_files):
    limit_files(f"{FEW}:{OTHERS + 100}")
    gjkd = start("--io-threads", "1", "--max-connections", "100")
    assert b"max-connections" not in gjkd.stderr()
    limits = resource.prlimit(gjkd.process.pid, resource.RLIMIT_NOFILE)
    assert limits == (OTHERS + 100, OTHERS + 100)
    gjkd = start("--io-threads", "1", "--max-connections", "101")
    assert b"max-connections is 100 instead of 101" in gjkd.stderr()


def test_a_limit_that_leaves_nothing_is_an_error(start, limit_files):
    limit_files(f"{OTHERS}:{OTHERS}")
    done = daemon.run_to_end("--io-threads", "1", "--listen", "127.0.0.1:0")
    assert done.returncode == 1 and f"allows {OTHERS} open files" in done.stderr


def test_a_limit_that_leaves_one_connection(start, limit_files):
    limit_files(f"{OTHERS + 1}:{OTHERS + 1}")
    gjkd = start("--io-threads", "1")
    assert b"max-connections is 1 instead of" in gjkd.stderr()
    assert is_served(gjkd)
