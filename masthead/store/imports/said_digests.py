"""Digests of what rows of imports said about their subscribers, also in orders of others."""

from collections.abc import Collection, Iterable

from masthead.store.engine.interface import Connection, Transaction

RowKey = tuple[str, int, int]  # batch, line, part


async def list_rows(
    db: Connection, account_id: int, digests: Collection[str], *, batches: Collection[str]
) -> list[RowKey]:
    """The rows of imports that have one of the digests. Queries: one. Index: its key.

    It reads all rows of these imports.
    """
    rows = await db.fetch_all(
        """
        SELECT batch_id, line, part
        FROM import_row
        WHERE account_id = :account_id
          AND batch_id IN (:batches...)
          AND said IN (:digests...)
        """,
        {"account_id": account_id, "batches": sorted(batches), "digests": list(digests)},
    )
    return [(row["batch_id"], row["line"], row["part"]) for row in rows]


async def erase_rows(tx: Transaction, account_id: int, keys: Iterable[RowKey]) -> None:
    """Erase the digests of rows. Queries: one for all rows. Index: their key."""
    await tx.execute_many(
        """
        UPDATE import_row
        SET said = NULL
        WHERE account_id = :account_id AND batch_id = :batch AND line = :line AND part = :part
        """,
        [
            {"account_id": account_id, "batch": batch, "line": line, "part": part}
            for batch, line, part in keys
        ],
    )
