"""Every route and every kind of query against what is dearest for it: no loop is ever held up, and the
work ends soon after its deadline. Both are judged by processor time, so that a busy machine may take
as long as it likes: by that of the longest round of the loop, as /metrics tells it, and by that which
the process takes after the answer."""

import json
import math
import os
import pathlib
import re
import time

import pytest

import messages
from daemon import Daemon
from probe import timed

OPENAPI = json.loads((pathlib.Path(__file__).parents[2] / "server/openapi.json").read_text())
OPERATIONS = {operation["operationId"]: (method.upper(), path)
              for path, item in OPENAPI["paths"].items()
              for method, operation in item.items() if "operationId" in operation}
QUERIES = set(re.findall(r'"op": \{"type": "string", "const": "(\w+)"', json.dumps(OPENAPI)))

COUNT = 1500
POINTS = 65536
DEADLINE_MS = 100
ROUND_S = 0.05  # of a loop; what it tries by itself takes 0.05 ms
AFTER_S = 0.3   # of all threads, once the deadline has been answered
TURN = {"orientation": [0, 0, math.sin(1.2), math.cos(1.2)]}
FINEST = {"options": {"tolerance": 1e-15, "max_iterations": 1000}}


def boxes(offset=0.0, **members):
    return {f"b{i:04}": {"type": "box", "half_extents": [1, 1, 1],
                         "position": [offset + 1e-4 * i, 1e-4 * (i * 7 % 1009), 0]} | members
            for i in range(COUNT)}


def hull(phase):
    """Points on a ball, all of them corners."""
    points = []
    for i in range(POINTS):
        z, turn = 1 - (2 * i + 1) / POINTS, 2.399963 * i + phase
        flat = math.sqrt(1 - z * z)
        points.append([flat * math.cos(turn), flat * math.sin(turn), z])
    return {"type": "hull", "points": points}


def ground(n=120):
    """A closed mesh of 2 n^2 triangles: a torus."""
    def corner(u, v):
        a, b = 2 * math.pi * u / n, 2 * math.pi * v / n
        return [(2 + math.cos(b)) * math.cos(a), (2 + math.cos(b)) * math.sin(a), math.sin(b)]
    vertices = [corner(u, v) for u in range(n) for v in range(n)]
    triangles = []
    for u in range(n):
        for v in range(n):
            at = [(u + i) % n * n + (v + k) % n for i, k in ((0, 0), (1, 0), (1, 1), (0, 1))]
            triangles += [[at[0], at[1], at[2]], [at[0], at[2], at[3]]]
    return {"type": "mesh", "vertices": vertices, "triangles": triangles, "closed": True}


def ellipsoids():
    return {f"e{i:03}": {"type": "ellipsoid", "radii": [1, 1e-3 * (i + 1), 1e-3],
                         "position": [1e-3 * i, 0, 0]} | TURN for i in range(300)}


@pytest.fixture(scope="module")
def dear():
    daemon = Daemon("--io-threads", "1", "--workers", "2", "--max-body", "64M")
    daemon.store("boxes", {"dimension": 3, "history": {"ticks": 2}, "shapes": boxes()})
    daemon.store("others", {"dimension": 3, "shapes": boxes(0.5)})
    daemon.store("family", {"dimension": 3, "shapes": boxes(group="one")})
    daemon.store("hulls", {"dimension": 3, "shapes": {f"h{i}": hull(i) for i in range(3)}})
    daemon.store("meshes", {"dimension": 3, "shapes": {"m0": ground(), "m1": ground() | TURN}})
    daemon.store("ellipsoids", {"dimension": 3, "shapes": ellipsoids()})
    daemon.store("written", {"dimension": 3, "history": {"ticks": 2}, "shapes": boxes()})
    for tick in 1, 2:
        assert daemon.put(f"/v1/sets/boxes/ticks/{tick}", {}).status_code == 201
    yield daemon
    daemon.stop()


HERE = {"position": [0.1, 0.2, 0.3]} | TURN
LARGE = {"type": "box", "half_extents": [9, 9, 9]}
CLUSTER = {"type": "compound", "parts": [{"type": "sphere", "radius": 1, "position": [0.1 * i, 0, 5]} for i in range(99)]}
RAY = {"origin": [-9, 0.1, 0.1], "direction": [1, 1e-3, 0]}
WAY = {"position": [1, 1, 1]} | TURN
PAIRS = [("hulls", "h0", "h1"), ("meshes", "m0", "m1"), ("ellipsoids", "e000", "e299")]

