"""The fingerprint of a run: it shows that its lines are those that were frozen."""

import hashlib

from masthead.store.dispatch.frozen_text import read_frozen
from masthead.store.engine.interface import Connection

BATCH = 5_000  # lines read at a time, about 1 MB


async def compute_fingerprint(db: Connection, account_id: int, id: str) -> str:
    """SHA-256 over the frozen fields of a run's lines. Queries: one per 5,000 lines."""
    digest, after = hashlib.sha256(), 0
    while found := await read_frozen(db, account_id, id, after=after, limit=BATCH):
        digest.update(found.text.encode())
        after = found.last
    return digest.hexdigest()
