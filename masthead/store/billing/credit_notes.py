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
