"""A reader of event streams, and a follower that keeps a document by what it reads."""

import json
import socket
import time

import contract
from stream_wire import WebSocket

TIMEOUT_S = 60


class Event:
    def __init__(self, kind, id_, data):
        wrong = contract.fault(contract.at("#/components/schemas/Event"), data)
        assert not wrong, wrong
        self.kind, self.id, self.data = kind, id_, data

    def __repr__(self):
        return f"Event({self.kind}, {self.id}, {json.dumps(self.data)[:200]})"


class Events:
    """An open event stream over a socket of its own. Iterating yields events until it ends."""

    def __init__(self, daemon, name, query="", headers=(), receive_bytes=None, timeout=TIMEOUT_S,
                 wrap=None):
        self.socket = socket.socket(socket.AF_INET6 if ":" in daemon.host else socket.AF_INET)
        if receive_bytes:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        self.socket.settimeout(timeout)
        self.socket.connect((daemon.host, daemon.port))
        if wrap:
            self.socket = wrap(self.socket)
        lines = [f"GET /v1/sets/{name}/events{query} HTTP/1.1", f"Host: {daemon.host}", *headers]
        self.socket.sendall("\r\n".join(lines).encode() + b"\r\n\r\n")
        self.raw = b""
        self.text = b""
        self.comments = 0
        self.last_id = None
        self.has_ended = False
        while b"\r\n\r\n" not in self.raw:
            self._receive()
        head, self.raw = self.raw.split(b"\r\n\r\n", 1)
        first, *fields = head.decode().split("\r\n")
        self.status = int(first.split(" ")[1])
        self.headers = {k.lower(): v for k, v in (line.split(": ", 1) for line in fields)}
        self.is_chunked = self.headers.get("transfer-encoding") == "chunked"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def _receive(self):
        piece = self.socket.recv(1 << 18)
        if not piece:
            raise EOFError(f"closed after {self.raw[:200]!r}")
        self.raw += piece

    def _unchunk(self):
        """Moves whole chunks from raw to text. False: there is none."""
        line, found, rest = self.raw.partition(b"\r\n")
        size = int(line, 16) if found else -1
        if size < 0 or len(rest) < size + 2:
            return False
        assert rest[size:size + 2] == b"\r\n"
        self.text += rest[:size]
        self.raw = rest[size + 2:]
        self.has_ended = size == 0
        return True

    def _block(self):
        """The next lines up to an empty one; None: the stream has ended."""
        while b"\n\n" not in self.text:
            if self.has_ended:
                assert self.text == b"", self.text[:200]
                return None
            while not self._unchunk():
                self._receive()
        block, self.text = self.text.split(b"\n\n", 1)
        return block.decode()

    def next(self):
        """The next event; None: the stream has ended."""
        while (block := self._block()) is not None:
            fields = dict(line.split(": ", 1) for line in block.split("\n")
                          if not line.startswith(":"))
            self.comments += block.startswith(":")
            self.last_id = fields.get("id", self.last_id)
            if "data" in fields:
                event = Event(fields["event"], fields["id"], json.loads(fields["data"]))
                assert event.data["kind"] == event.kind and "\n" not in fields["data"]
                assert event.id.split("-")[1] == str(event.data["revision"])
                return event
        return None

    def __iter__(self):
        while (event := self.next()) is not None:
            yield event

    def is_silent(self, within=0.2):
        """Does nothing come within the time?"""
        self.socket.settimeout(within)
        try:
            return self.text == b"" and self.raw == b"" and self._receive() is not None
        except TimeoutError:
            return True
        finally:
            self.socket.settimeout(TIMEOUT_S)


class StreamEvents:
    """The same events, watched over a stream."""

    def __init__(self, daemon, name, query=""):
        self.stream = WebSocket(daemon)
        self.status = self.stream.ask(1, "WATCH", f"/v1/sets/{name}/events{query}")["status"]

    def next(self):
        told = self.stream.answer()["event"]
        return Event(told["kind"], told.pop("id"), told)

    def close(self):
        self.stream.socket.close()


class Follower:
    """A copy of a set that is kept by its events."""

    def __init__(self, daemon, name, kind=Events, **options):
        self.daemon, self.name, self.kind, self.options = daemon, name, kind, options
        self.resets = self.changes = 0
        self.stream = None
        self.read()
        self.connect()

    def read(self):
        reply = self.daemon.get(f"/v1/sets/{self.name}")
        self.document = reply.json()

    def connect(self):
        """Connects again, to go on where the document stands."""
        if self.stream is not None:
            self.stream.close()
        self.stream = self.kind(self.daemon, self.name, f"?since={self.document['revision']}",
                                **self.options)
        assert self.stream.status == 200

    def apply(self, event):
        data = event.data
        if event.kind == "reset":
            self.resets += 1
            if self.document["revision"] < data["revision"]:
                self.read()
            assert self.document["revision"] >= data["revision"]
            return
        assert event.kind == "change", event
        if data["revision"] <= self.document["revision"]:
            return
        self.changes += 1
        document = self.document
        for member in ("revision", "tick", "ticks"):
            document[member] = data[member]
        for member in ("history", "meta"):
            if member in data:
                document.pop(member, None)
                if data[member] is not None:
                    document[member] = data[member]
        for id_, shape in data["shapes"].items():
            document["shapes"].pop(id_, None)
            if shape is not None:
                document["shapes"][id_] = shape

    def follow(self, revision):
        """Reads until the document stands at that revision or behind it."""
        deadline = time.monotonic() + TIMEOUT_S
        while self.document["revision"] < revision:
            assert time.monotonic() < deadline
            self.apply(self.stream.next())

    def text(self):
        """The document as GET prints it."""
        order = ("name", "dimension", "revision", "tick", "ticks", "history", "meta", "shapes")
        document = {k: self.document[k] for k in order if k in self.document}
        document["shapes"] = dict(sorted(document["shapes"].items(),
                                         key=lambda item: item[0].encode()))
        return document
