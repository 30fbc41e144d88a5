"""Clients of a daemon: Client for blocking programs and threads, AsyncClient for asyncio."""

from __future__ import annotations

import json
import random
import ssl
import time
import zlib
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

import numpy as np

from . import _columns
from ._answer import Answer, Problem
from ._columns import Buffer, Columns
from ._http import ANSWER_GRACE_S, IO, AsyncioIO, BlockingIO, Connection, Pool, Reply, Unanswered, read_chunk, run
from ._operations import FORMS, OPERATIONS, AsyncOperations, Operations
from ._stream import Stream
from ._tables import MESSAGES

PROTOBUF = "application/x-protobuf"
PACKED_MIN = 65536  # bodies of at least so many bytes are compressed
SILENCE_S = 45.0  # after which a watch reconnects; the daemon sends something every 15 s
PAUSE_S, PAUSE_MAX_S = 0.1, 5.0  # before a retry; doubles each time
RETRY_AFTER_MAX_S = 60.0  # a call with a longer Retry-After fails at once
HEADERS = {"if_match": "If-Match", "if_none_match": "If-None-Match", "min_revision": "Gjkd-Min-Revision",
           "consistency": "Gjkd-Consistency"}
BLOCKS = {"OverlapColumns": "overlap", "NearestColumns": "nearest"}
QUESTIONS = ("detect", "distance", "raycast", "cast", "move", "hit", "configurations", "batch")
REPEATABLE = (*QUESTIONS, "tick", "put_tick")  # safe to send twice
REFUSED = (429, 503)  # temporary refusals


def jittered(pause: float) -> float:
    """Shortens a pause at random, by at most half, so that clients do not all reconnect at once after an outage."""
    return pause * (1 - random.random() / 2)


def plain(value: Any) -> Any:
    """Converts a value of numpy for JSON."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is nothing that JSON has")


def to_json(value: Any) -> bytes:
    return json.dumps(value, default=plain, separators=(",", ":"), allow_nan=False).encode()


def in_columns(name: str, members: Mapping[str, Any]) -> bool:
    """Returns true if a call is sent as columns: an argument is an array, or one of a query's."""
    queries = members.get("queries", ()) if name in ("batch", "tick") else ()
    if name not in FORMS or not any(isinstance(value, np.ndarray) for part in (members, *queries) for value in part.values()):
        return False
    # Small shapes have no columns.
    return name != "put_shape" or _columns.body_of(members).keys() <= MESSAGES["BodyColumns"].keys()


