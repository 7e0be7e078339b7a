"""A database without the rows of one account, as on Citus while a node is away."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from masthead.model.errors import Unavailable
from masthead.store.engine.interface import Connection, Database, Parameters, Row, Transaction, Work
from masthead.store.engine.wrapped import WrappedDatabase
from tests.support.watched_transaction import WatchedTransaction

T = TypeVar("T")


class AccountAway(WrappedDatabase):
    """Each statement about an account raises `Unavailable`, and each that writes to many."""

    def __init__(self, db: Database, account_id: int) -> None:
        super().__init__(db)
        self._account_id = account_id

    async def fetch_all(self, sql: str, parameters: Parameters) -> list[Row]:
        """All rows, by column name."""
        require_other(self._account_id, parameters)
        return await super().fetch_all(sql, parameters)

    async def fetch_one(self, sql: str, parameters: Parameters) -> Row | None:
        """The first row, or None."""
        require_other(self._account_id, parameters)
        return await super().fetch_one(sql, parameters)

    @asynccontextmanager
    async def read(self, **options: Any) -> AsyncIterator[Connection]:
        """A connection without the account."""
        async with super().read(**options) as connection:
            yield _ConnectionAway(connection, self._account_id)

    async def write(self, work: Work[T], **options: Any) -> T:
        """The result of `work`."""

        async def away(tx: Transaction) -> T:
            return await work(_ConnectionAway(tx, self._account_id))

        return await super().write(away, **options)


class _ConnectionAway(WatchedTransaction):
    def __init__(self, tx: Connection, account_id: int) -> None:
        super().__init__(tx)
        self._account_id = account_id

    async def before(self, sql: str, parameters: Parameters) -> None:
        require_other(self._account_id, parameters)


def require_other(account_id: int, parameters: Parameters) -> None:
    """Raises: Unavailable if a statement is about the account."""
    ids = parameters.get("ids")
    is_one_of_them = isinstance(ids, list) and account_id in ids
    if parameters.get("account_id") == account_id or is_one_of_them:
        raise Unavailable("The node of the account is away")
