"""Each page of each list is read by the index made for it: no scan, no sort, on 100,000 rows.

The database explains the statements that the lists run: for common values, rare values and values
that no row has; for the first page, one in the middle and the last; on PostgreSQL before and after
ANALYZE, for the given values and for any values (a generic plan).
"""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime
from itertools import product, takewhile
from typing import Any

import pytest
from msgspec import Struct

from masthead.model.inputs import Query
from masthead.model.pagination import PageRequest
from masthead.model.queries import CopyQuery, SubscriberLookup, SubscriptionLookup
from masthead.store import copies, sources
from masthead.store.engine.interface import Connection, Database, Parameters, Row
from masthead.store.engine.postgres import connection
from masthead.store.issues import records as issues
from masthead.store.pagination import PaginatedList
from masthead.store.read_model import stored_pages
from masthead.store.subscribers import records as subscriber_store
from masthead.store.subscriptions import records as subscriptions
from masthead.store.subscriptions.filters import SUBSCRIPTIONS
from tests.store.conftest import execute
from tests.store.many_rows import (
    CHANGED,
    COPIES,
    FIRST_COPY,
    LAST_ISSUE,
    OUTDATED,
    ROWS,
    analyze,
    fill,
    id_of,
)
from tests.support.databases import opened

pytestmark = pytest.mark.slow

Values = tuple[object, ...]


class Case(Struct, frozen=True):
    """A list with some filters.

    columns: of the index that reads it; all of them are used to find the start of the page. For a
    filter whose matches are all read, the name of the index.
    statement: which statement of the list.
    """

    table: str
    filters: str
    columns: str
    statement: int = 0

    def __str__(self) -> str:
        return f"{self.table} by {self.filters or 'nothing'}"


CASES = (
    Case("source", "", "account_id id"),
    Case("issue", "", "account_id number"),
    Case("subscriber", "", "account_id id"),
    Case("subscriber", "has_active_subscription", "account_id has_active_subscription id"),
    # some stored JSON is outdated, so the list reads the subscriptions after that JSON
    Case("subscription_document", "", "account_id id"),
    Case("subscription", "", "account_id id", statement=1),
    Case("subscription", "subscriber", "account_id subscriber_id id"),
    Case("subscription", "country", "account_id country is_gift id"),
    Case("subscription", "source", "account_id source_id is_gift id"),
    Case("subscription", "is_gift", "account_id is_gift id"),
    Case("subscription", "country is_gift", "account_id country is_gift id"),
    Case("subscription", "source is_gift", "account_id source_id is_gift id"),
    Case("subscription", "country source", "account_id country source_id is_gift id"),
    Case("subscription", "country source is_gift", "account_id country source_id is_gift id"),
    Case("copy", "", "account_id id"),
    Case("copy", "status", "account_id status id"),
    Case("copy", "issue", "account_id issue_number status id"),
    Case("copy", "subscriber", "account_id subscriber_id id"),
    Case("copy", "subscription", "account_id subscription_id id"),
    Case("copy", "country", "account_id country status id"),
    Case("copy", "issue status", "account_id issue_number status id"),
    Case("copy", "issue country", "account_id issue_number country status id"),
    Case("copy", "issue country status", "account_id issue_number country status id"),
    Case("copy", "country status", "account_id country status id"),
    # a subscriber or a subscription has few rows: one index finds them, other filters select
    Case("subscription", "subscriber country", "account_id subscriber_id id"),
    Case("subscription", "subscriber source is_gift", "account_id subscriber_id id"),
    Case("subscription", "email", "account_id subscriber_id id"),
    Case("subscription", "email country", "account_id subscriber_id id"),
    Case("subscription", "type", "account_id type status id"),
    Case("subscription", "type status", "account_id type status id"),
    Case("subscription", "subscriber type", "account_id subscriber_id id"),
    # the index finds all that match, which are sorted
    Case("subscriber", "updated_since", "subscriber_by_change"),
    Case("subscription", "updated_since", "subscription_document_by_change"),
    Case("subscription", "country updated_since", "subscription_document_by_change"),
    Case("subscription", "next_charge_before", "subscription_by_last"),
    Case("subscription", "status next_charge_before", "subscription_by_type"),
    # with other filters, PostgreSQL may choose either index by its statistics
    Case("subscription", "status", "account_id status id"),
    Case("subscription", "subscriber status", "account_id subscriber_id id"),
    Case("copy", "subscriber status", "account_id subscriber_id id"),
    Case("copy", "subscriber issue country", "account_id subscriber_id id"),
    Case("copy", "subscription issue", "account_id subscription_id id"),
    Case("copy", "subscription subscriber status", "account_id subscription_id id"),
)

