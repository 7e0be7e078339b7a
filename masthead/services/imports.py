"""Imports a CSV file with one order in each row, in batches, by the same rules as the API."""

import asyncio
import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.errors import Invalid, excerpt
from masthead.model.inputs import IssueCreate
from masthead.model.orders.import_rows import COLUMNS, REPORT, order_of_cells
from masthead.model.orders.order import Order, Terms
from masthead.model.types.enums import SubscriptionType
from masthead.model.types.messages import closest
from masthead.services.issues import add_issue
from masthead.services.orders.place import place_orders
from masthead.store import accounts, issues
from masthead.store.accounts import Account
from masthead.store.engine.interface import Database, Transaction

BATCH = 1_000  # rows that are written together
SEPARATORS = ",;\t"


class Line(Struct, frozen=True):
    """A row of the file. number: the number of its first line."""

    number: int
    cells: Mapping[str, str]


class Reject(Struct, frozen=True):
    """A rejected row, with the cell that causes the error."""

    line: Line
    column: str
    value: str
    reason: str


Read = tuple[Line, Order | Reject]


class Summary(Struct):
    """The numbers of rows by result. skipped: rows whose order id already exists."""

    read: int = 0
    imported: int = 0
    skipped: int = 0
    rejected: int = 0


class _Undo(Exception):
    """Rolls back the transaction of a dry run."""


class Import(Struct, frozen=True):
    """The options of an import.

    create_issues: whether to create missing issues; otherwise, rows with them are rejected.
    product_id: the product of new subscriptions; None for the product of imported subscriptions.
    """

    account_id: int
    source_id: str
    terms: Terms
    by: Actor
    create_issues: bool = False
    product_id: str | None = None


