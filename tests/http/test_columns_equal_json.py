"""Every row of every message of columns equals its JSON answer to the bit.

Messages are drawn from the table of their columns, row by row of it; a column without a counterpart
in JSON below fails. Each is asked over HTTP and over a stream, with 1 and with 16 threads. A sanitizer
is given as many messages of fewer rows; the release is given all of them.
"""

import math
import random
import struct

import pytest

import pieces
import scenes
from column_tables import NONE, TABLES
from daemon import Daemon, is_sanitized
from messages import TYPE, flat, gjkd as pb
from stream_wire import BINARY, WebSocket, pack_call, unpack_answer

pytestmark = pytest.mark.also_plain
STATES = ["separated", "touching", "overlapping"]
STATUSES = ["converged", "iteration_limit"]
AT_START = ["report", "ignore", "resolve", "leaving"]
MODES = ["closest", "any", "all"]
CLOSEST, ANY, ALL = range(3)
VERDICTS = ["confirmed", "adjusted", "denied", "unverifiable"]
REASONS = [None, "other-target", "blocked", "miss", "no-target", "tick-expired", "tick-in-future",
           "rewind-limit"]
KEPT, NOT_KEPT = [1, 1.25, 2, 2.5, 3], [0.5, 3.5]
PATH, COVER, PLANT = "/v1/sets/columns", "columns.cover", "columns.plant"


class World:
    """A set and its cover in two daemons, each with the ticks 1 to 3, in which all has moved."""

    def __init__(self, dimension):
        self.dimension, self.turn = dimension, "angle" if dimension == 2 else "orientation"
        self.daemons = [Daemon("--workers=1", "--io-threads=1"), Daemon("--workers=16")]
        for daemon in self.daemons:
            self.fill(daemon)
        stored = self.daemons[0].get(PATH).json()["shapes"]
        self.handles = {i: shape["handle"] for i, shape in stored.items()}
        self.ids = {h: i for i, h in self.handles.items()}
        self.groups = {i: shape.get("group") for i, shape in stored.items()}
        covers = self.daemons[0].get(f"/v1/sets/{COVER}").json()["shapes"]
        self.covers = {COVER: {i: shape["handle"] for i, shape in covers.items()}, PLANT: {"pot": 1}}
        self.streams = [WebSocket(daemon) for daemon in self.daemons]
        self.ticks = KEPT

    def fill(self, daemon):
        rng, dimension = random.Random(60 + self.dimension), self.dimension
        many = {f"many/{k}": shape | {"position": scenes.vector(rng, dimension, -3, 3)}
                for k, shape in pieces.all_of(dimension).items()}
        for path, shapes in ((PATH, scenes.scene(5, dimension) | many),
                             (f"/v1/sets/{COVER}", scenes.scene(6, dimension, scenes.IDS[:4]) | many)):
            assert daemon.put(path, {"dimension": dimension, "history": {"ticks": 3},
                                     "shapes": shapes}).status_code == 201
            for tick in (1, 2, 3):
                moved = {i: {"position": scenes.vector(rng, dimension, -2, 2)} for i in shapes}
                assert daemon.put(f"{path}/ticks/{tick}", {"shapes": moved}).status_code == 201

        pot = {"type": "circle" if dimension == 2 else "sphere", "radius": 0.5}
        assert daemon.put(f"/v1/sets/{PLANT}", {"dimension": dimension, "history": {"ticks": 3},
                                                "shapes": {"pot": pot}}).status_code == 201
        for tick in (1, 2, 3):
            daemon.put(f"/v1/sets/{PLANT}/ticks/{tick}", {
                "shapes": {"pot": {"position": [tick - 2] * dimension}}})

    def stop(self):
        for stream, daemon in zip(self.streams, self.daemons):
            stream.socket.close()
            daemon.stop()


@pytest.fixture(scope="module", params=[2, 3])
def world(request):
    made = World(request.param)
    yield made
    made.stop()


