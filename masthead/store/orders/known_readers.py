"""Finds readers whom an order may be for."""

from collections.abc import Collection

from masthead.store.engine.interface import Connection, Row

# The index subscription_by_phone has the same expression: the last eight characters without signs
_DIGITS = """
    replace(replace(replace(replace(replace(replace(replace(
        phone, ' ', ''), '-', ''), '/', ''), '.', ''), '(', ''), ')', ''), '+', '')
"""
_PHONE_KEY = f"substr({_DIGITS}, length({_DIGITS}) - 7)"


async def find_by_phone(db: Connection, account_id: int, key: str, *, limit: int) -> list[str]:
    """Readers with a phone number that ends with these digits. Index: subscription_by_phone."""
    rows = await db.fetch_all(
        f"""
        SELECT subscriber_id
        FROM subscription
        WHERE account_id = :account_id AND phone IS NOT NULL AND {_PHONE_KEY} = :key
        LIMIT :limit
        """,  # noqa: S608 - our own text
        {"account_id": account_id, "key": key, "limit": limit},
    )
    return [row["subscriber_id"] for row in rows]


async def list_known(db: Connection, account_id: int, ids: Collection[str]) -> list[Row]:
    """Readers with the address of their newest subscription, newest reader first. Queries: one."""
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
                WHERE n.account_id = u.account_id AND n.subscriber_id = u.id
            )
        WHERE u.account_id = :account_id AND u.id IN (:ids...) AND u.merged_into IS NULL
        ORDER BY u.id DESC
        """,
        {"account_id": account_id, "ids": list(ids)},
    )


async def list_names_and_postcodes(
    db: Connection, account_id: int, ids: Collection[str]
) -> list[Row]:
    """The names of readers and of their subscriptions, with postcodes. Queries: one.

    Rows: subscriber_id, first_name, last_name, company, postcode, and the reader's own names.
    """
    return await db.fetch_all(
        """
        SELECT
            s.subscriber_id,
            s.first_name,
            s.last_name,
            s.company,
            s.postcode,
            u.first_name AS own_first_name,
            u.last_name AS own_last_name,
            u.company AS own_company
        FROM subscriber u
        JOIN subscription s ON s.account_id = u.account_id AND s.subscriber_id = u.id
        WHERE u.account_id = :account_id AND u.id IN (:ids...)
        """,
        {"account_id": account_id, "ids": list(ids)},
    )
