"""The Kubernetes manifests against the types of the API, and against each other."""

import re

import pytest
import yaml

from tools import DEPLOY

models = pytest.importorskip("kubernetes.client.models")
FOLDER = DEPLOY / "kubernetes"
FILES = sorted(FOLDER.rglob("*.yaml"))
PRIMITIVES = {"str": str, "int": int, "bool": bool}


def check(value, kind, place):
    """Does a value have the type that the API gives that place? Unknown members do not pass."""
    if match := re.fullmatch(r"list\[(.+)\]", kind):
        assert isinstance(value, list), place
        for i, item in enumerate(value):
            check(item, match[1], f"{place}[{i}]")
    elif match := re.fullmatch(r"dict\(str, (.+)\)", kind):
        assert isinstance(value, dict), place
        for key, item in value.items():
            assert isinstance(key, str), place
            check(item, match[1], f"{place}.{key}")
    elif kind in PRIMITIVES:
        assert type(value) is PRIMITIVES[kind], f"{place}: {value!r} is no {kind}"
    elif kind == "object":  # an int or a text: ports, shares
        assert isinstance(value, (int, str)), place
    else:
        check_model(value, getattr(models, kind), place)


def check_model(value, model, place):
    assert isinstance(value, dict), place
    members = {json: name for name, json in model.attribute_map.items()}
    unknown = value.keys() - members.keys()
    assert not unknown, f"{place}: {model.__name__} has no {unknown}"
    for key, item in value.items():
        check(item, model.openapi_types[members[key]], f"{place}.{key}")
    # The client's own check of what must be there and of enumerations.
    model(**{members[key]: item for key, item in value.items()})


def load(name):
    [document] = list(yaml.safe_load_all((FOLDER / f"{name}.yaml").read_text()))
    return document


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_types(file):
    for document in yaml.safe_load_all(file.read_text()):
        group, _, version = document["apiVersion"].rpartition("/")
        name = version.capitalize() + document["kind"]
        assert document["kind"] in {"apps": ["Deployment", "StatefulSet"], "": ["Service"],
                                    "policy": ["PodDisruptionBudget"],
                                    "networking.k8s.io": ["NetworkPolicy"]}[group]
        check_model(document, getattr(models, name), file.stem)


def test_the_check_of_types_can_fail():
    pod = load("deployment")["spec"]["template"]["spec"]
    for break_it in (lambda p: p["containers"][0].update(imagee="x"),
                     lambda p: p["containers"][0].pop("name"),
                     lambda p: p.update(terminationGracePeriodSeconds="20"),
                     lambda p: p["containers"][0]["ports"][0].pop("containerPort")):
        broken = yaml.safe_load(yaml.safe_dump(pod))
        break_it(broken)
        with pytest.raises((AssertionError, ValueError)):
            check_model(broken, models.V1PodSpec, "pod")


def test_all_are_there():
    assert [str(file.relative_to(FOLDER).with_suffix("")) for file in FILES] == [
        *(f"cluster/{name}" for name in (
            "gjkd-networkpolicy", "gjkd-service", "gjkd", "haproxy-service", "haproxy",
            "nats-networkpolicy", "nats-poddisruptionbudget", "nats-service", "nats")),
        "deployment", "disk/statefulset", "networkpolicy", "poddisruptionbudget", "service"]


def test_the_one_with_a_volume_is_the_other_but_for_that():
    plain, stored = load("deployment")["spec"], load("disk/statefulset")["spec"]
    assert stored["replicas"] == 1 and stored["serviceName"] == load("service")["metadata"]["name"]
    assert stored["selector"] == plain["selector"]
    pods = [spec["template"]["spec"] for spec in (plain, stored)]
    [[a], [b]] = [pod["containers"] for pod in pods]
    [data] = [e for e in b["env"] if e not in a["env"]]
    [mount] = b["volumeMounts"]
    assert data["name"] == "GJKD_DATA_DIR" and data["value"].startswith(mount["mountPath"] + "/")
    assert stored["volumeClaimTemplates"][0]["metadata"]["name"] == mount["name"]
    for member in ("image", "ports", "readinessProbe", "livenessProbe", "securityContext"):
        assert a[member] == b[member]
    security = pods[1]["securityContext"]
    assert security.pop("fsGroup") == security["runAsGroup"]
    assert security == pods[0]["securityContext"]


def pod_of(name):
    spec = load(name)["spec"]["template"]["spec"]
    [container] = spec["containers"]
    return spec, container


def variables(container):
    return {each["name"]: each.get("value") for each in container["env"]}


