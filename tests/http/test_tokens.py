"""Who may do what: tokens, their scopes and prefixes, and the ways around them."""

import hashlib
import json
import re

import pytest

import problem
from daemon import Daemon, run_to_end
from wire import Wire, eventually

TOKENS = {
    "reader": ("read", ""), "writer": ("read,write", ""), "admin": ("admin", ""),
    "red": ("write", "red-"), "red-reader": ("read", "red-"), "blue": ("write", "blue"),
    "mixed": ("write", "red-,blue:read,blue-2"),
}


def secret(name):
    return f"{name}-0123456789abcdef"


def line(name, scopes, prefix="", token=None):
    digest = hashlib.sha256((token or secret(name)).encode()).hexdigest()
    return f"{name} {digest} {scopes} {prefix}\n"


def bearer(name):
    return {"Authorization": f"Bearer {secret(name)}"}


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("tokens") / "tokens"
    path.write_text("# test\n" + "".join(line(n, *v) for n, v in TOKENS.items()))
    return str(path)


@pytest.fixture(scope="module")
def guarded(file):
    daemon = Daemon("--token-file", file, "--access-log")
    for name in ("red-1", "blue", "blue-1", "Red-1", "green"):
        reply = daemon.put(f"/v1/sets/{name}", {"dimension": 2, "shapes": {
            "a": {"type": "circle", "radius": 1}}}, headers=bearer("admin"))
        assert reply.status_code == 201
    yield daemon
    errors = daemon.stderr()
    daemon.stop()
    for name in TOKENS:
        assert secret(name).encode() not in errors, "a token stands in the log"
        assert hashlib.sha256(secret(name).encode()).hexdigest().encode() not in errors


def challenge(reply):
    return {k.lower(): v for k, v in reply.headers.items()}["www-authenticate"]


OPEN = ["/livez", "/readyz", "/healthz", "/openapi.json", "/gjkd.proto", "/problems/forbidden", "/"]
CLOSED = ["/v1", "/v1/sets", "/v1/sets/green", "/v1/sets/nowhere", "/metrics", "/nope", "/v1/detect",
          "/v1/sets/green/detect", "/v1/../livez", "//livez", "/livez/", "/LIVEZ", "/problems",
          "/livez%2F..%2Fv1"]


@pytest.mark.parametrize("path", OPEN)
@pytest.mark.http
def test_what_needs_no_token(guarded, path):
    assert guarded.get(path).status_code == 200
    assert guarded.get(path, headers={"Authorization": "Bearer wrong"}).status_code == 200


@pytest.mark.parametrize("path", CLOSED)
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "PATCH"])
def test_what_needs_one(guarded, method, path):
    with Wire(guarded) as wire:
        wire.request(method, path)
        reply = wire.reply()
    problem.check(reply, "unauthenticated")
    assert challenge(reply) == 'Bearer realm="gjkd"'


@pytest.mark.parametrize("header", [
    "Bearer wrong", "Bearer " + secret("reader")[:-1], "Bearer " + secret("reader") + "0",
    "Bearer " + secret("reader").upper(), "Bearer " + "x" * 7000,
    "Bearer " + hashlib.sha256(secret("reader").encode()).hexdigest(),
    f"Bearer {secret('reader')} {secret('reader')}", f'Bearer "{secret("reader")}"',
    f"Bearer {secret('reader')},", "Bearer \xff\xfe"])
def test_wrong_truncated_and_enormous_tokens(guarded, header):
    with Wire(guarded) as wire:
        wire.send(b"GET /v1 HTTP/1.1\r\nHost: x\r\nAuthorization: " + header.encode("latin-1") +
                  b"\r\n\r\n")
        reply = wire.reply()
        problem.check(reply, "unauthenticated")
        assert 'error="invalid_token"' in challenge(reply)
        assert secret("reader") not in reply.text


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ", "Basic cmVhZGVyOnNlY3JldA==",
                                    secret("reader"), "Token " + secret("reader"),
                                    "Bearer\t" + secret("reader")])
def test_no_token_at_all(guarded, header):
    reply = guarded.get("/v1", headers={"Authorization": header})
    problem.check(reply, "unauthenticated")


def test_a_token_beyond_all_limits(guarded):
    reply = guarded.get("/v1", headers={"Authorization": "Bearer " + "x" * 9000})
    assert reply.status_code == 431


def test_two_tokens(guarded):
    with Wire(guarded) as wire:
        wire.send(f"GET /v1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {secret('reader')}\r\n"
                  f"Authorization: Bearer {secret('admin')}\r\n\r\n".encode())
        problem.check(wire.reply(), "bad-request")


