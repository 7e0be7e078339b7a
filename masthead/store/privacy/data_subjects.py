"""Whose records they are: the ids of a subscriber, their earlier addresses and gifts."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from masthead.model.errors import NotFound
from masthead.model.privacy.redaction import lower_forms
from masthead.model.types.email_addresses import stored_keys
from masthead.store.engine.interface import Connection, Row
from masthead.store.engine.rows import fetch_all
from masthead.store.subscribers.conditions import ASKED


async def find_id(db: Connection, account_id: int, asked: str, email_key: str) -> str:
    """The id of the subscriber with an id or an email, or of the one they were merged into.

    Of several with one address, the oldest one is found. Queries: one. Raises: NotFound.
    """
    values = {"account_id": account_id, "asked": asked, "keys": stored_keys(email_key)}
    rows = await db.fetch_all(ASKED, values)
    if not rows:
        raise NotFound("subscriber", asked)
    return min(str(row["id"]) for row in rows)


async def list_subscribers(db: Connection, account_id: int, id: str) -> list[Row]:
    """The rows of a subscriber and of those merged into them, the kept one first. Queries: one."""
    return await db.fetch_all(
        """
        SELECT *
        FROM subscriber
        WHERE account_id = :account_id
          AND id IN (
              SELECT CAST(:id AS text)
              UNION ALL
              SELECT id FROM subscriber WHERE account_id = :account_id AND merged_into = :id
          )
        ORDER BY CASE WHEN id = :id THEN 0 ELSE 1 END, id
        """,
        {"account_id": account_id, "id": id},
    )


async def list_owned_ids(
    db: Connection, account_id: int, subscribers: Sequence[str]
) -> tuple[list[str], list[str]]:
    """The ids of the subscriptions of subscribers, and of those that they gave. Queries: two."""
    values = {"account_id": account_id, "subscribers": list(subscribers)}
    owned = await db.fetch_all(
        """
        SELECT id
        FROM subscription
        WHERE account_id = :account_id AND subscriber_id IN (:subscribers...)
        """,
        values,
    )
    given = await db.fetch_all(
        """
        SELECT id
        FROM subscription
        WHERE account_id = :account_id AND gifter_id IN (:subscribers...)
        """,
        values,
    )
    # Sorted here: to sort by id, SQLite without statistics would read all subscriptions
    return sorted(row["id"] for row in owned), sorted(row["id"] for row in given)


async def list_gifts_by_email(db: Connection, account_id: int, emails: Sequence[str]) -> list[str]:
    """The ids of the gifts whose giver is known only by one of these addresses.

    Queries: one. Index: subscription_by_gifter_email.
    """
    rows = await db.fetch_all(
        """
        SELECT id
        FROM subscription
        WHERE account_id = :account_id
          AND is_gift = true
          AND gifter_email IS NOT NULL
          AND lower(gifter_email) IN (:emails...)
        """,
        {"account_id": account_id, "emails": sorted(lower_forms(emails))},
    )
    return sorted(row["id"] for row in rows)


class SubscriberChange(Struct, frozen=True):
    """A change of a subscriber. before, after: the columns that changed."""

    before: dict[str, Any] | None
    after: dict[str, Any] | None


async def list_corrections(
    db: Connection, account_id: int, subscribers: Sequence[str]
) -> list[SubscriberChange]:
    """The changes of subscribers, with earlier addresses. Queries: one."""
    return await fetch_all(
        db,
        """
        SELECT before, after
        FROM audit
        WHERE account_id = :account_id
          AND subject_type = 'subscriber'
          AND subject_id IN (:subscribers...)
        """,
        {"account_id": account_id, "subscribers": list(subscribers)},
        into=SubscriberChange,
    )


async def list_letters(
    db: Connection, account_id: int, subscribers: Sequence[str], gifts: Sequence[str]
) -> list[str]:
    """The ids of the letters to subscribers; those about gifts went to the giver. Queries: one.

    A letter is about an order, whose index finds it.
    """
    rows = await db.fetch_all(
        """
        SELECT l.id
        FROM renewal_letter l
        WHERE l.account_id = :account_id AND l.subscriber_id IN (:subscribers...)
        UNION
        SELECT l.id
        FROM renewal_letter l
        WHERE l.account_id = :account_id
          AND l.period_id IN (
              SELECT p.id
              FROM period p
              WHERE p.account_id = :account_id AND p.subscription_id IN (:gifts...)
          )
        """,
        {"account_id": account_id, "subscribers": list(subscribers), "gifts": list(gifts)},
    )
    return [row["id"] for row in rows]


async def list_sent(
    db: Connection,
    account_id: int,
    subscribers: Sequence[str],
    emails: Sequence[str],
    letters: Sequence[str],
) -> list[str]:
    """The ids of all emails to subscribers, to one of their addresses, or with one of the letters.

    Queries: one, by three indexes: PostgreSQL reads the whole table for a condition with OR, and
    SQLite without statistics for a UNION.
    """
    rows = await db.fetch_all(
        """
        SELECT id
        FROM outbox
        WHERE account_id = :account_id AND subscriber_id IN (:subscribers...)
        UNION ALL
        SELECT id
        FROM outbox
        WHERE account_id = :account_id AND lower(recipient) IN (:emails...)
        UNION ALL
        SELECT id
        FROM outbox
        WHERE account_id = :account_id AND letter_id IN (:letters...)
        """,
        {
            "account_id": account_id,
            "subscribers": list(subscribers),
            "emails": sorted(lower_forms(emails)),
            "letters": list(letters),
        },
    )
    return sorted({row["id"] for row in rows})
