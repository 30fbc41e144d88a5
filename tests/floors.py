#!/usr/bin/env python3
"""Do the includes go down the floors of each room only, and never in a circle?

A floor uses those named before it; floors that one line names beside each other do not use
each other. A .c file is one module with the header of its name.
"""

import pathlib
import re
import sys

FLOORS = {
    "core": ["base", "shape", "pair", "ray", "tree", "scene"],
    "proto": ["json", "decode encode", "columns"],
    "server": ["util", "config", "security", "work", "sets", "watch", "store", "cluster", "request", "handlers", "http", "."],
}
# The floor of each public header of the core. Those of proto are its door and stand on no floor.
PUBLIC = {
    "base": "base arena vec pose motion budget sort",
    "shape": "shape kinds pieces",
    "pair": "pair trace",
    "ray": "ray cast",
    "tree": "body",
    "scene": "set set_query snapshot history shot configuration move",
}
FILES_MAX = 40  # in one folder
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.M)

LEVEL = {(room, floor): level for room, floors in FLOORS.items()
         for level, group in enumerate(floors) for floor in group.split()}
FLOOR_OF_PUBLIC = {f"gjk/{name}.h": floor for floor, names in PUBLIC.items()
                   for name in names.split()}


def place(room, path):
    """The floor of a file, given relative to its room; None for a public header of proto."""
    if path.startswith("include/"):
        return FLOOR_OF_PUBLIC.get(path.removeprefix("include/")) if room == "core" else None
    return path.split("/")[0] if "/" in path else "."


def module(room, path):
    return f"{room}/{path}".rsplit(".", 1)[0]


def strays(room, files):
    """Files that stand on no floor."""
    for path in files:
        if room == "proto" and path.startswith("include/"):
            continue
        if (room, place(room, path)) not in LEVEL:
            yield f"{room}/{path} stands on no floor"


def resolve(room, name, files):
    """The path in its room of what is included, or None when that is of another room or libc."""
    return next((p for p in (name, f"include/{name}") if p in files), None)


def upward(room, path, target):
    """Does a file include what stands on a floor above its own, or beside it?"""
    here, there = place(room, path), place(room, target)
    if here is None or there is None or here == there:
        return False
    return LEVEL.get((room, there), -1) >= LEVEL.get((room, here), 99)


def circle(graph):
    """The modules of one circle of includes, or None: a walk in depth that meets its own path."""
    done = set()

    def walk(node, path):
        if node in path:
            return path[path.index(node):] + [node]
        if node in done:
            return None
        for following in sorted(graph.get(node, ())):
            found = walk(following, path + [node])
            if found:
                return found
        done.add(node)
        return None

    return next((found for node in sorted(graph) if (found := walk(node, []))), None)


def circles(graph):
    """Every circle, each without the include that closes the one before."""
    graph = {node: set(following) for node, following in graph.items()}
    while found := circle(graph):
        yield " -> ".join(found)
        graph[found[-2]].discard(found[-1])


def crowded(root, room):
    for folder in [root / room, *(p for p in (root / room).rglob("*") if p.is_dir())]:
        if "node_modules" in folder.parts:  # of npm, after a run of the clients' tests
            continue
        count = sum(p.is_file() for p in folder.iterdir())
        if count > FILES_MAX:
            yield f"{folder.relative_to(root)} has {count} files, more than {FILES_MAX}"


def complaints(root):
    for room in FLOORS:
        files = {p.relative_to(root / room).as_posix(): p
                 for p in sorted((root / room).rglob("*.[ch]")) if "clients" not in p.relative_to(root).parts}
        graph = {}
        yield from strays(room, files)
        yield from crowded(root, room)
        for path, file in files.items():
            for name in INCLUDE.findall(file.read_text()):
                target = resolve(room, name, files)
                if target is None:
                    continue
                if upward(room, path, target):
                    yield f"{room}/{path} includes {name}, which is not below it"
                if module(room, target) != module(room, path):
                    graph.setdefault(module(room, path), set()).add(module(room, target))
        yield from (f"a circle of includes: {found}" for found in circles(graph))


if __name__ == "__main__":
    found = list(complaints(pathlib.Path(sys.argv[1])))
    print(*(f"  {line}" for line in found), sep="\n", end="\n" if found else "")
    sys.exit(bool(found))
