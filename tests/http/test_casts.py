"""Sweeping a shape: first contact, the modes, what it never hits, stateless forms."""

import math

import pytest

from near import near

BALL = {"type": "circle", "radius": 1}
ROW = {
    "wall": {"type": "box", "half_extents": [1, 5], "position": [10, 0], "group": "g"},
    "thin": {"type": "segment", "a": [0, -5], "b": [0, 5], "position": [6, 0]},
    "off": {"type": "circle", "radius": 1, "position": [5, 20]},
    "mover": {"type": "circle", "radius": 1},
}


@pytest.fixture
def row(gjkd, name):
    gjkd.store(name, {"dimension": 2, "shapes": ROW})

    def cast(**more):
        return gjkd.ask(f"/v1/sets/{name}/cast",
                        {"shape": "mover", "translation": [20, 0]} | more)

    return cast


def ids(answer):
    return [hit["id"] for hit in answer["hits"]]


def test_closest_is_the_default(row):
    answer = row()
    assert answer == row(mode="closest") and ids(answer) == ["thin"]
    hit, = answer["hits"]
    assert set(hit) == {"id", "group", "fraction", "distance", "point", "normal", "inside",
                        "status"}
    assert near(hit["fraction"], 0.25) and near(hit["distance"], 5)
    assert near(hit["point"], [6, 0]) and near(hit["normal"], [-1, 0])
    assert hit["inside"] is False and hit["group"] is None and answer["revision"] == 1


def test_all_by_fraction(row):
    answer = row(mode="all")
    assert ids(answer) == ["thin", "wall"]
    assert [near(h["fraction"], f) for h, f in zip(answer["hits"], (0.25, 0.4))] == [True] * 2
    cut = row(mode="all", limit=1)
    assert ids(cut) == ["thin"] and cut["truncated"] is True


def test_any(row):
    assert row(mode="any") == {"hit": True, "revision": 1}
    assert row(mode="any", translation=[4.9, 0]) == {"hit": False, "revision": 1}


def test_a_target_needs_no_filter_and_itself_is_never_hit(row):
    assert ids(row(target="wall", filter={"mask": 0})) == ["wall"]
    assert row(target="mover") == {"hits": [], "revision": 1}
    assert ids(row(filter={"ignore": ["thin"]})) == ["wall"]


def test_a_set_says_what_the_target_alone_says(row):
    for hit in row(mode="all")["hits"]:
        assert row(target=hit["id"])["hits"] == [hit]


def test_overlapping_and_touching_at_the_start(gjkd):
    def cast(x, translation):
        return gjkd.ask("/v1/cast", {"shape": BALL | {"position": [x, 0]},
                                     "translation": translation, "against": BALL})["hits"]

    inside, = cast(1.5, [1, 0])
    assert inside["inside"] is True and inside["fraction"] == 0 and inside["normal"] is None
    toward, = cast(2, [-1, 0])
    assert toward["inside"] is False and toward["fraction"] == 0
    assert near(toward["normal"], [1, 0])
    assert cast(2, [1, 0]) == [] and cast(2, [0, 3]) == [] and cast(2, [0, 0]) == []
    assert cast(1.5, [0, 0])[0]["inside"] is True


def test_no_wall_is_too_thin_and_no_way_too_long(gjkd):
    for translation in (1e3, 1e6):
        hit, = gjkd.ask("/v1/cast", {
            "shape": {"type": "sphere", "radius": 0.5}, "translation": [translation, 0, 0],
            "against": {"type": "box", "half_extents": [0, 1, 1], "position": [7, 0, 0]},
        })["hits"]
        assert near(hit["distance"], 6.5, 1e-9) and near(hit["normal"], [-1, 0, 0], 1e-9)
        assert hit["id"] is None


def test_ball_past_a_corner(gjkd):
    """A ball of radius 1 grazing up to the corner (1, 1) of a box: closed form."""
    hit, = gjkd.ask("/v1/cast", {"shape": BALL | {"position": [-5, 1.5]}, "translation": [10, 0],
                                 "against": {"type": "box", "half_extents": [1, 1]}})["hits"]
    assert near(hit["distance"], 5 - 1 - math.sqrt(0.75)) and near(hit["point"], [-1, 1])
    assert near(hit["normal"], [-math.sqrt(0.75), 0.5])


CORNERS = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
TETRAHEDRON = {"type": "mesh", "closed": True, "vertices": CORNERS,
               "triangles": [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]}
OUTWARD = [[0, 0, -1], [0, -1, 0], [-1, 0, 0]]


