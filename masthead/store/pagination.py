"""Keyset pagination in SQL: each page is read in key order, by an index on the filters.

The index is read backwards for the newest records first, and forwards for the oldest.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from operator import itemgetter

from msgspec import Struct

from masthead.model.pagination import MAX_LIMIT, JsonRows
from masthead.store.engine.interface import Connection, Dialect, Parameters, Row

# As bytes: Python takes up to 20 µs to decode and encode a page that is not ASCII
_AS_BYTES: Mapping[Dialect, str] = {
    "sqlite": "CAST({} AS blob)",
    "postgres": "convert_to({}, 'UTF8')",
}


class PaginatedList(Struct, frozen=True, kw_only=True, eq=False):
    """A list of records, newest first: its filters, and which of them the indexes have.

    alias: the name of the table in `conditions`, and in the columns that a page is read for.
    key: the column that the list is sorted by.
    conditions: in SQL, by the name of the filter.
    selective: filters that match few rows, or whose index has the columns of all others. The index
    of the first one in use is read, and the other filters are applied to its rows. Such a page is
    read aside, because there may still be many rows.
    last: the filter whose column comes just before the key in the indexes.
    last_values: every value of that column, as conditions.
    """

    table: str
    alias: str
    key: str = "id"
    conditions: Mapping[str, str] = {}
    selective: Sequence[str] = ()
    last: str = ""
    last_values: Sequence[str] = ()

    def filters_of(self, query: Struct) -> dict[str, object]:
        """The filters that a query sets, with their values."""
        values = {name: getattr(query, name, None) for name in self.conditions}
        return {name: value for name, value in values.items() if value is not None}

    def may_take_long(self, filters: Collection[str]) -> bool:
        """Whether no index has all of these filters, so that many rows may be read for a page."""
        return len(filters) > 1 and any(name in filters for name in self.selective)

    def page(
        self,
        filters: Mapping[str, object],
        *,
        after: str | int,
        fetch: int,
        columns: str = "*",
        most: int = MAX_LIMIT + 1,
        is_ascending: bool = False,
    ) -> tuple[str, dict[str, object]]:
        """The page after a key, as a table to select from, with its parameters.

        fetch: how many rows, at most `most`. `:account_id` is the only parameter left to bind.
        """
        text = _page_text(self, tuple(filters), columns, most, is_ascending)
        return text, {**filters, "after": after, "fetch": fetch}

    def branches(self, filters: Collection[str]) -> list[str]:
        """Conditions for each part of an index that has rows of the page."""
        for name in self.selective:
            if name in filters:
                others = (self.conditions[other] for other in filters if other != name)
                # IS TRUE keeps SQLite from reading by the index of another filter
                rest = "".join(f" AND ({condition}) IS TRUE" for condition in others)
                return [f" AND {self.conditions[name]}{rest}"]
        text = "".join(f" AND {self.conditions[name]}" for name in filters)
        if not filters or self.last in filters:
            return [text]
        return [f"{text} AND {value}" for value in self.last_values]


@cache
def _page_text(
    listed: PaginatedList, filters: tuple[str, ...], columns: str, most: int, is_ascending: bool
) -> str:
    """The SQL of a page, the same for all pages with these filters.

    Without filters, the index of the key has the rows of the page in their order.

    An index (account_id, filter, last, key) also serves the filter without the last one: each value
    of the last one is a branch, read in key order, and the database merges the branches without a
    sort. PostgreSQL merges only branches that state their order. It plans without the value of
    `:fetch`, so the inner LIMIT tells it how few rows will be read.
    """
    alias, key = listed.alias, listed.key
    comparison, order = (">", "ASC") if is_ascending else ("<", "DESC")
    branches = [
        f"""
        SELECT {columns}
        FROM {listed.table} {alias}
        WHERE {alias}.account_id = :account_id
          AND {alias}.{key} {comparison} :after
          {condition}
        ORDER BY {alias}.{key} {order}
        """  # noqa: S608 - the constants of a list
        for condition in listed.branches(filters)
    ]
    if not filters:
        return f"({branches[0]} LIMIT :fetch)"
    merged = " UNION ALL ".join(f"SELECT * FROM ({branch}) AS branch" for branch in branches)  # noqa: S608 - the texts above
    return f"""
    (
        SELECT * FROM (
            {merged}
            ORDER BY {key} {order}
            LIMIT {most}
        ) AS newest
        LIMIT :fetch
    )
    """  # noqa: S608 - the text above


async def fetch_page(
    db: Connection,
    account_id: int,
    listed: PaginatedList,
    select: str,
    query: Struct | None = None,
    *,
    after: str | int,
    fetch: int,
    is_ascending: bool = False,
) -> list[Row]:
    """The rows of a page, newest first. select: `SELECT …`. query: its filters. Queries: one."""
    filters = listed.filters_of(query) if query else {}
    page, parameters = listed.page(filters, after=after, fetch=fetch, is_ascending=is_ascending)
    rows = await db.fetch_all(
        f"{select} FROM {page} AS {listed.alias}", {**parameters, "account_id": account_id}
    )
    # they come in this order, but SQL does not guarantee the order of a sub-select
    return sorted(rows, key=itemgetter(listed.key), reverse=not is_ascending)


async def fetch_lines(
    db: Connection,
    account_id: int,
    alias: str,
    item: str,
    page: str,
    parameters: Parameters,
    *,
    is_ascending: bool = False,
) -> JsonRows:
    """The rows of a page as JSON, which the database writes. Queries: one.

    item: a row `alias` of the page as JSON, in SQL. page: a table to select from, such as that of
    `PaginatedList.page`, with its parameters; sorted by `id`.
    """
    text = _lines_text(db.dialect, alias, item, page, is_ascending)
    row = await db.fetch_one(text, {**parameters, "account_id": account_id})
    if row is None or row["ids"] is None:
        return JsonRows([], b"")
    return JsonRows(row["ids"].split(), row["lines"])


@cache
def _lines_text(dialect: Dialect, alias: str, item: str, page: str, is_ascending: bool) -> str:
    """Selects a page as one row: between two rows, other threads may run."""
    lines = _AS_BYTES[dialect].format("group_concat(item, '\n')")
    return f"""
        SELECT group_concat(id, ' ') AS ids, {lines} AS lines
        FROM (
            SELECT CAST({alias}.id AS text) AS id, {item} AS item
            FROM {page} AS {alias}
            ORDER BY {alias}.id {"ASC" if is_ascending else "DESC"}
        ) AS listed
        """  # noqa: S608 - the constants of a list, and the text above
