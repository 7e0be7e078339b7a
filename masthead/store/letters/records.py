"""Renewal letters and the batches in which they are written.

The email of a letter is the row of the outbox with the same id.
"""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct, structs

from masthead.model.clock import account_now
from masthead.model.letters.outcomes import LetterChannel, LetterStatus, SkipReason
from masthead.model.renewals.lapsed import RenewalStage
from masthead.model.types.full_names import Named
from masthead.store.engine.interface import Connection, Row, Transaction
from masthead.store.engine.rows import fetch_all, get_one, insert_row
from masthead.store.update_statement import update_row


class LetterBatch(Struct, frozen=True, kw_only=True):
    """The letters of a stage that were written at once. letters: how many there are.

    issue_number: of the current issue at that moment. stopped: how many letters were stopped at
    `stopped_at`; those that were written again later are not in `letters` any more. round_id: the
    first batch of its round; None if it is that itself.
    """

    id: str
    stage: RenewalStage
    channel: LetterChannel
    issue_number: int
    letters: int
    created_at: datetime
    actor_kind: str
    actor_id: str
    stopped_at: datetime | None = None
    stopped: int = 0
    round_id: str | None = None


class WrittenLetter(Named, frozen=True, kw_only=True):
    """A letter, as lists show it. error: of the last attempt to send it. attempts: failed ones."""

    id: str
    batch_id: str
    stage: RenewalStage
    channel: LetterChannel
    status: LetterStatus
    reason: SkipReason | None
    subscriber_id: str
    subscription_id: str
    created_at: datetime
    ended_at: datetime | None
    attempts: int
    error: str | None


BATCH = """
    SELECT
        id,
        stage,
        channel,
        issue_number,
        letters,
        created_at,
        actor_kind,
        actor_id,
        stopped_at,
        stopped,
        round_id
    FROM letter_batch
    WHERE account_id = :account_id
"""
LETTER = """
    SELECT
        l.id,
        l.batch_id,
        l.stage,
        l.channel,
        l.status,
        l.reason,
        l.subscriber_id,
        l.subscription_id,
        u.first_name,
        u.last_name,
        u.company,
        u.email,
        l.created_at,
        l.ended_at,
        coalesce(o.attempts, 0) AS attempts,
        o.last_error AS error
    FROM renewal_letter l
    JOIN subscriber u ON u.account_id = l.account_id AND u.id = l.subscriber_id
    LEFT JOIN outbox o ON o.account_id = l.account_id AND o.id = l.id
    WHERE l.account_id = :account_id
"""
_OF_SUBSCRIBER = """
      AND l.subscriber_id IN (
          SELECT u.id
          FROM subscriber u
          WHERE u.account_id = :account_id
            AND (u.id = :subscriber_id OR u.merged_into = :subscriber_id)
      )
    ORDER BY l.id DESC
    LIMIT :limit
"""


async def insert_batch(tx: Transaction, account_id: int, batch: LetterBatch) -> None:
    """Add a batch."""
    await insert_row(tx, "letter_batch", account_id=account_id, **structs.asdict(batch))


async def insert_letters(tx: Transaction, account_id: int, rows: Sequence[Row]) -> None:
    """Add letters by column name. Queries: one, for any number of rows."""
    await tx.insert_rows("renewal_letter", [{"account_id": account_id, **row} for row in rows])


async def list_batches(db: Connection, account_id: int, limit: int) -> list[LetterBatch]:
    """The newest batches. Queries: one."""
    return await fetch_all(
        db,
        BATCH + "ORDER BY id DESC LIMIT :limit",
        {"account_id": account_id, "limit": limit},
        into=LetterBatch,
    )


async def get_batch(db: Connection, account_id: int, id: str) -> LetterBatch:
    """A batch by id. Raises: NotFound."""
    return await get_one(
        db, account_id, id, BATCH + "AND id = :id", into=LetterBatch, noun="batch of letters"
    )


async def count_statuses(
    db: Connection, account_id: int, batch_id: str
) -> dict[tuple[LetterStatus, SkipReason | None], int]:
    """The number of letters of a batch by status and reason. Queries: one.

    Index: renewal_letter_by_batch. Takes 1 µs for each letter: read aside.
    """
    rows = await db.fetch_all(
        """
        SELECT status, reason, count(*) AS count
        FROM renewal_letter
        WHERE account_id = :account_id AND batch_id = :batch_id
        GROUP BY status, reason
        """,
        {"account_id": account_id, "batch_id": batch_id},
    )
    return {
        (LetterStatus(row["status"]), SkipReason(row["reason"]) if row["reason"] else None): row[
            "count"
        ]
        for row in rows
    }


async def list_letters(
    db: Connection, account_id: int, batch_id: str, *, after: str, limit: int
) -> list[WrittenLetter]:
    """The letters of a batch after an id, in the order in which they go out. Queries: one."""
    return await fetch_all(
        db,
        LETTER + "AND l.batch_id = :batch_id AND l.id > :after ORDER BY l.id LIMIT :limit",
        {"account_id": account_id, "batch_id": batch_id, "after": after, "limit": limit},
        into=WrittenLetter,
    )


async def list_failed(
    db: Connection, account_id: int, batch_id: str, *, limit: int
) -> list[WrittenLetter]:
    """The first letters of a batch that could not be sent. Queries: one."""
    return await fetch_all(
        db,
        LETTER + "AND l.batch_id = :batch_id AND l.status = 'failed' ORDER BY l.id LIMIT :limit",
        {"account_id": account_id, "batch_id": batch_id, "limit": limit},
        into=WrittenLetter,
    )


async def list_of_subscriber(
    db: Connection, account_id: int, subscriber_id: str, limit: int
) -> list[WrittenLetter]:
    """The newest letters to a subscriber, and to subscribers merged into them. Queries: one.

    Index: renewal_letter_by_subscriber.
    """
    return await fetch_all(
        db,
        LETTER + _OF_SUBSCRIBER,
        {"account_id": account_id, "subscriber_id": subscriber_id, "limit": limit},
        into=WrittenLetter,
    )


async def update_status(
    tx: Transaction,
    account_id: int,
    id: str,
    status: LetterStatus,
    reason: SkipReason | None = None,
) -> None:
    """Store what became of a letter; does nothing if the id is not that of a letter.

    reason: why it was skipped.
    """
    is_open = status in (LetterStatus.QUEUED, LetterStatus.TO_PRINT)
    await update_row(
        tx,
        account_id,
        "renewal_letter",
        id,
        status=status,
        reason=reason,
        ended_at=None if is_open else account_now(),
    )
