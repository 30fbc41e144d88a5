"""What the operator reads: a line a request, a line an event, and none that a client wrote."""

import hashlib
import json
import os
import re
import subprocess

import pytest

import problem
from daemon import BINARY, Daemon, clean_environment
from wire import Wire, eventually

pytestmark = pytest.mark.http

PAIR = {"a": {"type": "circle", "radius": 1},
        "b": {"type": "circle", "radius": 1, "position": [5, 0]}}
FIELD = re.compile(r'([a-z_]+)=("(?:[^"\\]|\\.)*"|[^ "]+)(?: |$)')


def parse_text(line):
    """A line of fields, every byte of it accounted for."""
    fields, at = {}, 0
    while at < len(line):
        match = FIELD.match(line, at)
        assert match and match[1] not in fields, line
        fields[match[1]] = json.loads(match[2]) if match[2].startswith('"') else match[2]
        at = match.end()
    return fields


def lines(daemon, form="json"):
    text = daemon.stderr().decode("ascii")
    assert text == "" or text.endswith("\n")
    return [json.loads(line) if form == "json" else parse_text(line)
            for line in text.splitlines()]


def of_request(daemon, request_id, form="json"):
    """The one line of a request; it is written just after the answer."""
    assert eventually(lambda: any(l.get("id") == request_id for l in lines(daemon, form)))
    found = [line for line in lines(daemon, form) if line.get("id") == request_id]
    assert len(found) == 1, "one line a request"
    return found[0]


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_line_a_request(start, form):
    daemon = start("--access-log", "--log-format", form)
    body = json.dumps(PAIR)
    reply = daemon.call("POST", "/v1/distance", data=body,
                        headers={"Content-Type": "application/json", "X-Request-Id": "one"})
    line = of_request(daemon, "one", form)
    assert line["method"] == "POST" and line["route"] == line["path"] == "/v1/distance"
    assert int(line["status"]) == 200 and int(line["queries"]) == 1
    assert int(line["bytes_in"]) == len(body) and int(line["bytes_out"]) == len(reply.content)
    assert 0 < float(line["duration"]) < 20 and line["level"] == "info"
    assert re.fullmatch(r"127\.0\.0\.1:\d+", line["peer"])
    assert line["client"] == "127.0.0.1" and "token" not in line
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", line["time"])


def test_who_asks_through_a_proxy(start, tmp_path):
    """The client that a trusted proxy speaks for, and the name of the token, not the token."""
    tokens = tmp_path / "tokens"
    tokens.write_text(f"reader {hashlib.sha256(b's3cr3t').hexdigest()} read\n")
    daemon = start("--access-log", "--log-format", "json", "--trusted-proxy", "127.0.0.1",
                   "--token-file", str(tokens))
    for token, status, name in (("s3cr3t", 200, "reader"), ("s3cr3tt", 401, None)):
        reply = daemon.get("/v1", headers={
            "Authorization": f"Bearer {token}", "X-Request-Id": f"as-{status}",
            "X-Forwarded-For": "198.51.100.7, 203.0.113.9"})
        assert reply.status_code == status
        line = of_request(daemon, f"as-{status}")
        assert line["client"] == "203.0.113.9" and line.get("token") == name
    assert b"s3cr3t" not in daemon.stderr()


def test_without_the_flag_there_is_none(start):
    daemon = start()
    assert daemon.post("/v1/distance", PAIR).status_code == 200
    assert "/v1/distance" not in daemon.stderr().decode()


def test_what_is_refused_has_a_line_too(start):
    daemon = start("--access-log", "--log-format", "json")
    for number, (path, status, route) in enumerate([
            ("/v1/sets/none/detect", 404, "/v1/sets/{set}/detect"), ("/nope", 404, "none"),
            ("/v1/detect?x=1", 400, "/v1/detect")]):
        reply = daemon.post(path, {}, headers={"X-Request-Id": f"r{number}"})
        assert reply.status_code == status
        line = of_request(daemon, f"r{number}")
        assert line["status"] == status and line["route"] == route and line["queries"] == 0
        assert line["path"] == path.split("?")[0]


def test_a_client_that_leaves_has_a_line(start):
    daemon = start("--access-log", "--log-format", "json")
    with Wire(daemon) as wire:
        wire.send(b"POST /v1/detect HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: gone\r\n"
                  b"Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{")
    assert of_request(daemon, "gone")["status"] == 0


