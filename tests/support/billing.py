"""Accounts that write invoices, and their orders."""

import csv
from collections import Counter
from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from typing import Any

from masthead.model.billing.datev import datev_lines
from masthead.model.billing.exchange_rates import ExchangeRate
from masthead.model.billing.inputs import PaymentCreate
from masthead.model.billing.journal import JournalEntry, Ledger
from masthead.model.billing.ledger_accounts import list_names, propose
from masthead.model.billing.settings import BillingInput
from masthead.model.billing.vat import VatRate, one_stop_shop
from masthead.model.orders.entry import OrderCreate, PlacedOrder
from masthead.model.orders.order import OrderDefaults
from masthead.model.types.enums import Medium
from masthead.model.validation import decode_input
from masthead.services.billing.exchange_rates import save_exchange_rate
from masthead.services.billing.journal import list_taxed_entries
from masthead.services.billing.payers import update_payer
from masthead.services.billing.payments import create_payment
from masthead.services.billing.pricing import find_taxation_on
from masthead.services.billing.settings import save_numbers, save_rate, save_settings
from masthead.services.orders.create import create_order
from masthead.store.billing import invoices
from masthead.store.billing.invoices import StoredInvoice
from masthead.store.engine.interface import Connection
from tests.conftest import BY, Cast
from tests.support.factories import PLACEHOLDER_DOMAIN, make_issue, make_subscription, manual

SETTINGS = {
    "name": "Acme Verlag GmbH",
    "street": "Lindenallee 4",
    "postcode": "10117",
    "city": "Berlin",
    "country": "DE",
    "vat_id": "DE136695976",
    "iban": "DE89 3704 0044 0532 0130 00",
}
HOME = {"address1": "1 Mill Lane", "city": "Ulm", "postcode": "89073", "country": "DE"}
BERLIN = {"address1": "Allee 2", "city": "Berlin", "postcode": "10115", "country": "DE"}
RATES = [
    VatRate(first_day=date(2020, 1, 1), place="home", rate=1900),
    VatRate(first_day=date(2020, 1, 1), place="home", medium=Medium.PRINT, rate=700),
]
FRANCS = ExchangeRate(
    first_day=date(2020, 1, 1), base_currency="EUR", quote_currency="CHF", rate=Decimal("0.9342")
)


async def turn_on_billing(cast: Cast, *, has_issue: bool = False, **fields: Any) -> None:
    """Let an account write invoices, at 7 % for print and 19 % for the rest, and have an issue."""
    asked = decode_input(BillingInput, SETTINGS | fields)
    await save_settings(cast.db, cast.account_id, asked, by=BY)
    for rate in RATES:
        await save_rate(cast.db, cast.account_id, rate, by=BY)
    if not has_issue:
        await make_issue(cast)


async def set_exchange_rate(cast: Cast, rate: ExchangeRate = FRANCS) -> None:
    """Let an account write invoices in another currency, by default in francs."""
    await save_exchange_rate(cast.db, cast.account_id, rate, by=BY)


async def make_billing(cast: Cast) -> None:
    """Add to an account with issue 5: settings, invoices, and a payment that is too high."""
    await turn_on_billing(cast, has_issue=True, email="office@acme.test", phone="+49 30 1234567")
    numbers = propose("SKR03", list_names(RATES, small_business={False}, home="DE"))
    numbers |= {"consultant": "1001", "client": "1"}
    await save_numbers(cast.db, cast.account_id, numbers, by=BY)
    common = {"start_issue": 5, "length": 1}
    first = await bill_one(cast, order_id="BILL-1", email="payer@example.test", **common)
    await bill_one(cast, order_id="BILL-2", payer_id=first.payer_id, **common)
    number = first.document.number
    paid = {"amount": "70.00", "payer": first.payer_id, "invoices": [{"number": number}]}
    body = decode_input(PaymentCreate, paid)
    await create_payment(cast.db, cast.account_id, body, by=BY)


async def bill(cast: Cast, **fields: Any) -> PlacedOrder:
    """Place an order that is billed, of 60.00 by default."""
    asked = {"price": "60.00", "is_billed": True, **HOME, **fields}
    body = decode_input(OrderCreate, manual(cast, **asked))
    defaults = OrderDefaults(cast.currency, PLACEHOLDER_DOMAIN)
    return await create_order(cast.db, cast.account_id, body, defaults=defaults, by=BY)


async def bill_together(cast: Cast, **fields: Any) -> str:
    """Place an order that waits for the one invoice of its payer; returns their id."""
    made = await make_subscription(cast, **fields)
    id = str(made["subscriber"]["id"])
    await update_payer(cast.db, cast.account_id, id, vat_id="", bills_together=True, by=BY)
    await bill(cast, subscriber_id=id)
    return id


async def bill_one(cast: Cast, **fields: Any) -> StoredInvoice:
    """The invoice of an order."""
    [id] = (await bill(cast, **fields)).invoices
    return await read_invoice(cast, id)


