"""Shapes of many pieces, in every query: each answer is that of the pieces as shapes of their own."""

import random

import pytest

import messages
import pieces
import problem

BOTH = pytest.mark.parametrize("dimension", [2, 3])
ULPS = 4 * 2.0**-52


def ok(gjkd, method, path, json=None):
    """A call that must be accepted; its answer."""
    reply = gjkd.call(method, path, json=json)
    assert reply.status_code in (200, 201), reply.text
    return reply.json()


@pytest.fixture
def world(gjkd, name):
    """world(dimension) -> a set of one of each, and by id its pieces as convex shapes."""
    def make(dimension, **members):
        shapes = pieces.all_of(dimension)
        ok(gjkd, "PUT", f"/v1/sets/{name}", json={"dimension": dimension, "shapes": shapes, **members})
        parts = {}
        for id, shape in shapes.items():
            told = None
            if shape["type"] != "compound":
                told = ok(gjkd, "GET", f"/v1/sets/{name}/shapes/{id}?fields=pieces")["pieces"]
            parts[id] = pieces.apart(shape, told)
        return shapes, parts
    return make


def random_place(choose, dimension, span=5):
    place = {"position": [choose.uniform(-span, span) for _ in range(dimension)]}
    if dimension == 2:
        return place | {"angle": choose.uniform(-3, 3)}
    q = [choose.gauss(0, 1) for _ in range(4)]
    norm = sum(x * x for x in q) ** 0.5
    return place | {"orientation": [x / norm for x in q]}


def probes(choose, dimension):
    ball = {"type": ("circle", "sphere")[dimension - 2], "radius": choose.uniform(0.1, 1)}
    box = {"type": "box", "half_extents": [choose.uniform(0.1, 1) for _ in range(dimension)]}
    segment = {"type": "segment", "a": [0] * dimension, "b": [1] * dimension, "rounding": 0.1}
    return [shape | random_place(choose, dimension) for shape in (ball, box, segment)]


def ask_each(gjkd, op, parts, probe):
    """What gjkd says of each piece alone and the probe, by index; they stand at the origin."""
    queries = [{"op": op, "a": part, "b": probe} for part in parts if part is not None]
    results = iter(gjkd.ask("/v1/batch", {"queries": queries})["results"])
    return [next(results) if part is not None else None for part in parts]


def nearest_of(answers):
    """The least distance and the first piece that has it."""
    return min((a["distance"], i) for i, a in enumerate(answers) if a)


@BOTH
def test_the_nearest_piece_speaks(gjkd, world, name, dimension):
    shapes, parts = world(dimension)
    choose = random.Random(dimension)
    apart = 0
    for probe in probes(choose, dimension) * 2:
        for id in shapes:
            answer = gjkd.ask(f"/v1/sets/{name}/distance", {"a": id, "b": probe})
            answers = ask_each(gjkd, "distance", parts[id], probe)
            if answer["state"] != "separated":
                assert answer.get("inside") or any(a and a["colliding"] for a in answers)
                continue
            distance, piece = nearest_of(answers)
            apart += 1
            assert answer["distance"] == pytest.approx(distance, rel=1e-14, abs=ULPS)
            assert answer["piece_a"] == piece or answers[answer["piece_a"]]["distance"] == \
                pytest.approx(distance, abs=1e-12)
            assert "piece_b" not in answer and "inside" not in answer
            back = gjkd.ask(f"/v1/sets/{name}/distance", {"a": probe, "b": id})
            assert back["piece_b"] == answer["piece_a"] and "piece_a" not in back
    assert apart > 8


