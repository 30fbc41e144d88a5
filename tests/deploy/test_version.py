"""The version: decided in one place, and the same wherever else it has to stand."""

import re

from daemon import run_to_end
from tools import DEPLOY, run

ROOT = DEPLOY.parent
VERSION = run(DEPLOY / "version.sh").strip()


def test_the_binary_has_it():
    assert run_to_end("--version").stdout == f"gjkd {VERSION}\n"


def test_the_newest_changes_are_its():
    assert re.search(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(), re.M)[1] == VERSION


def test_files_that_name_an_image_name_this_one():
    named = [version for file in DEPLOY.rglob("*") if file.is_file()
             for version in re.findall(r"\bgjkd:(\d[\w.]*)", file.read_text())]
    assert named and set(named) == {VERSION}


def test_the_image_is_told():
    assert VERSION not in (ROOT / "Dockerfile").read_text()
