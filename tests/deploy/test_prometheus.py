"""Are the metrics, the alert rules and the dashboard what Prometheus takes, and do rules and
dashboard speak of metrics that there are?"""

import json
import re
import socket
import subprocess

import pytest
import yaml

import nats
from daemon import Daemon, run_to_end
from tools import DEPLOY, needs, run

pytestmark = needs("promtool")
PROMETHEUS = DEPLOY / "prometheus"
DASHBOARD = DEPLOY / "grafana" / "gjkd.json"
SPEAK = ["prometheus/alerts.yml", "prometheus/alerts_test.yml", "grafana/gjkd.json"]
NAME = re.compile(r"\b((?:gjkd|process)_[a-z_]+)\b")


@pytest.fixture(scope="module")
def exposition():
    """The metrics of a daemon at which all that has a label has happened."""
    daemon = Daemon("--demo", "--workers", "1")
    point = {"a": {"type": "point"}, "b": {"type": "point"}}
    daemon.ask("/v1/detect", point)
    daemon.get("/nope")
    text = daemon.get("/metrics").text
    daemon.stop()
    return text


@pytest.fixture(scope="module")
def of_a_cluster(tmp_path_factory):
    """The metrics of a node of a cluster."""
    said = run_to_end("--nats", "nats://127.0.0.1", "--cluster", "m", "--check-config").stderr
    if "not available" in said:
        pytest.skip(said.strip())
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    engine = subprocess.Popen([nats.need_server(), "-js", "-sd", tmp_path_factory.mktemp("engine"), "-a",
                               "127.0.0.1", "-p", port], stderr=subprocess.DEVNULL)
    try:
        daemon = Daemon("--nats", f"nats://127.0.0.1:{port}", "--cluster", "m", "--cluster-init")
        text = daemon.get("/metrics").text
        daemon.stop()
        return text
    finally:
        engine.kill()
        engine.wait()


def test_the_metrics_of_a_cluster(of_a_cluster):
    assert run("promtool", "check", "metrics", input=of_a_cluster) == ""
    known = set(re.findall(r"^# TYPE (\S+)", of_a_cluster, re.M))
    for file in SPEAK:
        spoken = set(NAME.findall((DEPLOY / file).read_text()))
        assert {name for name in spoken if name.startswith("gjkd_cluster_")} <= known, file


def test_the_metrics(exposition):
    assert run("promtool", "check", "metrics", input=exposition) == ""


def test_configuration_and_rules():
    run("promtool", "check", "config", "prometheus.yml", cwd=PROMETHEUS)
    run("promtool", "check", "rules", "--lint-fatal", "alerts.yml", cwd=PROMETHEUS)


def test_every_alert_has_been_raised_once():
    run("promtool", "test", "rules", "alerts_test.yml", cwd=PROMETHEUS)
    alerts = {rule["alert"] for group in yaml.safe_load((PROMETHEUS / "alerts.yml").read_text())
              ["groups"] for rule in group["rules"]}
    tests = yaml.safe_load((PROMETHEUS / "alerts_test.yml").read_text())["tests"]
    raised = {case["alertname"] for test in tests for case in test["alert_rule_test"]
              if case.get("exp_alerts")}
    assert alerts == raised
    operations = (DEPLOY / "OPERATIONS.md").read_text()
    assert all(alert in operations for alert in alerts), "the operators' page speaks of each"


def panels():
    return [panel for panel in json.loads(DASHBOARD.read_text())["panels"]
            if panel["type"] != "row"]


def test_the_dashboard(tmp_path):
    """Its queries are parsed as rules, with Grafana's variables filled in."""
    ids = [panel["id"] for panel in panels()]
    assert len(ids) == len(set(ids)) > 10
    queries = [target["expr"] for panel in panels() for target in panel["targets"]]
    rules = [{"record": f"panel:{i}", "expr": query.replace("$__rate_interval", "5m")
              .replace("$instance", ".+")} for i, query in enumerate(queries)]
    assert not any("$" in rule["expr"] for rule in rules)
    file = tmp_path / "dashboard.yml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": rules}]}))
    run("promtool", "check", "rules", file)


@pytest.mark.parametrize("file", SPEAK)
def test_what_they_speak_of_exists(exposition, file):
    known = set(re.findall(r"^# TYPE (\S+)", exposition, re.M))
    for name in set(NAME.findall((DEPLOY / file).read_text())):
        base = re.sub(r"_(bucket|sum|count)$", "", name)
        assert name in known or base in known or name.startswith("gjkd_cluster_"), name