async def read_invoice(cast: Cast, id: str) -> StoredInvoice:
    """An invoice as it is stored now."""
    async with cast.db.read() as connection:
        return await invoices.get_invoice(connection, cast.account_id, id)


async def newest_invoices(cast: Cast) -> list[StoredInvoice]:
    """All invoices and credit notes, newest first."""
    async with cast.db.read() as connection:
        rows = await connection.fetch_all(
            "SELECT id FROM invoice WHERE account_id = :account_id ORDER BY id DESC",
            {"account_id": cast.account_id},
        )
        found = await invoices.list_invoices(
            connection, cast.account_id, [row["id"] for row in rows]
        )
    return found[::-1]


async def payment_ids(cast: Cast, *, sign: int) -> list[str]:
    """The ids of payments that came, or of those that went back, oldest first."""
    async with cast.db.read() as db:
        rows = await db.fetch_all(
            """
            SELECT id
            FROM payment
            WHERE account_id = :account_id AND amount * :sign > 0
            ORDER BY id
            """,
            {"account_id": cast.account_id, "sign": sign},
        )
    return [row["id"] for row in rows]


def balances(entries: Iterable[JournalEntry]) -> Counter[tuple[str, Ledger]]:
    """What is on each account, by currency: debits less credits. All together are 0."""
    found: Counter[tuple[str, Ledger]] = Counter()
    for each in entries:
        found[each.currency, each.debit] += each.amount
        found[each.currency, each.credit] -= each.amount
    return found


async def sum_waiting(db: Connection, account_id: int, day: date) -> dict[str, int]:
    """What billed orders up to a day cost that were on no invoice at its end, by currency.

    Their refunds up to that day are deducted. Queries: one, read aside. CROSS JOIN keeps SQLite
    from reading all invoices for each order. Index: invoice_line_by_period.
    """
    rows = await db.fetch_all(
        """
        SELECT t.currency, CAST(sum(t.price - t.refunded) AS bigint) AS amount
        FROM (
            SELECT
                p.currency,
                p.price,
                coalesce((
                    SELECT sum(r.amount)
                    FROM refund r
                    WHERE r.account_id = :account_id
                      AND r.period_id = p.id
                      AND r.refund_date <= :day
                ), 0) AS refunded,
                coalesce((
                    SELECT sum(CASE WHEN i.kind = 'invoice' THEN 1 ELSE -1 END * (l.net + l.vat))
                    FROM invoice_line l
                    CROSS JOIN invoice i
                    WHERE l.account_id = :account_id
                      AND l.period_id = p.id
                      AND i.account_id = l.account_id
                      AND i.id = l.invoice_id
                      AND i.issue_date <= :day
                ), 0) AS billed
            FROM billed_order b
            JOIN period p ON p.account_id = b.account_id AND p.id = b.period_id
            WHERE b.account_id = :account_id AND p.order_date <= :day
        ) AS t
        WHERE t.billed = 0
        GROUP BY t.currency
        """,
        {"account_id": account_id, "day": day},
    )
    return {row["currency"]: row["amount"] for row in rows}


async def owed(cast: Cast) -> list[tuple[int, int]]:
    """The totals of invoices and credit notes (below zero), oldest first, and what is open."""
    return [
        (
            each.document.total * (1 if each.document.kind == "invoice" else -1),
            each.open_amount,
        )
        for each in reversed(await newest_invoices(cast))
    ]


async def list_journal(
    db: Connection, account_id: int, first: date, last: date
) -> list[JournalEntry]:
    """All entries of the journal of some days."""
    taxation = await find_taxation_on(db, account_id, first)
    return await list_taxed_entries(db, account_id, first, last, taxation)


async def owed_by_customer(cast: Cast) -> dict[int | None, int]:
    """What each customer owes by the journal, by customer number."""
    found: Counter[int | None] = Counter()
    async with cast.db.read() as db:
        entries = await list_journal(db, cast.account_id, date(2000, 1, 1), date(2999, 12, 31))
    for each in entries:
        found[each.customer] += each.amount * (1 if each.debit is Ledger.RECEIVABLES else -1)
    return dict(found)


async def open_in_datev(cast: Cast) -> dict[str, int]:
    """What is on the accounts of customers by `Belegfeld 1`, as the file for DATEV adds up."""
    async with cast.db.read() as db:
        entries = await list_journal(db, cast.account_id, date(2000, 1, 1), date(2999, 12, 31))
    found: Counter[str] = Counter()
    numbers = propose("SKR03", list_names(RATES, small_business={False}, home="DE"))
    for cells in csv.reader(
        datev_lines(entries, numbers, shop=one_stop_shop(RATES, "DE")), delimiter=";"
    ):
        amount = int(cells[0].replace(",", "")) * (1 if cells[1] == "S" else -1)
        for account, signed in ((cells[6], amount), (cells[7], -amount)):
            if len(account) > 4:
                found[cells[10]] += signed
    return {document: amount for document, amount in found.items() if amount}
