"""Fill an empty database table by table; until it is complete, masthead refuses to use it."""

import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Protocol

from masthead.store.engine.interface import is_postgres, sqlite_path
from masthead.store.engine.moving.errors import named_errors
from masthead.store.engine.moving.lines import Lines, StoredTable
from masthead.store.engine.moving.postgres_target import PostgresTarget
from masthead.store.engine.moving.sqlite_target import SQLiteTarget

Migrate = Callable[[str], object]


class Target(Protocol):
    """A database that is being filled.

    url: where the filled database can be opened before `publish`.
    """

    url: str

    async def list_tables(self) -> dict[str, StoredTable]:
        """Its tables by name."""
        ...

    async def write(self, table: StoredTable, lines: Lines) -> None:
        """Write all rows of a table."""
        ...

    async def complete(self) -> None:
        """Create the indexes, among them the one for search, and check references."""
        ...

    async def publish(self) -> None:
        """Let masthead use the database from now on."""
        ...


@contextlib.asynccontextmanager
async def open_target(url: str, migrate: Migrate) -> AsyncIterator[Target]:
    """Prepare the database of a URL. Raises: DatabaseError if it has data, or is in use.

    migrate: creates the tables of the database of a URL.
    """
    with named_errors(url):
        if is_postgres(url):
            async with PostgresTarget.open(url, migrate) as target:
                yield target
        else:
            with SQLiteTarget.open(sqlite_path(url), migrate) as file:
                yield file
