"""One face for both databases: snapshots to read, re-runnable functions to write.

SQL is plain text with `:name` parameters, the same on both. `IN (:ids...)` takes a list, which
travels as one JSON text, or that text; `IN (:ids... AS bigint)` takes one of integers. What the
databases call by different names has SQLite's here: see `WORDS`. The name of a column tells its
type where SQLite does not know it: see `DAYS`, `FLAGS` and `_at`.
"""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

DAYS = frozenset(
    "order_date period_start period_end latest_order_date release_date_actual date_as_start_issue "
    "recurring_charge_date charge_date date_sent daily_date trend_date".split()
)
FLAGS = frozenset(
    "is_active is_placeholder is_recurring is_comp is_gift is_complete "
    "has_active_subscription has_shortcuts is_secret is_pending requires_second_factor".split()
)
LIST = re.compile(r"\(:(\w+)\.\.\.(?: AS (\w+))?\)")
# What PostgreSQL says for a function of SQLite's
WORDS = {
    "json_group_array(": "json_agg(",
    "json_quote(": "to_json(",
    "group_concat(": "string_agg(",
    "AS blob)": "AS bytea)",
}

T = TypeVar("T")
Row = Mapping[str, Any]
Parameters = Mapping[str, object]
Ids = list[str] | list[int] | str  # a list, or the JSON text that one was gathered into
Dialect = Literal["sqlite", "postgres"]


class DatabaseError(Exception):
    """The database cannot be opened, or is not at this version; the message says what to do."""


class MissingTable(Exception):
    """A statement names a table that is not there: the schema has not been made."""


class Connection(Protocol):
    """What a reader may do."""

    @property
    def dialect(self) -> Dialect:
        """Whose SQL it speaks, for the few statements that only one of the two knows."""
        ...

    async def fetch_all(self, sql: str, parameters: Parameters) -> list[Row]:
        """All rows, by column name."""
        ...

    async def fetch_one(self, sql: str, parameters: Parameters) -> Row | None:
        """The first row, or None."""
        ...


class Transaction(Connection, Protocol):
    """What a writer may do besides, inside `Database.write`."""

    def require_turn(self, account_id: int) -> None:
        """Raises: RuntimeError unless the write was begun for that account."""
        ...

    async def execute(self, sql: str, parameters: Parameters) -> int:
        """Run a statement; how many rows it changed."""
        ...

    async def execute_many(self, sql: str, rows: Sequence[Parameters]) -> None:
        """Run a statement once for each row of parameters."""
        ...

    async def insert_rows(self, table: str, rows: Sequence[Row]) -> None:
        """Insert rows that all have the same columns."""
        ...


Work = Callable[[Transaction], Awaitable[T]]


class Database(Connection, Protocol):
    """A database that is open in this process; itself a reader of single statements.

    A statement that is fetched from it sees a snapshot of its own, and costs less than `read`.
    """

    def read(
        self, *, aside: bool = False, is_long: bool = False
    ) -> AbstractAsyncContextManager[Connection]:
        """A read-only connection that sees one snapshot; a write in it fails.

        aside: for statements that may take over a millisecond: the event loop goes on meanwhile.
        is_long: for statements that may take minutes, aside.
        """
        ...

    async def write(
        self, work: Work[T], *, account_id: int | None = None, is_long: bool = False
    ) -> T:
        """What `work` returns, once its transaction is committed.

        work: touches nothing but its transaction, since it may run again after a deadlock or when
        another was faster with a unique value; on SQLite it never suspends.
        account_id: of the account whose data it writes; only a few writes of an account have a
        connection at a time. `lock_account` refuses a write without it.
        is_long: for statements that may take minutes.
        Raises: Unavailable if the database does not answer; Busy if the account's other writes do
        not end in time; any error of `work`.
        """
        ...

    async def probe_write(self) -> None:
        """Return once a small write has been committed, lately or now.

        Raises: Unavailable if the database does not answer, or accepts no writes.
        """
        ...

    async def list_damaged(self) -> list[str]:
        """The indexes that do not have what their tables have; takes long, and stops nobody."""
        ...

    async def close(self) -> None:
        """Finish the writes under way and let go of the database."""
        ...


def is_postgres(url: str) -> bool:
    """Whether an address is one of PostgreSQL; both spellings are common."""
    return url.startswith(("postgresql://", "postgres://"))


def sqlite_path(url: str) -> Path:
    """The file that a `sqlite:///` address names. Raises: DatabaseError.

    No message quotes an address that is not understood, because it may contain a password.
    """
    match = re.fullmatch(r"sqlite:///(.+)", url)
    if match is None:
        raise DatabaseError(
            "`MASTHEAD_DATABASE_URL` names no database; expected `sqlite:////absolute/path.db` or "
            "`postgresql://user@host/name`."
        )
    path = Path(match[1])
    if not path.parent.is_dir():
        folder = "" if re.search("[@?]", match[1]) else f" `{path.parent}`"
        raise DatabaseError(f"The folder{folder} of the database does not exist.")
    return path


def unreadable_address() -> DatabaseError:
    """The error for an address of PostgreSQL that the driver cannot read; does not quote it."""
    return DatabaseError(
        "`MASTHEAD_DATABASE_URL` cannot be read; expected `postgresql://user:password@host/name`. "
        "In a password, write `%2F` for `/`, `%40` for `@`, `%3A` for `:`, `%23` for `#`, `%3F` "
        "for `?`, `%5B` for `[` and `%25` for `%`."
    )
