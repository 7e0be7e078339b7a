"""Dispatch runs whose fingerprints are worked out again."""

from masthead.store.engine.interface import Connection, Row, Transaction


async def list_marked(db: Connection, mark: str) -> list[Row]:
    """`account_id`, `id` and `fingerprint` of the runs whose fingerprints begin with a mark.

    Queries: one.
    """
    return await db.fetch_all(
        """
        SELECT account_id, id, fingerprint
        FROM dispatch
        WHERE fingerprint LIKE :mark || '%'
        ORDER BY account_id, id
        """,
        {"mark": mark},
    )


async def update_fingerprint(
    tx: Transaction, account_id: int, id: str, *, mark: str, fingerprint: str
) -> None:
    """Store the fingerprint of a run that still has this mark. Queries: one."""
    await tx.execute(
        """
        UPDATE dispatch
        SET fingerprint = :fingerprint
        WHERE account_id = :account_id AND id = :id AND fingerprint = :mark
        """,
        {"account_id": account_id, "id": id, "mark": mark, "fingerprint": fingerprint},
    )
