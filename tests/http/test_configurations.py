"""configurations: rows of what-if poses, against the pairs asked alone."""

import itertools
import math
import random

import pytest

import messages
import problem
import scenes
from near import near

INSIDE = -math.inf


def key(line):
    """The signed distance that a row is ordered by."""
    return INSIDE if line.get("inside") else line["signed_distance"]


def pairs_of(shapes, moved, own, allowed, rule):
    """The pairs that a row is about, the lesser id first."""
    allowed = {tuple(sorted(p, key=str.encode)) for p in allowed}
    pairs = [(a, b) for a in moved for b in shapes if b not in moved and scenes.passes(shapes[b], b, rule)]
    pairs += list(itertools.combinations(moved, 2)) if own else []
    pairs = {tuple(sorted(p, key=str.encode)) for p in pairs}
    return sorted(pairs - allowed, key=lambda p: (p[0].encode(), p[1].encode()))


def alone(gjkd, url, pairs, moved, row, op):
    """What each pair says by itself with the row's poses."""
    def operand(i):
        return {"id": i} | row[moved.index(i)] if i in moved else i
    queries = [{"op": op, "a": operand(a), "b": operand(b)} | ({"signed": True} if op == "distance" else {})
               for a, b in pairs]
    return gjkd.ask(f"{url}/batch", {"queries": queries})["results"]


def poses(rng, dimension, count, room=2.5):
    return [{"position": scenes.vector(rng, dimension, -room, room)} | scenes.turned(rng, dimension)
            for _ in range(count)]


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("own, rule, allow", [(False, {}, 0), (True, {}, 0), (True, {"mask": 3}, 4),
                                              (True, {"ignore_groups": ["red"], "ignore": ["b9"]}, 9)])
def test_rows_are_what_the_pairs_say(gjkd, name, dimension, own, rule, allow):
    shapes = scenes.scene(71, dimension)
    gjkd.store(name, {"dimension": dimension, "shapes": shapes})
    url, rng = f"/v1/sets/{name}", random.Random(allow)
    moved = rng.sample(list(shapes), 4)
    every = pairs_of(shapes, moved, own, [], rule)
    allowed = [list(p) for p in rng.sample(every, min(allow, len(every)))]
    rows = [poses(rng, dimension, 4, rng.choice([2, 6, 12])) for _ in range(30)]
    ask = {"shapes": moved, "poses": rows, "self": own, "allowed": allowed, "filter": rule}
    plain = gjkd.ask(f"{url}/configurations", ask)
    threshold = 0.75
    far = gjkd.ask(f"{url}/configurations", ask | {"report": "distance"})
    near_by = gjkd.ask(f"{url}/configurations", ask | {"report": "distance", "threshold": threshold})
    assert plain["revision"] == far["revision"] == 1
    pairs, seen = pairs_of(shapes, moved, own, allowed, rule), set()
    for row, said, wide, close in zip(rows, plain["results"], far["results"], near_by["results"]):
        hits = [p for p, d in zip(pairs, alone(gjkd, url, pairs, moved, row, "detect")) if d["colliding"]]
        assert said == {"colliding": bool(hits), "pair": list(hits[0]) if hits else None}
        lines = alone(gjkd, url, pairs, moved, row, "distance")
        best = min(range(len(pairs)), key=lambda i: (key(lines[i]), i))
        line = lines[best]
        wanted = {"colliding": line["colliding"], "pair": list(pairs[best]),
                  "distance": line["signed_distance"],
                  "lower_bound": line["lower_bound"] if line["distance"] > 0 else line["signed_distance"],
                  "normal": line["normal"], "point_a": line["point_a"], "point_b": line["point_b"]}
        assert wide == wanted
        nothing = {k: None for k in wanted} | {"colliding": False}
        assert close == (wanted if line["distance"] <= threshold else nothing)
        seen |= {("hit", bool(hits)), ("near", close["pair"] is not None)}
    assert len(seen) >= 3
    again = gjkd.ask(f"{url}/configurations", ask | {"poses": rows[::-1], "report": "distance"})
    assert again["results"] == far["results"][::-1]


