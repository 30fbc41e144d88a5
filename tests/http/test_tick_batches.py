"""POST of a tick: the tick as PUT makes it, and questions to the version that it makes."""

import json

import pytest

import problem

DISC = {"type": "circle", "radius": 0.5}


@pytest.fixture
def url(gjkd, name):
    gjkd.store(name, {"dimension": 2, "history": {"ticks": 4}, "shapes": {
        "a": DISC | {"group": "a"}, "b": DISC | {"group": "b", "position": [5, 0]}}})
    return f"/v1/sets/{name}"


RAY = {"op": "raycast", "origin": [0, 2], "direction": [1, 0]}


def test_the_tick_and_its_answers_in_one(gjkd, url, name):
    body = {"shapes": {"b": {"position": [6, 2]}}, "queries": [
        RAY, {"op": "distance", "a": "a", "b": "b"}, {"op": "detect", "a": "nobody"},
        {"op": "hit", "shooter": "a", "at": {"tick": 7}, "ray": {"origin": [0, 2], "direction": [1, 0]}}]}
    reply = gjkd.post(f"{url}/ticks/7", body)
    told = reply.json()
    assert reply.status_code == 201 and reply.headers["ETag"] == gjkd.get(url).headers["ETag"]
    results = told.pop("results")
    assert told == gjkd.get(f"{url}?fields=summary").json() and told["tick"] == 7
    batch = gjkd.ask(f"{url}/batch", {"queries": body["queries"]})
    assert results == batch["results"] and results[0]["hits"][0]["distance"] == 5.5
    assert results[2]["error"]["code"] == "shape-not-found" and results[3]["verdict"] == "confirmed"
    assert list(reply.json())[-1] == "results"
    # The same as PUT and then a batch, for another set.
    other = f"/v1/sets/{name}.put"
    gjkd.put(other, {"dimension": 2, "history": {"ticks": 4}, "shapes": {
        "a": DISC | {"group": "a"}, "b": DISC | {"group": "b", "position": [5, 0]}}})
    alone = gjkd.put(f"{other}/ticks/7", {"shapes": body["shapes"]}).json()
    assert alone == told | {k: alone[k] for k in ("name", "bytes")}
    assert gjkd.ask(f"{other}/batch", {"queries": body["queries"]})["results"] == results
    gjkd.call("DELETE", other)


def test_members_of_the_batch_hold(gjkd, url):
    gjkd.post(f"{url}/ticks/1", {"queries": []})
    body = {"shapes": {"b": {"position": [6, 2]}}, "at": {"tick": 1}, "queries": [
        RAY | {"origin": [0, 0]}, RAY | {"at": {"tick": 2}}]}
    told = gjkd.post(f"{url}/ticks/2", body).json()
    assert told["tick"] == 2 and told["results"][0]["hits"][0]["distance"] == 0  # then as now: inside a
    assert told["results"][1]["hits"][0]["id"] == "b"
    body = {"filter": {"ignore": ["b"]}, "options": {"tolerance": 0.001}, "queries": [RAY]}
    assert gjkd.post(f"{url}/ticks/3", body).json()["results"] == [{"hits": []}]
    between = gjkd.post(f"{url}/ticks/4", {"queries": [RAY | {"at": {"tick": 1.5}, "origin": [0, 1]}]}).json()
    assert between["results"][0]["hits"][0]["point"] == [5, 1]


def test_repeated_it_answers_again(gjkd, url):
    body = json.dumps({"shapes": {"b": {"position": [6, 2]}}, "queries": [RAY]})
    headers = {"Content-Type": "application/json"}
    first = gjkd.call("POST", f"{url}/ticks/7", data=body, headers=headers)
    again = gjkd.call("POST", f"{url}/ticks/7", data=body, headers=headers)
    assert (first.status_code, again.status_code) == (201, 200) and first.content == again.content
    problem.check(gjkd.post(f"{url}/ticks/7", {"shapes": {}, "queries": [RAY]}), "tick-conflict")
    problem.check(gjkd.put(f"{url}/ticks/7", {"shapes": {"b": {"position": [6, 2]}}}), "tick-conflict")


def test_conditions_paths_and_methods(gjkd, url, name):
    body = {"queries": [RAY]}
    etag = gjkd.get(url).headers["ETag"]
    problem.check(gjkd.post(f"{url}/ticks/7", body, headers={"If-Match": '"x"'}), "revision-mismatch")
    assert gjkd.post(f"{url}/ticks/7", body, headers={"If-Match": etag}).status_code == 201
    problem.check(gjkd.post(f"{url}/ticks/7.5", body), "out-of-range")
    problem.check(gjkd.post(f"{url}/ticks/08", body), "route-not-found")
    problem.check(gjkd.post(f"{url}/ticks/6", body), "tick-conflict")
    problem.check(gjkd.post("/v1/sets/nowhere/ticks/6", body), "set-not-found")
    gjkd.store(f"{name}.none", {"dimension": 2})
    problem.check(gjkd.post(f"/v1/sets/{name}.none/ticks/6", body), "tick-conflict")
    gjkd.call("DELETE", f"/v1/sets/{name}.none")
    problem.check(gjkd.call("POST", f"{url}/ticks/9", data=b"x",
                            headers={"Content-Type": "text/plain"}), "unsupported-media-type")


def test_as_many_queries_as_a_batch_has(start):
    gjkd = start("--max-batch", "3")
    gjkd.store("s", {"dimension": 2, "history": {"ticks": 4}, "shapes": {"a": DISC}})
    for tick, count in ((1, 2), (2, 3)):
        assert len(gjkd.post(f"/v1/sets/s/ticks/{tick}", {"queries": [RAY] * count}).json()["results"]) == count
    problem.check(gjkd.post("/v1/sets/s/ticks/3", {"queries": [RAY] * 4}), "too-many", pointer="/queries")
    assert gjkd.get("/v1/sets/s/ticks").json()["newest"] == 2


def test_it_needs_the_scope_of_a_write(start, tmp_path):
    import hashlib
    tokens = tmp_path / "tokens"
    tokens.write_text("".join(f"{n} {hashlib.sha256(n.encode()).hexdigest()} {s}\n" for n, s in
                              (("reader", "read"), ("writer", "write"))))
    gjkd = start("--token-file", str(tokens))
    def bearer(token):
        return {"Authorization": f"Bearer {token}"}
    gjkd.put("/v1/sets/s", {"dimension": 2, "history": {"ticks": 4}}, headers=bearer("writer"))
    problem.check(gjkd.post("/v1/sets/s/ticks/1", {"queries": []}, headers=bearer("reader")), "forbidden")
    assert gjkd.post("/v1/sets/s/batch", {"queries": []}, headers=bearer("reader")).status_code == 200
    assert gjkd.post("/v1/sets/s/ticks/1", {"queries": []}, headers=bearer("writer")).status_code == 201
