"""The systemd unit: understood whole, and closed as far as promised."""

import os
import pathlib
import re

from daemon import BINARY, clean_environment
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


def seconds(text):
    """A time of systemd or gjkd: a number of seconds, or one with a unit."""
    number, unit = re.fullmatch(r"(\d+)(ms|s|min|m)?", text).groups()
    return int(number) * {"ms": 0.001, "s": 1, None: 1, "min": 60, "m": 60}[unit]


def setting(name):
    """What the daemon takes for a setting under the unit's environment."""
    environment = dict(re.findall(r"^Environment=(\w+)=(.*)$", UNIT.read_text(), re.M))
    told = run(BINARY, "--print-config", env=clean_environment(**environment))
    return re.search(rf"^{name} = (\S+)", told, re.M)[1]


def test_it_is_given_the_time_to_drain():
    settings = dict(line.split("=", 1) for line in UNIT.read_text().splitlines() if "=" in line)
    assert seconds(settings["TimeoutStopSec"]) > seconds(setting("drain-timeout"))
    assert settings["Type"] == "notify"
    assert pathlib.Path("/bin/kill").exists()
