"""Bodies that are refused, with the code, the place and the hint of tests/cases/refused_bodies.jsonl.
tests/unit/proto/decode/test_refusals.c decodes the same rows."""

import json
import pathlib

import pytest

import problem
from wire import Wire

CASES = pathlib.Path(__file__).parent.parent / "cases" / "refused_bodies.jsonl"
ROWS = [json.loads(line) for line in CASES.read_text().splitlines()]
BOX = {"type": "box", "half_extents": [1, 2], "rounding": 0.5, "position": [3, -0.0], "angle": 1,
       "group": "g", "mask": 7, "meta": {"hp": 5}}
WRITES = {"set": ("PUT", ""), "patch": ("PATCH", ""), "put-shape": ("PUT", "/shapes/box"),
          "patch-shape": ("PATCH", "/shapes/box"), "tick": ("PUT", ".ticked/ticks/1"),
          "tick-batch": ("POST", ".ticked/ticks/1")}


@pytest.fixture(scope="module", autouse=True)
def sets(gjkd):
    shapes = {"box": BOX, "dot": {"type": "point"}}
    gjkd.store("arena", {"dimension": 2, "shapes": shapes})
    gjkd.store("arena.ticked", {"dimension": 2, "shapes": shapes, "history": {"ticks": 2}})
    for dimension in (2, 3):
        gjkd.store(f"refusing-{dimension}", {"dimension": dimension})
    yield
    for name in ("arena", "arena.ticked"):
        gjkd.call("DELETE", f"/v1/sets/{name}")


def send(gjkd, row, method, path, body):
    text = json.dumps(body).encode()
    if "schema_allows" not in row:
        return gjkd.call(method, path, data=text, headers={"Content-Type": "application/json"})
    with Wire(gjkd) as wire:  # openapi.json cannot say what is wrong here
        wire.asked = None  # so its schema is not compared
        wire.request(method, path, text)
        return wire.reply()


def requests_of(row):
    """What a row is sent as: method, path, body and what stands above its pointer."""
    body, dimension = row["body"], row.get("dimension", 0)
    if row["op"] == "shape":
        yield "PUT", "/v1/sets/arena", {"dimension": dimension, "shapes": {"s": body}}, "/shapes/s"
        if isinstance(body, dict) and "id" not in body:
            yield "POST", "/v1/distance", {"dimension": dimension, "a": {"type": "point"}, "b": body}, "/b"
    elif row["op"] in WRITES:
        method, below = WRITES[row["op"]]
        yield method, f"/v1/sets/arena{below}", body, ""
    else:
        yield "POST", f"/v1{f'/sets/refusing-{dimension}' if dimension else ''}/{row['op']}", body, ""


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['op']}-{json.dumps(row['body'])[:100]}")
def test_refused(gjkd, row):
    before = [gjkd.get(f"/v1/sets/{name}").content for name in ("arena", "arena.ticked")]
    for method, path, body, above in requests_of(row):
        reply = send(gjkd, row, method, path, body)
        hint = None if above == "/b" else row.get("hint")  # other members are known there
        problem.check(reply, row["code"], above + row["pointer"], hint)
    assert [gjkd.get(f"/v1/sets/{name}").content for name in ("arena", "arena.ticked")] == before
