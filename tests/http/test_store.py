"""Sets on disk: what is there after a restart, what a reply promises, and what is refused."""

import random
import shutil
import sqlite3

import pytest

from daemon import run_to_end
from events import Events
from stored import BOX, everything, failing, kill, open_store, scene

SHAPES_3D = {
    "turned": {"type": "box", "half_extents": [1, 2, 3], "position": [1, -2, 1e20],
               "orientation": [0, 0, 0.6, 0.8], "group": "g/1", "category": 6, "mask": 9,
               "rounding": 0.125, "meta": {"n": [1, 2.5, "x"]}},
    "hull": {"type": "hull", "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.1, 0.2, 7e-9]]},
    "cone": {"type": "cone", "a": [0, 0, 0], "b": [0, 1, 0], "radius": 2},
    "mesh": {"type": "mesh", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
             "triangles": [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]], "closed": True,
             "materials": [1, 2, 3, 4], "position": [4, 5, 6]},
    "field": {"type": "heightfield", "columns": 3, "rows": 2, "spacing": [1, 0.5],
              "heights": [0, 1, None, 3, 4, 5]},
    "ground": {"type": "heightfield", "columns": 2, "rows": 2, "spacing": [1, 1], "heights": [0, 1, 2, 3],
               "base": -0.1, "materials": [4]},
    "pile": {"type": "compound", "parts": [BOX | {"half_extents": [1, 1, 1]},
                                           {"type": "sphere", "radius": 1, "position": [1, 1, 1]}]},
}
SHAPES_2D = {
    "box": BOX | {"angle": 0.1},
    "chain": {"type": "chain", "vertices": [[0, 0], [1, 0], [1, 1]], "closed": True},
    "region": {"type": "region", "polygons": [[[[0, 0], [4, 0], [4, 4], [2, 1], [0, 4]]]]},
    "slice": {"type": "slice", "radius": 1, "theta": 1.5},
}


@pytest.mark.parametrize("end", ["SIGTERM", "SIGKILL"])
def test_all_is_there_after_a_restart(open_store, tmp_path, end):
    first = open_store(tmp_path)
    first.store("three", scene(SHAPES_3D, 3, meta={"by": "me"}))
    first.store("two", scene(SHAPES_2D, history={"ticks": 8}))
    first.store("gone", scene({}))
    assert first.call("DELETE", "/v1/sets/gone").status_code == 204
    first.store("again", scene({"a": BOX, "b": BOX}))
    first.store("again", scene({"c": BOX, "a": BOX}))
    reply = first.call("PATCH", "/v1/sets/three", json={"shapes": {
        "hull": None, "cone": {"position": [1, 1, 1]}, "new": {"type": "point"}}})
    assert reply.headers["Gjkd-Durability"] == "disk"
    before = everything(first)
    if end == "SIGTERM":
        first.stop()
    else:
        kill(first)
    second = open_store(tmp_path)
    assert everything(second) == before
    # Life goes on: handles are not given twice, revisions follow.
    again = second.put("/v1/sets/again/shapes/d", BOX)
    assert again.json()["handle"] == 4 and again.json()["revision"] == 3
    same = second.call("PATCH", "/v1/sets/three", json={"meta": None},
                       headers={"If-Match": before["three"][0]})
    assert same.status_code == 200
    second.stop()


@pytest.mark.parametrize("workers", ["1", "3"])
def test_many_shapes_whose_handles_are_in_no_order(open_store, tmp_path, workers):
    gjkd = open_store(tmp_path, "--workers", workers)
    chance = random.Random(4)
    order = chance.sample(range(5000), 5000)
    gjkd.store("many", scene({}, 3))
    for first in range(0, 5000, 1000):
        gjkd.call("PATCH", "/v1/sets/many", json={"shapes": {
            f"s{i}": {"type": "sphere", "radius": i + 1, "position": [i, 0, chance.random()]}
            for i in order[first:first + 1000]}})
    side = 200
    gjkd.put("/v1/sets/many/shapes/mesh", {
        "type": "mesh", "vertices": [[x / 7, y / 3, chance.random()] for y in range(side)
                                     for x in range(side)],
        "triangles": [[y * side + x, y * side + x + 1, (y + 1) * side + x]
                      for y in range(side - 1) for x in range(side - 1)]})
    before = everything(gjkd)
    gjkd.stop()
    gjkd = open_store(tmp_path, "--workers", workers)
    assert everything(gjkd) == before
    pair = gjkd.ask("/v1/sets/many/distance", {"a": "mesh", "b": "s4000"})
    assert pair["distance"] > 0 or pair["colliding"]


