"""A database without the rows of one account, as on Citus while a node is away."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar, cast

from masthead.model.errors import Unavailable
from masthead.store.engine.at_end import AtEnd
from masthead.store.engine.interface import Connection, Database, Parameters, Row, Transaction, Work
from masthead.store.engine.wrapped import WrappedDatabase

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


class _ConnectionAway:
    def __init__(self, tx: Connection, account_id: int) -> None:
        self._tx, self._account_id = cast(Transaction, tx), account_id
        self.dialect = tx.dialect

    @property
    def ending(self) -> AtEnd:
        return self._tx.ending

    def require_turn(self, account_id: int) -> None:
        self._tx.require_turn(account_id)

    async def fetch_all(self, sql: str, parameters: Parameters) -> list[Row]:
        require_other(self._account_id, parameters)
        return await self._tx.fetch_all(sql, parameters)

    async def fetch_one(self, sql: str, parameters: Parameters) -> Row | None:
        require_other(self._account_id, parameters)
        return await self._tx.fetch_one(sql, parameters)

    async def execute(self, sql: str, parameters: Parameters) -> int:
        require_other(self._account_id, parameters)
        return await self._tx.execute(sql, parameters)

    async def execute_many(self, sql: str, rows: Sequence[Parameters]) -> None:
        for row in rows:
            require_other(self._account_id, row)
        await self._tx.execute_many(sql, rows)

    async def insert_rows(
        self, table: str, rows: Sequence[Row], *, has_texts: bool = False
    ) -> None:
        for row in rows:
            require_other(self._account_id, row)
        await self._tx.insert_rows(table, rows, has_texts=has_texts)


def require_other(account_id: int, parameters: Parameters) -> None:
    """Raises: Unavailable if a statement is about the account."""
    ids = parameters.get("ids")
    is_one_of_them = isinstance(ids, list) and account_id in ids
    if parameters.get("account_id") == account_id or is_one_of_them:
        raise Unavailable("The node of the account is away")
