"""Many queries in one message: what is read, in whatever pieces, and what is refused."""

import random
import re
import select
import struct

import pytest

import messages
import problem
import scenes
from messages import TYPE, flat, gjkd as pb, rows
from wire import Wire, eventually

NONE = 4294967295


def send(gjkd, path, message, accept=None, kind=TYPE):
    data = message if isinstance(message, bytes) else message.SerializeToString()
    headers = {"Content-Type": kind} | ({"Accept": accept} if accept else {"Accept": None})
    return gjkd.call("POST", path, data=data, headers=headers)


def ask(gjkd, path, message, answer, kind=TYPE):
    reply = send(gjkd, path, message, kind=kind)
    assert reply.status_code == 200, reply.text
    assert reply.headers["Content-Type"] == TYPE
    found = answer.FromString(reply.content)
    assert found.SerializeToString() == reply.content  # as others would write it
    return found


class Stored:
    """A set of the seeded scenes and its handles."""

    def __init__(self, gjkd, name, dimension, seed=5):
        self.gjkd, self.path, self.dimension = gjkd, f"/v1/sets/{name}", dimension
        gjkd.store(name, {"dimension": dimension, "shapes": scenes.scene(seed, dimension)})
        shapes = gjkd.get(self.path).json()["shapes"]
        self.handles = {i: s["handle"] for i, s in shapes.items()}
        self.ids = {h: i for i, h in self.handles.items()}
        self.groups = {i: s.get("group") for i, s in shapes.items()}


@pytest.fixture(params=[2, 3])
def stored(request, gjkd, name):
    return Stored(gjkd, name, request.param)


def bits(numbers):
    return [struct.pack("<d", n) for n in numbers]


def ray_rows(rng, dimension, count):
    return [(scenes.vector(rng, dimension, -4, 4), scenes.vector(rng, dimension, -1, 1) or None)
            for _ in range(count)]


def ray_message(dimension, rays, **more):
    return pb.RaycastColumns(dimension=dimension, origin=flat(o for o, _ in rays),
                             direction=flat(d for _, d in rays), **more)


def pose(rng, dimension):
    turned = scenes.turned(rng, dimension)
    turn = turned.get("orientation") or [turned["angle"]]
    return scenes.vector(rng, dimension, -3, 3), turn


def test_many_rows_are_the_few(stored):
    """Thousands of rows, cut into parts: each as in a message of its own."""
    rays = ray_rows(random.Random(8), stored.dimension, 4000)
    path = f"{stored.path}/raycast"
    whole = ask(stored.gjkd, path, ray_message(stored.dimension, rays), pb.RaycastAnswers)
    again = send(stored.gjkd, path, ray_message(stored.dimension, rays)).content
    assert again == whole.SerializeToString()
    for at in range(0, 4000, 437):
        few = ask(stored.gjkd, path, ray_message(stored.dimension, rays[at:at + 3]),
                  pb.RaycastAnswers)
        assert few.handle == whole.handle[at:at + 3]
        assert bits(few.distance) == bits(whole.distance[at:at + 3])


def test_no_rows(stored):
    answer = ask(stored.gjkd, f"{stored.path}/raycast",
                 pb.RaycastColumns(dimension=stored.dimension), pb.RaycastAnswers)
    assert answer.revision == 1 and len(answer.handle) == 0
    answer = ask(stored.gjkd, f"{stored.path}/detect", pb.PairColumns(dimension=stored.dimension),
                 pb.PairAnswers)
    assert len(answer.state) == 0


def unpacked(number, values):
    return b"".join(bytes([number << 3 | 1]) + struct.pack("<d", v) for v in values)


def test_numbers_that_are_not_packed_count_too(gjkd, name):
    stored = Stored(gjkd, name, 2)
    path = f"{stored.path}/raycast"
    loose = b"\x08\x02" + unpacked(2, [-4, 0.5]) + unpacked(3, [1, 0])
    packed = ray_message(2, [([-4, 0.5], [1, 0])])
    assert send(gjkd, path, loose).content == send(gjkd, path, packed).content


