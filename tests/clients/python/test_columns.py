"""Columns: every message as Google's protobuf reads and writes it, and the bits of JSON answers."""

import json
import random

import numpy as np
import pytest

import gjkd
from gjkd import _columns
from gjkd._tables import MESSAGES
from messages import gjkd as protobuf

UINTS = [0, 1, 127, 128, 300, 16383, 16384, 2 ** 21, 2 ** 28 - 1, 2 ** 28, gjkd.NO_HANDLE]


def value_of(rng, column):
    """A random value of a field, and what protobuf calls the same."""
    if column.type in MESSAGES:
        made = [members_of(rng, column.type) for _ in range(2 if column.repeated else 1)]
        return made if column.repeated else made[0]
    one = {"double": lambda: rng.uniform(-1e9, 1e9), "float": lambda: float(np.float32(rng.gauss(0, 1))), "bool": lambda: True,
           "uint32": lambda: rng.choice(UINTS[1:]), "uint64": lambda: rng.randrange(1, 2 ** 63),
           "string": lambda: "naïve/" + str(rng.random()), "bytes": lambda: b"x"}[column.type]
    return [one() for _ in range(12)] if column.repeated else one()


def members_of(rng, message):
    columns = MESSAGES[message]
    if message in ("Block", "BlockAnswer"):  # one of them
        name = rng.choice(list(columns))
        return {name: value_of(rng, columns[name])}
    return {name: value_of(rng, column) for name, column in columns.items()}


MINE = [message for message in MESSAGES if message not in ("Call", "Answer")]


@pytest.mark.parametrize("message", MINE)
def test_protobuf_reads_what_is_written(message):
    members = members_of(random.Random(message), message)
    written = b"".join(_columns.encode(MESSAGES, message, members))
    assert getattr(protobuf, message).FromString(written) == getattr(protobuf, message)(**members)


def same(columns, members):
    for name, value in members.items():
        told = getattr(columns, name)
        if isinstance(value, dict):
            same(told, value)
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            assert len(told) == len(value)
            for one, other in zip(told, value):
                same(one, other)
        else:
            assert np.ravel(told).tolist() == np.ravel(value).tolist()


@pytest.mark.parametrize("message", [message for message in MINE if "Answer" in message])
def test_what_protobuf_writes_is_read(message):
    members = members_of(random.Random(message), message)
    same(_columns.decode(MESSAGES, message, getattr(protobuf, message)(**members).SerializeToString(), 3), members)


def test_doubles_come_without_a_copy():
    data = bytearray(protobuf.RaycastAnswers(distance=[1.5, 2.5]).SerializeToString())
    told = _columns.decode(MESSAGES, "RaycastAnswers", data, 3)
    assert np.shares_memory(told.distance, np.frombuffer(data, np.uint8))


def test_rows_of_many_lines_are_cut():
    """As rays have them with mode all."""
    told = gjkd.Columns("Made", {"count": _columns.Column(1, "uint32", True, "1", "each", None), "handle": _columns.Column(2, "uint32", True, "1", "lines", None),
                                 "piece": _columns.Column(3, "uint32", True, "1", "some_lines", 7.0),
                                 "pieces": _columns.Column(4, "uint32", True, "2", "some", 9.0)})
    told.count, told.handle = np.array([2, 0, 1]), np.array([5, 6, 7])
    told._count()
    assert len(told) == 3 and told.piece.tolist() == [7, 7, 7] and told.pieces.tolist() == [[9, 9]] * 3
    assert [part.tolist() for part in told.split("handle")] == [[5, 6], [], [7]]


def scene(dimension):
    """Shapes side by side, and what moves."""
    ball = "circle" if dimension == 2 else "sphere"
    shapes = {f"ball-{i}": {"type": ball, "radius": 0.5, "position": [3 * i] + [0] * (dimension - 1), "group": f"g{i}"}
              for i in range(4)}
    return {"dimension": dimension, "shapes": shapes | {"box": {"type": "box", "half_extents": [1] * dimension,
                                                                "position": [0, 4] + [0] * (dimension - 2)}}}


