#!/usr/bin/env python3
"""Runs the examples of the documents and compares what they print with what the documents say;
looks whether links within the checkout lead anywhere.

   run.py DOCUMENT...      from the checkout's root, after a build of the release

An example is a fenced block; its language says what happens with it:

   sh          bash runs it in the folder where the one before it ended, as in a terminal; the block
               behind it, if that is json or text, is what it prints
   sh start    starts the daemon that the document's other examples speak to (without such a
               block: gjkd --demo); it runs until the document ends
   sh shown    is not run: it needs a machine, a registry or hours. Programs of the checkout that
               it names must exist
   python      python3 runs it, as above
   c FILE      is written to that file, for the block behind it to compile

Output in json is compared member by member, in order, with every number exactly as it is printed;
blanks and line ends do not count. … in the place of a value stands for any value, as the last of
a list or object for any rest. In text a line must be equal, and … stands for any part of it.
A daemon of an example is said to listen on 127.0.0.1:8080 and listens on a free port.
"""

import json
import os
import pathlib
import re
import select
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).parents[2]
WRITTEN_ADDRESS = "127.0.0.1:8080"
DAEMON = "build/release/server/gjkd --demo"
START_S = 600  # deploy/run.sh may have to build first
EXAMPLE_S = 300
STOP_S = 30
FENCE = re.compile(r"^```(\w+)([^\n`]*)\n(.*?)^```$", re.M | re.S)
OUTPUTS = ("json", "text")
RUNS = ("sh", "python")
ANY = "…"


class Wrong(Exception):
    """An example that does not do what its document says."""


class Number(str):
    """A number as its digits are written."""


class Members(list):
    """The members of an object, in order."""


def parse(text):
    """The JSON values that stand in a text one behind another."""
    decoder = json.JSONDecoder(object_pairs_hook=Members, parse_float=Number, parse_int=Number)
    values, at = [], 0
    text = text.strip()
    while at < len(text):
        value, at = decoder.raw_decode(text, at)
        values.append(value)
        at += len(text[at:]) - len(text[at:].lstrip())
    return values


def same(expected, printed):
    """Is the printed value what the document says?"""
    if expected == ANY and not isinstance(expected, Number):
        return True
    if type(expected) is not type(printed):
        return False
    if isinstance(expected, Members):
        return same_rows(expected, printed, (ANY, ANY), lambda e, p: e[0] == p[0] and same(e[1], p[1]))
    if isinstance(expected, list):
        return same_rows(expected, printed, ANY, same)
    return expected == printed


def same_rows(expected, printed, rest, same_row):
    if expected and expected[-1] == rest:
        expected, printed = expected[:-1], printed[:len(expected) - 1]
    return len(expected) == len(printed) and all(map(same_row, expected, printed))


def same_text(expected, printed):
    lines = [".*".join(map(re.escape, line.rstrip().split(ANY)))
             for line in expected.strip().splitlines()]
    told = [line.rstrip() for line in printed.strip().splitlines()]
    return len(lines) == len(told) and all(map(re.fullmatch, lines, told))


def complete(text):
    """Expected JSON, with its … as strings and members that a parser takes."""
    text = re.sub(r"(?<=:)\s*…", f'"{ANY}"', text)
    text = re.sub(r"(?<=[,{])\s*…(?=\s*})", f'"{ANY}": "{ANY}"', text)
    return re.sub(r"(?<=[,\[])\s*…(?=\s*[,\]])", f'"{ANY}"', text)


def agrees(language, expected, printed):
    if language == "text":
        return same_text(expected, printed)
    try:
        return same(parse(complete(expected)), parse(printed))
    except json.JSONDecodeError:
        return False