def field(number, data):
    """A length-delimited field: a packed column or a piece of it."""
    assert len(data) < 128
    return bytes([number << 3 | 2, len(data)]) + data


def doubles(*values):
    return struct.pack(f"<{len(values)}d", *values)


RAYS = [([-4, 0.5], [1, 0]), ([0, -4], [0.25, 1]), ([4, 0], [-1, 0.125])]


@pytest.mark.parametrize("body", [
    # a column in pieces, of which some hold nothing, between pieces of others
    b"\x08\x02" + field(2, doubles(-4)) + field(3, doubles(1, 0, 0.25)) + field(2, b"") +
    field(2, doubles(0.5, 0, -4)) + field(3, b"") + field(3, doubles(1, -1, 0.125)) +
    field(2, doubles(4, 0)),
    # packed and not, mixed; dimension at the end
    unpacked(2, [-4]) + field(2, doubles(0.5, 0)) + unpacked(2, [-4, 4, 0]) +
    field(3, doubles(1, 0, 0.25, 1)) + unpacked(3, [-1, 0.125]) + b"\x08\x02",
    # varints: packed in two pieces, not packed, and with more bytes than they need
    b"\x08\x02" + field(2, doubles(-4, 0.5, 0, -4, 4, 0)) + field(3, doubles(1, 0, 0.25, 1, -1, 0.125))
    + field(5, b"\xff\xff\xff\xff\x0f") + b"\x28\xff\xff\xff\xff\x0f" +
    field(5, b"\xff\xff\xff\xff\x8f\x00"),
    # of singular fields the last one counts, a default too
    b"\x08\x03\x08\x02\x48\x01" + field(2, doubles(-4, 0.5, 0, -4, 4, 0)) + b"\x48\x00" +
    field(3, doubles(1, 0, 0.25, 1, -1, 0.125)),
    b"\x08\x02" * 1000 + field(2, doubles(-4, 0.5, 0, -4, 4, 0)) +
    field(3, doubles(1, 0, 0.25, 1, -1, 0.125)) + b"\x2a\x00" * 25,
], ids=["pieces", "mixed", "varints", "last", "1024 idle"])
def test_as_any_decoder_reads_them(gjkd, name, body):
    """What protobuf's own library reads in these bytes is what is asked."""
    stored = Stored(gjkd, name, 2)
    path = f"{stored.path}/raycast"
    read = pb.RaycastColumns.FromString(body)
    wanted = ray_message(2, RAYS)
    assert (read.dimension, read.origin, read.direction) == \
        (2, wanted.origin, wanted.direction) and not read.not_solid
    reply = send(gjkd, path, body)
    assert reply.status_code == 200, reply.text
    assert reply.content == send(gjkd, path, wanted).content


def test_the_last_one_counts(gjkd, name):
    stored = Stored(gjkd, name, 2)
    path = f"{stored.path}/raycast"
    inside = ray_message(2, [(gjkd.get(stored.path).json()["shapes"][next(iter(stored.handles))]
                              ["position"], [1, 0])])
    message = inside.SerializeToString()
    solid, hollow = send(gjkd, path, message), send(gjkd, path, message + b"\x48\x01")
    assert solid.content != hollow.content
    assert send(gjkd, path, message + b"\x48\x01\x48\x00").content == solid.content
    assert send(gjkd, path, message + b"\x48\x00\x48\x01").content == hollow.content
    problem.check(send(gjkd, path, message + b"\x08\x03"), "dimension-mismatch", "/dimension")
    problem.check(send(gjkd, path, message + b"\x08\x00"), "missing-member", "/dimension")