def test_a_set_made_anew_is_another(open_store, tmp_path):
    gjkd = open_store(tmp_path)
    gjkd.store("a", scene({"x": BOX}))
    tag = gjkd.get("/v1/sets/a").headers["ETag"]
    gjkd.call("DELETE", "/v1/sets/a")
    gjkd.store("a", scene({"y": BOX}))
    kill(gjkd)
    gjkd = open_store(tmp_path)
    reply = gjkd.get("/v1/sets/a")
    assert list(reply.json()["shapes"]) == ["y"] and reply.headers["ETag"] != tag
    gjkd.stop()


def test_lost_ticks_make_another_incarnation(open_store, tmp_path):
    gjkd = open_store(tmp_path, "--pose-checkpoint", "30m")
    gjkd.store("a", scene({"x": BOX, "y": BOX}, history={"ticks": 4}))
    assert gjkd.put("/v1/sets/a/ticks/1", {"shapes": {"x": {"position": [1, 1]}}}).headers[
        "Gjkd-Durability"] == "disk"  # from here on revisions may be lost
    last = gjkd.put("/v1/sets/a/ticks/2", {"shapes": {"x": {"position": [2, 2]}}})
    assert last.headers["Gjkd-Durability"] == "memory"
    kill(gjkd)
    gjkd = open_store(tmp_path)
    reply = gjkd.get("/v1/sets/a")
    body = reply.json()
    assert body["shapes"]["x"]["position"] == [1, 1] and body["ticks"] is None
    assert body["revision"] > last.json()["revision"]
    assert reply.headers["ETag"].split("-")[0] != last.headers["ETag"].split("-")[0]
    gjkd.stop()
    again = open_store(tmp_path)  # which has lost none
    assert again.get("/v1/sets/a").headers["ETag"] == reply.headers["ETag"]
    again.stop()


def test_poses_are_kept_at_a_clean_stop_and_meanwhile(open_store, tmp_path):
    gjkd = open_store(tmp_path, "--pose-checkpoint", "100ms")
    gjkd.store("a", scene({"x": BOX, "y": BOX}, history={"ticks": 4}))
    for tick in range(1, 9):
        gjkd.put(f"/v1/sets/a/ticks/{tick}", {"shapes": {"x": {"position": [tick, 0]}}})
    eventually_stored(tmp_path, gjkd)
    gjkd = open_store(tmp_path, "--pose-checkpoint", "30m")
    assert gjkd.get("/v1/sets/a").json()["shapes"]["x"]["position"] == [8, 0]
    for tick in range(1, 9):
        gjkd.put(f"/v1/sets/a/ticks/{tick}", {"shapes": {"y": {"position": [tick, 0]}}})
    gjkd.stop()
    gjkd = open_store(tmp_path)
    assert gjkd.get("/v1/sets/a").json()["shapes"]["y"]["position"] == [8, 0]
    gjkd.stop()


def eventually_stored(tmp_path, gjkd):
    import time
    time.sleep(1)
    kill(gjkd)


def test_a_tick_between_writes_is_not_lost_with_them(open_store, tmp_path):
    gjkd = open_store(tmp_path, "--pose-checkpoint", "30m")
    gjkd.store("a", scene({"x": BOX, "y": BOX}, history={"ticks": 4}))
    gjkd.put("/v1/sets/a/ticks/1", {"shapes": {"x": {"position": [1, 0]}}})
    gjkd.put("/v1/sets/a/ticks/2", {"shapes": {"x": {"position": [2, 0]}, "z": BOX, "y": None}})
    gjkd.call("PATCH", "/v1/sets/a", json={"shapes": {"z": {"position": [3, 0]}}})
    shapes = gjkd.get("/v1/sets/a").json()["shapes"]
    kill(gjkd)
    gjkd = open_store(tmp_path)
    assert gjkd.get("/v1/sets/a").json()["shapes"] == shapes
    gjkd.stop()


def follow_from(daemon, name, tag):
    """The first event of who has seen everything up to that entity tag."""
    with Events(daemon, name, f"?since={tag.strip(chr(34))}") as stream:
        return stream.next().kind


