"""Doubtful framing of requests, against a daemon on 127.0.0.1: nothing may be smuggled.

   framing.py [PORT]

Where libmicrohttpd is older than 1.0 (Debian 12's is 0.9.75), it answers a bad Content-Length twice.
Prints a line for each thing that went well.
"""

import re
import socket
import sys

HOST, PORT = "127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 8080
BODY = b'{"a": {"type": "point"}, "b": {"type": "point", "position": [3, 4]}}'
ANSWER = re.compile(rb"^HTTP/1\.1 (\d{3}) ", re.M)


def exchange(method, fields, body=b""):
    """All that the daemon says to a request until it closes, or is silent for a second."""
    with socket.create_connection((HOST, PORT), 10) as connection:
        connection.sendall(method + b" HTTP/1.1\r\nHost: localhost\r\n" + fields + b"\r\n" + body)
        said = b""
        connection.settimeout(1)
        try:
            while piece := connection.recv(65536):
                said += piece
        except (TimeoutError, ConnectionResetError):
            pass
    return said


def statuses(said):
    return [int(status) for status in ANSWER.findall(said)]


def folded_lines():
    """A line that begins with a blank is refused, and nothing after it is read as a request."""
    following = b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    for fields in (b"X-Request: smuggled\r\n -Id\r\n", b"X-Request:smuggled\r\n\t-Id: smuggled\r\n",
                   b"Content-: 37\r\n Length\r\n", b"Content-Length: 37\r\n x\r\n",
                   b"X-Other: a\r\n X-Request-Id: smuggled\r\n", b"X-Other:\r\n \r\n"):
        said = exchange(b"GET /livez", fields, following)
        assert statuses(said) == [400] and b"smuggled" not in said, (fields, said)
    print("  ok    a folded line is refused", flush=True)


def bad_lengths():
    """One answer, and none to what follows."""
    for length in (b"-1", b"x", b"0x10", b"+67", b"67, 1", b"9" * 23, b"6 7"):
        fields = b"Content-Type: application/json\r\nContent-Length: " + length + b"\r\n"
        said = exchange(b"POST /v1/distance", fields, BODY)
        assert statuses(said) in ([400], [413]), (length, said)
    print("  ok    a bad Content-Length is answered once", flush=True)


def two_lengths():
    """Whoever stands in front may have gone by the other one: refused, and the connection ends."""
    chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY)
    length = b"Content-Length: %d\r\n" % len(BODY)
    coding = b"Transfer-Encoding: chunked\r\n"
    for fields in (length + coding, coding + length, length + length, length + b"Content-Length: 1\r\n"):
        said = exchange(b"POST /v1/distance", b"Content-Type: application/json\r\n" + fields, chunked)
        assert statuses(said) == [400], (fields, said)
        assert re.search(rb"^connection: close\r$", said, re.M | re.I), (fields, said)
    print("  ok    Content-Length beside Transfer-Encoding, or twice, is refused", flush=True)


folded_lines()
bad_lengths()
two_lengths()
