"""?fields=handles: the summary that answers a write, with the handle of every shape."""

import pytest

import problem

BALL = {"type": "circle", "radius": 1}


def told(reply):
    body = reply.json()
    handles = body.pop("handles")
    assert list(handles) == sorted(handles)
    return handles, body


def stored(gjkd, name):
    return {i: s["handle"] for i, s in gjkd.get(f"/v1/sets/{name}").json()["shapes"].items()}


def test_put_and_patch_tell_handles(gjkd, name):
    url = f"/v1/sets/{name}"
    reply = gjkd.put(f"{url}?fields=handles", {"dimension": 2, "shapes": {"b": BALL, "a/x": BALL}})
    handles, summary = told(reply)
    assert reply.status_code == 201 and handles == stored(gjkd, name) and set(handles) == {"a/x", "b"}
    assert summary == gjkd.get(f"{url}?fields=summary").json()
    reply = gjkd.call("PATCH", f"{url}?fields=handles", json={"shapes": {"b": None, "c": BALL}})
    after, summary = told(reply)
    assert reply.status_code == 200 and after == stored(gjkd, name) and set(after) == {"a/x", "c"}
    assert after["a/x"] == handles["a/x"] and after["c"] not in handles.values()
    assert summary["revision"] == 2 and reply.headers["ETag"] == gjkd.get(url).headers["ETag"]


def test_an_empty_set_has_none_and_a_large_one_all(gjkd, name):
    url = f"/v1/sets/{name}?fields=handles"
    assert told(gjkd.put(url, {"dimension": 2}))[0] == {}
    many = {f"s{i}": BALL for i in range(3000)}
    assert told(gjkd.put(url, {"dimension": 2, "shapes": many}))[0] == stored(gjkd, name)


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_no_other_fields(gjkd, name, method):
    gjkd.store(name, {"dimension": 2})
    for query in ("fields=summary", "fields=", "fields=handles&fields=handles", "handles"):
        problem.check(gjkd.call(method, f"/v1/sets/{name}?{query}", json={"dimension": 2}), "bad-request")
    problem.check(gjkd.get(f"/v1/sets/{name}?fields=handles"), "bad-request")
