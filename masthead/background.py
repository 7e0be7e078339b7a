"""The work of `serve` besides requests, done by one worker for all.

The daily pass, the letters of the outbox, documents that a write has outdated, trends, and
what may be forgotten.
"""

import asyncio
import time
import uuid
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta

import structlog

from masthead.mail import Mailer, SendFailed, compose, retry_delay
from masthead.model.actors import Actor
from masthead.model.errors import Busy, Unavailable
from masthead.model.ids import LAST_ID
from masthead.services import sign_in
from masthead.services.daily import run_daily_pass
from masthead.services.documents import refill_documents
from masthead.services.trends import refresh_trend
from masthead.services.usage import KeyUsage
from masthead.store import accounts, documents, leases, outbox, submissions, trends
from masthead.store.connection import Database, Transaction, now
from masthead.store.outbox import Letter

LEASE = "background"
LEASE_DURATION = timedelta(seconds=30)
PROLONG_SECONDS = 5.0
SEND_SECONDS = 20.0  # within the lease, so that no other worker sends the same letter meanwhile
TICK_SECONDS = 1.0
BUSY_SECONDS = 30.0  # after an account was held by an import
AGAIN_SECONDS = 300.0  # after a daily pass or a refill that failed
LETTERS = 20  # looked up at a time
REFILL_SECONDS = 2.0  # before it looks at the rest again
TIDY_SECONDS = 3600.0
MARKS_KEPT = timedelta(days=2)  # of forms; longer than anybody leaves one open
TREND_SECONDS = 10.0  # until what was written since shows in a trend,
TREND_SHARE = 100  # or so many times what counting it takes, if that is longer

BY = Actor(kind="command", id="daily")
log = structlog.get_logger()


