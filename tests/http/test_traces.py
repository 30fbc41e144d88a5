"""Traces: the same answer, and beside it each step that led there."""

import pytest

from near import near, sub

A = {"type": "polygon", "vertices": [[4, 11], [4, 5], [9, 9]]}
B = {"type": "polygon", "vertices": [[5, 7], [7, 3], [10, 2], [12, 7]]}
CUBE = {"type": "box", "half_extents": [1, 1, 1]}
STEP = {"phase", "direction", "support", "simplex", "closest", "lower_bound", "upper_bound",
        "note"}


@pytest.mark.parametrize("path", ["/v1/detect", "/v1/distance"])
@pytest.mark.parametrize("a, b", [(A, B), (A, B | {"position": [3, -1]}),
                                  (CUBE, CUBE | {"position": [1.5, 0.1, 0.2]}),
                                  (CUBE, {"type": "sphere", "radius": 1, "position": [4, 1, 1]})])
def test_the_answer_is_the_same(gjkd, path, a, b):
    plain = gjkd.ask(path, {"a": a, "b": b})
    traced = gjkd.ask(path, {"a": a, "b": b, "trace": True})
    trace = traced.pop("trace")
    assert traced == plain
    assert gjkd.ask(path, {"a": a, "b": b, "trace": False}) == plain
    # what is traced is the general method from its start, though the answer came a shorter way
    assert trace["steps"] and plain["iterations"] >= 1
    assert ("minkowski" in trace) == (a is A)


def test_steps(gjkd):
    answer = gjkd.ask("/v1/detect", {"a": A, "b": B, "trace": True})
    steps = answer["trace"]["steps"]
    assert {s["phase"] for s in steps} == {"gjk", "epa"}
    for step in steps:
        assert set(step) == STEP and step["note"]
        support = step["support"]
        assert support["a"] in A["vertices"] and support["b"] in B["vertices"]
        assert near(sub(support["a"], support["b"]), support["w"])
        assert step["upper_bound"] is None or step["lower_bound"] <= step["upper_bound"]
    assert near(-steps[-1]["lower_bound"], answer["depth"])


def test_minkowski_points(gjkd):
    points = gjkd.ask("/v1/detect", {"a": A, "b": B, "trace": True})["trace"]["minkowski"]
    assert sorted(points) == sorted(sub(a, b) for a in A["vertices"] for b in B["vertices"])


def test_only_of_a_pair(gjkd, name):
    gjkd.store(name, {"dimension": 2, "shapes": {"a": A}})
    answer = gjkd.call("POST", f"/v1/sets/{name}/detect", json={"a": "a", "trace": True})
    assert answer.status_code == 422 and answer.json()["code"] == "unknown-member"
