"""Worlds as people have them: rings that cross, loose triangles, shells within shells, fields of holes."""

import fractions
import random

import pytest

import messages
import problem

BOW = [[0, 0], [4, 4], [4, 0], [0, 4]]
SQUARE = [[0, 0], [8, 0], [8, 8], [0, 8]]
WITHIN = [[2, 2], [4, 2], [4, 4], [2, 4]]


def region(*rings, **members):
    return {"type": "region", "rings": list(rings), "fill": "nonzero"} | members


def pieces_of(gjkd, name, id):
    return gjkd.get(f"/v1/sets/{name}/shapes/{id}?fields=pieces").json()["pieces"]


def area(pieces):
    return sum(p[i - 1][0] * p[i][1] - p[i - 1][1] * p[i][0] for p in pieces for i in range(len(p))) / 2


@pytest.fixture
def plan(gjkd, name):
    gjkd.store(name, {"dimension": 2})
    return name


def put(gjkd, name, shape, id="a"):
    return gjkd.call("PUT", f"/v1/sets/{name}/shapes/{id}", json=shape)


@pytest.mark.parametrize("rings, nonzero, evenodd", [
    ([BOW], 8, 8),
    ([SQUARE, WITHIN], 64, 60),
    ([SQUARE, WITHIN[::-1]], 60, 60),
    ([SQUARE, [[4, 4], [12, 4], [12, 12], [4, 12]]], 112, 96),
    ([SQUARE, SQUARE], 64, 0),
    ([SQUARE, SQUARE[::-1]], 0, 0),
    ([SQUARE[:2] + [[12, 0], [8, 0]] + SQUARE[2:]], 64, 64),  # a spike
    ([[[0, 0], [1, 0]], [[2, 2]], [], SQUARE], 64, 64),  # rings of too few vertices
    ([[[0, 0], [8, 8]]], 0, 0),
])
def test_the_rule_tells_what_is_inside(gjkd, plan, rings, nonzero, evenodd):
    for rule, wanted in ("nonzero", nonzero), ("evenodd", evenodd):
        shape = region(*rings, fill=rule)
        assert put(gjkd, plan, shape).status_code in (200, 201)
        assert area(pieces_of(gjkd, plan, "a")) == wanted, rule
        stored = gjkd.get(f"/v1/sets/{plan}/shapes/a").json()
        assert {k: stored[k] for k in shape} == shape and "polygons" not in stored
        body = messages.gjkd.BodyColumns(dimension=2, type="region", fill=rule,
                                         ring_sizes=map(len, rings), polygon_sizes=[len(rings)],
                                         vertices=messages.flat(v for ring in rings for v in ring))
        reply = gjkd.call("PUT", f"/v1/sets/{plan}/shapes/b", data=body.SerializeToString(),
                          headers={"Content-Type": messages.TYPE})
        assert reply.json()["pieces"] == len(pieces_of(gjkd, plan, "a"))
        assert pieces_of(gjkd, plan, "b") == pieces_of(gjkd, plan, "a")
        assert gjkd.get(f"/v1/sets/{plan}/shapes/b").json()["polygons"] == [rings]


def winding(rings, x, y):
    """How often rings go round a point, in rational numbers."""
    turns = 0
    for ring in rings:
        for (ax, ay), (bx, by) in zip(ring, ring[1:] + ring[:1]):
            if (ay <= y) != (by <= y):
                side = (bx - ax) * (y - ay) - (by - ay) * (x - ax)
                turns += (side > 0) - (side < 0) if (side > 0) == (ay <= y) else 0
    return turns