# --- Messages drawn from a table ---

def value_of(column, rng, world):
    """The numbers of one row."""
    if column.name == "at_tick":
        return [rng.choice(world.ticks)]
    if column.values == "SHAPE" or column.name == "claim":
        return [rng.choice(list(world.ids) + [NONE] * (4 if column.default == NONE else 0))]
    if column.values == "COORDINATE":
        return scenes.vector(rng, world.dimension, -4, 4)
    if column.width == "TURN":
        turned = scenes.turned(rng, world.dimension)[world.turn]
        return [turned] if world.dimension == 2 else turned
    if column.values == "SLOPE":
        return [rng.choice([0, 0.25, 1.5])]
    if column.type == "UINTS":
        return [rng.choice([NONE, 1, 2, 6])]
    return [rng.choice([0, 0.25, rng.uniform(0, 6)])]


def one_of(column, rng):
    """A value of the message as a whole."""
    if column.type == "BOOL":
        return rng.random() < 0.5
    return rng.choice({"obstacles": ["", COVER], "near_miss": [0, 0.5, 3], "max_rewind_ticks": [0, 0.75], "limit": [0, 1, 2, 3],
                       "at_start": [0, 1, 2, 2, 3], "mode": [CLOSEST, ANY, ALL, ALL],
                       "penetration": [0, 1, 2]}.get(column.name, [0, 3, 7]))


def draw(table, rng, world, count):
    """{column: its rows, or its one value}; a column that is left out is None."""
    drawn = {}
    for column in table:
        rows = {"COUNTS": count, "EACH": count, "SHARED": rng.choice([1, count]),
                "DEFAULTED": rng.choice([0, 1, count]),
                "OPTIONAL": rng.choice([0, count])}.get(column.rule.replace("ONE_OR_EACH", "DEFAULTED"))
        if column.name == "dimension":
            drawn[column.name] = world.dimension
        elif column.name == "more_obstacles":
            drawn[column.name] = rng.choice([[], [], [COVER], [PLANT], [PLANT, COVER, PLANT]])
        elif column.rule == "LIST":
            drawn[column.name] = rng.choice([[], ["red"], ["team/7", "red"]] if column.type == "TEXTS" else
                                            [[], [3], [5, 2, 3]])
        elif rows is None:
            drawn[column.name] = one_of(column, rng)
        else:
            drawn[column.name] = [value_of(column, rng, world) for _ in range(rows)] or None
    if all(column.rule != "COUNTS" for column in table):  # the longest column does
        drawn["shape"] = [rng.choice(drawn["shape"]) for _ in range(count)]
    if [NONE] in drawn.get("shape", []) and not drawn["position"]:
        drawn["position"] = [scenes.vector(rng, world.dimension, -4, 4) for _ in range(count)]
    if drawn.get("signed"):  # which JSON does not ask of pieces
        drawn["pieces"] = False
    if drawn.get("to_rotation"):  # only from the origin JSON's `to` is that translation to the bit
        drawn["position"] = [[0.0] * world.dimension] * count
    return drawn


def message_of(kind, drawn, table):
    message = kind()
    for column in table:
        value = drawn[column.name]
        if column.rule == "ONE":
            setattr(message, column.name, value)
        elif value:
            getattr(message, column.name).extend(value if column.rule == "LIST" else flat(value))
    return message


# --- The same in JSON ---

def member(*path):
    """A setter of the member at that path; a single number stands for itself."""
    def put(query, value, _):
        for key in path[:-1]:
            query = query.setdefault(key, {})
        query[path[-1]] = value[0] if isinstance(value, list) and len(value) == 1 else value
    return put


def nothing(*_):
    """Of columns that do not change an answer, or are told with another."""


def turn(*path):
    return lambda query, value, world: member(*path, world.turn)(query, value, world)


def shape(*path):
    return lambda query, value, world: member(*path, "id")(query, world.ids[value[0]], world)


