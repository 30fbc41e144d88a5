"""https: certificates, versions of TLS, and the same protocol above it."""

import contextlib
import os
import re
import socket
import ssl
import subprocess
import time

import pytest

import problem
from daemon import Daemon, run_to_end
from wire import Wire, eventually

pytestmark = pytest.mark.http

PAIR = b'{"a": {"type": "point"}, "b": {"type": "point", "position": [3, 4]}}'


EC = ["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]


def make(folder, name, days="3", algorithm=EC):
    """A key and a certificate for 127.0.0.1 that nobody but the test trusts."""
    key, cert = folder / f"{name}.key", folder / f"{name}.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", *algorithm, "-nodes", "-keyout", str(key), "-out",
                    str(cert), "-days", days, "-subj", f"/CN={name}", "-addext",
                    "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
    return str(cert), str(key)


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    return make(tmp_path_factory.mktemp("tls"), "first")


def flags(pair):
    return ["--tls-cert", pair[0], "--tls-key", pair[1]]


@pytest.fixture
def secure(start, pair):
    daemon = start(*flags(pair))
    daemon.session.verify = pair[0]
    return daemon


class SecureWire(Wire):
    def __init__(self, daemon, cert, **options):
        super().__init__(daemon, **options)
        context = ssl.create_default_context(cafile=cert)
        self.socket = context.wrap_socket(self.socket, server_hostname="127.0.0.1")


def test_the_listening_line_and_an_answer(secure):
    assert secure.line.startswith(b"gjkd listening on https://127.0.0.1:")
    reply = secure.call("POST", "/v1/distance", data=PAIR,
                        headers={"Content-Type": "application/json"})
    assert reply.status_code == 200 and reply.json()["distance"] == 5


def test_pipelines_workers_and_large_answers(secure, pair):
    shapes = {f"s{i}": {"type": "circle", "radius": 1} for i in range(5000)}
    secure.store("many", {"dimension": 2, "shapes": shapes})
    with SecureWire(secure, pair[0]) as wire:
        for _ in range(20):
            wire.request("POST", "/v1/distance", PAIR)
            wire.request("POST", "/v1/distance", PAIR + b" " * 100000)
        for _ in range(40):
            assert wire.reply().json()["distance"] == 5
        wire.request("GET", "/v1/sets/many")
        assert len(wire.reply().json()["shapes"]) == 5000


def test_a_head_that_leaves_no_memory_is_answered(secure, pair):
    with SecureWire(secure, pair[0]) as wire:
        wire.request("GET", "/v1", headers=["X: " + "y" * 16000])
        problem.check(wire.reply(), "headers-too-large")
        assert wire.closes(10)


def test_many_connections(secure, pair):
    wires = [SecureWire(secure, pair[0]) for _ in range(40)]
    for _ in range(3):
        for wire in wires:
            wire.request("POST", "/v1/distance", PAIR)
        assert all(wire.reply().status == 200 for wire in wires)
    for wire in wires:
        wire.socket.close()


def test_a_refused_body_is_answered(start, pair):
    daemon = start(*flags(pair), "--max-body=1000")
    daemon.session.verify = pair[0]
    reply = daemon.call("POST", "/v1/detect", data=b" " * 300000,
                        headers={"Content-Type": "application/json"})
    problem.check(reply, "body-too-large", limit=1000)


def curl(daemon, *options):
    return subprocess.run(["curl", "-sS", "--max-time", "20", *options, daemon.url + "/livez"],
                          capture_output=True, text=True)


def test_curl_trusts_it_only_when_told(secure, pair):
    assert "ok" in curl(secure, "--cacert", pair[0]).stdout
    assert "ok" in curl(secure, "--cacert", pair[0], "--tls-max", "1.2").stdout
    assert curl(secure).returncode == 60, "nobody else vouches for the certificate"


@pytest.mark.parametrize("version, accepted", [("-tls1", False), ("-tls1_1", False),
                                               ("-tls1_2", True), ("-tls1_3", True)])
def test_versions(secure, version, accepted):
    ended = subprocess.run(
        ["openssl", "s_client", "-connect", f"127.0.0.1:{secure.port}", version, "-cipher",
         "ALL:@SECLEVEL=0"], input="", capture_output=True, text=True, timeout=20)
    assert ("Cipher is (NONE)" not in ended.stdout) == accepted, ended.stdout


def negotiated(daemon, suite):
    """The cipher suite of a TLS 1.2 handshake in which the client offers only this one, or None."""
    ended = subprocess.run(
        ["openssl", "s_client", "-connect", f"127.0.0.1:{daemon.port}", "-tls1_2", "-cipher",
         suite + ":@SECLEVEL=0"], input="", capture_output=True, text=True, timeout=20)
    assert "no cipher match" not in ended.stderr, "openssl has the suite"
    found = re.search(r"Cipher is (\S+)", ended.stdout)
    return None if found is None or found[1] == "(NONE)" else found[1]


@pytest.fixture(scope="module")
def secure_rsa(tmp_path_factory):
    pair = make(tmp_path_factory.mktemp("rsa"), "rsa", algorithm=["rsa:2048"])
    daemon = Daemon(*flags(pair))
    yield daemon
    daemon.stop()


@pytest.mark.parametrize("suite, accepted", [
    ("ECDHE-RSA-AES128-GCM-SHA256", True), ("ECDHE-RSA-AES256-GCM-SHA384", True),
    ("ECDHE-RSA-CHACHA20-POLY1305", True),
    ("ECDHE-RSA-AES128-SHA256", False), ("ECDHE-RSA-AES256-SHA", False),  # CBC
    ("AES128-GCM-SHA256", False), ("AES256-GCM-SHA384", False),  # static RSA
    ("AES256-SHA", False)])  # both
def test_cipher_suites(secure_rsa, suite, accepted):
    assert negotiated(secure_rsa, suite) == (suite if accepted else None)


@pytest.mark.parametrize("mode, warned", [(0o600, False), (0o400, False), (0o640, True),
                                          (0o604, True), (0o602, True)])
def test_a_key_that_others_can_read_is_warned_about(start, tmp_path, mode, warned):
    cert, key = make(tmp_path, "first")
    os.chmod(key, mode)
    errors = start("--log-level=warning", "--tls-cert", cert, "--tls-key", key).stderr().decode()
    assert (f"{key} has mode {mode:04o}" in errors) == warned
    assert errors.count("level=warning") == warned, "a certificate is public"


@pytest.mark.parametrize("junk", [b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n", b"\0" * 600,
                                  b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 64])
def test_what_is_no_handshake(secure, junk):
    with Wire(secure) as wire:
        wire.send(junk)
        with contextlib.suppress(OSError):  # it may have been closed already
            wire.socket.shutdown(socket.SHUT_WR)
        rest = wire.rest(10)
        assert rest is not None and b"HTTP/1" not in rest and b"status" not in rest
    assert secure.get("/livez").status_code == 200


def test_plain_and_secure_do_not_mix(gjkd):
    ended = curl(gjkd, "-k", "--proto", "=https,http")
    assert "ok" in ended.stdout
    https = subprocess.run(["curl", "-sSk", "--max-time", "20",
                            gjkd.url.replace("http:", "https:") + "/livez"], capture_output=True)
    assert https.returncode != 0


def bad_pairs(folder, pair):
    other = make(folder, "other")
    garbage = folder / "garbage"
    garbage.write_text("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
    empty = folder / "empty"
    empty.write_text("")
    return [(pair[0], other[1]), (str(garbage), pair[1]), (str(empty), pair[1]),
            (pair[0], str(empty)), (pair[0], str(folder / "nowhere")), (pair[1], pair[0]),
            (str(folder), pair[1])]


def test_bad_certificates_are_refused_at_the_start(tmp_path, pair):
    for cert, key in bad_pairs(tmp_path, pair):
        ended = run_to_end("--listen", "127.0.0.1:0", "--tls-cert", cert, "--tls-key", key)
        assert ended.returncode > 0 and ended.stdout == "", (cert, key)
        assert "for TLS" in ended.stderr and "PRIVATE" not in ended.stderr
        assert run_to_end("--check-config", "--tls-cert", cert, "--tls-key", key).returncode > 0
    assert run_to_end("--check-config", *flags(pair)).returncode == 0
    for flag in (["--tls-cert", pair[0]], ["--tls-key", pair[1]]):
        assert "go together" in run_to_end(*flag).stderr


def subject(daemon):
    with socket.create_connection((daemon.host, daemon.port), 10) as plain:
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        with context.wrap_socket(plain) as wrapped:
            return wrapped.getpeercert(binary_form=True)


def test_a_new_certificate_without_a_restart(start, tmp_path):
    cert, key = make(tmp_path, "first")
    daemon = start("--tls-cert", cert, "--tls-key", key)
    before = subject(daemon)
    with SecureWire(daemon, cert) as kept:
        kept.request("GET", "/livez")
        assert kept.reply().status == 200
        second = make(tmp_path, "second")
        for to, source in zip((cert, key), second):
            with open(source) as new, open(to, "w") as old:
                old.write(new.read())
        daemon.process.send_signal(1)
        assert eventually(lambda: subject(daemon) != before)
        kept.request("GET", "/livez")
        assert kept.reply().status == 200, "connections from before go on"
    after = subject(daemon)
    with open(key, "w") as broken:
        broken.write("nonsense")
    daemon.process.send_signal(1)
    assert eventually(lambda: b"keeping the certificate" in daemon.stderr())
    assert subject(daemon) == after


def test_the_health_check(secure, pair):
    listen = ["--listen", f"127.0.0.1:{secure.port}"]
    assert run_to_end("--health-check", *listen, *flags(pair)).returncode == 0
    assert run_to_end("--health-check", *listen).returncode == 1
    env = {"GJKD_LISTEN": listen[1], "GJKD_TLS_CERT": pair[0], "GJKD_TLS_KEY": pair[1]}
    assert run_to_end("--health-check", env=env).returncode == 0


def test_slow_handshakes_hold_up_nobody(start, pair):
    """Neither other clients nor the workers' answers, and they cost next to nothing."""
    daemon = start(*flags(pair), "--io-threads=1")
    daemon.session.verify = pair[0]
    slow = [Wire(daemon) for _ in range(10)]
    for wire in slow:
        wire.send(b"\x16\x03\x01")
    before = daemon.processor_seconds()
    began = time.monotonic()
    time.sleep(2)
    spent = (daemon.processor_seconds() - before) / (time.monotonic() - began)
    assert spent < 0.5, "a daemon that spins spends all of a processor"
    for _ in range(5):
        reply = daemon.call("POST", "/v1/distance", data=PAIR + b" " * 100000,
                            headers={"Content-Type": "application/json"})
        assert reply.status_code == 200 and reply.json()["distance"] == 5
    for wire in slow:
        wire.socket.close()


def test_a_slow_handshake_is_cut(start, pair):
    daemon = start(*flags(pair), "--request-timeout=1s")
    with Wire(daemon) as wire:
        wire.send(b"\x16\x03\x01")
        assert wire.closes(10)


@pytest.mark.parametrize("goes_on", [False, True])
def test_a_body_that_stalls_is_answered_504(secure, pair, goes_on):
    with SecureWire(secure, pair[0]) as wire:
        wire.send(b"POST /v1/distance HTTP/1.1\r\nHost: localhost\r\nGjkd-Timeout-Ms: 300\r\n"
                  b"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")
        if goes_on:
            for _ in range(30):
                wire.send(b" ")
                time.sleep(0.02)
        reply = wire.reply()
        problem.check(reply, "deadline-exceeded")
        assert reply.headers["connection"] == "close" and wire.closes(10)
    assert secure.get("/livez").status_code == 200
