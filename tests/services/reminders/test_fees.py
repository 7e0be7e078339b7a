"""The fee of a reminder from its letter to the books: every cent is in one place."""

from collections.abc import Awaitable, Callable
from datetime import date

import pytest
from msgspec import Struct

from masthead.model.billing.documents import DocumentKind
from masthead.model.billing.journal import Ledger
from masthead.model.billing.terms import BillingTerms
from masthead.model.errors import Invalid
from masthead.model.pagination import PageRequest
from masthead.model.revenue.takings import MonthRange
from masthead.services.background.daily import redo_daily_pass
from masthead.services.billing.balances import pay_back, use_credit, write_off, write_off_all
from masthead.services.billing.bank_lines import confirm_return
from masthead.services.billing.credit import correct_invoice
from masthead.services.billing.credit_orders import credit_invoice
from masthead.services.billing.journal import add_up_sales, add_up_taken
from masthead.services.billing.payments import ReceivedPayment
from masthead.services.billing.undo import undo_payment
from masthead.store.billing import balances as account_store, owed
from masthead.store.billing.invoices import StoredInvoice
from masthead.store.revenue.takings import list_takings
from tests.conftest import BY, Cast
from tests.services.billing.test_payments import pay
from tests.support.bank import bank_line, import_lines, list_lines
from tests.support.billing import (
    balances,
    bill_one,
    list_journal,
    newest_invoices,
    open_in_datev,
    read_invoice,
)
from tests.support.checks import faults
from tests.support.days import pass_on
from tests.support.reminders import remind, turn_on_reminders

YEAR = date(2026, 1, 1), date(2026, 12, 31)
DAY = date(2026, 6, 9)  # of the reminder and of all that follows


class Reminded(Struct, frozen=True):
    """An invoice of 60.00 that was reminded of, with the fee of 5.00."""

    cast: Cast
    invoice: StoredInvoice
    fee: StoredInvoice

    @property
    def payer(self) -> str:
        """The payer of both."""
        return self.invoice.payer_id

    async def pay(self, amount: str, *of: StoredInvoice, reference: str = "") -> str:
        """Record a payment: of these, or of what fits; returns its id."""
        chosen = {"invoices": [{"number": each.document.number} for each in of]} if of else {}
        fields = {"amount": amount, "payer": self.payer, "reference": reference, **chosen}
        return (await pay(self.cast, **fields)).id

    async def give_up(self, *those: StoredInvoice) -> None:
        """Write an invoice off, or waive a fee."""
        ids = [each.id for each in those]
        await write_off_all(self.cast.db, self.cast.account_id, ids, reason="x", by=BY)

    async def credit(self, amount: int | None = None) -> None:
        """Issue a credit note for the invoice."""
        db, account_id = self.cast.db, self.cast.account_id
        await credit_invoice(db, account_id, self.invoice.id, amount=amount, reason="x", by=BY)


async def make_reminded(cast: Cast) -> Reminded:
    await turn_on_reminders(cast, fees=(500, 0, 0))
    await redo_daily_pass(cast.db, cast.account_id, date(2026, 6, 1), by=BY)
    invoice = await bill_one(cast, due_days=1, email="ada@example.org")
    await pass_on(cast, DAY.isoformat())
    await remind(cast, 1)
    [fee, _invoice] = await newest_invoices(cast)
    assert fee.kind is DocumentKind.FEE
    return Reminded(cast, invoice, fee)


async def nothing(_it: Reminded) -> None:
    """The payer does not react."""


async def pays_the_invoice(it: Reminded) -> None:
    await it.pay("60.00")


async def pays_both(it: Reminded) -> None:
    await it.pay("65.00")


async def pays_the_fee(it: Reminded) -> None:
    await it.pay("5.00", it.fee)


async def pays_a_part_of_both(it: Reminded) -> None:
    await it.pay("62.00", it.invoice, it.fee)


async def pays_too_much(it: Reminded) -> None:
    await it.pay("70.00")


async def is_waived(it: Reminded) -> None:
    await it.pay("60.00")
    await it.give_up(it.fee)


async def is_waived_in_part(it: Reminded) -> None:
    await it.pay("62.00", it.invoice, it.fee)
    await it.give_up(it.fee)


async def is_written_off(it: Reminded) -> None:
    await it.give_up(it.invoice, it.fee)


async def is_credited(it: Reminded) -> None:
    await it.credit()


async def is_credited_after_both_were_paid(it: Reminded) -> None:
    await it.pay("65.00")
    await it.credit(20_00)
    back = ReceivedPayment(payer_id=it.payer, payment_date=DAY, amount=15_00, currency="EUR")
    await pay_back(it.cast.db, it.cast.account_id, back, by=BY)


async def credit_pays_the_fee(it: Reminded) -> None:
    await it.pay("67.00", it.invoice)
    await use_credit(it.cast.db, it.cast.account_id, it.fee.id, by=BY)


