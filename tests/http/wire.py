"""HTTP by hand, for what no client library would send."""

import json
import socket
import struct
import time

import contract

TIMEOUT_S = 60


class Reply:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers  # lower-case name -> value of its last line
        self.body = body

    # The names that requests uses, so that problem.check takes either.
    @property
    def status_code(self):
        return self.status

    def json(self):
        return json.loads(self.body)

    @property
    def text(self):
        return self.body.decode()


class Wire:
    """A connection. send() bytes, reply() parses the next answer."""

    def __init__(self, daemon, timeout=TIMEOUT_S):
        self.socket = socket.create_connection((daemon.host, daemon.port), timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.host = f"{daemon.host}:{daemon.port}"
        self.buffer = b""
        self.asked = []  # requests whose answers are due; None once bytes were sent by hand

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        self.asked = None
        self.socket.sendall(data)

    def request(self, method, path, body=b"", headers=()):
        """One well-formed request; `headers` are lines without their ends."""
        lines = [f"{method} {path} HTTP/1.1", f"Host: {self.host}", *headers]
        if body:
            lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
        if self.asked is not None:
            self.asked.append((method, path, dict(line.split(": ", 1) for line in lines[1:]), body))
        self.socket.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)

    def begin(self, path, length):
        """Sends the head of a POST with so many bytes of JSON, and waits until the daemon has read it."""
        self.send(f"POST {path} HTTP/1.1\r\nHost: {self.host}\r\nContent-Type: application/json\r\n"
                  f"Content-Length: {length}\r\nExpect: 100-continue\r\n\r\n".encode())
        assert self.reply().status == 100

    def _more(self):
        piece = self.socket.recv(65536)
        if not piece:
            raise EOFError(f"closed after {self.buffer!r}")
        self.buffer += piece

    def _take(self, count):
        while len(self.buffer) < count:
            self._more()
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def _line(self):
        while b"\r\n" not in self.buffer:
            self._more()
        line, self.buffer = self.buffer.split(b"\r\n", 1)
        return line

    def reply(self, head=False):
        version, status, *_ = self._line().decode().split(" ")
        assert version in ("HTTP/1.1", "HTTP/1.0")
        headers = {}
        while line := self._line():
            key, value = line.decode("latin-1").split(":", 1)
            headers[key.strip().lower()] = value.strip()
        status = int(status)
        if head or status in (204, 304) or status < 200:
            body = b""
        elif headers.get("transfer-encoding") == "chunked":
            body = self._chunks()
        else:
            body = self._take(int(headers["content-length"]))
        if self.asked and status >= 200:
            contract.check(*self.asked.pop(0), status, headers, body)
        return Reply(status, headers, body)

    def _chunks(self):
        body = b""
        while size := int(self._line(), 16):
            body += self._take(size)
            assert self._line() == b""
        assert self._line() == b""
        return body

    def rest(self, within=TIMEOUT_S):
        """All that still comes until the other side closes; None if it does not in time."""
        self.socket.settimeout(within)
        try:
            while True:
                self._more()
        except (EOFError, ConnectionResetError):
            return self.buffer
        except TimeoutError:
            return None

    def closes(self, within=TIMEOUT_S):
        """Does the other side close, without another byte, within the time?"""
        return self.rest(within) == b""

    def reset(self):
        """Ends the connection the rude way, with RST."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


def eventually(condition, within=60.0):
    """Waits until condition() is true; its last value."""
    deadline = time.monotonic() + within
    while not (value := condition()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return value
