"""What people sign in with: sessions, one-time links, counted failures, the server's secret.

Nothing of it belongs to an account. Of what opens a door only digests are kept.
"""

from datetime import datetime

from msgspec import Struct

from masthead.model.clock import now
from masthead.store.engine.interface import Connection, Row, Transaction


class Session(Struct, frozen=True):
    """A person signed in somewhere.

    address: of the network that they signed in from. browser: a short description. confirmed_at:
    when they last confirmed their identity.
    """

    digest: str
    user_id: str
    created_at: datetime
    seen_at: datetime
    address: str
    browser: str
    confirmed_at: datetime


class Invitation(Struct, frozen=True):
    """An invitation that waits for an answer. name, subdomain: of the account."""

    user_id: str
    account_id: int
    email: str
    name: str
    subdomain: str


_SESSION = (
    "SELECT digest, user_id, created_at, seen_at, address, browser,"
    " coalesce(confirmed_at, created_at) AS confirmed_at FROM web_session"
)


def _session_from_row(row: Row) -> Session:
    return Session(**row)


async def find_session(
    db: Connection, digest: str, *, created_after: datetime, seen_after: datetime
) -> Session | None:
    """The session, if it began and was seen after those moments."""
    row = await db.fetch_one(
        _SESSION + " WHERE digest = :digest AND created_at > :created AND seen_at > :seen",
        {"digest": digest, "created": created_after, "seen": seen_after},
    )
    return _session_from_row(row) if row else None


async def list_sessions(
    db: Connection, user_id: str, *, created_after: datetime, seen_after: datetime
) -> list[Session]:
    """The sessions of a person that began and were seen after those moments, newest first."""
    rows = await db.fetch_all(
        _SESSION + " WHERE user_id = :user_id AND created_at > :created AND seen_at > :seen"
        " ORDER BY seen_at DESC, digest",
        {"user_id": user_id, "created": created_after, "seen": seen_after},
    )
    return [_session_from_row(row) for row in rows]


async def insert_session(
    tx: Transaction, digest: str, user_id: str, address: str, browser: str = ""
) -> None:
    """Begin a session."""
    moment = now()
    await tx.insert_rows(
        "web_session",
        [
            {
                "digest": digest,
                "user_id": user_id,
                "created_at": moment,
                "seen_at": moment,
                "address": address,
                "browser": browser,
            }
        ],
    )
    await _update_seen(tx, user_id, moment)


async def update_seen(tx: Transaction, digest: str, user_id: str) -> None:
    """Remember that somebody was here just now, with which session."""
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


async def delete_session_of(tx: Transaction, digest: str, user_id: str) -> bool:
    """End a session of a person; whether there was one."""
    ended = await tx.execute(
        "DELETE FROM web_session WHERE digest = :digest AND user_id = :user_id",
        {"digest": digest, "user_id": user_id},
    )
    return ended == 1


async def delete_sessions(tx: Transaction, user_id: str) -> None:
    """End all sessions of a person."""
    await tx.execute("DELETE FROM web_session WHERE user_id = :id", {"id": user_id})


async def find_link(db: Connection, digest: str) -> str | None:
    """The user whom a link is for, while it may be used."""
    row = await db.fetch_one(
        """
        SELECT user_id FROM sign_in_link
        WHERE digest = :digest AND expires_at > :now AND account_id IS NULL
        """,
        {"digest": digest, "now": now()},
    )
    return str(row["user_id"]) if row else None


async def insert_link(tx: Transaction, digest: str, user_id: str, expires_at: datetime) -> None:
    """Keep a link, in the place of all that its user has."""
    await delete_links(tx, user_id)
    await tx.insert_rows(
        "sign_in_link",
        [
            {
                "digest": digest,
                "user_id": user_id,
                "created_at": now(),
                "expires_at": expires_at,
            }
        ],
    )


async def find_link_user(tx: Transaction, digest: str) -> str | None:
    """The user of a link of any kind, while it can be used."""
    row = await tx.fetch_one(
        "SELECT user_id FROM sign_in_link WHERE digest = :digest AND expires_at > :now",
        {"digest": digest, "now": now()},
    )
    return str(row["user_id"]) if row else None


