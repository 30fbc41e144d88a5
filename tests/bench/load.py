"""How many distance queries a second does gjkd answer, beside two echos and nginx?

   load.py GJKD ECHO RESULTS

Four servers on free ports of 127.0.0.1, all up at once; wrk asks one after the other in
short rounds, so that each of ours has a peer measured within seconds of it. Of the rounds
the one with the median ratio is reported. Nothing here judges a time.
"""

import contextlib
import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

PATH = "/v1/distance"
BODY = ('{"a":{"type":"box","half_extents":[1.25,0.75,2.125],"position":[0.5,-1.25,3.25],'
        '"orientation":[0.18257418583505536,0.3651483716701107,0.5477225575051661,'
        '0.7302967433402214]},"b":{"type":"capsule","a":[0,0,-1],"b":[0,0,1],"radius":0.25,'
        '"position":[6.5,2.25,-1.75]}}')
TYPE = "application/json; charset=utf-8"
ROUNDS = 9  # odd: the median is one of them
SWEEP_ROUNDS = 5
ROUND_S = 1
CONNECTIONS = 64
SWEEP = [1, 16, 64, 127, 128, 129, 256]
HALF_OF_CORES = max(1, (os.cpu_count() or 1) // 2)  # for the servers; the rest is wrk's
START_S = 10
HERE = pathlib.Path(__file__).parent

NGINX = """
daemon off;
worker_processes {workers};
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 2048; }}
http {{
    access_log off;
    keepalive_requests 1000000000;
    client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
    uwsgi_temp_path {folder}; scgi_temp_path {folder};
    server {{
        listen 127.0.0.1:{port} reuseport;
        location / {{ default_type "{type}"; return 200 '{reply}'; }}
    }}
}}
"""


class Server:
    """One process that serves; stopped by its id when the block that runs it ends."""

    def __init__(self, running, command, url=None):
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, text=True)
        running.callback(self.stop)
        if url is None:
            line = self.process.stdout.readline()
            if not line:
                sys.exit(f"{command[0]} does not start")
            url = line.split()[-1]
        self.url = url
        self.host = urllib.parse.urlsplit(self.url).netloc

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(START_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def ask(self):
        """The reply to the one request, as soon as the server answers at all."""
        deadline = time.monotonic() + START_S
        while True:
            connection = http.client.HTTPConnection(self.host, timeout=START_S)
            try:
                connection.request("POST", PATH, BODY, {"Content-Type": "application/json"})
                reply = connection.getresponse()
                text = reply.read().decode()
                if reply.status != 200:
                    sys.exit(f"{self.url} answers {reply.status}: {text}")
                return text
            except ConnectionRefusedError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)
            finally:
                connection.close()

    def processor_s(self):
        """Processor time so far, of the process and its children."""
        pid = self.process.pid
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        ticks = 0
        for each in [pid, *children]:
            fields = pathlib.Path(f"/proc/{each}/stat").read_text().rsplit(")", 1)[1].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def load(self, connections, path=PATH):
        """One round of wrk."""
        before = self.processor_s()
        output = subprocess.run(
            ["wrk", f"-t{min(HALF_OF_CORES, connections)}", f"-c{connections}", f"-d{ROUND_S}s",
             f"-s{HERE / 'wrk.lua'}", urllib.parse.urljoin(self.url, path)],
            env=os.environ | {"BENCH_BODY": BODY}, capture_output=True, text=True, check=True).stdout
        spent = self.processor_s() - before
        line = next(line for line in output.splitlines() if line.startswith("counted "))
        requests, microseconds, refused, errors = map(int, line.split()[1:])
        if refused or not requests:
            sys.exit(f"{self.url}: {refused} of {requests} replies were not 2xx")
        return {"rate": requests * 1e6 / microseconds, "errors": errors,
                "processor_us": spent * 1e6 / requests}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start_nginx(running, folder, reply):
    port = free_port()
    config = folder / "nginx.conf"
    config.write_text(NGINX.format(workers=HALF_OF_CORES, folder=folder, port=port, type=TYPE,
                                   reply=reply))
    os.chmod(folder, 0o755)
    return Server(running, ["nginx", "-p", folder, "-c", config, "-e", folder / "error.log"],
                  url=f"http://127.0.0.1:{port}/")


def start_all(running, gjkd, echo):
    folder = pathlib.Path(running.enter_context(tempfile.TemporaryDirectory(prefix="gjkd-bench-")))
    threads = str(HALF_OF_CORES)
    servers = {"gjkd": Server(running, [gjkd, "--listen", "127.0.0.1:0", "--io-threads", threads])}
    reply = servers["gjkd"].ask()
    (folder / "reply").write_text(reply)
    servers["echo"] = Server(running, [echo, threads, folder / "reply"])
    servers["echo that parses"] = Server(running, [echo, "--parse", threads, folder / "reply"])
    servers["nginx"] = start_nginx(running, folder, reply)
    for name, server in servers.items():
        if len(server.ask()) != len(reply):
            sys.exit(f"{name} answers with another size")
        server.load(CONNECTIONS)  # warms up
    print(f"{len(BODY)} bytes of request, {len(reply)} of reply, "
          f"{threads} io thread(s), {CONNECTIONS} connections", file=sys.stderr)
    return servers


def result(case, pairs, peer_name, unit, **more):
    """The paired round whose ratio is the median one."""
    pairs = sorted(pairs, key=lambda pair: pair[0] / pair[1])
    ours, peer = pairs[len(pairs) // 2]
    return {"case": case, "ours": round(ours, 2), "peer": round(peer, 2), "peer_name": peer_name,
            "unit": unit, "ratio": round(ours / peer, 4),
            "spread": [round(a / b, 3) for a, b in (pairs[0], pairs[-1])], **more}


def compare(servers):
    """gjkd against each of the others."""
    rounds = [{name: server.load(CONNECTIONS) for name, server in servers.items()}
              for _ in range(ROUNDS)]
    for measure, unit, case in [("rate", "requests/s", "distance query"),
                                ("processor_us", "us", "distance query, processor time")]:
        for peer in ("echo", "echo that parses", "nginx"):
            pairs = [(each["gjkd"][measure], each[peer][measure]) for each in rounds]
            yield result(case, pairs, peer, unit,
                         errors=sum(each["gjkd"]["errors"] for each in rounds))


def sweep(servers):
    """gjkd over the connections against itself at 64, and the same of the echo."""
    rounds = [{name: {n: servers[name].load(n) for n in SWEEP} for name in ("gjkd", "echo")}
              for _ in range(SWEEP_ROUNDS)]
    for n in SWEEP:
        of = {name: [(each[name][n]["rate"], each[name][CONNECTIONS]["rate"]) for each in rounds]
              for name in ("gjkd", "echo")}
        echo = result("", of["echo"], "", "")["ratio"]
        yield result(f"sweep {n} connections", of["gjkd"], "gjkd at 64 connections", "requests/s",
                     errors=sum(each["gjkd"][n]["errors"] for each in rounds), echo_ratio=echo)


def main(gjkd, echo, results):
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))  # so that the servers are stopped
    with contextlib.ExitStack() as running:
        servers = start_all(running, gjkd, echo)
        with open(results, "w", encoding="utf-8") as lines:
            for each in (*compare(servers), *sweep(servers)):
                print(json.dumps(each), file=lines)


if __name__ == "__main__":
    main(*sys.argv[1:])
