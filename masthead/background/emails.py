"""The emails of the outbox, handed to the email server one after the other."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import timedelta
from email.message import EmailMessage

import structlog

from masthead.background.lease import HeldLease
from masthead.mail import (
    Mailer,
    Phase,
    Progress,
    SendFailed,
    compose,
    domain_of,
    retry_delay,
)
from masthead.model.errors import Unavailable
from masthead.services.emails.outbox import begin_sending, end_failed, end_sent, put_back
from masthead.store.background import outbox
from masthead.store.background.outbox import QueuedEmail
from masthead.store.engine.interface import Database

BATCH = 20  # looked up at a time
STOP_SECONDS = 5.0  # for the answer to an email that was handed over; workers are killed after 7
UNKNOWN = "masthead ended before the email server answered; it may have taken the email"

log = structlog.get_logger()
Record = Callable[[], Awaitable[None]]


class EmailSender:
    """Sends waiting emails; when stopped, waits a short time for the email under way."""

    def __init__(
        self, db: Database, lease: HeldLease, *, mailer: Mailer | None, mail_from: str
    ) -> None:
        self._db, self._lease = db, lease
        self._mailer, self._mail_from = mailer, mail_from
        self._has_warned = False
        self._is_stopping = False
        self._letter: QueuedEmail | None = None
        self._under_way: asyncio.Task[None] | None = None
        self._progress = Progress()
        self._unrecorded: dict[str, Record] = {}  # outcomes that could not be saved yet, by id

    async def run_once(self) -> bool:
        """Send a batch of what is due; whether there may be more."""
        await self._record_outcomes()
        if self._mailer is None:
            await self._warn()
            return False
        await self._recover()
        async with self._db.read() as connection:
            letters = await outbox.list_due(connection, BATCH)
        for letter in letters:
            if self._is_stopping or not self._lease.is_held:
                return False
            await self._send(letter, self._mailer)
        return len(letters) == BATCH

    async def _warn(self) -> None:
        """Log once that emails wait because no email server is set."""
        if self._has_warned:
            return
        async with self._db.read() as connection:
            letters = await outbox.list_due(connection, 1)
        if letters:
            log.warning("emails wait in the outbox: set MASTHEAD_SMTP_HOST to send them")
            self._has_warned = True

    async def _recover(self) -> None:
        """Schedule emails again if their process ended before it recorded an outcome."""
        async with self._db.read() as connection:
            letters = await outbox.list_sending(connection)
        for letter in letters:
            await self._end_failed(letter, SendFailed(UNKNOWN, is_final=False, is_unknown=True))

    async def _send(self, letter: QueuedEmail, mailer: Mailer) -> None:
        """Try to send an email, and record the outcome; only `stop` interrupts this."""
        self._letter, self._progress = letter, Progress()
        task = asyncio.create_task(self._hand_over(letter, mailer, self._progress))
        self._under_way = task
        await asyncio.wait([task])
        if not task.cancelled():
            task.result()

    async def _hand_over(self, letter: QueuedEmail, mailer: Mailer, progress: Progress) -> None:
        marked = await begin_sending(self._db, letter, domain=domain_of(self._mail_from))
        if marked is None:
            log.info("email not sent: it is no longer needed", email=letter.id)
            return
        failure: SendFailed | None = None
        try:
            await mailer.send(_message(marked, self._mail_from), progress)
        except SendFailed as reason:
            failure = reason
        except ValueError as reason:  # an invalid header
            failure = SendFailed(str(reason), is_final=True)
        if failure is None:
            await self._record(letter, lambda: end_sent(self._db, letter))
        else:
            await self._end_failed(marked, failure)

    async def _end_failed(self, letter: QueuedEmail, failure: SendFailed) -> None:
        delay = None if failure.is_final else retry_delay(letter.attempts + 1)
        _log_failure(letter, failure, delay)
        await self._record(
            letter, lambda: end_failed(self._db, letter, reason=str(failure), delay=delay)
        )

    async def _record(self, letter: QueuedEmail, record: Record) -> None:
        """Record an outcome; if the database does not accept it, before the next email."""
        self._unrecorded[letter.id] = record
        await self._record_outcomes()

    async def _record_outcomes(self) -> None:
        for id, record in list(self._unrecorded.items()):
            await record()
            del self._unrecorded[id]

    async def stop(self) -> None:
        """Stop sending. Wait for an email that was handed over; put back any other."""
        self._is_stopping = True
        task, letter = self._under_way, self._letter
        if task is None or letter is None or task.done():
            return
        is_ours = self._progress.phase is Phase.CONNECTING
        if is_ours:
            task.cancel()
        else:
            log.info("waiting for the email server", email=letter.id, seconds=STOP_SECONDS)
        await asyncio.wait([task], timeout=STOP_SECONDS)
        if is_ours and task.done():
            if not task.cancelled():  # a database that is interrupted may raise an error of its own
                task.exception()
            with suppress(Unavailable):
                await put_back(self._db, letter)
        elif not task.done():
            log.warning("email outcome unknown: masthead ends before the answer", email=letter.id)
            task.cancel()
            await asyncio.wait([task])
        elif failure := task.exception():
            log.error("email outcome not written down", email=letter.id, reason=str(failure))


def _message(letter: QueuedEmail, sender: str) -> EmailMessage:
    return compose(
        sender=sender,
        recipient=letter.recipient,
        subject=letter.subject,
        body=letter.body,
        message_id=letter.message_id,
    )


def _log_failure(letter: QueuedEmail, failure: SendFailed, delay: timedelta | None) -> None:
    event = "email put off" if delay else "email given up"
    log.warning(
        event,
        email=letter.id,
        reason=str(failure),
        attempt=letter.attempts + 1,
        may_have_arrived=failure.is_unknown,
    )
