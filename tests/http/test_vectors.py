"""tests/vectors, line by line and as they stand, to the stateless calls."""

import json
import math
import pathlib

import pytest

from near import near

pytestmark = pytest.mark.plain

VECTORS = pathlib.Path(__file__).resolve().parent.parent / "vectors"
FILES = sorted(VECTORS.glob("*.jsonl"))
LINES_MAX = 1500  # of one file: evenly chosen; every line is judged below HTTP
THEIR_NORMAL = 2e-2  # dyn4j takes a ray's normal from its last step: rough on curved sides
UNJUDGED = 1e-9  # below it, relative to the coordinates, the input's rounding decides


def shapes(request):
    return [request[k] for k in ("a", "b", "shape") if k in request]


def magnitude(value):
    """The largest coordinate in a shape."""
    if isinstance(value, dict):
        return max(map(magnitude, value.values()), default=0.0)
    if isinstance(value, list):
        return max(map(magnitude, value), default=0.0)
    return abs(value) if isinstance(value, (int, float)) else 0.0


def chosen(path):
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    return lines[::math.ceil(len(lines) / LINES_MAX) or 1]


def world_rounding(request):
    """The references were computed from points in the world, rounded to doubles there."""
    return 2 * math.ulp(max(map(magnitude, shapes(request))))


def judge_signed(gjkd, line):
    request, expect = line["request"], line["expect"]
    detect = gjkd.ask("/v1/detect", request)
    distance = gjkd.ask("/v1/distance", request)
    assert detect["state"] == distance["state"]
    wanted = expect.get("signed_distance", expect.get("distance"))
    signed = distance["distance"] or -detect["depth"]
    got = signed if "signed_distance" in expect else distance["distance"]
    error = line["tolerance"] * max(1.0, abs(wanted)) + world_rounding(request)
    if detect["status"] == "converged" or request["a"]["type"] != "compound":
        assert abs(got - wanted) <= error, f"{got} is not {wanted}"
    else:  # a depth of round parts in 3D, whose search ended early
        assert detect["depth_lower_bound"] - error <= -wanted <= detect["depth"] + error, \
            f"bounds of {detect['depth_lower_bound']} and {detect['depth']} do not enclose {wanted}"
    if abs(wanted) > UNJUDGED * max(map(magnitude, shapes(request))):
        assert detect["colliding"] is expect.get("colliding", wanted < 0)


def judge_pair(gjkd, line):
    answer = gjkd.ask(f"/v1/{line['op']}", line["request"])
    expect = line["expect"]
    if answer["state"] != "touching" or line.get("algorithm") == "sat":
        assert answer["colliding"] is expect["colliding"]
    for member in ("depth", "distance"):
        if member in expect:
            assert near(answer[member], expect[member], line["tolerance"]), member


def judge_raycast(gjkd, line):
    hits = gjkd.ask("/v1/raycast", line["request"])["hits"]
    expect = line["expect"]
    assert bool(hits) is expect["hit"]
    tolerance = dict.fromkeys(("distance", "point"), line["tolerance"]) | {"normal": THEIR_NORMAL}
    for member in tolerance.keys() & expect.keys():
        assert near(hits[0][member], expect[member], tolerance[member]), member


JUDGES = {"signed": judge_signed, "detect": judge_pair, "distance": judge_pair,
          "raycast": judge_raycast}


def test_there_are_vectors():
    assert FILES, f"no *.jsonl in {VECTORS}"


@pytest.mark.parametrize("path", FILES, ids=[p.stem for p in FILES])
def test_vectors(gjkd, path):
    wrong = []
    lines = chosen(path)
    assert lines
    for line in lines:
        try:
            JUDGES[line["op"]](gjkd, line)
        except AssertionError as failure:
            wrong.append(f"{line['source']}: {str(failure).splitlines()[0]}\n"
                         f"  {json.dumps(line['request'])[:400]}\n  {line['expect']}")
    assert not wrong, f"{len(wrong)} of {len(lines)} wrong:\n" + "\n".join(wrong[:10])
