"""The orders that renewed what ended with an issue, as the renewal rate counts them."""

from collections.abc import Collection
from datetime import date, datetime

import msgspec
from msgspec import Struct

from masthead.model.audit_entries import EntryType
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all
from masthead.store.renewals.lapsed import LATER_ORDERS, NEWER_ORDERS


class RenewingOrder(Struct, frozen=True, kw_only=True):
    """The order that renewed a subscription.

    ended_id: of the subscription that ended. period_id: of its order. subscription_id: of the
    order, the same unless it is a new subscription. is_recurring: whether that renews
    automatically. first_issue to period_end: what the order pays for.
    """

    ended_id: str
    period_id: int
    subscription_id: str
    order_id: str
    order_date: date | None
    first_issue: int | None
    last_issue: int | None
    period_start: date | None
    period_end: date | None
    is_recurring: bool
    source_name: str


_FIND = f"""
    SELECT
        ended.id AS ended_id,
        ended.period_id,
        q.subscription_id,
        q.order_id,
        q.order_date,
        q.first_issue,
        q.last_issue,
        q.period_start,
        q.period_end,
        n.is_recurring,
        o.name AS source_name
    FROM (
        SELECT
            s.id,
            p.id AS period_id,
            coalesce(
                (
                    SELECT q.id
                    {LATER_ORDERS}
                    ORDER BY q.id
                    LIMIT 1
                ),
                (
                    SELECT q.id
                    {NEWER_ORDERS}
                      AND q.order_date IS NOT NULL
                    ORDER BY q.order_date, q.id
                    LIMIT 1
                )
            ) AS renewal_id
        FROM subscription s
        CROSS JOIN period p
        WHERE s.account_id = :account_id
          AND s.id IN (:ids...)
          AND p.account_id = :account_id
          AND p.subscription_id = s.id
          AND p.last_issue = :issue
    ) AS ended
    CROSS JOIN period q
    CROSS JOIN subscription n
    CROSS JOIN source o
    WHERE q.account_id = :account_id
      AND q.id = ended.renewal_id
      AND n.account_id = :account_id
      AND n.id = q.subscription_id
      AND o.account_id = :account_id
      AND o.id = coalesce(q.source_id, n.source_id)
"""  # noqa: S608 - a constant


async def find_renewing_orders(
    db: Connection, account_id: int, issue: int, ids: Collection[str]
) -> list[RenewingOrder]:
    """The orders that renewed subscriptions whose orders ended with an issue.

    A later order of the same subscription, or else the first of a newer one. Queries: one.
    Indexes: period_by_subscription, subscription_by_subscriber.
    """
    parameters = {"account_id": account_id, "issue": issue, "ids": list(ids)}
    return await fetch_all(db, _FIND, parameters, into=RenewingOrder)


class SentLetter(Struct, frozen=True):
    """A renewal letter that went out. ended_at: when."""

    period_id: int
    channel: str
    ended_at: datetime


async def list_sent_letters(
    db: Connection, account_id: int, period_ids: Collection[int]
) -> list[SentLetter]:
    """The letters about some orders that went out, oldest first. Index: renewal_letter_once."""
    return await fetch_all(
        db,
        """
        SELECT period_id, channel, coalesce(ended_at, created_at) AS ended_at
        FROM renewal_letter
        WHERE account_id = :account_id
          AND period_id IN (:ids... AS bigint)
          AND status IN ('sent', 'printed')
        ORDER BY 3, id
        """,
        {"account_id": account_id, "ids": list(period_ids)},
        into=SentLetter,
    )


async def find_authors(
    db: Connection, account_id: int, subscription_ids: Collection[str]
) -> dict[str, tuple[str, str]]:
    """Who entered the orders of subscriptions, by order id: the kind and the id of the actor.

    Queries: one. Index: audit_by_subject.
    """
    rows = await db.fetch_all(
        # IS TRUE keeps both databases from reading all orders of the account
        """
        SELECT actor_kind, actor_id, after
        FROM audit
        WHERE account_id = :account_id
          AND subject_type = 'subscription'
          AND subject_id IN (:ids...)
          AND (action IN (:actions...)) IS TRUE
        """,
        {
            "account_id": account_id,
            "ids": list(subscription_ids),
            "actions": [EntryType.SUBSCRIPTION_CREATE, EntryType.SUBSCRIPTION_RENEW],
        },
    )
    return {
        msgspec.json.decode(row["after"])["order_id"]: (row["actor_kind"], row["actor_id"])
        for row in rows
    }
