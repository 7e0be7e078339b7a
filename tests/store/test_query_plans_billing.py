"""Invoices, reminders, debits and requests are read by indexes, among 100,000 invoices."""

import re
from collections.abc import Awaitable, Callable
from datetime import date, timedelta
from typing import Any

import pytest

from bench.large import billing, others
from bench.large.statements import Sizes, create_tables, drop_tables
from masthead.model.billing.lists import Shown
from masthead.model.billing.statements import BankLineQuery, BankLineStatus
from masthead.model.pagination import PageRequest
from masthead.model.revenue.takings import MonthRange
from masthead.services.billing.daily_sums import refresh_daily_sums
from masthead.store.billing import (
    bank_statements,
    credit_notes,
    invoices,
    journal,
    journal_sums,
    lists,
    matching as items,
    open_on_day,
    open_sums,
    payments,
    returned,
    unsent,
)
from masthead.store.debits import collections, to_do
from masthead.store.engine.interface import Connection, Database, Transaction
from masthead.store.holds import records as holds
from masthead.store.reminders import overdue, payers
from masthead.store.revenue.takings import list_takings
from masthead.store.self_service import links, requests
from tests.store.conftest import execute
from tests.store.many_rows import LAST_ISSUE, analyze, fill
from tests.store.test_query_plans_orders import STATE
from tests.store.test_query_plans_revenue import DATES, DAY as DAY_OF_ORDER
from tests.store.test_query_plans_subscriber import Planned
from tests.support.databases import opened

pytestmark = pytest.mark.slow

INVOICES = 100_000
TODAY = date(2026, 11, 1)
DAY = TODAY - timedelta(days=400)  # of which a day has one invoice in a thousand
RECENT = TODAY - timedelta(days=20)
FIRST = PageRequest(50, None, b"")
OPEN_LINES = BankLineQuery(status=BankLineStatus.TO_DO)
OVERDUE: dict[str, Any] = {
    "latest": [TODAY - timedelta(days=days) for days in (7, 14, 14)],
    "printed": [2],
    "least": 1,
    "has_mail": True,
    "listed": 0,
    "most": 500,
}
LARGE = "invoice|invoice_line|payment|settlement|bank_line|payer|subscriber|subscriber_request"
LARGE += "|subscription|period|copy|debit|mandate|reminder|reminder_item"
# Indexes of the few rows that are open or to do
OF_FEW = "invoice_by_due_date|invoice_by_open_amount|invoice_open_by_payer|payment_unused"
OF_FEW += "|payer_not_reminded|subscriber_request_waiting|subscription_hold_open|summed_until_pk"
OF_FEW += "|sqlite_autoindex_summed_until_1|invoice_overdue|erasure_by_subscriber"
OF_FEW += "|invoice_credit"
FULL_READ = re.compile(
    rf"^SCAN ({LARGE})\b(?!.* CONSTANT)"
    rf"|^SEARCH \w+ USING (COVERING )?INDEX (?!{OF_FEW})\w+ \(account_id=\?\)$"
    rf"|Seq Scan on ({LARGE})\b"
    r"|using settlement_pk on settlement\b.*\n *Index Cond: \(account_id = \S+\)$",
    re.MULTILINE,
)


async def fill_billing(db: Database) -> None:
    """Add as many invoices as there are subscriptions, and what belongs to them."""

    async def work(tx: Transaction) -> None:
        if tx.dialect == "postgres":  # without foreign keys, as in `fill`
            await tx.fetch_all(
                "SELECT set_config('session_replication_role', 'replica', true)"
                " WHERE current_setting('is_superuser') = 'on'",
                {},
            )
        persons = await create_tables(tx, 1, INVOICES, TODAY)
        sizes = Sizes(1, INVOICES, persons, TODAY)
        for sql, parameters in (
            *billing.statements(sizes),
            *others.statements(sizes, LAST_ISSUE),
        ):
            await tx.execute(sql, parameters)
        await drop_tables(tx)

    await db.write(work, is_long=True)


