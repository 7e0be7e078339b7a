"""One-time links: they let a person set a password or accept an invitation into an account.

Tokens are stored as digests. The links of invitations name an account.
"""

from datetime import datetime

from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.clock import now
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_one, insert_row


class OneTimeLink(Struct, frozen=True):
    """A link that can be used. account_id: of an invitation; None if it sets a password.

    maker: who created it; None if a masthead did that does not store it.
    """

    user_id: str
    account_id: int | None
    maker: Actor | None


class Invitation(Struct, frozen=True):
    """An invitation that can be accepted. name, subdomain: of the account."""

    user_id: str
    account_id: int
    email: str
    name: str
    subdomain: str


async def find_link(db: Connection, digest: str) -> OneTimeLink | None:
    """A link of any kind, until it is used or has expired."""
    row = await db.fetch_one(
        """
        SELECT user_id, account_id, actor_kind, actor_id
        FROM sign_in_link
        WHERE digest = :digest AND expires_at > :now
        """,
        {"digest": digest, "now": now()},
    )
    if row is None:
        return None
    maker = Actor(row["actor_kind"], row["actor_id"]) if row["actor_kind"] else None
    return OneTimeLink(row["user_id"], row["account_id"], maker)


async def insert_link(
    tx: Transaction, digest: str, user_id: str, expires_at: datetime, *, by: Actor
) -> None:
    """Store a link; it replaces all other links of the person."""
    await delete_links(tx, user_id)
    await insert_row(
        tx,
        "sign_in_link",
        digest=digest,
        user_id=user_id,
        created_at=now(),
        expires_at=expires_at,
        actor_kind=by.kind,
        actor_id=by.id,
    )


async def copy_link(tx: Transaction, digest: str, *, original: str) -> bool:
    """Copy a link under another digest; False if the link cannot be used any more."""
    added = await tx.execute(
        """
        INSERT INTO sign_in_link (
            digest, user_id, account_id, created_at, expires_at, actor_kind, actor_id
        )
        SELECT :digest, user_id, account_id, :now, expires_at, actor_kind, actor_id
        FROM sign_in_link
        WHERE digest = :original AND expires_at > :now
        """,
        {"digest": digest, "original": original, "now": now()},
    )
    return added == 1


async def take_link(tx: Transaction, digest: str) -> bool:
    """Use up a link; False if it was used before or has expired."""
    taken = await tx.execute(
        """
        DELETE FROM sign_in_link
        WHERE digest = :digest AND expires_at > :now AND account_id IS NULL
        """,
        {"digest": digest, "now": now()},
    )
    return taken == 1


async def delete_links(tx: Transaction, user_id: str) -> None:
    """End all links that let a person set a password."""
    await tx.execute(
        "DELETE FROM sign_in_link WHERE user_id = :id AND account_id IS NULL", {"id": user_id}
    )


async def find_invitation(db: Connection, digest: str) -> Invitation | None:
    """The invitation that a link is for, while it can be accepted."""
    return await fetch_one(
        db,
        """
        SELECT l.user_id, l.account_id, u.email, a.name, a.subdomain
        FROM sign_in_link l
        JOIN app_user u ON u.id = l.user_id
        JOIN account a ON a.id = l.account_id
        WHERE l.digest = :digest AND l.expires_at > :now
        """,
        {"digest": digest, "now": now()},
        into=Invitation,
    )


async def insert_invitation(
    tx: Transaction, account_id: int, digest: str, user_id: str, expires_at: datetime, *, by: Actor
) -> None:
    """Store an invitation into an account."""
    await insert_row(
        tx,
        "sign_in_link",
        digest=digest,
        user_id=user_id,
        account_id=account_id,
        created_at=now(),
        expires_at=expires_at,
        actor_kind=by.kind,
        actor_id=by.id,
    )


async def delete_invitations(tx: Transaction, account_id: int, user_id: str) -> None:
    """End all invitations of a person into an account."""
    await tx.execute(
        "DELETE FROM sign_in_link WHERE account_id = :account_id AND user_id = :user_id",
        {"account_id": account_id, "user_id": user_id},
    )


async def delete_old_links(tx: Transaction) -> None:
    """Delete links that have expired."""
    await tx.execute("DELETE FROM sign_in_link WHERE expires_at <= :now", {"now": now()})
