"""Which accounts are read if one node of Citus, or all of them, are away."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest

from masthead.model.errors import Busy, Unavailable
from masthead.store.engine.citus.present import PresentAccounts, read_present
from masthead.store.engine.interface import Connection, Parameters, Reader, Row

ASKED = "SELECT id FROM subscriber"


class Nodes:
    """Node 1 with the accounts 1 and 3, and node 2 with account 2."""

    dialect = "postgres"

    def __init__(self, *away: int, reason: Exception | None = None) -> None:
        self._away, self._reason = away, reason or Unavailable()
        self.asked = list[str]()

    async def fetch_all(self, sql: str, _parameters: Parameters) -> Sequence[dict[str, int]]:
        self.asked.append(sql)
        if sql == ASKED:
            raise self._reason
        return [{"node": 1, "id": 1}, {"node": 1, "id": 3}, {"node": 2, "id": 2}]

    async def fetch_one(self, sql: str, parameters: Parameters) -> dict[str, int]:
        self.asked.append(sql)
        if parameters.get("account_id") in self._away:
            raise Unavailable
        return {"id": 1}

    @asynccontextmanager
    async def read(self, **_options: bool) -> AsyncIterator["Nodes"]:
        yield self


async def read_ids(connection: Connection) -> list[Row]:
    return await connection.fetch_all(ASKED, {})


async def test_the_accounts_of_a_node_that_is_away_are_left_out() -> None:
    nodes = Nodes(2)
    _found, is_whole = await read_present(cast(Reader, nodes), read_ids)
    assert not is_whole
    assert "FROM subscriber WHERE account_id IN (1, 3)" in nodes.asked[-1]


@pytest.mark.parametrize("away", [(), (1, 2)], ids=["none", "all"])
async def test_a_read_fails_if_the_nodes_are_not_the_reason_or_all_are_away(away: Any) -> None:
    nodes = Nodes(*away)
    with pytest.raises(Unavailable):
        await read_present(cast(Reader, nodes), read_ids)
    assert nodes.asked.count(ASKED) == 1


async def test_a_busy_database_is_not_asked_for_its_nodes() -> None:
    nodes = Nodes(2, reason=Busy())
    with pytest.raises(Busy):
        await read_present(cast(Reader, nodes), read_ids)
    assert nodes.asked == [ASKED]


async def test_a_database_on_one_server_has_no_other_accounts() -> None:
    nodes = Nodes(2)
    nodes.dialect = "sqlite"
    with pytest.raises(Unavailable):
        await read_present(cast(Reader, nodes), read_ids)
    assert nodes.asked == [ASKED]


async def test_one_row_is_read_of_the_same_accounts() -> None:
    nodes = Nodes()
    connection = PresentAccounts(cast(Connection, nodes), [1, 3])
    assert connection.dialect == "postgres"
    assert await connection.fetch_one(ASKED, {}) == {"id": 1}
    assert "FROM subscriber WHERE account_id IN (1, 3)" in nodes.asked[-1]