@BOTH
def test_the_deepest_piece_speaks(gjkd, world, name, dimension):
    shapes, parts = world(dimension)
    choose = random.Random(10 + dimension)
    met = 0
    for probe in probes(choose, dimension) * 3:
        probe = probe | random_place(choose, dimension, span=1.5)
        for id in shapes:
            answer = gjkd.ask(f"/v1/sets/{name}/detect", {"a": id, "b": probe, "penetration": "pieces"})
            answers = ask_each(gjkd, "detect", parts[id], probe)
            deepest = max((a["depth"] for a in answers if a and a["colliding"]), default=None)
            if answer.get("inside"):
                assert deepest is None and answer["depth"] is None
                assert (answer["normal"], answer["point_a"], answer["point_b"]) == (None,) * 3
                assert answer["depth_lower_bound"] == 0 and answer["state"] == "overlapping"
            elif answer["colliding"]:
                met += 1
                assert answer["depth"] == pytest.approx(deepest, abs=1e-12)
                assert answers[answer["piece_a"]]["depth"] == pytest.approx(deepest, abs=1e-12)
            else:
                assert deepest is None and answer["depth"] == 0
            state = gjkd.ask(f"/v1/sets/{name}/detect", {"a": id, "b": probe, "penetration": False})
            assert state["state"] == answer["state"]
            assert not {"piece_a", "piece_b", "inside", "depth"} & set(state)
    assert met > 8


