"""Is a binary of gjkd built with what makes a fault in memory harder to exploit? By readelf and
objdump.

   hardening.py BINARY

Prints a line for each property; exit code 1 where one is missing."""

import re
import subprocess
import sys


def said(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def properties(binary):
    """(what, whether it is so) of the binary."""
    shown = said("readelf", "-hldW", binary)
    symbols = [line.split() for line in said("readelf", "--dyn-syms", "-W", binary).splitlines()]
    symbols = [fields for fields in symbols if len(fields) >= 8 and fields[0].rstrip(":").isdigit()]
    imported = {fields[7].split("@")[0] for fields in symbols if fields[6] == "UND"}
    exported = [fields[7] for fields in symbols if fields[6] != "UND" and fields[3] == "FUNC"]
    yield "has an address chosen at start", "DYN (Position-Independent" in shown
    yield "binds everything at start", "BIND_NOW" in shown or "FLAGS_1" in shown and " NOW" in shown
    yield "has relocations that are read-only", "GNU_RELRO" in shown
    stack = re.search(r"GNU_STACK.*", shown)
    yield "has a stack without code", stack is not None and " RWE " not in stack[0]
    yield "has canaries", "__stack_chk_fail" in imported
    yield "has checked string functions", sum(name.endswith("_chk") for name in imported) >= 4
    yield "exports no function", not exported
    if "X86-64" in shown:
        code = said("objdump", "-d", "--no-show-raw-insn", binary)
        yield "has landing pads", code.count("endbr64") > 500
        yield "touches the pages of large stack frames", code.count("orq    $0x0,(%rsp)") > 5


def main():
    failed = 0
    for what, so in properties(sys.argv[1]):
        print("  ok   " if so else "  FAIL ", what, flush=True)
        failed |= not so
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
