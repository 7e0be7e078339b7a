"""The alert rules and the dashboard in `ops/` use only metrics that masthead has."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from masthead.metrics.process import BUILD
from masthead.metrics.requests import REQUESTS
from masthead.metrics.text import Metric
from masthead.metrics.worker_figures import METRICS as WORKER_METRICS
from masthead.services.monitoring.state_metrics import METRICS as STATE_METRICS
from masthead.store.engine.sqlite.checkpoints import LARGE_BYTES

ROOT = Path(__file__).parents[2]
OPS = ROOT / "ops"
ALL: tuple[Metric, ...] = (BUILD, *STATE_METRICS, *WORKER_METRICS, REQUESTS)
SERIES = {
    name
    for metric in ALL
    for name in (
        [f"{metric.name}{ending}" for ending in ("_bucket", "_sum", "_count")]
        if metric.type == "histogram"
        else [metric.name]
    )
}
OPERATIONS_PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
PROMTOOL = shutil.which("promtool")


def rules() -> list[dict[str, Any]]:
    (group,) = yaml.safe_load((OPS / "alerts.yml").read_text(encoding="utf-8"))["groups"]
    found: list[dict[str, Any]] = group["rules"]
    return found


def expressions() -> Iterator[tuple[str, str]]:
    """The expressions of rules and panels, with their names."""
    for rule in rules():
        yield rule["alert"], rule["expr"]
    for panel in json.loads((OPS / "dashboard.json").read_text(encoding="utf-8"))["panels"]:
        for target in panel.get("targets", ()):
            yield panel["title"], target["expr"]


EXPRESSIONS = list(expressions())


@pytest.mark.parametrize("name, expression", EXPRESSIONS)
def test_an_expression_names_metrics_that_exist(name: str, expression: str) -> None:
    named = set(re.findall(r"\bmasthead_\w+", expression))
    assert named <= SERIES, name
    assert named or re.match(r"up\b", expression)


def test_the_dashboard_shows_every_metric() -> None:
    shown = " ".join(expression for _, expression in EXPRESSIONS)
    assert [metric.name for metric in ALL if metric.name not in shown] == []


def test_every_metric_is_documented_with_its_type() -> None:
    rows = re.findall(r"^\| `(masthead_\w+)` \| (\w+) \|", OPERATIONS_PAGE, re.MULTILINE)
    assert sorted(rows) == sorted((metric.name, metric.type) for metric in ALL)


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: str(rule["alert"]))
def test_an_alert_says_what_to_do(rule: dict[str, Any]) -> None:
    assert rule["labels"]["severity"] in ("critical", "warning", "info")
    assert rule["annotations"].keys() == {"summary", "action"}


def test_the_log_of_sqlite_is_large_for_the_alert_when_masthead_warns() -> None:
    megabytes = LARGE_BYTES // 2**20
    (rule,) = [each for each in rules() if each["alert"] == "MastheadSqliteLogIsLarge"]
    assert rule["expr"] == f"masthead_sqlite_wal_bytes > {megabytes} * 1024 * 1024"
    assert f"{megabytes} MB" in rule["annotations"]["summary"]
    warned = re.findall(r"log\s+is\s+larger\s+than (\d+) MB|warns above (\d+) MB", OPERATIONS_PAGE)
    assert {"".join(each) for each in warned} == {str(megabytes)}


@pytest.mark.skipif(PROMTOOL is None, reason="promtool is not installed")
@pytest.mark.parametrize("words", ["check rules alerts.yml", "test rules alerts_test.yml"])
def test_promtool_accepts_the_rules(words: str) -> None:
    assert PROMTOOL is not None
    ended = subprocess.run(
        [PROMTOOL, *words.split()], cwd=OPS, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
