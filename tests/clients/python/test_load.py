"""python -m gjkd put: files of every kind."""

import base64
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

from gjkd import load

PACKAGE = pathlib.Path(__file__).parents[3] / "proto/clients/python"
CORNERS = np.array([[0, 0, 0], [2, 0, 0], [0, 2, 0], [0, 0, 2]], float)
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


def put(daemon, name, file, *more, hide=()):
    """Runs the command; `hide`: modules that it does not find."""
    code = f"import sys; sys.modules.update(dict.fromkeys({list(hide)!r})); import runpy; runpy.run_module('gjkd', run_name='__main__')"
    return subprocess.run([sys.executable, "-c", code, "put", daemon.url, name, "shape", str(file), *more], text=True,
                          capture_output=True, env=os.environ | {"PYTHONPATH": str(PACKAGE)})


def binary_stl(file):
    records = np.zeros(len(FACES), load.STL_RECORD)
    records["corners"] = CORNERS[FACES]
    file.write_bytes(b"\0" * 80 + len(FACES).to_bytes(4, "little") + records.tobytes())


def ascii_stl(file):
    facets = "".join("facet normal 0 0 0\nouter loop\n" + "".join(f"vertex {x} {y} {z}\n" for x, y, z in CORNERS[face])
                     + "endloop\nendfacet\n" for face in FACES)
    file.write_text(f"solid made up\n{facets}endsolid\n")


def obj(file):
    file.write_text("".join(f"v {x} {y} {z}\n" for x, y, z in CORNERS) + "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in FACES))


def ply(file):
    file.write_text("ply\nformat ascii 1.0\nelement vertex 4\n" + "".join(f"property double {c}\n" for c in "xyz")
                    + "element face 4\nproperty list uchar int vertex_indices\nend_header\n"
                    + "".join(f"{x} {y} {z}\n" for x, y, z in CORNERS) + "".join(f"3 {a} {b} {c}\n" for a, b, c in FACES))


def gltf_document():
    """Two nodes, one of them turned, moved and scaled; the corners lie apart from each other."""
    corners = np.pad(CORNERS.astype("<f4"), ((0, 0), (0, 1))).tobytes()
    binary = corners + FACES.astype("<u2").tobytes()
    return {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"children": [1], "translation": [9, 0, 0]},
                  {"mesh": 0, "rotation": [0, 0, 0.5 ** 0.5, 0.5 ** 0.5], "scale": [1, 1, 1], "translation": [-9, 0, 0]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
                      {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}],
        "bufferViews": [{"buffer": 0, "byteLength": len(corners), "byteStride": 16},
                        {"buffer": 0, "byteOffset": len(corners), "byteLength": 24}],
        "buffers": [{"byteLength": len(binary)}]}, binary


def glb(file):
    document, binary = gltf_document()
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    chunks = [len(text).to_bytes(4, "little") + b"JSON" + text, len(binary).to_bytes(4, "little") + b"BIN\0" + binary]
    size = 12 + sum(map(len, chunks))
    file.write_bytes(b"glTF" + (2).to_bytes(4, "little") + size.to_bytes(4, "little") + b"".join(chunks))


