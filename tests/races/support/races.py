"""The races: concurrent requests to two workers, and what must be true for any order.

Each gets the account through both workers and a unique number, and asserts the outcome.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import httpx

from tests.conftest import Cast
from tests.support.factories import copies_of, fresh_order_id, make_issue, make_subscription, manual
from tests.support.walk import walk

SUBSCRIPTIONS = "/v1/subscriptions/"
MARK_SENT = "/v1/copies/mark-sent/"

Race = Callable[[Cast, Cast, int], Awaitable[None]]


async def at_once(*requests: Awaitable[httpx.Response]) -> list[dict[str, Any]]:
    """The responses to concurrent requests, all of which succeed."""
    answers = await asyncio.gather(*requests)
    for answer in answers:
        assert answer.is_success, answer.text
    return [answer.json() for answer in answers]


async def one_wins(*requests: Awaitable[httpx.Response], code: str) -> None:
    """Check that one of the concurrent requests succeeds and the others get a known error."""
    answers = await asyncio.gather(*requests)
    refusals = [answer for answer in answers if answer.status_code != 201]
    assert len(refusals) == len(answers) - 1, [answer.text for answer in answers]
    assert {(answer.status_code, answer.json()["code"]) for answer in refusals} == {(400, code)}


async def shown(cast: Cast, subscription: dict[str, Any]) -> dict[str, Any]:
    """The current state of a subscription."""
    answer: dict[str, Any] = (await cast.get(f"{SUBSCRIPTIONS}{subscription['id']}/")).json()
    return answer


async def same_order_id(one: Cast, two: Cast, number: int) -> None:
    """An order id is used once."""
    await make_issue(one, number)
    order_id = fresh_order_id()
    await one_wins(
        *(
            cast.post(SUBSCRIPTIONS, manual(cast, order_id=order_id, start_issue=number))
            for cast in (one, two, one, two)
        ),
        code="duplicate_order_id",
    )
    assert len(await walk(one, SUBSCRIPTIONS, search=order_id)) == 1


async def same_new_email(one: Cast, two: Cast, number: int) -> None:
    """An email address has one subscriber, with any spelling."""
    await make_issue(one, number)
    emails = [f"ada{number}@example.test", f"ADA{number}@Example.Test"] * 2
    created = await at_once(
        *(
            cast.post(SUBSCRIPTIONS, manual(cast, email=email, start_issue=number))
            for cast, email in zip((one, one, two, two), emails, strict=True)
        )
    )
    assert len({each["subscriber"]["id"] for each in created}) == 1
    path = f"/v1/subscribers/{created[0]['subscriber']['id']}/"
    assert (await one.get(path)).json()["subscription_count"] == 4


async def same_issue_number(one: Cast, two: Cast, number: int) -> None:
    """An issue number is used once."""
    await one_wins(
        *(cast.post("/v1/issues/", {"number": number}) for cast in (one, two, one, two)),
        code="duplicate_issue_number",
    )


async def issue_against_subscriptions(one: Cast, two: Cast, number: int) -> None:
    """A subscription that covers an issue has one copy of it, whichever came first."""
    await make_issue(one, number)
    created = await at_once(
        one.post("/v1/issues/", {"number": number + 1}),
        *(
            cast.post(SUBSCRIPTIONS, manual(cast, start_issue=number, length=2))
            for cast in (two, one, two)
        ),
    )
    for subscription in created[1:]:
        copies = await copies_of(one, subscription["id"])
        assert [copy["issue"]["number"] for copy in copies] == [number, number + 1]


async def cancel_against_mark_sent(one: Cast, two: Cast, number: int) -> None:
    """A cancelled subscription stays cancelled; its copies match the responses."""
    await make_issue(one, number)
    subscription = await make_subscription(one, start_issue=number, length=1)
    (copy,) = await copies_of(one, subscription["id"])
    _, marked = await at_once(
        one.post(f"{SUBSCRIPTIONS}{subscription['id']}/cancel/", {"mode": "cancel"}),
        two.post(MARK_SENT, {"ids": [copy["id"]]}),
    )
    assert (await shown(one, subscription))["status"] == "Cancelled"
    (after,) = await copies_of(one, subscription["id"])
    assert after["status"] == ("Sent" if marked["updated_count"] else "Cancelled")


async def cancel_against_issue(one: Cast, two: Cast, number: int) -> None:
    """A cancelled subscription has no copies to send."""
    await make_issue(one, number)
    subscription = await make_subscription(one, start_issue=number, length=2)
    await at_once(
        one.post("/v1/issues/", {"number": number + 1}),
        two.post(f"{SUBSCRIPTIONS}{subscription['id']}/cancel/", {"mode": "cancel"}),
    )
    assert (await shown(one, subscription))["status"] == "Cancelled"
    assert {copy["status"] for copy in await copies_of(one, subscription["id"])} == {"Cancelled"}


async def overlapping_mark_sent(one: Cast, two: Cast, number: int) -> None:
    """A date of sending survives a request without a date; all copies are sent and complete."""
    await make_issue(one, number)
    subscriptions = [await make_subscription(one, start_issue=number, length=1) for _ in range(5)]
    ids = [copy["id"] for each in subscriptions for copy in await copies_of(one, each["id"])]
    await at_once(
        one.post(MARK_SENT, {"ids": ids[:4], "date": "2026-03-01"}),
        two.post(MARK_SENT, {"ids": ids[:0:-1]}),
        two.post(MARK_SENT, {"ids": ids[:4], "date": "2026-03-01"}),
        one.post(MARK_SENT, {"ids": ids[:0:-1]}),
    )
    days = []
    for subscription in subscriptions:
        assert (await shown(one, subscription))["status"] == "Complete"
        days += [copy["date_sent"] for copy in await copies_of(one, subscription["id"])]
    assert days == ["2026-03-01"] * 4 + [None]


async def patch_against_patch(one: Cast, two: Cast, number: int) -> None:
    """Neither of two changes is lost, the search index has both, and the name is kept."""
    await make_issue(one, number)
    subscription = await make_subscription(one, start_issue=number, company="Analytical Engines")
    path = f"{SUBSCRIPTIONS}{subscription['id']}/"
    await at_once(
        one.patch(path, {"notes": f"moved{number}"}),
        two.patch(path, {"city": f"Paris{number}", "country": "FR"}),
    )
    for text in (f"moved{number}", f"Paris{number}"):
        (found,) = await walk(one, SUBSCRIPTIONS, search=text)
        assert found["notes"] == f"moved{number}"
        assert found["shipping_address"]["city"] == f"Paris{number}"
    answers = await asyncio.gather(
        one.patch(path, {"first_name": ""}), two.patch(path, {"company": ""})
    )
    assert sorted(answer.status_code for answer in answers) == [200, 400]


UNIQUE: list[Race] = [same_order_id, same_new_email, same_issue_number]
"""The races that a unique key decides."""

RACES: list[Race] = [
    *UNIQUE,
    issue_against_subscriptions,
    cancel_against_mark_sent,
    cancel_against_issue,
    overlapping_mark_sent,
    patch_against_patch,
]
