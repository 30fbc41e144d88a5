"""The command line and the environment."""

import re
import socket
import subprocess
import time

import pytest
import requests

from daemon import BINARY, clean_environment, run_to_end
from wire import Wire, eventually

pytestmark = pytest.mark.http


def test_version():
    ended = run_to_end("--version")
    assert ended.returncode == 0 and re.fullmatch(r"gjkd \d+\.\d+\.\d+\S*\n", ended.stdout)


def test_help_names_every_flag():
    ended = run_to_end("--help")
    assert ended.returncode == 0 and ended.stderr == ""
    for flag in ("--listen", "--io-threads", "--workers", "--demo", "--max-body", "--insecure",
                 "--version", "--help"):
        assert flag in ended.stdout
    assert "GJKD_LISTEN" in ended.stdout


@pytest.mark.parametrize("flags", [
    ["--frobnicate"], ["--listen"], ["--listen", "nowhere"], ["--listen", "127.0.0.1:99999"],
    ["--listen", "127.0.0.1"], ["--io-threads", "0"], ["--io-threads", "many"],
    ["--workers", "-1"], ["--max-body", "12x"], ["stray"]])
def test_bad_flags(flags):
    ended = run_to_end(*flags)
    assert ended.returncode > 0 and ended.stdout == ""
    assert flags[0].lstrip("-") in ended.stderr, "it says which"


def test_a_bad_environment():
    ended = run_to_end(env={"GJKD_IO_THREADS": "many"})
    assert ended.returncode > 0 and "GJKD_IO_THREADS" in ended.stderr


def test_the_environment(start):
    daemon = start(listen=(), env={"GJKD_LISTEN": "127.0.0.1:0", "GJKD_MAX_BODY": "5000",
                                   "GJKD_DEMO": "1"})
    assert daemon.get("/v1").json()["limits"]["body_bytes_max"] == 5000
    assert daemon.get("/v1/sets/arena2d?fields=summary").status_code == 200


def test_a_flag_beats_the_environment(start):
    daemon = start("--max-body", "6000", env={"GJKD_MAX_BODY": "5000",
                                              "GJKD_LISTEN": "256.1.1.1:1"})
    assert daemon.get("/v1").json()["limits"]["body_bytes_max"] == 6000


def test_flags_with_an_equals_sign(start):
    daemon = start("--max-body=7000", "--io-threads=1", "--workers=1")
    assert daemon.get("/v1").json()["limits"]["body_bytes_max"] == 7000


def test_a_port_in_use_is_fatal(gjkd):
    ended = run_to_end("--listen", f"127.0.0.1:{gjkd.port}")
    assert ended.returncode > 0 and ended.stdout == ""
    assert str(gjkd.port) in ended.stderr
    assert gjkd.get("/livez").status_code == 200


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"])
def test_beyond_loopback_needs_a_word(address):
    ended = run_to_end("--listen", address)
    assert ended.returncode > 0 and ended.stdout == ""
    assert "--insecure" in ended.stderr


def test_another_loopback_address(start):
    daemon = start(listen=("--listen", "127.0.0.2:0"))
    assert daemon.host == "127.0.0.2" and daemon.get("/livez").status_code == 200


@pytest.mark.parametrize("threads", ["1", "2", "5"])
def test_any_number_of_threads(start, threads):
    daemon = start("--io-threads", threads, "--workers", threads)
    pair = {"a": {"type": "point"}, "b": {"type": "point", "position": [3, 4]}}
    for _ in range(20):
        with daemon.new_session() as session:
            assert daemon.ask("/v1/distance", pair, session=session)["distance"] == 5


def health(port):
    return run_to_end("--health-check", env={"GJKD_LISTEN": f"127.0.0.1:{port}"})


def test_the_health_check_asks_the_daemon(start):
    daemon = start()
    assert health(daemon.port).returncode == 0
    assert run_to_end("--health-check", "--listen", f"127.0.0.1:{daemon.port}").returncode == 0
    # A daemon that listens everywhere is asked at home.
    assert run_to_end("--health-check", "--listen", f"0.0.0.0:{daemon.port}").returncode == 0


def test_the_health_check_fails_without_a_daemon():
    with socket.socket() as taken:  # bound, and nobody listens
        taken.bind(("127.0.0.1", 0))
        ended = health(taken.getsockname()[1])
    assert ended.returncode == 1 and ended.stderr


def test_the_health_check_fails_while_draining(start):
    daemon = start()
    with Wire(daemon) as wire:
        wire.begin("/v1/detect", 2)
        daemon.signal()
        assert eventually(lambda: health(daemon.port).returncode == 1)
        wire.send(b"{}")
        assert wire.reply().status == 422


def test_allowed_hosts(start):
    daemon = start("--allowed-host", "gjkd.example,other.example")
    for host, status in (("gjkd.example", 200), ("GJKD.example:80", 200), ("other.example", 200),
                         ("localhost", 200), ("evil.example", 403), ("sub.gjkd.example", 403),
                         ("example", 403)):
        assert daemon.get("/v1", headers={"Host": host}).status_code == status, host


def test_the_drain_ends_by_itself(start):
    """A client that never sends the rest does not hold the daemon for ever."""
    daemon = start("--drain-timeout", "1s")
    with Wire(daemon) as wire:
        wire.begin("/v1/detect", 2)
        begin = time.monotonic()
        daemon.signal()
        assert daemon.wait() == 1
        assert 0.8 < time.monotonic() - begin < 60
    daemon.close()


@pytest.mark.parametrize("delay, timeout, wanted_s", [("0", "100s", 0), ("1.5s", "100s", 1.5),
                                                      ("100s", "2s", 1)])
def test_the_listener_stays_open_for_those_who_have_not_heard(start, delay, timeout, wanted_s):
    """So long new connections are answered, as the last on each; at most for half of the drain."""
    daemon = start("--drain-delay", delay, "--drain-timeout", timeout)
    begin = time.monotonic()
    daemon.signal()
    answered = 0
    while True:
        try:
            with daemon.new_session() as session:
                reply = daemon.get("/v1", session=session)
        except requests.ConnectionError:
            break
        assert reply.status_code == 200
        answered += 1
    assert (answered > 1 or wanted_s == 0) and -0.1 <= time.monotonic() - begin - wanted_s <= 25
    assert daemon.wait() == 0
    daemon.close()


def test_ipv6(start):
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        pytest.skip("this machine has no IPv6")
    process = subprocess.Popen([BINARY, "--listen", "[::1]:0"], env=clean_environment(),
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        match = re.fullmatch(rb"gjkd listening on http://\[::1\]:(\d+)/\n",
                             process.stdout.readline())
        with socket.create_connection(("::1", int(match[1])), 10) as connection:
            connection.sendall(b"GET /livez HTTP/1.1\r\nHost: [::1]\r\n\r\n")
            assert connection.recv(100).startswith(b"HTTP/1.1 200 ")
    finally:
        process.terminate()
        assert process.wait(20) == 0
        process.stdout.close()
