"""Facts about subscribers for renewal letters, and who wants none or cannot be reached."""

from collections.abc import Collection
from datetime import datetime

from masthead.model.clock import now
from masthead.model.letters.outcomes import Addressee
from masthead.model.subscribers.greetings import Addressed
from masthead.model.types.postal_fields import EnvelopeFields
from masthead.store.addresses.in_force import COLUMNS, FORMS_OF_ADDRESS, is_on_hold, join_change
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all, get_one, to_struct
from masthead.store.subscriptions.gifts import GIVER_OF
from masthead.store.update_statement import update_row

_ISSUE = ":issue_number"
_ADDRESSES = f"""
    SELECT
            s.id,
            {FORMS_OF_ADDRESS},
            {COLUMNS},
            {is_on_hold("s.id", _ISSUE)} AS is_on_hold
    FROM subscription s
    JOIN subscriber u ON u.account_id = s.account_id AND u.id = s.subscriber_id
    {join_change(_ISSUE)}
    WHERE s.account_id = :account_id AND s.id IN (:ids...)
"""  # noqa: S608 - the constants of `in_force`
_ADDRESSEE = """
            u.id,
            u.email,
            u.first_name,
            u.last_name,
            u.company,
            u.salutation,
            u.title,
            u.address1,
            u.address2,
            u.city,
            u.state,
            u.postcode,
            u.country,
            u.language,
            u.latest_country,
            u.is_placeholder,
            u.unsubscribed_at IS NOT NULL AS is_unsubscribed,
            u.bounced_at IS NOT NULL AS has_bounced
"""


class LetterAddress(EnvelopeFields, frozen=True, kw_only=True):
    """An address for an issue. is_on_hold: whether it was reported as undeliverable."""

    id: str
    is_on_hold: bool


class LetterSubscriber(Addressed, frozen=True, kw_only=True):
    """A subscriber, and whether they get letters. merged_into: the id of the one to use instead."""

    id: str
    language: str | None
    is_placeholder: bool
    merged_into: str | None
    unsubscribed_at: datetime | None
    bounced_at: datetime | None
    bounce_reason: str | None


async def get_subscriber(db: Connection, account_id: int, id: str) -> LetterSubscriber:
    """A subscriber by id. Raises: NotFound."""
    return await get_one(
        db,
        account_id,
        id,
        """
        SELECT
            id,
            email,
            salutation,
            title,
            first_name,
            last_name,
            company,
            address1,
            address2,
            city,
            state,
            postcode,
            country,
            language,
            is_placeholder,
            merged_into,
            unsubscribed_at,
            bounced_at,
            bounce_reason
        FROM subscriber
        WHERE account_id = :account_id AND id = :id
        """,
        into=LetterSubscriber,
        noun="subscriber",
    )


async def find_addressees(
    db: Connection, account_id: int, ids: Collection[str]
) -> dict[str, Addressee]:
    """Subscribers by id; for a merged one, the one that they were merged into. Queries: one.

    Reads nothing without ids.
    """
    if not ids:
        return {}
    rows = await db.fetch_all(
        f"""
        SELECT
            g.id AS given,
            {_ADDRESSEE}
        FROM subscriber g
        JOIN subscriber u ON u.account_id = g.account_id AND u.id = coalesce(g.merged_into, g.id)
        WHERE g.account_id = :account_id AND g.id IN (:ids...)
        """,  # noqa: S608 - a constant
        {"account_id": account_id, "ids": list(ids)},
    )
    return {row["given"]: to_struct(row, Addressee) for row in rows}


async def find_givers(
    db: Connection, account_id: int, subscription_ids: Collection[str]
) -> dict[str, Addressee]:
    """Who gave subscriptions, by subscription, where the giver has a record. Queries: one.

    Reads nothing without ids.
    """
    if not subscription_ids:
        return {}
    rows = await db.fetch_all(
        f"""
        SELECT
            s.id AS given,
            {_ADDRESSEE}
        FROM subscription s
        CROSS JOIN subscriber u
        WHERE s.account_id = :account_id
          AND s.id IN (:ids...)
          AND u.account_id = :account_id
          AND u.id = {GIVER_OF}
        """,  # noqa: S608 - constants
        {"account_id": account_id, "ids": list(subscription_ids)},
    )
    return {row["given"]: to_struct(row, Addressee) for row in rows}


async def find_addresses(
    db: Connection, account_id: int, subscription_ids: Collection[str], *, issue_number: int
) -> dict[str, LetterAddress]:
    """The name and address of subscriptions for an issue. Queries: one.

    Reads nothing without ids.
    """
    if not subscription_ids:
        return {}
    found = await fetch_all(
        db,
        _ADDRESSES,
        {"account_id": account_id, "ids": list(subscription_ids), "issue_number": issue_number},
        into=LetterAddress,
    )
    return {each.id: each for each in found}


async def update_unsubscribed(
    tx: Transaction, account_id: int, id: str, *, is_unsubscribed: bool
) -> bool:
    """Store whether a subscriber wants no letters; returns whether that changed."""
    condition = "unsubscribed_at IS NULL" if is_unsubscribed else "unsubscribed_at IS NOT NULL"
    changed = await tx.execute(
        f"""
        UPDATE subscriber
        SET unsubscribed_at = :moment
        WHERE account_id = :account_id AND id = :id AND {condition}
        """,  # noqa: S608 - a constant condition
        {"account_id": account_id, "id": id, "moment": now() if is_unsubscribed else None},
    )
    return bool(changed)


async def update_bounced(tx: Transaction, account_id: int, id: str, reason: str | None) -> None:
    """Mark the email address of a subscriber as bounced. reason: None if it works again."""
    await update_row(
        tx,
        account_id,
        "subscriber",
        id,
        bounced_at=None if reason is None else now(),
        bounce_reason=reason,
    )
