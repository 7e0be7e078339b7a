"""The frozen fields of a run's lines as text, which the database writes: for the fingerprint."""

from typing import NamedTuple

from masthead.store.engine.interface import Connection

_TEXTS = ("first_name", "last_name", "company", "address1", "address2", "city", "state", "postcode")


def _field(name: str) -> str:
    """Its length and its value, or a dash: no two lines with different fields are one text."""
    return f"coalesce(length({name}) || ':' || {name}, '-')"


_READ = f"""
    SELECT count(*) AS count, max(id) AS last, group_concat(item, '') AS items
    FROM (
        SELECT
            id,
            id || ',' || copy_id || ',' || claim_id || ',' || subscription_id || ','
                || subscriber_id || ',' || issue_number || ',' || medium || ',' || country || ','
                || {" || ".join(map(_field, _TEXTS))} || ';' AS item
        FROM dispatch_line
        WHERE account_id = :account_id AND dispatch_id = :dispatch AND id > :after
        ORDER BY id
        LIMIT :limit
    ) AS lines
"""  # noqa: S608 - the names are constants of this module


class FrozenText(NamedTuple):
    """The text of some lines. last: the id of the last one."""

    last: int
    text: str


async def read_frozen(
    db: Connection, account_id: int, dispatch_id: str, *, after: int, limit: int
) -> FrozenText | None:
    """The text of a run's lines after an id, by id; None if there are no more. Queries: one.

    It is the same on both databases.
    """
    row = await db.fetch_one(
        _READ,
        {"account_id": account_id, "dispatch": dispatch_id, "after": after, "limit": limit},
    )
    return FrozenText(row["last"], row["items"]) if row and row["count"] else None
