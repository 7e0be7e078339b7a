"""The upgrade gives the right to take orders to those who had it with the right to see money."""

import asyncio
from collections.abc import Callable

import pytest

from masthead.store.engine.database import SCHEMA_VERSION
from masthead.store.engine.interface import Transaction
from masthead.store.engine.migrate import migrate
from tests.store.engine.test_upgrade import ROWS, made_by
from tests.support.databases import opened

CHOSEN = {
    "0": None,
    "1": "",
    "2": "dispatch,correct",
    "3": "see_money",
    "4": "see_money,bill,import",
}
NOW = {**CHOSEN, "3": "take_orders,see_money", "4": "take_orders,see_money,bill,import"}


async def test_users_and_keys_of_version_0057_that_saw_money_take_orders(
    empty_database: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    url = await asyncio.to_thread(made_by, "0057", empty_database, monkeypatch)

    async def work(tx: Transaction) -> None:
        for table in ("account", "account_state"):
            await tx.insert_rows(table, [ROWS[table]])
        for id, rights in CHOSEN.items():
            user = {**ROWS["app_user"], "id": id, "email_key": f"{id}@acme.test"}
            await tx.insert_rows("app_user", [user])
            member = {**ROWS["account_user"], "user_id": id, "rights": rights}
            await tx.insert_rows("account_user", [member])

    async with opened(url) as db:
        await db.write(work)
    assert await asyncio.to_thread(migrate, url) == ("0057", SCHEMA_VERSION)
    async with opened(url) as db:
        rows = await db.fetch_all("SELECT user_id, rights FROM account_user", {})
    assert {row["user_id"]: row["rights"] for row in rows} == NOW
