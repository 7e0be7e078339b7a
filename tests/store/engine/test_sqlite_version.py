"""The versions of SQLite that masthead accepts, and the meaning of SQLite's errors."""

from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from structlog.testing import capture_logs

from masthead.model.errors import Unavailable
from masthead.store.engine.database import connect
from masthead.store.engine.interface import DatabaseError, MissingTable, Transaction
from masthead.store.engine.migrate import migrate
from masthead.store.engine.sqlite.connection import SQLiteConnection, open_file, translate_error
from masthead.store.engine.sqlite.version import (
    Version,
    engine_name,
    has_wal_reset_defect,
    require_fixed_engine,
)
from tests.support.databases import migrated


@pytest.mark.parametrize(
    "version, is_defective",
    [
        ((3, 6, 23), False),  # versions without WAL
        ((3, 7, 0), True),
        ((3, 40, 1), True),
        ((3, 43, 9), True),
        ((3, 44, 5), True),
        ((3, 44, 6), False),
        ((3, 44, 7), False),
        ((3, 45, 0), True),
        ((3, 49, 7), True),
        ((3, 50, 6), True),
        ((3, 50, 7), False),
        ((3, 51, 0), True),
        ((3, 51, 2), True),
        ((3, 51, 3), False),
        ((3, 52, 0), False),
        ((4, 0, 0), False),
    ],
    ids=str,
)
def test_versions_with_the_wal_reset_defect_are_recognised(
    version: Version, is_defective: bool
) -> None:
    assert has_wal_reset_defect(version) == is_defective


def test_the_installed_sqlite_has_the_fix() -> None:
    require_fixed_engine()
    assert engine_name() == f"SQLite {apsw.sqlite_lib_version()}"


@pytest.mark.parametrize("opener", [migrate, connect], ids=["migrate", "connect"])
async def test_no_database_is_opened_with_a_defective_sqlite(
    opener: Callable[[str], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = migrated(f"sqlite:///{tmp_path}/masthead.db")
    monkeypatch.setattr(apsw, "sqlite_lib_version", lambda: "3.40.1")
    with pytest.raises(DatabaseError, match=r"SQLite 3\.40\.1 can lose .* Install the `apsw`"):
        await opener(url)  # type: ignore[misc] # migrate raises before it is awaited


# --- errors ---------------------------------------------------------------------------------------


def error_of(code: int) -> apsw.Error:
    """The error that SQLite raises with a code."""
    error = apsw.exception_for(code)
    assert isinstance(error, apsw.Error)
    return error


@pytest.mark.parametrize(
    "code",
    [
        apsw.SQLITE_BUSY,
        apsw.SQLITE_BUSY_SNAPSHOT,
        apsw.SQLITE_LOCKED,
        apsw.SQLITE_PROTOCOL,
        apsw.SQLITE_FULL,
        apsw.SQLITE_IOERR,
        apsw.SQLITE_IOERR_FSYNC,
        apsw.SQLITE_CANTOPEN,
        apsw.SQLITE_NOMEM,
        apsw.SQLITE_READONLY,
        apsw.SQLITE_READONLY_DBMOVED,
        apsw.SQLITE_CORRUPT,
        apsw.SQLITE_NOTADB,
    ],
)
def test_an_error_of_the_environment_is_unavailable_and_logged_by_name(code: int) -> None:
    with capture_logs() as logs:
        assert isinstance(translate_error(error_of(code)), Unavailable)
    (entry,) = logs
    assert entry["event"] in {"database unavailable", "database damaged"}
    names = {**apsw.mapping_result_codes, **apsw.mapping_extended_result_codes}
    assert entry["code"] == names[code]


@pytest.mark.parametrize("code", [apsw.SQLITE_CONSTRAINT_UNIQUE, apsw.SQLITE_MISMATCH])
def test_other_errors_are_not_translated(code: int) -> None:
    error = error_of(code)
    assert translate_error(error) is error


def test_the_error_for_a_missing_table_names_it() -> None:
    assert isinstance(translate_error(apsw.SQLError("no such table: unicorn")), MissingTable)


async def test_a_database_that_accepts_no_writes_is_unavailable(tmp_path: Path) -> None:
    async def write(tx: Transaction) -> int:
        return await tx.execute("DELETE FROM lease", {})

    db = await connect(migrated(f"sqlite:///{tmp_path}/masthead.db"))
    path = tmp_path / "masthead.db"
    alone = SQLiteConnection(apsw.Connection(str(path), apsw.SQLITE_OPEN_READONLY))
    with pytest.raises(Unavailable):
        await alone.execute("DELETE FROM lease", {})
    alone.close()
    reader = SQLiteConnection(open_file(path, read_only=True))
    with pytest.raises(apsw.ReadOnlyError):  # a write by a reader is a bug in masthead
        await reader.execute("DELETE FROM lease", {})
    reader.close()
    assert await db.write(write) == 0
    await db.close()
