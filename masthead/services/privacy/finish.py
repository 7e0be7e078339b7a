"""The work after erasures: fingerprints of runs, and traces in the files of the database."""

from contextlib import nullcontext

from masthead.services.background.guard import Guard
from masthead.store.dispatch import fingerprints
from masthead.store.dispatch.fingerprints import MarkedRun, compute_fingerprint
from masthead.store.engine.citus.present import read_present
from masthead.store.engine.interface import Database, Transaction
from masthead.store.privacy import erasures as store


async def restore_fingerprints(db: Database, *, guard: Guard = nullcontext) -> int:
    """Work out the fingerprints of the marked runs of all accounts; returns how many.

    guard: the context in which that of an account is worked out.
    """
    marked, _is_whole = await read_present(db, fingerprints.list_marked)
    for run in marked:
        with guard(run.account_id):
            await _restore_fingerprint(db, run)
    return len(marked)


async def _restore_fingerprint(db: Database, run: MarkedRun) -> None:
    """An erasure in the meantime sets another mark, so that no outdated fingerprint is stored."""
    account_id, id = run.account_id, run.id
    async with db.read(is_long=True) as connection:
        fingerprint = await compute_fingerprint(connection, account_id, id)

    async def work(tx: Transaction) -> None:
        mark = run.fingerprint
        await fingerprints.update_fingerprint(
            tx, account_id, id, mark=mark, fingerprint=fingerprint
        )

    await db.write(work)


async def finish_erasures(
    db: Database, *, is_quiet: bool = True, guard: Guard = nullcontext
) -> bool:
    """Finish the erasures of all accounts; returns whether there was something to do.

    Cleaning rewrites the file of SQLite, about 100 MB a second; other writes wait meanwhile.
    is_quiet: whether that may take long; otherwise a large file is left for the night. guard: as
    for `restore_fingerprints`.
    """
    marked = await restore_fingerprints(db, guard=guard)
    uncleaned, _is_whole = await read_present(db, store.list_uncleaned)
    if not uncleaned or not (is_quiet or db.is_small()):
        return bool(marked)
    await db.clean()
    await db.write(lambda tx: store.update_cleaned(tx, uncleaned))
    return True
