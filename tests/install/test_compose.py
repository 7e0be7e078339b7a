"""The Compose files: what they start, in which order, and what reaches the network."""

import os
import shutil
import subprocess
from ipaddress import ip_network
from typing import Any

import pytest
import yaml

from masthead.settings import Settings, check_settings
from tests.install.conftest import ROOT, run

SQLITE, POSTGRESQL = ("compose.yaml",), ("compose.yaml", "compose.postgresql.yaml")
VARIABLES = {"MASTHEAD_HOST": "masthead.acme.test", "POSTGRESQL_PASSWORD": "0123abcd"}
BOTH = pytest.mark.parametrize("files", [SQLITE, POSTGRESQL], ids=["sqlite", "postgresql"])


def merged(files: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """The services of the files. A later file adds to a service: to each of its mappings."""
    services: dict[str, dict[str, Any]] = {}
    for name in files:
        text = (ROOT / name).read_text(encoding="utf-8")
        for variable, value in VARIABLES.items():
            for form in (
                f"${{{variable}:?the name of your server}}",
                f"${{{variable}:?a password}}",
            ):
                text = text.replace(form, value)
            text = text.replace(f"${{{variable}:?}}", value)
        assert "${" not in text
        for service, given in yaml.safe_load(text)["services"].items():
            known = services.setdefault(service, {})
            for key, value in given.items():
                known[key] = known[key] | value if isinstance(known.get(key), dict) else value
    return services


@BOTH
def test_only_the_proxy_can_be_reached(files: tuple[str, ...]) -> None:
    services = merged(files)
    assert [name for name, each in services.items() if "ports" in each] == ["caddy"]
    assert services["caddy"]["ports"] == ["80:80", "443:443", "443:443/udp"]
    command = services["caddy"]["command"]
    assert command[command.index("--from") + 1] == VARIABLES["MASTHEAD_HOST"]
    assert command[command.index("--to") + 1] == "masthead:8000"


@BOTH
def test_masthead_runs_as_in_the_image_and_with_valid_settings(files: tuple[str, ...]) -> None:
    for name in ("masthead", "migrate"):
        service = merged(files)[name]
        assert service["image"] == "masthead"
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["volumes"] == ["data:/data", "temporary:/tmp"]
        assert service["command"][0] == "masthead"
        given = {
            key.removeprefix("MASTHEAD_").lower(): text
            for key, text in service["environment"].items()
        }
        settings = Settings(**given)
        check_settings(settings)
        assert settings.public_url == "https://masthead.acme.test"
        assert settings.database_url.startswith(
            "sqlite:////data/" if files == SQLITE else "postgresql://masthead:0123abcd@postgresql/"
        )
        assert all(
            ip_network(part.strip()).is_private for part in settings.trusted_proxies.split(",")
        )
    assert "8000" in merged(files)["masthead"]["command"]


@BOTH
def test_the_database_is_upgraded_before_masthead_starts(files: tuple[str, ...]) -> None:
    services = merged(files)
    assert services["migrate"]["command"] == ["masthead", "migrate"]
    assert services["migrate"]["restart"] == "no"
    assert services["masthead"]["depends_on"]["migrate"] == {
        "condition": "service_completed_successfully"
    }
    assert services["caddy"]["depends_on"]["masthead"] == {"condition": "service_healthy"}
    if files == POSTGRESQL:
        assert services["migrate"]["depends_on"]["postgresql"] == {"condition": "service_healthy"}
    for name, each in services.items():
        assert each["restart"] == ("no" if name == "migrate" else "unless-stopped")


@BOTH
def test_data_is_in_named_volumes(files: tuple[str, ...]) -> None:
    documents = [yaml.safe_load((ROOT / name).read_text(encoding="utf-8")) for name in files]
    declared = {name for each in documents for name in each["volumes"]}
    used = {line.split(":")[0] for each in merged(files).values() for line in each["volumes"]}
    assert used == declared


def has_compose() -> bool:
    """Whether Docker's Compose is here; it needs no engine to check files."""
    if not shutil.which("docker"):
        return False
    told = subprocess.run(["docker", "compose", "version"], check=False, capture_output=True)
    return told.returncode == 0


@pytest.mark.skipif(not has_compose(), reason="needs Docker Compose")
@BOTH
def test_compose_accepts_the_files(files: tuple[str, ...]) -> None:
    options = [word for name in files for word in ("--file", name)]
    run("docker", "compose", *options, "config", "--quiet", folder=ROOT, **VARIABLES)
    with pytest.raises(AssertionError, match="the name of your server"):
        run("docker", "compose", *options, "config", folder=ROOT, PATH=os.environ["PATH"])