def test_points_are_where_the_rule_says(gjkd, plan):
    """Random rings on a small grid, whose edges meet in every way; points off the grid's lines."""
    rng = random.Random(7)
    for _ in range(40):
        rings = [[[rng.randrange(7), rng.randrange(7)] for _ in range(rng.randrange(2, 14))]
                 for _ in range(rng.randrange(1, 4))]
        rule = rng.choice(["nonzero", "evenodd"])
        assert put(gjkd, plan, region(*rings, fill=rule)).status_code in (200, 201)
        points = [[rng.uniform(-1, 7), rng.uniform(-1, 7)] for _ in range(30)]
        answers = gjkd.post(f"/v1/sets/{plan}/batch", {"queries": [
            {"op": "detect", "a": "a", "b": {"type": "point", "position": p}, "penetration": False}
            for p in points]}).json()["results"]
        for (x, y), answer in zip(points, answers):
            turns = winding(rings, fractions.Fraction(x), fractions.Fraction(y))
            inside = turns % 2 == 1 if rule == "evenodd" else turns != 0
            assert answer["colliding"] == inside, (rings, rule, x, y)


def test_crossings_are_rounded_to_the_next_double(gjkd, plan):
    put(gjkd, plan, region([[0, 0], [3, 1], [3, 0], [0, 1.1]]))
    a, b = fractions.Fraction(1, 3), fractions.Fraction(1.1) / 3
    x = fractions.Fraction(1.1) / (a + b)
    corner = [v for p in pieces_of(gjkd, plan, "a") for v in p if 0 < v[0] < 3]
    assert len(corner) == 2 and corner[0] == corner[1]
    assert abs(corner[0][0] - x) <= 4 * 2 ** -51 and abs(corner[0][1] - x * a) <= 4 * 2 ** -51


def test_a_shape_without_pieces_meets_nothing(gjkd, plan):
    put(gjkd, plan, region([[0, 0], [1, 0]], position=[3, 3]), "none")
    put(gjkd, plan, {"type": "circle", "radius": 9}, "disc")
    put(gjkd, plan, {"type": "chain", "vertices": [[0, 0], [5, 5]]}, "line")
    set = f"/v1/sets/{plan}"
    assert pieces_of(gjkd, plan, "none") == []
    for other in "disc", "line", "none":
        for a, b in ("none", other), (other, "none"):
            answer = gjkd.post(f"{set}/detect", {"a": a, "b": b, "contacts": 4}).json()
            assert answer["state"] == "separated" and not answer["contacts"]
            assert {answer[k] for k in ("depth", "normal", "point_a", "point_b", "depth_lower_bound")} == {None}
            answer = gjkd.post(f"{set}/distance", {"a": a, "b": b, "signed": True}).json()
            assert answer["state"] == "separated"
            assert {answer[k] for k in ("distance", "lower_bound", "signed_distance", "normal")} == {None}
    handles = {id: s["handle"] for id, s in gjkd.get(set).json()["shapes"].items()}
    rows = messages.gjkd.PairColumns(dimension=2, a=[handles["none"]], b=[handles["disc"]])
    reply = gjkd.call("POST", f"{set}/distance", data=rows.SerializeToString(),
                      headers={"Content-Type": messages.TYPE})
    assert list(messages.gjkd.PairAnswers.FromString(reply.content).value) == [float("inf")]
    assert gjkd.post(f"{set}/detect", {"a": "none"}).json()["hits"] == []
    assert [hit["id"] for hit in gjkd.post(f"{set}/detect", {"a": "disc"}).json()["hits"]] == ["line"]
    near = gjkd.post(f"{set}/distance", {"a": "disc", "limit": 9}).json()["nearest"]
    assert [hit["id"] for hit in near] == ["line"]
    assert gjkd.post(f"{set}/distance", {"a": "none", "limit": 9}).json()["nearest"] == []
    for ray in {"shape": "none"}, {}:
        hits = gjkd.post(f"{set}/raycast", {"origin": [3, -20], "direction": [0, 1], "mode": "all",
                                            "exits": True} | ray).json()["hits"]
        assert "none" not in [hit["id"] for hit in hits] and bool(hits) == (not ray)
    for motion in {"translation": [3, 3]}, {"to": {"position": [3, 3], "angle": 1}}:
        assert gjkd.post(f"{set}/cast", {"shape": "none", "mode": "all"} | motion).json()["hits"] == []
        hits = gjkd.post(f"{set}/cast", {"shape": "disc", "mode": "all"} | motion).json()["hits"]
        assert [hit["id"] for hit in hits] == ["line"]


