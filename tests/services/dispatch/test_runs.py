"""Freezing, marking, undoing and discarding a dispatch run."""

from datetime import date

import pytest

from masthead.model.dispatch.runs import Dispatch, DispatchSelection, DispatchStatus, LineStatus
from masthead.model.errors import Invalid
from masthead.services.dispatch import runs as service
from masthead.store.dispatch import lines
from tests.conftest import BY, Cast
from tests.support.factories import copies_of, make_issue, make_subscription

DAY = date(2026, 5, 3)
ALL = DispatchSelection()


async def freeze(cast: Cast, issue_id: str, selection: DispatchSelection = ALL) -> Dispatch:
    return await service.freeze_dispatch(cast.db, cast.account_id, issue_id, selection, by=BY)


async def test_a_copy_added_after_the_freeze_is_not_marked_but_in_the_next_run(
    acme: Cast, rival: Cast
) -> None:
    issue = await make_issue(acme)
    await make_issue(rival)
    early = await make_subscription(acme)
    await make_subscription(rival)
    run = await freeze(acme, issue["id"])
    assert (run.number, run.lines, run.status) == (1, 1, DispatchStatus.FROZEN)
    late = await make_subscription(acme)
    run, marked, _completed = await service.mark_dispatch(
        acme.db, acme.account_id, run.id, DAY, by=BY
    )
    assert (marked, run.status, run.date_sent) == (1, DispatchStatus.MARKED, DAY)
    (sent,) = [copy for copy in await copies_of(acme, early["id"]) if copy["issue"]["number"] == 1]
    assert (sent["status"], sent["date_sent"]) == ("Sent", "2026-05-03")
    (owed,) = [copy for copy in await copies_of(acme, late["id"]) if copy["issue"]["number"] == 1]
    assert owed["status"] == "Not sent"
    after = await freeze(acme, issue["id"])
    assert (after.number, after.lines) == (2, 1)
    (line,) = await lines.list_lines(acme.db, acme.account_id, after.id, after=0, limit=9)
    assert (line.copy_id, line.status) == (owed["id"], LineStatus.IN_RUN)


async def test_undo_makes_the_run_frozen_and_its_copies_unsent_again(acme: Cast) -> None:
    issue = await make_issue(acme)
    made = await make_subscription(acme, length=1)
    run = await freeze(acme, issue["id"])
    await service.mark_dispatch(acme.db, acme.account_id, run.id, DAY, by=BY)
    got = (await acme.get(f"/v1/subscriptions/{made['id']}/")).json()
    assert got["status"] == "Complete"
    run, undone = await service.undo_dispatch(acme.db, acme.account_id, run.id, by=BY)
    assert (undone, run.status, run.date_sent) == (1, DispatchStatus.FROZEN, None)
    got = (await acme.get(f"/v1/subscriptions/{made['id']}/")).json()
    assert (got["status"], got["periods"][0]["is_complete"]) == ("Active", False)
    with pytest.raises(Invalid, match="nothing to undo"):
        await service.undo_dispatch(acme.db, acme.account_id, run.id, by=BY)
    _, marked, _ = await service.mark_dispatch(acme.db, acme.account_id, run.id, None, by=BY)
    assert marked == 1


async def test_a_discarded_run_frees_its_copies(acme: Cast) -> None:
    issue = await make_issue(acme)
    await make_subscription(acme)
    run = await freeze(acme, issue["id"])
    with pytest.raises(Invalid, match="1 copy is in dispatch 1, which is prepared"):
        await freeze(acme, issue["id"])
    run = await service.discard_dispatch(acme.db, acme.account_id, run.id, by=BY)
    assert run.status is DispatchStatus.DISCARDED
    with pytest.raises(Invalid, match="was discarded"):
        await service.mark_dispatch(acme.db, acme.account_id, run.id, DAY, by=BY)
    assert (await freeze(acme, issue["id"])).number == 2


async def test_copies_marked_or_cancelled_outside_the_run_leave_it(acme: Cast) -> None:
    issue = await make_issue(acme)
    marked, cancelled, kept = [await make_subscription(acme) for _ in range(3)]
    run = await freeze(acme, issue["id"])
    (copy,) = await copies_of(acme, marked["id"])
    await acme.post("/v1/copies/mark-sent/", {"ids": [copy["id"]], "date": "2026-05-01"})
    await acme.post(f"/v1/subscriptions/{cancelled['id']}/cancel/", {"mode": "cancel"})
    found = await lines.list_lines(acme.db, acme.account_id, run.id, after=0, limit=9)
    states = {line.subscription_id: (line.status.value, line.left_reason) for line in found}
    assert states == {
        marked["id"]: ("left", "marked"),
        cancelled["id"]: ("left", "cancelled"),
        kept["id"]: ("held", None),
    }
    _, count, _completed = await service.mark_dispatch(acme.db, acme.account_id, run.id, DAY, by=BY)
    assert count == 1
