"""The Kubernetes manifests against the types of the API, and against each other."""

import re

import pytest
import yaml

from tools import DEPLOY

models = pytest.importorskip("kubernetes.client.models")
FOLDER = DEPLOY / "kubernetes"
FILES = sorted(FOLDER.glob("*.yaml"))
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
        assert {"apps": "Deployment", "": "Service", "policy": "PodDisruptionBudget",
                "networking.k8s.io": "NetworkPolicy"}[group] == document["kind"]
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


def test_all_four_are_there():
    assert [file.stem for file in FILES] == ["deployment", "networkpolicy",
                                             "poddisruptionbudget", "service"]


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