def test_columns_are_the_same(gjkd, name):
    pb = messages.gjkd
    for dimension in (2, 3):
        shapes = scenes.scene(72, dimension)
        gjkd.call("DELETE", f"/v1/sets/{name}")
        handles = gjkd.put(f"/v1/sets/{name}?fields=handles", {"dimension": dimension, "shapes": shapes}).json()["handles"]
        ids = {h: i for i, h in handles.items()}
        url, rng = f"/v1/sets/{name}/configurations", random.Random(3)
        moved = rng.sample(list(shapes), 3)
        allowed = [[moved[0], moved[1]]]
        rows = [poses(rng, dimension, 3, 4) for _ in range(25)]
        rotation = "angle" if dimension == 2 else "orientation"
        for distance, continuous, threshold in ((False, False, None), (True, False, None), (True, False, 1.0),
                                                (False, True, None), (True, True, None)):
            ask = {"shapes": moved, "poses": rows, "self": True, "allowed": allowed, "continuous": continuous,
                   "report": "distance" if distance else "colliding", "threshold": threshold}
            told = gjkd.ask(url, ask)["results"]
            body = pb.ConfigurationColumns(
                dimension=dimension, shape=[handles[i] for i in moved], self=True,
                allowed=[handles[i] for p in allowed for i in p], distance=distance, continuous=continuous,
                threshold=[] if threshold is None else [threshold],
                position=[x for row in rows for p in row for x in p["position"]],
                rotation=[x for row in rows for p in row
                          for x in ([p[rotation]] if dimension == 2 else p[rotation])])
            reply = gjkd.call("POST", url, data=body.SerializeToString(),
                              headers={"Content-Type": "application/x-protobuf"})
            assert reply.status_code == 200, reply.text
            answers = pb.ConfigurationAnswers.FromString(reply.content)
            also = gjkd.call("POST", url, json=ask, headers={"Accept": "application/x-protobuf"})
            assert also.content == reply.content
            asked_json = gjkd.call("POST", url, data=body.SerializeToString(), headers={
                "Content-Type": "application/x-protobuf", "Accept": "application/json"})
            assert asked_json.json()["results"] == told
            assert answers.revision == 1 and [bool(c) for c in answers.colliding] == [r["colliding"] for r in told]
            named = [ids.get(h) for h in answers.pair]
            assert [named[2 * i:2 * i + 2] for i in range(25)] == [r["pair"] or [None, None] for r in told]
            if continuous:
                assert list(answers.fraction) == [1 if r["fraction"] is None else r["fraction"] for r in told]
            if distance:
                assert list(answers.distance) == [math.inf if r["distance"] is None else r["distance"] for r in told]
                flat = [x for r in told for x in (r["normal"] or [0] * dimension)]
                assert list(answers.normal) == flat
            else:
                assert len(answers.distance) == len(answers.normal) == 0


def test_what_is_not_given_stays_as_stored(gjkd, name):
    gjkd.store(name, {"dimension": 2, "shapes": {
        "arm": {"type": "segment", "a": [0, 0], "b": [2, 0], "angle": math.pi / 2, "position": [5, 0]},
        "peg": {"type": "point", "position": [0, 1]}}})
    ask = {"shapes": ["arm"], "poses": [[{"position": [0, 0]}], [{"angle": 0}], [{}], [{"position": [0, 0], "angle": 0}]]}
    told = gjkd.ask(f"/v1/sets/{name}/configurations", ask)["results"]
    assert [r["colliding"] for r in told] == [True, False, False, False]


def test_continuous_rows_cover_the_way(gjkd, name):
    blade = {"type": "segment", "a": [0, 0], "b": [1, 0]}
    gjkd.store(name, {"dimension": 2, "shapes": {
        "blade": blade, "peg": {"type": "circle", "radius": 0.001, "position": [0.6 * math.cos(1), 0.6 * math.sin(1)]},
        "far": {"type": "point", "position": [0.3 * math.cos(2), 0.3 * math.sin(2)]}}})
    rows = [[{"angle": a}] for a in (0, 0.5, 1.5, 2.5, 3)]
    ask = {"shapes": ["blade"], "poses": rows}
    url = f"/v1/sets/{name}/configurations"
    assert [r["colliding"] for r in gjkd.ask(url, ask)["results"]] == [False] * 5
    told = gjkd.ask(url, ask | {"continuous": True})["results"]
    assert [r["colliding"] for r in told] == [False, False, True, True, False]
    assert told[2]["pair"] == ["blade", "peg"] and near(told[2]["fraction"], 0.5 - math.asin(0.001 / 0.6), 1e-9)
    assert told[3]["pair"] == ["blade", "far"] and near(told[3]["fraction"], 0.5, 1e-9)
    assert told[0]["fraction"] is None
    # Two that move meet on the way; what collides at the start does at once.
    gjkd.store(name, {"dimension": 2, "shapes": {k: {"type": "circle", "radius": 0.5} for k in "ab"}})
    rows = [[{"position": [0, 0]}, {"position": [9, 0]}], [{"position": [9, 0]}, {"position": [0, 0]}],
            [{"position": [0, 0]}, {"position": [0, 0.5]}], [{"position": [0, 0]}, {"position": [5, 0]}]]
    told = gjkd.ask(url, {"shapes": ["a", "b"], "poses": rows, "self": True, "continuous": True})["results"]
    assert [r["colliding"] for r in told] == [False, True, True, True]
    assert near(told[1]["fraction"], 4 / 9, 1e-9) and told[3]["fraction"] == 0
    assert gjkd.ask(url, {"shapes": ["a", "b"], "poses": rows, "continuous": True})["results"][1]["colliding"] is False


