"""Three nats-servers with JetStream, one on each machine, and what may happen to them."""

import base64
import json
import signal
import socket
import statistics
import subprocess
import urllib.error
import urllib.request
import warnings

import nats
from wire import eventually

CONFIG = """
server_name: n{number}
listen: {host}:{client}
http: {host}:{monitor}
jetstream {{ store_dir: "{folder}/n{number}", max_memory_store: 64M, max_file_store: 4G, sync_interval: always }}
cluster {{ name: test, listen: {host}:{route}, routes: [{routes}], pool_size: -1 }}
"""
READY_S = 60
ASK_S = 20


class Server:
    """One nats-server. Everything it keeps is in the folder, so that it can be killed and come back."""

    def __init__(self, machines, machine, folder):
        self.machines, self.machine, self.folder = machines, machine, folder
        self.host = machines.hosts[machine]
        self.client, self.monitor, self.route = (machines.free_port(machine) for _ in range(3))
        self.process = None

    def start(self, routes):
        config = self.folder / f"n{self.machine + 1}.conf"
        config.write_text(CONFIG.format(number=self.machine + 1, routes=", ".join(routes),
                                        **vars(self)))
        self.process = subprocess.Popen(
            self.machines.command(self.machine, [nats.need_server(), "-c", str(config), "-l",
                                                 str(config.with_suffix(".log"))]),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def end(self, number=signal.SIGKILL):
        if self.process is not None:
            self.process.send_signal(signal.SIGCONT)
            self.process.send_signal(number)
            self.process.wait(30)
            self.process = None

    def is_ready(self):
        return bool((self.look("/healthz?js-server-only=true") or {}).get("status") == "ok" and
                    (self.look("/jsz") or {}).get("meta_cluster", {}).get("leader"))

    def keeps(self):
        """The folder of all that it keeps."""
        return self.folder / f"n{self.machine + 1}"

    def streams(self):
        """{stream: what it knows of it}"""
        seen = self.process and self.look("/jsz?streams=true") or {}
        return {stream["name"]: stream for account in seen.get("account_details", [])
                for stream in account.get("stream_detail", [])}

    def last_place(self, stream):
        return self.streams().get(stream, {}).get("state", {}).get("last_seq", 0)

    def look(self, path):
        """What its monitor answers; None where it does not."""
        try:
            with urllib.request.urlopen(f"http://{self.host}:{self.monitor}{path}", timeout=5) as reply:
                return json.loads(reply.read())
        except (OSError, urllib.error.URLError, json.JSONDecodeError):
            return None


class Engine:
    def __init__(self, machines, folder, count=3):
        self.servers = [Server(machines, machine, folder) for machine in range(count)]
        self.routes = [f"nats://{s.host}:{s.route}" for s in self.servers]
        self.url = ",".join(f"nats://{s.host}:{s.client}" for s in self.servers)

    def start(self, which=None):
        for i in range(len(self.servers)) if which is None else [which]:
            self.servers[i].start(self.routes)
            # Two that call each other at once may both hang up.
            assert eventually(lambda: self.servers[i].look("/varz"), READY_S)

    def kill(self, which=None):
        for i in range(len(self.servers)) if which is None else [which]:
            self.servers[i].end()

    def pause(self, which):
        self.servers[which].process.send_signal(signal.SIGSTOP)

    def go_on(self, which):
        self.servers[which].process.send_signal(signal.SIGCONT)

    def wait(self):
        """Until all servers are up and know who leads them. One of 2.10.27 that was killed and started again
        sometimes stays "not current with the meta leader" for good. It is started once more, with a
        warning in pytest's summary: that is a wedge that needs a person, though not one of gjkd."""
        if not eventually(lambda: all(map(Server.is_ready, self.servers)), READY_S / 3):
            for server in self.servers:
                if not server.is_ready():
                    warnings.warn(f"nats-server {server.host} did not get ready and is started once more")
                    server.end()
                    server.start(self.routes)
        assert eventually(lambda: all(map(Server.is_ready, self.servers)), READY_S)

    def streams(self):
        """{stream: machine of its leader}, as most servers know it; -1 where they know none."""
        claims = {}
        for server in self.servers:
            for name, stream in server.streams().items():
                leader = stream.get("cluster", {}).get("leader") or "n0"
                claims.setdefault(name, []).append(int(leader[1:]) - 1)
        return {name: statistics.mode(sorted(found)) for name, found in claims.items()}

    def ask(self, subject, body=b""):
        """A request by the engine's own protocol, to the first server that runs; its answer."""
        server = next(s for s in self.servers if s.process is not None)
        with socket.create_connection((server.host, server.client), ASK_S) as connection:
            lines = connection.makefile("rb")
            assert lines.readline().startswith(b"INFO ")
            connection.sendall(b'CONNECT {"verbose": false}\r\nSUB test.answer 1\r\n' +
                               f"PUB {subject} test.answer {len(body)}\r\n".encode() + body + b"\r\n")
            while True:
                line = lines.readline()
                assert line, "the server has closed the connection"
                if line.startswith(b"PING"):
                    connection.sendall(b"PONG\r\n")
                elif line.startswith(b"MSG "):
                    return json.loads(lines.read(int(line.split()[-1])))

    def message(self, stream, place):
        """(subject, header lines) of what the stream has there; None where it has nothing."""
        answer = self.ask(f"$JS.API.STREAM.MSG.GET.{stream}", json.dumps({"seq": place}).encode())
        found = answer.get("message")
        return found and (found["subject"], base64.b64decode(found.get("hdrs", "")).decode().split("\r\n")[1:-2])

    def delete_stream(self, name):
        answer = self.ask(f"$JS.API.STREAM.DELETE.{name}")
        assert answer.get("success"), answer

    def close(self):
        for server in self.servers:
            server.end()
