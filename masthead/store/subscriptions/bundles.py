"""Bundles: subscriptions of one subscriber that belong together, such as those of a company.

The members of a bundle that agree in `SHARED` are a group, which the pages show as one.
"""

from collections.abc import Collection

from msgspec import Struct

from masthead.model.subscriptions.groups import SHARED
from masthead.model.subscriptions.stored import StoredSubscription
from masthead.model.types.enums import SubscriptionStatus
from masthead.store.engine.interface import Connection, Ids
from masthead.store.engine.rows import fetch_all

# Whether `other` is in the group of `s`, which has a bundle
SAME_GROUP = "other.account_id = :account_id AND other.bundle_id = s.bundle_id" + "".join(
    f" AND other.{name} IS NOT DISTINCT FROM s.{name}" for name in SHARED
)
# Of a subscription `s`: whether it is alone, or the oldest of its group. Reads a few rows of
# `subscription_by_bundle`, and none for a subscription without a bundle. Looks `s` up again, so
# that the statement around it needs only what an index may hold
FIRST_OF_GROUP = f"""(
    s.bundle_id IS NULL
    OR NOT EXISTS (
        SELECT 1
        FROM subscription own
        CROSS JOIN subscription other
        WHERE own.account_id = :account_id
          AND own.id = s.id
          AND {SAME_GROUP.replace(" s.", " own.")}
          AND other.id < own.id
    )
)"""  # noqa: S608 - names of columns

# Of a subscription `s`: the id of the oldest of its group, for count(DISTINCT …). Reads no other
# row for a subscription without a bundle
GROUP_ID = f"""CASE
            WHEN s.bundle_id IS NULL THEN s.id
            ELSE (
                SELECT min(other.id)
                FROM subscription own
                CROSS JOIN subscription other
                WHERE own.account_id = :account_id
                  AND own.id = s.id
                  AND other.account_id = :account_id
                  AND {SAME_GROUP.replace(" s.", " own.")}
            )
        END"""  # noqa: S608 - names of columns

# To GROUP BY: what the subscriptions of a group have in common, and no others have
GROUP_KEY = ", ".join(
    [
        "CASE WHEN s.bundle_id IS NULL THEN s.id END",
        "s.bundle_id",
        *(f"s.{name}" for name in SHARED),
    ]
)
# How many subscriptions the group of `s` has
COPIES_OF_GROUP = f"""CASE
            WHEN s.bundle_id IS NULL THEN 1
            ELSE (SELECT count(*) FROM subscription other WHERE {SAME_GROUP})
        END"""  # noqa: S608 - names of columns
# The last periods of the group of `s`, in the currency of its own last one, `p`
_LAST_OF_GROUP = f"""FROM subscription other
                CROSS JOIN period paid
                WHERE {SAME_GROUP}
                  AND paid.account_id = :account_id
                  AND paid.subscription_id = other.id
                  AND paid.currency = p.currency
                  AND paid.id = (
                      SELECT max(latest.id)
                      FROM period latest
                      WHERE latest.account_id = :account_id
                        AND latest.subscription_id = other.id
                  )"""  # noqa: S608 - names of columns
# What they cost together
SUM_OF_GROUP = f"""CASE
            WHEN s.bundle_id IS NULL THEN p.price
            ELSE (
                SELECT CAST(sum(paid.price) AS bigint)
                {_LAST_OF_GROUP}
            )
        END"""
# What each costs, with its day; nothing for a subscription without a bundle
ORDERS_OF_GROUP = f"""CASE
            WHEN s.bundle_id IS NOT NULL THEN (
                SELECT group_concat(
                    CAST(paid.price AS text) || ' ' || coalesce(CAST(paid.order_date AS text), ''),
                    ','
                )
                {_LAST_OF_GROUP}
            )
        END"""


class GroupSize(Struct, frozen=True):
    """A group. first: the id of its oldest subscription. count: of its subscriptions.

    price: what their last periods cost together, in minor units.
    """

    first: str
    count: int
    price: int


async def list_members(
    db: Connection, account_id: int, bundle_ids: Collection[str]
) -> list[StoredSubscription]:
    """The subscriptions of bundles, oldest first. Queries: one. Index: subscription_by_bundle."""
    return await fetch_all(
        db,
        """
        SELECT *
        FROM subscription
        WHERE account_id = :account_id AND bundle_id IN (:bundles...)
        ORDER BY id
        """,
        {"account_id": account_id, "bundles": list(bundle_ids)},
        into=StoredSubscription,
    )


