"""What events show: the records as their change left them, and nothing of the erased."""

from typing import Any

import pytest

from masthead.model.events.types import PublicEventType
from masthead.services.copies import mark_copies_sent
from masthead.store.events import sent_copies
from tests.conftest import BY, Cast
from tests.support.events import last_event, list_events
from tests.support.factories import (
    copies_of,
    make_claim,
    make_dispatch,
    make_issue,
    make_issues,
    make_subscription,
)
from tests.support.privacy import erase
from tests.support.statement_counter import StatementCounter
from tests.support.subscribers import make_gift
from tests.support.walk import walk

SUBSCRIPTIONS = "/v1/subscriptions/"


async def order_one(cast: Cast, **fields: object) -> dict[str, Any]:
    """A new subscription that begins with the first issue."""
    await make_issue(cast)
    return await make_subscription(cast, **fields)


async def test_an_order_is_the_events_of_its_subscriber_and_its_subscription(acme: Cast) -> None:
    made = await order_one(acme)
    created, ordered = (await list_events(acme))[1:]
    assert (created["type"], ordered["type"]) == ("subscriber.created", "subscription.created")
    assert ordered["data"] == made
    subscriber = await acme.get(f"/v1/subscribers/{made['subscriber']['id']}/")
    assert created["data"] == subscriber.json()
    assert ordered["record"] == {"type": "subscription", "id": made["id"]}
    assert (created["number"], ordered["number"]) == (2, 3)
    assert ordered["id"] == created["id"] + 1


async def test_each_event_shows_the_record_as_its_change_left_it(acme: Cast) -> None:
    path = f"{SUBSCRIPTIONS}{(await order_one(acme))['id']}/"
    shown = [(await acme.patch(path, {"city": city})).json() for city in ("Rome", "Oslo")]
    updated = await list_events(acme, type=PublicEventType.SUBSCRIPTION_UPDATED)
    assert [each["data"] for each in updated] == shown


async def test_what_changes_nothing_is_no_event(acme: Cast) -> None:
    id = (await order_one(acme))["id"]
    before = await list_events(acme)
    await acme.patch(f"{SUBSCRIPTIONS}{id}/", {"notes": None})
    refused = await acme.post(f"{SUBSCRIPTIONS}{id}/cancel/", {"mode": "stop_renewals"})
    assert refused.status_code == 400
    assert await list_events(acme) == before


async def test_sent_copies_are_one_event_and_complete_their_subscriptions(acme: Cast) -> None:
    issue = await make_issue(acme)
    made = [await make_subscription(acme, length=1) for _ in range(3)]
    ids = [copy["id"] for each in made for copy in await copies_of(acme, each["id"])]
    before = len(await list_events(acme))
    await acme.post("/v1/copies/mark-sent/", {"ids": ids, "date": "2026-05-04"})
    sent, *completed = await list_events(acme, after=before)
    assert (sent["type"], sent["record"]) == ("copy.sent", {"type": "issue", "id": issue["id"]})
    assert sent["data"] == {
        "issue": {"id": issue["id"], "number": 1, "name": "Issue 1"},
        "date_sent": "2026-05-04",
        "count": 3,
        "ids": sorted(ids),
    }
    assert [each["type"] for each in completed] == ["subscription.completed"] * 3
    for event in completed:
        shown = await acme.get(f"{SUBSCRIPTIONS}{event['record']['id']}/")
        assert event["data"] == shown.json()
    await acme.post("/v1/copies/mark-sent/", {"ids": ids, "date": "2026-05-04"})
    assert len(await list_events(acme)) == before + 4  # nothing changed


async def test_many_copies_are_several_events(acme: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sent_copies, "COPIES_OF_EVENT", 2)
    await make_issues(acme, 1, 2)
    for _ in range(3):
        await make_subscription(acme, length=2)
    ids = [copy["id"] for copy in await walk(acme, "/v1/copies/")]
    await acme.post("/v1/copies/mark-sent/", {"ids": ids})
    events = await list_events(acme, type=PublicEventType.COPY_SENT)
    shown = [(each["data"]["issue"]["number"], each["data"]["count"]) for each in events]
    assert shown == [(1, 2), (1, 1), (2, 2), (2, 1)]
    assert sorted(id for each in events for id in each["data"]["ids"]) == sorted(ids)