@pytest.mark.parametrize("form", ["text", "json"])
def test_no_line_is_forged(start, form):
    """Whatever a client sends, there is one line a request and every line parses."""
    daemon = start("--access-log", "--log-format", form)
    evil = [b"/v1/sets/a%0Atime=1", b'/v1/sets/"}\xff{"', b"/\x1b[2Jx", b"/a\\", b"/a=b status=200",
            b"/" + b"\xc3\xa9" * 300]
    sent = 0
    for path in evil:
        path = path.replace(b" ", b"\x0b")  # a blank would end the target
        with Wire(daemon) as wire:
            wire.send(b"GET " + path + b" HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: x\" status=1"
                      b"\r\nUser-Agent: forged\\u000a\r\nConnection: close\r\n\r\n")
            answer = wire.rest()
        sent += b"X-Request-Id: " in answer
    assert sent > 0
    assert eventually(lambda: sum("route" in l for l in lines(daemon, form)) >= sent)
    requests = [line for line in lines(daemon, form) if "route" in line]
    assert len(requests) == sent
    for line in requests:
        assert line["status"] not in (1, "1") and line["route"] in ("none", "/v1/sets/{set}")
        assert re.fullmatch(r"[0-9a-f]{16}", line["id"])
        assert len(line["path"]) <= 512 and "forged" not in json.dumps(line)


def test_nothing_of_bodies_parameters_and_headers(start):
    daemon = start("--access-log", "--log-format", "json")
    secret = "s3cr3t"
    daemon.post(f"/v1/sets/x/detect?{secret}=1", {"a": secret},
                headers={"Authorization": f"Bearer {secret}", "Cookie": secret,
                         "X-Request-Id": "quiet"})
    of_request(daemon, "quiet")
    assert secret not in daemon.stderr().decode()


@pytest.mark.parametrize("given, kept", [
    ("abc", True), ("4bf92f35-77b3-4da6-a3ce-929d0e0e4736", True), ("x" * 128, True),
    ("x" * 129, False), ("a b", False), ('"', False), ("a\tb", False), ("é", False), (None, False)])
def test_request_ids(gjkd, given, kept):
    with Wire(gjkd) as wire:
        wire.request("GET", "/livez", headers=[f"X-Request-Id: {given}"] if given else [])
        answered = wire.reply().headers["x-request-id"]
    assert answered == given if kept else re.fullmatch(r"[0-9a-f]{16}", answered)


def test_fresh_ids_differ(gjkd):
    ids = [gjkd.get("/livez").headers["X-Request-Id"] for _ in range(20)]
    assert len(set(ids)) == 20
    assert problem.check(gjkd.get("/nope"), "route-not-found") is not False
    assert gjkd.get("/nope").headers["X-Request-Id"]


def timing(reply):
    entries = [e.split(";dur=") for e in reply.headers["Server-Timing"].split(", ")]
    return {name: float(value) for name, value in entries}


def test_server_timing(gjkd, name):
    parts = timing(gjkd.post("/v1/distance", PAIR))
    assert list(parts) == ["queue", "decode", "run", "total"]
    assert parts["total"] + 0.01 >= parts["queue"] + parts["decode"] + parts["run"]
    hull = {"type": "hull", "points": [[i % 7, i % 5, i % 3] for i in range(105)]}
    gjkd.store(name, {"dimension": 3, "shapes": {f"h{i}": hull for i in range(60)}})
    parts = timing(gjkd.post(f"/v1/sets/{name}/detect", {}))
    assert parts["run"] > 1 and parts["run"] <= parts["total"] + 0.01, "milliseconds"
    assert "total" in timing(gjkd.get("/nope"))


def test_levels(start):
    quiet = start("--log-level", "error")
    quiet.signal()
    assert quiet.wait() == 0 and quiet.stderr() == b""
    told = start("--log-format", "json")
    told.signal()
    assert told.wait() == 0
    messages = [l["message"] for l in lines(told) if l["level"] == "info"
                and not l["message"].startswith("sandbox: left out")]  # builds with instruments
    assert len(messages) == 3 and str(told.port) in messages[0]
    assert "SIGTERM" in messages[1] and "answered" in messages[2]
    strangers = start("--insecure", "--log-level", "warning",
                      listen=("--listen", "127.0.0.1:0")).stderr()
    assert strangers == b"", "nothing to warn of on loopback"


def test_a_log_that_nobody_reads_holds_nobody_up():
    """Standard error is a pipe that is full: requests go on, and dropped lines are counted."""
    read_end, write_end = os.pipe()
    process = subprocess.Popen([BINARY, "--listen", "127.0.0.1:0", "--access-log"],
                               env=clean_environment(), stdout=subprocess.PIPE, stderr=write_end)
    os.close(write_end)

    class Place:
        host = "127.0.0.1"
        port = int(re.search(rb":(\d+)/", process.stdout.readline())[1])

    path = "/" + "x" * 500
    with Wire(Place) as wire:
        for _ in range(400):
            wire.request("GET", path)
            assert wire.reply().status == 404
        wire.request("GET", "/metrics")
        dropped = re.search(r"^gjkd_log_lines_dropped_total (\d+)$", wire.reply().text, re.M)
    assert int(dropped[1]) > 200
    process.terminate()
    assert process.wait(20) == 0
    process.stdout.close()
    os.close(read_end)