def ignore(query, groups):
    query.setdefault("filter", {}).setdefault("ignore_groups", []).extend(groups)


def ignore_group_of(query, value, world):
    group = world.groups.get(world.ids.get(value[0]))
    ignore(query, [group] if group else [])


def to(query, value, world):
    query["to"] = {"position": query.pop("translation"),
                   world.turn: value[0] if world.dimension == 2 else value}


def shooter(query, value, world):
    if group := world.groups.get(world.ids.get(value[0])):
        query["shooter"] = group


def claim(query, value, world):
    if value[0] != NONE:
        query["claim"] = {"id": world.ids[value[0]]}


def claim_group(query, value, world):
    if value and "claim" in query:
        query["claim"] = {"group": world.groups[query["claim"]["id"]] or "nobody"}


def rewind(query, value, _):
    query["policy"] = {"max_rewind_ticks": value} if value else {}


def more_obstacles(query, value, drawn):
    """All sets of obstacles, each in the same state and with the filter of the shot."""
    policy = query["policy"]
    rule = ({"at": "shot"} if policy.pop("at_shot") else {}) | (
        {"filter": query["filter"]} if "filter" in query else {})
    if sets := [name for name in [policy.pop("first")] + value if name]:
        policy["obstacles"] = [{"set": name} | rule for name in sets]


def bits(name):
    return lambda query, value, _: value and query.setdefault("filter", {}).update({name: value})


SELECT = {"mask": member("filter", "mask"), "category": member("filter", "category"),
          "at_tick": member("at", "tick"), "ignore_groups": lambda q, v, _: ignore(q, v),
          "ignore_group_of": ignore_group_of,
          "ignore": lambda q, v, world: q.setdefault("filter", {}).update(
              ignore=[world.ids[h] for h in v])}
LIST = {"mode": lambda q, v, _: q.update(mode=MODES[v]),
        "limit": lambda q, v, _: v and q.get("mode") == "all" and q.update(limit=v)}
ALWAYS = {"dimension": nothing, "partial": nothing, "at_tick": member("at", "tick")}
RAY = ALWAYS | SELECT | LIST | {
    "origin": member("origin"), "direction": member("direction"), "exits": member("exits"),
    "max_distance": member("max_distance"), "not_solid": lambda q, v, _: q.update(solid=not v)}
PAIR = ALWAYS | {
    "a": shape("a"), "position_a": member("a", "position"), "rotation_a": turn("a"),
    "b": shape("b"), "position_b": member("b", "position"), "rotation_b": turn("b")}
DETECT = PAIR | {"signed": nothing, "no_penetration": lambda q, v, _: q.update(penetration=not v),
                 "pieces": lambda q, v, _: v and q["penetration"] and q.update(penetration="pieces")}
DISTANCE = PAIR | {"signed": member("signed"), "no_penetration": nothing, "pieces": nothing}
CAST = ALWAYS | SELECT | LIST | {
    "shape": shape("shape"), "position": member("shape", "position"), "rotation": turn("shape"),
    "translation": member("translation"), "to_rotation": to,
    "at_start": lambda q, v, _: q.update(at_start=AT_START[v])}
MOVE = ALWAYS | SELECT | {
    "shape": shape("shape"), "position": member("shape", "position"), "rotation": turn("shape"),
    "translation": member("translation"), "up": member("up"), "max_slope": member("max_slope"),
    "step": member("step"), "snap": member("snap"), "skin": member("skin"),
    "depenetrate": member("depenetrate"), "slides": lambda q, v, _: q.update(slides=v or 8)}
ONE = ALWAYS | SELECT | {"position": member("a", "position"), "rotation": turn("a")}
NEAREST = ONE | {
    "shape": lambda q, v, world: q.update(a={"type": "point"} if v == [NONE] else {"id": world.ids[v[0]]}),
    "limit": lambda q, v, _: q.update(limit=v or 1), "max_distance": member("max_distance"),
    "signed": member("signed")}
