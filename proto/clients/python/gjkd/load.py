"""Reads files into the members of a shape."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
STL_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
STL_HEAD = 84


class Unreadable(ValueError):
    """A file cannot be read; the text has the cause and the remedy."""


def weld(corners: Array) -> tuple[Array, Array]:
    """Returns vertices and triangles of corners (n, 3, 3); equal corners become one vertex."""
    vertices, index = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    return vertices, index.reshape(-1, 3).astype(np.uint32)


def is_closed(triangles: Array) -> bool:
    """Returns true if every edge belongs to two triangles that run along it in opposite directions."""
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]).astype(np.int64)
    ways = edges[:, 0] << 32 | edges[:, 1]
    back = edges[:, 1] << 32 | edges[:, 0]
    return len(ways) > 0 and len(np.unique(ways)) == len(ways) and bool(np.array_equal(np.sort(ways), np.sort(back)))


def read_stl(path: Path) -> Array:
    """Returns the corners (n, 3, 3) of a binary or ASCII STL file."""
    data = path.read_bytes()
    if len(data) >= STL_HEAD and len(data) == STL_HEAD + 50 * int.from_bytes(data[80:84], "little"):
        return np.frombuffer(data, STL_RECORD, offset=STL_HEAD)["corners"]
    numbers = re.findall(rb"vertex\s+(\S+)\s+(\S+)\s+(\S+)", data)
    if not numbers or len(numbers) % 3:
        raise Unreadable(f"{path} is no STL file")
    return np.array(numbers, np.float64).reshape(-1, 3, 3)


GLTF_TYPES = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
GLTF_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}


class Gltf:
    """A glTF or GLB file. Files that require extensions, such as compression, are refused."""

    def __init__(self, path: Path) -> None:
        data, binary = path.read_bytes(), b""
        if data[:4] == b"glTF":
            size = int.from_bytes(data[12:16], "little")
            data, binary = data[20:20 + size], data[28 + size:]
        self.document: dict[str, Any] = json.loads(data)
        if self.document.get("extensionsRequired"):
            raise Unreadable(f"{path} demands {', '.join(self.document['extensionsRequired'])}, which is not known")
        self.buffers = [self.buffer(path, one, binary) for one in self.document.get("buffers", [])]

    @staticmethod
    def buffer(path: Path, described: dict[str, Any], binary: bytes) -> bytes:
        uri = described.get("uri")
        if uri is None:
            return binary
        if uri.startswith("data:"):
            return base64.b64decode(uri.partition(",")[2])
        return (path.parent / unquote(uri)).read_bytes()

    def read(self, accessor: int) -> Array:
        told = self.document["accessors"][accessor]
        view = self.document["bufferViews"][told["bufferView"]]
        kind, width, count = np.dtype(GLTF_TYPES[told["componentType"]]), GLTF_WIDTHS[told["type"]], told["count"]
        start = view.get("byteOffset", 0) + told.get("byteOffset", 0)
        stride = view.get("byteStride", width * kind.itemsize)
        return np.ndarray((count, width), kind, self.buffers[view["buffer"]], start, (stride, kind.itemsize))

    def meshes(self, nodes: list[int], before: Array) -> Iterator[tuple[Array, Array]]:
        """Yields vertices and triangles of nodes and their descendants."""
        for node in (self.document["nodes"][number] for number in nodes):
            at = before @ self.matrix(node)
            for part in self.document["meshes"][node["mesh"]]["primitives"] if "mesh" in node else []:
                if part.get("mode", 4) == 4:
                    vertices = self.read(part["attributes"]["POSITION"]) @ at[:3, :3].T + at[:3, 3]
                    index = self.read(part["indices"]) if "indices" in part else np.arange(len(vertices))
                    yield vertices, index.reshape(-1, 3).astype(np.uint32)
            yield from self.meshes(node.get("children", []), at)

    @staticmethod
    def matrix(node: dict[str, Any]) -> Array:
        if "matrix" in node:
            return np.array(node["matrix"], np.float64).reshape(4, 4).T
        x, y, z, w = node.get("rotation", (0, 0, 0, 1))
        out = np.eye(4)
        out[:3, :3] = [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                       [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                       [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]
        out[:3, :3] *= node.get("scale", (1, 1, 1))
        out[:3, 3] = node.get("translation", (0, 0, 0))
        return out


def read_gltf(path: Path) -> tuple[Array, Array]:
    """Returns vertices and triangles of the scene in a file, in the file's axes."""
    file = Gltf(path)
    scenes = file.document.get("scenes", [])
    nodes = scenes[file.document.get("scene", 0)].get("nodes", []) if scenes else []
    parts = list(file.meshes(nodes, np.eye(4)))
    if not parts:
        raise Unreadable(f"{path} has no triangles")
    first = np.cumsum([0] + [len(vertices) for vertices, _ in parts])
    return np.concatenate([vertices for vertices, _ in parts]), np.concatenate(
        [triangles + at for (_, triangles), at in zip(parts, first)]).astype(np.uint32)


