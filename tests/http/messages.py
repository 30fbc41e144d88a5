"""gjkd.proto as Python classes, compiled when first asked for."""

import importlib.util
import pathlib
import subprocess
import tempfile

PROTO = pathlib.Path(__file__).parents[2] / "proto"
TYPE = "application/x-protobuf"


def _compile():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["protoc", f"--python_out={folder}", f"-I{PROTO}", "gjkd.proto"], check=True)
        spec = importlib.util.spec_from_file_location("gjkd_pb2", f"{folder}/gjkd_pb2.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module


gjkd = _compile()


def flat(rows):
    return [number for row in rows for number in row]


def rows(column, width):
    return [list(column[i:i + width]) for i in range(0, len(column), width)]
