"""Finds subscribers whom an order may be for."""

from collections.abc import Collection

from masthead.store.engine.interface import Connection, Row


async def list_known(db: Connection, account_id: int, ids: Collection[str]) -> list[Row]:
    """Subscribers, newest first, with the address of their newest subscription. Queries: one."""
    return await db.fetch_all(
        """
        SELECT
            u.id,
            u.first_name,
            u.last_name,
            u.company,
            CASE WHEN u.is_placeholder THEN NULL ELSE u.email END AS email,
            u.subscription_count,
            s.address1,
            s.address2,
            s.city,
            s.state,
            s.postcode,
            s.country,
            s.phone
        FROM subscriber u
        LEFT JOIN subscription s
            ON s.account_id = u.account_id
            AND s.id = (
                SELECT max(n.id)
                FROM subscription n
                WHERE n.account_id = :account_id AND n.subscriber_id = u.id
            )
        WHERE u.account_id = :account_id AND u.id IN (:ids...) AND u.merged_into IS NULL
        ORDER BY u.id DESC
        """,
        {"account_id": account_id, "ids": list(ids)},
    )


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
            u.company AS own_company
"""


async def list_compared(db: Connection, account_id: int, ids: Collection[str]) -> list[Row]:
    """The columns that tell whether subscribers are the same, by subscription. Queries: one.

    Rows: id, subscriber_id, first_name, last_name, company, address1, address2, postcode, country,
    phone, and the subscriber's own names: own_first_name, own_last_name, own_company.
    """
    return await db.fetch_all(
        f"""
        {_COMPARED}
        FROM subscriber u
        JOIN subscription s ON s.account_id = u.account_id AND s.subscriber_id = u.id
        WHERE u.account_id = :account_id AND u.id IN (:ids...)
        """,
        {"account_id": account_id, "ids": list(ids)},
    )


async def list_all_compared(
    db: Connection, account_id: int, *, after: str, limit: int
) -> list[Row]:
    """The same rows for all subscriptions of the account, by id. Queries: one: read aside.

    after: the last id of the batch before.
    """
    return await db.fetch_all(
        f"""
        {_COMPARED}
        FROM subscription s
        JOIN subscriber u ON u.account_id = s.account_id AND u.id = s.subscriber_id
        WHERE s.account_id = :account_id AND s.id > :after
        ORDER BY s.id
        LIMIT :limit
        """,
        {"account_id": account_id, "after": after, "limit": limit},
    )
