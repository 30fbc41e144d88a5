"""What every refusal looks like: RFC 9457 with this daemon's members."""

STATUS = {
    "malformed-json": 400, "malformed-protobuf": 400, "bad-request": 400,
    "unauthenticated": 401, "forbidden": 403,
    "route-not-found": 404, "set-not-found": 404, "shape-not-found": 404,
    "method-not-allowed": 405, "not-here": 421, "not-acceptable": 406, "unsupported-media-type": 415,
    "tick-conflict": 409, "tick-in-future": 409, "tick-expired": 410, "revision-mismatch": 412,
    "body-too-large": 413, "uri-too-long": 414, "headers-too-large": 431,
    "unknown-member": 422, "missing-member": 422, "wrong-type": 422, "out-of-range": 422,
    "not-finite": 422, "unknown-type": 422, "dimension-mismatch": 422, "not-convex": 422,
    "not-closed": 422,
    "not-simple": 422,
    "bad-name": 422, "bad-orientation": 422, "zero-direction": 422, "too-many": 422,
    "rate-limited": 429, "overloaded": 503, "draining": 503, "not-ready": 503,
    "deadline-exceeded": 504, "internal": 500, "out-of-memory": 507, "not-stored": 507,
}

REQUIRED = {"type", "title", "status", "detail", "code"}
OPTIONAL = {"hint", "limit", "errors", "revision"}


def is_text(value):
    return isinstance(value, str) and value != ""


def check(reply, code, pointer=None, hint=None, limit=None, detail=None):
    """The reply is the problem `code`, well-formed, and says where and what."""
    assert reply.status_code == STATUS[code], reply.text
    kind = {k.lower(): v for k, v in reply.headers.items()}["content-type"]
    assert kind.split(";")[0] == "application/problem+json"
    problem = reply.json()
    assert REQUIRED <= set(problem) <= REQUIRED | OPTIONAL, problem
    assert problem["code"] == code, problem
    assert problem["type"] == f"/problems/{code}"
    assert problem["status"] == STATUS[code]
    assert is_text(problem["title"]) and is_text(problem["detail"])
    assert is_text(problem.get("hint", "-")) and isinstance(problem.get("limit", 0), int)
    if "errors" in problem:
        check_errors(problem)
    if pointer is not None:
        assert problem["errors"][0]["pointer"] == pointer, problem
    for member, wanted in (("hint", hint), ("detail", detail)):
        if wanted is not None:
            assert wanted in problem[member], problem
    if limit is not None:
        assert problem["limit"] == limit, problem
    return problem


def check_errors(problem):
    assert problem["errors"], problem
    assert problem["errors"][0]["code"] == problem["code"]
    for error in problem["errors"]:
        assert set(error) == {"pointer", "code", "detail"}, problem
        assert error["pointer"] == "" or error["pointer"].startswith("/")
        assert error["code"] in STATUS and is_text(error["detail"])
