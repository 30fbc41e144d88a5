"""What a service manager is told, and what a crash leaves behind."""

import ctypes
import json
import os
import re
import signal
import socket
import subprocess
import time

import pytest

from daemon import BINARY, Daemon
from wire import Wire, eventually

pytestmark = pytest.mark.http

SYS_TGKILL = {"x86_64": 234, "aarch64": 131}.get(os.uname().machine)


@pytest.fixture(params=["path", "abstract"])
def manager(request, tmp_path):
    """A service manager's socket, and its name as NOTIFY_SOCKET gives it."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        name = f"gjkd-test-{os.getpid()}-{time.monotonic_ns()}"
        path = str(tmp_path / "notify") if request.param == "path" else "\0" + name
        listener.bind(path)
        listener.settimeout(10)
        yield listener, path.replace("\0", "@")


def test_the_service_manager_is_told(start, manager):
    listener, name = manager
    daemon = start(env={"NOTIFY_SOCKET": name})
    assert b"READY=1" in listener.recv(1000).split(b"\n")
    daemon.signal()
    assert b"STOPPING=1" in listener.recv(1000).split(b"\n")
    assert daemon.wait() == 0


def test_the_service_manager_hears_of_a_reload(start, manager):
    listener, name = manager
    daemon = start(env={"NOTIFY_SOCKET": name})
    assert b"READY=1" in listener.recv(1000)
    daemon.process.send_signal(signal.SIGHUP)
    told = listener.recv(1000).split(b"\n")
    assert b"RELOADING=1" in told
    stamp = next(line for line in told if line.startswith(b"MONOTONIC_USEC="))
    now = time.clock_gettime(time.CLOCK_MONOTONIC) * 1e6
    assert 0 <= now - int(stamp.split(b"=")[1]) < 30e6
    assert b"READY=1" in listener.recv(1000)


@pytest.mark.parametrize("name", ["relative", "/nowhere/at/all", "@" + "x" * 200, "@nobody"])
def test_a_manager_that_is_not_there(start, name):
    daemon = start(env={"NOTIFY_SOCKET": name})
    assert daemon.get("/readyz").status_code == 200
    assert eventually(lambda: b"service manager" in daemon.stderr())


def processor_ticks(process):
    """{thread: ticks of processor time}, without the main thread."""
    ticks = {}
    for thread in os.listdir(f"/proc/{process.pid}/task"):
        with open(f"/proc/{process.pid}/task/{thread}/stat") as stat:
            ticks[int(thread)] = int(stat.read().rsplit(")", 1)[1].split()[11])
    del ticks[process.pid]
    return ticks


def busy_thread(process):
    """The thread that computes most, or None: none has for a tick of the clock."""
    before = processor_ticks(process)
    time.sleep(0.1)
    gained = {t: n - before.get(t, n) for t, n in processor_ticks(process).items()}
    thread = max(gained, key=gained.get)
    return thread if gained[thread] >= 1 else None


@pytest.mark.skipif(SYS_TGKILL is None, reason="a thread is signalled by a system call's number")
@pytest.mark.plain
def test_a_crash_names_the_route():
    """A worker is hit in the middle of a query: the route, where in which build, and nothing else."""
    daemon = Daemon()
    hull = {"type": "hull", "points": [[i % 7, i % 5, i % 3] for i in range(105)]}
    daemon.store("s3cr3t", {"dimension": 3, "shapes": {f"h{i}": hull for i in range(1500)}})
    with Wire(daemon) as wire:
        wire.request("POST", "/v1/sets/s3cr3t/detect",
                     json.dumps({"filter": {"ignore": ["hidden"]}}).encode())
        thread = eventually(lambda: busy_thread(daemon.process), 60)
        assert thread, "the query is long enough to be caught"
        libc = ctypes.CDLL(None, use_errno=True)
        assert libc.syscall(SYS_TGKILL, daemon.process.pid, thread, signal.SIGSEGV) == 0
        code = daemon.wait()
    text = daemon.stderr().decode()
    daemon.close()
    assert code == -signal.SIGSEGV
    assert "SIGSEGV" in text and "at work on /v1/sets/{set}/detect\n" in text
    assert re.search(r"gjkd\(\+0x[0-9a-f]+\)\[0x", text), "frames"
    notes = subprocess.run(["readelf", "-n", BINARY], capture_output=True, text=True).stdout
    assert "build id " + re.search(r"Build ID: ([0-9a-f]+)", notes)[1] in text
    assert "s3cr3t" not in text and "hidden" not in text


def test_a_crash_without_a_request():
    daemon = Daemon()
    daemon.signal(signal.SIGABRT)
    assert daemon.wait() == -signal.SIGABRT
    text = daemon.stderr().decode()
    assert "SIGABRT" in text and text.count("crashed") == 1 and "no request" in text
    daemon.close()
