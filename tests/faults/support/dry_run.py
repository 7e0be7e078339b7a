"""A write, such as a batch of an import, that locks its account for as long as a test needs."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from masthead.store import accounts
from masthead.store.engine.database import connect
from masthead.store.engine.interface import Transaction
from tests.conftest import Cast
from tests.support.waiting import PATIENCE


@asynccontextmanager
async def dry_run(cast: Cast, url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    """A write that has locked the account, with its own connections and thread."""
    holds, may_end = threading.Event(), threading.Event()

    async def work(tx: Transaction) -> None:
        await accounts.lock_account(tx, cast.account_id)
        holds.set()
        may_end.wait(PATIENCE)

    async def run() -> None:
        db = await connect(url, is_command=True)
        await db.write(work, account_id=cast.account_id, is_long=True)
        await db.close()

    running = asyncio.create_task(asyncio.to_thread(asyncio.run, run()))
    try:
        assert await asyncio.to_thread(holds.wait, PATIENCE)
        yield
    finally:
        may_end.set()
        await running