@pytest.mark.parametrize("idle", [b"\x08\x02", b"\x48\x00", b"\x12\x00", b"\x2a\x00"])
def test_fields_that_bring_nothing(gjkd, name, idle):
    """A million of them would take memory for nothing."""
    stored = Stored(gjkd, name, 2)
    message = b"\x48\x00" + ray_message(2, RAYS).SerializeToString()
    for count in (1023, 1024):
        assert send(gjkd, f"{stored.path}/raycast", message + idle * count).status_code == 200
    problem.check(send(gjkd, f"{stored.path}/raycast", message + idle * 1025), "too-many",
                  limit=1024)


def test_groups_and_teleports_have_a_limit(gjkd, name):
    stored = Stored(gjkd, name, 2)
    message = ray_message(2, RAYS, ignore_groups=["g"] * 65536)
    assert send(gjkd, f"{stored.path}/raycast", message).status_code == 200
    message.ignore_groups.append("h")
    problem.check(send(gjkd, f"{stored.path}/raycast", message), "too-many", "/ignore_groups",
                  limit=65536)
    assert gjkd.call("PATCH", stored.path, json={"history": {"ticks": 4}}).status_code == 200
    message = pb.PoseColumns(dimension=2, handle=[1, 2], position=[0, 0, 1, 1], teleport=[1, 2, 2])
    problem.check(put_poses(gjkd, stored.path, 1, message), "too-many", "/teleport", limit=2)
    del message.teleport[2]
    assert put_poses(gjkd, stored.path, 1, message).status_code == 201


@pytest.mark.parametrize("kind", ["application/x-protobuf; charset=binary",
                                  "application/protobuf;charset=utf-16",
                                  'Application/X-Protobuf ; messageType="gjkd.v1.RaycastColumns"'])
def test_parameters_mean_nothing(gjkd, name, kind):
    stored = Stored(gjkd, name, 2)
    reply = send(gjkd, f"{stored.path}/raycast", ray_message(2, RAYS), kind=kind)
    assert reply.status_code == 200
    name = "application/protobuf" if "/protobuf" in kind else TYPE
    assert reply.headers["Content-Type"] == name
    pb.RaycastAnswers.FromString(reply.content)


@pytest.mark.parametrize("accept, kind", [
    ("application/x-protobuf;q=0.5, application/json;q=0.9", "json"),
    ("application/x-protobuf;q=0.9, application/json;q=0.5", TYPE),
    ("application/json;q=0.2, application/protobuf; charset=binary; q=0.3", "application/protobuf"),
    ("text/html, application/x-protobuf; messageType=\"a,b;q=0\"", TYPE),
    ("application/json, */*;q=0.1", "json"), ("*/*;q=0.1, application/json;q=0.05", TYPE),
    ("application/*", TYPE), ("application/x-protobuf;q=0, */*", "application/protobuf"),
    ("application/x-protobuf;q=0, application/protobuf;q=0, */*", "json")])
def test_what_accept_asks_for(gjkd, name, accept, kind):
    stored = Stored(gjkd, name, 2)
    reply = send(gjkd, f"{stored.path}/raycast", ray_message(2, RAYS), accept=accept)
    assert reply.status_code == 200 and kind in reply.headers["Content-Type"]


# --- Ticks ---

def put_poses(daemon, path, tick, message, **headers):
    return daemon.call("PUT", f"{path}/ticks/{tick}", data=message.SerializeToString(),
                       headers={"Content-Type": TYPE, "Accept": None} | headers)


def pose_message(stored, poses, turned=True, teleport=()):
    return pb.PoseColumns(
        dimension=stored.dimension, handle=[stored.handles[i] for i in poses],
        position=flat(p for p, _ in poses.values()),
        rotation=flat(t for _, t in poses.values()) if turned else [],
        teleport=[stored.handles[i] for i in teleport])


def pose_patch(stored, poses, turned=True, teleport=()):
    turn = "angle" if stored.dimension == 2 else "orientation"
    return {"shapes": {
        i: {"position": p} | ({turn: t[0] if stored.dimension == 2 else t} if turned else {})
        | ({"teleport": True} if i in teleport else {}) for i, (p, t) in poses.items()}}