@pytest.mark.parametrize("dimension", [2, 3])
def test_continuous_rows_miss_nothing(gjkd, name, dimension):
    shapes = {i: s for i, s in scenes.scene(73, dimension).items() if scenes.passes(s, i, {})}
    gjkd.store(name, {"dimension": dimension, "shapes": shapes})
    url, rng = f"/v1/sets/{name}/configurations", random.Random(9)
    moved = rng.sample(list(shapes), 2)
    for _ in range(12):
        start, end = poses(rng, dimension, 2, 5), poses(rng, dimension, 2, 5)
        ask = {"shapes": moved, "poses": [start, end], "self": True, "continuous": True}
        told = gjkd.ask(url, ask)["results"][1]
        fine = []
        for k in range(101):
            t = k / 100
            row = []
            for p, q in zip(start, end):
                pose = {"position": [a + t * (b - a) for a, b in zip(p["position"], q["position"])]}
                if dimension == 2:
                    pose["angle"] = p["angle"] + t * math.remainder(q["angle"] - p["angle"], 2 * math.pi)
                else:
                    u, v = p["orientation"], q["orientation"]
                    c = sum(x * y for x, y in zip(u, v))
                    v = [-x for x in v] if c < 0 else v
                    w = math.acos(min(1, abs(c)))
                    s = [math.sin((1 - t) * w) / math.sin(w), math.sin(t * w) / math.sin(w)] if w > 1e-9 else [1, 0]
                    pose["orientation"] = [s[0] * x + s[1] * y for x, y in zip(u, v)]
                row.append(pose)
            fine.append(row)
        sampled = gjkd.ask(url, {"shapes": moved, "poses": fine, "self": True})["results"]
        first = next((k / 100 for k, r in enumerate(sampled) if r["colliding"]), None)
        assert first is None or (told["colliding"] and told["fraction"] <= first + 1e-9)
        assert told["colliding"] or first is None


def hilly(rng, side):
    return {"type": "heightfield", "columns": side, "rows": side, "spacing": [1, 1],
            "heights": [round(rng.uniform(0, 1.5), 3) for _ in range(side * side)],
            "position": [-side / 2, -side / 2, 0]}


def turned_about(rng):
    axis = [rng.gauss(0, 1) for _ in range(3)]
    length, half = math.hypot(*axis), rng.uniform(-1.2, 1.2)
    return [math.sin(half) * x / length for x in axis] + [math.cos(half)]


@pytest.mark.parametrize("parts", [0, 3])
def test_continuous_rows_at_many_pieces_meet_as_casts_do(gjkd, name, parts):
    """80,000 triangles, whose tree is asked for those in the way."""
    rng = random.Random(parts)
    link = {"type": "box", "half_extents": [1.5, 0.2, 0.2]}
    if parts:
        link = {"type": "compound", "parts": [
            {"type": "sphere", "radius": 0.3, "position": [i - 1, 0, 0]} for i in range(parts)]}
    gjkd.store(name, {"dimension": 3, "shapes": {"hills": hilly(rng, 200), "link": link}})
    url, hits = f"/v1/sets/{name}", 0
    for _ in range(12):
        start = {"position": [rng.uniform(-50, 50), rng.uniform(-50, 50), 4],
                 "orientation": turned_about(rng)}
        end = {"position": [x + rng.uniform(-3, 3) for x in start["position"][:2]] +
               [rng.uniform(-1, 3)], "orientation": turned_about(rng)}
        told = gjkd.ask(f"{url}/configurations", {
            "shapes": ["link"], "poses": [[start], [end]], "continuous": True})["results"]
        cast = gjkd.ask(f"{url}/cast", {"shape": {"id": "link"} | start, "to": end})["hits"]
        assert told[0]["colliding"] is False and told[1]["colliding"] == bool(cast)
        if cast:
            hits += 1
            assert told[1]["pair"] == ["hills", "link"]
            assert near(told[1]["fraction"], cast[0]["fraction"], 1e-9)
    assert 3 < hits


