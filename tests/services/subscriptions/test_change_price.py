"""The price of an order changes, and its invoice follows as the user chose."""

from typing import Any

import pytest

from masthead.model.audit_entries import EntryType
from masthead.model.billing.inputs import PaymentCreate
from masthead.model.errors import CHANGED_MEANWHILE, Invalid, NotFound
from masthead.model.subscriptions.billed_changes import InvoiceChoice
from masthead.model.validation import decode_input
from masthead.services.billing.payments import create_payment
from masthead.services.revenue.statements import work_out
from masthead.services.subscriptions.price import NewPrice, change_price
from tests.conftest import BY, Cast
from tests.support.addresses import TODAY
from tests.support.billing import (
    bill,
    bill_one,
    bill_together,
    newest_invoices,
    owed,
    turn_on_billing,
)
from tests.support.checks import faults
from tests.support.factories import made, make_issue, make_subscription
from tests.support.subscriber_pages import history_of


async def order_of(cast: Cast, id: str) -> Any:
    """The last order of a subscription."""
    [*_, row] = await cast.db.fetch_all(
        """
        SELECT id, price, refunded
        FROM period
        WHERE account_id = :a AND subscription_id = :id
        ORDER BY id
        """,
        {"a": cast.account_id, "id": id},
    )
    return row


async def change(cast: Cast, id: str, price: int, choice: str = "", **fields: Any) -> list[str]:
    """Change the price of the last order."""
    row = await order_of(cast, id)
    wanted = NewPrice(
        period_id=row["id"],
        price=price,
        choice=InvoiceChoice(choice) if choice else None,
        seen=fields.pop("seen", (row["price"], row["refunded"])),
        reason="Student",
    )
    return await change_price(cast.db, cast.account_id, id, wanted, by=BY, **fields)


async def test_an_order_paid_at_once_costs_the_new_price(acme: Cast) -> None:
    await make_issue(acme)
    id = str((await make_subscription(acme, price="60.00"))["id"])
    assert await change(acme, id, 48_00) == []
    answer = (await acme.get(f"/v1/subscriptions/{id}/")).json()
    assert answer["periods"][-1]["price"] == "48.00"
    assert await faults(acme) == []


async def test_an_order_that_waits_is_billed_with_the_new_price(acme: Cast) -> None:
    await turn_on_billing(acme)
    payer = await bill_together(acme)
    id = (await bill(acme, subscriber_id=payer)).subscriptions[0].id
    assert await change(acme, id, 48_00) == []
    assert (await order_of(acme, id))["price"] == 48_00


@pytest.mark.parametrize("price, difference", [(48_00, 12_00), (72_00, -12_00)])
async def test_a_new_invoice_says_the_new_price_and_what_was_paid_pays_it(
    acme: Cast, price: int, difference: int
) -> None:
    await turn_on_billing(acme)
    first = await bill_one(acme, order_reference="PO 7")
    [line] = first.document.lines
    body = decode_input(PaymentCreate, {"amount": "60.00", "payer": first.payer_id})
    await create_payment(acme.db, acme.account_id, body, by=BY)
    row = await acme.db.fetch_one(
        "SELECT subscription_id FROM period WHERE account_id = :a AND id = :id",
        {"a": acme.account_id, "id": line.period_id},
    )
    assert row is not None
    made = await change(acme, row["subscription_id"], price, "replace")
    assert len(made) == 2
    # The invoice, its credit note with what is too much, and the new invoice with what is missing
    assert await owed(acme) == [
        (60_00, 0),
        (-60_00, -max(difference, 0)),
        (price, max(-difference, 0)),
    ]
    new = (await newest_invoices(acme))[0].document
    assert (new.order_reference, new.lines[0].period_id) == ("PO 7", line.period_id)
    figures = (await work_out(acme.db, acme.account_id, TODAY)).find("EUR")
    assert figures is not None
    assert figures.total.price - figures.total.refunds == price
    assert await faults(acme) == []


