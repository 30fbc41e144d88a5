"""The list of sets: order, prefix, pages."""

from urllib.parse import quote

import pytest

import problem

NAMES = ["list-A", "list-a", "list-a.b", "list-a0", "list-a~", "list-b", "list-b-1", "list_c"]


@pytest.fixture(scope="module")
def listed(gjkd):
    for name in NAMES:
        gjkd.store(name, {"dimension": 2, "shapes": {"s": {"type": "point"}}})
    yield sorted(NAMES)
    for name in NAMES:
        gjkd.call("DELETE", f"/v1/sets/{name}")


def names(gjkd, query):
    document = gjkd.get(f"/v1/sets{query}").json()
    assert set(document) >= {"sets", "next"}
    return [s["name"] for s in document["sets"]], document["next"]


def test_all_in_order(gjkd, listed):
    found, following = names(gjkd, "")
    assert [n for n in found if n.startswith("list")] == listed
    assert found == sorted(found) and following is None


def test_entries_are_summaries(gjkd, listed):
    entry = gjkd.get("/v1/sets?prefix=list-A").json()["sets"][0]
    assert entry == gjkd.get("/v1/sets/list-A?fields=summary").json()


@pytest.mark.parametrize("prefix", ["list", "list-", "list-a", "list-a.", "list_", "list-b-1",
                                    "nobody", "LIST"])
def test_prefix(gjkd, listed, prefix):
    assert names(gjkd, f"?prefix={prefix}") == ([n for n in listed if n.startswith(prefix)], None)


def test_prefix_is_unescaped(gjkd, listed):
    assert names(gjkd, "?prefix=list%2Da%7E")[0] == ["list-a~"]


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 8, 100])
def test_pages(gjkd, listed, limit):
    found, cursor, pages = [], None, 0
    while cursor is not None or pages == 0:
        follow = f"&cursor={quote(cursor, safe='')}" if cursor else ""
        page, cursor = names(gjkd, f"?prefix=list&limit={limit}{follow}")
        assert 0 < len(page) <= limit
        found += page
        pages += 1
    assert found == listed and pages == -(-len(listed) // limit)


def test_empty_values_are_none(gjkd, listed):
    assert names(gjkd, "?prefix=&limit=&cursor=") == names(gjkd, "")
    assert names(gjkd, "?prefix=list&limit=&cursor=") == (listed, None)


def test_a_cursor_outlives_its_set(gjkd, listed):
    gjkd.store("list-a1", {"dimension": 2})
    page, cursor = names(gjkd, "?prefix=list-a&limit=4")
    gjkd.call("DELETE", "/v1/sets/list-a1")
    gjkd.call("DELETE", f"/v1/sets/{page[-1]}")
    rest, following = names(gjkd, f"?prefix=list-a&cursor={cursor}")
    expected = [n for n in listed if n.startswith("list-a") and n not in page]
    gjkd.store(page[-1], {"dimension": 2, "shapes": {"s": {"type": "point"}}})
    assert rest == expected and following is None


@pytest.mark.parametrize("query", ["limit=0", "limit=-1", "limit=x", "limit=1.5", "nope=",
                                   "limit=99999999999999999999", "frobnicate=1", "fields=summary",
                                   "limit=1&limit=2", "limit=&limit=2"])
def test_bad_queries(gjkd, query):
    problem.check(gjkd.get(f"/v1/sets?{query}"), "bad-request")


def test_head(gjkd, listed):
    head = gjkd.call("HEAD", "/v1/sets?prefix=list")
    assert head.status_code == 200 and head.content == b""
    assert int(head.headers["Content-Length"]) > 0
