"""The lists of who lapsed and who is about to, by page and with their numbers of rows.

Indexes: as in `store.renewals.lapsed`, and subscription_by_status. A list is sorted as a whole; the
rows of a page are then looked up.
"""

from collections.abc import Sequence
from datetime import date
from functools import cache

from msgspec import Struct

from masthead.model.pagination import Page, PageRequest, page_of
from masthead.model.renewals.lapsed import Candidate, RenewalList, RenewalListQuery, ends_of
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_one, to_struct
from masthead.store.letters.latest import GOT_LETTER
from masthead.store.renewals.folding import folded
from masthead.store.renewals.lapsed import (
    ENDED_ON_DAYS,
    ENDED_WITH_ISSUE,
    JOIN_CANDIDATES,
    LAST_PERIOD,
    SELECT_CANDIDATES,
    parameters_of,
)
from masthead.store.subscriptions.bundles import FIRST_OF_GROUP

# Texts, so that all cursors have one form. At most 30 characters, because a cursor has room for
# few. `q.id > 0` keeps SQLite from reading the periods of the account by `period_end`
_SORT_KEYS = {
    "name": f"""substr({folded("coalesce(s.last_name, s.company, s.first_name, '')")}, 1, 30)""",
    "ends": """CASE
                WHEN s.last_issue IS NOT NULL THEN CAST(1000000000 + s.last_issue AS text)
                ELSE 'day ' || CAST(
                    (
                        SELECT max(q.period_end)
                        FROM period q
                        WHERE q.account_id = :account_id
                          AND q.subscription_id = s.id
                          AND q.id > 0
                    ) AS text
                )
            END""",
    "ordered": """coalesce(
                (
                    SELECT CAST(q.order_date AS text)
                    FROM period q
                    WHERE q.account_id = :account_id AND q.subscription_id = s.id
                    ORDER BY q.id DESC
                    LIMIT 1
                ),
                ''
            )""",
    "entered": "s.id",
}
_ENTERED_LAST = "-entered"  # the order of a list that is not sorted by a column
_CONDITIONS = {  # IS TRUE keeps SQLite from reading by the index of the filter
    "medium": "(s.medium = :medium) IS TRUE",
    "country": "(s.country = :country) IS TRUE",
    "source": "(s.source_id = :source) IS TRUE",
    "is_comp": "(s.is_comp = :is_comp) IS TRUE",
    # count(*): PostgreSQL would make a join of EXISTS, and read all letters for each subscription
    "has_letter": f"""(
          (
              SELECT count(*)
              FROM renewal_letter l
              WHERE l.account_id = :account_id
                AND l.period_id = {LAST_PERIOD}
                AND {GOT_LETTER}
          ) > 0
      ) = :has_letter""",  # noqa: S608 - constants
}
_BY_ENDS = (ENDED_WITH_ISSUE, ENDED_ON_DAYS)
# The type: as in `lapsed`
_BY_STATUS = (
    f"""
        FROM subscription s
        WHERE s.account_id = :account_id
          AND s.status = :status
          AND s.type <> ''
          AND {FIRST_OF_GROUP}
""",
)
_STATUSES = {
    RenewalList.PAST_DUE: "Past due",
    RenewalList.STOPPED: "Active - Renewals stopped",
}


class ListCount(Struct, frozen=True):
    """How many rows a list has. free: those of them that are complimentary.

    unpaid: those that renew automatically, but did not in time.
    """

    rows: int
    free: int
    unpaid: int

    @property
    def open(self) -> int:
        """Those that somebody has to renew."""
        return self.rows - self.free - self.unpaid


