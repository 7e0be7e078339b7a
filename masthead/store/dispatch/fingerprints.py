"""The fingerprint of a run shows that its lines are those that were frozen."""

import hashlib

from msgspec import Struct

from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all

BATCH = 5_000  # lines read at a time, about 1 MB
MARK = "erased:"  # begins the fingerprint of a run while it is worked out again
_TEXTS = ("first_name", "last_name", "company", "address1", "address2", "city", "state", "postcode")
_ADDED = ("salutation", "title")  # later than the others: without one, the item is as before


def _field(name: str) -> str:
    """Its length and its value, or a dash: no two lines with different fields are one text."""
    return f"coalesce(length({name}) || ':' || {name}, '-')"


def _added_field(name: str) -> str:
    """The name of a field and its value; nothing if it has none."""
    return f"coalesce(',{name}' || length({name}) || ':' || {name}, '')"


_READ = f"""
    SELECT count(*) AS count, max(id) AS last, group_concat(item, '') AS items
    FROM (
        SELECT
            id,
            id || ',' || copy_id || ',' || claim_id || ',' || subscription_id || ','
                || subscriber_id || ',' || issue_number || ',' || medium || ',' || country || ','
                || {" || ".join(map(_field, _TEXTS))}
                || {" || ".join(map(_added_field, _ADDED))}
                || CASE WHEN is_grace THEN ',grace' ELSE '' END || ';' AS item
        FROM dispatch_line
        WHERE account_id = :account_id AND dispatch_id = :dispatch AND id > :after
        ORDER BY id
        LIMIT :limit
    ) AS lines
"""  # noqa: S608 - the names are constants of this module


async def compute_fingerprint(db: Connection, account_id: int, id: str) -> str:
    """SHA-256 over the frozen fields of a run's lines, the same on both databases.

    Queries: one per 5,000 lines.
    """
    digest, after = hashlib.sha256(), 0
    while True:
        row = await db.fetch_one(
            _READ, {"account_id": account_id, "dispatch": id, "after": after, "limit": BATCH}
        )
        if row is None or not row["count"]:
            return digest.hexdigest()
        digest.update(row["items"].encode())
        after = row["last"]


class MarkedRun(Struct, frozen=True):
    """A run whose fingerprint is to be worked out again. fingerprint: the mark."""

    account_id: int
    id: str
    fingerprint: str


async def list_marked(db: Connection) -> list[MarkedRun]:
    """The marked runs of all accounts. Queries: one."""
    return await fetch_all(
        db,
        """
        SELECT account_id, id, fingerprint
        FROM dispatch
        WHERE fingerprint LIKE :mark || '%'
        ORDER BY account_id, id
        """,
        {"mark": MARK},
        into=MarkedRun,
    )


async def update_fingerprint(
    tx: Transaction, account_id: int, id: str, *, mark: str, fingerprint: str
) -> None:
    """Store the fingerprint of a run that still has this mark. Queries: one."""
    await tx.execute(
        """
        UPDATE dispatch
        SET fingerprint = :fingerprint
        WHERE account_id = :account_id AND id = :id AND fingerprint = :mark
        """,
        {"account_id": account_id, "id": id, "mark": mark, "fingerprint": fingerprint},
    )