@pytest.mark.parametrize("end", ["SIGTERM", "SIGKILL"])
def test_a_directory_restored_from_a_copy_knows_no_tag_given_after_it(open_store, tmp_path, end):
    """The same revisions come twice, for other content; their entity tags do not."""
    gjkd = open_store(tmp_path / "data", "--pose-checkpoint", "30m")
    gjkd.store("a", scene({"x": BOX}))
    gjkd.store("ticking", scene({"x": BOX}, history={"ticks": 4}))
    before = everything(gjkd)
    gjkd.stop()
    shutil.copytree(tmp_path / "data", tmp_path / "copy")

    def write(daemon, side):
        """Tags of the same revisions, whatever is written."""
        put = [daemon.put(f"/v1/sets/a/shapes/{side}{i}", BOX) for i in range(3)]
        put.append(daemon.call("PATCH", "/v1/sets/a", json={"meta": {"side": side}}))
        put += [daemon.put(f"/v1/sets/ticking/ticks/{i}",
                           {"shapes": {"x": {"position": [i, ord(side)]}}}) for i in range(1, 4)]
        return [(reply.json()["revision"], reply.headers["ETag"]) for reply in put]

    gjkd = open_store(tmp_path / "data", "--pose-checkpoint", "30m")
    lost = write(gjkd, "l")
    gjkd.stop() if end == "SIGTERM" else kill(gjkd)
    gjkd = open_store(tmp_path / "copy", "--pose-checkpoint", "30m")
    assert everything(gjkd) == before, "what the copy has keeps its tags"
    assert [follow_from(gjkd, "a", tag) for _, tag in lost[:4]] == ["reset"] * 4
    kept = write(gjkd, "k")
    assert [revision for revision, _ in kept] == [revision for revision, _ in lost]
    assert not {tag for _, tag in lost} & {tag for _, tag in kept}
    for i, (_, tag) in enumerate(lost):
        name = "a" if i < 4 else "ticking"
        assert gjkd.get(f"/v1/sets/{name}", headers={"If-None-Match": tag}).status_code == 200
        assert gjkd.call("PATCH", f"/v1/sets/{name}", json={"meta": {}},
                         headers={"If-Match": tag}).status_code == 412
        assert gjkd.call("POST", f"/v1/sets/{name}/detect", json={},
                         headers={"If-Match": tag}).status_code == 412
        assert follow_from(gjkd, name, tag) == "reset", tag
    assert [follow_from(gjkd, "a", tag) for _, tag in kept[:3]] == ["change"] * 3
    newest = everything(gjkd)
    gjkd.stop()
    gjkd = open_store(tmp_path / "copy")
    assert everything(gjkd)["a"] == newest["a"]
    gjkd.stop()


def test_each_write_in_memory_has_a_tag_of_its_own(gjkd, name):
    tags = [gjkd.put(f"/v1/sets/{name}", scene({})).headers["ETag"] for _ in range(20)]
    marks = {tag[17:25] for tag in tags}
    assert len(marks) == 20 and len({tag[:17] for tag in tags}) == 1
    assert [tag[26:-1] for tag in tags] == [str(i) for i in range(1, 21)]


def test_without_a_directory_it_is_memory(gjkd, name):
    reply = gjkd.put(f"/v1/sets/{name}", scene({}))
    assert reply.headers["Gjkd-Durability"] == "memory"
    refused = gjkd.put(f"/v1/sets/{name}", scene({}), headers={"If-None-Match": "*"})
    assert refused.status_code == 412 and "Gjkd-Durability" not in refused.headers
    assert "Gjkd-Durability" not in gjkd.get(f"/v1/sets/{name}").headers


def test_what_the_daemon_tells_of_it(open_store, gjkd, tmp_path):
    assert gjkd.get("/v1").json()["durability"] == "memory"
    store = open_store(tmp_path)
    assert store.get("/v1").json()["durability"] == "disk"
    store.store("a", scene({}))
    rows = dict(line.rsplit(" ", 1) for line in store.get("/metrics").text.splitlines()
                if line.startswith("gjkd_store_"))
    assert float(rows.pop("gjkd_store_oldest_wait_seconds")) < 60
    assert rows == {"gjkd_store_changes_waiting": "0", "gjkd_store_transactions_total": "1",
                    "gjkd_store_failures_total": "0"}
    store.stop()


