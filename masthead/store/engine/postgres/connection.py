"""Statements on one connection to PostgreSQL."""

import re
from collections.abc import Sequence
from functools import cache
from operator import itemgetter
from typing import Any

import asyncpg
import msgspec

from masthead.store.engine.at_end import AtEnd
from masthead.store.engine.interface import LIST, POSTGRES_NAMES, Dialect, Parameters, Row
from masthead.store.engine.postgres.errors import ConnectionFailed, restore_kind

COPIED = 50  # rows from which COPY costs less than JSON
_PARAMETER = re.compile(r"(?<!:):([a-z]\w*)")


@cache
def _translate(sql: str) -> tuple[str, tuple[str, ...]]:
    """The statement with numbered parameters, and the names of the parameters in that order."""
    names: list[str] = []

    def number(name: str) -> str:
        if name not in names:
            names.append(name)
        return f"${names.index(name) + 1}"

    def spread(match: re.Match[str]) -> str:
        value = f"CAST(value AS {match[2]})" if match[2] else "value"
        rows = f"json_array_elements_text(CAST({number(match[1])} AS json))"
        return f"(SELECT {value} FROM {rows} AS listed(value))"  # noqa: S608 - only names from our code

    for name, replacement in POSTGRES_NAMES.items():
        sql = sql.replace(name, replacement)
    text = _PARAMETER.sub(lambda match: number(match[1]), LIST.sub(spread, sql))
    return text, tuple(names)


def _bind(parameters: Parameters, names: tuple[str, ...]) -> list[object]:
    values = (parameters[name] for name in names)
    return [
        msgspec.json.encode(value).decode() if isinstance(value, list) else value
        for value in values
    ]


class ForeignError(Exception):
    """An error of the operating system that a block raised, but no statement in it.

    reason: the error, such as that of a full disk to which the block writes what it reads.
    """

    def __init__(self, reason: OSError) -> None:
        super().__init__(reason)
        self.reason = reason


class _ForeignErrors:
    """Let a block raise errors of the operating system, also TimeoutError, as `ForeignError`."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, reason: BaseException | None, _traceback: object) -> None:
        if isinstance(reason, OSError):
            raise ForeignError(reason) from reason


class _Statement:
    """Let a statement raise errors of the system as `ConnectionFailed`, those of Citus by kind.

    One for all statements: each passes here, and a generator would cost five times as much.
    """

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, reason: BaseException | None, _traceback: object) -> None:
        if isinstance(reason, OSError):
            raise ConnectionFailed(reason) from reason
        if isinstance(reason, asyncpg.InternalServerError):
            restored = restore_kind(reason)
            if restored is not reason:
                raise restored from reason


foreign_errors = _ForeignErrors()
_statement = _Statement()


class PostgresConnection:
    """A pooled connection inside a transaction.

    seconds: the longest time for a statement, if it differs from that of a request;
    account_id: the account that `write` was called with.
    """

    dialect: Dialect = "postgres"

    def __init__(
        self, connection: Any, seconds: float | None = None, account_id: int | None = None
    ) -> None:
        self._connection, self._seconds, self._account_id = connection, seconds, account_id
        self.ending = AtEnd()

    def require_turn(self, account_id: int) -> None:
        """Raises: RuntimeError unless `write` was called with this account."""
        if account_id != self._account_id:
            raise RuntimeError(f"`write` was called without the account {account_id} that it locks")

    async def fetch_all(self, sql: str, parameters: Parameters) -> list[Row]:
        """All rows, by column name."""
        text, names = _translate(sql)
        with _statement:
            rows: list[Row] = await self._connection.fetch(
                text, *_bind(parameters, names), timeout=self._seconds
            )
        return rows

    async def fetch_one(self, sql: str, parameters: Parameters) -> Row | None:
        """The first row, or None."""
        text, names = _translate(sql)
        with _statement:
            row: Row | None = await self._connection.fetchrow(
                text, *_bind(parameters, names), timeout=self._seconds
            )
        return row

    async def execute(self, sql: str, parameters: Parameters) -> int:
        """Run a statement; returns how many rows it changed."""
        text, names = _translate(sql)
        with _statement:
            tag: str = await self._connection.execute(
                text, *_bind(parameters, names), timeout=self._seconds
            )
        return int(tag.rpartition(" ")[2])

    async def execute_many(self, sql: str, rows: Sequence[Parameters]) -> None:
        """Run a statement once for each row of parameters, in one round trip."""
        text, names = _translate(sql)
        with _statement:
            await self._connection.executemany(
                text, [_bind(row, names) for row in rows], timeout=self._seconds
            )

    async def insert_rows(
        self, table: str, rows: Sequence[Row], *, has_texts: bool = False
    ) -> None:
        """Insert rows that all have the same columns by one statement.

        Many rows are sent by COPY, which costs the server less. A few rows, and those with texts
        in place of other values, are sent as one JSON text.
        """
        if len(rows) >= COPIED and len(rows[0]) > 1 and not has_texts:
            names = list(rows[0])
            records = map(itemgetter(*names), rows)
            with _statement:
                await self._connection.copy_records_to_table(
                    table, records=records, columns=names, timeout=self._seconds
                )
            return
        if not rows:
            return
        columns = ", ".join(rows[0])
        statement = f"""
            INSERT INTO {table} ({columns})
            SELECT {columns}
            FROM json_populate_recordset(CAST(NULL AS {table}), CAST($1 AS json))
        """  # noqa: S608 - only names from our code
        with _statement:
            await self._connection.execute(
                statement, msgspec.json.encode(rows).decode(), timeout=self._seconds
            )
