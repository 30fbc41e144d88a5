"""Sets from files and to files: --load, --export, --import."""

import json
import signal
import subprocess
import time

import pytest

from daemon import BINARY, clean_environment, run_to_end
from stored import BOX, everything, open_store, scene

pytestmark = pytest.mark.http


def shapes_of(found):
    """What stays through PUT of what GET answered."""
    return {name: {k: v for k, v in body.items() if k not in ("revision", "tick", "ticks")}
            for name, (_, body) in found.items()}


def feed(folder, text):
    return subprocess.run([BINARY, "--import", "--data-dir", str(folder)], input=text, text=True,
                          capture_output=True, env=clean_environment(), timeout=60)


# --- --load ---

def write(folder, **sets):
    folder.mkdir(exist_ok=True)
    for name, body in sets.items():
        (folder / f"{name}.json").write_text(json.dumps(body))
    return folder


def test_load_a_folder(start, tmp_path):
    folder = write(tmp_path / "sets", one=scene({"a": BOX}), two=scene({}, 3))
    (folder / ".hidden.json").write_text("no JSON")
    (folder / "notes.txt").write_text("nor this")
    (folder / "more.ndjson").write_text(
        json.dumps(scene({"x": BOX}, name="three")) + "\n\n" + json.dumps(scene({}, name="four")))
    daemon = start("--load", str(folder))
    assert list(everything(daemon)) == ["four", "one", "three", "two"]
    assert daemon.get("/v1/sets/one").json()["shapes"]["a"]["handle"] == 1


@pytest.mark.parametrize("file, text", [("arena.json", json.dumps(scene({"a": BOX}))),
                                        ("all.txt", json.dumps(scene({"a": BOX}, name="arena")))])
def test_load_a_file(start, tmp_path, file, text):
    (tmp_path / file).write_text(text)
    assert list(everything(start("--load", str(tmp_path / file)))) == ["arena"]


def test_load_never_overwrites_what_is_stored(open_store, tmp_path):
    folder = write(tmp_path / "sets", a=scene({"file": BOX}), b=scene({}))
    gjkd = open_store(tmp_path / "data", "--load", str(folder))
    gjkd.store("a", scene({"client": BOX}))
    gjkd.call("DELETE", "/v1/sets/b")
    before = everything(gjkd)["a"]
    gjkd.stop()
    gjkd = open_store(tmp_path / "data", "--load", str(folder))
    assert everything(gjkd)["a"] == before and "b" in everything(gjkd)
    gjkd.stop()


def test_hangup_loads_what_is_new(start, tmp_path):
    folder = write(tmp_path / "sets", a=scene({"x": BOX}))
    daemon = start("--load", str(folder))
    write(folder, a=scene({"y": BOX}), b=scene({}))
    daemon.signal(signal.SIGHUP)
    deadline = time.monotonic() + 10
    while "b" not in everything(daemon) and time.monotonic() < deadline:
        time.sleep(0.02)
    found = everything(daemon)
    assert list(found) == ["a", "b"] and list(found["a"][1]["shapes"]) == ["x"]
    told = f"SIGHUP: every set of {folder} is there".encode()
    while told not in daemon.stderr() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert told in daemon.stderr() and b"no tokens" not in daemon.stderr()
    (folder / "c.json").write_text("{")  # a mistake is logged, and the daemon goes on
    daemon.signal(signal.SIGHUP)
    while b"c.json" not in daemon.stderr() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert b"--load" in daemon.stderr() and daemon.get("/readyz").status_code == 200
    daemon.signalled = False  # the ordinary end


