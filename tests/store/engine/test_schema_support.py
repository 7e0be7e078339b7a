"""A migration that only adds leaves the database usable for the masthead before it."""

import asyncio
import re
from collections.abc import Callable
from inspect import getsource
from types import SimpleNamespace
from typing import Any

import pytest

from masthead.services.check.accounts import check
from masthead.settings import Settings
from masthead.store.engine import migrate as module
from masthead.store.engine.database import NEEDED_VERSION, SCHEMA_VERSION
from masthead.store.engine.interface import DatabaseError
from masthead.store.engine.migrate import list_migrations, migrate
from tests.conftest import make_account, serving
from tests.store.engine.test_migrate import OLDEST, ask, fitness
from tests.support.citus import not_on_citus
from tests.support.factories import make_issue

FIRST, SECOND = (f"{int(SCHEMA_VERSION) + number:04}" for number in (1, 2))
ADD = "ALTER TABLE issue ADD COLUMN colour text", "CREATE TABLE colour (id bigint PRIMARY KEY)"
REMOVE = ("DROP TABLE known_browser",)


class Newer:
    """The migrations of a newer masthead."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._steps: dict[str, Any] = {**list_migrations()}
        self._monkeypatch = monkeypatch

    def add(self, version: str, oldest_user: str | None, *statements: str) -> None:
        """Add a migration; without an oldest user it does not say who can use it."""
        self._steps[version] = step = SimpleNamespace(STATEMENTS=statements)
        if oldest_user:
            step.oldest_user = oldest_user

    def migrate(
        self, url: str, *, needed: str = SCHEMA_VERSION, **options: Any
    ) -> tuple[str | None, str]:
        """`masthead migrate` of the newer masthead. needed: the version that it needs."""
        with self._monkeypatch.context() as patch:
            patch.setattr(module, "list_migrations", lambda: self._steps)
            patch.setattr(module, "NEEDED_VERSION", needed)
            return migrate(url, **options)


@pytest.fixture
def newer(monkeypatch: pytest.MonkeyPatch) -> Newer:
    """A newer masthead."""
    return Newer(monkeypatch)


@not_on_citus("a migration may only add tables that masthead knows")
async def test_this_masthead_works_on_a_database_that_a_newer_one_expanded(
    scratch_url: str, newer: Newer
) -> None:
    newer.add(FIRST, OLDEST, *ADD)
    async with serving(Settings(database_url=scratch_url)) as (app, client):
        cast = await make_account(client, app.state.db, "Acme")
        await make_issue(cast)
        outcome = await asyncio.to_thread(newer.migrate, scratch_url, needed=FIRST)
        assert outcome == (SCHEMA_VERSION, FIRST)
        await make_issue(cast, 2)
        assert (await client.get("/ready")).status_code == 200
    async with serving(Settings(database_url=scratch_url)) as (app, client):  # after a rollback
        issues = await client.get("/v1/issues/", key=cast.key)
        assert [each["number"] for each in issues.json()["items"]] == [2, 1]
        assert [fault async for fault in check(app.state.db)] == []
    assert await asyncio.to_thread(migrate, scratch_url) == (FIRST, FIRST)


@not_on_citus("a migration may only add tables that masthead knows")
def test_nothing_is_removed_while_older_versions_may_run(scratch_url: str, newer: Newer) -> None:
    newer.add(FIRST, OLDEST, *ADD)
    newer.add(SECOND, FIRST, *REMOVE)
    assert newer.migrate(scratch_url, needed=FIRST) == (SCHEMA_VERSION, FIRST)
    assert newer.migrate(scratch_url, needed=FIRST) == (FIRST, FIRST)
    assert fitness(scratch_url) == ""
    assert newer.migrate(scratch_url, needed=FIRST, may_remove=True) == (FIRST, SECOND)
    assert "lacks what this masthead uses" in fitness(scratch_url)
    with pytest.raises(DatabaseError, match=f"{SECOND}, newer than this masthead"):
        migrate(scratch_url)


@not_on_citus("a migration may only add tables that masthead knows")
def test_an_addition_after_a_removal_needs_the_removal_first(
    scratch_url: str, newer: Newer
) -> None:
    newer.add(FIRST, FIRST, *REMOVE)
    newer.add(SECOND, FIRST, *ADD)
    with pytest.raises(DatabaseError, match=r"Stop it, and run `masthead migrate --remove`"):
        newer.migrate(scratch_url, needed=SECOND)
    assert fitness(scratch_url) == ""
    assert newer.migrate(scratch_url, may_remove=True) == (SCHEMA_VERSION, SECOND)


@not_on_citus("a migration may only add tables that masthead knows")
def test_a_migration_that_does_not_say_who_can_use_it_counts_as_a_removal(
    scratch_url: str, newer: Newer
) -> None:
    newer.add(FIRST, None, *ADD)
    assert newer.migrate(scratch_url) == (SCHEMA_VERSION, SCHEMA_VERSION)
    newer.migrate(scratch_url, may_remove=True)
    assert "install a newer masthead" in fitness(scratch_url)


def test_an_empty_database_gets_all_migrations(
    empty_database: Callable[[], str], newer: Newer
) -> None:
    newer.add(FIRST, FIRST, *REMOVE)
    url = empty_database()
    assert newer.migrate(url) == (None, FIRST)
    rows = ask(url, "SELECT version, oldest_user FROM schema_support")
    assert [tuple(row.values()) for row in rows] == [(FIRST, FIRST)]


def test_no_migration_writes_existing_rows_while_masthead_serves() -> None:
    writing = [
        version
        for version, step in list_migrations().items()
        if re.search(r"\b(?:UPDATE|DELETE FROM|INSERT INTO) \w+", getsource(step))
    ]
    unreleased = ["0052", "0058"]  # reminders and rights, which no release had before
    assert [version for version in writing if version >= "0018"] == unreleased


def test_each_migration_says_who_can_use_it() -> None:
    steps = list_migrations().items()
    users = {version: step.oldest_user for version, step in steps if version >= "0018"}
    versions = sorted(users)
    assert all(users[version] <= version for version in versions)
    before = [versions[0], *(users[version] for version in versions)]
    adding = [
        version for version, user in zip(versions, before, strict=False) if users[version] <= user
    ]
    assert adding[-1] == NEEDED_VERSION
