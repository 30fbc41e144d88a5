#!/usr/bin/python3
"""Makes countries.json.xz: countries of Natural Earth's 1:10m map whose rings cross, touch or have too
few points, and what GEOS says of them.

    npm pack world-atlas@2.0.2 && tar xzf world-atlas-2.0.2.tgz
    tests/cases/make_countries.py package/countries-10m.json tests/cases/countries.json.xz

It needs Debian's python3-shapely. Natural Earth is in the public domain; world-atlas, which has it as
TopoJSON, is under the ISC licence. Countries are kept from the smallest on while the file stays small.

    {"scale": [sx, sy], "translate": [tx, ty], "countries": {name: {
        "polygons": [[ring, ...], ...],    ring: x, y, dx, dy, dx, dy, ... in whole steps of the scale
        "evenodd", "nonzero": areas in square degrees: of GEOS's MakeValid; of the faces that all rings
                  together cut the plane into, which they wind around
        "points": [[x, y, whether it is in MakeValid's polygons, whether rings wind around it,
                    its distance to MakeValid's polygons, null if there are none], ...]}}}
"""

import json
import lzma
import random
import sys

import numpy as np
from shapely.geometry import LineString, MultiPolygon, Point
from shapely.ops import polygonize, unary_union
from shapely.prepared import prep
from shapely.validation import make_valid

BYTES_MAX = 280_000
POINTS = 40
CLEAR = 1e-6  # no point is this near to a border


def rings_of(arcs, geometry):
    """Polygons of rings of grid points; neighbours share arcs."""
    def ring(ids):
        points = []
        for i in ids:
            arc = arcs[i] if i >= 0 else arcs[~i][::-1]
            points += arc[1:] if points else arc
        return points

    polygons = geometry["arcs"] if geometry["type"] == "MultiPolygon" else [geometry["arcs"]]
    return [[ring(ids) for ids in polygon] for polygon in polygons]


def is_simple(polygons):
    if any(len(ring) < 4 for polygon in polygons for ring in polygon):
        return False
    return MultiPolygon([(p[0], p[1:]) for p in polygons]).is_valid


def polygons_within(geometry):
    """MakeValid answers lines and points, too."""
    parts = getattr(geometry, "geoms", [geometry])
    return unary_union([p for p in parts if "Polygon" in p.geom_type])


def winding(rings, x, y):
    turns = 0
    for ring in rings:
        (ax, ay), (bx, by) = ring[:-1].T, ring[1:].T
        side = (bx - ax) * (y - ay) - (by - ay) * (x - ax)
        turns += int(np.sum((ay <= y) & (by > y) & (side > 0)) - np.sum((ay > y) & (by <= y) & (side < 0)))
    return turns


def judge(name, polygons, scale, translate):
    degrees = [[np.array(ring) * scale + translate for ring in polygon] for polygon in polygons]
    rings = [ring for polygon in degrees for ring in polygon]
    solid = [[r for r in p if len(r) >= 4] for p in degrees if len(p[0]) >= 4]
    valid = polygons_within(make_valid(MultiPolygon([(p[0], p[1:]) for p in solid])))
    faces = polygonize(unary_union([LineString(r) for r in rings if len(r) > 1]))
    wound = sum(face.area for face in faces
                if winding(rings, *face.representative_point().coords[0]) != 0)
    low, high = np.min(np.vstack(rings), axis=0), np.max(np.vstack(rings), axis=0)
    rng, points = random.Random(name), []
    inside = prep(valid)
    while len(points) < POINTS:
        if len(points) % 2:
            x, y = rng.choice(rng.choice(rings)) + [rng.gauss(0, 0.05), rng.gauss(0, 0.05)]
        else:
            x, y = (rng.uniform(a - 1, b + 1) for a, b in zip(low, high))
        x, y = round(float(x), 4), round(float(y), 4)
        point = Point(x, y)
        if valid.is_empty:
            points.append([x, y, 0, 0, None])
        elif valid.boundary.distance(point) > CLEAR:
            points.append([x, y, int(inside.contains(point)), int(winding(rings, x, y) != 0),
                           valid.distance(point)])
    return {"evenodd": valid.area, "nonzero": wound, "points": points}


def main(source, target):
    topology = json.load(open(source, encoding="utf-8"))
    scale, translate = np.array(topology["transform"]["scale"]), np.array(topology["transform"]["translate"])
    arcs = [np.cumsum(arc, axis=0).tolist() for arc in topology["arcs"]]
    countries = {g["properties"]["name"]: rings_of(arcs, g)
                 for g in topology["objects"]["countries"]["geometries"] if g["type"]}
    kept, packed = {}, b""
    for name in sorted(countries, key=lambda n: sum(len(r) for p in countries[n] for r in p)):
        polygons = countries[name]
        if is_simple(polygons):
            continue
        steps = [[np.diff(ring, axis=0, prepend=[[0, 0]]).ravel().tolist() for ring in polygon]
                 for polygon in polygons]
        kept[name] = {"polygons": steps} | judge(name, polygons, scale, translate)
        text = json.dumps({"scale": scale.tolist(), "translate": translate.tolist(), "countries": kept},
                          separators=(",", ":"))
        larger = lzma.compress(text.encode(), preset=9)
        if len(larger) > BYTES_MAX:
            break
        packed = larger
        print(name, len(packed), kept[name]["evenodd"], kept[name]["nonzero"], flush=True)
    with open(target, "wb") as file:
        file.write(packed)


if __name__ == "__main__":
    main(*sys.argv[1:])
