"""Shapes as columns: PUT of a shape as a BodyColumns message."""

import struct

import pytest

import messages
import pieces
import problem
from daemon import Daemon

COLUMNS = {"Content-Type": messages.TYPE}
PIECES_MAX = 4194304


def f32(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def message_of(shape, dimension, floats=False, **members):
    """The shape's JSON form as a message."""
    kept = {k: shape[k] for k in ("type", "closed", "one_sided", "columns", "rows", "spacing",
                                  "materials", "rounding", "group") if k in shape}
    body = messages.gjkd.BodyColumns(dimension=dimension, **kept, **members)
    points = shape.get("vertices") or shape.get("points") or []
    if "polygons" in shape:
        points = [v for polygon in shape["polygons"] for ring in polygon for v in ring]
        body.ring_sizes.extend(len(ring) for polygon in shape["polygons"] for ring in polygon)
        body.polygon_sizes.extend(map(len, shape["polygons"]))
    (body.vertices_float if floats else body.vertices).extend(messages.flat(points))
    body.triangles.extend(messages.flat(shape.get("triangles", [])))
    body.base.extend([shape["base"]] if "base" in shape else [])
    heights = [float("nan") if h is None else h for h in shape.get("heights", [])]
    (body.heights_float if floats else body.heights).extend(heights)
    for name, width in (("category", 1), ("mask", 1)):
        getattr(body, name).extend([shape[name]] if name in shape else [])
    body.position.extend(shape.get("position", []))
    body.rotation.extend([shape["angle"]] if "angle" in shape else shape.get("orientation", []))
    return body


def put(gjkd, name, id, body, **headers):
    data = body if isinstance(body, bytes) else body.SerializeToString()
    return gjkd.call("PUT", f"/v1/sets/{name}/shapes/{id}", data=data, headers=COLUMNS | headers,
                     timeout=310)


def shapes_of(dimension):
    shapes = {k: dict(v) for k, v in pieces.all_of(dimension).items() if v["type"] != "compound"}
    if dimension == 3:
        shapes["ground"] = pieces.heightfield(base=-1.5)
    shapes["hull"] = {"type": "hull", "points": [[0] * dimension, [1] * dimension, [1, 0, 2][:dimension]]}
    if dimension == 2:
        shapes["polygon"] = {"type": "polygon", "vertices": [[0, 0], [1, 0], [0, 1]], "angle": 0.5}
    for i, shape in enumerate(shapes.values()):
        shape |= {"position": [i] * dimension, "group": "g", "category": 3, "mask": 5, "rounding": 0.125}
    return shapes


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("floats", [False, True])
def test_columns_and_json_store_the_same(gjkd, name, dimension, floats):
    gjkd.store(name, {"dimension": dimension})
    for id, shape in shapes_of(dimension).items():
        reply = put(gjkd, name, id, message_of(shape, dimension, floats))
        assert reply.status_code == 201, reply.text
        told = reply.json()
        assert set(told) == {"id", "handle", "revision", "pieces"} and told["id"] == id
        got = gjkd.get(f"/v1/sets/{name}/shapes/{id}").json()
        if not floats:
            assert {k: got[k] for k in shape} == shape
        again = put(gjkd, name, id, message_of(got, dimension, floats))
        assert again.status_code == 200 and again.json()["handle"] == told["handle"]
        assert again.json()["pieces"] == told["pieces"]
        after = gjkd.get(f"/v1/sets/{name}/shapes/{id}").json()
        assert {k: v for k, v in after.items() if k != "revision"} == \
            {k: v for k, v in got.items() if k != "revision"}
        json_one = gjkd.put(f"/v1/sets/{name}/shapes/{id}", got).json()
        assert {k: v for k, v in json_one.items() if k != "revision"} == \
            {k: v for k, v in got.items() if k != "revision"}


def test_floats_are_the_doubles_that_they_are(gjkd, name):
    gjkd.store(name, {"dimension": 3})
    shape = pieces.heightfield(3, 2, holes=[5])
    assert put(gjkd, name, "h", message_of(shape, 3, floats=True)).status_code == 201
    got = gjkd.get(f"/v1/sets/{name}/shapes/h").json()
    assert got["heights"] == [h if h is None else f32(h) for h in shape["heights"]]


def test_meta_and_labels(gjkd, name):
    gjkd.store(name, {"dimension": 3})
    body = message_of(pieces.TETRAHEDRON, 3, meta_json='{"a": [1, {"b": null}]}')
    assert put(gjkd, name, "m", body).json()["pieces"] == 4
    got = gjkd.get(f"/v1/sets/{name}/shapes/m").json()
    assert got["meta"] == {"a": [1, {"b": None}]} and "category" not in got


BASE = message_of(pieces.TETRAHEDRON, 3)
FIELD = message_of(pieces.heightfield(3, 2), 3)
REGION = message_of(pieces.COMB, 2)


def changed(body, **members):
    """A copy with other members; None clears one."""
    new = messages.gjkd.BodyColumns.FromString(body.SerializeToString())
    for name, value in members.items():
        new.ClearField(name)
        if isinstance(value, list):
            getattr(new, name).extend(value)
        elif value is not None:
            setattr(new, name, value)
    return new


NAN, INF = float("nan"), float("inf")
REFUSED = [
    (changed(BASE, triangles=[0, 2, 1, 0, 1, 4]), "out-of-range", "/triangles/1"),
    (changed(BASE, triangles=[0, 2, 1, 0]), "wrong-type", "/triangles"),
    (changed(BASE, triangles=None), "missing-member", "/triangles"),
    (changed(BASE, triangles=[0, 2, 1]), "not-closed", "/triangles/0"),
    (changed(BASE, vertices=None), "missing-member", "/vertices"),
    (changed(BASE, vertices=[0, 0, 0, NAN, 0, 0]), "not-finite", "/vertices/1"),
    (changed(BASE, vertices=None, vertices_float=[0, 0, INF]), "not-finite", "/vertices_float/0"),
    (changed(BASE, vertices=[0, 0, 1e151]), "out-of-range", "/vertices/0"),
    (changed(BASE, vertices=[0, 0]), "wrong-type", "/vertices"),
    (changed(BASE, vertices_float=[0, 0, 0]), "unknown-member", "/vertices_float"),
    (changed(BASE, materials=[1]), "out-of-range", "/materials"),
    (changed(BASE, heights=[1]), "unknown-member", "/heights"),
    (changed(BASE, type="blob"), "unknown-type", "/type"),
    (changed(BASE, type="sphere"), "unknown-type", "/type"),
    (changed(BASE, type="compound"), "unknown-type", "/type"),
    (changed(BASE, type="point"), "unknown-type", "/type"),
    (changed(BASE, type="chain"), "dimension-mismatch", "/type"),
    (changed(BASE, type=None), "missing-member", "/type"),
    (changed(BASE, dimension=None), "missing-member", "/dimension"),
    (changed(BASE, rounding=-1), "out-of-range", "/rounding/0"),
    (changed(BASE, rounding=NAN), "not-finite", "/rounding/0"),
    (changed(BASE, position=[1, 2]), "wrong-type", "/position"),
    (changed(BASE, position=[1, 2, 3, 4, 5, 6]), "wrong-type", "/position"),
    (changed(BASE, rotation=[1, 1, 1, 1]), "bad-orientation", "/rotation/0"),
    (changed(BASE, category=[1, 2]), "too-many", "/category"),
    (changed(BASE, group="a b"), "bad-name", "/group"),
    (changed(BASE, meta_json="{"), "malformed-json", "/meta_json"),
    (changed(BASE, meta_json='"' + "x" * 5000 + '"'), "too-many", "/meta_json"),
    (changed(FIELD, heights=[0, 0, 0, 0, 0]), "out-of-range", "/heights"),
    (changed(FIELD, heights=[0, 0, 0, 0, 0, INF]), "not-finite", "/heights/5"),
    (changed(FIELD, columns=1), "out-of-range", "/columns"),
    (changed(FIELD, base=[0.25]), "out-of-range", "/heights/1"),
    (changed(FIELD, base=[-9], heights=[0, 0, 0, NAN, 0, 0]), "out-of-range", "/heights/3"),
    (changed(FIELD, base=[-9, -9]), "too-many", "/base"),
    (changed(FIELD, base=[NAN]), "not-finite", "/base/0"),
    (changed(FIELD, base=[-1e151]), "out-of-range", "/base/0"),
    (changed(BASE, base=[0]), "unknown-member", "/base"),
    (changed(FIELD, spacing=[1, 0]), "out-of-range", "/spacing/1"),
    (changed(FIELD, spacing=None), "missing-member", "/spacing"),
]


def check_refused(reply, code, pointer):
    """The refusal speaks of columns, not of members of JSON."""
    problem.check(reply, code, pointer)
    said = reply.json()
    assert pointer == "/meta_json" or not {"member", "array"} & set(said["detail"].split()), said
    assert '"points"' not in said.get("hint", ""), said


@pytest.mark.parametrize("body, code, pointer", REFUSED)
def test_refused_with_column_and_row(gjkd, name, body, code, pointer):
    gjkd.store(name, {"dimension": 3})
    check_refused(put(gjkd, name, "a", body), code, pointer)


@pytest.mark.parametrize("body, code, pointer", [
    (changed(REGION, ring_sizes=[12, 3, 3]), "wrong-type", "/ring_sizes"),
    (changed(REGION, polygon_sizes=[2, 2]), "wrong-type", "/polygon_sizes"),
    (messages.gjkd.BodyColumns(dimension=2, type="region", vertices=[0, 0, 4, 0, 0, 4, 9, 9, 9, 9],
                               ring_sizes=[3, 2], polygon_sizes=[1, 1]), "out-of-range", "/ring_sizes/1"),
    (messages.gjkd.BodyColumns(dimension=2, type="region", ring_sizes=[3, 4], polygon_sizes=[1, 1],
                               vertices=[0, 0, 1, 0, 0, 1, 10, 0, 12, 2, 12, 0, 10, 2]),
     "not-simple", "/vertices/5"),
    (messages.gjkd.BodyColumns(dimension=2, type="polygon", vertices=[0, 0, 4, 0, 1, 1, 0, 4]),
     "not-convex", "/vertices/2"),
    (changed(REGION, rotation=[0, 1]), "wrong-type", "/rotation"),
    (BASE, "dimension-mismatch", "/dimension"),
])
def test_refused_in_2d(gjkd, name, body, code, pointer):
    gjkd.store(name, {"dimension": 2})
    check_refused(put(gjkd, name, "a", body), code, pointer)


def test_no_message(gjkd, name):
    gjkd.store(name, {"dimension": 3})
    problem.check(put(gjkd, name, "a", b"\xff\xff"), "malformed-protobuf")
    for body in (BASE.SerializeToString()[:-1], b"\x08\x03\x22\x03abc"):
        problem.check(put(gjkd, name, "a", body), "malformed-protobuf")
    problem.check(put(gjkd, "no-such-set", "a", BASE), "set-not-found")


def test_preconditions_hold(gjkd, name):
    gjkd.store(name, {"dimension": 3})
    problem.check(put(gjkd, name, "a", BASE, **{"If-Match": '"x"'}), "revision-mismatch")
    made = put(gjkd, name, "a", BASE, **{"If-None-Match": "*"})
    assert made.status_code == 201
    assert put(gjkd, name, "a", BASE, **{"If-Match": made.headers["ETag"]}).status_code == 200


def field_of(columns, rows):
    body = messages.gjkd.BodyColumns(dimension=3, type="heightfield", columns=columns, rows=rows,
                                     spacing=[1, 1])
    body.heights_float.extend([0.0] * (columns * rows))
    return body


@pytest.mark.plain
def test_the_most_pieces_and_one_too_many():
    daemon = Daemon("--max-body", "67108864", "--request-timeout", "300s")
    try:
        daemon.store("a", {"dimension": 3})
        most = put(daemon, "a", "f", field_of(2049, 1025))
        assert most.json()["pieces"] == PIECES_MAX
        problem.check(put(daemon, "a", "g", field_of(2050, 1025)), "too-many", "/columns", limit=PIECES_MAX)
        mesh = messages.gjkd.BodyColumns(dimension=3, type="mesh", vertices=[0, 0, 0, 1, 0, 0, 0, 1, 0])
        mesh.triangles.extend([0, 1, 2] * (PIECES_MAX + 1))
        problem.check(put(daemon, "a", "g", mesh), "too-many", "/triangles", limit=PIECES_MAX)
        daemon.store("b", {"dimension": 2})
        chain = messages.gjkd.BodyColumns(dimension=2, type="chain", vertices_float=[0] * (2 * (PIECES_MAX + 2)))
        problem.check(put(daemon, "b", "g", chain), "too-many", "/vertices_float", limit=PIECES_MAX)
        for rings, refusal in ((PIECES_MAX, ("out-of-range", "/ring_sizes/1")),
                               (PIECES_MAX + 1, ("too-many", "/vertices"))):
            region = changed(REGION, vertices=[0, 0, 4, 0, 4, 4], ring_sizes=[3] + [0] * (rings - 1),
                             polygon_sizes=[rings])
            problem.check(put(daemon, "b", "g", region), *refusal)
    finally:
        daemon.stop()


def memory_of(daemon, name):
    """VmHWM or VmRSS in bytes."""
    with open(f"/proc/{daemon.process.pid}/status", encoding="ascii") as status:
        return 1024 * int(next(line for line in status if line.startswith(name)).split()[1])


@pytest.mark.plain
def test_the_memory_of_a_million_triangles():
    side = 708
    body = messages.gjkd.BodyColumns(dimension=3, type="mesh")
    body.vertices_float.extend(c for y in range(side) for x in range(side) for c in (x, y, x % 9))
    for at in (y * side + x for y in range(side - 1) for x in range(side - 1)):
        body.triangles.extend((at, at + 1, at + side + 1, at, at + side + 1, at + side))
    triangles = 2 * (side - 1) ** 2
    daemon = Daemon()  # 15 MB are within the default limit
    try:
        daemon.store("a", {"dimension": 3})
        before = memory_of(daemon, "VmRSS")
        assert put(daemon, "a", "m", body).json()["pieces"] == triangles
        assert memory_of(daemon, "VmRSS") - before < 64 * triangles
        assert memory_of(daemon, "VmHWM") - before < 176 * triangles
    finally:
        daemon.stop()
