"""The work after erasures: fingerprints of runs, and traces in the files of the database."""

from masthead.services.privacy.fingerprints import restore_fingerprints
from masthead.store.engine.interface import Database, Transaction
from masthead.store.privacy import erasures as store


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
