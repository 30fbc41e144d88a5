"""GET /openapi.json: whole, true, and not to drift away from what the daemon does. (That every
reply of every other test is as it says is contract.py's part.)"""

import json
import random
import re

import pytest

import contract
import problem
from daemon import Daemon

pytestmark = pytest.mark.http

METHODS = ("get", "head", "put", "post", "patch", "delete")


def operations():
    for path, item in contract.document["paths"].items():
        for method in METHODS:
            if method in item:
                yield method, path, item[method]


def served():
    """The rows of the table of operations, from its source."""
    source = (contract.FILE.parent / "handlers" / "operations.c").read_text()
    rows = re.findall(r'\{GJKD_(\w+), "([^"]+)", "(\w+)",', source)
    assert len(rows) >= 20
    return {name: (method.lower(), path) for method, path, name in rows}


def test_it_is_served_as_it_stands(gjkd):
    reply = gjkd.get("/openapi.json")
    assert reply.content == contract.FILE.read_bytes()
    assert reply.headers["Content-Type"] == "application/json; charset=utf-8"
    assert gjkd.call("HEAD", "/openapi.json").headers["Content-Length"] == str(len(reply.content))
    assert reply.json()["openapi"].startswith("3.1.")
    assert reply.json()["info"]["version"] == gjkd.get("/v1").json()["version"]
    assert gjkd.get("/v1").json()["links"]["openapi"] == "/openapi.json"


def test_the_schema_of_columns_is_served(gjkd):
    reply = gjkd.get("/gjkd.proto")
    assert reply.content == (contract.FILE.parents[1] / "proto" / "gjkd.proto").read_bytes()
    assert reply.headers["Content-Type"] == "text/plain; charset=utf-8"


def test_the_table_of_operations_and_the_description_are_one():
    assert all(o["summary"] for _, _, o in operations())
    described = {o["operationId"]: (method, path) for method, path, o in operations()}
    table = served()
    assert {k: described.get(k) for k in table} == table
    assert set(described) - set(table) == {"headSet"}


def kinds():
    """The rows of the table of shapes, from its source: by name its dimensions and members."""
    source = (contract.FILE.parent.parent / "core/include/gjk/shape.h").read_text()
    table = re.search(r"#define GJK_KIND_MAP\(.*?[^\\]\n", source, re.S)[0]
    rows = re.findall(r'(?:CLOUD|CURVE|PIECES)\([A-Z_]+, \w+, (NULL|"\w+"), (NULL|"\w+"), (?:NULL|"\w+")'
                      r'((?:, \w+\("\w+"(?:, \d+)?\))*)\)', re.sub(r"\s*\\\n\s*", " ", table))
    assert len(rows) == len(re.findall(r"\b(?:CLOUD|CURVE|PIECES)\(", table)) >= 18
    found = {}
    for in_2d, in_3d, text in rows:
        members = {name: (form, least) for form, name, least
                   in re.findall(r'(\w+)\("(\w+)"(?:, (\d+))?\)', text)}
        for dimension, name in ((2, in_2d), (3, in_3d)):
            if name != "NULL":
                found.setdefault(name.strip('"'), (set(), members))[0].add(dimension)
    return found