@pytest.fixture
def twins(stored, gjkd):
    """Two sets with a history and the same shapes: one is told by columns, one by JSON."""
    other = f"{stored.path}-json"
    for path in (stored.path, other):
        assert gjkd.put(path, {"dimension": stored.dimension, "history": {"ticks": 8},
                               "shapes": scenes.scene(5, stored.dimension)}).status_code < 300
    shapes = gjkd.get(stored.path).json()["shapes"]
    stored.handles = {i: s["handle"] for i, s in shapes.items()}
    stored.ids = {h: i for i, h in stored.handles.items()}
    yield stored, other
    gjkd.call("DELETE", other)


def test_poses_by_columns_are_poses_by_json(gjkd, twins):
    stored, other = twins
    rng = random.Random(12)
    for tick in range(1, 6):
        some = rng.sample(list(stored.handles), 9)
        poses = {i: pose(rng, stored.dimension) for i in some}
        how = {"turned": tick != 3, "teleport": some[:tick % 3]}
        reply = put_poses(gjkd, stored.path, tick, pose_message(stored, poses, **how))
        assert reply.status_code == 201, reply.text
        assert reply.headers["Content-Type"].startswith("application/json")
        assert reply.json()["tick"] == tick and reply.json()["ticks"]["count"] == tick
        patch = pose_patch(stored, poses, **how)
        assert gjkd.put(f"{other}/ticks/{tick}", patch).status_code == 201
    one, two = gjkd.get(stored.path).json()["shapes"], gjkd.get(other).json()["shapes"]
    assert [scenes.without(s, "handle") for s in one.values()] == \
        [scenes.without(s, "handle") for s in two.values()]
    for at in (1, 1.5, 2.25, 3.7, 5):
        assert gjkd.get(f"{stored.path}/ticks/{at}").json()["shapes"] == \
            gjkd.get(f"{other}/ticks/{at}").json()["shapes"]


def test_the_same_poses_again(gjkd, twins):
    stored, _ = twins
    message = pose_message(stored, {next(iter(stored.handles)): pose(random.Random(1),
                                                                     stored.dimension)})
    first = put_poses(gjkd, stored.path, 7, message)
    again = put_poses(gjkd, stored.path, 7, message)
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json() == first.json()
    problem.check(put_poses(gjkd, stored.path, 6, message), "tick-conflict")


def test_poses_refused(gjkd, twins):
    stored, _ = twins
    handles = list(stored.ids)[:2]
    width, turn = stored.dimension, 1 if stored.dimension == 2 else 4
    good = {"dimension": width, "handle": handles, "position": [0.0] * 2 * width}
    for changes, code, pointer in [
            ({"dimension": 5 - width, "position": [0.0] * 2 * (5 - width)}, "dimension-mismatch",
             "/dimension"),
            ({"handle": [handles[0], handles[0]]}, "out-of-range", "/handle/1"),
            ({"handle": [handles[0], 999]}, "shape-not-found", "/handle/1"),
            ({"position": [0.0] * width}, "wrong-type", "/position"),
            ({"position": [0.0] * width + [float("nan")] * width}, "not-finite", "/position/1"),
            ({"rotation": [0.0] * turn}, "wrong-type", "/rotation"),
            ({"teleport": [999]}, "out-of-range", "/teleport/0")]:
        reply = put_poses(gjkd, stored.path, 1, pb.PoseColumns(**(good | changes)))
        problem.check(reply, code, pointer)
    message = pb.PoseColumns(**good)
    problem.check(put_poses(gjkd, stored.path, 1, message, Accept="text/html"), "not-acceptable")
    assert gjkd.get(f"{stored.path}/ticks").json()["count"] == 0
    reply = put_poses(gjkd, stored.path, 1, message, Accept=TYPE)  # columns in, a summary out
    assert reply.status_code == 201 and reply.json()["tick"] == 1


