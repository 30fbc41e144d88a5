"""Settings from flags, the environment and a file; --check-config and --print-config."""

import pytest

from daemon import run_to_end

pytestmark = pytest.mark.http


@pytest.fixture
def file(tmp_path):
    """file(text) -> the name of a configuration file."""
    def write(text):
        path = tmp_path / "gjkd.conf"
        path.write_text(text)
        return str(path)
    return write


def limits(daemon):
    return daemon.get("/v1").json()["limits"]


def test_flag_environment_file_default(start, file):
    name = file("max-body = 5001\nmax-batch = 51\ndemo = yes\n# comment\n")
    daemon = start("--config", name)
    assert limits(daemon)["body_bytes_max"] == 5001 and limits(daemon)["batch_queries_max"] == 51
    assert daemon.get("/v1/sets/arena2d?fields=summary").status_code == 200
    assert limits(daemon)["sets_max"] == 10000
    daemon = start(env={"GJKD_CONFIG": name, "GJKD_MAX_BODY": "5002"})
    assert limits(daemon)["body_bytes_max"] == 5002 and limits(daemon)["batch_queries_max"] == 51
    daemon = start("--max-body=5003", env={"GJKD_CONFIG": name, "GJKD_MAX_BODY": "5002"})
    assert limits(daemon)["body_bytes_max"] == 5003


def test_a_typo_in_the_file(file):
    name = file("demo = yes\nmax-bdoy = 1\n")
    ended = run_to_end("--config", name)
    assert ended.returncode == 2 and ended.stdout == ""
    assert f"{name}, line 2" in ended.stderr and 'did you mean "max-body"?' in ended.stderr


def test_a_typo_in_a_flag():
    ended = run_to_end("--max-conections", "5")
    assert ended.returncode == 2 and 'did you mean "--max-connections"?' in ended.stderr


def test_check_config(file):
    ended = run_to_end("--check-config", "--config", file("max-body = 5M\n"))
    assert ended.returncode == 0 and ended.stderr == ""
    ended = run_to_end("--check-config", "--config", file("max-body = 5X\n"))
    assert ended.returncode == 2 and "line 1" in ended.stderr and ended.stdout == ""
    assert run_to_end("--check-config", "--listen", "0.0.0.0:80").returncode == 2
    assert run_to_end("--check-config", "--config", "/nonexistent").returncode == 2


def test_check_config_looks_for_sets_too(tmp_path):
    made = tmp_path / "sets.json"
    made.write_text('{"dimension": 2}')
    for flag, path, found in (("--load", made, True), ("--load", tmp_path, True),
                              ("--load", tmp_path / "none", False),
                              ("--data-dir", tmp_path, True), ("--data-dir", tmp_path / "new", True),
                              ("--data-dir", tmp_path / "none" / "new", False),
                              ("--data-dir", made / "new", False)):
        ended = run_to_end("--check-config", flag, str(path))
        assert ended.returncode == (0 if found else 2), (flag, path, ended.stderr)
        assert found or f"{flag} {path}: " in ended.stderr or f"{flag}: {path}: " in ended.stderr
    assert not (tmp_path / "new").exists()


def test_check_config_reads_the_sets_to_begin_with(tmp_path):
    def check():
        ended = run_to_end("--check-config", "--load", str(tmp_path))
        assert ended.returncode == (2 if ended.stderr else 0), ended.stderr
        assert bool(ended.stdout) != bool(ended.stderr)
        return ended.stderr

    (tmp_path / "a.json").write_text('{"dimension": 2, "shapes": {"s": {"type": "point"}}}')
    (tmp_path / "b.ndjson").write_text('{"name": "b", "dimension": 3}\n')
    assert check() == ""
    for file, text, words in (
            ("b.ndjson", '{"name": "b", "dimension": 3}\n{"dimension": 3}\n',
             ["b.ndjson, line 2", "/name"]),
            ("b.ndjson", '{"name": "a", "dimension": 2}\n', ["b.ndjson, line 1", "is there twice"]),
            ("a.json", '{"dimension": 2, "shapes": {"s": {"type": "sphere", "radius": 1}}}',
             ["a.json: /shapes/s/type"]),
            ("a.json", '{"dimension": 2,', ["a.json", "line 1"])):
        (tmp_path / file).write_text(text)
        said = check()
        for word in [f"--load: {tmp_path}/", *words]:
            assert word in said, said


def test_a_switch_is_on_or_off():
    assert "neither on nor off" in run_to_end("--sandbox", "maybe").stderr
    for value in ("on", "off", "true", "false"):
        assert run_to_end("--check-config", "--sandbox", value).returncode == 0


def test_print_config_can_be_read_again(file):
    ended = run_to_end("--print-config", "--workers", "3", "--config", file("max-jobs = 7\n"),
                       env={"GJKD_MAX_BODY": "5M"})
    assert ended.returncode == 0 and ended.stderr == ""
    lines = dict(line.split(" = ", 1) for line in ended.stdout.splitlines())
    assert lines["workers"] == "3  ; flag"
    assert lines["max-body"] == "5242880  ; environment GJKD_MAX_BODY"
    assert lines["max-jobs"].startswith("7  ; file /")
    assert lines["request-timeout"] == "30s  ; default"
    again = run_to_end("--print-config", "--config", file(ended.stdout))
    values = [line.split("  ; ")[0] for line in ended.stdout.splitlines()]
    assert [line.split("  ; ")[0] for line in again.stdout.splitlines()] == values


def test_every_flag_of_help_is_known():
    names = [line.split()[0] for line in run_to_end("--help").stdout.splitlines()
             if line.startswith("  --")]
    assert len(names) > 30
    for name in names:
        ended = run_to_end(name + "=?", "--check-config")
        assert "unknown flag" not in ended.stderr, name