# Common values, rare values, and values that no row has
VALUES: dict[str, Values] = {
    "subscriber": (id_of("U", 1), id_of("U", 40), "NOSUCH"),
    "subscription": (id_of("B", 20), id_of("B", ROWS), "NOSUCH"),
    "email": ("1", "40", "none"),
    "country": ("DE", "LI", "ZZ"),
    "source": (id_of("S", 1), id_of("S", 40), "NOSUCH"),
    "is_gift": (False, True),
    "type": ("membership",),  # of the other type are all rows, so any index is as good
    "has_active_subscription": (False, True),
    "updated_since": (datetime(2026, 2, 1, tzinfo=UTC), datetime(2099, 1, 1, tzinfo=UTC)),
    "next_charge_before": (date(2026, 2, 1),),
    "issue": (id_of("I", 30), id_of("I", LAST_ISSUE), id_of("I", LAST_ISSUE + 1), "NOSUCH"),
    # of copies, of subscriptions
    "status": ("Sent", "Not sent", "Cancelled", "Active", "Past due"),
}


class ListCall(Struct, frozen=True):
    """How to read a page of a list: with a query of that type, by a function of the store."""

    listed: PaginatedList
    query: type[Query]
    run: Callable[[Any, Any, PageRequest], Awaitable[object]]


LISTS = {
    "source": ListCall(
        sources.SOURCES, Query, lambda db, _, page: sources.list_sources(db, 2, page)
    ),
    "issue": ListCall(issues.ISSUES, Query, lambda db, _, page: issues.list_issues(db, 2, page)),
    "subscriber": ListCall(
        subscriber_store.SUBSCRIBERS,
        SubscriberLookup,
        lambda db, query, page: subscriber_store.list_subscribers_json(db, 1, page, query),
    ),
    "subscription_document": ListCall(
        stored_pages.STORED,
        SubscriptionLookup,
        lambda db, query, page: subscriptions.list_subscriptions(db, 1, query, page),
    ),
    "subscription": ListCall(
        SUBSCRIPTIONS,
        SubscriptionLookup,
        lambda db, query, page: subscriptions.list_subscriptions(db, 1, query, page),
    ),
    "copy": ListCall(
        copies.COPIES, CopyQuery, lambda db, query, page: copies.list_copies(db, 1, query, page)
    ),
}

