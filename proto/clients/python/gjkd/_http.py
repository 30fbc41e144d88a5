"""HTTP/1.1 over kept connections, for blocking and for asyncio programs.

The protocol is implemented once, as coroutines. Those of BlockingIO never suspend, so `run` gets their
result at once; those of AsyncioIO run under asyncio.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import threading
import time
import zlib
from collections import deque
from collections.abc import Coroutine, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar, Union
from urllib.parse import urlsplit

LINE_MAX = 65536  # maximum bytes of a header line
IDLE_MAX = 64  # maximum number of kept connections
ANSWER_GRACE_S = 1.0  # wait after the deadline, in which the daemon's own refusal can arrive
JOINED_MAX = 65536  # requests up to this many bytes are sent as one buffer

Buffer = Union[bytes, bytearray, memoryview]
T = TypeVar("T")


class Unanswered(ConnectionError):
    """The connection ended before the answer was complete."""


class Reply(NamedTuple):
    status: int
    headers: dict[str, str]  # names in lower case
    body: Buffer


class Connection(Protocol):
    async def send(self, buffers: Sequence[Buffer], deadline: float | None) -> None: ...
    async def line(self, deadline: float | None) -> bytes: ...
    async def read(self, size: int, deadline: float | None) -> Buffer: ...
    async def read_all(self, deadline: float | None) -> Buffer: ...
    def alive(self) -> bool: ...
    def close(self) -> None: ...


class IO(Protocol):
    slots: Any  # limits the number of concurrent calls
    resumes: bool  # a read that a deadline interrupted can be continued

    def lock(self) -> Any: ...
    async def connect(self, host: str, port: int, tls: ssl.SSLContext | None, deadline: float | None) -> Connection: ...
    async def sleep(self, seconds: float) -> None: ...


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Returns the result of a coroutine that never suspends."""
    try:
        coroutine.send(None)
    except StopIteration as ended:
        return ended.value
    coroutine.close()
    raise RuntimeError("a blocking call was suspended")


def seconds_left(deadline: float | None) -> float | None:
    """Returns the time until a deadline; raises TimeoutError past it."""
    if deadline is None:
        return None
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError("the deadline has passed")
    return left


def joined(buffers: Sequence[Buffer]) -> Sequence[Buffer]:
    """Joins small buffers, so that they are sent in one packet."""
    return [b"".join(buffers)] if sum(map(len, buffers)) <= JOINED_MAX else buffers


class BlockingConnection:
    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._file = connected.makefile("rb", 65536)

    async def send(self, buffers: Sequence[Buffer], deadline: float | None) -> None:
        for buffer in joined(buffers):
            self._socket.settimeout(seconds_left(deadline))
            self._socket.sendall(buffer)

    async def line(self, deadline: float | None) -> bytes:
        self._socket.settimeout(seconds_left(deadline))
        return self._file.readline(LINE_MAX)

    async def read(self, size: int, deadline: float | None) -> Buffer:
        data = bytearray(size)
        view, at = memoryview(data), 0
        while at < size:
            self._socket.settimeout(seconds_left(deadline))
            count = self._file.readinto1(view[at:])  # type: ignore[attr-defined]
            if count == 0:
                raise Unanswered("the connection ended within an answer")
            at += count
        return data

    async def read_all(self, deadline: float | None) -> Buffer:
        self._socket.settimeout(seconds_left(deadline))
        return self._file.read()

    def alive(self) -> bool:
        """Returns false if the daemon has closed the connection or sent unexpected bytes."""
        self._socket.settimeout(0)
        try:
            self._socket.recv(1)
        except (BlockingIOError, ssl.SSLWantReadError):
            return True
        except OSError:
            pass
        return False

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._file.close()
            self._socket.close()


class BlockingIO:
    slots = contextlib.nullcontext()
    resumes = False
    lock = staticmethod(threading.Lock)

    async def connect(self, host: str, port: int, tls: ssl.SSLContext | None, deadline: float | None) -> Connection:
        connected = socket.create_connection((host, port), seconds_left(deadline))
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls is not None:
            connected = tls.wrap_socket(connected, server_hostname=host)
        return BlockingConnection(connected)

    async def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


class AsyncioConnection:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def send(self, buffers: Sequence[Buffer], deadline: float | None) -> None:
        async with asyncio.timeout_at(deadline):
            for buffer in joined(buffers):
                self._writer.write(buffer)
                await self._writer.drain()

    async def line(self, deadline: float | None) -> bytes:
        async with asyncio.timeout_at(deadline):
            return await self._reader.readline()

    async def read(self, size: int, deadline: float | None) -> Buffer:
        async with asyncio.timeout_at(deadline):
            try:
                return await self._reader.readexactly(size)
            except asyncio.IncompleteReadError as end:
                raise Unanswered("the connection ended within an answer") from end

    async def read_all(self, deadline: float | None) -> Buffer:
        async with asyncio.timeout_at(deadline):
            return await self._reader.read(-1)

    def alive(self) -> bool:
        return not (self._reader.at_eof() or self._writer.is_closing())

    def close(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop may be closed
            self._writer.transport.abort()  # closing TLS would wait for the peer; the loop may end before


class AsyncioIO:
    resumes = True
    lock = staticmethod(asyncio.Lock)

    def __init__(self) -> None:
        self.slots = asyncio.Semaphore(IDLE_MAX)

    async def connect(self, host: str, port: int, tls: ssl.SSLContext | None, deadline: float | None) -> Connection:
        async with asyncio.timeout_at(deadline):
            reader, writer = await asyncio.open_connection(host, port, ssl=tls, limit=LINE_MAX)
        return AsyncioConnection(reader, writer)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


async def read_line(connection: Connection, deadline: float | None) -> bytes:
    line = await connection.line(deadline)
    if not line.endswith(b"\n"):
        raise Unanswered("the connection ended within an answer" if line else "the connection ended before an answer")
    return line.strip()


async def read_head(connection: Connection, deadline: float | None) -> tuple[int, dict[str, str], bool]:
    """Returns status and headers of an answer, and whether the connection stays open after it."""
    status = 100
    while status < 200 and status != 101:
        words = (await read_line(connection, deadline)).split(None, 2)
        if len(words) < 2 or not words[0].startswith(b"HTTP/1."):
            raise Unanswered("the answer is no HTTP")
        status = int(words[1])
        headers: dict[str, str] = {}
        while line := await read_line(connection, deadline):
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.lower()] = value.strip()
    stays = words[0] == b"HTTP/1.1" and headers.get("connection", "").lower() != "close"
    return status, headers, stays