def test_columns_refuse_an_unknown_rule(gjkd, plan):
    body = messages.gjkd.BodyColumns(dimension=2, type="region", fill="odd", ring_sizes=[4], polygon_sizes=[1],
                                     vertices=messages.flat(BOW))
    reply = gjkd.call("PUT", f"/v1/sets/{plan}/shapes/a", data=body.SerializeToString(),
                      headers={"Content-Type": messages.TYPE})
    problem.check(reply, "out-of-range", "/fill", hint="known values: nonzero, evenodd", detail='"odd" is not one of the values it may have')
    body.fill = "evenod"
    reply = gjkd.call("PUT", f"/v1/sets/{plan}/shapes/a", data=body.SerializeToString(),
                      headers={"Content-Type": messages.TYPE})
    problem.check(reply, "out-of-range", "/fill", hint='did you mean "evenodd"?')


def test_a_patch_is_refused_at_the_place_in_what_is_stored(gjkd, name):
    gjkd.store(name, {"dimension": 3, "shapes": {"a": {"type": "mesh", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0]],
                                                       "triangles": [[0, 1, 2]]}}})
    reply = gjkd.call("PATCH", f"/v1/sets/{name}/shapes/a", json={"closed": True})
    problem.check(reply, "not-closed", "/triangles/0")


def test_patches_keep_one_form(gjkd, plan):
    put(gjkd, plan, region(BOW))
    path = f"/v1/sets/{plan}/shapes/a"
    problem.check(gjkd.call("PATCH", path, json={"polygons": [[BOW]]}), "unknown-member", "/rings")
    problem.check(gjkd.call("PATCH", path, json={"rings": None}), "missing-member", "/polygons")
    problem.check(gjkd.call("PATCH", path, json={"fill": None}), "not-simple", "/rings/0/2")
    changed = gjkd.call("PATCH", path, json={"polygons": [[SQUARE]], "rings": None, "fill": None}).json()
    assert changed["polygons"] == [[SQUARE]] and "rings" not in changed and "fill" not in changed
    assert gjkd.call("PATCH", path, json={"rounding": 1}).json()["polygons"] == [[SQUARE]]


# --- Meshes ---

TETRAHEDRON = [[[0, 0, 0], [0, 1, 0], [1, 0, 0]], [[0, 0, 0], [1, 0, 0], [0, 0, 1]],
               [[0, 0, 0], [0, 0, 1], [0, 1, 0]], [[1, 0, 0], [0, 1, 0], [0, 0, 1]]]


def shell(scale, at=(0, 0, 0), outwards=True):
    """A tetrahedron of loose triangles."""
    triangles = [[[scale * c + d for c, d in zip(v, at)] for v in t] for t in TETRAHEDRON]
    return triangles if outwards else [t[::-1] for t in triangles]


def loose(*shells, **members):
    corners = [v for triangles in shells for t in triangles for v in t]
    return {"type": "mesh", "vertices": corners, "closed": True, "weld": True,
            "triangles": [[i, i + 1, i + 2] for i in range(0, len(corners), 3)]} | members


@pytest.fixture
def level(gjkd, name):
    gjkd.store(name, {"dimension": 3})
    return name


def encloses(gjkd, name, *point):
    answer = gjkd.post(f"/v1/sets/{name}/detect", {"a": "a", "b": {"type": "point", "position": list(point)},
                                                   "penetration": False})
    return answer.json()["colliding"]


def columns_of(mesh, **members):
    return messages.gjkd.BodyColumns(
        dimension=3, type="mesh", vertices=messages.flat(mesh["vertices"]),
        triangles=messages.flat(mesh["triangles"]), closed=mesh["closed"], weld=mesh["weld"], **members)


def put_columns(gjkd, name, body):
    return gjkd.call("PUT", f"/v1/sets/{name}/shapes/a", data=body.SerializeToString(),
                     headers={"Content-Type": messages.TYPE})


