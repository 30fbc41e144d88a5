"""PUT, GET, PATCH and DELETE of one shape."""

import concurrent.futures
import time

import pytest

import problem
import scenes

CRATE = {"type": "box", "half_extents": [1, 2], "position": [3, 4.25], "angle": 0.5,
         "group": "g", "meta": {"a": [1, None]}}


@pytest.fixture
def url(gjkd, name):
    gjkd.store(name, {"dimension": 2, "shapes": {"a/b": CRATE, "dot": {"type": "point"}}})
    return f"/v1/sets/{name}"


def bare(shape):
    return scenes.without(shape, "handle", "revision")


def test_get(gjkd, url):
    whole = gjkd.get(url)
    reply = gjkd.get(f"{url}/shapes/a%2Fb")
    assert reply.status_code == 200 and reply.headers["ETag"] != whole.headers["ETag"]
    shape = reply.json()
    assert bare(shape) == CRATE
    assert shape["handle"] == whole.json()["shapes"]["a/b"]["handle"]
    assert shape["revision"] == whole.json()["revision"]
    head = gjkd.call("HEAD", f"{url}/shapes/a%2Fb", headers={"Accept-Encoding": "identity"})
    assert head.status_code == 200 and head.content == b""
    assert head.headers["ETag"] == reply.headers["ETag"]
    assert int(head.headers["Content-Length"]) == len(reply.content)


def test_put_creates_and_replaces(gjkd, url):
    before = gjkd.get(url).json()
    reply = gjkd.put(f"{url}/shapes/x%2Fy", CRATE)
    assert reply.status_code == 201
    made = reply.json()
    assert bare(made) == CRATE and made["revision"] == before["revision"] + 1
    assert made["handle"] not in [s["handle"] for s in before["shapes"].values()]
    assert reply.headers["ETag"] == gjkd.get(f"{url}/shapes/x%2Fy").headers["ETag"]
    reply = gjkd.put(f"{url}/shapes/x%2Fy", {"type": "circle", "radius": 2})
    assert reply.status_code == 200
    assert bare(reply.json()) == {"type": "circle", "radius": 2}  # nothing is merged
    assert reply.json()["handle"] == made["handle"]
    after = gjkd.get(url).json()
    assert after["revision"] == before["revision"] + 2
    assert {i: s for i, s in after["shapes"].items() if i != "x/y"} == before["shapes"]


def test_what_get_answered_can_be_put_again(gjkd, url):
    shape = gjkd.get(f"{url}/shapes/a%2Fb").json()
    reply = gjkd.put(f"{url}/shapes/a%2Fb", shape)
    assert reply.status_code == 200
    assert reply.json() == shape | {"revision": shape["revision"] + 1}
    reply = gjkd.put(f"{url}/shapes/copy", shape)
    assert reply.status_code == 201 and reply.json()["handle"] != shape["handle"]


def test_patch(gjkd, url):
    first = gjkd.get(f"{url}/shapes/a%2Fb").json()
    reply = gjkd.call("PATCH", f"{url}/shapes/a%2Fb", json={"position": [0, -0.5], "group": None,
                                                            "revision": 1, "handle": 4})
    assert reply.status_code == 200
    wanted = CRATE | {"position": [0, -0.5]}
    del wanted["group"]
    assert reply.json() == wanted | {"handle": first["handle"], "revision": first["revision"] + 1}
    reply = gjkd.call("PATCH", f"{url}/shapes/a%2Fb", json={"type": "circle", "radius": 1})
    del wanted["half_extents"]
    assert bare(reply.json()) == wanted | {"type": "circle", "radius": 1}
    reply = gjkd.call("PATCH", f"{url}/shapes/a%2Fb", json={})
    assert reply.json()["revision"] == first["revision"] + 3


def test_delete(gjkd, url):
    before = gjkd.get(url).json()
    reply = gjkd.call("DELETE", f"{url}/shapes/a%2Fb")
    assert reply.status_code == 204 and reply.content == b""
    after = gjkd.get(url)
    assert reply.headers["ETag"] != after.headers["ETag"]
    problem.check(gjkd.put(f"{url}/shapes/a%2Fb", CRATE, headers={"If-Match": reply.headers["ETag"]}),
                  "revision-mismatch")
    assert list(after.json()["shapes"]) == ["dot"]
    assert after.json()["revision"] == before["revision"] + 1
    for method, body in (("GET", None), ("DELETE", None), ("PATCH", {"position": [0, 0]})):
        problem.check(gjkd.call(method, f"{url}/shapes/a%2Fb", json=body), "shape-not-found")
    assert gjkd.get(url).content == after.content


def test_no_set_no_shape(gjkd, name):
    for method, body in (("GET", None), ("PUT", CRATE), ("PATCH", {}), ("DELETE", None)):
        reply = gjkd.call(method, f"/v1/sets/{name}/shapes/a", json=body)
        problem.check(reply, "set-not-found")
    assert gjkd.get(f"/v1/sets/{name}").status_code == 404


@pytest.mark.parametrize("good", ["x" * 128, "a%2Fb%2Fc", "..a", "A:b@c~_-.", "%61"])
def test_ids(gjkd, url, good):
    assert gjkd.put(f"{url}/shapes/{good}", {"type": "point"}).status_code in (200, 201)
    assert gjkd.get(f"{url}/shapes/{good}").status_code == 200


@pytest.mark.parametrize("bad", ["x" * 129, "%2Fa", "a%2F%2Fb", "a%2F..", "a%20b", "%C3%A9",
                                 "a%252Fb"])
def test_bad_ids(gjkd, url, bad):
    problem.check(gjkd.put(f"{url}/shapes/{bad}", {"type": "point"}), "bad-name")
    problem.check(gjkd.get(f"{url}/shapes/{bad}"), "shape-not-found")


