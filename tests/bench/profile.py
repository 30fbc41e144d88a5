"""Where does the processor time of one small JSON query go?

   profile.py GJKD [SECONDS]

The load of load.py, with perf looking at the daemon meanwhile. A sample belongs to the first
part below of which a function is on its stack. Samples of the moment at which another process
got the processor are left out: where others keep it busy, that is not the daemon's time.
"""

import collections
import contextlib
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

import load

PARTS = [
    ("kernel", None),  # by the object of the innermost function
    ("JSON parsing", r"proto_reader_open$"),
    ("decoding: shapes and poses", r"proto_decode_(place|geometry)$"),
    ("decoding: members", r"proto_decode_query$"),
    ("geometry", r"gjk_(distance|answer)_"),
    ("encoding", r"proto_encode_"),
    ("head: fields, checks, route", r"on_field$|gjkd_request_begin$|on_target$"),
    ("answer: its object and header fields", r"gjkd_exchange_queue_reply$"),
    ("libmicrohttpd", None),  # what is below the loop and in none of the others
    ("the job: plan, counters, clock, memory", r"on_request$|on_completed$"),
]
RATE_HZ = 1500
STACK_BYTES = 8192
FRAME = re.compile(r"[0-9a-f]+ (.*) \((.*)\)$")


def stacks(text):
    """Each sample's (function, object) from the innermost frame outwards."""
    for block in text.split("\n\n"):
        frames = [FRAME.match(line.strip()) for line in block.splitlines()]
        frames = [frame.groups() for frame in frames if frame]
        if frames:
            yield frames


def part_of(frames):
    interrupts = [i for i, (name, _) in enumerate(frames) if name.startswith("asm_")]
    frames = frames[interrupts[-1] + 1:] if interrupts else frames
    if not frames:
        return None
    if "[kernel" in frames[0][1]:
        return "kernel"
    for part, functions in PARTS:
        if functions and any(re.match(functions, name) for name, _ in frames):
            return part
    return "libmicrohttpd"


def record(server, seconds, file):
    perf = subprocess.Popen(["perf", "record", "-q", "-F", str(RATE_HZ), "-o", file, "--call-graph",
                             f"dwarf,{STACK_BYTES}", "-p", str(server.process.pid), "--", "sleep",
                             str(seconds)], stderr=subprocess.DEVNULL)
    while perf.poll() is None:
        server.load(load.CONNECTIONS)
    if perf.returncode != 0:
        sys.exit("perf may not look at processes here (kernel.perf_event_paranoid?)")
    return subprocess.run(["perf", "script", "-i", file, "-F", "ip,sym,dso"], check=True, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


def main(gjkd, seconds=5):
    with contextlib.ExitStack() as running:
        folder = pathlib.Path(running.enter_context(tempfile.TemporaryDirectory()))
        server = load.Server(running, [gjkd, "--listen", "127.0.0.1:0", "--io-threads", "1"])
        server.ask()
        server.load(load.CONNECTIONS)  # warms up
        spent_us = statistics.median(server.load(load.CONNECTIONS)["processor_us"]
                                     for _ in range(3))
        text = record(server, int(seconds), folder / "perf.data")
    counts = collections.Counter(part_of(frames) for frames in stacks(text)
                                 if "finish_task_switch" not in frames[0][0])
    del counts[None]
    print(f"{spent_us:.1f} us of processor time a request, {counts.total()} samples")
    for part, _ in PARTS:
        share = counts[part] / counts.total()
        print(f"{100 * share:5.1f} %  {spent_us * share:6.2f} us  {part}")


main(*sys.argv[1:])
