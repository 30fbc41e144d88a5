"""The tables of the column messages, read from proto/include/proto/messages.h."""

import pathlib
import re
from typing import NamedTuple

HEADER = pathlib.Path(__file__).parents[2] / "proto/include/proto/messages.h"
NONE = 4294967295
DEFAULTS = {"UINT32_MAX": NONE, "PROTO_NO_HANDLE": NONE, "INFINITY": float("inf")}


class Column(NamedTuple):
    number: int
    name: str
    type: str
    width: str
    rule: str
    values: str
    default: float

    def numbers(self, dimension):
        """How many numbers one row has."""
        return {"VECTOR": dimension, "TURN": 1 if dimension == 2 else 4}.get(self.width) or int(self.width)


def _column(row):
    words = [word.strip().strip('"') for word in row.split(",")]
    if len(words) == 8:  # AS: the member of C goes before the name
        del words[1]
    number, name, *rest, default = [word.removeprefix("PROTO_") for word in words]
    default = DEFAULTS.get(words[-1])
    if default is None:
        default = float(words[-1]) if re.fullmatch(r"-?\d+", words[-1]) else None
    return Column(int(number), name, *rest, default)


def read():
    """{name of the list: its columns}, as "RAYCAST_ANSWERS"."""
    text = HEADER.read_text()
    lists = re.findall(r"#define PROTO_(\w+)\(X, AS\)((?:.*\\\n)+.*)", text)
    return {name: [_column(row) for row in re.findall(r"(?:X|AS)\((.*?)\)\s*(?:\\|$)", body, re.M)]
            for name, body in lists}


TABLES = read()