def test_the_demo_never_overwrites(open_store, tmp_path):
    gjkd = open_store(tmp_path, "--demo")
    gjkd.store("arena2d", scene({}))
    gjkd.stop()
    gjkd = open_store(tmp_path, "--demo")
    assert gjkd.get("/v1/sets/arena2d").json()["shapes"] == {}
    assert gjkd.get("/v1/sets/range3d").json()["shapes"] != {}
    gjkd.stop()


# --- What is refused ---

def refuse(folder, *words):
    ended = run_to_end("--listen", "127.0.0.1:0", "--data-dir", str(folder))
    assert ended.returncode == 1 and ended.stdout == ""
    for word in words:
        assert word in ended.stderr, (word, ended.stderr)


def test_a_second_daemon_is_refused(open_store, tmp_path):
    gjkd = open_store(tmp_path)
    refuse(tmp_path, "another process uses it")
    gjkd.store("a", scene({}))
    gjkd.stop()


def test_a_directory_that_cannot_be(tmp_path):
    (tmp_path / "file").write_text("")
    refuse(tmp_path / "file", "Not a directory")
    refuse(tmp_path / "no" / "such", "No such file", "not the one that it is in")
    (tmp_path / "sets.db").mkdir()
    refuse(tmp_path, "sets.db", "is it a file that gjkd's user may write")


def test_files_that_are_none_of_gjkd(tmp_path):
    (tmp_path / "sets.db").write_bytes(b"no database" * 1000)
    refuse(tmp_path, "sets.db", "not a database", "restore a backup")
    (tmp_path / "sets.db").unlink()
    other = sqlite3.connect(tmp_path / "sets.db")
    other.executescript("CREATE TABLE t (x); PRAGMA user_version = 1")
    other.close()
    refuse(tmp_path, "none of gjkd's")


def test_a_later_form_is_refused(open_store, tmp_path):
    open_store(tmp_path).stop()
    file = sqlite3.connect(tmp_path / "sets.db")
    file.execute("PRAGMA user_version = 99")
    file.close()
    refuse(tmp_path, "written by a later version", "form 99")


# A file of the second form, in which sets have no mark.
FORM_2 = """
CREATE TABLE copy (number INTEGER PRIMARY KEY, cluster TEXT NOT NULL, epoch INTEGER NOT NULL,
 place INTEGER NOT NULL, message INTEGER NOT NULL, message_place INTEGER NOT NULL,
 sum INTEGER NOT NULL);
CREATE TABLE sets (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
 dimension INTEGER NOT NULL, incarnation INTEGER NOT NULL, revision INTEGER NOT NULL,
 revision_bound INTEGER NOT NULL, next_handle INTEGER NOT NULL, history INTEGER, meta BLOB,
 shapes INTEGER NOT NULL, sum INTEGER NOT NULL);
INSERT INTO sets VALUES (1, 'a', 2, 1481997386596786896, 2, 0, 3, NULL, x'7B226E223A317D', 2,
 5442355782755013696);
CREATE TABLE shapes (key INTEGER PRIMARY KEY, id TEXT NOT NULL, place BLOB NOT NULL,
 shape BLOB NOT NULL);
INSERT INTO shapes VALUES (4294967297, 'x',
 x'01000000000000084000000000000010407BA9BA791907A58F',
 x'017B2274797065223A22626F78222C2268616C665F657874656E7473223A5B312C325D7D13CF1D1A602AAC65');
INSERT INTO shapes VALUES (4294967298, 'y', x'007CC33B5E0AB2BC41',
 x'017B2274797065223A22636972636C65222C22726164697573223A317DA5EA4A9A0254EE72');
CREATE TABLE ticks (key INTEGER PRIMARY KEY, text BLOB NOT NULL, sum INTEGER NOT NULL);
CREATE TABLE touched (times INTEGER NOT NULL);
INSERT INTO touched VALUES (0);
PRAGMA application_id = 1735027556;
PRAGMA user_version = 2;
"""


