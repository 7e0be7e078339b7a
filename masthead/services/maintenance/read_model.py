"""Documents of subscriptions, made anew once a write has outdated them."""

import asyncio
import time

from masthead.model.ids import LAST_ID
from masthead.store import accounts
from masthead.store.engine.interface import Database, Transaction
from masthead.store.read_model import subscription_json as store

BATCH = 200  # are written together
SLICE = 20  # are rendered at a time, in under a millisecond of the event loop


async def refill_documents(db: Database, account_id: int, before: str = LAST_ID) -> str | None:
    """Render and keep a batch of documents that are out of date, newest subscriptions first.

    before: only those with smaller ids; returned is the last one done, None once there are no more.
    Rests as long as it works, so that requests come between; locks nothing that they wait for.
    """
    texts: dict[str, bytes] = {}
    async with db.read() as snapshot:
        revision = await accounts.get_write_count(snapshot, account_id)
        ids = await store.list_outdated(snapshot, account_id, after=before, limit=BATCH)
        for first in range(0, len(ids), SLICE):
            begun = time.thread_time()
            texts |= await store.render_json(snapshot, account_id, ids[first : first + SLICE])
            await asyncio.sleep(time.thread_time() - begun)
    if not ids:
        return None

    async def work(tx: Transaction) -> None:
        await store.write_json(tx, account_id, texts, revision=revision)

    await db.write(work)
    return ids[-1]