async def insert_link_beside(tx: Transaction, digest: str, *, beside: str) -> bool:
    """Copy a link with another digest, if the link can still be used; whether it can."""
    added = await tx.execute(
        """
        INSERT INTO sign_in_link (digest, user_id, account_id, created_at, expires_at)
        SELECT :digest, user_id, account_id, :now, expires_at
        FROM sign_in_link
        WHERE digest = :beside AND expires_at > :now
        """,
        {"digest": digest, "beside": beside, "now": now()},
    )
    return added == 1


async def take_link(tx: Transaction, digest: str) -> bool:
    """Use up a link; whether nobody was faster, and it had time left."""
    taken = await tx.execute(
        """
        DELETE FROM sign_in_link
        WHERE digest = :digest AND expires_at > :now AND account_id IS NULL
        """,
        {"digest": digest, "now": now()},
    )
    return taken == 1


async def delete_links(tx: Transaction, user_id: str) -> None:
    """End all links with which a person can set a password."""
    await tx.execute(
        "DELETE FROM sign_in_link WHERE user_id = :id AND account_id IS NULL", {"id": user_id}
    )


async def find_invitation(db: Connection, digest: str) -> Invitation | None:
    """The invitation that a link is for, while it can be accepted."""
    row = await db.fetch_one(
        """
        SELECT l.user_id, l.account_id, u.email, a.name, a.subdomain
        FROM sign_in_link l
        JOIN app_user u ON u.id = l.user_id
        JOIN account a ON a.id = l.account_id
        WHERE l.digest = :digest AND l.expires_at > :now
        """,
        {"digest": digest, "now": now()},
    )
    return Invitation(**row) if row else None


async def insert_invitation(
    tx: Transaction, account_id: int, digest: str, user_id: str, expires_at: datetime
) -> None:
    """Store an invitation into an account."""
    await tx.insert_rows(
        "sign_in_link",
        [
            {
                "digest": digest,
                "user_id": user_id,
                "account_id": account_id,
                "created_at": now(),
                "expires_at": expires_at,
            }
        ],
    )


async def delete_invitations(tx: Transaction, account_id: int, user_id: str) -> None:
    """End all invitations of a person into an account."""
    await tx.execute(
        "DELETE FROM sign_in_link WHERE account_id = :account_id AND user_id = :user_id",
        {"account_id": account_id, "user_id": user_id},
    )


async def delete_old(
    tx: Transaction, *, created_before: datetime, seen_before: datetime, failed_before: datetime
) -> None:
    """Delete sessions, links and failures that mean nothing any more."""
    await tx.execute(
        "DELETE FROM web_session WHERE created_at <= :created OR seen_at <= :seen",
        {"created": created_before, "seen": seen_before},
    )
    await tx.execute("DELETE FROM sign_in_link WHERE expires_at <= :now", {"now": now()})
    await tx.execute("DELETE FROM throttle WHERE failed_at <= :failed", {"failed": failed_before})


async def delete_future(tx: Transaction, moment: datetime) -> None:
    """Delete sessions and failures dated after a moment: a clock that was ahead created them."""
    await tx.execute(
        "DELETE FROM web_session WHERE created_at > :moment OR seen_at > :moment",
        {"moment": moment},
    )
    await tx.execute("DELETE FROM throttle WHERE failed_at > :moment", {"moment": moment})


async def find_secret(db: Connection, name: str) -> str | None:
    """What the server keeps under that name."""
    row = await db.fetch_one("SELECT value FROM secret WHERE name = :name", {"name": name})
    return str(row["value"]) if row else None


async def insert_secret(tx: Transaction, name: str, value: str) -> None:
    """Keep a secret, unless there is one of that name."""
    await tx.execute(
        "INSERT INTO secret (name, value) VALUES (:name, :value) ON CONFLICT (name) DO NOTHING",
        {"name": name, "value": value},
    )
