"""Texts of an account that may name a subscriber, and that an erasure leaves to people."""

from collections.abc import Sequence

from msgspec import Struct

from masthead.model.privacy.columns import LEFT
from masthead.store.engine.interface import Connection, Row
from masthead.store.privacy.records import Owner

TOGETHER = 50  # patterns of a query; SQLite takes at most 1,000 conditions
MOST = 200  # rows of a table


class _Place(Struct, frozen=True):
    """Where a table says whose row it is. id: what people find the row by, as SQL."""

    id: str = "id"
    account: str = "account_id"
    owner: str = ""  # the column of the subscriber, if the rows are those of subscribers


_PLACES = {
    "account": _Place(id="subdomain", account="id"),
    "address_change": _Place(id="subscription_id", owner="subscriber_id"),
    "dispatch_file": _Place(id="dispatch_id"),
    "dispatch_line": _Place(id="dispatch_id", owner="subscriber_id"),
    "import_mapping": _Place(id="name"),
    "issue": _Place(id="number"),
    "renewal_stage": _Place(id="stage"),
    "subscription": _Place(owner="subscriber_id"),
}


async def list_texts(
    db: Connection, account_id: int, table: str, patterns: Sequence[str], owner: Owner
) -> list[Row]:
    """`id` and the texts of rows of others in which a pattern occurs. Queries: one for 50 patterns.

    patterns: for LIKE, in lower case. Reads the whole table of the account.
    """
    place, columns = _PLACES.get(table, _Place()), LEFT[table].split()
    others = f"AND {place.owner} NOT IN (:subscribers...)" if place.owner else ""
    found: list[Row] = []
    for start in range(0, len(patterns), TOGETHER):
        some = patterns[start : start + TOGETHER]
        tests = " OR ".join(
            f"lower({column}) LIKE :pattern{n} ESCAPE '\\'"
            for column in columns
            for n in range(len(some))
        )
        found += await db.fetch_all(
            f"""
            SELECT CAST({place.id} AS text) AS id, {", ".join(columns)}
            FROM {table}
            WHERE {place.account} = :account_id {others} AND ({tests})
            LIMIT {MOST}
            """,  # noqa: S608 - the constants above
            {
                "account_id": account_id,
                **({"subscribers": owner.subscribers} if place.owner else {}),
                **{f"pattern{n}": pattern for n, pattern in enumerate(some)},
            },
        )
    return found