def test_loose_triangles_are_closed_by_weld(gjkd, level):
    mesh = loose(shell(4, outwards=False))
    mesh["vertices"][mesh["vertices"].index([0, 0, 0])] = [-0.0, 0.0, -0.0]
    mesh["vertices"] += [[9, 9, 9], [9, 9, 9], [8, 8, 8]]
    mesh["triangles"].append([12, 13, 14])  # loses a corner
    assert put(gjkd, level, mesh).status_code == 201
    assert encloses(gjkd, level, 1, 1, 1) and not encloses(gjkd, level, 3, 3, 3)
    stored = gjkd.get(f"/v1/sets/{level}/shapes/a").json()
    assert {k: stored[k] for k in mesh} == mesh
    assert put_columns(gjkd, level, columns_of(mesh)).json()["pieces"] == 5
    again = gjkd.get(f"/v1/sets/{level}/shapes/a").json()
    assert {k: again[k] for k in mesh} == mesh


@pytest.mark.parametrize("count, edges, hint", [(4, 12, True), (3, 9, False)])
def test_open_edges_are_counted(gjkd, level, count, edges, hint):
    mesh = loose(shell(4)[:count], weld=False)
    for reply in put(gjkd, level, mesh), put_columns(gjkd, level, columns_of(mesh)):
        found = problem.check(reply, "not-closed", "/triangles/0", detail=f"{edges} edges")
        assert ("weld" in found.get("hint", "")) == hint
    found = problem.check(put(gjkd, level, loose(shell(4)[:3])), "not-closed", detail="3 edges")
    assert "hint" not in found
    assert gjkd.get(f"/v1/sets/{level}").json()["shapes"] == {}


@pytest.mark.parametrize("shells, nonzero, evenodd", [
    ([shell(8), shell(2, (1, 1, 1))], True, False),
    ([shell(8), shell(2, (1, 1, 1), outwards=False)], False, False),
    ([shell(8, outwards=False), shell(2, (1, 1, 1))], False, False),
    ([shell(8), shell(8, (0.5, 0.5, 0.5))], True, False),
    ([shell(8), shell(2, (1, 1, 1)), shell(4, (0.5, 0.5, 0.5))], True, True),
])
def test_shells_are_one_solid_or_every_second_a_cavity(gjkd, level, shells, nonzero, evenodd):
    for rule, wanted in (None, nonzero), ("nonzero", nonzero), ("evenodd", evenodd):
        assert put(gjkd, level, loose(*shells, fill=rule)).status_code in (200, 201)
        assert encloses(gjkd, level, 1.25, 1.375, 1.5) == wanted, rule
        assert not encloses(gjkd, level, -1, 1, 1)
        body = columns_of(loose(*shells), fill=rule or "")
        assert put_columns(gjkd, level, body).status_code == 200
        assert encloses(gjkd, level, 1.25, 1.375, 1.5) == wanted, rule
        ray = {"origin": [1.25, 1.375, 1.5], "direction": [0, 0, 1], "solid": True}
        hits = gjkd.post(f"/v1/sets/{level}/raycast", ray).json()["hits"]
        assert hits[0]["inside"] == wanted


# --- Nothing at all ---


def test_a_region_without_pieces_hides_no_other_shape(gjkd, plan):
    """The box of an empty shape must not spoil those of the set's tree."""
    circles = {f"b{i:02}": {"type": "circle", "radius": 1, "position": [3 * i, 0]} for i in range(20)}
    for at in range(20):
        nothing = region([[0, 0], [1, 1], [2, 2]], position=[3 * at, 0])
        gjkd.store(plan, {"dimension": 2, "shapes": circles | {f"b{at:02}": nothing}})
        for i in range(20):
            hits = gjkd.ask(f"/v1/sets/{plan}/detect", {"a": circles[f"b{i:02}"]})["hits"]
            assert [hit["id"] for hit in hits] == ([] if i == at else [f"b{i:02}"]), (at, i)


