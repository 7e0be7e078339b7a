"""One-time links that subscribers get by email; their tokens are stored as digests."""

from datetime import datetime

from msgspec import Struct

from masthead.model.clock import now
from masthead.model.self_service.sign_in import LinkPurpose
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_one


class SubscriberLink(Struct, frozen=True):
    """A link. email_digest: of the address of the subscriber when it was made.

    new_email: the address that the link confirms, if it is one for that.
    """

    digest: str
    subscriber_id: str
    purpose: LinkPurpose
    email_digest: str
    new_email: str | None


async def insert_link(
    tx: Transaction, account_id: int, link: SubscriberLink, expires_at: datetime
) -> None:
    """Add a link. Queries: one."""
    await tx.insert_rows(
        "subscriber_link",
        [
            {
                "account_id": account_id,
                "digest": link.digest,
                "subscriber_id": link.subscriber_id,
                "purpose": link.purpose.value,
                "email_digest": link.email_digest,
                "new_email": link.new_email,
                "created_at": now(),
                "expires_at": expires_at,
            }
        ],
    )


async def find_link(db: Connection, account_id: int, digest: str) -> SubscriberLink | None:
    """A link that can still be used. Queries: one."""
    return await fetch_one(
        db,
        """
        SELECT digest, subscriber_id, purpose, email_digest, new_email
        FROM subscriber_link
        WHERE account_id = :account_id
          AND digest = :digest
          AND expires_at > :now
          AND used_at IS NULL
        """,
        {"account_id": account_id, "digest": digest, "now": now()},
        into=SubscriberLink,
    )


async def take_links(tx: Transaction, account_id: int, link: SubscriberLink) -> bool:
    """Use up a link and those like it for the subscriber; False if it was used before.

    Each attempt to send an email has a link of its own. Queries: one.
    """
    taken = await tx.execute(
        """
        UPDATE subscriber_link
        SET used_at = :now
        WHERE account_id = :account_id
          AND subscriber_id = :subscriber
          AND purpose = :purpose
          AND coalesce(new_email, '') = :new_email
          AND used_at IS NULL
        """,
        {
            "account_id": account_id,
            "subscriber": link.subscriber_id,
            "purpose": link.purpose.value,
            "new_email": link.new_email or "",
            "now": now(),
        },
    )
    return taken > 0


async def is_confirmed(
    db: Connection, account_id: int, link: SubscriberLink, purpose: LinkPurpose
) -> bool:
    """Whether a link for the same new address with another purpose was used. Queries: one."""
    row = await db.fetch_one(
        """
        SELECT 1 AS found
        FROM subscriber_link
        WHERE account_id = :account_id
          AND subscriber_id = :subscriber
          AND purpose = :purpose
          AND new_email = :new_email
          AND email_digest = :email_digest
          AND used_at IS NOT NULL
        LIMIT 1
        """,
        {
            "account_id": account_id,
            "subscriber": link.subscriber_id,
            "purpose": purpose.value,
            "new_email": link.new_email,
            "email_digest": link.email_digest,
        },
    )
    return row is not None


async def find_new_email(db: Connection, account_id: int, subscriber_id: str) -> str:
    """The new address that a subscriber has to confirm; empty if there is none. Queries: one."""
    row = await db.fetch_one(
        """
        SELECT new_email
        FROM subscriber_link
        WHERE account_id = :account_id
          AND subscriber_id = :subscriber
          AND purpose IN ('confirm_old', 'confirm_new')
          AND expires_at > :now
          AND used_at IS NULL
        ORDER BY created_at DESC
        LIMIT 1
        """,
        {"account_id": account_id, "subscriber": subscriber_id, "now": now()},
    )
    return str(row["new_email"]) if row else ""


async def delete_links(
    tx: Transaction, account_id: int, subscriber_id: str, *, purposes: tuple[LinkPurpose, ...]
) -> None:
    """Delete the links of a subscriber with some purposes. Queries: one."""
    await tx.execute(
        """
        DELETE FROM subscriber_link
        WHERE account_id = :account_id
          AND subscriber_id = :subscriber
          AND purpose IN (:purposes...)
        """,
        {
            "account_id": account_id,
            "subscriber": subscriber_id,
            "purposes": [each.value for each in purposes],
        },
    )


async def delete_old_links(tx: Transaction, account_id: int) -> None:
    """Delete the expired links of an account. Queries: one."""
    await tx.execute(
        "DELETE FROM subscriber_link WHERE account_id = :account_id AND expires_at <= :now",
        {"account_id": account_id, "now": now()},
    )
