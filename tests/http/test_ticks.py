"""Ticks: stamped, kept, read, and refused."""

import pytest

import problem

BOX = {"type": "box", "half_extents": [1, 1], "position": [0, 0]}
TICK_MAX = 2 ** 53


@pytest.fixture
def url(gjkd, name):
    gjkd.store(name, {"dimension": 2, "history": {"ticks": 3},
                      "shapes": {"a": BOX, "b": BOX | {"position": [5, 5], "angle": 1}}})
    return f"/v1/sets/{name}"


def put(gjkd, url, tick, shapes=None, status=201, **options):
    reply = gjkd.put(f"{url}/ticks/{tick}", {"shapes": shapes or {}}, **options)
    assert reply.status_code == status, reply.text
    return reply.json()


def poses(gjkd, url, tick):
    reply = gjkd.get(f"{url}/ticks/{tick}")
    assert reply.status_code == 200, reply.text
    answer = reply.json()
    assert set(answer) == {"tick", "shapes"} and answer["tick"] == float(tick)
    return answer["shapes"]


def test_a_tick_makes_a_version(gjkd, url):
    before = gjkd.get(url).json()
    reply = gjkd.put(f"{url}/ticks/10", {"shapes": {"a": {"position": [1, 2]}}})
    assert reply.status_code == 201
    summary = reply.json()
    assert summary["revision"] == before["revision"] + 1
    assert summary["tick"] == 10 and summary["ticks"] == {"oldest": 10, "newest": 10, "count": 1}
    assert reply.headers["ETag"] == gjkd.get(url).headers["ETag"]
    after = gjkd.get(url).json()
    assert after["tick"] == 10 and after["ticks"] == summary["ticks"]
    assert after["shapes"]["a"] == before["shapes"]["a"] | {"position": [1, 2]}
    assert after["shapes"]["b"] == before["shapes"]["b"]
    assert gjkd.get(f"{url}?fields=summary").json() == summary


def test_a_set_without_ticks(gjkd, url):
    assert gjkd.get(f"{url}/ticks").json() == {"oldest": None, "newest": None, "count": 0}
    summary = gjkd.get(f"{url}?fields=summary").json()
    assert summary["tick"] is None and summary["ticks"] is None
    problem.check(gjkd.get(f"{url}/ticks/1"), "tick-expired", hint=f"PUT {url}/ticks/1 ")


def test_what_ticks_take_goes_with_them(gjkd, name):
    """However older ones were packed: some moved all shapes, some few, one made a shape anew."""
    names = [f"s{i}" for i in range(40)]
    gjkd.store(name, {"dimension": 3, "history": {"ticks": 40},
                      "shapes": {i: {"type": "sphere", "radius": 1} for i in [*names, "late"]}})
    for tick in range(1, 45):
        moved = names[:2] if 13 <= tick < 23 else names
        shapes = {i: {"position": [tick, k, 0]} for k, i in enumerate(moved)}
        if tick == 30:
            shapes["late"] = {"type": "sphere", "radius": 2}
        most = put(gjkd, f"/v1/sets/{name}", tick, shapes)["bytes"]
    one, none = (gjkd.call("PATCH", f"/v1/sets/{name}", json={"history": {"ticks": count}})
                 .json()["bytes"] for count in (1, 0))
    assert 0 < one - none < 10000 < most - one  # one tree over motions


def test_the_oldest_go(gjkd, url):
    for tick in (3, 4, 8, 9, 20):
        put(gjkd, url, tick, {"a": {"position": [tick, 0]}})
    reply = gjkd.get(f"{url}/ticks")
    assert reply.json() == {"oldest": 8, "newest": 20, "count": 3}
    assert reply.headers["ETag"] == gjkd.get(url).headers["ETag"]
    for tick in (8, 9, 20):
        assert poses(gjkd, url, tick)["a"] == {"position": [tick, 0], "angle": 0}
    problem.check(gjkd.get(f"{url}/ticks/7.99"), "tick-expired")
    problem.check(gjkd.get(f"{url}/ticks/20.0001"), "tick-in-future")


def test_poses_between_ticks(gjkd, url):
    put(gjkd, url, 1)
    put(gjkd, url, 2, {"a": {"position": [4, -8]}, "b": {"angle": 2}})
    assert poses(gjkd, url, 1.25)["a"] == {"position": [1, -2], "angle": 0}
    between = poses(gjkd, url, "1.5")["b"]
    assert between["position"] == [5, 5] and abs(between["angle"] - 1.5) < 1e-15
    assert poses(gjkd, url, "2.0")["b"]["angle"] == 2


def test_ticks_go_up(gjkd, url):
    put(gjkd, url, 5)
    for tick in (5, 4, 0):
        reply = gjkd.put(f"{url}/ticks/{tick}", {"shapes": {"a": {"angle": 3}}})
        problem.check(reply, "tick-conflict")
    put(gjkd, url, 6)


def test_the_same_bytes_again(gjkd, url):
    def send(tick, data, **headers):
        return gjkd.call("PUT", f"{url}/ticks/{tick}", data=data,
                         headers={"Content-Type": "application/json", **headers})

    one = '{"shapes": {"a": {"position": [1, 1]}}}'
    first = send(5, one)
    assert first.status_code == 201
    again = send(5, one, **{"If-Match": '"stale"'})  # a retry whose first answer got lost
    assert again.status_code == 200
    assert again.content == first.content and again.headers["ETag"] == first.headers["ETag"]
    problem.check(send(5, one + " "), "tick-conflict")
    latest = send(6, "{}").json()
    again = send(5, one)
    assert again.status_code == 200 and again.json() == latest
    for tick in (7, 8):
        send(tick, "{}")
    problem.check(send(5, one), "tick-conflict")  # no longer kept
    assert send(6, "{}").status_code == 200