def read_mesh(path: Path) -> tuple[Array, Array]:
    """Returns vertices and triangles of a file. Formats other than STL and glTF are read by meshio."""
    kind = path.suffix.lower()
    if kind == ".stl":
        return weld(read_stl(path))
    if kind in (".gltf", ".glb"):
        return read_gltf(path)
    if kind not in (".obj", ".ply"):
        raise Unreadable(f"{path}: {kind or 'a file without an ending'} is not known; "
                         "known are .stl, .obj, .ply, .gltf, .glb; of other shapes .geojson, .png and .npy")
    try:
        import meshio
    except ImportError:
        raise Unreadable(f"{path}: reading {kind} takes meshio (Debian: python3-meshio)") from None
    found = meshio.read(path)
    triangles = [cells.data for cells in found.cells if cells.type == "triangle"]
    triangles += [cells.data[:, half] for cells in found.cells if cells.type == "quad" for half in ([0, 1, 2], [0, 2, 3])]
    if not triangles:
        raise Unreadable(f"{path} has no triangles")
    points = np.asarray(found.points, np.float64)
    return np.pad(points, ((0, 0), (0, 3 - points.shape[1]))), np.concatenate(triangles).astype(np.uint32)


def read_geojson(path: Path) -> dict[str, Any]:
    """Returns a region of all polygons of a GeoJSON file, or a chain of its one line."""
    document = json.loads(path.read_text())
    features = document["features"] if document.get("type") == "FeatureCollection" else [document]
    geometries = [feature.get("geometry") or feature for feature in features]
    geometries = [part for one in geometries for part in one.get("geometries", [one])]
    polygons: list[Any] = []
    for one in geometries:
        if one.get("type") == "LineString" and len(geometries) == 1:
            return {"type": "chain", "vertices": [place[:2] for place in one["coordinates"]]}
        if one.get("type") not in ("Polygon", "MultiPolygon"):
            raise Unreadable(f"{path} holds a {one.get('type')}; polygons are read, or one LineString")
        polygons += [one["coordinates"]] if one["type"] == "Polygon" else one["coordinates"]
    return {"type": "region", "polygons": [[[place[:2] for place in ring] for ring in rings] for rings in polygons]}


def read_heights(path: Path, spacing: tuple[float, float], scale: float) -> dict[str, Any]:
    """Returns a height field from a picture, whose top row is the far side, or from a numpy array."""
    if path.suffix.lower() == ".npy":
        heights = np.load(path)
    else:
        try:
            from PIL import Image
        except ImportError:
            raise Unreadable(f"{path}: reading pictures takes Pillow (Debian: python3-pil)") from None
        with Image.open(path) as picture:
            gray = picture if picture.mode.startswith(("I", "F")) else picture.convert("L")
            heights = np.asarray(gray)[::-1]
    if heights.ndim != 2:
        raise Unreadable(f"{path} has the shape {heights.shape}; a height map has rows and columns")
    kind = np.float32 if heights.dtype.itemsize < 8 and heights.dtype.kind in "fu" else np.float64
    return {"type": "heightfield", "heights": (heights * scale).astype(kind), "spacing": list(spacing)}


def read_shape(path: str | Path, *, spacing: tuple[float, float] = (1.0, 1.0), scale: float = 1.0,
               solid: bool = False) -> tuple[int, dict[str, Any]]:
    """Returns the dimension and the members of the shape in a file, chosen by the suffix of its name.
    `scale` multiplies coordinates of meshes, and heights."""
    path = Path(path)
    kind = path.suffix.lower()
    if kind in (".geojson", ".json"):
        return 2, read_geojson(path)
    if kind in (".png", ".npy", ".tif", ".tiff"):
        return 3, read_heights(path, spacing, scale)
    vertices, triangles = read_mesh(path)
    shape: dict[str, Any] = {"type": "mesh", "vertices": vertices * scale, "triangles": triangles}
    return 3, shape | ({"closed": True, "weld": True} if solid else {})
