"""Written by generate.py: do not edit."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

from ._answer import Answer

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


class Operations:
    """The operations of openapi.json."""

    def _call(self, name: str, path: Any, query: Any, headers: Any, timeout: Any, members: Any) -> Any:
        raise NotImplementedError

    def detect(
        self, /, set: str | None = None, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, timeout: float | None = None, **members: Any,
    ) -> Any:
        """Do shapes collide, and how deep?

        Members: a, b, against, against_at, relation, contacts, penetration, limit, include, at, filter, options,
        trace, dimension.
        """
        return self._call("detect", (set,), {}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match}, timeout, members)

    def distance(
        self, /, set: str | None = None, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, timeout: float | None = None, **members: Any,
    ) -> Any:
        """How far apart are shapes?

        Members: a, b, against, against_at, signed, limit, max_distance, include, at, filter, options, trace,
        dimension.
        """
        return self._call("distance", (set,), {}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match}, timeout, members)

    def raycast(
        self, /, set: str | None = None, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, timeout: float | None = None, **members: Any,
    ) -> Any:
        """What does a ray hit?

        Members: origin, direction, max_distance, mode, solid, exits, limit, shape, target, include, at, filter,
        options, dimension, shapes.
        """
        return self._call("raycast", (set,), {}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match}, timeout, members)

    def cast(
        self, /, set: str | None = None, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, timeout: float | None = None, **members: Any,
    ) -> Any:
        """What does a moving shape touch first?

        Members: shape, translation, to, at_start, mode, limit, target, include, at, filter, options, dimension,
        against, shapes.
        """
        return self._call("cast", (set,), {}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match}, timeout, members)

    def move(
        self, /, set: str, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, timeout: float | None = None, **members: Any,
    ) -> Any:
        """Where does a body end that slides along what it meets?

        Members: shape, translation, up, max_slope, step, snap, skin, slides, depenetrate, include, at, filter,
        options.
        """
        return self._call("move", (set,), {}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match}, timeout, members)

    def batch(
        self, /, set: str | None = None, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, timeout: float | None = None, **members: Any,
    ) -> Any:
        """Many queries at once, answered by one version.

        Members: at, filter, options, queries, dimension.
        """
        return self._call("batch", (set,), {}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match}, timeout, members)

    def configurations(
        self, /, set: str, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, timeout: float | None = None, **members: Any,
    ) -> Any:
        """With these shapes at these poses, row by row, does any collide, and how near are they?

        Members: shapes, poses, include, self, allowed, threshold, report, continuous, at, filter, options.
        """
        return self._call("configurations", (set,), {}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match}, timeout, members)

    def hit(
        self, /, set: str, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, timeout: float | None = None, **members: Any,
    ) -> Any:
        """Did this shot hit what it claims, as the world stood then?

        Members: shooter, at, ray, radius, claim, policy, include, filter, options.
        """
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
        self, /, set: str, *, fields: int | str | bool | None = None, if_match: str | int | None = None, if_none_match: str | int | None = None, timeout: float | None = None, **members: Any,
    ) -> Answer:
        """Create or replace a set.

        Members: dimension, history, shapes, meta, name.
        """
        return self._call("put_set", (set,), {"fields": fields}, {"if_match": if_match, "if_none_match": if_none_match}, timeout, members)

    def patch_set(
        self, /, set: str, *, fields: int | str | bool | None = None, if_match: str | int | None = None, if_none_match: str | int | None = None, timeout: float | None = None, **members: Any,
    ) -> Answer:
        """Change a set by a merge patch.

        Members: name, dimension, history, shapes, meta.
        """
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
        self, /, set: str, id: str, *, if_match: str | int | None = None, if_none_match: str | int | None = None, timeout: float | None = None, **members: Any,
    ) -> Answer:
        """Store or replace one shape.

        Members: type, rounding, category, mask, group, meta, position, angle, orientation, radius, a, b,
        half_extents, vertices, points, radii, width, height, theta, c, parts, closed, polygons, rings,
        fill, triangles, one_sided, materials, weld, columns, rows, spacing, heights, base.
        """
        return self._call("put_shape", (set, id,), {}, {"if_match": if_match, "if_none_match": if_none_match}, timeout, members)

    def patch_shape(
        self, /, set: str, id: str, *, if_match: str | int | None = None, if_none_match: str | int | None = None, timeout: float | None = None, **members: Any,
    ) -> Answer:
        """Change one shape by a merge patch.

        Members: type, radius, a, b, half_extents, vertices, parts, polygons, rings, fill, triangles, closed,
        one_sided, weld, materials, columns, rows, spacing, heights, base, points, radii, width, height,
        theta, c, position, angle, orientation, rounding, category, mask, group, meta, teleport.
        """
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
        self, /, set: str, tick: int | float, *, if_match: str | int | None = None, if_none_match: str | int | None = None, timeout: float | None = None, **members: Any,
    ) -> Answer:
        """The state at a game tick.

        Members: shapes.
        """
        return self._call("put_tick", (set, tick,), {}, {"if_match": if_match, "if_none_match": if_none_match}, timeout, members)

    def tick(
        self, /, set: str, tick: int | float, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, if_none_match: str | int | None = None, timeout: float | None = None, **members: Any,
    ) -> Any:
        """The state at a game tick, and questions to it.

        Members: shapes, at, filter, options, queries.
        """
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
        self, /, set: str | None = None, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, timeout: float | None = None, **members: Any,
    ) -> Awaitable[Any]:
        """Do shapes collide, and how deep?

        Members: a, b, against, against_at, relation, contacts, penetration, limit, include, at, filter, options,
        trace, dimension.
        """
        return self._call("detect", (set,), {}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match}, timeout, members)

    def distance(
        self, /, set: str | None = None, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, timeout: float | None = None, **members: Any,
    ) -> Awaitable[Any]:
        """How far apart are shapes?

        Members: a, b, against, against_at, signed, limit, max_distance, include, at, filter, options, trace,
        dimension.
        """
        return self._call("distance", (set,), {}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match}, timeout, members)

    def raycast(
        self, /, set: str | None = None, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, timeout: float | None = None, **members: Any,
    ) -> Awaitable[Any]:
        """What does a ray hit?

        Members: origin, direction, max_distance, mode, solid, exits, limit, shape, target, include, at, filter,
        options, dimension, shapes.
        """
        return self._call("raycast", (set,), {}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match}, timeout, members)

    def cast(
        self, /, set: str | None = None, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, timeout: float | None = None, **members: Any,
    ) -> Awaitable[Any]:
        """What does a moving shape touch first?

        Members: shape, translation, to, at_start, mode, limit, target, include, at, filter, options, dimension,
        against, shapes.
        """
        return self._call("cast", (set,), {}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match}, timeout, members)

    def move(
        self, /, set: str, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, timeout: float | None = None, **members: Any,
    ) -> Awaitable[Any]:
        """Where does a body end that slides along what it meets?

        Members: shape, translation, up, max_slope, step, snap, skin, slides, depenetrate, include, at, filter,
        options.
        """
        return self._call("move", (set,), {}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match}, timeout, members)

    def batch(
        self, /, set: str | None = None, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, timeout: float | None = None, **members: Any,
    ) -> Awaitable[Any]:
        """Many queries at once, answered by one version.

        Members: at, filter, options, queries, dimension.
        """
        return self._call("batch", (set,), {}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match}, timeout, members)

    def configurations(
        self, /, set: str, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, timeout: float | None = None, **members: Any,
    ) -> Awaitable[Any]:
        """With these shapes at these poses, row by row, does any collide, and how near are they?

        Members: shapes, poses, include, self, allowed, threshold, report, continuous, at, filter, options.
        """
        return self._call("configurations", (set,), {}, {"min_revision": min_revision, "consistency": consistency, "if_match": if_match}, timeout, members)

    def hit(
        self, /, set: str, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, timeout: float | None = None, **members: Any,
    ) -> Awaitable[Any]:
        """Did this shot hit what it claims, as the world stood then?

        Members: shooter, at, ray, radius, claim, policy, include, filter, options.
        """
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
        self, /, set: str, *, fields: int | str | bool | None = None, if_match: str | int | None = None, if_none_match: str | int | None = None, timeout: float | None = None, **members: Any,
    ) -> Awaitable[Answer]:
        """Create or replace a set.

        Members: dimension, history, shapes, meta, name.
        """
        return self._call("put_set", (set,), {"fields": fields}, {"if_match": if_match, "if_none_match": if_none_match}, timeout, members)

    def patch_set(
        self, /, set: str, *, fields: int | str | bool | None = None, if_match: str | int | None = None, if_none_match: str | int | None = None, timeout: float | None = None, **members: Any,
    ) -> Awaitable[Answer]:
        """Change a set by a merge patch.

        Members: name, dimension, history, shapes, meta.
        """
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
        self, /, set: str, id: str, *, if_match: str | int | None = None, if_none_match: str | int | None = None, timeout: float | None = None, **members: Any,
    ) -> Awaitable[Answer]:
        """Store or replace one shape.

        Members: type, rounding, category, mask, group, meta, position, angle, orientation, radius, a, b,
        half_extents, vertices, points, radii, width, height, theta, c, parts, closed, polygons, rings,
        fill, triangles, one_sided, materials, weld, columns, rows, spacing, heights, base.
        """
        return self._call("put_shape", (set, id,), {}, {"if_match": if_match, "if_none_match": if_none_match}, timeout, members)

    def patch_shape(
        self, /, set: str, id: str, *, if_match: str | int | None = None, if_none_match: str | int | None = None, timeout: float | None = None, **members: Any,
    ) -> Awaitable[Answer]:
        """Change one shape by a merge patch.

        Members: type, radius, a, b, half_extents, vertices, parts, polygons, rings, fill, triangles, closed,
        one_sided, weld, materials, columns, rows, spacing, heights, base, points, radii, width, height,
        theta, c, position, angle, orientation, rounding, category, mask, group, meta, teleport.
        """
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
        self, /, set: str, tick: int | float, *, if_match: str | int | None = None, if_none_match: str | int | None = None, timeout: float | None = None, **members: Any,
    ) -> Awaitable[Answer]:
        """The state at a game tick.

        Members: shapes.
        """
        return self._call("put_tick", (set, tick,), {}, {"if_match": if_match, "if_none_match": if_none_match}, timeout, members)

    def tick(
        self, /, set: str, tick: int | float, *, min_revision: str | int | None = None, consistency: str | int | None = None, if_match: str | int | None = None, if_none_match: str | int | None = None, timeout: float | None = None, **members: Any,
    ) -> Awaitable[Any]:
        """The state at a game tick, and questions to it.

        Members: shapes, at, filter, options, queries.
        """
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
