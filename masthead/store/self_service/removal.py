"""End what erased subscribers could open on their page, and what they asked for there."""

from collections.abc import Collection

from masthead.model.clock import now
from masthead.store.engine.interface import Transaction


async def end_access(tx: Transaction, account_id: int, subscribers: Collection[str]) -> None:
    """Delete the links and sessions of subscribers, and close their requests. Queries: three."""
    values = {"account_id": account_id, "subscribers": list(subscribers), "moment": now()}
    await tx.execute(
        """
        DELETE FROM subscriber_link
        WHERE account_id = :account_id AND subscriber_id IN (:subscribers...)
        """,
        values,
    )
    await tx.execute(
        """
        DELETE FROM subscriber_session
        WHERE account_id = :account_id AND subscriber_id IN (:subscribers...)
        """,
        values,
    )
    await tx.execute(
        """
        UPDATE subscriber_request
        SET status = 'closed', closed_at = :moment
        WHERE account_id = :account_id
          AND subscriber_id IN (:subscribers...)
          AND status = 'waiting'
        """,
        values,
    )
