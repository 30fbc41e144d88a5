"""ETag, If-Match, If-None-Match."""

import concurrent.futures
import os
import threading
import time

import pytest

import problem

EMPTY = {"dimension": 2}
MOVES_A_SECOND = 60
MOVES = (60 if os.environ.get("GJKD_FULL") else 3) * MOVES_A_SECOND


@pytest.fixture
def etag(gjkd, name):
    gjkd.store(name, EMPTY)
    return gjkd.get(f"/v1/sets/{name}").headers["ETag"]


def test_one_etag_for_the_set_and_its_summary(gjkd, name):
    put = gjkd.put(f"/v1/sets/{name}", EMPTY).headers["ETag"]
    got = gjkd.get(f"/v1/sets/{name}").headers["ETag"]
    summary = gjkd.get(f"/v1/sets/{name}?fields=summary").headers["ETag"]
    head = gjkd.call("HEAD", f"/v1/sets/{name}").headers["ETag"]
    assert put == got == summary == head


def test_every_write_changes_it(gjkd, name, etag):
    seen = {etag}
    for _ in range(3):
        seen.add(gjkd.put(f"/v1/sets/{name}", EMPTY).headers["ETag"])
    assert len(seen) == 4


@pytest.mark.parametrize("query", ["", "?fields=summary"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_not_modified(gjkd, name, etag, method, query):
    for value in (etag, f'"other", {etag}', f"W/{etag}", "*", f'"a","b" ,{etag}'):
        reply = gjkd.call(method, f"/v1/sets/{name}{query}", headers={"If-None-Match": value})
        assert reply.status_code == 304 and reply.content == b"", value
        assert reply.headers["ETag"] == etag


def test_modified(gjkd, name, etag):
    for value in ('"other"', etag[:-1] + 'x"', f'W/"x", "{etag[1:-2]}"'):
        reply = gjkd.get(f"/v1/sets/{name}", headers={"If-None-Match": value})
        assert reply.status_code == 200, value
    gjkd.store(name, EMPTY)
    assert gjkd.get(f"/v1/sets/{name}", headers={"If-None-Match": etag}).status_code == 200


def test_if_match(gjkd, name, etag):
    reply = gjkd.put(f"/v1/sets/{name}", EMPTY, headers={"If-Match": f'"other", {etag}'})
    assert reply.status_code == 200
    problem.check(gjkd.put(f"/v1/sets/{name}", EMPTY, headers={"If-Match": etag}),
                  "revision-mismatch")
    assert gjkd.put(f"/v1/sets/{name}", EMPTY, headers={"If-Match": "*"}).status_code == 200


def test_if_match_is_a_strong_comparison(gjkd, name, etag):
    problem.check(gjkd.put(f"/v1/sets/{name}", EMPTY, headers={"If-Match": f"W/{etag}"}),
                  "revision-mismatch")


@pytest.mark.parametrize("value", ['"other"', "*"])
def test_if_match_never_creates(gjkd, name, value):
    problem.check(gjkd.put(f"/v1/sets/{name}", EMPTY, headers={"If-Match": value}),
                  "revision-mismatch")
    assert gjkd.get(f"/v1/sets/{name}").status_code == 404


def test_create_only(gjkd, name):
    only = {"If-None-Match": "*"}
    assert gjkd.put(f"/v1/sets/{name}", EMPTY, headers=only).status_code == 201
    problem.check(gjkd.put(f"/v1/sets/{name}", EMPTY, headers=only), "revision-mismatch")


def test_if_none_match_of_a_write(gjkd, name, etag):
    problem.check(gjkd.put(f"/v1/sets/{name}", EMPTY, headers={"If-None-Match": etag}),
                  "revision-mismatch")
    reply = gjkd.put(f"/v1/sets/{name}", EMPTY, headers={"If-None-Match": '"other"'})
    assert reply.status_code == 200


@pytest.mark.parametrize("method, path, body", [
    ("PUT", "", EMPTY), ("PATCH", "", {"meta": 1}), ("DELETE", "", None), ("GET", "", None),
    ("PUT", "/shapes/a", {"type": "point"}), ("PATCH", "/shapes/a", {"position": [1, 0]}),
    ("DELETE", "/shapes/a", None), ("GET", "/shapes/a", None), ("POST", "/detect", {}),
    ("PUT", "/ticks/1", {"shapes": {}}), ("GET", "/ticks", None)])
def test_a_412_tells_what_is_there_now_and_what_to_do(gjkd, name, method, path, body):
    url = f"/v1/sets/{name}"
    gjkd.store(name, {"dimension": 2, "history": {"ticks": 2}, "shapes": {"a": {"type": "point"}}})
    gjkd.call("PATCH", url, json={"meta": "another"})
    reply = gjkd.call(method, url + path, json=body, headers={"If-Match": '"stale"'})
    told = problem.check(reply, "revision-mismatch", hint="GET it again", detail=f'set "{name}"')
    resource = url + path if path.startswith("/shapes") else url
    assert told["revision"] == 2
    assert reply.headers["ETag"] == gjkd.get(resource).headers["ETag"]
    assert ("-1" if resource != url else "-2") in reply.headers["ETag"]
    again = gjkd.call(method, url + path, json=body, headers={"If-Match": reply.headers["ETag"]})
    assert again.status_code in (200, 201, 204), again.text


def test_a_412_of_what_is_there_or_not_tells_so(gjkd, name, etag):
    url = f"/v1/sets/{name}"
    reply = gjkd.put(url, EMPTY, headers={"If-None-Match": "*"})
    told = problem.check(reply, "revision-mismatch", detail=f'the set "{name}" is there already')
    assert told["revision"] == 1 and reply.headers["ETag"] == etag
    reply = gjkd.put(f"{url}/shapes/none", {"type": "point"}, headers={"If-Match": "*"})
    told = problem.check(reply, "revision-mismatch", hint="leave If-Match out",
                         detail=f'the shape "none" of the set "{name}" is not there')
    assert told["revision"] == 1 and "ETag" not in reply.headers
    reply = gjkd.put(f"{url}-none", EMPTY, headers={"If-Match": etag})
    told = problem.check(reply, "revision-mismatch", detail=f'the set "{name}-none" is not there')
    assert "revision" not in told and "ETag" not in reply.headers


def test_conflicts_of_ticks_name_the_set_and_what_to_do(gjkd, name, etag):
    url = f"/v1/sets/{name}"
    problem.check(gjkd.put(f"{url}/ticks/1", {}), "tick-conflict", hint="history",
                  detail=f'the set "{name}" keeps no ticks')
    gjkd.call("PATCH", url, json={"history": {"ticks": 2}})
    gjkd.put(f"{url}/ticks/7", {})
    problem.check(gjkd.put(f"{url}/ticks/7", {"shapes": {}}), "tick-conflict", hint="above 7",
                  detail=f'the set "{name}", 7')
    problem.check(gjkd.get(f"{url}/ticks/6"), "tick-expired", hint="from 7 to 7", detail=f'"{name}"')
    problem.check(gjkd.get(f"{url}/ticks/8"), "tick-in-future", hint="from 7 to 7", detail=f'"{name}"')


def test_delete(gjkd, name, etag):
    problem.check(gjkd.call("DELETE", f"/v1/sets/{name}", headers={"If-Match": '"other"'}),
                  "revision-mismatch")
    assert gjkd.get(f"/v1/sets/{name}").status_code == 200
    assert gjkd.call("DELETE", f"/v1/sets/{name}", headers={"If-Match": etag}).status_code == 204


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
def test_what_is_missing_is_not_found_whatever_the_conditions(gjkd, name, etag, method):
    for value in (None, "*", etag):
        headers = {"If-Match": value} if value else {}
        for path, code in ((f"{name}/shapes/none", "shape-not-found"), ("none", "set-not-found")):
            reply = gjkd.call(method, f"/v1/sets/{path}", json={} if method == "PATCH" else None,
                              headers=headers)
            problem.check(reply, code)
    reply = gjkd.put(f"/v1/sets/{name}/shapes/none", {"type": "point"}, headers={"If-Match": "*"})
    problem.check(reply, "revision-mismatch")


def test_if_match_of_a_read(gjkd, name, etag):
    assert gjkd.get(f"/v1/sets/{name}", headers={"If-Match": etag}).status_code == 200
    problem.check(gjkd.get(f"/v1/sets/{name}", headers={"If-Match": '"other"'}),
                  "revision-mismatch")


def test_a_set_made_again_never_matches(gjkd, name, etag):
    for _ in range(3):
        gjkd.call("DELETE", f"/v1/sets/{name}")
        reply = gjkd.put(f"/v1/sets/{name}", EMPTY)
        assert reply.status_code == 201 and reply.headers["ETag"] != etag
        problem.check(gjkd.put(f"/v1/sets/{name}", EMPTY, headers={"If-Match": etag}),
                      "revision-mismatch")


def race(gjkd, count, act):
    """act(session) at once from `count` connections; the statuses, sorted."""
    sessions = [gjkd.new_session() for _ in range(count)]
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        statuses = sorted(reply.status_code for reply in pool.map(act, sessions))
    for session in sessions:
        session.close()
    return statuses


@pytest.mark.concurrency
def test_one_of_many_creates(gjkd, name):
    for _ in range(10):
        assert race(gjkd, 8, lambda session: gjkd.put(
            f"/v1/sets/{name}", EMPTY, session=session,
            headers={"If-None-Match": "*"})) == [201] + [412] * 7
        gjkd.call("DELETE", f"/v1/sets/{name}")


@pytest.mark.concurrency
def test_one_of_many_changes(gjkd, name, etag):
    for _ in range(10):
        etag = gjkd.get(f"/v1/sets/{name}").headers["ETag"]
        assert race(gjkd, 8, lambda session: gjkd.put(
            f"/v1/sets/{name}", EMPTY, session=session,
            headers={"If-Match": etag})) == [200] + [412] * 7


@pytest.mark.concurrency
def test_one_of_many_deletes(gjkd, name, etag):
    for _ in range(10):
        assert race(gjkd, 8, lambda session: gjkd.call(
            "DELETE", f"/v1/sets/{name}", session=session)) == [204] + [404] * 7
        gjkd.store(name, EMPTY)


@pytest.mark.concurrency
def test_no_update_is_lost(gjkd, name):
    """Many clients count up in a set's meta by compare and set."""
    gjkd.store(name, EMPTY | {"meta": {"n": 0}})

    def count_up(session):
        done = 0
        while done < 5:
            got = gjkd.get(f"/v1/sets/{name}", session=session)
            document = got.json()
            document["meta"]["n"] += 1
            reply = gjkd.put(f"/v1/sets/{name}", document, session=session,
                             headers={"If-Match": got.headers["ETag"]})
            assert reply.status_code in (200, 412)
            done += reply.status_code == 200
        return reply

    assert race(gjkd, 6, count_up) == [200] * 6
    document = gjkd.get(f"/v1/sets/{name}").json()
    assert document["meta"]["n"] == 30


class Mover(threading.Thread):
    """A browser that moves a chair 60 times a second along its own axis, each time from the place and
    the ETag that it knows."""

    def __init__(self, gjkd, url, axis):
        super().__init__()
        self.gjkd, self.url, self.axis, self.conflicts = gjkd, url, axis, []
        self.session, self.mistake = gjkd.new_session(), None

    def read(self):
        reply = self.gjkd.get(self.url, session=self.session)
        self.etag, self.place = reply.headers["ETag"], reply.json()["position"]

    def move(self):
        place = list(self.place)
        place[self.axis] += 1
        reply = self.gjkd.call("PATCH", self.url, self.session, json={"position": place},
                               headers={"If-Match": self.etag})
        if reply.status_code == 200:
            self.etag, self.place = reply.headers["ETag"], place
            return True
        told = problem.check(reply, "revision-mismatch", hint="GET it again")
        assert told["revision"] > 1 and reply.headers["ETag"] != self.etag
        self.conflicts.append(reply.headers["ETag"])
        self.read()
        return False

    def run(self):
        try:
            began = time.monotonic()
            for i in range(MOVES):
                time.sleep(max(0, began + i / MOVES_A_SECOND - time.monotonic()))
                while not self.move():
                    pass
        except Exception as mistake:  # told by the test
            self.mistake = mistake


def moved(gjkd, urls):
    """Two browsers, each of which moves the chair of its URL. Returns their conflicts."""
    movers = [Mover(gjkd, url, axis) for axis, url in enumerate(urls)]
    for mover in movers:
        mover.read()
    for mover in movers:
        mover.start()
    for mover in movers:
        mover.join()
        mover.session.close()
        if mover.mistake:
            raise mover.mistake
    return [mover.conflicts for mover in movers]


@pytest.mark.concurrency
def test_two_browsers_move_two_chairs_without_a_conflict(gjkd, name):
    chair = {"type": "circle", "radius": 1, "position": [0, 0]}
    gjkd.store(name, {"dimension": 2, "shapes": {"left": chair, "right": chair}})
    urls = [f"/v1/sets/{name}/shapes/{id}" for id in ("left", "right")]
    assert moved(gjkd, urls) == [[], []]
    assert [gjkd.get(url).json()["position"] for url in urls] == [[MOVES, 0], [0, MOVES]]


@pytest.mark.concurrency
def test_conflicts_of_two_browsers_at_one_chair_are_resolved_by_what_the_412_says(gjkd, name):
    gjkd.store(name, {"dimension": 2, "shapes": {"chair": {"type": "circle", "radius": 1}}})
    url = f"/v1/sets/{name}/shapes/chair"
    gjkd.call("PATCH", url, json={"position": [0, 0]})  # which GET then tells
    conflicts = moved(gjkd, [url, url])
    assert any(conflicts) and gjkd.get(url).json()["position"] == [MOVES, MOVES]  # none is lost


QUERIES = [("detect", {"a": "a"}), ("distance", {"a": "a"}), ("raycast", {"origin": [0, 0], "direction": [1, 0]}),
           ("cast", {"shape": "a", "translation": [1, 0]}), ("batch", {"queries": []}),
           ("hit", {"ray": {"origin": [0, 0], "direction": [1, 0]}, "claim": {"id": "a"}})]


@pytest.mark.parametrize("op, query", QUERIES)
def test_queries_have_the_etag_of_the_set_and_take_if_match(gjkd, name, op, query):
    set_ = {"dimension": 2, "shapes": {"a": {"type": "circle", "radius": 1}}}
    url = f"/v1/sets/{name}"
    problem.check(gjkd.post(f"{url}/{op}", query, headers={"If-Match": "*"}), "set-not-found")
    etag = gjkd.put(url, set_).headers["ETag"]
    asked = gjkd.post(f"{url}/{op}", query)
    assert asked.headers["ETag"] == etag
    for value in (etag, "*", f'"other", {etag}', f'{etag[:-1]}-gzip"'):
        reply = gjkd.post(f"{url}/{op}", query, headers={"If-Match": value})
        assert reply.status_code == 200 and reply.content == asked.content
    for value in ('"other"', f"W/{etag}"):
        problem.check(gjkd.post(f"{url}/{op}", query, headers={"If-Match": value}), "revision-mismatch")
    problem.check(gjkd.post(f"{url}/{op}", query, headers={"If-Match": "x"}), "bad-request")
    gjkd.put(url, set_)  # the same shapes at another revision
    problem.check(gjkd.post(f"{url}/{op}", query, headers={"If-Match": etag}), "revision-mismatch")
    gjkd.call("DELETE", url)
    assert gjkd.put(url, set_).headers["ETag"] != etag  # the same revision of another incarnation
    problem.check(gjkd.post(f"{url}/{op}", query, headers={"If-Match": etag}), "revision-mismatch")


def test_a_refused_query_and_one_without_a_set_have_no_etag(gjkd, name, etag):
    assert "ETag" not in gjkd.post(f"/v1/sets/{name}/detect", {"a": 1}).headers
    pair = {"a": {"type": "point"}, "b": {"type": "point"}}
    assert "ETag" not in gjkd.post("/v1/detect", pair, headers={"If-Match": '"other"'}).headers
    # A 304 is for GET and HEAD: a query is answered.
    reply = gjkd.post(f"/v1/sets/{name}/detect", {}, headers={"If-None-Match": etag})
    assert reply.status_code == 200 and reply.json() == {"pairs": [], "revision": 1}
