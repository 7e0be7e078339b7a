"""A migration that only adds leaves the database usable for the masthead before it."""

import asyncio
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory

from masthead.services.check.accounts import check
from masthead.settings import Settings
from masthead.store.engine import migrate as module
from masthead.store.engine.database import NEEDED_VERSION, SCHEMA_VERSION
from masthead.store.engine.interface import DatabaseError
from masthead.store.engine.migrate import migrate
from tests.conftest import make_account, serving
from tests.store.engine.test_migrate import OLDEST, ask, fitness
from tests.support.factories import make_issue

FIRST, SECOND = (f"{int(SCHEMA_VERSION) + number:04}" for number in (1, 2))
ADD = "ALTER TABLE issue ADD COLUMN colour text", "CREATE TABLE colour (id bigint PRIMARY KEY)"
REMOVE = ("DROP TABLE known_browser",)
STEP = """
from alembic import op

revision, down_revision = "{version}", "{before}"
{support}


def upgrade():
    for statement in {statements}:
        op.execute(statement)
"""


class Newer:
    """The migrations of a newer masthead."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        shutil.copytree(Path(module.__file__).parent / "migrations", folder)
        self._folder, self._monkeypatch, self._config = folder, monkeypatch, Config()
        self._config.set_main_option("script_location", str(folder))

    def add(self, version: str, oldest_user: str | None, *statements: str) -> None:
        """Add a migration; without an oldest user it does not say who can use it."""
        support = f'oldest_user = "{oldest_user}"' if oldest_user else ""
        (self._folder / "versions" / f"{version}_step.py").write_text(
            STEP.format(
                version=version,
                before=f"{int(version) - 1:04}",
                support=support,
                statements=statements,
            )
        )

    def migrate(
        self, url: str, *, needed: str = SCHEMA_VERSION, **options: Any
    ) -> tuple[str | None, str]:
        """`masthead migrate` of the newer masthead. needed: the version that it needs."""
        with self._monkeypatch.context() as patch:
            patch.setattr(module, "_config", lambda: self._config)
            patch.setattr(module, "NEEDED_VERSION", needed)
            return migrate(url, **options)


@pytest.fixture
def newer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Newer:
    """A newer masthead."""
    return Newer(tmp_path / "migrations", monkeypatch)


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


def test_an_addition_after_a_removal_needs_the_removal_first(
    scratch_url: str, newer: Newer
) -> None:
    newer.add(FIRST, FIRST, *REMOVE)
    newer.add(SECOND, FIRST, *ADD)
    with pytest.raises(DatabaseError, match=r"Stop it, and run `masthead migrate --remove`"):
        newer.migrate(scratch_url, needed=SECOND)
    assert fitness(scratch_url) == ""
    assert newer.migrate(scratch_url, may_remove=True) == (SCHEMA_VERSION, SECOND)


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
    versions = Path(module.__file__).parent / "migrations/versions"
    for path in versions.glob("[0-9]*.py"):
        is_shared = path.name >= "0018"
        statements = re.findall(r"\b(?:UPDATE|DELETE FROM|INSERT INTO) \w+", path.read_text())
        assert not (is_shared and statements), path.name


def test_each_migration_says_who_can_use_it() -> None:
    steps = ScriptDirectory.from_config(module._config()).walk_revisions()
    users = {step.revision: step.module.oldest_user for step in steps if step.revision >= "0018"}
    versions = sorted(users)
    assert all(users[version] <= version for version in versions)
    before = [versions[0], *(users[version] for version in versions)]
    adding = [
        version for version, user in zip(versions, before, strict=False) if users[version] <= user
    ]
    assert adding[-1] == NEEDED_VERSION
