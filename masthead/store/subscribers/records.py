"""Subscribers: one for each email address of an account, with the totals of their orders."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime

import msgspec

from masthead.model.errors import NotFound
from masthead.model.pagination import JsonRows, Page, PageRequest
from masthead.model.queries import SubscriberLookup
from masthead.model.resources import Subscriber
from masthead.model.subscriptions.lifecycle import LIVE
from masthead.model.types.email_addresses import stored_keys
from masthead.store.engine.interface import Connection, Ids, Row, Transaction
from masthead.store.moments import MOMENT
from masthead.store.pagination import PaginatedList
from masthead.store.search import text_index
from masthead.store.subscribers.conditions import SEVERAL_EMAILS, has_email, has_one_of_emails
from masthead.store.subscribers.subscriber_json import COLUMNS, fetch_json, find_json

_CHANGED = """(
    SELECT id
    FROM subscriber
    WHERE account_id = :account_id
      AND coalesce(changed_at, created_at) >= :updated_since
      AND merged_into IS NULL
)"""
# CASE keeps both databases from reading by the index on `merged_into` and sorting: PostgreSQL then
# expects that half of the rows are not merged, even if it has no statistics yet
SUBSCRIBERS = PaginatedList(
    table="subscriber",
    alias="u",
    conditions={
        "is_live": "CASE WHEN u.merged_into IS NULL THEN true ELSE false END",
        "email": has_email("u.id"),
        "emails": has_one_of_emails("u.id"),
        "has_active_subscription": "u.has_active_subscription = :has_active_subscription",
        "updated_since": f"u.id IN {_CHANGED}",
    },
    tables={"updated_since": _CHANGED},
    selective=("email", "emails"),
    several=SEVERAL_EMAILS,
    usual="is_live",
)
_SEARCHED = PaginatedList(  # by the alias that searches use
    table="subscriber",
    alias="s",
    conditions={
        "email": has_email("s.id"),
        "emails": has_one_of_emails("s.id"),
        "has_active_subscription": "s.has_active_subscription = :has_active_subscription",
        "updated_since": f"s.id IN {_CHANGED}",
    },
    tables={"updated_since": _CHANGED},
    selective=("email", "emails", "has_active_subscription"),
    several=SEVERAL_EMAILS,
)
_decoder = msgspec.json.Decoder(Page[Subscriber])
_one_decoder = msgspec.json.Decoder(Subscriber)

# The id of a merged subscriber identifies the one that they were merged into
_KEPT = f"""
    (
        SELECT {COLUMNS}
        FROM subscriber asked
        JOIN subscriber u
            ON u.account_id = asked.account_id
            AND u.id = coalesce(asked.merged_into, asked.id)
        WHERE asked.account_id = :account_id AND asked.id = :id
    )
"""  # noqa: S608 - a constant

# All orders of a `subscriber`. CROSS JOIN: SQLite keeps this order, and so reads the rows of one
# subscriber only. In the other order, it would read all periods of the account. `id > …` and IS
# TRUE keep both databases from reading them by the indexes on dates, currencies and statuses, and
# SQLite without statistics from an index that has all columns, of the whole account
_FROM_ORDERS = """FROM subscription s
            CROSS JOIN period p
            WHERE s.account_id = :account_id
              AND s.subscriber_id = subscriber.id
              AND s.id > ''
              AND p.account_id = s.account_id
              AND p.subscription_id = s.id
              AND p.id > 0"""
# The stats of a `subscriber`, recounted
STATS = {
    "subscription_count": """(
            SELECT count(*)
            FROM subscription s
            WHERE s.account_id = :account_id AND s.subscriber_id = subscriber.id
        )""",
    "has_active_subscription": """EXISTS (
            SELECT 1
            FROM subscription s
            WHERE s.account_id = :account_id
              AND s.subscriber_id = subscriber.id
              AND (s.status IN (:live...)) IS TRUE
        )""",
    "latest_order_date": f"""(
            SELECT max(p.order_date)
            {_FROM_ORDERS}
        )""",
    "latest_country": f"""(
            SELECT s.country
            {_FROM_ORDERS}
            ORDER BY p.order_date DESC NULLS LAST, s.id DESC
            LIMIT 1
        )""",
    "ltv": f"""(
            SELECT CAST(coalesce(sum(p.price - p.refunded), 0) AS bigint)
            {_FROM_ORDERS}
              AND (p.currency = :currency) IS TRUE
        )""",
}
_UPDATE_STATS = f"""
    UPDATE subscriber
    SET
        changed_at = {MOMENT},
        {", ".join(f"{column} = {expression}" for column, expression in STATS.items())}
    WHERE account_id = :account_id AND id IN (:ids...)
