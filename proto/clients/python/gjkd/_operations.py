"""Written by generate.py: do not edit."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

import numpy as np
from numpy.typing import NDArray

from ._answer import Answer

if TYPE_CHECKING:
    from typing import Unpack

Array = NDArray[Any]
Column = Union[Array, Sequence[Any], float, np.generic]
Operand = Union[str, Mapping[str, Any], Column]

# Messages of columns that an operation takes.
FORMS: dict[str, tuple[str, ...]] = {
    "raycast": ("RaycastColumns",),
    "cast": ("CastColumns",),
    "move": ("MoveColumns",),
    "hit": ("HitColumns",),
    "detect": ("PairColumns", "OverlapColumns"),
    "distance": ("PairColumns", "NearestColumns"),
    "configurations": ("ConfigurationColumns",),
    "batch": ("BatchColumns",),
    "tick": ("PoseColumns", "TickColumns"),
    "put_tick": ("PoseColumns",),
    "put_shape": ("BodyColumns",),
}
# Method, paths (the longest first), content type of the body.
OPERATIONS: dict[str, tuple[str, list[str], str | None]] = {
    "detect": ("POST", ["/v1/sets/{set}/detect", "/v1/detect"], "application/json"),
    "distance": ("POST", ["/v1/sets/{set}/distance", "/v1/distance"], "application/json"),
    "raycast": ("POST", ["/v1/sets/{set}/raycast", "/v1/raycast"], "application/json"),
    "cast": ("POST", ["/v1/sets/{set}/cast", "/v1/cast"], "application/json"),
    "move": ("POST", ["/v1/sets/{set}/move"], "application/json"),
    "batch": ("POST", ["/v1/sets/{set}/batch", "/v1/batch"], "application/json"),
    "configurations": ("POST", ["/v1/sets/{set}/configurations"], "application/json"),
    "hit": ("POST", ["/v1/sets/{set}/hit"], "application/json"),
    "list_sets": ("GET", ["/v1/sets"], None),
    "get_set": ("GET", ["/v1/sets/{set}"], None),
    "head_set": ("HEAD", ["/v1/sets/{set}"], None),
    "put_set": ("PUT", ["/v1/sets/{set}"], "application/json"),
    "patch_set": ("PATCH", ["/v1/sets/{set}"], "application/merge-patch+json"),
    "delete_set": ("DELETE", ["/v1/sets/{set}"], None),
    "get_shape": ("GET", ["/v1/sets/{set}/shapes/{id}"], None),
    "put_shape": ("PUT", ["/v1/sets/{set}/shapes/{id}"], "application/json"),
    "patch_shape": ("PATCH", ["/v1/sets/{set}/shapes/{id}"], "application/merge-patch+json"),
    "delete_shape": ("DELETE", ["/v1/sets/{set}/shapes/{id}"], None),
    "export_sets": ("GET", ["/v1/export"], None),
    "import_sets": ("POST", ["/v1/import"], "application/x-ndjson"),
    "get_ticks": ("GET", ["/v1/sets/{set}/ticks"], None),
    "get_tick": ("GET", ["/v1/sets/{set}/ticks/{tick}"], None),
    "put_tick": ("PUT", ["/v1/sets/{set}/ticks/{tick}"], "application/json"),
    "tick": ("POST", ["/v1/sets/{set}/ticks/{tick}"], "application/json"),
    "about": ("GET", ["/v1"], None),
    "get_cluster": ("GET", ["/v1/cluster"], None),
    "openapi": ("GET", ["/openapi.json"], None),
    "schema": ("GET", ["/gjkd.proto"], None),
    "live": ("GET", ["/livez"], None),
    "health": ("GET", ["/healthz"], None),
    "ready": ("GET", ["/readyz"], None),
    "metrics": ("GET", ["/metrics"], None),
    "explain_problem": ("GET", ["/problems/{code}"], None),
}


class DetectMembers(TypedDict, total=False):
    a: Operand | Column | None
    b: Operand | Column | None
    against: str | None
    against_at: Mapping[str, Any] | None
    relation: Literal["intersects", "within"] | None
    contacts: int | Array | None
    penetration: Literal[True, False, "pieces"] | int | None
    limit: int | Array | None
    include: Sequence[Any] | Array | None
    at: Mapping[str, Any] | None
    filter: Mapping[str, Any] | None
    options: Mapping[str, Any] | None
    trace: bool | None
    dimension: int | Array | None
    position_a: Column | None
    rotation_a: Column | None
    position_b: Column | None
    rotation_b: Column | None
    at_tick: Column | None
    no_penetration: bool | None
    partial: bool | None
    signed: bool | None
    pieces: bool | None
    shape: Column | None
    position: Column | None
    rotation: Column | None
    mask: Column | None
    category: Column | None
    ignore_groups: Sequence[str] | None
    ignore_group_of: Column | None
    ignore: Column | None


class DistanceMembers(TypedDict, total=False):
    a: Operand | Column | None
    b: Operand | Column | None
    against: str | None
    against_at: Mapping[str, Any] | None
    signed: bool | None
    limit: int | Array | None
    max_distance: float | Array | Column | None
    include: Sequence[Any] | Array | None
    at: Mapping[str, Any] | None
    filter: Mapping[str, Any] | None
    options: Mapping[str, Any] | None
    trace: bool | None
    dimension: int | Array | None
    position_a: Column | None
    rotation_a: Column | None
    position_b: Column | None
    rotation_b: Column | None
    at_tick: Column | None
    no_penetration: bool | None
    partial: bool | None
    pieces: bool | None
    shape: Column | None
    position: Column | None
    rotation: Column | None
    mask: Column | None
    category: Column | None
    ignore_groups: Sequence[str] | None
    ignore_group_of: Column | None
    ignore: Column | None


class RaycastMembers(TypedDict, total=False):
    origin: Sequence[Any] | Array | Column | None
    direction: Sequence[Any] | Array | Column | None
    max_distance: float | Array | Column | None
    mode: Literal["closest", "any", "all"] | int | None
    solid: bool | None
    exits: bool | None
    limit: int | Array | None
    shape: Operand | None
    target: str | None
    include: Sequence[Any] | Array | None
    at: Mapping[str, Any] | None
    filter: Mapping[str, Any] | None
    options: Mapping[str, Any] | None
    dimension: int | Array | None
    shapes: Mapping[str, Any] | None
    mask: Column | None
    category: Column | None
    at_tick: Column | None
    ignore_groups: Sequence[str] | None
    not_solid: bool | None
    ignore_group_of: Column | None
    partial: bool | None
    ignore: Column | None


class CastMembers(TypedDict, total=False):
    shape: Operand | Column | None
    translation: Sequence[Any] | Array | Column | None
    to: Mapping[str, Any] | None
    at_start: Literal["report", "ignore", "leaving", "resolve"] | int | None
    mode: Literal["closest", "any", "all"] | int | None
    limit: int | Array | None
    target: str | None
    include: Sequence[Any] | Array | None
    at: Mapping[str, Any] | None
    filter: Mapping[str, Any] | None
    options: Mapping[str, Any] | None
    dimension: int | Array | None
    against: Operand | None
    shapes: Mapping[str, Any] | None
    position: Column | None
    rotation: Column | None
    to_rotation: Column | None
    mask: Column | None
    category: Column | None
    at_tick: Column | None
    ignore_groups: Sequence[str] | None
    ignore_group_of: Column | None
    partial: bool | None
    ignore: Column | None


class MoveMembers(TypedDict, total=False):
    shape: Operand | Column | None
    translation: Sequence[Any] | Array | Column | None
    up: Sequence[Any] | Array | Column | None
    max_slope: float | Array | Column | None
    step: float | Array | Column | None
    snap: float | Array | Column | None
    skin: float | Array | Column | None
    slides: int | Array | None
    depenetrate: float | Array | Column | None
    include: Sequence[Any] | Array | None
    at: Mapping[str, Any] | None
    filter: Mapping[str, Any] | None
    options: Mapping[str, Any] | None
    dimension: int | None
    position: Column | None
    rotation: Column | None
    at_tick: Column | None
    mask: Column | None
    category: Column | None
    ignore_groups: Sequence[str] | None
    ignore_group_of: Column | None
    ignore: Column | None
    partial: bool | None


class BatchMembers(TypedDict, total=False):
    at: Mapping[str, Any] | None
    filter: Mapping[str, Any] | None
    options: Mapping[str, Any] | None
    queries: Sequence[Any] | Array | None
    dimension: int | Array | None
    block: Sequence[Any] | None
    at_tick: Column | None


class ConfigurationsMembers(TypedDict, total=False):
    shapes: Sequence[Any] | Array | None
    poses: Sequence[Any] | Array | None
    include: Sequence[Any] | Array | None
    self: bool | None
    allowed: Sequence[Any] | Array | Column | None
    threshold: float | Array | Column | None
    report: Literal["colliding", "distance"] | None
    continuous: bool | None
    starts: Sequence[Any] | Array | Column | None
    limit: int | Array | None
    at: Mapping[str, Any] | None
    filter: Mapping[str, Any] | None
    options: Mapping[str, Any] | None
    dimension: int | None
    shape: Column | None
    position: Column | None
    rotation: Column | None
    distance: bool | None
    mask: int | None
    category: int | None
    ignore_groups: Sequence[str] | None
    only_groups: Sequence[str] | None
    ignore: Column | None
    at_tick: Column | None
    tolerance: float | None
    partial: bool | None


class HitMembers(TypedDict, total=False):
    shooter: str | None
    at: Mapping[str, Any] | None
    ray: Mapping[str, Any] | None
    radius: float | Array | Column | None
    claim: Any
    policy: Mapping[str, Any] | None
    include: Sequence[Any] | Array | None
    filter: Mapping[str, Any] | None
    options: Mapping[str, Any] | None
    dimension: int | None
    shooter_of: Column | None
    at_tick: Column | None
    origin: Column | None
    direction: Column | None
    max_distance: Column | None
    claim_group: bool | None
    max_rewind_ticks: float | None
    obstacles: str | None
    obstacles_at_shot: bool | None
    mask: int | None
    category: int | None
    partial: bool | None
    more_obstacles: Sequence[str] | None
    near_miss: float | None


class PutSetMembers(TypedDict, total=False):
    dimension: int | Array | None
    history: Mapping[str, Any] | None
    shapes: Mapping[str, Any] | None
    meta: Any
    name: str | None


class PatchSetMembers(TypedDict, total=False):
    name: str | None
    dimension: int | Array | None
    history: Mapping[str, Any] | None
    shapes: Mapping[str, Any] | None
    meta: Any


class PutShapeMembers(TypedDict, total=False):
    type: str | None
    rounding: float | Array | None
    category: int | Array | Column | None
    mask: int | Array | Column | None
    group: str | None
    meta: Any
    position: Sequence[Any] | Array | Column | None
    angle: float | Array | None
    orientation: Sequence[Any] | Array | None
    radius: float | Array | None
    a: Sequence[Any] | Array | None
    b: Sequence[Any] | Array | None
    half_extents: Sequence[Any] | Array | None
    vertices: Sequence[Any] | Array | Column | None
    points: Sequence[Any] | Array | None
    radii: Sequence[Any] | Array | Column | None
    width: float | Array | None
    height: float | Array | None
    theta: float | Array | None
    c: Sequence[Any] | Array | None
    parts: Sequence[Any] | Array | None
    closed: bool | None
    polygons: Sequence[Any] | Array | None
    rings: Sequence[Any] | Array | None
    fill: Literal["nonzero", "evenodd"] | str | None
    triangles: Sequence[Any] | Array | Column | None
    one_sided: bool | None
    materials: Sequence[Any] | Array | Column | None
    weld: bool | None
    columns: int | Array | None
    rows: int | Array | None
    spacing: Sequence[Any] | Array | Column | None
    heights: Sequence[Any] | Array | Column | None
    base: float | Array | Column | None
    dimension: int | None
    vertices_float: Column | None
    ring_sizes: Column | None
    polygon_sizes: Column | None
    heights_float: Column | None
    rotation: Column | None
    meta_json: str | None


class PatchShapeMembers(TypedDict, total=False):
    type: Literal["point", "circle", "sphere", "segment", "capsule", "box", "polygon", "hull", "ellipse", "ellipsoid", "half_ellipse", "slice", "triangle", "cylinder", "cone", "compound", "chain", "region", "mesh", "heightfield", "points"] | None
    radius: float | Array | None
    a: Sequence[Any] | Array | None
    b: Sequence[Any] | Array | None
    half_extents: Sequence[Any] | Array | None
    vertices: Sequence[Any] | Array | None
    parts: Sequence[Any] | Array | None
    polygons: Sequence[Any] | Array | None
    rings: Sequence[Any] | Array | None
    fill: Literal["nonzero", "evenodd"] | None
    triangles: Sequence[Any] | Array | None
    closed: bool | None
    one_sided: bool | None
    weld: bool | None
    materials: Sequence[Any] | Array | None
    columns: int | Array | None
    rows: int | Array | None
    spacing: Sequence[Any] | Array | None
    heights: Sequence[Any] | Array | None
    base: float | Array | None
    points: Sequence[Any] | Array | None
    radii: Sequence[Any] | Array | None
    width: float | Array | None
    height: float | Array | None
    theta: float | Array | None
    c: Sequence[Any] | Array | None
    position: Sequence[Any] | Array | None
    angle: float | Array | None
    orientation: Sequence[Any] | Array | None
    rounding: float | Array | None
    category: int | Array | None
    mask: int | Array | None
    group: str | None
    meta: Any
    teleport: bool | None


class PutTickMembers(TypedDict, total=False):
    shapes: Mapping[str, Any] | None
    dimension: int | None
    handle: Column | None
    position: Column | None
    rotation: Column | None
    teleport: Column | None
    partial: bool | None


class TickMembers(TypedDict, total=False):
    shapes: Mapping[str, Any] | None
    at: Mapping[str, Any] | None
    filter: Mapping[str, Any] | None
    options: Mapping[str, Any] | None
    queries: Sequence[Any] | Array | None
    overlaps: Mapping[str, Any] | bool | None
    dimension: int | None
    handle: Column | None
    position: Column | None
    rotation: Column | None
    teleport: Column | None
    partial: bool | None
    poses: Mapping[str, Any] | None
    block: Sequence[Any] | None
    overlap_mask: int | None
    overlap_category: int | None



class Operations:
    """The operations of openapi.json."""

    def _call(self, name: str, path: Any, query: Any, headers: Any, timeout: Any, members: Any) -> Any:
        raise NotImplementedError

    def detect(
        self, /, set: str | None = None, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, timeout: float | None = None, **members: Unpack[DetectMembers],
    ) -> Any:
        """Do shapes collide, and how deep?"""
        return self._call("detect", (set,), {}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match}, timeout, members)

    def distance(
        self, /, set: str | None = None, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, timeout: float | None = None, **members: Unpack[DistanceMembers],
    ) -> Any:
        """How far apart are shapes?"""
        return self._call("distance", (set,), {}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match}, timeout, members)

    def raycast(
        self, /, set: str | None = None, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, timeout: float | None = None, **members: Unpack[RaycastMembers],
    ) -> Any:
        """What does a ray hit?"""
        return self._call("raycast", (set,), {}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match}, timeout, members)

    def cast(
        self, /, set: str | None = None, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, timeout: float | None = None, **members: Unpack[CastMembers],
    ) -> Any:
        """What does a moving shape touch first?"""
        return self._call("cast", (set,), {}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match}, timeout, members)

    def move(
        self, /, set: str, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, timeout: float | None = None, **members: Unpack[MoveMembers],
    ) -> Any:
        """Where does a body end that slides along what it meets?"""
        return self._call("move", (set,), {}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match}, timeout, members)

    def batch(
        self, /, set: str | None = None, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, timeout: float | None = None, **members: Unpack[BatchMembers],
    ) -> Any:
        """Many queries at once, answered by one version."""
        return self._call("batch", (set,), {}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match}, timeout, members)

    def configurations(
        self, /, set: str, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, timeout: float | None = None, **members: Unpack[ConfigurationsMembers],
    ) -> Any:
        """With these shapes at these poses, row by row, does any collide, and how near are they?"""
        return self._call("configurations", (set,), {}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match}, timeout, members)

    def hit(
        self, /, set: str, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, timeout: float | None = None, **members: Unpack[HitMembers],
    ) -> Any:
        """Did this shot hit what it claims, as the world stood then?"""
        return self._call("hit", (set,), {}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match}, timeout, members)

    def list_sets(
        self, /, *, prefix: int | str | bool | None = None, limit: int | str | bool | None = None, cursor: int | str | bool | None = None, timeout: float | None = None,
    ) -> Answer:
        """The summaries of all sets, page by page."""
        return self._call("list_sets", (), {"prefix": prefix, "limit": limit, "cursor": cursor}, {}, timeout, None)

    def get_set(
        self, /, set: str, *, fields: int | str | bool | None = None, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, if_none_match: str | int | None = None, timeout: float | None = None,
    ) -> Answer:
        """A whole set, or its summary."""
        return self._call("get_set", (set,), {"fields": fields}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match, "if_none_match": if_none_match}, timeout, None)

    def head_set(
        self, /, set: str, *, fields: int | str | bool | None = None, if_match: str | int | None = None, if_none_match: str | int | None = None, timeout: float | None = None,
    ) -> Answer:
        """The headers of a whole set, its ETag among them."""
        return self._call("head_set", (set,), {"fields": fields}, {"if_match": if_match, "if_none_match": if_none_match}, timeout, None)

    def put_set(
        self, /, set: str, *, fields: int | str | bool | None = None, if_match: str | int | None = None, if_none_match: str | int | None = None, timeout: float | None = None, **members: Unpack[PutSetMembers],
    ) -> Answer:
        """Create or replace a set."""
        return self._call("put_set", (set,), {"fields": fields}, {"if_match": if_match, "if_none_match": if_none_match}, timeout, members)

    def patch_set(
        self, /, set: str, *, fields: int | str | bool | None = None, if_match: str | int | None = None, if_none_match: str | int | None = None, timeout: float | None = None, **members: Unpack[PatchSetMembers],
    ) -> Answer:
        """Change a set by a merge patch."""
        return self._call("patch_set", (set,), {"fields": fields}, {"if_match": if_match, "if_none_match": if_none_match}, timeout, members)

    def delete_set(
        self, /, set: str, *, if_match: str | int | None = None, if_none_match: str | int | None = None, timeout: float | None = None,
    ) -> Answer:
        """Delete a set."""
        return self._call("delete_set", (set,), {}, {"if_match": if_match, "if_none_match": if_none_match}, timeout, None)

    def get_shape(
        self, /, set: str, id: str, *, fields: int | str | bool | None = None, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, if_none_match: str | int | None = None, timeout: float | None = None,
    ) -> Answer:
        """One shape, its handle and the set's revision."""
        return self._call("get_shape", (set, id,), {"fields": fields}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match, "if_none_match": if_none_match}, timeout, None)

    def put_shape(
        self, /, set: str, id: str, *, if_match: str | int | None = None, if_none_match: str | int | None = None, timeout: float | None = None, **members: Unpack[PutShapeMembers],
    ) -> Answer:
        """Store or replace one shape."""
        return self._call("put_shape", (set, id,), {}, {"if_match": if_match, "if_none_match": if_none_match}, timeout, members)

    def patch_shape(
        self, /, set: str, id: str, *, if_match: str | int | None = None, if_none_match: str | int | None = None, timeout: float | None = None, **members: Unpack[PatchShapeMembers],
    ) -> Answer:
        """Change one shape by a merge patch."""
        return self._call("patch_shape", (set, id,), {}, {"if_match": if_match, "if_none_match": if_none_match}, timeout, members)

    def delete_shape(
        self, /, set: str, id: str, *, if_match: str | int | None = None, if_none_match: str | int | None = None, timeout: float | None = None,
    ) -> Answer:
        """Remove one shape."""
        return self._call("delete_shape", (set, id,), {}, {"if_match": if_match, "if_none_match": if_none_match}, timeout, None)

    def export_sets(self, /, *, prefix: int | str | bool | None = None, timeout: float | None = None) -> str:
        """All sets, one a line."""
        return self._call("export_sets", (), {"prefix": prefix}, {}, timeout, None)

    def import_sets(
        self, /, lines: str, *, replace: int | str | bool | None = None, timeout: float | None = None,
    ) -> Answer:
        """Create the sets of an export."""
        return self._call("import_sets", (), {"replace": replace}, {}, timeout, lines)

    def get_ticks(
        self, /, set: str, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, if_none_match: str | int | None = None, timeout: float | None = None,
    ) -> Answer:
        """Which ticks does the set keep?"""
        return self._call("get_ticks", (set,), {}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match, "if_none_match": if_none_match}, timeout, None)

    def get_tick(
        self, /, set: str, tick: int | float, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, if_none_match: str | int | None = None, timeout: float | None = None,
    ) -> Answer:
        """Where did everything stand at a tick?"""
        return self._call("get_tick", (set, tick,), {}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match, "if_none_match": if_none_match}, timeout, None)

    def put_tick(
        self, /, set: str, tick: int | float, *, if_match: str | int | None = None, if_none_match: str | int | None = None, timeout: float | None = None, **members: Unpack[PutTickMembers],
    ) -> Answer:
        """The state at a game tick."""
        return self._call("put_tick", (set, tick,), {}, {"if_match": if_match, "if_none_match": if_none_match}, timeout, members)

    def tick(
        self, /, set: str, tick: int | float, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, if_none_match: str | int | None = None, timeout: float | None = None, **members: Unpack[TickMembers],
    ) -> Any:
        """The state at a game tick, and questions to it."""
        return self._call("tick", (set, tick,), {}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match, "if_none_match": if_none_match}, timeout, members)

    def about(self, /, *, timeout: float | None = None) -> Answer:
        """Name, version, limits and links."""
        return self._call("about", (), {}, {}, timeout, None)

    def get_cluster(self, /, *, timeout: float | None = None) -> Answer:
        """Who is in the cluster, and how is its log?"""
        return self._call("get_cluster", (), {}, {}, timeout, None)

    def openapi(self, /, *, if_none_match: str | int | None = None, timeout: float | None = None) -> Answer:
        """This document."""
        return self._call("openapi", (), {}, {"if_none_match": if_none_match}, timeout, None)

    def schema(self, /, *, if_none_match: str | int | None = None, timeout: float | None = None) -> str:
        """The schema of column messages."""
        return self._call("schema", (), {}, {"if_none_match": if_none_match}, timeout, None)

    def live(self, /, *, timeout: float | None = None) -> Answer:
        """Is the process alive?"""
        return self._call("live", (), {}, {}, timeout, None)

    def health(self, /, *, timeout: float | None = None) -> Answer:
        """The same as /livez."""
        return self._call("health", (), {}, {}, timeout, None)

    def ready(self, /, *, timeout: float | None = None) -> Answer:
        """Does it want new work?"""
        return self._call("ready", (), {}, {}, timeout, None)

    def metrics(self, /, *, timeout: float | None = None) -> str:
        """Counters in the text format of Prometheus."""
        return self._call("metrics", (), {}, {}, timeout, None)

    def explain_problem(self, /, code: str, *, timeout: float | None = None) -> Answer:
        """What a problem's code means."""
        return self._call("explain_problem", (code,), {}, {}, timeout, None)


