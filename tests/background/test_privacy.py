"""The background job of privacy: rules of retention once a day, and what erasures left to do."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import time_machine
from structlog.testing import capture_logs

from masthead.background import privacy
from masthead.background.clock import TrustedClock
from masthead.background.lease import HeldLease
from masthead.background.privacy import Privacy
from masthead.model.errors import Busy, Unavailable
from masthead.model.privacy.retention import RetentionKind
from masthead.services.privacy import finish
from masthead.services.privacy.finish import finish_erasures
from masthead.settings import Settings
from masthead.store.dispatch.fingerprints import MARK, list_marked
from masthead.store.engine.sqlite import database
from tests.conftest import Cast, make_account, serving
from tests.services.privacy.test_retention import switch_on
from tests.support.checks import execute
from tests.support.dispatch_files import freeze_run
from tests.support.factories import PLACEHOLDER_DOMAIN, make_issue
from tests.support.privacy import erase, find_traces
from tests.support.subscribers import make_subscriber


@pytest.fixture
async def acme(scratch_url: str) -> AsyncIterator[Cast]:
    """An account of a separate service: other tests move the clock of the shared one."""
    async with serving(Settings(database_url=scratch_url)) as (app, client):
        yield await make_account(client, app.state.db, "Acme")


async def job_of(cast: Cast, *, is_held: bool = True) -> Privacy:
    """A new job, with the lease or without."""
    lease = HeldLease(cast.db, f"privacy-{cast.subdomain}")
    if is_held:
        assert await lease.renew()
    return Privacy(cast.db, lease, TrustedClock(cast.db), PLACEHOLDER_DOMAIN)


async def make_former(cast: Cast) -> str:
    """A subscriber whose only subscription is cancelled."""
    await make_issue(cast)
    id = await make_subscriber(cast, "former@example.test", length=1)
    (row,) = await cast.db.fetch_all(
        "SELECT id FROM subscription WHERE account_id = :id", {"id": cast.account_id}
    )
    await cast.post(f"/v1/subscriptions/{row['id']}/cancel/", {"mode": "cancel"})
    return id


async def test_rules_are_applied_once_a_day_by_who_holds_the_lease(acme: Cast) -> None:
    await make_former(acme)
    await switch_on(acme, RetentionKind.ENDED_SUBSCRIBERS)
    idle = await job_of(acme, is_held=False)
    with capture_logs() as logs, time_machine.travel(datetime(2032, 1, 1, 12, tzinfo=UTC)):
        await idle._apply_rules(datetime(2032, 1, 1, tzinfo=UTC).date())
        assert await find_traces(acme, ["former@"]) != []
    job = await job_of(acme)
    with capture_logs() as logs:
        await job._apply_rules(datetime(2032, 1, 1, tzinfo=UTC).date())
    assert await find_traces(acme, ["former@"]) == []
    (said,) = [each for each in logs if each["event"] == "old data deleted"]
    assert said["ended_subscribers"] == 1
    await job._apply_rules(datetime(2032, 1, 1, tzinfo=UTC).date())  # nothing is left


async def test_what_erasures_left_is_finished(acme: Cast) -> None:
    await erase(acme, await make_former(acme))
    job = await job_of(acme)
    with capture_logs() as logs:
        assert not await job.run_once()
        assert not await job.run_once()
    assert [each["event"] for each in logs].count("erasures finished") == 1


async def test_a_busy_account_is_tried_again_later(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*args: object, **options: object) -> None:
        raise Busy

    job = await job_of(acme)
    monkeypatch.setattr(privacy, "finish_erasures", refuse)
    with capture_logs() as logs:
        await job.run_once()
        await job.run_once()
    assert [each["event"] for each in logs] == ["retention waits"]


@pytest.mark.parametrize("error", [Unavailable("The disk is full"), ValueError("no")])
async def test_a_failed_cleaning_is_tried_again_later(
    acme: Cast, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    attempts = []

    async def fail(*args: object, **options: object) -> None:
        attempts.append(args)
        raise error

    job = await job_of(acme)
    monkeypatch.setattr(privacy, "finish_erasures", fail)
    with pytest.raises(type(error)):
        await job.run_once()
    await job.run_once()
    assert len(attempts) == 1


async def test_a_fingerprint_that_cannot_be_worked_out_is_tried_again_later(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> str:
        raise ValueError("a row that raises")

    await freeze_run(acme, {"last_name": "Lovelace"}, number=2)
    await execute(acme, f"UPDATE dispatch SET fingerprint = '{MARK}1' WHERE {{own}}")  # noqa: S608
    monkeypatch.setattr(finish, "compute_fingerprint", fail)
    job = await job_of(acme)
    with capture_logs() as logs:
        await job.run_once()
        await job.run_once()
    assert [each["event"] for each in logs].count("fingerprints not restored") == 1
    monkeypatch.undo()
    monkeypatch.setattr(job, "_retry_at", 0.0)
    await job.run_once()
    async with acme.db.read() as connection:
        assert await list_marked(connection) == []


async def test_a_large_file_is_rewritten_at_night_only(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    if acme.db.dialect != "sqlite":
        assert acme.db.is_small()
        return
    cleaned = list[Path]()
    monkeypatch.setattr(database, "clean_files", cleaned.append)
    monkeypatch.setattr(database, "SMALL_BYTES", 0)
    await erase(acme, await make_former(acme))
    assert not await finish_erasures(acme.db, is_quiet=False)
    assert not cleaned
    assert await finish_erasures(acme.db, is_quiet=True)
    assert len(cleaned) == 1