def schema_of(form, least, dimensions):
    """What the description must say of a member of that form."""
    positive = {"type": "number", "exclusiveMinimum": 0}
    vector = {"$ref": "#/components/schemas/Vector"}
    sides = {"type": "array", "minItems": min(dimensions), "maxItems": max(dimensions)}
    least = int(least or 0)
    u32 = {"type": "integer", "minimum": 0, "maximum": 4294967295}
    return {"POSITIVE": positive, "HALF_TURN": positive | {"maximum": 3.141592653589793},
            "PLACE": vector, "OTHER_PLACE": vector,
            "LENGTHS": sides | {"items": {"type": "number", "minimum": 0}},
            "POSITIVES": sides | {"items": positive},
            "PLACES": {"type": "array", "items": vector, "minItems": least},
            "FLAG": {"type": ["boolean", "null"]},
            "COUNT": u32 | {"minimum": least},
            "STEPS": {"type": "array", "items": positive, "minItems": 2, "maxItems": 2},
            "PARTS": {"type": "array", "items": {"$ref": "#/components/schemas/Part"},
                      "minItems": 1, "maxItems": 4096},
            "VERTICES": {"type": "array", "items": vector, "minItems": least},
            "TRIANGLES": {"type": "array", "minItems": 1,
                          "items": {"type": "array", "items": u32, "minItems": 3, "maxItems": 3}},
            "RINGS": {"type": "array", "minItems": 1, "items": {
                "type": "array", "items": {"type": "array", "items": vector}}},
            "LENGTH": {"type": ["number", "null"], "minimum": 0},
            "HEIGHT": {"type": ["number", "null"]},
            "RADII": {"type": ["array", "null"], "items": {"type": "number", "minimum": 0}},
            "FLAT_RINGS": {"type": "array", "minItems": 1, "items": {"type": "array", "items": vector}},
            "FILL": {"type": ["string", "null"], "enum": ["nonzero", "evenodd", None]},
            "HEIGHTS": {"type": "array", "items": {"type": ["number", "null"]}},
            "MATERIALS": {"type": ["array", "null"], "items": u32}}[form]


def test_the_table_of_shapes_and_the_description_are_one():
    schemas = contract.document["components"]["schemas"]
    table = kinds()
    mapping = schemas["Shape"]["discriminator"]["mapping"]
    patch = schemas["ShapePatch"]["properties"]
    assert set(mapping) == set(table) == set(patch["type"]["enum"]) - {None}
    assert {s["$ref"] for s in schemas["Shape"]["oneOf"]} == set(mapping.values())
    for name, (dimensions, members) in table.items():
        schema = contract.at(mapping[name])
        told = {k: v for k, v in schema["properties"].items() if k != "type"}
        assert schema["properties"]["type"]["const"] == name
        replaced = [("polygons", "rings")] if "rings" in members else []
        assert [[{"required": [m]} for m in pair] for pair in replaced] == \
            ([schema["oneOf"]] if "oneOf" in schema else [])
        required = [m for m, (form, _) in members.items() if form not in ("FLAG", "MATERIALS", "FILL", "HEIGHT", "LENGTH", "RADII")
                    and not any(m in pair for pair in replaced)]
        assert schema["required"] == ["type", *required] and set(told) == set(members), name
        for member, (form, least) in members.items():
            told[member] = {k: v for k, v in told[member].items() if k != "description"}
            wanted = schema_of(form, least, dimensions)
            if form == "PLACES" and "maxItems" in told[member]:
                wanted["maxItems"] = told[member]["maxItems"]
            assert told[member] == wanted, (name, member)
    common = set(patch) - {m for _, members in table.values() for m in members}
    assert common == {"type", "position", "angle", "orientation", "teleport",
                      *schemas["Common"]["properties"]}


def test_every_operation_tells_how_it_succeeds():
    for method, path, operation in operations():
        success = [code for code in operation["responses"] if code.startswith("2")]
        assert success or path == "/v1/stream" and "101" in operation["responses"], (method, path)


def test_every_path_takes_the_methods_described(gjkd):
    wanted = {}
    for method, path, _ in operations():
        wanted.setdefault(path, set()).add(method.upper())
    for path, methods in wanted.items():
        methods |= {"HEAD"} if "GET" in methods else set()
        reply = gjkd.call("TRACE", re.sub(r"\{\w+\}", "x", path))
        problem.check(reply, "method-not-allowed")
        assert set(reply.headers["Allow"].split(", ")) >= methods - {"OPTIONS"}, path


def test_every_code_is_described_and_explained(gjkd):
    codes = contract.document["components"]["schemas"]["ProblemCode"]["enum"]
    assert set(codes) == set(problem.STATUS) and len(codes) == len(set(codes))
    told = " ".join(r["description"] for r in contract.document["components"]["responses"].values())
    for code in codes:
        explained = gjkd.get(f"/problems/{code}").json()
        assert explained["code"] == code and explained["status"] == problem.STATUS[code]
        assert len(explained["detail"]) > 20 and explained["type"] == f"/problems/{code}"
        assert re.search(rf"\b{code}\b", told), f"no response tells of {code}"