def test_ticks_that_are_not_kept(gjkd, stored):
    assert gjkd.call("PATCH", stored.path, json={"history": {"ticks": 4}}).status_code == 200
    for tick in (10, 20, 30):
        assert gjkd.put(f"{stored.path}/ticks/{tick}", {"shapes": {}}).status_code == 201
    rays = ray_rows(random.Random(13), stored.dimension, 3)
    for tick, code in ((9.5, "tick-expired"), (30.5, "tick-in-future")):
        message = ray_message(stored.dimension, rays, at_tick=[10, tick, 20])
        problem.check(send(gjkd, f"{stored.path}/raycast", message), code, "/at_tick/1")


def test_one_shooter_for_rows_at_ticks_of_which_some_are_without_it(gjkd, name):
    stored = Stored(gjkd, name, 2)
    assert gjkd.put(stored.path, {"dimension": 2, "history": {"ticks": 4}, "shapes": {
        "gone": {"type": "circle", "radius": 1, "group": "g"}}}).status_code < 300
    handle = gjkd.get(f"{stored.path}/shapes/gone").json()["handle"]
    for tick, shapes in ((1, {}), (2, {"gone": None})):
        assert gjkd.put(f"{stored.path}/ticks/{tick}", {"shapes": shapes}).status_code == 201
    def message(*ticks):
        return pb.RaycastColumns(**GOOD, at_tick=ticks, ignore_group_of=[handle])
    assert len(ask(gjkd, f"{stored.path}/raycast", message(1, 1.5), pb.RaycastAnswers).handle) == 2
    for ticks in ((1, 2), (2, 1), (2, 2), (2,)):
        problem.check(send(gjkd, f"{stored.path}/raycast", message(*ticks)), "shape-not-found",
                      "/ignore_group_of/0")


# --- Forms ---

def test_accept_chooses_the_form(gjkd, name):
    stored = Stored(gjkd, name, 2)
    path = f"{stored.path}/raycast"
    message = ray_message(2, [([-4, 0.5], [1, 0]), ([0, 90], [0, 1])])
    binary = pb.RaycastAnswers.FromString(send(gjkd, path, message).content)
    reply = send(gjkd, path, message, accept="application/json")
    assert reply.headers["Content-Type"].startswith("application/json")
    assert reply.json() == {"revision": 1, **{
        k: list(getattr(binary, k)) for k in ("handle", "distance", "point", "normal", "status")}}
    for accept, wanted in [("*/*", TYPE), ("application/protobuf", "application/protobuf"),
                           (f"{TYPE};q=0.5, application/json;q=0.4", TYPE),
                           ("application/*", TYPE), (f"application/json, {TYPE}", TYPE)]:
        assert send(gjkd, path, message, accept).headers["Content-Type"] == wanted
    assert send(gjkd, path, message, accept=f"{TYPE};q=0.1, application/json").headers[
        "Content-Type"].startswith("application/json")
    short = send(gjkd, path, message, kind="application/protobuf")
    assert short.headers["Content-Type"] == "application/protobuf"
    assert short.content == binary.SerializeToString()
    problem.check(send(gjkd, path, message, accept="text/html"), "not-acceptable")


def test_json_in_columns_out(gjkd, name):
    stored = Stored(gjkd, name, 2)
    ray = {"origin": [-4, 0.5], "direction": [1, 0]}
    reply = gjkd.post(f"{stored.path}/raycast", ray, headers={"Accept": TYPE})
    assert reply.headers["Content-Type"] == TYPE
    assert reply.content == send(gjkd, f"{stored.path}/raycast",
                                 ray_message(2, [([-4, 0.5], [1, 0])])).content
    a, b = list(stored.handles)[:2]
    for op in ("detect", "distance"):
        reply = gjkd.post(f"{stored.path}/{op}", {"a": a, "b": b}, headers={"Accept": TYPE})
        message = pb.PairColumns(dimension=2, a=[stored.handles[a]], b=[stored.handles[b]])
        assert reply.content == send(gjkd, f"{stored.path}/{op}", message).content
    for op, body in [("raycast", ray | {"mode": "all"}), ("detect", {"a": a}), ("detect", {}),
                     ("distance", {"a": a}), ("raycast", ray | {"shape": {"type": "point"}}),
                     ("detect", {"a": a, "b": b, "trace": True})]:
        problem.check(gjkd.post(f"{stored.path}/{op}", body, headers={"Accept": TYPE}), "not-acceptable",
                      hint={"detect": "OverlapColumns", "distance": "NearestColumns"}.get(op, "RaycastColumns"))


