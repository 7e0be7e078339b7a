"""Search: the texts of subscribers and subscriptions, and the index that each database has on them.

Rows of `searchable` are numbered (`n`) in the order of the ids of their subscribers and
subscriptions, so that the newest come first by `n`, too. SQLite's index lists rows by `n`.
"""

from collections.abc import Collection, Mapping, Sequence
from types import ModuleType
from typing import Any

from msgspec import structs

from masthead.model.ids import first_copy_id
from masthead.model.search import END, SearchTexts, other_terms
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all
from masthead.store.pagination import PaginatedList
from masthead.store.search import trigrams_postgres, trigrams_sqlite
from masthead.store.search.search_query import SUBSCRIBERS, SUBSCRIPTIONS, SearchQuery, SearchTarget

__all__ = ["SUBSCRIBERS", "SUBSCRIPTIONS"]

FEW_ROWS, MANY_ROWS = 1_000, 10_000  # that match the filters, and are searched without the index

_TOP = {
    SUBSCRIBERS: """
        SELECT n
        FROM subscriber
        WHERE account_id = :account_id AND id < :after
        ORDER BY id DESC
        LIMIT 1
    """,
    SUBSCRIPTIONS: """
        SELECT n
        FROM subscription
        WHERE account_id = :account_id AND id < :after
        ORDER BY id DESC
        LIMIT 1
    """,
}


async def find_ids(
    db: Connection,
    account_id: int,
    target: SearchTarget,
    terms: Sequence[str],
    *,
    after: str,
    limit: int,
    listed: PaginatedList | None = None,
    filters: Mapping[str, object] | None = None,
) -> list[str]:
    """The ids of the rows that match every term, newest first. Slow, so read aside.

    Names are also found without their apostrophes, and phone numbers with other signs.
    terms: from `model.search.search_terms`, at least one. after: the last id of the page before.
    listed: the list that has the filters.
    """
    found = list[str]()
    for each in (terms, *other_terms(terms)):
        found += await _find_ids(
            db, account_id, target, each, after=after, limit=limit, listed=listed, filters=filters
        )
    return sorted(set(found), reverse=True)[:limit]


async def _find_ids(
    db: Connection,
    account_id: int,
    target: SearchTarget,
    terms: Sequence[str],
    *,
    after: str,
    limit: int,
    listed: PaginatedList | None,
    filters: Mapping[str, object] | None,
) -> list[str]:
    """The ids of the rows in whose texts each term is, newest first."""
    top = await db.fetch_one(_TOP[target], {"account_id": account_id, "after": after})
    if top is None:
        return []
    search = SearchQuery(
        target=target,
        terms=terms,
        top=top["n"],
        limit=limit,
        conditions=[listed.conditions[name] for name in filters] if listed and filters else [],
        filters=filters or {},
    )
    if listed and filters:
        found = await _find_among_filtered(db, account_id, listed, after, search)
        if found is not None:
            return found
    return list(await _dialect(db).find_ids(db, account_id, search))


def _dialect(db: Connection) -> ModuleType:
    return trigrams_sqlite if db.dialect == "sqlite" else trigrams_postgres


async def _find_among_filtered(
    db: Connection, account_id: int, listed: PaginatedList, after: str, search: SearchQuery
) -> list[str] | None:
    """The results, read from the rows that match the filters; None if those are too many."""
    matches = _dialect(db).matches_terms(search)
    parameters = {**_dialect(db).parameters(account_id, search), "account_id": account_id}

    async def select(columns: str, rest: str, fetch: int) -> list[Mapping[str, Any]]:
        page, bounds = listed.page(
            search.filters, after=after, fetch=fetch, columns="s.id, s.n", most=MANY_ROWS
        )
        return await db.fetch_all(
            f"SELECT {columns} FROM {page} AS s {rest}",  # noqa: S608 - the texts below
            {**parameters, **bounds},
        )

    async def find(fetch: int) -> list[str]:
        rows = await select(
            "s.id",
            f"""
            CROSS JOIN searchable t
            WHERE t.account_id = :account_id AND t.n = s.n AND {matches}
            ORDER BY s.id DESC
            LIMIT :limit
            """,
            fetch,
        )
        return [row["id"] for row in rows]

    found = await find(FEW_ROWS)
    if len(found) == search.limit:
        return found
    [filtered] = await select("count(*) AS count", "", MANY_ROWS)
    if filtered["count"] <= FEW_ROWS:
        return found
    is_all = filtered["count"] < MANY_ROWS
    if not is_all and db.dialect == "sqlite":
        return None  # reading the index and applying the filters costs less
    found = await find(MANY_ROWS)
    return found if is_all or len(found) == search.limit else None


