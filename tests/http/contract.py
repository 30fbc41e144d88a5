"""The daemon's description of itself, and whether what travels is what it describes: every
reply that the tests see is held against the schema of its operation and status, every request
that was accepted against the one of its body."""

import json
import pathlib
import re
import urllib.parse

import jsonschema
from jsonschema import validators

import over_stream
import schema

FILE = pathlib.Path(__file__).resolve().parents[2] / "server" / "openapi.json"
NESTED = (dict, list)
LONG = 40  # of longer lists and objects the first and the last are looked at
# Refusals that the shape of a body alone earns, so that its schema must refuse it too. (A member
# that has no meaning beside others is told by its detail.)
# Whether a patch is right depends on what it is merged into.
PATCHES = {"patchSet", "patchShape", "putTick", "postTick"}
# Each query of a batch is judged by itself, in its place in the answer.
BATCHES = {"batchInSet", "batch", "postTick"}
STRUCTURAL = {"unknown-member", "missing-member", "wrong-type", "unknown-type"}

# Headers of ours: they stand only where they are described.
DESCRIBED = {"etag", "retry-after", "allow", "www-authenticate", "x-request-id", "server-timing",
             "gjkd-durability"}

# What every answer has over HTTP, and none as the answer to a call.
NOT_IN_STREAMS = {"server-timing"}

# libmicrohttpd's own refusals, which say nothing of their kind.
REFUSED_BY_THE_PARSER = {400, 413, 414, 431}

document = json.loads(FILE.read_text())


def at(reference):
    """What "#/components/..." stands for."""
    found = document
    for part in reference.removeprefix("#/").split("/"):
        found = found[part]
    return found


def resolved(node):
    return at(node["$ref"]) if "$ref" in node else node


def names_in(schema):
    """Members that a schema and those it is made of know."""
    known = set(schema.get("properties", {}))
    for part in schema.get("allOf", []):
        known |= names_in(resolved(part))
    return known


def follow(validator, reference, instance, schema):
    yield from validator.descend(instance, at(reference))


def no_others(validator, wanted, instance, schema):
    """unevaluatedProperties, as far as this document needs it: members known by `properties`
    or by the parts of `allOf`."""
    if isinstance(instance, dict) and wanted is False:
        for name in sorted(set(instance) - names_in(schema)):
            yield jsonschema.ValidationError(f"{name!r} is not known")


def choose(validator, choices, instance, schema):
    """oneOf; where a discriminator tells, the choice that it tells."""
    told = schema.get("discriminator")
    if told is None:
        yield from jsonschema.Draft202012Validator.VALIDATORS["oneOf"](
            validator, choices, instance, schema)
    elif not isinstance(instance, dict) or instance.get(told["propertyName"]) not in list(told["mapping"]):
        yield jsonschema.ValidationError(f"{told['propertyName']} tells no schema")
    else:
        yield from validator.descend(instance, at(told["mapping"][instance[told["propertyName"]]]))


Validator = validators.extend(jsonschema.Draft202012Validator, {
    "$ref": follow, "unevaluatedProperties": no_others, "oneOf": choose})

compiler = schema.Compiler(at, names_in)


