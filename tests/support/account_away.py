"""A database in which all that is about one account fails, as on Citus while a node is away."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from masthead.model.errors import Unavailable
from masthead.store.engine.interface import Connection, Database, Parameters, Row, Transaction, Work
from masthead.store.engine.wrapped import WrappedDatabase
from tests.support.watched_transaction import WatchedTransaction

T = TypeVar("T")

AWAY = Unavailable("The node of the account is away")


class AccountAway(WrappedDatabase):
    """Each statement about an account raises an error, and each that writes to many.

    error: as a row that cannot be worked on raises it; by default, the account is away.
    """

    def __init__(self, db: Database, account_id: int, error: Exception = AWAY) -> None:
        super().__init__(db)
        self._account_id, self._error = account_id, error

    async def fetch_all(self, sql: str, parameters: Parameters) -> list[Row]:
        """All rows, by column name."""
        self._require_other(sql, parameters)
        return await super().fetch_all(sql, parameters)

    async def fetch_one(self, sql: str, parameters: Parameters) -> Row | None:
        """The first row, or None."""
        self._require_other(sql, parameters)
        return await super().fetch_one(sql, parameters)

    @asynccontextmanager
    async def read(self, **options: Any) -> AsyncIterator[Connection]:
        """A connection without the account."""
        async with super().read(**options) as connection:
            yield _ConnectionAway(connection, self._require_other)

    async def write(self, work: Work[T], **options: Any) -> T:
        """The result of `work`."""

        async def away(tx: Transaction) -> T:
            return await work(_ConnectionAway(tx, self._require_other))

        return await super().write(away, **options)

    def _require_other(self, sql: str, parameters: Parameters) -> None:
        """Raises: the error, if a statement is about the account."""
        ids = parameters.get("ids") if "account_id IN (:ids" in sql else None
        is_one_of_them = isinstance(ids, list) and self._account_id in ids
        if parameters.get("account_id") == self._account_id or is_one_of_them:
            raise self._error


class _ConnectionAway(WatchedTransaction):
    def __init__(self, tx: Connection, require_other: Callable[[str, Parameters], None]) -> None:
        super().__init__(tx)
        self._require_other = require_other

    async def before(self, sql: str, parameters: Parameters) -> None:
        self._require_other(sql, parameters)