OVERLAP = ONE | {
    "shape": shape("a"), "limit": lambda q, v, _: v and q.update(limit=v),
    "penetration": lambda q, v, _: q.update(penetration=[False, True, "pieces"][v])}
HIT = ALWAYS | {
    "shooter_of": shooter, "claim": claim, "claim_group": claim_group, "radius": member("radius"),
    "origin": member("ray", "origin"), "direction": member("ray", "direction"),
    "max_distance": member("ray", "max_distance"), "max_rewind_ticks": rewind,
    "obstacles": lambda q, v, _: q["policy"].update(first=v), "mask": bits("mask"),
    "obstacles_at_shot": lambda q, v, _: q["policy"].update(at_shot=v), "category": bits("category"),
    "more_obstacles": more_obstacles, "near_miss": lambda q, v, _: v and q["policy"].update(near_miss=v)}


def query_of(mapping, table, drawn, row, op, world):
    query = {"op": op}
    for column in table:
        value = drawn[column.name]
        if column.rule not in ("ONE", "LIST") and value is not None:
            value = value[0 if len(value) == 1 else row]
        if value is not None:
            mapping[column.name](query, value, world)
    return query


# --- What an answer's column holds, of the JSON result of its row ---

def of(name, where):
    return lambda result, world, drawn: where(result).get(name)


def index(name, words, where):
    def find(result, world, drawn):
        said = where(result)
        return words.index(said[name]) if name in said else None
    return find


def handle(where):
    return lambda result, world, drawn: world.handles.get(where(result).get("id"))


def value_of_pair(result, world, drawn):
    if "depth" in result or "distance" not in result:
        return result.get("depth")
    if drawn["signed"] and result.get("inside"):
        return -math.inf
    return result["signed_distance"] if drawn["signed"] else result["distance"]


def lower_bound(result, world, drawn):
    if result.get("inside") and drawn.get("signed"):
        return -math.inf
    return result.get("lower_bound", result.get("depth_lower_bound"))


def status_of_shot(result, world, drawn):
    ticks = {"tick-expired": 2, "tick-in-future": 3}
    return ticks.get(result["reason"], STATUSES.index((result["hit"] or {}).get("status", "converged")))


def set_of(result, drawn):
    """(number, name) of the set that the obstacle is of, which JSON names where there are several, or that
    lacks the tick, if not the shot's own; (None, None): there is none."""
    sets = [drawn["obstacles"], *drawn["more_obstacles"]]
    told = result["obstacle"] or {"set": result.get("set", "")}
    return next(((i, name) for i, name in enumerate(sets) if name and name == told.get("set", name)), (None, None))


def blocked(default, name=None):
    """Of an obstacle: it is told, or the default stands for it, wherever there is one."""
    return lambda result, *_: result["obstacle"] and result["obstacle"].get(name, default)


def rewind_of(result, world, drawn):
    told = result["rewind"]
    return [told[k] for k in ("from", "to", "alpha")] if told and told["from"] is not None else None


def itself(result):
    return result


def struck(result):
    return result["hit"] or {}


def lines_of(result, drawn):
    """The lines of a row: all hits, or the closest one, or none."""
    for name in ("hits", "nearest", "contacts"):
        if name in result:
            return result[name] if drawn.get("mode", ALL) == ALL else result[name] or [{}]
    return [{}]


def line(name, default=None):
    """Of a column of lines: what each line of the row holds; None: the default of the table."""
    return lambda result, world, drawn: [told.get(name, default) for told in lines_of(result, drawn)]


def flag(name):
    return lambda result, world, drawn: [told.get(name) or None for told in lines_of(result, drawn)]


def handle_of_lines(result, world, drawn):
    if "hit" in result:
        return [0 if result["hit"] else NONE]
    return [world.handles.get(told.get("id")) for told in lines_of(result, drawn)]


