"""The work after erasures: fingerprints of runs, and traces in the files of the database."""

from masthead.store.dispatch import fingerprints
from masthead.store.dispatch.fingerprints import compute_fingerprint
from masthead.store.engine.interface import Database, Transaction
from masthead.store.privacy import erasures as store


async def restore_fingerprints(db: Database) -> int:
    """Work out the fingerprints of the marked runs of all accounts; returns how many.

    An erasure in the meantime sets another mark, so that no outdated fingerprint is stored.
    """
    marked = await fingerprints.list_marked(db)
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
            await fingerprints.update_fingerprint(
                tx, account_id, id, mark=mark, fingerprint=fingerprint
            )

        await db.write(work)
    return len(marked)


async def finish_erasures(db: Database, *, is_quiet: bool = True) -> bool:
    """Finish the erasures of all accounts; returns whether there was something to do.

    Cleaning rewrites the file of SQLite, about 100 MB a second; other writes wait meanwhile.
    is_quiet: whether that may take long; otherwise a large file is left for the night.
    """
    marked = await restore_fingerprints(db)
    uncleaned = await store.list_uncleaned(db)
    if not uncleaned or not (is_quiet or db.is_small()):
        return bool(marked)
    await db.clean()

    async def work(tx: Transaction) -> None:
        await store.update_cleaned(tx, uncleaned)

    await db.write(work)
    return True
