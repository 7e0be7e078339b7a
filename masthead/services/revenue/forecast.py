"""Deferred revenue as it is expected at the end of a day. Unlike statements, it is not stored."""

from collections import Counter
from collections.abc import Sequence
from datetime import date

from msgspec import Struct

from masthead.model.revenue.statement_figures import StatementFigures
from masthead.model.subscriptions.lifecycle import is_released
from masthead.services.revenue.statements import work_out
from masthead.store.engine.interface import Connection
from masthead.store.issues.records import find_current
from masthead.store.revenue.order_states import ScheduledIssue, list_scheduled_issues


class ExpectedFigures(Struct, frozen=True, kw_only=True):
    """The figures that are expected on a day.

    planned: the issues that count as sent on their release date, from today until that day; none
    if that day is today or past. overdue: issues that are out, and of which copies are still owed,
    with the number of copies. They count as owed, as in a statement.
    """

    figures: StatementFigures
    planned: Sequence[ScheduledIssue]
    overdue: Sequence[tuple[ScheduledIssue, int]]


async def expect_figures(
    db: Connection, account_id: int, day: date, *, today: date, only_paid: bool = False
) -> ExpectedFigures:
    """The figures of a day if nothing is ordered, paid back or cancelled until then.

    On a day that is not to come, nothing is expected: the figures are those that a statement has.
    only_paid: without orders whose invoice is not paid by that day. Queries: one for 1,000 orders.
    """
    issues = await list_scheduled_issues(db, account_id)
    planned = [
        each
        for each in issues
        if day > today and each.release_date and today <= each.release_date <= day
    ]
    figures = await work_out(
        db,
        account_id,
        day,
        expected=frozenset(each.number for each in planned),
        only_paid=only_paid,
    )
    owed = Counter[int]()
    for each in figures.currencies:
        for issue in each.owed_issues:
            owed[issue.number] += issue.unsent
    until = min(day, today)
    current = await find_current(db, account_id, until)
    overdue = [
        (each, owed[each.number])
        for each in issues
        if owed[each.number]
        and is_released(
            each.release_date,
            number=each.number,
            day=until,
            current=current.number if current else None,
        )
    ]
    return ExpectedFigures(figures=figures, planned=planned, overdue=overdue)
