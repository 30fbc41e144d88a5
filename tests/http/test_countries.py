"""Countries of Natural Earth's 1:10m map whose rings cross, touch or have too few points, stored with `fill`.
Areas, insides and distances are those of GEOS's MakeValid; tests/cases/make_countries.py wrote them down."""

import itertools
import json
import lzma
import pathlib

import pytest

with lzma.open(pathlib.Path(__file__).parents[1] / "cases" / "countries.json.xz") as file:
    MAP = json.load(file)
COUNTRIES = MAP["countries"]
RULES = "evenodd", "nonzero"


def polygons_of(country):
    """In degrees, to the bit as they were judged."""
    (sx, sy), (tx, ty) = MAP["scale"], MAP["translate"]
    return [[list(map(list, zip([x * sx + tx for x in itertools.accumulate(ring[::2])],
                                [y * sy + ty for y in itertools.accumulate(ring[1::2])])))
             for ring in polygon] for polygon in country["polygons"]]


def area(pieces):
    """Of convex polygons, each from its first corner on."""
    return sum(((p[i][0] - p[0][0]) * (p[i + 1][1] - p[0][1]) - (p[i + 1][0] - p[0][0]) * (p[i][1] - p[0][1])) / 2
               for p in pieces for i in range(1, len(p) - 1))


@pytest.fixture(scope="module")
def world(gjkd):
    assert gjkd.put("/v1/sets/world", {"dimension": 2}).status_code in (200, 201)
    return "/v1/sets/world"


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", COUNTRIES)
def test_a_country_is_stored_as_geos_makes_it_valid(gjkd, world, name, rule):
    country, path = COUNTRIES[name], f"{world}/shapes/country"
    shape = {"type": "region", "polygons": polygons_of(country), "fill": rule}
    reply = gjkd.put(path, shape)
    assert reply.status_code in (200, 201), reply.text
    assert reply.json()["polygons"] == shape["polygons"]
    pieces = gjkd.get(f"{path}?fields=pieces").json()["pieces"]
    assert area(pieces) == pytest.approx(country[rule], rel=1e-9, abs=1e-12)
    queries = [{"op": op, "a": "country", "b": {"type": "point", "position": point[:2]}}
               | ({"penetration": False} if op == "detect" else {})
               for point in country["points"] for op in ("detect", "distance")]
    answers = gjkd.post(f"{world}/batch", {"queries": queries}).json()["results"]
    for (x, y, *inside, distance), state, found in zip(country["points"], answers[::2], answers[1::2]):
        assert state["colliding"] == found["colliding"] == bool(inside[RULES.index(rule)]), (x, y)
        if rule == "evenodd":
            assert found["distance"] == (None if distance is None else pytest.approx(distance, abs=1e-9)), (x, y)


def test_the_map_is_hard_enough(gjkd, world):
    """Most are refused without `fill`; in degrees, some of what touches on the map's grid is apart."""
    replies = [gjkd.put(f"{world}/shapes/country", {"type": "region", "polygons": polygons_of(country)})
               for country in COUNTRIES.values()]
    refused = [reply.json()["code"] for reply in replies if reply.status_code == 422]
    assert set(refused) == {"not-simple", "out-of-range"} and len(refused) > 40
    points = [point for country in COUNTRIES.values() for point in country["points"]]
    assert sum(point[2] for point in points) > 300
    assert sum(country["evenodd"] < country["nonzero"] * (1 - 1e-9) for country in COUNTRIES.values()) >= 3
