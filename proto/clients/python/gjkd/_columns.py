"""Column messages of gjkd.proto as numpy arrays. Doubles are not copied."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Union

import numpy as np
from numpy.typing import NDArray

Buffer = Union[bytes, bytearray, memoryview]
Array = NDArray[Any]

NO_HANDLE = 4294967295  # no shape, no hit, no piece
STATES = ("separated", "touching", "overlapping")
VERDICTS = ("confirmed", "adjusted", "denied", "unverifiable")
REASONS = (None, "other-target", "blocked", "miss", "no-target", "tick-expired", "tick-in-future", "rewind-limit")


class Column(NamedTuple):
    """One field of a message."""

    number: int
    type: str  # as in gjkd.proto
    repeated: bool
    width: str  # numbers per row, or vector (as many as the dimension), or turn; each_...: one per shape
    rows: str  # one, counts, each, shared, defaulted, optional, list, some, lines, ...
    default: float | None  # value of an answer's column that was not sent because no row has another


Table = Mapping[str, Column]

FIXED: dict[str, np.dtype[Any]] = {"double": np.dtype("<f8"), "float": np.dtype("<f4")}
BROADCAST = ("counts", "each", "optional")  # columns of n rows; a single given row is repeated
COUNTS = {"legs": "leg_count"}  # column of list lengths; for other lists `count`
# Words of JSON, whose index is the number in a message.
WORDS = {"mode": ("closest", "any", "all"), "at_start": ("report", "ignore", "resolve", "leaving"), "penetration": (False, True, "pieces")}


def has_arrays(value: Any) -> bool:
    """Returns true if a value is an array or contains one."""
    if isinstance(value, Mapping):
        return any(map(has_arrays, value.values()))
    if isinstance(value, (list, tuple)):
        return any(map(has_arrays, value))
    return isinstance(value, np.ndarray)


def width_of(column: Column, dimension: int, shapes: int) -> int:
    kind = column.width.removeprefix("each_")
    width = dimension if kind == "vector" else (1 if dimension == 2 else 4) if kind == "turn" else int(kind)
    return width * shapes if column.width.startswith("each_") else width


def varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def pack_varints(numbers: Array) -> Buffer:
    if not numbers.size or numbers.max() < 128:
        return numbers.astype(np.uint8).tobytes()
    groups = numbers.astype(np.uint64)[:, None] >> np.arange(0, 35, 7, dtype=np.uint64)
    used = groups > 0
    used[:, 0] = True
    more = np.pad(used[:, 1:], ((0, 0), (0, 1)))
    packed: Array = (groups & np.uint64(127) | more * np.uint64(128)).astype(np.uint8)[used]
    return packed.tobytes()


def unpack_varints(data: Buffer) -> Array:
    octets = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(octets < 128)
    if len(ends) == len(octets):
        return octets.astype(np.uint32)
    starts = np.concatenate([[0], ends[:-1] + 1])
    lengths = ends - starts + 1
    numbers = np.zeros(len(ends), np.uint64)
    for i in range(int(lengths.max())):
        rows = np.flatnonzero(lengths > i)
        numbers[rows] |= (octets[starts[rows] + i] & 127).astype(np.uint64) << np.uint64(7 * i)
    return numbers.astype(np.uint32)


def uints(name: str, value: Any) -> Array:
    numbers = np.asarray(value)
    if numbers.size and numbers.dtype.kind not in "iub":
        raise TypeError(f"{name} takes integers, of shapes their handles, and not {numbers.dtype}")
    if numbers.size and (int(numbers.min()) < 0 or int(numbers.max()) > NO_HANDLE):
        raise ValueError(f"{name} takes integers from 0 to {NO_HANDLE}")
    return numbers.astype(np.uint32)


def numbers_of(name: str, column: Column, value: Any) -> Array:
    return uints(name, value) if column.type == "uint32" else np.ascontiguousarray(value, FIXED[column.type])


def dimension_of(table: Table, members: Mapping[str, Any]) -> int | None:
    """Returns the dimension of the vectors in a message, or None if it has none."""
    for name, value in members.items():
        column = table.get(name)
        if column and column.width in ("vector", "each_vector"):
            last = np.shape(value)[-1:]
            if last and last[0] in (2, 3):
                return int(last[0])
    return None


def rows_of(message: str, table: Table, members: Mapping[str, Any], dimension: int) -> dict[str, Any]:
    """Returns the members as columns of equal length; single rows are repeated. Raises ValueError if a
    column has a wrong length, TypeError if the message has no such column."""
    out: dict[str, Any] = {}
    rows: dict[str, Array] = {}
    shapes = np.size(members.get("shape", 0))
    for name, value in members.items():
        column = table.get(name)
        if column is None:
            raise TypeError(f"{message} has no column {name!r}; it has {', '.join(table)}")
        if not column.repeated or column.type not in (*FIXED, "uint32") or column.rows == "list":
            out[name] = value
            continue
        width = width_of(column, dimension, shapes)
        given = numbers_of(name, column, value)
        if given.size % width or (given.ndim > 1 and column.width in ("vector", "turn") and given.shape[-1] != width):
            raise ValueError(f"{name} has the shape {given.shape}; a row has {width} numbers")
        rows[name] = given.reshape(-1, width)
    count = max((len(given) for given in rows.values()), default=0)
    for name, given in rows.items():
        if len(given) == 1 and table[name].rows in BROADCAST:
            given = np.ascontiguousarray(np.broadcast_to(given, (count, given.shape[1])))
        if len(given) not in (0, 1, count):
            raise ValueError(f"{name} has {len(given)} rows, another column {count}")
        out[name] = given
    return out


def encode(tables: Mapping[str, Table], message: str, members: Mapping[str, Any]) -> list[Buffer]:
    """Returns a message as buffers to send in order."""
    out: list[Buffer] = []
    table = tables[message]

    def framed(number: int, parts: Sequence[Buffer]) -> None:
        out.append(varint(number << 3 | 2) + varint(sum(map(len, parts))))
        out.extend(parts)

    for name, value in members.items():
        column = table[name]
        if column.type in tables:
            for part in value if column.repeated else [value]:
                framed(column.number, encode(tables, column.type, part))
        elif column.type == "string":
            for text in value if column.repeated else [value]:
                framed(column.number, [text.encode()])
        elif column.type == "bytes":
            framed(column.number, value)
        elif column.repeated:
            numbers = numbers_of(name, column, value).reshape(-1)
            if numbers.size:
                framed(column.number, [pack_varints(numbers) if column.type == "uint32"
                                       else memoryview(numbers.data).cast("B")])
        elif column.type == "double":
            out.append(varint(column.number << 3 | 1) + np.array(value, "<f8").tobytes())
        else:
            words = WORDS.get(name, ())
            out.append(varint(column.number << 3) + varint(words.index(value) if value in words else int(value)))
    return out


class Columns:
    """Rows of answers: each column of the message is an attribute, an array (n, dimension) for vectors.
    A column that no row has a value for reads as its default; one that was not asked for, as None."""

    revision: int = 0
    etag: str | None = None
    block: list[Columns]  # of a batch or tick: the answer to each query

    def __init__(self, message: str, table: Table) -> None:
        self._message, self._table, self._rows, self._lines = message, table, 0, 0

    def __len__(self) -> int:
        return self._rows

    def __getattr__(self, name: str) -> Any:
        column = self.__dict__.get("_table", {}).get(name)
        if column is None:
            raise AttributeError(f"there is no column {name!r}; there are {', '.join(self.__dict__.get('_table', {}))}")
        if not column.repeated:
            return 0
        kind: type = np.uint32 if column.type == "uint32" else np.float64
        rows = self._lines if column.rows.endswith("lines") else self._rows
        if rows == 0:
            return np.empty(0, kind)
        shape = (rows,) if column.width == "1" else (rows, int(column.width))
        return None if column.default is None else np.broadcast_to(kind(column.default), shape)

    def __repr__(self) -> str:
        return f"<{self._message}: {self._rows} rows of {', '.join(name for name in self._table if name in self.__dict__)}>"

    def split(self, name: str) -> list[Array]:
        """Splits a column with a list for each row into one array per row."""
        tells = "count" if "count" in self._table else "near_count"
        counts = getattr(self, COUNTS.get(self._table[name].rows, tells), None)
        counts = np.ones(self._rows, np.uint32) if counts is None else counts
        return np.split(getattr(self, name), np.cumsum(counts)[:-1])

    def _count(self) -> None:
        """Counts rows and lines; there is one line per row unless a column has the lengths of lists."""
        sizes: dict[str, int] = {"each": 0, "lines": 0}
        for name, column in self._table.items():
            if column.rows in sizes and name in self.__dict__:
                sizes[column.rows] = max(sizes[column.rows], len(self.__dict__[name]))
        self._rows = sizes["each"] or ("count" not in self.__dict__ and sizes["lines"]) or 0
        self._lines = sizes["lines"]


def read_varint(data: memoryview, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        octet = data[at]
        number |= (octet & 127) << shift
        at, shift = at + 1, shift + 7
        if octet < 128:
            return number, at


def fields_of(data: memoryview) -> Any:
    """Yields number and value of each field: an int for a varint, else bytes."""
    at = 0
    while at < len(data):
        key, at = read_varint(data, at)
        if key & 7 == 0:
            value, at = read_varint(data, at)
            yield key >> 3, value
            continue
        size = {1: 8, 5: 4}.get(key & 7)
        if size is None:
            size, at = read_varint(data, at)
        if at + size > len(data):
            raise ValueError("a message ends within a field")
        yield key >> 3, data[at:at + size]
        at += size


def decode(tables: Mapping[str, Table], message: str, data: Buffer, dimension: int) -> Columns:
    """Returns the columns of an answer, as views of `data`. Unknown fields are skipped."""
    table = tables[message]
    names = {column.number: name for name, column in table.items()}
    out = Columns(message, table)
    for name, column in table.items():
        if column.type in tables and column.repeated:
            setattr(out, name, [])
    for number, value in fields_of(memoryview(data)):
        name = names.get(number, "")
        if not name:
            continue
        column = table[name]
        if column.type in tables:
            value = decode(tables, column.type, value, dimension)
            if column.repeated:
                getattr(out, name).append(value)
                continue
        elif column.type == "string":
            value = bytes(value).decode()
        elif column.repeated:
            numbers = unpack_varints(value) if column.type == "uint32" else np.frombuffer(value, FIXED[column.type])
            width = width_of(column, dimension, 1)
            value = numbers if width == 1 else numbers.reshape(-1, width)
        setattr(out, name, value)
    out._count()
    return out


BODY_NAMES = {"points": "vertices", "angle": "rotation", "orientation": "rotation", "radius": "radii"}


def body_of(members: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the columns of a shape. Members may also have their JSON names."""
    out = {BODY_NAMES.get(name, name): value for name, value in members.items() if value is not None}
    if "meta" in out:
        out["meta_json"] = json.dumps(out.pop("meta"))
    if "heights" in out and np.ndim(out["heights"]) == 2:
        out["rows"], out["columns"] = np.shape(out["heights"])
    for name in ("vertices", "heights"):
        if getattr(out.get(name), "dtype", None) == np.float32:
            out[name + "_float"] = out.pop(name)
    vertices = out.get("vertices", out.get("vertices_float"))
    out.setdefault("dimension", 3 if vertices is None else np.shape(vertices)[-1])
    return out
