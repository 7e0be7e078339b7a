"""Each invariant of events is broken by a statement, and `check` reports the event."""

from masthead.store.check.rows import EVENT_INVARIANTS
from tests.conftest import Cast
from tests.support.checks import faults, faults_after
from tests.support.factories import make_issues

GAP = "the numbers of events have no gaps"
LAST = "the last event has the number that its account counts"

BREAKS = [
    (GAP, "DELETE FROM event WHERE {own} AND number = 2", "3"),
    (LAST, "UPDATE account_state SET last_event = 4 WHERE {own}", "4"),
    (LAST, "UPDATE account_state SET last_event = 2 WHERE {own}", "2"),
]


async def test_check_finds_a_missing_event(acme: Cast) -> None:
    await make_issues(acme, 1, 3)
    assert await faults(acme) == []
    for invariant, sql, culprit in BREAKS:
        assert await faults_after(acme, sql) == [(invariant, culprit)]
    assert {invariant for invariant, _, _ in BREAKS} == set(EVENT_INVARIANTS)


async def test_deleted_old_events_break_nothing(acme: Cast) -> None:
    await make_issues(acme, 1, 3)
    assert await faults_after(acme, "DELETE FROM event WHERE {own} AND number < 3") == []
    assert await faults_after(acme, "DELETE FROM event WHERE {own}") == []
