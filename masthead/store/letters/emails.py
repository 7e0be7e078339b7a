"""The emails of renewal letters, in the outbox: many at once, and behind all other emails."""

from collections.abc import Sequence
from datetime import timedelta

from msgspec import Struct

from masthead.model.clock import account_now, now
from masthead.model.letters.outcomes import LetterStatus
from masthead.store.background.outbox import message_id_of
from masthead.store.engine.interface import Transaction
from masthead.store.sandboxes.clocks import is_sandbox

# The place of letters in the queue: so much later that other emails do not wait for thousands
BEHIND = timedelta(hours=1)


class LetterEmail(Struct, frozen=True):
    """A renewal letter to put into the outbox. id: of the letter, and of the email."""

    id: str
    recipient: str
    subject: str
    body: str
    unsubscribe_url: str


async def insert_letters(
    tx: Transaction, account_id: int, emails: Sequence[LetterEmail], *, domain: str
) -> None:
    """Put renewal letters into the outbox. Queries: two, for any number of letters.

    They are due at once, but emails that are added within the next hour are sent before them. In a
    sandbox, they are kept, and count as sent. Queries: three.
    """
    moment, is_kept = account_now(), await is_sandbox(tx, account_id)
    await tx.insert_rows(
        "outbox",
        [
            {
                "account_id": account_id,
                "id": email.id,
                "message_id": message_id_of(email.id, domain),
                "recipient": email.recipient,
                "subject": email.subject,
                "body": email.body,
                "is_secret": False,
                "status": "kept" if is_kept else "waiting",
                "attempts": 0,
                "created_at": moment,
                "next_attempt_at": now() + BEHIND,
                "letter_id": email.id,
                "unsubscribe_url": email.unsubscribe_url,
            }
            for email in emails
        ],
    )
    if is_kept:
        await tx.execute(
            """
            UPDATE renewal_letter
            SET status = :sent, ended_at = :moment
            WHERE account_id = :account_id AND id IN (:ids...)
            """,
            {
                "account_id": account_id,
                "ids": [email.id for email in emails],
                "sent": LetterStatus.SENT,
                "moment": moment,
            },
        )


async def update_retried(tx: Transaction, account_id: int, batch_id: str) -> int:
    """Queue the failed emails of a batch again, as if they were new; returns how many.

    Queries: two, for any number of letters.
    """
    values = {
        "account_id": account_id,
        "batch_id": batch_id,
        "place": now() + BEHIND,
        "failed": LetterStatus.FAILED,
        "queued": LetterStatus.QUEUED,
    }
    await tx.execute(
        """
        UPDATE outbox
        SET status = 'waiting', attempts = 0, next_attempt_at = :place
        WHERE account_id = :account_id
          AND status = 'failed'
          AND id IN (
              SELECT l.id
              FROM renewal_letter l
              WHERE l.account_id = :account_id AND l.batch_id = :batch_id AND l.status = :failed
          )
        """,
        values,
    )
    return await tx.execute(
        """
        UPDATE renewal_letter
        SET status = :queued, ended_at = NULL
        WHERE account_id = :account_id AND batch_id = :batch_id AND status = :failed
        """,
        values,
    )
