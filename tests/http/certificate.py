"""Is an answer right, judged from the request and the reply alone?

height() is a support scan: how far a shape reaches along a direction, from its definition. Two
of them prove a normal: no direction shows the shapes farther apart than they are, and none shows
them less deep in each other. Everything is computed relative to one of the shapes, so that
nothing is lost far from the origin.
"""

import math

from near import add, dot, length, scale, sub

TOLERANCE = 1e-10  # what an answer is solved to, relative to the size
BESIDE = 1e-9  # how far beside the contact of two curved surfaces a point may be, likewise
ROUNDING = 1e-13  # what this file's own arithmetic may add, relative to size and distance


def turned_back(shape, v):
    """v, a direction of the world, in the shape's own frame."""
    if len(v) == 2:
        c, s = math.cos(shape.get("angle", 0.0)), math.sin(shape.get("angle", 0.0))
        return [c * v[0] + s * v[1], c * v[1] - s * v[0]]
    x, y, z, w = shape.get("orientation", [0.0, 0.0, 0.0, 1.0])
    f = 2.0 / math.fsum(q * q for q in (x, y, z, w))
    rows = [[1 - f * (y * y + z * z), f * (x * y - z * w), f * (x * z + y * w)],
            [f * (x * y + z * w), 1 - f * (x * x + z * z), f * (y * z - x * w)],
            [f * (x * z - y * w), f * (y * z + x * w), 1 - f * (x * x + y * y)]]
    return [dot([row[i] for row in rows], v) for i in range(3)]


def across(shape, m):
    """The length of m's part square to the axis of a cylinder or cone."""
    axis = sub(shape["b"], shape["a"])
    return length(sub(m, scale(dot(m, axis) / dot(axis, axis), axis)))


def slice_height(shape, m):
    half = shape["theta"] / 2
    if abs(math.atan2(m[1], m[0])) <= half:
        return shape["radius"] * length(m)
    return max(0.0, shape["radius"] * dot([math.cos(half), math.sin(half)], [m[0], abs(m[1])]))


def half_ellipse_height(shape, m):
    wide = shape["width"] / 2 * m[0]
    return math.hypot(wide, shape["height"] * m[1]) if m[1] > 0 else abs(wide)


HEIGHTS = {
    "point": lambda s, m: 0.0,
    "circle": lambda s, m: s["radius"] * length(m),
    "sphere": lambda s, m: s["radius"] * length(m),
    "segment": lambda s, m: max(dot(s["a"], m), dot(s["b"], m)),
    "capsule": lambda s, m: max(dot(s["a"], m), dot(s["b"], m)) + s["radius"] * length(m),
    "box": lambda s, m: dot(s["half_extents"], [abs(x) for x in m]),
    "polygon": lambda s, m: max(dot(p, m) for p in s["vertices"]),
    "hull": lambda s, m: max(dot(p, m) for p in s["points"]),
    "triangle": lambda s, m: max(dot(s[k], m) for k in "abc"),
    "ellipse": lambda s, m: length([r * x for r, x in zip(s["radii"], m)]),
    "ellipsoid": lambda s, m: length([r * x for r, x in zip(s["radii"], m)]),
    "half_ellipse": half_ellipse_height,
    "slice": slice_height,
    "cylinder": lambda s, m: max(dot(s["a"], m), dot(s["b"], m)) + s["radius"] * across(s, m),
    "cone": lambda s, m: max(dot(s["b"], m), dot(s["a"], m) + s["radius"] * across(s, m)),
}


def position(shape, dimension):
    return shape.get("position") or [0.0] * dimension


def height(shape, n, origin):
    """max n . (x - origin) over the shape, for a unit vector n."""
    own = HEIGHTS[shape["type"]](shape, turned_back(shape, n)) + shape.get("rounding", 0.0)
    return own + dot(sub(position(shape, len(n)), origin), n)


def size(shape, dimension):
    """The largest side of the bounding box in the own frame."""
    still = {k: v for k, v in shape.items() if k not in ("angle", "orientation", "position")}
    axes = [[float(i == k) for i in range(dimension)] for k in range(dimension)]
    zero = [0.0] * dimension
    return max(height(still, e, zero) + height(still, scale(-1, e), zero) for e in axes)


def reach(shape, dimension):
    """How far from its own origin the shape goes: what its numbers' rounding is relative to."""
    still = {k: v for k, v in shape.items() if k not in ("angle", "orientation", "position")}
    zero = [0.0] * dimension
    return max(abs(height(still, [s * (i == k) for i in range(dimension)], zero))
               for k in range(dimension) for s in (1.0, -1.0))


def ulp_of(*vectors):
    """What one rounding of these coordinates of the world may be."""
    return max(math.ulp(abs(x)) for v in vectors for x in v)


