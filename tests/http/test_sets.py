"""Sets: stored, read, replaced, deleted."""

import pytest

import problem
import scenes
from wire import Wire

SHAPES = {
    "crate-1": {"type": "box", "half_extents": [1, 2], "position": [3, 4], "angle": 0.5,
                "group": "team/red", "category": 2, "mask": 7, "meta": {"hp": [1, 2.5, None]}},
    "a/b": {"type": "circle", "radius": 0.1},
}
SUMMARY = {"name", "dimension", "revision", "tick", "shapes", "ticks", "bytes"}


def test_create_answers_the_summary(gjkd, name):
    reply = gjkd.put(f"/v1/sets/{name}", {"dimension": 2, "shapes": SHAPES})
    assert reply.status_code == 201
    summary = reply.json()
    assert SUMMARY <= set(summary)
    assert (summary["name"], summary["dimension"], summary["shapes"]) == (name, 2, 2)
    assert summary["tick"] is None and summary["ticks"] is None
    assert isinstance(summary["revision"], int) and isinstance(summary["bytes"], int)
    assert summary["bytes"] > 0
    assert reply.headers["ETag"].startswith('"') and reply.headers["ETag"].endswith('"')


def test_what_was_put_is_what_is_got(gjkd, name):
    given = {"dimension": 2, "shapes": SHAPES, "meta": {"map": "yard", "n": None}}
    gjkd.store(name, given)
    reply = gjkd.get(f"/v1/sets/{name}")
    assert reply.headers["Content-Type"] == "application/json; charset=utf-8"
    document = reply.json()
    assert document["name"] == name and document["dimension"] == 2
    assert document["tick"] is None and document["ticks"] is None
    assert document["meta"] == given["meta"]
    handles = [shape.pop("handle") for shape in document["shapes"].values()]
    assert document["shapes"] == SHAPES
    assert all(isinstance(h, int) and 0 <= h < 2 ** 32 for h in handles)
    assert len(set(handles)) == len(handles)


def test_fields_summary(gjkd, name):
    stored = gjkd.store(name, {"dimension": 3})
    assert stored["shapes"] == 0
    assert gjkd.get(f"/v1/sets/{name}?fields=summary").json() == stored


def test_every_write_raises_the_revision_by_one(gjkd, name):
    revisions = [gjkd.store(name, {"dimension": 2, "shapes": SHAPES})["revision"]
                 for _ in range(4)]
    assert revisions == list(range(revisions[0], revisions[0] + 4))
    assert gjkd.get(f"/v1/sets/{name}").json()["revision"] == revisions[-1]


def test_created_then_replaced(gjkd, name):
    assert gjkd.put(f"/v1/sets/{name}", {"dimension": 2}).status_code == 201
    assert gjkd.put(f"/v1/sets/{name}", {"dimension": 2}).status_code == 200


def test_deleted(gjkd, name):
    gjkd.store(name, {"dimension": 2})
    reply = gjkd.call("DELETE", f"/v1/sets/{name}")
    assert reply.status_code == 204 and reply.content == b""
    problem.check(gjkd.get(f"/v1/sets/{name}"), "set-not-found")
    problem.check(gjkd.call("DELETE", f"/v1/sets/{name}"), "set-not-found")


def test_head_is_get_without_the_body(gjkd, name):
    gjkd.store(name, {"dimension": 2, "shapes": SHAPES})
    for query in ("", "?fields=summary"):
        got = gjkd.get(f"/v1/sets/{name}{query}", headers={"Accept-Encoding": "identity"})
        head = gjkd.call("HEAD", f"/v1/sets/{name}{query}",
                         headers={"Accept-Encoding": "identity"})
        assert head.status_code == 200 and head.content == b""
        for header in ("ETag", "Content-Length", "Content-Type"):
            assert head.headers[header] == got.headers[header]
    missing = gjkd.call("HEAD", "/v1/sets/nobody")
    assert missing.status_code == 404 and missing.content == b""


