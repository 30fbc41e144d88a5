"""Queries that are refused, with the code, the place and the hint of tests/cases/refused_queries.jsonl.
tests/unit/proto/decode/test_refusals.c decodes the same rows."""

import json
import pathlib

import pytest

import problem
from wire import Wire

CASES = pathlib.Path(__file__).parent.parent / "cases" / "refused_queries.jsonl"
ROWS = [json.loads(line) for line in CASES.read_text().splitlines()]


@pytest.fixture(scope="module", autouse=True)
def sets(gjkd):
    for dimension in (2, 3):
        gjkd.store(f"refusing-{dimension}", {"dimension": dimension})


@pytest.mark.parametrize("row", ROWS, ids=lambda row: json.dumps(row["body"]))
def test_refused(gjkd, row):
    where = f"/sets/refusing-{row['dimension']}" if row["dimension"] else ""
    path = f"/v1{where}/{row['op']}"
    if "schema_allows" in row:  # openapi.json cannot say what is wrong here
        with Wire(gjkd) as wire:
            wire.asked = None  # so its schema is not compared
            wire.request("POST", path, json.dumps(row["body"]).encode())
            problem.check(wire.reply(), row["code"], row["pointer"], row.get("hint"))
        return
    problem.check(gjkd.post(path, row["body"]), row["code"], row["pointer"], row.get("hint"))