def test_the_pods_of_a_cluster_find_each_other():
    gjkd, nats, haproxy = (load(f"cluster/{name}") for name in ("gjkd", "nats", "haproxy"))
    servers = [f"nats-{i}.nats" for i in range(nats["spec"]["replicas"])]
    assert nats["spec"]["serviceName"] == load("cluster/nats-service")["metadata"]["name"] == "nats"
    assert variables(pod_of("cluster/gjkd")[1])["GJKD_NATS"] == ",".join(
        f"nats://{server}:4222" for server in servers)
    [routes] = [a for a in pod_of("cluster/nats")[1]["args"] if a.startswith("--routes=")]
    assert routes == "--routes=" + ",".join(f"nats://{server}:6222" for server in servers)
    nodes = load("cluster/gjkd-service")["metadata"]["name"]
    assert gjkd["spec"]["serviceName"] == nodes
    assert list(variables(pod_of("cluster/haproxy")[1]).values()) == [
        f"gjkd-{i}.{nodes}.default.svc.cluster.local:8080" for i in range(gjkd["spec"]["replicas"])]
    host = load("cluster/haproxy-service")["metadata"]["name"]
    assert host in variables(pod_of("cluster/gjkd")[1])["GJKD_ALLOWED_HOST"].split(",")
    for service, of in (("nats-service", nats), ("gjkd-service", gjkd), ("haproxy-service", haproxy)):
        labels = of["spec"]["template"]["metadata"]["labels"]
        assert load(f"cluster/{service}")["spec"]["selector"].items() <= labels.items()
    # Who may send what to whom, from both sides.
    for policy, ports in (("gjkd-networkpolicy", {4222, 53}), ("nats-networkpolicy", {6222, 53})):
        spec = load(f"cluster/{policy}")["spec"]
        assert {port["port"] for rule in spec["egress"] for port in rule["ports"]} == ports
    peers = [peer["podSelector"]["matchLabels"]
             for rule in load("cluster/nats-networkpolicy")["spec"]["ingress"] for peer in rule["from"]]
    assert peers == [{"app.kubernetes.io/name": "gjkd"}, {"app.kubernetes.io/name": "nats"}]


def test_a_pod_of_a_cluster_is_the_single_one_but_for_that():
    (plain, one), (spec, container) = pod_of("deployment"), pod_of("cluster/gjkd")
    for member in ("image", "ports", "readinessProbe", "livenessProbe", "securityContext", "resources"):
        assert container[member] == one[member]
    extra = variables(container).keys() - variables(one).keys()
    assert extra == {"GJKD_NATS", "GJKD_CLUSTER", "GJKD_NODE", "GJKD_TRUSTED_PROXY", "GJKD_CLUSTER_INIT"}
    assert "volumeMounts" not in container, "the log is all there is"
    assert spec["securityContext"] == plain["securityContext"]


@pytest.mark.parametrize("name", ["gjkd", "nats", "haproxy"])
def test_every_pod_of_a_cluster_is_closed(name):
    spec, container = pod_of(f"cluster/{name}")
    assert spec["securityContext"]["runAsNonRoot"] and not spec["automountServiceAccountToken"]
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert container["securityContext"]["readOnlyRootFilesystem"]
    ports = {port["name"] for port in container["ports"]}
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert container.get(probe, {"httpGet": {"port": "http"}})["httpGet"]["port"] in ports


def test_they_speak_of_the_same_pods():
    labels = load("deployment")["spec"]["template"]["metadata"]["labels"]
    for selector in (load("deployment")["spec"]["selector"]["matchLabels"],
                     load("service")["spec"]["selector"],
                     load("poddisruptionbudget")["spec"]["selector"]["matchLabels"],
                     load("networkpolicy")["spec"]["podSelector"]["matchLabels"]):
        assert selector.items() <= labels.items()
    [container] = load("deployment")["spec"]["template"]["spec"]["containers"]
    ports = {port["name"] for port in container["ports"]}
    assert {port["targetPort"] for port in load("service")["spec"]["ports"]} <= ports
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert container[probe]["httpGet"]["port"] in ports


def test_the_pod_is_closed_and_given_the_time_to_drain():
    pod = load("deployment")["spec"]["template"]["spec"]
    [container] = pod["containers"]
    assert pod["securityContext"]["runAsNonRoot"] and not pod["automountServiceAccountToken"]
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]}}
    drain_s = 10  # --drain-timeout's default
    assert pod["terminationGracePeriodSeconds"] > drain_s
    environment = {variable["name"]: variable["value"] for variable in container["env"]}
    assert 2 < float(environment["GJKD_DRAIN_DELAY"].removesuffix("s")) <= drain_s / 2
