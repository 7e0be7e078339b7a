"""The interface that SQLite and PostgreSQL implement: read snapshots and write transactions.

SQL is plain text with `:name` parameters, the same for both. `IN (:ids...)` takes a list, which is
sent as one JSON text, or that text; `IN (:ids... AS bigint)` takes a list of integers. Functions
that have different names use SQLite's: see `POSTGRES_NAMES`. SQLite has no dates and booleans, so
the name of a column tells its type: see `DATE_COLUMNS`, `BOOLEAN_COLUMNS` and the ending `_at`.
"""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Literal, Protocol, TypedDict, TypeVar

from masthead.store.engine.at_end import AtEnd

DATE_COLUMNS = frozenset(
    "order_date period_start period_end latest_order_date release_date_actual date_as_start_issue "
    "recurring_charge_date charge_date date_sent daily_date trend_date shipped_date "
    "report_date refund_date cancelled_date reopened_date statement_date owed_date "
    "first_day last_day issue_date due_date payment_date settled_date booking_date value_date "
    "first_date last_date collect_date signed_date last_used_date revoked_date returned_date "
    "done_date goal_date reminded_date promised_date".split()
)
BOOLEAN_COLUMNS = frozenset(
    "is_active is_b2b is_placeholder is_recurring is_comp is_gift is_complete "
    "has_active_subscription has_shortcuts is_secret is_pending requires_second_factor "
    "wants_replacement is_automatic is_small_business prices_include_vat bills_together "
    "is_billed is_grace is_open has_codes is_debited is_sandbox encloses_invoices is_stopped "
    "is_disputed is_printed marks_first charges_bank_fee".split()
)
LIST = re.compile(r"\(:(\w+)\.\.\.(?: AS (\w+))?\)")
# PostgreSQL's names for functions of SQLite
POSTGRES_NAMES = {
    "json_group_array(": "json_agg(",
    "json_quote(": "to_json(",
    "group_concat(": "string_agg(",
    "AS blob)": "AS bytea)",
}

T = TypeVar("T")
Row = Mapping[str, Any]
Parameters = Mapping[str, object]
Ids = list[str] | list[int] | str  # a list, or the JSON array with its values
Dialect = Literal["sqlite", "postgres"]


class DatabaseError(Exception):
    """The database cannot be opened, or is not at this version; the message says what to do."""


class MissingTable(Exception):
    """A statement uses a table that does not exist: the database has not been migrated."""


class Connection(Protocol):
    """A connection that can read."""

    @property
    def dialect(self) -> Dialect:
        """Its SQL dialect, for the few statements that differ."""
        ...

    async def fetch_all(self, sql: str, parameters: Parameters) -> list[Row]:
        """All rows, by column name."""
        ...

    async def fetch_one(self, sql: str, parameters: Parameters) -> Row | None:
        """The first row, or None."""
        ...


class Transaction(Connection, Protocol):
    """A connection that can also write, inside `Database.write`."""

    @property
    def ending(self) -> AtEnd:
        """What it does last, before the commit."""
        ...

    def require_turn(self, account_id: int) -> None:
        """Raises: RuntimeError unless the write was begun for that account."""
        ...

    async def execute(self, sql: str, parameters: Parameters) -> int:
        """Run a statement; returns how many rows it changed."""
        ...

    async def execute_many(self, sql: str, rows: Sequence[Parameters]) -> None:
        """Run a statement once for each row of parameters."""
        ...

    async def insert_rows(
        self, table: str, rows: Sequence[Row], *, has_texts: bool = False
    ) -> None:
        """Insert rows that all have the same columns.

        has_texts: whether texts stand for numbers, dates and moments, which costs more.
        """
        ...


Work = Callable[[Transaction], Awaitable[T]]