@pytest.mark.parametrize("dimension", [2, 3])
def test_rows_have_the_bits_of_json(client, name, dimension):
    handles = client.put_set(name, **scene(dimension), history={"ticks": 4}, fields="handles")["handles"]
    ids = {handle: id for id, handle in handles.items()}
    rng = np.random.default_rng(dimension)
    origin, aim = rng.uniform(-6, 12, (40, dimension)), np.zeros((40, dimension))
    aim[:, 0] = rng.uniform(0, 9, 40)
    direction = aim - origin
    direction[:4] = 0, *[0] * (dimension - 2), 1  # beside all
    origin[4:8], direction[4:8] = -5 * np.eye(dimension)[0], np.eye(dimension)[0]  # along all
    rays = client.raycast(name, origin=origin, direction=direction)
    assert len(rays) == 40 and rays.point.shape == (40, dimension) and rays.exit is None
    assert rays.piece.tolist() == [gjkd.NO_HANDLE] * 40
    told = client.batch(name, queries=[{"op": "raycast", "origin": o, "direction": d} for o, d in zip(origin.tolist(), direction.tolist())])
    hits = [result["hits"][0] if result["hits"] else None for result in told["results"]]
    assert [ids.get(handle) for handle in rays.handle.tolist()] == [hit and hit["id"] for hit in hits]
    assert rays.distance.tolist() == [hit["distance"] if hit else 0 for hit in hits]
    assert rays.etag == client.get_set(name).etag and rays.revision == told["revision"]

    every = client.raycast(name, origin=origin, direction=direction, mode="all", limit=3, ignore=[handles["ball-3"]])
    told = client.batch(name, filter={"ignore": ["ball-3"]}, queries=[
        {"op": "raycast", "origin": o, "direction": d, "mode": "all", "limit": 3} for o, d in zip(origin.tolist(), direction.tolist())])
    assert [[ids[h] for h in part.tolist()] for part in every.split("handle")] == [[hit["id"] for hit in r["hits"]] for r in told["results"]]
    assert 10 < (rays.handle != gjkd.NO_HANDLE).sum() < 40
    assert len(every) == 40 and len(every.piece) == len(every.distance) == every.count.sum() > (rays.handle != gjkd.NO_HANDLE).sum()
    some = client.raycast(name, origin=origin, direction=direction, mode="any")
    assert (some.handle == 0).tolist() == (rays.handle != gjkd.NO_HANDLE).tolist() and some.distance is None and len(some) == 40

    a, b = np.array([handles["ball-0"], handles["box"]]), handles["ball-1"]
    distances = client.distance(name, a=a, b=b, position_a=np.zeros((2, dimension)))
    alone = [client.distance(name, a={"id": id, "position": [0] * dimension}, b="ball-1") for id in ("ball-0", "box")]
    assert distances.value.tolist() == [one["distance"] for one in alone]
    assert distances.point_b.tolist() == [one["point_b"] for one in alone]
    assert [gjkd.STATES[state] for state in client.detect(name, a=a, b=b).state] == ["separated"] * 2

    way = np.array([[9] + [0] * (dimension - 1), [0, 9] + [0] * (dimension - 2)], float)
    casts = client.cast(name, shape=handles["ball-0"], translation=way)
    alone = [client.cast(name, shape="ball-0", translation=one)["hits"][0] for one in way.tolist()]
    assert casts.fraction.tolist() == [one["fraction"] for one in alone]
    moves = client.move(name, shape=handles["ball-0"], translation=way, up=[0] * (dimension - 1) + [1])
    alone = [client.move(name, shape="ball-0", translation=one, up=[0] * (dimension - 1) + [1]) for one in way.tolist()]
    assert moves.position.tolist() == [one["position"] for one in alone]
    assert [part.tolist() for part in moves.split("leg")] == [one["legs"] for one in alone]
    assert [[ids[h] for h in part.tolist()] for part in moves.split("handle")] == [[c["id"] for c in one["contacts"]] for one in alone]

    client.tick(name, 5, handle=np.array([handles["ball-3"]]), position=np.full((1, dimension), 20.0))
    shots = client.hit(name, origin=np.zeros((2, dimension)), direction=way, shooter_of=handles["ball-0"],
                       claim=[handles["ball-1"], handles["ball-2"]], at_tick=5)
    assert [gjkd.VERDICTS[verdict] for verdict in shots.verdict] == ["confirmed", "denied"]
    assert gjkd.REASONS[shots.reason[1]] == "other-target"
    near = client.hit(name, origin=np.zeros((2, dimension)), direction=way, near_miss=3.0)
    alone = [client.hit(name, ray={"origin": [0] * dimension, "direction": one}, policy={"near_miss": 3.0}) for one in way.tolist()]
    assert [[ids[h] for h in part.tolist()] for part in near.split("near")] == [[miss["id"] for miss in one["near_misses"]] for one in alone]

    rows = rng.uniform(-2, 12, (30, 2, dimension))
    told = client.configurations(name, shape=[handles["ball-0"], handles["box"]], position=rows, self=True, distance=True)
    asked = client.configurations(name, shapes=["ball-0", "box"], self=True, report="distance",
                                  poses=[[{"position": place} for place in row] for row in rows.tolist()])
    assert told.distance.tolist() == [row["distance"] for row in asked["results"]]
    assert told.pair.shape == (30, 2)


