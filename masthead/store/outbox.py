"""Letters that wait to be sent, and what became of them."""

from datetime import datetime

from msgspec import Struct

from masthead.model.errors import NotFound
from masthead.model.ids import new_id
from masthead.store.connection import Connection, Row, Transaction, now


class Letter(Struct, frozen=True):
    """A letter of the outbox. attempts: how often sending it has failed."""

    account_id: int
    id: str
    message_id: str
    recipient: str
    subject: str
    body: str
    attempts: int


class Failed(Struct, frozen=True):
    """A letter that was given up. last_error: why."""

    id: str
    recipient: str
    subject: str
    attempts: int
    last_error: str | None
    created_at: datetime


_LETTER = "SELECT account_id, id, message_id, recipient, subject, body, attempts FROM outbox"


def _letter_from_row(row: Row) -> Letter:
    return Letter(**row)


async def insert_letter(
    tx: Transaction,
    account_id: int,
    *,
    recipient: str,
    subject: str,
    body: str,
    domain: str,
    is_secret: bool = False,
) -> str:
    """Put a letter into the outbox. domain: of its Message-ID, which every attempt carries.

    is_secret: whether its text is kept no longer than until it is sent or given up.
    """
    id, moment = new_id(account_id), now()
    await tx.insert_rows(
        "outbox",
        [
            {
                "account_id": account_id,
                "id": id,
                "message_id": f"<{id.lower()}@{domain}>",
                "recipient": recipient,
                "subject": subject,
                "body": body,
                "is_secret": is_secret,
                "status": "waiting",
                "attempts": 0,
                "created_at": moment,
                "next_attempt_at": moment,
            }
        ],
    )
    return id


async def list_due(db: Connection, limit: int) -> list[Letter]:
    """Letters of all accounts whose time has come, oldest first. Index: outbox_by_status."""
    rows = await db.fetch_all(
        _LETTER + " WHERE status = 'waiting' AND next_attempt_at <= :now"
        " ORDER BY next_attempt_at LIMIT :limit",
        {"now": now(), "limit": limit},
    )
    return [_letter_from_row(row) for row in rows]


async def update_sent(tx: Transaction, account_id: int, id: str) -> None:
    """Record that a letter has been handed over; it is never sent again."""
    await tx.execute(
        "UPDATE outbox SET status = 'sent', sent_at = :now,"
        " body = CASE WHEN is_secret THEN '' ELSE body END"
        " WHERE account_id = :account_id AND id = :id",
        {"account_id": account_id, "id": id, "now": now()},
    )


async def update_failed(
    tx: Transaction, account_id: int, id: str, *, reason: str, retry_at: datetime | None
) -> None:
    """Record that sending failed. retry_at: when to try again, None to give up."""
    await tx.execute(
        "UPDATE outbox SET status = :status, attempts = attempts + 1, last_error = :reason,"
        " next_attempt_at = coalesce(:retry_at, next_attempt_at),"
        " body = CASE WHEN is_secret AND :status = 'failed' THEN '' ELSE body END"
        " WHERE account_id = :account_id AND id = :id",
        {
            "account_id": account_id,
            "id": id,
            "status": "waiting" if retry_at else "failed",
            "reason": reason,
            "retry_at": retry_at,
        },
    )


async def list_failed(db: Connection, account_id: int, limit: int) -> list[Failed]:
    """Letters that were given up and can be tried again, newest first. Index: outbox_by_account."""
    rows = await db.fetch_all(
        "SELECT id, recipient, subject, attempts, last_error, created_at FROM outbox"
        " WHERE account_id = :account_id AND status = 'failed' AND NOT is_secret"
        " ORDER BY id DESC LIMIT :limit",
        {"account_id": account_id, "limit": limit},
    )
    return [Failed(**row) for row in rows]


async def update_retried(tx: Transaction, account_id: int, id: str) -> None:
    """Let a letter that was given up wait to be sent, as if it were new. Raises: NotFound."""
    found = await tx.execute(
        "UPDATE outbox SET status = 'waiting', attempts = 0, next_attempt_at = :now"
        " WHERE account_id = :account_id AND id = :id AND status = 'failed' AND NOT is_secret",
        {"account_id": account_id, "id": id, "now": now()},
    )
    if not found:
        raise NotFound("letter that was given up", id)
