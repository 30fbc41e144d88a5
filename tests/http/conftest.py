import itertools

import pytest

from daemon import Daemon


@pytest.fixture(scope="session")
def gjkd():
    """One daemon for all tests that do not end, limit or count it."""
    daemon = Daemon()
    yield daemon
    daemon.stop()


@pytest.fixture
def start():
    """start(*flags, env=...) -> a Daemon of the test's own, stopped and judged after it,
    unless the test has judged its end itself and closed it."""
    daemons = []

    def start_one(*flags, **options):
        daemons.append(Daemon(*flags, **options))
        return daemons[-1]

    yield start_one
    for daemon in daemons:
        if not daemon.closed:
            daemon.stop()


_numbers = itertools.count(1)


@pytest.fixture
def name(gjkd):
    """A name that no set has yet; the set is gone after the test."""
    name = f"t{next(_numbers)}"
    yield name
    gjkd.call("DELETE", f"/v1/sets/{name}")