def test_the_scheme_is_a_word_of_any_case(guarded):
    assert guarded.get("/v1", headers={"Authorization": f"bEARER  {secret('reader')}"}
                       ).status_code == 200


def test_scopes(guarded):
    empty = {"dimension": 2}
    for name, reads, writes in (("reader", True, False), ("writer", True, True),
                                ("admin", True, True)):
        headers = bearer(name)
        assert guarded.get("/v1/sets", headers=headers).status_code == 200
        assert guarded.get("/metrics", headers=headers).status_code == 200
        assert guarded.post("/v1/sets/green/detect", {}, headers=headers).status_code == 200
        reply = guarded.put("/v1/sets/mine", empty, headers=headers)
        if writes:
            assert reply.status_code in (200, 201)
        for method, path in (("PUT", "/v1/sets/mine"), ("DELETE", "/v1/sets/mine"),
                             ("PATCH", "/v1/sets/mine"), ("PUT", "/v1/sets/nowhere/ticks/1")):
            reply = guarded.call(method, path, headers=headers, json=empty)
            if not writes:
                problem.check(reply, "forbidden", detail='the scope "write"; the token has "read"')
                assert 'error="insufficient_scope", scope="write"' in challenge(reply)
            else:
                assert reply.status_code not in (401, 403)


@pytest.mark.parametrize("path", [
    "/v1/sets/green", "/v1/sets/nowhere", "/v1/sets/Red-1", "/v1/sets/RED-1", "/v1/sets/red",
    "/v1/sets/..%2Fgreen", "/v1/sets/red-%2F..%2Fgreen/../green", "/v1/sets/%67reen",
    "/v1/sets/r%D0%B5d-1", "/v1/sets/%EF%BD%92ed-1", "/v1/sets/%20red-1", "/v1/sets/.red-1"])
@pytest.mark.parametrize("method, suffix", [("GET", ""), ("PUT", ""), ("DELETE", ""),
                                            ("POST", "/detect"), ("GET", "?fields=summary"),
                                            ("PATCH", ""), ("PUT", "/shapes/a"),
                                            ("GET", "/shapes/a"), ("DELETE", "/shapes/a"),
                                            ("GET", "/ticks"), ("PUT", "/ticks/1")])
def test_sets_outside_the_prefix(guarded, path, method, suffix):
    """Whether or not there is such a set, and however its name is written."""
    with Wire(guarded) as wire:
        wire.request(method, path + suffix, b'{"dimension": 2}' if method in ("PUT", "POST") else b"",
                     headers=[f"Authorization: Bearer {secret('red')}"])
        reply = wire.reply()
    if "/../" in path:  # no path of ours has so many pieces
        assert reply.status in (403, 404)
        assert "code" in reply.json() and reply.json()["code"] != "set-not-found"
    else:
        assert problem.check(reply, "forbidden")["detail"].endswith('begin with "red-"')


def test_sets_inside_the_prefix(guarded):
    headers = bearer("red")
    assert guarded.get("/v1/sets/red-1", headers=headers).status_code == 200
    assert guarded.get("/v1/sets/%72ed-1", headers=headers).status_code == 200
    problem.check(guarded.get("/v1/sets/red-9", headers=headers), "set-not-found")
    # Names are not paths: this one begins with the prefix, and there is no such set.
    problem.check(guarded.get("/v1/sets/red-%2F..%2Fgreen", headers=headers), "set-not-found")
    assert guarded.put("/v1/sets/red-2", {"dimension": 2}, headers=headers).status_code == 201
    assert guarded.call("DELETE", "/v1/sets/red-2", headers=headers).status_code == 204
    assert guarded.get("/v1/sets/blue-1", headers=bearer("blue")).status_code == 200
    assert guarded.post("/v1/detect", {"a": {"type": "point"}, "b": {"type": "point"}},
                        headers=headers).status_code == 200


@pytest.mark.parametrize("other", ["green", "nowhere", "Red-1", "blue"])
def test_against_a_set_outside_the_prefix(guarded, other):
    reply = guarded.post("/v1/sets/red-1/detect", {"against": other}, headers=bearer("red-reader"))
    problem.check(reply, "forbidden", pointer="/against")


