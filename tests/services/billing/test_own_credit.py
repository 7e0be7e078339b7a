"""A paid invoice is credited or replaced, and then its payment is undone or comes back."""

from datetime import date, timedelta

import pytest

from masthead.model.billing.journal import Ledger
from masthead.model.billing.terms import BillingTerms
from masthead.model.errors import Invalid
from masthead.model.pagination import PageRequest
from masthead.services.background.daily import redo_daily_pass
from masthead.services.billing.balances import use_credit, write_off
from masthead.services.billing.bank_lines import confirm_return, reopen_line
from masthead.services.billing.credit import correct_invoice
from masthead.services.billing.credit_orders import credit_invoice
from masthead.services.billing.undo import undo_payment
from masthead.services.debits.book import book_collection
from masthead.services.debits.collect import cancel_collection
from masthead.store.billing.journal import sum_receivables
from masthead.store.billing.open_on_day import list_entries_on
from masthead.store.debits.records import list_waiting
from tests.conftest import BY, Cast
from tests.services.billing.test_settled_items import give_back, pay
from tests.support.bank import bank_line, import_lines, list_lines
from tests.support.billing import (
    balances,
    bill_one,
    list_journal,
    newest_invoices,
    open_in_datev,
    payment_ids,
    read_invoice,
    turn_on_billing,
)
from tests.support.checks import faults
from tests.support.days import pass_on
from tests.support.debits import DUE, collect_all, debit_one, make_debtor, turn_on_debits

FIRST = date(2026, 3, 2)
DAYS = [FIRST + timedelta(days=days) for days in range(9)]
PAGE = PageRequest(50, None, b"")
PAID, REPLACED, RETURNED, UNDONE = DAYS[1], DAYS[3], DAYS[5], DAYS[7]


async def begin(cast: Cast) -> None:
    """Let an account bill from the first day on."""
    await redo_daily_pass(cast.db, cast.account_id, FIRST, by=BY)
    await turn_on_billing(cast)


async def replace(cast: Cast, id: str) -> str:
    """Replace an invoice; returns the id of the new one."""
    made = await correct_invoice(cast.db, cast.account_id, id, BillingTerms(), reason="Name", by=BY)
    return made.invoice_ids[0]


async def make_replaced(cast: Cast) -> tuple[str, str, str]:
    """Bill, pay and replace on three days; returns invoice, payment, and the new invoice."""
    await begin(cast)
    invoice = await bill_one(cast)
    await pass_on(cast, str(PAID))
    number = invoice.document.number
    payment = await pay(cast, invoice.payer_id, "60.00", number, reference="DD-1")
    await pass_on(cast, str(REPLACED))
    return invoice.id, payment, await replace(cast, invoice.id)


async def return_payment(cast: Cast, payment: str, amount: int, day: date) -> str:
    """Let a payment come back on a day; returns the id of the bank line."""
    back = bank_line(-amount, booking_date=day, reference="DD-1", return_reason="AM04")
    await import_lines(cast, back)
    [line] = await list_lines(cast, status="open")
    await confirm_return(cast.db, cast.account_id, line.id, payment, by=BY)
    return line.id


async def open_amounts(cast: Cast) -> list[int]:
    """What is open of all invoices and credit notes, oldest first."""
    return [each.open_amount for each in reversed(await newest_invoices(cast))]


async def open_on_days(cast: Cast) -> list[dict[str, int]]:
    """What was open on each day, by number; the journal agrees, and `check` finds no fault."""
    found = []
    async with cast.db.read() as db:
        for day in DAYS:
            page = await list_entries_on(db, cast.account_id, PAGE, day)
            entries = await list_journal(db, cast.account_id, FIRST, day)
            receivables = balances(entries)["EUR", Ledger.RECEIVABLES]
            owed = sum(each.owed for each in await sum_receivables(db, cast.account_id, day))
            assert receivables == owed == sum(each.open_amount for each in page.items), day
            found.append({each.text: each.open_amount for each in page.items})
    assert await faults(cast) == []
    return found


async def numbers_of(cast: Cast, *ids: str) -> list[str]:
    """The numbers of invoices."""
    return [(await read_invoice(cast, id)).document.number for id in ids]


async def test_the_new_invoice_is_owed_after_an_undo(acme: Cast) -> None:
    old_id, payment, new_id = await make_replaced(acme)
    old, new = await numbers_of(acme, old_id, new_id)
    await pass_on(acme, str(RETURNED))
    await undo_payment(acme.db, acme.account_id, payment, by=BY)
    assert await open_in_datev(acme) == {new: 60_00}
    # Before, it is as if the payment had never been
    assert await open_on_days(acme) == [{old: 60_00}] * 5 + [{new: 60_00}] * 4


