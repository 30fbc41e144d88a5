"""What does a game's whole tick cost in one message, beside one for each kind of question?

   tick.py GJKD BUILD_BENCH RESULTS

Of 1,280 shapes in 3D all move in each tick; then 300 sights, 100 casts, 8 hits and 2 overlaps are asked. The
same ticks are sent in turns to two sets of one daemon: as five messages (PoseColumns, RaycastColumns,
CastColumns, HitColumns, PairColumns), and as one TickColumns. Counted is the daemon's processor time, beside that of
bench_tick, which asks the core the same in a bare loop.
"""

import contextlib
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import load

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "http"))
from messages import TYPE, gjkd as pb

SHAPES, SIGHTS, CASTS, HITS, PAIRS = 1280, 300, 100, 8, 2
ROUNDS = int(os.environ.get("BENCH_TICK_ROUNDS", "21"))
TICKS = 20  # a round
ROOM = 60.0


def processor_ns(server):
    """Nanoseconds of processor time of all threads so far."""
    tasks = pathlib.Path(f"/proc/{server.process.pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks)


def numbers(rng, count, low=-ROOM, high=ROOM):
    return [rng.uniform(low, high) for _ in range(count)]


def questions(rng, handles):
    """The messages of a tick: poses, then by route."""
    ray = {"dimension": 3}
    return pb.PoseColumns(dimension=3, handle=handles, position=numbers(rng, 3 * SHAPES)), [
        ("raycast", pb.RaycastColumns(**ray, origin=numbers(rng, 3 * SIGHTS), max_distance=[60],
                                      direction=numbers(rng, 3 * SIGHTS, -1, 1))),
        ("cast", pb.CastColumns(**ray, shape=rng.sample(handles, CASTS), translation=numbers(rng, 3 * CASTS, -5, 5))),
        ("hit", pb.HitColumns(**ray, origin=numbers(rng, 3 * HITS), direction=numbers(rng, 3 * HITS, -1, 1),
                              max_distance=[60], claim=rng.sample(handles, HITS))),
        ("detect", pb.PairColumns(**ray, a=rng.sample(handles, PAIRS), b=rng.sample(handles, PAIRS)))]


def call(connection, method, path, message):
    body = message if isinstance(message, bytes) else message.SerializeToString()
    kind = "application/json" if isinstance(message, bytes) else TYPE
    connection.request(method, path, body, {"Content-Type": kind})
    reply = connection.getresponse()
    text = reply.read()
    if reply.status not in (200, 201):
        sys.exit(f"{path}: {reply.status} {text[:300]}")
    return text


def send_five(connection, tick, poses, asked):
    call(connection, "PUT", f"/v1/sets/five/ticks/{tick}", poses)
    return [call(connection, "POST", f"/v1/sets/five/{kind}", message) for kind, message in asked]


def one_of(poses, asked):
    return pb.TickColumns(poses=poses, block=[pb.Block(**{kind: message}) for kind, message in asked])


def send_one(connection, tick, poses, asked):
    answers = pb.TickAnswers.FromString(call(connection, "POST", f"/v1/sets/one/ticks/{tick}", one_of(poses, asked)))
    return [getattr(answer, kind).SerializeToString() for answer, (kind, _) in zip(answers.block, asked)]


def bare_ms(tools, folder, ticks):
    """Milliseconds of a tick in a bare loop."""
    for tick, *questions_ in ticks:
        (folder / f"{tick}.bin").write_bytes(one_of(*questions_).SerializeToString())
    files = [folder / f"{tick}.bin" for tick, *_ in ticks]
    told = subprocess.run([tools / "bench_tick", folder / "set.json", *files], capture_output=True, text=True, check=True)
    return json.loads(told.stdout)["median_ns"] / 1e6


def row(case, ours, peer, peer_name):
    """Of rounds that belong together, without the first."""
    ratios, middle = sorted(a / b for a, b in zip(ours[1:], peer[1:])), ROUNDS // 2
    return json.dumps({"case": case, "ours": round(sorted(ours[1:])[middle], 3), "peer": round(sorted(peer[1:])[middle], 3),
                       "peer_name": peer_name, "unit": "ms", "ratio": round(ratios[middle], 3),
                       "ratios": [round(ratios[0], 3), round(ratios[-1], 3)]})


def main(gjkd, tools, results):
    rng = random.Random(1280)
    shapes = {f"s{i}": {"type": "sphere", "radius": 0.5, "position": numbers(rng, 3)} for i in range(SHAPES)}
    body = json.dumps({"dimension": 3, "history": {"ticks": 4}, "shapes": shapes}).encode()
    five, one, bare = [], [], []
    with contextlib.ExitStack() as running, open(results, "w", encoding="utf-8") as lines:
        folder = pathlib.Path(running.enter_context(tempfile.TemporaryDirectory()))
        (folder / "set.json").write_bytes(body)
        server = load.Server(running, [gjkd, "--listen", "127.0.0.1:0", "--workers", "1", "--io-threads", "1"])
        connection = load.http.client.HTTPConnection(server.host)
        for name in ("five", "one"):
            call(connection, "PUT", f"/v1/sets/{name}", body)
        stored = json.loads(call(connection, "GET", "/v1/sets/one", b""))["shapes"]
        handles = [stored[id_]["handle"] for id_ in sorted(stored)]
        assert handles == list(range(1, SHAPES + 1))  # as bench_tick counts them
        for round_ in range(ROUNDS + 1):  # the first warms up
            ticks = [(round_ * TICKS + k, *questions(rng, handles)) for k in range(TICKS)]
            answers = {}
            for send, costs in ((send_five, five), (send_one, one)):
                before = processor_ns(server)
                answers[send] = [send(connection, *tick) for tick in ticks]
                costs.append((processor_ns(server) - before) / TICKS / 1e6)
            assert answers[send_five] == answers[send_one], "the answers differ"
            bare.append(bare_ms(pathlib.Path(tools), folder, ticks))
        connection.close()
        print(row("a tick in one message", one, five, "five messages"), file=lines)
        print(row("a tick in one message", one, bare, "bare loop"), file=lines)


main(*sys.argv[1:])
