"""Delete what has expired: sessions, tokens, answers, events, uploads, exports, temporary files.

Also mark the imports of commands that died as failed, so that pages say it, and restore the
statistics of the query planner.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from functools import partial

from masthead.background.clock import TrustedClock
from masthead.background.failures import attempting, failures_logged, read_present
from masthead.model.imports.batches import KEPT_UNUSED
from masthead.services.exports.archives import delete_old_archives
from masthead.services.identity import sign_in
from masthead.services.imports.delete import delete_unused, delete_used
from masthead.services.imports.work.leases import end_abandoned
from masthead.store.engine.interface import Database, Transaction
from masthead.store.events import log as events
from masthead.store.idempotency import (
    ANSWER_KEPT,
    KeyTable,
    delete_old_keys,
    list_accounts_with_old_keys,
)
from masthead.store.imports.batches import list_command_accounts
from masthead.store.webhooks.removal import delete_old_messages
from masthead.temporary_files import delete_abandoned

CLEANUP_SECONDS = 3600.0
CHECK_SECONDS = 60.0
KEYS_KEPT: dict[KeyTable, timedelta] = {
    "submission": timedelta(days=2),  # longer than a form stays open in a browser
    "stored_answer": ANSWER_KEPT,
}


class Cleanup:
    """Deletes expired rows, and files of killed processes, once an hour if the clock is trusted."""

    def __init__(self, db: Database, clock: TrustedClock, *, event_days: int) -> None:
        """event_days: for which events are kept."""
        self._db, self._clock = db, clock
        self._events_kept = timedelta(days=event_days)
        self._clean_at = self._check_at = 0.0

    async def run_once(self) -> bool:
        """Do what is due. Returns False: no work is left."""
        if time.monotonic() >= self._check_at:
            self._check_at = time.monotonic() + CHECK_SECONDS
            found, _is_whole = await read_present(self._db, list_command_accounts)
            for account_id in found:
                with attempting("imports not ended", account=account_id):
                    await end_abandoned(self._db, account_id)
        moment = await self._clock.now()
        if moment is None or time.monotonic() < self._clean_at:
            return False
        self._clean_at = time.monotonic() + CLEANUP_SECONDS
        steps: list[Callable[[datetime], Awaitable[None]]] = [
            self._delete_files,
            self._delete_sign_ins,
            self._delete_uploads,
            self._delete_exports,
            self._delete_old_keys,
            self._delete_old_events,
            self._restore_statistics,
        ]
        for step in steps:
            with failures_logged("cleanup not done", step=step.__name__.removeprefix("_")):
                await step(moment)
        return False

    async def _delete_files(self, _moment: datetime) -> None:
        await asyncio.to_thread(delete_abandoned)

    async def _delete_sign_ins(self, _moment: datetime) -> None:
        await sign_in.purge(self._db)

    async def _delete_uploads(self, moment: datetime) -> None:
        for delete in (delete_unused, delete_used):
            await delete(
                self._db,
                moment - KEPT_UNUSED,
                guard=lambda id: attempting("upload not deleted", account=id),
            )

    async def _delete_exports(self, moment: datetime) -> None:
        await delete_old_archives(
            self._db, moment, guard=lambda id: attempting("export not deleted", account=id)
        )

    async def _delete_old_keys(self, moment: datetime) -> None:
        for table, kept in KEYS_KEPT.items():
            found, _is_whole = await read_present(
                self._db, partial(list_accounts_with_old_keys, table=table, before=moment - kept)
            )
            for account_id in found:
                with attempting("idempotency keys not deleted", account=account_id):
                    await self._delete_keys(account_id, table, moment - kept)

    async def _delete_old_events(self, moment: datetime) -> None:
        before = moment - self._events_kept
        found, _is_whole = await read_present(
            self._db, partial(events.list_accounts_with_old_events, before=before), is_long=True
        )
        for account_id in found:
            with attempting("events not deleted", account=account_id):
                await self._delete_events(account_id, before)

    async def _restore_statistics(self, _moment: datetime) -> None:
        await self._db.restore_statistics()

    async def _delete_keys(self, account_id: int, table: KeyTable, before: datetime) -> None:
        await self._db.write(lambda tx: delete_old_keys(tx, account_id, table, before))

    async def _delete_events(self, account_id: int, before: datetime) -> None:
        """Delete old events and their messages, 1,000 a transaction, so that no write waits."""

        async def work(tx: Transaction) -> int:
            deleted = await events.delete_old_events(tx, account_id, before)
            await delete_old_messages(tx, account_id)
            return deleted

        while await self._db.write(work, account_id=account_id):
            pass
