"""raycast with exits: where the ray leaves what it hits again for the first time."""

import math
import random

import pytest

import scenes
from near import add, length, near, scale, sub

BOX2, BOX3 = {"type": "box", "half_extents": [1, 1]}, {"type": "box", "half_extents": [1, 1, 1]}


def cast(gjkd, shape, origin, direction, **more):
    query = {"shape": shape, "origin": origin, "direction": direction, "exits": True}
    hits = gjkd.ask("/v1/raycast", query | more)["hits"]
    return (hits[0]["distance"], hits[0]["exit"]) if hits else None


def ring(radius, n=40):
    return [[radius * math.cos(2 * math.pi * i / n), radius * math.sin(2 * math.pi * i / n)] for i in range(n)]


CLOSED = [
    ({"type": "circle", "radius": 1}, [-5, 0], [2, 0], (4, 6)),
    ({"type": "circle", "radius": 1}, [0.5, 0], [1, 0], (0, 0.5)),
    ({"type": "circle", "radius": 1}, [-5, 1], [1, 0], (5, 5)),
    (BOX2, [-5, 0.5], [1, 0], (4, 6)),
    (BOX2 | {"position": [1e6, 0]}, [1e6 - 5, 0], [1, 0], (4, 6)),
    ({"type": "point"}, [-3, 0], [1, 0], (3, 3)),
    ({"type": "segment", "a": [0, -1], "b": [0, 1]}, [-3, 0], [1, 0], (3, 3)),
    ({"type": "segment", "a": [0, 0], "b": [2, 0]}, [-3, 0], [1, 0], (3, 5)),
    ({"type": "capsule", "a": [-1, 0], "b": [1, 0], "radius": 0.5}, [-5, 0], [1, 0], (3.5, 6.5)),
    ({"type": "chain", "vertices": [[0, -1], [0, 1]]}, [-3, 0], [1, 0], (3, 3)),
    ({"type": "chain", "vertices": [[0, -1], [0, 1]], "rounding": 0.25}, [-3, 0], [1, 0], (2.75, 3.25)),
    ({"type": "chain", "vertices": [[0, 0], [1, 0], [2, 0], [2, 5]], "rounding": 0.25}, [-3, 0], [1, 0], (2.75, 5.25)),
    # A C: in, out of the upper part, and in again later.
    ({"type": "region", "polygons": [[[[0, 0], [4, 0], [4, 1], [1, 1], [1, 2], [4, 2], [4, 3], [0, 3]]]]},
     [3, -1], [0, 1], (1, 2)),
    ({"type": "region", "polygons": [[[[0, 0], [4, 0], [4, 1], [1, 1], [1, 2], [4, 2], [4, 3], [0, 3]]]]},
     [0.5, -1], [0, 1], (1, 4)),
    ({"type": "region", "polygons": [[ring(3), ring(1)]]}, [-5, 0.001], [1, 0], None),
    ({"type": "compound", "parts": [{"type": "circle", "radius": 1, "position": [i, 0]} for i in range(9)]
      + [{"type": "point", "position": [30, 0]}]}, [-5, 0], [1, 0], (4, 14)),
    ({"type": "sphere", "radius": 1}, [0, 0, -4], [0, 0, 1], (3, 5)),
    ({"type": "triangle", "a": [-1, -1, 0], "b": [1, -1, 0], "c": [0, 1, 0]}, [0, 0, -4], [0, 0, 1], (4, 4)),
    ({"type": "cylinder", "a": [0, 0, 0], "b": [0, 0, 2], "radius": 1}, [-4, 0, 1], [1, 0, 0], (3, 5)),
    ({"type": "cone", "a": [0, 0, 0], "b": [0, 0, 2], "radius": 1}, [-4, 0, 1], [1, 0, 0], (3.5, 4.5)),
    ({"type": "ellipsoid", "radii": [1, 2, 3]}, [0, 0, -5], [0, 0, 1], (2, 8)),
    ({"type": "heightfield", "columns": 3, "rows": 3, "spacing": [1, 1], "heights": [0] * 9}, [1, 1, 5], [0, 0, -1],
     (5, 5)),
]


@pytest.mark.parametrize("shape, origin, direction, wanted", CLOSED)
def test_closed_forms(gjkd, shape, origin, direction, wanted):
    told = cast(gjkd, shape, origin, direction)
    if wanted is None:  # a ring of polygons: in at 2, out at the hole
        wanted = (5 - math.sqrt(9 - 1e-6), 5 - 1)
        assert near(told, wanted, 5e-3)
        return
    assert near(told, wanted, 1e-9)
    short = cast(gjkd, shape, origin, direction, max_distance=(wanted[0] + wanted[1]) / 2)
    assert near(short, (wanted[0], (wanted[0] + wanted[1]) / 2), 1e-9)
    plain = gjkd.ask("/v1/raycast", {"shape": shape, "origin": origin, "direction": direction})["hits"][0]
    assert "exit" not in plain and plain["distance"] == told[0]
    if wanted[0] == 0:
        assert cast(gjkd, shape, origin, direction, solid=False) is None


