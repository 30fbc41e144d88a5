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


def told_of(pair, line, moved):
    """What a row or a list says of a pair: the normal leaves the moved shape."""
    normal = line["normal"]
    if pair[0] not in moved and normal is not None:
        normal = [-x for x in normal]
    return {"colliding": line["colliding"], "pair": list(pair), "distance": line["signed_distance"],
            "lower_bound": line["lower_bound"] if line["distance"] > 0 else line["signed_distance"],
            "normal": normal, "point_a": line["point_a"], "point_b": line["point_b"]} | {
                k: line[k] for k in ("piece_a", "piece_b", "inside") if k in line}


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
        wanted = told_of(pairs[best], line, moved)
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


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("own, rule, threshold", [(True, {}, None), (False, {"mask": 3}, None), (True, {}, 1.5)])
def test_the_nearest_pairs(gjkd, name, dimension, own, rule, threshold):
    shapes = scenes.scene(74, dimension)
    gjkd.store(name, {"dimension": dimension, "shapes": shapes})
    url, rng = f"/v1/sets/{name}", random.Random(1)
    moved = rng.sample(list(shapes), 3)
    pairs = pairs_of(shapes, moved, own, [], rule)
    rows = [poses(rng, dimension, 3, 4) for _ in range(8)]
    ask = {"shapes": moved, "poses": rows, "self": own, "filter": rule, "report": "distance", "threshold": threshold}
    plain = gjkd.ask(f"{url}/configurations", ask)["results"]
    wanted = []
    for row in rows:
        lines = alone(gjkd, url, pairs, moved, row, "distance")
        order = sorted((i for i in range(len(pairs)) if threshold is None or key(lines[i]) <= threshold),
                       key=lambda i: (key(lines[i]), i))
        wanted.append([told_of(pairs[i], lines[i], moved) for i in order])
    counts = sorted({len(w) for w in wanted})
    for limit in {1, 2, 7, counts[0] - 1, counts[0], counts[-1], counts[-1] + 1, 2 ** 53} - {0, -1}:
        told = gjkd.ask(f"{url}/configurations", ask | {"limit": limit})["results"]
        for said, first, all_pairs in zip(told, plain, wanted):
            cut = {"truncated": True} if len(all_pairs) > limit else {}
            assert said == first | {"pairs": all_pairs[:limit]} | cut
    assert counts[-1] > 7


def test_the_nearest_pairs_of_continuous_rows(gjkd, name):
    shapes = scenes.scene(75, 2)
    gjkd.store(name, {"dimension": 2, "shapes": shapes})
    url, rng = f"/v1/sets/{name}/configurations", random.Random(2)
    moved = rng.sample(list(shapes), 2)
    ask = {"shapes": moved, "poses": [poses(rng, 2, 2, 9) for _ in range(12)], "report": "distance"}
    still = gjkd.ask(url, ask | {"limit": 4})["results"]
    ways = gjkd.ask(url, ask | {"continuous": True})["results"]
    told = gjkd.ask(url, ask | {"continuous": True, "limit": 4})["results"]
    assert told == [way | {k: s[k] for k in ("pairs", "truncated") if k in s} for way, s in zip(ways, still)]
    assert any(w["pair"] != s["pair"] for w, s in zip(ways, still))


