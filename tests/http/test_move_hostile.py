"""Moves that nobody means: bodies in a heap of solids, lengths of all sizes, numbers that are none. Every
answer is whole, and the same alone, in a batch, as a column, on 1 worker and on 16."""

import itertools
import json
import math
import random

import pytest
import requests

import problem
from daemon import Daemon
from messages import TYPE, gjkd as pb
from near import near
from probe import timed
from stream_wire import BINARY, WebSocket, pack_call, unpack_answer
from test_blocks import send
from test_columns import NONE, ask, total
from test_dearest import AFTER_S, CLUSTER, ground, spent_after

LENGTHS = [0, 5e-324, 1e-300, 1e-160, 1e-9, 0.1, 1, 3, 1e9, 1e100, 1e150]
MEMBERS = {"step": 0, "snap": 0, "skin": 0.001, "depenetrate": 0.5, "max_slope": 0.8}


def heap(rng, dimension):
    """Solids that overlap in many ways, flat ones and points among them, and a body of each kind."""
    def place(most):
        return {"position": [rng.choice([0, 1, rng.uniform(-most, most)]) for _ in range(dimension)]}

    ball = "sphere" if dimension == 3 else "circle"
    balls = [{"type": ball, "radius": rng.choice([0.1, 1])} | place(0.5) for _ in range(8)]
    shapes = {f"box{i}": {"type": "box", "half_extents": rng.choices([0, 0.5, 2], k=dimension)} | place(2) for i in range(12)}
    shapes |= {f"same{i}": {"type": "box", "half_extents": [1] * dimension} for i in range(6)}
    shapes |= {"point": {"type": "point"}, "far": {"type": ball, "radius": 1e100, "position": [1e100] + [0] * (dimension - 1)},
               "crumb": {"type": ball, "radius": 1e-150},
               "heap": {"type": "compound", "parts": balls},
               "none": {"type": "segment", "a": [0] * dimension, "b": [0] * dimension},
               "hull": {"type": "hull", "points": [[rng.uniform(-1, 1) for _ in range(dimension)] for _ in range(9)]}}
    if dimension == 3:
        corners = [[rng.uniform(-2, 2) for _ in range(3)] for _ in range(40)]
        shapes["mesh"] = {"type": "mesh", "vertices": corners,
                          "triangles": [rng.sample(range(40), 3) for _ in range(12)] + [[0, 1, 1], [2, 2, 2]]}
    return shapes


def random_move(rng, dimension):
    def vector():
        return [rng.choice([-1, 1]) * rng.choice(LENGTHS) for _ in range(dimension)]

    members = {member: rng.choice([usual, rng.choice(LENGTHS)]) for member, usual in MEMBERS.items()}
    members["max_slope"] = rng.choice([0, 0.8, 1.5707963])
    up, body = vector(), rng.choice(["box1", "same1", "point", "crumb", "heap", "none", "hull"])
    if body == "heap":
        members["depenetrate"] = 0  # the depth of many pieces in many takes its time
    return members | {"translation": vector(), "up": up if any(up) else [0] * (dimension - 1) + [1e-300],
                      "shape": {"id": body,
                                "position": [rng.choice([0, 1, rng.uniform(-3, 3)]) for _ in range(dimension)]}}


def check_whole(move, answer):
    assert answer["status"] in ("converged", "iteration_limit")
    longest = max(map(abs, move["translation"] + answer["moved"]))
    for axis, wish in enumerate(move["translation"]):
        moved = answer["moved"][axis]
        assert abs(sum(leg[axis] for leg in answer["legs"]) - moved) <= 1e-9 * longest
        assert abs(wish - moved - answer["blocked"][axis]) <= 1e-9 * longest
    assert math.hypot(*answer["pushed"]) <= move["depenetrate"] * (1 + 1e-9)
    assert (answer["ground"] is not None) == answer["grounded"]
    for contact in answer["contacts"]:
        assert 0 <= contact["fraction"] <= 1 and near(sum(n * n for n in contact["normal"]), 1, 1e-9)


def as_column(moves, handles, slides):
    dimension = len(moves[0]["translation"])
    return pb.MoveColumns(
        dimension=dimension, slides=slides, shape=[handles[m["shape"]["id"]] for m in moves],
        position=sum((m["shape"]["position"] for m in moves), []),
        translation=sum((m["translation"] for m in moves), []), up=sum((m["up"] for m in moves), []),
        **{member: [m[member] for m in moves] for member in MEMBERS})


