"""Shapes of many pieces, and the same pieces as shapes of their own."""

import itertools
import math

TETRAHEDRON = {"type": "mesh", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
               "triangles": [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], "closed": True}
COMB = {"type": "region", "polygons": [
    [[[0, 0], [6, 0], [6, 3], [5, 3], [5, 1], [4, 1], [4, 3], [2, 3], [2, 1], [1, 1], [1, 3], [0, 3]],
     [[0.25, 0.25], [0.75, 0.25], [0.5, 0.75]]],
    [[[8, 0], [9, 0], [8.5, 1], [8, 0]]]]}


def mesh(n=5, **members):
    """A hilly ground of 2 (n - 1)^2 triangles around the origin."""
    vertices = [[x - n / 2, y - n / 2, math.sin(3 * x + y) / 4]
                for y, x in itertools.product(range(n), range(n))]
    triangles = []
    for y, x in itertools.product(range(n - 1), range(n - 1)):
        at = y * n + x
        triangles += [[at, at + 1, at + n + 1], [at, at + n + 1, at + n]]
    return {"type": "mesh", "vertices": vertices, "triangles": triangles} | members


def heightfield(columns=5, rows=4, holes=(), **members):
    heights = [math.cos(1.7 * i) / 3 for i in range(columns * rows)]
    for i in holes:
        heights[i] = None
    return {"type": "heightfield", "columns": columns, "rows": rows, "spacing": [0.75, 0.5],
            "heights": heights} | members


def chain(n=7, **members):
    return {"type": "chain", "vertices": [[i, math.sin(2 * i)] for i in range(n)]} | members


def compound(dimension, **members):
    if dimension == 2:
        parts = [{"type": "circle", "radius": 0.5, "position": [-2, 0]},
                 {"type": "box", "half_extents": [1, 0.25], "position": [1, 1], "angle": 0.5},
                 {"type": "half_ellipse", "width": 2, "height": 1, "rounding": 0.25}]
    else:
        parts = [{"type": "sphere", "radius": 0.5, "position": [-2, 0, 1]},
                 {"type": "cone", "a": [0, 0, 0], "b": [0, 0, 1], "radius": 0.5,
                  "position": [1, 1, 0], "orientation": [0.5, 0.5, 0.5, 0.5]},
                 {"type": "hull", "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "rounding": 0.125}]
    return {"type": "compound", "parts": parts} | members


def all_of(dimension):
    """One of every type that the dimension has, by name."""
    if dimension == 2:
        return {"chain": chain(rounding=0.125), "loop": chain(closed=True), "region": COMB,
                "compound": compound(2, rounding=0.0625)}
    return {"solid": TETRAHEDRON, "mesh": mesh(materials=list(range(32))),
            "field": heightfield(holes=[7], materials=list(range(100, 112))),
            "thick": mesh(3, rounding=0.25), "compound": compound(3)}


def apart(shape, pieces=None):
    """The pieces of a shape without a place as convex shapes; a hole of a height field is None.
    pieces: what gjkd says of a region, chain, mesh or height field."""
    if shape["type"] == "compound":
        rounding = shape.get("rounding", 0)
        return [part | {"rounding": part.get("rounding", 0) + rounding} for part in shape["parts"]]
    extra = {"rounding": shape["rounding"]} if "rounding" in shape else {}
    made = {"chain": lambda p: {"type": "segment", "a": p[0], "b": p[1]},
            "region": lambda p: {"type": "polygon", "vertices": p},
            "mesh": lambda p: {"type": "triangle", "a": p[0], "b": p[1], "c": p[2]}}
    make = made.get(shape["type"], made["mesh"])
    return [p and make(p) | extra for p in pieces]