def _is_stopping() -> bool:
    """Whether this task was cancelled, even if a library swallowed that (as `wait_for` may)."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


class Background:
    """What one worker does beside its requests; the shared part only while it holds the lease."""

    def __init__(
        self, db: Database, usage: KeyUsage, *, mailer: Mailer | None, mail_from: str
    ) -> None:
        self._db, self._usage = db, usage
        self._mailer, self._mail_from = mailer, mail_from
        self._holder = uuid.uuid4().hex
        self._holds, self._ask_again_at = False, 0.0
        self._day: date | None = None
        self._pass_again_at = 0.0
        self._has_warned = False
        self._is_behind = False
        self._refilled: dict[int, str | None] = {}  # how far, by account
        self._refill_again_at: dict[int, float] = {}
        self._trend_again_at: dict[int, float] = {}
        self._tidy_again_at = 0.0

    async def run(self) -> None:
        """Work until cancelled; what fails is logged and tried again."""
        try:
            while not _is_stopping():
                try:
                    await self.work_once()
                except Unavailable as reason:
                    log.warning("background work waits", reason=str(reason))
                except Exception:
                    log.exception("background work failed")
                await asyncio.sleep(0 if self._is_behind else TICK_SECONDS)
        finally:
            with suppress(Unavailable):
                await self._let_go()

    async def work_once(self) -> None:
        """Do what is due."""
        self._is_behind = False
        await self._usage.write_down(self._db)
        if await self._hold_lease():
            await self._pass_day()
            await self._send_letters()
            await self._refill()
            await self._follow_trends()
            await self._tidy()

    async def _hold_lease(self) -> bool:
        """Whether this worker is the one; asks the database every few seconds."""
        if time.monotonic() >= self._ask_again_at:

            async def work(tx: Transaction) -> bool:
                return await leases.take_lease(
                    tx, name=LEASE, holder=self._holder, duration=LEASE_DURATION
                )

            self._holds = False
            self._holds = await self._db.write(work)
            self._ask_again_at = time.monotonic() + PROLONG_SECONDS
        return self._holds

    async def _let_go(self) -> None:
        async def work(tx: Transaction) -> None:
            await leases.release_lease(tx, name=LEASE, holder=self._holder)

        if self._holds:
            await self._db.write(work)

    async def _pass_day(self) -> None:
        """Bring every account to today, once a day (UTC); one that fails keeps no other."""
        today = now().date()
        if self._day == today or time.monotonic() < self._pass_again_at:
            return
        async with self._db.read() as connection:
            behind = [a for a in await accounts.list_accounts(connection) if a.daily_date < today]
        has_failed, is_busy = False, False
        for account in behind:
            try:
                await run_daily_pass(self._db, account.id, today, by=BY)
            except Busy:
                log.warning("daily pass waits", account=account.subdomain, day=str(today))
                is_busy = True
            except Unavailable:
                raise
            except Exception:
                log.exception("daily pass failed", account=account.subdomain, day=str(today))
                has_failed = True
            else:
                log.info("daily pass", account=account.subdomain, day=str(today))
        if has_failed or is_busy:
            wait = AGAIN_SECONDS if has_failed else BUSY_SECONDS
            self._pass_again_at = time.monotonic() + wait
        else:
            self._day = today

    async def _send_letters(self) -> None:
        async with self._db.read() as connection:
            letters = await outbox.list_due(connection, LETTERS)
        if letters and self._mailer is None:
            if not self._has_warned:
                log.warning("letters wait in the outbox: set MASTHEAD_SMTP_HOST to send them")
                self._has_warned = True
            return
        for letter in letters:
            if self._mailer is None or _is_stopping() or not await self._hold_lease():
                return
            await self._send(letter, self._mailer)

    async def _send(self, letter: Letter, mailer: Mailer) -> None:
        """Try to send a letter, and record what came of it."""
        failure: SendFailed | None = None
        try:
            async with asyncio.timeout(SEND_SECONDS):
                await mailer.send(
                    compose(
                        sender=self._mail_from,
                        recipient=letter.recipient,
                        subject=letter.subject,
                        body=letter.body,
                        message_id=letter.message_id,
                    )
                )
        except TimeoutError:
            failure = SendFailed("the mail server took too long", is_final=False)
        except SendFailed as reason:
            failure = reason
        except ValueError as reason:  # a header that no message can have
            failure = SendFailed(str(reason), is_final=True)
        delay = None if failure is None or failure.is_final else retry_delay(letter.attempts + 1)

        async def work(tx: Transaction) -> None:
            if failure is None:
                await outbox.update_sent(tx, letter.account_id, letter.id)
            else:
                await outbox.update_failed(
                    tx,
                    letter.account_id,
                    letter.id,
                    reason=str(failure),
                    retry_at=now() + delay if delay else None,
                )

        await self._db.write(work)
        if failure is not None:
            event = "letter put off" if delay else "letter given up"
            log.warning(event, letter=letter.id, reason=str(failure), attempt=letter.attempts + 1)

    async def _refill(self) -> None:
        """Make outdated documents anew, for a while; accounts take turns."""
        until = time.monotonic() + REFILL_SECONDS
        while behind := await self._list_behind():
            for account_id in behind:
                if _is_stopping() or not await self._hold_lease():
                    return
                await self._refill_some(account_id)
                if time.monotonic() > until:
                    self._is_behind = True
                    return

    async def _list_behind(self) -> list[int]:
        """The accounts with outdated documents, but for those whose refill has just failed."""
        moment = time.monotonic()
        return [
            account_id
            for account_id in await documents.list_behind(self._db)
            if self._refill_again_at.get(account_id, moment) <= moment
        ]

    async def _refill_some(self, account_id: int) -> None:
        """Make a batch of an account's documents anew; if that fails it keeps no other account."""
        before = self._refilled.pop(account_id, None) or LAST_ID
        try:
            self._refilled[account_id] = await refill_documents(self._db, account_id, before)
        except Busy:
            self._refill_again_at[account_id] = time.monotonic() + BUSY_SECONDS
        except Unavailable:
            raise
        except Exception:
            log.exception("documents cannot be rendered", account=account_id)
            self._refill_again_at[account_id] = time.monotonic() + AGAIN_SECONDS

    async def _follow_trends(self) -> None:
        """Work out the trends that are missing, of yesterday or outdated."""
        moment = now()
        midnight = datetime.combine(moment.date(), datetime.min.time(), UTC)
        async with self._db.read() as connection:
            due = await trends.list_due(
                connection, since=midnight, settled=moment - timedelta(seconds=TREND_SECONDS)
            )
        for account_id in due:
            if self._trend_again_at.get(account_id, 0.0) > time.monotonic():
                continue
            if _is_stopping() or not await self._hold_lease():
                return
            try:
                took = await refresh_trend(self._db, account_id, moment.date())
            except Busy:
                self._trend_again_at[account_id] = time.monotonic() + BUSY_SECONDS
            except Unavailable:
                raise
            except Exception:
                log.exception("trend cannot be worked out", account=account_id)
                self._trend_again_at[account_id] = time.monotonic() + AGAIN_SECONDS
            else:
                self._trend_again_at[account_id] = time.monotonic() + TREND_SHARE * took

    async def _tidy(self) -> None:
        """Forget, once an hour, who was signed in, who failed to, and which forms were sent."""
        if time.monotonic() < self._tidy_again_at:
            return
        self._tidy_again_at = time.monotonic() + TIDY_SECONDS
        await sign_in.purge(self._db)
        before = now() - MARKS_KEPT
        for account in await accounts.list_accounts(self._db):
            await self._forget_marks(account.id, before)

    async def _forget_marks(self, account_id: int, before: datetime) -> None:
        async def work(tx: Transaction) -> None:
            await submissions.delete_marks(tx, account_id, before)

        await self._db.write(work)