def gap(a, b, n):
    """How far apart (negative: how deep) a and b are along n, which points from a to b."""
    about = position(a, len(n))
    return -height(b, scale(-1, n), about) - height(a, n, about)


def slack_of(a, b, n):
    apart = length(sub(position(b, len(n)), position(a, len(n))))
    largest = max(size(a, len(n)), size(b, len(n)))
    scales = apart + reach(a, len(n)) + reach(b, len(n))
    return TOLERANCE * largest + ROUNDING * scales


def is_unit(n):
    return abs(length(n) - 1.0) <= 1e-14


def is_within(shape, point, slack):
    """Does no direction of a net separate the point from the shape? Necessary, nearly enough."""
    dimension = len(point)
    net = ([[math.cos(k / 8 * math.pi), math.sin(k / 8 * math.pi)] for k in range(16)]
           if dimension == 2 else
           [[x, y, z] for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if x or y or z])
    return all(height(shape, n, point) >= -slack
               for n in (scale(1 / length(v), v) for v in net))


def check_points(a, b, answer, value, slack):
    """point_b - point_a is value along the normal, and both lie on the surfaces."""
    n, p, q = answer["normal"], answer["point_a"], answer["point_b"]
    world = slack + 8 * ulp_of(p, q, position(a, len(n)), position(b, len(n)))
    assert length(sub(sub(q, p), scale(value, n))) <= world, "the points do not show the value"
    assert abs(height(a, n, p)) <= world, "point_a is not on the surface"
    assert abs(height(b, scale(-1, n), q)) <= world, "point_b is not on the surface"
    assert is_within(a, p, world) and is_within(b, q, world), "a point is outside"


def check_detect(a, b, answer):
    n = answer["normal"]
    assert is_unit(n)
    slack = slack_of(a, b, n)
    if answer["state"] == "separated":
        assert gap(a, b, n) > -slack, "the normal does not separate"
        return
    depth = answer["depth"]
    assert 0 <= answer["depth_lower_bound"] <= depth
    assert gap(a, b, n) >= -depth - slack, "not apart when moved by the depth"
    if answer["status"] == "converged":
        assert depth - answer["depth_lower_bound"] <= slack
    if answer["point_a"] is not None:
        check_points(a, b, answer, -depth, slack)


def check_distance(a, b, answer):
    if answer["state"] == "overlapping":
        assert answer["distance"] == 0 and answer["normal"] is None
        return
    n = answer["normal"]
    assert is_unit(n)
    slack = slack_of(a, b, n)
    assert 0 <= answer["lower_bound"] <= answer["distance"]
    assert gap(a, b, n) >= answer["lower_bound"] - slack, "not that far apart along the normal"
    if answer["status"] == "converged":
        assert answer["distance"] - answer["lower_bound"] <= slack
    check_points(a, b, answer, answer["distance"], slack)


def check_ray(shape, request, hit):
    """The plane at the hit holds the shape, and the ray comes from outside it: so it is the
    first point that is hit, if only it belongs to the shape."""
    origin, direction = request["origin"], request["direction"]
    if hit["inside"]:
        assert hit["distance"] == 0 and hit["normal"] is None and hit["point"] == origin
        assert is_within(shape, origin, slack_of(shape, shape, origin) + ulp_of(origin))
        return
    n, t = hit["normal"], hit["distance"]
    unit = scale(1 / length(direction), direction)
    away = length(sub(origin, position(shape, len(n))))
    slack = slack_of(shape, shape, n) + ROUNDING * away + 8 * ulp_of(origin, hit["point"])
    assert is_unit(n) and dot(n, unit) <= 1e-15
    assert 0 <= t <= (request.get("max_distance") or math.inf)
    assert length(sub(hit["point"], add(origin, scale(t, unit)))) <= slack
    assert abs(height(shape, n, hit["point"])) <= slack, "the plane does not hold the shape"
    assert is_within(shape, hit["point"], slack), "the point is outside"


def check_cast(moving, still, translation, hit):
    """At the fraction the two touch along the normal; before it they were apart along it."""
    if hit["inside"]:
        assert hit["fraction"] == 0 and hit["normal"] is None
        return
    n, f = hit["normal"], hit["fraction"]
    there = moving | {"position": add(position(moving, len(n)), scale(f, translation))}
    way = length(translation)
    slack = slack_of(moving, still, n) + ROUNDING * way + 8 * ulp_of(there["position"])
    assert is_unit(n) and 0 <= f <= 1 and dot(n, translation) <= 1e-15 * way
    assert abs(hit["distance"] - f * way) <= 1e-14 * way
    assert abs(gap(still, there, n)) <= slack, "they do not touch there"
    assert abs(height(still, n, hit["point"])) <= slack, "the plane does not hold the target"
    beside = slack + BESIDE * max(size(still, len(n)), size(moving, len(n)))
    assert is_within(still, hit["point"], beside) and is_within(there, hit["point"], beside)
