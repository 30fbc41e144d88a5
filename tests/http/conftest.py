import itertools
import os
import shutil
import subprocess

import pytest

import over_stream
from daemon import Daemon, is_sanitized


def pytest_addoption(parser):
    parser.addoption("--transport", choices=("http", "stream"), default="http",
                     help="how requests travel: each by HTTP, or as calls over a WebSocket")


def pytest_configure(config):
    over_stream.enabled = config.getoption("--transport") == "stream"


# Fixtures of daemons that no sanitizer allows: a library before its own, a sandbox.
PLAIN = {"failing", "starved", "confined"}


def pytest_collection_modifyitems(config, items):
    """What is about HTTP itself, or sends its bytes by hand, says nothing of streams."""
    for item in items:
        if PLAIN & set(getattr(item, "fixturenames", ())):
            item.add_marker("plain")
    unwanted = "http" if over_stream.enabled else "plain" if is_sanitized() else None
    skipped = [item for item in items if unwanted and item.get_closest_marker(unwanted)]
    config.hook.pytest_deselected(items=skipped)
    items[:] = [item for item in items if item not in skipped]


@pytest.fixture(scope="session")
def gjkd():
    """One daemon for all tests that do not end, limit or count it."""
    daemon = Daemon()
    over_stream.compared.add(daemon.port)
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


@pytest.fixture
def small_disk(tmp_path):
    """A folder on a file system of 2 MiB."""
    folder = tmp_path / "small"
    folder.mkdir()
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("mounting a file system needs root")
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", folder],
                          capture_output=True, text=True)
    if made.returncode != 0:
        pytest.skip(f"no file system can be mounted here: {made.stderr.strip()}")
    yield folder
    subprocess.run(["umount", folder], check=True)
