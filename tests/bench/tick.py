"""What does a game's whole tick cost in one message, beside one for each kind of question?

   tick.py GJKD RESULTS

Of 1,280 shapes in 3D all move in each tick; then 300 sights, 100 casts, 8 hits and 2 overlaps are asked. The
same ticks are sent in turns to two sets of one daemon: as five messages (PoseColumns, RaycastColumns,
CastColumns, HitColumns, PairColumns), and as one TickColumns. Counted is the daemon's processor time.
"""

import contextlib
import json
import os
import pathlib
import random
import sys

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


def send_one(connection, tick, poses, asked):
    message = pb.TickColumns(poses=poses, block=[pb.Block(**{kind: message}) for kind, message in asked])
    answers = pb.TickAnswers.FromString(call(connection, "POST", f"/v1/sets/one/ticks/{tick}", message))
    return [getattr(answer, kind).SerializeToString() for answer, (kind, _) in zip(answers.block, asked)]


def main(gjkd, results):
    rng = random.Random(1280)
    shapes = {f"s{i}": {"type": "sphere", "radius": 0.5, "position": numbers(rng, 3)} for i in range(SHAPES)}
    body = json.dumps({"dimension": 3, "history": {"ticks": 4}, "shapes": shapes}).encode()
    five, one = [], []
    with contextlib.ExitStack() as running, open(results, "w", encoding="utf-8") as lines:
        server = load.Server(running, [gjkd, "--listen", "127.0.0.1:0", "--workers", "1", "--io-threads", "1"])
        connection = load.http.client.HTTPConnection(server.host)
        for name in ("five", "one"):
            call(connection, "PUT", f"/v1/sets/{name}", body)
        stored = json.loads(call(connection, "GET", "/v1/sets/one", b""))["shapes"]
        handles = [shape["handle"] for shape in stored.values()]
        for round_ in range(ROUNDS + 1):  # the first warms up
            ticks = [(round_ * TICKS + k, *questions(rng, handles)) for k in range(TICKS)]
            answers = {}
            for send, costs in ((send_five, five), (send_one, one)):
                before = processor_ns(server)
                answers[send] = [send(connection, *tick) for tick in ticks]
                costs.append((processor_ns(server) - before) / TICKS / 1e6)
            assert answers[send_five] == answers[send_one], "the answers differ"
        connection.close()
        middle = ROUNDS // 2
        ratios = sorted(a / b for a, b in zip(one[1:], five[1:]))
        print(json.dumps({"case": "a tick in one message", "ours": round(sorted(one[1:])[middle], 3),
                          "peer": round(sorted(five[1:])[middle], 3), "peer_name": "five messages", "unit": "ms",
                          "ratio": round(ratios[middle], 3), "ratios": [round(ratios[0], 3), round(ratios[-1], 3)]}),
              file=lines)


main(*sys.argv[1:])
