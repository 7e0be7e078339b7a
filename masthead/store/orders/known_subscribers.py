"""Finds subscribers whom an order may be for."""

from collections.abc import Collection

from msgspec import Struct

from masthead.model.orders.known_subscribers import KnownSubscriber
from masthead.model.subscriptions.lifecycle import LIVE
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all
from masthead.store.subscriptions.bundles import GROUP_ID


async def list_known(
    db: Connection, account_id: int, ids: Collection[str]
) -> list[KnownSubscriber]:
    """Subscribers, newest first, with their newest address, or else their own.

    Several copies for one address count as one subscription.

    Queries: one.
    """
    return await fetch_all(
        db,
        f"""
        SELECT
            u.id,
            u.salutation,
            u.title,
            u.first_name,
            u.last_name,
            u.company,
            CASE WHEN u.is_placeholder THEN NULL ELSE u.email END AS email,
            CASE
                WHEN u.subscription_count < 2 THEN u.subscription_count
                ELSE (
                    SELECT count(DISTINCT {GROUP_ID})
                    FROM subscription s
                    WHERE s.account_id = :account_id AND s.subscriber_id = u.id
                )
            END AS subscription_count,
            u.has_active_subscription,
            CASE WHEN s.id IS NULL THEN u.address1 ELSE s.address1 END AS address1,
            CASE WHEN s.id IS NULL THEN u.address2 ELSE s.address2 END AS address2,
            CASE WHEN s.id IS NULL THEN u.city ELSE s.city END AS city,
            CASE WHEN s.id IS NULL THEN u.state ELSE s.state END AS state,
            CASE WHEN s.id IS NULL THEN u.postcode ELSE s.postcode END AS postcode,
            CASE WHEN s.id IS NULL THEN u.country ELSE s.country END AS country,
            s.phone,
            r.type,
            r.medium,
            r.start_issue,
            r.last_issue
        FROM subscriber u
        LEFT JOIN subscription s
            ON s.account_id = u.account_id
            AND s.id = (
                SELECT max(n.id)
                FROM subscription n
                WHERE n.account_id = :account_id AND n.subscriber_id = u.id
            )
        LEFT JOIN subscription r
            ON r.account_id = u.account_id
            AND r.id = (
                SELECT coalesce(
                    max(CASE WHEN n.status IN (:running...) THEN n.id END),
                    max(n.id)
                )
                FROM subscription n
                WHERE n.account_id = :account_id AND n.subscriber_id = u.id
            )
        WHERE u.account_id = :account_id AND u.id IN (:ids...) AND u.merged_into IS NULL
        ORDER BY u.id DESC
        """,  # noqa: S608 - names of columns
        {"account_id": account_id, "ids": list(ids), "running": sorted(LIVE)},
        into=KnownSubscriber,
    )


class ComparedPerson(Struct, frozen=True, kw_only=True):
    """The person of a subscription, to find others. own_…: of its subscriber."""

    id: str
    subscriber_id: str
    first_name: str | None
    last_name: str | None
    company: str | None
    address1: str | None
    address2: str | None
    postcode: str | None
    country: str
    phone: str | None
    own_first_name: str | None
    own_last_name: str | None
    own_company: str | None
    own_email: str


_COMPARED = """
        SELECT
            s.id,
            s.subscriber_id,
            s.first_name,
            s.last_name,
            s.company,
            s.address1,
            s.address2,
            s.postcode,
            s.country,
            s.phone,
            u.first_name AS own_first_name,
            u.last_name AS own_last_name,
            u.company AS own_company,
            u.email AS own_email
"""


async def list_compared(
    db: Connection, account_id: int, ids: Collection[str]
) -> list[ComparedPerson]:
    """The subscriptions of subscribers. Queries: one."""
    return await fetch_all(
        db,
        f"""
        {_COMPARED}
        FROM subscriber u
        JOIN subscription s ON s.account_id = u.account_id AND s.subscriber_id = u.id
        WHERE u.account_id = :account_id AND u.id IN (:ids...)
        """,
        {"account_id": account_id, "ids": list(ids)},
        into=ComparedPerson,
    )


async def list_all_compared(
    db: Connection, account_id: int, *, after: str, limit: int
) -> list[ComparedPerson]:
    """All subscriptions of the account, by id. Queries: one: read aside.

    after: the last id of the batch before.
    """
    return await fetch_all(
        db,
        f"""
        {_COMPARED}
        FROM subscription s
        JOIN subscriber u ON u.account_id = s.account_id AND u.id = s.subscriber_id
        WHERE s.account_id = :account_id AND s.id > :after
        ORDER BY s.id
        LIMIT :limit
        """,
        {"account_id": account_id, "after": after, "limit": limit},
        into=ComparedPerson,
    )
