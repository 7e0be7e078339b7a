"""Work out the fingerprints of dispatch runs again after lines of theirs were erased."""

from masthead.services.dispatch.fingerprints import compute_fingerprint
from masthead.store.engine.interface import Database, Transaction
from masthead.store.privacy import runs as store

MARK = "erased:"  # begins the fingerprint of a run while it is worked out


async def restore_fingerprints(db: Database) -> int:
    """Work out the fingerprints of the marked runs of all accounts; returns how many.

    An erasure in the meantime sets another mark, so that no outdated fingerprint is stored.
    """
    marked = await store.list_marked(db, MARK)
    for run in marked:
        async with db.read(is_long=True) as connection:
            fingerprint = await compute_fingerprint(connection, run["account_id"], run["id"])

        async def work(
            tx: Transaction,
            account_id: int = run["account_id"],
            id: str = run["id"],
            mark: str = run["fingerprint"],
            fingerprint: str = fingerprint,
        ) -> None:
            await store.update_fingerprint(tx, account_id, id, mark=mark, fingerprint=fingerprint)

        await db.write(work)
    return len(marked)