async def comes_back(it: Reminded) -> None:
    id = await it.pay("65.00", reference="DD-1")
    back = bank_line(-65_00, booking_date=DAY, reference="DD-1", return_reason="AC04")
    await import_lines(it.cast, back)
    [line] = await list_lines(it.cast)
    await confirm_return(it.cast.db, it.cast.account_id, line.id, id, by=BY)


async def is_undone(it: Reminded) -> None:
    await undo_payment(it.cast.db, it.cast.account_id, await it.pay("65.00"), by=BY)


# What is open of the invoice and of the fee; credit of the payer; what came; net sales; income from
# fees; net loss; VAT
CASES: list[tuple[Callable[[Reminded], Awaitable[None]], tuple[int, ...]]] = [
    (nothing, (6000, 500, 0, 0, 5607, 500, 0, 393)),
    (pays_the_invoice, (0, 500, 0, 6000, 5607, 500, 0, 393)),
    (pays_both, (0, 0, 0, 6500, 5607, 500, 0, 393)),
    (pays_the_fee, (6000, 0, 0, 500, 5607, 500, 0, 393)),
    (pays_a_part_of_both, (0, 300, 0, 6200, 5607, 500, 0, 393)),
    (pays_too_much, (0, 0, 500, 7000, 5607, 500, 0, 393)),
    (is_waived, (0, 0, 0, 6000, 5607, 0, 0, 393)),
    (is_waived_in_part, (0, 0, 0, 6200, 5607, 200, 0, 393)),
    (is_written_off, (0, 0, 0, 0, 5607, 0, 5607, 0)),
    (is_credited, (0, 500, 0, 0, 0, 500, 0, 0)),
    (is_credited_after_both_were_paid, (0, 0, 500, 5000, 3738, 500, 0, 262)),
    (credit_pays_the_fee, (0, 0, 200, 6700, 5607, 500, 0, 393)),
    (comes_back, (6000, 500, 0, 0, 5607, 500, 0, 393)),
    (is_undone, (6000, 500, 0, 0, 5607, 500, 0, 393)),
]


@pytest.mark.parametrize("happens, expected", CASES, ids=[each[0].__name__ for each in CASES])
async def test_every_cent_of_a_fee_is_in_one_place(
    acme: Cast, happens: Callable[[Reminded], Awaitable[None]], expected: tuple[int, ...]
) -> None:
    open_invoice, open_fee, credit, came, sales, fees, lost, vat = expected
    it = await make_reminded(acme)
    await happens(it)
    assert (await read_invoice(acme, it.invoice.id)).open_amount == open_invoice
    assert (await read_invoice(acme, it.fee.id)).open_amount == open_fee
    still = open_invoice + open_fee - credit
    async with acme.db.read(aside=True) as db:
        books = balances(await list_journal(db, acme.account_id, *YEAR))
        taken = await add_up_taken(db, acme.account_id, *YEAR)
        sold = await add_up_sales(db, acme.account_id, *YEAR)
        months = await list_takings(db, acme.account_id, MonthRange("2026-01", "2026-12"))
        owing = await owed.sum_open(db, acme.account_id)
        listed = await account_store.list_entries(
            db, acme.account_id, it.payer, PageRequest(50, None, b"")
        )
    assert {ledger: amount for (_currency, ledger), amount in books.items() if amount} == {
        ledger: amount
        for ledger, amount in (
            (Ledger.RECEIVABLES, still),
            (Ledger.BANK, came),
            (Ledger.SALES, -sales),
            (Ledger.REMINDER_FEES, -fees),
            (Ledger.WRITTEN_OFF, lost),
            (Ledger.VAT, -vat),
        )
        if amount
    }
    assert listed.items[0].balance == still
    assert owing.get("EUR", 0) == still
    assert sum(each.net + each.vat for each in taken) == came
    assert sum(each.received for each in months) == came
    # No fee is in a VAT return; what is written off is subtracted by hand
    assert sum(each.net for each in sold) == sales
    notes = [each for each in await newest_invoices(acme) if each.corrects_id]
    found = await open_in_datev(acme)
    assert found.get(it.fee.document.number, 0) == open_fee
    assert found.get(it.invoice.document.number, 0) == open_invoice + sum(
        each.open_amount for each in notes
    )
    assert sum(found.values()) == still
    assert await faults(acme) == []


async def test_a_fee_is_waived_once_and_neither_credited_nor_replaced(acme: Cast) -> None:
    it = await make_reminded(acme)
    db, account_id = acme.db, acme.account_id
    with pytest.raises(Invalid, match="is a fee"):
        await credit_invoice(db, account_id, it.fee.id, amount=None, reason="x", by=BY)
    with pytest.raises(Invalid, match="is a fee"):
        await correct_invoice(db, account_id, it.fee.id, BillingTerms(), reason="x", by=BY)
    assert await write_off(db, account_id, it.fee.id, reason="x", by=BY) == 500
    with pytest.raises(Invalid, match="Nothing is open"):
        await write_off(db, account_id, it.fee.id, reason="x", by=BY)