def test_nothing_is_near_a_shape_without_pieces(gjkd, plan):
    gjkd.store(plan, {"dimension": 2, "shapes": {"a": region([[0, 0], [1, 1]]),
                                                 "b": {"type": "circle", "radius": 1}}})
    url = f"/v1/sets/{plan}"
    pairs = gjkd.ask(f"{url}/distance", {"against": plan, "limit": 9})["pairs"]
    assert [(pair["a"], pair["b"]) for pair in pairs] == [("b", "b")]
    row = {"shapes": ["b"], "poses": [[{"position": [1, 0]}]], "report": "distance"}
    assert gjkd.ask(f"{url}/configurations", row)["results"][0].get("pair") is None


# --- Height fields ---


def test_a_height_field_may_be_all_holes(gjkd, level):
    field = {"type": "heightfield", "columns": 3, "rows": 3, "spacing": [1, 1],
             "heights": [0, None, 0, None, None, None, 0, None, 0]}
    assert put(gjkd, level, field).status_code == 201
    answer = gjkd.post(f"/v1/sets/{level}/distance", {"a": "a", "b": {"type": "point"}}).json()
    assert answer["state"] == "separated" and answer["distance"] is None
    ray = {"origin": [0, 0, 5], "direction": [0, 0, -1]}
    assert gjkd.post(f"/v1/sets/{level}/raycast", ray).json()["hits"] == []
    assert gjkd.post(f"/v1/sets/{level}/distance", {"a": "a", "limit": 3}).json()["nearest"] == []


HILL = {"type": "heightfield", "columns": 3, "rows": 3, "spacing": [1, 1], "materials": [5, 6, 7, 8],
        "heights": [0, 0, 0, 0, 1, 0, 0, 0, 0], "base": -2}


def ask(gjkd, name, op, **query):
    reply = gjkd.post(f"/v1/sets/{name}/{op}", query)
    assert reply.status_code == 200, reply.text
    return reply.json()


def rows(gjkd, name, op, kind, answers, **columns):
    reply = gjkd.call("POST", f"/v1/sets/{name}/{op}", headers={"Content-Type": messages.TYPE},
                      data=kind(dimension=3, **columns).SerializeToString())
    assert reply.status_code == 200, reply.text
    return answers.FromString(reply.content)


def test_a_base_makes_a_field_solid(gjkd, level):
    """The hill stands at (10, 0, 0); its sides reach from -2 to 0, its top to 1."""
    assert put(gjkd, level, HILL | {"position": [10, 0, 0]}).status_code == 201
    assert len(pieces_of(gjkd, level, "a")) == 8
    rays = [  # origin, direction, distance, normal, piece, material, exit
        ([10.5, 0.25, -5], [0, 0, 1], 3, [0, 0, -1], None, None, 5.25),
        ([8, 1.25, -1], [1, 0, 0], 2, [-1, 0, 0], None, None, 4),
        ([10.5, 4, -0.5], [0, -1, 0], 2, [0, 1, 0], None, None, 4),
        ([11.25, 0.5, 5], [0, 0, -1], 4.75, None, 3, 6, 7),
    ]
    for origin, direction, distance, normal, piece, material, exit in rays:
        hit = ask(gjkd, level, "raycast", origin=origin, direction=direction, exits=True)["hits"][0]
        assert (hit["distance"], hit["piece"], hit.get("material"), hit["exit"]) == (distance, piece, material, exit)
        assert normal in (None, hit["normal"]) and not hit["inside"]
    answers = rows(gjkd, level, "raycast", messages.gjkd.RaycastColumns, messages.gjkd.RaycastAnswers,
                   origin=messages.flat(r[0] for r in rays), direction=messages.flat(r[1] for r in rays))
    assert list(answers.piece) == [4294967295] * 3 + [3] and list(answers.material) == [0, 0, 0, 6]
    within = {"origin": [11, 1, -1], "direction": [0, 0, 1]}
    hit = ask(gjkd, level, "raycast", **within, exits=True)["hits"][0]
    assert hit["inside"] and hit["distance"] == 0 and hit["exit"] == 2 and "piece" not in hit
    assert ask(gjkd, level, "raycast", **within, solid=False)["hits"] == []


