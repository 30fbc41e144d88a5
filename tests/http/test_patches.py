"""PATCH of a set: RFC 7396 over the document, with one rule of its own for `type`."""

import pytest

import problem

MERGE = {"Content-Type": "application/merge-patch+json"}
BOX = {"type": "box", "half_extents": [1, 2], "rounding": 0.1, "position": [3, 4], "angle": 0.5,
       "group": "red", "category": 2, "mask": 7, "meta": {"hp": 5, "bag": {"a": 1, "b": 2}}}
DOT = {"type": "point", "position": [9, 9]}


@pytest.fixture
def url(gjkd, name):
    gjkd.store(name, {"dimension": 2, "shapes": {"box": BOX, "dot": DOT},
                      "meta": {"map": "yard", "by": {"x": 1}}})
    return f"/v1/sets/{name}"


def shapes(gjkd, url):
    found = gjkd.get(url).json()["shapes"]
    for shape in found.values():
        del shape["handle"]
    return found


def patch(gjkd, url, body, status=200, **options):
    reply = gjkd.call("PATCH", url, json=body, **options)
    assert reply.status_code == status, reply.text
    return reply.json()


def test_moves_adds_and_removes_at_once(gjkd, url):
    before = gjkd.get(url).json()
    summary = patch(gjkd, url, {"shapes": {"box": {"position": [0, 0]}, "dot": None,
                                           "new": {"type": "circle", "radius": 2}}})
    assert summary["revision"] == before["revision"] + 1
    assert summary["shapes"] == 2 and summary["name"] == before["name"]
    assert shapes(gjkd, url) == {"box": BOX | {"position": [0, 0]},
                                 "new": {"type": "circle", "radius": 2}}


@pytest.mark.parametrize("headers", [MERGE, {"Content-Type": "application/json"},
                                     {"Content-Type": "Application/Merge-Patch+JSON;charset=utf-8"}])
def test_media_types(gjkd, url, headers):
    reply = gjkd.call("PATCH", url, data='{"meta": 1}', headers=headers)
    assert reply.status_code == 200
    reply = gjkd.call("PATCH", f"{url}/shapes/dot", data='{"meta": 1}', headers=headers)
    assert reply.status_code == 200


def test_other_media_types(gjkd, url):
    for kind in ("application/json-patch+json", "text/plain", "application/merge-patch"):
        reply = gjkd.call("PATCH", url, data="{}", headers={"Content-Type": kind})
        problem.check(reply, "unsupported-media-type")
    for method, path in (("PUT", url), ("PUT", f"{url}/shapes/dot"), ("POST", f"{url}/detect")):
        problem.check(gjkd.call(method, path, data="{}", headers=MERGE), "unsupported-media-type")


MERGED = [
    ({"rounding": None}, {"rounding": None}),
    ({"position": None, "angle": None}, {"position": None, "angle": None}),
    ({"half_extents": [5, 5]}, {"half_extents": [5, 5]}),
    ({"meta": {"bag": {"a": None, "c": [1, None]}}}, {"meta": {"hp": 5, "bag": {"b": 2,
                                                                                "c": [1, None]}}}),
    ({"meta": [1]}, {"meta": [1]}),
    ({"meta": None, "group": None, "category": None, "mask": None},
     {"meta": None, "group": None, "category": None, "mask": None}),
    ({"angle": -0.0, "handle": 999}, {"angle": -0.0}),
    ({"points": None}, {}),  # nothing to remove
    ({}, {}),
]


@pytest.mark.parametrize("given, changed", MERGED)
def test_merges(gjkd, url, given, changed):
    patch(gjkd, url, {"shapes": {"box": given}})
    wanted = {k: v for k, v in (BOX | changed).items() if v is not None}
    assert shapes(gjkd, url) == {"box": wanted, "dot": DOT}


def test_a_named_type_drops_the_old_geometry(gjkd, url):
    patch(gjkd, url, {"shapes": {"box": {"type": "circle", "radius": 3}}})
    wanted = BOX | {"type": "circle", "radius": 3}
    del wanted["half_extents"]
    assert shapes(gjkd, url)["box"] == wanted  # rounding, pose, labels and meta stay
    # Even the same type: its geometry must come along.
    reply = gjkd.call("PATCH", url, json={"shapes": {"box": {"type": "circle"}}})
    problem.check(reply, "missing-member", pointer="/shapes/box/radius")
    assert shapes(gjkd, url)["box"] == wanted


def test_nulls_in_a_new_shape_are_absent(gjkd, url):
    new = {"type": "point", "group": None, "meta": {"a": None, "b": 1}}
    patch(gjkd, url, {"shapes": {"n": new}})
    assert shapes(gjkd, url)["n"] == {"type": "point", "meta": {"b": 1}}


def test_meta_and_history_of_the_set(gjkd, url):
    patch(gjkd, url, {"meta": {"by": {"y": 2}, "map": None}, "history": {"ticks": 3}})
    document = gjkd.get(url).json()
    assert document["meta"] == {"by": {"x": 1, "y": 2}} and document["history"] == {"ticks": 3}
    patch(gjkd, url, {"meta": None, "history": None})
    document = gjkd.get(url).json()
    assert "meta" not in document and "history" not in document


def test_read_only_members_are_not_believed(gjkd, url, name):
    before = gjkd.get(url).json()
    summary = patch(gjkd, url, {"name": name, "revision": 4711, "tick": 3, "dimension": 2,
                                "ticks": {"oldest": 1, "newest": 3, "count": 3},
                                "shapes": {"dot": {"handle": 77}, "n": DOT | {"handle": 77}}})
    assert summary["revision"] == before["revision"] + 1 and summary["tick"] is None
    after = gjkd.get(url).json()["shapes"]
    assert after["dot"]["handle"] == before["shapes"]["dot"]["handle"]
    assert after["n"]["handle"] not in (77, after["dot"]["handle"], after["box"]["handle"])


