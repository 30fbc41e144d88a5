"""What does a row of configurations cost in the daemon, beside the core's bare loop, FCL and Bullet?

   configurations.py GJKD BUILD_BENCH RESULTS

bench_robot measures the core and the peers and writes what the daemon is asked: the same rows as
JSON and as columns. Processor time of the daemon's process, the least of some rounds.
"""

import contextlib
import http.client
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import load
import wire

ROWS = 1000
ROUNDS = 15


def processor_ns(process):
    """Of a whole process, by the clock that Linux keeps for it."""
    return time.clock_gettime_ns((~process.pid << 3) | 2)


def ask(connection, method, path, body, kind="application/json"):
    connection.request(method, path, body, {"Content-Type": kind})
    reply = connection.getresponse()
    text = reply.read()
    if reply.status not in (200, 201):
        sys.exit(f"{method} {path}: {reply.status} {text[:300]}")
    return text


def served_ns(server, connection, body, kind):
    least = float("inf")
    for _ in range(ROUNDS):
        before = processor_ns(server.process)
        ask(connection, "POST", "/v1/sets/s/configurations", body, kind)
        least = min(least, processor_ns(server.process) - before)
    return least / ROWS


def main(gjkd, tools, results):
    for number in (load.signal.SIGTERM, load.signal.SIGHUP):
        load.signal.signal(number, lambda *_: sys.exit(1))  # so that the server is stopped
    with contextlib.ExitStack() as running, open(results, "w", encoding="utf-8") as lines:
        folder = pathlib.Path(running.enter_context(tempfile.TemporaryDirectory()))
        output = subprocess.run([pathlib.Path(tools) / "bench_robot", folder],
                                capture_output=True, text=True, check=True).stdout
        print(output, end="", file=lines, flush=True)
        bare = {row["case"]: row["ours"] for row in map(json.loads, output.splitlines())}
        server = load.Server(running, [gjkd, "--listen", "127.0.0.1:0", "--log-level=error"])
        connection = http.client.HTTPConnection(server.host)
        ask(connection, "PUT", "/v1/sets/s", (folder / "set.json").read_bytes())
        for case, name in (("a row, boolean", "rows"), ("a row, distance", "distances")):
            columns = served_ns(server, connection, (folder / f"{name}.bin").read_bytes(),
                                "application/x-protobuf")
            told = served_ns(server, connection, (folder / f"{name}.json").read_bytes(),
                             "application/json")
            for each in (wire.row(f"{case}, as columns", columns, bare[case], "bare loop", "ns"),
                         wire.row(f"{case}, as JSON", told, columns, "columns", "ns")):
                print(json.dumps(each), file=lines, flush=True)
        connection.close()
        server.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
