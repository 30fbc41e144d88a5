"""Comparing numbers, and the little vector arithmetic that the oracles need."""

import math


def near(value, wanted, tolerance=1e-12):
    """Numbers, or vectors member by member, relative to max(1, |wanted|)."""
    if isinstance(wanted, (list, tuple)):
        return len(value) == len(wanted) and all(
            near(v, w, tolerance) for v, w in zip(value, wanted))
    return abs(value - wanted) <= tolerance * max(1.0, abs(wanted))


def add(a, b):
    return [x + y for x, y in zip(a, b)]


def sub(a, b):
    return [x - y for x, y in zip(a, b)]


def scale(s, a):
    return [s * x for x in a]


def dot(a, b):
    return math.fsum(x * y for x, y in zip(a, b))


def length(a):
    return math.hypot(*a)
