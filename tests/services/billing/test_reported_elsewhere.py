"""Mistakes that users of other programs have reported, tried here."""

import pytest

from masthead.model.debits.rules import DebitStatus
from masthead.model.errors import Invalid
from masthead.services.billing.credit_orders import credit_invoice
from masthead.services.billing.files.cii import EN_16931, write_cii
from masthead.services.billing.waiting import issue_waiting
from masthead.services.debits.collect import create_collection
from masthead.services.debits.mark import mark_invoice
from tests.conftest import BY, Cast
from tests.support.billing import (
    bill,
    bill_one,
    bill_together,
    newest_invoices,
    read_invoice,
    turn_on_billing,
)
from tests.support.debits import (
    FIRST_DAY,
    collect_all,
    debit_one,
    list_debits,
    make_debtor,
    turn_on_debits,
)


@pytest.mark.parametrize("sign", ["\ufffe", "\uffff", "\x1b", "\x0b"])
async def test_signs_that_no_xml_may_have_keep_no_invoice_from_being_written(
    acme: Cast, sign: str
) -> None:
    await turn_on_billing(acme)
    fields = {"first_name": f"A{sign}da", "company": f"{sign}Acme", "address2": f"c/o{sign} B"}
    invoice = await bill_one(acme, email="a@example.test", order_id=f"A{sign}1", **fields)
    content = write_cii(invoice.document, guideline=EN_16931)
    assert sign.encode() not in content
    assert f">{invoice.document.payer.name}<".encode() in content


async def test_credit_notes_in_parts_take_back_exactly_the_invoice(acme: Cast) -> None:
    await turn_on_billing(acme, prices_include_vat=False)
    payer = await bill_together(acme)
    for number, price in enumerate(("68.33", "68.33", "57.50", "85.00")):
        await bill(acme, subscriber_id=payer, order_id=f"L{number}", price=price, medium="Digital")
    await issue_waiting(acme.db, acme.account_id, by=BY)
    [invoice] = await newest_invoices(acme)
    for amount in (8199, 6900, 10200, 1, None):
        await credit_invoice(acme.db, acme.account_id, invoice.id, amount=amount, reason="x", by=BY)
    *notes, whole = await newest_invoices(acme)
    assert sum(each.document.total for each in notes) == whole.document.total
    assert sum(each.document.vat for each in notes) == whole.document.vat
    assert (await read_invoice(acme, invoice.id)).open_amount == 0


async def test_an_invoice_that_was_collected_is_not_collected_again(acme: Cast) -> None:
    await turn_on_debits(acme)
    invoice = await debit_one(acme, await make_debtor(acme))
    collection = await collect_all(acme)
    with pytest.raises(Invalid, match="Nothing is due"):
        await create_collection(acme.db, acme.account_id, day=collection.collect_date, by=BY)
    with pytest.raises(Invalid, match="already"):
        await mark_invoice(acme.db, acme.account_id, invoice.id, notified=FIRST_DAY, by=BY)
    [debit] = await list_debits(acme, invoice.id)
    assert debit.status is DebitStatus.COLLECTED