def test_a_file_of_a_form_before_is_changed_over(open_store, tmp_path):
    file = sqlite3.connect(tmp_path / "sets.db")
    file.executescript(FORM_2)
    file.close()
    gjkd = open_store(tmp_path)
    assert everything(gjkd) == {"a": ('"14911cc56a28a2d0-2"', {
        "name": "a", "dimension": 2, "revision": 2, "tick": None, "ticks": None, "meta": {"n": 1},
        "shapes": {"x": BOX | {"position": [3, 4], "handle": 1},
                   "y": {"type": "circle", "radius": 1, "handle": 2}}})}
    assert gjkd.get("/v1/sets/a/shapes/x").headers["ETag"] == '"14911cc56a28a2d0-0-h1"'  # not known
    assert gjkd.put("/v1/sets/a/shapes/z", BOX).json()["handle"] == 3
    moved = gjkd.call("PATCH", "/v1/sets/a/shapes/y", json={"position": [1, 1]}).headers["ETag"]
    gjkd.store("b", scene({"x": BOX}))
    before = everything(gjkd)
    gjkd.stop()
    gjkd = open_store(tmp_path)
    assert everything(gjkd) == before
    for shape, tag in (("x", '"14911cc56a28a2d0-0-h1"'), ("y", moved)):
        reply = gjkd.call("PATCH", f"/v1/sets/a/shapes/{shape}", json={}, headers={"If-Match": tag})
        assert reply.status_code == 200
    gjkd.stop()


FOREIGN = {
    "trigger": "CREATE TRIGGER watcher AFTER INSERT ON shapes BEGIN DELETE FROM shapes; END",
    "view": "CREATE VIEW watcher AS SELECT * FROM sets",
    "table": "CREATE TABLE watcher (x)",
    "index": "CREATE INDEX watcher ON shapes (id)",
}
CHANGED = {
    "another column": ("sets", "ALTER TABLE sets ADD COLUMN colour TEXT"),
    "a check": ("ticks", "DROP TABLE ticks; CREATE TABLE ticks (key INTEGER PRIMARY KEY CHECK (key < 0),"
                         " text BLOB NOT NULL, sum INTEGER NOT NULL)"),
    "no table": ("touched", "DROP TABLE touched"),
    "an older form": ("copy", "PRAGMA user_version = 1"),
}


def alter(folder, sql):
    file = sqlite3.connect(folder / "sets.db")
    file.executescript(sql)
    file.close()


@pytest.mark.parametrize("type_", FOREIGN)
def test_what_gjkd_did_not_make_is_refused(open_store, tmp_path, type_):
    gjkd = open_store(tmp_path)
    gjkd.store("a", scene({"x": BOX}))
    before = everything(gjkd)
    gjkd.stop()
    alter(tmp_path, FOREIGN[type_])
    whole = (tmp_path / "sets.db").read_bytes()
    refuse(tmp_path, f"{tmp_path}/sets.db: it holds the {type_}", "watcher", "gjkd did not make",
           "remove it")
    for flag in ("--export", "--import"):
        ended = run_to_end(flag, "--data-dir", str(tmp_path))
        assert ended.returncode == 1 and "watcher" in ended.stderr, flag
    assert (tmp_path / "sets.db").read_bytes() == whole
    alter(tmp_path, f"DROP {type_} watcher")
    gjkd = open_store(tmp_path)
    assert everything(gjkd) == before
    gjkd.stop()


@pytest.mark.parametrize("what", CHANGED)
def test_tables_that_were_changed_are_refused(open_store, tmp_path, what):
    open_store(tmp_path).stop()
    table, sql = CHANGED[what]
    alter(tmp_path, sql)
    refuse(tmp_path, f"{tmp_path}/sets.db: it", f'the table \\"{table}\\"'
           if what == "an older form" else f'table \\"{table}\\" is missing, or not as gjkd')


def test_a_database_of_another_program_stays_as_it_is(tmp_path):
    """One that has set neither mark of its own."""
    alter(tmp_path, "CREATE TABLE watcher (x)")
    whole = (tmp_path / "sets.db").read_bytes()
    refuse(tmp_path, "it holds the table", "watcher")
    assert (tmp_path / "sets.db").read_bytes() == whole


def test_a_form_below_any_is_refused(open_store, tmp_path):
    open_store(tmp_path).stop()
    alter(tmp_path, "PRAGMA user_version = -3; PRAGMA application_id = 0")
    refuse(tmp_path, "sets.db", "form -3")


