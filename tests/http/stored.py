"""Daemons with a data directory, for the tests of the store."""

import json
import signal
import subprocess

import pytest

from daemon import Daemon

BOX = {"type": "box", "half_extents": [1, 2]}


@pytest.fixture
def open_store():
    """open_store(folder, *flags) -> a daemon on that directory; what the test has not ended is killed
    after it."""
    daemons = []

    def open_one(folder, *flags, **options):
        daemons.append(Daemon("--data-dir", str(folder), *flags, **options))
        return daemons[-1]

    yield open_one
    for daemon in daemons:
        if not daemon.closed:
            kill(daemon)


def kill(daemon):
    """kill -9, as a crash would."""
    daemon.signal(signal.SIGKILL)
    daemon.wait()
    daemon.close()


def everything(daemon):
    """All that a client can know of the sets: {name: (ETag, body)}."""
    names = [s["name"] for s in daemon.get("/v1/sets").json()["sets"]]
    replies = {name: daemon.get(f"/v1/sets/{name}") for name in names}
    return {name: (reply.headers["ETag"], json.loads(reply.text))
            for name, reply in replies.items()}


def scene(shapes, dimension=2, **more):
    return {"dimension": dimension, "shapes": shapes} | more


@pytest.fixture
def failing(open_store, tmp_path):
    """start(*flags): a daemon whose disk does what say(order) says."""
    library, order = tmp_path / "failing_disk.so", tmp_path / "order"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library,
                    __file__.replace("stored.py", "failing_disk.c"), "-ldl"], check=True)
    order.write_bytes(bytes(4096))

    def say(text):
        with open(order, "r+b") as page:
            page.write(text.encode().ljust(16, b"\0"))

    def start_one(*flags):
        return open_store(tmp_path / "data", *flags, env={"LD_PRELOAD": str(library),
                                                          "FAILING_DISK": str(order)})
    start_one.say = say
    return start_one