class Session:
    """The calls of both clients."""

    def __init__(self, io: IO, url: str, token: str | None, timeout: float | None, retries: int, compress: bool,
                 stream: bool, tls: ssl.SSLContext | None) -> None:
        self.pool = Pool(io, url, tls)
        self._timeout, self._retries, self._compress = timeout, retries, compress and not stream
        self._headers = {"Accept-Encoding": "gzip" if compress else "identity"}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token}"
        self._stream = Stream(self.pool, self._headers) if stream else None
        self._dimensions: dict[str, int] = {}

    def close(self) -> None:
        self.pool.close()
        if self._stream is not None:
            self._stream.close()

    async def call(self, name: str, path: Sequence[Any], query: Mapping[str, Any], headers: Mapping[str, Any],
                   timeout: float | None, members: Mapping[str, Any] | str | None) -> Any:
        method, paths, kind = OPERATIONS[name]
        answer_as, dimension = "", 0
        body: list[Buffer] | None = None
        deadline = self._deadline(timeout)
        if isinstance(members, str):
            body, members = [members.encode()], None
        elif name == "tick" and members is not None and not {"queries", "overlaps"} & members.keys():
            method = "PUT"  # a tick without queries
        sent = {HEADERS[key]: str(value) for key, value in headers.items() if value is not None}
        if members is not None and in_columns(name, members) and path and path[0] is not None:
            dimension = await self._dimension_of(name, path[0], members, deadline)
            message, body = self._columns(name, members, dimension)
            sent["Content-Type"] = PROTOBUF + (f"; message={message}" if message in BLOCKS else "")
            answer_as = message.replace("Columns", "Answers")
        elif kind is not None:
            sent["Content-Type"] = kind
            body = [to_json(members)] if body is None else body
        target = self._target(paths, path, query)
        repeatable = method in ("GET", "HEAD") or name in REPEATABLE
        if name in ("tick", "put_tick") and ("If-Match" in sent or "If-None-Match" in sent):
            repeatable = False  # if the first succeeded, the condition would refuse the second
        try:
            reply = await self.send(method, target, sent, body, deadline, repeatable)
        except Problem as problem:
            if problem.code == "dimension-mismatch" and path:
                self._dimensions.pop(str(path[0]), None)
            raise
        return self._answer(reply, answer_as, dimension)

    def _deadline(self, timeout: float | None) -> float | None:
        timeout = self._timeout if timeout is None else timeout
        return None if timeout is None else time.monotonic() + timeout

    @staticmethod
    def _target(paths: Sequence[str], path: Sequence[Any], query: Mapping[str, Any]) -> str:
        """Returns path and query string of a call. If the set is None, uses the path without a set."""
        template = paths[-1] if path and path[0] is None else paths[0]
        for part in path:
            if part is not None:
                if str(part) in ("", ".", ".."):
                    raise ValueError(f"{part!r} is no name")
                head, _, rest = template.partition("{")
                template = head + quote(str(part), safe="") + rest.partition("}")[2]
        asked = {key: plain_text(value) for key, value in query.items() if value is not None}
        return template + ("?" + urlencode(asked) if asked else "")

    async def _dimension_of(self, name: str, in_set: str, members: Mapping[str, Any], deadline: float | None) -> int:
        """Returns the dimension of a column message: that of its vectors, else that of the set."""
        if name == "put_shape":
            return int(_columns.body_of(members)["dimension"])
        if "dimension" in members:
            return int(members["dimension"])
        parts = [(FORMS.get(part.get("op", ""), FORMS[name]), part) for part in (members, *members.get("queries", ()))]
        for forms, part in parts:
            for form in forms:
                found = _columns.dimension_of(MESSAGES.get(form, {}), part)
                if found:
                    return found
        if in_set not in self._dimensions:
            reply = await self.send("GET", f"/v1/sets/{quote(in_set, safe='')}?fields=summary", {}, None, deadline, True)
            self._dimensions[in_set] = json.loads(bytes(reply.body))["dimension"]
        return self._dimensions[in_set]

    def _columns(self, name: str, members: Mapping[str, Any], dimension: int) -> tuple[str, list[Buffer]]:
        """Returns the name of a call's message, and the message."""
        rest = {key: value for key, value in members.items() if key != "queries" and value is not None}
        if name == "put_shape":
            return "BodyColumns", _columns.encode(MESSAGES, "BodyColumns", _columns.body_of(rest))
        if name not in ("batch", "tick") or "queries" not in members and "overlaps" not in members:
            message = self._form(name, rest)
            rows = _columns.rows_of(message, MESSAGES[message], rest, dimension)
            return message, _columns.encode(MESSAGES, message, rows | {"dimension": dimension})
        blocks = [self._block(query, dimension) for query in members.get("queries", ())]
        message = FORMS[name][-1]
        if message not in MESSAGES:
            raise TypeError(f"there is no {message}")
        if name == "tick":
            table = MESSAGES["PoseColumns"]
            poses = _columns.rows_of("PoseColumns", table, {k: v for k, v in rest.items() if k in table}, dimension)
            rest = {k: v for k, v in rest.items() if k not in table} | {"poses": poses | {"dimension": dimension}}
        else:
            rest["dimension"] = dimension
        unknown = rest.keys() - MESSAGES[message].keys()
        if unknown:
            raise TypeError(f"{message} has no {', '.join(sorted(unknown))}; it has {', '.join(MESSAGES[message])}")
        return message, _columns.encode(MESSAGES, message, rest | {"block": blocks})

    @staticmethod
    def _form(name: str, members: Mapping[str, Any]) -> str:
        """Returns the message of a query. With `shape`, it is that of one shape against the set."""
        forms = [form for form in FORMS[name] if form in MESSAGES]
        return forms[-1] if "shape" in members else forms[0]

    def _block(self, query: Mapping[str, Any], dimension: int) -> dict[str, Any]:
        members = {key: value for key, value in query.items() if key != "op" and value is not None}
        message = self._form(query["op"], members)
        rows = _columns.rows_of(message, MESSAGES[message], members, dimension)
        return {BLOCKS.get(message, query["op"]): rows | {"dimension": dimension}}

    @staticmethod
    def _answer(reply: Reply, answer_as: str, dimension: int) -> Any:
        kind = reply.headers.get("content-type", "")
        if reply.body and kind.startswith(("application/x-protobuf", "application/protobuf")):
            out = _columns.decode(MESSAGES, answer_as, reply.body, dimension)
            out.etag = reply.headers.get("etag")
            if "block" in out.__dict__:
                out.block = [next(v for v in vars(one).values() if isinstance(v, Columns)) for one in out.block]
            return out
        if reply.body and "json" in kind and "ndjson" not in kind:
            return Answer(json.loads(bytes(reply.body)), reply.status, reply.headers)
        if reply.body:
            return bytes(reply.body).decode()
        return Answer({}, reply.status, reply.headers)

    async def send(self, method: str, target: str, headers: Mapping[str, str], body: Sequence[Buffer] | None,
                   deadline: float | None, repeatable: bool) -> Reply:
        """Sends a request. Retries after 429, 503 or a failed connection and, if `repeatable`, also if no
        answer came. Raises Problem, Unanswered, OSError or TimeoutError."""
        sent = self._headers | dict(headers)
        if body is not None and self._compress and sum(map(len, body)) >= PACKED_MIN:
            body = [zlib.compress(b"".join(body), 1, 31)]
            sent["Content-Encoding"] = "gzip"
        attempt = 0
        over: Stream | Pool = self._stream if self._stream and not target.startswith(("/v1/export", "/v1/import")) else self.pool
        async with self.pool.io.slots:
            while True:
                wait = jittered(PAUSE_S * 2 ** attempt)
                last = attempt >= self._retries
                attempt += 1
                if deadline is not None:
                    sent["Gjkd-Timeout-Ms"] = str(max(1, int((deadline - time.monotonic()) * 1000)))
                try:
                    reply = await over.exchange(
                        method, target, sent, body, None if deadline is None else deadline + ANSWER_GRACE_S)
                    if reply.status < 300 or reply.status == 304:
                        return reply
                    if last or reply.status not in REFUSED:
                        raise Problem.of(reply)
                    after = reply.headers.get("retry-after", "")
                    wait = max(wait, float(after) if after.isdecimal() else 0.0)  # a proxy may send a date
                    if wait > RETRY_AFTER_MAX_S:
                        raise Problem.of(reply)
                    if deadline is not None and time.monotonic() + wait >= deadline:
                        raise Problem.of(reply)
                except TimeoutError:
                    raise
                except OSError as trouble:
                    lost = isinstance(trouble, Unanswered)
                    late = deadline is not None and time.monotonic() + wait >= deadline
                    if last or late or (lost and not repeatable):
                        raise
                await self.pool.io.sleep(wait)

    async def watch(self, in_set: str, query: Mapping[str, Any]) -> AsyncIterator[Event]:
        """Yields events until the set is deleted. Reconnects and resumes behind the last event."""
        target = self._target(["/v1/sets/{set}/events"], [in_set], query)
        last, pause, tried = "", PAUSE_S, False
        while True:
            headers = self._headers | {"Accept": "text/event-stream"} | ({"Last-Event-ID": last} if last else {})
            try:
                connection = await self.pool.open(time.monotonic() + SILENCE_S)
                try:
                    await self._open_watch(connection, target, headers)
                    async for last, event in read_events(connection):
                        pause, tried = PAUSE_S, True
                        if event is not None:
                            yield event
                        if event is not None and event["kind"] == "deleted" and not query.get("wait"):
                            return
                finally:
                    connection.close()
            except Problem as problem:
                if last and problem.code == "set-not-found":
                    return  # the set was deleted meanwhile
                if problem.status not in REFUSED:
                    raise
            except OSError:
                if not tried:
                    raise
            tried = True
            await self.pool.io.sleep(jittered(pause))
            pause = min(2 * pause, PAUSE_MAX_S)

    async def _open_watch(self, connection: Connection, target: str, headers: dict[str, str]) -> None:
        deadline = time.monotonic() + SILENCE_S
        status, answered, _ = await self.pool.ask(connection, "GET", target, headers, None, deadline)
        if status != 200:
            size = int(answered.get("content-length", 0))
            raise Problem.of(Reply(status, answered, await connection.read(size, deadline)))


