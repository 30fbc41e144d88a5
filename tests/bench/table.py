"""Prints a file of results, one JSON object a line, as a table."""

import json
import sys

COLUMNS = ["case", "ours", "peer", "peer_name", "unit", "ratio"]


def text(value):
    if isinstance(value, float):
        if 0 < abs(value) < 0.005:
            return f"{value:.0e}"
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.2f}"
    if isinstance(value, list):
        return " to ".join(text(item) for item in value)
    return "" if value is None else str(value)


def main(path):
    with open(path, encoding="utf-8") as lines:
        results = [json.loads(line) for line in lines]
    names = COLUMNS + [name for name in dict.fromkeys(n for r in results for n in r)
                       if name not in COLUMNS]
    rows = [names] + [[text(result.get(name)) for name in names] for result in results]
    widths = [max(map(len, column)) for column in zip(*rows)]
    numeric = [any(isinstance(r.get(name), (int, float, list)) for r in results) for name in names]
    for row in rows:
        print("  ".join(cell.rjust(width) if right else cell.ljust(width)
                        for cell, width, right in zip(row, widths, numeric)).rstrip())


main(sys.argv[1])
