"""The timeline of a subscriber, with data created by the API and by imports."""

from collections.abc import Sequence
from datetime import date
from typing import Any

import pytest

from masthead.model.actors import Actor
from masthead.model.inputs import SubscriptionUpdate
from masthead.model.reports.timeline import Cause, Verdict, Why
from masthead.model.types.enums import CancelMode
from masthead.services import subscriptions
from masthead.services import timeline as service
from masthead.services.timeline import History, Timeline, get_timeline, list_events_of
from masthead.store.engine.interface import Connection, Parameters, Row
from tests.conftest import Cast
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
    """The account's owner as an actor."""
    async with cast.db.read() as connection:
        row = await connection.fetch_one(
            "SELECT id FROM app_user WHERE email = :email", {"email": cast.owner}
        )
    assert row is not None
    return Actor(kind="user", id=row["id"])


async def of(cast: Cast, made: dict[str, Any], **window: int) -> Timeline:
    """The timeline of the subscriber of a subscription."""
    subscriber_id = made["subscriber"]["id"]
    async with cast.db.read(aside=True) as connection:
        return await get_timeline(connection, cast.account_id, subscriber_id, day=TODAY, **window)


async def events_of(cast: Cast, made: dict[str, Any], **window: int) -> History:
    """The events of their subscriptions."""
    async with cast.db.read(aside=True) as connection:
        return await list_events_of(connection, cast.account_id, made["subscriber"]["id"], **window)


async def test_the_timeline_has_every_issue_newest_first(acme: Cast) -> None:
    await make_issues(acme, 1, 1)
    await make_issue(acme, 2, release_date_actual="2026-03-01")
    await make_issue(acme, 3, release_date_actual="2026-06-30")
    await make_issue(acme, 4, release_date_actual="2026-09-01")
    made = await make_subscription(acme, start_issue=2, length=3)
    copies = await copies_of(acme, made["id"])
    body = {"ids": [copies[0]["id"]], "date": "2026-03-02"}
    await acme.post("/v1/copies/mark-sent/", body)
    timeline = await of(acme, made)
    assert [(line.issue.number, line.verdict) for line in timeline.lines] == [
        (4, Verdict.TO_COME),
        (3, Verdict.WAITING),
        (2, Verdict.SENT),
        (1, Verdict.NOT_INCLUDED),
    ]
    assert timeline.lines[2].fates[0].day == date(2026, 3, 2)
    assert timeline.lines[3].fates[0].why is Why.STARTS
    assert (timeline.answer, timeline.older, timeline.is_partial) == (None, None, False)


async def test_a_cancelled_issue_shows_who_cancelled_and_when(acme: Cast) -> None:
    await make_issues(acme, 1, 1)
    made = await make_subscription(acme)
    by = await owner_of(acme)
    await subscriptions.cancel_subscription(
        acme.db, acme.account_id, made["id"], CancelMode.CANCEL, by=by
    )
    await make_issue(acme, 2)
    timeline = await of(acme, made)
    [later], [first] = (line.fates for line in timeline.lines)
    assert (later.why, first.verdict) == (Why.CANCELLED_BEFORE, Verdict.CANCELLED)
    assert later.deed == first.deed
    assert first.deed is not None
    assert (first.deed.by, first.deed.is_stated) == (acme.owner, False)


async def test_an_imported_cancellation_is_marked_as_stated_by_the_import(acme: Cast) -> None:
    await make_issues(acme, 1, 1)
    made = await import_row(acme, start_issue="1", length="2", status="Cancelled")
    [[fate]] = [line.fates for line in (await of(acme, made)).lines]
    assert fate.deed is not None
    assert (fate.deed.by, fate.deed.is_stated) == ("masthead tests", True)


async def test_stopped_renewals_show_who_stopped_them(acme: Cast) -> None:
    await make_issues(acme, 1, 2)
    made = await make_subscription(acme, length=1, is_recurring=True)
    await acme.post(f"/v1/subscriptions/{made['id']}/cancel/", {"mode": "stop_renewals"})
    [fate] = (await of(acme, made)).lines[0].fates
    assert (fate.why, fate.number, fate.cause) == (Why.ENDED, 1, Cause.STOPPED)
    assert fate.deed is not None
    assert fate.deed.by == "the API key API key"


async def test_a_renewed_subscription_has_not_ended(acme: Cast) -> None:
    await make_issues(acme, 1, 3)
    made = await make_subscription(acme, length=1, order_id="T-1")
    await import_row(acme, renews="T-1", length="1", sent_issues="2")
    timeline = await of(acme, made)
    assert [line.verdict for line in timeline.lines] == ["Not included", "Sent", "To come"]