@cache
def _list_sql(parts: Sequence[str], filters: Sequence[str], sort: str, *, is_first: bool) -> str:
    """A page of a list. parts: the FROM and WHERE of its parts."""
    column = sort.removeprefix("-")
    order, past = (" DESC", "<") if sort.startswith("-") else ("", ">")
    key, by_id = _SORT_KEYS[column], column == "entered"
    after = f"s.id {past} :id" if by_id else f"({key}, s.id) {past} (:key, :id)"
    found = _rows(
        [part if is_first else f"{part} AND {after}" for part in parts],
        filters,
        f"s.id, {key} AS sort_key",
        # By the id alone, an index has the order, and only the first rows are read
        f"ORDER BY s.id{order} LIMIT :fetch"
        if by_id
        else f"ORDER BY sort_key{order}, s.id{order} LIMIT :fetch",
    )
    return f"""
        {SELECT_CANDIDATES}, listed.sort_key
        FROM (
            SELECT id, sort_key
            FROM ({found}) AS found
            ORDER BY sort_key{order}, id{order}
            LIMIT :fetch
        ) AS listed
        {JOIN_CANDIDATES}
        ORDER BY listed.sort_key{order}, listed.id{order}
    """  # noqa: S608 - the constants of this module


@cache
def _count_sql(parts: Sequence[str], filters: Sequence[str]) -> str:
    rows = _rows(parts, filters, "s.is_comp, s.status = 'Active' AND s.is_recurring AS renews")
    return f"""
        SELECT
            count(*) AS rows,
            count(*) FILTER (WHERE ended.is_comp) AS free,
            count(*) FILTER (WHERE ended.renews AND NOT ended.is_comp) AS unpaid
        FROM ({rows}) AS ended
    """  # noqa: S608 - as above


def _rows(parts: Sequence[str], filters: Sequence[str], columns: str, first: str = "") -> str:
    """The rows of all parts. first: which rows of each part, and in which order."""
    conditions = "".join(f" AND {_CONDITIONS[name]}" for name in filters)
    return " UNION ALL ".join(
        f"SELECT * FROM (SELECT {columns} {part} {conditions} {first}) AS part"  # noqa: S608 - above
        for part in parts
    )


def _parts(
    kind: RenewalList, query: RenewalListQuery, current: int, today: date
) -> tuple[Sequence[str], dict[str, object]]:
    """The parts of a list with their parameters."""
    ends = ends_of(kind, current, today, ago=query.ago)
    if ends is None:
        return _BY_STATUS, {"status": _STATUSES[kind]}
    return _BY_ENDS, parameters_of(ends)


def _filters(query: RenewalListQuery) -> dict[str, object]:
    values = {name: getattr(query, name) for name in _CONDITIONS}
    return {name: value for name, value in values.items() if value is not None}


async def list_renewals(
    db: Connection,
    account_id: int,
    kind: RenewalList,
    query: RenewalListQuery,
    page: PageRequest,
    *,
    current: int,
    today: date,
) -> Page[Candidate]:
    """A page of a list, last entered first if it is not sorted by a column. Queries: one, aside.

    A page that is read backwards has the last row first.

    current: the number of the current issue.
    """
    parts, parameters = _parts(kind, query, current, today)
    filters, after = _filters(query), page.after or ""
    key, _, id = after.rpartition(" ")
    sort: str = query.sort or _ENTERED_LAST
    if page.is_backward:
        sort = sort[1:] if sort.startswith("-") else f"-{sort}"
    rows = await db.fetch_all(
        _list_sql(parts, tuple(filters), sort, is_first=not after),
        {
            **parameters,
            **filters,
            "account_id": account_id,
            "key": key,
            "id": id,
            "fetch": page.fetch,
        },
    )
    found = [to_struct(row, Candidate) for row in rows]
    return page_of(found[: page.limit], [each.list_key for each in found], page)


async def count_renewals(
    db: Connection,
    account_id: int,
    kind: RenewalList,
    query: RenewalListQuery,
    *,
    current: int,
    today: date,
) -> ListCount:
    """The number of rows of a list with the filters of a query. Queries: one, read aside."""
    parts, parameters = _parts(kind, query, current, today)
    filters = _filters(query)
    found = await fetch_one(
        db,
        _count_sql(parts, tuple(filters)),
        {**parameters, **filters, "account_id": account_id},
        into=ListCount,
    )
    assert found is not None
    return found