def test_only_the_hot_calls_take_columns(gjkd, name):
    stored = Stored(gjkd, name, 2)
    message = ray_message(2, [([0, 0], [1, 0])])
    for path in ("/v1/raycast", "/v1/cast", "/v1/batch"):
        problem.check(send(gjkd, path, message), "unsupported-media-type")
    problem.check(send(gjkd, "/v1/sets/nobody/raycast", message), "set-not-found")
    problem.check(gjkd.get(stored.path, headers={"Accept": TYPE}), "not-acceptable")


# --- Refused whole ---

GOOD = {"dimension": 2, "origin": [0, 0, 1, 1], "direction": [1, 0, 0, 1]}


@pytest.mark.parametrize("changes, code, pointer", [
    ({"dimension": 0}, "missing-member", "/dimension"),
    ({"dimension": 4}, "out-of-range", "/dimension"),
    ({"dimension": 3}, "dimension-mismatch", "/dimension"),
    ({"origin": [0, 0, 1]}, "wrong-type", "/origin"),
    ({"direction": [1, 0]}, "wrong-type", "/direction"),
    ({"direction": []}, "missing-member", "/direction"),
    ({"direction": [1, 0, 0, 1, 0, 1]}, "wrong-type", "/direction"),
    ({"max_distance": [1, 2, 3]}, "wrong-type", "/max_distance"),
    ({"mask": [1, 2, 3]}, "wrong-type", "/mask"),
    ({"category": [1, 2, 3]}, "wrong-type", "/category"),
    ({"at_tick": [1, 2, 3]}, "wrong-type", "/at_tick"),
    ({"ignore_group_of": [0, 0, 0]}, "wrong-type", "/ignore_group_of"),
    ({"origin": [0, 0, 1, float("nan")]}, "not-finite", "/origin/1"),
    ({"origin": [0, float("inf"), 1, 1]}, "not-finite", "/origin/0"),
    ({"origin": [0, 0, -2e150, 1]}, "out-of-range", "/origin/1"),
    ({"direction": [1, 0, 0, -0.0]}, "zero-direction", "/direction/1"),
    ({"max_distance": [1, -1]}, "out-of-range", "/max_distance/1"),
    ({"max_distance": [float("nan")]}, "not-finite", "/max_distance/0"),
    ({"at_tick": [-1]}, "out-of-range", "/at_tick/0"),
    ({"at_tick": [0]}, "tick-expired", "/at_tick/0"),
    ({"ignore_group_of": [NONE, 77]}, "shape-not-found", "/ignore_group_of/1"),
    ({"ignore_groups": ["fine", "a//b"]}, "bad-name", "/ignore_groups/1"),
])
def test_rays_refused(gjkd, name, changes, code, pointer):
    stored = Stored(gjkd, name, 2)
    reply = send(gjkd, f"{stored.path}/raycast", pb.RaycastColumns(**(GOOD | changes)))
    problem.check(reply, code, pointer)


