"""A transaction that looks at each statement before it runs."""

from collections.abc import Sequence
from typing import cast

from masthead.store.engine.at_end import AtEnd
from masthead.store.engine.interface import Connection, Parameters, Row, Transaction


class WatchedTransaction:
    """A transaction, or a connection, that behaves like the one it wraps."""

    def __init__(self, tx: Connection) -> None:
        self._tx, self.dialect = cast(Transaction, tx), tx.dialect

    async def before(self, sql: str, parameters: Parameters) -> None:
        """Called before a statement runs."""
        raise NotImplementedError

    async def before_many(self, sql: str, rows: Sequence[Parameters]) -> None:
        """Called before a statement runs for several rows."""
        for row in rows:
            await self.before(sql, row)

    @property
    def ending(self) -> AtEnd:
        """What it does last, before the commit."""
        return self._tx.ending

    def require_turn(self, account_id: int) -> None:
        """As the transaction does."""
        self._tx.require_turn(account_id)

    async def fetch_all(self, sql: str, parameters: Parameters) -> list[Row]:
        """All rows, by column name."""
        await self.before(sql, parameters)
        return await self._tx.fetch_all(sql, parameters)

    async def fetch_one(self, sql: str, parameters: Parameters) -> Row | None:
        """The first row, or None."""
        await self.before(sql, parameters)
        return await self._tx.fetch_one(sql, parameters)

    async def execute(self, sql: str, parameters: Parameters) -> int:
        """Run a statement; returns how many rows it changed."""
        await self.before(sql, parameters)
        return await self._tx.execute(sql, parameters)

    async def execute_many(self, sql: str, rows: Sequence[Parameters]) -> None:
        """Run a statement for each row."""
        await self.before_many(sql, rows)
        await self._tx.execute_many(sql, rows)

    async def insert_rows(
        self, table: str, rows: Sequence[Row], *, has_texts: bool = False
    ) -> None:
        """Insert rows."""
        await self.before_many(f"INSERT INTO {table}", rows)
        await self._tx.insert_rows(table, rows, has_texts=has_texts)