def test_its_files_are_its_owners_alone(open_store, tmp_path):
    """Whatever the umask says, and whatever an earlier gjkd has left."""
    def modes():
        return {path.name: oct(path.stat().st_mode & 0o777) for path in folder.iterdir()}

    folder = tmp_path / "data"
    under = ("sh", "-c", 'umask 0; exec "$@"', "sh")
    gjkd = open_store(folder, under=under)
    gjkd.store("a", scene({"x": BOX}))
    assert folder.stat().st_mode & 0o777 == 0o700
    assert modes() == {"sets.db": "0o600", "sets.db-wal": "0o600"}
    kill(gjkd)
    for path in folder.iterdir():
        path.chmod(0o666)
    gjkd = open_store(folder, under=under)
    assert modes() == {"sets.db": "0o600", "sets.db-wal": "0o600"}
    assert list(everything(gjkd)) == ["a"]
    gjkd.stop()
    assert modes() == {"sets.db": "0o600"}


DAMAGE = {
    "a place": "UPDATE shapes SET place = zeroblob(length(place))",
    "a definition": "UPDATE shapes SET shape = replace(shape, 'box', 'bax')",
    "an id": "UPDATE shapes SET id = 'other'",
    "a key": "UPDATE shapes SET key = key + 5",
    "a missing shape": "DELETE FROM shapes",
    "a set": "UPDATE sets SET revision = revision + 1",
    "a set's meta": "UPDATE sets SET meta = '{}'",
    "a set's mark": "UPDATE sets SET mark = 5",
}


@pytest.mark.parametrize("what", DAMAGE)
def test_damage_is_refused_and_named(open_store, tmp_path, what):
    gjkd = open_store(tmp_path)
    gjkd.store("hurt", scene({"x": BOX | {"position": [1, 1]}}))
    gjkd.stop()
    file = sqlite3.connect(tmp_path / "sets.db")
    file.execute(DAMAGE[what])
    file.commit()
    file.close()
    refuse(tmp_path, f"{tmp_path}/sets.db: the stored set", "cannot be loaded", "restore a backup")
    refuse(tmp_path, "cannot be loaded")  # and nothing was changed meanwhile


def test_an_empty_file_is_damage_and_no_beginning(open_store, tmp_path):
    gjkd = open_store(tmp_path)
    gjkd.store("a", scene({"x": BOX}))
    gjkd.stop()
    whole = (tmp_path / "sets.db").read_bytes()
    (tmp_path / "sets.db").write_bytes(b"")
    for flags in (["--listen", "127.0.0.1:0"], ["--export"], ["--import"]):
        ended = run_to_end(*flags, "--data-dir", str(tmp_path))
        assert ended.returncode == 1, flags
        for word in (f"{tmp_path}/sets.db", "it is empty", "restore a backup, or move it away"):
            assert word in ended.stderr, (flags, ended.stderr)
    assert [(path.name, path.stat().st_size) for path in tmp_path.iterdir()] == [("sets.db", 0)]
    (tmp_path / "sets.db").write_bytes(whole)
    gjkd = open_store(tmp_path)
    assert list(everything(gjkd)) == ["a"]
    gjkd.stop()


def test_a_file_that_was_not_finished_is_made_anew(open_store, tmp_path):
    (tmp_path / "sets.db.new").write_bytes(b"half a file")
    (tmp_path / "sets.db.new-journal").write_bytes(b"and its journal")
    gjkd = open_store(tmp_path)
    gjkd.store("a", scene({"x": BOX}))
    gjkd.stop()
    assert [path.name for path in tmp_path.iterdir()] == ["sets.db"]
    gjkd = open_store(tmp_path)
    assert list(everything(gjkd)) == ["a"]
    gjkd.stop()


def test_a_log_without_its_file_is_kept(open_store, tmp_path):
    """It has the last writes of a daemon that was killed, and belongs to a file that somebody moved."""
    gjkd = open_store(tmp_path)
    gjkd.store("a", scene({"x": BOX}))
    kill(gjkd)
    file, away = tmp_path / "sets.db", tmp_path / "away"
    log = (tmp_path / "sets.db-wal").read_bytes()
    assert log
    file.rename(away)
    for _ in range(2):
        refuse(tmp_path, f"{tmp_path}/sets.db-wal", "without sets.db", "put that file back")
        assert (tmp_path / "sets.db-wal").read_bytes() == log and not file.exists()
    away.rename(file)
    gjkd = open_store(tmp_path)
    assert list(everything(gjkd)) == ["a"]
    gjkd.stop()


