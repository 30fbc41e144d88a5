"""What it costs to have sets on three nodes: writes, how soon the others answer, ticks, catching up, reads.

   cluster.py GJKD BUILD_BENCH RESULTS

Three servers of the engine and three nodes on 127.0.0.1, beside one daemon in memory and one with a directory on
the disk of BENCH_DISK (build/bench by default), where the engine's stores are too.
"""

import contextlib
import http.client
import itertools
import json
import os
import pathlib
import random
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
APART = 16  # writers, each on a set of its own
TICKS = [(rewind.PLAYERS, 128), (5, 60)]  # players of 20 shapes each, ticks a second
TICKS_S = float(os.environ.get("BENCH_TICKS_S", "10"))
AWAY = int(os.environ.get("BENCH_AWAY", "20000"))  # writes that a node misses
MANY = int(os.environ.get("BENCH_SHAPES", "1000000"))  # shapes that a node starts with, in one set or in some
SETS = int(os.environ.get("BENCH_SETS", "9900"))  # of 10 shapes each; --max-sets allows 10,000
STEP = 20_000  # shapes of one request
ROLLUP_S = 10  # in which a node has rolled up what weighs enough


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
        self.monitors, self.processes = [monitor for _, _, monitor in ports], []
        for i, (client, route, monitor) in enumerate(ports):
            process = subprocess.Popen(
                [SERVER, "-js", "-sd", str(folder / f"n{i}"), "--name", f"n{i}", "-a", "127.0.0.1",
                 "-p", str(client), "-m", str(monitor), "--cluster_name", "bench", "--cluster",
                 f"nats://127.0.0.1:{route}", "--routes", routes, "-l", str(folder / f"n{i}.log")],
                stdin=subprocess.DEVNULL)
            running.callback(lambda p=process: (p.kill(), p.wait()))
            self.processes.append(process)
        for monitor in self.monitors:
            wait(lambda m=monitor: self.is_up(m))

    def leader(self):
        """Number of the server that leads the log."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.monitors[0]}/jsz?streams=true", timeout=5) as reply:
            stream = json.loads(reply.read())["account_details"][0]["stream_detail"][0]
        return int(stream["cluster"]["leader"][1:])

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


def processor_us(daemon):
    """Of all its threads, to the nanosecond: a round spends little."""
    return sum(int(each.read_text().split()[0])
               for each in pathlib.Path(f"/proc/{daemon.process.pid}/task").glob("*/schedstat")) / 1e3


def at_once(tools, asked):
    """One connection for each (daemon, file), all at once: accepted a second, and the quantiles of all."""
    by_daemon = {}
    for daemon, file in asked:
        by_daemon.setdefault(daemon.port, []).append(f"s:0:1:{file}")
    loads = [subprocess.Popen([tools / "bench_load", port, str(ROUND_S), *streams], stdout=subprocess.PIPE, text=True)
             for port, streams in by_daemon.items()]
    lines = [json.loads(line) for each in loads for line in each.communicate()[0].splitlines()]
    return {"rate": sum(line["accepted_per_s"] for line in lines), "accepted": sum(line["accepted"] for line in lines),
            "p50": quantiles([line["p50"] for line in lines])["p50"], "p99": max(line["p99"] for line in lines)}


def writes_apart(tools, folder, nodes, memory, disk):
    """Writers of a set each: at one node, and some at each of three. p50: the median of the writers', p99 the
    worst."""
    for daemon in (nodes[0], memory, disk):
        for i in range(APART):
            daemon.call("PUT", f"/v1/sets/apart{i}", {"dimension": 3, "shapes": {
                f"b{k}": store.box(k) for k in range(store.SHAPES)}})
    files = [store.request(folder, f"apart{i}", "PATCH", f"/v1/sets/apart{i}",
                           {"shapes": {"b7": {"position": [1, 2, 3]}}}) for i in range(APART)]
    cases = {"at one node": nodes[:1], "at three nodes": nodes, "memory": [memory], "disk": [disk]}
    found = {name: [] for name in cases}
    for _ in range(ROUNDS):
        for name, daemons in cases.items():
            beside = nodes if daemons[0] in nodes else daemons
            busy = [processor_us(each) for each in beside]
            told = at_once(tools, [(daemons[i % len(daemons)], file) for i, file in enumerate(files)])
            spent = [(processor_us(each) - before) / max(told["accepted"], 1) for each, before in zip(beside, busy)]
            found[name].append(told | {"processor_us": spent[0], "of_all_us": sum(spent)})
    middle = {name: sorted(rounds, key=lambda each: each["rate"])[ROUNDS // 2] for name, rounds in found.items()}
    for name in ("at one node", "at three nodes"):
        ours = middle[name]
        for peer in ("memory", "disk"):
            yield row(f"writes of {APART} sets {name}", ours["rate"], "requests/s", middle[peer]["rate"], peer)
        for part in ("p50", "p99"):
            yield row(f"writes of {APART} sets {name}, {part}", ours[part], "us", middle["disk"][part], "disk")
        yield row(f"writes of {APART} sets {name}, processor time of the first node", ours["processor_us"], "us",
                  middle["disk"]["processor_us"], "disk", of_all_us=round(ours["of_all_us"], 1))


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
    """When a node first shows each tick of a set: {tick: time}."""

    def __init__(self, daemon, name):
        super().__init__()
        self.path = f"/v1/sets/{name}?fields=summary"
        self.connection = http.client.HTTPConnection(daemon.host, timeout=60)
        self.seen, self.over = {}, threading.Event()

    def run(self):
        last = 0
        while not self.over.is_set():
            newest = ask(self.connection, "GET", self.path)["tick"] or 0
            now = time.monotonic()
            for tick in range(last + 1, newest + 1):
                self.seen[tick] = now
            last = max(last, newest)
            time.sleep(0.001)


def metric(daemon, name):
    with urllib.request.urlopen(f"{daemon.url}metrics", timeout=30) as reply:
        return next(float(line.split()[1]) for line in reply.read().decode().splitlines()
                    if line.startswith(name + " "))


def begin_ticks(daemon, name, players):
    """A set of players; a connection, and bodies that move all of its shapes."""
    connection = http.client.HTTPConnection(daemon.host, timeout=60)
    ask(connection, "PUT", f"/v1/sets/{name}", rewind.scene(players))
    document = ask(connection, "GET", f"/v1/sets/{name}")
    handles = [document["shapes"][each]["handle"] for each in sorted(document["shapes"])]
    return connection, [rewind.pose_columns(players, handles, tick) for tick in range(64)], document["revision"]


def tick_on(connection, name, bodies, hertz, first, seconds, during=lambda tick: None):
    """Ticks on a schedule, of which a busy machine is late: {tick: when it was due}, {tick: when it was answered}."""
    due_at, answered_at, begun = {}, {}, time.monotonic()
    for tick in range(first, first + int(hertz * seconds)):
        if time.monotonic() > begun + 2 * seconds:
            break
        due_at[tick] = begun + (tick - first) / hertz
        time.sleep(max(0.0, due_at[tick] - time.monotonic()))
        during(tick)
        rewind.call(connection, "PUT", f"/v1/sets/{name}/ticks/{tick}", bodies[tick % 64], "application/x-protobuf")
        answered_at[tick] = time.monotonic()
    return due_at, answered_at


def late(due_at, seen):
    return quantiles([1e3 * (seen[tick] - due_at[tick]) for tick in due_at if tick in seen])


def ticks(nodes, memory, players, hertz):
    """Poses to one node on a schedule, and what all three show of them; then, while nobody watches, how soon they
    are answered, beside a daemon in memory."""
    rng = random.Random(128)
    moving, name = [rewind.player(rng) for _ in range(players)], f"t{players}"
    connection, bodies, revision = begin_ticks(nodes[0], name, moving)
    for each in nodes[1:]:
        ask(http.client.HTTPConnection(each.host, timeout=60), "GET", f"/v1/sets/{name}?fields=summary",
            headers={"Gjkd-Min-Revision": str(revision)})
    watchers = [Watcher(each, name) for each in nodes]
    for watcher in watchers:
        watcher.start()
    due_at, _ = tick_on(connection, name, bodies, hertz, 1, TICKS_S)
    time.sleep(1)
    for watcher in watchers:
        watcher.over.set()
        watcher.join()
    what, count = f"{players * rewind.PARTS:,} poses {hertz} times a second", len(due_at)
    alone_on = begin_ticks(memory, name, moving)[0]
    busy = [processor_us(each) for each in (*nodes, memory)]
    ours = tick_on(connection, name, bodies, hertz, 1 + count, TICKS_S)
    alone = tick_on(alone_on, name, bodies, hertz, 1, TICKS_S)
    spent = [(processor_us(each) - before) / 1e3 / len(passed[0]) for each, before, passed in zip(
        (*nodes, memory), busy, (ours, ours, ours, alone))]
    for part, value in late(*ours).items():
        yield row(f"{what}, answered, {part}", value, "ms", late(*alone)[part], "memory")
    yield row(f"{what}, processor time of the node that takes them", spent[0], "ms", spent[3], "memory",
              others_ms=[round(each, 2) for each in spent[1:3]])
    for place, each, watcher in zip(("the node that takes them", "another", "the third"), nodes, watchers):
        kept = ask(http.client.HTTPConnection(each.host, timeout=60), "GET", f"/v1/sets/{name}/ticks")["count"]
        shown = late(due_at, watcher.seen)
        yield row(f"{what}, seen at {place}, p50", shown["p50"], "ms", p99_ms=round(shown["p99"], 2),
                  sent=count + len(ours[0]), lost=count + len(ours[0]) - kept,
                  gaps=metric(each, "gjkd_cluster_tick_gaps_total"))


def ticks_without_a_server(engine, nodes):
    """The longest time between two answers while the server that leads the log is killed."""
    rng = random.Random(128)
    players, hertz = TICKS[1]
    connection, bodies, _ = begin_ticks(nodes[0], "unbroken", [rewind.player(rng) for _ in range(players)])
    middle = int(hertz * TICKS_S / 2)
    _, before = tick_on(connection, "unbroken", bodies, hertz, 1, TICKS_S)
    leader = engine.processes[engine.leader()]
    _, during = tick_on(connection, "unbroken", bodies, hertz, 1 + len(before), TICKS_S,
                        lambda tick: tick == 1 + len(before) + middle and leader.kill())
    longest = [max(b - a for a, b in zip(list(each.values()), list(each.values())[1:])) for each in (during, before)]
    yield row(f"{players * rewind.PARTS} poses {hertz} times a second, longest pause as the log's leader dies",
              1e3 * longest[0], "ms", 1e3 * longest[1], "before")


# --- Catching up, and reads ---

def write_many(tools, folder, nodes):
    """AWAY writes or some more, and how many. They weigh less than their set, so that none is rolled up."""
    file = store.request(folder, "many", "PATCH", "/v1/sets/away", {"shapes": {"b7": {"position": [1, 2, 3]}}})
    written = 0
    while written < AWAY:
        written += store.ask(tools, nodes[0], file, 64)["accepted"]
    return written


def catching_up(running, gjkd, tools, folder, engine, nodes):
    """A node that slept while others wrote, until it has all of that, and one that was killed, until it is ready."""
    connection = http.client.HTTPConnection(nodes[0].host, timeout=60)
    ask(connection, "PUT", "/v1/sets/away", {"dimension": 3, "shapes": {f"b{k}": store.box(k) for k in range(2 * AWAY)}})
    nodes[2].process.send_signal(signal.SIGSTOP)
    written = write_many(tools, folder, nodes)
    revision = ask(connection, "PATCH", "/v1/sets/away", {"meta": 1})["revision"]
    begun, busy = time.monotonic(), processor_us(nodes[2])
    nodes[2].process.send_signal(signal.SIGCONT)
    ask(http.client.HTTPConnection(nodes[2].host, timeout=60), "GET", "/v1/sets/away?fields=summary",
        headers={"Gjkd-Min-Revision": str(revision)})
    yield row(f"until a node has {written:,} writes that it slept through", time.monotonic() - begun, "s",
              processor_s=round((processor_us(nodes[2]) - busy) / 1e6, 2))
    nodes[2].process.send_signal(signal.SIGKILL)
    nodes[2].process.wait()
    written = write_many(tools, folder, nodes)
    again = node(running, gjkd, engine, 2)
    yield row(f"start of a node, {written:,} writes in the log", again.ready_s, "s")
    nodes[2] = again


def start_again(running, gjkd, engine, *flags):
    """How long a node takes to be ready that has nothing: seconds, seconds of the processor, MB resident."""
    made = node(running, gjkd, engine, 3, *flags)
    found = made.ready_s, made.processor_s()
    status = pathlib.Path(f"/proc/{made.process.pid}/status").read_text()
    resident = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1e3
    made.process.send_signal(signal.SIGKILL)
    made.process.wait()
    return *found, resident


def log_mb(daemon):
    with urllib.request.urlopen(f"{daemon.url}v1/cluster", timeout=30) as reply:
        return json.loads(reply.read())["log"]["bytes"] / 1e6


def fill_large(connection, offset=0):
    """Writes MANY shapes, a request for STEP of them."""
    for first in range(0, MANY, STEP):
        yield ask(connection, "PATCH", "/v1/sets/large", {"shapes": {
            f"b{k:07}": store.box(k + offset) for k in range(first, min(MANY, first + STEP))}})


def fill(connection, prefix, count, shapes):
    for i in range(count):
        yield ask(connection, "PUT", f"/v1/sets/{prefix}{i}", {"dimension": 3, "shapes": {
            f"b{k:04}": store.box(k) for k in range(shapes)}})


def roll_up(connection, nodes):
    """Writes the large set until a node rolls it up, and waits until the log is short: how long that took from the
    last write on, and the greatest age of an answer meanwhile."""
    def rollups():
        return metric(nodes[0], "gjkd_cluster_rollups_total")
    before, oldest, whole = rollups(), 0, log_mb(nodes[0])
    writes = (reply for offset in itertools.count(1) for reply in fill_large(connection, offset))
    while rollups() == before:
        begun = time.monotonic()
        next(writes)
        connection_of_age = http.client.HTTPConnection(nodes[0].host, timeout=60)
        while log_mb(nodes[0]) > 2 * whole and rollups() == before and time.monotonic() - begun < ROLLUP_S:
            connection_of_age.request("GET", "/v1")
            reply = connection_of_age.getresponse()
            reply.read()
            oldest = max(oldest, int(reply.headers["Gjkd-Age-Ms"]))
            time.sleep(0.02)
    return time.monotonic() - begun, oldest


def sizes(running, gjkd, engine, nodes):
    """A set of MANY shapes, many times larger than a message, as many in sets of 1,000, and many sets: filling
    them, the log, and the start of a node from it, before and after it is rolled up."""
    connection = http.client.HTTPConnection(nodes[0].host, timeout=900)

    def started(case, *flags, **more):
        wait(lambda: all(said(each)["revision_lag"] == 0 for each in nodes), 600)
        ready_s, processor_s, resident_mb = start_again(running, gjkd, engine, *flags)
        connection.close()  # the node may have: it was idle for long
        return row(f"start of a node, {case}", ready_s, "s", processor_s=round(processor_s, 2),
                   resident_mb=round(resident_mb), log_mb=round(log_mb(nodes[0])), **more)
    ask(connection, "PUT", "/v1/sets/large", {"dimension": 3})
    begun = time.monotonic()
    for _ in fill_large(connection):
        pass
    yield started(f"one set of {MANY:,} shapes", filled_s=round(time.monotonic() - begun, 1))
    took, oldest = roll_up(connection, nodes)
    yield row(f"until a set of {MANY:,} shapes is rolled up", took, "s", age_ms=oldest)
    yield started(f"one set of {MANY:,} shapes, rolled up")
    connection.request("DELETE", "/v1/sets/large")
    connection.getresponse().read()
    for prefix, count, shapes in (("some", MANY // 1000, 1000), ("many", SETS, 10)):
        begun = time.monotonic()
        for _ in fill(connection, prefix, count, shapes):
            pass
        yield started(f"{count:,} sets of {shapes:,} shapes", filled_s=round(time.monotonic() - begun, 1))
        yield started(f"every second of {count:,} sets of {shapes:,} shapes", "--sets=*1,*3,*5,*7,*9")
        for i in range(count if prefix == "some" else 0):
            connection.request("DELETE", f"/v1/sets/{prefix}{i}")
            connection.getresponse().read()


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
        yield from writes_apart(tools, folder, nodes, memory, disk)
        for players, hertz in TICKS:
            yield from ticks(nodes, memory, players, hertz)
        yield from reads(tools, folder, nodes, memory, disk)
        yield from catching_up(running, gjkd, tools, folder, engine, nodes)
        yield from sizes(running, gjkd, engine, nodes)
        yield from ticks_without_a_server(engine, nodes)


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