async def test_the_new_invoice_is_owed_after_a_return_until_that_is_undone(acme: Cast) -> None:
    old_id, payment, new_id = await make_replaced(acme)
    old, new = await numbers_of(acme, old_id, new_id)
    before = await open_on_days(acme)
    assert before == [{old: 60_00}] + [{}] * 8
    await pass_on(acme, str(RETURNED))
    line_id = await return_payment(acme, payment, 60_00, RETURNED)
    assert await open_in_datev(acme) == {new: 60_00}
    assert await open_on_days(acme) == before[:5] + [{new: 60_00}] * 4
    await pass_on(acme, str(UNDONE))
    await reopen_line(acme.db, acme.account_id, line_id, by=BY)
    assert await open_in_datev(acme) == {}
    assert await open_on_days(acme) == before
    back = await confirm_return(acme.db, acme.account_id, line_id, payment, by=BY)
    assert await open_on_days(acme) == before[:5] + [{new: 60_00}] * 4
    await undo_payment(acme.db, acme.account_id, back, by=BY)
    assert await open_on_days(acme) == before


async def test_a_return_before_the_replacement_moves_the_credit_from_that_day_on(
    acme: Cast,
) -> None:
    """The statement of the bank came late."""
    old_id, payment, new_id = await make_replaced(acme)
    old, new = await numbers_of(acme, old_id, new_id)
    await pass_on(acme, str(RETURNED))
    await return_payment(acme, payment, 60_00, DAYS[2])
    assert await open_on_days(acme) == [
        {old: 60_00},
        {},
        {old: 60_00},
        *[{new: 60_00}] * 6,
    ]


async def test_a_return_is_not_undone_if_the_new_invoice_was_paid_since(acme: Cast) -> None:
    _old_id, payment, new_id = await make_replaced(acme)
    [new] = await numbers_of(acme, new_id)
    payer = (await read_invoice(acme, new_id)).payer_id
    await pass_on(acme, str(RETURNED))
    line_id = await return_payment(acme, payment, 60_00, RETURNED)
    again = await pay(acme, payer, "60.00", new)
    with pytest.raises(Invalid, match=f"Invoice {new} was paid in another way after the return"):
        await reopen_line(acme.db, acme.account_id, line_id, by=BY)
    await undo_payment(acme.db, acme.account_id, again, by=BY)
    await reopen_line(acme.db, acme.account_id, line_id, by=BY)
    assert await open_amounts(acme) == [0, 0, 0]
    assert await faults(acme) == []


async def test_the_last_of_several_replacements_is_owed(acme: Cast) -> None:
    _old_id, payment, second_id = await make_replaced(acme)
    third_id = await replace(acme, second_id)
    await pass_on(acme, str(RETURNED))
    before = await open_on_days(acme)
    line_id = await return_payment(acme, payment, 60_00, RETURNED)
    [third] = await numbers_of(acme, third_id)
    assert await open_in_datev(acme) == {third: 60_00}
    assert (await open_on_days(acme))[5:] == [{third: 60_00}] * 4
    await reopen_line(acme.db, acme.account_id, line_id, by=BY)
    assert await open_on_days(acme) == before
    await undo_payment(acme.db, acme.account_id, payment, by=BY)
    assert await open_in_datev(acme) == {third: 60_00}
    assert await open_amounts(acme) == [0, 0, 0, 0, 60_00]
    await open_on_days(acme)


async def test_credit_of_a_part_is_used_for_its_own_invoice_first(acme: Cast) -> None:
    """Two payments, of which one comes back; 30 of the credit paid another invoice, 10 are left."""
    await begin(acme)
    first = await bill_one(acme, order_id="A")
    payer, number = first.payer_id, first.document.number
    second = await bill_one(acme, order_id="B", payer_id=payer)
    await pay(acme, payer, "10.00", number)
    payment = await pay(acme, payer, "50.00", number, reference="DD-1")
    await pay(acme, payer, "30.00", second.document.number)
    await credit_invoice(acme.db, acme.account_id, first.id, amount=40_00, reason="x", by=BY)
    await use_credit(acme.db, acme.account_id, second.id, by=BY)
    assert await open_amounts(acme) == [0, 0, -10_00]
    await pass_on(acme, str(RETURNED))
    before = await open_on_days(acme)
    line_id = await return_payment(acme, payment, 50_00, RETURNED)
    assert await open_amounts(acme) == [10_00, 30_00, 0]
    assert await open_in_datev(acme) == {number: 10_00, second.document.number: 30_00}
    await open_on_days(acme)
    await reopen_line(acme.db, acme.account_id, line_id, by=BY)
    assert await open_on_days(acme) == before
    await undo_payment(acme.db, acme.account_id, payment, by=BY)
    assert await open_amounts(acme) == [10_00, 30_00, 0]
    await open_on_days(acme)