@pytest.mark.parametrize("other", ["green", "nowhere", "Red-1", "blue"])
def test_obstacles_outside_the_prefix(guarded, other):
    shot = {"shooter": "me", "at": {"tick": 1}, "claim": {"id": "a"},
            "ray": {"origin": [0, 0], "direction": [1, 0]}, "policy": {"obstacles": other}}
    path, headers = "/v1/sets/red-1", bearer("red")
    assert guarded.put(path, {"dimension": 2, "history": {"ticks": 2}, "shapes": {
        "a": {"type": "circle", "radius": 1},
        "gun": {"type": "point", "group": "me"}}}, headers=headers).status_code == 200
    assert guarded.put(path + "/ticks/1", {}, headers=headers).status_code in (200, 201)
    reply = guarded.post(path + "/hit", shot, headers=headers)
    problem.check(reply, "forbidden", pointer="/policy/obstacles")
    assert guarded.post(path + "/hit", shot | {"policy": {"obstacles": "red-1"}}, headers=headers
                        ).status_code == 200


@pytest.mark.parametrize("other", ["green", "nowhere"])
def test_a_query_of_a_batch_outside_the_prefix(guarded, other):
    """It fails, and the others do not."""
    queries = [{"op": "detect", "against": other}, {"op": "detect", "against": "red-1"}]
    reply = guarded.post("/v1/sets/red-1/batch", {"queries": queries}, headers=bearer("red"))
    assert reply.status_code == 200
    first, second = reply.json()["results"]
    assert first["error"]["code"] == "forbidden" and first["error"]["status"] == 403
    assert "pairs" in second


def test_against_a_set_inside_the_prefix(guarded):
    reply = guarded.post("/v1/sets/red-1/detect", {"against": "red-1"}, headers=bearer("red"))
    assert reply.status_code == 200


def listed(daemon, name, query=""):
    reply = daemon.get("/v1/sets" + query, headers=bearer(name))
    assert reply.status_code == 200
    return [s["name"] for s in reply.json()["sets"]]


def test_the_list_shows_what_the_prefix_covers(guarded):
    assert listed(guarded, "red") == ["red-1"]
    assert listed(guarded, "blue") == ["blue", "blue-1"]
    assert listed(guarded, "red", "?prefix=r") == ["red-1"]
    assert listed(guarded, "red", "?prefix=red-1") == ["red-1"]
    assert listed(guarded, "red", "?prefix=green") == []
    assert listed(guarded, "red", "?prefix=R") == []
    assert listed(guarded, "red", "?cursor=blue") == ["red-1"]
    assert listed(guarded, "red", "?cursor=red-1") == []
    assert listed(guarded, "blue", "?limit=1") == ["blue"]
    assert set(listed(guarded, "reader")) >= {"red-1", "blue", "blue-1", "Red-1", "green"}


def test_a_list_of_prefixes(guarded):
    """The longest prefix counts, and tells whether the token can write there."""
    headers = bearer("mixed")
    for name in ("red-1", "blue", "blue-1"):
        assert guarded.get(f"/v1/sets/{name}", headers=headers).status_code == 200
        assert guarded.post(f"/v1/sets/{name}/detect", {"against": "blue"}, headers=headers
                            ).status_code == 200
    assert guarded.call("PATCH", "/v1/sets/red-1", json={}, headers=headers).status_code == 200
    for method, path in (("PATCH", "/v1/sets/blue"), ("DELETE", "/v1/sets/blue-1"),
                         ("PUT", "/v1/sets/blue-1/shapes/a"), ("PUT", "/v1/sets/blue/ticks/1"),
                         ("POST", "/v1/sets/blue/ticks/1"), ("PUT", "/v1/sets/blue-nowhere")):
        reply = guarded.call(method, path, headers=headers, json={"dimension": 2})
        problem.check(reply, "forbidden",
                      detail='the token can only read sets whose names begin with "blue"')
    assert guarded.put("/v1/sets/blue-2x", {"dimension": 2}, headers=headers).status_code == 201
    assert guarded.call("DELETE", "/v1/sets/blue-2x", headers=headers).status_code == 204
    for name in ("green", "nowhere", "Red-1", "red", "bluf"):
        problem.check(guarded.get(f"/v1/sets/{name}", headers=headers), "forbidden",
                      detail='one of "red-,blue:read,blue-2"')
    problem.check(guarded.post("/v1/sets/red-1/detect", {"against": "green"}, headers=headers),
                  "forbidden", pointer="/against")