class AsyncOperations:
    """The operations of openapi.json, to be awaited."""

    def _call(self, name: str, path: Any, query: Any, headers: Any, timeout: Any, members: Any) -> Any:
        raise NotImplementedError

    def detect(
        self, /, set: str | None = None, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, timeout: float | None = None, **members: Unpack[DetectMembers],
    ) -> Awaitable[Any]:
        """Do shapes collide, and how deep?"""
        return self._call("detect", (set,), {}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match}, timeout, members)

    def distance(
        self, /, set: str | None = None, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, timeout: float | None = None, **members: Unpack[DistanceMembers],
    ) -> Awaitable[Any]:
        """How far apart are shapes?"""
        return self._call("distance", (set,), {}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match}, timeout, members)

    def raycast(
        self, /, set: str | None = None, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, timeout: float | None = None, **members: Unpack[RaycastMembers],
    ) -> Awaitable[Any]:
        """What does a ray hit?"""
        return self._call("raycast", (set,), {}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match}, timeout, members)

    def cast(
        self, /, set: str | None = None, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, timeout: float | None = None, **members: Unpack[CastMembers],
    ) -> Awaitable[Any]:
        """What does a moving shape touch first?"""
        return self._call("cast", (set,), {}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match}, timeout, members)

    def move(
        self, /, set: str, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, timeout: float | None = None, **members: Unpack[MoveMembers],
    ) -> Awaitable[Any]:
        """Where does a body end that slides along what it meets?"""
        return self._call("move", (set,), {}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match}, timeout, members)

    def batch(
        self, /, set: str | None = None, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, timeout: float | None = None, **members: Unpack[BatchMembers],
    ) -> Awaitable[Any]:
        """Many queries at once, answered by one version."""
        return self._call("batch", (set,), {}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match}, timeout, members)

    def configurations(
        self, /, set: str, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, timeout: float | None = None, **members: Unpack[ConfigurationsMembers],
    ) -> Awaitable[Any]:
        """With these shapes at these poses, row by row, does any collide, and how near are they?"""
        return self._call("configurations", (set,), {}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match}, timeout, members)

    def hit(
        self, /, set: str, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, timeout: float | None = None, **members: Unpack[HitMembers],
    ) -> Awaitable[Any]:
        """Did this shot hit what it claims, as the world stood then?"""
        return self._call("hit", (set,), {}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match}, timeout, members)

    def list_sets(
        self, /, *, prefix: int | str | bool | None = None, limit: int | str | bool | None = None, cursor: int | str | bool | None = None, timeout: float | None = None,
    ) -> Awaitable[Answer]:
        """The summaries of all sets, page by page."""
        return self._call("list_sets", (), {"prefix": prefix, "limit": limit, "cursor": cursor}, {}, timeout, None)

    def get_set(
        self, /, set: str, *, fields: int | str | bool | None = None, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, if_none_match: str | int | None = None, timeout: float | None = None,
    ) -> Awaitable[Answer]:
        """A whole set, or its summary."""
        return self._call("get_set", (set,), {"fields": fields}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match, "if_none_match": if_none_match}, timeout, None)

    def head_set(
        self, /, set: str, *, fields: int | str | bool | None = None, if_match: str | int | None = None, if_none_match: str | int | None = None, timeout: float | None = None,
    ) -> Awaitable[Answer]:
        """The headers of a whole set, its ETag among them."""
        return self._call("head_set", (set,), {"fields": fields}, {"if_match": if_match, "if_none_match": if_none_match}, timeout, None)

    def put_set(
        self, /, set: str, *, fields: int | str | bool | None = None, if_match: str | int | None = None, if_none_match: str | int | None = None, timeout: float | None = None, **members: Unpack[PutSetMembers],
    ) -> Awaitable[Answer]:
        """Create or replace a set."""
        return self._call("put_set", (set,), {"fields": fields}, {"if_match": if_match, "if_none_match": if_none_match}, timeout, members)

    def patch_set(
        self, /, set: str, *, fields: int | str | bool | None = None, if_match: str | int | None = None, if_none_match: str | int | None = None, timeout: float | None = None, **members: Unpack[PatchSetMembers],
    ) -> Awaitable[Answer]:
        """Change a set by a merge patch."""
        return self._call("patch_set", (set,), {"fields": fields}, {"if_match": if_match, "if_none_match": if_none_match}, timeout, members)

    def delete_set(
        self, /, set: str, *, if_match: str | int | None = None, if_none_match: str | int | None = None, timeout: float | None = None,
    ) -> Awaitable[Answer]:
        """Delete a set."""
        return self._call("delete_set", (set,), {}, {"if_match": if_match, "if_none_match": if_none_match}, timeout, None)

    def get_shape(
        self, /, set: str, id: str, *, fields: int | str | bool | None = None, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, if_none_match: str | int | None = None, timeout: float | None = None,
    ) -> Awaitable[Answer]:
        """One shape, its handle and the set's revision."""
        return self._call("get_shape", (set, id,), {"fields": fields}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match, "if_none_match": if_none_match}, timeout, None)

    def put_shape(
        self, /, set: str, id: str, *, if_match: str | int | None = None, if_none_match: str | int | None = None, timeout: float | None = None, **members: Unpack[PutShapeMembers],
    ) -> Awaitable[Answer]:
        """Store or replace one shape."""
        return self._call("put_shape", (set, id,), {}, {"if_match": if_match, "if_none_match": if_none_match}, timeout, members)

    def patch_shape(
        self, /, set: str, id: str, *, if_match: str | int | None = None, if_none_match: str | int | None = None, timeout: float | None = None, **members: Unpack[PatchShapeMembers],
    ) -> Awaitable[Answer]:
        """Change one shape by a merge patch."""
        return self._call("patch_shape", (set, id,), {}, {"if_match": if_match, "if_none_match": if_none_match}, timeout, members)

    def delete_shape(
        self, /, set: str, id: str, *, if_match: str | int | None = None, if_none_match: str | int | None = None, timeout: float | None = None,
    ) -> Awaitable[Answer]:
        """Remove one shape."""
        return self._call("delete_shape", (set, id,), {}, {"if_match": if_match, "if_none_match": if_none_match}, timeout, None)

    def export_sets(
        self, /, *, prefix: int | str | bool | None = None, timeout: float | None = None,
    ) -> Awaitable[str]:
        """All sets, one a line."""
        return self._call("export_sets", (), {"prefix": prefix}, {}, timeout, None)

    def import_sets(
        self, /, lines: str, *, replace: int | str | bool | None = None, timeout: float | None = None,
    ) -> Awaitable[Answer]:
        """Create the sets of an export."""
        return self._call("import_sets", (), {"replace": replace}, {}, timeout, lines)

    def get_ticks(
        self, /, set: str, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, if_none_match: str | int | None = None, timeout: float | None = None,
    ) -> Awaitable[Answer]:
        """Which ticks does the set keep?"""
        return self._call("get_ticks", (set,), {}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match, "if_none_match": if_none_match}, timeout, None)

    def get_tick(
        self, /, set: str, tick: int | float, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, if_none_match: str | int | None = None, timeout: float | None = None,
    ) -> Awaitable[Answer]:
        """Where did everything stand at a tick?"""
        return self._call("get_tick", (set, tick,), {}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match, "if_none_match": if_none_match}, timeout, None)

    def put_tick(
        self, /, set: str, tick: int | float, *, if_match: str | int | None = None, if_none_match: str | int | None = None, timeout: float | None = None, **members: Unpack[PutTickMembers],
    ) -> Awaitable[Answer]:
        """The state at a game tick."""
        return self._call("put_tick", (set, tick,), {}, {"if_match": if_match, "if_none_match": if_none_match}, timeout, members)

    def tick(
        self, /, set: str, tick: int | float, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, if_none_match: str | int | None = None, timeout: float | None = None, **members: Unpack[TickMembers],
    ) -> Awaitable[Any]:
        """The state at a game tick, and questions to it."""
        return self._call("tick", (set, tick,), {}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match, "if_none_match": if_none_match}, timeout, members)

    def about(self, /, *, timeout: float | None = None) -> Awaitable[Answer]:
        """Name, version, limits and links."""
        return self._call("about", (), {}, {}, timeout, None)

    def get_cluster(self, /, *, timeout: float | None = None) -> Awaitable[Answer]:
        """Who is in the cluster, and how is its log?"""
        return self._call("get_cluster", (), {}, {}, timeout, None)

    def openapi(
        self, /, *, if_none_match: str | int | None = None, timeout: float | None = None,
    ) -> Awaitable[Answer]:
        """This document."""
        return self._call("openapi", (), {}, {"if_none_match": if_none_match}, timeout, None)

    def schema(
        self, /, *, if_none_match: str | int | None = None, timeout: float | None = None,
    ) -> Awaitable[str]:
        """The schema of column messages."""
        return self._call("schema", (), {}, {"if_none_match": if_none_match}, timeout, None)

    def live(self, /, *, timeout: float | None = None) -> Awaitable[Answer]:
        """Is the process alive?"""
        return self._call("live", (), {}, {}, timeout, None)

    def health(self, /, *, timeout: float | None = None) -> Awaitable[Answer]:
        """The same as /livez."""
        return self._call("health", (), {}, {}, timeout, None)

    def ready(self, /, *, timeout: float | None = None) -> Awaitable[Answer]:
        """Does it want new work?"""
        return self._call("ready", (), {}, {}, timeout, None)

    def metrics(self, /, *, timeout: float | None = None) -> Awaitable[str]:
        """Counters in the text format of Prometheus."""
        return self._call("metrics", (), {}, {}, timeout, None)

    def explain_problem(self, /, code: str, *, timeout: float | None = None) -> Awaitable[Answer]:
        """What a problem's code means."""
        return self._call("explain_problem", (code,), {}, {}, timeout, None)
