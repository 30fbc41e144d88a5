"""The demo sets: what a newcomer meets first."""

import pytest

import problem
from daemon import Daemon

pytestmark = pytest.mark.http


@pytest.fixture(scope="module")
def demo():
    daemon = Daemon("--demo")
    yield daemon
    daemon.stop()


def shapes(demo, name):
    return demo.get(f"/v1/sets/{name}").json()["shapes"]


def test_they_are_there(demo):
    names = [s["name"] for s in demo.get("/v1/sets").json()["sets"]]
    assert {"arena2d", "range3d"} <= set(names)


def test_arena2d_shows_every_kind(demo):
    stored = shapes(demo, "arena2d")
    assert len(stored) >= 12
    assert {s["type"] for s in stored.values()} >= {
        "point", "circle", "segment", "capsule", "box", "polygon", "hull"}


def test_range3d_has_players_and_obstacles(demo):
    stored = shapes(demo, "range3d")
    owned = {}
    for shape in stored.values():
        owned.setdefault(shape.get("group"), set()).add(shape["type"])
    players = [kinds for group, kinds in owned.items() if group and kinds <= {
        "capsule", "box", "sphere"} and "capsule" in kinds]
    assert len(players) >= 2
    assert any(s["type"] == "hull" for s in stored.values())


def test_they_answer(demo):
    for name, dimension in (("arena2d", 2), ("range3d", 3)):
        assert demo.ask(f"/v1/sets/{name}/detect", {})["pairs"], "something collides"
        dot = {"type": "point", "position": [0] * dimension}
        assert demo.ask(f"/v1/sets/{name}/distance", {"a": dot})["nearest"]


@pytest.mark.parametrize("name", ["arena2d", "range3d"])
def test_the_first_question_about_the_past_says_what_to_do(demo, name):
    question = {"at": {"tick": 1}}
    hint = problem.check(demo.post(f"/v1/sets/{name}/detect", question), "tick-expired",
                         pointer="/at/tick")["hint"]
    method, path = hint.split()[:2]
    assert demo.call(method, path, json={}).status_code == 201
    assert demo.ask(f"/v1/sets/{name}/detect", question)["pairs"]


def test_they_can_be_put_again_and_deleted(demo):
    document = demo.get("/v1/sets/arena2d").json()
    assert demo.put("/v1/sets/arena2d", document).status_code == 200
    assert demo.call("DELETE", "/v1/sets/range3d").status_code == 204


def test_without_the_flag_there_are_none(start):
    assert start().get("/v1/sets").json()["sets"] == []