@pytest.mark.parametrize("face", range(3))
@pytest.mark.parametrize("at_start", ["report", "ignore", "resolve"])
@pytest.mark.parametrize("way", ["translation", "to"])
def test_what_touches_a_closed_mesh_is_not_inside(gjkd, face, at_start, way):
    """What stands on a face with a corner slides along it and is stopped by it, and so is a mesh that
    lies on a corner."""
    outward = OUTWARD[face]
    along, into = [1 - abs(x) for x in outward], [-x for x in outward]
    spike = {"type": "hull", "position": [0.2 * x for x in along], "points": [[0, 0, 0]] + [
        [0.1 * x + y for x, y in zip(corner, outward)] for corner in CORNERS]}
    for moving, against, sign in ((spike, TETRAHEDRON, -1), (TETRAHEDRON, spike, 1)):
        body = {"shape": moving, "against": against, "at_start": at_start}
        assert gjkd.ask("/v1/detect", {"a": moving, "b": against})["state"] == "touching"
        for direction, is_stopped in ((along, False), (into, True)):
            path = [-0.01 * sign * x for x in direction]
            start = moving.get("position", [0, 0, 0])
            motion = {"to": {"position": [p + x for p, x in zip(start, path)]}} if way == "to" else \
                {"translation": path}
            hits = gjkd.ask("/v1/cast", body | motion)["hits"]
            assert len(hits) == is_stopped, (moving, direction, hits)
            for hit in hits:
                assert not hit["inside"] and hit["fraction"] == 0 and hit["normal"] is not None


@pytest.mark.parametrize("at_start, count", [("report", 1), ("ignore", 0), ("resolve", 1)])
def test_what_is_inside_a_closed_mesh_still_is(gjkd, at_start, count):
    hits = gjkd.ask("/v1/cast", {
        "shape": {"type": "sphere", "radius": 0.05, "position": [0.2, 0.2, 0.2]},
        "translation": [0.05, 0, 0], "against": TETRAHEDRON, "at_start": at_start})["hits"]
    assert [hit["inside"] for hit in hits] == [True] * count


def test_shapes_of_the_request(gjkd):
    answer = gjkd.ask("/v1/cast", {"shape": BALL, "translation": [20, 0], "mode": "all", "shapes": {
        "b": {"type": "point", "position": [9, 0]}, "a": {"type": "point", "position": [9, 0]}}})
    assert ids(answer) == ["a", "b"] and "revision" not in answer


def test_a_hit_tells_the_group_of_its_shape(gjkd, row):
    """Wherever the shape came from; that of the moving one does not matter."""
    sweep = {"shape": BALL | {"group": "mine"}, "translation": [20, 0]}
    hit, = gjkd.ask("/v1/cast", sweep | {"against": ROW["wall"]})["hits"]
    assert (hit["id"], hit["group"]) == (None, "g")
    hit, = gjkd.ask("/v1/cast", sweep | {"against": ROW["thin"]})["hits"]
    assert (hit["id"], hit["group"]) == (None, None)
    hit, = gjkd.ask("/v1/cast", sweep | {"shapes": {"wall": ROW["wall"]}})["hits"]
    assert (hit["id"], hit["group"]) == ("wall", "g")
    hit, = row(target="wall")["hits"]
    assert (hit["id"], hit["group"]) == ("wall", "g")


@pytest.mark.parametrize("angle", [-math.pi, -3.14159265358979, math.pi, 3.14159265358979])
def test_half_turns_go_the_way_of_interpolation(gjkd, name, angle):
    rod = {"type": "segment", "a": [1, 0], "b": [2, 0]}
    balls = {side: {"type": "circle", "radius": 0.1, "position": [0, y]}
             for side, y in (("above", 1.5), ("below", -1.5))}
    gjkd.store(name, {"dimension": 2, "history": {"ticks": 4}, "shapes": balls | {"rod": rod}})
    for tick, turned in ((1, 0), (2, angle)):
        reply = gjkd.put(f"/v1/sets/{name}/ticks/{tick}", {"shapes": {"rod": {"angle": turned}}})
        assert reply.status_code in (200, 201)
    between = gjkd.ask(f"/v1/sets/{name}/detect", {"a": "rod", "at": {"tick": 1.5}})
    swept = gjkd.ask(f"/v1/sets/{name}/cast", {"shape": rod, "to": {"angle": angle},
                                               "filter": {"ignore": ["rod"]}})
    assert ids(between) == ids(swept) == ["above"]
