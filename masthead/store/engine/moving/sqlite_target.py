"""Fill a new SQLite file, in a folder next to its place."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw

from masthead.model.clock import now
from masthead.store.engine.interface import DatabaseError
from masthead.store.engine.moving.folders import (
    closed_to_others,
    finish_file,
    put_in_place,
    temporary_folder,
)
from masthead.store.engine.moving.lines import Lines, StoredTable, decoder_of
from masthead.store.engine.moving.snapshots import (
    OTHER_PROGRAM,
    SQLITE_TABLES,
    describe_accounts,
    tables_from,
)
from masthead.store.engine.sqlite.connection import open_file
from masthead.store.engine.sqlite.files import create_file, is_missing, leave_marker
from masthead.store.engine.sqlite.statistics import write_statistics

CACHE_KIB = 128 * 1024
MARK_TABLE = (
    "CREATE TABLE IF NOT EXISTS unfinished_work "
    "(work text NOT NULL, started_at timestamptz NOT NULL)"
)
_TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table'"
_INDEXES = "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"
_REBUILD = "INSERT INTO search_index (search_index) VALUES ('rebuild')"


class SQLiteTarget:
    """A new file, which replaces the empty one at its path when it is complete."""

    def __init__(self, path: Path, folder: Path) -> None:
        self._path, self._file = path, folder / "masthead.db"
        self.url = f"sqlite:///{self._file.absolute()}"

    @classmethod
    @contextlib.contextmanager
    def open(cls, path: Path, migrate: Callable[[str], object]) -> Iterator["SQLiteTarget"]:
        """Prepare the file. Raises: DatabaseError if the one at the path has data or is in use."""
        with temporary_folder(path.with_name(f".{path.name}.copying"), "copy") as folder:
            _take(path)
            target = cls(path, folder)
            migrate(target.url)
            with contextlib.closing(open_file(target._file, read_only=False)) as connection:
                target._begin(connection)
                yield target

    def _begin(self, connection: apsw.Connection) -> None:
        """Prepare for writing without a log: nothing uses the file before it is complete."""
        self._connection = connection
        connection.pragma("foreign_keys", "OFF")
        connection.pragma("journal_mode", "DELETE")
        connection.pragma("journal_mode", "OFF")
        connection.pragma("synchronous", "OFF")
        connection.pragma("cache_size", -CACHE_KIB)
        self._indexes = connection.execute(_INDEXES).fetchall()
        connection.execute("BEGIN EXCLUSIVE")
        for name, _ in self._indexes:
            connection.execute(f"DROP INDEX {name}")

    async def list_tables(self) -> dict[str, StoredTable]:
        """Its tables by name."""
        return tables_from(self._connection.execute(SQLITE_TABLES).fetchall())

    async def write(self, table: StoredTable, lines: Lines) -> None:
        """Write all rows of a table."""
        names, marks = ", ".join(table.names), ", ".join("?" * len(table.columns))
        decode = decoder_of(table)
        self._connection.execute(f"DELETE FROM {table.name}")  # noqa: S608 - names of the schema
        sql = f"INSERT INTO {table.name} ({names}) VALUES ({marks})"  # noqa: S608 - names of the schema
        async for batch in lines:
            self._connection.executemany(sql, decode(batch))

    async def complete(self) -> None:
        """Create the indexes, check the references, and close the file."""
        connection = self._connection
        for _, sql in self._indexes:
            connection.execute(str(sql))
        write_statistics(connection)  # those of the indexes went with them
        connection.execute(_REBUILD)
        broken = connection.execute("PRAGMA foreign_key_check").fetchall()
        if broken:
            table, _, other, _ = broken[0]
            raise DatabaseError(
                f"{len(broken)} rows of the source refer to rows that are missing, the first in "
                f"`{table}` to `{other}`. Run `masthead check` on it."
            )
        connection.execute("COMMIT")
        connection.close()

    async def publish(self) -> None:
        """Put the file in its place."""
        finish_file(self._file)
        with closed_to_others(self._path):
            put_in_place(self._file, self._path)
        leave_marker(self._path)


def _take(path: Path) -> None:
    """Mark the empty file of a path as unfinished; it is created if there is none.

    Raises: DatabaseError if it has accounts or tables of another program, or is in use.
    """
    if is_missing(path):
        create_file(path)  # refuses if there is a log with changes of a missing database
    elif data := find_data_of(path):
        raise DatabaseError(f"`{path}` has {data}. Copy into a new file, or move that one away.")
    with closed_to_others(path) as connection:
        connection.execute(MARK_TABLE)
        connection.execute("DELETE FROM unfinished_work")
        connection.execute(
            "INSERT INTO unfinished_work (work, started_at) VALUES ('copy-database', ?)",
            (now().isoformat(),),
        )
        connection.execute("COMMIT")


def find_data_of(path: Path) -> str:
    """The data of a file that must not be lost, such as "2 accounts"; empty if none."""
    flags = apsw.SQLITE_OPEN_READONLY
    with contextlib.closing(apsw.Connection(str(path), flags)) as connection:
        names = {name for (name,) in connection.execute(_TABLES)}
        if not names or "unfinished_work" in names:
            return ""
        if "account" not in names:
            return OTHER_PROGRAM
        count = connection.execute("SELECT count(*) FROM account").get
        return describe_accounts(count)
