"""The compose file: understood, and every gjkd in it as closed as the image allows."""

import os

import yaml

from tools import DEPLOY, needs, run

COMPOSE = DEPLOY / "compose.yaml"


def services():
    return yaml.safe_load(COMPOSE.read_text())["services"]


@needs("docker-compose")
def test_it_is_understood():
    home = {**os.environ, "DOCKER_HOST": "unix:///nowhere"}
    assert run("docker-compose", "-f", COMPOSE, "config", "-q", env=home) == ""


def test_what_it_mounts_is_there():
    for service in services().values():
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert not source.startswith("./") or (DEPLOY / source).is_file(), source


def test_nothing_may_more_than_it_must():
    for name, service in services().items():
        assert service["read_only"] and service["cap_drop"] == ["ALL"], name
        assert "no-new-privileges:true" in service["security_opt"], name
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", [])), name
    for name in ("gjkd-1", "gjkd-2"):
        assert "ports" not in services()[name], "clients come through HAProxy"


def test_the_names_are_those_of_the_other_files():
    for file in ("haproxy/haproxy.cfg", "prometheus/prometheus.yml"):
        text = (DEPLOY / file).read_text()
        for name in ("gjkd-1", "gjkd-2"):
            assert f"{name}:8080" in text and name in services()
