import pytest

import nats
from daemon import run_to_end
from disks import Disk, NoDisk
from machines import Loopback, Network, Unavailable
from nodes import Cluster


def need_engine():
    nats.need_server()
    said = run_to_end("--nats", "nats://127.0.0.1", "--cluster", "test", "--check-config").stderr
    if "not available" in said:
        pytest.skip(said.strip())


def make(machines, folder):
    made = Cluster(machines, folder)
    try:
        made.start()
        yield made
    finally:
        made.close()
        machines.close()


@pytest.fixture(scope="session")
def shared(tmp_path_factory):
    """The cluster that tests share which leave it as whole as they found it."""
    need_engine()
    yield from make(Loopback(), tmp_path_factory.mktemp("shared"))


@pytest.fixture
def cluster(shared):
    shared.wait()
    yield shared
    shared.calm()


@pytest.fixture
def alone(tmp_path):
    """A cluster of the test's own."""
    need_engine()
    yield from make(Loopback(), tmp_path)


@pytest.fixture
def network(tmp_path):
    """A cluster of its own whose machines can be cut off from each other."""
    need_engine()
    try:
        machines = Network()
    except Unavailable as error:
        pytest.skip(f"no network can be made: {error}")
    yield from make(machines, tmp_path)


@pytest.fixture
def disks(tmp_path):
    """A small disk for each server of a cluster of the test's own."""
    made = []
    try:
        for i in (1, 2, 3):
            made.append(Disk(tmp_path / f"engine/n{i}"))
        yield made
    except NoDisk as error:
        pytest.skip(f"no disk can be made: {error}")
    finally:
        for disk in made:
            disk.close()


@pytest.fixture
def world(disks, network):
    """One whose machines can be cut off from each other, with small disks."""
    network.disks = disks
    return network
