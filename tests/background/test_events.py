"""Old events are deleted, and what stays has no gaps."""

from datetime import UTC, datetime, timedelta

import pytest

from masthead.background.cleanup import Cleanup
from masthead.background.clock import TrustedClock
from masthead.store.events import log
from tests.conftest import Cast
from tests.support.checks import execute
from tests.support.events import list_events
from tests.support.factories import make_issues


async def age(cast: Cast, condition: str, *, days: int = 31) -> None:
    """Let events have happened some days ago."""
    moment = datetime.now(UTC) - timedelta(days=days)
    sql = f"UPDATE event SET happened_at = :moment WHERE {{own}} AND {condition}"  # noqa: S608 - ours
    await execute(cast, sql, moment=moment)


async def clean(cast: Cast, days: int = 30) -> list[int]:
    """Do the hourly work once; the numbers of the events that stay."""
    await Cleanup(cast.db, TrustedClock(cast.db), event_days=days).run_once()
    return [each["number"] for each in await list_events(cast)]


async def test_old_events_are_deleted_and_newer_ones_stay(acme: Cast, rival: Cast) -> None:
    await make_issues(acme, 1, 3)
    await make_issues(rival, 1, 1)
    await age(acme, "number <= 2")
    assert (await clean(acme), await clean(rival)) == ([3], [1])
    await age(acme, "number = 3")
    assert await clean(acme, days=32) == [3]
    assert await clean(acme) == []


async def test_what_stays_has_no_gap_if_the_clock_was_set_back(acme: Cast) -> None:
    await make_issues(acme, 1, 3)
    await age(acme, "number <> 2")
    assert await clean(acme) == [2, 3]


async def test_many_events_are_deleted_in_several_transactions(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "DELETED_AT_ONCE", 2)
    await make_issues(acme, 1, 5)
    await age(acme, "true")
    assert await clean(acme) == []