def test_at_a_tick_and_if_match(gjkd, name):
    gjkd.store(name, {"dimension": 2, "history": {"ticks": 4}, "shapes": {
        "a": {"type": "circle", "radius": 1}, "b": {"type": "circle", "radius": 1, "position": [9, 0]}}})
    for tick, x in ((1, 1), (2, 5)):
        gjkd.put(f"/v1/sets/{name}/ticks/{tick}", {"shapes": {"b": {"position": [x, 0]}}})
    url = f"/v1/sets/{name}/configurations"
    ask = {"shapes": ["a"], "poses": [[{"position": [0, 0]}]], "report": "distance"}
    assert gjkd.ask(url, ask)["results"][0]["distance"] == 3
    told = gjkd.ask(url, ask | {"at": {"tick": 1.5}})
    assert told["results"][0]["distance"] == 1 and told["tick"] == 1.5
    problem.check(gjkd.post(url, ask | {"at": {"tick": 0}}), "tick-expired", pointer="/at/tick")
    problem.check(gjkd.post(url, ask, headers={"If-Match": '"x"'}), "revision-mismatch")


REFUSED = [({"shapes": []}, "out-of-range", "/shapes"), ({"shapes": None}, "missing-member", "/shapes"),
           ({"poses": []}, "out-of-range", "/poses"), ({"poses": [[{}, {}]]}, "out-of-range", "/poses/0"), ({"poses": [{}]}, "wrong-type", "/poses/0"),
           ({"poses": [[{}], []]}, "out-of-range", "/poses/1"), ({"poses": [[{}], [3]]}, "wrong-type", "/poses/1/0"),
           ({"poses": [[{"angel": 1}]]}, "unknown-member", "/poses/0/0/angel"),
           ({"shapes": ["x"]}, "shape-not-found", "/shapes/0"), ({"allowed": [["a", "x"]]}, "shape-not-found", "/allowed/0/1"),
           ({"allowed": [["a"]]}, "wrong-type", "/allowed/0"), ({"threshold": -1}, "out-of-range", "/threshold"),
           ({"report": "depth"}, "out-of-range", "/report"), ({"shapes": ["a", "a"], "poses": [[{}, {}]]}, "out-of-range", "/shapes/1"),
           ({"shape": 1}, "unknown-member", "/shape")]


@pytest.mark.parametrize("change, code, pointer", REFUSED)
def test_refusals(gjkd, name, change, code, pointer):
    gjkd.store(name, {"dimension": 2, "shapes": {"a": {"type": "point"}, "b": {"type": "point"}}})
    ask = {"shapes": ["a"], "poses": [[{}]]} | change
    problem.check(gjkd.post(f"/v1/sets/{name}/configurations", ask), code, pointer=pointer)


def test_how_many_rows(gjkd, name):
    gjkd.store(name, {"dimension": 2, "shapes": {"a": {"type": "point"}, "b": {"type": "point"}}})
    url = f"/v1/sets/{name}/configurations"
    for count in (1, 65535, 65536):
        assert len(gjkd.ask(url, {"shapes": ["a"], "poses": [[{}]] * count})["results"]) == count
    problem.check(gjkd.post(url, {"shapes": ["a"], "poses": [[{}]] * 65537}), "too-many", pointer="/poses", limit=65536)


def test_rows_count_as_configurations(start):
    daemon = start()
    daemon.store("s", {"dimension": 2, "shapes": {"a": {"type": "point"}, "b": {"type": "point"}}})
    daemon.ask("/v1/sets/s/configurations", {"shapes": ["a"], "poses": [[{}]] * 7})
    metrics = daemon.get("/metrics").text
    assert 'gjkd_queries_total{op="configurations"} 7' in metrics
    assert 'gjkd_queries_total{op="detect"} 0' in metrics


COLUMNS_REFUSED = [(dict(shape=[9]), "shape-not-found", "/shape/0"), (dict(shape=[]), "missing-member", "/shape"),
                   (dict(position=[1]), "missing-member", "/position"), (dict(position=[1, 2, 3]), "wrong-type", "/position"),
                   (dict(rotation=[1, 2]), "wrong-type", "/rotation"), (dict(allowed=[1]), "wrong-type", "/allowed"),
                   (dict(allowed=[1, 9]), "shape-not-found", "/allowed/1"), (dict(threshold=[1, 2]), "wrong-type", "/threshold"),
                   (dict(threshold=[-1]), "out-of-range", "/threshold/0"), (dict(dimension=3), "dimension-mismatch", "/dimension"),
                   (dict(position=[math.nan, 0]), "not-finite", "/position/0")]


@pytest.mark.parametrize("change, code, pointer", COLUMNS_REFUSED)
def test_refused_columns(gjkd, name, change, code, pointer):
    pb = messages.gjkd
    gjkd.store(name, {"dimension": 2, "shapes": {"a": {"type": "point"}, "b": {"type": "point"}}})
    body = pb.ConfigurationColumns(**(dict(dimension=2, shape=[1], position=[0, 0]) | change))
    reply = gjkd.call("POST", f"/v1/sets/{name}/configurations", data=body.SerializeToString(),
                      headers={"Content-Type": "application/x-protobuf"})
    problem.check(reply, code, pointer=pointer)
