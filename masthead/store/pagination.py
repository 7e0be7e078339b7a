"""Keyset pagination in SQL: each page is read in key order, by an index on the filters.

The index is read backwards for the newest records first, and forwards for the oldest.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from functools import cache
from operator import itemgetter
from typing import cast

from msgspec import Struct, structs

from masthead.model.pagination import MAX_LIMIT, JsonRows
from masthead.model.types.filters import FIRST_MOMENT
from masthead.store.engine.interface import Connection, Dialect, Parameters, Row

# As bytes: Python takes up to 20 µs to decode and encode a page that is not ASCII
AS_BYTES: Mapping[Dialect, str] = {
    "sqlite": "CAST({} AS blob)",
    "postgres": "convert_to({}, 'UTF8')",
}


class PaginatedList(Struct, frozen=True, kw_only=True, eq=False):
    """A list of records, newest first: its filters, and which of them the indexes have.

    alias: the name of the table in `conditions`, and in the columns that a page is read for.
    key: the column that the list is sorted by.
    conditions: in SQL, by the name of the filter.
    tables: the ids of the records that match a filter, as a table in SQL. All of them are read for
    a page, and the other filters are applied to them. It is read aside.
    selective: filters that match few rows, or whose index has the columns of all others. The index
    of the first one in use is read, and the other filters are applied to its rows. Such a page is
    read aside, because there may still be many rows.
    each: selective filters with several values, each of which is a branch; the condition on a
    value. before: the filter whose column comes just before that of such a filter in the index.
    several: filters whose value may stand for several ones, with the function that lists these and
    the filter that takes them.
    last: the filter whose column comes just before the key in the indexes.
    last_values: every value of that column, as conditions.
    usual: the filter that nearly all records match. A page with no other one is read like one
    without filters.
    """

    table: str
    alias: str
    key: str = "id"
    conditions: Mapping[str, str] = {}
    tables: Mapping[str, str] = {}
    selective: Sequence[str] = ()
    each: Mapping[str, str] = {}
    before: Mapping[str, str] = {}
    several: Mapping[str, tuple[Callable[[str], list[str]], str]] = {}
    last: str = ""
    last_values: Sequence[str] = ()
    usual: str = ""

    def filters_of(self, query: Struct) -> dict[str, object]:
        """The filters that a query sets, with their values.

        All records were changed since the first moment, so this is no filter.
        """
        values = structs.asdict(query)
        filters = {
            name: value
            for name in self.conditions
            if (value := values.get(name)) is not None and value != FIRST_MOMENT
        }
        for name, (list_values, other) in self.several.items():
            if name in filters and len(found := list_values(filters[name])) > 1:
                del filters[name]
                filters[other] = found
        return filters

    def may_take_long(self, filters: Collection[str]) -> bool:
        """Whether no index has all of these filters, so that many rows may be read for a page."""
        if any(name in filters for name in self.tables):
            return True
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
        text = _page_text(self, tuple(_sizes(filters).items()), columns, most, is_ascending)
        values = {
            f"{name}_{place}": value
            for name in self.each
            for place, value in enumerate(cast(list[object], filters.get(name, [])))
        }
        return text, {**filters, **values, "after": after, "fetch": fetch}

    def branches(self, filters: Mapping[str, object]) -> list[str]:
        """Conditions for each part of an index that has rows of the page."""
        return self.list_branches(_sizes(filters))

    def list_branches(self, sizes: Mapping[str, int]) -> list[str]:
        """The conditions of `branches`. sizes: how many values each filter has."""
        filters = sizes.keys()
        for name in self.selective:
            if name not in filters:
                continue
            prefix = self.before.get(name, "")
            first = f" AND {self.conditions[prefix]}" if prefix in filters else ""
            rest = first + self.others(filters - {name, prefix})
            if name not in self.each:
                return [f" AND {self.conditions[name]}{rest}"]
            return [f" AND {self.each[name].format(place)}{rest}" for place in range(sizes[name])]
        text = "".join(f" AND {self.conditions[name]}" for name in filters)
        if not filters or self.last in filters or not self.last_values:
            return [text]
        return [f"{text} AND {value}" for value in self.last_values]

    def others(self, filters: Iterable[str]) -> str:
        """The conditions of filters that no index is read for.

        IS TRUE keeps SQLite from reading by the index of such a filter.
        """
        return "".join(f" AND ({self.conditions[name]}) IS TRUE" for name in sorted(filters))


def _sizes(filters: Mapping[str, object]) -> dict[str, int]:
    """How many values each filter has."""
    return {name: len(value) if isinstance(value, list) else 1 for name, value in filters.items()}


@cache
def _page_text(
    listed: PaginatedList,
    sizes: tuple[tuple[str, int], ...],
    columns: str,
    most: int,
    is_ascending: bool,
) -> str:
    """The SQL of a page, the same for all pages with these filters. sizes: values of each filter.

    Without filters, the index of the key has the rows of the page in their order.

    An index (account_id, filter, last, key) also serves the filter without the last one: each value
    of the last one is a branch, read in key order, and the database merges the branches without a
    sort. PostgreSQL merges only branches that state their order. It plans without the value of
    `:fetch`, so the inner LIMIT tells it how few rows will be read.
    """
    alias, key, filters = listed.alias, listed.key, dict(sizes)
    comparison, order = (">", "ASC") if is_ascending else ("<", "DESC")
    for name in listed.tables:
        if name in filters:
            return _matching_page_text(listed, name, filters.keys(), columns, most, is_ascending)
    branches = [
        f"""
        SELECT {columns}
        FROM {listed.table} {alias}
        WHERE {alias}.account_id = :account_id
          AND {alias}.{key} {comparison} :after
          {condition}
        ORDER BY {alias}.{key} {order}
        """  # noqa: S608 - the constants of a list
        for condition in listed.list_branches(filters)
    ]
    if filters.keys() <= {listed.usual}:
        return f"({branches[0]} LIMIT :fetch)"
    if len(branches) == 1:
        return f"(SELECT * FROM ({branches[0]} LIMIT {most}) AS newest LIMIT :fetch)"  # noqa: S608 - the text above
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


def _matching_page_text(
    listed: PaginatedList, name: str, filters: Set[str], columns: str, most: int, is_ascending: bool
) -> str:
    """The SQL of a page with a filter that is in `tables`.

    IS TRUE and an expression as the order keep both databases from reading all records in the
    order of their keys until enough of them match. OFFSET keeps PostgreSQL from reading the whole
    table for a join: it cannot know how few records match.
    """
    alias, key, others = listed.alias, listed.key, listed.others(filters - {name})
    columns = f"{alias}.*" if columns == "*" else columns  # not the key of both tables
    comparison, order = (">", "ASC") if is_ascending else ("<", "DESC")
    matches_others = f"""AND EXISTS (
        SELECT 1
        FROM {listed.table} {alias}
        WHERE {alias}.account_id = :account_id AND {alias}.{key} = matching.{key} {others}
        LIMIT 1 OFFSET 0
    )"""  # noqa: S608 - the constants of a list
    return f"""
    (
        SELECT {columns}
        FROM (
            SELECT DISTINCT matching.{key} || '' AS {key}
            FROM {listed.tables[name]} AS matching
            WHERE (matching.{key} {comparison} :after) IS TRUE {matches_others if others else ""}
            ORDER BY 1 {order}
            LIMIT {most}
        ) AS newest
        CROSS JOIN {listed.table} {alias}
        WHERE {alias}.account_id = :account_id AND {alias}.{key} = newest.{key}
        ORDER BY {alias}.{key} {order}
        LIMIT :fetch
    )
    """  # noqa: S608 - the constants of a list


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
    lines = AS_BYTES[dialect].format("group_concat(item, '\n')")
    return f"""
        SELECT group_concat(id, ' ') AS ids, {lines} AS lines
        FROM (
            SELECT CAST({alias}.id AS text) AS id, {item} AS item
            FROM {page} AS {alias}
            ORDER BY {alias}.id {"ASC" if is_ascending else "DESC"}
        ) AS listed
        """  # noqa: S608 - the constants of a list, and the text above