def test_pairs_and_casts_at_a_base(gjkd, level):
    put(gjkd, level, HILL)
    put(gjkd, level, {"type": "sphere", "radius": 0.5}, "ball")

    def ball(*at):
        return {"id": "ball", "position": list(at)}

    for at, distance, piece in ([1, 1, -3], 0.5, None), ([-1, 1, -1], 0.5, None), ([1, 1, 2], 0.5, 0):
        found = ask(gjkd, level, "distance", a="a", b=ball(*at))
        assert found["distance"] == pytest.approx(distance, abs=1e-9) and found["piece_a"] == piece
        found = ask(gjkd, level, "distance", a=ball(*at), b="a")
        assert found["piece_b"] == piece and "piece_a" not in found
        near = ask(gjkd, level, "distance", a=ball(*at))["nearest"]
        assert near[0]["distance"] == found["distance"]
    assert ask(gjkd, level, "detect", a="a", b=ball(1, 1, -1.25))["inside"]
    assert ask(gjkd, level, "detect", a=ball(1, 1, -1.25))["hits"][0]["id"] == "a"
    assert ask(gjkd, level, "distance", a="a", b=ball(1, 1, -1.25))["state"] == "overlapping"
    deep = ask(gjkd, level, "detect", a="a", b=ball(1, -0.4, -1), contacts=9)
    assert deep["state"] == "overlapping" and deep["piece_a"] is None
    assert deep["contacts"] and all(c["piece_a"] is None for c in deep["contacts"])
    hit = ask(gjkd, level, "cast", shape=ball(-3, 1, -1), translation=[5, 0, 0])["hits"][0]
    assert hit["distance"] == pytest.approx(2.5) and hit["piece"] is None and "material" not in hit
    hit = ask(gjkd, level, "cast", shape={"id": "a", "position": [3, -1, 1]}, translation=[-9, 0, 0],
              target="ball")["hits"][0]
    assert hit["moving_piece"] is None and "piece" not in hit
    assert ask(gjkd, level, "cast", shape=ball(1, 1, -1.25), translation=[0, 0, 9])["hits"][0]["inside"]
    handles = {id: s["handle"] for id, s in gjkd.get(f"/v1/sets/{level}").json()["shapes"].items()}
    told = rows(gjkd, level, "distance", messages.gjkd.PairColumns, messages.gjkd.PairAnswers,
                a=[handles["a"]] * 2, b=[handles["ball"]] * 2, position_b=[1, 1, -3, 1, 1, 2])
    assert list(told.piece_a) == [4294967295, 0]
    told = rows(gjkd, level, "cast", messages.gjkd.CastColumns, messages.gjkd.CastAnswers, shape=[handles["ball"]],
                position=[-3, 1, -1], translation=[5, 0, 0])
    assert list(told.handle) == [handles["a"]] and list(told.piece) in ([], [4294967295])


def test_a_shot_at_a_base(gjkd, level):
    put(gjkd, level, HILL | {"group": "ground"})
    put(gjkd, level, {"type": "point", "position": [9, 9, 9], "group": "p"}, "p")
    ray = {"origin": [-1, 0.25, -1], "direction": [1, 0, 0]}
    shot = ask(gjkd, level, "hit", ray=ray, shooter="p", claim={"id": "a"})
    assert shot["verdict"] == "confirmed" and shot["hit"]["piece"] is None and "material" not in shot["hit"]
    shot = ask(gjkd, level, "hit", ray=ray, shooter="p", claim={"id": "p"}, policy={"obstacles": level})
    assert shot["obstacle"]["piece"] is None


def test_patches_give_and_take_a_base(gjkd, level):
    put(gjkd, level, {k: v for k, v in HILL.items() if k != "base"})
    path = f"/v1/sets/{level}/shapes/a"
    assert not encloses(gjkd, level, 1, 1, -1)
    assert gjkd.call("PATCH", path, json={"base": -2}).json()["base"] == -2
    assert encloses(gjkd, level, 1, 1, -1) and not encloses(gjkd, level, 1, 1, -3)
    problem.check(gjkd.call("PATCH", path, json={"base": 0.5}), "out-of-range", "/heights/0", detail="below the base")
    problem.check(gjkd.call("PATCH", path, json={"heights": [0] * 8 + [-3]}), "out-of-range", "/heights/8")
    assert gjkd.get(path).json()["base"] == -2
    assert "base" not in gjkd.call("PATCH", path, json={"base": None}).json()
    assert not encloses(gjkd, level, 1, 1, -1)
    assert "base" not in gjkd.call("PATCH", path, json={"type": "sphere", "radius": 1}).json()


