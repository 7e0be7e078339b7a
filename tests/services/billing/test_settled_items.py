"""Payments in the journal, and in the file for DATEV, have the invoices that they settle."""

from datetime import date, timedelta

from masthead.model.billing.inputs import PaymentCreate
from masthead.model.billing.journal import JournalEntry, Ledger
from masthead.model.billing.terms import BillingTerms
from masthead.model.validation import decode_input
from masthead.services.billing.balances import pay_back, use_credit, write_off
from masthead.services.billing.bank_lines import confirm_return
from masthead.services.billing.credit import correct_invoice
from masthead.services.billing.credit_orders import credit_invoice
from masthead.services.billing.payments import ReceivedPayment, create_payment
from masthead.services.billing.undo import undo_payment
from masthead.store.accounts import get_account
from masthead.store.billing.journal import sum_receivables
from tests.conftest import BY, Cast
from tests.support.bank import bank_line, import_lines, list_lines
from tests.support.billing import (
    balances,
    bill_one,
    list_journal,
    open_in_datev,
    owed,
    turn_on_billing,
)
from tests.support.checks import faults

LAST = date(2999, 12, 31)
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


async def test_a_payment_without_a_reference_names_who_paid(acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme, first_name="Ada", last_name="Byron")
    await pay(acme, invoice.payer_id, "50.00", invoice.document.number)
    await pay(acme, invoice.payer_id, "10.00", invoice.document.number, reference="Abo")
    async with acme.db.read() as db:
        entries = await list_journal(db, acme.account_id, date(2000, 1, 1), LAST)
    texts = {each.amount: each.text for each in entries if each.debit is Ledger.BANK}
    assert texts == {50_00: "Ada Byron", 10_00: "Abo"}


