"""A NATS server with JetStream for the tests of clusters, and gjkd nodes on it."""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

import pytest

SERVER = shutil.which("nats-server") or "/usr/sbin/nats-server"
START_S = 20


def free_port(host="127.0.0.1"):
    with socket.socket() as probe:
        probe.bind((host, 0))
        return probe.getsockname()[1]


def need_server():
    if not os.path.exists(SERVER):
        pytest.skip("nats-server is not installed")


class Nats:
    """One server, which keeps its streams in a folder over restarts."""

    def __init__(self, folder, *flags, host="127.0.0.1"):
        self.folder, self.flags, self.host, self.port = folder, flags, host, free_port(host)
        self.process = None
        self.start()

    @property
    def url(self):
        return f"nats://{self.host}:{self.port}"

    def start(self):
        self.process = subprocess.Popen(
            [SERVER, "-js", "-a", self.host, "-p", str(self.port), "-sd", str(self.folder),
             *self.flags],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
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
