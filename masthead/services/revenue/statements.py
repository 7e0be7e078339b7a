"""Revenue statements: what was earned and what is deferred at the end of a day.

A statement is worked out once, from one snapshot, and stored. Its files are the same bytes a year
later. To see what has changed since, the same day is worked out again as another statement.
"""

import hashlib
from collections.abc import AsyncIterator, Collection
from datetime import date

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.errors import Invalid
from masthead.model.revenue.recognition import expect_sent, recognize
from masthead.model.revenue.statement_figures import FigureCounter, StatementFigures
from masthead.model.revenue.statement_files import figures_file, first_order_line, order_row
from masthead.model.translations import format_day, gettext as _
from masthead.model.types.spreadsheets import csv_lines
from masthead.services.billing.pricing import find_taxation_on
from masthead.services.transactions import with_locked_account
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.engine.interface import Connection, Database, Transaction
from masthead.store.revenue import statements as store
from masthead.store.revenue.order_states import (
    count_orders_up_to,
    list_issue_names,
    list_order_states,
)
from masthead.store.revenue.statements import PART_BYTES, Statement, StatementFile, StatementStatus

BATCH = 1_000  # orders that are read together
SMALL = 5_000  # orders: so few are worked out within a request, in less than 0.2 s


@with_locked_account
async def request_statement(
    tx: Transaction, account: Account, day: date, *, today: date, by: Actor
) -> str:
    """Add a statement that waits to be worked out; returns its id. Raises: Invalid."""
    if day > today:
        raise Invalid(
            _(
                "{day} is in the future: its statement is possible from that day on. Choose today "
                "or an earlier day."
            ).format(day=format_day(day)),
            field="day",
            value=day,
        )
    id = await store.insert_statement(tx, account.id, day, by=by)
    after = {"statement_date": day}
    entry = NewEntry(EntryType.REVENUE_STATEMENT_CREATE, id, None, after)
    await trail.record(tx, account.id, by, [entry])
    return id


async def is_small(db: Connection, account_id: int) -> bool:
    """Whether a statement can be worked out within a request. Queries: one."""
    return await count_orders_up_to(db, account_id, SMALL + 1) <= SMALL


async def make_statement(db: Database, account_id: int, id: str) -> Statement:
    """Work out a waiting statement, and return it. Another one is returned as it is.

    If two processes do this at the same time, the first one stores its result. Queries: one for
    1,000 orders, in one snapshot; memory: the compressed files.
    """
    async with db.read(is_long=True) as connection:
        statement = await store.get_statement(connection, account_id, id)
        if statement.status is not StatementStatus.WAITING:
            return statement
        files = _Files()
        figures = await work_out(connection, account_id, statement.statement_date, files)
    files.add(StatementFile.FIGURES, figures_file(figures))
    files.close()

    async def work(tx: Transaction) -> None:
        await accounts.lock_account(tx, account_id)
        await store.complete_statement(
            tx,
            account_id,
            id,
            figures=figures,
            sha256=files.digest(StatementFile.FIGURES),
            orders_sha256=files.digest(StatementFile.ORDERS),
            parts=files.parts,
        )

    await db.write(work, account_id=account_id, is_long=True)
    return await store.get_statement(db, account_id, id)


async def work_out(
    db: Connection,
    account_id: int,
    day: date,
    files: "_Files | None" = None,
    *,
    expected: Collection[int] = (),
    only_paid: bool = False,
) -> StatementFigures:
    """The figures of a day. files: also gets a line for each order.

    VAT is apart if the account has settings for invoices. expected: issues that count as sent to
    all who still get them, for a forecast. only_paid: see `list_order_states`.
    """
    names = await list_issue_names(db, account_id)
    taxation = await find_taxation_on(db, account_id, day)
    is_net = taxation is not None
    announced, counter = list(names), FigureCounter(day, names, is_net=is_net)
    if files is not None:
        files.add(StatementFile.ORDERS, first_order_line(is_net=is_net))
    after = 0
    while orders := await list_order_states(
        db,
        account_id,
        day,
        taxation=taxation,
        only_paid=only_paid,
        after=after,
        limit=BATCH,
    ):
        after = orders[-1].period_id
        rows = []
        for order in orders:
            if expected:
                order = expect_sent(order, expected)
            parts = recognize(order, day, announced)
            counter.add(order, parts)
            if files is not None:
                rows.append(order_row(order, parts, is_net=is_net))
        if files is not None:
            files.add(StatementFile.ORDERS, csv_lines(rows))
    return counter.finish()


class _Files:
    """Collects the files of a statement in compressed parts. Parts end with a line."""

    def __init__(self) -> None:
        self.parts: list[tuple[StatementFile, bytes]] = []
        self._digests = {file: hashlib.sha256() for file in StatementFile}
        self._buffer, self._file = bytearray(), StatementFile.ORDERS

    def add(self, file: StatementFile, lines: bytes) -> None:
        """Add whole lines to a file."""
        if file is not self._file or len(self._buffer) >= PART_BYTES:
            self.close()
        self._file = file
        self._digests[file].update(lines)
        self._buffer += lines

    def close(self) -> None:
        """End the part."""
        self.parts.append((self._file, store.compress_part(bytes(self._buffer))))
        self._buffer.clear()

    def digest(self, file: StatementFile) -> str:
        """The SHA-256 of a file."""
        return self._digests[file].hexdigest()


@with_locked_account
async def fail_statement(tx: Transaction, account: Account, id: str, error: str) -> None:
    """Record that a waiting statement cannot be worked out. error: shown on its page."""
    await store.fail_statement(tx, account.id, id, error)


async def read_file(
    db: Connection, account_id: int, id: str, file: StatementFile
) -> AsyncIterator[bytes]:
    """The content of a file of a ready statement, part by part. Queries: one a part."""
    for part in await store.list_parts(db, account_id, id, file):
        yield await store.get_part(db, account_id, id, file, part)