@pytest.mark.parametrize("history", [None, {"ticks": 0}])
def test_no_history_no_ticks(gjkd, name, history):
    gjkd.store(name, {"dimension": 2, "history": history, "shapes": {"a": BOX}})
    url = f"/v1/sets/{name}"
    problem.check(gjkd.put(f"{url}/ticks/1", {"shapes": {}}), "tick-conflict")
    problem.check(gjkd.get(f"{url}/ticks/1"), "tick-expired")
    query = {"a": "a", "b": "a", "at": {"tick": 1}}
    problem.check(gjkd.post(f"{url}/detect", query), "tick-expired", pointer="/at/tick",
                  hint='PATCH it with "history"')


BAD_TICKS = [("1.5", "out-of-range"), (str(TICK_MAX + 1), "out-of-range"),
             ("1" * 30, "out-of-range"), ("1" * 400, "out-of-range"),
             *((text, "route-not-found") for text in ("-1", "1e3", "x", "1x", "inf", "nan", "0x10",
                                                      "%201", "+1", "01", "00", "1.", ".5"))]


@pytest.mark.parametrize("tick, code", BAD_TICKS)
def test_bad_ticks(gjkd, url, tick, code):
    problem.check(gjkd.put(f"{url}/ticks/{tick}", {"shapes": {}}), code)


@pytest.mark.parametrize("tick, code", [("1" * 400, "out-of-range"), *((text, "route-not-found") for text
                                        in ("-0.5", "1e0", "x", "nan", "01", "00.5", "1.", ".5"))])
def test_bad_ticks_to_read(gjkd, url, tick, code):
    put(gjkd, url, 1)
    problem.check(gjkd.get(f"{url}/ticks/{tick}"), code)


def test_a_tick_has_one_path(gjkd, url):
    put(gjkd, url, 0)
    assert gjkd.get(f"{url}/ticks/0").json()["tick"] == gjkd.get(f"{url}/ticks/0.00").json()["tick"]


def test_the_range_of_ticks(gjkd, url):
    for tick in (0, TICK_MAX - 1, TICK_MAX):
        assert put(gjkd, url, tick)["tick"] == tick
    assert gjkd.get(f"{url}/ticks").json() == {"oldest": 0, "newest": TICK_MAX, "count": 3}
    problem.check(gjkd.put(f"{url}/ticks/{TICK_MAX + 1}", {"shapes": {}}), "out-of-range")


def test_no_set(gjkd, name):
    for method, path, body in (("PUT", "ticks/1", {}), ("GET", "ticks", None),
                               ("GET", "ticks/1", None)):
        reply = gjkd.call(method, f"/v1/sets/{name}/{path}", json=body)
        problem.check(reply, "set-not-found")


def test_conditions(gjkd, url):
    etag = gjkd.get(url).headers["ETag"]
    put(gjkd, url, 1, headers={"If-Match": etag})
    reply = gjkd.put(f"{url}/ticks/2", {"shapes": {}}, headers={"If-Match": etag})
    problem.check(reply, "revision-mismatch")
    etag = gjkd.get(url).headers["ETag"]
    for path in ("ticks", "ticks/1"):
        reply = gjkd.get(f"{url}/{path}", headers={"If-None-Match": etag})
        assert reply.status_code == 304


def test_history_may_change(gjkd, url):
    for tick in range(3):
        put(gjkd, url, tick, {"a": {"position": [tick, 0]}})

    def keep(history):
        reply = gjkd.call("PATCH", url, json={"history": history})
        assert reply.status_code == 200
        return reply.json()["ticks"]

    assert keep({"ticks": 2}) == {"oldest": 1, "newest": 2, "count": 2}
    assert keep({"ticks": 5}) == {"oldest": 1, "newest": 2, "count": 2}
    for tick in range(3, 8):
        put(gjkd, url, tick)
    assert gjkd.get(f"{url}/ticks").json() == {"oldest": 3, "newest": 7, "count": 5}
    assert keep({"ticks": 0}) is None
    problem.check(gjkd.put(f"{url}/ticks/9", {}), "tick-conflict")
    assert keep({"ticks": 1}) is None
    put(gjkd, url, 1)  # the ticks before are forgotten
    assert keep(None) is None
    assert "history" not in gjkd.get(url).json()


def test_put_empties_the_history(gjkd, url):
    put(gjkd, url, 7)
    document = gjkd.get(url).json()
    assert document["tick"] == 7
    reply = gjkd.put(url, document)
    assert reply.status_code == 200 and reply.json()["tick"] is None
    assert gjkd.get(f"{url}/ticks").json()["count"] == 0
    put(gjkd, url, 3)


def test_as_many_ticks_as_may_be_kept(gjkd, name):
    limit = gjkd.get("/v1").json()["limits"]["history_ticks_max"]
    assert limit == 4096
    for ticks in (limit - 1, limit, limit + 1):
        reply = gjkd.put(f"/v1/sets/{name}", {"dimension": 2, "history": {"ticks": ticks}})
        if ticks > limit:
            problem.check(reply, "out-of-range", pointer="/history/ticks", limit=limit)
    url = f"/v1/sets/{name}"
    for tick in range(limit + 2):
        summary = put(gjkd, url, tick, {"a": BOX | {"position": [tick, 0]}})
        assert summary["ticks"]["count"] == min(tick + 1, limit)
    assert gjkd.get(f"{url}/ticks").json() == {"oldest": 2, "newest": limit + 1, "count": limit}
    assert poses(gjkd, url, 2)["a"]["position"] == [2, 0]
    problem.check(gjkd.get(f"{url}/ticks/1"), "tick-expired")