async def list_texts(
    db: Connection, account_id: int, numbers: Collection[int]
) -> dict[int, SearchTexts]:
    """Rows of `searchable`, by number. Queries: one."""
    rows = await fetch_all(
        db,
        """
        SELECT n, subscriber_id, subscription_id, shared_text, subscription_text, subscriber_text
        FROM searchable
        WHERE account_id = :account_id AND n IN (:numbers... AS bigint)
        """,
        {"account_id": account_id, "numbers": list(numbers)},
        into=SearchTexts,
    )
    return {row.n: row for row in rows}


async def list_outdated(
    db: Connection, account_id: int, *, after: int, limit: int
) -> dict[int, str]:
    """The subscribers of rows that an earlier version wrote, by number. Reads all texts: slow."""
    rows = await db.fetch_all(
        """
        SELECT t.n, coalesce(t.subscriber_id, s.subscriber_id) AS subscriber_id
        FROM searchable t
        LEFT JOIN subscription s ON s.account_id = t.account_id AND s.id = t.subscription_id
        WHERE t.account_id = :account_id
          AND t.n > :after
          AND (t.subscriber_text || t.shared_text || t.subscription_text) NOT LIKE :current
        ORDER BY t.n
        LIMIT :limit
        """,
        {"account_id": account_id, "after": after, "limit": limit, "current": f"%{END}"},
    )
    return {row["n"]: row["subscriber_id"] for row in rows}


async def get_newest(db: Connection, account_id: int) -> tuple[str, int]:
    """The newest id of a subscriber or subscription, or an empty text, and the highest number."""
    row = await db.fetch_one(
        """
        SELECT
            (SELECT max(id) FROM subscriber WHERE account_id = :account_id) AS subscriber_id,
            (SELECT max(id) FROM subscription WHERE account_id = :account_id) AS subscription_id,
            (
                SELECT max(n)
                FROM searchable
                WHERE account_id = :account_id AND n BETWEEN :first AND :last
            ) AS n
        """,
        {
            "account_id": account_id,
            "first": first_copy_id(account_id),
            "last": first_copy_id(account_id + 1) - 1,
        },
    )
    assert row is not None
    newest = max(row["subscriber_id"] or "", row["subscription_id"] or "")
    return newest, row["n"] or first_copy_id(account_id)


async def list_sharing(db: Connection, account_id: int, numbers: Collection[int]) -> set[str]:
    """The subscribers in rows with a subscription of somebody else, and its owners. Queries: one.

    numbers: of the rows.
    """
    rows = await db.fetch_all(
        """
        SELECT t.subscriber_id AS id, s.subscriber_id AS owner
        FROM searchable t
        JOIN subscription s ON s.account_id = t.account_id AND s.id = t.subscription_id
        WHERE t.account_id = :account_id
          AND t.n IN (:numbers... AS bigint)
          AND t.subscriber_id <> s.subscriber_id
        """,
        {"account_id": account_id, "numbers": list(numbers)},
    )
    return {id for row in rows for id in (row["id"], row["owner"])}


async def insert_texts(tx: Transaction, account_id: int, rows: Sequence[SearchTexts]) -> None:
    """Add rows to the index. Queries: two, for any number of rows."""
    if not rows:
        return
    await tx.insert_rows(
        "searchable", [{"account_id": account_id, **structs.asdict(row)} for row in rows]
    )
    if tx.dialect == "sqlite":
        await trigrams_sqlite.add_to_index(tx, account_id, [row.n for row in rows])


async def delete_texts(tx: Transaction, account_id: int, numbers: Collection[int]) -> None:
    """Remove rows from the index, by number. Queries: two."""
    if not numbers:
        return
    if tx.dialect == "sqlite":
        await trigrams_sqlite.remove_from_index(tx, account_id, numbers)
    await tx.execute(
        "DELETE FROM searchable WHERE account_id = :account_id AND n IN (:numbers... AS bigint)",
        {"account_id": account_id, "numbers": list(numbers)},
    )
