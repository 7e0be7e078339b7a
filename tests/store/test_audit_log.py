"""The audit log: the entries that its filters select, page by page, and the indexes they use."""

import re
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any

import pytest

from masthead.model.pagination import PageRequest
from masthead.store.audit.choices import list_actions, list_actors
from masthead.store.audit.log import AuditEntry, AuditFilter, list_log
from masthead.store.engine.database import connect
from masthead.store.engine.interface import Connection, Database, Parameters, Row, Transaction
from tests.conftest import Cast
from tests.store.conftest import execute
from tests.store.test_query_plans import explain_sqlite
from tests.support.factories import make_issue, make_subscription

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
ENTRIES = 8_000

# one in 4,000 is rare; a user with many entries has none of some entry types
FILL = """
INSERT INTO audit (account_id, id, happened_at, actor_kind, actor_id, action, subject_type,
    subject_id, before, after)
WITH RECURSIVE up(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM up WHERE n < {entries})
SELECT 1, n, {moment},
    CASE WHEN n % 4000 = 7 THEN 'user' WHEN n % 2 = 0 THEN 'key' ELSE 'command' END,
    CASE WHEN n % 4000 = 7 THEN 'rare' WHEN n % 2 = 0 THEN 'often' ELSE 'daily' END,
    CASE WHEN n % 4000 = 7 THEN 'key.revoke' WHEN n % 2 = 0 THEN 'subscription.update'
        WHEN n % 4000 = 9 THEN 'issue.update' ELSE 'copy.mark_sent' END,
    CASE WHEN n % 4000 = 7 THEN 'key' WHEN n % 2 = 0 THEN 'subscription'
        WHEN n % 4000 = 9 THEN 'issue' ELSE 'copy' END,
    CAST(n % 1000 AS text), NULL, '{{"n": 1}}' FROM up
"""
MOMENTS = {
    "sqlite": "strftime('%Y-%m-%dT%H:%M:%S.000000+00:00', '2026-01-01', n || ' minutes')",
    "postgres": "timestamptz '2026-01-01T00:00:00Z' + n * interval '1 minute'",
}
FILTERS: dict[str, tuple[Any, ...]] = {
    "actor_id": (None, "often", "rare", "nobody"),
    "action": (None, "copy.mark_sent", "key.revoke", "no.such"),
    "subject_type": (None, "subscription", "key"),
    "subject_id": (None, "7", "NOSUCH"),
    "since": (None, BEGIN + 2_000 * MINUTE),
    "until": (None, BEGIN + 6_007 * MINUTE),
}


async def fill(db: Database, entries: int = ENTRIES) -> None:
    """An account with that many entries, one per minute."""
    await execute(
        db,
        "INSERT INTO account (id, name, subdomain, currency, is_active, welcome_subject,"
        " welcome_text, created_at) VALUES (1, 'Many', 'many', 'EUR', true, '', '',"
        " '2026-01-01T00:00:00.000000+00:00')",
    )
    await execute(
        db,
        "INSERT INTO account_state (account_id, writes, last_copy, last_period, last_entry,"  # noqa: S608
        f" daily_date) VALUES (1, 0, 0, 0, {entries}, '2026-01-01')",
    )
    await execute(db, FILL.format(entries=entries, moment=MOMENTS[db.dialect]))


def request(limit: int = 50, after: str | None = None) -> PageRequest:
    """A page of the log."""
    return PageRequest(limit, after, b"log")


async def ask(
    db: Database, limit: int = 50, after: str | None = None, **filters: Any
) -> list[AuditEntry]:
    """The entries of a page."""
    async with db.read(aside=True) as connection:
        page = await list_log(connection, 1, AuditFilter(**filters), request(limit, after))
    assert page.has_more == (page.cursor is not None)
    return list(page.items)


@pytest.fixture(scope="module")
async def many(file_url: str) -> Any:
    """A database with many entries."""
    db = await connect(file_url)
    await fill(db)
    yield db
    await db.close()


def is_wanted(entry: AuditEntry, filters: dict[str, Any]) -> bool:
    """Whether the filters select an entry, checked without SQL."""
    return all(
        (
            filters["actor_id"] in (None, entry.actor.id),
            filters["action"] in (None, entry.action),
            filters["subject_type"] in (None, entry.subject_type),
            filters["subject_id"] in (None, entry.subject_id),
            filters["since"] is None or entry.happened_at >= filters["since"],
            filters["until"] is None or entry.happened_at < filters["until"],
        )
    )