async def test_credit_that_went_back_settles_its_invoice_if_that_is_undone(acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    wrong = await pay(acme, invoice.payer_id, "60.00", invoice.document.number)
    await credit_invoice(acme.db, acme.account_id, invoice.id, amount=40_00, reason="x", by=BY)
    await give_back(acme, invoice.payer_id, 40_00)
    await undo_payment(acme.db, acme.account_id, wrong, by=BY)
    assert await open_amounts(acme) == [60_00, 0]
    [back] = await payment_ids(acme, sign=-1)
    await undo_payment(acme.db, acme.account_id, back, by=BY)
    assert await open_amounts(acme) == [20_00, 0]
    assert await write_off(acme.db, acme.account_id, invoice.id, reason="x", by=BY) == 20_00
    assert await open_in_datev(acme) == {}
    assert await faults(acme) == []


async def test_an_invoice_that_is_being_collected_waits_for_its_money(acme: Cast) -> None:
    await turn_on_debits(acme)
    invoice = await debit_one(acme, await make_debtor(acme))
    collection = await collect_all(acme)
    await pass_on(acme, DUE)
    await book_collection(acme.db, acme.account_id, collection.id, by=BY)
    [payment] = await payment_ids(acme, sign=1)
    new_id = await replace(acme, invoice.id)
    await undo_payment(acme.db, acme.account_id, payment, by=BY)
    assert await open_amounts(acme) == [60_00, 0, 0]
    await book_collection(acme.db, acme.account_id, collection.id, by=BY)
    assert await open_amounts(acme) == [0, 0, 0]
    *_first, again = await payment_ids(acme, sign=1)
    await undo_payment(acme.db, acme.account_id, again, by=BY)
    await cancel_collection(acme.db, acme.account_id, collection.id, by=BY)
    assert await open_amounts(acme) == [0, 0, 60_00]
    async with acme.db.read() as db:
        waiting = await list_waiting(db, acme.account_id, limit=9)
    assert [each.invoice_id for each in waiting] == [new_id]
    assert await faults(acme) == []


async def test_what_is_being_collected_is_not_written_off_before_its_credit_is_used(
    acme: Cast,
) -> None:
    await turn_on_debits(acme)
    invoice = await debit_one(acme, await make_debtor(acme))
    collection = await collect_all(acme)
    await pass_on(acme, DUE)
    await book_collection(acme.db, acme.account_id, collection.id, by=BY)
    await credit_invoice(acme.db, acme.account_id, invoice.id, amount=40_00, reason="x", by=BY)
    [payment] = await payment_ids(acme, sign=1)
    await undo_payment(acme.db, acme.account_id, payment, by=BY)
    with pytest.raises(Invalid, match="is not used up"):
        await write_off(acme.db, acme.account_id, invoice.id, reason="x", by=BY)
    await use_credit(acme.db, acme.account_id, invoice.id, by=BY)
    assert await write_off(acme.db, acme.account_id, invoice.id, reason="x", by=BY) == 20_00
    assert await open_in_datev(acme) == {}
    assert await faults(acme) == []


async def test_two_returns_of_an_invoice_are_undone_in_any_order(acme: Cast) -> None:
    await begin(acme)
    invoice = await bill_one(acme)
    payer, number = invoice.payer_id, invoice.document.number
    large = await pay(acme, payer, "50.00", number, reference="DD-1")
    small = await pay(acme, payer, "10.00", number, reference="DD-2")
    await credit_invoice(acme.db, acme.account_id, invoice.id, amount=40_00, reason="x", by=BY)
    first = await return_payment(acme, large, 50_00, FIRST)
    assert await open_amounts(acme) == [10_00, 0]
    second = await return_payment(acme, small, 10_00, FIRST)
    assert await open_amounts(acme) == [20_00, 0]
    await reopen_line(acme.db, acme.account_id, first, by=BY)
    assert await open_amounts(acme) == [0, -30_00]
    await reopen_line(acme.db, acme.account_id, second, by=BY)
    assert await open_amounts(acme) == [0, -40_00]
    await open_on_days(acme)