def test_a_row_is_used_for_all_and_wrong_lengths_are_refused(client, name):
    client.put_set(name, **scene(3))
    rays = client.raycast(name, origin=np.zeros((3, 3)) - [5, 0, 0], direction=[1, 0, 0], max_distance=[1, 10, 100])
    assert (rays.handle == gjkd.NO_HANDLE).tolist() == [True, False, False]
    assert len(client.raycast(name, origin=np.zeros((0, 3)), direction=np.zeros((0, 3)))) == 0
    with pytest.raises(AttributeError, match="no column 'id'; there are .*handle, "):
        assert rays.id
    with pytest.raises(ValueError, match="direction has 2 rows"):
        client.raycast(name, origin=np.zeros((3, 3)), direction=np.ones((2, 3)))
    with pytest.raises(TypeError, match="RaycastColumns has no column 'solid'; it has dimension, origin"):
        client.raycast(name, origin=np.zeros((3, 3)), direction=[1, 0, 0], solid=False)
    with pytest.raises(TypeError, match="takes integers"):
        client.detect(name, a=np.array(["ball-0"]), b=["ball-1"])
    with pytest.raises(gjkd.Problem) as refused:
        client.raycast(name, origin=np.zeros((3, 3)), direction=np.zeros((3, 3)))
    assert (refused.value.code, refused.value.pointer) == ("zero-direction", "/direction/0")


def test_the_dimension_is_asked_for_and_learned_anew(client, name):
    for dimension in (2, 3):
        handles = client.put_set(name, **scene(dimension), fields="handles")["handles"]
        pair = {"a": np.array([handles["ball-0"]]), "b": [handles["box"]]}
        if dimension == 3:
            with pytest.raises(gjkd.Problem, match="dimension-mismatch"):
                client.detect(name, **pair)
        assert client.detect(name, **pair).normal.shape == (1, dimension)
        client.delete_set(name)


def test_bodies(client, name):
    client.put_set(name, dimension=3)
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    told = client.put_shape(name, "rock", type="mesh", vertices=corners, triangles=faces, closed=True,
                            position=[5, 0, 0], orientation=[0, 0, 0, 1], meta={"of": "stone"}, group="rocks")
    assert (told["pieces"], told.status) == (4, 201)
    stored = client.get_shape(name, "rock")
    assert stored["vertices"] == corners.tolist() and stored["meta"] == {"of": "stone"} and stored["position"] == [5, 0, 0]
    heights = np.arange(12.0).reshape(3, 4)
    assert client.put_shape(name, "field", type="heightfield", heights=heights, spacing=[1, 2])["pieces"] == 12
    assert client.get_shape(name, "field")["rows"] == 3
    assert client.put_shape(name, "cloud", type="points", points=np.eye(3), radius=0.25)["pieces"] == 3
    assert client.put_shape(name, "box", type="box", half_extents=np.ones(3))["half_extents"] == [1, 1, 1]
    assert json.loads(client.schema() and "1") == 1


@pytest.mark.parametrize("dimension", [2, 3])
def test_what_is_near_and_what_collides(client, name, dimension):
    handles = client.put_set(name, **scene(dimension), fields="handles")["handles"]
    ids = {handle: id for id, handle in handles.items()}
    shapes, place = np.array([handles["ball-0"], handles["box"]]), [[2.75] + [0] * (dimension - 1), [5] + [0] * (dimension - 1)]
    operands = [{"id": "ball-0", "position": place[0]}, {"id": "box", "position": place[1]}]
    told = client.distance(name, shape=shapes, position=place, limit=3, signed=True)
    alone = [client.distance(name, a=a, limit=3, signed=True)["nearest"] for a in operands]
    assert [[ids[h] for h in part.tolist()] for part in told.split("handle")] == [[line["id"] for line in row] for row in alone]
    assert told.value.tolist() == [line["signed_distance"] for row in alone for line in row]
    assert told.point_b.tolist() == [line["point_b"] for row in alone for line in row]
    told = client.detect(name, shape=shapes, position=place, penetration=True)
    alone = [client.detect(name, a=a)["hits"] for a in operands]
    assert [[ids[h] for h in part.tolist()] for part in told.split("handle")] == [[line["id"] for line in row] for row in alone]
    assert told.depth.tolist() == [line["depth"] for row in alone for line in row] and told.count.tolist() == [1, 1]


def test_blocks(client, name):
    handles = client.put_set(name, **scene(3), history={"ticks": 4}, fields="handles")["handles"]
    origin = np.array([[-5.0, 0, 0], [-5, 0.25, 0]])
    queries = [{"op": "raycast", "origin": origin, "direction": [1, 0, 0]},
               {"op": "distance", "a": np.array([handles["ball-0"]]), "b": [handles["box"]]}]
    told = client.batch(name, queries=queries)
    rays, pair = told.block
    assert rays.distance.tolist() == client.raycast(name, origin=origin, direction=[1, 0, 0]).distance.tolist()
    assert pair.value.tolist() == [client.distance(name, a="ball-0", b="box")["distance"]]
    told = client.tick(name, 1, handle=np.array([handles["ball-0"]]), position=np.array([[0, 0.5, 0.0]]), queries=queries)
    assert told.block[0].distance.tolist() == [5 - 0.5 + 0.5, told.block[0].distance[1]]
    assert told.revision == client.get_set(name)["revision"]
