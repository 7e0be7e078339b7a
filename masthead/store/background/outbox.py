"""The outbox: emails that are waiting, being sent, sent, failed, cancelled or kept.

Status: `waiting`; `sending`, from before the email server is called until the outcome is
recorded; `sent`; `failed`, not tried again; `cancelled`, no longer needed; `kept`, in a sandbox.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from msgspec import Struct

from masthead.model.clock import account_now, now
from masthead.model.email_retries import LONGEST_WAIT
from masthead.model.errors import NotFound
from masthead.model.ids import new_id
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import insert_row
from masthead.store.sandboxes.clocks import is_sandbox

Only = Literal["link", "failed before"]
STOPPED = "Not sent: it was stopped."  # why an email is cancelled that a user has stopped
_ONLY: dict[Only, str] = {"link": "AND is_secret = true", "failed before": "AND attempts > 0"}


class QueuedEmail(Struct, frozen=True):
    """An email of the outbox. attempts: the number of failed attempts.

    link_digest: of a sign-in link. When the email is sent, the token of another link for the same
    user replaces `{token}`. letter_id: of the renewal letter that the email is, if it is one.
    unsubscribe_url: the address that ends such emails. invoice_id: of the invoice that is attached.
    reminder_id: of the reminder that the email is, which is attached as a PDF.
    """

    account_id: int
    id: str
    message_id: str
    recipient: str
    subject: str
    body: str
    attempts: int
    link_digest: str | None
    letter_id: str | None
    unsubscribe_url: str | None
    invoice_id: str | None
    reminder_id: str | None


_COLUMNS = ", ".join(QueuedEmail.__struct_fields__)


class FailedEmail(Struct, frozen=True):
    """An email that could not be sent so far. last_error: why, at the last attempt."""

    id: str
    recipient: str
    subject: str
    attempts: int
    last_error: str | None
    created_at: datetime


async def insert_email(
    tx: Transaction,
    account_id: int,
    *,
    recipient: str,
    subject: str,
    body: str,
    domain: str,
    is_secret: bool = False,
    link_digest: str | None = None,
    unsubscribe_url: str | None = None,
    subscriber_id: str | None = None,
    invoice_id: str | None = None,
    is_to_user: bool = False,
    reminder_id: str | None = None,
) -> str:
    """Put an email into the outbox. domain: of its Message-ID until the first attempt.

    is_to_user: whether it is about the sign-in of a user: only those leave a sandbox.

    subscriber_id: the subscriber that it is for. It follows a correction of their address.

    is_secret: whether its text is deleted when it is sent or has failed; it cannot be tried again
    after that. unsubscribe_url: the address that ends such emails. invoice_id: of an invoice to
    attach; its file is made when the email is sent. reminder_id: of a reminder, which becomes the
    id of the email, too.
    """
    id, moment = reminder_id or new_id(account_id), account_now()
    is_kept = not is_to_user and await is_sandbox(tx, account_id)
    await insert_row(
        tx,
        "outbox",
        account_id=account_id,
        id=id,
        message_id=message_id_of(id, domain),
        recipient=recipient,
        subject=subject,
        body=body,
        is_secret=is_secret,
        link_digest=link_digest,
        unsubscribe_url=unsubscribe_url,
        subscriber_id=subscriber_id,
        invoice_id=invoice_id,
        reminder_id=reminder_id,
        status="kept" if is_kept else "waiting",
        attempts=0,
        created_at=moment,
        next_attempt_at=now(),
    )
    return id


def message_id_of(id: str, domain: str) -> str:
    """The Message-ID of an email of the outbox."""
    return f"<{id.lower()}@{domain}>"


async def list_due(
    db: Connection, limit: int, *, without: Sequence[int] = (), only: Only | None = None
) -> list[QueuedEmail]:
    """Emails of all accounts to send now, oldest first, without those of some accounts.

    only: those with a link, or those that failed before. Indexes: outbox_by_status, outbox_secret.
    """
    moment = now()
    rows = await db.fetch_all(
        f"""
        SELECT {_COLUMNS}
        FROM outbox
        WHERE status = 'waiting'
          {_ONLY[only] if only else ""}
          AND (attempts = 0 OR next_attempt_at <= :now OR next_attempt_at > :too_late)
          AND account_id NOT IN (:without... AS bigint)
        ORDER BY next_attempt_at
        LIMIT :limit
        """,  # noqa: S608 - columns
        {
            "now": moment,
            "too_late": moment + LONGEST_WAIT,
            "without": list(without),
            "limit": limit,
        },
    )
    return [QueuedEmail(**row) for row in rows]


async def list_sending(db: Connection) -> list[QueuedEmail]:
    """Emails of all accounts that are being sent, or were being sent when a process ended."""
    sql = f"SELECT {_COLUMNS} FROM outbox WHERE status = 'sending' ORDER BY account_id, id"  # noqa: S608 - columns
    rows = await db.fetch_all(sql, {})
    return [QueuedEmail(**row) for row in rows]


async def update_sending(
    tx: Transaction, account_id: int, id: str, *, message_id: str
) -> QueuedEmail | None:
    """Mark an email as being sent; None unless it is waiting.

    message_id: stored if this is the first attempt.
    """
    row = await tx.fetch_one(
        f"""
        UPDATE outbox
        SET status = 'sending',
            message_id = CASE
                WHEN sending_at IS NULL AND attempts = 0 THEN :message_id
                ELSE message_id
            END,
            sending_at = :now
        WHERE account_id = :account_id AND id = :id AND status = 'waiting'
        RETURNING {_COLUMNS}
        """,  # noqa: S608 - columns
        {"account_id": account_id, "id": id, "message_id": message_id, "now": now()},
    )
    return QueuedEmail(**row) if row else None


async def update_sent(tx: Transaction, account_id: int, id: str) -> None:
    """Record that the email server accepted an email; it is never sent again."""
    await tx.execute(
        """
        UPDATE outbox
        SET status = 'sent',
            sent_at = :now,
            body = CASE WHEN is_secret THEN '' ELSE body END
        WHERE account_id = :account_id AND id = :id
        """,
        {"account_id": account_id, "id": id, "now": now()},
    )


async def update_failed(
    tx: Transaction, account_id: int, id: str, *, reason: str, retry_at: datetime | None
) -> None:
    """Record that sending failed. retry_at: when to try again, None to give up."""
    await tx.execute(
        """
        UPDATE outbox
        SET status = :status,
            attempts = attempts + 1,
            last_error = :reason,
            next_attempt_at = coalesce(:retry_at, next_attempt_at),
            body = CASE WHEN is_secret AND :status = 'failed' THEN '' ELSE body END
        WHERE account_id = :account_id AND id = :id AND status IN ('waiting', 'sending')
        """,
        {
            "account_id": account_id,
            "id": id,
            "status": "waiting" if retry_at else "failed",
            "reason": reason,
            "retry_at": retry_at,
        },
    )


async def update_waiting(tx: Transaction, account_id: int, id: str, *, reason: str | None) -> None:
    """Put an email that was not sent back into the queue; this does not count as an attempt.

    reason: why it was not sent; None keeps that of an earlier attempt.
    """
    await tx.execute(
        """
        UPDATE outbox
        SET status = 'waiting', last_error = coalesce(:reason, last_error)
        WHERE account_id = :account_id AND id = :id AND status = 'sending'
        """,
        {"account_id": account_id, "id": id, "reason": reason},
    )


async def update_cancelled(tx: Transaction, account_id: int, id: str, *, reason: str) -> None:
    """Record that an email is no longer needed."""
    await tx.execute(
        """
        UPDATE outbox
        SET status = 'cancelled',
            last_error = :reason,
            body = CASE WHEN is_secret THEN '' ELSE body END
        WHERE account_id = :account_id AND id = :id
        """,
        {"account_id": account_id, "id": id, "reason": reason},
    )


async def list_failed(
    db: Connection, account_id: int, limit: int, *, is_tried_again: bool = False
) -> list[FailedEmail]:
    """Failed emails that can be tried again by hand, newest first. Index: outbox_by_account.

    is_tried_again: those that failed so far, and that masthead tries again by itself.
    """
    status = "waiting" if is_tried_again else "failed"
    rows = await db.fetch_all(
        """
        SELECT id, recipient, subject, attempts, last_error, created_at
        FROM outbox
        WHERE account_id = :account_id AND status = :status
          AND NOT is_secret AND last_error IS NOT NULL
        ORDER BY id DESC
        LIMIT :limit
        """,
        {"account_id": account_id, "status": status, "limit": limit},
    )
    return [FailedEmail(**row) for row in rows]


async def update_retried(tx: Transaction, account_id: int, id: str) -> None:
    """Queue a failed email again, as if it were new. Raises: NotFound."""
    found = await tx.execute(
        """
        UPDATE outbox
        SET status = 'waiting', attempts = 0, next_attempt_at = :now
        WHERE account_id = :account_id AND id = :id AND status = 'failed' AND NOT is_secret
        """,
        {"account_id": account_id, "id": id, "now": now()},
    )
    if not found:
        raise NotFound("failed email", id)
