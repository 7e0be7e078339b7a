"""What happens to orders that are billed: each change is right on invoices, or says the way out."""

from collections.abc import Sequence
from typing import Any

from masthead.model.billing.terms import BillingTerms
from masthead.model.orders.order import OrderDefaults
from masthead.model.subscriptions.copy_counts import CopyCountChange
from masthead.services.billing.credit import correct_invoice
from masthead.services.billing.waiting import issue_for_payer
from masthead.services.subscriptions.copy_counts import change_copy_count
from masthead.store.engine.interface import Row
from tests.conftest import BY, Cast
from tests.support.addresses import TODAY
from tests.support.billing import (
    HOME,
    bill,
    bill_one,
    bill_together,
    newest_invoices,
    owed,
    read_invoice,
    turn_on_billing,
)
from tests.support.checks import faults
from tests.support.factories import PLACEHOLDER_DOMAIN, manual
from tests.support.subscribers import make_subscriber, merge


async def billed_orders(cast: Cast) -> Sequence[Row]:
    """The orders that are billed."""
    return await cast.db.fetch_all(
        """
        SELECT p.subscription_id, p.order_id
        FROM period p
        JOIN billed_order b ON b.account_id = p.account_id AND b.period_id = p.id
        WHERE p.account_id = :account_id
        """,
        {"account_id": cast.account_id},
    )


async def cancel(cast: Cast, id: str, **body: object) -> None:
    answer = await cast.post(f"/v1/subscriptions/{id}/cancel/", {"mode": "cancel", **body})
    assert answer.status_code == 200, answer.text


async def change_count(cast: Cast, id: str, *, seen: int, **fields: Any) -> None:
    change = CopyCountChange(
        first_issue=1,
        order_id=f"MORE-{fields['count']}",
        order_date=TODAY,
        currency="EUR",
        **fields,
    )
    await change_copy_count(
        cast.db,
        cast.account_id,
        id,
        change,
        source_id=cast.imported,
        seen=seen,
        defaults=OrderDefaults(cast.currency, PLACEHOLDER_DOMAIN),
        by=BY,
    )


async def test_a_cancellation_credits_an_unpaid_invoice_and_bars_reopening(acme: Cast) -> None:
    await turn_on_billing(acme)
    placed = await bill(acme)
    id = placed.subscriptions[0].id
    await cancel(acme, id)
    answer = await acme.post(
        f"/v1/subscriptions/{id}/refunds/", {"order_id": placed.order_id, "amount": "60.00"}
    )
    assert answer.status_code == 201, answer.text
    assert await owed(acme) == [(6000, 0), (-6000, 0)]
    refused = await acme.post(f"/v1/subscriptions/{id}/reopen/", {})
    assert (refused.status_code, refused.json()["code"]) == (400, "invoice_credited")
    assert "Enter a new order" in refused.text
    assert await faults(acme) == []


async def test_a_cancelled_order_without_a_credit_note_is_reopened_and_still_owed(
    acme: Cast,
) -> None:
    await turn_on_billing(acme)
    id = (await bill(acme)).subscriptions[0].id
    await cancel(acme, id)
    assert (await acme.post(f"/v1/subscriptions/{id}/reopen/", {})).status_code == 200
    assert await owed(acme) == [(6000, 6000)]


async def test_a_refund_of_an_order_that_waits_leaves_less_to_bill(acme: Cast) -> None:
    await turn_on_billing(acme)
    payer = await bill_together(acme)
    [row] = await billed_orders(acme)
    path = f"/v1/subscriptions/{row['subscription_id']}/refunds/"
    body = {"order_id": row["order_id"], "amount": "20.00"}
    assert (await acme.post(path, body)).status_code == 201
    await issue_for_payer(acme.db, acme.account_id, payer, by=BY)
    assert await owed(acme) == [(4000, 4000)]
    assert await faults(acme) == []


async def test_other_terms_are_on_an_invoice_that_is_issued_after_them(acme: Cast) -> None:
    await turn_on_billing(acme)
    first = await bill_one(acme, length=2)
    payer = await bill_together(acme)
    for row in await billed_orders(acme):
        path = f"/v1/subscriptions/{row['subscription_id']}/terms/"
        answer = await acme.post(path, {"length": 3, "medium": "Digital"})
        assert answer.status_code == 200, answer.text
    assert (await read_invoice(acme, first.id)).document == first.document
    made = await correct_invoice(
        acme.db, acme.account_id, first.id, BillingTerms(), reason="Other terms", by=BY
    )
    made_too = await issue_for_payer(acme.db, acme.account_id, payer, by=BY)
    for id in (*made.invoice_ids, *made_too):
        [line] = (await read_invoice(acme, id)).document.lines
        assert (line.total, line.rate, line.detail[:12]) == (6000, 1900, "Issues 1 to ")
        assert "3" in line.detail
    assert await faults(acme) == []


async def test_more_copies_are_billed_to_who_was_billed_and_fewer_are_credited(acme: Cast) -> None:
    await turn_on_billing(acme, prices_include_vat=False)
    payer = await make_subscriber(acme, "agency@x.test", **HOME)
    placed = await bill(acme, payer_id=payer, copies=3, price="300.00")
    id = placed.subscriptions[0].id
    await change_count(acme, id, seen=3, count=5, is_billed=True)
    assert await owed(acme) == [(32100, 32100), (21400, 21400)]
    assert {each.payer_id for each in await newest_invoices(acme)} == {payer}
    await change_count(acme, id, seen=5, count=3, refunds=True)
    assert await owed(acme) == [(32100, 32100), (21400, 0), (-21400, 0)]
    await change_count(acme, id, seen=3, count=4, is_billed=True, price=5000)
    assert (await owed(acme))[-1] == (5350, 5350)
    assert await faults(acme) == []


async def test_a_giver_pays_and_a_merge_takes_waiting_orders_along(acme: Cast) -> None:
    await turn_on_billing(acme)
    giver = await make_subscriber(acme, "giver@x.test", **HOME)
    gift = await bill_one(acme, is_gift=True, gifter_id=giver)
    assert gift.payer_id == giver
    waiting = await bill_together(acme)
    kept = await make_subscriber(acme, "kept@x.test", **HOME)
    await merge(acme, kept, waiting)
    [id] = await issue_for_payer(acme.db, acme.account_id, kept, by=BY)
    assert (await read_invoice(acme, id)).payer_id == kept


async def test_many_orders_say_which_of_them_wait_for_an_invoice(acme: Cast) -> None:
    await turn_on_billing(acme)
    agency = await bill_together(acme)
    orders = [
        manual(acme, order_id="B1", is_billed=True, price="9.00", **HOME),
        manual(acme, order_id="B2", is_billed=True, price="9.00", **{**HOME, "country": "FR"}),
        manual(acme, order_id="B3", price="9.00"),
        manual(acme, order_id="B4", is_billed=True, price="9.00", subscriber_id=agency, **HOME),
    ]
    answer = await acme.post("/v1/orders/bulk/", {"orders": orders})
    items = answer.json()["items"]
    assert all(each["subscription"] for each in items)
    assert [each["waiting"] and each["waiting"]["code"] for each in items] == [
        None,
        "missing_rate",
        None,
        None,
    ]
    assert agency not in {each.payer_id for each in await newest_invoices(acme)}
