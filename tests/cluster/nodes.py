"""Three gjkd on three machines that answer the same sets through an engine."""

import email.utils
import http.client
import json
import os
import pathlib
import platform
import re
import signal

from daemon import BINARY, REQUEST_S, Daemon
from engine import Engine
from wire import eventually

CLUSTER = "test"
FAKETIME = pathlib.Path("/usr/lib") / f"{platform.machine()}-linux-gnu" / "faketime/libfaketimeMT.so.1"
AGREE_S = 90
BEFORE = os.environ.get("GJKD_BEFORE")  # the binary of the version before; before.sh builds it


def why_no_clock():
    """Why nodes cannot have a clock of their own here; None: they can."""
    if not FAKETIME.exists():
        return "there is no faketime"
    if re.search(b"__[at]san_init", pathlib.Path(BINARY).read_bytes()):
        return "the sanitizer has to be the first library"
    return None


class Node:
    """One gjkd that keeps its address when it is ended and started again."""

    def __init__(self, machines, machine, engine, folder, *flags):
        self.machines, self.machine, self.engine, self.flags = machines, machine, engine, flags
        if machine == 0:
            self.flags += ("--cluster-init",)
        self.log = folder / f"node-{machine + 1}.log"  # of all its lives, but for the one it is in
        self.host, self.port = machines.hosts[machine], machines.free_port(machine)
        self.clock, self.has_clock = folder / f"clock-{machine + 1}", False
        self.daemon = None

    def start(self, *flags, binary=BINARY):
        env = {}
        if self.has_clock:  # the sandbox would keep the clock's file from it
            flags += ("--sandbox", "off")
            env = {"LD_PRELOAD": str(FAKETIME), "FAKETIME_TIMESTAMP_FILE": str(self.clock),
                   "FAKETIME_CACHE_DURATION": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
        self.daemon = Daemon(
            "--nats", self.engine.url, "--cluster", CLUSTER, "--node", f"node-{self.machine + 1}",
            "--insecure", *self.flags, *flags, listen=("--listen", f"{self.host}:{self.port}"),
            under=self.machines.command(self.machine, []), env=env, binary=binary)

    def give_clock(self):
        """From its next start on it has a clock of its own, which set_clock() moves."""
        self.has_clock = True
        self.set_clock(0)

    def set_clock(self, seconds):
        """Puts its time of day so much before or behind the true one, at once, as an operator may do; the clock
        that only counts goes on."""
        self.clock.with_suffix(".new").write_text(f"{seconds:+d}\n")
        self.clock.with_suffix(".new").rename(self.clock)

    def kill(self):
        self.daemon.signal(signal.SIGCONT)
        self.daemon.signal(signal.SIGKILL)
        self.daemon.wait()
        with open(self.log, "ab") as log:
            log.write(self.daemon.stderr())
        self.daemon.close()
        self.daemon = None

    def pause(self):
        self.daemon.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.daemon.process.send_signal(signal.SIGCONT)

    def connection(self, timeout=REQUEST_S):
        return http.client.HTTPConnection(self.host, self.port, timeout=timeout)

    def ask(self, method, path, body=None, headers=(), connection=None):
        """(status, headers, bytes) on a connection of its own, or a kept one. body: a document, or a text."""
        kept = connection is not None
        connection = connection or self.connection()
        fields = ({"Content-Type": "application/json"} if body is not None else {}) | dict(headers)
        try:
            text = body if body is None or isinstance(body, str) else json.dumps(body)
            connection.request(method, path, text, fields)
            reply = connection.getresponse()
            return reply.status, reply.headers, reply.read()
        finally:
            if not kept:
                connection.close()

    def warnings(self):
        """What it has logged as a warning or worse, in all its lives."""
        before = self.log.read_bytes() if self.log.exists() else b""
        lines = (before + self.daemon.stderr()).decode(errors="replace").splitlines()
        return [line for line in lines if "level=info" not in line]

    def has_begun_anew(self):
        """Whether it has ever taken the log for another one than it knew."""
        lines = self.ask("GET", "/metrics")[2].decode().splitlines()
        return "gjkd_cluster_resets_total 0" not in lines

    def time_of_day(self):
        """As its answers tell it, in seconds."""
        return email.utils.parsedate_to_datetime(self.ask("GET", "/livez")[1]["Date"]).timestamp()

    def state(self):
        """What it says of the cluster: ready, degraded or catching-up; None where it does not answer."""
        try:
            return json.loads(self.ask("GET", "/v1")[2])["cluster"]["state"]
        except OSError:
            return None


class Cluster:
    def __init__(self, machines, folder, *flags):
        self.machines, self.folder = machines, folder
        (folder / "engine").mkdir(exist_ok=True)
        self.engine = Engine(machines, folder / "engine")
        self.nodes = [Node(machines, machine, self.engine, folder, *flags) for machine in range(3)]
        self.traffic = []  # what has not been stopped

    def start(self):
        self.engine.start()
        self.engine.wait()
        for node in self.nodes:
            node.start()
        self.wait()

    def wait(self):
        """Until every node takes part."""
        assert eventually(lambda: all(node.state() == "ready" for node in self.nodes), AGREE_S), [
            node.state() for node in self.nodes]

    def seen(self, node, path):
        status, headers, body = node.ask("GET", path)
        return status, headers["ETag"], body

    def agree(self, path):
        """Waits until all nodes answer a path alike, to the byte; the answer: status, ETag, body."""
        found = []

        def alike():
            found[:] = [self.seen(node, path) for node in self.nodes]
            return all(each == found[0] for each in found)
        assert eventually(alike, AGREE_S), found
        return found[0]

    def wait_gone(self, name):
        assert eventually(lambda: all(node.ask("GET", f"/v1/sets/{name}")[0] == 404
                                      for node in self.nodes), AGREE_S)

    def calm(self):
        """Ends what a test that failed has left."""
        for client in [c for each in self.traffic for c in each.clients]:
            client.over.set()
            client.join()
        self.traffic.clear()

    def close(self):
        self.calm()
        for node in self.nodes:
            if node.daemon is not None:
                node.kill()
        self.engine.close()