async def test_the_timeline_includes_memberships(acme: Cast) -> None:
    await make_issue(acme, 1, release_date_actual="2099-05-01")
    await make_issue(acme, 2)
    made = await make_membership(acme)
    timeline = await of(acme, made)
    assert [line.verdict for line in timeline.lines] == ["Not included", "To come"]
    assert timeline.lines[0].fates[0].why is Why.UNDATED


@pytest.mark.parametrize(
    "asked, verdict, name",
    [(1, "Sent", "Issue 1"), (2, "To come", ""), (40, "Not included", "")],
)
async def test_the_timeline_answers_for_any_issue_number(
    acme: Cast, asked: int, verdict: str, name: str
) -> None:
    await make_issues(acme, 1, 1)
    made = await import_row(acme, start_issue="1", length="2", sent_issues="1")
    answer = (await of(acme, made, asked=asked)).answer
    assert answer is not None
    assert (answer.issue.number, answer.verdict, answer.issue.name) == (asked, verdict, name)


async def test_many_issues_are_listed_in_pages(acme: Cast) -> None:
    await make_issues(acme, 1, 5)
    made = await make_subscription(acme, length=5)
    first = await of(acme, made, limit=3)
    assert ([line.issue.number for line in first.lines], first.older) == ([5, 4, 3], 3)
    last = await of(acme, made, limit=3, before=3)
    assert ([line.issue.number for line in last.lines], last.older) == ([2, 1], None)


async def test_the_timeline_says_if_not_all_subscriptions_were_read(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "LOOKED_AT", 1)
    await make_issues(acme, 1, 1)
    made = [await make_subscription(acme, **ADA) for _ in range(2)]
    timeline = await of(acme, made[0])
    assert timeline.is_partial
    assert [fate.subscription_id for fate in timeline.lines[0].fates] == [made[1]["id"]]


async def test_a_subscriber_of_another_account_has_an_empty_timeline(
    acme: Cast, rival: Cast
) -> None:
    for cast in (acme, rival):
        await make_issues(cast, 1, 1)
    made = await make_subscription(rival)
    [line] = (await of(acme, made)).lines
    assert line.fates == []
    assert (await events_of(acme, made)).events == []


async def test_events_are_listed_with_their_actors(acme: Cast) -> None:
    await make_issues(acme, 1, 1)
    made = await make_subscription(acme, **ADA)
    change = SubscriptionUpdate(city="Ulm", notes="Neighbour takes it")
    by = await owner_of(acme)
    await subscriptions.update_subscription(acme.db, acme.account_id, made["id"], change, by=by)
    other = await make_subscription(acme, **ADA)
    history = await events_of(acme, made)
    assert [(event.subscription_id, event.what, event.by) for event in history.events] == [
        (other["id"], ["Ordered"], "the API key API key"),
        (made["id"], ["Address changed", "Notes changed"], acme.owner),
        (made["id"], ["Ordered"], "the API key API key"),
    ]
    assert history.older is None


async def test_a_copy_marked_as_sent_is_an_event(acme: Cast) -> None:
    await make_issues(acme, 7, 8)
    made = await make_subscription(acme, start_issue=7, length=2)
    for copy in await copies_of(acme, made["id"]):
        await acme.post("/v1/copies/mark-sent/", {"ids": [copy["id"]]})
    history = await events_of(acme, made)
    assert [event.what for event in history.events] == [
        ["Complete"],
        ["Copy of issue 8 marked as sent"],
        ["Copy of issue 7 marked as sent"],
        ["Ordered"],
    ]
    assert {event.subscription_id for event in history.events} == {made["id"]}


async def test_many_events_are_listed_in_pages(acme: Cast) -> None:
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
    """A connection that counts its queries."""

    def __init__(self, connection: Connection) -> None:
        self._connection, self.dialect, self.statements = connection, connection.dialect, 0

    async def fetch_all(self, sql: str, parameters: Parameters) -> Sequence[Row]:
        self.statements += 1
        return await self._connection.fetch_all(sql, parameters)


async def test_the_number_of_queries_does_not_depend_on_the_data(acme: Cast) -> None:
    await make_issues(acme, 1, 2)
    made = await make_subscription(acme, **ADA)
    counts = []
    for _ in range(2):
        await acme.post(f"/v1/subscriptions/{made['id']}/cancel/", {"mode": "cancel"})
        async with acme.db.read(aside=True) as connection:
            counted: Any = Counted(connection)
            subscriber_id = made["subscriber"]["id"]
            await get_timeline(counted, acme.account_id, subscriber_id, day=TODAY, asked=1)
            await list_events_of(counted, acme.account_id, subscriber_id)
        counts.append(counted.statements)
        await make_issues(acme, 3, 8) if len(counts) == 1 else None
        for _ in range(5):
            made = await make_subscription(acme, **ADA, length=30)
    assert counts[0] == counts[1] <= 12