@pytest.mark.http
def test_worlds_travel_as_lines(gjkd, level):
    put(gjkd, level, HILL | {"position": [1, 2, 3]}, "hill")
    put(gjkd, level, loose(shell(4), fill="evenodd"), "scan")
    put(gjkd, level, {"type": "points", "points": [[0, 0, 0], [1, 2, 3]], "radii": [0, 2]}, "cloud")
    line = gjkd.get(f"/v1/export?prefix={level}").text
    copied = line.replace(f'"name":"{level}"', f'"name":"{level}.copy"')
    reply = gjkd.call("POST", "/v1/import", data=copied.encode(), headers={"Content-Type": "application/x-ndjson"})
    assert [row["status"] for row in reply.json()["sets"]] == [201]
    names = level, f"{level}.copy"
    shapes = [{id: {k: v for k, v in shape.items() if k != "handle"} for id, shape in sets.items()}
              for sets in (gjkd.get(f"/v1/sets/{name}").json()["shapes"] for name in names)]
    assert shapes[0] == shapes[1] and shapes[0]["hill"]["base"] == -2
    for name in names:
        assert ask(gjkd, name, "detect", a="hill", b={"type": "point", "position": [2, 3, 1.5]})["inside"]


# --- Points ---


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("radii", [{}, {"radius": 0.5}, {"radii": [0.25, 0, 1, 0.5]}])
def test_points_are_balls(gjkd, name, dimension, radii):
    gjkd.store(name, {"dimension": dimension})
    points = [p[:dimension] for p in ([0, 0, 0], [3, 0, 0], [0, 5, 1], [1e6, 1, 0])]
    shape = {"type": "points", "points": points, "rounding": 0.125} | radii
    each = [r + 0.125 for r in radii.get("radii", [radii.get("radius", 0)] * 4)]
    assert put(gjkd, name, shape).status_code == 201
    stored = gjkd.get(f"/v1/sets/{name}/shapes/a").json()
    assert {k: stored[k] for k in shape} == shape
    body = messages.gjkd.BodyColumns(dimension=dimension, type="points", vertices=messages.flat(points), rounding=0.125,
                                     radii=radii.get("radii", [radii["radius"]] if "radius" in radii else []))
    reply = gjkd.call("PUT", f"/v1/sets/{name}/shapes/b", data=body.SerializeToString(),
                      headers={"Content-Type": messages.TYPE})
    assert reply.json()["pieces"] == 4
    again = gjkd.get(f"/v1/sets/{name}/shapes/b").json()
    assert {k: again[k] for k in shape} == shape
    for i, (at, radius) in enumerate(zip(points, each)):
        outside = [c - 2 * (k == 1) for k, c in enumerate(at)]
        for id in "ab":
            found = gjkd.post(f"/v1/sets/{name}/distance", {"a": id, "b": {"type": "point", "position": outside}}).json()
            assert abs(found["distance"] - (2 - radius)) < 1e-9 and found["piece_a"] == i
            hits = gjkd.post(f"/v1/sets/{name}/raycast", {"shape": id, "origin": outside, "direction": [0, 1, 0][:dimension],
                                                          "exits": True}).json()["hits"]
            assert hits[0]["piece"] == i and abs(hits[0]["distance"] - (2 - radius)) < 1e-9
            assert abs(hits[0]["exit"] - (2 + radius)) < 1e-9


def test_points_lie_in_a_closed_mesh(gjkd, level):
    put(gjkd, level, loose(shell(8)), "solid")
    put(gjkd, level, {"type": "points", "points": [[9, 9, 9], [1, 1, 1]]}, "cloud")
    found = gjkd.post(f"/v1/sets/{level}/detect", {"a": "solid", "b": "cloud"}).json()
    assert found["colliding"]
