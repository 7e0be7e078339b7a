"""Connections to PostgreSQL are closed even if opening or closing the database does not succeed."""

import asyncio
from typing import Any

import pytest

from masthead.store.engine.database import connect
from masthead.store.engine.interface import DatabaseError
from masthead.store.engine.postgres import session


@pytest.fixture
def postgres_url(backend: str, scratch_url: str) -> str:
    """A migrated PostgreSQL database."""
    if backend == "sqlite":
        pytest.skip("there are no connections to a server")
    return scratch_url


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The connections that the test opens."""
    opened = []
    real = session.Server.connect

    async def connect(server: session.Server) -> Any:
        opened.append(await real(server))
        return opened[-1]

    monkeypatch.setattr(session.Server, "connect", connect)
    return opened


def count_open(connections: list[Any]) -> int:
    """How many of them are still open."""
    return sum(not each.is_closed() for each in connections)


async def test_the_first_connection_is_closed_if_the_second_one_fails(
    postgres_url: str, connections: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = session._set_date_codec

    async def fail_later(connection: object) -> None:
        if connections:
            raise OSError("the line broke")
        await real(connection)

    monkeypatch.setattr(session, "_set_date_codec", fail_later)
    with pytest.raises(DatabaseError, match="the line broke"):
        await connect(postgres_url)
    assert (len(connections), count_open(connections)) == (1, 0)


async def test_all_connections_are_closed_if_the_address_of_the_replica_is_invalid(
    postgres_url: str, connections: list[Any]
) -> None:
    with pytest.raises(DatabaseError, match="`MASTHEAD_DATABASE_READ_URL` cannot be read"):
        await connect(postgres_url, read_url="postgresql://[::1/masthead")
    assert (len(connections), count_open(connections)) == (2, 0)


async def test_all_connections_are_closed_if_closing_is_cancelled(
    postgres_url: str, connections: list[Any]
) -> None:
    db = await connect(postgres_url)
    assert count_open(connections) == 2
    closing = asyncio.create_task(db.close())
    await asyncio.sleep(0)  # it begins
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing
    assert count_open(connections) == 0
