"""A page of a list in SQL: read in the order of its key by an index that serves its filters."""

from collections.abc import Collection, Mapping, Sequence
from operator import itemgetter

from msgspec import Struct

from masthead.model.pagination import MAX_LIMIT
from masthead.store.engine.interface import Connection, Row


class Listing(Struct, frozen=True, kw_only=True):
    """A list, newest first: what it can be filtered by, and how its indexes serve that.

    name: by which conditions call a row of the table, and also what is shown of a page.
    key: what it is sorted by.
    conditions: by the name of the filter.
    few: filters that leave few rows, or whose index has the columns of all others. The index of the
        first that is asked for is read, and the others sift what it finds; such a page is read
        aside, for those few may be many after all.
    last: the filter whose column stands between the others and the key in their indexes.
    values: every value of that column, as conditions.
    """

    table: str
    name: str
    key: str = "id"
    conditions: Mapping[str, str] = {}
    few: Sequence[str] = ()
    last: str = ""
    values: Sequence[str] = ()

    def asked(self, query: Struct) -> dict[str, object]:
        """The filters that a query names, with what it asks of each."""
        named = {name: getattr(query, name, None) for name in self.conditions}
        return {name: value for name, value in named.items() if value is not None}

    def may_take_long(self, asked: Collection[str]) -> bool:
        """Whether no index serves these filters together, and rows may have to be sifted."""
        return len(asked) > 1 and any(name in asked for name in self.few)

    def page(self, asked: Collection[str], columns: str = "*", *, most: int = MAX_LIMIT + 1) -> str:
        """A page as a table to select from: `:fetch` rows below `:before`, newest first.

        most: the highest `:fetch` that it will be given.

        An index (account_id, filter, last, key) also serves the filter without the last: then each
        value of the last is a branch, read in the order of the key, and the database merges them
        without a sort. PostgreSQL merges only branches that state their order, and is told by the
        inner LIMIT how little will be read: the outer one it plans without knowing.
        """
        read = (
            f"SELECT {columns} FROM {self.table} {self.name}"  # noqa: S608 - our own names
            f" WHERE {self.name}.account_id = :account_id AND {self.name}.{self.key} < :before"
        )
        order = f"ORDER BY {self.key} DESC"
        branches = " UNION ALL ".join(
            f"SELECT * FROM ({read}{branch} {order}) AS branch"  # noqa: S608
            for branch in self._branches(asked)
        )
        return (
            f"(SELECT * FROM ({branches} {order} LIMIT {most}) AS newest"  # noqa: S608
            " LIMIT :fetch)"
        )

    def _branches(self, asked: Collection[str]) -> list[str]:
        for name in self.few:
            if name in asked:
                others = (self.conditions[other] for other in asked if other != name)
                # IS TRUE keeps SQLite from reading by the index of another filter
                sieve = "".join(f" AND ({condition}) IS TRUE" for condition in others)
                return [f" AND {self.conditions[name]}{sieve}"]
        text = "".join(f" AND {self.conditions[name]}" for name in asked)
        if not asked or self.last in asked:
            return [text]
        return [f"{text} AND {value}" for value in self.values]


async def fetch_page(
    db: Connection,
    account_id: int,
    listing: Listing,
    shown: str,
    query: Struct | None = None,
    *,
    before: str | int,
    fetch: int,
) -> list[Row]:
    """The rows of a page, newest first. shown: `SELECT …`. query: its filters. Queries: one."""
    asked = listing.asked(query) if query else {}
    rows = await db.fetch_all(
        f"{shown} FROM {listing.page(asked)} AS {listing.name}",
        {**asked, "account_id": account_id, "before": before, "fetch": fetch},
    )
    # they come so, but SQL promises no order beyond a sub-select
    return sorted(rows, key=itemgetter(listing.key), reverse=True)
