"""Payments, what they settle, and how they are undone."""

from datetime import date, timedelta
from typing import Any

import pytest

from masthead.model.billing.inputs import PaymentCreate
from masthead.model.billing.journal import Ledger
from masthead.model.billing.lists import AccountEntry
from masthead.model.billing.terms import BillingTerms
from masthead.model.errors import Invalid
from masthead.model.pagination import Page, PageRequest, all_pages
from masthead.model.types.enums import PaymentMethod
from masthead.model.validation import decode_input
from masthead.services.billing.balances import pay_back, use_credit, write_off
from masthead.services.billing.credit import correct_invoice
from masthead.services.billing.credit_orders import credit_invoice
from masthead.services.billing.payments import ReceivedPayment, create_payment
from masthead.services.billing.seen import require_same_open
from masthead.services.billing.undo import undo_payment
from masthead.store.accounts import get_account
from masthead.store.billing import payments
from masthead.store.billing.balances import list_entries as list_account
from masthead.store.billing.payments import StoredPayment
from tests.conftest import BY, Cast
from tests.support.billing import (
    balances,
    bill_one,
    list_journal,
    owed_by_customer,
    read_invoice,
    turn_on_billing,
)
from tests.support.checks import faults


async def pay(cast: Cast, **fields: Any) -> StoredPayment:
    """Record a payment."""
    body = decode_input(PaymentCreate, fields)
    id = await create_payment(cast.db, cast.account_id, body, by=BY)
    return await read_payment(cast, id)


async def read_payment(cast: Cast, id: str) -> StoredPayment:
    """A payment as it is stored now."""
    async with cast.db.read() as connection:
        return await payments.get_payment(connection, cast.account_id, id)


async def test_a_payment_is_not_dated_in_the_future(acme: Cast) -> None:
    await turn_on_billing(acme)
    payer = (await bill_one(acme)).payer_id
    async with acme.db.read() as db:
        tomorrow = (await get_account(db, acme.account_id)).daily_date + timedelta(days=1)
    with pytest.raises(Invalid, match="in the future") as refusal:
        await pay(acme, amount="20.00", payer=payer, payment_date=tomorrow.isoformat())
    assert refusal.value.field == "payment_date"
    await pay(acme, amount="70.00", payer=payer)
    back = ReceivedPayment(payer_id=payer, payment_date=tomorrow, amount=10_00, currency="EUR")
    with pytest.raises(Invalid, match="in the future"):
        await pay_back(acme.db, acme.account_id, back, by=BY)


