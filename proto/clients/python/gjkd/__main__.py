"""python -m gjkd put URL SET ID FILE: stores the shape in a file."""

import argparse
import contextlib
import json
import os
import sys

from . import Client, Problem
from .load import Unreadable, read_shape


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m gjkd")
    put = parser.add_subparsers(required=True).add_parser(
        "put", help="store the shape in a file: STL, OBJ, PLY, glTF, GeoJSON, a height map (PNG, npy)")
    put.add_argument("url")
    put.add_argument("set", help="made if it is not there")
    put.add_argument("id")
    put.add_argument("file")
    put.add_argument("--solid", action="store_true", help="a mesh with all that it encloses")
    put.add_argument("--spacing", type=float, nargs=2, default=(1.0, 1.0), metavar=("DX", "DY"), help="of a height map")
    put.add_argument("--scale", type=float, default=1.0, help="multiplies a mesh, or heights")
    put.add_argument("--token", default=os.environ.get("GJKD_TOKEN"), help="or GJKD_TOKEN in the environment")
    asked = parser.parse_args()
    try:
        dimension, shape = read_shape(asked.file, spacing=(asked.spacing[0], asked.spacing[1]), scale=asked.scale, solid=asked.solid)
        with Client(asked.url, asked.token, compress=True) as client:
            with contextlib.suppress(Problem):  # the set exists; any other problem also refuses the shape
                client.put_set(asked.set, dimension=dimension, if_none_match="*")
            told = client.put_shape(asked.set, asked.id, **shape)
    except (Problem, Unreadable, OSError) as trouble:
        print(trouble, file=sys.stderr)
        return 1
    print(json.dumps({key: told[key] for key in ("id", "handle", "revision", "pieces") if key in told} or told))
    return 0


if __name__ == "__main__":
    sys.exit(main())
