"""Pending sign-ins: the password was right, and the second step is still missing."""

from datetime import datetime

from msgspec import Struct

from masthead.model.clock import now
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_one, insert_row


class PendingSignIn(Struct, frozen=True):
    """A pending sign-in. stamp: identifies the password. failures: failed attempts."""

    user_id: str
    stamp: str
    failures: int


async def insert_pending(
    tx: Transaction, digest: str, user_id: str, *, stamp: str, expires_at: datetime
) -> None:
    """Store a sign-in that needs its second step."""
    await insert_row(
        tx,
        "pending_sign_in",
        digest=digest,
        user_id=user_id,
        stamp=stamp,
        failures=0,
        expires_at=expires_at,
    )


async def find_pending(db: Connection, digest: str, *, most: int) -> PendingSignIn | None:
    """The sign-in, until it expires or `most` attempts have failed."""
    return await fetch_one(
        db,
        """
        SELECT user_id, stamp, failures
        FROM pending_sign_in
        WHERE digest = :digest AND expires_at > :now AND failures < :most
        """,
        {"digest": digest, "now": now(), "most": most},
        into=PendingSignIn,
    )


async def count_attempt(tx: Transaction, digest: str, *, most: int) -> PendingSignIn | None:
    """Count an attempt as failed and return the sign-in; None if no attempt was left.

    The row stays locked, so that concurrent attempts are counted one by one.
    """
    return await fetch_one(
        tx,
        """
        UPDATE pending_sign_in
        SET failures = failures + 1
        WHERE digest = :digest AND expires_at > :now AND failures < :most
        RETURNING user_id, stamp, failures
        """,
        {"digest": digest, "now": now(), "most": most},
        into=PendingSignIn,
    )


async def delete_pending(tx: Transaction, digest: str) -> None:
    """Delete a sign-in: it succeeded or was cancelled."""
    await tx.execute("DELETE FROM pending_sign_in WHERE digest = :digest", {"digest": digest})


async def delete_pendings(tx: Transaction, user_id: str) -> None:
    """Delete all pending sign-ins of a person."""
    await tx.execute("DELETE FROM pending_sign_in WHERE user_id = :user_id", {"user_id": user_id})


async def delete_old_pendings(tx: Transaction) -> None:
    """Delete expired sign-ins."""
    await tx.execute("DELETE FROM pending_sign_in WHERE expires_at <= :now", {"now": now()})