# The last key of the page before: none, one in the middle, one close to the end
AFTER: dict[str, tuple[str | None, ...]] = {
    "source": (None, id_of("S", ROWS // 2, 2), id_of("S", 20, 2)),
    "issue": (None, str(ROWS // 2), "20"),
    "subscriber": (None, id_of("U", ROWS // 2), id_of("U", 20)),
    "subscription": (None, id_of("B", ROWS // 2), id_of("B", 20)),
    "subscription_document": (None, id_of("B", ROWS // 2), id_of("B", 20)),
    "copy": (None, str(FIRST_COPY + COPIES // 2), str(FIRST_COPY + 20)),
}


# Indexes, each with a list that is not read well without it
CONTROLS = {
    "copy_by_issue_country": "copy by issue country",
    "copy_by_subscription": "copy by subscription",
    "subscription_by_gift": "subscription by is_gift",
}


class Explaining:
    """A database that also explains its statements. plans: of each statement."""

    def __init__(self, db: Database) -> None:
        self._db, self.dialect, self._aside = db, db.dialect, False
        self.plans: list[str] = []

    @asynccontextmanager
    async def read(self, *, aside: bool = False) -> AsyncIterator["Explaining"]:
        """This database, which plans as in a snapshot."""
        self._aside = aside
        yield self

    async def fetch_all(self, sql: str, parameters: Parameters) -> list[Row]:
        """All rows, by column name."""
        async with self._db.read(aside=self._aside) as connection:
            explain = explain_sqlite if self.dialect == "sqlite" else explain_postgres
            self.plans.append("\n".join(await explain(connection, sql, parameters)))
            return await connection.fetch_all(sql, parameters)

    async def fetch_one(self, sql: str, parameters: Parameters) -> Row | None:
        """The first row, or None."""
        rows = await self.fetch_all(sql, parameters)
        return rows[0] if rows else None


async def explain_sqlite(db: Connection, sql: str, parameters: Parameters) -> list[str]:
    """The lines of a plan."""
    rows = await db.fetch_all("EXPLAIN QUERY PLAN " + sql, parameters)
    return [row["detail"] for row in rows]


async def explain_postgres(db: Connection, sql: str, parameters: Parameters) -> list[str]:
    """The lines of the plan below its limit, which read the rows of the page."""
    text, names = connection._translate(sql)
    values = ", ".join(_literal(parameters[name]) for name in names)
    await db.fetch_all(f"PREPARE page AS {text}", {})
    rows = await db.fetch_all(f"EXPLAIN EXECUTE page({values})", {})
    await db.fetch_all("DEALLOCATE page", {})
    lines = iter(row["QUERY PLAN"] for row in rows)
    depth = next(line.find("Limit  (") for line in lines if "Limit  (" in line)
    return list(takewhile(lambda line: not line[: depth + 1].strip(), lines))


def _literal(value: object) -> str:
    return str(value).lower() if isinstance(value, (bool, int)) else f"'{value}'"


# Reads of all rows of the account; of issues and changes, there are few. PostgreSQL expects that an
# older masthead has stored all JSON, and may look for it in the table, whose rows are small here
FULL_READ = re.compile(
    r"Seq Scan on (?!issue|subscription_change|\w+ subscription_document_1)\w+|Hash Join"
    r"|SEARCH (?!n |subscription_change)\w+ USING (?!.*by_format).*\(account_id=\?\)"
)


def faults(plan: str, case: Case) -> Iterator[str]:
    """The lines of a plan that are wrong."""
    if LISTS[case.table].listed.tables.keys() & case.filters.split():
        if case.columns not in plan:
            yield f"not read by {case.columns}"
        yield from FULL_READ.findall(plan)
        return
    if sort := re.search(r"TEMP B-TREE|\bSort  |Bitmap|Seq Scan", plan):
        yield sort[0]
    for scanned in re.findall(r"^SCAN (\w+)", plan, re.MULTILINE):
        if f"CO-ROUTINE {scanned}" not in plan:
            yield f"scan of {scanned}"
    name = LISTS[case.table].listed.alias
    by = rf"SEARCH {name} USING.*\((.*)\)|Index.* on {case.table}\b.*\n *Index Cond: (.*)"
    conditions = ["".join(either) for either in re.findall(by, plan)]
    used = {" ".join(re.findall(r"(\w+) ?[=<]", each)) for each in conditions if "<" in each}
    if used != {case.columns}:
        yield f"read by {used}"


async def faulty_pages(db: Database, case: Case) -> list[str]:
    """The pages of a list that are not read by their index, with their plans."""
    names = case.filters.split()
    listed = LISTS[case.table]
    faulty: list[str] = []
    for values in product(*(VALUES[name] for name in names)):
        query = listed.query(**dict(zip(names, values, strict=True)))
        for after in AFTER[case.table]:
            explaining = Explaining(db)
            await listed.run(explaining, query, PageRequest(50, after, b""))
            plan = explaining.plans[case.statement]
            assert plan
            faulty.extend(
                f"{values} after {after}: {fault}\n{plan}" for fault in faults(plan, case)
            )
    return faulty


async def faulty_lists(url: str) -> dict[str, list[str]]:
    """The lists with such pages, by a new connection: SQLite caches its plans."""
    async with opened(url) as db:
        faulty = {str(case): await faulty_pages(db, case) for case in CASES}
    return {name: pages for name, pages in faulty.items() if pages}


async def test_every_page_is_read_by_the_index_made_for_it(scratch_url: str) -> None:
    async with opened(scratch_url) as db:
        await fill(db)
        for statement in (*CHANGED, OUTDATED):
            await execute(db, statement)
        assert not await faulty_lists(scratch_url)
        await execute(db, "DELETE FROM subscription_change")  # as most of the time
        await analyze(db)
        await execute(db, OUTDATED)
        assert not await faulty_lists(scratch_url)
        for index in CONTROLS:
            await execute(db, f"DROP INDEX {index}")
        assert {*CONTROLS.values()} <= {*await faulty_lists(scratch_url)}  # positive control
