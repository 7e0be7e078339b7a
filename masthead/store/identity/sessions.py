"""Sessions in browsers. They belong to people, not to accounts; tokens are stored as digests."""

from datetime import datetime

from msgspec import Struct

from masthead.model.clock import now
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all, fetch_one, insert_row


class Session(Struct, frozen=True):
    """A session of a person in a browser.

    address: the IP address that they signed in from. browser: a short description.
    confirmed_at: when they last confirmed their identity.
    """

    digest: str
    user_id: str
    created_at: datetime
    seen_at: datetime
    address: str
    browser: str
    confirmed_at: datetime


_SESSION = """
    SELECT
        digest,
        user_id,
        created_at,
        seen_at,
        address,
        browser,
        coalesce(confirmed_at, created_at) AS confirmed_at
    FROM web_session
"""


async def find_session(
    db: Connection, digest: str, *, created_after: datetime, seen_after: datetime
) -> Session | None:
    """The session, if it began and was last used after those moments."""
    return await fetch_one(
        db,
        _SESSION + "WHERE digest = :digest AND created_at > :created AND seen_at > :seen",
        {"digest": digest, "created": created_after, "seen": seen_after},
        into=Session,
    )


async def list_sessions(
    db: Connection, user_id: str, *, created_after: datetime, seen_after: datetime
) -> list[Session]:
    """The sessions of a person that began and were last used after those moments, newest first."""
    return await fetch_all(
        db,
        _SESSION
        + """
        WHERE user_id = :user_id AND created_at > :created AND seen_at > :seen
        ORDER BY seen_at DESC, digest
        """,
        {"user_id": user_id, "created": created_after, "seen": seen_after},
        into=Session,
    )


async def insert_session(
    tx: Transaction, digest: str, user_id: str, address: str, browser: str = ""
) -> None:
    """Start a session."""
    moment = now()
    await insert_row(
        tx,
        "web_session",
        digest=digest,
        user_id=user_id,
        created_at=moment,
        seen_at=moment,
        address=address,
        browser=browser,
    )
    await _update_seen(tx, user_id, moment)


async def update_seen(tx: Transaction, digest: str, user_id: str) -> None:
    """Record that a person used a session just now."""
    moment = now()
    await tx.execute(
        "UPDATE web_session SET seen_at = :now WHERE digest = :digest",
        {"digest": digest, "now": moment},
    )
    await _update_seen(tx, user_id, moment)


async def _update_seen(tx: Transaction, user_id: str, moment: datetime) -> None:
    await tx.execute(
        "UPDATE app_user SET seen_at = :now WHERE id = :id", {"id": user_id, "now": moment}
    )


async def update_confirmed(tx: Transaction, digest: str) -> None:
    """Record that the person has just confirmed their identity in this session."""
    await tx.execute(
        "UPDATE web_session SET confirmed_at = :now WHERE digest = :digest",
        {"digest": digest, "now": now()},
    )


async def delete_session(tx: Transaction, digest: str, user_id: str) -> bool:
    """End a session of a person; False if they have no such session."""
    ended = await tx.execute(
        "DELETE FROM web_session WHERE digest = :digest AND user_id = :user_id",
        {"digest": digest, "user_id": user_id},
    )
    return ended == 1


async def delete_sessions(tx: Transaction, user_id: str) -> None:
    """End all sessions of a person."""
    await tx.execute("DELETE FROM web_session WHERE user_id = :id", {"id": user_id})


async def delete_other_sessions(tx: Transaction, user_id: str, digest: str) -> None:
    """End all sessions of a person except one."""
    await tx.execute(
        "DELETE FROM web_session WHERE user_id = :id AND digest <> :digest",
        {"id": user_id, "digest": digest},
    )


async def delete_old_sessions(
    tx: Transaction, *, created_before: datetime, seen_before: datetime
) -> None:
    """Delete sessions that have expired."""
    await tx.execute(
        "DELETE FROM web_session WHERE created_at <= :created OR seen_at <= :seen",
        {"created": created_before, "seen": seen_before},
    )


async def delete_future_sessions(tx: Transaction, moment: datetime) -> None:
    """Delete sessions dated after a moment: they were created while a clock was ahead."""
    await tx.execute(
        "DELETE FROM web_session WHERE created_at > :moment OR seen_at > :moment",
        {"moment": moment},
    )
