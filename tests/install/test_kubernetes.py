"""The manifests for Kubernetes: valid, restricted, and with what masthead and its image have."""

import re
from typing import Any

import kubernetes_validate
import pytest
import yaml

from masthead.settings import Settings, check_settings
from tests.install.conftest import ROOT

FILE = ROOT / "ops/kubernetes/masthead.yaml"
VERSIONS = ("1.31", "1.37")  # of Kubernetes
DOCUMENTS: list[dict[str, Any]] = list(yaml.safe_load_all(FILE.read_text(encoding="utf-8")))


def of_kind(kind: str) -> dict[str, Any]:
    """The one document of a kind."""
    (found,) = [each for each in DOCUMENTS if each["kind"] == kind]
    return found


PODS = {
    "deployment": of_kind("Deployment")["spec"]["template"]["spec"],
    "backup": of_kind("CronJob")["spec"]["jobTemplate"]["spec"]["template"]["spec"],
}
CONTAINERS = {
    each["name"]: each
    for pod in PODS.values()
    for each in [*pod.get("initContainers", []), *pod["containers"]]
}
each_pod = pytest.mark.parametrize("name", PODS)
each_container = pytest.mark.parametrize("name", CONTAINERS)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("number", range(len(DOCUMENTS)))
def test_each_document_has_the_schema_of_kubernetes(number: int, version: str) -> None:
    kubernetes_validate.validate(DOCUMENTS[number], version, strict=True)


@each_pod
def test_pods_meet_the_restricted_standard(name: str) -> None:
    security = PODS[name]["securityContext"]
    user = re.search(r"^USER (\d+):(\d+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    assert user
    assert (str(security["runAsUser"]), str(security["runAsGroup"])) == user.groups()
    assert security["runAsNonRoot"] is True
    assert security["seccompProfile"] == {"type": "RuntimeDefault"}
    assert PODS[name]["automountServiceAccountToken"] is False


@each_container
def test_containers_are_restricted_and_have_limits(name: str) -> None:
    container = CONTAINERS[name]
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert container["resources"]["limits"]["memory"]
    assert {"/tmp", "/data"} <= {mount["mountPath"] for mount in container["volumeMounts"]}  # noqa: S108 - of the container
    assert container["command"][0] == "masthead"


@each_container
def test_settings_exist_and_are_valid(name: str) -> None:
    (given,) = CONTAINERS[name]["env"]
    assert given["name"] == "MASTHEAD_DATABASE_URL"
    assert given["valueFrom"]["secretKeyRef"]["name"] == "masthead"
    assert CONTAINERS[name]["envFrom"] == [{"configMapRef": {"name": "masthead"}}]
    data = of_kind("ConfigMap")["data"]
    values = {key.removeprefix("MASTHEAD_").lower(): text for key, text in data.items()}
    check_settings(Settings(**values, database_url="postgresql://masthead@db/masthead"))


def test_every_mount_has_its_volume() -> None:
    for pod in PODS.values():
        known = {volume["name"] for volume in pod["volumes"]}
        for container in [*pod.get("initContainers", []), *pod["containers"]]:
            assert {mount["name"] for mount in container["volumeMounts"]} <= known


def test_the_database_is_upgraded_before_a_pod_starts_and_no_request_is_lost() -> None:
    deployment, pod = of_kind("Deployment")["spec"], PODS["deployment"]
    (migrate,) = pod["initContainers"]
    assert migrate["command"] == ["masthead", "migrate"]
    (container,) = pod["containers"]
    assert migrate["image"] == container["image"]
    assert deployment["strategy"]["rollingUpdate"] == {"maxSurge": 1, "maxUnavailable": 0}
    assert deployment["replicas"] > of_kind("PodDisruptionBudget")["spec"]["minAvailable"]
    assert container["readinessProbe"]["httpGet"] == {"path": "/ready", "port": "http"}
    for probe in ("startupProbe", "livenessProbe"):
        assert container[probe]["httpGet"] == {"path": "/health", "port": "http"}
    (port,) = container["ports"]
    assert str(port["containerPort"]) in container["command"]
    (of_service,) = of_kind("Service")["spec"]["ports"]
    assert of_service["targetPort"] == port["name"]


def test_labels_lead_from_services_to_pods() -> None:
    labels = of_kind("Deployment")["spec"]["template"]["metadata"]["labels"]
    assert of_kind("Service")["spec"]["selector"] == labels
    for kind in ("Deployment", "PodDisruptionBudget"):
        assert of_kind(kind)["spec"]["selector"]["matchLabels"] == labels
