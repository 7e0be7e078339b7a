"""Undo the marking of a run, after things have changed since."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
import time_machine

from masthead.model.dispatch.runs import Dispatch, DispatchSelection, DispatchStatus, LineStatus
from masthead.model.errors import Invalid
from masthead.services.check.accounts import check_account
from masthead.services.dispatch import runs
from masthead.store.dispatch import lines, runs as store
from masthead.store.engine.interface import Transaction
from masthead.store.returns import shipped
from tests.conftest import BY, Cast
from tests.support.factories import (
    copies_of,
    import_row,
    make_issue,
    make_membership,
    make_subscription,
)

DAY, SHIPPED = date(2026, 5, 3), date(2026, 5, 2)


async def freeze(cast: Cast, issue: dict[str, Any]) -> Dispatch:
    everything = DispatchSelection()
    return await runs.freeze_dispatch(cast.db, cast.account_id, issue["id"], everything, by=BY)


async def mark(cast: Cast, run: Dispatch) -> int:
    return (await runs.mark_dispatch(cast.db, cast.account_id, run.id, DAY, by=BY))[1]


async def undo(cast: Cast, run: Dispatch) -> int:
    return (await runs.undo_dispatch(cast.db, cast.account_id, run.id, by=BY))[1]


async def ship(cast: Cast, line_id: int) -> None:
    """Report a line as shipped."""

    async def work(tx: Transaction) -> None:
        await shipped.ship_lines(tx, cast.account_id, [line_id], SHIPPED)

    await cast.db.write(work, account_id=cast.account_id)


async def require_consistent(cast: Cast) -> None:
    faults = [fault async for fault in check_account(cast.db, cast.subdomain)]
    assert faults == []


async def shown(cast: Cast, made: dict[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = (await cast.get(f"/v1/subscriptions/{made['id']}/")).json()
    return answer


async def test_undo_restores_the_statuses_that_marking_changed(acme: Cast) -> None:
    issue = await make_issue(acme, release_date_actual="2099-06-01")
    last = await make_subscription(acme, length=1, email="ada@example.test")
    longer = await make_subscription(acme, length=2)
    stopped = await import_row(
        acme, start_issue="1", length="1", is_recurring="yes", status="Active - Renewals stopped"
    )
    member = await make_membership(acme)
    before = [await shown(acme, each) for each in (last, longer, stopped, member)]
    subscribers = [(await acme.get(f"/v1/subscribers/{last['subscriber']['id']}/")).json()]
    run = await freeze(acme, issue)
    assert await mark(acme, run) == 4
    marked = [(await shown(acme, each))["status"] for each in (last, longer, stopped, member)]
    assert marked == ["Complete", "Active", "Complete", "Active"]
    await require_consistent(acme)
    assert await undo(acme, run) == 4
    assert [await shown(acme, each) for each in (last, longer, stopped, member)] == before
    assert [(await acme.get(f"/v1/subscribers/{last['subscriber']['id']}/")).json()] == subscribers
    await require_consistent(acme)


async def test_a_copy_whose_subscription_was_cancelled_meanwhile_leaves_the_run(acme: Cast) -> None:
    issue = await make_issue(acme)
    made = await make_subscription(acme)
    await make_subscription(acme)
    run = await freeze(acme, issue)
    await mark(acme, run)
    await acme.post(f"/v1/subscriptions/{made['id']}/cancel/", {"mode": "cancel"})
    assert [copy["status"] for copy in await copies_of(acme, made["id"])] == ["Sent"]
    await undo(acme, run)
    assert [copy["status"] for copy in await copies_of(acme, made["id"])] == ["Cancelled"]
    await require_consistent(acme)
    assert await mark(acme, run) == 1


async def test_a_copy_with_another_date_stays_sent(acme: Cast) -> None:
    issue = await make_issue(acme)
    made = await make_subscription(acme)
    await make_subscription(acme)
    run = await freeze(acme, issue)
    await mark(acme, run)
    (copy,) = await copies_of(acme, made["id"])
    await acme.post("/v1/copies/mark-sent/", {"ids": [copy["id"]], "date": "2026-05-09"})
    assert await undo(acme, run) == 1
    (copy,) = await copies_of(acme, made["id"])
    assert (copy["status"], copy["date_sent"]) == ("Sent", "2026-05-09")
    await require_consistent(acme)


async def test_shipped_copies_stay_sent_on_the_date_of_the_carrier(acme: Cast) -> None:
    issue = await make_issue(acme)
    for _ in range(2):
        await make_subscription(acme)
    run = await freeze(acme, issue)
    await mark(acme, run)
    await ship(acme, run.first_line)
    assert await undo(acme, run) == 1
    found = await lines.list_lines(acme.db, acme.account_id, run.id, after=0, limit=9)
    assert [line.status for line in found] == [LineStatus.SENT, LineStatus.IN_RUN]
    (copy,) = await copies_of(acme, found[0].subscription_id)
    assert (copy["status"], copy["date_sent"]) == ("Sent", "2026-05-02")
    await require_consistent(acme)
    with pytest.raises(Invalid, match="reported copies"):
        await runs.discard_dispatch(acme.db, acme.account_id, run.id, by=BY)
    assert await mark(acme, run) == 1
    await require_consistent(acme)


async def test_a_run_whose_copies_were_all_shipped_cannot_be_undone(acme: Cast) -> None:
    issue = await make_issue(acme)
    await make_subscription(acme)
    run = await freeze(acme, issue)
    await ship(acme, run.first_line)
    assert await mark(acme, run) == 0
    await require_consistent(acme)
    with pytest.raises(Invalid, match="reported them as shipped"):
        await undo(acme, run)
    await require_consistent(acme)


async def test_undo_is_possible_for_a_day_or_until_another_run_is_marked(acme: Cast) -> None:
    issue = await make_issue(acme)
    await make_subscription(acme)
    first = await freeze(acme, issue)
    await make_subscription(acme)
    second = await freeze(acme, issue)
    begun = datetime.now(UTC)
    await mark(acme, second)
    with time_machine.travel(begun + timedelta(days=3), tick=False):
        await undo(acme, second)  # no other run was marked
        await mark(acme, second)
    with time_machine.travel(begun + timedelta(days=4), tick=False):
        await mark(acme, first)
    with time_machine.travel(begun + timedelta(days=3, hours=23), tick=False):
        assert await undo(acme, second) == 1  # within a day
        await mark(acme, second)
    with time_machine.travel(begun + timedelta(days=6), tick=False):
        with pytest.raises(Invalid, match="another dispatch of the issue was marked"):
            await undo(acme, second)
        assert await undo(acme, first) == 1  # marked last, whatever its number
        assert await undo(acme, second) == 1  # now marked last
    found = await runs_of(acme, first, second)
    assert {run.status for run in found} == {DispatchStatus.FROZEN}


async def runs_of(cast: Cast, *found: Dispatch) -> list[Dispatch]:
    return [await store.get_dispatch(cast.db, cast.account_id, run.id) for run in found]


async def test_a_date_far_in_the_future_is_refused(acme: Cast) -> None:
    issue = await make_issue(acme)
    await make_subscription(acme)
    run = await freeze(acme, issue)
    with pytest.raises(Invalid, match="too far in the future: more than 31 days ahead"):
        await runs.mark_dispatch(acme.db, acme.account_id, run.id, date(2199, 1, 1), by=BY)
