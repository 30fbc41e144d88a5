"""Requests that ask for as much work as they can: every operation, every kind of shape, at the largest
sizes that the limits allow. Each is a generator, so that only one body is in memory at a time; what was
found by tests/fuzz/dearest.py stands in `found/`."""

import gzip
import json
import math
import pathlib
import random
import sys

import messages

sys.path.append(str(pathlib.Path(__file__).parents[2] / "fuzz"))

import dearest  # noqa: E402

CASES = {}  # name -> generator


class Case:
    def __init__(self, method, path, body=None, **headers):
        self.method, self.path = method, path
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}
        self.body = body if body is None or isinstance(body, (str, bytes)) else json.dumps(
            body, separators=(",", ":"))


def case(make):
    CASES[make.__name__] = make
    return make


def post(path, body, **headers):
    return Case("POST", path, body, **headers)


# --- Sets that many of them ask ---

COINCIDENT = 20000  # balls
SPARSE = 100000  # points on a diagonal
MOVED = 50000  # boxes with ticks


def sets():
    """Names and bodies of the sets, to be stored before."""
    ball = {"type": "sphere", "radius": 1}
    yield "coincident", {"dimension": 3, "shapes": {f"s{i}": ball for i in range(COINCIDENT)}}
    yield "sparse", {"dimension": 2, "shapes": {
        f"s{i}": {"type": "point", "position": [10 * i, 10 * i], "group": f"g{i % 7000}"}
        for i in range(SPARSE)}}
    yield "ticks", {"dimension": 3, "history": {"ticks": 8}, "shapes": {
        f"s{i}": {"type": "box", "half_extents": [1, 1, 1], "position": [i % 200, i // 200, 0],
                  "group": f"g{i % 9}"} for i in range(MOVED)}}
    yield "wholes", {"dimension": 3, "shapes": {
        "ground": ground(200), "thick": ground(150) | {"rounding": 50}, "layers": layers(20000)}}
    yield "curved", {"dimension": 3, "shapes": {
        f"s{i}": {"type": "ellipsoid", "radii": [1 + i % 7, 3, 0.5 + i % 3],
                  "position": [0.001 * i, 0, 0]} for i in range(3000)}}
    yield from dearest.SETS.items()
    yield "hulls", {"dimension": 3, "shapes": {
        f"s{i}": {"type": "hull", "points": sphere_points(2000), "position": [0.01 * i, 0, 0]}
        for i in range(40)}}


# --- Points ---

def cone_points(count, shrink=1.003, power=1):
    radii = (shrink ** -i for i in range(count))
    return [[r * math.cos(2.399 * i), r * math.sin(2.399 * i), r ** power]
            for i, r in enumerate(radii)]


def sphere_points(count):
    rng, points = random.Random(1), []
    for _ in range(count):
        z, turn = rng.uniform(-1, 1), rng.uniform(0, 2 * math.pi)
        r = math.sqrt(1 - z * z)
        points.append([round(r * math.cos(turn), 9), round(r * math.sin(turn), 9), round(z, 9)])
    return points


def ring_points(count, height=None):
    turns = (2 * math.pi * i / count for i in range(count))
    points = [[math.cos(t), math.sin(t)] for t in turns]
    return [p + [i % height] for i, p in enumerate(points)] if height else points


POINTS = 65536  # of one hull
POINT = {"type": "point"}


def hull(points):
    return post("/v1/detect", {"a": {"type": "hull", "points": points}, "b": POINT})


def of_2d(shape):
    return post("/v1/distance", {"dimension": 2, "a": shape, "b": POINT})


@case
def hull_of_a_cone():
    return hull(cone_points(POINTS))


@case
def hull_of_a_slow_cone():
    return hull(cone_points(POINTS, 1.0003))


@case
def hull_of_a_paraboloid_near_its_tip():
    return hull(cone_points(POINTS, 1.003, 2))


@case
def hull_of_a_sphere():
    return hull(sphere_points(POINTS))


@case
def hull_of_a_cylinder():
    return hull(ring_points(POINTS, 2))


@case
def hull_of_a_grid():
    return hull([[i % 40, i // 40 % 40, i // 1600] for i in range(POINTS)])


@case
def hull_of_lattice_points_on_a_paraboloid():
    return hull([[x, y, x * x + y * y] for x in range(256) for y in range(256)])


@case
def hull_of_coincident_points():
    return hull([[float(i % 4 == k) for k in range(3)] for i in range(POINTS)])


@case
def hull_of_all_magnitudes():
    rng = random.Random(2)
    return hull([[rng.uniform(-1, 1) * 10.0 ** rng.randint(-150, 150) for _ in range(3)]
                 for _ in range(POINTS // 2)])


@case
def hull_of_points_on_a_line():
    return hull([[i, 2 * i, -3 * i] for i in range(POINTS)])


@case
def hull_of_a_circle():
    return of_2d({"type": "hull", "points": ring_points(POINTS)})


@case
def hull_of_a_line_in_2d():
    return of_2d({"type": "hull", "points": [[i, 3 * i] for i in range(POINTS)]})


@case
def polygon_of_many_sides():
    return of_2d({"type": "polygon", "vertices": ring_points(POINTS)})


@case
def polygon_that_is_a_comb():
    return of_2d({"type": "polygon", "vertices": [[i, i % 2] for i in range(POINTS)]})


@case
def many_hulls():
    shapes = {f"s{i}": {"type": "hull", "points": cone_points(500, 1.05, 2)} for i in range(300)}
    return Case("PUT", "/v1/sets/new", {"dimension": 3, "shapes": shapes})


# --- Shapes of pieces ---

def ground(n):
    vertices = [[x - n / 2, y - n / 2, round(math.sin(3 * x + y) / 4, 3)]
                for y in range(n) for x in range(n)]
    triangles = []
    for y in range(n - 1):
        for x in range(n - 1):
            at = y * n + x
            triangles += [[at, at + 1, at + n + 1], [at, at + n + 1, at + n]]
    return {"type": "mesh", "vertices": vertices, "triangles": triangles}


def layers(count):
    """Many times the same triangle."""
    return {"type": "mesh", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0.5]],
            "triangles": [[0, 1, 2]] * count}


@case
def mesh_of_one_triangle():
    return hull_of_pieces(layers(300000))


def hull_of_pieces(shape, **members):
    return post("/v1/detect", {"a": shape, "b": {"type": "sphere", "radius": 1}} | members)


@case
def mesh_around_one_edge():
    count = 150000
    vertices = [[0, 0, 0], [0, 0, 1]] + [[1, i, 0] for i in range(count)]
    return hull_of_pieces({"type": "mesh", "vertices": vertices, "closed": True,
                           "triangles": [[0, 1, 2 + i] for i in range(count)]})


@case
def meshes_in_each_other():
    return post("/v1/detect", {"a": layers(20000), "b": layers(20000)})


@case
def contacts_of_meshes():
    return post("/v1/detect", {"a": layers(20000), "b": layers(20000), "contacts": 1024})


@case
def distance_of_meshes():
    return post("/v1/distance", {"a": ground(150), "b": ground(150) | {"position": [0, 0, 3]}})


@case
def ray_at_a_mesh_with_a_huge_rounding():
    return post("/v1/sets/wholes/raycast", {"origin": [-1e4, 0.3, 40], "direction": [1, 1e-5, 0],
                                            "mode": "all"})


@case
def rays_at_a_mesh_with_a_huge_rounding():
    rays = [{"op": "raycast", "origin": [-1e3, i * 0.01, 40], "direction": [1, 1e-5, -0.01]}
            for i in range(2000)]
    return post("/v1/sets/wholes/batch", {"queries": rays})


@case
def cast_of_a_mesh():
    return post("/v1/sets/wholes/cast", {"shape": ground(60) | {"rounding": 3},
                                         "translation": [0, 0.1, -500], "mode": "all"})


@case
def detect_a_mesh_in_wholes():
    return post("/v1/sets/wholes/detect", {"a": ground(100) | {"rounding": 9}})


@case
def all_pairs_of_wholes():
    return post("/v1/sets/wholes/detect", {})


@case
def heightfield_and_a_flat_ray():
    field = {"type": "heightfield", "columns": 1000, "rows": 1000, "spacing": [1, 1],
             "heights": [i * 7919 % 5 for i in range(1000000)]}
    return post("/v1/raycast", {"origin": [-10, 0.5, 2], "direction": [1, 0.9, 0], "shapes": {
        "field": field}})


@case
def heightfield_of_holes():
    heights = [None if i % 3 else 1 for i in range(1000000)]
    heights[:2], heights[1000:1002] = [1, 1], [1, 1]
    field = {"type": "heightfield", "columns": 1000, "rows": 1000, "spacing": [1, 1],
             "heights": heights}
    return post("/v1/distance", {"a": field, "b": {"type": "sphere", "radius": 1}})


@case
def chains_in_each_other():
    line = {"type": "chain", "vertices": [[i % 2, i * 1e-5] for i in range(50000)]}
    return post("/v1/detect", {"dimension": 2, "a": line, "b": line | {"angle": 1.5},
                               "contacts": 1024})


def region(polygons):
    return {"type": "region", "polygons": polygons}


@case
def region_that_is_a_comb():
    teeth = [[i, (i % 2) * 1000] for i in range(200000)]
    return of_2d(region([[teeth + [[200000, -1], [0, -1]]]]))


@case
def region_of_many_holes():
    holes = [[[x + 0.1, y + 0.1], [x + 0.9, y + 0.1], [x + 0.5, y + 0.9]]
             for x in range(200) for y in range(200)]
    return of_2d(region([[[[0, 0], [200, 0], [200, 200], [0, 200]]] + holes]))


@case
def region_of_nested_rings():
    def ring(r):
        return [[-r, -r], [r, -r], [r, r], [-r, r]]
    return of_2d(region([[ring(2 * i + 2), ring(2 * i + 1)] for i in range(10000)]))


@case
def region_that_crosses_itself_at_last():
    edge = [[i, (i * i) % 17] for i in range(150000)]
    return of_2d(region([[edge + [[149998, 40], [149999, -40], [0, 30]]]]))


@case
def region_of_a_star_around_one_point():
    count = 50000
    spokes = [[[0, 0], [math.cos(t), math.sin(t)], [math.cos(t + 2e-5), math.sin(t + 2e-5)]]
              for t in (6.28 * i / count for i in range(count))]
    return of_2d(region([[ring] for ring in spokes]))


@case
def compounds_of_hulls():
    part = {"type": "hull", "points": cone_points(30, 1.1, 2)}
    whole = {"type": "compound", "parts": [part] * 4096}
    return post("/v1/detect", {"a": whole, "b": whole, "contacts": 1024})


# --- Pairs ---

HARD = {"tolerance": 1e-15, "max_iterations": 1000}

@case
def hulls_in_each_other():
    a = {"type": "hull", "points": sphere_points(30000)}
    return post("/v1/detect", {"a": a, "b": a | {"position": [0.01, 0, 0]}, "options": HARD})


@case
def ellipsoids_in_each_other():
    a = {"type": "ellipsoid", "radii": [1, 1e3, 1e-3]}
    queries = [{"op": "detect", "a": a, "b": a | {"orientation": [0, 0, 0.6, 0.8]}}] * 65536
    return post("/v1/batch", {"dimension": 3, "options": HARD, "queries": queries})


@case
def cylinders_and_cones():
    a = {"type": "cylinder", "a": [0, 0, 0], "b": [0, 0, 1], "radius": 1e3}
    b = {"type": "cone", "a": [0, 0, 0.5], "b": [1, 0, 1], "radius": 1e-3}
    queries = [{"op": "detect", "a": a, "b": b, "trace": True}] * 2000
    return post("/v1/batch", {"dimension": 3, "options": HARD, "queries": queries})


# One of every kind of shape, by dimension: flat, thin, large and small.
ENDS = {2: {"a": [0, 0], "b": [1e3, 1e-3]}, 3: {"a": [0, 0, 0], "b": [1e3, 1e-3, 1]}}
KINDS = {
    2: [POINT, {"type": "circle", "radius": 1e3}, {"type": "segment"} | ENDS[2],
        {"type": "capsule", "radius": 1} | ENDS[2], {"type": "box", "half_extents": [1e3, 1e-3]},
        {"type": "polygon", "vertices": ring_points(64)}, {"type": "hull", "points": ring_points(64)},
        {"type": "ellipse", "radii": [1e3, 1e-3]}, {"type": "half_ellipse", "width": 1e-3, "height": 1e3},
        {"type": "slice", "radius": 1e3, "theta": 1e-3}, {"type": "points", "points": ring_points(64)},
        {"type": "chain", "vertices": [[i % 2, i * 1e-3] for i in range(64)]},
        {"type": "compound", "parts": [{"type": "circle", "radius": 1, "position": p} for p in ring_points(64)]},
        region([[[[i, (i % 2) * 9] for i in range(64)] + [[64, -1], [0, -1]]]])],
    3: [POINT, {"type": "sphere", "radius": 1e3}, {"type": "segment"} | ENDS[3],
        {"type": "capsule", "radius": 1} | ENDS[3], {"type": "box", "half_extents": [1e3, 1e-3, 1]},
        {"type": "hull", "points": sphere_points(64)}, {"type": "ellipsoid", "radii": [1e3, 1e-3, 1]},
        {"type": "triangle", "c": [0, 1e-3, 0]} | ENDS[3], {"type": "cylinder", "radius": 1e3} | ENDS[3],
        {"type": "cone", "radius": 1e-3} | ENDS[3], ground(9), {"type": "points", "points": sphere_points(64)},
        {"type": "heightfield", "columns": 8, "rows": 8, "spacing": [1, 1], "heights": [i % 5 for i in range(64)]},
        {"type": "compound", "parts": [{"type": "sphere", "radius": 1, "position": p} for p in sphere_points(64)]}]}


def pairs_of_every_kind(op, dimension):
    return post("/v1/batch", {"dimension": dimension, "options": HARD, "queries": [
        {"op": op, "a": a, "b": b} for a in KINDS[dimension] for b in KINDS[dimension]] * 3})


@case
def depths_of_every_kind_in_2d():
    return pairs_of_every_kind("detect", 2)


@case
def depths_of_every_kind_in_3d():
    return pairs_of_every_kind("detect", 3)


@case
def distances_of_every_kind_in_2d():
    return pairs_of_every_kind("distance", 2)


@case
def distances_of_every_kind_in_3d():
    return pairs_of_every_kind("distance", 3)


# --- Sets ---

@case
def all_pairs_of_coincident_balls():
    return post("/v1/sets/coincident/detect", {})


@case
def first_pairs_of_coincident_balls():
    return post("/v1/sets/coincident/detect", {"limit": 900000})


@case
def coincident_balls_against_themselves():
    return post("/v1/sets/coincident/detect", {"against": "coincident"})


@case
def nearest_pairs_of_coincident_balls():
    return post("/v1/sets/coincident/distance", {"against": "coincident", "limit": 1000000})


@case
def all_pairs_of_ellipsoids():
    return post("/v1/sets/curved/detect", {"options": HARD})


@case
def all_pairs_of_hulls():
    return post("/v1/sets/hulls/detect", {"options": HARD})


@case
def all_that_one_shape_meets():
    return post("/v1/sets/sparse/detect", {"a": {"type": "circle", "radius": 1e9}})


@case
def one_that_a_shape_meets_of_no_group():
    return post("/v1/sets/sparse/detect", {"a": {"type": "circle", "radius": 1e9}, "limit": 1,
                                           "filter": {"only_groups": ["nobody"]}})


@case
def all_by_distance():
    return post("/v1/sets/sparse/distance", {"a": POINT, "limit": 1000000})


@case
def all_that_a_ray_hits():
    return post("/v1/sets/sparse/raycast", {"origin": [-1, -1], "direction": [1, 1],
                                            "mode": "all"})


@case
def all_that_a_wide_shape_touches():
    return post("/v1/sets/sparse/cast", {"shape": {"type": "circle", "radius": 1e6},
                                         "translation": [1e7, 0], "mode": "all"})


@case
def hit_with_a_wide_near_miss():
    return post("/v1/sets/ticks/hit", {
        "ray": {"origin": [-10, 0.5, 0.5], "direction": [1, 0, 0]}, "claim": {"group": "nobody"},
        "shooter": "g1", "radius": 2, "policy": {"near_miss": 1e6}})


@case
def hits_that_claim_groups():
    queries = [{"op": "hit", "ray": {"origin": [-10, -50, 9], "direction": [1, 0, 0]},
                "claim": {"group": "nobody"}} for _ in range(30000)]
    return post("/v1/sets/ticks/batch", {"queries": queries})


def names(count):
    return [f"zzzz{i}" for i in range(count, 0, -1)]


@case
def a_long_list_of_ids():
    return post("/v1/sets/sparse/detect", {"a": {"type": "circle", "radius": 1e9}, "limit": 1,
                                           "filter": {"ignore": names(800000)}})


@case
def long_lists_of_groups():
    return post("/v1/sets/sparse/raycast", {
        "origin": [-1, -1], "direction": [1, 1], "mode": "all",
        "filter": {"ignore_groups": names(300000), "only_groups": names(300000)}})


@case
def queries_with_lists_of_their_own():
    query = {"op": "detect", "a": {"type": "circle", "radius": 1e9}, "limit": 1,
             "filter": {"ignore": names(100)}}
    return post("/v1/sets/sparse/batch", {"queries": [query] * 10000})


@case
def batch_of_all_pairs():
    return post("/v1/sets/coincident/batch", {"queries": [{"op": "detect", "limit": 1000}] * 65536})


@case
def stateless_set():
    shapes = {f"s{i}": {"type": "circle", "radius": 1e3} for i in range(150000)}
    return post("/v1/raycast", {"dimension": 2, "origin": [0, 0], "direction": [1, 0],
                                "mode": "all", "shapes": shapes})


# --- JSON ---

@case
def deep_json():
    return post("/v1/detect", "[" * 64 + ",".join(["0"] * 4000000) + "]" * 64)


@case
def very_deep_json():
    return post("/v1/detect", "[" * 8000000)


@case
def empty_arrays():
    return post("/v1/detect", "[" + ",".join(["[]"] * 5000000) + "]")


@case
def empty_objects():
    return post("/v1/detect", '{"a":[' + ",".join(['{"":{}}'] * 1900000) + "]}")


@case
def unknown_members():
    return post("/v1/detect", {f"m{i}": i for i in range(700000)})


@case
def mistakes_in_every_shape():
    shapes = {f"s{i}": {"typo": "ball", "radius": "x"} for i in range(300000)}
    return Case("PUT", "/v1/sets/new", {"dimension": 3, "shapes": shapes})


@case
def long_numbers():
    return post("/v1/detect", "[" + ",".join(["1." + "3" * 4000000 + "e-300"] * 4) + "]")


@case
def one_long_escaped_string():
    return post("/v1/detect", '{"a":"' + "\\ud83d\\ude00" * 1300000 + '"}')


@case
def names_that_repeat():
    return post("/v1/detect", "{" + ",".join(f'"{i % 500000:x}":0' for i in range(1000000)) + "}")


@case
def gzip_of_much():
    return post("/v1/detect", gzip.compress(b" " * (256 << 20), 1), Content_Encoding="gzip")


@case
def gzip_of_a_deep_tree():
    return post("/v1/detect", gzip.compress(b"[" + b"[0]," * 4100000 + b"0]"),
                Content_Encoding="gzip")


# --- Writes ---

def balls(count):
    return {f"s{i}": {"type": "circle", "radius": 1, "position": [i, i], "group": f"g{i}"}
            for i in range(count)}


@case
def put_of_a_large_set():
    return Case("PUT", "/v1/sets/new", {"dimension": 2, "shapes": balls(160000)})


@case
def put_of_coincident_shapes():
    shapes = {f"s{i}": {"type": "point"} for i in range(500000)}
    return Case("PUT", "/v1/sets/new", {"dimension": 3, "shapes": shapes})


@case
def patch_that_moves_everything():
    shapes = {f"s{i}": {"position": [-i, i * 7919 % 1000]} for i in range(SPARSE)}
    return Case("PATCH", "/v1/sets/sparse", {"shapes": shapes})


@case
def patch_that_changes_every_group():
    shapes = {f"s{i}": {"group": f"h{i}", "meta": {"a": {"b": i}}} for i in range(SPARSE)}
    return Case("PATCH", "/v1/sets/sparse", {"shapes": shapes})


@case
def patch_with_meta_for_all():
    shapes = {f"s{i}": {"meta": {f"m{k}": k for k in range(20)}} for i in range(MOVED)}
    return Case("PATCH", "/v1/sets/ticks", {"shapes": shapes})


@case
def tick_that_moves_everything():
    shapes = {f"s{i}": {"position": [i * 7919 % 997, i, i % 3]} for i in range(MOVED)}
    return Case("PUT", "/v1/sets/ticks/ticks/10", {"shapes": shapes})


@case
def get_of_a_large_set():
    return Case("GET", "/v1/sets/sparse", Accept_Encoding="gzip")


# --- Columns ---

def columns(method, path, message):
    return Case(method, path, message.SerializeToString(), Content_Type=messages.TYPE,
                Accept=messages.TYPE)


@case
def columns_of_rays():
    rays = messages.gjkd.RaycastColumns(dimension=2)
    count = 65536
    rays.origin.extend([-1.0, -1.0] * count)
    rays.direction.extend([1.0, 1.0] * count)
    rays.ignore_groups.extend(f"g{i}" for i in range(6999))
    return columns("POST", "/v1/sets/sparse/raycast", rays)


@case
def columns_of_rays_with_long_lists():
    rays = messages.gjkd.RaycastColumns(dimension=2)
    rays.origin.extend([-1.0, -1.0] * 65536)
    rays.direction.extend([1.0, 1.0] * 65536)
    rays.ignore_groups.extend(names(65536))
    return columns("POST", "/v1/sets/sparse/raycast", rays)


@case
def columns_of_pairs():
    pairs = messages.gjkd.PairColumns(dimension=3)
    pairs.a.extend([1] * 65536)
    pairs.b.extend([2] * 65536)
    return columns("POST", "/v1/sets/hulls/detect", pairs)


@case
def columns_of_poses():
    poses = messages.gjkd.PoseColumns(dimension=3)
    poses.handle.extend(range(MOVED, 0, -1))
    poses.position.extend(float(i * 7919 % 997) for i in range(3 * MOVED))
    poses.teleport.extend(range(MOVED, 0, -1))
    return columns("PUT", "/v1/sets/ticks/ticks/20", poses)


@case
def columns_of_a_hull():
    body = messages.gjkd.BodyColumns(dimension=3, type="hull")
    body.vertices.extend(messages.flat(cone_points(POINTS)))
    return columns("PUT", "/v1/sets/wholes/shapes/cone", body)


@case
def columns_of_a_mesh():
    body = messages.gjkd.BodyColumns(dimension=3, type="mesh", closed=True)
    count = 300000
    body.vertices_float.extend(float(i * 7919 % 997) for i in range(3 * count))
    body.triangles.extend(i * 104729 % count for i in range(3 * count))
    return columns("PUT", "/v1/sets/wholes/shapes/mesh", body)


# --- What was found ---

def found():
    """The requests that tests/fuzz/dearest.py has kept: head line, then the body."""
    for file in sorted(dearest.FOUND.glob("*.http")):
        line, body = file.read_text().split("\n", 1)
        method, path = line.split(" ")
        CASES[file.stem] = lambda method=method, path=path, body=body: Case(method, path, body)


found()