@BOTH
def test_rays_hit_the_first_piece(gjkd, world, name, dimension):
    shapes, parts = world(dimension)
    choose = random.Random(20 + dimension)
    hits = 0
    for _ in range(40):
        origin = [choose.uniform(-8, 8) for _ in range(dimension)]
        target = [choose.uniform(-1, 3) for _ in range(dimension)]
        ray = {"origin": origin, "direction": [t - o for t, o in zip(target, origin)]}
        for id, shape in shapes.items():
            found = gjkd.ask(f"/v1/sets/{name}/raycast", ray | {"target": id})["hits"]
            alone = {str(i).zfill(4): p for i, p in enumerate(parts[id]) if p is not None}
            wanted = gjkd.ask("/v1/raycast", ray | {"shapes": alone})["hits"]
            if found and found[0]["inside"] and "piece" not in found[0]:
                assert shape.get("closed")
                continue
            assert len(found) == len(wanted)
            for a, b in zip(found, wanted):
                hits += 1
                assert a["distance"] == pytest.approx(b["distance"], rel=1e-13, abs=1e-13)
                material = shape.get("materials")
                per = 2 if shape["type"] == "heightfield" else 1
                assert a.get("material") == (material and material[a["piece"] // per])
                assert "moving_piece" not in a
    assert hits > 10


@BOTH
def test_casts_name_both_pieces(gjkd, world, name, dimension):
    shapes, parts = world(dimension)
    side = [10] + [0] * (dimension - 1)
    for id in shapes:
        query = {"shape": {"id": id, "position": side}, "translation": [-20] + [0] * (dimension - 1)}
        for hit in gjkd.ask(f"/v1/sets/{name}/cast", query | {"mode": "all"})["hits"]:
            assert hit["id"] != id
            if not hit["inside"]:
                assert hit["moving_piece"] < len(parts[id]) and hit["piece"] < len(parts[hit["id"]])


@BOTH
def test_sets_answer_as_pairs_do(gjkd, world, name, dimension):
    shapes, _ = world(dimension)
    own = ("group", "id", "a", "b", "revision")
    for line in gjkd.ask(f"/v1/sets/{name}/detect", {})["pairs"]:
        pair = gjkd.ask(f"/v1/sets/{name}/detect", {"a": line["a"], "b": line["b"]})
        assert {k: v for k, v in line.items() if k not in own} == \
            {k: v for k, v in pair.items() if k not in own}
    for id in shapes:
        near = gjkd.ask(f"/v1/sets/{name}/distance", {"a": id, "limit": 10})["nearest"]
        assert len(near) == len(shapes) - 1
        for line in near:
            pair = gjkd.ask(f"/v1/sets/{name}/distance", {"a": id, "b": line["id"]})
            assert {k: v for k, v in line.items() if k not in own} == \
                {k: v for k, v in pair.items() if k not in own}


@BOTH
def test_inline_stored_and_batched_are_one(gjkd, world, name, dimension):
    shapes, _ = world(dimension)
    probe = probes(random.Random(30), dimension)[1]
    for id, shape in shapes.items():
        for op in "detect", "distance":
            stored = gjkd.ask(f"/v1/sets/{name}/{op}", {"a": id, "b": probe})
            inline = gjkd.ask(f"/v1/{op}", {"a": shape, "b": probe})
            batch = gjkd.ask(f"/v1/sets/{name}/batch",
                             {"queries": [{"op": op, "a": shape, "b": probe}]})["results"][0]
            stored.pop("revision")
            assert stored == inline == batch


@BOTH
def test_what_get_answered_can_be_put_again(gjkd, world, name, dimension):
    shapes, _ = world(dimension)
    told = ok(gjkd, "GET", f"/v1/sets/{name}")
    for id, shape in shapes.items():
        assert {k: told["shapes"][id][k] for k in shape} == shape
        assert set(told["shapes"][id]) == set(shape) | {"handle"}
    ok(gjkd, "PUT", f"/v1/sets/{name}", json=told)
    assert ok(gjkd, "GET", f"/v1/sets/{name}")["shapes"] == told["shapes"]
    for id in shapes:
        one = ok(gjkd, "GET", f"/v1/sets/{name}/shapes/{id}")
        again = ok(gjkd, "PUT", f"/v1/sets/{name}/shapes/{id}", json=one)
        assert {k: v for k, v in again.items() if k != "revision"} == told["shapes"][id]


@BOTH
def test_patches_keep_the_pieces(gjkd, world, name, dimension):
    shapes, _ = world(dimension)
    turn = {"angle": 1} if dimension == 2 else {"orientation": [1, 0, 0, 0]}
    for id, shape in shapes.items():
        path = f"/v1/sets/{name}/shapes/{id}"
        wanted = dict(shape)
        for patch in (turn, {"category": 3}, {"rounding": 0.5}, {"meta": {"a": 1}, "group": "g"}):
            wanted |= patch
            told = ok(gjkd, "PATCH", path, json=patch)
            assert {k: told[k] for k in wanted} == wanted
        probe = {"type": "point", "position": [3] * dimension}
        stored = gjkd.ask(f"/v1/sets/{name}/distance", {"a": id, "b": probe})
        stored.pop("revision")
        plain = {k: v for k, v in wanted.items() if k != "handle"}
        assert stored == gjkd.ask("/v1/distance", {"a": plain, "b": probe})


def test_patches_of_lists(gjkd, name):
    path = f"/v1/sets/{name}/shapes/m"
    ok(gjkd, "PUT", f"/v1/sets/{name}", json={"dimension": 3, "shapes": {
        "m": pieces.TETRAHEDRON | {"materials": [1, 2, 3, 4]}}})
    assert ok(gjkd, "PATCH", path, json={"materials": [5, 6, 7, 8]})["materials"] == [5, 6, 7, 8]
    assert "materials" not in ok(gjkd, "PATCH", path, json={"materials": None})
    open_one = ok(gjkd, "PATCH", path, json={"triangles": [[0, 1, 2]], "closed": None})
    assert open_one["triangles"] == [[0, 1, 2]] and "closed" not in open_one
    assert open_one["vertices"] == pieces.TETRAHEDRON["vertices"]
    ball = ok(gjkd, "PATCH", path, json={"type": "sphere", "radius": 2})
    assert not set(ball) & {"vertices", "triangles", "closed", "materials"}


@BOTH
def test_ticks_move_the_whole(gjkd, world, name, dimension):
    shapes, _ = world(dimension, history={"ticks": 4})
    far = [100.0] + [0] * (dimension - 1)
    ok(gjkd, "PUT", f"/v1/sets/{name}/ticks/1", json={"shapes": {}})
    before = ok(gjkd, "GET", f"/v1/sets/{name}?fields=summary")["bytes"]
    ok(gjkd, "PUT", f"/v1/sets/{name}/ticks/2", json={"shapes": {id: {"position": far} for id in shapes}})
    after = ok(gjkd, "GET", f"/v1/sets/{name}?fields=summary")["bytes"]
    assert after - before < 1000 * len(shapes)  # the pieces are shared
    probe = {"type": "point", "position": [50.0] + [9] * (dimension - 1)}
    for id, shape in shapes.items():
        for tick, x in ((1, 0), (1.25, 25), (2, 100)):
            then = gjkd.ask(f"/v1/sets/{name}/distance", {"a": id, "b": probe, "at": {"tick": tick}})
            there = gjkd.ask("/v1/distance", {
                "a": shape | {"position": [x] + [0] * (dimension - 1)}, "b": probe})
            assert {k: then[k] for k in there} == there


def test_one_sided(gjkd, name):
    flat = {"type": "mesh", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "triangles": [[0, 1, 2]]}
    for shape, passes in ((flat, False), (flat | {"one_sided": True}, True)):
        up = gjkd.ask("/v1/raycast", {"origin": [0.2, 0.2, -1], "direction": [0, 0, 1],
                                      "shape": shape})["hits"]
        down = gjkd.ask("/v1/raycast", {"origin": [0.2, 0.2, 1], "direction": [0, 0, -1],
                                        "shape": shape})["hits"]
        assert (len(up), len(down)) == (0 if passes else 1, 1)


def test_inside_a_closed_mesh(gjkd):
    dot = {"type": "sphere", "radius": 0.01, "position": [0.1, 0.1, 0.1]}
    answer = gjkd.ask("/v1/detect", {"a": pieces.TETRAHEDRON, "b": dot})
    assert answer["inside"] is True and answer["status"] == "converged"
    assert answer["depth"] == pytest.approx(0.11) and max(map(abs, answer["normal"])) == 1
    of_pieces = gjkd.ask("/v1/detect", {"a": pieces.TETRAHEDRON, "b": dot, "penetration": "pieces"})
    assert of_pieces["inside"] is True and of_pieces["depth"] is None
    assert gjkd.ask("/v1/distance", {"a": pieces.TETRAHEDRON, "b": dot, "signed": True})[
        "signed_distance"] == -answer["depth"]
    assert gjkd.ask("/v1/distance", {"a": pieces.TETRAHEDRON, "b": dot})["inside"] is True
    open_one = {k: v for k, v in pieces.TETRAHEDRON.items() if k != "closed"}
    assert gjkd.ask("/v1/detect", {"a": open_one, "b": dot})["state"] == "separated"


def test_the_depth_is_that_of_the_whole(gjkd):
    """A ball deep in a wall of two boxes: the deepest box alone would be left through the other."""
    wall = {"type": "compound", "parts": [
        {"type": "box", "half_extents": [2, 4, 4], "position": [x, 0, 0]} for x in (-1, 1)]}
    for x in (-0.5, 0.25, 1.75):
        ball = {"type": "sphere", "radius": 0.5, "position": [x, 0.1, 0]}
        whole = gjkd.ask("/v1/detect", {"a": wall, "b": ball})
        assert whole["status"] == "converged" or whole["depth_lower_bound"] < whole["depth"]
        assert whole["depth"] == pytest.approx(3.5 - abs(x)) and whole["piece_a"] == (x > 0)
        assert [abs(n) for n in whole["normal"]] == [1, 0, 0]
        moved = [p + whole["depth"] * n for p, n in zip(ball["position"], whole["normal"])]
        assert gjkd.ask("/v1/detect", {"a": wall, "b": ball | {"position": moved}})["state"] == "touching"
        of_pieces = gjkd.ask("/v1/detect", {"a": wall, "b": ball, "penetration": "pieces"})
        assert of_pieces["depth"] <= whole["depth"]
        signed = gjkd.ask("/v1/distance", {"a": wall, "b": ball, "signed": True})
        assert signed["signed_distance"] == -whole["depth"] and signed["normal"] == whole["normal"]
    for wrong, code in ("piece", "out-of-range"), (1, "wrong-type"), ([], "wrong-type"):
        refused = gjkd.post("/v1/detect", {"a": wall, "b": ball, "penetration": wrong})
        problem.check(refused, code, pointer="/penetration")


def test_a_trace_is_that_of_the_pieces(gjkd):
    box = {"type": "box", "half_extents": [1, 1, 1], "position": [0.2, 0.2, 5]}
    for op in "detect", "distance":
        answer = gjkd.ask(f"/v1/{op}", {"a": pieces.TETRAHEDRON, "b": box, "trace": True})
        plain = gjkd.ask(f"/v1/{op}", {"a": pieces.TETRAHEDRON, "b": box})
        assert answer.pop("trace")["steps"] and answer == plain


def test_hits_name_piece_and_material(gjkd, name):
    ground = pieces.heightfield(materials=list(range(12)))
    ok(gjkd, "PUT", f"/v1/sets/{name}", json={"dimension": 3, "history": {"ticks": 2}, "shapes": {
        "ground": ground, "ball": {"type": "sphere", "radius": 0.1, "position": [9, 9, 9], "group": "p"}}})
    for radius in (0, 0.05):
        shot = gjkd.ask(f"/v1/sets/{name}/hit", {
            "ray": {"origin": [1, 0.7, 5], "direction": [0, 0, -1]}, "claim": {"id": "ground"},
            "radius": radius, "shooter": "p"})
        assert shot["verdict"] == "confirmed"
        assert shot["hit"]["piece"] // 2 == shot["hit"]["material"] == 5


# --- Refusals ---

QUAD = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
FIELD = {"type": "heightfield", "columns": 2, "rows": 2, "spacing": [1, 1], "heights": [0, 0, 0, 0]}


def tetrahedron(**members):
    return pieces.TETRAHEDRON | members


def region(*polygons):
    return {"type": "region", "polygons": list(polygons)}


def bow_tie():
    return [[0, 0], [2, 2], [2, 0], [0, 2]]


def test_parts_are_limited(gjkd):
    shape = {"type": "compound", "parts": [{"type": "point"}] * 4097}
    reply = gjkd.post("/v1/distance", {"dimension": 3, "a": {"type": "point"}, "b": shape})
    problem.check(reply, "too-many", "/b/parts")


def test_crossing_holes_are_refused_at_a_vertex(gjkd):
    square = [[0, 0], [9, 0], [9, 9], [0, 9]]
    holes = [[[1, 1], [5, 1], [5, 5], [1, 5]], [[3, 3], [7, 3], [7, 7], [3, 7]]]
    outside = [[[8, 8], [10, 8], [10, 10]]]
    for rings in (holes, outside):
        reply = gjkd.post("/v1/distance", {"a": region([square, *rings]), "b": {"type": "point"}})
        told = reply.json()
        assert told["code"] == "not-simple"
        polygon, ring, vertex = map(int, told["errors"][0]["pointer"].removeprefix("/a/polygons/").split("/"))
        assert (polygon, ring > 0) == (0, True) and vertex < 4


def test_only_shapes_of_polygons_have_outlines(gjkd, name):
    ok(gjkd, "PUT", f"/v1/sets/{name}", json={"dimension": 3, "shapes": {
        "f": pieces.heightfield(3, 2, holes=[0]), "c": pieces.compound(3), "p": {"type": "point"}}})
    told = ok(gjkd, "GET", f"/v1/sets/{name}/shapes/f?fields=pieces")["pieces"]
    assert [p and len(p) for p in told] == [None, None, 3, 3]
    for id in "cp":
        assert gjkd.get(f"/v1/sets/{name}/shapes/{id}?fields=pieces").status_code == 400
    assert gjkd.get(f"/v1/sets/{name}/shapes/f?fields=summary").status_code == 400


def test_the_limit_is_told(gjkd):
    assert ok(gjkd, "GET", "/v1")["limits"]["pieces_per_shape_max"] == 4194304


# --- Contacts and columns ---

@BOTH
def test_contacts_are_the_colliding_pairs_of_pieces(gjkd, world, name, dimension):
    shapes, parts = world(dimension)
    choose = random.Random(40)
    told = 0
    for probe in probes(choose, dimension) * 2:
        probe = probe | random_place(choose, dimension, span=1)
        for id in shapes:
            query = {"a": id, "b": probe, "contacts": 1024}
            answer = gjkd.ask(f"/v1/sets/{name}/detect", query)
            answers = ask_each(gjkd, "detect", parts[id], probe)
            wanted = sorted((-a["depth"], i) for i, a in enumerate(answers) if a and a["colliding"])
            assert [c["piece_a"] for c in answer["contacts"]] == [i for _, i in wanted]
            assert all("piece_b" not in c for c in answer["contacts"])
            assert "truncated" not in answer
            for contact in answer["contacts"]:
                alone = answers[contact.pop("piece_a")]
                assert contact["depth"] == pytest.approx(alone["depth"], abs=1e-13)
            told += len(wanted)
            plain = gjkd.ask(f"/v1/sets/{name}/detect", {"a": id, "b": probe})
            assert {k: v for k, v in answer.items() if k != "contacts"} == plain
            if len(wanted) > 1:
                first = gjkd.ask(f"/v1/sets/{name}/detect", query | {"contacts": len(wanted) - 1})
                assert len(first["contacts"]) == len(wanted) - 1 and first["truncated"] is True
                whole = gjkd.ask(f"/v1/sets/{name}/detect", query | {"contacts": len(wanted)})
                assert "truncated" not in whole and len(whole["contacts"]) == len(wanted)
    assert told > 4


def test_two_convex_shapes_have_one_contact(gjkd):
    a, b = {"type": "circle", "radius": 1}, {"type": "circle", "radius": 1, "position": [1, 0]}
    answer = gjkd.ask("/v1/detect", {"a": a, "b": b, "contacts": 5})
    assert answer["contacts"] == [{k: answer[k] for k in ("depth", "normal", "point_a", "point_b")}]
    far = gjkd.ask("/v1/detect", {"a": a, "b": b | {"position": [9, 0]}, "contacts": 5})
    assert far["contacts"] == []


@pytest.mark.parametrize("contacts, code", [(0, "out-of-range"), (1025, "out-of-range"),
                                            (1.5, "wrong-type"), ("1", "wrong-type")])
def test_numbers_of_contacts(gjkd, contacts, code):
    dot = {"type": "point"}
    problem.check(gjkd.post("/v1/detect", {"a": dot, "b": dot, "contacts": contacts}), code, "/contacts")


def test_contacts_of_a_single_pair_only(gjkd, name):
    gjkd.store(name, {"dimension": 2})
    problem.check(gjkd.post(f"/v1/sets/{name}/detect", {"contacts": 1}), "unknown-member", "/contacts")


def test_columns_tell_pieces_and_materials(gjkd, world, name):
    shapes, _ = world(3)
    handles = {id: s["handle"] for id, s in ok(gjkd, "GET", f"/v1/sets/{name}")["shapes"].items()}
    pairs = [(a, b) for a in shapes for b in shapes if a < b]
    message = messages.gjkd.PairColumns(dimension=3, a=[handles[a] for a, _ in pairs],
                                        b=[handles[b] for _, b in pairs])
    for op in "detect", "distance":
        reply = gjkd.call("POST", f"/v1/sets/{name}/{op}", data=message.SerializeToString(),
                          headers={"Content-Type": messages.TYPE})
        answers = messages.gjkd.PairAnswers.FromString(reply.content)
        for i, (a, b) in enumerate(pairs):
            alone = gjkd.ask(f"/v1/sets/{name}/{op}", {"a": a, "b": b})
            assert answers.piece_a[i] == alone.get("piece_a", 4294967295)
            assert answers.piece_b[i] == alone.get("piece_b", 4294967295)
    choose = random.Random(50)
    origins = [[choose.uniform(-2, 3), choose.uniform(-2, 2), 6] for _ in range(40)]
    rays = messages.gjkd.RaycastColumns(dimension=3, origin=messages.flat(origins),
                                        direction=[0, 0, -1] * len(origins))
    reply = gjkd.call("POST", f"/v1/sets/{name}/raycast", data=rays.SerializeToString(),
                      headers={"Content-Type": messages.TYPE})
    answers = messages.gjkd.RaycastAnswers.FromString(reply.content)
    rows = gjkd.call("POST", f"/v1/sets/{name}/raycast", data=rays.SerializeToString(),
                     headers={"Content-Type": messages.TYPE, "Accept": "application/json"}).json()
    assert rows["piece"] == list(answers.piece) and rows["material"] == list(answers.material)
    for i, origin in enumerate(origins):
        hits = gjkd.ask(f"/v1/sets/{name}/raycast", {"origin": origin, "direction": [0, 0, -1]})["hits"]
        hit = hits[0] if hits else {}
        assert answers.piece[i] == hit.get("piece", 4294967295)
        assert answers.material[i] == hit.get("material", 0)
    assert any(answers.material)


def test_columns_without_pieces_have_no_such_columns(gjkd, name):
    gjkd.store(name, {"dimension": 2, "shapes": {"a": {"type": "circle", "radius": 1}}})
    rays = messages.gjkd.RaycastColumns(dimension=2, origin=[5, 0], direction=[-1, 0])
    reply = gjkd.call("POST", f"/v1/sets/{name}/raycast", data=rays.SerializeToString(),
                      headers={"Content-Type": messages.TYPE})
    answers = messages.gjkd.RaycastAnswers.FromString(reply.content)
    assert not answers.piece and not answers.material and len(answers.handle) == 1
