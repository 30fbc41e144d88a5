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
    for service in [*services().values(), *cluster().values()]:
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert not source.startswith("./") or (DEPLOY / source).is_file(), source


@needs("docker-compose")
def test_the_one_with_a_disk():
    file = DEPLOY / "compose.disk.yaml"
    home = {**os.environ, "DOCKER_HOST": "unix:///nowhere"}
    assert run("docker-compose", "-f", file, "config", "-q", env=home) == ""
    [service] = yaml.safe_load(file.read_text())["services"].values()
    assert service["read_only"] and service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert all(port.startswith("127.0.0.1:") for port in service["ports"])
    assert service["volumes"] == ["sets:" + service["environment"]["GJKD_DATA_DIR"]]
    assert f"{service['environment']['GJKD_DATA_DIR']}/\n" in (DEPLOY / "../Dockerfile").read_text()


def cluster():
    return yaml.safe_load((DEPLOY / "compose.cluster.yaml").read_text())["services"]


@needs("docker-compose")
def test_the_one_of_a_cluster():
    home = {**os.environ, "DOCKER_HOST": "unix:///nowhere"}
    run("docker-compose", "-f", DEPLOY / "compose.cluster.yaml", "config", "-q", env=home)
    servers = [f"nats-{i}" for i in (1, 2, 3)]
    nodes = [f"gjkd-{i}" for i in (1, 2, 3)]
    assert sorted(cluster()) == sorted(servers + nodes + ["haproxy"])
    for name in servers:
        flags = dict(flag.split("=", 1) for flag in cluster()[name]["command"])
        assert flags["--name"] == name and f"{name}:/data" in cluster()[name]["volumes"]
        assert flags["--routes"] == ",".join(f"nats://{other}:6222" for other in servers)
    for name in nodes:
        environment = cluster()[name]["environment"]
        assert environment["GJKD_NODE"] == name
        assert environment["GJKD_CLUSTER_INIT"] == ("true" if name == "gjkd-1" else "false")
        assert environment["GJKD_NATS"] == ",".join(f"nats://{server}:4222" for server in servers)
        assert name in environment["GJKD_ALLOWED_HOST"].split(",")
        assert f"{name}:8080" in (DEPLOY / "haproxy/cluster.cfg").read_text()
    assert "store_dir: /data\n" in (DEPLOY / "nats/nats.conf").read_text()


def test_nothing_may_more_than_it_must():
    for name, service in {**cluster(), **services()}.items():
        assert service["read_only"] and service["cap_drop"] == ["ALL"], name
        assert "no-new-privileges:true" in service["security_opt"], name
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", [])), name
    for name, service in [*services().items(), *cluster().items()]:
        if name.startswith(("gjkd", "nats")):
            assert "ports" not in service, "clients come through HAProxy"


def test_the_names_are_those_of_the_other_files():
    for file in ("haproxy/haproxy.cfg", "prometheus/prometheus.yml"):
        text = (DEPLOY / file).read_text()
        for name in ("gjkd-1", "gjkd-2"):
            assert f"{name}:8080" in text and name in services()
