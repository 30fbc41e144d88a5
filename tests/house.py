#!/usr/bin/env python3
"""Counts what a stranger has to keep in mind: lines, files, functions, riddles.

Prints one line a figure, over the C of core, proto and server. `--list` also names every static
function that is called once and shorter than TINY lines. Fails, and names them, if there are comments
that open with a riddle (who, what, which, whether, ...) instead of a verb or a noun.
"""

import collections
import pathlib
import re
import statistics
import sys

ROOMS = ("core", "proto", "server")
TINY = 10  # lines of a function, its signature and braces included
# The code follows .clang-format: a function begins and ends in the first column.
FUNCTION = re.compile(r"^(?!typedef|struct \w+ \{|union|enum|#|\}|/| )[^\n;={}]*?\b(\w+)\(([^;{}]*?)\) \{\n(.*?)^\}", re.M | re.S)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
TEXT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'')
RIDDLE = re.compile(r"^(?:/\*+|//)[\s*]*(Who|Whom|Whose|Whoever|What|Whatever|Which|Whether|Or)\b")


def functions(text):
    """Each function of a file: name, whether it is static, its lines."""
    for match in FUNCTION.finditer(text):
        head = text[match.start():match.start(1)]
        yield match[1], "static" in head.split(), match[0].count("\n") + 1


def survey(root):
    files = sorted(p for room in ROOMS for p in (root / room).rglob("*.[ch]"))
    lines, lengths, once, riddles = 0, [], [], []
    for file in files:
        text = file.read_text()
        lines += text.count("\n")
        bare = TEXT.sub('""', COMMENT.sub("", text))
        words = collections.Counter(re.findall(r"\w+", bare))
        for name, is_static, length in functions(bare):
            lengths.append(length)
            if is_static and words[name] == 2 and file.suffix == ".c":
                once.append((file.relative_to(root), name, length))
        riddles += [(file.relative_to(root), text.count("\n", 0, m.start()) + 1, m[0].split("\n")[0])
                    for m in COMMENT.finditer(text) if RIDDLE.match(m[0])]
    return files, lines, lengths, once, riddles


def main(root, listing):
    files, lines, lengths, once, riddles = survey(root)
    tiny = [row for row in once if row[2] < TINY]
    folders = collections.Counter(file.parent.relative_to(root) for file in files)
    fullest = folders.most_common(1)[0]
    print(f"lines {lines}, files {len(files)}, fullest folder {fullest[0]} with {fullest[1]}")
    print(f"functions {len(lengths)}, median {statistics.median(lengths):.0f} lines, longest {max(lengths)}")
    print(f"statics named once {len(once)}, of which shorter than {TINY} lines {len(tiny)}")
    print(f"comments that open with a riddle {len(riddles)}")
    if listing:
        for path, name, length in tiny:
            print(f"  {path}: {name} ({length})")
    for path, line, comment in riddles:
        print(f"  {path}:{line}: {comment}")
    return 1 if riddles else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(__file__).resolve().parent.parent, "--list" in sys.argv[1:]))
