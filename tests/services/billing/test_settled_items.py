"""Payments in the journal, and in the file for DATEV, have the invoices that they settle."""

from datetime import date

from masthead.model.billing.inputs import PaymentCreate
from masthead.model.billing.journal import Ledger
from masthead.model.validation import decode_input
from masthead.services.billing.balances import pay_back
from masthead.services.billing.bank_lines import confirm_return
from masthead.services.billing.credit_orders import credit_invoice
from masthead.services.billing.payments import ReceivedPayment, create_payment
from masthead.store.accounts import get_account
from tests.conftest import BY, Cast
from tests.support.bank import bank_line, import_lines, list_lines
from tests.support.billing import bill_one, list_journal, turn_on_billing

Paid = tuple[str, int | None, int]  # number of the invoice, customer number, amount


async def pay(cast: Cast, payer: str, amount: str, *numbers: str, **fields: object) -> str:
    """Record a payment for invoices; returns its id."""
    chosen = {"invoices": [{"number": each} for each in numbers]} if numbers else {}
    body = decode_input(PaymentCreate, {"amount": amount, "payer": payer, **chosen, **fields})
    return await create_payment(cast.db, cast.account_id, body, by=BY)


async def paid(cast: Cast) -> list[Paid]:
    """What payments settled, by the journal."""
    async with cast.db.read() as db:
        entries = await list_journal(db, cast.account_id, date(2000, 1, 1), date(2999, 12, 31))
    return sorted(
        (each.settles, each.customer, each.amount)
        for each in entries
        if Ledger.BANK in (each.debit, each.credit)
    )


async def test_a_payment_for_several_invoices_has_an_entry_for_each(acme: Cast) -> None:
    await turn_on_billing(acme)
    first = await bill_one(acme, order_id="A")
    second = await bill_one(acme, order_id="B", payer_id=first.payer_id)
    other = await bill_one(acme, order_id="C")
    numbers = [each.document.number for each in (first, second, other)]
    await pay(acme, first.payer_id, "200.00", *numbers)
    assert await paid(acme) == [
        ("", 1, 20_00),
        (numbers[0], 1, 60_00),
        (numbers[1], 1, 60_00),
        (numbers[2], 2, 60_00),
    ]


async def test_one_that_settles_nothing_yet_has_none(acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    await pay(acme, invoice.payer_id, "60.00", invoice.document.number)
    await pay(acme, invoice.payer_id, "10.00")
    assert await paid(acme) == [("", 1, 10_00), (invoice.document.number, 1, 60_00)]


async def test_a_payment_back_has_the_credit_note(acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    number = invoice.document.number
    await pay(acme, invoice.payer_id, "65.00", number)
    await credit_invoice(acme.db, acme.account_id, invoice.id, amount=None, reason="x", by=BY)
    day = (await get_account(acme.db, acme.account_id)).daily_date
    back = ReceivedPayment(
        payer_id=invoice.payer_id, payment_date=day, amount=65_00, currency="EUR"
    )
    await pay_back(acme.db, acme.account_id, back, by=BY)
    note = f"{number[:-1]}2"
    assert await paid(acme) == [
        ("", 1, -5_00),
        ("", 1, 5_00),
        (number, 1, 60_00),
        (note, 1, -60_00),
    ]


async def test_a_return_opens_the_invoice_again(acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    number = invoice.document.number
    id = await pay(acme, invoice.payer_id, "60.00", number, reference="DD-1")
    day = (await get_account(acme.db, acme.account_id)).daily_date
    back = bank_line(-60_00, booking_date=day, reference="DD-1", return_reason="AC04")
    await import_lines(acme, back)
    [line] = await list_lines(acme)
    await confirm_return(acme.db, acme.account_id, line.id, id, by=BY)
    assert await paid(acme) == [(number, 1, -60_00), (number, 1, 60_00)]
