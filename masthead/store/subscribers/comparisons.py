"""The records of two subscribers, side by side, before they are merged."""

from collections.abc import Collection, Sequence

from msgspec import Struct

from masthead.model.types.enums import Medium, SubscriptionStatus, SubscriptionType
from masthead.model.types.full_names import Named
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all

LISTED = 200  # subscriptions of a subscriber that a comparison reads


class SubscriberCounts(Struct, frozen=True):
    """How many copies, claims and notes a subscriber has. unsent: copies that are not sent."""

    id: str
    copies: int
    unsent: int
    claims: int
    notes: int


class FrozenCopy(Struct, frozen=True):
    """A copy that a run holds. run: its number."""

    subscription_id: str
    subscriber_id: str
    issue_number: int
    run_id: str
    run: int


class ComparedSubscription(Named, frozen=True, kw_only=True):
    """A subscription of a subscriber, as a comparison shows it."""

    id: str
    subscriber_id: str
    type: SubscriptionType
    status: SubscriptionStatus
    medium: Medium
    address1: str | None
    address2: str | None
    city: str | None
    state: str | None
    postcode: str | None
    country: str
    phone: str | None
    start_issue: int | None
    last_issue: int | None
    gifter_id: str | None


async def list_counts(
    db: Connection, account_id: int, ids: Collection[str]
) -> dict[str, SubscriberCounts]:
    """What subscribers have, by id. Queries: one.

    Index: copy_by_subscriber, claim_by_subscriber, subscriber_note_by_subscriber.
    """
    found = await fetch_all(
        db,
        # IS TRUE keeps SQLite from reading all copies with a status
        """
        SELECT
            u.id,
            (
                SELECT count(*)
                FROM copy c
                WHERE c.account_id = :account_id AND c.subscriber_id = u.id
            ) AS copies,
            (
                SELECT count(*)
                FROM copy c
                WHERE c.account_id = :account_id
                  AND c.subscriber_id = u.id
                  AND (c.status NOT IN ('Sent', 'Cancelled')) IS TRUE
            ) AS unsent,
            (
                SELECT count(*)
                FROM claim k
                WHERE k.account_id = :account_id AND k.subscriber_id = u.id
            ) AS claims,
            (
                SELECT count(*)
                FROM subscriber_note n
                WHERE n.account_id = :account_id
                  AND n.subscriber_id = u.id
                  AND n.deleted_at IS NULL
            ) AS notes
        FROM subscriber u
        WHERE u.account_id = :account_id AND u.id IN (:ids...)
        """,
        {"account_id": account_id, "ids": list(ids)},
        into=SubscriberCounts,
    )
    return {each.id: each for each in found}


async def list_shared_issues(db: Connection, account_id: int, ids: Sequence[str]) -> list[int]:
    """The numbers of the issues of which both subscribers have an unsent copy. Queries: one.

    Index: copy_by_subscriber.
    """
    rows = await db.fetch_all(
        """
        SELECT c.issue_number
        FROM copy c
        WHERE c.account_id = :account_id
          AND c.subscriber_id IN (:ids...)
          AND (c.status NOT IN ('Sent', 'Cancelled')) IS TRUE
        GROUP BY c.issue_number
        HAVING count(DISTINCT c.subscriber_id) > 1
        ORDER BY c.issue_number
        """,
        {"account_id": account_id, "ids": list(ids)},
    )
    return [row["issue_number"] for row in rows]


async def list_frozen(db: Connection, account_id: int, ids: Sequence[str]) -> list[FrozenCopy]:
    """Copies of subscribers that a run holds. Queries: one. Index: copy_by_subscriber."""
    return await fetch_all(
        db,
        """
        SELECT
            c.subscription_id,
            c.subscriber_id,
            c.issue_number,
            d.id AS run_id,
            d.number AS run
        FROM copy c
        JOIN dispatch d ON d.account_id = c.account_id AND d.id = c.dispatch_id
        WHERE c.account_id = :account_id
          AND c.subscriber_id IN (:ids...)
          AND (d.status = 'frozen') IS TRUE
        ORDER BY c.id
        """,
        {"account_id": account_id, "ids": list(ids)},
        into=FrozenCopy,
    )


async def list_subscriptions(
    db: Connection, account_id: int, ids: Sequence[str]
) -> list[ComparedSubscription]:
    """The newest subscriptions, newest first. Queries: one."""
    return await fetch_all(
        db,
        """
        SELECT
            id,
            subscriber_id,
            type,
            status,
            medium,
            first_name,
            last_name,
            company,
            address1,
            address2,
            city,
            state,
            postcode,
            country,
            phone,
            start_issue,
            last_issue,
            gifter_id
        FROM subscription
        WHERE account_id = :account_id AND subscriber_id IN (:ids...)
        ORDER BY id DESC
        LIMIT :limit
        """,
        {"account_id": account_id, "ids": list(ids), "limit": LISTED},
        into=ComparedSubscription,
    )
