"""A wrapped database behaves like the one it wraps; one transaction has all reads and writes."""

import pytest

from masthead.store import sources
from masthead.store.engine.interface import Transaction
from masthead.store.engine.wrapped import OneTransaction, WrappedDatabase
from tests.conftest import Cast

ASKED = "SELECT name FROM account WHERE id = :id"


async def test_a_wrapped_database_behaves_like_the_one_it_wraps(acme: Cast) -> None:
    wrapped, asked = WrappedDatabase(acme.db), (ASKED, {"id": acme.account_id})
    assert wrapped.dialect == acme.db.dialect
    assert wrapped.replica is acme.db.replica
    assert await wrapped.fetch_one(*asked) == (await wrapped.fetch_all(*asked))[0]
    async with wrapped.read() as connection:
        assert await sources.find_source(connection, acme.account_id, acme.shop)
    assert await wrapped.list_damaged() == []
    assert wrapped.figures().keys() == acme.db.figures().keys()
    assert wrapped.is_shared() is acme.db.is_shared()
    assert wrapped.is_small() is acme.db.is_small()
    assert await wrapped.lag() is None  # it is no replica
    await wrapped.probe_write()
    await wrapped.restore_statistics()
    await wrapped.analyze_grown()
    await wrapped.clean()
    assert await wrapped.write(lambda tx: rename(tx, acme.account_id)) == "done"
    await wrapped.close()
    found = await acme.db.fetch_one(*asked)
    assert found is not None
    assert found["name"] == "Other"


async def rename(tx: Transaction, account_id: int) -> str:
    """Change the name of the account."""
    await tx.execute("UPDATE account SET name = 'Other' WHERE id = :id", {"id": account_id})
    return "done"


async def test_one_transaction_reads_what_it_wrote_and_commits_nothing(acme: Cast) -> None:
    asked = ASKED, {"id": acme.account_id}

    async def work(tx: Transaction) -> None:
        db = OneTransaction(acme.db, tx, is_long=False)
        assert await db.write(lambda inner: rename(inner, acme.account_id)) == "done"
        for reader in (db, db.replica):
            assert [row["name"] for row in await reader.fetch_all(*asked)] == ["Other"]
            assert await reader.fetch_one(*asked) == (await reader.fetch_all(*asked))[0]
            async with reader.read(aside=True) as connection:
                assert await connection.fetch_one(*asked) == await reader.fetch_one(*asked)
        raise LookupError

    with pytest.raises(LookupError):
        await acme.db.write(work)
    found = await acme.db.fetch_one(*asked)
    assert found is not None
    assert found["name"] != "Other"


async def test_a_long_write_needs_a_long_transaction(acme: Cast) -> None:
    async def work(tx: Transaction) -> str:
        with pytest.raises(RuntimeError, match="short"):
            await OneTransaction(acme.db, tx, is_long=False).write(
                lambda inner: rename(inner, acme.account_id), is_long=True
            )
        long = OneTransaction(acme.db, tx, is_long=True)
        return await long.write(lambda inner: rename(inner, acme.account_id), is_long=True)

    assert await acme.db.write(work) == "done"