@pytest.mark.http
def test_the_list_and_an_export_show_all_prefixes(guarded):
    names = ["blue", "blue-1", "red-1"]
    assert listed(guarded, "mixed") == names
    assert listed(guarded, "mixed", "?prefix=blue-") == ["blue-1"]
    assert listed(guarded, "mixed", "?prefix=green") == []
    assert listed(guarded, "mixed", "?prefix=r") == ["red-1"]
    told, cursor = [], ""
    while cursor is not None:
        reply = guarded.get(f"/v1/sets?limit=1{cursor}", headers=bearer("mixed")).json()
        told += [s["name"] for s in reply["sets"]]
        cursor = reply["next"] and "&cursor=" + reply["next"]
    assert told == names
    lines = guarded.get("/v1/export", headers=bearer("mixed")).text.splitlines()
    assert [json.loads(line)["name"] for line in lines] == names


@pytest.mark.http
def test_an_import_to_a_set_that_can_only_be_read(guarded):
    reply = guarded.call("POST", "/v1/import", data=b'{"name":"blue-9","dimension":2}\n',
                         headers=bearer("mixed") | {"Content-Type": "application/x-ndjson"})
    problem.check(reply, "forbidden", pointer="/1/name")
    problem.check(guarded.get("/v1/sets/blue-9", headers=bearer("mixed")), "set-not-found")


@pytest.mark.parametrize("prefix, told", [
    ("a-,", "line 1: prefix 2 of the list is empty: take out a comma"),
    ("a-:write", "line 1: behind prefix 1 only :read can stand"),
    ("a-,b- c-", "line 1: a line is NAME SHA256-HEX SCOPES [PREFIX[:read],...], without blanks"),
    ("a-,a-:read", "line 1: prefix 2 stands twice: keep one of the two")])
def test_a_mistake_in_the_list_ends_the_start(tmp_path, prefix, told):
    path = tmp_path / "tokens"
    path.write_text(line("one", "read", prefix))
    path.chmod(0o600)
    ended = run_to_end("--token-file", str(path))
    assert ended.returncode != 0 and told in ended.stderr


# Who asks comes first (401), then whether that can be done at all (404, 405), then whether the
# token allows it (403), and only then what is there (404).
ORDER = {
    # method, path: without a token, a wrong one, reader, writer, red (writes red-*)
    ("FROB", "/v1/sets/green"): (401, 401, 405, 405, 405),
    ("FROB", "/v1/sets/nowhere"): (401, 401, 405, 405, 405),
    ("POST", "/v1/sets/green"): (401, 401, 405, 405, 405),
    ("DELETE", "/v1/sets"): (401, 401, 405, 405, 405),
    ("PUT", "/v1/sets/green/detect"): (401, 401, 405, 405, 405),
    ("GET", "/v1/detect"): (401, 401, 405, 405, 405),
    ("OPTIONS", "/v1"): (401, 401, 405, 405, 405),
    ("PATCH", "/metrics"): (401, 401, 405, 405, 405),
    ("FROB", "/nope"): (401, 401, 404, 404, 404),
    ("GET", "/v1/nope"): (401, 401, 404, 404, 404),
    ("DELETE", "/v1/sets/green/nope"): (401, 401, 404, 404, 404),
    ("FROB", "/livez"): (405, 405, 405, 405, 405),
    ("POST", "/openapi.json"): (405, 405, 405, 405, 405),
    ("DELETE", "/problems/forbidden"): (405, 405, 405, 405, 405),
    ("DELETE", "/v1/sets/nowhere"): (401, 401, 403, 404, 403),
    ("DELETE", "/v1/sets/red-nowhere"): (401, 401, 403, 404, 404),
    ("PATCH", "/v1/sets/green/shapes/none"): (401, 401, 403, 415, 403),
    ("GET", "/v1/sets/nowhere"): (401, 401, 404, 404, 403),
    ("HEAD", "/v1/sets/green"): (401, 401, 200, 200, 403),
    ("GET", "/v1/sets/green?nope=1"): (401, 401, 400, 400, 403),
}


@pytest.mark.parametrize("method, path", ORDER)
@pytest.mark.http
def test_the_order_of_refusals(guarded, method, path):
    tokens = [{}, {"Authorization": "Bearer wrong"}, *map(bearer, ("reader", "writer", "red"))]
    answers = []
    for headers in tokens:
        body = b"{}" if method == "PATCH" else None
        reply = guarded.call(method, path, headers=headers, data=body)
        answers.append(reply.status_code)
        told = {k.lower() for k in reply.headers}
        assert ("allow" in told) == (reply.status_code == 405)
        assert "www-authenticate" in told or reply.status_code != 401
        if reply.status_code == 405 and method != "HEAD":
            assert method not in reply.headers["Allow"].split(", ")
    assert tuple(answers) == ORDER[method, path]