@pytest.mark.parametrize("changes, code, pointer", [
    ({"b": [1]}, "wrong-type", "/b"),
    ({"b": []}, "missing-member", "/b"),
    ({"a": [1, 99]}, "shape-not-found", "/a/1"),
    ({"b": [98, 99]}, "shape-not-found", "/b/0"),
    ({"position_a": [0, 0]}, "wrong-type", "/position_a"),
    ({"rotation_b": [0]}, "wrong-type", "/rotation_b"),
    ({"rotation_b": [0, float("nan")]}, "not-finite", "/rotation_b/1"),
    ({"position_b": [0, 0, 0, 1e151]}, "out-of-range", "/position_b/1"),
    ({"at_tick": [5, 5]}, "tick-expired", "/at_tick/0"),
])
def test_pairs_refused(gjkd, name, changes, code, pointer):
    stored = Stored(gjkd, name, 2)
    message = pb.PairColumns(**({"dimension": 2, "a": [1, 2], "b": [2, 3]} | changes))
    problem.check(send(gjkd, f"{stored.path}/detect", message), code, pointer)


@pytest.mark.parametrize("handle", [0, NONE])
@pytest.mark.parametrize("route, message, pointer", [
    ("detect", pb.PairColumns(a=[0], b=[1]), "/a/0"), ("distance", pb.PairColumns(a=[1], b=[0]), "/b/0"),
    ("cast", pb.CastColumns(shape=[0], translation=[1, 0]), "/shape/0"),
    ("move", pb.MoveColumns(shape=[0], translation=[1, 0]), "/shape/0"),
    ("detect", pb.OverlapColumns(shape=[1, 0]), "/shape/1"),
])
def test_handles_that_are_never_given_are_unknown(gjkd, name, route, message, pointer, handle):
    stored, message = Stored(gjkd, name, 2), type(message).FromString(message.SerializeToString())
    message.dimension = 2
    column = getattr(message, pointer.split("/")[1])
    column[:] = [h or handle for h in column]
    kind = f"{TYPE}; message={type(message).__name__}"
    problem.check(send(gjkd, f"{stored.path}/{route}", message, kind=kind), "shape-not-found", pointer)


def test_a_quaternion_that_is_none(gjkd, name):
    stored = Stored(gjkd, name, 3)
    message = pb.PairColumns(dimension=3, a=[1, 2], b=[2, 3],
                             rotation_a=[0, 0, 0, 1, 0, 0, 0, 1.1])
    problem.check(send(gjkd, f"{stored.path}/distance", message), "bad-orientation", "/rotation_a/1")


@pytest.mark.parametrize("body", [
    b"\x08", b"\x08\x82", b"\x08\x02\x12", b"\x08\x02\x12\x05\x00", b"\x08\x02\x12\x03abc",
    b"\x08\x02\x12\xff\xff\xff\xff\x0f", b"\x08\x02\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    b"\x08\x02\x10\x05", b"\x0a\x01\x02", b"\x0d\x02\x00\x00\x00", b"\x0b", b"\x0c", b"\x00\x02",
    b"\x08\x02\x2a\x01\x80", b"\x08\x02\x42\x01\xff", b"\x08\x02\x42\x02a\x00",
    b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", b"\x08\x02\x12\x00\x12\x00\x11", b"{}",
    b"\x08\x02\x4a\x00", b"\xff" * 100,
])
def test_bytes_that_are_no_message(gjkd, name, body):
    stored = Stored(gjkd, name, 2)
    problem.check(send(gjkd, f"{stored.path}/raycast", body), "malformed-protobuf")


def test_a_field_that_the_message_does_not_have(gjkd, name):
    stored = Stored(gjkd, name, 2)
    reply = send(gjkd, f"{stored.path}/raycast", b"\x08\x02\x80\x01\x01")
    problem.check(reply, "unknown-member", detail="16", hint="gjkd.proto")


def test_rows_at_the_limit(start):
    daemon = start("--max-batch", "100")
    daemon.store("s", {"dimension": 2, "shapes": scenes.scene(9, 2)})
    for count in (99, 100):
        rays = ray_rows(random.Random(count), 2, count)
        answer = ask(daemon, "/v1/sets/s/raycast", ray_message(2, rays), pb.RaycastAnswers)
        assert len(answer.handle) == count
    rays = ray_rows(random.Random(101), 2, 101)
    problem.check(send(daemon, "/v1/sets/s/raycast", ray_message(2, rays)), "too-many", "/origin",
                  limit=100)
    pairs = pb.PairColumns(dimension=2, a=[0] * 101, b=[0] * 101)
    problem.check(send(daemon, "/v1/sets/s/detect", pairs), "too-many", "/a", limit=100)


