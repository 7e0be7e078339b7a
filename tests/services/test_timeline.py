"""The timeline of a subscriber, from data that the API and imports created."""

from collections.abc import Sequence
from datetime import date
from typing import Any

import pytest

from masthead.model.actors import Actor
from masthead.model.claims.inputs import ClaimCreate
from masthead.model.claims.rules import ClaimReason
from masthead.model.dispatch.runs import DispatchSelection
from masthead.model.ids import LAST_NUMBER
from masthead.model.inputs import SubscriptionUpdate
from masthead.model.timeline.codes import WhyCode
from masthead.model.timeline.summaries import EndReason
from masthead.model.types.enums import CancelMode
from masthead.services import timeline
from masthead.services.claims import records as claims
from masthead.services.dispatch import runs
from masthead.services.subscriptions.cancel import cancel_subscription
from masthead.services.subscriptions.update import update_subscription
from masthead.services.timeline import History, Timeline, get_timeline, list_events, list_events_of
from masthead.store.engine.interface import Connection, Parameters, Row
from tests.conftest import BY, Cast
from tests.support.factories import (
    copies_of,
    import_row,
    make_issue,
    make_issues,
    make_membership,
    make_subscription,
)

TODAY = date(2026, 6, 30)
ADA = {"email": "ada@example.test"}


async def owner_of(cast: Cast) -> Actor:
    """The account's owner, as the author of changes."""
    async with cast.db.read() as connection:
        row = await connection.fetch_one(
            "SELECT id FROM app_user WHERE email = :email", {"email": cast.owner}
        )
    assert row is not None
    return Actor(kind="user", id=row["id"])


async def timeline_of(cast: Cast, made: dict[str, Any], **window: int) -> Timeline:
    """The timeline of the subscriber of a subscription."""
    subscriber_id = made["subscriber"]["id"]
    async with cast.db.read(aside=True) as connection:
        return await get_timeline(connection, cast.account_id, subscriber_id, day=TODAY, **window)


async def events_of(cast: Cast, made: dict[str, Any], *, before: int = LAST_NUMBER) -> History:
    """The changes to the subscriptions of the same subscriber."""
    id = made["subscriber"]["id"]
    async with cast.db.read(aside=True) as connection:
        return await list_events_of(connection, cast.account_id, id, before=before)


async def test_the_timeline_has_every_issue_newest_first(acme: Cast) -> None:
    await make_issues(acme, 1, 1)
    await make_issue(acme, 2, release_date_actual="2026-03-01")
    await make_issue(acme, 3, release_date_actual="2026-06-30")
    await make_issue(acme, 4, release_date_actual="2026-09-01")
    made = await make_subscription(acme, start_issue=2, length=3)
    copies = await copies_of(acme, made["id"])
    body = {"ids": [copies[0]["id"]], "date": "2026-03-02"}
    await acme.post("/v1/copies/mark-sent/", body)
    found = await timeline_of(acme, made)
    assert [(each.issue.number, each.deliveries[0].code, each.status) for each in found.issues] == [
        (4, WhyCode.NOT_OUT, "Not sent"),
        (3, WhyCode.WAITING, "Not sent"),
        (2, WhyCode.SENT, "Sent"),
        (1, WhyCode.BEFORE_START, None),
    ]
    copy = found.issues[2].deliveries[0].copy
    assert copy is not None
    assert copy.sent_on == date(2026, 3, 2)
    assert (found.answer, found.older, found.is_partial) == (None, None, False)


async def test_a_cancelled_copy_shows_who_cancelled_it_and_when(acme: Cast) -> None:
    await make_issues(acme, 1, 1)
    made = await make_subscription(acme)
    by = await owner_of(acme)
    await cancel_subscription(acme.db, acme.account_id, made["id"], CancelMode.CANCEL, by=by)
    await make_issue(acme, 2)
    found = await timeline_of(acme, made)
    [later], [first] = (summary.deliveries for summary in found.issues)
    assert later.code is first.code is WhyCode.CANCELLED
    assert (later.status, first.status) == (None, "Cancelled")
    change = first.subscription.cancelled
    assert change is not None
    assert (change.by, change.is_imported) == (acme.owner, False)


async def test_an_imported_cancellation_is_marked_as_imported(acme: Cast) -> None:
    await make_issues(acme, 1, 1)
    made = await import_row(acme, start_issue="1", length="2", status="Cancelled")
    [[delivery]] = [summary.deliveries for summary in (await timeline_of(acme, made)).issues]
    change = delivery.subscription.cancelled
    assert change is not None
    assert (change.by, change.is_imported) == ("masthead tests", True)