@pytest.mark.slow
async def test_combined_filters_select_what_each_of_them_selects(many: Database) -> None:
    everything: list[AuditEntry] = []
    while page := await ask(many, 200, str(everything[-1].id) if everything else None):
        everything += page
    assert [entry.id for entry in everything] == list(range(ENTRIES, 0, -1))
    for values in product(*FILTERS.values()):
        filters = dict(zip(FILTERS, values, strict=True))
        wanted = [entry for entry in everything if is_wanted(entry, filters)]
        assert await ask(many, **filters) == wanted[:50], filters
        if len(wanted) > 60:
            assert await ask(many, after=str(wanted[9].id), **filters) == wanted[10:60], filters


async def test_days_before_and_after_all_entries(many: Database) -> None:
    early, late = BEGIN - MINUTE, BEGIN + 10**6 * MINUTE
    assert await ask(many, until=early) == await ask(many, since=late) == []
    assert await ask(many, since=early) == await ask(many, until=late) == await ask(many)
    (entry,) = await ask(many, since=BEGIN + MINUTE, until=BEGIN + 2 * MINUTE)
    assert entry.id == 1


class Explaining:
    """Queries the database, and records the plan of each statement."""

    def __init__(self, db: Connection) -> None:
        self._db, self.dialect = db, db.dialect
        self.plans: list[str] = []

    async def fetch_all(self, sql: str, parameters: Parameters) -> list[Row]:
        """All rows, by column name."""
        self.plans.append("\n".join(await explain_sqlite(self._db, sql, parameters)))
        return await self._db.fetch_all(sql, parameters)

    async def fetch_one(self, sql: str, parameters: Parameters) -> Row | None:
        """The first row, or None."""
        rows = await self.fetch_all(sql, parameters)
        return rows[0] if rows else None


async def test_no_filter_scans_or_sorts_the_audit_log(many: Database) -> None:
    if many.dialect != "sqlite":
        pytest.skip("PostgreSQL's plans are measured; its statements are the same")
    async with many.read() as connection:
        for values in product(*FILTERS.values()):
            explaining = Explaining(connection)
            query = AuditFilter(**dict(zip(FILTERS, values, strict=True)))
            await list_log(explaining, 1, query, request())
            for plan in explaining.plans:
                assert not re.search(r"^SCAN e\b", plan, re.MULTILINE), (values, plan)


async def test_actors_and_event_types_are_listed_as_choices(many: Database) -> None:
    async with many.read() as connection:
        assert await list_actions(connection, 1) == {
            "copy.mark_sent": "copy",
            "issue.update": "issue",
            "key.revoke": "key",
            "subscription.update": "subscription",
        }
        assert await list_actions(connection, 1, actor_id="rare") == {"key.revoke": "key"}
        actors = await list_actors(connection, 1)
        assert sorted(actor.id for actor in actors) == ["daily", "often", "rare"]
        assert await list_actions(connection, 2) == {}
        assert await list_actors(connection, 2) == []


async def test_entries_have_the_names_of_their_actors(acme: Cast) -> None:
    await make_issue(acme, 1)
    await make_subscription(acme, email="a@x.test")
    async with acme.db.read() as connection:
        row = await connection.fetch_one(
            "SELECT user_id FROM account_user WHERE account_id = :a", {"a": acme.account_id}
        )
        assert row

    async def work(tx: Transaction) -> None:
        await tx.execute(
            "UPDATE audit SET actor_kind = 'user', actor_id = :user WHERE account_id = :a"
            " AND action = 'issue.create'",
            {"user": row["user_id"], "a": acme.account_id},
        )

    await acme.db.write(work)
    async with acme.db.read() as connection:
        page = await list_log(connection, acme.account_id, AuditFilter(), request())
        actors = await list_actors(connection, acme.account_id)
    by = {entry.action: entry.actor for entry in page.items}
    assert (by["subscription.create"].name, by["subscription.create"].kind) == ("API key", "key")
    assert by["subscription.create"].prefix == acme.key[:12]
    assert (by["issue.create"].name, by["issue.create"].kind) == (acme.owner, "user")
    assert (by["source.create"].kind, by["source.create"].id) == ("command", "tests")
    assert {actor.id for actor in actors} == {acme.key_id, row["user_id"], "tests"}
    newest = page.items[0]
    assert newest.before is None
    assert newest.after
    assert newest.after["country"] == "DE"


async def test_entries_of_another_account_are_not_listed(acme: Cast, rival: Cast) -> None:
    async with acme.db.read() as connection:
        query = AuditFilter(subject_id=rival.shop)
        assert not (await list_log(connection, acme.account_id, query, request())).items
        assert (await list_log(connection, rival.account_id, query, request())).items