@pytest.fixture(scope="module")
def daemons():
    both = [Daemon("--workers=1", "--io-threads=1"), Daemon("--workers=16")]
    yield both
    for daemon in both:
        daemon.stop()


@pytest.mark.parametrize("dimension, seed", itertools.product([2, 3], range(2)))
def test_a_heap(daemons, dimension, seed):
    rng = random.Random(100 * dimension + seed)
    shapes, slides = heap(rng, dimension), rng.choice([1, 8, 32])
    moves = [random_move(rng, dimension) for _ in range(8)]
    asked = [{"slides": slides} | move for move in moves]
    told, name = [], f"heap{dimension}"
    for daemon in daemons:
        daemon.store(name, {"dimension": dimension, "shapes": shapes})
        handles = {i: s["handle"] for i, s in daemon.get(f"/v1/sets/{name}").json()["shapes"].items()}
        alone = [daemon.ask(f"/v1/sets/{name}/move", query) for query in asked]
        for move, answer in zip(moves, alone):
            check_whole(move, answer)
        batch = daemon.ask(f"/v1/sets/{name}/batch", {"queries": [{"op": "move"} | query for query in asked]})["results"]
        assert batch == [{k: v for k, v in answer.items() if k != "revision"} for answer in alone]
        column = ask(daemon, f"/v1/sets/{name}/move", as_column(moves, handles, slides), pb.MoveAnswers)
        for column_name in ("position", "blocked", "pushed"):
            assert list(getattr(column, column_name)) == sum((answer[column_name] for answer in alone), [])
        assert list(column.leg) == sum((leg for answer in alone for leg in answer["legs"]), [])
        assert list(column.count) == [len(answer["contacts"]) for answer in alone]
        assert list(column.fraction) == [c["fraction"] for answer in alone for c in answer["contacts"]]
        assert list(column.handle) == [handles[c["id"]] for answer in alone for c in answer["contacts"]]
        assert list(column.ground) == [handles[a["ground"]["id"]] if a["grounded"] else NONE for a in alone]
        told.append((batch, column.position, column.normal, column.point))
    assert told[0] == told[1]


def test_thousands_of_contacts(gjkd, name):
    """A ball in a cup of 4,000 points: no more are told than are kept, and that there are more."""
    rng = random.Random(9)
    rows = [[rng.gauss(0, 1) for _ in range(3)] for _ in range(4000)]
    cup = [[2 * x / sum(y * y for y in row) ** 0.5 for x in row] for row in rows]
    gjkd.store(name, {"dimension": 3, "shapes": {f"p{i}": {"type": "point", "position": p} for i, p in enumerate(cup)}})
    ball = {"type": "sphere", "radius": 1.999}
    for way in ([0, 0, 0], [1, 2, 3], [1e9, 0, 0]):
        answer = gjkd.ask(f"/v1/sets/{name}/move", {"shape": ball, "translation": way, "skin": 0.01, "up": [0, 0, 1]})
        assert max(map(abs, answer["moved"])) < 0.2 and len(answer["contacts"]) <= 128
        assert answer["grounded"] and not any(answer["pushed"])


NO_NUMBERS = ["NaN", "Infinity", "-Infinity", "1e999", "-1", '"1"', "[1, 2, 3, 4]", "[[1], 2, 3]", "{}", "true", "1e151",
              "[1e999, 0, 0]", "[NaN, 0, 0]", "[null, 0, 0]", '["1", 0, 0]', "[1e151, 0, 0]", "0x10", "- 1", "1.", "[0, 0, 0, ]"]


@pytest.mark.parametrize("member", ["translation", "up", "slides", *MEMBERS])
def test_numbers_that_are_none(gjkd, name, member):
    gjkd.store(name, {"dimension": 3, "shapes": {"me": {"type": "point"}}})
    for text in NO_NUMBERS:
        query = {"shape": '"me"', "translation": "[1, 0, 0]", member: text}
        body = "{" + ", ".join(f"{json.dumps(k)}: {v}" for k, v in query.items()) + "}"
        reply = requests.post(f"http://127.0.0.1:{gjkd.port}/v1/sets/{name}/move", data=body,  # Python reads NaN as JSON
                              headers={"Content-Type": "application/json"})
        code = reply.json().get("code")
        assert code in ("malformed-json", "wrong-type", "out-of-range", "not-finite"), (text, reply.text)
        found = problem.check(reply, code)
        assert code == "malformed-json" or found["errors"][0]["pointer"].startswith(f"/{member}")


# --- Columns of no numbers, over HTTP and over a stream ---

def columns(**more):
    return {"dimension": 3, "shape": [1], "translation": [1, 0, 0] * 4} | more