@pytest.mark.parametrize("method, path", [k for k, v in ORDER.items() if v[0] == 405 or
                                          v[2] in (404, 405)])
def test_the_order_where_nobody_is_asked(gjkd, method, path):
    """The same without tokens, as for one who may do all there is."""
    reply = gjkd.call(method, path)
    assert reply.status_code == ORDER[method, path][3]
    assert ("Allow" in reply.headers) == (reply.status_code == 405)


def test_with_tokens_any_host_will_do(guarded):
    assert guarded.get("/v1", headers={"Host": "gjkd.example", **bearer("reader")}
                       ).status_code == 200


def test_nothing_secret_in_metrics_and_problems(guarded):
    guarded.get("/v1", headers=bearer("reader"))
    texts = [guarded.get("/metrics", headers=bearer("reader")).text,
             guarded.get("/v1/sets/green", headers=bearer("red")).text,
             guarded.put("/v1/sets/green", {}, headers=bearer("reader")).text]
    for text in texts:
        for name in TOKENS:
            assert secret(name) not in text
            assert hashlib.sha256(secret(name).encode()).hexdigest() not in text


def test_a_reload_adds_and_removes(start, tmp_path):
    path = tmp_path / "tokens"
    path.write_text(line("old", "read"))
    daemon = start("--token-file", str(path))

    def may(name):  # on a connection of its own, since that of a removed token ends
        return daemon.get("/v1", headers=bearer(name) | {"Connection": "close"}).status_code == 200
    assert may("old") and not may("new")
    path.write_text(line("new", "read"))
    daemon.process.send_signal(1)
    assert eventually(lambda: may("new"))
    assert not may("old"), "removed, and so refused"
    path.write_text(line("newer", "read") + "nonsense\n")
    daemon.process.send_signal(1)
    assert eventually(lambda: b"line 2" in daemon.stderr())
    assert may("new") and not may("newer"), "a bad file changes nothing"
    path.unlink()
    daemon.process.send_signal(1)
    assert eventually(lambda: b"No such file" in daemon.stderr())
    assert may("new")


def test_a_hangup_without_tokens_does_no_harm(start):
    daemon = start()
    daemon.process.send_signal(1)
    assert eventually(lambda: b"SIGHUP" in daemon.stderr())
    assert daemon.get("/v1").status_code == 200


@pytest.mark.concurrency
def test_reloads_under_load(start, file):
    daemon = start("--token-file", file, "--io-threads=2")
    wires = [Wire(daemon) for _ in range(8)]
    head = [f"Authorization: Bearer {secret('red')}"]
    for i in range(60):
        for wire in wires:
            wire.request("GET", "/v1/sets", headers=head)
        daemon.process.send_signal(1)
        assert all(wire.reply().status == 200 for wire in wires)
    for wire in wires:
        wire.socket.close()


def test_bad_token_files(tmp_path):
    path = tmp_path / "tokens"
    path.write_text("me 1234 read\n")
    for flags in (["--token-file", str(path)], ["--check-config", "--token-file", str(path)]):
        ended = run_to_end("--listen", "127.0.0.1:0", *flags)
        assert ended.returncode > 0 and ended.stdout == ""
        assert f"{path}, line 1" in ended.stderr and "1234" not in ended.stderr
    ended = run_to_end("--token-file", str(tmp_path / "nowhere"))
    assert ended.returncode > 0 and "No such file" in ended.stderr


@pytest.mark.parametrize("mode, warned", [(0o600, False), (0o640, True), (0o604, True)])
def test_a_token_file_that_others_can_read_is_warned_about(start, tmp_path, mode, warned):
    path = tmp_path / "tokens"
    path.write_text(line("me", "read"))
    path.chmod(mode)
    errors = start("--token-file", str(path), "--log-level=warning").stderr().decode()
    assert errors.count("level=warning") == warned
    assert (f"{path} has mode {mode:04o}" in errors) == warned


def test_beyond_loopback_with_tokens(file):
    assert run_to_end("--check-config", "--listen", "0.0.0.0:0", "--token-file", file
                      ).returncode == 0


def test_the_configuration_shows_no_tokens(file):
    shown = run_to_end("--print-config", "--token-file", file).stdout
    assert f"token-file = {file}  ; flag" in shown
    assert not re.search(r"[0-9a-f]{64}", shown)