MOVE = {"translation": [9, 0.1, -0.3], "up": [0, 0, 1], "step": 0.5, "snap": 1, "slides": 32, "skin": 0.2}

# Of each kind of query, the dearest of its forms, with the set that they ask.
ASKED = {
    "detect": [("boxes", {}), ("family", {}), ("boxes", {"against": "others"}),
               ("boxes", {"a": LARGE, "limit": 1000000}),
               ("boxes", {"a": LARGE, "relation": "within"}), ("boxes", {"at": {"tick": 1.5}, "a": LARGE}),
               ("hulls", {}), ("ellipsoids", FINEST),
               *((s, {"a": {"id": a} | HERE, "b": b} | FINEST) for s, a, b in PAIRS),
               ("meshes", {"a": {"id": "m0"} | HERE, "b": "m1", "contacts": 64})],
    "distance": [("boxes", {"against": "others", "limit": 1000000}), ("boxes", {"max_distance": 1}),
                 ("family", {"max_distance": 1}), ("boxes", {"against": "others", "max_distance": 1}),
                 ("boxes", {"a": {"type": "point"}, "limit": 1000000}),
                 ("boxes", {"a": LARGE, "signed": True, "limit": 1000000}),
                 ("ellipsoids", {"a": {"type": "ellipsoid", "radii": [1, 2, 3]} | HERE,
                                 "signed": True, "limit": 1000000} | FINEST),
                 *((s, {"a": {"id": a} | HERE, "b": b, "signed": True} | FINEST)
                   for s, a, b in PAIRS)],
    "raycast": [(s, RAY | {"mode": "all", "exits": True})
                for s in ("boxes", "hulls", "meshes", "ellipsoids")],
    "cast": [("boxes", {"shape": LARGE, "translation": [9, 0, 0], "mode": "all"}),
             ("boxes", {"shape": LARGE, "to": WAY, "mode": "all"}),
             *((s, {"shape": {"id": a, "position": [-5, 0, 0]}, "to": WAY, "mode": "all"} | FINEST)
               for s, a, b in PAIRS)],
    "hit": [("boxes", {"ray": RAY, "radius": 0.5,
                       "policy": {"obstacles": {"set": "others"}, "near_miss": 100}})],
    "move": [("boxes", MOVE | {"shape": LARGE}), ("boxes", MOVE | {"shape": LARGE, "depenetrate": 0}),
             ("boxes", MOVE | {"shape": {"type": "sphere", "radius": 0.5, "position": [-9, 0, 0]}}),
             ("meshes", MOVE | {"shape": CLUSTER, "skin": 1e9}),
             *((s, MOVE | {"shape": {"id": a, "position": p}} | FINEST)
               for s, a, _ in PAIRS for p in ([-5, 0, 0], [0.1, 0.2, 0.3]))],
}


NEED_A_SET = ("hit", "move")


def inline(op, asked):
    """A stateless form: 200 boxes, or a pair of hulls."""
    shapes = dict(list(boxes().items())[:200])
    small = [[round(c, 6) for c in p] for p in hull(0)["points"][::32]]
    a, b = ({"type": "hull", "points": small} | HERE for _ in range(2))
    return {"detect": {"a": a, "b": b}, "distance": {"a": a, "b": b, "signed": True},
            "raycast": RAY | {"mode": "all", "shapes": shapes},
            "cast": {"shape": a, "to": WAY, "against": b}}[op] | FINEST


def ask(op):
    return [("POST", f"/v1/sets/{s}/{op}", body) for s, body in ASKED[op]]


def batch():
    return [("POST", f"/v1/sets/{s}/batch", {"queries": [{"op": op} | body] * 50})
            for op, forms in ASKED.items() for s, body in forms]


