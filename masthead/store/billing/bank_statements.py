"""Bank statements and their lines."""

from collections.abc import Collection, Mapping, Sequence

from masthead.model.actors import Actor
from masthead.model.billing.bank_lines import BankLine, BankStatement, mask_iban
from masthead.model.billing.statements import (
    BankLineQuery,
    BankLineStatus,
    StoredLine,
    StoredStatement,
)
from masthead.model.clock import now
from masthead.model.ids import new_id, new_ids
from masthead.model.pagination import Page, PageRequest, cut_page
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all, fetch_one, get_one, insert_row, to_struct
from masthead.store.pagination import PaginatedList, fetch_page
from masthead.store.update_statement import update_row

_TOGETHER = 1_000  # digests of a query, and lines of an INSERT

LINES = PaginatedList(
    table="bank_line",
    alias="l",
    conditions={"status": "l.status = :status", "statement": "l.statement_id = :statement"},
    selective=("statement",),
    last="status",
    last_values=[f"l.status = '{status}'" for status in BankLineStatus],
)

# To group all lines takes longer
_COUNT_BY_STATUS = " UNION ALL ".join(
    f"""
        SELECT '{status}' AS status, count(*) AS count
        FROM bank_line
        WHERE account_id = :account_id AND status = '{status}'
    """  # noqa: S608 - names of statuses
    for status in BankLineStatus
)
_STATEMENT = """
    SELECT
        id,
        name,
        format,
        iban,
        currency,
        opening,
        closing,
        first_date,
        last_date,
        lines,
        kept,
        known,
        pending,
        created_at
    FROM bank_statement
    WHERE account_id = :account_id
"""
_LINE = """
    SELECT
        l.id,
        l.statement_id,
        l.booking_date,
        l.value_date,
        l.amount,
        l.currency,
        l.name,
        l.ultimate_name,
        l.iban,
        l.reference,
        l.text,
        l.return_reason,
        l.original_amount,
        l.status,
        l.payment_id,
        l.reason,
        l.decided_at,
        l.actor_kind,
        l.actor_id
"""


async def find_file(db: Connection, account_id: int, sha256: str) -> list[StoredStatement]:
    """The statements of a file that was imported, in their order. Index: bank_statement_file."""
    return await fetch_all(
        db,
        _STATEMENT + " AND sha256 = :sha256 ORDER BY part",
        {"account_id": account_id, "sha256": sha256},
        into=StoredStatement,
    )


async def get_statement(db: Connection, account_id: int, id: str) -> StoredStatement:
    """A statement. Queries: one. Raises: NotFound."""
    return await get_one(
        db, account_id, id, _STATEMENT + " AND id = :id", into=StoredStatement, noun="statement"
    )


async def list_statements(db: Connection, account_id: int, limit: int) -> list[StoredStatement]:
    """The newest statements. Queries: one."""
    return await fetch_all(
        db,
        _STATEMENT + " ORDER BY id DESC LIMIT :limit",
        {"account_id": account_id, "limit": limit},
        into=StoredStatement,
    )


async def find_digests(db: Connection, account_id: int, digests: Collection[str]) -> set[str]:
    """Those digests whose lines are stored. Queries: one for 1,000. Index: bank_line_digest."""
    found: set[str] = set()
    listed = list(digests)
    for start in range(0, len(listed), _TOGETHER):
        rows = await db.fetch_all(
            """
            SELECT digest
            FROM bank_line
            WHERE account_id = :account_id AND digest IN (:digests...)
            """,
            {"account_id": account_id, "digests": listed[start : start + _TOGETHER]},
        )
        found.update(row["digest"] for row in rows)
    return found


async def insert_statement(
    tx: Transaction,
    account_id: int,
    statement: BankStatement,
    *,
    name: str,
    sha256: str,
    part: int,
    kept: int,
    known: int,
    by: Actor,
) -> str:
    """Add a statement without its lines; returns its id. Queries: one."""
    id = new_id(account_id)
    days = [each.booking_date for each in statement.lines]
    await insert_row(
        tx,
        "bank_statement",
        account_id=account_id,
        id=id,
        name=name,
        sha256=sha256,
        part=part,
        format=statement.format,
        iban=mask_iban(statement.iban),
        currency=statement.currency,
        opening=statement.opening,
        closing=statement.closing,
        first_date=min(days, default=None),
        last_date=max(days, default=None),
        lines=len(statement.lines),
        kept=kept,
        known=known,
        pending=statement.pending,
        created_at=now(),
        actor_kind=by.kind,
        actor_id=by.id,
    )
    return id


