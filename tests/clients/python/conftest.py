import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "proto/clients/python"), str(ROOT / "tests/http")]

import gjkd
from daemon import Daemon


@pytest.fixture(scope="session")
def daemon():
    """One daemon for all tests that do not end or limit it."""
    daemon = Daemon()
    yield daemon
    daemon.stop()


@pytest.fixture(params=["http", "stream"])
def client(daemon, request):
    """A client over kept connections, and one over a WebSocket."""
    with gjkd.Client(daemon.url, timeout=100, stream=request.param == "stream") as client:
        yield client


@pytest.fixture
def name(request, client):
    """A set of the test's own."""
    yield request.node.name.translate(str.maketrans("[]", ".."))