class Reader(Connection, Protocol):
    """A source of reads. It can run single read statements itself.

    Each such statement sees its own snapshot, and costs less than `read`.
    """

    def read(
        self, *, aside: bool = False, is_long: bool = False
    ) -> AbstractAsyncContextManager[Connection]:
        """A read-only connection that sees one snapshot; writes on it fail.

        aside: for statements that may take more than a millisecond; they do not block the event
        loop. is_long: for statements that may take minutes; implies `aside`.
        """
        ...

    async def lag(self) -> float | None:
        """The seconds by which it is behind what was committed; None if unknown, or no replica."""
        ...

    def figures(self) -> Mapping[str, float]:
        """The numbers of this process for `metrics.worker_figures`, by the name of the sample."""
        ...

    async def close(self) -> None:
        """Finish pending statements and close all connections."""
        ...


class WriteOptions(TypedDict, total=False):
    """The options of `Database.write`, for databases that pass them on."""

    account_id: int | None
    is_long: bool
    is_durable: bool


class Database(Reader, Protocol):
    """An open database."""

    @property
    def replica(self) -> Reader:
        """The source for lists, searches and exports: a replica, or the database itself.

        It has every write that was acknowledged before the read began.
        """
        ...

    async def write(
        self,
        work: Work[T],
        *,
        account_id: int | None = None,
        is_long: bool = False,
        is_durable: bool = True,
    ) -> T:
        """Run `work` in a transaction and return its result after the commit.

        work: must have no effects other than its statements, because it runs again after a
        deadlock or a conflict on a unique value; on SQLite it must never suspend.
        account_id: the account whose data it writes; `lock_account` requires it. Only a few
        writes of an account have a connection at a time.
        is_long: for statements that may take minutes.
        is_durable: False for work that can be repeated: on SQLite, a power failure may undo its
        commit, until there is a later durable commit of any process.
        Raises: Unavailable if the database does not answer; Busy if the account's other writes do
        not end in time; any error of `work`.
        """
        ...

    def is_shared(self) -> bool:
        """Whether long writes should be short, because those of other accounts wait for them.

        SQLite: whether others have written during long writes within the last second.
        """
        ...

    async def probe_write(self) -> None:
        """Return if a small write has been committed just now or a moment ago.

        Raises: Unavailable if the database does not answer, or accepts no writes.
        """
        ...

    async def list_damaged(self) -> list[str]:
        """The indexes that differ from their tables. Slow, but blocks no other reads and writes."""
        ...

    async def restore_statistics(self) -> None:
        """Let the planner assume again what it should, if another program has changed that.

        SQLite plans by fixed statistics, which `ANALYZE` replaces. PostgreSQL collects its own.
        """
        ...

    async def analyze_grown(self) -> None:
        """Tell the planner at once which tables have grown much, amid a long series of writes.

        PostgreSQL's own analysis comes after a minute or more. Until then, statements and foreign
        keys may read all rows of an account for each row of a table that was empty before.
        SQLite needs none: its plans assume many rows from the beginning (decision 0094).
        """
        ...

    async def clean(self) -> None:
        """Remove what was deleted from the files of the database, as far as it allows that.

        SQLite: rewrites its file and empties its log, so other writes wait. PostgreSQL: VACUUM,
        after which the server overwrites the old rows over time; its log keeps them for a while.
        """
        ...

    def is_small(self) -> bool:
        """Whether `clean` takes a few seconds at most, so that writes can wait for it."""
        ...


def is_postgres(url: str) -> bool:
    """Whether this is the URL of a PostgreSQL database; both schemes are common."""
    return url.startswith(("postgresql://", "postgres://"))


def sqlite_path(url: str) -> Path:
    """The path in a `sqlite:///` URL. Raises: DatabaseError.

    Messages do not quote an invalid URL, because it may contain a password.
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


def invalid_url_error(setting: str = "MASTHEAD_DATABASE_URL") -> DatabaseError:
    """The error for a PostgreSQL URL that the driver cannot parse. It does not quote the URL."""
    return DatabaseError(
        f"`{setting}` cannot be read; expected `postgresql://user:password@host/name`. "
        "In a password, write `%2F` for `/`, `%40` for `@`, `%3A` for `:`, `%23` for `#`, `%3F` "
        "for `?`, `%5B` for `[` and `%25` for `%`."
    )
