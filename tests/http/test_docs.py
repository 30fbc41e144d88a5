"""GET /docs/: the documents as pages, whose links lead somewhere."""

import pathlib
import re

import pytest

import problem

pytestmark = pytest.mark.http
ROOT = pathlib.Path(__file__).parents[2]
GUIDE = ROOT / "proto/guide"
LIST = (ROOT / "server/docs/pages").read_text()
PAGES = [line.split()[0] for line in LIST.splitlines() if line[0] not in "#="]


@pytest.mark.parametrize("page", PAGES)
def test_a_page(gjkd, page):
    address = "/docs/" + page.removesuffix("index")
    reply = gjkd.get(address)
    assert reply.status_code == 200
    assert reply.headers["Content-Type"] == "text/html; charset=utf-8"
    policy = reply.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert "<script>" not in reply.text and not re.search(r"<[^>]*\son\w+=", reply.text)
    assert re.search(r"<title>[^<]+</title>", reply.text)
    for target in set(re.findall(r'(?:src|href)="([^"]*)"', reply.text)):
        path, _, fragment = target.partition("#")
        if path.startswith("https:") or path == "data:,":
            continue
        assert path == "" or path.startswith("/"), target
        there = gjkd.get(path, headers={"Accept": "text/html"}) if path else reply
        assert there.status_code == 200, target
        assert not fragment or f'id="{fragment}"' in there.text, target
    again = gjkd.get(address, headers={"If-None-Match": reply.headers["ETag"]})
    assert again.status_code == 304


def test_tables_and_examples_are_there(gjkd):
    page = gjkd.get("/docs/hits").text
    assert "<table>" in page and "<pre tabindex=\"0\"><code" in page and "```" not in page


def test_pictures_are_there(gjkd):
    page = gjkd.get("/docs/")
    pictures = re.findall(r'<img src="([^"]*)" alt="[^"]{10,}"', page.text)
    assert len(pictures) == page.text.count("<img") == 3
    for picture in pictures:
        reply = gjkd.get(picture)
        assert reply.headers["Content-Type"] == "image/png" and reply.content.startswith(b"\x89PNG")
    assert "img-src 'self'" in page.headers["Content-Security-Policy"]


def test_pages_name_all_pages(gjkd):
    text = gjkd.get("/docs/guide").text
    for page in PAGES:
        assert f'href="/docs/{page.removesuffix("index")}"' in text, page
    assert text.count("aria-current") == 1
    assert {path.stem for path in GUIDE.glob("*.md")} <= set(PAGES)


def test_no_other_file(gjkd):
    for path in ("/docs", "/docs/nope", "/docs/index.html", "/docs/guide.html", "/docs/..%2Fopenapi.json",
                 "/docs/..%2Fplayground%2Findex", "/docs/" + "x" * 300, "/docs/guide/x"):
        problem.check(gjkd.get(path), "route-not-found")
    problem.check(gjkd.put("/docs/guide", {}), "method-not-allowed")
