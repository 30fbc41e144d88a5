"""Every answer carries its proof: each vector's of convex shapes, and those of seeded pairs, rays and
casts of every kind of shape, are verified from the request and the reply alone (certificate.py)."""

import json
import math
import random

import pytest

import certificate
from near import add, scale
from test_vectors import FILES, chosen

pytestmark = pytest.mark.plain

PAIRS = 250  # of each dimension
OF_CONVEX_SHAPES = [path for path in FILES if path.stem != "compounds"]


def judge(gjkd, op, request):
    answer = gjkd.ask(f"/v1/{op}", request)
    if op == "raycast":
        for hit in answer["hits"]:
            certificate.check_ray(request["shape"], request, hit)
    else:
        check = {"detect": certificate.check_detect, "distance": certificate.check_distance}[op]
        check(request["a"], request["b"], answer)


@pytest.mark.parametrize("path", OF_CONVEX_SHAPES, ids=[p.stem for p in OF_CONVEX_SHAPES])
def test_vectors(gjkd, path):
    wrong = []
    for line in chosen(path):
        for op in ("detect", "distance") if line["op"] == "signed" else (line["op"],):
            try:
                judge(gjkd, op, line["request"])
            except AssertionError as failure:
                wrong.append(f"{op} {line['source']}: {str(failure).splitlines()[0]}\n"
                             f"  {json.dumps(line['request'])[:400]}")
    assert not wrong, f"{len(wrong)} wrong:\n" + "\n".join(wrong[:10])


class Scene:
    """Seeded shapes of every kind, about one unit large, near the middle or far away."""

    def __init__(self, dimension, seed):
        self.dimension = dimension
        self.random = random.Random(seed)

    def vector(self, most=1.0):
        return [self.random.uniform(-most, most) for _ in range(self.dimension)]

    def length(self):
        return self.random.uniform(0.2, 1.0)

    def kinds(self):
        v, r = self.vector, self.length
        kinds = [
            lambda: {"type": "point"},
            lambda: {"type": "segment", "a": v(), "b": v()},
            lambda: {"type": "capsule", "a": v(), "b": v(), "radius": r()},
            lambda: {"type": "box", "half_extents": [r() for _ in range(self.dimension)]},
            lambda: {"type": "hull", "points": [v() for _ in range(12)]},
        ]
        if self.dimension == 2:
            return kinds + [
                lambda: {"type": "circle", "radius": r()},
                lambda: {"type": "ellipse", "radii": [r(), r()]},
                lambda: {"type": "half_ellipse", "width": r(), "height": r()},
                lambda: {"type": "slice", "radius": r(),
                         "theta": self.random.uniform(0.05, math.pi)},
            ]
        return kinds + [
            lambda: {"type": "sphere", "radius": r()},
            lambda: {"type": "triangle", "a": v(), "b": v(), "c": v()},
            lambda: {"type": "ellipsoid", "radii": [r(), r(), r()]},
            lambda: {"type": "cylinder", "a": v(), "b": v(), "radius": r()},
            lambda: {"type": "cone", "a": v(), "b": v(), "radius": r()},
        ]

    def shape(self, at):
        shape = self.random.choice(self.kinds())()
        if self.random.random() < 0.3:
            shape["rounding"] = self.random.uniform(0, 0.3)
        if self.dimension == 2:
            shape["angle"] = self.random.uniform(-4, 4)
        else:
            q = [self.random.gauss(0, 1) for _ in range(4)]
            shape["orientation"] = scale(1 / math.hypot(*q), q)
        return shape | {"position": at}

    def place(self):
        return self.vector(self.random.choice([1.0, 1.0, 10.0 ** self.random.uniform(2, 8)]))


@pytest.mark.parametrize("dimension", [2, 3])
def test_pairs(gjkd, dimension):
    scene = Scene(dimension, 20261121)
    states = set()
    for _ in range(PAIRS):
        home = scene.place()
        request = {"a": scene.shape(home), "b": scene.shape(add(home, scene.vector(1.5)))}
        for op in ("detect", "distance"):
            judge(gjkd, op, request)
        states.add(gjkd.ask("/v1/detect", request)["state"])
    assert {"separated", "overlapping"} <= states


@pytest.mark.parametrize("dimension", [2, 3])
def test_rays(gjkd, dimension):
    scene = Scene(dimension, 20261122)
    hits, kinds = 0, set()
    for _ in range(2 * PAIRS):
        shape = scene.shape(scene.place())
        origin = add(shape["position"], scene.vector(4.0))
        aim = add(shape["position"], scene.vector(0.3))
        request = {"shape": shape, "origin": origin,
                   "direction": [x - y for x, y in zip(aim, origin)]}
        found = gjkd.ask("/v1/raycast", request)["hits"]
        for hit in found:
            certificate.check_ray(shape, request, hit)
            hits += 1
            kinds.add(shape["type"])
    assert hits > PAIRS / 2 and len(kinds) >= 9


@pytest.mark.parametrize("dimension", [2, 3])
def test_casts(gjkd, dimension):
    scene = Scene(dimension, 20261123)
    hits, kinds = 0, set()
    for _ in range(2 * PAIRS):
        home = scene.place()
        still = scene.shape(home)
        moving = scene.shape(add(home, scene.vector(6.0)))
        far = scene.random.choice([1.0, 1.5, 1e4])
        way = [far * (x - y + z) for x, y, z in
               zip(still["position"], moving["position"], scene.vector(0.5))]
        request = {"shape": moving, "translation": way, "against": still}
        for hit in gjkd.ask("/v1/cast", request)["hits"]:
            certificate.check_cast(moving, still, way, hit)
            hits += 1
            kinds |= {moving["type"], still["type"]}
    assert hits > PAIRS / 2 and len(kinds) >= 9