async def test_a_run_is_the_events_of_its_copies_and_claims(acme: Cast) -> None:
    claim = await make_claim(acme, await order_one(acme))
    await make_subscription(acme)
    run = await make_dispatch(acme, claim["issue"]["id"])
    path = f"/v1/dispatches/{run['id']}/"
    for step in ("mark-sent/", "undo/", "discard/"):
        shown = (await acme.post(f"{path}{step}", {})).json()
        event = (await list_events(acme, record=run["id"]))[-1]
        assert event["data"]["status"] == shown["status"]
    sent = await last_event(acme, PublicEventType.COPY_SENT)
    assert sent["data"]["count"] == 1
    updated = await list_events(acme, type=PublicEventType.CLAIM_UPDATED)
    assert [each["data"]["status"] for each in updated] == ["held", "sent", "held", "open"]


async def test_a_run_whose_copies_a_carrier_reports_as_shipped_is_updated(acme: Cast) -> None:
    claim = await make_claim(acme, await order_one(acme))
    await make_subscription(acme)
    run = await make_dispatch(acme, claim["issue"]["id"])
    path = f"/v1/dispatches/{run['id']}/"
    for line in (await acme.get(f"{path}lines/")).json()["items"]:
        reports = [{"key": line["key"], "kind": "shipped"}]
        answer = await acme.post("/v1/delivery-reports/", {"reports": reports})
        assert answer.is_success, answer.text
        updated = await last_event(acme, PublicEventType.DISPATCH_UPDATED)
        assert updated["data"] == (await acme.get(path)).json()
    last = await last_event(acme, PublicEventType.DISPATCH_UPDATED)
    assert last["data"]["status"] == "marked"


async def test_a_replacement_that_a_carrier_reports_as_shipped_is_the_event_of_its_claim(
    acme: Cast,
) -> None:
    claim = await make_claim(acme, await order_one(acme))
    run = await make_dispatch(acme, claim["issue"]["id"])
    (line,) = await walk(acme, f"/v1/dispatches/{run['id']}/lines/")
    report = {"kind": "shipped", "key": line["key"]}
    await acme.post("/v1/delivery-reports/", {"reports": [report]})
    event = (await list_events(acme, record=claim["id"]))[-1]
    assert (event["type"], event["data"]["status"]) == ("claim.updated", "sent")


async def test_an_erasure_leaves_nothing_in_events(acme: Cast) -> None:
    made = await order_one(acme, email="ada@x.test", first_name="Zebedee")
    id = made["subscriber"]["id"]
    other = await make_subscription(acme, email="bob@x.test", notes="Neighbour of ada@x.test")
    gift = await make_gift(acme, giver=id, order_id="GIFT-ORDER", email="c@x.test")
    claim = await make_claim(acme, made, notes="Zebedee called")
    assert "ada@x.test" in str(await list_events(acme))
    await erase(acme, id)
    events = await list_events(acme)
    assert "ada@x.test" not in str(events)
    assert "Zebedee" not in str(events)
    before = [each for each in events[:-1] if each["data"] is not None]
    about = {each["record"]["id"] for each in before}
    assert {gift["id"], id, claim["id"]} & about == set()
    (kept,) = (each for each in events if each["record"]["id"] == other["id"])
    assert kept["data"]["subscriber"]["email"] == "bob@x.test"
    erased = events[-1]
    assert (erased["type"], erased["data"]["full_name"]) == ("subscriber.erased", "Erased")


async def test_ten_copies_need_as_many_statements_as_one(acme: Cast) -> None:
    await make_issue(acme)
    for _ in range(11):
        await make_subscription(acme, length=1)
    first, *others = (each["id"] for each in await walk(acme, "/v1/copies/"))
    counts = []
    for ids in ([first], others):
        counter = StatementCounter(acme.db)
        await mark_copies_sent(counter, acme.account_id, ids, None, by=BY)
        counts.append(len(counter.statements))
    assert counts[0] == counts[1]
    completed = await list_events(acme, type=PublicEventType.SUBSCRIPTION_COMPLETED)
    assert len(completed) == 11
