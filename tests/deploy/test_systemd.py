"""The systemd unit: understood whole, and closed as far as promised."""

import os
import pathlib

from daemon import BINARY
from tools import DEPLOY, needs, run

UNIT = DEPLOY / "systemd" / "gjkd.service"
EXPOSURE_MAX = 20  # tenths

pytestmark = needs("systemd-analyze")


def here(tmp_path):
    """The unit as it would stand on a machine where the binary of this build is installed."""
    text = UNIT.read_text()
    assert "ExecStart=/usr/bin/gjkd\n" in text
    unit = tmp_path / "gjkd.service"
    unit.write_text(text.replace("/usr/bin/gjkd", os.path.abspath(BINARY)))
    return unit


def test_it_is_understood(tmp_path):
    assert run("systemd-analyze", "verify", "--man=no", here(tmp_path)) == ""


def test_it_is_closed(tmp_path):
    told = run("systemd-analyze", "security", "--offline=true", f"--threshold={EXPOSURE_MAX}",
               here(tmp_path))
    assert "Overall exposure level" in told


def test_it_is_given_the_time_to_drain():
    settings = dict(line.split("=", 1) for line in UNIT.read_text().splitlines() if "=" in line)
    drain_s = 10  # --drain-timeout's default
    assert int(settings["TimeoutStopSec"]) > drain_s
    assert settings["Type"] == "notify"
    assert pathlib.Path("/bin/kill").exists()
