"""Texts of an account that may name a subscriber, and that an erasure leaves to people."""

from collections.abc import Sequence

from msgspec import Struct

from masthead.model.privacy.columns import LEFT
from masthead.model.privacy.redaction import name_pattern
from masthead.store.engine.interface import Connection, Row
from masthead.store.privacy.mentions import list_with_pattern
from masthead.store.privacy.records import DataSubject

MOST = 200  # rows of a table


class _Place(Struct, frozen=True):
    """Where a table says whose row it is. id: what people find the row by, as SQL."""

    id: str = "id"
    account: str = "account_id"
    subscriber: str = ""  # the column of the subscriber, if the rows are those of subscribers


_PLACES = {
    "account": _Place(id="subdomain", account="id"),
    "address_change": _Place(id="subscription_id", subscriber="subscriber_id"),
    "billing": _Place(id="'billing'"),
    "delivery_report": _Place(id="subscription_id", subscriber="subscriber_id"),
    "dispatch_file": _Place(id="dispatch_id"),
    "dispatch_line": _Place(id="dispatch_id", subscriber="subscriber_id"),
    "import_mapping": _Place(id="name"),
    "issue": _Place(id="number"),
    "mandate": _Place(subscriber="payer_id"),
    "reminder_stage": _Place(id="stage"),
    "renewal_stage": _Place(id="stage"),
    "self_service": _Place(id="'self-service'"),
    "subscriber": _Place(subscriber="id"),
    "subscription": _Place(subscriber="subscriber_id"),
}


async def list_texts(
    db: Connection, account_id: int, table: str, patterns: Sequence[str], subject: DataSubject
) -> list[Row]:
    """`id` and the texts of rows of others in which a pattern occurs, always in the same order.

    Queries: one for 50 patterns. patterns: for LIKE, in lower case. Reads the whole table of the
    account.
    """
    place, columns = _PLACES.get(table, _Place()), LEFT[table].split()
    others = f"AND {place.subscriber} NOT IN (:subscribers...)" if place.subscriber else ""
    sql = f"""
        SELECT CAST({place.id} AS text) AS id, {", ".join(columns)}
        FROM {table}
        WHERE {place.account} = :account_id {others}
    """  # noqa: S608 - the constants above
    return await list_with_pattern(
        db,
        account_id,
        sql,
        columns,
        patterns,
        {"subscribers": subject.subscribers} if place.subscriber else {},
        end=f"ORDER BY {', '.join(map(str, range(1, len(columns) + 2)))} LIMIT {MOST}",
    )


async def has_namesake(
    db: Connection, account_id: int, subject: DataSubject, *, first_name: str, last_name: str
) -> bool:
    """Whether another subscriber or subscription has the same name, signs aside. Queries: one."""
    names = {"first_name": name_pattern(first_name), "last_name": name_pattern(last_name)}
    row = await db.fetch_one(
        r"""
        SELECT 1 AS found
        WHERE EXISTS (
            SELECT 1
            FROM subscriber u
            WHERE u.account_id = :account_id
              AND lower(u.last_name) LIKE lower(:last_name) ESCAPE '\'
              AND lower(u.first_name) LIKE lower(:first_name) ESCAPE '\'
              AND u.id NOT IN (:subscribers...)
        )
        OR EXISTS (
            SELECT 1
            FROM subscription s
            WHERE s.account_id = :account_id
              AND lower(s.last_name) LIKE lower(:last_name) ESCAPE '\'
              AND lower(s.first_name) LIKE lower(:first_name) ESCAPE '\'
              AND s.subscriber_id NOT IN (:subscribers...)
        )
        """,
        {**subject.parameters(account_id), **names},
    )
    return row is not None