MISTAKES = {
    "malformed": ("a.json", '{"dimension": 2,', ["a.json", "line 1"]),
    "a wrong shape": ("a.json", json.dumps(scene({"s": {"type": "circle", "radius": -1}})),
                      ["a.json", "/shapes/s/radius", "correct it"]),
    "a bad name": ("-a.json", json.dumps(scene({})), ["-a.json", "name"]),
    "no name": ("a.ndjson", json.dumps(scene({}, name="x")) + "\n" + json.dumps(scene({})),
                ["a.ndjson, line 2", "/name", "required"]),
    "a malformed line": ("a.ndjson", json.dumps(scene({}, name="x")) + '\n{"name": \n',
                         ["a.ndjson, line 2, column 10: expected a value, but the text ends"]),
    "a name twice": ("a.ndjson", "\n".join(json.dumps(scene({}, name=name)) for name in "xyx"),
                     ["a.ndjson, line 3", "is there twice, here and before", "take the set out"]),
    "another name": ("a.json", json.dumps(scene({}, name="b")), ["a.json", "/name"]),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_ends_the_start(tmp_path, mistake):
    file, text, words = MISTAKES[mistake]
    (tmp_path / file).write_text(text)
    ended = run_to_end("--listen", "127.0.0.1:0", "--load", str(tmp_path))
    assert ended.returncode == 1 and ended.stdout == ""
    for word in ["--load", *words]:
        assert word in ended.stderr, ended.stderr


def test_a_name_in_two_files_ends_the_start(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(scene({})))
    (tmp_path / "b.ndjson").write_text(json.dumps(scene({}, name="a")))
    ended = run_to_end("--listen", "127.0.0.1:0", "--load", str(tmp_path))
    assert ended.returncode == 1 and "b.ndjson, line 1" in ended.stderr, ended.stderr


def test_load_needs_a_path():
    ended = run_to_end("--listen", "127.0.0.1:0", "--load", "/no/such/path")
    assert ended.returncode == 1 and "/no/such/path: No such file" in ended.stderr


# --- --export and --import ---

def test_there_and_back(open_store, tmp_path):
    gjkd = open_store(tmp_path / "a")
    gjkd.store("three", scene({
        "m": {"type": "mesh", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0]],
              "triangles": [[0, 1, 2]], "position": [1, 2, 3], "meta": {"x": "é\n\""}}}, 3))
    for i in range(5):
        gjkd.store(f"s{i}", scene({f"b{k}": BOX | {"position": [i, k]} for k in range(i)},
                                  meta={"i": i}, history={"ticks": 3}))
    before = shapes_of(everything(gjkd))
    remote = gjkd.get("/v1/export").content.decode()
    gjkd.stop()
    local = run_to_end("--export", "--data-dir", str(tmp_path / "a"))
    assert local.returncode == 0, local.stderr
    assert local.stdout == remote
    lines = [json.loads(line) for line in local.stdout.splitlines()]
    assert [line["name"] for line in lines] == sorted(before)
    fed = feed(tmp_path / "b", local.stdout)
    assert fed.returncode == 0 and fed.stdout == "", fed.stderr
    gjkd = open_store(tmp_path / "b")
    assert shapes_of(everything(gjkd)) == before
    gjkd.stop()


def test_an_import_is_whole_or_nothing(tmp_path):
    good, bad = json.dumps(scene({"x": BOX}, name="a")), json.dumps(scene({"x": {}}, name="b"))
    fed = feed(tmp_path, f"{good}\n{bad}\n")
    assert fed.returncode == 1
    assert "--import, line 2" in fed.stderr and "/shapes/x/type" in fed.stderr
    assert run_to_end("--export", "--data-dir", str(tmp_path)).stdout == ""
    assert feed(tmp_path, good).returncode == 0
    fed = feed(tmp_path, good)
    assert fed.returncode == 1 and "stored already" in fed.stderr
    fed = feed(tmp_path, f"{good}\n{good}".replace('"a"', '"c"'))
    assert fed.returncode == 1 and "line 2" in fed.stderr


@pytest.mark.parametrize("flags, word", [
    (["--export"], "--data-dir"),
    (["--import"], "--data-dir"),
])
def test_what_does_not_go_together(flags, word):
    ended = run_to_end(*flags)
    assert ended.returncode == 2 and word in ended.stderr


def test_export_of_a_directory_in_use(open_store, tmp_path):
    gjkd = open_store(tmp_path)
    ended = run_to_end("--export", "--data-dir", str(tmp_path))
    assert ended.returncode == 1 and "another process uses it" in ended.stderr
    gjkd.stop()
