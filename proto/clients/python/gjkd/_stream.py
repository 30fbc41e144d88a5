"""Calls over one WebSocket (RFC 6455), as binary messages Call and Answer of gjkd.proto."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
import threading
from collections.abc import AsyncIterator, Mapping, Sequence

import numpy as np

from ._answer import Problem
from ._columns import encode, fields_of
from ._http import Buffer, Connection, Pool, Reply, Unanswered, seconds_left
from ._tables import MESSAGES

CONTINUATION, BINARY, CLOSE, PING, PONG = 0, 2, 8, 9, 10
LAST = 128  # of a message's frames


@contextlib.asynccontextmanager
async def held(lock: asyncio.Lock | threading.Lock, deadline: float | None) -> AsyncIterator[None]:
    """Holds a lock; raises TimeoutError past the deadline."""
    if isinstance(lock, asyncio.Lock):
        async with asyncio.timeout_at(deadline):
            await lock.acquire()
    elif not lock.acquire(timeout=-1 if deadline is None else seconds_left(deadline) or 0):
        raise TimeoutError("the deadline has passed")
    try:
        yield
    finally:
        lock.release()


def frame(kind: int, payload: bytes) -> list[Buffer]:
    """Returns a masked frame."""
    size = len(payload)
    head = bytes([LAST | kind, 128 | size]) if size < 126 else \
        bytes([LAST | kind, 128 | 126]) + size.to_bytes(2, "big") if size < 65536 else \
        bytes([LAST | kind, 128 | 127]) + size.to_bytes(8, "big")
    key = os.urandom(4)
    words = np.frombuffer(payload + bytes(-size % 4), np.uint32) ^ np.frombuffer(key, np.uint32)
    return [head + key, memoryview(words.data).cast("B")[:size] if size else b""]


class Stream:
    """One WebSocket, opened at the first call. Calls are concurrent: a waiting call reads messages, also those
    for other calls."""

    def __init__(self, pool: Pool, headers: Mapping[str, str]) -> None:
        self._pool = pool
        self._headers = {name: value for name, value in headers.items() if name == "Authorization"}
        self._connection: Connection | None = None
        self._sending, self._reading = pool.io.lock(), pool.io.lock()
        self._answers: dict[int, Reply] = {}
        self._waiting: set[int] = set()
        self._last = 0

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    async def exchange(self, method: str, path: str, headers: Mapping[str, str], body: Sequence[Buffer] | None,
                       deadline: float | None) -> Reply:
        """As Pool.exchange."""
        mine, connection = -1, None
        try:
            async with held(self._sending, deadline):
                connection = await self._open(deadline)
                self._last += 1
                mine = self._last
                self._waiting.add(mine)
                call = {"id": mine, "method": method, "path": path, "content_type": headers.get("Content-Type", ""),
                        "header": [f"{name}: {value}" for name, value in headers.items()
                                   if name not in ("Content-Type", "Authorization", "Accept-Encoding")],
                        "body": body or []}
                await connection.send(frame(BINARY, b"".join(encode(MESSAGES, "Call", call))), deadline)
            while True:
                async with held(self._reading, deadline):
                    if mine in self._answers:
                        return self._answers.pop(mine)
                    if self._connection is not connection:
                        raise Unanswered("the stream has ended")
                    await self._read(connection, deadline)
        except TimeoutError:
            raise
        except OSError as trouble:
            if connection is None:
                raise
            if self._connection is connection:
                self.close()
            raise Unanswered(f"no answer to {method} {path}: {trouble}") from trouble
        finally:
            self._waiting.discard(mine)
            self._answers.pop(mine, None)

    async def _open(self, deadline: float | None) -> Connection:
        if self._connection is not None and not self._waiting and not self._connection.alive():
            self.close()
        if self._connection is None:
            connection = await self._pool.open(deadline)
            headers = self._headers | {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
                                       "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
                                       "Sec-WebSocket-Protocol": "gjkd.v1"}
            try:
                status, told, _ = await self._pool.ask(connection, "GET", "/v1/stream", headers, None, deadline)
                if status != 101:
                    raise Problem.of(Reply(status, told, await connection.read(int(told.get("content-length", 0)), deadline)))
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    async def _read(self, connection: Connection, deadline: float | None) -> None:
        """Reads one message and keeps it if a call waits for it. Closes the stream if interrupted within a frame."""
        within = not self._pool.io.resumes
        try:
            message: list[Buffer] = []
            kind = CONTINUATION
            while True:
                head = await connection.read(2, deadline)
                within = True
                size = head[1] & 127
                if size > 125:
                    size = int.from_bytes(await connection.read(2 if size == 126 else 8, deadline), "big")
                payload = await connection.read(size, deadline)
                kind = head[0] & 15
                if kind == CLOSE:
                    raise Unanswered(f"the daemon has ended the stream ({int.from_bytes(payload[:2], 'big')})")
                if kind == PING:
                    async with held(self._sending, deadline):
                        await connection.send(frame(PONG, bytes(payload)), deadline)
                    return
                if kind in (BINARY, CONTINUATION):
                    message.append(payload)
                    if head[0] & LAST:
                        return self._keep(message[0] if len(message) == 1 else b"".join(message))
        except BaseException:
            if within and self._connection is connection:
                self.close()
            raise

    def _keep(self, message: Buffer) -> None:
        number, status, body = 0, 0, memoryview(b"")
        headers: dict[str, str] = {}
        for field, value in fields_of(memoryview(message)):
            if field == 1:
                number = value
            elif field == 2:
                status = value
            elif field == 3:
                headers["content-type"] = bytes(value).decode()
            elif field == 4:
                body = value
            elif field == 5:
                name, _, text = bytes(value).decode().partition(": ")
                headers[name.lower()] = text
        if number in self._waiting:
            self._answers[number] = Reply(status, headers, body)