def boxes_mesh(boxes):
    """A closed mesh of separate boxes, given by their centres and half sides."""
    vertices, triangles = [], []
    faces = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6],
             [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
    for center, half in boxes:
        base = len(vertices)
        vertices += [add(center, [x * half, y * half, z * half]) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
        triangles += [[base + i for i in f] for f in faces]
    return {"type": "mesh", "vertices": vertices, "triangles": triangles, "closed": True}


@pytest.mark.parametrize("one_sided", [False, True])
def test_closed_meshes_are_solid(gjkd, one_sided):
    mesh = boxes_mesh([([0, 0, 0], 1), ([4, 0, 0], 1)]) | {"one_sided": one_sided}
    assert near(cast(gjkd, mesh, [-5, 0.3, 0.2], [1, 0, 0]), (4, 6), 1e-9)
    assert near(cast(gjkd, mesh, [0.25, 0.3, 0.2], [1, 0, 0]), (0, 0.75), 1e-9)
    assert near(cast(gjkd, mesh, [2, 0.3, 0.2], [1, 0, 0]), (1, 3), 1e-9)
    through_edges = cast(gjkd, mesh, [-5, 0, 0], [1, 0, 0])  # along the diagonals of two faces
    assert near(through_edges, (4, 6), 1e-9)
    thick = mesh | {"rounding": 0.25}
    if not one_sided:
        assert near(cast(gjkd, thick, [-5, 0.3, 0.2], [1, 0, 0]), (3.75, 6.25), 1e-9)
    hollow = boxes_mesh([([0, 0, 0], 2)])
    cavity = boxes_mesh([([0, 0, 0], 1)])
    hollow["triangles"] += [[8 + c, 8 + b, 8 + a] for a, b, c in cavity["triangles"]]
    hollow["vertices"] += cavity["vertices"]
    assert near(cast(gjkd, hollow, [-5, 0.3, 0.2], [1, 0, 0]), (3, 4), 1e-9)
    surface = mesh | {"closed": False, "one_sided": False}
    assert near(cast(gjkd, surface, [-5, 0.3, 0.2], [1, 0, 0]), (4, 4), 1e-9)


@pytest.mark.parametrize("dimension", [2, 3])
def test_the_exit_is_the_hit_of_the_way_back(gjkd, name, dimension):
    """Of convex shapes a ray from far beyond, the other way, hits where the first one leaves."""
    shapes = {i: s for i, s in scenes.scene(31 + dimension, dimension).items() if scenes.passes(s, i, {})}
    gjkd.store(name, {"dimension": dimension, "shapes": shapes})
    rng, seen = random.Random(4), 0
    for _ in range(60):
        origin = scenes.vector(rng, dimension, -4, 4)
        direction = scenes.vector(rng, dimension, -1, 1)
        unit = scale(1 / length(direction), direction)
        query = {"origin": origin, "direction": direction, "mode": "all", "exits": True}
        told = gjkd.ask(f"/v1/sets/{name}/raycast", query)
        plain = gjkd.ask(f"/v1/sets/{name}/raycast", query | {"exits": False})
        assert [scenes.without(h, "exit") for h in told["hits"]] == plain["hits"]
        for hit in told["hits"]:
            beyond = add(origin, scale(40, unit))
            back = {"op": "raycast", "origin": beyond, "direction": scale(-1, unit), "target": hit["id"]}
            answer = gjkd.ask(f"/v1/sets/{name}/batch", {"queries": [back, back | {"op": "raycast"}]})["results"][0]
            wanted = 40 - answer["hits"][0]["distance"] if answer["hits"] else hit["distance"]
            assert hit["distance"] <= hit["exit"] and near(hit["exit"], max(wanted, hit["distance"]), 1e-9)
            alone = gjkd.ask(f"/v1/sets/{name}/raycast", query | {"mode": "closest", "target": hit["id"]})
            assert alone["hits"][0]["exit"] == hit["exit"]
            seen += hit["exit"] > hit["distance"]
    assert seen > 10


# --- Wherever the numbers stand ---

def rounded(v):
    """Numbers to which powers of two up to 2^30 can be added exactly."""
    return [math.floor(x * 65536) / 65536 for x in v]


def turned_box(rng):
    """A closed mesh of a box along no axis, of round numbers; its corners are no rectangle's any more."""
    axes = [scenes.vector(rng, 3, -2, 2) for _ in range(3)]
    mesh = boxes_mesh([([0, 0, 0], 1)])
    mesh["vertices"] = [rounded(add(add(scale(x, axes[0]), scale(y, axes[1])), scale(z, axes[2])))
                        for x, y, z in mesh["vertices"]]
    return mesh


def moved(shape, by):
    return shape | {"vertices": [add(v, by) for v in shape["vertices"]]}


@pytest.mark.parametrize("far", [1e6, 2.0 ** 30])
def test_a_closed_mesh_is_left_at_once_wherever_it_stands(start, far):
    """Exits that crept on by roundings took minutes here, and told other places than about the origin."""
    daemon, rng = start("--workers", "1", "--request-timeout", "20s"), random.Random(41)
    asked = 0
    while asked < 40:
        mesh, by = turned_box(rng), [rng.choice([-far, 0, far]) for _ in range(3)]
        origin, direction = rounded(scenes.vector(rng, 3, -5, 5)), rounded(scenes.vector(rng, 3, -3, 3))
        wanted = cast(daemon, mesh, origin, direction)
        if wanted is None or math.hypot(*direction) < 0.1:
            continue
        there = add(origin, by)
        for shape in (moved(mesh, by), mesh | {"position": by}, moved(mesh, by) | {"position": by}):
            start_at = there if shape.get("position") is None or shape["vertices"] == mesh["vertices"] else add(there, by)
            assert near(cast(daemon, shape, start_at, direction), wanted, 1e-12)
        asked += 1


GAP = 2.0 ** -20


def row_of_boxes(half, gap):
    return {"type": "compound", "parts": [
        {"type": "box", "half_extents": [half, half]},
        {"type": "box", "half_extents": [half, half], "position": [2 * half + gap, 0]}]}


@pytest.mark.parametrize("half", [1, 2048])
@pytest.mark.parametrize("at", [[0, 0], [2.0 ** 30, -2.0 ** 30]])
def test_a_gap_is_never_bridged(gjkd, half, at):
    for gap, out in ((GAP, 2 * half), (0, 4 * half), (-GAP, 4 * half - GAP)):
        shape, origin = row_of_boxes(half, gap) | {"position": at}, add(at, [-3 * half, half / 4])
        assert cast(gjkd, shape, origin, [1, 0]) == (2 * half, 2 * half + out)
        back = add(at, [half + 2 * half + gap + half, half / 4])
        assert cast(gjkd, shape, back, [-1, 0]) == (half, half + out)
        region = {"type": "region", "polygons": [
            [[add(at, p) for p in ([x, 0], [x + half, 0], [x + half, half], [x, half])]] for x in (0, half + GAP)]}
        assert cast(gjkd, region, add(at, [-half, half / 4]), [1, 0]) == (half, 2 * half)


@pytest.mark.parametrize("at", [0, 2.0 ** 30])
def test_a_ray_within_a_face_leaves_where_the_face_ends(gjkd, at):
    solid = boxes_mesh([([at, at, at], 1), ([at + 2 + GAP, at, at], 1)])
    assert cast(gjkd, solid, [at - 4, at + 0.25, at + 1], [1, 0, 0]) == (3, 5)
    assert cast(gjkd, solid, [at - 4, at + 1, at + 1], [1, 0, 0]) == (3, 5)
    box = BOX3 | {"position": [at, at, at]}
    assert cast(gjkd, box, [at - 4, at + 0.25, at + 1], [1, 0, 0]) == (3, 5)
    touching = boxes_mesh([([at, at, at], 1), ([at + 2, at, at], 1)])
    assert cast(gjkd, touching, [at - 4, at + 0.25, at + 1], [1, 0, 0]) == (3, 7)
    assert cast(gjkd, touching, [at - 4, at + 0.25, at + 0.5], [1, 0, 0]) == (3, 7)
    floor = {"type": "heightfield", "columns": 6, "rows": 3, "spacing": [1, 1],
             "heights": [at, at, at, at, at, at + 1] * 3}
    assert cast(gjkd, floor, [-2, 0.5, at], [1, 0, 0]) == (2, 6)
    holed = floor | {"heights": [at, at, at, None, at, at] * 3}
    assert cast(gjkd, holed, [-2, 0.5, at], [1, 0, 0]) == (2, 4)


def test_batches_tell_the_same(gjkd, name):
    gjkd.store(name, {"dimension": 2, "shapes": {"row": row_of_boxes(2048, GAP) | {"position": [2.0 ** 30, 0]}}})
    query = {"op": "raycast", "origin": [2.0 ** 30 - 4096, 3], "direction": [1, 0], "exits": True}
    result = gjkd.ask(f"/v1/sets/{name}/batch", {"queries": [query, query | {"target": "row"}]})["results"]
    assert [(r["hits"][0]["distance"], r["hits"][0]["exit"]) for r in result] == [(2048, 6144)] * 2


def test_none_in_mode_any(gjkd, name):
    gjkd.store(name, {"dimension": 2, "shapes": {"a": BOX2}})
    query = {"origin": [-5, 0], "direction": [1, 0], "exits": True}
    assert gjkd.ask(f"/v1/sets/{name}/raycast", query | {"mode": "any"}) == {"hit": True, "revision": 1}
    assert gjkd.ask(f"/v1/sets/{name}/raycast", query)["hits"][0]["exit"] == 6
