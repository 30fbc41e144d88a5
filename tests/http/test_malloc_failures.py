"""Memory that cannot be had: every allocation that a request makes fails once, one after another.

The answer is 507, or what it would have been, or the connection closes; the next request is
answered as ever, a write was done or was not, and what was allocated meanwhile is freed."""

import gzip
import json
import mmap
import os
import struct
import subprocess

import pytest

import daemon
import messages
import scenes
from wire import Wire, eventually

pytestmark = pytest.mark.http

FULL = bool(os.environ.get("GJKD_FULL"))
ONE_BY_ONE = 1 << 30 if FULL else 60  # from then on every STRIDE-th
STRIDE = 7
FIRST_NUMBER = 10
MOST = 20000  # allocations of one request
LEAK_MAX = 40  # allocations that live longer after a walk than before: caches, a connection
CHANGES_KEPT = 1024  # of a set, for those who watch it
REPLY_S = 10
HEALTHY = {200, 201, 204}


class Allocations:
    """The page that failing_malloc.c shares with the test."""

    def __init__(self, path):
        path.write_bytes(bytes(4096))
        with open(path, "r+b") as file:
            self.page = mmap.mmap(file.fileno(), 4096)

    def _get(self, row):
        return struct.unpack_from("<q", self.page, 8 * row)[0]

    def _set(self, row, value):
        struct.pack_into("<q", self.page, 8 * row, value)

    def fail(self, nth, width):
        self._set(2, 0)
        self._set(0, nth)
        self._set(1, width)

    def restore(self):
        """How many failed."""
        self._set(1, 0)
        return self._get(2)

    @property
    def live(self):
        return self._get(3)


