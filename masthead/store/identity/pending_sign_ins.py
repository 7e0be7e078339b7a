"""Sign-ins under way: the password was right, the second step is still to come."""

from datetime import datetime

from msgspec import Struct

from masthead.model.clock import now
from masthead.store.engine.interface import Connection, Transaction


class PendingSignIn(Struct, frozen=True):
    """A sign-in that waits. stamp: identifies the password. failures: attempts that count."""

    user_id: str
    stamp: str
    failures: int


async def insert_pending(
    tx: Transaction, digest: str, user_id: str, *, stamp: str, expires_at: datetime
) -> None:
    """Store a sign-in that waits for its second step."""
    await tx.insert_rows(
        "pending_sign_in",
        [
            {
                "digest": digest,
                "user_id": user_id,
                "stamp": stamp,
                "failures": 0,
                "expires_at": expires_at,
            }
        ],
    )


async def find_pending(db: Connection, digest: str, *, most: int) -> PendingSignIn | None:
    """The sign-in, until it expires or `most` attempts have failed."""
    row = await db.fetch_one(
        "SELECT user_id, stamp, failures FROM pending_sign_in"
        " WHERE digest = :digest AND expires_at > :now AND failures < :most",
        {"digest": digest, "now": now(), "most": most},
    )
    return PendingSignIn(**row) if row else None


async def count_attempt(tx: Transaction, digest: str, *, most: int) -> PendingSignIn | None:
    """The sign-in with this attempt counted as failed; None if no attempt was left.

    The row stays locked, so that attempts made together are counted one by one.
    """
    row = await tx.fetch_one(
        "UPDATE pending_sign_in SET failures = failures + 1"
        " WHERE digest = :digest AND expires_at > :now AND failures < :most"
        " RETURNING user_id, stamp, failures",
        {"digest": digest, "now": now(), "most": most},
    )
    return PendingSignIn(**row) if row else None


async def delete_pending(tx: Transaction, digest: str) -> None:
    """End a sign-in: it succeeded, or was given up."""
    await tx.execute("DELETE FROM pending_sign_in WHERE digest = :digest", {"digest": digest})


async def delete_pendings(tx: Transaction, user_id: str) -> None:
    """End all sign-ins of a person that wait for their second step."""
    await tx.execute("DELETE FROM pending_sign_in WHERE user_id = :user_id", {"user_id": user_id})


async def delete_old_pendings(tx: Transaction) -> None:
    """Delete expired sign-ins."""
    await tx.execute("DELETE FROM pending_sign_in WHERE expires_at <= :now", {"now": now()})