def worst(result, world, drawn):
    return max((STATUSES.index(told.get("status", "converged")) for told in lines_of(result, drawn)),
               default=0)


def count(result, world, drawn):
    return len(lines_of(result, drawn))


LINE = {name: line(name) for name in ("point", "normal", "piece", "material")} | {
    "handle": handle_of_lines, "count": count}
HITS = LINE | {"status": worst, "pose_gap": nothing, "inside": flag("inside")}
RAY_ANSWERS = HITS | {"distance": line("distance"), "exit": line("exit")}
CAST_ANSWERS = HITS | {"fraction": line("fraction", 1.0), "depth": line("depth"),
                       "moving_piece": line("moving_piece")}
PAIR_ANSWERS = {name: of(name, itself) for name in (
    "normal", "point_a", "point_b", "iterations", "piece_a", "piece_b")} | {
        "state": index("state", STATES, itself), "status": index("status", STATUSES, itself),
        "value": value_of_pair, "lower_bound": lower_bound, "pose_gap": nothing}
PAIR_LINE = LINE | {name: line(name) for name in ("point_a", "point_b", "piece_a", "piece_b")} | {
    "lower_bound": lambda *row: [lower_bound(told, *row[1:]) for told in lines_of(row[0], row[2])],
    "status": worst, "pose_gap": nothing}
PAIR_LINE = {name: said for name, said in PAIR_LINE.items() if name not in ("point", "piece", "material")}
NEAREST_ANSWERS = PAIR_LINE | {
    "value": lambda *row: [value_of_pair(told, *row[1:]) for told in lines_of(row[0], row[2])]}
OVERLAP_ANSWERS = PAIR_LINE | {
    "depth": line("depth"),
    "state": lambda *row: [STATES.index(told["state"]) for told in lines_of(row[0], row[2])]}
HIT_ANSWERS = {name: of(name, struck) for name in (
    "distance", "point", "normal", "piece", "material")} | {
    "verdict": index("verdict", VERDICTS, itself), "reason": index("reason", REASONS, itself),
    "handle": handle(struck), "status": status_of_shot, "pose_gap": nothing,
    "obstacle_distance": lambda result, *_: (result["obstacle"] or {}).get("distance"),
    "obstacle": lambda result, world, drawn: result["obstacle"] and
        world.covers[set_of(result, drawn)[1]][result["obstacle"]["id"]],
    "obstacle_set": lambda result, _, drawn: set_of(result, drawn)[0],
    "near_count": lambda result, *_: len(result["near_misses"]),
    "near": lambda result, world, _: [world.handles[near["id"]] for near in result["near_misses"]],
    "near_distance": lambda result, *_: [near["distance"] for near in result["near_misses"]],
    "obstacle_piece": blocked(NONE, "piece"),
    "obstacle_material": blocked(0, "material"), "rewind": rewind_of}



def ground(result):
    return result["ground"] or {}


MOVE_ANSWERS = LINE | {name: of(name, itself) for name in ("position", "blocked", "pushed")} | {
    "ground": handle(ground), "ground_piece": of("piece", ground), "ground_normal": of("normal", ground),
    "ground_material": of("material", ground), "status": index("status", STATUSES, itself),
    "pose_gap": nothing, "leg_count": lambda result, *_: len(result["legs"]),
    "leg": lambda result, *_: result["legs"], "fraction": line("fraction"), "is_step": flag("step")}

NEEDS = {"0": lambda drawn: True, "NEEDS_HITS": lambda drawn: drawn["mode"] != ANY,
         "NEEDS_COUNT": lambda drawn: drawn["mode"] == ALL,
         "NEEDS_EXITS": lambda drawn: drawn["exits"] and drawn["mode"] != ANY,
         "NEEDS_DEPTH": lambda drawn: drawn["at_start"] == 2 and drawn["mode"] != ANY,
         "NEEDS_PENETRATION": lambda drawn: drawn["penetration"] > 0,
         "NEEDS_OBSTACLES": lambda drawn: drawn["obstacles"] or drawn["more_obstacles"],
         "NEEDS_NEAR": lambda drawn: drawn["near_miss"] > 0,
         "NEEDS_REWIND": lambda drawn: drawn["at_tick"]}