async def test_a_credit_note_for_the_difference_is_a_refund(acme: Cast) -> None:
    await turn_on_billing(acme)
    id = (await bill(acme)).subscriptions[0].id
    [_note] = await change(acme, id, 48_00, "credit")
    assert await owed(acme) == [(60_00, 48_00), (-12_00, 0)]
    row = await order_of(acme, id)
    assert (row["price"], row["refunded"]) == (60_00, 12_00)
    assert await faults(acme) == []


async def test_other_orders_on_the_invoice_stay_on_it(acme: Cast) -> None:
    await turn_on_billing(acme)
    ids = [each.id for each in (await bill(acme, copies=3, price="180.00")).subscriptions]
    made = await change(acme, ids[0], 54_00, "replace")
    assert await owed(acme) == [(180_00, 120_00), (-60_00, 0), (54_00, 54_00)]
    assert len(made) == 2
    assert await faults(acme) == []


async def test_the_price_of_several_copies_is_divided(acme: Cast) -> None:
    await turn_on_billing(acme)
    ids = [each.id for each in (await bill(acme, copies=3, price="180.00")).subscriptions]
    await change(acme, ids[0], 100_00, "replace", also=ids[1:], seen=(180_00, 0))
    assert [(await order_of(acme, id))["price"] for id in ids] == [33_34, 33_33, 33_33]
    assert await owed(acme) == [(180_00, 0), (-180_00, 0), (100_00, 100_00)]


async def test_only_copies_that_cost_more_or_less_have_it_in_their_history(acme: Cast) -> None:
    await turn_on_billing(acme)
    ids = [each.id for each in (await bill(acme, copies=3, price="100.00")).subscriptions]
    await change(acme, ids[0], 100_01, "replace", also=ids[1:], seen=(100_00, 0))
    assert [(await order_of(acme, id))["price"] for id in ids] == [33_35, 33_33, 33_33]
    changed = [
        id
        for id in ids
        for _by, event in await history_of(acme, id)
        if event == EntryType.SUBSCRIPTION_CHANGE_PRICE
    ]
    assert changed == ids[:1]


async def test_the_price_of_a_renewal_changes_and_that_of_the_first_order_stays(acme: Cast) -> None:
    await make_issue(acme)
    id = str((await make_subscription(acme, price="60.00"))["id"])
    renewal = {"source": acme.shop, "order_id": "R1", "order_date": "2026-02-01", "length": 4}
    made(await acme.post(f"/v1/subscriptions/{id}/renewals/", {**renewal, "price": "60.00"}))
    await change(acme, id, 48_00)
    answer = (await acme.get(f"/v1/subscriptions/{id}/")).json()
    assert [each["price"] for each in answer["periods"]] == ["60.00", "48.00"]
    unknown = NewPrice(period_id=0, price=1, choice=None, seen=(0, 0), reason="")
    with pytest.raises(NotFound):
        await change_price(acme.db, acme.account_id, id, unknown, by=BY)


@pytest.mark.parametrize(
    "price, choice, code",
    [
        (48_00, "", "is_on_invoice"),
        (48_00, "keep", "is_on_invoice"),
        (72_00, "credit", "costs_more"),
        (5_00, "replace", "less_than_refunded"),
        (5_00, "credit", "less_than_refunded"),
    ],
)
async def test_what_cannot_be_is_refused_and_changes_nothing(
    acme: Cast, price: int, choice: str, code: str
) -> None:
    await turn_on_billing(acme)
    placed = await bill(acme)
    id = placed.subscriptions[0].id
    body = {"order_id": placed.order_id, "amount": "10.00"}
    assert (await acme.post(f"/v1/subscriptions/{id}/refunds/", body)).status_code == 201
    before = await owed(acme)
    with pytest.raises(Invalid) as refusal:
        await change(acme, id, price, choice)
    assert refusal.value.code == code
    assert await owed(acme) == before
    with pytest.raises(Invalid) as refusal:  # somebody else was faster
        await change(acme, id, 50_00, "replace", seen=(60_00, 0))
    assert refusal.value.code == CHANGED_MEANWHILE
