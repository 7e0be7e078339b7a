"""Browsers in which a person has signed in before. Their tokens are stored as digests."""

from datetime import datetime

from masthead.model.clock import now
from masthead.store.engine.interface import Connection, Transaction


async def is_known(db: Connection, digest: str, user_id: str, *, seen_after: datetime) -> bool:
    """Whether the person has signed in with this browser after that moment."""
    row = await db.fetch_one(
        """
        SELECT 1 AS found
        FROM known_browser
        WHERE digest = :digest AND user_id = :user_id AND seen_at > :seen
        """,
        {"digest": digest, "user_id": user_id, "seen": seen_after},
    )
    return row is not None


async def replace_digest(tx: Transaction, old: str, new: str) -> None:
    """Replace the token of a browser, for all people who sign in with it."""
    await tx.execute(
        "UPDATE known_browser SET digest = :new WHERE digest = :old", {"old": old, "new": new}
    )


async def upsert_browser(tx: Transaction, digest: str, user_id: str) -> None:
    """Record that the person has signed in with this browser just now."""
    await tx.execute(
        """
        INSERT INTO known_browser (digest, user_id, created_at, seen_at)
        VALUES (:digest, :user_id, :now, :now)
        ON CONFLICT (digest, user_id) DO UPDATE SET seen_at = excluded.seen_at
        """,
        {"digest": digest, "user_id": user_id, "now": now()},
    )


async def delete_oldest(tx: Transaction, user_id: str, *, keep: int) -> None:
    """Delete all browsers of a person except the newest ones."""
    await tx.execute(
        """
        DELETE FROM known_browser
        WHERE user_id = :user_id
          AND digest IN (
              SELECT digest
              FROM known_browser
              WHERE user_id = :user_id
              ORDER BY seen_at DESC, digest
              LIMIT 1000 OFFSET :keep
          )
        """,
        {"user_id": user_id, "keep": keep},
    )


async def delete_browsers(tx: Transaction, user_id: str) -> None:
    """Delete all browsers of a person."""
    await tx.execute("DELETE FROM known_browser WHERE user_id = :user_id", {"user_id": user_id})


async def delete_old(tx: Transaction, *, seen_before: datetime) -> None:
    """Delete browsers that have not been used to sign in for a long time."""
    await tx.execute("DELETE FROM known_browser WHERE seen_at <= :seen", {"seen": seen_before})
