"""Old events are deleted, and what stays has no gaps."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest
from structlog.testing import capture_logs

from masthead.background import cleanup
from masthead.background.cleanup import Cleanup
from masthead.background.clock import TrustedClock
from masthead.services.identity import sign_in
from masthead.store.events import log
from tests.conftest import Cast, make_account
from tests.support.checks import execute
from tests.support.events import list_events
from tests.support.factories import make_issues
from tests.support.own_service import open_own_service


@pytest.fixture
async def own(scratch_url: str) -> AsyncIterator[Cast]:
    """An account of a database of its own: other tests let passes of years ahead run."""
    async with open_own_service(scratch_url) as opened:
        yield await make_account(opened.cast.client, opened.cast.db, "Own")


async def age(cast: Cast, condition: str, *, days: int = 31) -> None:
    """Let events have happened some days ago."""
    moment = datetime.now(UTC) - timedelta(days=days)
    sql = f"UPDATE event SET happened_at = :moment WHERE {{own}} AND {condition}"  # noqa: S608 - ours
    await execute(cast, sql, moment=moment)


async def clean(cast: Cast, days: int = 30) -> list[int]:
    """Do the hourly work once; the numbers of the events that stay."""
    await Cleanup(cast.db, TrustedClock(cast.db), event_days=days).run_once()
    return [each["number"] for each in await list_events(cast)]


async def test_old_events_are_deleted_and_newer_ones_stay(own: Cast) -> None:
    rival = await make_account(own.client, own.db, "Rival")
    await make_issues(own, 1, 3)
    await make_issues(rival, 1, 1)
    await age(own, "number <= 2")
    assert (await clean(own), await clean(rival)) == ([3], [1])
    await age(own, "number = 3")
    assert await clean(own, days=32) == [3]
    assert await clean(own) == []


async def test_a_step_of_the_cleanup_that_fails_keeps_none_after_it(
    own: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail_at_once(*_: object) -> None:
        raise ValueError("a row that raises")

    async def fail(*_: object, **__: object) -> None:
        fail_at_once()

    await make_issues(own, 1, 1)
    await age(own, "number = 1")
    monkeypatch.setattr(type(own.db), "restore_statistics", fail)
    monkeypatch.setattr(cleanup, "delete_abandoned", fail_at_once)
    monkeypatch.setattr(sign_in, "purge", fail)
    for name in ("delete_unused", "delete_old_archives", "list_accounts_with_old_keys"):
        monkeypatch.setattr(cleanup, name, fail)
    with capture_logs() as logs:
        assert await clean(own) == []
    assert [each["step"] for each in logs] == [
        *("delete_files", "delete_sign_ins", "delete_uploads"),
        *("delete_exports", "delete_old_keys", "restore_statistics"),
    ]


async def test_what_stays_has_no_gap_if_the_clock_was_set_back(own: Cast) -> None:
    await make_issues(own, 1, 3)
    await age(own, "number <> 2")
    assert await clean(own) == [2, 3]


async def test_many_events_are_deleted_in_several_transactions(
    own: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "DELETED_AT_ONCE", 2)
    await make_issues(own, 1, 5)
    await age(own, "true")
    assert await clean(own) == []