class CsvFile:
    """The rows of a CSV file: UTF-8 with or without BOM, separated by `,` or `;` or tabs.

    Each iteration begins at the start of the file. It raises Invalid if the file is not valid.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def __iter__(self) -> Iterator[Line]:
        with self._path.open(encoding="utf-8-sig", newline="") as file:
            begins = 1
            try:
                header = file.readline()
                separator = max(SEPARATORS, key=header.count)
                names = next(csv.reader([header], delimiter=separator), [])
                columns = [name.strip() for name in names]
                _check_header(columns)
                reader = csv.reader(file, delimiter=separator, strict=True)
                begins = 2
                for values in reader:
                    if any(value.strip() for value in values):
                        yield Line(begins, _cells(columns, values))
                    begins = reader.line_num + 2
            except UnicodeDecodeError as reason:
                raise Invalid(
                    f"The file is not UTF-8, near line {begins}. Save it as UTF-8 and import it "
                    "again; rows that are already imported are skipped."
                ) from reason
            except csv.Error as reason:
                raise Invalid(
                    f"Line {begins} cannot be read as CSV: {reason}. Correct it and import the "
                    "file again; rows that are already imported are skipped."
                ) from reason


def _check_header(columns: Sequence[str]) -> None:
    if "order_id" not in columns:
        raise Invalid(
            "The first line has no column `order_id`. "
            f"It must contain the column names; the known columns are {', '.join(COLUMNS)}."
        )
    for name in columns:
        if name not in COLUMNS and name not in REPORT:
            raise Invalid(f"Column `{excerpt(name)}` is unknown.{closest(name, COLUMNS)}")
        if columns.count(name) > 1:
            raise Invalid(f"Column `{name}` appears more than once.")


def _cells(columns: Sequence[str], values: Sequence[str]) -> dict[str, str]:
    """The cells by column. If there are too many values, column "" has the first one too many."""
    cells = dict(zip(columns, values, strict=False))
    if len(values) > len(columns):
        cells[""] = values[len(columns)]
    return {name: text for name, text in cells.items() if name not in REPORT}


async def import_lines(
    db: Database,
    lines: Iterable[Line],
    how: Import,
    *,
    on_reject: Callable[[Reject], None] = lambda reject: None,
    on_progress: Callable[[Summary], None] = lambda summary: None,
) -> Summary:
    """Import rows in transactions of 1,000 rows. Raises: Invalid `invalid_source`.

    While one batch is written, another thread reads the next batch.
    """
    summary, rows = Summary(), iter(lines)
    batch = await asyncio.to_thread(_read_batch, rows, how)
    while batch:

        async def work(tx: Transaction, batch: list[Read] = batch) -> list[Reject | bool]:
            return await _import_batch(tx, batch, how)

        writing = asyncio.create_task(db.write(work, account_id=how.account_id, is_long=True))
        try:
            batch = await asyncio.to_thread(_read_batch, rows, how)  # while one batch is written
        finally:
            _count(summary, await writing, on_reject)
            on_progress(summary)
    return summary


async def try_lines(
    db: Database,
    lines: Iterable[Line],
    how: Import,
    *,
    on_reject: Callable[[Reject], None] = lambda reject: None,
    on_progress: Callable[[Summary], None] = lambda summary: None,
) -> Summary:
    """Dry run: import the rows in one transaction and roll it back. Returns the summary.

    Until it ends, other writes to the account wait (on SQLite: all writes to the database).
    """

    summary, rejects = Summary(), list[Reject]()

    async def work(tx: Transaction) -> None:
        nonlocal summary, rejects
        summary, rejects, rows = Summary(), [], iter(lines)
        while batch := _read_batch(rows, how):
            _count(summary, await _import_batch(tx, batch, how), rejects.append)
            on_progress(summary)
        raise _Undo

    with suppress(_Undo):
        await db.write(work, account_id=how.account_id, is_long=True)
    for reject in rejects:
        on_reject(reject)
    return summary


def _count(
    summary: Summary, results: Sequence[Reject | bool], on_reject: Callable[[Reject], None]
) -> None:
    for result in results:
        summary.read += 1
        if isinstance(result, Reject):
            summary.rejected += 1
            on_reject(result)
        elif result:
            summary.imported += 1
        else:
            summary.skipped += 1


def _read_batch(rows: Iterator[Line], how: Import) -> list[Read]:
    """The next rows, each with its order or its rejection; empty at the end of the file."""
    return [(line, _order_of(line, how)) for line in islice(rows, BATCH)]


def _order_of(line: Line, how: Import) -> Order | Reject:
    try:
        return order_of_cells(line.cells, how.terms)
    except Invalid as refusal:
        return _reject(line, refusal)


async def _import_batch(tx: Transaction, batch: Sequence[Read], how: Import) -> list[Reject | bool]:
    """Import a batch; returns for each row its rejection, or whether it was new."""
    results: dict[int, Reject | bool] = {}
    orders: dict[int, Order] = {}
    for place, (_, read) in enumerate(batch):
        if isinstance(read, Reject):
            results[place] = read
        else:
            orders[place] = read
    account = await accounts.lock_account(tx, how.account_id)
    if how.create_issues:
        await _create_missing(tx, account, orders.values(), how.by)
    outcomes = await place_orders(
        tx,
        account,
        how.source_id,
        list(orders.values()),
        terms=how.terms,
        product_id=how.product_id,
        by=how.by,
    )
    for place, outcome in zip(orders, outcomes, strict=True):
        if not isinstance(outcome, Invalid):
            results[place] = True
        elif outcome.code == "duplicate_order_id":
            results[place] = False
        else:
            results[place] = _reject(batch[place][0], outcome)
    return [results[place] for place in range(len(batch))]


def _reject(line: Line, refusal: Invalid) -> Reject:
    value = line.cells.get(refusal.field, "") or str(refusal.value)
    return Reject(line=line, column=refusal.field, value=value, reason=str(refusal))


async def _create_missing(
    tx: Transaction, account: Account, orders: Iterable[Order], by: Actor
) -> None:
    """Create the missing issues of `start_issue` and `sent_issues`."""
    named: set[int] = set()
    for order in orders:
        if order.type is SubscriptionType.SUBSCRIPTION:
            named.update(order.sent)
            if order.start_issue is not None:
                named.add(order.start_issue)
    known = await issues.find_release_dates(tx, account.id, named)
    for number in sorted(named - set(known)):
        await add_issue(tx, account, IssueCreate(number=number), by=by)
