"""Invoices of two programs at once, and a payment that two people record."""

import asyncio
from typing import Any

import pytest

from masthead.model.errors import CHANGED_MEANWHILE
from masthead.model.subscriptions.billed_changes import InvoiceChoice
from masthead.services.billing.waiting import issue_waiting
from masthead.services.subscriptions.move import Move, move_subscription
from masthead.services.subscriptions.price import NewPrice, change_price
from tests.conftest import BY, Cast
from tests.races.support.races import Race, at_once
from tests.races.test_races import CONTROL_ROUNDS, ROUNDS, repeat, run
from tests.support.billing import HOME, bill, bill_one, bill_together, turn_on_billing
from tests.support.factories import PLACEHOLDER_DOMAIN, fresh_order_id, manual
from tests.support.keyed_requests import send
from tests.support.protections import REFUSED_OR_BROKEN
from tests.support.subscribers import make_subscriber

pytestmark = pytest.mark.races


async def bill_at_once(one: Cast, two: Cast, number: int) -> None:
    """Each order has one invoice, and the numbers have no gap, as the data check says."""
    if number == 10:
        await turn_on_billing(one)
    await bill_together(one, email=f"payer{number}@x.test")
    before = await count(one, "invoice")
    orders = [
        cast.post(
            "/v1/orders/",
            manual(cast, order_id=fresh_order_id(), price="60.00", is_billed=True, **HOME),
        )
        for cast in (one, two, one, two)
    ]
    placed, *issued = await asyncio.gather(
        at_once(*orders), *(issue_waiting(cast.db, cast.account_id, by=BY) for cast in (one, two))
    )
    assert all(len(each["invoices"]) == 1 for each in placed)
    assert sum(each.count for each in issued) == 1
    assert await count(one, "invoice") == before + 5


async def pay_twice(one: Cast, two: Cast, number: int) -> None:
    """A payment that is sent again with its key is recorded once."""
    if number == 10:
        await turn_on_billing(one)
    invoice = await bill_one(one, order_id=f"P{number}")
    before = await count(one, "payment")
    body = {"amount": "60", "invoices": [{"number": invoice.document.number}]}
    answers = await asyncio.gather(
        *(send(cast, "POST", "/v1/payments/", body, f"pay-{number}") for cast in (one, two) * 2)
    )
    made = {each.json()["id"] for each in answers if each.status_code == 201}
    assert len(made) == 1, [each.text for each in answers]
    assert {each.status_code for each in answers} <= {201, 409}
    assert await count(one, "payment") == before + 1


async def reprice_and_move_at_once(one: Cast, two: Cast, number: int) -> None:
    """Of two people with the same page, one changes the price; the other is told. So with moves."""
    if number == 10:
        await turn_on_billing(one)
    id = (await bill(one, email=f"old{number}@x.test")).subscriptions[0].id
    people = [await make_subscriber(one, f"{number}{each}@x.test", **HOME) for each in "ab"]
    row = await one.db.fetch_one(
        "SELECT id FROM period WHERE account_id = :account_id AND subscription_id = :id",
        {"account_id": one.account_id, "id": id},
    )
    assert row is not None
    before = await count(one, "invoice")
    owner = (await subscription_of(one, id))["subscriber"]["id"]
    prices = [
        NewPrice(period_id=row["id"], price=price, choice=InvoiceChoice.REPLACE, seen=(60_00, 0))
        for price in (48_00, 72_00)
    ]
    moves = [
        Move(to_id=to_id, takes_address=True, choice=InvoiceChoice.REPLACE, seen=owner)
        for to_id in people
    ]
    answers = await asyncio.gather(
        *(
            change_price(cast.db, cast.account_id, id, wanted, by=BY)
            for cast, wanted in zip((one, two), prices, strict=True)
        ),
        *(
            move_subscription(
                cast.db, cast.account_id, id, move, placeholder_domain=PLACEHOLDER_DOMAIN, by=BY
            )
            for cast, move in zip((one, two), moves, strict=True)
        ),
        return_exceptions=True,
    )
    refused = [each for each in answers if isinstance(each, Exception)]
    assert [getattr(each, "code", each) for each in refused] == [CHANGED_MEANWHILE] * 2
    # The invoice, and for the price and for the move a credit note with a new invoice each
    assert await count(one, "invoice") == before + 4


async def subscription_of(cast: Cast, id: str) -> dict[str, Any]:
    """A subscription as the API shows it."""
    found: dict[str, Any] = (await cast.get(f"/v1/subscriptions/{id}/")).json()
    return found


async def count(cast: Cast, table: str) -> int:
    rows = await cast.db.fetch_all(
        f"SELECT count(*) AS n FROM {table} WHERE account_id = :account_id",  # noqa: S608 - constants
        {"account_id": cast.account_id},
    )
    return int(rows[0]["n"])


@pytest.mark.parametrize("race", [bill_at_once, pay_twice, reprice_and_move_at_once])
async def test_the_data_is_correct_after_every_race(race: Race, pair: tuple[Cast, Cast]) -> None:
    await repeat(race, pair, ROUNDS)


@pytest.mark.slow
async def test_without_its_protection_a_race_fails(unlocked_url: str) -> None:
    with pytest.raises(REFUSED_OR_BROKEN):
        await run(bill_at_once, unlocked_url, CONTROL_ROUNDS)