class Event(dict[str, Any]):
    """An event of a set: `kind`, `revision`, `tick`, and members that depend on the kind. `since` takes its `id`."""

    id: str = ""


def plain_text(value: Any) -> str:
    """Returns the text of a parameter of the URL."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (Mapping, list)):
        return to_json(value).decode()
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return str(value).strip('"')  # an ETag without its quotes


async def read_events(connection: Connection) -> AsyncIterator[tuple[str, Event | None]]:
    """Yields the id of each block of an event stream, with its event if it has one."""
    text, last, data = b"", "", ""
    while chunk := await read_chunk(connection, time.monotonic() + SILENCE_S):
        *lines, text = (text + chunk).split(b"\n")
        for line in lines:
            name, _, value = line.decode().partition(": ")
            if name == "id":
                last = value
            elif name == "data":
                data += value
            elif not line and last:
                event = Event(json.loads(data)) if data else None
                if event is not None:
                    event.id, data = last, ""
                yield last, event


class Watch(Iterator[Event]):
    """Events of a set, for a blocking program. close() ends it."""

    def __init__(self, events: AsyncIterator[Event]) -> None:
        self._events = events

    def __next__(self) -> Event:
        try:
            return run(self._events.__anext__())  # type: ignore[arg-type]
        except StopAsyncIteration:
            raise StopIteration from None

    def close(self) -> None:
        run(self._events.aclose())  # type: ignore[attr-defined]

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Client(Operations):
    """A client of the daemon at `url`. Threads may share it.

    timeout: seconds that a call may take, its retries included; the daemon is told (Gjkd-Timeout-Ms).
    retries: how often what was refused for now (429, 503) or found no daemon is tried again.
    compress: whether bodies of 64 KiB or more are packed, here and there.
    stream: whether calls travel over one WebSocket; watches have connections of their own.
    """

    def __init__(self, url: str, token: str | None = None, *, timeout: float | None = 30.0, retries: int = 2,
                 compress: bool = False, stream: bool = False, tls: ssl.SSLContext | None = None) -> None:
        self._session = Session(BlockingIO(), url, token, timeout, retries, compress, stream, tls)

    def _call(self, name: str, path: Any, query: Any, headers: Any, timeout: Any, members: Any) -> Any:
        return run(self._session.call(name, path, query, headers, timeout, members))

    def watch(self, set: str, *, kinds: str | tuple[str, ...] | None = None, since: int | str | None = None,
              filter: Mapping[str, Any] | None = None, **query: Any) -> Watch:
        """Yields the events of a set until it is deleted. After a lost connection it resumes behind the last
        event. `since`: a revision, an event's id or an ETag; without it, only new events."""
        return Watch(self._session.watch(set, {"kinds": kinds, "since": since, "filter": filter, **query}))

    def close(self) -> None:
        self._session.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncClient(AsyncOperations):
    """Client for asyncio: calls are awaited, watch is an async iterator."""

    def __init__(self, url: str, token: str | None = None, *, timeout: float | None = 30.0, retries: int = 2,
                 compress: bool = False, stream: bool = False, tls: ssl.SSLContext | None = None) -> None:
        self._session = Session(AsyncioIO(), url, token, timeout, retries, compress, stream, tls)

    def _call(self, name: str, path: Any, query: Any, headers: Any, timeout: Any, members: Any) -> Any:
        return self._session.call(name, path, query, headers, timeout, members)

    def watch(self, set: str, *, kinds: str | tuple[str, ...] | None = None, since: int | str | None = None,
              filter: Mapping[str, Any] | None = None, **query: Any) -> AsyncIterator[Event]:
        """As Client.watch."""
        return self._session.watch(set, {"kinds": kinds, "since": since, "filter": filter, **query})

    async def close(self) -> None:
        self._session.close()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
