#!/usr/bin/env python3
"""Generates gjkd/_tables.py, the columns of gjkd.proto, and gjkd/_operations.py, the operations of
openapi.json.

   generate.py            writes them
   generate.py --check    fails if they are not up to date
"""

import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
LONG_LINE = 110
PUBLIC = {"detectInSet": "detect", "watchSet": "watch", "exportSets": "export_sets", "postTick": "tick"}
LEFT_OUT = {"root", "playground", "docs", "docsPage", "openStream", "watchSet"}  # pages for people, and streams
# Messages that an operation takes.
FORMS = {
    "raycast": ["RaycastColumns"], "cast": ["CastColumns"], "move": ["MoveColumns"], "hit": ["HitColumns"],
    "detect": ["PairColumns", "OverlapColumns"], "distance": ["PairColumns", "NearestColumns"],
    "configurations": ["ConfigurationColumns"], "batch": ["BatchColumns"], "tick": ["PoseColumns", "TickColumns"],
    "put_tick": ["PoseColumns"], "put_shape": ["BodyColumns"],
}
HEADERS = {"IfMatch": "if_match", "IfNoneMatch": "if_none_match", "TimeoutMs": "timeout",
           "MinRevision": "min_revision", "Consistency": "consistency"}
NDJSON = "application/x-ndjson"
WRITTEN = '"""Written by generate.py: do not edit."""\n'


def default_of(word):
    known = {"UINT32_MAX": 4294967295.0, "PROTO_NO_HANDLE": 4294967295.0}
    if word in known:
        return known[word]
    return float(word)


def rows_of_columns():
    """{message: {column: (width, rows, default)}} of the daemon's tables."""
    text = (ROOT / "proto/include/proto/messages.h").read_text()
    out = {}
    for name, body in re.findall(r"#define PROTO_(\w+)\(X, AS\)((?:.*\\\n)+.*)", text):
        columns = out["".join(word.capitalize() for word in name.split("_"))] = {}
        for alias, row in re.findall(r"\b(X|AS)\((.*?)\)\s*(?:\\|$)", body, re.M):
            words = [word.strip().strip('"') for word in row.split(",")]
            if alias == "AS":
                del words[1]
            width, rows = (word.removeprefix("PROTO_").lower() for word in words[3:5])
            fills = rows.startswith("some") and words[5] in ("0", "PROTO_NEEDS_HITS")
            columns[words[1]] = (width, rows, default_of(words[-1]) if fills else None)
    return out


def messages():
    """[(message, [(repeated, type, name, number)])] of gjkd.proto."""
    text = re.sub(r"//.*", "", (ROOT / "proto/gjkd.proto").read_text())
    return [(message, re.findall(r"(repeated )?(\w+) (\w+) = (\d+);", body))
            for message, body in re.findall(r"message (\w+) \{(.*?)\n\}", text, re.S)]


def tables():
    known = rows_of_columns()
    version = re.search(r"VERSION (\d+\.\d+\.\d+)", (ROOT / "CMakeLists.txt").read_text())[1]
    out = [WRITTEN, "from ._columns import Column\n", f'VERSION = "{version}"', "MESSAGES = {"]
    for message, fields in messages():
        out.append(f'    "{message}": {{')
        for repeated, kind, name, number in fields:
            width, rows, default = known.get(message, {}).get(name, ("1", "list" if repeated else "one", None))
            out.append(f'        "{name}": Column({number}, "{kind}", {bool(repeated)}, "{width}", "{rows}", {default}),')
        out.append("    },")
    return "\n".join([*out, "}", ""])


def snake(name):
    return re.sub(r"([A-Z])", lambda m: "_" + m[1].lower(), name)


def members_of(schemas, schema):
    """The members that a body may have, in order, and their types."""
    if "$ref" in schema:
        return members_of(schemas, schemas[schema["$ref"].rpartition("/")[2]])
    out = {name: type_of(schemas, value) for name, value in schema.get("properties", {}).items() if not value.get("readOnly")}
    for kind in ("allOf", "anyOf", "oneOf"):
        for part in schema.get(kind, []):
            for name, told in members_of(schemas, part).items():
                out[name] = told if out.get(name, told) == told else "Any"
    return out


