"""Send the emails of the outbox to the email server, one at a time."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from email.message import EmailMessage
from functools import partial

import structlog

from masthead.background.email_pauses import RefusalPauses, ServerPause
from masthead.background.failures import Pauses, attempting, read_present
from masthead.background.lease import HeldLease
from masthead.mail import Attachment, Mailer, Phase, Progress, SendFailed, compose, domain_of
from masthead.metrics.job_failures import count_failure
from masthead.model.email_retries import retry_delay
from masthead.model.errors import Unavailable
from masthead.services.emails.attachments import BatchAttachments
from masthead.services.emails.outbox import begin_sending, end_failed, end_sent, put_back
from masthead.store.background import outbox
from masthead.store.background.outbox import QueuedEmail
from masthead.store.engine.interface import Database

BATCH = 20  # emails per query
STOP_SECONDS = 5.0  # to wait for the current email; workers are killed after 7 seconds
INTERRUPTIONS = 25  # within that time
UNKNOWN = "masthead stopped before the email server answered; it may have accepted the email"

log = structlog.get_logger()
Record = Callable[[], Awaitable[None]]


class EmailSender:
    """Sends waiting emails; `stop` waits a short time for the current one."""

    def __init__(
        self, db: Database, lease: HeldLease, *, mailer: Mailer | None, mail_from: str
    ) -> None:
        self._db, self._lease = db, lease
        self._mailer, self._mail_from = mailer, mail_from
        self._has_warned = False
        self._is_stopping = False
        self._current: QueuedEmail | None = None
        self._task: asyncio.Task[None] | None = None
        self._progress = Progress()
        self._unrecorded: dict[str, Record] = {}  # outcomes that could not be saved yet, by id
        self._pauses, self._pause, self._refusals = Pauses(), ServerPause(), RefusalPauses()
        self._had_turn: set[int] = set()  # accounts, in the current round

    def is_waiting(self) -> bool:
        """Whether all emails wait, because the email server did not take the last one."""
        return self._pause.is_on()

    async def run_once(self) -> bool:
        """Send a batch of emails that are due; returns whether there may be more."""
        await self._record_outcomes()
        if self._mailer is None:
            await self._warn()
            return False
        await self._recover()
        if self.is_waiting():
            return False
        emails = await self._list_due()
        files = BatchAttachments(self._db, emails)
        for place, email in enumerate(emails):
            if self.is_waiting():
                self._had_turn -= {each.account_id for each in emails[place:]}
                self._had_turn.add(emails[place - 1].account_id)
                return False
            if self._is_stopping or not self._lease.is_held:
                return False
            if email.account_id in self._pauses or self._is_refused(email):
                continue
            with attempting("email waits", email=email.id) as attempt:
                await self._send(email, files, self._mailer)
            self._pauses.begin(email.account_id, attempt.wait)
        return bool(emails) and not self.is_waiting()

    def _is_refused(self, email: QueuedEmail) -> bool:
        """Whether an email waits with its account; one with a link does not, as people wait."""
        return email.link_digest is None and email.account_id in self._refusals

    async def _list_due(self) -> list[QueuedEmail]:
        """What to send next: emails with a link, for which people wait; then accounts in turn.

        If an account waited because its emails were refused, the first is one of those: a server
        that greylists takes it.
        """
        links = await self._find_due(list(self._pauses), only="link")
        paused, tested = [*self._pauses, *self._refusals], self._refusals.list_tested()
        tried = await self._find_due(paused, only="failed before") if tested else []
        first = [email for email in tried if email.account_id in tested]
        others = await self._find_due([*paused, *self._had_turn])
        if not others and self._had_turn:
            self._had_turn.clear()
            others = await self._find_due(paused)
        if len(others) < BATCH:  # no more accounts wait for their turn
            self._had_turn.clear()
        else:
            self._had_turn |= {email.account_id for email in others}
        return list({email.id: email for email in [*links, *first, *others]}.values())

    async def _find_due(
        self, without: Sequence[int], *, only: outbox.Only | None = None
    ) -> list[QueuedEmail]:
        due = partial(outbox.list_due, limit=BATCH, without=without, only=only)
        emails, _is_whole = await read_present(self._db, due)
        return emails

    async def _warn(self) -> None:
        """Log once that emails wait because no email server is set."""
        if self._has_warned:
            return
        emails, _is_whole = await read_present(self._db, partial(outbox.list_due, limit=1))
        if emails:
            log.warning("emails wait in the outbox: set MASTHEAD_SMTP_HOST to send them")
            self._has_warned = True

    async def _recover(self) -> None:
        """Reschedule emails if their process ended before it recorded the outcome."""
        emails, _is_whole = await read_present(self._db, outbox.list_sending)
        for email in emails:
            if email.id in self._unrecorded or email.account_id in self._pauses:
                continue
            with attempting("email waits", email=email.id) as attempt:
                await self._end_failed(email, SendFailed(UNKNOWN, is_final=False, is_unknown=True))
            self._pauses.begin(email.account_id, attempt.wait)

    async def _send(self, email: QueuedEmail, files: BatchAttachments, mailer: Mailer) -> None:
        """Try to send an email and record the outcome; only `stop` interrupts this."""
        self._current, self._progress = email, Progress()
        task = asyncio.create_task(self._deliver(email, files, mailer, self._progress))
        self._task = task
        await asyncio.wait([task])
        if not task.cancelled():
            task.result()

    async def _deliver(
        self, email: QueuedEmail, files: BatchAttachments, mailer: Mailer, progress: Progress
    ) -> None:
        marked = await begin_sending(self._db, email, domain=domain_of(self._mail_from))
        if marked is None:
            log.info("email not sent: it is no longer needed", email=email.id)
            return
        failure = await self._try(marked, files, mailer, progress)
        if failure is None or not failure.is_general:
            self._pause.end()
        else:
            seconds = self._pause.begin(failure)
            log.warning("email server away: emails wait", seconds=seconds, reason=str(failure))
        if seconds := self._refusals.record(email, failure, progress):
            log.warning("email server refuses emails: an account waits", seconds=seconds)
        if failure is None:
            await self._record(email, lambda: end_sent(self._db, email))
        elif failure.is_away:
            await self._record(email, lambda: put_back(self._db, email, reason=str(failure)))
        else:
            await self._end_failed(marked, failure)

    async def _try(
        self, email: QueuedEmail, files: BatchAttachments, mailer: Mailer, progress: Progress
    ) -> SendFailed | None:
        """Send an email. Errors are returned, so that a bad email does not stop the others."""
        try:
            attachment = await files.get(email)
            message = _message(email, self._mail_from, attachment)
        except Unavailable as reason:  # the file cannot be made now
            return SendFailed(str(reason), is_final=False)
        except Exception as reason:
            log.exception("email cannot be composed", email=email.id)
            count_failure()
            return SendFailed(f"it cannot be composed: {reason}", is_final=True)
        try:
            await mailer.send(message, progress)
        except SendFailed as reason:
            return reason
        except Exception as reason:
            log.exception("email not sent", email=email.id)
            count_failure()
            is_unknown = progress.phase is not Phase.CONNECTING
            return SendFailed(str(reason), is_final=False, is_unknown=is_unknown)
        return None

    async def _end_failed(self, email: QueuedEmail, failure: SendFailed) -> None:
        delay = None if failure.is_final else retry_delay(email.attempts + 1)
        _log_failure(email, failure, delay)
        await self._record(
            email, lambda: end_failed(self._db, email, reason=str(failure), delay=delay)
        )

    async def _record(self, email: QueuedEmail, record: Record) -> None:
        """Record an outcome; if that fails, the account waits, and it is tried again."""
        self._unrecorded[email.id] = record
        await record()
        del self._unrecorded[email.id]

    async def _record_outcomes(self) -> None:
        for id, record in list(self._unrecorded.items()):
            with attempting("email outcome not recorded", email=id):
                await record()
                del self._unrecorded[id]

    async def stop(self) -> None:
        """Stop sending. Wait for the answer to a transferred email; put back any other."""
        self._is_stopping = True
        task, email = self._task, self._current
        if task is None or email is None or task.done():
            return
        is_connecting = self._progress.phase is Phase.CONNECTING
        if is_connecting:
            await self._interrupt(task)
        else:
            log.info("waiting for the email server", email=email.id, seconds=STOP_SECONDS)
            await asyncio.wait([task], timeout=STOP_SECONDS)
        if is_connecting and task.done():
            if not task.cancelled():  # an interrupted database call may raise its own error
                task.exception()
            with suppress(Unavailable):
                await put_back(self._db, email)
        elif not task.done():
            log.warning("email outcome unknown: masthead stops before the answer", email=email.id)
            task.cancel()
            await asyncio.wait([task])
        elif failure := task.exception():
            log.error("email outcome not written down", email=email.id, reason=str(failure))

    async def _interrupt(self, task: asyncio.Task[None]) -> None:
        """Cancel a task that is connecting; again if a library suppressed the cancellation."""
        for _ in range(INTERRUPTIONS):
            if task.done() or self._progress.phase is not Phase.CONNECTING:
                break
            task.cancel()
            await asyncio.wait([task], timeout=STOP_SECONDS / INTERRUPTIONS)


def _message(email: QueuedEmail, sender: str, attachment: Attachment | None) -> EmailMessage:
    return compose(
        sender=sender,
        recipient=email.recipient,
        subject=email.subject,
        body=email.body,
        message_id=email.message_id,
        unsubscribe_url=email.unsubscribe_url,
        attachment=attachment,
    )


def _log_failure(email: QueuedEmail, failure: SendFailed, delay: timedelta | None) -> None:
    event = "email put off" if delay else "email given up"
    log.warning(
        event,
        email=email.id,
        reason=str(failure),
        attempt=email.attempts + 1,
        may_have_arrived=failure.is_unknown,
    )