PAGES: dict[str, Callable[[Connection], Awaitable[object]]] = {
    "changes": lambda it: journal_sums.list_changes(it, 1, RECENT, TODAY),
    "sales": lambda it: journal_sums.sum_billed_sales(it, 1, DAY, DAY),
    "journal": lambda it: journal.list_billed_sales(it, 1, DAY, DAY),
    "journal payments": lambda it: journal.list_payments(it, 1, DAY, DAY),
    "takings": lambda it: list_takings(it, 1, MonthRange("2025-05", "2025-05")),
    "a year of changes": lambda it: journal_sums.list_changes(it, 1, DAY, TODAY),
    "a year of sales": lambda it: journal_sums.sum_billed_sales(it, 1, DAY, TODAY),
    "invoices": lambda it: lists.list_invoices(it, 1, FIRST),
    "open invoices": lambda it: lists.list_open(it, 1, FIRST, today=TODAY, shown=Shown.OPEN),
    "a number": lambda it: lists.find_invoices(it, 1, FIRST, numbers=["B-77"], today=TODAY),
    "payments": lambda it: lists.list_payments(it, 1, FIRST),
    "settled": lambda it: lists.find_settled(it, 1, ["0" * 31]),
    "collections": lambda it: collections.find_of_lines(it, 1, ["0" * 31]),
    "credit notes": lambda it: invoices.list_credit_notes(it, 1, "0" * 31),
    "credited invoices": lambda it: credit_notes.find_fully_credited(it, 1, ["0" * 31, "1" * 31]),
    "converted VAT": lambda it: invoices.find_converted(it, 1, ["0" * 31, "1" * 31]),
    "settlements of an invoice": lambda it: payments.list_settlements(it, 1, "0" * 31),
    "settlements of payments": lambda it: payments.list_settled_by(it, 1, ["0" * 31]),
    "left payments": lambda it: lists.find_payments(it, 1, FIRST, only_unused=True),
    "open sums": lambda it: open_sums.sum_open(it, 1, today=TODAY),
    "overdue sum": lambda it: open_sums.sum_overdue(it, 1, today=TODAY, currency="EUR"),
    "unsent sum": lambda it: unsent.count_unsent(it, 1),
    "unsent invoices": lambda it: lists.list_open(it, 1, FIRST, today=TODAY, shown=Shown.UNSENT),
    "unsent of some": lambda it: unsent.list_unsent(it, 1, ["0" * 31]),
    "posted of some": lambda it: unsent.list_posted(it, 1, ["0" * 31]),
    "open by payer": lambda it: open_sums.list_by_payer(it, 1, FIRST, today=TODAY),
    "open on a day": lambda it: open_on_day.list_by_payer_on(it, 1, FIRST, RECENT),
    "an amount": lambda it: items.find_by_amount(it, 1, [4_200]),
    "overdue": lambda it: overdue.list_overdue(it, 1, TODAY),
    "overdue of payers": lambda it: overdue.list_overdue(it, 1, TODAY, payer_ids=["0" * 31]),
    "due reminders": lambda it: payers.count_overdue(it, 1, TODAY, **OVERDUE),
    "open invoices with credit notes": lambda it: credit_notes.find_open_credited(
        it, 1, ["0" * 31, "1" * 31]
    ),
    "settlements of a return": lambda it: returned.list_moved(it, 1, "0" * 31, "0" * 30 + "1"),
    "returned": lambda it: to_do.list_returned(it, 1, 50),
    "due debits": lambda it: to_do.count_due(it, 1, TODAY),
    "debits told by letter": lambda it: to_do.list_to_print(it, 1, 500),
    "held": lambda it: holds.count_held(it, 1),
    "requests": lambda it: requests.list_requests(it, 1, limit=50),
    "waiting requests": lambda it: requests.count_waiting(it, 1),
    "claimed copies": lambda it: requests.list_claimed(it, 1, [1, 2, 3]),
    "new email": lambda it: links.find_new_email(it, 1, "0" * 31),
    "bank lines": lambda it: bank_statements.list_lines(it, 1, OPEN_LINES, FIRST),
}


async def full_reads(url: str) -> list[str]:
    """The pages that read a large table completely, with the plan."""
    found = []
    async with opened(url) as db, db.read(aside=True) as connection:
        for name, run in PAGES.items():
            planned = Planned(connection)
            await run(planned)
            found += [f"{name}: {plan}" for plan in planned.plans if FULL_READ.search(plan)]
    return found


async def test_no_page_about_invoices_reads_a_table_completely(scratch_url: str) -> None:
    async with opened(scratch_url) as db:
        await fill(db)
        await execute(db, STATE)
        await execute(db, DATES[0].format(day=DAY_OF_ORDER[db.dialect]))
        await fill_billing(db)
        await refresh_daily_sums(db, 1)
        await analyze(db)
        assert await full_reads(scratch_url) == []
        await execute(db, "DROP INDEX invoice_sums")  # positive control
        await execute(db, "DROP INDEX invoice_by_date")
        assert await full_reads(scratch_url)