def packed(column, numbers):
    return struct.pack(f"<{len(numbers)}{'d' if column.type == 'DOUBLES' else 'I'}", *numbers)


def check_column(column, found, results, said, world, drawn):
    """One column of an answer against all rows of JSON. Returns whether it holds anything."""
    width, is_lines = column.numbers(world.dimension), column.rule in ("LINES", "SOME_LINES", "LEGS")
    told = [said(result, world, drawn) for result in results]
    told = flat(told) if is_lines else told
    if not NEEDS[column.values](drawn) or (
            column.rule.startswith("SOME") and all(value is None for value in told)):
        assert not found, column.name
        return False
    default = int(column.default) if column.type == "UINTS" else column.default
    for row, value in enumerate(told):
        value = [default] * width if value is None else value if isinstance(value, list) else [value]
        place = found[row * width:(row + 1) * width]
        assert packed(column, place) == packed(column, value), (column.name, row)
    assert len(found) == len(told) * width
    return bool(found)


# --- All together ---

KINDS = [
    ("raycast", "RaycastColumns", "RAYCAST", RAY, RAY_ANSWERS, pb.RaycastAnswers),
    ("detect", "PairColumns", "PAIR", DETECT, PAIR_ANSWERS, pb.PairAnswers),
    ("distance", "PairColumns", "PAIR", DISTANCE, PAIR_ANSWERS, pb.PairAnswers),
    ("distance", "NearestColumns", "NEAREST", NEAREST, NEAREST_ANSWERS, pb.NearestAnswers),
    ("detect", "OverlapColumns", "OVERLAP", OVERLAP, OVERLAP_ANSWERS, pb.OverlapAnswers),
    ("cast", "CastColumns", "CAST", CAST, CAST_ANSWERS, pb.CastAnswers),
    ("move", "MoveColumns", "MOVE", MOVE, MOVE_ANSWERS, pb.MoveAnswers),
    ("hit", "HitColumns", "HIT", HIT, HIT_ANSWERS, pb.HitAnswers),
]


def replies(world, op, kind, body, accept):
    """The answers over HTTP and over a stream, of both daemons; they have to be one."""
    said, content_type = set(), f"{TYPE}; message={kind}"
    for daemon, stream in zip(world.daemons, world.streams):
        reply = daemon.call("POST", f"{PATH}/{op}", data=body,
                            headers={"Content-Type": content_type, "Accept": accept})
        assert reply.status_code == 200, reply.text
        stream.send(BINARY, pack_call(1, "POST", f"{PATH}/{op}", content_type, body,
                                      [("Accept", accept)]))
        _, status, _, streamed, _ = unpack_answer(stream.receive()[1])
        assert status == 200
        said |= {reply.content, streamed}
    assert len(said) == 1
    return said.pop(), reply


@pytest.mark.parametrize("op, kind, name, mapping, answers, answer_kind", KINDS,
                         ids=[f"{k[0]}-{k[1]}" for k in KINDS])