def test_a_path_is_split_before_it_is_unescaped(gjkd, url):
    problem.check(gjkd.get(f"{url}/shapes/a/b"), "route-not-found")
    problem.check(gjkd.put(f"{url}/shapes/a/b", {"type": "point"}), "route-not-found")


def test_conditions(gjkd, url):
    path, new = f"{url}/shapes/a%2Fb", f"{url}/shapes/new"
    dot = {"type": "point"}

    def etag(of=path):
        return gjkd.get(of).headers["ETag"]

    stale = etag()
    assert gjkd.get(path, headers={"If-None-Match": stale}).status_code == 304
    assert gjkd.put(path, dot, headers={"If-Match": stale}).status_code == 200
    for method, where, body in (("PUT", path, dot), ("PUT", new, dot), ("PATCH", path, {}),
                                ("DELETE", path, None)):
        reply = gjkd.call(method, where, json=body, headers={"If-Match": stale})
        problem.check(reply, "revision-mismatch")
    problem.check(gjkd.get(path, headers={"If-Match": stale}), "revision-mismatch")
    assert gjkd.get(path, headers={"If-None-Match": stale}).status_code == 200
    problem.check(gjkd.put(path, dot, headers={"If-None-Match": "*"}), "revision-mismatch",
                  detail="is there already")
    problem.check(gjkd.put(new, dot, headers={"If-Match": "*"}), "revision-mismatch")
    assert gjkd.put(new, dot, headers={"If-None-Match": "*"}).status_code == 201
    assert gjkd.put(new, dot, headers={"If-Match": "*"}).status_code == 200
    # The set's own tag is no shape's.
    for where in (new, f"{url}/shapes/third"):
        problem.check(gjkd.put(where, dot, headers={"If-Match": etag(url)}), "revision-mismatch")
    problem.check(gjkd.put(new, dot, headers={"If-Match": "nonsense"}), "bad-request")
    gjkd.call("PATCH", url, json={"meta": 1})
    problem.check(gjkd.call("DELETE", new, headers={"If-Match": etag(url)}), "revision-mismatch")
    assert gjkd.call("DELETE", new, headers={"If-Match": etag(new)}).status_code == 204


def test_each_shape_has_the_tag_of_its_own_last_change(gjkd, url):
    one, two = f"{url}/shapes/a%2Fb", f"{url}/shapes/dot"

    def tags():
        return [gjkd.get(path).headers["ETag"] for path in (one, two, url)]

    first = tags()
    moved = gjkd.call("PATCH", one, json={"position": [7, 7]}, headers={"If-Match": first[0]})
    assert moved.status_code == 200 and tags()[1] == first[1]
    assert tags()[0] == moved.headers["ETag"] != first[0]
    assert gjkd.get(two, headers={"If-None-Match": first[1]}).status_code == 304
    assert gjkd.call("PATCH", two, json={"position": [1, 1]}, headers={"If-Match": first[1]}).status_code == 200
    assert tags()[0] == moved.headers["ETag"]
    gjkd.call("PATCH", url, json={"history": {"ticks": 2}, "shapes": {"dot": {"mask": 1}}})
    assert tags()[0] == moved.headers["ETag"] and len({*tags(), *first}) == 6
    before = tags()
    gjkd.put(f"{url}/ticks/1", {"shapes": {"a/b": {"position": [8, 8]}}})
    after = tags()
    assert after[0] != before[0] and after[1] == before[1]
    back = gjkd.call("PATCH", one, json={"position": [7, 7]})  # as it stood before: another write
    assert back.headers["ETag"] not in (moved.headers["ETag"], after[0])
    gjkd.call("DELETE", one)
    gjkd.put(one, CRATE)
    problem.check(gjkd.get(one, headers={"If-Match": back.headers["ETag"]}), "revision-mismatch")


@pytest.mark.concurrency
def test_two_who_move_two_chairs_do_not_disturb_each_other(gjkd, url):
    """Sixty times a second each, for two seconds: no conflict; on one chair the 412 resolves each."""
    def move(path, tag):
        session, conflicts, start = gjkd.new_session(), 0, time.monotonic()
        for i in range(120):
            time.sleep(max(0, start + i / 60 - time.monotonic()))
            while True:
                reply = gjkd.call("PATCH", path, session, json={"position": [i, 0]}, headers={"If-Match": tag})
                tag = reply.headers["ETag"]
                if reply.status_code == 200:
                    break
                problem.check(reply, "revision-mismatch")
                conflicts += 1
        session.close()
        return conflicts

    def moved(*paths):
        before, tags = gjkd.get(url).json()["revision"], [gjkd.get(path).headers["ETag"] for path in paths]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            conflicts = list(pool.map(move, paths, tags))
        assert gjkd.get(url).json()["revision"] == before + 240
        return conflicts

    one, two = f"{url}/shapes/a%2Fb", f"{url}/shapes/dot"
    assert moved(one, two) == [0, 0]
    assert sum(moved(one, one)) > 0


def test_nesting_that_its_set_can_tell(gjkd, url, name):
    """A shape alone is no deeper than what GET of the set answers and PUT takes."""
    def shape(depth):
        return f'{{"type":"point","meta":{"[" * depth}{"]" * depth}}}'

    headers = {"Content-Type": "application/json"}
    for depth, fine in ((60, True), (61, True), (62, False), (63, False), (64, False)):
        for method in ("PUT", "PATCH"):
            reply = gjkd.call(method, f"{url}/shapes/dot", data=shape(depth), headers=headers)
            if fine:
                assert reply.status_code == 200
                document = gjkd.get(url)
                reply = gjkd.call("PUT", url, data=document.content, headers=headers)
                assert reply.status_code == 200
            else:
                problem.check(reply, "malformed-json")
