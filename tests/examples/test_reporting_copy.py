"""The copy for reports has what the lists have, whatever happened in between."""

import json
from collections.abc import AsyncIterator, Iterator

import asyncpg
import httpx
import pytest
from reporting_copy import LISTS, Copy

from masthead.services.issues.numbers import delete_issue
from masthead_client import AsyncMasthead, CursorExpired
from tests.conftest import BY, Cast
from tests.support.databases import Databases
from tests.support.factories import make_issue, make_issues, make_subscription
from tests.support.postgres import Cluster, PostgresMissing, open_cluster
from tests.support.privacy import erase
from tests.support.subscribers import merge


@pytest.fixture(scope="module")
def cluster(databases: Databases) -> Iterator[Cluster]:
    """A PostgreSQL for the copy: that of masthead, or one for this module."""
    if isinstance(databases, Cluster):
        yield databases
        return
    try:
        with open_cluster() as cluster:
            yield cluster
    except PostgresMissing as reason:
        pytest.skip(str(reason))


@pytest.fixture
async def database(cluster: Cluster) -> AsyncIterator[asyncpg.Connection]:
    """An empty database."""
    connection = await asyncpg.connect(cluster.create_database("reports"))
    yield connection
    await connection.close()


async def require_same(office: AsyncMasthead, database: asyncpg.Connection) -> None:
    """Fail unless each table has the records of its list."""
    for name in LISTS.values():
        rows = await database.fetch(f"SELECT id, data FROM reporting.{name}")  # noqa: S608
        copied = {row["id"]: json.loads(row["data"]) for row in rows}
        assert copied == {each["id"]: each async for each in getattr(office, name).list()}


async def test_the_copy_is_that_of_the_lists(
    acme: Cast, office: AsyncMasthead, database: asyncpg.Connection
) -> None:
    copy = Copy(office, database)
    await copy.update()
    await make_issues(acme, 1, 2)
    first = await make_subscription(acme, email="ada@example.org")
    await make_subscription(acme)
    await copy.update()
    await require_same(office, database)
    assert await database.fetchval("SELECT count(*) FROM reporting.subscriptions") == 2

    await acme.post(f"/v1/subscriptions/{first['id']}/cancel/", {"mode": "cancel"})
    await acme.patch(f"/v1/subscribers/{first['subscriber']['id']}/", {"last_name": "King"})
    await make_issue(acme, number=3, name="Autumn")
    await copy.update()
    await require_same(office, database)
    statuses = await database.fetch(
        "SELECT data->>'status' AS status, count(*) FROM reporting.subscriptions "
        "GROUP BY 1 ORDER BY 1"
    )
    assert [tuple(row) for row in statuses] == [("Active", 1), ("Cancelled", 1)]


async def test_what_is_in_no_list_any_more_is_deleted(
    acme: Cast, office: AsyncMasthead, database: asyncpg.Connection
) -> None:
    copy = Copy(office, database)
    await make_issues(acme, 1, 2)
    kept = await make_subscription(acme, email="ada@example.org")
    twin = await make_subscription(acme, email="ada@work.example")
    gone = await make_subscription(acme, email="gone@example.org")
    await copy.update()
    merged = twin["subscriber"]["id"]
    await merge(acme, kept["subscriber"]["id"], merged)
    await erase(acme, gone["subscriber"]["id"])
    newest = await office.issues.list().first()
    assert newest
    await delete_issue(acme.db, acme.account_id, newest["id"], by=BY)
    await copy.update()
    await require_same(office, database)
    assert not await database.fetchval(
        "SELECT count(*) FROM reporting.subscribers WHERE id = $1", merged
    )


async def test_after_a_month_everything_is_copied_again(
    acme: Cast, office: AsyncMasthead, database: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = Copy(office, database)
    await make_issue(acme)
    await make_subscription(acme)
    await copy.update()
    await database.execute("INSERT INTO reporting.issues VALUES ('deleted meanwhile', '{}')")
    follow = copy.follow_deletions
    answers = iter([CursorExpired(httpx.Response(410)), None])

    async def expire_once() -> None:
        if problem := next(answers):
            raise problem
        await follow()

    monkeypatch.setattr(copy, "follow_deletions", expire_once)
    await copy.update()
    await require_same(office, database)