def test_columns_equal_json(world, op, kind, name, mapping, answers, answer_kind):
    rng, filled, reasons = random.Random(f"{op}{world.dimension}"), set(), set()
    world.ticks = KEPT + (NOT_KEPT if op == "hit" else [])  # of which it is a verdict
    table, said = TABLES[f"{name}_COLUMNS"], TABLES[f"{name}_ANSWERS"]
    assert {c.name for c in said[1:]} == set(answers)
    # Something of each column is seen, but of those for which there is nothing here.
    wanted = set(answers) - {"pose_gap"} - (
        {"material"} if world.dimension == 2 and op != "move" else set())
    told_reasons = set(REASONS) if op == "hit" else {None}
    many = 33 if op != "move" else 9  # which takes its time
    counts = [1, 2, many, many, many] + ([many] * 5 + [700] if op != "move" else [])
    if is_sanitized():
        counts = [1, 2, many] + [3] * (len(counts) - 3)
    for i, count in enumerate(counts + [many] * 60):  # the latter until all was seen
        if i >= len(counts) and (is_sanitized() or (filled, reasons) == (wanted, told_reasons)):
            break
        drawn = draw(table, rng, world, count)
        drawn |= {"signed": False} if op == "detect" else {}
        body = message_of(getattr(pb, kind), drawn, table).SerializeToString()
        content, _ = replies(world, op, kind, body, TYPE)
        answer = answer_kind.FromString(content)
        assert answer.SerializeToString() == content  # as others would write it
        queries = [query_of(mapping, table, drawn, row, op, world) for row in range(count)]
        batch = world.daemons[0].ask(f"{PATH}/batch", {"queries": queries})
        _, as_json = replies(world, op, kind, body, "application/json")
        told = as_json.json()
        assert answer.revision == batch["revision"] == told.pop("revision")
        for column in said[1:]:
            found = list(getattr(answer, column.name))
            if check_column(column, found, batch["results"], answers[column.name], world, drawn):
                filled.add(column.name)
                assert told.pop(column.name) == [x if math.isfinite(x) else None for x in found]
        assert told == {}
        reasons |= {result.get("reason") for result in batch["results"]}
    assert is_sanitized() or (filled, reasons) == (wanted, told_reasons)


# --- Configurations, whose rows JSON takes all at once ---

def configurations_drawn(rng, world, count):
    """{column: its values}, and the poses as JSON has them."""
    moved = rng.sample(list(world.handles), rng.choice([1, 3]))
    turns = rng.random() < 0.7
    poses = [[{"position": scenes.vector(rng, world.dimension, -4, 4)} |
              (scenes.turned(rng, world.dimension) if turns else {}) for _ in moved] for _ in range(count)]
    distance, continuous, handles = rng.random() < 0.7, rng.random() < 0.4, list(world.ids)
    ticks = rng.choice([0, 1, count])
    return poses, {
        "dimension": world.dimension, "shape": [world.handles[i] for i in moved],
        "position": flat([pose["position"] for row in poses for pose in row]),
        "rotation": [x for row in poses for pose in row
                     for x in ([pose[world.turn]] if world.dimension == 2 else pose[world.turn])] if turns else [],
        "self": rng.random() < 0.5, "allowed": rng.choices(handles, k=2 * rng.choice([0, 0, 9])) + [77, 78],
        "threshold": rng.choice([[], [], [0.75]]), "distance": distance, "continuous": continuous,
        "mask": rng.choice([0, 0, 3]), "category": rng.choice([0, 7]), "ignore_groups": rng.choice([[], ["red"]]),
        "only_groups": rng.choice([[]] * 4 + [["blue", "red", "team/7"]]), "ignore": rng.sample(handles, rng.choice([0, 0, 3])),
        "at_tick": [rng.choice(KEPT) for _ in range(ticks)],
        "starts": rng.choices(range(count), k=rng.choice([0, 2]) if continuous else 0),
        "limit": rng.choice([0, 1, 2, 5]) if distance else 0, "tolerance": rng.choice([0, 0, 1e-3]), "partial": False}


