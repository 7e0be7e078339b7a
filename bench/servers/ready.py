"""Wait until the read model is up to date; otherwise a benchmark would measure its refresh."""

import asyncio
import time
from typing import Any

from masthead.model.ids import LAST_ID
from masthead.store import accounts
from masthead.store.engine.database import connect
from masthead.store.engine.interface import Database, Transaction
from masthead.store.read_model import subscription_json

LOOK_SECONDS = 0.2
BATCH = 1_000


def ask_database(url: str, sql: str, **parameters: object) -> Any:
    """The first row of a query, or None."""

    async def ask() -> Any:
        db = await connect(url)
        try:
            async with db.read() as connection:
                return await connection.fetch_one(sql, parameters)
        finally:
            await db.close()

    return asyncio.run(ask())


def wait_for_documents(url: str) -> None:
    """Wait until no row of the read model is outdated. A running server refreshes them."""
    while ask_database(url, "SELECT id FROM subscription_change LIMIT 1"):
        time.sleep(LOOK_SECONDS)


def make_documents(url: str, account_id: int) -> None:
    """Refresh the whole read model as the background work does, but without pauses."""

    async def make() -> None:
        db = await connect(url)
        try:
            before: str | None = LAST_ID
            while before:
                before = await _make_some(db, account_id, before)
        finally:
            await db.close()

    asyncio.run(make())


async def _make_some(db: Database, account_id: int, before: str) -> str | None:
    """The last id that was rendered; None at the end."""
    async with db.read() as snapshot:
        revision = await accounts.get_write_count(snapshot, account_id)
        ids = await subscription_json.list_outdated(snapshot, account_id, after=before, limit=BATCH)
        texts = await subscription_json.render_json(snapshot, account_id, ids)

    async def work(tx: Transaction) -> None:
        await subscription_json.write_json(tx, account_id, texts, revision=revision)

    if not ids:
        return None
    await db.write(work)
    return ids[-1]