@pytest.mark.parametrize("dimension", [2, 3])
def test_what_get_answered_can_be_put_again(gjkd, name, dimension):
    shapes = scenes.scene(1, dimension)
    gjkd.store(name, {"dimension": dimension, "shapes": shapes, "meta": {"k": 1},
                      "history": {"ticks": 0}})
    first = gjkd.get(f"/v1/sets/{name}").json()
    assert gjkd.put(f"/v1/sets/{name}", first).status_code == 200
    again = gjkd.get(f"/v1/sets/{name}").json()
    assert again.pop("revision") == first.pop("revision") + 1
    assert again == first
    # Under another name it is another set, and says so.
    problem.check(gjkd.put(f"/v1/sets/{name}-copy", first), "bad-name", pointer="/name")
    del first["name"]
    copy = gjkd.put(f"/v1/sets/{name}-copy", first)
    assert copy.status_code == 201
    assert gjkd.call("DELETE", f"/v1/sets/{name}-copy").status_code == 204


def test_read_only_members_are_not_believed(gjkd, name):
    shape = {"type": "circle", "radius": 1, "handle": 77}
    body = {"dimension": 2, "name": name, "revision": 4711, "tick": 12,
            "ticks": {"oldest": 1, "newest": 12, "count": 12}, "shapes": {"a": shape, "b": shape}}
    summary = gjkd.store(name, body)
    assert summary["revision"] != 4711 and summary["tick"] is None and summary["ticks"] is None
    shapes = gjkd.get(f"/v1/sets/{name}").json()["shapes"]
    assert shapes["a"]["handle"] != shapes["b"]["handle"]


def handles(gjkd, name):
    return {i: s["handle"] for i, s in gjkd.get(f"/v1/sets/{name}").json()["shapes"].items()}


def test_handles_stay_and_are_never_used_again(gjkd, name):
    dot = {"type": "point"}
    gjkd.store(name, {"dimension": 2, "shapes": {"a": dot, "b": dot}})
    first = handles(gjkd, name)
    gjkd.store(name, {"dimension": 2, "shapes": {"a": {"type": "circle", "radius": 3}, "c": dot}})
    second = handles(gjkd, name)
    assert second["a"] == first["a"] and second["c"] not in first.values()
    gjkd.store(name, {"dimension": 2, "shapes": {"b": dot}})
    third = handles(gjkd, name)
    assert third["b"] not in {*first.values(), *second.values()}


def test_a_refused_write_changes_nothing(gjkd, name):
    gjkd.store(name, {"dimension": 2, "shapes": SHAPES})
    before = gjkd.get(f"/v1/sets/{name}")
    worse = {"dimension": 2, "shapes": {"ok": {"type": "point"}, "zz": {"type": "circle"}}}
    problem.check(gjkd.put(f"/v1/sets/{name}", worse), "missing-member",
                  pointer="/shapes/zz/radius")
    after = gjkd.get(f"/v1/sets/{name}")
    assert after.content == before.content and after.headers["ETag"] == before.headers["ETag"]
    problem.check(gjkd.put(f"/v1/sets/{name}-new", worse), "missing-member")
    problem.check(gjkd.get(f"/v1/sets/{name}-new"), "set-not-found")


def test_the_dimension_of_a_set_stays(gjkd, name):
    gjkd.store(name, {"dimension": 2})
    problem.check(gjkd.put(f"/v1/sets/{name}", {"dimension": 3}), "dimension-mismatch",
                  pointer="/dimension")


@pytest.mark.parametrize("good", ["a", "Z9._~-", "0", "x" * 128])
def test_names_of_sets(gjkd, good):
    assert gjkd.put(f"/v1/sets/{good}", {"dimension": 2}).status_code == 201
    assert gjkd.get(f"/v1/sets/{good}").json()["name"] == good
    assert gjkd.call("DELETE", f"/v1/sets/{good}").status_code == 204


@pytest.mark.parametrize("bad", ["-a", ".a", "~a", "_a", "a%20b", "a%2Fb", "a:b", "a%00",
                                 "x" * 129, "%C3%A9"])