async def test_a_payment_may_come_two_years_before_its_invoice(acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    parts = [{"number": invoice.document.number}]
    issued = invoice.document.issue_date
    early, latest = issued - timedelta(days=732), issued - timedelta(days=731)
    message = f"more than two years before invoice {invoice.document.number} was issued"
    with pytest.raises(Invalid, match=message) as refusal:
        await pay(acme, amount="20.00", invoices=parts, payment_date=early.isoformat())
    assert (refusal.value.field, refusal.value.value) == ("payment_date", early)
    assert (await read_invoice(acme, invoice.id)).open_amount == 6000
    await pay(acme, amount="10.00", invoices=parts, payment_date=latest.isoformat())
    await pay(acme, amount="5.00", payer=invoice.payer_id, payment_date=latest.isoformat())
    assert (await read_invoice(acme, invoice.id)).open_amount == 4500
    assert await faults(acme) == []


async def test_credit_is_at_most_two_years_old(acme: Cast) -> None:
    await turn_on_billing(acme)
    payer = (await bill_one(acme)).payer_id
    await pay(acme, amount="60.00", payer=payer)
    async with acme.db.read() as db:
        today = (await get_account(db, acme.account_id)).daily_date
    old = today - timedelta(days=732)
    with pytest.raises(Invalid, match="and settles no invoice") as refusal:
        await pay(acme, amount="20.00", payer=payer, payment_date=old.isoformat())
    assert refusal.value.field == "payment_date"
    oldest = (today - timedelta(days=731)).isoformat()
    assert (await pay(acme, amount="20.00", payer=payer, payment_date=oldest)).unused_amount == 2000


async def test_money_does_not_go_back_in_the_future(acme: Cast) -> None:
    await turn_on_billing(acme)
    payer = (await bill_one(acme)).payer_id
    paid = await pay(acme, amount="80.00", payer=payer)
    back = ReceivedPayment(
        payer_id=payer,
        payment_date=paid.payment_date + timedelta(days=1),
        amount=2000,
        currency="EUR",
    )
    with pytest.raises(Invalid, match="in the future"):
        await pay_back(acme.db, acme.account_id, back, by=BY)


async def test_a_payment_settles_an_invoice_in_parts(acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    assert invoice.document.seller.letterhead == 0
    number = invoice.document.number
    await pay(acme, amount="20.00", invoices=[{"number": number}])
    assert (await read_invoice(acme, invoice.id)).open_amount == 4000
    last = await pay(acme, amount="45.00", invoices=[{"number": number}])
    assert (await read_invoice(acme, invoice.id)).open_amount == 0
    assert last.unused_amount == 500
    assert last.payer_id == invoice.payer_id


async def test_a_payment_of_a_payer_settles_the_invoice_of_its_amount(acme: Cast) -> None:
    await turn_on_billing(acme)
    older = await bill_one(acme, order_id="A", email="a@example.org", due_days=3)
    newer = await bill_one(acme, order_id="B", email="a@example.org", price="48.00", due_days=30)
    await pay(acme, amount="48.00", payer=older.payer_id)
    assert (await read_invoice(acme, newer.id)).open_amount == 0
    await pay(acme, amount="10.00", payer=older.payer_id)
    assert (await read_invoice(acme, older.id)).open_amount == 5000


async def test_an_account_goes_on_with_the_entry_after_the_last_one_of_a_page(acme: Cast) -> None:
    await turn_on_billing(acme)
    await bill_one(acme, order_id="A", email="a@example.org")
    invoice = await bill_one(acme, order_id="B", email="a@example.org")
    await pay(acme, amount="10.00", payer=invoice.payer_id)

    async def read(request: PageRequest) -> Page[AccountEntry]:
        async with acme.db.read() as db:
            return await list_account(db, acme.account_id, invoice.payer_id, request)

    whole = (await read(PageRequest(limit=10, after=None, binding=b""))).items
    found = [each async for page in all_pages(read, limit=1) for each in page]
    assert sorted(each.amount for each in found) == [-1000, 6000, 6000]
    assert found == list(whole)


async def test_accounts_of_payers_say_what_one_paid_for_the_other(acme: Cast) -> None:
    await turn_on_billing(acme)
    ann = await bill_one(acme, order_id="A", email="a@example.org")
    bea = await bill_one(acme, order_id="B", email="b@example.org")
    numbers = [{"number": each.document.number} for each in (ann, bea)]
    payment = await pay(acme, amount="130.00", invoices=numbers)
    request = PageRequest(limit=10, after=None, binding=b"")

    async def read(payer_id: str) -> list[tuple[str, int, int]]:
        async with acme.db.read() as db:
            found = await list_account(db, acme.account_id, payer_id, request)
        return sorted((each.kind, each.amount, each.balance) for each in found.items)

    by_ann = await read(ann.payer_id)
    assert sorted(each[:2] for each in by_ann) == [
        ("invoice", 6000),
        ("paid_for_other", 6000),
        ("payment", -13000),
    ]
    assert sorted(each[:2] for each in await read(bea.payer_id)) == [
        ("invoice", 6000),
        ("paid_by_other", -6000),
    ]
    assert -1000 in {balance for _kind, _amount, balance in by_ann}  # what is too much
    assert await owed_by_customer(acme) == {1: -1000, 2: 0}
    await undo_payment(acme.db, acme.account_id, payment.id, by=BY)
    assert await read(bea.payer_id) == [("invoice", 6000, 6000)]
    assert await owed_by_customer(acme) == {1: 6000, 2: 6000}


async def test_an_undone_payment_opens_its_invoices_again(acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    payment = await pay(acme, amount="70.00", payer=invoice.payer_id)
    await undo_payment(acme.db, acme.account_id, payment.id, by=BY)
    assert (await read_invoice(acme, invoice.id)).open_amount == 6000
    assert (await read_payment(acme, payment.id)).unused_amount == 0
    with pytest.raises(Invalid, match="undone already"):
        await undo_payment(acme.db, acme.account_id, payment.id, by=BY)


@pytest.mark.parametrize(
    "fields, code",
    [
        ({"amount": "60.00", "invoices": [{"number": "2020-00009"}]}, "unknown_invoice"),
        ({"amount": "60.00", "currency": "USD"}, "other_currency"),
        ({"amount": "50.00", "part": "60.00"}, "more_than_paid"),
        ({"amount": "99.00", "part": "61.00"}, "more_than_open"),
    ],
)
async def test_a_payment_that_does_not_fit_is_refused(
    acme: Cast, fields: dict[str, Any], code: str
) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    part = {"number": invoice.document.number}
    sent = {"invoices": [part], **fields}
    if "part" in sent:
        part["amount"] = sent.pop("part")
    with pytest.raises(Invalid) as refusal:
        await pay(acme, **sent)
    assert refusal.value.code == code
    assert (await read_invoice(acme, invoice.id)).open_amount == 6000


@pytest.mark.parametrize("amount", [{}, {"amount": "5.00"}])
async def test_a_settled_invoice_is_named_by_number_and_field(
    acme: Cast, amount: dict[str, str]
) -> None:
    await turn_on_billing(acme)
    number = (await bill_one(acme)).document.number
    await pay(acme, amount="60.00", invoices=[{"number": number}])
    with pytest.raises(Invalid, match=f"Invoice {number} is settled already") as refusal:
        await pay(acme, amount="5.00", invoices=[{"number": number, **amount}])
    assert (refusal.value.code, refusal.value.field) == ("not_open", "invoices[0].number")


async def test_a_payment_that_is_too_small_pays_the_invoices_named_first(acme: Cast) -> None:
    await turn_on_billing(acme)
    first = await bill_one(acme, order_id="A", email="a@example.org")
    second = await bill_one(acme, order_id="B", email="a@example.org")
    named = [{"number": each.document.number} for each in (second, first)]
    await pay(acme, amount="60.00", invoices=named)
    assert [(await read_invoice(acme, each.id)).open_amount for each in (first, second)] == [
        6000,
        0,
    ]


async def test_a_form_about_an_invoice_of_another_account_is_refused(
    acme: Cast, rival: Cast
) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    await require_same_open(acme.db, acme.account_id, {invoice.id: 6000})
    with pytest.raises(Invalid, match="An invoice has changed since you opened") as refusal:
        await require_same_open(rival.db, rival.account_id, {invoice.id: 6000})
    assert refusal.value.code == "changed_meanwhile"


async def test_a_credit_note_takes_back_a_part_of_what_is_owed(acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    id = await credit_invoice(
        acme.db, acme.account_id, invoice.id, amount=1500, reason="Late", by=BY
    )
    note = await read_invoice(acme, id)
    assert (note.document.total, note.document.vat, note.open_amount) == (1500, 98, 0)
    assert note.document.corrects == invoice.document.number
    assert (await read_invoice(acme, invoice.id)).open_amount == 4500
    rest = await credit_invoice(
        acme.db, acme.account_id, invoice.id, amount=None, reason="Cancelled", by=BY
    )
    document = (await read_invoice(acme, rest)).document
    assert (document.total, document.vat) == (4500, 295)
    with pytest.raises(Invalid, match="credited completely"):
        await credit_invoice(
            acme.db, acme.account_id, invoice.id, amount=None, reason="Again", by=BY
        )
    for of, code in ((invoice, "credited"), (note, "not_an_invoice")):
        with pytest.raises(Invalid) as refusal:
            await correct_invoice(
                acme.db, acme.account_id, of.id, BillingTerms(), reason="Again", by=BY
            )
        assert refusal.value.code == code


async def test_what_was_paid_before_a_credit_note_is_paid_back(acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    await pay(acme, amount="60.00", payer=invoice.payer_id)
    id = await credit_invoice(
        acme.db, acme.account_id, invoice.id, amount=2000, reason="Late", by=BY
    )
    assert (await read_invoice(acme, id)).open_amount == -2000
    back = ReceivedPayment(
        payer_id=invoice.payer_id, payment_date=date(2026, 1, 15), amount=2500, currency="EUR"
    )
    with pytest.raises(Invalid, match=r"payer is €20\.00"):
        await pay_back(acme.db, acme.account_id, back, by=BY)
    back = ReceivedPayment(
        payer_id=invoice.payer_id, payment_date=date(2026, 1, 15), amount=2000, currency="EUR"
    )
    made = await pay_back(acme.db, acme.account_id, back, by=BY)
    assert (await read_invoice(acme, id)).open_amount == 0
    assert (await read_payment(acme, made)).amount == -2000
    await undo_payment(acme.db, acme.account_id, made, by=BY)
    assert (await read_invoice(acme, id)).open_amount == -2000


async def test_too_much_pays_the_next_invoice(acme: Cast) -> None:
    await turn_on_billing(acme)
    first = await bill_one(acme, order_id="A", email="a@example.org")
    payment = await pay(acme, amount="70.00", payer=first.payer_id)
    second = await bill_one(acme, order_id="B", email="a@example.org")
    assert await use_credit(acme.db, acme.account_id, second.id, by=BY) == 1000
    assert (await read_invoice(acme, second.id)).open_amount == 5000
    assert (await read_payment(acme, payment.id)).unused_amount == 0
    with pytest.raises(Invalid, match="no credit of this payer") as refusal:
        await use_credit(acme.db, acme.account_id, second.id, by=BY)
    assert refusal.value.code == "no_credit"


async def test_credit_of_several_payments_is_used_as_far_as_it_is_needed(acme: Cast) -> None:
    await turn_on_billing(acme)
    paid = await bill_one(acme, order_id="A", email="a@example.org")
    await pay(acme, amount="60.00", payer=paid.payer_id)
    older, newer = [await pay(acme, amount="80.00", payer=paid.payer_id) for _ in range(2)]
    invoice = await bill_one(acme, order_id="B", email="a@example.org")
    assert await use_credit(acme.db, acme.account_id, invoice.id, by=BY) == 6000

    async def unused() -> list[int]:
        return [(await read_payment(acme, each.id)).unused_amount for each in (older, newer)]

    assert await unused() == [2000, 8000]
    back = ReceivedPayment(
        payer_id=paid.payer_id, payment_date=date(2026, 1, 15), amount=1500, currency="EUR"
    )
    made = await pay_back(acme.db, acme.account_id, back, by=BY)
    assert await unused() == [500, 8000]
    with pytest.raises(Invalid, match="A part of this payment was paid back") as refusal:
        await undo_payment(acme.db, acme.account_id, older.id, by=BY)
    assert refusal.value.code == "paid_back"
    await undo_payment(acme.db, acme.account_id, made, by=BY)
    assert await unused() == [2000, 8000]


async def test_an_invoice_is_written_off(acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    assert await write_off(acme.db, acme.account_id, invoice.id, reason="Moved", by=BY) == 6000
    assert (await read_invoice(acme, invoice.id)).open_amount == 0
    with pytest.raises(Invalid, match="Nothing is open"):
        await write_off(acme.db, acme.account_id, invoice.id, reason="Moved", by=BY)


async def test_a_write_off_corrects_the_vat_of_what_was_left(acme: Cast) -> None:
    await turn_on_billing(acme, digital_percent=50)
    invoice = await bill_one(acme, medium="Print + digital", price="200.00")
    await credit_invoice(acme.db, acme.account_id, invoice.id, amount=10_000, reason="Half", by=BY)
    await pay(acme, amount="22.60", payer=invoice.payer_id)
    await write_off(acme.db, acme.account_id, invoice.id, reason="Moved", by=BY)
    async with acme.db.read() as db:
        day = invoice.document.issue_date
        entries = await list_journal(db, acme.account_id, day, day)
    lost = [each for each in entries if each.text == "Moved"]
    assert [(each.debit, each.credit, each.amount, each.tax.rate) for each in lost if each.tax] == [
        (Ledger.WRITTEN_OFF, Ledger.RECEIVABLES, 3617, 700),
        (Ledger.VAT, Ledger.RECEIVABLES, 253, 700),
        (Ledger.WRITTEN_OFF, Ledger.RECEIVABLES, 3252, 1900),
        (Ledger.VAT, Ledger.RECEIVABLES, 618, 1900),
    ]
    assert balances(entries)["EUR", Ledger.RECEIVABLES] == 0


async def test_a_wrong_invoice_is_replaced(acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    await pay(acme, amount="25.00", payer=invoice.payer_id, method=PaymentMethod.CASH)
    corrected = await correct_invoice(
        acme.db,
        acme.account_id,
        invoice.id,
        BillingTerms(order_reference="PO 9"),
        reason="Order number",
        by=BY,
    )
    [id] = corrected.invoice_ids
    new, note = await read_invoice(acme, id), await read_invoice(acme, corrected.credit_note_id)
    assert new.document.order_reference == "PO 9"
    assert (new.document.total, new.open_amount, note.open_amount) == (6000, 3500, 0)
    assert (await read_invoice(acme, invoice.id)).open_amount == 0
