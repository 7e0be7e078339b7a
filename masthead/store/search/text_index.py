"""Search: what is found by which text, and the index of each database over those texts.

Rows of `searchable` are numbered in the order of the ids of what they find, so that the newest come
first by `n` as they do by id; SQLite's index lists them by that number.
"""

from collections.abc import Collection, Sequence
from types import ModuleType
from typing import Any

from masthead.model.ids import first_copy_id
from masthead.store.engine.interface import Connection, Parameters, Row, Transaction
from masthead.store.pagination import Listing
from masthead.store.search import trigrams_postgres, trigrams_sqlite
from masthead.store.search.search_query import SUBSCRIBERS, SUBSCRIPTIONS, Search, Sought

__all__ = ["SUBSCRIBERS", "SUBSCRIPTIONS"]

FEW_ROWS, MANY_ROWS = 1_000, 10_000  # of those that filters leave, to look through
_COLUMNS = "n, subscriber_id, subscription_id, shared_text, subscription_text, subscriber_text"


async def find(
    db: Connection,
    account_id: int,
    sought: Sought,
    terms: Sequence[str],
    *,
    before: str,
    limit: int,
    listing: Listing | None = None,
    asked: Parameters | None = None,
) -> list[str]:
    """The ids of the newest rows below `before` in which every term is found, newest first.

    terms: as `values.search_terms` makes them, one at least. listing: how the table is filtered;
    asked: by what. May take long: read aside.
    """
    top = await db.fetch_one(
        f"SELECT n FROM {sought.table}"  # noqa: S608 - one of the two above
        " WHERE account_id = :account_id AND id < :before ORDER BY id DESC LIMIT 1",
        {"account_id": account_id, "before": before},
    )
    if top is None:
        return []
    search = Search(
        sought=sought,
        terms=terms,
        top=top["n"],
        limit=limit,
        narrowed=[listing.conditions[name] for name in asked] if listing and asked else [],
        asked=asked or {},
    )
    dialect: ModuleType = trigrams_sqlite if db.dialect == "sqlite" else trigrams_postgres
    if listing and asked:
        rows = dialect.spelled(search), dialect.parameters(account_id, search)
        found = await _look_along(db, account_id, listing, before, search, *rows)
        if found is not None:
            return found
    return list(await dialect.find(db, account_id, search))


async def _look_along(
    db: Connection,
    account_id: int,
    listing: Listing,
    before: str,
    search: Search,
    tests: str,
    parameters: Parameters,
) -> list[str] | None:
    """What the filters leave of it, if they leave few rows or it is in many of them; else None."""
    page = listing.page(search.asked, "s.id, s.n", most=MANY_ROWS)
    given = {**parameters, "account_id": account_id, "before": before}

    async def look(rows: int) -> list[str]:
        found = await db.fetch_all(
            f"SELECT s.id FROM {page} AS s CROSS JOIN searchable t"  # noqa: S608 - our own names
            f" WHERE t.account_id = :account_id AND t.n = s.n AND {tests}"
            " ORDER BY s.id DESC LIMIT :limit",
            {**given, "fetch": rows},
        )
        return [row["id"] for row in found]

    found = await look(FEW_ROWS)
    if len(found) == search.limit:
        return found
    held = await db.fetch_one(
        f"SELECT count(*) AS n FROM {page} AS s",  # noqa: S608 - our own names
        {**given, "fetch": MANY_ROWS},
    )
    assert held is not None
    if held["n"] <= FEW_ROWS:
        return found
    is_all = held["n"] < MANY_ROWS
    if not is_all and db.dialect == "sqlite":
        return None  # to sift what its index lists costs less
    found = await look(MANY_ROWS)
    return found if is_all or len(found) == search.limit else None


async def list_texts(
    db: Connection, account_id: int, numbers: Collection[int]
) -> dict[int, dict[str, Any]]:
    """Rows of `searchable`, by number. Queries: one."""
    rows = await db.fetch_all(
        f"SELECT {_COLUMNS} FROM searchable"  # noqa: S608 - the names above
        " WHERE account_id = :account_id AND n IN (:numbers... AS bigint)",
        {"account_id": account_id, "numbers": list(numbers)},
    )
    return {row["n"]: dict(row) for row in rows}


async def get_newest(db: Connection, account_id: int) -> tuple[str, int]:
    """The newest id of a subscriber or subscription, or empty, and the highest number given."""
    row = await db.fetch_one(
        "SELECT (SELECT max(id) FROM subscriber WHERE account_id = :account_id) AS subscriber_id,"
        " (SELECT max(id) FROM subscription WHERE account_id = :account_id) AS subscription_id,"
        " (SELECT max(n) FROM searchable WHERE account_id = :account_id"
        " AND n BETWEEN :first AND :last) AS n",
        {
            "account_id": account_id,
            "first": first_copy_id(account_id),
            "last": first_copy_id(account_id + 1) - 1,
        },
    )
    assert row is not None
    newest = max(row["subscriber_id"] or "", row["subscription_id"] or "")
    return newest, row["n"] or first_copy_id(account_id)


async def insert_texts(tx: Transaction, account_id: int, rows: Sequence[Row]) -> None:
    """Let rows be found. Queries: two, however many rows."""
    if not rows:
        return
    await tx.insert_rows("searchable", [{"account_id": account_id, **row} for row in rows])
    if tx.dialect == "sqlite":
        await trigrams_sqlite.add_to_index(tx, account_id, [row["n"] for row in rows])


async def delete_texts(tx: Transaction, account_id: int, numbers: Collection[int]) -> None:
    """Let rows be found no more, by number. Queries: two."""
    if not numbers:
        return
    if tx.dialect == "sqlite":
        await trigrams_sqlite.take_from_index(tx, account_id, numbers)
    await tx.execute(
        "DELETE FROM searchable WHERE account_id = :account_id AND n IN (:numbers... AS bigint)",
        {"account_id": account_id, "numbers": list(numbers)},
    )
