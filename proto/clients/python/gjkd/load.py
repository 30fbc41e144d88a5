"""Reads files into the members of a shape."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
STL_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
STL_HEAD = 84


class Unreadable(ValueError):
    """A file that cannot be read; says why and what helps."""


def weld(corners: Array) -> tuple[Array, Array]:
    """Returns vertices and triangles of corners (n, 3, 3), equal corners being one vertex."""
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


def read_mesh(path: Path) -> tuple[Array, Array]:
    """Returns vertices and triangles of a file. Without trimesh or meshio only STL is read."""
    kind = path.suffix.lower()
    if kind == ".stl":
        return weld(read_stl(path))
    try:
        import trimesh

        found = trimesh.load(str(path), force="mesh")
        return np.asarray(found.vertices, np.float64), np.asarray(found.faces, np.uint32)
    except ImportError:
        pass
    if kind in (".gltf", ".glb"):
        raise Unreadable(f"{path}: reading glTF takes trimesh (pip install trimesh)")
    try:
        import meshio
    except ImportError:
        raise Unreadable(f"{path}: reading {kind} takes meshio (Debian: python3-meshio) or trimesh (pip install trimesh)") from None
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
    """Returns a height field of a picture, whose top is the far side, or of a numpy array."""
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
    """Returns the dimension and the members of the shape in a file, by the ending of its name.
    `scale` multiplies coordinates of meshes, and heights."""
    path = Path(path)
    kind = path.suffix.lower()
    if kind in (".geojson", ".json"):
        return 2, read_geojson(path)
    if kind in (".png", ".npy", ".tif", ".tiff"):
        return 3, read_heights(path, spacing, scale)
    if kind not in (".stl", ".obj", ".ply", ".gltf", ".glb", ".dae", ".off"):
        raise Unreadable(f"{path}: {kind or 'a file without an ending'} is not known; "
                         "known are .stl, .obj, .ply, .gltf, .glb, .geojson, .png and .npy")
    vertices, triangles = read_mesh(path)
    shape: dict[str, Any] = {"type": "mesh", "vertices": vertices * scale, "triangles": triangles}
    return 3, shape | ({"closed": True, "weld": True} if solid else {})
