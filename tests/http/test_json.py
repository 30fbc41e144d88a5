"""What is not JSON, or not JSON that means one thing, is refused before it is looked at."""

import json
import re

import pytest

import problem

PAIR = '"a": {"type": "point"}, "b": {"type": "point"}'


def post(gjkd, body):
    if isinstance(body, str):
        body = body.encode()
    return gjkd.call("POST", "/v1/detect", data=body, headers={"Content-Type": "application/json"})


MALFORMED = [
    "", " ", "{", "{]", '{"a"}', "{%s,}" % PAIR, "{%s} x" % PAIR, "{%s}{}" % PAIR, "nul", "NaN",
    '{"a": NaN}', '{"a": Infinity}', '{"a": 01}', '{"a": .5}', '{"a": 1.}', '{"a": +1}',
    '{"a": 0x10}', "{'a': 1}", '{"a": "\t"}', '{"a": "\\x41"}', '{"a": "\\ud800"}',
    '/* c */ {%s}' % PAIR, "{%s" % PAIR,
]


@pytest.mark.parametrize("body", MALFORMED)
def test_malformed(gjkd, body):
    found = problem.check(post(gjkd, body), "malformed-json")
    assert re.search(r"line \d+", found["detail"]) and re.search(r"column \d+", found["detail"])


def test_line_and_column_point_at_the_place(gjkd):
    found = problem.check(post(gjkd, '{\n  "a": 1,\n  "b": @\n}'), "malformed-json")
    assert "line 3" in found["detail"]


@pytest.mark.parametrize("body", [
    '{"a": {"type": "point"}, "a": {"type": "point"}, "b": {"type": "point"}}',
    '{"a": {"type": "circle", "radius": 1, "radius": 1}, "b": {"type": "point"}}',
    '{"a": {"type": "point", "typ\\u0065": "point"}, "b": {"type": "point"}}',
    '{%s, "options": {"tolerance": 0.01, "tolerance": 0.01}}' % PAIR,
])
def test_duplicate_members(gjkd, body):
    problem.check(post(gjkd, body), "malformed-json")


@pytest.mark.parametrize("bad", [b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xe2\x82",
                                 b"\xf4\x90\x80\x80"])
def test_invalid_utf8(gjkd, name, bad):
    body = b'{"dimension": 2, "meta": {"text": "' + bad + b'"}}'
    reply = gjkd.call("PUT", f"/v1/sets/{name}", data=body,
                      headers={"Content-Type": "application/json"})
    problem.check(reply, "malformed-json")
    key = b'{"dimension": 2, "meta": {"' + bad + b'": 1}}'
    reply = gjkd.call("PUT", f"/v1/sets/{name}", data=key,
                      headers={"Content-Type": "application/json"})
    problem.check(reply, "malformed-json")


def test_valid_utf8_comes_back(gjkd, name):
    meta = {"ключ": "größe 🜁 \u2028 \"quoted\" \\ / \n"}
    body = json.dumps({"dimension": 2, "meta": meta}, ensure_ascii=False).encode()
    reply = gjkd.call("PUT", f"/v1/sets/{name}", data=body,
                      headers={"Content-Type": "application/json"})
    assert reply.status_code == 201
    assert gjkd.get(f"/v1/sets/{name}").json()["meta"] == meta


def nested(depth):
    """A body of a set whose arrays and objects are `depth` deep."""
    inner = depth - 2  # the body itself and meta
    return '{"dimension": 2, "meta": {"m": %s%s}}' % ("[" * inner, "]" * inner)


@pytest.mark.parametrize("depth, allowed", [(63, True), (64, True), (65, False), (2000, False),
                                            (100000, False)])
def test_nesting(gjkd, name, depth, allowed):
    reply = gjkd.call("PUT", f"/v1/sets/{name}", data=nested(depth),
                      headers={"Content-Type": "application/json"})
    if allowed:
        assert reply.status_code == 201, reply.text
    else:
        problem.check(reply, "malformed-json")


@pytest.mark.parametrize("body", ["[]", "1", '"text"', "null", "true"])
def test_a_body_is_an_object(gjkd, body):
    problem.check(post(gjkd, body), "wrong-type", pointer="")


@pytest.mark.parametrize("body", [{}, {"a": {"type": "point"}}])
def test_a_missing_operand(gjkd, body):
    reply = gjkd.post("/v1/detect", body)
    problem.check(reply, "missing-member", pointer="/b" if body else "/a")


@pytest.mark.parametrize("path, member, meant", [
    ("detect", "penetraton", "penetration"), ("distance", "optoins", "options"),
    ("raycast", "direcion", "direction"), ("detect", "option", "options")])
def test_a_typo_is_told(gjkd, path, member, meant):
    body = {"a": {"type": "point"}, "b": {"type": "point"}} if path != "raycast" else {
        "shape": {"type": "point"}, "origin": [0, 0], "direction": [1, 0]}
    reply = gjkd.post(f"/v1/{path}", body | {member: 1})
    problem.check(reply, "unknown-member", pointer=f"/{member}", hint=meant)


def test_a_member_that_nothing_resembles(gjkd):
    reply = gjkd.post("/v1/detect", {"a": {"type": "point"}, "b": {"type": "point"}, "zzzzzz": 1})
    problem.check(reply, "unknown-member", pointer="/zzzzzz")


@pytest.mark.parametrize("member, token", [("a/b", "a~1b"), ("a~b", "a~0b"), ("~1", "~01")])
def test_pointers_are_escaped(gjkd, member, token):
    reply = gjkd.post("/v1/detect", {"a": {"type": "point"}, "b": {"type": "point"}, member: 1})
    problem.check(reply, "unknown-member", pointer=f"/{token}")
