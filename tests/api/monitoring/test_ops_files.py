"""The queries of the dashboard and the alert rules find data in what `/metrics` really tells."""

import asyncio
import re
import subprocess
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from masthead.model.clock import now
from masthead.settings import Settings
from masthead.store.background.leases import take_lease
from masthead.store.background.monitoring import write_failed_backup, write_verified_backup
from masthead.store.engine.interface import Transaction
from tests.conftest import make_account, serving
from tests.metrics.test_ops import EXPRESSIONS, PROMTOOL
from tests.support.factories import make_issue
from tests.support.replica import read_url_of

TOKEN = "t0ken-of-prometheus"
SELECTOR = re.compile(r"\b(?:masthead_\w+|up\b)(?:\{[^}]*\})?")
# What only one of the databases has; all else must be found on both
OF_SQLITE, OF_POSTGRESQL = r"masthead_sqlite_", r"masthead_database_(connection_wait|size)"
OF_REPLICA, OF_CITUS = r"masthead_replica_", r"masthead_citus_"
OF_ARCHIVE = r"masthead_log_archive"  # which the server of the tests does not have
TARGET = {"job": "masthead", "instance": "127.0.0.1:8000"}  # which Prometheus adds


async def scrape_of_a_used_masthead(url: str) -> str:
    """The text of `/metrics` after requests, one of which failed, and after background work."""
    async with serving(Settings(database_url=url, metrics_token=TOKEN)) as (app, client):
        acme = await make_account(client, app.state.db, "Acme")
        await make_issue(acme)

        async def work(tx: Transaction) -> None:
            await write_verified_backup(tx, now())
            await write_failed_backup(tx, now())
            for name in ("background", "import 1"):
                await take_lease(tx, name=name, holder="me", duration=timedelta(minutes=1))

        await app.state.db.write(work)
        await acme.get("/v1/issues/")
        router, app.state.router = app.state.router, None
        assert (await acme.get("/v1/issues/")).status_code == 500
        app.state.router = router
        return (await client.get("/metrics", key=TOKEN)).text


def as_series(text: str) -> list[dict[str, str]]:
    """The samples as series of promtool: each grows, so that rates are positive."""
    series = [{"series": f"up{labels_of('')}", "values": "1x60"}]
    for line in text.splitlines():
        if not line.startswith("#"):
            name, labels, value = re.fullmatch(r"(\w+)(?:\{(.*)\})? (\S+)", line).groups()  # type: ignore[union-attr]
            values = f"{max(float(value), 1.0)}+1x60"
            series.append({"series": f"{name}{labels_of(labels or '')}", "values": values})
    return series


def labels_of(labels: str) -> str:
    own = [f'{name}="{value}"' for name, value in TARGET.items()]
    return "{" + ",".join([*own, labels] if labels else own) + "}"


def queries(backend: str, *, has_replica: bool) -> list[str]:
    """The queries of the dashboard, and each selector of a series in them and in the rules."""
    missing = [OF_POSTGRESQL, OF_REPLICA] if backend == "sqlite" else [OF_SQLITE]
    missing += [OF_CITUS, OF_ARCHIVE, *([] if has_replica else [OF_REPLICA])]
    found = {each for _, text in EXPRESSIONS for each in SELECTOR.findall(text)}
    found |= {text for _, text in EXPRESSIONS if "$job" in text}
    return sorted(each for each in found if not re.search("|".join(missing), each))


def evaluate(folder: Path, series: list[dict[str, str]], asked: list[str]) -> str:
    """Ask promtool for data of each query; returns what it says, empty if each has some."""
    assert PROMTOOL is not None
    rules: list[dict[str, Any]] = [
        {
            "alert": f"Query{number}",
            "expr": f"count({query}) > 0".replace("$job", ".+").replace("$__rate_interval", "5m"),
        }
        for number, query in enumerate(asked)
    ]
    tests = [
        {"eval_time": "30m", "alertname": rule["alert"], "exp_alerts": [{"exp_labels": {}}]}
        for rule in rules
    ]
    group = {"groups": [{"name": "queries", "rules": rules}]}
    (folder / "rules.yml").write_text(yaml.safe_dump(group))
    test = {"interval": "1m", "input_series": series, "alert_rule_test": tests}
    whole = {"rule_files": ["rules.yml"], "evaluation_interval": "1m", "tests": [test]}
    (folder / "test.yml").write_text(yaml.safe_dump(whole))
    ended = subprocess.run(
        [PROMTOOL, "test", "rules", "test.yml"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return ended.stdout + ended.stderr if ended.returncode else ""


@pytest.mark.skipif(PROMTOOL is None, reason="promtool is not installed")
async def test_each_query_finds_data_in_the_metrics(
    database_url: str, backend: str, tmp_path: Path
) -> None:
    text = await scrape_of_a_used_masthead(database_url)
    ended = await asyncio.to_thread(
        subprocess.run, ["promtool", "check", "metrics"], input=text, capture_output=True, text=True
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    asked = queries(backend, has_replica=bool(read_url_of(database_url)))
    assert len(asked) > 40
    assert await asyncio.to_thread(evaluate, tmp_path, as_series(text), asked) == ""
    control = ['masthead_lease_age_seconds{work="nothing"}']  # the same test finds what is wrong
    said = await asyncio.to_thread(evaluate, tmp_path, as_series(text), control)
    assert "Query0" in said
