"""Running the programs that judge files."""

import pathlib
import shutil
import subprocess

import pytest

DEPLOY = pathlib.Path(__file__).parents[2] / "deploy"


def needs(program):
    """Skips a test where a program is not there."""
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"there is no {program}")


def run(*command, **options):
    """A command that must succeed; what it said."""
    ended = subprocess.run([str(part) for part in command], text=True, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, timeout=120, **options)
    assert ended.returncode == 0, f"{command}\n{ended.stdout}"
    return ended.stdout