def operations():
    """[(name, method, paths, parameters in the path, in the query, headers, content types, members, summary)]"""
    described = json.loads((ROOT / "server/openapi.json").read_text())
    found = {}
    for path, methods in described["paths"].items():
        shared = methods.get("parameters", [])
        for method, operation in methods.items():
            if "operationId" not in operation or operation["operationId"] in LEFT_OUT:
                continue
            name = operation["operationId"].removesuffix("InSet")
            name = PUBLIC.get(name, snake(name))
            references = [p["$ref"].rpartition("/")[2] if "$ref" in p else "" for p in shared + operation.get("parameters", [])]
            parameters = [described["components"]["parameters"][r] if r else p
                          for r, p in zip(references, shared + operation.get("parameters", []))]
            content = operation.get("requestBody", {}).get("content", {})
            json_schema = next((c["schema"] for kind, c in content.items() if kind.endswith("json")), {})
            entry = found.setdefault(name, {"paths": [], "members": {}, "headers": [], "summary": operation.get("summary", name)})
            entry["method"] = method.upper()
            entry["paths"].append(path)
            entry["query"] = [p["name"] for p in parameters if p["in"] == "query"]
            entry["headers"] = list(dict.fromkeys(entry["headers"] + [HEADERS[r] for r in references if r in HEADERS]))
            entry["body"] = entry.get("body") or (NDJSON if NDJSON in content else next(iter(content), None))
            for member, kind in members_of(described["components"]["schemas"], json_schema).items():
                entry["members"][member] = kind if entry["members"].get(member, kind) == kind else "Any"
    return found


def type_of(schemas, schema):
    """The Python type of a member, for editors and type checkers; coarse."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return {"Operand": "Operand", "Shape": "Operand"}.get(name) or type_of(schemas, schemas[name])
    if "enum" in schema and not all(isinstance(word, int) or word is None for word in schema["enum"]):
        words = [json.dumps(word) if isinstance(word, str) else str(word) for word in schema["enum"] if word is not None]
        return f"Literal[{', '.join(words)}]"
    if "anyOf" in schema or "oneOf" in schema:
        found = {type_of(schemas, part) for part in schema.get("anyOf", schema.get("oneOf")) if part.get("type") != "null"}
        return found.pop() if len(found) == 1 else "Any"
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    known = {"string": "str", "boolean": "bool", "integer": "int | Array", "number": "float | Array",
             "array": "Sequence[Any] | Array", "object": "Mapping[str, Any]"}
    return " | ".join(known[kind] for kind in kinds if kind in known) or "Any"


def column_type(column):
    repeated, kind = column
    if not repeated:
        return {"bool": "bool", "string": "str", "double": "float", "uint32": "int"}.get(kind, "Mapping[str, Any]")
    return "Sequence[str]" if kind == "string" else "Column" if kind in ("double", "float", "uint32") else "Sequence[Any]"


def class_of(name):
    return "".join(word.capitalize() for word in name.split("_")) + "Members"


def members_text(name, operation, fields):
    """The class of an operation's members: those of its JSON and the columns of its messages."""
    types = {member: kind.split(" | ") for member, kind in operation["members"].items()}
    for message in FORMS.get(name, []):
        for column, kind in fields.get(message, {}).items():
            types[column] = types.get(column, []) + column_type(kind).split(" | ")
    lines = [f"class {class_of(name)}(TypedDict, total=False):"]
    for member, kinds in types.items():
        lines.append(f"    {member}: {'Any' if 'Any' in kinds else ' | '.join([*dict.fromkeys(kinds), 'None'])}")
    return "\n".join([*lines, "", ""])


