"""A database that counts: how many statements the writes given to it ran."""

from collections.abc import Sequence
from typing import Any, TypeVar

from masthead.store.engine.interface import Database, Parameters, Row, Transaction, Work

T = TypeVar("T")


class Counting:
    """A database whose writes count. statements: what they ran, in order."""

    def __init__(self, db: Database) -> None:
        self._db, self.statements = db, list[str]()

    async def write(self, work: Work[T], **options: Any) -> T:
        """What `work` returns; its statements are counted, each of many rows too."""

        async def counted(tx: Transaction) -> T:
            return await work(_Counted(tx, self.statements))

        return await self._db.write(counted, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._db, name)


class _Counted:
    def __init__(self, tx: Transaction, statements: list[str]) -> None:
        self._tx, self._statements = tx, statements
        self.dialect, self.require_turn = tx.dialect, tx.require_turn

    async def fetch_all(self, sql: str, parameters: Parameters) -> list[Row]:
        self._statements.append(sql)
        return await self._tx.fetch_all(sql, parameters)

    async def fetch_one(self, sql: str, parameters: Parameters) -> Row | None:
        self._statements.append(sql)
        return await self._tx.fetch_one(sql, parameters)

    async def execute(self, sql: str, parameters: Parameters) -> int:
        self._statements.append(sql)
        return await self._tx.execute(sql, parameters)

    async def execute_many(self, sql: str, rows: Sequence[Parameters]) -> None:
        self._statements += [sql] * len(rows)
        await self._tx.execute_many(sql, rows)

    async def insert_rows(self, table: str, rows: Sequence[Row]) -> None:
        self._statements.append(f"INSERT INTO {table}")
        await self._tx.insert_rows(table, rows)