async def test_stopped_renewals_show_who_stopped_them(acme: Cast) -> None:
    await make_issues(acme, 1, 2)
    made = await make_subscription(acme, length=1, is_recurring=True)
    await acme.post(f"/v1/subscriptions/{made['id']}/cancel/", {"mode": "stop_renewals"})
    [delivery] = (await timeline_of(acme, made)).issues[0].deliveries
    reason, change = delivery.subscription.end
    assert (delivery.code, reason) == (WhyCode.AFTER_END, EndReason.RENEWALS_STOPPED)
    assert delivery.subscription.last_issue == 1
    assert change is not None
    assert change.by == "API key API key"


async def test_a_renewed_subscription_includes_the_later_issues(acme: Cast) -> None:
    await make_issues(acme, 1, 3)
    made = await make_subscription(acme, length=1, order_id="T-1")
    await import_row(acme, renews="T-1", length="1", sent_issues="2")
    found = await timeline_of(acme, made)
    assert [summary.status for summary in found.issues] == [None, "Sent", "Not sent"]


async def test_the_timeline_includes_memberships(acme: Cast) -> None:
    await make_issue(acme, 1, release_date_actual="2099-05-01")
    await make_issue(acme, 2)
    made = await make_membership(acme)
    found = await timeline_of(acme, made)
    assert [summary.status for summary in found.issues] == [None, "Not sent"]
    assert found.issues[0].deliveries[0].code is WhyCode.NO_RELEASE_DATE


@pytest.mark.parametrize(
    "number, status, name", [(1, "Sent", "Issue 1"), (2, "Not sent", ""), (40, None, "")]
)
async def test_the_user_can_look_up_any_issue_number(
    acme: Cast, number: int, status: str | None, name: str
) -> None:
    await make_issues(acme, 1, 1)
    made = await import_row(acme, start_issue="1", length="2", sent_issues="1")
    answer = (await timeline_of(acme, made, number=number)).answer
    assert answer is not None
    assert (answer.issue.number, answer.status, answer.issue.name) == (number, status, name)


async def test_many_issues_are_paginated(acme: Cast) -> None:
    await make_issues(acme, 1, 5)
    made = await make_subscription(acme, length=5)
    first = await timeline_of(acme, made, limit=3)
    assert ([summary.issue.number for summary in first.issues], first.older) == ([5, 4, 3], 3)
    last = await timeline_of(acme, made, limit=3, before=3)
    assert ([summary.issue.number for summary in last.issues], last.older) == ([2, 1], None)


async def test_the_timeline_says_when_it_leaves_out_old_subscriptions(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timeline, "MAX_SUBSCRIPTIONS", 1)
    await make_issues(acme, 1, 1)
    made = [await make_subscription(acme, **ADA) for _ in range(2)]
    found = await timeline_of(acme, made[0])
    assert found.is_partial
    assert [each.subscription.id for each in found.issues[0].deliveries] == [made[1]["id"]]


async def test_a_subscriber_of_another_account_has_no_timeline(acme: Cast, rival: Cast) -> None:
    for cast in (acme, rival):
        await make_issues(cast, 1, 1)
    made = await make_subscription(rival)
    [summary] = (await timeline_of(acme, made)).issues
    assert summary.deliveries == []
    assert (await events_of(acme, made)).events == []


async def test_changes_show_who_made_them(acme: Cast) -> None:
    await make_issues(acme, 1, 1)
    made = await make_subscription(acme, **ADA)
    change = SubscriptionUpdate(city="Ulm", notes="Neighbour takes it")
    by = await owner_of(acme)
    await update_subscription(acme.db, acme.account_id, made["id"], change, by=by)
    other = await make_subscription(acme, **ADA)
    found = await events_of(acme, made)
    assert [(event.subscription_id, event.what, event.by) for event in found.events] == [
        (other["id"], ["Ordered"], "API key API key"),
        (made["id"], ["Address changed", "Notes changed"], acme.owner),
        (made["id"], ["Ordered"], "API key API key"),
    ]
    assert found.older is None


async def test_changes_include_copies_marked_as_sent(acme: Cast) -> None:
    await make_issues(acme, 7, 8)
    made = await make_subscription(acme, start_issue=7, length=2)
    for copy in await copies_of(acme, made["id"]):
        await acme.post("/v1/copies/mark-sent/", {"ids": [copy["id"]]})
    found = await events_of(acme, made)
    assert [event.what for event in found.events] == [
        ["Complete"],
        ["Copy of issue 8 marked as sent"],
        ["Copy of issue 7 marked as sent"],
        ["Ordered"],
    ]
    assert {event.subscription_id for event in found.events} == {made["id"]}


async def test_many_changes_are_paginated(acme: Cast) -> None:
    await make_issues(acme, 1, 1)
    made = await make_subscription(acme)
    path = f"/v1/subscriptions/{made['id']}/"
    for number in range(25):
        await acme.patch(path, {"city": f"Ulm {number}"})
    first = await events_of(acme, made)
    assert (len(first.events), first.older) == (24, first.events[-1].id)
    last = await events_of(acme, made, before=first.events[-1].id)
    assert [event.what for event in last.events] == [["Address changed"], ["Ordered"]]


