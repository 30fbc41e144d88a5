"""STL files, as CAD programs write them: loose triangles, each with corners of its own, closed by `weld`.
A gearwheel (npm's stl-models, MIT licence, by the HCI bachelor project 2014/2015 at HPI), and parts of a robot
made here, written as STL in floats or text and read again. What is inside is told by solid angles."""

import functools
import lzma
import math
import pathlib
import random
import struct

import pytest

import messages
import problem

CASES = pathlib.Path(__file__).parents[1] / "cases"


# --- Parts as triangles ---

def turned(profile, n, closed=False, at=(0, 0, 0)):
    """A lathe's work: (radius, z) along the profile, which is closed or begins and ends at the axis. Where the
    radius is 0 the triangles lose a corner, as in many files."""
    def corner(k, i):
        (r, z), angle = profile[k % len(profile)], 2 * math.pi * (i % n) / n
        return at[0] + r * math.cos(angle), at[1] + r * math.sin(angle), at[2] + z

    for k in range(len(profile) - (not closed)):
        for i in range(n):
            a, b, c, d = corner(k, i), corner(k, i + 1), corner(k + 1, i + 1), corner(k + 1, i)
            yield a, b, c
            yield a, c, d


def milled(outer, inner, height, n, at=(0, 0, 0)):
    """A plate between two outlines, radii as functions of the angle: a ring is turned with such a profile."""
    def corner(k, i):
        angle, radius = 2 * math.pi * (i % n) / n, (outer, outer, inner, inner)[k % 4]
        r, z = radius(angle), height * (k % 4 in (1, 2))
        return at[0] + r * math.cos(angle), at[1] + r * math.sin(angle), at[2] + z

    for k in range(4):
        for i in range(n):
            a, b, c, d = corner(k, i), corner(k, i + 1), corner(k + 1, i + 1), corner(k + 1, i)
            yield a, b, c
            yield a, c, d


def stadium(angle, length=40, radius=12):
    """How far the outline of two half circles and their tangents is in that direction."""
    x, y = abs(math.cos(angle)), abs(math.sin(angle))
    if y * (length / 2) >= x * radius:
        return radius / y
    half = length / 2
    return half * x + math.sqrt(radius ** 2 - (half * y) ** 2)


PARTS = {
    "shaft": turned([(0, 0), (5, 0), (5, 20), (4, 20), (4, 22), (5, 22), (5, 40), (3, 42), (0, 42)], 24),
    "flange": turned([(4, 0), (20, 0), (20, 3), (8, 3), (8, 15), (4, 15)], 36, closed=True),
    "bush": turned([(10 + 2 * math.cos(t * math.pi / 8), 2 * math.sin(t * math.pi / 8)) for t in range(16)], 32,
                   closed=True),
    "ball joint": turned([(0, -9)] + [(10 * math.sin(t * math.pi / 16), -10 * math.cos(t * math.pi / 16))
                                      for t in range(3, 14)] + [(0, 9)], 20),
    "wheel": turned([(3, -4), (25, -4), (21, 0), (25, 4), (3, 4)], 48, closed=True),
    "gear": milled(lambda a: 20 + 2 * (math.sin(12 * a) > 0), lambda a: 4, 6, 96),
    "arm": milled(stadium, lambda a: 6, 5, 64),
    "cam": milled(lambda a: 12 + 4 * math.cos(a), lambda a: 3 + math.sin(a), 8, 40),
    "gripper": [t for x in (-10, 10) for t in turned([(0, 0), (4, 0), (4, 30), (0, 30)], 4, at=(x, 0, 4))]
               + list(turned([(0, 0), (18, 0), (18, 6), (0, 6)], 4)),  # the fingers stand in the palm
}


# --- STL ---

def written(triangles, name, text):
    if not text:
        return b"".join([name.encode().ljust(80), struct.pack("<I", len(triangles))]
                        + [struct.pack("<12fH", 0, 0, 0, *messages.flat(t), 0) for t in triangles])
    lines = [f"solid {name}"]
    for t in triangles:
        lines += ["facet normal 0 0 0", "outer loop", *(f"vertex {x:.6e} {y:.6e} {z:.6e}" for x, y, z in t),
                  "endloop", "endfacet"]
    return "\n".join(lines + ["endsolid"]).encode()


def read(data):
    """The mesh of loose triangles that a program reads from the file."""
    if data.startswith(b"solid"):
        corners = [list(map(float, line.split()[1:])) for line in data.decode().splitlines()
                   if line.startswith("vertex")]
    else:
        count, = struct.unpack_from("<I", data, 80)
        corners = [list(struct.unpack_from("<3f", data, 84 + 50 * i + 12 + 12 * k))
                   for i in range(count) for k in range(3)]
    return {"type": "mesh", "vertices": corners, "closed": True, "weld": True,
            "triangles": [[i, i + 1, i + 2] for i in range(0, len(corners), 3)]}


@functools.cache
def file_of(name):
    if name == "gearwheel":
        return lzma.decompress((CASES / "gearwheel.stl.xz").read_bytes())
    return written(list(PARTS[name]), name, text=len(name) % 2 == 0)


def winding(mesh, point):
    """How often the surface goes round the point: solid angles (Van Oosterom, Strackee 1983)."""
    total = 0
    for triangle in mesh["triangles"]:
        a, b, c = ([p - q for p, q in zip(mesh["vertices"][i], point)] for i in triangle)
        la, lb, lc = (math.hypot(*v) for v in (a, b, c))
        dot = [sum(p * q for p, q in zip(*pair)) for pair in ((a, b), (b, c), (c, a))]
        volume = (a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
                  + a[2] * (b[0] * c[1] - b[1] * c[0]))
        total += 2 * math.atan2(volume, la * lb * lc + dot[0] * lc + dot[1] * la + dot[2] * lb)
    return total / (4 * math.pi)


@pytest.mark.parametrize("name", [*PARTS, "gearwheel"])
def test_a_file_of_loose_triangles_is_closed_by_weld(gjkd, name):
    mesh = read(file_of(name))
    gjkd.put("/v1/sets/parts", {"dimension": 3})
    path = "/v1/sets/parts/shapes/part"
    problem.check(gjkd.put(path, mesh | {"weld": False}), "not-closed", "/triangles/0", hint="weld")
    assert gjkd.get(path).status_code == 404
    assert gjkd.put(path, mesh).status_code == 201
    low, high = ([f(v[k] for v in mesh["vertices"]) for k in range(3)] for f in (min, max))
    rng, inside = random.Random(name), 0
    points = [[rng.uniform(a - 1, b + 1) for a, b in zip(low, high)] for _ in range(40)]
    answers = gjkd.post("/v1/sets/parts/batch", {"queries": [
        {"op": "detect", "a": "part", "b": {"type": "point", "position": p}, "penetration": False}
        for p in points]}).json()["results"]
    for point, answer in zip(points, answers):
        turns = winding(mesh, point)
        assert abs(turns - round(turns)) < 1e-6
        assert answer["colliding"] == (round(turns) != 0), point
        inside += answer["colliding"]
    assert inside >= 3