def test_limits_are_told_with_their_values(gjkd):
    limits = contract.document["components"]["schemas"]["Limits"]["properties"]
    assert {k: v["default"] for k, v in limits.items()} == gjkd.get("/v1").json()["limits"]


def references(node):
    if isinstance(node, dict):
        for key, value in node.items():
            if key in ("$ref", "mapping"):
                yield from [value] if key == "$ref" else value.values()
            yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)


def test_nothing_is_missing_and_nothing_left_over():
    used = {r for r in references(contract.document) if isinstance(r, str) and r.startswith("#/")}
    for reference in used:
        contract.at(reference)
    for kind in ("schemas", "parameters", "headers", "responses"):
        for name in contract.document["components"][kind]:
            assert f"#/components/{kind}/{name}" in used, f"{kind}/{name} is not used"


@pytest.fixture(scope="module")
def demo():
    daemon = Daemon("--demo")
    yield daemon
    daemon.stop()


def url(path, parameters, name):
    values = {p["name"]: p.get("example") for p in map(contract.resolved, parameters)}
    values["set"] = name
    return re.sub(r"\{(\w+)\}", lambda m: str(values[m[1]]), path)


# What changes things does so to a set of its own, in the order of a set's life.
LIFE = ["putSet", "patchSet", "putShape", "patchShape", "putTick", "getTicks", "getTick",
        "getShape", "deleteShape", "getSet", "headSet", "deleteSet"]


def in_order():
    found = {o["operationId"]: (m, p, o) for m, p, o in operations()}
    rest = [name for name in found if name not in LIFE]
    return [(name, *found[name]) for name in rest + LIFE]


def test_the_examples_run(demo):
    ran = 0
    for name, method, path, operation in in_order():
        parameters = contract.document["paths"][path].get("parameters", [])
        target = url(path, parameters + operation.get("parameters", []),
                     "lobby" if name in LIFE else "arena2d")
        content = operation.get("requestBody", {}).get("content", {})
        for kind, media in content.items():
            for title, example in media.get("examples", {}).items():
                reply = demo.call(method.upper(), target, headers={"Content-Type": kind},
                                  data=json.dumps(example["value"]))
                assert reply.status_code in (200, 201), (name, title, reply.text)
                ran += 1
        if not content:
            is_endless = "text/event-stream" in operation["responses"].get("200", {}).get("content", {})
            reply = demo.call("HEAD" if is_endless else method.upper(), target)
            wanted = (400,) if "101" in operation["responses"] else (200, 204)  # no handshake
            wanted = (404,) if name == "getCluster" else wanted  # the daemon is in none
            assert reply.status_code in wanted, (name, target)
            ran += 1
        assert not content or any("examples" in m for m in content.values()), f"{name}: no example"
    assert ran >= 25


# --- The judge of replies and requests is two: one that is fast, one that says why ---

def mutated(rng, value):
    """The value with something else somewhere in it."""
    others = [None, True, 0, -1, 1, 1.5, "", "x", [], {}, [1, 2, 3], {"type": "circle"}]
    if isinstance(value, dict) and value and rng.random() < 0.8:
        key = rng.choice(list(value))
        kept = {k: v for k, v in value.items() if k != key}
        return rng.choice([kept, kept | {"extra": 1},
                           value | {key: mutated(rng, value[key])}])
    if isinstance(value, list) and value and rng.random() < 0.8:
        i = rng.randrange(len(value))
        return rng.choice([value[:i], value + value[:1],
                           value[:i] + [mutated(rng, value[i])] + value[i + 1:]])
    return rng.choice(others)


def test_the_fast_judge_says_what_jsonschema_says():
    rng, verdicts = random.Random(16), {True: 0, False: 0}
    for method, path, operation in operations():
        content = contract.resolved(operation.get("requestBody", {})).get("content", {})
        for media in content.values():
            for example in media.get("examples", {}).values():
                value = whole = contract.resolved(example)["value"]
                for _ in range(100):
                    is_valid = contract.compiler.compiled(media["schema"])(value)
                    assert is_valid == contract.Validator(media["schema"]).is_valid(value), value
                    verdicts[is_valid] += 1
                    value = mutated(rng, rng.choice([whole, whole, value]))
    assert min(verdicts.values()) > 100
