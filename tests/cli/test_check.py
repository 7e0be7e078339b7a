"""`masthead check`: exits with 0, or prints a line for each violated invariant."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import apsw
import pytest

from masthead import __version__
from masthead.model.ids import first_copy_id
from masthead.services.search_index import rewrite_search
from masthead.store.engine.interface import DatabaseError, Work
from masthead.store.engine.postgres.database import PostgresDatabase
from masthead.store.engine.sqlite.database import SQLiteDatabase
from tests.cli.conftest import CommandLine
from tests.support.databases import opened

ENGINES = {"sqlite": f"SQLite {apsw.sqlite_lib_version()}", "postgres": "PostgreSQL"}
LTV = "ltv of a subscriber matches a recount"


def change(url: str, work: Work[None]) -> None:
    """Change data directly in the database."""

    async def run() -> None:
        async with opened(url) as db:
            await db.write(work)

    asyncio.run(run())


def execute(url: str, sql: str, parameters: Mapping[str, object] | None = None) -> None:
    """Run a statement directly on the database."""
    change(url, lambda tx: tx.execute_many(sql, [parameters or {}]))


def subscribe(masthead: CommandLine, subdomain: str, count: int, url: str) -> None:
    """Create an account with `count` subscribers without subscriptions."""
    made = masthead(
        f"account create --name A --subdomain {subdomain} --currency EUR --owner a@b.test --json"
    ).json
    for number in range(count):
        execute(
            url,
            "INSERT INTO subscriber (account_id, id, n, email, email_key, is_placeholder,"
            " subscription_count, has_active_subscription, ltv, created_at)"
            " SELECT id, :id, :n, :email, :email, false, 0, false, 0, created_at"
            " FROM account WHERE id = :account",
            {
                "account": made["id"],
                "id": f"S{number:02}",
                "n": first_copy_id(made["id"]) + number + 1,
                "email": f"{number}@b.test",
            },
        )
    ids = [f"S{number:02}" for number in range(count)]
    change(url, lambda tx: rewrite_search(tx, made["id"], ids))


def test_check_finds_no_faults_in_an_empty_or_a_valid_database(
    alone: CommandLine, scratch_url: str, backend: str
) -> None:
    ended = alone("check")
    assert ended.out == ""
    assert "No invariant is violated" in ended.said
    assert ended.said.startswith(f"masthead {__version__} ({ENGINES[backend]}) ")
    subscribe(alone, "acme", 2, scratch_url)
    assert alone("check") == ended


def test_check_prints_account_invariant_and_row_and_exits_with_1(
    alone: CommandLine, scratch_url: str, backend: str
) -> None:
    subscribe(alone, "acme", 2, scratch_url)
    subscribe(alone, "rival", 2, scratch_url)
    execute(scratch_url, "UPDATE subscriber SET ltv = 1 WHERE id = 'S01' AND account_id = 1")
    ended = alone("check", code=1)
    assert ended.out == f"acme: violated: {LTV}: S01\n"
    version, *_citus = ended.err.splitlines()
    assert version == f"masthead {__version__} ({ENGINES[backend]})"


def test_check_prints_twenty_rows_and_the_number_of_the_others(
    alone: CommandLine, scratch_url: str
) -> None:
    subscribe(alone, "acme", 23, scratch_url)
    execute(scratch_url, "UPDATE subscriber SET ltv = 1, subscription_count = 1 WHERE id <> 'S22'")
    ltv, count = sorted(alone("check", code=1).out.splitlines())
    assert ltv.startswith(f"acme: violated: {LTV}: S00, S01, ")
    assert ltv.endswith(", S19 and 2 more")
    assert count.endswith(", S19 and 2 more")


def test_check_warns_about_files_that_others_can_open(
    bare: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "masthead.db"
    monkeypatch.setenv("MASTHEAD_DATABASE_URL", f"sqlite:///{path}")
    bare("migrate")
    path.chmod(0o644)
    ended = bare("check")
    assert f"Warning: others can open `{path}` (mode 0644); run `chmod 600 {path}`." in ended.said


def test_faults_are_printed_even_if_check_cannot_continue(
    alone: CommandLine, scratch_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def full(_db: object) -> list[str]:
        raise DatabaseError("There is no room.")

    subscribe(alone, "acme", 1, scratch_url)
    execute(scratch_url, "UPDATE subscriber SET ltv = 1 WHERE id = 'S00'")
    for database in (SQLiteDatabase, PostgresDatabase):
        monkeypatch.setattr(database, "list_damaged", full)
    ended = alone("check", code=1)
    assert ended.out == f"acme: violated: {LTV}: S00\n"
    assert ended.said.endswith("masthead: There is no room.")
