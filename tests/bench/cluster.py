"""What it costs to have sets on three nodes: writes, how soon the others answer, ticks, catching up, reads.

   cluster.py GJKD BUILD_BENCH RESULTS

Three servers of the engine and three nodes on 127.0.0.1, beside one daemon in memory and one with a directory on
the disk of BENCH_DISK (build/bench by default), where the engine's stores are too.
"""

import contextlib
import http.client
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import load
import rewind
import store

WRITERS = [1, 16, 64]
ROUND_S = float(os.environ.get("BENCH_ROUND_S", "2"))
ROUNDS = 3  # odd
DELAYS = 300
TICKS_HZ = 128
TICKS_S = float(os.environ.get("BENCH_TICKS_S", "10"))
AWAY = int(os.environ.get("BENCH_AWAY", "20000"))  # writes that a node misses
SETS = int(os.environ.get("BENCH_SETS", "1000"))  # of 1,000 shapes each, that a node starts with


def free_ports(count):
    probes = [socket.socket() for _ in range(count)]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports


SERVER = subprocess.run([pathlib.Path(__file__).resolve().parents[2] / "deploy/nats-server.sh"],
                        stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


class Engine:
    """Three nats-servers with a store each, by default settings: none waits for its disk."""

    def __init__(self, running, folder):
        ports = [free_ports(3) for _ in range(3)]
        self.url = ",".join(f"nats://127.0.0.1:{client}" for client, _, _ in ports)
        routes = ",".join(f"nats://127.0.0.1:{route}" for _, route, _ in ports)
        for i, (client, route, monitor) in enumerate(ports):
            process = subprocess.Popen(
                [SERVER, "-js", "-sd", str(folder / f"n{i}"), "--name", f"n{i}", "-a", "127.0.0.1",
                 "-p", str(client), "-m", str(monitor), "--cluster_name", "bench", "--cluster",
                 f"nats://127.0.0.1:{route}", "--routes", routes, "-l", str(folder / f"n{i}.log")],
                stdin=subprocess.DEVNULL)
            running.callback(lambda p=process: (p.kill(), p.wait()))
        for _, _, monitor in ports:
            wait(lambda m=monitor: self.is_up(m))

    @staticmethod
    def is_up(monitor):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{monitor}/healthz", timeout=5) as reply:
                return reply.status == 200
        except OSError:
            return False


def wait(condition, within=120):
    deadline = time.monotonic() + within
    while not condition():
        if time.monotonic() > deadline:
            sys.exit("the cluster does not come up")
        time.sleep(0.02)


def node(running, gjkd, engine, number, *flags):
    made = store.Daemon(running, gjkd, f"--nats={engine.url}", "--cluster=bench", f"--node=n{number}",
                        "--cluster-init", *flags)
    wait(lambda: state(made) == "ready")
    return made


def said(daemon):
    with urllib.request.urlopen(f"{daemon.url}v1", timeout=30) as reply:
        return json.loads(reply.read())["cluster"]


def state(daemon):
    return said(daemon)["state"]


def lag(daemon):
    return said(daemon)["revision_lag"]


def row(case, ours, unit, peer=None, peer_name=None, **more):
    return {"case": case, "ours": round(ours, 2), "peer": peer and round(peer, 2),
            "peer_name": peer_name, "unit": unit, "ratio": round(ours / peer, 3) if peer else None, **more}


# --- Writes ---

def writes(tools, folder, nodes, memory, disk):
    """PATCHes of one shape of a set, answered when a quorum of the engine has them."""
    file = store.request(folder, "write", "PATCH", "/v1/sets/s",
                         {"shapes": {"b7": {"position": [1, 2, 3]}}})
    for connections in WRITERS:
        rounds = [[store.ask(tools, daemon, file, connections) for daemon in (nodes[0], memory, disk)]
                  for _ in range(ROUNDS)]
        rounds.sort(key=lambda each: each[0]["accepted_per_s"])
        ours, *others = rounds[ROUNDS // 2]
        for name, peer in zip(("memory", "disk"), others):
            yield row(f"writes, {connections} at once", ours["accepted_per_s"], "requests/s",
                      peer["accepted_per_s"], name)
            for part in ("p50", "p99"):
                yield row(f"writes, {connections} at once, {part}", ours[part], "us", peer[part], name)


# --- How soon another node answers ---

def ask(connection, method, path, body=None, headers=()):
    connection.request(method, path, None if body is None else json.dumps(body),
                       dict(headers) | {"Content-Type": "application/json"})
    reply = connection.getresponse()
    text = reply.read()
    if reply.status not in (200, 201):
        sys.exit(f"{method} {path}: {reply.status} {text[:200]}")
    return json.loads(text)


def quantiles(values):
    values = sorted(values)
    return {name: values[min(len(values) - 1, int(len(values) * part))]
            for name, part in (("p50", 0.5), ("p99", 0.99))}


def delays(nodes):
    """A write on one node is answered; then a question at another for that revision. Beside it the same
    question at the node that took the write."""
    connections = [http.client.HTTPConnection(each.host, timeout=60) for each in nodes]
    found = {0: [], 1: []}
    for i in range(DELAYS):
        for which in found:
            revision = ask(connections[0], "PATCH", "/v1/sets/s", {"meta": i})["revision"]
            begun = time.perf_counter()
            ask(connections[which], "GET", "/v1/sets/s?fields=summary",
                headers={"Gjkd-Min-Revision": str(revision)})
            found[which].append(1e6 * (time.perf_counter() - begun))
    other, own = quantiles(found[1]), quantiles(found[0])
    for part in ("p50", "p99"):
        yield row(f"until another node answers a write, {part}", other[part], "us", own[part],
                  "the node that took it")


# --- Ticks ---

class Watcher(threading.Thread):
    """When a node first shows each tick: {tick: time}."""

    def __init__(self, daemon):
        super().__init__()
        self.connection = http.client.HTTPConnection(daemon.host, timeout=60)
        self.seen, self.over = {}, threading.Event()

    def run(self):
        last = 0
        while not self.over.is_set():
            newest = ask(self.connection, "GET", "/v1/sets/t?fields=summary")["tick"] or 0
            now = time.monotonic()
            for tick in range(last + 1, newest + 1):
                self.seen[tick] = now
            last = max(last, newest)
            time.sleep(0.001)


def metric(daemon, name):
    with urllib.request.urlopen(f"{daemon.url}metrics", timeout=30) as reply:
        return next(float(line.split()[1]) for line in reply.read().decode().splitlines()
                    if line.startswith(name + " "))


def ticks(nodes):
    """Poses of 1,280 shapes to one node on a schedule, and what the two others show of them."""
    rng = random.Random(128)
    players = [rewind.player(rng) for _ in range(rewind.PLAYERS)]
    connection = http.client.HTTPConnection(nodes[0].host, timeout=60)
    ask(connection, "PUT", "/v1/sets/t", rewind.scene(players))
    document = ask(connection, "GET", "/v1/sets/t")
    handles = [document["shapes"][name]["handle"] for name in sorted(document["shapes"])]
    bodies = [rewind.pose_columns(players, handles, tick) for tick in range(64)]
    for each in nodes[1:]:
        ask(http.client.HTTPConnection(each.host, timeout=60), "GET", "/v1/sets/t?fields=summary",
            headers={"Gjkd-Min-Revision": str(document["revision"])})
    watchers = [Watcher(each) for each in nodes]
    for watcher in watchers:
        watcher.start()
    busy = [each.processor_s() for each in nodes]
    count, due_at, begun = int(TICKS_HZ * TICKS_S), {}, time.monotonic()
    for tick in range(1, count + 1):
        due_at[tick] = begun + tick / TICKS_HZ
        time.sleep(max(0.0, due_at[tick] - time.monotonic()))
        rewind.call(connection, "PUT", f"/v1/sets/t/ticks/{tick}", bodies[tick % 64],
                    "application/x-protobuf")
    took = time.monotonic() - begun
    busy = [each.processor_s() - before for each, before in zip(nodes, busy)]
    time.sleep(1)
    for watcher in watchers:
        watcher.over.set()
        watcher.join()
    for name, each, watcher, spent in zip(("the node that takes them", "another", "the third"), nodes, watchers,
                                          busy):
        kept = ask(http.client.HTTPConnection(each.host, timeout=60), "GET", "/v1/sets/t/ticks")["count"]
        late = quantiles([1e3 * (watcher.seen[t] - due_at[t]) for t in due_at if t in watcher.seen])
        yield row(f"1,280 poses {TICKS_HZ} times a second, seen at {name}, p50", late["p50"], "ms",
                  p99_ms=round(late["p99"], 2), sent=count, lost=count - kept,
                  sent_per_s=round(count / took, 1), processor_ms_a_tick=round(1e3 * spent / count, 2),
                  gaps=metric(each, "gjkd_cluster_tick_gaps_total"))


# --- Catching up, and reads ---

def catching_up(running, gjkd, tools, folder, engine, nodes):
    """A node that was away while others wrote, until it is ready, and one that has never been there."""
    nodes[2].process.send_signal(signal.SIGKILL)
    nodes[2].process.wait()
    file = store.request(folder, "many", "PATCH", "/v1/sets/s", {"shapes": {"b7": {"position": [1, 2, 3]}}})
    written = 0
    while written < AWAY:
        written += store.ask(tools, nodes[0], file, 64)["accepted"]
    again = node(running, gjkd, engine, 2)
    yield row(f"start of a node, {written:,} writes in the log", again.ready_s, "s")
    nodes[2] = again


def is_saved(daemon):
    """Whether the node's file has all that the node shows."""
    with urllib.request.urlopen(f"{daemon.url}metrics", timeout=30) as reply:
        found = dict(line.split() for line in reply.read().decode().splitlines() if line[:1] != "#")
    return found["gjkd_cluster_file_revision"] == found["gjkd_cluster_revision"]


def starts(running, gjkd, tools, folder, engine, nodes):
    """A node that starts from its file beside one that starts from the log and its newest snapshot, in turns.
    Both have shown all of it before."""
    flags = [f"--data-dir={folder / 'node'}"]
    filled = node(running, gjkd, engine, 3, *flags)
    for i in range(SETS):
        nodes[0].call("PUT", f"/v1/sets/many{i}", {"dimension": 3, "shapes": {
            f"b{k:04}": store.box(k) for k in range(1000)}})
    wait(lambda: lag(filled) == 0 and is_saved(filled))
    filled.process.send_signal(signal.SIGKILL)
    filled.process.wait()
    file = store.request(folder, "few", "PATCH", "/v1/sets/s", {"shapes": {"b7": {"position": [1, 2, 3]}}})
    missed = store.ask(tools, nodes[0], file, 16)["accepted"]
    found = {True: [], False: []}
    for turn in range(2 * ROUNDS):
        has_file = turn % 2 == 0
        if has_file:  # each time the file as it was
            shutil.copytree(folder / "node", folder / f"node-{turn}")
        made = node(running, gjkd, engine, 3,
                    *([f"--data-dir={folder / f'node-{turn}'}"] if has_file else []))
        found[has_file].append((made.ready_s, made.processor_s()))
        made.process.send_signal(signal.SIGKILL)
        made.process.wait()
    (ours, ours_cpu), (peer, peer_cpu) = min(found[True]), min(found[False])
    yield row(f"start of a node, {SETS} sets of 1,000 shapes in its file, {missed:,} writes behind it", ours, "s",
              peer, "from the log", processor_s=round(ours_cpu, 2), processor_s_peer=round(peer_cpu, 2),
              file_mb=round((folder / "node" / "sets.db").stat().st_size / 1e6))


def reads(tools, folder, nodes, memory, disk):
    """The same question at a node, and at a daemon with a directory, each in turns with one in memory; then
    at one node, and at all three at once."""
    file = store.request(folder, "read", "POST", "/v1/sets/s/distance", {"a": "b3", "b": "b90"})
    for where, daemon in (("at a node", nodes[0]), ("with --data-dir", disk)):
        ours, peer = store.in_turns(tools, daemon, memory, file, 64, store.READ_ROUNDS)
        yield row(f"reads of a pair {where}, 64 at once", ours["accepted_per_s"], "requests/s",
                  peer["accepted_per_s"], "memory")
    one = store.ask(tools, nodes[0], file, 48)["accepted_per_s"]
    found = []

    def at(each):
        found.append(store.ask(tools, each, file, 16)["accepted_per_s"])
    threads = [threading.Thread(target=at, args=(each,)) for each in nodes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    yield row("reads of a pair at three nodes, 48 at once", sum(found), "requests/s", one, "at one",
              cores=os.cpu_count())


def measure(gjkd, tools):
    disk_of = os.environ.get("BENCH_DISK", "build/bench")
    with contextlib.ExitStack() as running:
        folder = pathlib.Path(running.enter_context(tempfile.TemporaryDirectory(dir=disk_of)))
        engine = Engine(running, folder)
        nodes = [node(running, gjkd, engine, i) for i in range(3)]
        memory = store.Daemon(running, gjkd)
        disk = store.Daemon(running, gjkd, f"--data-dir={folder / 'data'}")
        for daemon in (nodes[0], memory, disk):
            daemon.call("PUT", "/v1/sets/s", {"dimension": 3, "shapes": {
                f"b{i}": store.box(i) for i in range(store.SHAPES)}})
        time.sleep(1)
        yield from writes(tools, folder, nodes, memory, disk)
        yield from delays(nodes)
        yield from ticks(nodes)
        yield from reads(tools, folder, nodes, memory, disk)
        yield from catching_up(running, gjkd, tools, folder, engine, nodes)
        yield from starts(running, gjkd, tools, folder, engine, nodes)


def main(gjkd, tools, results):
    for number in (load.signal.SIGTERM, load.signal.SIGHUP):
        load.signal.signal(number, lambda *_: sys.exit(1))
    rows = []
    for each in measure(gjkd, pathlib.Path(tools)):
        rows.append(each)
        print(f"{each['case']}: {each['ours']} {each['unit']}", file=sys.stderr)
    pathlib.Path(results).write_text("".join(json.dumps(each) + "\n" for each in rows))


if __name__ == "__main__":
    main(*sys.argv[1:])
