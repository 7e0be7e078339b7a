"""`GET /metrics`: who may read it, and what it tells."""

import asyncio
import re
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest
from starlette.applications import Starlette

from masthead import __version__
from masthead.api.monitoring import metrics as monitoring
from masthead.api.monitoring.metrics import Metrics
from masthead.model.errors import Unavailable
from masthead.services.monitoring.state import read_state
from masthead.settings import Settings
from masthead.store.engine.interface import Database
from tests.conftest import Cast, Client, make_account, serving
from tests.support.cases import for_each
from tests.support.factories import make_issue

DAY = 86_400
TOKEN = "t0ken-of-prometheus"


@pytest.fixture
async def watched(database_url: str) -> AsyncIterator[tuple[Starlette, Client]]:
    """A service with metrics, and its client."""
    settings = Settings(database_url=database_url, metrics_token=TOKEN)
    async with serving(settings) as service:
        yield service


async def scrape(client: Client) -> dict[str, float]:
    """All samples, by name and labels."""
    response = await client.get("/metrics", key=TOKEN)
    assert response.status_code == 200
    assert response.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    lines = [line for line in response.text.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}


def requests_of(samples: dict[str, float], operation: str, status: int) -> float:
    labels = f'{{operation="{operation}",status="{status}"}}'
    return samples.get(f"masthead_request_duration_seconds_count{labels}", 0.0)


async def test_without_a_token_in_the_settings_there_are_no_metrics(client: Client) -> None:
    response = await client.get("/metrics", key=TOKEN)
    assert response.status_code == 404
    assert response.json()["code"] == "not_found"


@for_each(
    "headers",
    [{}, {"Authorization": "Bearer wrong"}, {"Authorization": TOKEN}, {"Authorization": "Bearer "}],
)
async def test_metrics_need_the_token(
    watched: tuple[Starlette, Client], headers: dict[str, str]
) -> None:
    response = await watched[1].get("/metrics", headers=headers)
    assert response.status_code == 401
    assert response.headers["WWW-Authenticate"] == "Bearer"
    assert response.content == b""


async def test_requests_are_counted_by_operation_and_status(
    watched: tuple[Starlette, Client],
) -> None:
    app, client = watched
    cast: Cast = await make_account(client, app.state.db, "Acme")
    await make_issue(cast)
    await cast.get("/v1/issues/")
    await client.get("/v1/issues/")
    await client.get("/desk/acme/issues/")
    await client.request("PUT", "/desk/acme/issues/")
    await client.get("/desk/acme/nothing/here")
    await client.get("/docs")
    await client.get("/nowhere")
    await client.get("/health")
    samples = await scrape(client)
    assert requests_of(samples, "create_issue", 201) == 1
    assert requests_of(samples, "list_issues", 200) == 1
    assert requests_of(samples, "list_issues", 401) == 1
    assert requests_of(samples, "GET /desk/{subdomain}/issues/", 303) == 1
    assert requests_of(samples, "documentation", 200) == 1
    assert requests_of(samples, "other", 404) == 1
    assert requests_of(samples, "other", 405) == 1
    assert requests_of(samples, "health", 200) == 1
    assert requests_of(await scrape(client), "metrics", 200) == 1


async def test_metrics_tell_the_state_of_connections_and_writes(
    watched: tuple[Starlette, Client], backend: str
) -> None:
    app, client = watched
    await make_account(client, app.state.db, "Acme")
    samples = await scrape(client)
    assert samples["masthead_database_up"] == 1
    assert samples["masthead_accounts"] >= 1
    assert samples["masthead_workers"] == 1
    [build] = [name for name in samples if name.startswith("masthead_build_info{")]
    assert f'version="{__version__}"' in build
    assert f'database="{backend}"' in build
    for name in ("cpu_seconds_total", "resident_memory_bytes", "open_fds"):
        assert samples[f"masthead_process_{name}"] > 0
    assert samples["masthead_process_open_fds"] < samples["masthead_process_max_fds"]
    assert 0 < time.time() - samples["masthead_process_start_time_seconds"] < DAY
    assert samples["masthead_requests_active"] == 1
    assert samples["masthead_write_queue_length"] == 0
    assert samples["masthead_write_duration_seconds_count"] >= 2
    readers = 'masthead_database_connections{pool="readers",state="'
    assert samples[f'{readers}idle"}}'] + samples[f'{readers}used"}}'] >= 1
    of_sqlite = [name for name in samples if name.startswith("masthead_sqlite_")]
    if backend == "sqlite":
        assert samples["masthead_sqlite_wal_bytes"] > 0
        assert samples["masthead_sqlite_database_bytes"] > 0
        assert samples["masthead_sqlite_disk_free_bytes"] > 0
        assert samples["masthead_sqlite_commits_total"] >= 2
    else:
        assert of_sqlite == []
        assert samples["masthead_database_size_bytes"] > 1_000_000
        assert samples['masthead_database_connections{pool="writers",state="used"}'] == 0
        assert samples['masthead_database_connection_waits_total{pool="readers"}'] == 0


async def test_no_label_names_an_account_or_a_person(watched: tuple[Starlette, Client]) -> None:
    app, client = watched
    cast = await make_account(client, app.state.db, "Acme")
    await cast.get("/v1/me/")
    await client.get(f"/desk/{cast.subdomain}/issues/")
    response = await client.get("/metrics", key=TOKEN)
    assert cast.subdomain not in response.text
    assert set(re.findall(r"[{,](\w+)=", response.text)) <= {
        "by", "database", "le", "operation", "pool", "python", "server", "state", "status",
        "version", "work",
    }  # fmt: skip


async def test_scrapes_share_the_queries(
    watched: tuple[Starlette, Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = 0

    async def count(db: Database) -> object:
        nonlocal reads
        reads += 1
        return await read_state(db)

    monkeypatch.setattr(monitoring, "read_state", count)
    await asyncio.gather(*(scrape(watched[1]) for _ in range(3)))
    await scrape(watched[1])
    assert reads == 1
    monkeypatch.setattr(monitoring, "STATE_SECONDS", -1.0)
    await scrape(watched[1])
    assert reads == 2


async def test_the_numbers_of_the_workers_are_told_while_the_database_is_down(
    watched: tuple[Starlette, Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(_: Database) -> object:
        raise Unavailable

    monkeypatch.setattr(monitoring, "STATE_SECONDS", -1.0)
    assert (await scrape(watched[1]))["masthead_database_up"] == 1
    monkeypatch.setattr(monitoring, "read_state", fail)
    samples = await scrape(watched[1])
    assert samples["masthead_database_up"] == 0
    assert "masthead_accounts" not in samples
    assert samples["masthead_workers"] == 1


async def test_a_busy_database_is_told_by_its_last_state_but_not_for_long(
    watched: tuple[Starlette, Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hang(_: Database) -> object:
        await asyncio.Event().wait()
        raise AssertionError

    await scrape(watched[1])
    monkeypatch.setattr(monitoring, "STATE_SECONDS", -1.0)
    monkeypatch.setattr(monitoring, "WAIT_SECONDS", 0.01)
    monkeypatch.setattr(monitoring, "read_state", hang)
    assert (await scrape(watched[1]))["masthead_database_up"] == 1
    monkeypatch.setattr(monitoring, "STALE_SECONDS", -1.0)
    assert (await scrape(watched[1]))["masthead_database_up"] == 0


async def test_without_requests_for_metrics_nothing_is_read(
    watched: tuple[Starlette, Client],
) -> None:
    metrics: Any = watched[0].state.metrics
    assert isinstance(metrics, Metrics)
    assert metrics._reading is None
