"""Numbers are doubles, however they are written, and come back as the same doubles."""

import json
import struct

import pytest

import problem

EXACT = [0.1, 1 / 3, -0.0, 5e-324, 2.2250738585072014e-308, 1e-310, 123456789.123456789,
         9007199254740993.0, 1e22, 1.2345678901234567e100, -1e149]


def bits(number):
    return struct.pack("<d", float(number))


def store_text(gjkd, name, text):
    reply = gjkd.call("PUT", f"/v1/sets/{name}", data=text,
                      headers={"Content-Type": "application/json"})
    assert reply.status_code == 201, reply.text
    return gjkd.get(f"/v1/sets/{name}").json()


def test_a_set_comes_back_as_the_same_doubles(gjkd, name):
    shapes = {f"p{i}": {"type": "point", "position": [x, -x]} for i, x in enumerate(EXACT)}
    text = json.dumps({"dimension": 2, "shapes": shapes})
    stored = store_text(gjkd, name, text)["shapes"]
    for i, x in enumerate(EXACT):
        assert [bits(v) for v in stored[f"p{i}"]["position"]] == [bits(x), bits(-x)]


def test_ways_to_write_a_number(gjkd, name):
    text = """{"dimension": 2e0, "shapes": {"a": {"type": "circle", "radius": 100e-2,
        "position": [100000000000000000000, 1E+2], "category": 1.0, "mask": 4294967295}}}"""
    shape = store_text(gjkd, name, text)["shapes"]["a"]
    assert shape["position"] == [1e20, 100] and shape["radius"] == 1
    assert shape["category"] == 1 and shape["mask"] == 4294967295


def test_meta_keeps_every_finite_double(gjkd, name):
    numbers = [*EXACT, 1.7976931348623157e308, 12345678901234567890]
    stored = store_text(gjkd, name, json.dumps({"dimension": 2, "meta": {"n": numbers}}))
    assert [bits(x) for x in stored["meta"]["n"]] == [bits(x) for x in numbers]


def test_an_answer_parses_back_to_the_double_that_was_computed(gjkd):
    # Distances that are exact doubles by construction: the difference of two coordinates.
    for x in (0.1, 1 / 3, 1e-7, 12345.678901234567):
        answer = gjkd.ask("/v1/distance", {"a": {"type": "point"},
                                           "b": {"type": "point", "position": [x, 0]}})
        assert answer["distance"] == x and answer["point_b"] == [x, 0]


@pytest.mark.parametrize("number", ["1e309", "-1e400", "1" + "0" * 400])
def test_what_overflows_a_double_is_malformed(gjkd, number):
    body = '{"a": {"type": "circle", "radius": 1}, "b": {"type": "circle", "radius": %s}}' % number
    reply = gjkd.call("POST", "/v1/detect", data=body, headers={"Content-Type": "application/json"})
    problem.check(reply, "malformed-json")


def test_what_vanishes_is_zero(gjkd):
    body = '{"a": {"type": "point", "position": [1e-400, 0]}, "b": {"type": "point"}}'
    reply = gjkd.call("POST", "/v1/distance", data=body,
                      headers={"Content-Type": "application/json"})
    assert reply.json()["distance"] == 0