def configurations():
    moved = [f"b{i:04}" for i in range(100)]
    row = [{"position": [0.01 * i, 0, 0]} | TURN for i in range(100)]
    asked = {"shapes": moved, "poses": [row] * 20, "self": True}
    large = {"shapes": ["m0"], "poses": [[HERE], [WAY]] * 20} | FINEST
    return [("POST", f"/v1/sets/{s}/configurations", body | more)
            for s, body in (("boxes", asked), ("meshes", large), ("hulls", large | {"shapes": ["h0"]}),
                            ("boxes", {"shapes": [LARGE], "poses": [[WAY]] * 20}))
            for more in ({}, {"report": "distance"}, {"continuous": True}, {"report": "distance", "limit": 10000})]


def patch(shape):
    return {"shapes": {f"b{i:04}": shape for i in range(COUNT)}}


DEAREST = {  # by operationId: (method, path, body) of each request
    **{f"{op}InSet": lambda op=op: ask(op) for op in ASKED},
    **{op: lambda op=op: [("POST", f"/v1/{op}", inline(op, None))] for op in ASKED if op not in NEED_A_SET},
    "batchInSet": batch,
    "batch": lambda: [("POST", "/v1/batch", {"queries": [{"op": op} | inline(op, None)] * 20})
                      for op in ASKED if op not in NEED_A_SET],
    "configurationsInSet": configurations,
    "listSets": lambda: [("GET", "/v1/sets?limit=1000", None)],
    "exportSets": lambda: [("GET", "/v1/export", None)],
    "importSets": lambda: [("POST", "/v1/import?replace=true",
                            {"name": "imported", "dimension": 3, "shapes": {
                                f"b{i}": {"type": "sphere", "radius": 1} for i in range(20000)}})],
    "getSet": lambda: [("GET", f"/v1/sets/{s}", None) for s in ("boxes", "hulls", "meshes")],
    "headSet": lambda: [("HEAD", "/v1/sets/boxes", None)],
    "putSet": lambda: [("PUT", "/v1/sets/put?fields=handles", {"dimension": 3, "shapes": shapes})
                       for shapes in (boxes(), {"h": hull(9)}, {"m": ground()})],
    "patchSet": lambda: [("PATCH", "/v1/sets/written?fields=handles", patch({"position": [1, 2, 3]})),
                         ("PATCH", "/v1/sets/written", patch({"group": "two"}))],
    "deleteSet": lambda: [("DELETE", "/v1/sets/put", None)],
    "getShape": lambda: [("GET", "/v1/sets/hulls/shapes/h0", None),
                         ("GET", "/v1/sets/meshes/shapes/m0?fields=pieces", None)],
    "putShape": lambda: [("PUT", "/v1/sets/written/shapes/h", hull(1)),
                         ("PUT", "/v1/sets/written/shapes/m", ground())],
    "patchShape": lambda: [("PATCH", "/v1/sets/meshes/shapes/m1", {"position": [0.1, 0, 0]})],
    "deleteShape": lambda: [("DELETE", "/v1/sets/written/shapes/m", None)],
    "getTicks": lambda: [("GET", "/v1/sets/boxes/ticks", None)],
    "getTick": lambda: [("GET", "/v1/sets/boxes/ticks/1.5", None)],
    "putTick": lambda: [("PUT", "/v1/sets/written/ticks/10", patch({"position": [3, 2, 1]}))],
    "postTick": lambda: [("POST", "/v1/sets/written/ticks/11",
                          patch({"position": [1, 1, 1]}) | {"queries": [{"op": "detect"}] * 20,
                                                            "overlaps": {}})],
    "watchSet": lambda: [("GET", "/v1/sets/nobody/events", None)],  # events: test_overlaps.py
    "root": lambda: [("GET", "/", None)],
    "playground": lambda: [("GET", "/playground/nothing.js", None)],
    "docs": lambda: [("GET", "/docs/", None)],
    "docsPage": lambda: [("GET", "/docs/guide", None)],
    "about": lambda: [("GET", "/v1", None)],
    "openStream": lambda: [("GET", "/v1/stream", None)],  # calls on it: test_over_stream
    "getCluster": lambda: [("GET", "/v1/cluster", None)],
    "openapi": lambda: [("GET", "/openapi.json", None)],
    "schema": lambda: [("GET", "/gjkd.proto", None)],
    "live": lambda: [("GET", "/livez", None)],
    "health": lambda: [("GET", "/healthz", None)],
    "ready": lambda: [("GET", "/readyz", None)],
    "metrics": lambda: [("GET", "/metrics", None)],
    "explainProblem": lambda: [("GET", "/problems/overloaded", None)],
}


