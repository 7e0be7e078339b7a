"""Check the figures of money: those of stored statements, and those of today.

Figures that pages show were added up by the rules of `model.revenue`, order by order. Here the
database adds them up, by statements of its own, and the files of statements are read again.
"""

import hashlib
from collections import Counter
from collections.abc import AsyncIterator
from datetime import date
from functools import partial
from itertools import islice

from masthead.model.pagination import all_pages
from masthead.model.revenue.recognition import recognize
from masthead.model.revenue.statement_figures import FigureCounter, StatementFigures
from masthead.model.revenue.statement_files import figures_file, read_lines, read_order
from masthead.model.revenue.takings import MonthRange, TakingsLine, add_up
from masthead.services.revenue.statements import read_file, work_out
from masthead.store.accounts import Account
from masthead.store.billing.journal import sum_receivables
from masthead.store.billing.owed import sum_open
from masthead.store.engine.interface import Connection
from masthead.store.revenue import recount, statements as store
from masthead.store.revenue.statements import Statement, StatementFile, StatementStatus
from masthead.store.revenue.takings import list_takings

ALL_MONTHS = MonthRange("1900-01", "9999-12")
LAST_DAY = date(9999, 12, 31)
# A figure by currency, kind of order, figure and issue number
Figures = Counter[tuple[str, str, str, int]]


async def check_revenue(db: Connection, account: Account) -> AsyncIterator[tuple[str, str]]:
    """Broken invariants, each with the id of a statement, a day or a currency.

    Reads all orders and copies once, and all lines of statements.
    """
    async for fault in _check_statements(db, account.id):
        yield fault
    figures = await work_out(db, account.id, account.daily_date)
    if figures_by_kind(figures) != await recount_figures(db, account.id, account.daily_date):
        yield "revenue matches a recount by the database", str(account.daily_date)
    lines = add_up(await list_takings(db, account.id, ALL_MONTHS), "total")
    nothing = (0, 0, 0, 0)
    shown = {each.currency: takings_of(each) for each in lines}
    sums = await recount.sum_takings(db, account.id)
    for currency in shown.keys() | sums.keys():
        if shown.get(currency, nothing) != sums.get(currency, nothing):
            yield "takings by month match the sum of all orders and payments", currency
    owed = {each.currency: each.owed for each in await sum_receivables(db, account.id, LAST_DAY)}
    left = await sum_open(db, account.id)
    for currency in owed.keys() | left.keys():
        if owed.get(currency, 0) != left.get(currency, 0):
            yield "what payers owe is what is open of documents and payments", currency


def takings_of(line: TakingsLine) -> tuple[int, int, int, int]:
    """The amounts of a line that the database recounts."""
    return line.price, line.discounts, line.refunded, line.received


async def _check_statements(db: Connection, account_id: int) -> AsyncIterator[tuple[str, str]]:
    async for page in all_pages(partial(store.list_statements, db, account_id)):
        for statement in page:
            if statement.status is StatementStatus.READY and statement.figures is not None:
                async for fault in _check_statement(db, account_id, statement, statement.figures):
                    yield fault, statement.id


async def _check_statement(
    db: Connection, account_id: int, statement: Statement, figures: StatementFigures
) -> AsyncIterator[str]:
    content = b""
    digest = hashlib.sha256()
    async for part in read_file(db, account_id, statement.id, StatementFile.FIGURES):
        digest.update(part)
        content += part
    if digest.hexdigest() != statement.sha256:
        yield "the bytes of a statement match its hash"
    if content != figures_file(figures):
        yield "the file of a statement has its figures"
    digest = hashlib.sha256()
    async for part in read_file(db, account_id, statement.id, StatementFile.ORDERS):
        digest.update(part)
    if digest.hexdigest() != statement.orders_sha256:
        yield "the orders of a statement match their hash"
    elif not await _is_counted(db, account_id, statement, figures):
        yield "the figures of a statement match its orders"