class Counted:
    """A connection that counts its statements."""

    def __init__(self, connection: Connection) -> None:
        self._connection, self.dialect, self.statements = connection, connection.dialect, 0

    async def fetch_all(self, sql: str, parameters: Parameters) -> Sequence[Row]:
        self.statements += 1
        return await self._connection.fetch_all(sql, parameters)

    async def fetch_one(self, sql: str, parameters: Parameters) -> Row | None:
        self.statements += 1
        return await self._connection.fetch_one(sql, parameters)


async def test_the_number_of_queries_does_not_grow_with_the_data(acme: Cast) -> None:
    await make_issues(acme, 1, 2)
    made = await make_subscription(acme, **ADA)
    counts = []
    for _ in range(2):
        await acme.post(f"/v1/subscriptions/{made['id']}/cancel/", {"mode": "cancel"})
        async with acme.db.read(aside=True) as connection:
            counted: Any = Counted(connection)
            subscriber_id = made["subscriber"]["id"]
            await get_timeline(counted, acme.account_id, subscriber_id, day=TODAY, number=1)
            await list_events_of(counted, acme.account_id, subscriber_id)
        counts.append(counted.statements)
        await make_issues(acme, 3, 8) if len(counts) == 1 else None
        for _ in range(5):
            made = await make_subscription(acme, **ADA, length=30)
    assert counts[0] == counts[1] <= 15


async def test_the_history_names_the_run_that_sent_a_copy(acme: Cast) -> None:
    issue = await make_issue(acme)
    made = await make_subscription(acme, email="ada@example.test")
    again = await make_subscription(acme, email="ada@example.test")
    everything, day = DispatchSelection(), date(2026, 5, 3)
    run = await runs.freeze_dispatch(acme.db, acme.account_id, issue["id"], everything, by=BY)
    await runs.mark_dispatch(acme.db, acme.account_id, run.id, None, by=BY)
    await runs.undo_dispatch(acme.db, acme.account_id, run.id, by=BY)
    await runs.mark_dispatch(acme.db, acme.account_id, run.id, day, by=BY)
    (copy,) = await copies_of(acme, made["id"])
    body = ClaimCreate(copy=copy["id"], reason=ClaimReason.NEVER_ARRIVED)
    await claims.create_claim(acme.db, acme.account_id, body, by=BY)
    run = await runs.freeze_dispatch(acme.db, acme.account_id, issue["id"], everything, by=BY)
    await runs.mark_dispatch(acme.db, acme.account_id, run.id, day, by=BY)
    async with acme.db.read() as connection:
        found = await list_events(connection, acme.account_id, [made["id"]])
        subscriber = made["subscriber"]["id"]
        both = await list_events_of(connection, acme.account_id, subscriber)
        cut = await list_events(connection, acme.account_id, [made["id"], again["id"]], limit=3)
    assert [line for event in found.events for line in event.what] == [
        "Replacement of issue 1 sent on 2026-05-03 (mailing 2)",
        "Claim for issue 1 recorded",
        "Copy of issue 1 sent on 2026-05-03 (mailing 1)",
        "Copy of issue 1 is no longer marked as sent (mailing 1)",
        "Copy of issue 1 sent (mailing 1)",
        "Ordered",
    ]
    assert {event.by for event in found.events[:5]} == {"masthead tests"}
    sent = [event for event in both.events if "Copy of issue 1 sent (mailing 1)" in event.what]
    assert {event.subscription_id for event in sent} == {made["id"], again["id"]}
    # all lines of a run are on one page
    assert [each.subscription_id for each in cut.events] == [made["id"]] * 3 + [again["id"]]
    assert cut.older == cut.events[-1].id


async def test_the_history_keeps_a_run_whose_date_was_changed_outside(acme: Cast) -> None:
    issue = await make_issue(acme)
    made = await make_subscription(acme)
    everything = DispatchSelection()
    run = await runs.freeze_dispatch(acme.db, acme.account_id, issue["id"], everything, by=BY)
    await runs.mark_dispatch(acme.db, acme.account_id, run.id, date(2026, 5, 3), by=BY)
    (copy,) = await copies_of(acme, made["id"])
    await acme.post("/v1/copies/mark-sent/", {"ids": [copy["id"]], "date": "2026-05-09"})
    async with acme.db.read() as connection:
        found = await list_events(connection, acme.account_id, [made["id"]])
        shown = await list_events(
            connection, acme.account_id, [made["id"]], day=lambda day: f"{day:%d.%m.%Y}"
        )
    assert [line for event in found.events for line in event.what] == [
        "Copy of issue 1 marked as sent",
        "Copy of issue 1 sent on 2026-05-03 (mailing 1)",
        "Ordered",
    ]
    assert shown.events[1].what == ["Copy of issue 1 sent on 03.05.2026 (mailing 1)"]
