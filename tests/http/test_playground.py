"""GET / for a browser: a page that loads nothing from elsewhere."""

import re

import pytest

import problem

pytestmark = pytest.mark.http

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


def has_core(gjkd):
    """Is the core in WebAssembly embedded? It is where the build had a compiler for it."""
    return gjkd.get("/playground/core.wasm").status_code == 200


def test_a_browser_gets_the_page(gjkd):
    page = gjkd.get("/", headers={"Accept": BROWSER})
    assert page.status_code == 200
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    policy = page.headers["Content-Security-Policy"]
    scripts = "script-src 'self' 'wasm-unsafe-eval';" if has_core(gjkd) else "script-src 'self';"
    assert policy.startswith(f"default-src 'none'; {scripts}") and policy.count("unsafe") == has_core(gjkd)
    assert "http" not in policy
    assert "Accept, " in page.headers["Vary"]
    linked = re.findall(r'(?:src|href)="([^"]*)"', page.text)
    assert "/playground/playground.js" in linked and "/playground/playground.css" in linked
    for target in linked:
        assert target.startswith(("/", "data:")), "nothing from other hosts"
        if target.startswith("/"):
            assert gjkd.get(target).status_code == 200
    assert "<script>" not in page.text and not re.search(r"\son\w+=", page.text)


def test_a_program_gets_links(gjkd):
    for accept in ("application/json", "*/*", "application/json, text/html", None):
        reply = gjkd.get("/", headers={"Accept": accept})
        assert reply.headers["Content-Type"].startswith("application/json"), accept
        assert reply.json()["links"]["openapi"] == "/openapi.json"


PACKED_BYTES_MAX = 350_000


def test_its_files(gjkd):
    page = gjkd.get("/", headers={"Accept": BROWSER, "Accept-Encoding": "gzip"})
    seen, packed = {}, int(page.headers["Content-Length"])
    wanted = ["playground.js", "playground.css"]
    while wanted:
        name = wanted.pop()
        file = gjkd.get("/playground/" + name, headers={"Accept-Encoding": "gzip"})
        packed += int(file.headers["Content-Length"])
        seen[name] = file
        assert "http:" not in file.text and "https:" not in file.text
        wanted += set(re.findall(r'from "\./([^"]*)"', file.text)) - set(seen) - set(wanted)
    if has_core(gjkd):
        core = gjkd.get("/playground/core.wasm", headers={"Accept-Encoding": "gzip"})
        assert core.headers["Content-Type"] == "application/wasm" and core.content[:4] == b"\0asm"
        packed += int(core.headers["Content-Length"])
    assert packed < PACKED_BYTES_MAX
    for name, file in seen.items():
        if name.endswith(".js"):
            assert file.headers["Content-Type"] == "text/javascript; charset=utf-8"
            assert "innerHTML" not in file.text and "eval(" not in file.text
    style = gjkd.get("/playground/playground.css")
    assert style.headers["Content-Type"] == "text/css; charset=utf-8" and "url(" not in style.text
    for path in ("/playground/index.html", "/playground/nope.js", "/playground/epa.png", "/playground/core.js.wasm", "/playground/..%2Fopenapi.json",
                 "/playground/" + "x" * 300):
        problem.check(gjkd.get(path), "route-not-found")
    problem.check(gjkd.get("/playground"), "route-not-found")