def test_rows_count_as_queries(start):
    daemon = start()
    daemon.store("s", {"dimension": 2, "shapes": scenes.scene(9, 2)})
    ask(daemon, "/v1/sets/s/raycast", ray_message(2, ray_rows(random.Random(1), 2, 50)),
        pb.RaycastAnswers)
    assert 'gjkd_queries_total{op="raycast"} 50' in daemon.get("/metrics").text


# --- Beside others ---

def slow_pairs(daemon, rows_wanted=60000):
    """Pairs of large hulls: a tenth of a second of work, and more."""
    rng = random.Random(11)
    hulls = {f"h{i}": {"type": "hull", "points": [[rng.gauss(0, 1) for _ in range(3)]
                                                  for _ in range(300)]} for i in range(2)}
    daemon.store("slow", {"dimension": 3, "shapes": hulls})
    handles = [s["handle"] for s in daemon.get("/v1/sets/slow").json()["shapes"].values()]
    return pb.PairColumns(
        dimension=3, a=[handles[0]] * rows_wanted, b=[handles[1]] * rows_wanted,
        position_b=[rng.uniform(-1, 1) for _ in range(3 * rows_wanted)]).SerializeToString()


def begin(daemon, body, *headers):
    wire = Wire(daemon, timeout=120)
    wire.send(b"\r\n".join([b"POST /v1/sets/slow/distance HTTP/1.1", b"Host: localhost",
                            b"Content-Type: application/x-protobuf", *headers,
                            b"Content-Length: %d" % len(body), b"", body]))
    return wire


@pytest.mark.concurrency
def test_a_small_request_does_not_wait_for_a_large_one(start):
    daemon = start("--workers=1", "--io-threads=1")
    body = slow_pairs(daemon)
    wires = [begin(daemon, body) for _ in range(3)]
    daemon.store("small", {"dimension": 2, "shapes": {}})  # writes are the workers' too
    late = [w for w in wires if not select.select([w.socket], [], [], 0)[0]]
    assert late, "the write came before the last of them"
    answers = {wire.reply().body for wire in wires}
    assert len(answers) == 1
    for wire in wires:
        wire.socket.close()


@pytest.mark.concurrency
def test_time_is_up_between_two_parts(start):
    daemon = start("--workers=2", "--io-threads=1")
    body = slow_pairs(daemon)
    with begin(daemon, body, b"Gjkd-Timeout-Ms: 20") as wire:
        problem.check(wire.reply(), "deadline-exceeded")
    with begin(daemon, body) as wire:
        assert len(pb.PairAnswers.FromString(wire.reply().body).value) == 60000


def total(daemon, pattern):
    return sum(map(int, re.findall(rf"^{pattern} (\d+)$", daemon.get("/metrics").text, re.M)))


@pytest.mark.concurrency
def test_who_breaks_off_frees_what_was_begun(start):
    daemon = start("--workers=1", "--io-threads=1")
    body = slow_pairs(daemon)
    wires = [begin(daemon, body) for _ in range(80)]
    assert eventually(lambda: total(daemon, "gjkd_jobs_queued") >= 50, within=30)
    for wire in wires:
        wire.reset()
    given_up = r'gjkd_http_requests_total\{.*distance.*code="504"\}'
    assert eventually(lambda: total(daemon, given_up) >= 30, within=60)


@pytest.mark.concurrency
def test_the_number_of_workers_does_not_show(start):
    answers = set()
    for workers in (1, 2, 5):
        daemon = start(f"--workers={workers}")
        body = slow_pairs(daemon, 5000)
        with begin(daemon, body) as one, begin(daemon, body) as other:
            answers |= {one.reply().body, other.reply().body}
    assert len(answers) == 1