def test_a_scene_of_gltf(tmp_path):
    """Turned by a right angle, x becomes y. The buffer is in the file, beside it, or in a text."""
    document, binary = gltf_document()
    glb(tmp_path / "a.glb")
    document["buffers"][0]["uri"] = "b%20c.bin"
    (tmp_path / "b c.bin").write_bytes(binary)
    (tmp_path / "b.gltf").write_text(json.dumps(document))
    document["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(binary).decode()
    (tmp_path / "c.gltf").write_text(json.dumps(document))
    for name in ("a.glb", "b.gltf", "c.gltf"):
        vertices, triangles = load.read_mesh(tmp_path / name)
        assert vertices == pytest.approx(np.stack([-CORNERS[:, 1], CORNERS[:, 0], CORNERS[:, 2]], 1), abs=1e-6)
        assert triangles.tolist() == FACES.tolist()
    (tmp_path / "d.gltf").write_text(json.dumps(document | {"extensionsRequired": ["KHR_draco_mesh_compression"]}))
    with pytest.raises(load.Unreadable, match="demands KHR_draco_mesh_compression"):
        load.read_mesh(tmp_path / "d.gltf")


@pytest.mark.parametrize("ending, write", [("stl", binary_stl), ("STL", ascii_stl), ("obj", obj), ("ply", ply)])
def test_meshes(daemon, client, name, tmp_path, ending, write):
    file = tmp_path / f"rock.{ending}"
    write(file)
    told = put(daemon, name, file, "--solid", "--scale", "0.5")
    assert told.returncode == 0, told.stderr
    assert json.loads(told.stdout)["pieces"] == 4
    # A point well within is in the solid.
    inside = client.detect(name, a="shape", b={"type": "point", "position": [0.2, 0.2, 0.2]}, penetration=False)
    assert inside["state"] == "overlapping"
    assert not client.detect(name, a="shape", b={"type": "point", "position": [0.5, 0.5, 0.5]}, penetration=False)["colliding"]


def test_glb(daemon, client, name, tmp_path):
    file = tmp_path / "rock.glb"
    glb(file)
    assert put(daemon, name, file, "--solid").returncode == 0
    assert client.detect(name, a="shape", b={"type": "point", "position": [-0.3, 0.3, 0.3]}, penetration=False)["colliding"]


def test_geojson(daemon, client, name, tmp_path):
    square = [[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]]
    hole = [[1, 1], [1, 2], [2, 2], [2, 1], [1, 1]]
    file = tmp_path / "town.geojson"
    file.write_text(json.dumps({"type": "FeatureCollection", "features": [
        {"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": [square, hole]}},
        {"type": "Feature", "properties": {}, "geometry": {"type": "MultiPolygon", "coordinates": [[[[6, 0, 9], [7, 0, 9], [6, 1, 9]]]]}}]}))
    assert put(daemon, name, file).returncode == 0
    for place, within in (([0.5, 0.5], True), ([1.5, 1.5], False), ([6.1, 0.1], True)):
        assert client.detect(name, a="shape", b={"type": "point", "position": place}, penetration=False)["colliding"] is within
    file.write_text(json.dumps({"type": "LineString", "coordinates": [[0, 0], [1, 1]]}))
    assert put(daemon, name, file).returncode == 0
    assert client.get_shape(name, "shape")["type"] == "chain"
    file.write_text(json.dumps({"type": "Point", "coordinates": [0, 0]}))
    told = put(daemon, name, file)
    assert told.returncode == 1 and "holds a Point; polygons are read" in told.stderr


def test_height_maps(daemon, client, name, tmp_path):
    from PIL import Image
    picture = np.array([[0, 0, 0], [0, 0, 255]], np.uint8)  # high in the corner on the right, below
    file = tmp_path / "hill.png"
    Image.fromarray(picture).save(file)
    assert put(daemon, name, file, "--spacing", "2", "3", "--scale", "0.1").returncode == 0
    hit = client.raycast(name, origin=[3.999, 0.001, 99], direction=[0, 0, -1])["hits"][0]
    assert hit["point"][2] == pytest.approx(25.5, abs=0.1)
    assert client.get_shape(name, "shape")["spacing"] == [2, 3]
    heights = tmp_path / "hill.npy"
    np.save(heights, np.array([[1.5, 2], [3, 4]]))
    assert put(daemon, name, heights).returncode == 0
    assert client.get_shape(name, "shape")["heights"] == [1.5, 2, 3, 4]


def test_what_is_missing_is_said(daemon, name, tmp_path):
    for ending, hidden, said in (("obj", ("meshio",), "reading .obj takes meshio (Debian: python3-meshio)"),
                                 ("png", ("PIL",), "reading pictures takes Pillow (Debian: python3-pil)"),
                                 ("doc", (), "known are .stl, .obj")):
        file = tmp_path / f"x.{ending}"
        file.write_text("")
        told = put(daemon, name, file, hide=hidden)
        assert told.returncode == 1 and said in told.stderr and "Traceback" not in told.stderr
    file = tmp_path / "x.stl"
    file.write_text("solid")
    assert "is no STL file" in put(daemon, name, file).stderr
    assert "No such file" in put(daemon, name, tmp_path / "none.stl").stderr


def test_a_refusal_is_said(daemon, client, name, tmp_path):
    file = tmp_path / "open.stl"
    records = np.zeros(1, load.STL_RECORD)
    records["corners"] = CORNERS[FACES[:1]]
    file.write_bytes(b"\0" * 80 + (1).to_bytes(4, "little") + records.tobytes())
    told = put(daemon, name, file, "--solid")
    assert told.returncode == 1 and "not-closed" in told.stderr
    assert put(daemon, name, file).returncode == 0
    assert not load.is_closed(FACES[:3]) and load.is_closed(FACES) and not load.is_closed(FACES[:, ::-1][[0, 0, 1, 2]])