class Daemon:
    """A gjkd in a process group of its own."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            ["bash", "-c", f"exec {command} --listen 127.0.0.1:0"], cwd=ROOT,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        deadline, said = time.monotonic() + START_S, b""
        while not (match := re.search(rb"listening on http://(127\.0\.0\.1:\d+)/\n", said)):
            if select.select([self.process.stdout], [], [], 0.5)[0]:
                piece = os.read(self.process.stdout.fileno(), 4096)
                if not piece:
                    raise Wrong(f"{command} has ended: {said!r}")
                said += piece
            elif time.monotonic() > deadline:
                self.stop()
                raise Wrong(f"{command} does not listen after {START_S} s: {said!r}")
        self.address = match[1].decode()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.communicate(timeout=STOP_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            raise Wrong("the daemon does not end at SIGTERM") from None
        if self.process.returncode != 0:
            raise Wrong(f"the daemon ended with {self.process.returncode}")


class Terminal:
    """Where a document's examples run one after the other, with Debian's Python."""

    def __init__(self, address):
        self.address, self.folder = address, ROOT

    def run(self, language, code):
        """What an example prints."""
        command = {"sh": ["bash", "-euo", "pipefail"], "python": ["python3", "-"]}[language]
        with tempfile.NamedTemporaryFile("r") as ended_in:
            if language == "sh":
                code += f"\npwd >{ended_in.name}\n"
            ended = subprocess.run(command, input=code.replace(WRITTEN_ADDRESS, self.address), text=True,
                                   cwd=self.folder, env={**os.environ, "PATH": f"/usr/bin:{os.environ['PATH']}"},
                                   capture_output=True, timeout=EXAMPLE_S)
            self.folder = ended_in.read().strip() or self.folder
        if ended.returncode != 0:
            raise Wrong(f"it ended with {ended.returncode}:\n{ended.stdout}{ended.stderr}")
        return ended.stdout.replace(self.address, WRITTEN_ADDRESS)


def check_shown(code):
    for program in re.findall(r"(?<![\w/.])(?:\./)?((?:deploy|tests)/[\w/]+\.sh)", code):
        if not os.access(ROOT / program, os.X_OK):
            raise Wrong(f"there is no program {program}")


def anchors_of(document):
    """The places in a document that links may name, as the usual viewers make them of headings."""
    prose = FENCE.sub("", document.read_text())
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
            for heading in re.findall(r"^#+ (.+)$", prose, re.M)}


def check_links(document):
    """How many links lead to a file or heading that is not there?"""
    wrong = 0
    for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", FENCE.sub("", document.read_text())):
        path, _, anchor = target.partition("#")
        file = document.parent / path if path else document
        if not file.exists() or (anchor and anchor not in anchors_of(file)):
            wrong += 1
            print(f"{document}: there is no {target}")
    return wrong


def blocks_of(document):
    """(line, language, argument, text) of every fenced block."""
    text = document.read_text()
    return [(text.count("\n", 0, match.start()) + 1, match[1], match[2].strip(), match[3])
            for match in FENCE.finditer(text)]


def check_block(block, following, terminal):
    """Does what a block says, and compares it with the output that follows it. Was it run?"""
    _, language, argument, text = block
    if language == "c":
        (ROOT / argument).write_text(text)
        return False
    if argument == "shown":
        check_shown(text)
        return False
    if language not in RUNS or argument == "start":
        return False
    printed = terminal.run(language, text)
    if following and following[1] in OUTPUTS and following[2] != "shown" and \
            not agrees(following[1], following[3], printed):
        raise Wrong(f"it prints\n{printed}")
    return True


def check(document):
    """Runs a document's examples in order. How many were wrong?"""
    blocks = blocks_of(document)
    starts = [text.strip() for _, _, argument, text in blocks if argument == "start"]
    daemon = Daemon(starts[0] if starts else DAEMON)
    ran, wrong, terminal = 0, check_links(document), Terminal(daemon.address)
    try:
        for block, following in zip(blocks, [*blocks[1:], None]):
            try:
                ran += check_block(block, following, terminal)
            except (Wrong, subprocess.TimeoutExpired) as trouble:
                wrong += 1
                print(f"{document}:{block[0]}: {trouble}\nfor\n{block[3]}")
    finally:
        daemon.stop()
    print(f"{document}: {ran} examples ran, {wrong} wrong")
    if ran == 0:
        raise Wrong(f"{document} has no example that runs")
    return wrong


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit(1 if sum(check(pathlib.Path(name)) for name in sys.argv[1:]) else 0)