async def find_groups(
    db: Connection, account_id: int, ids: Collection[str]
) -> dict[str, GroupSize]:
    """The groups of subscriptions, by the id of each, without those that are alone.

    Queries: one. Index: subscription_by_bundle.
    """
    rows = await db.fetch_all(
        f"""
        SELECT
            s.id,
            min(other.id) AS first,
            count(*) AS count,
            CAST(sum(paid.price) AS bigint) AS price
        FROM subscription s
        JOIN subscription other ON {SAME_GROUP}
        JOIN period paid ON paid.account_id = :account_id
          AND paid.subscription_id = other.id
          AND paid.id = (
              SELECT max(latest.id)
              FROM period latest
              WHERE latest.account_id = :account_id AND latest.subscription_id = other.id
          )
        WHERE s.account_id = :account_id
          AND s.id IN (:ids...)
          AND s.bundle_id IS NOT NULL
        GROUP BY s.id
        HAVING count(*) > 1
        """,  # noqa: S608 - names of columns
        {"account_id": account_id, "ids": list(ids)},
    )
    return {row["id"]: GroupSize(row["first"], row["count"], row["price"]) for row in rows}


async def count_groups(
    db: Connection, account_id: int, subscriber_ids: Collection[str]
) -> dict[str, int]:
    """How many subscriptions subscribers have, by id; several copies for one address are one.

    Without those who have none. Queries: one at most, about 3 µs for each subscription, and 30 µs
    on PostgreSQL for one of a bundle. Indexes: subscription_by_subscriber, subscription_by_bundle.
    """
    if not subscriber_ids:
        return {}
    rows = await db.fetch_all(
        f"""
        SELECT s.subscriber_id, count(DISTINCT {GROUP_ID}) AS count
        FROM subscription s
        WHERE s.account_id = :account_id AND s.subscriber_id IN (:ids...)
        GROUP BY s.subscriber_id
        """,  # noqa: S608 - names of columns
        {"account_id": account_id, "ids": list(subscriber_ids)},
    )
    return {row["subscriber_id"]: row["count"] for row in rows}


async def count_complete(db: Connection, account_id: int, ids: Ids) -> int:
    """How many of the given subscriptions are Complete; several copies for one address are one.

    Queries: one.
    """
    row = await db.fetch_one(
        f"""
        SELECT count(DISTINCT {GROUP_ID}) AS count
        FROM subscription s
        WHERE s.account_id = :account_id AND s.id IN (:ids...) AND s.status = :complete
        """,  # noqa: S608 - names of columns
        {"account_id": account_id, "ids": ids, "complete": SubscriptionStatus.COMPLETE},
    )
    assert row is not None
    return int(row["count"])


async def list_others(db: Connection, account_id: int, ids: Collection[str]) -> list[str]:
    """The others of the groups of subscriptions. Queries: one. Index: subscription_by_bundle."""
    rows = await db.fetch_all(
        f"""
        SELECT DISTINCT other.id
        FROM subscription s
        JOIN subscription other ON {SAME_GROUP}
        WHERE s.account_id = :account_id
          AND s.id IN (:ids...)
          AND s.bundle_id IS NOT NULL
          AND other.id <> s.id
        """,  # noqa: S608 - names of columns
        {"account_id": account_id, "ids": list(ids)},
    )
    return [row["id"] for row in rows]


async def list_one_of_each(db: Connection, account_id: int, ids: Collection[str]) -> list[str]:
    """The oldest of each group among subscriptions, newest first. Queries: one, or none."""
    if not ids:
        return []
    rows = await db.fetch_all(
        f"""
        SELECT min(s.id) AS id
        FROM subscription s
        WHERE s.account_id = :account_id AND s.id IN (:ids...)
        GROUP BY {GROUP_KEY}
        ORDER BY id DESC
        """,  # noqa: S608 - names of columns
        {"account_id": account_id, "ids": list(ids)},
    )
    return [row["id"] for row in rows]


async def list_bundled(db: Connection, account_id: int) -> dict[str, str]:
    """The bundles of all subscriptions that are in one, by their ids. Queries: one.

    Index: subscription_by_bundle.
    """
    rows = await db.fetch_all(
        """
        SELECT id, bundle_id
        FROM subscription
        WHERE account_id = :account_id AND bundle_id IS NOT NULL
        """,
        {"account_id": account_id},
    )
    return {row["id"]: row["bundle_id"] for row in rows}


async def find_bundle_ids(db: Connection, account_id: int, ids: Collection[str]) -> dict[str, str]:
    """The bundles of those of some subscriptions that belong to one, by their id. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT id, bundle_id
        FROM subscription
        WHERE account_id = :account_id
          AND id IN (:ids...)
          AND bundle_id IS NOT NULL
        """,
        {"account_id": account_id, "ids": list(ids)},
    )
    return {row["id"]: row["bundle_id"] for row in rows}