def configurations_of(drawn, poses, world, tick):
    names = world.ids.get
    query = {"shapes": [names(h) for h in drawn["shape"]], "poses": poses, "self": drawn["self"],
             "allowed": [[names(a, "gone"), names(b, "gone")] for a, b in zip(*[iter(drawn["allowed"])] * 2)],
             "threshold": drawn["threshold"][0] if drawn["threshold"] else None,
             "report": "distance" if drawn["distance"] else "colliding", "continuous": drawn["continuous"],
             "limit": drawn["limit"] or None, "options": {"tolerance": drawn["tolerance"] or None},
             "starts": drawn["starts"] or None, "at": {"tick": tick} if tick is not None else None,
             "filter": {"ignore_groups": drawn["ignore_groups"], "only_groups": drawn["only_groups"] or None,
                        "ignore": [names(h) for h in drawn["ignore"]],
                        "mask": drawn["mask"] or None, "category": drawn["category"] or None}}
    return world.daemons[0].ask(f"{PATH}/configurations", query)["results"]


def pairs_told(row, drawn):
    return row["pairs"] if drawn["limit"] > 1 else [row]


def of_pair(name):
    """A length: beyond all where there is no pair, and less than any within a closed mesh."""
    return lambda row, world, drawn: [math.inf if not p["pair"] else -math.inf if p[name] is None else p[name]
                                      for p in pairs_told(row, drawn)]


def vector_of_pair(name):
    return lambda row, world, drawn: [p[name] for p in pairs_told(row, drawn)]


CONFIGURATION_ANSWERS = {
    "colliding": lambda row, world, drawn: int(row["colliding"]),
    "pair": lambda row, world, drawn: [p["pair"] and [world.handles[i] for i in p["pair"]] for p in pairs_told(row, drawn)],
    "fraction": lambda row, world, drawn: 1.0 if row["fraction"] is None else row["fraction"],
    "count": lambda row, world, drawn: len(row["pairs"]),
    "piece": lambda row, world, drawn: [None if "piece_a" not in p and "piece_b" not in p else [
        NONE if p.get(k) is None else p[k] for k in ("piece_a", "piece_b")] for p in pairs_told(row, drawn)],
    "inside": lambda row, world, drawn: [int(p["inside"]) if "inside" in p else None for p in pairs_told(row, drawn)],
} | {name: of_pair(name) for name in ("distance", "lower_bound")} | {
    name: vector_of_pair(name) for name in ("normal", "point_a", "point_b")}


def test_configurations_equal_json(world):
    rng, filled = random.Random(world.dimension), set()
    table, said = TABLES["CONFIGURATION_COLUMNS"], TABLES["CONFIGURATION_ANSWERS"]
    assert {c.name for c in said[1:]} == set(CONFIGURATION_ANSWERS) | {"status"}
    for count in [1, 2] + [9] * (8 if is_sanitized() else 38):
        poses, drawn = configurations_drawn(rng, world, count)
        assert set(drawn) == {c.name for c in table}
        body = pb.ConfigurationColumns(**drawn).SerializeToString()
        content, _ = replies(world, "configurations", "ConfigurationColumns", body, TYPE)
        answer = pb.ConfigurationAnswers.FromString(content)
        assert answer.SerializeToString() == content
        ticks = drawn["at_tick"] or [None]
        told = {tick: configurations_of(drawn, poses, world, tick) for tick in set(ticks)}
        rows = [told[ticks[0 if len(ticks) == 1 else row]][row] for row in range(count)]
        needs = {"0": True, "NEEDS_DISTANCE": drawn["distance"], "NEEDS_MOTION": drawn["continuous"],
                 "NEEDS_COUNT": drawn["limit"] > 1}
        for column in said[1:]:
            found = list(getattr(answer, column.name))
            if column.name == "status":
                assert len(found) == count and set(found) <= {0, 1}
            elif not needs[column.values]:
                assert not found, column.name
            elif check_column(column._replace(values="0"), found, rows, CONFIGURATION_ANSWERS[column.name], world, drawn):
                filled.add(column.name)
        if len(ticks) == 1:
            assert replies(world, "configurations", "ConfigurationColumns", body, "application/json")[1].json()["results"] == rows
    assert is_sanitized() or filled | {"inside"} == set(CONFIGURATION_ANSWERS)  # which test_configurations.py looks for
