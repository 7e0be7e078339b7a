"""Sessions of subscribers on their page; their tokens are stored as digests."""

from collections.abc import Collection
from datetime import datetime

from msgspec import Struct

from masthead.model.clock import now
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_one


class SubscriberSession(Struct, frozen=True):
    """A session. email_digest: of the address that the subscriber signed in with."""

    digest: str
    subscriber_id: str
    email_digest: str


async def insert_session(tx: Transaction, account_id: int, session: SubscriberSession) -> None:
    """Begin a session. Queries: one."""
    await tx.insert_rows(
        "subscriber_session",
        [
            {
                "account_id": account_id,
                "digest": session.digest,
                "subscriber_id": session.subscriber_id,
                "email_digest": session.email_digest,
                "created_at": now(),
            }
        ],
    )


async def find_session(
    db: Connection, account_id: int, digest: str, *, created_after: datetime
) -> SubscriberSession | None:
    """A session of an account that began after a moment. Queries: one."""
    return await fetch_one(
        db,
        """
        SELECT digest, subscriber_id, email_digest
        FROM subscriber_session
        WHERE account_id = :account_id
          AND digest = :digest
          AND created_at > :created_after
          AND created_at <= :now
        """,
        {
            "account_id": account_id,
            "digest": digest,
            "created_after": created_after,
            "now": now(),
        },
        into=SubscriberSession,
    )


async def delete_session(tx: Transaction, account_id: int, digest: str) -> None:
    """End a session. Queries: one."""
    await tx.execute(
        "DELETE FROM subscriber_session WHERE account_id = :account_id AND digest = :digest",
        {"account_id": account_id, "digest": digest},
    )


async def delete_sessions(tx: Transaction, account_id: int, subscribers: Collection[str]) -> None:
    """End all sessions of subscribers. Queries: one."""
    await tx.execute(
        """
        DELETE FROM subscriber_session
        WHERE account_id = :account_id AND subscriber_id IN (:subscribers...)
        """,
        {"account_id": account_id, "subscribers": list(subscribers)},
    )


async def delete_old_sessions(tx: Transaction, account_id: int, before: datetime) -> None:
    """Delete the sessions of an account that began before a moment. Queries: one."""
    await tx.execute(
        """
        DELETE FROM subscriber_session
        WHERE account_id = :account_id AND created_at <= :before
        """,
        {"account_id": account_id, "before": before},
    )
