"""Reads of all accounts that leave out those whose node of Citus is away."""

import re
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from masthead.model.errors import Busy, Unavailable
from masthead.store.engine.citus.placement import is_distributed
from masthead.store.engine.citus.table_lists import COLUMN, DISTRIBUTED, FIRST
from masthead.store.engine.interface import Connection, Dialect, Parameters, Reader, Row

T = TypeVar("T")

_TABLES = re.compile(rf"\b(?:{'|'.join(DISTRIBUTED)})\b")
_ACCOUNTS_BY_NODE = f"""
    SELECT p.groupid AS node, a.id
    FROM account a
    JOIN pg_dist_placement p
        ON p.shardid = get_shard_id_for_distribution_column('{FIRST}', a.id)
    ORDER BY p.groupid, a.id
"""  # noqa: S608 - our own name
_PROBE = "SELECT 1 FROM account_state WHERE account_id = :account_id"


class PresentAccounts:
    """A connection to PostgreSQL whose statements see only the rows of some accounts."""

    def __init__(self, db: Connection, account_ids: Sequence[int]) -> None:
        self._db, self._ids = db, ", ".join(map(str, account_ids))

    @property
    def dialect(self) -> Dialect:
        """The SQL dialect of the connection."""
        return self._db.dialect

    async def fetch_all(self, sql: str, parameters: Parameters) -> list[Row]:
        """All rows, by column name."""
        return await self._db.fetch_all(self._only(sql), parameters)

    async def fetch_one(self, sql: str, parameters: Parameters) -> Row | None:
        """The first row, or None."""
        return await self._db.fetch_one(self._only(sql), parameters)

    def _only(self, sql: str) -> str:
        """The statement, in which the name of a distributed table stands for a part of it.

        The ids are no parameter, because Citus must know them when it chooses the nodes.
        """
        parts = ", ".join(
            f"{table} AS NOT MATERIALIZED (SELECT * FROM {table} WHERE {COLUMN} IN ({self._ids}))"  # noqa: S608 - our own names, and numbers
            for table in sorted(set(_TABLES.findall(sql)))
        )
        return f"WITH {parts} {sql}" if parts else sql


async def read_present(
    db: Reader, read: Callable[[Connection], Awaitable[T]], *, is_long: bool = False
) -> tuple[T, bool]:
    """The result of a read of all accounts, and whether the nodes of all of them answered.

    If one is away, it is read again without its accounts. Raises: Unavailable if none answers.
    """
    try:
        async with db.read(is_long=is_long) as connection:
            return await read(connection), True
    except Busy:
        raise
    except Unavailable:
        present = await _list_present(db)
        if not present:
            raise
    async with db.read(is_long=is_long) as connection:
        return await read(PresentAccounts(connection, present)), False


async def _list_present(db: Reader) -> list[int]:
    """The accounts of the nodes that answer, if others do not; otherwise none."""
    if not await is_distributed(db):
        return []
    nodes: dict[int, list[int]] = {}
    for row in await db.fetch_all(_ACCOUNTS_BY_NODE, {}):
        nodes.setdefault(row["node"], []).append(row["id"])
    answering = [ids for ids in nodes.values() if await _answers(db, ids[0])]
    if len(answering) == len(nodes):
        return []
    return sorted(id for ids in answering for id in ids)


async def _answers(db: Connection, account_id: int) -> bool:
    try:
        await db.fetch_one(_PROBE, {"account_id": account_id})
    except Unavailable:
        return False
    return True
