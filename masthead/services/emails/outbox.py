"""Sends an email from the outbox in steps, each in one transaction.

An email is sent at least once. It is marked before the email server is called. If the process
ends before the outcome is known, the mark remains, and the email is sent again with the same
Message-ID.
"""

from datetime import timedelta

from msgspec import structs

from masthead.model.clock import now
from masthead.model.ids import new_token, token_digest
from masthead.model.letters.outcomes import LetterStatus
from masthead.services.identity.one_time_links import find_link
from masthead.services.letters.recheck import recheck_email
from masthead.services.reminders.recheck import recheck_reminder
from masthead.services.self_service.emailed_links import TOKEN
from masthead.services.self_service.sign_in import copy_link as copy_subscriber_link
from masthead.store import accounts
from masthead.store.background import outbox
from masthead.store.background.outbox import QueuedEmail
from masthead.store.engine.interface import Database, Transaction
from masthead.store.identity import one_time_links, people
from masthead.store.letters import records as letters
from masthead.store.reminders import outcomes as reminders

LINK_IS_OVER = "The link no longer worked when it was time to send this email."


async def begin_sending(db: Database, email: QueuedEmail, *, domain: str) -> QueuedEmail | None:
    """Mark an email as being sent, and return it with its full text; None if it is not to be sent.

    A renewal letter goes to the address that its subscriber has now. A reminder of which anything
    was paid meanwhile is taken back. domain: of its Message-ID.
    """
    message_id = outbox.message_id_of(email.id, domain)

    async def work(tx: Transaction) -> QueuedEmail | None:
        if email.reminder_id is not None:  # it may take back its fee
            await accounts.lock_account(tx, email.account_id)
        marked = await outbox.update_sending(tx, email.account_id, email.id, message_id=message_id)
        if marked is not None and marked.letter_id is not None:
            recipient = await recheck_email(tx, marked)
            return structs.replace(marked, recipient=recipient) if recipient else None
        if marked is not None and marked.reminder_id is not None:
            return marked if await recheck_reminder(tx, marked) else None
        if marked is None or marked.link_digest is None:
            return marked
        token = await _copy_link(tx, marked.account_id, marked.link_digest)
        if token is None:
            await outbox.update_cancelled(tx, marked.account_id, marked.id, reason=LINK_IS_OVER)
            return None
        return structs.replace(marked, body=marked.body.replace(TOKEN, token))

    account_id = email.account_id if email.reminder_id is not None else None
    return await db.write(work, account_id=account_id)


async def _copy_link(tx: Transaction, account_id: int, existing: str) -> str | None:
    """The token of a new link for the same user, or None if the existing link is not valid.

    The link may also be one of a subscriber of the account.

    Each attempt has its own link, and all of them work until one is used, because an email with an
    unknown outcome may have arrived.
    """
    link = await find_link(tx, existing)
    if link is None:
        return await copy_subscriber_link(tx, account_id, existing)
    await people.lock_person(tx, link.user_id)
    token = new_token()
    is_kept = await one_time_links.copy_link(tx, token_digest(token), original=existing)
    return token if is_kept else None


async def end_sent(db: Database, email: QueuedEmail) -> None:
    """Record that the email server has accepted an email."""

    async def work(tx: Transaction) -> None:
        await outbox.update_sent(tx, email.account_id, email.id)
        await _update_letter(tx, email, LetterStatus.SENT)

    await db.write(work)


async def _update_letter(tx: Transaction, email: QueuedEmail, status: LetterStatus) -> None:
    """Store what became of the renewal letter or the reminder that an email is, if it is one."""
    if email.letter_id is not None:
        await letters.update_status(tx, email.account_id, email.id, status)
    if email.reminder_id is not None:
        await reminders.update_status(tx, email.account_id, [email.id], status)


async def end_failed(
    db: Database, email: QueuedEmail, *, reason: str, delay: timedelta | None
) -> None:
    """Record that an attempt failed. delay: until the next one, None to give up."""

    async def work(tx: Transaction) -> None:
        retry_at = None if delay is None else now() + delay
        await outbox.update_failed(tx, email.account_id, email.id, reason=reason, retry_at=retry_at)
        if retry_at is None:
            await _update_letter(tx, email, LetterStatus.FAILED)

    await db.write(work)


async def put_back(db: Database, email: QueuedEmail, *, reason: str | None = None) -> None:
    """Return an email to the queue that was not given to the email server. reason: why not."""
    await db.write(lambda tx: outbox.update_waiting(tx, email.account_id, email.id, reason=reason))
