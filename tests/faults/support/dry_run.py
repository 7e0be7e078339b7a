"""A dry run of an import that holds its account's lock for as long as a test needs."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest

from masthead.model.orders.order import Terms
from masthead.services import imports
from masthead.services.imports import Import, Line, try_lines
from masthead.store.engine.database import connect
from tests.conftest import BY, Cast
from tests.support.factories import PLACEHOLDER_DOMAIN, fresh_order_id

PATIENCE = 60.0  # seconds
ROWS = 3  # before it holds the lock


@asynccontextmanager
async def dry_run(cast: Cast, url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    """A dry run that has started, with its own connections and thread."""
    monkeypatch.setattr(imports, "BATCH", ROWS)
    holds, may_end = threading.Event(), threading.Event()

    def lines() -> Iterator[Line]:
        for number in range(ROWS):
            yield Line(number, row())
        holds.set()
        may_end.wait(PATIENCE)

    def row() -> dict[str, str]:
        return {
            "order_id": fresh_order_id(),
            "first_name": "Ada",
            "country": "DE",
            "order_date": "2026-01-15",
            "price": "42",
            "start_issue": "1",
            "length": "4",
        }

    async def run() -> None:
        db = await connect(url, is_command=True)
        how = Import(cast.account_id, cast.shop, Terms(cast.currency, PLACEHOLDER_DOMAIN), BY)
        summary = await try_lines(db, lines(), how)
        assert summary.imported == ROWS
        await db.close()

    running = asyncio.create_task(asyncio.to_thread(asyncio.run, run()))
    try:
        assert await asyncio.to_thread(holds.wait, PATIENCE)
        yield
    finally:
        may_end.set()
        await running
