"""What credit notes have taken back."""

from collections.abc import Collection

from masthead.store.engine.interface import Connection


async def find_fully_credited(db: Connection, account_id: int, ids: Collection[str]) -> set[str]:
    """Those of some invoices of which credit notes took back all. Index: invoice_by_corrected."""
    rows = await db.fetch_all(
        """
        SELECT i.id
        FROM invoice i
        JOIN invoice n ON n.account_id = i.account_id AND n.corrects_id = i.id
        WHERE i.account_id = :account_id AND i.id IN (:ids...)
        GROUP BY i.id, i.total
        HAVING sum(n.total) = i.total
        """,
        {"account_id": account_id, "ids": list(ids)},
    )
    return {row["id"] for row in rows}


async def find_open_credited(db: Connection, account_id: int, ids: Collection[str]) -> list[str]:
    """Those of some invoices that are open although they have credit notes, by id.

    One that is being collected is left out: its money is expected. Queries: one, none without ids.
    Indexes: invoice_by_corrected, debit_by_invoice.
    """
    if not ids:
        return []
    rows = await db.fetch_all(
        """
        SELECT i.id
        FROM invoice i
        WHERE i.account_id = :account_id
          AND i.id IN (:ids...)
          AND (i.open_amount > 0) IS TRUE
          AND EXISTS (
              SELECT 1
              FROM invoice n
              WHERE n.account_id = :account_id AND n.corrects_id = i.id
          )
          AND NOT EXISTS (
              SELECT 1
              FROM debit d
              WHERE d.account_id = :account_id
                AND d.invoice_id = i.id
                AND (d.status = 'collected') IS TRUE
          )
        ORDER BY i.id
        """,
        {"account_id": account_id, "ids": list(ids)},
    )
    return [row["id"] for row in rows]
