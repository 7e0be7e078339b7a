"""What two subscribers have, side by side, before they are merged."""

from collections.abc import Collection, Sequence

from masthead.store.engine.interface import Connection, Row

LISTED = 200  # subscriptions of a subscriber that a comparison reads


async def list_figures(db: Connection, account_id: int, ids: Collection[str]) -> dict[str, Row]:
    """Numbers of copies, claims and notes of subscribers, by id. Queries: one.

    Columns: `copies`, `unsent`, `claims`, `notes`. Index: copy_by_subscriber,
    claim_by_subscriber, subscriber_note_by_subscriber.
    """
    rows = await db.fetch_all(
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
    )
    return {row["id"]: row for row in rows}


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


async def list_frozen(db: Connection, account_id: int, ids: Sequence[str]) -> list[Row]:
    """Copies of subscribers that a run holds: `subscription_id`, `subscriber_id`, `issue_number`,
    and the `run_id` and `run` number. Queries: one. Index: copy_by_subscriber.
    """
    return await db.fetch_all(
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
    )


async def list_subscriptions(db: Connection, account_id: int, ids: Sequence[str]) -> list[Row]:
    """The newest subscriptions, newest first: id, subscriber, type, status, medium, names,
    street and town, first and last issue, giver. Queries: one.
    """
    return await db.fetch_all(
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
            postcode,
            city,
            country,
            start_issue,
            last_issue,
            gifter_id
        FROM subscription
        WHERE account_id = :account_id AND subscriber_id IN (:ids...)
        ORDER BY id DESC
        LIMIT :limit
        """,
        {"account_id": account_id, "ids": list(ids), "limit": LISTED},
    )
