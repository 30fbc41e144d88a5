"""The package: written tables up to date, types, a wheel."""

import os
import pathlib
import subprocess
import sys
import zipfile

PACKAGE = pathlib.Path(__file__).parents[3] / "proto/clients/python"


def test_what_is_written_is_up_to_date():
    subprocess.run([sys.executable, PACKAGE / "generate.py", "--check"], check=True)


def test_types_hold(tmp_path):
    told = subprocess.run(["mypy", "--cache-dir", tmp_path, "--config-file", PACKAGE / "pyproject.toml", PACKAGE / "gjkd"],
                          text=True, capture_output=True)
    assert told.returncode == 0, told.stdout


def test_a_checker_finds_typos(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("import gjkd\nk = gjkd.Client('http://x')\nk.distance('a', a='x', b='y')\nk.distance('a', a='x', max_distnace=1)\n")
    told = subprocess.run(["mypy", "--cache-dir", tmp_path, "--enable-incomplete-feature=Unpack", program], text=True,
                          capture_output=True, env=os.environ | {"MYPYPATH": str(PACKAGE)})
    assert told.stdout.count("error") == 2 and ':4: error: Unexpected keyword argument "max_distnace"' in told.stdout, told.stdout


def test_a_wheel_is_built_and_imported_without_a_network(tmp_path):
    source = tmp_path / "source"
    subprocess.run(["cp", "-r", PACKAGE, source], check=True)
    build = "import setuptools.build_meta as b; b.build_wheel('..')"
    subprocess.run([sys.executable, "-W", "ignore", "-c", build], cwd=source, check=True, capture_output=True)
    wheel, = tmp_path.glob("*.whl")
    assert "gjkd/py.typed" in zipfile.ZipFile(wheel).namelist()
    told = subprocess.run([sys.executable, "-c", f"import sys; sys.path.insert(0, {str(wheel)!r}); import gjkd.robot; print(gjkd.__file__)"],
                          cwd=tmp_path, check=True, capture_output=True, text=True)
    assert told.stdout.startswith(str(wheel))