def arguments(name, operation):
    """The arguments of a method, as they are declared and as they are passed on."""
    both = len(operation["paths"]) == 2
    path = re.findall(r"\{(\w+)\}", max(operation["paths"], key=len))
    types = {"tick": "int | float"}
    declared = ["self", "/"] + [f"{name}: {types.get(name, 'str')}" + (" | None = None" if both else "") for name in path]
    if operation["body"] == NDJSON:
        declared.append("lines: str")
    keywords = [name for name in operation["query"]] + [name for name in operation["headers"] if name != "timeout"]
    declared.append("*")
    declared += [f"{name}: {'int | str | bool' if name in operation['query'] else 'str | int'} | None = None" for name in keywords]
    declared.append("timeout: float | None = None")
    if operation["body"] and operation["body"] != NDJSON:
        declared.append(f"**members: Unpack[{class_of(name)}]")
    passed = [f"({', '.join(path)},)" if path else "()"]
    query = ", ".join(f'"{name}": {name}' for name in operation["query"])
    headers = ", ".join(f'"{name}": {name}' for name in operation["headers"] if name != "timeout")
    passed += [f"{{{query}}}", f"{{{headers}}}", "timeout", {None: "None", NDJSON: "lines"}.get(operation["body"], "members")]
    return declared, passed


def method_text(name, operation, awaited):
    declared, passed = arguments(name, operation)
    answer = {"metrics": "str", "schema": "str", "export_sets": "str"}.get(name, "Any" if name in FORMS and name not in ("put_tick", "put_shape") else "Answer")
    told = f"Awaitable[{answer}]" if awaited else answer
    head = f"    def {name}({', '.join(declared)}) -> {told}:"
    if len(head) > LONG_LINE:
        head = f"    def {name}(\n        {', '.join(declared)},\n    ) -> {told}:"
    about = operation["summary"]
    return f'{head}\n        """{about}"""\n        return self._call("{name}", {", ".join(passed)})\n'


def methods():
    found = operations()
    fields = {message: {name: (bool(repeated), kind) for repeated, kind, name, _ in columns} for message, columns in messages()}
    out = [WRITTEN, "from __future__ import annotations\n", "from collections.abc import Awaitable, Mapping, Sequence",
           "from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union\n", "import numpy as np", "from numpy.typing import NDArray\n",
           "from ._answer import Answer\n", "if TYPE_CHECKING:", "    from typing import Unpack\n", "Array = NDArray[Any]",
           "Column = Union[Array, Sequence[Any], float, np.generic]", "Operand = Union[str, Mapping[str, Any], Column]\n",
           "# Messages of columns that an operation takes.", "FORMS: dict[str, tuple[str, ...]] = {",
           *(f'    "{name}": ({", ".join(map(json.dumps, forms))}{"," * (len(forms) == 1)}),' for name, forms in FORMS.items()), "}",
           "# Method, paths (the longest first), content type of the body.", "OPERATIONS: dict[str, tuple[str, list[str], str | None]] = {"]
    for name, operation in found.items():
        paths = sorted(operation["paths"], key=len, reverse=True)
        out.append(f'    "{name}": ("{operation["method"]}", {json.dumps(paths)}, {json.dumps(operation["body"]) if operation["body"] else None}),')
    out.append("}\n")
    out += ["", *(members_text(name, operation, fields) for name, operation in found.items() if operation["body"] not in (None, NDJSON))]
    for group, awaited in (("Operations", False), ("AsyncOperations", True)):
        out.append(f"\nclass {group}:")
        out.append('    """The operations of openapi.json' + (", to be awaited." if awaited else ".") + '"""\n')
        out.append("    def _call(self, name: str, path: Any, query: Any, headers: Any, timeout: Any, members: Any) -> Any:")
        out.append("        raise NotImplementedError\n")
        out += [method_text(name, operation, awaited) for name, operation in found.items()]
    return "\n".join(out)


def main():
    stale = []
    for name, text in (("_tables.py", tables()), ("_operations.py", methods())):
        file = HERE / "gjkd" / name
        if not file.exists() or file.read_text() != text:
            stale.append(name)
            if "--check" not in sys.argv[1:]:
                file.write_text(text)
    if stale and "--check" in sys.argv[1:]:
        sys.exit(f"{', '.join(stale)}: not up to date; run proto/clients/python/generate.py")


if __name__ == "__main__":
    main()