def test_bad_names_of_sets(gjkd, bad):
    reply = gjkd.put(f"/v1/sets/{bad}", {"dimension": 2})
    # A NUL is not even well-formed in a path.
    problem.check(reply, "bad-request" if bad == "a%00" else "bad-name")


def test_a_name_is_unescaped(gjkd, name):
    gjkd.store(name, {"dimension": 2})
    escaped = "".join(f"%{ord(c):02x}" for c in name)
    # By hand: requests would write the plain letters again.
    with Wire(gjkd) as wire:
        wire.request("GET", f"/v1/sets/{escaped}?fields=summary")
        assert wire.reply().json()["name"] == name


GOOD_IDS = ["x" * 128, "a/b/c", "..a", "a.", "A:b@c~_-.", "0"]
BAD_IDS = ["", "x" * 129, "/a", "a/", "a//b", ".", "..", "a/../b", "a/.", "a b", "é", "a%2Fb",
           "a\n", "a\u0001"]


@pytest.mark.parametrize("good", GOOD_IDS)
def test_ids(gjkd, name, good):
    gjkd.store(name, {"dimension": 2, "shapes": {good: {"type": "point", "group": good}}})
    shape = gjkd.get(f"/v1/sets/{name}").json()["shapes"][good]
    assert shape["group"] == good


@pytest.mark.parametrize("bad", BAD_IDS)
def test_bad_ids(gjkd, name, bad):
    dot = {"type": "point"}
    reply = gjkd.put(f"/v1/sets/{name}", {"dimension": 2, "shapes": {bad: dot}})
    problem.check(reply, "bad-name")
    reply = gjkd.put(f"/v1/sets/{name}", {"dimension": 2, "shapes": {"s": dot | {"group": bad}}})
    problem.check(reply, "bad-name", pointer="/shapes/s/group")


@pytest.mark.parametrize("where", ["set", "shape"])
def test_meta_as_long_as_allowed_and_one_more(gjkd, name, where):
    limit = gjkd.get("/v1").json()["limits"]["meta_bytes_max"]
    empty = len('{"k":""}')

    def body(count):
        meta = {"k": "x" * (count - empty)}
        if where == "set":
            return {"dimension": 2, "meta": meta}
        return {"dimension": 2, "shapes": {"s": {"type": "point", "meta": meta}}}

    assert gjkd.put(f"/v1/sets/{name}", body(limit)).status_code == 201
    pointer = "/meta" if where == "set" else "/shapes/s/meta"
    problem.check(gjkd.put(f"/v1/sets/{name}", body(limit + 1)), "too-many", pointer=pointer,
                  limit=limit)


def test_shapes_come_in_the_order_of_their_ids(gjkd, name):
    gjkd.store(name, {"dimension": 2, "shapes": {i: {"type": "point"} for i in scenes.IDS}})
    assert list(gjkd.get(f"/v1/sets/{name}").json()["shapes"]) == scenes.in_order(scenes.IDS)


def test_the_edits_that_led_there_do_not_show(gjkd, name):
    shapes = scenes.scene(2, 2)
    gjkd.store(name, {"dimension": 2, "shapes": shapes})
    gjkd.store(f"{name}-b", {"dimension": 2, "shapes": dict(reversed(shapes.items()))})
    gjkd.store(f"{name}-b", {"dimension": 2})
    gjkd.store(f"{name}-b", {"dimension": 2, "shapes": dict(reversed(shapes.items()))})
    for op, body in (("detect", {}), ("distance", {"a": "a", "limit": 9}),
                     ("raycast", {"origin": [-9, 0], "direction": [1, 0], "mode": "all"})):
        one = gjkd.ask(f"/v1/sets/{name}/{op}", body)
        other = gjkd.ask(f"/v1/sets/{name}-b/{op}", body)
        assert scenes.without(one, "revision") == scenes.without(other, "revision")
    gjkd.call("DELETE", f"/v1/sets/{name}-b")
