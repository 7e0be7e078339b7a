"""Render and store a batch of outdated subscriptions; `background.read_model` calls this."""

import asyncio
import time

from masthead.model.ids import LAST_ID
from masthead.store import accounts
from masthead.store.engine.interface import Database
from masthead.store.read_model import subscription_json as store

BATCH = 200  # subscriptions that are written together
SLICE = 20  # subscriptions rendered at a time, in less than a millisecond of the event loop


async def refresh_read_model(db: Database, account_id: int, after: str = LAST_ID) -> str | None:
    """Render and store a batch of outdated subscriptions, newest subscriptions first.

    after: the last id of the previous batch; ids are listed from the highest. Returns the last id
    of this batch, or None if there are no more. It pauses as long as it works, so that requests
    are served in between, and holds no lock that they wait for.
    """
    texts: dict[str, bytes] = {}
    async with db.read() as snapshot:
        revision = await accounts.get_write_count(snapshot, account_id)
        ids = await store.list_outdated(snapshot, account_id, after=after, limit=BATCH)
        for first in range(0, len(ids), SLICE):
            begun = time.thread_time()
            texts |= await store.render_json(snapshot, account_id, ids[first : first + SLICE])
            await asyncio.sleep(time.thread_time() - begun)
    if not ids:
        return None
    await db.write(lambda tx: store.write_json(tx, account_id, texts, revision=revision))
    return ids[-1]
