"""Sending an email of the outbox, step by step: each step is one transaction.

An email is sent at least once. It is marked before the email server is called. If the process
ends before the outcome is known, the mark remains, and the email is sent again with the same
Message-ID.
"""

from datetime import timedelta

from msgspec import structs

from masthead.model.clock import now
from masthead.model.ids import new_token, token_digest
from masthead.store import users
from masthead.store.background import outbox
from masthead.store.background.outbox import Letter
from masthead.store.engine.interface import Database, Transaction
from masthead.store.identity import sign_in

TOKEN = "{token}"  # noqa: S105 - where it goes
LINK_IS_OVER = "The link was used, replaced or too old before this email was sent."


async def begin_sending(db: Database, letter: Letter, *, domain: str) -> Letter | None:
    """The email with its whole text, marked as being sent; None if it must not be sent.

    domain: of its Message-ID.
    """
    message_id = outbox.message_id_of(letter.id, domain)

    async def work(tx: Transaction) -> Letter | None:
        marked = await outbox.update_sending(
            tx, letter.account_id, letter.id, message_id=message_id
        )
        if marked is None or marked.link_digest is None:
            return marked
        token = await _write_link(tx, marked.link_digest)
        if token is None:
            await outbox.update_cancelled(tx, marked.account_id, marked.id, reason=LINK_IS_OVER)
            return None
        return structs.replace(marked, body=marked.body.replace(TOKEN, token))

    return await db.write(work)


async def _write_link(tx: Transaction, beside: str) -> str | None:
    """The token of another link for the same user, None if the link can no longer be used.

    Each attempt has its own, and all of them work until one is used: an email whose outcome was
    unknown may have arrived.
    """
    user_id = await sign_in.find_link_user(tx, beside)
    if user_id is None:
        return None
    await users.lock_person(tx, user_id)
    token = new_token()
    is_kept = await sign_in.insert_link_beside(tx, token_digest(token), beside=beside)
    return token if is_kept else None


async def end_sent(db: Database, letter: Letter) -> None:
    """Record that the email server has accepted an email."""

    async def work(tx: Transaction) -> None:
        await outbox.update_sent(tx, letter.account_id, letter.id)

    await db.write(work)


async def end_failed(db: Database, letter: Letter, *, reason: str, delay: timedelta | None) -> None:
    """Record that an attempt failed. delay: until the next one, None to give up."""

    async def work(tx: Transaction) -> None:
        retry_at = None if delay is None else now() + delay
        await outbox.update_failed(
            tx, letter.account_id, letter.id, reason=reason, retry_at=retry_at
        )

    await db.write(work)


async def put_back(db: Database, letter: Letter) -> None:
    """Let an email wait again that was not handed to the email server."""

    async def work(tx: Transaction) -> None:
        await outbox.update_waiting(tx, letter.account_id, letter.id)

    await db.write(work)