def test_every_operation_and_query_has_its_dearest():
    assert DEAREST.keys() == OPERATIONS.keys()
    assert ASKED.keys() == QUERIES


def processor_s(daemon):
    fields = pathlib.Path(f"/proc/{daemon.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def longest_round_s(daemon):
    with daemon.new_session() as session:
        text = session.get(daemon.url + "/metrics", timeout=60).text
    return max(map(float, re.findall(r"^gjkd_loop_round_seconds_max\S* (\S+)$", text, re.M)))


def spent_after(daemon):
    """Processor time of the process from now until it takes none for a while, or too much."""
    start = before = processor_s(daemon)
    idle = 0
    while idle < 3 and before - start <= AFTER_S:
        time.sleep(0.05)
        now = processor_s(daemon)
        idle = idle + 1 if now == before else 0
        before = now
    return before - start


def headers_for(method):
    kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
    return {"Gjkd-Timeout-Ms": str(DEADLINE_MS), "Content-Type": kind}


@timed
@pytest.mark.http
@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_dearest_stalls_no_loop_and_ends_with_its_deadline(dear, operation):
    for method, path, body in DEAREST[operation]():
        data = json.dumps(body) if body is not None else None
        with dear.new_session() as session:
            reply = session.request(method, dear.url + path, data=data, timeout=60,
                                    headers=headers_for(method))
        what = f"{method} {path} {(data or '')[:200]}: {reply.status_code} {reply.text[:200]}"
        assert reply.status_code < 400 or reply.status_code in (404, 504) or operation == "openStream", what
        assert spent_after(dear) <= AFTER_S, what
        assert longest_round_s(dear) <= ROUND_S, what


def message(op, rows=20000):
    """The longest rows of a column message that the set of boxes takes; handles count from 1."""
    g, one, way = messages.gjkd, [0.1, 0.2, 0.3], [9, 0, 0]
    handles = [i % COUNT + 1 for i in range(rows)]
    rays = {"dimension": 3, "origin": [-9, 0.1, 0.1] * rows, "direction": [1, 1e-3, 0] * rows}
    pairs = {"dimension": 3, "a": handles, "b": handles[1:] + handles[:1], "position_a": one * rows}
    return {"detect": g.PairColumns(**pairs), "distance": g.PairColumns(**pairs, signed=True),
            "raycast": g.RaycastColumns(**rays, exits=True),
            "cast": g.CastColumns(dimension=3, shape=handles, translation=way * rows,
                                  to_rotation=[0, 0, math.sin(1.2), math.cos(1.2)] * rows),
            "move": g.MoveColumns(dimension=3, shape=handles, translation=way * rows, up=[0, 0, 1],
                                  step=[0.5], snap=[1], slides=32),
            "hit": g.HitColumns(**rays, radius=[0.5], obstacles="others"),
            "raycast all": g.RaycastColumns(**rays, exits=True, mode=2),
            "cast all": g.CastColumns(dimension=3, shape=handles, translation=way * rows, mode=2),
            "distance nearest": g.NearestColumns(dimension=3, shape=handles, limit=rows, signed=True),
            "detect overlaps": g.OverlapColumns(dimension=3, shape=handles, penetration=1)}[op]


@timed
@pytest.mark.http
@pytest.mark.parametrize("op", [*sorted(QUERIES), "raycast all", "cast all", "distance nearest",
                                "detect overlaps"])
def test_the_dearest_columns(dear, op):
    asked = message(op)
    headers = {"Gjkd-Timeout-Ms": str(DEADLINE_MS),
               "Content-Type": f"{messages.TYPE}; message={asked.DESCRIPTOR.name}"}
    with dear.new_session() as session:
        reply = session.post(f"{dear.url}/v1/sets/boxes/{op.split()[0]}", data=asked.SerializeToString(),
                             headers=headers, timeout=60)
    assert reply.status_code in (200, 504) or reply.json()["code"] == "too-many", reply.text
    assert spent_after(dear) <= AFTER_S
    assert longest_round_s(dear) <= ROUND_S