async def _is_counted(
    db: Connection, account_id: int, statement: Statement, figures: StatementFigures
) -> bool:
    """Whether the lines of a statement add up to its figures, and each follows from its order."""
    counters = _counters(figures)
    is_right, header = True, 1
    async for part in read_file(db, account_id, statement.id, StatementFile.ORDERS):
        is_right &= _count_lines(part, counters, figures.day, skip=header)
        header = 0
    counted = [counters[code][0].finish().currencies for code in sorted(counters)]
    return is_right and [each for found in counted for each in found] == figures.currencies


def _counters(figures: StatementFigures) -> dict[str, tuple[FigureCounter, list[int]]]:
    """Counters for each currency, with its announced issues."""
    counters = {}
    for each in figures.currencies:
        names = {issue.number: issue.name for issue in each.issues}
        counters[each.currency] = FigureCounter(figures.day, names), list(names)
    return counters


def _count_lines(
    content: bytes, counters: dict[str, tuple[FigureCounter, list[int]]], day: date, *, skip: int
) -> bool:
    """Count the orders of a part of a file; returns whether each line follows from its order.

    skip: how many lines come before the first order.
    """
    is_balanced = True
    for cells in islice(read_lines(content), skip, None):
        order, stated = read_order(cells)
        if order.currency not in counters:
            return False
        counter, announced = counters[order.currency]
        parts = recognize(order, day, announced)
        counter.add(order, parts)
        amounts = (stated.earned, stated.deferred, stated.kept, stated.refunds, stated.vat)
        counted = (parts.earned, parts.deferred, parts.kept, parts.refunds, parts.vat)
        is_balanced &= amounts == counted
        is_balanced &= sum(amounts) == order.price
    return is_balanced


def figures_by_kind(figures: StatementFigures) -> Figures:
    """The figures of a day as the database recounts them."""
    found: Figures = Counter()
    for each in figures.currencies:
        for kind, sums in (("issues", each.subscriptions), ("days", each.memberships)):
            for name in ("orders", "price", "refunds", "vat", "earned", "deferred", "kept"):
                found[each.currency, kind, name, 0] += getattr(sums, name)
        for issue in each.issues:
            for name in ("earned", "copies", "deferred", "unsent"):
                found[each.currency, "issue", name, issue.number] += getattr(issue, name)
        found[each.currency, "issue", "later", 0] += each.later
    return Counter({key: value for key, value in found.items() if value})


async def recount_figures(db: Connection, account_id: int, day: date) -> Figures:
    """The figures of a day, added up by the database. Queries: three."""
    found: Figures = Counter()
    for row in await recount.sum_subscriptions(db, account_id, day):
        code, rest = row.currency, "kept" if row.cancelled else "deferred"
        found.update(_orders(code, "issues", row))
        found[code, "issues", rest, 0] += row.net
        if not row.cancelled:
            found[code, "issue", "later", 0] += row.net
    for each in await recount.sum_issues(db, account_id, day):
        code, number, amount = each.currency, each.number, each.amount
        rest = "kept" if each.cancelled else "deferred"
        if each.sent:
            found[code, "issues", "earned", 0] += amount
            found[code, "issues", rest, 0] -= amount
            found[code, "issue", "earned", number] += amount
            found[code, "issue", "copies", number] += each.copies
        elif not each.cancelled:
            found[code, "issue", "deferred", number] += amount
            found[code, "issue", "unsent", number] += each.copies
        if not each.cancelled:
            found[code, "issue", "later", 0] -= amount
    for row in await recount.sum_memberships(db, account_id, day):
        code, rest = row.currency, "kept" if row.cancelled else "deferred"
        found.update(_orders(code, "days", row))
        found[code, "days", "earned", 0] += row.earned
        found[code, "days", rest, 0] += row.net - row.earned
    return Counter({key: value for key, value in found.items() if value})


def _orders(code: str, kind: str, row: recount.OrderSum) -> Figures:
    """Number, price, refunds and VAT of the orders in a row."""
    return Counter(
        {
            (code, kind, "orders", 0): row.orders,
            (code, kind, "price", 0): row.price,
            (code, kind, "refunds", 0): row.price - row.gross,
            (code, kind, "vat", 0): row.gross - row.net,
        }
    )
