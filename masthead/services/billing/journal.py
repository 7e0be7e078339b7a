"""The journal, and what was sold by country and rate of VAT, of some days."""

from collections import Counter
from datetime import date

from msgspec import structs

from masthead.model.billing.documents import DocumentKind
from masthead.model.billing.journal import JournalEntry, JournalSale, Ledger
from masthead.model.billing.orders import Taxation
from masthead.model.billing.sales import PaidOrders, VatLine, add_up_vat, sales_of
from masthead.model.billing.vat import TaxedPart, split_days
from masthead.model.translations import gettext as _
from masthead.model.types.enums import PaymentMethod
from masthead.services.billing.pricing import find_taxation_on
from masthead.store.billing import journal, journal_sums, paid_orders
from masthead.store.billing.journal import PaidAmount
from masthead.store.billing.journal_sums import SoldSum
from masthead.store.billing.settled_items import list_settled_items, list_used_credit
from masthead.store.billing.write_offs import list_write_offs
from masthead.store.engine.interface import Connection


async def _list_sales(
    db: Connection, account_id: int, first: date, last: date, taxation: Taxation | None
) -> list[JournalSale]:
    """What was sold on some days: documents by their date, then orders paid at once by theirs.

    taxation: of any day. Queries: four, read aside.
    """
    sales = [
        JournalSale(
            day=each.issue_date,
            document=each.number,
            text=each.payer_name,
            currency=each.currency,
            country=each.country,
            tax=TaxedPart(each.category, each.rate),
            net=each.net,
            vat=each.vat,
            customer=each.customer,
            is_fee=each.kind is DocumentKind.FEE,
            settles=each.corrects,
        )
        for each in await journal.list_billed_sales(db, account_id, first, last)
    ]
    paid = await paid_orders.list_paid_orders(db, account_id, first, last)
    return [*sales, *sales_of(paid, taxation)]


async def add_up_sales(db: Connection, account_id: int, first: date, last: date) -> list[VatLine]:
    """What was sold on some days, by country and rate.

    Queries: six, and three more for each change of VAT in between; read aside.
    """
    billed = await journal_sums.sum_billed_sales(db, account_id, first, last)
    paid, taxation = await _list_paid_at_once(db, account_id, first, last)
    return add_up_vat(map(_sale, billed), paid, taxation)


async def add_up_taken(db: Connection, account_id: int, first: date, last: date) -> list[VatLine]:
    """What came in on some days, by country and rate: together, the takings of these days.

    Payments count on the day from which they settle an invoice. What is for no invoice yet has no
    country and no rate; it is below zero if earlier payments were used.
    Queries: seven, and three more for each change of VAT in between; read aside.
    """
    taken = await journal_sums.sum_taken(db, account_id, first, last)
    unused = Counter(await journal_sums.sum_payments(db, account_id, first, last))
    for each in taken:
        unused[each.currency] -= each.net + each.vat
    paid, taxation = await _list_paid_at_once(db, account_id, first, last)
    return add_up_vat(map(_sale, taken), paid, taxation) + [
        VatLine(country="", currency=currency, tax=None, net=amount, vat=0)
        for currency, amount in sorted(unused.items())
        if amount
    ]


def _sale(summed: SoldSum) -> JournalSale:
    """A sum of documents, of no day."""
    return JournalSale(
        day=date.min,
        document="",
        text="",
        currency=summed.currency,
        country=summed.country,
        tax=TaxedPart(summed.category, summed.rate),
        net=summed.net,
        vat=summed.vat,
    )


async def _list_paid_at_once(
    db: Connection, account_id: int, first: date, last: date
) -> tuple[list[PaidOrders], Taxation | None]:
    """Orders of some days that were paid at once, and their refunds, with the rates of VAT."""
    taxation = await find_taxation_on(db, account_id, first)
    turns = taxation.turns if taxation else []
    paid = [
        each
        for start, end in split_days(first, last, turns)
        for each in await paid_orders.list_paid_orders(db, account_id, start, end, by_day=False)
    ]
    return paid, taxation


async def list_taxed_entries(
    db: Connection, account_id: int, first: date, last: date, taxation: Taxation | None
) -> list[JournalEntry]:
    """All entries of some days, by day. taxation: of any day. Queries: eight, read aside.

    A payment has an entry for each invoice that it settled, and one for what is left of it.
    """
    sales = await _list_sales(db, account_id, first, last, taxation)
    entries = [entry for sale in sales for entry in sale.entries]
    settled = await list_settled_items(db, account_id, first, last)
    for payment in await journal.list_payments(db, account_id, first, last):
        debit = Ledger.CASH if payment.method is PaymentMethod.CASH else Ledger.BANK
        rest = payment.amount
        for each in settled.get(payment.document, ()):
            rest -= each.amount
            part = structs.replace(payment, customer=each.customer, amount=each.amount)
            entries.append(_entry(part, debit, settles=each.number))
        if rest:
            entries.append(_entry(structs.replace(payment, amount=rest), debit))
    for written_off in await list_write_offs(db, account_id, first, last):
        entries += written_off.entries
    for used in await list_used_credit(db, account_id, first, last):
        entries += used.entries
    return sorted(entries, key=lambda each: each.day)


def _entry(paid: PaidAmount, debit: Ledger, *, settles: str = "") -> JournalEntry:
    """The entry that lowers what is owed."""
    return JournalEntry(
        day=paid.day,
        document=paid.document,
        text=paid.text or paid.payer_name or _(debit),
        debit=debit,
        credit=Ledger.RECEIVABLES,
        amount=paid.amount,
        currency=paid.currency,
        customer=paid.customer,
        settles=settles,
    )
