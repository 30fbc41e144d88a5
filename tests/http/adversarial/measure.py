"""Sends one request under a deadline and measures what it takes of the daemon: time to the answer,
processor time until nothing is left of it, memory."""

import glob
import http.client
import json
import os
import time

import dearest

FULL = bool(os.environ.get("GJKD_FULL"))  # the machine is quiet enough to time answers
DEADLINE_S = 1.0
ANSWER_S = 0.1 if FULL else 2.0  # an answer may come so much after its deadline
WORK_S = 0.2 if FULL else 0.5  # and so much processor time may a thread spend beyond it
MEMORY_BYTES = 64 << 20  # the process may grow beyond --max-memory by so much
WORKERS = 2
IDLE_S = 0.1  # a daemon that runs no longer than this in this time has nothing to do
IDLE_CPU_S = 0.002


def waited_s(pid):
    """How long each of its threads has waited for a processor, by thread."""
    waited = {}
    for file in glob.glob(f"/proc/{pid}/task/*/schedstat"):
        with open(file) as text:
            waited[file] = int(text.read().split()[1]) / 1e9
    return waited


def cpu_s(pid):
    """What its threads ran, to the nanosecond."""
    return dearest.ran_ns(pid) / 1e9


def peak_bytes(pid):
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) << 10


def wait_until_idle(pid, most_s=60):
    """The processor time of the daemon when it has nothing to do any more."""
    end, before = time.monotonic() + most_s, cpu_s(pid)
    while time.monotonic() < end:
        time.sleep(IDLE_S)
        now = cpu_s(pid)
        if now - before < IDLE_CPU_S:
            return now
        before = now
    raise AssertionError("the daemon goes on and on")


def send(daemon, method, path, body=None, headers=None, timeout=60):
    """Status, headers and body of the answer, and how long it took."""
    connection = http.client.HTTPConnection(daemon.host, daemon.port, timeout=timeout)
    kinds = {"Content-Type": "application/json"} if body is not None else {}
    connection.connect()
    start = time.monotonic()
    try:
        connection.request(method, path, body, kinds | (headers or {}))
    except (BrokenPipeError, ConnectionResetError):
        pass  # refused before all of it was sent
    reply = connection.getresponse()
    said = reply.read()
    took = time.monotonic() - start
    connection.close()
    return reply.status, reply.headers, said, took


class Cost:
    """What a request took: `cpu_s` of all threads in all, `after_s` of it after the answer;
    `slack_s` is how long the thread that waited longest for a processor did so meanwhile: on a busy
    machine an answer may be so much later."""

    def __init__(self, daemon, case):
        pid = daemon.process.pid
        headers = {"Gjkd-Timeout-Ms": str(int(DEADLINE_S * 1000))} | case.headers
        before = wait_until_idle(pid)
        waited = waited_s(pid)
        self.status, self.head, self.said, self.took_s = send(daemon, case.method, case.path,
                                                              case.body, headers)
        answered = cpu_s(pid)
        self.slack_s = max(s - waited.get(thread, 0) for thread, s in waited_s(pid).items())
        self.cpu_s = wait_until_idle(pid) - before
        self.after_s = before + self.cpu_s - answered
        self.peak_bytes = peak_bytes(pid)
        self.code = None
        if self.status >= 400 and self.said:
            self.code = json.loads(self.said).get("code")

    def __str__(self):
        return (f"{self.status} {self.code or ''} after {self.took_s:.2f} s, processor "
                f"{self.cpu_s:.2f} s and {self.after_s:.2f} s of it later, peak {self.peak_bytes >> 20} MiB, waited for a processor "
                f"{self.slack_s:.2f} s, {self.head.get('Server-Timing')}")
