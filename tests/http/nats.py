"""A NATS server with JetStream for the tests of clusters, and gjkd nodes on it."""

import functools
import pathlib
import signal
import socket
import subprocess
import time

import pytest

FETCH_S = 300
SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "deploy/nats-server.sh"
START_S = 20


def free_port(host="127.0.0.1"):
    with socket.socket() as probe:
        probe.bind((host, 0))
        return probe.getsockname()[1]


@functools.cache
def find_server():
    """The path of a server of 2.10 or later; why there is none."""
    ended = subprocess.run([SCRIPT], capture_output=True, text=True, timeout=FETCH_S)
    return ended.stdout.strip(), ended.stderr


def need_server():
    path, why = find_server()
    if not path:
        pytest.skip(why)
    return path


class Nats:
    """One server, which keeps its streams in a folder over restarts."""

    def __init__(self, folder, *flags, host="127.0.0.1"):
        self.folder, self.flags, self.host, self.port = folder, flags, host, None
        self.start()

    @property
    def url(self):
        return f"nats://{self.host}:{self.port}"

    def start(self):
        """On the port from before; first on a free one, and on another if that is taken before it listens."""
        is_first, self.process = self.port is None, None
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            if self.process is None or self.process.poll() is not None:
                self.port = free_port(self.host) if is_first else self.port
                self.process = subprocess.Popen(
                    [need_server(), "-js", "-a", self.host, "-p", str(self.port), "-sd", str(self.folder),
                     *self.flags],
                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                socket.create_connection((self.host, self.port), timeout=1).close()
                return
            except OSError:
                time.sleep(0.05)
        raise AssertionError("nats-server does not listen")

    def is_stopped(self):
        stats = pathlib.Path(f"/proc/{self.process.pid}/task").glob("*/stat")
        return all(stat.read_text().rsplit(")", 1)[1].split()[0] in "Tt" for stat in stats)

    def signal(self, number):
        """One thread takes the signal, and stops the others, when it gets to run: SIGSTOP is waited for."""
        self.process.send_signal(number)
        while number == signal.SIGSTOP and not self.is_stopped():
            time.sleep(0.001)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        if self.process.poll() is None:
            self.signal(signal.SIGCONT)
            self.kill()
