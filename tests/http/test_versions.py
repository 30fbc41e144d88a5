"""Readers and writers of one set at once: every answer belongs to exactly one version.

Version v holds circles around the origin whose radius tells v, so that every member of an
answer tells which version it was made of. The writer notes which revision it got for v."""

import threading

import pytest

from near import near

pytestmark = pytest.mark.concurrency

SHAPES = 12
VERSIONS = 60
READERS = 5


def radius(v):
    return 1 + v / 128  # exact doubles, far apart


def document(v):
    # The number of shapes tells the version as well.
    shapes = {f"c{i:02}": {"type": "circle", "radius": radius(v), "group": f"v{v}"}
              for i in range(SHAPES + v % 3)}
    return {"dimension": 2, "shapes": shapes, "meta": {"v": v}}


def saw_get(gjkd, url, session):
    reply = gjkd.get(url, session=session)
    body = reply.json()
    vs = {body["meta"]["v"], *(round((s["radius"] - 1) * 128) for s in body["shapes"].values()),
          *(int(s["group"][1:]) for s in body["shapes"].values())}
    assert len(vs) == 1, "one version"
    v = vs.pop()
    assert len(body["shapes"]) == SHAPES + v % 3
    return body["revision"], v, reply.headers["ETag"]


def saw_summary(gjkd, url, session):
    reply = gjkd.get(f"{url}?fields=summary", session=session)
    return reply.json()["revision"], None, reply.headers["ETag"]


def saw_hits(gjkd, url, session):
    body = gjkd.ask(f"{url}/detect", {"a": {"type": "point"}}, session=session)
    vs = {int(h["group"][1:]) for h in body["hits"]}
    assert len(vs) == 1, "one version"
    v = vs.pop()
    assert len(body["hits"]) == SHAPES + v % 3
    assert all(near(h["depth"], radius(v)) for h in body["hits"])
    return body["revision"], v, None


def saw_pair(gjkd, url, session):
    body = gjkd.ask(f"{url}/detect", {"a": "c00", "b": "c05"}, session=session)
    v = round((body["depth"] / 2 - 1) * 128)
    assert near(body["depth"], 2 * radius(v))
    return body["revision"], v, None


def saw_ray(gjkd, url, session):
    ray = {"origin": [-10, 0], "direction": [1, 0], "mode": "all"}
    body = gjkd.ask(f"{url}/raycast", ray, session=session)
    vs = {int(h["group"][1:]) for h in body["hits"]}
    assert len(vs) == 1, "one version"
    v = vs.pop()
    assert len(body["hits"]) == SHAPES + v % 3
    assert all(near(h["distance"], 10 - radius(v)) for h in body["hits"])
    return body["revision"], v, None


def saw_nearest(gjkd, url, session):
    body = gjkd.ask(f"{url}/distance", {"a": {"type": "point", "position": [50, 0]}, "limit": 99},
                    session=session)
    vs = {int(n["group"][1:]) for n in body["nearest"]}
    assert len(vs) == 1, "one version"
    v = vs.pop()
    assert len(body["nearest"]) == SHAPES + v % 3
    return body["revision"], v, None


KINDS = [saw_get, saw_summary, saw_hits, saw_pair, saw_ray, saw_nearest]


class Crowd:
    """Threads that stop together, and the first failure of any of them."""

    def __init__(self, gjkd):
        self.gjkd, self.failure, self.threads = gjkd, None, []
        self.over = threading.Event()

    def add(self, act, *arguments):
        def body():
            session = self.gjkd.new_session()
            try:
                act(session, *arguments)
            except BaseException as failure:  # told by the test's own thread
                self.failure = self.failure or failure
                self.over.set()
            finally:
                session.close()
        self.threads.append(threading.Thread(target=body))
        self.threads[-1].start()

    def finish(self):
        for thread in self.threads:
            thread.join()
        if self.failure:
            raise self.failure


def test_every_answer_belongs_to_one_version(gjkd, name):
    url = f"/v1/sets/{name}"
    first = gjkd.put(url, document(0))
    written = {first.json()["revision"]: (0, first.headers["ETag"])}
    seen = []
    crowd = Crowd(gjkd)

    def write(session, part):
        for v in range(1 + part, VERSIONS, 2):
            if crowd.over.is_set():
                return
            reply = gjkd.put(url, document(v), session=session)
            assert reply.status_code == 200
            written[reply.json()["revision"]] = (v, reply.headers["ETag"])

    def read(session, kinds):
        latest = 0
        while not crowd.over.is_set():
            for kind in kinds:
                answer = kind(gjkd, url, session)
                assert answer[0] >= latest, "a reader never goes back in time"
                latest = answer[0]
                seen.append(answer)

    for i in range(READERS):
        crowd.add(read, KINDS[i:] + KINDS[:i])
    writers = Crowd(gjkd)
    for part in (0, 1):
        writers.add(write, part)
    writers.finish()
    crowd.over.set()
    crowd.finish()

    assert sorted(written) == list(range(min(written), min(written) + VERSIONS))
    for revision, v, etag in seen:
        assert v is None or written[revision][0] == v
        assert etag is None or written[revision][1] == etag
    assert len({revision for revision, _, _ in seen}) > 5, "the readers met many versions"


def test_sets_that_come_and_go(gjkd, name):
    """Readers of sets that are deleted and made again: found whole, or not found."""
    url = f"/v1/sets/{name}"
    crowd = Crowd(gjkd)
    statuses = set()

    def churn(session):
        for v in range(80):
            assert gjkd.put(url, document(v), session=session).status_code in (200, 201)
            if v % 2:
                assert gjkd.call("DELETE", url, session=session).status_code == 204
        crowd.over.set()

    def read(session):
        while not crowd.over.is_set():
            reply = gjkd.post(f"{url}/detect", {"a": {"type": "point"}}, session=session)
            statuses.add(reply.status_code)
            if reply.status_code == 200:
                assert len({h["group"] for h in reply.json()["hits"]}) == 1
            else:
                assert reply.json()["code"] == "set-not-found"
            listed = gjkd.get(f"/v1/sets?prefix={name}", session=session).json()["sets"]
            assert len(listed) <= 1

    for _ in range(READERS):
        crowd.add(read)
    crowd.add(churn)
    crowd.finish()
    assert statuses == {200, 404}


def test_many_writers_of_many_sets(gjkd, name):
    crowd = Crowd(gjkd)

    def write(session, mine):
        for v in range(25):
            gjkd.put(f"/v1/sets/{mine}", document(v), session=session)
            revision, seen, _ = saw_hits(gjkd, f"/v1/sets/{mine}", session)
            assert (revision, seen) == (v + 1, v), "one's own write is read at once"
        assert gjkd.call("DELETE", f"/v1/sets/{mine}", session=session).status_code == 204

    for i in range(6):
        crowd.add(write, f"{name}-{i}")
    crowd.finish()