@pytest.fixture(scope="module")
def starved(tmp_path_factory):
    """A daemon with the library, and its page."""
    folder = tmp_path_factory.mktemp("malloc")
    library = folder / "failing_malloc.so"
    source = os.path.join(os.path.dirname(__file__), "failing_malloc.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source], check=True)
    allocations = Allocations(folder / "page")
    gjkd = daemon.Daemon("--io-threads", "1", "--workers", "1", "--demo", env={
        "LD_PRELOAD": str(library), "FAILING_MALLOC": str(folder / "page")})
    yield gjkd, allocations
    allocations.restore()
    gjkd.stop()


SHAPES = scenes.scene(5, 3)
SET = {"dimension": 3, "shapes": SHAPES}
LONG = {"dimension": 2, "shapes": {f"s{i}": {"type": "circle", "radius": 1, "meta": "m" * 4000}
                                   for i in range(20)}}
SHOOTER = next(shape["group"] for shape in SHAPES.values() if shape.get("group"))
PAIR = {"a": {"type": "box", "half_extents": [1, 1, 1]},
        "b": {"type": "hull", "points": [[3, 0, 0], [4, 1, 0], [4, 0, 1], [3, 2, 2]]}}
RAYS = messages.gjkd.RaycastColumns(
    dimension=3, origin=[0, 0, -9] * 20, direction=[0, 0, 1] * 20).SerializeToString()
LISTS = messages.gjkd.RaycastColumns(
    dimension=3, origin=[0, 0, -9] * 20, direction=[0, 0, 1] * 20, mode=2, exits=True).SerializeToString()
NEAREST = messages.gjkd.NearestColumns(dimension=3, shape=[1, 2, 3], limit=9).SerializeToString()
RAY = {"origin": [0, 0, -9], "direction": [0, 0, 1]}
JSON, COLUMNS, PATCH = "application/json", messages.TYPE, "application/merge-patch+json"


def body_of(value):
    return value if isinstance(value, bytes) else json.dumps(value).encode()


# name: (method, path, body, type of the body); %d is a number that grows. Those of PACKED are sent in gzip.
PACKED = {"packed", "packed put"}
ROUTES = {
    "put": ("PUT", "/v1/sets/made%d", SET, JSON),
    "replace": ("PUT", "/v1/sets/kept", SET, JSON),
    "patch": ("PATCH", "/v1/sets/kept", {"shapes": {"new": {"type": "sphere", "radius": 2}}}, PATCH),
    "patch a shape": ("PATCH", f"/v1/sets/kept/shapes/{next(iter(SHAPES))}",
                      {"position": [1, 2, 3]}, PATCH),
    "tick": ("PUT", "/v1/sets/ticked/ticks/%d",
             {"shapes": {name: {"position": [1, 2, 3]} for name in SHAPES}}, JSON),
    "tick that asks": ("POST", "/v1/sets/ticked/ticks/%d", {
        "shapes": {name: {"position": [1, 2, 3]} for name in SHAPES},
        "queries": [{"op": "raycast", "origin": [0, 0, -9], "direction": [0, 0, 1]}] * 600}, JSON),
    "get": ("GET", "/v1/sets/kept", b"", None),
    "list": ("GET", "/v1/sets", b"", None),
    "metrics": ("GET", "/metrics", b"", None),
    "livez": ("GET", "/livez", b"", None),
    "distance": ("POST", "/v1/distance", PAIR, JSON),
    "cast": ("POST", "/v1/cast", {"shape": PAIR["a"], "against": PAIR["b"], "translation": [9, 0, 0]},
             JSON),
    "detect": ("POST", "/v1/sets/kept/detect", {}, JSON),
    "against a set": ("POST", "/v1/sets/kept/distance", {"a": PAIR["a"]}, JSON),
    "near pairs": ("POST", "/v1/sets/kept/distance", {"max_distance": 99}, JSON),
    "configurations": ("POST", "/v1/sets/kept/configurations", {
        "shapes": [PAIR["a"]], "poses": [[{}]] * 50, "report": "distance", "limit": 5}, JSON),
    "raycast": ("POST", "/v1/sets/kept/raycast", RAY, JSON),
    "columns": ("POST", "/v1/sets/kept/raycast", RAYS, COLUMNS),
    "lists": ("POST", "/v1/sets/kept/raycast", LISTS, COLUMNS),
    "nearest": ("POST", "/v1/sets/kept/distance", NEAREST, f"{COLUMNS}; message=NearestColumns"),
    "batch": ("POST", "/v1/batch",
              {"queries": [{"op": "distance", **PAIR}, {"op": "raycast", "set": "kept", **RAY}] * 10},
              JSON),
    "packed": ("POST", "/v1/distance", PAIR, JSON),
    "packed put": ("PUT", "/v1/sets/made%d", LONG, JSON),
    "hit": ("POST", "/v1/sets/ticked/hit",
            {"shooter": SHOOTER, "at": {"tick": 1}, "ray": RAY, "claim": {"id": list(SHAPES)[1]}}, JSON),
}


# What the routes that write change; %d is the number of the request.
WRITTEN = {"put": "/v1/sets/made%d", "packed put": "/v1/sets/made%d",
           "replace": "/v1/sets/kept", "patch": "/v1/sets/kept", "patch a shape": "/v1/sets/kept", "tick": "/v1/sets/ticked",
           "tick that asks": "/v1/sets/ticked"}


class Witness:
    """What a write has changed: nothing where it was refused, everything where it was not."""

    def __init__(self, gjkd, route):
        self.gjkd, self.path = gjkd, WRITTEN.get(route)

    def look(self, number):
        if self.path is None:
            return None
        path = self.path % number if "%d" in self.path else self.path
        reply = self.gjkd.session.get(self.gjkd.url + path, timeout=REPLY_S)
        body = reply.json()
        return body.pop("revision", None), body.pop("tick", None), body.pop("ticks", None), \
            body.get("shapes")

    def judge(self, before, reply, after):
        if self.path is None:
            return
        if reply is not None and "the write is made" in reply.text:
            assert reply.status == 507 and after != before
        elif reply is not None and reply.status in (503, 507):
            assert after == before, f"a refused write changed something: {reply.text}"
        elif reply is not None or after != before:
            assert after[0] == (before[0] or 0) + 1 and after[3], (before, reply, after)


class Asker:
    def __init__(self, gjkd, route):
        self.gjkd, self.number = gjkd, FIRST_NUMBER
        self.method, self.path, body, self.kind = ROUTES[route]
        self.body = body_of(body)
        self.coding = ["Content-Encoding: gzip"] if route in PACKED else []
        if self.coding:
            self.body = gzip.compress(self.body)

    def ask(self):
        """The reply, or None where the connection was closed."""
        self.number += 1
        path = self.path % self.number if "%d" in self.path else self.path
        fields = [f"{self.method} {path} HTTP/1.1", "Host: localhost", "Connection: close"]
        if self.kind:
            fields += [f"Content-Type: {self.kind}", f"Content-Length: {len(self.body)}"]
        fields += self.coding
        try:
            with Wire(self.gjkd, timeout=REPLY_S) as wire:
                wire.send("\r\n".join(fields).encode() + b"\r\n\r\n" + self.body)
                return wire.reply()
        except (EOFError, ConnectionError):
            return None


def settle(gjkd):
    """Until the daemon has no connection and every set that nobody needs is freed."""
    assert eventually(lambda: b"\ngjkd_http_connections 1\n" in gjkd.get("/metrics").content)


def prepare(gjkd):
    for name in ("kept", "ticked"):
        gjkd.call("DELETE", f"/v1/sets/{name}")
        gjkd.store(name, SET | {"history": {"ticks": 4}})
    assert gjkd.put("/v1/sets/ticked/ticks/1", {"shapes": {}}).status_code == 201


@pytest.mark.parametrize("width", [1, 3, 1 << 40], ids=["one", "three", "all"])
@pytest.mark.parametrize("route", ROUTES)
def test_every_allocation_may_fail(starved, route, width):
    gjkd, allocations = starved
    prepare(gjkd)
    asker = Asker(gjkd, route)
    expected = [asker.ask() for _ in range(4)][-1]
    assert expected is not None and expected.status in HEALTHY, expected and expected.text
    nth, tried, refused = 1, 0, 0
    witness = Witness(gjkd, route)
    if route == "replace":
        for _ in range(CHANGES_KEPT):  # from now on each change that is kept displaces another
            assert asker.ask().status in HEALTHY
    settle(gjkd)
    live = None
    while nth < MOST:
        before = witness.look(asker.number + 1)
        allocations.fail(nth, width)
        reply = asker.ask()
        failed = allocations.restore()
        witness.judge(before, reply, witness.look(asker.number))
        tried += 1
        refused += reply is not None and reply.status == 507
        assert reply is None or reply.status in HEALTHY | {507, 503}, (nth, reply.text)
        again = asker.ask()
        assert again is not None and again.status in HEALTHY, (nth, again and again.text)
        if live is None:
            settle(gjkd)
            live = allocations.live
        if failed == 0:
            break
        nth += 1 if nth < ONE_BY_ONE else STRIDE
    assert nth < MOST and tried > 1
    if route in WRITTEN:
        prepare(gjkd)  # each write leaves what it changed in its set's feed
    settle(gjkd)
    if "%d" not in asker.path:
        assert eventually(lambda: allocations.live < live + LEAK_MAX), (live, allocations.live, tried)
    for number in range(FIRST_NUMBER, asker.number + 1):
        if "put" in route:
            gjkd.call("DELETE", f"/v1/sets/made{number}")
    if "put" in route:
        assert eventually(lambda: allocations.live < live + LEAK_MAX), (live, allocations.live, tried)
    print(f"{route}: {tried} tried, {refused} refused")
