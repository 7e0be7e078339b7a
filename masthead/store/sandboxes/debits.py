"""The direct debits of a sandbox that its bank credits, or returns."""

from collections.abc import Sequence

from masthead.model.sandboxes import DECLINED
from masthead.store.engine.interface import Connection


async def list_declined(db: Connection, account_id: int, collection_id: str) -> Sequence[str]:
    """The payments of a collection whose payers have no money, by their email. Queries: one."""
    rows = await db.fetch_all(
        f"""
        SELECT d.payment_id
        FROM debit d
        JOIN invoice i ON i.account_id = d.account_id AND i.id = d.invoice_id
        JOIN subscriber u ON u.account_id = i.account_id AND u.id = i.payer_id
        WHERE d.account_id = :account_id
          AND d.collection_id = :collection
          AND d.status = 'paid'
          AND u.email_key LIKE '{DECLINED}%'
        ORDER BY d.id
        """,  # noqa: S608 - a constant
        {"account_id": account_id, "collection": collection_id},
    )
    return [row["payment_id"] for row in rows]