def test_flipped_bytes_never_load_in_silence(open_store, tmp_path):
    """Every page of the file damaged in turn: the sets are as they were, or the start is refused."""
    gjkd = open_store(tmp_path)
    gjkd.store("a", scene({f"s{i}": BOX | {"position": [i, i]} for i in range(300)}))
    before = everything(gjkd)
    gjkd.stop()
    whole = (tmp_path / "sets.db").read_bytes()
    refused = 0
    for at in range(0, len(whole), 4096):
        for offset in (3, 700, 4090):
            hurt = bytearray(whole)
            hurt[at + offset] ^= 0x55
            (tmp_path / "sets.db").write_bytes(hurt)
            try:
                gjkd = open_store(tmp_path)
            except AssertionError:
                refused += 1
                continue
            assert everything(gjkd) == before
            gjkd.stop()
    assert refused > 10


def test_a_torn_tail_of_the_log_is_left_out(open_store, tmp_path):
    gjkd = open_store(tmp_path)
    gjkd.store("a", scene({"x": BOX}))
    gjkd.put("/v1/sets/a/shapes/y", BOX)
    before = everything(gjkd)
    length = (tmp_path / "sets.db-wal").stat().st_size
    gjkd.put("/v1/sets/a/shapes/z", BOX)
    kill(gjkd)
    log = tmp_path / "sets.db-wal"
    whole, base = log.read_bytes(), (tmp_path / "sets.db").read_bytes()
    for cut in (len(whole) - 1, len(whole) - 4000, length + 100, length):
        log.write_bytes(whole[:cut])
        (tmp_path / "sets.db").write_bytes(base)
        gjkd = open_store(tmp_path)
        assert everything(gjkd) == before
        kill(gjkd)


# --- A disk that fails ---

@pytest.mark.parametrize("order", ["fsync", "write", "full"])
def test_a_failing_disk_refuses_writes_and_reads_go_on(failing, order):
    gjkd = failing()
    gjkd.store("a", scene({"x": BOX}, history={"ticks": 4}))
    before = everything(gjkd)
    failing.say(order)
    refused = [gjkd.put("/v1/sets/a/shapes/y", BOX), gjkd.put("/v1/sets/a", scene({})),
               gjkd.put("/v1/sets/new", scene({})), gjkd.call("DELETE", "/v1/sets/a"),
               gjkd.put("/v1/sets/a/ticks/1", {"shapes": {}})]
    for reply in refused:
        assert reply.status_code == 507 and reply.json()["code"] == "not-stored", reply.text
        assert "Gjkd-Durability" not in reply.headers and "ETag" not in reply.headers
    assert everything(gjkd) == before
    assert gjkd.get("/readyz").status_code == 200
    failing.say("")
    tag = before["a"][0]
    assert gjkd.call("PATCH", "/v1/sets/a", json={"shapes": {"z": BOX}},
                         headers={"If-Match": tag}).status_code == 200
    after = everything(gjkd)
    assert list(after["a"][1]["shapes"]) == ["x", "z"] and list(after) == ["a"]
    kill(gjkd)
    gjkd = failing()
    assert everything(gjkd) == after
    gjkd.stop()


@pytest.mark.parametrize("order", ["fsync", "write", "full"])
def test_a_start_that_cannot_make_its_file_leaves_none(failing, tmp_path, order):
    (tmp_path / "data").mkdir()
    failing.say(order)
    with pytest.raises(AssertionError, match="sets.db"):
        failing()
    assert list((tmp_path / "data").iterdir()) == []
    failing.say("")
    gjkd = failing()
    gjkd.store("a", scene({"x": BOX}))
    gjkd.stop()


def test_what_was_refused_does_not_come_back(failing):
    """A commit whose sync failed may stand in the log; a crash right after must not find it."""
    gjkd = failing()
    gjkd.store("a", scene({"x": BOX}))
    before = everything(gjkd)
    failing.say("fsync")
    assert gjkd.put("/v1/sets/a/shapes/y", BOX).status_code == 507
    failing.say("")
    kill(gjkd)
    gjkd = failing()
    assert everything(gjkd) in (before,)
    gjkd.stop()
