"""Which invoice replaces which: their orders were billed again."""

from masthead.model.billing.terms import BillingTerms
from masthead.model.subscriptions.billed_changes import InvoiceChoice
from masthead.services.billing.credit import correct_invoice
from masthead.services.billing.waiting import issue_waiting
from masthead.services.subscriptions.price import NewPrice, change_price
from masthead.store.billing.invoices import StoredInvoice
from masthead.store.billing.replacements import list_replacements
from tests.conftest import BY, Cast
from tests.support.billing import (
    bill,
    bill_one,
    bill_together,
    newest_invoices,
    read_invoice,
    turn_on_billing,
)


async def replace(cast: Cast, id: str) -> StoredInvoice:
    """The new invoice for one that is taken back."""
    made = await correct_invoice(cast.db, cast.account_id, id, BillingTerms(), reason="x", by=BY)
    return await read_invoice(cast, made.invoice_ids[0])


async def shown(cast: Cast, id: str) -> list[tuple[str, bool, bool]]:
    """The other invoices: id, whether it was replaced by this one, and whether as a whole."""
    async with cast.db.read() as db:
        found = await list_replacements(db, cast.account_id, id)
    return [(each.invoice_id, each.is_older, each.is_whole) for each in found]


async def test_of_several_in_a_row_only_the_nearest_are_named(acme: Cast) -> None:
    await turn_on_billing(acme)
    first = await bill_one(acme)
    assert await shown(acme, first.id) == []
    second = await replace(acme, first.id)
    third = await replace(acme, second.id)
    assert await shown(acme, first.id) == [(second.id, False, True)]
    assert await shown(acme, second.id) == [(first.id, True, True), (third.id, False, True)]
    assert await shown(acme, third.id) == [(second.id, True, True)]


async def test_an_order_of_several_is_replaced_alone(acme: Cast) -> None:
    await turn_on_billing(acme)
    payer = await bill_together(acme)
    order = await bill(acme, order_id="B", subscriber_id=payer)
    await issue_waiting(acme.db, acme.account_id, by=BY)
    [old] = await newest_invoices(acme)
    line = next(each for each in old.document.lines if each.order_id == "B")
    wanted = NewPrice(
        period_id=line.period_id,
        price=50_00,
        choice=InvoiceChoice.REPLACE,
        reason="x",
        seen=(60_00, 0),
    )
    await change_price(acme.db, acme.account_id, order.subscriptions[0].id, wanted, by=BY)
    new = (await newest_invoices(acme))[0]
    assert await shown(acme, new.id) == [(old.id, True, False)]
    assert await shown(acme, old.id) == [(new.id, False, False)]