def in_row(usual, width, value):
    """Four rows, the value in the second number of the third."""
    column = usual * 4
    column[2 * width + min(width - 1, 1)] = value
    return column


WIDTHS = {"position": 3, "rotation": 4, "translation": 3, "up": 3, "at_tick": 1} | dict.fromkeys(MEMBERS, 1)
USUAL = {"rotation": [0, 0, 0, 1], "up": [0, 0, 1], "position": [0, 0, 0], "translation": [1, 0, 0]}
REFUSED = [
    *((columns(**{c: in_row(USUAL.get(c, [0]), width, value)}), "not-finite", f"/{c}/2")
      for c, width in WIDTHS.items() for value in (math.nan, math.inf, -math.inf)),
    *((columns(**{c: in_row(USUAL.get(c, [0]), width, value)}), code, f"/{c}/2")
      for c, width in WIDTHS.items() for value, code in ((1e151, "out-of-range"), (-1e151, "out-of-range"))
      if c in ("position", "translation", "skin", "step", "snap", "depenetrate", "max_slope")),
    *((columns(**{c: [0.5]}), "wrong-type", f"/{c}") for c, width in WIDTHS.items() if width > 1),
    *((columns(**{c: [0.5] * (2 * width)}), "wrong-type", f"/{c}") for c, width in WIDTHS.items() if c != "translation"),
    (columns(up=in_row([0, 0, 1], 3, 0)[:8] + [0] + [0, 0, 1]), "zero-direction", "/up/2"),
    (columns(rotation=in_row([0, 0, 0, 1], 4, 1)), "bad-orientation", "/rotation/2"),
    (columns(shape=[1, 1, 77, 1]), "shape-not-found", "/shape/2"),
    (columns(shape=[1, 1, NONE, 1]), "shape-not-found", "/shape/2"),
    (columns(slides=33), "out-of-range", "/slides"), (columns(slides=NONE), "out-of-range", "/slides"),
]


@pytest.mark.http  # asks a stream itself
def test_columns_that_are_no_numbers(gjkd, name):
    gjkd.store(name, {"dimension": 3, "history": {"ticks": 2}, "shapes": {"me": {"type": "point"}}})
    url = f"/v1/sets/{name}/move"
    with WebSocket(gjkd) as stream:
        for members, code, pointer in REFUSED:
            message = pb.MoveColumns(**members)
            reply = send(gjkd, url, message)
            problem.check(reply, code, pointer)
            stream.send(BINARY, pack_call(7, "POST", url, TYPE, message.SerializeToString()))
            told = unpack_answer(stream.receive()[1])
            assert told[1] == reply.status_code and told[3] == reply.content, (members, told)


# --- Longer than its deadline ---

@timed
@pytest.mark.http  # asks a stream itself
def test_a_move_past_its_deadline(start):
    """Each of 99 balls is within the skin of each of 28,800 triangles: a move that takes seconds ends with its
    deadline in every form, is counted, and takes no time after it."""
    daemon = start("--workers=1", "--io-threads=1")
    daemon.store("level", {"dimension": 3, "shapes": {"ground": ground(), "me": CLUSTER}})
    handle = daemon.get("/v1/sets/level").json()["shapes"]["me"]["handle"]
    url, late = "/v1/sets/level/move", {"Gjkd-Timeout-Ms": "60"}
    move = {"shape": "me", "translation": [1, 0, -1], "up": [0, 0, 1], "skin": 1e9}
    message = pb.MoveColumns(dimension=3, shape=[handle], translation=move["translation"], up=move["up"], skin=[1e9])
    problem.check(daemon.post(url, move, headers=late), "deadline-exceeded")
    problem.check(daemon.post(url.replace("move", "batch"), {"queries": [{"op": "move"} | move]}, headers=late),
                  "deadline-exceeded")
    problem.check(send(daemon, url, message, **late), "deadline-exceeded")
    message.partial = True  # the deadline is of the whole message
    problem.check(send(daemon, url, message, **late), "deadline-exceeded")
    with WebSocket(daemon) as stream:
        told = stream.ask(1, "POST", url, move, headers=late)
        assert told["status"] == 504 and told["body"]["code"] == "deadline-exceeded"
        stream.send(BINARY, pack_call(2, "POST", url, TYPE, message.SerializeToString(), late.items()))
        assert unpack_answer(stream.receive()[1])[1] == 504
    assert total(daemon, r'gjkd_http_requests_total\{.*/move".*code="504"\}') >= 3
    assert spent_after(daemon) <= AFTER_S