def shortened(value):
    if isinstance(value, dict):
        kept = list(value.items())
        kept = kept if len(kept) <= LONG else kept[:LONG // 2] + kept[-LONG // 2:]
        return {k: shortened(v) if v.__class__ in NESTED else v for k, v in kept}
    if isinstance(value, list):
        kept = value if len(value) <= LONG else value[:LONG // 2] + value[-LONG // 2:]
        return [shortened(v) if v.__class__ in NESTED else v for v in kept]
    return value


def fault(schema, value):
    """What is wrong with the value, or None. `schema` is a part of the document."""
    return fault_of_short(schema, shortened(value))


def fault_of_short(schema, value):
    if compiler.compiled(schema)(value):
        return None
    error = jsonschema.exceptions.best_match(Validator(schema).iter_errors(value))
    return f"{error.json_path}: {error.message}"


_PATHS = sorted(((re.compile(re.sub(r"\{\w+\}", "[^/]+", re.escape(path).replace(r"\{", "{")
                                    .replace(r"\}", "}"))), path) for path in document["paths"]),
                key=lambda row: row[1].count("{"))


def operation(method, target):
    """The operation of a request, or None."""
    path = urllib.parse.urlsplit(target).path
    for pattern, template in _PATHS:
        if pattern.fullmatch(path):
            item = document["paths"][template]
            return item.get(method.lower()) or (item.get("get") if method == "HEAD" else None)
    return None


def media(headers):
    kind = {k.lower(): v for k, v in headers.items()}.get("content-type", "")
    return kind.split(";")[0].strip().lower()


def parsed(body):
    try:
        return shortened(json.loads(body))
    except (ValueError, RecursionError):
        return None


def check_headers(where, documented, status, headers):
    told = {k.lower(): v for k, v in headers.items()}
    for name, header in documented.items():
        header, value = resolved(header), told.get(name.lower())
        is_left_out = over_stream.enabled and name.lower() in NOT_IN_STREAMS
        assert value is not None or is_left_out or not header.get("required"), (where, status, "lacks", name)
        if value is not None:
            value = int(value) if header["schema"]["type"] == "integer" else value
            wrong = fault(header["schema"], value)
            assert not wrong, (where, status, name, wrong)
    unknown = {n for n in DESCRIBED if n in told} - {n.lower() for n in documented}
    assert not unknown, (where, status, "does not describe", unknown)


def check_reply(found, status, headers, body):
    responses = found["responses"]
    documented = responses.get(str(status)) or responses.get(f"{status // 100}XX")
    assert documented, f"{found['operationId']} does not describe the status {status}"
    documented = resolved(documented)
    kind = media(headers)
    if kind == "" and status in REFUSED_BY_THE_PARSER:
        return
    check_headers(found["operationId"], documented["headers"], status, headers)
    if not body:
        return
    assert kind in documented.get("content", {}), (found["operationId"], status, kind)
    if kind.endswith("json"):
        for text in body.splitlines() if kind.endswith("ndjson") else [body]:
            wrong = fault(documented["content"][kind]["schema"], json.loads(text))
            assert not wrong, (found["operationId"], status, wrong)


def check_request(found, status, problem, headers, body):
    content = found.get("requestBody", {}).get("content", {})
    kind = media(headers)
    if not kind.endswith("json") or kind not in content or (sent := parsed(body)) is None:
        return
    wrong = fault_of_short(content[kind]["schema"], sent)
    if status < 300:
        fine = not wrong or (found["operationId"] in BATCHES and wrong.startswith("$.queries["))
        assert fine, (found["operationId"], "accepted, but", wrong)
    elif found["operationId"] in PATCHES:
        return
    elif problem.get("code") in STRUCTURAL and "has no meaning" not in problem["detail"]:
        assert wrong, (found["operationId"], "refused, but not by the schema", problem)


def check(method, target, sent_headers, sent, status, headers, body):
    """One exchange, whole. Requests that no operation has must be refused."""
    found = operation(method, target)
    told = {k.lower(): v for k, v in headers.items()}
    if "x-request-id" in told and not over_stream.enabled:  # else libmicrohttpd's own, to what it cannot take in
        assert told.get("x-content-type-options") == "nosniff", (method, target)
    if found is None:
        assert status >= 400 or method == "OPTIONS", f"{method} {target} is not described"
        assert status != 405 or headers.get("Allow") or headers.get("allow"), (method, target)
    else:
        check_reply(found, status, headers, b"" if method == "HEAD" else body)
    if media(headers) == "application/problem+json" and method != "HEAD":
        problem = json.loads(body)
        assert not fault(at("#/components/schemas/Problem"), problem), problem
    else:
        problem = {}
    if found is not None and sent:
        check_request(found, status, problem, sent_headers, sent)
