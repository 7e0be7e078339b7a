"""The number of records in a list."""

from masthead.model.queries import SubscriptionQuery
from masthead.store.engine.interface import Connection
from masthead.store.subscriptions.bundles import FIRST_OF_GROUP
from masthead.store.subscriptions.filters import SUBSCRIPTIONS

MAX_FILTERED = 10_000  # a longer filtered list is not counted to its end


async def count_subscribers(db: Connection, account_id: int) -> int:
    """The number of subscribers of the account, without merged ones; read aside.

    Queries: one, about 5 ms for 250,000 subscribers. Both numbers are those of an index: whether
    a subscriber is merged would be read from its row. Indexes: the primary key,
    subscriber_by_merged.
    """
    return await _count(
        db,
        """
        SELECT
            (SELECT count(*) FROM subscriber WHERE account_id = :account_id AND id <> '')
            - (
                SELECT count(*)
                FROM subscriber
                WHERE account_id = :account_id AND merged_into IS NOT NULL
            ) AS count
        """,
        {"account_id": account_id},
    )


async def count_subscriptions(
    db: Connection, account_id: int, query: SubscriptionQuery
) -> int | None:
    """The number of subscriptions that match the filters; ignores `search`; read aside.

    Several copies for one address count as one.

    None if there are filters, and they match more than `MAX_FILTERED`, or no index has all of
    them. Queries: two at most.
    """
    filters = SUBSCRIPTIONS.filters_of(query)
    if SUBSCRIPTIONS.may_take_long(filters):
        return None
    parameters = {**filters, "account_id": account_id}
    if not filters:
        return await _count_groups(db, parameters)
    rows = " UNION ALL ".join(
        f"""
        SELECT s.id
        FROM subscription s
        WHERE s.account_id = :account_id {condition} AND {FIRST_OF_GROUP}
        """  # noqa: S608 - the constants of the list
        for condition in SUBSCRIPTIONS.branches(filters)
    )
    found = await _count(
        db,
        f"""
        SELECT count(*) AS count
        FROM (SELECT id FROM ({rows}) AS listed LIMIT {MAX_FILTERED + 1}) AS counted
        """,  # noqa: S608 - the text above
        parameters,
    )
    return None if found > MAX_FILTERED else found


async def _count_groups(db: Connection, parameters: dict[str, object]) -> int | None:
    """The number of all subscriptions, less the further ones of groups; None if those are many."""
    further = await _count(
        db,
        f"""
        SELECT count(*) AS count
        FROM (
            SELECT s.id
            FROM subscription s
            WHERE s.account_id = :account_id
              AND s.bundle_id IS NOT NULL
              AND NOT {FIRST_OF_GROUP}
            LIMIT {MAX_FILTERED + 1}
        ) AS counted
        """,  # noqa: S608 - names of columns
        parameters,
    )
    if further > MAX_FILTERED:
        return None
    return -further + await _count(
        db, "SELECT count(*) AS count FROM subscription WHERE account_id = :account_id", parameters
    )


async def count_issues(db: Connection, account_id: int) -> int:
    """The number of issues of the account; read aside. Queries: one."""
    return await _count(
        db,
        "SELECT count(*) AS count FROM issue WHERE account_id = :account_id",
        {"account_id": account_id},
    )


async def _count(db: Connection, statement: str, parameters: dict[str, object]) -> int:
    row = await db.fetch_one(statement, parameters)
    assert row is not None
    return int(row["count"])