"""  # noqa: S608 - constants


async def list_subscribers(db: Connection, account_id: int, page: PageRequest) -> Page[Subscriber]:
    """Subscribers of an account, in the order of the page, without merged ones. Queries: one."""
    return _decoder.decode((await list_subscribers_json(db, account_id, page)).page(page))


async def list_subscribers_json(
    db: Connection, account_id: int, page: PageRequest, query: SubscriberLookup | None = None
) -> JsonRows:
    """Subscribers as JSON, which the database writes. query: its filters; ignores `search`.

    Indexes: the primary key, subscriber_by_active, and the one on email keys. Queries: one.
    """
    filters = SUBSCRIBERS.filters_of(query) if query else {}
    if "updated_since" not in filters:
        filters["is_live"] = True
    table, parameters = SUBSCRIBERS.page(
        filters,
        after=page.after_id,
        fetch=page.fetch,
        columns=COLUMNS,
        is_ascending=page.is_ascending,
    )
    return await fetch_json(db, account_id, table, parameters, is_ascending=page.is_ascending)


async def search_subscribers(
    db: Connection, account_id: int, terms: Sequence[str], page: PageRequest
) -> Page[Subscriber]:
    """Subscribers that match every term, newest first; read aside."""
    found = await search_subscribers_json(db, account_id, terms, page)
    return _decoder.decode(found.page(page))


async def search_subscribers_json(
    db: Connection,
    account_id: int,
    terms: Sequence[str],
    page: PageRequest,
    query: SubscriberLookup | None = None,
) -> JsonRows:
    """The subscribers that a search finds, as JSON. query: the other filters."""
    ids = await text_index.find_ids(
        db,
        account_id,
        text_index.SUBSCRIBERS,
        terms,
        after=page.after_id,
        limit=page.fetch,
        listed=_SEARCHED,
        filters=_SEARCHED.filters_of(query) if query else {},
    )
    return await find_json(db, account_id, ids)


async def get_subscriber(db: Connection, account_id: int, id: str) -> Subscriber:
    """A subscriber by id, or the one that they were merged into. Queries: one. Raises: NotFound."""
    found = await fetch_json(db, account_id, _KEPT, {"id": id})
    if not found.keys:
        raise NotFound("subscriber", id)
    return _one_decoder.decode(found.lines)


async def find_by_email(
    db: Connection, account_id: int, email_keys: Collection[str]
) -> dict[str, str]:
    """The ids of the subscribers with these email keys, by key. Queries: one.

    The key of a merged subscriber finds the one that they were merged into. Of several subscribers
    with one address, the oldest one is found.
    """
    asked = defaultdict[str, list[str]](list)
    for key in email_keys:
        for stored in stored_keys(key):
            asked[stored].append(key)
    rows = await db.fetch_all(
        """
        SELECT u.id, asked.email_key
        FROM subscriber asked
        JOIN subscriber u
            ON u.account_id = asked.account_id
            AND u.id = coalesce(asked.merged_into, asked.id)
        WHERE asked.account_id = :account_id AND asked.email_key IN (:keys...)
        """,
        {"account_id": account_id, "keys": list(asked)},
    )
    found = dict[str, str]()
    for row in rows:
        for key in asked[row["email_key"]]:
            found[key] = min(row["id"], found.get(key, row["id"]))
    return found


async def find_kept(db: Connection, account_id: int, ids: Collection[str]) -> dict[str, str]:
    """The ids of existing subscribers, by the given id; of merged ones, that of the kept one.

    Queries: one.
    """
    rows = await db.fetch_all(
        """
        SELECT id, coalesce(merged_into, id) AS kept_id
        FROM subscriber
        WHERE account_id = :account_id AND id IN (:ids...)
        """,
        {"account_id": account_id, "ids": list(ids)},
    )
    return {row["id"]: row["kept_id"] for row in rows}


async def insert_subscribers(
    tx: Transaction, account_id: int, rows: Sequence[Row], *, moment: datetime
) -> None:
    """Add subscribers. rows: by column name. moment: of the write. Queries: one, for any number."""
    own = {"account_id": account_id, "changed_at": moment}
    await tx.insert_rows("subscriber", [{**row, **own} for row in rows])


async def update_stats(tx: Transaction, account_id: int, ids: Ids, *, currency: str) -> None:
    """Recount the stats of subscribers, who count as changed. currency: of the account.

    Queries: one.
    """
    await tx.execute(
        _UPDATE_STATS,
        {
            "account_id": account_id,
            "ids": ids,
            "live": sorted(LIVE),
            "currency": currency,
        },
    )


async def update_lifetime_values(tx: Transaction, account_id: int, *, currency: str) -> None:
    """Recount the lifetime value of all subscribers in another currency. Queries: two."""
    values = {"account_id": account_id, "currency": currency}
    await tx.execute(
        f"UPDATE subscriber SET ltv = 0, changed_at = {MOMENT} WHERE account_id = :account_id",  # noqa: S608 - a constant
        values,
    )
    await tx.execute(
        """
        UPDATE subscriber
        SET ltv = paid.ltv
        FROM (
            SELECT
                s.subscriber_id AS id,
                CAST(sum(p.price - p.refunded) AS bigint) AS ltv
            FROM period p
            JOIN subscription s ON s.account_id = p.account_id AND s.id = p.subscription_id
            WHERE p.account_id = :account_id AND p.currency = :currency
            GROUP BY s.subscriber_id
        ) AS paid
        WHERE subscriber.account_id = :account_id AND subscriber.id = paid.id
        """,
        values,
    )


async def list_searchable_columns(
    db: Connection, account_id: int, ids: Collection[str]
) -> dict[str, Row]:
    """The subscribers' columns that search uses, by id, without merged ones. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT id, n, first_name, last_name, company, email, address1, address2, city, postcode
        FROM subscriber
        WHERE account_id = :account_id AND id IN (:ids...) AND merged_into IS NULL
        """,
        {"account_id": account_id, "ids": list(ids)},
    )
    return {row["id"]: row for row in rows}
