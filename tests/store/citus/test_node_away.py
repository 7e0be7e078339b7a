"""While a node of Citus is away, masthead serves the accounts of the others."""

import asyncio
from collections.abc import Callable

import pytest

from masthead.model.errors import Unavailable
from masthead.model.identity.sign_ins import Client
from masthead.services.accounts import create_account
from masthead.services.identity.sessions import find_signed_in_user, open_session
from masthead.store.accounts import get_account, list_accounts
from masthead.store.engine import migrate
from masthead.store.engine.interface import Transaction
from masthead.store.users import list_memberships
from tests.conftest import BY
from tests.store.citus.test_distribute import execute, run
from tests.support import citus
from tests.support.databases import opened

# On Citus, a node for which the coordinator has a wrong port; elsewhere, a view that fails
NO_NODE = """
    UPDATE pg_dist_node SET nodeport = 1 WHERE groupid = (
        SELECT groupid
        FROM pg_dist_placement
        WHERE shardid = get_shard_id_for_distribution_column('account_state', {id})
    )
"""
NO_ROW = """
    CREATE FUNCTION answers(account_id bigint) RETURNS boolean LANGUAGE plpgsql AS $$
    BEGIN
        IF account_id = {id} THEN RAISE 'connection refused' USING ERRCODE = '08006'; END IF;
        RETURN true;
    END $$;
    ALTER TABLE account_state RENAME TO kept;
    CREATE VIEW account_state AS SELECT * FROM kept WHERE answers(account_id);
"""


async def test_pages_of_accounts_on_other_nodes_find_their_user(
    backend: str, empty_database: Callable[[], str]
) -> None:
    if backend == "sqlite":
        pytest.skip("Citus is an extension of PostgreSQL")
    url = empty_database()
    await asyncio.to_thread(migrate.migrate, url)
    if citus.has(url):
        await run(url)

    async with opened(url) as db:
        for name in "abcdef":  # on Citus, they are on both nodes
            await create_account(
                db, name=name, subdomain=name * 3, currency="EUR", owner="ann@acme.test", by=BY
            )
        await execute(url, "UPDATE account_user SET is_pending = false")
        await execute(url, "UPDATE account_state SET daily_date = '2026-01-31'")
        accounts = [each.id for each in await list_accounts(db)]
        [user] = await execute(url, "SELECT id FROM app_user")

        async def work(tx: Transaction) -> str:
            return (await open_session(tx, user["id"], Client(address="::1"))).token

        token = await db.write(work)
        await execute(url, (NO_NODE if citus.has(url) else NO_ROW).format(id=accounts[-1]))
        with pytest.raises(Unavailable):
            await get_account(db, accounts[-1])
        with pytest.raises(Unavailable):
            await list_memberships(db, user["id"])
        found = await find_signed_in_user(db, token)
        assert found is not None
        days = {each.account_id: str(each.daily_date) for each in found.memberships}
        assert sorted(days) == accounts
        assert days.pop(accounts[-1]) != "2026-01-31"
        assert "2026-01-31" in days.values()