def test_what_get_answered_is_a_patch_that_changes_nothing(gjkd, url):
    before = gjkd.get(url).json()
    patch(gjkd, url, before)
    after = gjkd.get(url).json()
    assert after.pop("revision") == before.pop("revision") + 1
    assert after == before


def test_refused_whole(gjkd, url):
    before = gjkd.get(url)
    body = {"shapes": {"dot": None, "box": {"half_extents": [1, -1]}, "zz": {"type": "point"}}}
    problem.check(gjkd.call("PATCH", url, json=body), "out-of-range", "/shapes/box/half_extents/1")
    after = gjkd.get(url)
    assert after.content == before.content and after.headers["ETag"] == before.headers["ETag"]


def test_removing_what_is_not_there(gjkd, url):
    patch(gjkd, url, {"shapes": {"nobody": None}})
    assert set(shapes(gjkd, url)) == {"box", "dot"}


def test_no_set_no_patch(gjkd, name):
    problem.check(gjkd.call("PATCH", f"/v1/sets/{name}", json={"dimension": 2}), "set-not-found")
    reply = gjkd.call("PATCH", f"/v1/sets/{name}", json={}, headers={"If-Match": '"x"'})
    problem.check(reply, "set-not-found")


def test_conditions(gjkd, url):
    etag = gjkd.get(url).headers["ETag"]
    reply = gjkd.call("PATCH", url, json={}, headers={"If-Match": etag})
    assert reply.status_code == 200
    assert reply.headers["ETag"] == gjkd.get(url).headers["ETag"] != etag
    reply = gjkd.call("PATCH", url, json={}, headers={"If-Match": etag})
    problem.check(reply, "revision-mismatch")
    reply = gjkd.call("PATCH", url, json={}, headers={"If-None-Match": "*"})
    problem.check(reply, "revision-mismatch")


def test_meta_after_merging(gjkd, url):
    limit = gjkd.get("/v1").json()["limits"]["meta_bytes_max"]
    patch(gjkd, url, {"meta": {"map": None, "by": None}})
    head = len('{"a":"' + '","b":"' + '"}')
    for path, pointer in ((url, "/meta"), (f"{url}/shapes/dot", "/meta")):
        patch(gjkd, path, {"meta": {"a": "x" * 2000}})
        patch(gjkd, path, {"meta": {"b": "y" * (limit - head - 2000)}})
        reply = gjkd.call("PATCH", path, json={"meta": {"b": "y" * (limit - head - 1999)}})
        problem.check(reply, "too-many", pointer=pointer, limit=limit)
        patch(gjkd, path, {"meta": {"a": "x" * 1999, "b": "y" * (limit - head - 1999)}})


def test_points_of_a_hull_after_merging(gjkd, name):
    gjkd.store(name, {"dimension": 2, "shapes": {"h": {"type": "hull", "points": [[0, 0]]}}})
    limit = gjkd.get("/v1").json()["limits"]["points_per_hull_max"]
    for count in (limit - 1, limit, limit + 1):
        points = [[i, i % 2] for i in range(count)]
        reply = gjkd.call("PATCH", f"/v1/sets/{name}", json={"shapes": {"h": {"points": points}}})
        if count > limit:
            problem.check(reply, "too-many", pointer="/shapes/h/points", limit=limit)
        else:
            assert reply.status_code == 200


def test_handles(gjkd, url):
    def handles():
        return {i: s["handle"] for i, s in gjkd.get(url).json()["shapes"].items()}

    first = handles()
    patch(gjkd, url, {"shapes": {"box": {"type": "circle", "radius": 1}, "dot": None, "new": DOT}})
    second = handles()
    assert second["box"] == first["box"] and second["new"] not in first.values()
    patch(gjkd, url, {"shapes": {"dot": DOT}})
    assert handles()["dot"] not in {*first.values(), *second.values()}


def test_the_edits_that_led_there_do_not_show(gjkd, url, name):
    """A set that many patches made answers as one that was put at once."""
    patch(gjkd, url, {"shapes": {"box": {"type": "circle", "radius": 1, "meta": None},
                                 "x": {"position": [1, 0.5], "type": "point"}}})
    patch(gjkd, url, {"shapes": {"x": None, "box": {"half_extents": [2, 0.1], "type": "box"}}})
    patch(gjkd, url, {"shapes": {"x": {"mask": 3, "radius": 0.25, "type": "circle"}}, "meta": None})
    document = gjkd.get(url).json()
    other = f"{name}-copy"
    gjkd.store(other, document | {"name": other})
    one, copy = gjkd.get(url).json(), gjkd.get(f"/v1/sets/{other}").json()
    for found in (one, copy):
        for shape in found["shapes"].values():
            del shape["handle"]
    assert list(one["shapes"]) == list(copy["shapes"])
    for i in one["shapes"]:
        assert list(one["shapes"][i].items()) == list(copy["shapes"][i].items())
    for op, body in (("detect", {}), ("distance", {"a": {"type": "point"}, "limit": 9}),
                     ("raycast", {"origin": [-9, 0.3], "direction": [1, 0], "mode": "all"})):
        a = gjkd.ask(f"{url}/{op}", body)
        b = gjkd.ask(f"/v1/sets/{other}/{op}", body)
        del a["revision"], b["revision"]
        assert a == b
    assert gjkd.get(f"{url}?fields=summary").json()["bytes"] + len("-copy") == \
        gjkd.get(f"/v1/sets/{other}?fields=summary").json()["bytes"]
    gjkd.call("DELETE", f"/v1/sets/{other}")