async def read_chunk(connection: Connection, deadline: float | None) -> Buffer:
    """Returns the next chunk of a body; the last one is empty."""
    size = int((await read_line(connection, deadline)).split(b";")[0], 16)
    chunk = await connection.read(size, deadline) if size else b""
    while await read_line(connection, deadline):
        pass  # trailers
    return chunk


async def read_body(connection: Connection, headers: dict[str, str], deadline: float | None) -> tuple[Buffer, bool]:
    """Returns a body, and whether it ended before the connection."""
    if headers.get("transfer-encoding", "").lower() == "chunked":
        chunks = []
        while chunk := await read_chunk(connection, deadline):
            chunks.append(chunk)
        return b"".join(chunks), True
    if "content-length" in headers:
        return await connection.read(int(headers["content-length"]), deadline), True
    return await connection.read_all(deadline), False


class Pool:
    """Kept connections to one daemon. Threads may share it."""

    def __init__(self, io: IO, url: str, tls: ssl.SSLContext | None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"no address of a daemon: {url!r}; say http://HOST:PORT")
        self._tls = (tls or ssl.create_default_context()) if parts.scheme == "https" else None
        self._host, self._port = parts.hostname, parts.port or (443 if self._tls else 80)
        self._prefix = parts.path.rstrip("/")
        self._authority = parts.netloc.rpartition("@")[2]
        self._url = f"{parts.scheme}://{self._authority}{self._prefix}"  # without user and password
        self._idle: deque[Connection] = deque()
        self.io = io

    def close(self) -> None:
        with contextlib.suppress(IndexError):
            while True:
                self._idle.pop().close()

    async def open(self, deadline: float | None) -> Connection:
        try:
            return await self.io.connect(self._host, self._port, self._tls, deadline)
        except OSError as trouble:
            if trouble.errno is not None:
                trouble.filename = self._url  # shown by the error
            else:  # with a filename, the error would show only that
                trouble.args = (f"{self._url}: {trouble}".rstrip(": "),)
            raise

    async def ask(self, connection: Connection, method: str, path: str, headers: dict[str, str],
                  body: Sequence[Buffer] | None, deadline: float | None) -> tuple[int, dict[str, str], bool]:
        """Sends a request and returns the head of its answer."""
        lines = [f"{method} {self._prefix}{path} HTTP/1.1", f"Host: {self._authority}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        if body is not None:
            lines.append(f"Content-Length: {sum(len(part) for part in body)}")
        head = "\r\n".join(lines)
        if head.count("\n") != len(lines) - 1 or head.count("\r") != len(lines) - 1:
            raise ValueError("a header holds a line break")
        parts: list[Buffer] = [(head + "\r\n\r\n").encode("latin-1"), *(body or ())]
        try:
            await connection.send(parts, deadline)
        except ConnectionError:  # the daemon refuses a body that is too large before it has read it
            return await read_head(connection, time.monotonic() + ANSWER_GRACE_S)
        return await read_head(connection, deadline)

    async def exchange(self, method: str, path: str, headers: dict[str, str], body: Sequence[Buffer] | None,
                       deadline: float | None) -> Reply:
        """Sends a request over a kept connection, or a new one, and returns its answer. Raises
        OSError if connecting fails, Unanswered if the connection ends before the answer."""
        connection = None
        while connection is None:
            try:
                connection = self._idle.pop()
            except IndexError:  # another thread may have taken the last one
                break
            if not connection.alive():
                connection.close()
                connection = None
        if connection is None:
            connection = await self.open(deadline)
        kept = False
        try:
            status, answered, stays = await self.ask(connection, method, path, headers, body, deadline)
            answer: Buffer = b""
            if method != "HEAD" and status not in (204, 304):
                answer, ended = await read_body(connection, answered, deadline)
                stays = stays and ended
            kept = stays and len(self._idle) < IDLE_MAX
        except TimeoutError:
            raise
        except (OSError, EOFError) as trouble:
            raise Unanswered(f"no answer to {method} {path}: {trouble}") from trouble
        finally:
            if kept:
                self._idle.append(connection)
            else:
                connection.close()
        if answered.get("content-encoding") == "gzip":
            answer = zlib.decompress(answer, 31)
        return Reply(status, answered, answer)