@pytest.mark.plain
def test_answers_max_is_shared_by_the_rows(gjkd, name):
    gjkd.store(name, {"dimension": 2, "shapes": {f"p{i:02}": {"type": "point", "position": [i, 0]} for i in range(40)}})
    rows = 65536
    told = gjkd.ask(f"/v1/sets/{name}/configurations", {
        "shapes": [{"type": "point"}], "poses": [[{}]] * rows, "report": "distance", "limit": 1000})
    each = [len(row["pairs"]) for row in told["results"]]
    full = next((i for i, n in enumerate(each) if n < 1000000 // rows), rows)
    assert each[:full] == [1000000 // rows] * full and not any(each[full + 1:]) and 1000 < full
    assert all(row["truncated"] and row["pair"] == [0, "p00"] for row in told["results"])


def test_the_normal_leaves_the_moved_shape(gjkd, name):
    ball = {"type": "circle", "radius": 1}
    gjkd.store(name, {"dimension": 2, "shapes": {"b": ball, "a": ball, "c": ball}})
    for reach, gap in ((4, 2), (1.5, -0.5)):
        for moved, pair, normal in ((["b"], ["a", "b"], [-1, 0]), (["a"], ["a", "b"], [1, 0]),
                                    (["b", "a"], ["a", "b"], [1, 0]), (["a", "b"], ["a", "b"], [1, 0])):
            gjkd.call("PATCH", f"/v1/sets/{name}", json={"shapes": {
                "a": {"position": [0, 0]}, "b": {"position": [reach, 0]}, "c": {"position": [0, 99]}}})
            told = gjkd.ask(f"/v1/sets/{name}/configurations", {
                "shapes": moved, "poses": [[{}] * len(moved)], "self": True, "report": "distance", "limit": 1})
            for said in (told["results"][0], told["results"][0]["pairs"][0]):
                assert (said["pair"], said["distance"], said["normal"]) == (pair, gap, normal)
                assert [q - p for p, q in zip(said["point_a"], said["point_b"])] == [gap, 0]


def test_inline_shapes_and_other_places(gjkd, name):
    rod = {"type": "segment", "a": [0, 0], "b": [2, 0]}
    gjkd.store(name, {"dimension": 2, "shapes": {
        "arm": rod | {"position": [5, 0], "meta": 3}, "peg": {"type": "point", "position": [0, 1], "meta": "p"}}})
    url = f"/v1/sets/{name}/configurations"
    tool = {"type": "circle", "radius": 0.5, "position": [0, 3]}
    ask = {"shapes": [tool, {"id": "arm", "position": [0, 6]}], "report": "distance", "limit": 9, "self": True,
           "include": ["meta"], "poses": [[{}, {}], [{"position": [0, 1]}, {}], [{}, {"position": [1, 3], "angle": 0}]]}
    told = gjkd.ask(url, ask)["results"]
    assert [r["pair"] for r in told] == [[0, "peg"], [0, "peg"], [0, "arm"]]
    assert [r["distance"] for r in told] == [1.5, -0.5, 0.5]
    assert [[p["pair"] for p in r["pairs"]] for r in told] == [
        [[0, "peg"], [0, "arm"], ["arm", "peg"]], [[0, "peg"], [0, "arm"], ["arm", "peg"]],
        [[0, "arm"], [0, "peg"], ["arm", "peg"]]]
    assert told[0]["meta_a"] is None and told[0]["meta_b"] == "p" and told[2]["meta_b"] == 3
    assert told[0]["normal"] == [0, -1] and told[0]["pairs"][2]["normal"] == [0, -1]
    # The same, stored, says the same.
    gjkd.call("PATCH", f"/v1/sets/{name}", json={"shapes": {"a0": tool, "arm": {"position": [0, 6]}}})
    stored = gjkd.ask(url, ask | {"shapes": ["a0", "arm"], "include": []})["results"]
    gjkd.call("PATCH", f"/v1/sets/{name}", json={"shapes": {"a0": None, "arm": {"position": [5, 0]}}})
    for one, two in zip(gjkd.ask(url, ask | {"include": []})["results"], stored):
        for p, q in zip([one] + one["pairs"], [two] + two["pairs"]):
            named = {k: v for k, v in q.items() if k != "pairs"} | {"pair": [0 if i == "a0" else i for i in q["pair"]]}
            assert {k: v for k, v in p.items() if k != "pairs"} == named
    # By its index it may touch what it holds, and shapes that are gone harm nothing.
    gone = {"allowed": [[0, "peg"], ["nobody", "peg"], ["arm", 0], [1, "peg"], ["gone", "away"]], "limit": None}
    assert [r["pair"] for r in gjkd.ask(url, ask | gone)["results"]] == [None] * 3
    bare = gjkd.ask(url, {"shapes": [tool], "poses": [[{"position": [0, 1]}]]})["results"]
    assert bare == [{"colliding": True, "pair": [0, "peg"]}]
    assert gjkd.ask(url, {"shapes": [tool], "poses": [[{"position": [0, 1]}]], "allowed": [["peg", 0]]})["results"] == [
        {"colliding": False, "pair": None}]
    for more in ({"shapes": [tool]}, {"include": ["meta"]}):
        reply = gjkd.call("POST", url, json={"shapes": ["arm"], "poses": [[{}]]} | more,
                          headers={"Accept": "application/x-protobuf"})
        problem.check(reply, "not-acceptable")


def test_what_is_grasped_may_have_many_pieces(gjkd, name):
    gjkd.store(name, {"dimension": 3, "shapes": {"hills": hilly(random.Random(1), 20)}})
    parts = [{"type": "sphere", "radius": 0.3, "position": [i - 1, 0, 0]} for i in range(3)]
    grasped = {"type": "compound", "parts": parts, "position": [0, 0, 4]}
    url = f"/v1/sets/{name}"
    told = gjkd.ask(f"{url}/configurations", {"shapes": [grasped], "poses": [[{}]], "report": "distance", "limit": 1})
    line = gjkd.ask(f"{url}/distance", {"a": grasped, "b": "hills", "signed": True})
    assert told["results"][0]["pairs"] == [told_of([0, "hills"], line, [0])]
    assert told["results"][0]["piece_a"] == line["piece_a"] and told["results"][0]["piece_b"] == line["piece_b"]


def test_starts_begin_new_paths(gjkd, name):
    gjkd.store(name, {"dimension": 2, "shapes": {"wall": {"type": "point"}, "ball": {"type": "circle", "radius": 1}}})
    url = f"/v1/sets/{name}/configurations"
    ask = {"shapes": ["ball"], "poses": [[{"position": [x, 0]}] for x in (-5, 5, -5, 5)], "continuous": True}
    for starts, hits in (([], [0, 1, 1, 1]), ([1], [0, 0, 1, 1]), ([3, 1, 1], [0, 0, 1, 0]), ([0, 1, 2, 3], [0] * 4), (None, [0, 1, 1, 1])):
        told = gjkd.ask(url, ask | {"starts": starts})["results"]
        assert [int(r["colliding"]) for r in told] == hits, starts


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
           ({"shapes": ["x"]}, "shape-not-found", "/shapes/0"), ({"allowed": [["a", 1]]}, "out-of-range", "/allowed/0/1"),
           ({"allowed": [["a"]]}, "wrong-type", "/allowed/0"), ({"threshold": -1}, "out-of-range", "/threshold"),
           ({"report": "depth"}, "out-of-range", "/report"), ({"shapes": ["a", "a"], "poses": [[{}, {}]]}, "out-of-range", "/shapes/1"),
           ({"shape": 1}, "unknown-member", "/shape"), ({"limit": 2}, "unknown-member", "/limit"),
           ({"starts": [0]}, "unknown-member", "/starts"), ({"starts": [1], "continuous": True}, "out-of-range", "/starts/0"),
           ({"starts": [0, -1], "continuous": True}, "out-of-range", "/starts/1"),
           ({"starts": [None], "continuous": True}, "wrong-type", "/starts/0"),
           ({"starts": 0, "continuous": True}, "wrong-type", "/starts"),
           ({"limit": 0, "report": "distance"}, "out-of-range", "/limit"), ({"limit": 1.5, "report": "distance"}, "wrong-type", "/limit"),
           ({"shapes": [{"type": "circle"}]}, "missing-member", "/shapes/0/radius"),
           ({"shapes": [{"type": "sphere", "radius": 1}]}, "dimension-mismatch", "/shapes/0/type"),
           ({"shapes": [{"id": "x"}]}, "shape-not-found", "/shapes/0"), ({"shapes": [{"id": "a", "radius": 1}]}, "unknown-member", "/shapes/0/radius"),
           ({"shapes": ["a", {"id": "a", "angle": 1}], "poses": [[{}, {}]]}, "out-of-range", "/shapes/1"),
           ({"shapes": [None]}, "wrong-type", "/shapes/0"), ({"shapes": [7]}, "wrong-type", "/shapes/0")]


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
                   (dict(threshold=[1, 2]), "wrong-type", "/threshold"),
                   (dict(threshold=[-1]), "out-of-range", "/threshold/0"), (dict(dimension=3), "dimension-mismatch", "/dimension"),
                   (dict(position=[math.nan, 0]), "not-finite", "/position/0"),
                   (dict(limit=1), "unknown-member", "/limit"), (dict(starts=[0]), "unknown-member", "/starts"),
                   (dict(starts=[1], continuous=True), "out-of-range", "/starts/0"),
                   (dict(starts=[0, 0], continuous=True), "too-many", "/starts"), (dict(tolerance=0.011), "out-of-range", "/tolerance"),
                   (dict(ignore_groups=["no group"]), "bad-name", "/ignore_groups/0"), (dict(only_groups=[""]), "bad-name", "/only_groups/0"),
                   (dict(at_tick=[1, 2]), "wrong-type", "/at_tick"), (dict(at_tick=[-1]), "out-of-range", "/at_tick/0"),
                   (dict(at_tick=[1]), "tick-expired", "/at_tick/0"), (dict(shape=[1, 1], position=[0, 0, 1, 1]), "out-of-range", "/shape/1")]


@pytest.mark.parametrize("change, code, pointer", COLUMNS_REFUSED)
def test_refused_columns(gjkd, name, change, code, pointer):
    pb = messages.gjkd
    gjkd.store(name, {"dimension": 2, "shapes": {"a": {"type": "point"}, "b": {"type": "point"}}})
    body = pb.ConfigurationColumns(**(dict(dimension=2, shape=[1], position=[0, 0]) | change))
    reply = gjkd.call("POST", f"/v1/sets/{name}/configurations", data=body.SerializeToString(),
                      headers={"Content-Type": "application/x-protobuf"})
    problem.check(reply, code, pointer=pointer)


def ask_columns(gjkd, name, status=200, accept="application/x-protobuf", **columns):
    body = messages.gjkd.ConfigurationColumns(dimension=2, **columns)
    reply = gjkd.call("POST", f"/v1/sets/{name}/configurations", data=body.SerializeToString(),
                      headers={"Content-Type": "application/x-protobuf", "Accept": accept})
    assert reply.status_code == status, reply.text
    return messages.gjkd.ConfigurationAnswers.FromString(reply.content) if status == 200 else reply


def test_rows_in_part(gjkd, name):
    """A tick that is not kept, and a shape that was not there yet, spoil their own rows."""
    ball = {"type": "circle", "radius": 1}
    gjkd.store(name, {"dimension": 2, "history": {"ticks": 3}, "shapes": {"a": ball, "b": ball | {"position": [9, 0]}}})
    gjkd.put(f"/v1/sets/{name}/ticks/1", {"shapes": {}})
    gjkd.put(f"/v1/sets/{name}/ticks/2", {"shapes": {"late": ball | {"position": [4, 0]}}})
    gjkd.put(f"/v1/sets/{name}/ticks/3", {"shapes": {"b": {"position": [7, 0]}}})
    handles = {i: gjkd.get(f"/v1/sets/{name}/shapes/{i}").json()["handle"] for i in ("a", "b", "late")}
    ask = {"shape": [handles["late"]], "position": [0.5, 9] * 6, "at_tick": [2, 1, 0.5, 3, 4, 2.5], "distance": True}
    refused = {4: ("shape-not-found", "/shape/0", [2, 1]), 2: ("tick-expired", "/at_tick/2", [2, 2, 0.5, 3, 3, 2.5]),
               3: ("tick-in-future", "/at_tick/1", [2, 4, 2, 3, 3, 2.5])}
    for code, pointer, ticks in refused.values():
        n = len(ticks)
        reply = ask_columns(gjkd, name, problem.STATUS[code], **ask | {"at_tick": ticks, "position": [0.5, 9] * n})
        problem.check(reply, code, pointer=pointer)
    for limit in (0, 1, 3):
        told = ask_columns(gjkd, name, partial=True, limit=limit, **ask)
        assert list(told.status) == [0, 4, 2, 0, 3, 0] and list(told.colliding) == [0] * 6
        if limit < 2:
            assert list(told.pair) == [handles["a"], handles["late"]] + [4294967295] * 4 + [
                handles["a"], handles["late"]] + [4294967295] * 2 + [handles["a"], handles["late"]]
            assert len(told.count) == 0 and [d == 0 for d in told.distance] == [False, True, True, False, True, False]
        else:
            assert list(told.count) == [2, 0, 0, 2, 0, 2] and len(told.pair) == 12 and len(told.distance) == 6
    bad = ask_columns(gjkd, name, partial=True, shape=[99], position=[0, 0] * 2)
    assert list(bad.status) == [4, 4] and list(bad.pair) == [4294967295] * 4
    problem.check(ask_columns(gjkd, name, 406, "application/json", partial=True, shape=[handles["a"]], position=[0, 0]), "not-acceptable")


@pytest.mark.plain
def test_columns_are_not_cut(gjkd, name):
    shapes = {f"p{i:02}": {"type": "point", "position": [i, 0]} for i in range(20)}
    handles = gjkd.put(f"/v1/sets/{name}?fields=handles", {"dimension": 2, "shapes": shapes}).json()["handles"]
    ask = {"shape": [handles["p00"]], "distance": True}
    rows = 65536
    told = ask_columns(gjkd, name, limit=1000000 // rows, position=[0, 5] * rows, **ask)
    assert set(told.count) == {15} and len(told.distance) == 15 * rows
    reply = ask_columns(gjkd, name, 422, limit=1000000 // rows + 1, position=[0, 5] * rows, **ask)
    problem.check(reply, "too-many", pointer="/limit", limit=1000000, hint="limit")
    near = ask_columns(gjkd, name, limit=1000, threshold=[5.2], position=[0, 5] * rows, **ask)
    assert set(near.count) == {1} and near.pair[:2] == [handles["p00"], handles["p01"]]


def test_bytes_of_columns_with_lists(start):
    """A message as long as --max-answer is the last one that is sent; what has no lists has no bound."""
    ask = {"distance": True, "position": [0, 5] * 40}
    sizes = {}
    for most in (1 << 20, 65536):
        daemon = start("--max-answer", str(most))
        handles = daemon.put("/v1/sets/s?fields=handles", {"dimension": 2, "shapes": {
            f"p{i:03}": {"type": "point", "position": [i, 0]} for i in range(100)}}).json()["handles"]
        for limit in range(5, 60) if most > 65536 else sorted(sizes):
            ask |= {"shape": [handles["p000"]], "limit": limit}
            if most > 65536:
                sizes[limit] = ask_columns(daemon, "s", **ask).ByteSize()
            elif sizes[limit] <= most:
                assert ask_columns(daemon, "s", **ask).ByteSize() == sizes[limit]
            else:
                problem.check(ask_columns(daemon, "s", 422, **ask), "too-many", pointer="/limit", limit=most, hint="limit")
        assert min(sizes.values()) < 65536 < max(sizes.values())
        assert ask_columns(daemon, "s", **ask | {"limit": 1, "position": [0, 5] * 1000}).ByteSize() > 65536


def test_a_deadline_while_pairs_are_sorted(start):
    """Whatever is under way when time is up, the answer says so, and nothing of memory."""
    daemon = start()
    handles = list(daemon.put("/v1/sets/s?fields=handles", {"dimension": 2, "shapes": {
        f"{i}": {"type": "point", "position": [i, 0]} for i in range(300)}}).json()["handles"].values())
    rng, codes = random.Random(4), set()
    body = messages.gjkd.ConfigurationColumns(dimension=2, shape=handles[:2], position=[0, 0, 0, 0],
                                              allowed=[rng.choice(handles) for _ in range(400000)]).SerializeToString()
    for ms in [*range(4, 160, 3)] * 3:
        reply = daemon.call("POST", "/v1/sets/s/configurations", data=body, headers={
            "Content-Type": "application/x-protobuf", "Gjkd-Timeout-Ms": str(ms)})
        if reply.status_code != 200:
            problem.check(reply, "deadline-exceeded")
        codes.add(reply.status_code)
    assert 504 in codes


def test_columns_tell_pieces_and_what_is_inside(gjkd, name):
    corners = [[x, y, z] for x in (-9, 9) for y in (-9, 9) for z in (-9, 9)]
    faces = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)]
    room = {"type": "mesh", "vertices": corners, "triangles": [list(f) for f in faces], "closed": True}
    handles = gjkd.put(f"/v1/sets/{name}?fields=handles", {"dimension": 3, "shapes": {
        "ball": {"type": "sphere", "radius": 1}, "room": room, "far": {"type": "sphere", "radius": 1, "position": [0, 0, 40]}}}).json()["handles"]
    places = [[1, 0, 0], [0, 0, 20], [8.5, 0, 0]]
    ask = {"shapes": ["ball"], "poses": [[{"position": p}] for p in places], "report": "distance", "limit": 2}
    told = gjkd.ask(f"/v1/sets/{name}/configurations", ask)["results"]
    body = messages.gjkd.ConfigurationColumns(dimension=3, shape=[handles["ball"]], distance=True, limit=2,
                                              position=[x for p in places for x in p])
    reply = gjkd.call("POST", f"/v1/sets/{name}/configurations", data=body.SerializeToString(), headers={"Content-Type": "application/x-protobuf"})
    answer = messages.gjkd.ConfigurationAnswers.FromString(reply.content)
    lines = [p for row in told for p in row["pairs"]]
    assert list(answer.inside) == [int(p.get("inside", False)) for p in lines] and sum(answer.inside) == 1
    assert list(answer.piece) == [p.get(k, 4294967295) for p in lines for k in ("piece_a", "piece_b")]
    assert list(answer.distance) == [p["distance"] for p in lines] and lines[0]["distance"] < -8
    assert list(answer.count) == [2] * 3 and any(p.get("piece_b") is not None for p in lines)