_OF_LINE = (  # columns that hold what the bank says
    "booking_date value_date amount currency name ultimate_name reference text return_reason "
    "original_amount"
).split()


async def insert_lines(
    tx: Transaction,
    account_id: int,
    statement_id: str,
    lines: Sequence[tuple[BankLine, str]],
    *,
    by: Actor,
) -> None:
    """Add lines with their digests; the last one is the newest. Queries: one for 1,000."""
    listed = list(zip(new_ids(account_id, len(lines), after=""), lines, strict=True))
    for start in range(0, len(lines), _TOGETHER):
        await tx.insert_rows(
            "bank_line",
            [
                {
                    "account_id": account_id,
                    "id": id,
                    "statement_id": statement_id,
                    "digest": digest,
                    **{name: getattr(line, name) for name in _OF_LINE},
                    "iban": mask_iban(line.iban),
                    "status": BankLineStatus.TO_DO,
                    "payment_id": None,
                    "reason": "",
                    "decided_at": None,
                    "actor_kind": by.kind,
                    "actor_id": by.id,
                }
                for id, (line, digest) in listed[start : start + _TOGETHER]
            ],
        )


async def list_lines(
    db: Connection, account_id: int, query: BankLineQuery, page: PageRequest
) -> Page[StoredLine]:
    """The lines that match the filters, newest first. Queries: one."""
    rows = await fetch_page(
        db, account_id, LINES, _LINE, query, after=page.after_id, fetch=page.fetch
    )
    return cut_page([to_struct(row, StoredLine) for row in rows], page)


async def get_line(db: Connection, account_id: int, id: str) -> StoredLine:
    """A line. Queries: one. Raises: NotFound."""
    sql = _LINE + " FROM bank_line l WHERE l.account_id = :account_id AND l.id = :id"
    return await get_one(db, account_id, id, sql, into=StoredLine, noun="bank line")


async def find_lines(db: Connection, account_id: int, ids: Collection[str]) -> list[StoredLine]:
    """Some lines, oldest first. Queries: one."""
    return await fetch_all(
        db,
        _LINE
        + """
        FROM bank_line l
        WHERE l.account_id = :account_id AND l.id IN (:ids...)
        ORDER BY l.id
        """,
        {"account_id": account_id, "ids": list(ids)},
        into=StoredLine,
    )


async def find_of_payment(db: Connection, account_id: int, payment_id: str) -> StoredLine | None:
    """The line of a payment; None if it has none. Queries: one. Index: bank_line_by_payment."""
    return await fetch_one(
        db,
        _LINE + " FROM bank_line l WHERE l.account_id = :account_id AND l.payment_id = :payment_id",
        {"account_id": account_id, "payment_id": payment_id},
        into=StoredLine,
    )


async def count_lines(db: Connection, account_id: int) -> Mapping[str, int]:
    """How many lines have each status. Queries: one. Index: bank_line_by_status."""
    rows = await db.fetch_all(_COUNT_BY_STATUS, {"account_id": account_id})
    return {row["status"]: row["count"] for row in rows}


async def decide_line(
    tx: Transaction,
    account_id: int,
    id: str,
    status: BankLineStatus,
    *,
    payment_id: str | None = None,
    reason: str = "",
    by: Actor,
) -> None:
    """Say what became of a line. Queries: one."""
    await update_row(
        tx,
        account_id,
        "bank_line",
        id,
        status=status,
        payment_id=payment_id,
        reason=reason,
        decided_at=now(),
        actor_kind=by.kind,
        actor_id=by.id,
    )


async def reopen_of_payment(tx: Transaction, account_id: int, payment_id: str) -> None:
    """Open the line of a payment that was undone. Index: bank_line_by_payment. Queries: one."""
    await tx.execute(
        """
        UPDATE bank_line
        SET status = 'open', payment_id = NULL
        WHERE account_id = :account_id AND payment_id = :payment_id
        """,
        {"account_id": account_id, "payment_id": payment_id},
    )
