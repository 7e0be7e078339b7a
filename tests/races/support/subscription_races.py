"""The races of two people at one subscription, each on a page of another worker."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import httpx

from masthead.web.kit.forms import IDEMPOTENCY_KEY
from tests.conftest import Cast
from tests.support.factories import copies_of, make_issue, make_subscription
from tests.web.conftest import Person, fields_of

PageRace = Callable[[Cast, Person, Person, int], Awaitable[None]]

WHY = {"reason": "moved"}


async def make(cast: Cast, number: int, **fields: object) -> tuple[str, str]:
    """The ids of an issue and of a subscription that begins with it."""
    issue = await make_issue(cast, number)
    made = await make_subscription(cast, start_issue=number, length=2, **fields)
    return issue["id"], made["id"]


async def opened(person: Person, id: str, page: str) -> dict[str, str]:
    """The form of a page of a subscription, without its idempotency key.

    Writing the key would lock SQLite before the account is locked.
    """
    form = fields_of((await person.see("subscriptions", id, page)).text)
    return {name: value for name, value in form.items() if name != IDEMPOTENCY_KEY}


async def at_once(*requests: Awaitable[httpx.Response]) -> list[int]:
    """The status codes of the responses to concurrent requests."""
    return [answer.status_code for answer in await asyncio.gather(*requests)]


async def shown(cast: Cast, id: str) -> dict[str, Any]:
    """The current state of a subscription."""
    answer: dict[str, Any] = (await cast.get(f"/v1/subscriptions/{id}/")).json()
    return answer


async def renew_twice(cast: Cast, one: Person, two: Person, number: int) -> None:
    """Two people renew at once: one renewal is saved, and the other person is asked."""
    _, id = await make(cast, number)
    forms = [await opened(person, id, "renew") for person in (one, two)]
    path = one.address("subscriptions", id, "renew")
    codes = await at_once(one.post(path, forms[0]), two.post(path, forms[1]))
    assert sorted(codes) == [303, 400]
    assert len((await shown(cast, id))["periods"]) == 2


async def renew_against_cancel(cast: Cast, one: Person, two: Person, number: int) -> None:
    """A renewal and a cancellation at once: one is saved, and the other person is told."""
    _, id = await make(cast, number)
    renewal, ending = await opened(one, id, "renew"), await opened(two, id, "cancel")
    codes = await at_once(
        one.post(one.address("subscriptions", id, "renew"), renewal),
        two.post(two.address("subscriptions", id, "cancel"), {**ending, **WHY}),
    )
    assert sorted(codes) == [303, 400]
    after = await shown(cast, id)
    is_renewed = codes[0] == 303
    assert (after["status"], len(after["periods"])) == (
        ("Active", 2) if is_renewed else ("Cancelled", 1)
    )


async def cancel_against_freeze(cast: Cast, one: Person, two: Person, number: int) -> None:
    """A cancellation and a freeze at once: the run has the copy, or the copy is cancelled."""
    issue, id = await make(cast, number)
    ending = await opened(two, id, "cancel")
    path = two.address("subscriptions", id, "cancel")
    cancelled, frozen = await asyncio.gather(
        two.post(path, {**ending, **WHY}), cast.post("/v1/dispatches/", {"issue": issue})
    )
    codes = cancelled.status_code, frozen.status_code
    assert codes in ((303, 400), (400, 201)), (cancelled.text, frozen.text)
    [copy] = await copies_of(cast, id)
    assert copy["status"] == ("Cancelled" if codes[0] == 303 else "Not sent")


async def reopen_twice(cast: Cast, one: Person, two: Person, number: int) -> None:
    """Two people reopen at once: it is reopened once, and the other person is told."""
    _, id = await make(cast, number)
    await cast.post(f"/v1/subscriptions/{id}/cancel/", {"mode": "cancel"})
    forms = [await opened(person, id, "reopen") for person in (one, two)]
    path = one.address("subscriptions", id, "reopen")
    codes = await at_once(one.post(path, forms[0]), two.post(path, forms[1]))
    assert sorted(codes) == [303, 400]
    assert (await shown(cast, id))["status"] == "Active"


async def refund_twice(cast: Cast, one: Person, two: Person, number: int) -> None:
    """Two refunds at once that are more than the price together: one is saved."""
    _, id = await make(cast, number, price="42.00")
    forms = [await opened(person, id, "refund") for person in (one, two)]
    for form in forms:
        [name] = [name for name in form if name.startswith("amount_")]
        form[name] = "25.00"
    path = one.address("subscriptions", id, "refund")
    codes = await at_once(one.post(path, forms[0]), two.post(path, forms[1]))
    assert sorted(codes) == [303, 400]
    assert (await shown(cast, id))["refunded"] == "25.00"


async def change_terms_twice(cast: Cast, one: Person, two: Person, number: int) -> None:
    """Two people change the number of issues at once: one change is saved."""
    _, id = await make(cast, number)
    forms = [await opened(person, id, "terms") for person in (one, two)]
    path = one.address("subscriptions", id, "terms")
    codes = await at_once(
        one.post(path, {**forms[0], "length": "3"}), two.post(path, {**forms[1], "length": "4"})
    )
    assert sorted(codes) == [303, 400]
    assert (await shown(cast, id))["length"] == (3 if codes[0] == 303 else 4)


async def change_terms_against_issue(cast: Cast, one: Person, two: Person, number: int) -> None:
    """A longer subscription has a copy of an issue that is created at once."""
    _, id = await make(cast, number)
    form = await opened(two, id, "terms")
    codes = await at_once(
        two.post(two.address("subscriptions", id, "terms"), {**form, "length": "3"}),
        cast.post("/v1/issues/", {"number": number + 2}),
    )
    assert codes == [303, 201]
    copies = await copies_of(cast, id)
    assert [copy["issue"]["number"] for copy in copies] == [number, number + 2]


PAGE_RACES: list[PageRace] = [
    renew_twice,
    renew_against_cancel,
    cancel_against_freeze,
    reopen_twice,
    refund_twice,
    change_terms_twice,
    change_terms_against_issue,
]
