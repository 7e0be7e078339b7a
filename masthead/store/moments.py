"""The moments of the writes to an account, which rise in the order of the writes. decision 0065."""

from datetime import date, datetime, timedelta
from typing import cast

from masthead.model.clock import now
from masthead.store.engine.interface import Connection, Transaction

MICROSECOND = timedelta(microseconds=1)  # at least, between the moments of two writes
# The moment of the write that has locked the account
MOMENT = """(
    SELECT written.changed_at
    FROM account_state written
    WHERE written.account_id = :account_id
)"""


async def take_moment(tx: Transaction, account_id: int, *, writes: int = 0) -> datetime:
    """Lock the account; the moment of this write, which is after those of all writes before.

    writes: how many to count. Queries: one; two more if the clock is not after the last moment.
    """
    values: dict[str, object] = {"account_id": account_id, "writes": writes}
    moment = now()
    is_later = await tx.execute(
        """
        UPDATE account_state
        SET writes = writes + :writes, changed_at = :moment
        WHERE account_id = :account_id AND changed_at < :moment
        """,
        {**values, "moment": moment},
    )
    if is_later:
        return moment
    row = await tx.fetch_one(
        """
        UPDATE account_state
        SET writes = writes + :writes
        WHERE account_id = :account_id
        RETURNING changed_at
        """,
        values,
    )
    assert row is not None
    moment = cast(datetime, row["changed_at"]) + MICROSECOND
    await tx.execute(
        "UPDATE account_state SET changed_at = :moment WHERE account_id = :account_id",
        {"account_id": account_id, "moment": moment},
    )
    return moment


async def get_last_moment(db: Connection, account_id: int) -> datetime:
    """The moment of the last write to the account, which exists. Queries: one."""
    row = await db.fetch_one(
        "SELECT changed_at FROM account_state WHERE account_id = :account_id",
        {"account_id": account_id},
    )
    assert row is not None
    return cast(datetime, row["changed_at"])


async def find_moments(
    tx: Transaction, account_id: int, ids: list[str], revision: int
) -> dict[str, datetime]:
    """The moments of the last changes up to a revision, by id.

    An older masthead stores none: then it is the moment of this transaction, which locks the
    account. Queries: one, and those of `take_moment`.
    """
    rows = await tx.fetch_all(
        """
        SELECT id, CASE WHEN count(*) = count(changed_at) THEN max(changed_at) END AS changed_at
        FROM subscription_change
        WHERE account_id = :account_id AND id IN (:ids...) AND revision <= :revision
        GROUP BY id
        """,
        {"account_id": account_id, "ids": ids, "revision": revision},
    )
    found = {row["id"]: row["changed_at"] for row in rows if row["changed_at"] is not None}
    unknown = found.keys() ^ set(ids)
    return found | dict.fromkeys(unknown, await take_moment(tx, account_id)) if unknown else found


async def get_daily_date(db: Connection, account_id: int) -> date:
    """The date of the last daily pass of an account, which exists. Queries: one."""
    row = await db.fetch_one(
        "SELECT daily_date FROM account_state WHERE account_id = :account_id",
        {"account_id": account_id},
    )
    assert row is not None
    found: date = row["daily_date"]
    return found