async def test_one_that_settles_nothing_yet_has_none(acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    await pay(acme, invoice.payer_id, "60.00", invoice.document.number)
    await pay(acme, invoice.payer_id, "10.00")
    assert await paid(acme) == [("", 1, 10_00), (invoice.document.number, 1, 60_00)]


async def test_a_payment_back_has_what_it_takes_from(acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    number = invoice.document.number
    id = await pay(acme, invoice.payer_id, "65.00", number)
    await credit_invoice(acme.db, acme.account_id, invoice.id, amount=None, reason="x", by=BY)
    await give_back(acme, invoice.payer_id, 65_00)
    assert await paid(acme) == sorted(
        [("", 1, 5_00), (id, 1, -5_00), (number, 1, -60_00), (number, 1, 60_00)]
    )
    assert await open_in_datev(acme) == {}


async def give_back(cast: Cast, payer: str, amount: int) -> None:
    """Pay back credit of a payer."""
    day = (await get_account(cast.db, cast.account_id)).daily_date
    back = ReceivedPayment(payer_id=payer, payment_date=day, amount=amount, currency="EUR")
    await pay_back(cast.db, cast.account_id, back, by=BY)


async def test_datev_clears_the_open_items_of_customers(acme: Cast) -> None:
    await turn_on_billing(acme)
    kinds = ("open", "in part", "credited", "credited in part", "written off", "too much")
    numbers, ids, payer = dict[str, str](), dict[str, str](), ""
    for kind in kinds:
        invoice = await bill_one(acme, order_id=kind, payer_id=payer or None)
        payer = payer or invoice.payer_id
        numbers[kind], ids[kind] = invoice.document.number, invoice.id
    await pay(acme, payer, "10.00", numbers["in part"])
    await pay(acme, payer, "60.00", numbers["credited in part"])
    for kind, amount in (("credited", None), ("credited in part", 20_00), ("in part", 5_00)):
        await credit_invoice(acme.db, acme.account_id, ids[kind], amount=amount, reason="x", by=BY)
    await write_off(acme.db, acme.account_id, ids["written off"], reason="x", by=BY)
    unused = await pay(acme, payer, "67.00", numbers["too much"])
    expected = {
        numbers["open"]: 60_00,
        numbers["in part"]: 45_00,
        numbers["credited in part"]: -20_00,
        unused: -7_00,
    }
    assert await open_in_datev(acme) == expected
    await give_back(acme, payer, 4_00)
    assert await open_in_datev(acme) == expected | {unused: -3_00}
    await give_back(acme, payer, 23_00)
    del expected[unused], expected[numbers["credited in part"]]
    assert await open_in_datev(acme) == expected


async def test_a_return_takes_back_what_was_unused_too(acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    number = invoice.document.number
    id = await pay(acme, invoice.payer_id, "65.00", number, reference="DD-1")
    day = (await get_account(acme.db, acme.account_id)).daily_date
    back = bank_line(-65_00, booking_date=day, reference="DD-1", return_reason="AC04")
    await import_lines(acme, back)
    [line] = await list_lines(acme)
    await confirm_return(acme.db, acme.account_id, line.id, id, by=BY)
    assert await open_in_datev(acme) == {number: 60_00}


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


async def test_credit_that_is_used_later_clears_both_items_on_that_day(acme: Cast) -> None:
    await turn_on_billing(acme)
    first = await bill_one(acme, order_id="A")
    second = await bill_one(acme, order_id="B", payer_id=first.payer_id)
    number, other = first.document.number, second.document.number
    today = (await get_account(acme.db, acme.account_id)).daily_date
    day = today - timedelta(days=3)
    id = await pay(acme, first.payer_id, "75.00", number, payment_date=str(day))
    before = await entries_of(acme, day)
    assert await open_in_datev(acme) == {id: -15_00, other: 60_00}
    await use_credit(acme.db, acme.account_id, second.id, by=BY)
    assert await entries_of(acme, day) == before  # what was handed in already stays true
    assert await open_in_datev(acme) == {other: 45_00}
    assert [
        (each.debit, each.credit, each.settles, each.amount)
        for each in await entries_of(acme, today)
        if Ledger.CLEARING in (each.debit, each.credit)
    ] == [
        (Ledger.RECEIVABLES, Ledger.CLEARING, id, 15_00),
        (Ledger.CLEARING, Ledger.RECEIVABLES, other, 15_00),
    ]


async def test_a_credit_note_that_is_used_clears_both_items(acme: Cast) -> None:
    await turn_on_billing(acme)
    first = await bill_one(acme, order_id="A")
    number, payer = first.document.number, first.payer_id
    await pay(acme, payer, "60.00", number)
    await credit_invoice(acme.db, acme.account_id, first.id, amount=20_00, reason="x", by=BY)
    second = await bill_one(acme, order_id="B", payer_id=payer)
    assert await open_in_datev(acme) == {number: -20_00, second.document.number: 60_00}
    await use_credit(acme.db, acme.account_id, second.id, by=BY)
    assert await open_in_datev(acme) == {second.document.number: 40_00}


async def test_an_invoice_that_replaces_a_paid_one_is_no_open_item(acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    await pay(acme, invoice.payer_id, "60.00", invoice.document.number)
    terms = BillingTerms()
    await correct_invoice(acme.db, acme.account_id, invoice.id, terms, reason="x", by=BY)
    assert await open_in_datev(acme) == {}


async def test_a_return_of_used_credit_opens_what_it_paid(acme: Cast) -> None:
    await turn_on_billing(acme)
    first = await bill_one(acme, order_id="A")
    payer, number = first.payer_id, first.document.number
    today = (await get_account(acme.db, acme.account_id)).daily_date
    day = str(today - timedelta(days=3))
    id = await pay(acme, payer, "120.00", number, reference="DD-1", payment_date=day)
    second = await bill_one(acme, order_id="B", payer_id=payer)
    await use_credit(acme.db, acme.account_id, second.id, by=BY)
    assert await open_in_datev(acme) == {}
    back = bank_line(-120_00, booking_date=today, reference="DD-1", return_reason="AC04")
    await import_lines(acme, back)
    [line] = await list_lines(acme)
    await confirm_return(acme.db, acme.account_id, line.id, id, by=BY)
    assert await open_in_datev(acme) == {number: 60_00, second.document.number: 60_00}


async def test_a_credit_note_takes_back_what_was_written_off(acme: Cast) -> None:
    """Otherwise payers have a credit for what they never paid, and its VAT is taken back twice."""
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    id, number = invoice.id, invoice.document.number
    await pay(acme, invoice.payer_id, "35.00", number)
    await write_off(acme.db, acme.account_id, id, reason="x", by=BY)
    await credit_invoice(acme.db, acme.account_id, id, amount=5_00, reason="x", by=BY)
    assert await open_in_datev(acme) == {}
    await credit_invoice(acme.db, acme.account_id, id, amount=None, reason="x", by=BY)
    assert await open_in_datev(acme) == {number: -35_00}
    assert await owed(acme) == [(60_00, 0), (-5_00, 0), (-55_00, -35_00)]
    async with acme.db.read() as db:
        found = balances(await list_journal(db, acme.account_id, date(2000, 1, 1), LAST))
        [sums] = await sum_receivables(db, acme.account_id, LAST)
    assert {each: amount for (_currency, each), amount in found.items() if amount} == {
        Ledger.BANK: 35_00,
        Ledger.RECEIVABLES: -35_00,
    }
    assert (sums.owed, sums.written_off) == (-35_00, 0)
    assert await faults(acme) == []


async def test_the_credit_of_an_invoice_is_used_before_it_is_written_off(acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    id, payer = invoice.id, invoice.payer_id
    wrong = await pay(acme, payer, "60.00", invoice.document.number)
    await credit_invoice(acme.db, acme.account_id, id, amount=40_00, reason="x", by=BY)
    await undo_payment(acme.db, acme.account_id, wrong, by=BY)
    assert await open_in_datev(acme) == {invoice.document.number: 20_00}
    assert await write_off(acme.db, acme.account_id, id, reason="x", by=BY) == 20_00
    assert await open_in_datev(acme) == {}
    assert await faults(acme) == []


async def test_a_credit_that_was_paid_back_is_lost_without_vat(acme: Cast) -> None:
    """Credit notes took the VAT back already; the journal lost this entry."""
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    payer = invoice.payer_id
    bounced = await pay(acme, payer, "60.00", invoice.document.number)
    await credit_invoice(acme.db, acme.account_id, invoice.id, amount=40_00, reason="x", by=BY)
    today = (await get_account(acme.db, acme.account_id)).daily_date
    back = ReceivedPayment(payer_id=payer, payment_date=today, amount=40_00, currency="EUR")
    await pay_back(acme.db, acme.account_id, back, by=BY)
    await undo_payment(acme.db, acme.account_id, bounced, by=BY)
    await write_off(acme.db, acme.account_id, invoice.id, reason="Lost", by=BY)
    async with acme.db.read() as db:
        entries = await list_journal(db, acme.account_id, today, today)
        [sums] = await sum_receivables(db, acme.account_id, LAST)
    assert [(each.debit, each.amount) for each in entries if each.text == "Lost"] == [
        (Ledger.WRITTEN_OFF, 18_69),
        (Ledger.VAT, 1_31),
        (Ledger.WRITTEN_OFF, 40_00),
    ]
    assert balances(entries)["EUR", Ledger.RECEIVABLES] == sums.owed == 0
    assert await faults(acme) == []


async def entries_of(cast: Cast, day: date) -> list[JournalEntry]:
    """The journal of a day."""
    async with cast.db.read() as db:
        return await list_journal(db, cast.account_id, day, day)
