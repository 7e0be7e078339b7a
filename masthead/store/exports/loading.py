"""Write the rows of an export into an account that is empty."""

from collections.abc import Collection, Sequence
from datetime import date

from masthead.model.exports.contents import SETTINGS
from masthead.model.ids import first_copy_id
from masthead.store.engine.interface import Connection, Row, Transaction
from masthead.store.update_statement import update_row

# Tables in which an account may have rows before its first subscriber, which an export replaces
_COUNTS = ("number_series", "trend", "retention", "billed_sum", "paid_sum", "summed_until")
_FIRST_TABLES = (*(exported.table for exported in reversed(SETTINGS)), *_COUNTS)
_USED = "subscriber issue dispatch revenue_statement import_batch bank_statement".split()

# Rows of `searchable` are numbered in the order of the ids of both
_NUMBERED = """
    SELECT id, row_number() OVER (ORDER BY id) AS place
    FROM (
        SELECT id FROM subscriber WHERE account_id = :account_id
        UNION ALL
        SELECT id FROM subscription WHERE account_id = :account_id
    ) AS both_tables
"""


async def find_used_table(db: Connection, account_id: int) -> str | None:
    """A table in which an account has data that an export must not mix with, if any."""
    for table in _USED:
        row = await db.fetch_one(
            f"SELECT 1 AS found FROM {table} WHERE account_id = :account_id LIMIT 1",  # noqa: S608 - constants
            {"account_id": account_id},
        )
        if row is not None:
            return table
    return None


async def find_subscribers(db: Connection, account_id: int, ids: Collection[str]) -> set[str]:
    """Those of the ids that subscribers have. Queries: one."""
    rows = await db.fetch_all(
        "SELECT id FROM subscriber WHERE account_id = :account_id AND id IN (:ids...)",
        {"account_id": account_id, "ids": sorted(ids)},
    )
    return {row["id"] for row in rows}


async def delete_first_rows(tx: Transaction, account_id: int) -> None:
    """Delete what an account has without any subscriber, such as its first product."""
    for table in _FIRST_TABLES:
        await tx.execute(
            f"DELETE FROM {table} WHERE account_id = :account_id",  # noqa: S608 - constants
            {"account_id": account_id},
        )


async def insert_rows(
    tx: Transaction, account_id: int, table: str, rows: Sequence[Row], *, has_bytes: bool
) -> None:
    """Add rows that all have the same columns. has_bytes: whether a column has bytes."""
    own = [{"account_id": account_id, **row} for row in rows]
    if not has_bytes:
        await tx.insert_rows(table, own, has_texts=True)
        return
    names = ", ".join(own[0])
    values = ", ".join(f":{name}" for name in own[0])
    await tx.execute_many(f"INSERT INTO {table} ({names}) VALUES ({values})", own)  # noqa: S608 - our columns


async def number_searchable_records(tx: Transaction, account_id: int) -> None:
    """Number subscribers and subscriptions for the search index. Queries: two."""
    for table in ("subscriber", "subscription"):
        await tx.execute(
            f"""
            UPDATE {table}
            SET n = :first + numbered.place
            FROM ({_NUMBERED}) AS numbered
            WHERE {table}.account_id = :account_id AND {table}.id = numbered.id
            """,  # noqa: S608 - constants
            {"account_id": account_id, "first": first_copy_id(account_id)},
        )


async def update_counters(tx: Transaction, account_id: int, *, daily_date: date) -> None:
    """Let new ids continue after those of the loaded rows. Queries: one."""
    await tx.execute(
        """
        UPDATE account_state
        SET
            daily_date = :daily_date,
            last_copy = (
                SELECT coalesce(max(id), :first) - :first
                FROM (
                    SELECT id FROM copy WHERE account_id = :account_id
                    UNION ALL
                    SELECT id FROM grace_copy WHERE account_id = :account_id
                ) AS numbered
            ),
            last_period = (
                SELECT coalesce(max(id), 0) FROM period WHERE account_id = :account_id
            ),
            last_entry = (
                SELECT coalesce(max(id), 0) FROM audit WHERE account_id = :account_id
            ),
            last_line = (
                SELECT coalesce(max(id), 0) FROM dispatch_line WHERE account_id = :account_id
            )
        WHERE account_id = :account_id
        """,
        {"account_id": account_id, "daily_date": daily_date, "first": first_copy_id(account_id)},
    )


async def update_fingerprint(tx: Transaction, account_id: int, id: str, fingerprint: str) -> None:
    """Set the fingerprint of a run, whose lines have other ids than in the export."""
    await update_row(tx, account_id, "dispatch", id, fingerprint=fingerprint)
