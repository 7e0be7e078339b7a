"""Reminders, their invoices, and the rounds in which they are written.

The email of a reminder is the row of the outbox with its id.
"""

from collections.abc import Collection, Sequence
from datetime import date, datetime

from msgspec import Struct, structs

from masthead.model.letters.outcomes import LetterChannel, LetterStatus
from masthead.model.reminders.outcomes import ReminderSkip
from masthead.model.types.full_names import Named
from masthead.store.engine.interface import Connection, Row, Transaction
from masthead.store.engine.rows import fetch_all, get_one, insert_row
from masthead.store.reminders import last


class ReminderRound(Struct, frozen=True, kw_only=True):
    """The reminders of a stage that were written at once. name: of the stage. letters: how many.

    stopped: how many were stopped at `stopped_at`.
    """

    id: str
    stage: int
    name: str
    letters: int
    created_at: datetime
    actor_kind: str
    actor_id: str
    stopped_at: datetime | None = None
    stopped: int = 0


class StoredReminder(Struct, frozen=True, kw_only=True):
    """A reminder as it was written. total: what it asked for. fee_id: of its fee.

    locale: that it is in; None for that of the account.
    """

    id: str
    round_id: str
    payer_id: str
    stage: int
    reminded_date: date
    channel: LetterChannel
    status: LetterStatus
    reason: ReminderSkip | None
    currency: str
    total: int
    fee_id: str | None
    encloses_invoices: bool
    subject: str
    body: str
    address: str
    locale: str | None = None
    created_at: datetime
    ended_at: datetime | None


class StoredItem(Struct, frozen=True, kw_only=True):
    """An invoice of a reminder. open_amount: when it was written."""

    reminder_id: str
    invoice_id: str
    number: str
    stage: int
    due_date: date
    open_amount: int


class ListedReminder(Named, frozen=True, kw_only=True):
    """A reminder in a list. stage_name: of its round. error: why its email failed.

    fee_id: of the document of its fee. open_fee: what is still to pay of it.
    """

    id: str
    round_id: str
    payer_id: str
    stage: int
    stage_name: str
    reminded_date: date
    channel: LetterChannel
    status: LetterStatus
    reason: ReminderSkip | None
    currency: str
    total: int
    fee: int
    fee_id: str | None
    open_fee: int
    error: str | None


_ROUND = """
    SELECT id, stage, name, letters, created_at, actor_kind, actor_id, stopped_at, stopped
    FROM reminder_round
    WHERE account_id = :account_id
"""
_REMINDER = f"""
    SELECT {", ".join(StoredReminder.__struct_fields__)}
    FROM reminder
    WHERE account_id = :account_id
"""  # noqa: S608 - names of columns
_LISTED = """
    SELECT
        r.id,
        r.round_id,
        r.payer_id,
        r.stage,
        o.name AS stage_name,
        r.reminded_date,
        r.channel,
        r.status,
        r.reason,
        r.currency,
        r.total,
        coalesce(f.total, 0) AS fee,
        r.fee_id,
        coalesce(f.open_amount, 0) AS open_fee,
        u.first_name,
        u.last_name,
        u.company,
        u.email,
        m.last_error AS error
    FROM reminder r
    JOIN reminder_round o ON o.account_id = r.account_id AND o.id = r.round_id
    JOIN subscriber u ON u.account_id = r.account_id AND u.id = r.payer_id
    LEFT JOIN invoice f ON f.account_id = r.account_id AND f.id = r.fee_id
    LEFT JOIN outbox m ON m.account_id = r.account_id AND m.id = r.id
    WHERE r.account_id = :account_id
"""

_OF_PAYER = """
      AND r.payer_id IN (
          SELECT g.id
          FROM subscriber g
          WHERE g.account_id = :account_id AND (g.id = :payer_id OR g.merged_into = :payer_id)
      )
    ORDER BY r.id DESC
    LIMIT :limit
"""
_OF_INVOICE = """
      AND r.id IN (
          SELECT t.reminder_id
          FROM reminder_item t
          WHERE t.account_id = :account_id AND t.invoice_id = :invoice_id
          UNION ALL
          SELECT c.id
          FROM reminder c
          WHERE c.account_id = :account_id AND c.fee_id = :invoice_id
      )
    ORDER BY r.id DESC
"""


async def insert_round(tx: Transaction, account_id: int, made: ReminderRound) -> None:
    """Add a round. Queries: one."""
    await insert_row(tx, "reminder_round", account_id=account_id, **structs.asdict(made))


async def insert_reminders(
    tx: Transaction, account_id: int, reminders: Sequence[StoredReminder], items: Sequence[Row]
) -> None:
    """Add reminders with their invoices, of which they are the last ones now. Queries: three."""
    await tx.insert_rows(
        "reminder", [{"account_id": account_id, **structs.asdict(each)} for each in reminders]
    )
    await tx.insert_rows("reminder_item", [{"account_id": account_id, **each} for each in items])
    await last.update_last(tx, account_id, [each.id for each in reminders])


async def list_rounds(db: Connection, account_id: int, limit: int) -> list[ReminderRound]:
    """The newest rounds. Queries: one."""
    return await fetch_all(
        db,
        _ROUND + "ORDER BY id DESC LIMIT :limit",
        {"account_id": account_id, "limit": limit},
        into=ReminderRound,
    )


async def get_round(db: Connection, account_id: int, id: str) -> ReminderRound:
    """A round. Queries: one. Raises: NotFound."""
    return await get_one(
        db, account_id, id, _ROUND + "AND id = :id", into=ReminderRound, noun="round of reminders"
    )


async def list_of_round(db: Connection, account_id: int, round_id: str) -> list[ListedReminder]:
    """The reminders of a round, at most 500. Index: reminder_by_round. Queries: one."""
    return await fetch_all(
        db,
        _LISTED + "AND r.round_id = :round_id ORDER BY r.id",
        {"account_id": account_id, "round_id": round_id},
        into=ListedReminder,
    )


async def list_of_payer(
    db: Connection, account_id: int, payer_id: str, limit: int
) -> list[ListedReminder]:
    """The newest reminders to a payer, and to those merged into them. Index: reminder_by_payer."""
    return await fetch_all(
        db,
        _LISTED + _OF_PAYER,
        {"account_id": account_id, "payer_id": payer_id, "limit": limit},
        into=ListedReminder,
    )


async def list_of_invoice(db: Connection, account_id: int, invoice_id: str) -> list[ListedReminder]:
    """The reminders that list an invoice, or whose fee it is, newest first.

    Indexes: reminder_item_by_invoice, reminder_by_fee. Queries: one.
    """
    return await fetch_all(
        db,
        _LISTED + _OF_INVOICE,
        {"account_id": account_id, "invoice_id": invoice_id},
        into=ListedReminder,
    )


async def get_reminder(db: Connection, account_id: int, id: str) -> StoredReminder:
    """A reminder. Queries: one. Raises: NotFound."""
    return await get_one(
        db, account_id, id, _REMINDER + "AND id = :id", into=StoredReminder, noun="reminder"
    )


async def find_reminders(
    db: Connection, account_id: int, ids: Collection[str]
) -> list[StoredReminder]:
    """The reminders with some ids, oldest first. Queries: one."""
    return await fetch_all(
        db,
        _REMINDER + "AND id IN (:ids...) ORDER BY id",
        {"account_id": account_id, "ids": list(ids)},
        into=StoredReminder,
    )


async def list_with_status(
    db: Connection, account_id: int, round_id: str, statuses: Collection[LetterStatus]
) -> list[StoredReminder]:
    """The reminders of a round with some statuses. Index: reminder_by_round. Queries: one."""
    return await fetch_all(
        db,
        _REMINDER + "AND round_id = :round_id AND status IN (:statuses...) ORDER BY id",
        {
            "account_id": account_id,
            "round_id": round_id,
            "statuses": [each.value for each in statuses],
        },
        into=StoredReminder,
    )


async def list_waiting_of(
    db: Connection, account_id: int, payer_ids: Collection[str]
) -> list[StoredReminder]:
    """The reminders to payers that have not gone out. Index: reminder_by_payer. Queries: one."""
    return await fetch_all(
        db,
        _REMINDER
        + " AND payer_id IN (:ids...) AND status IN ('queued', 'to_print', 'failed') ORDER BY id",
        {"account_id": account_id, "ids": list(payer_ids)},
        into=StoredReminder,
    )


async def list_items(
    db: Connection, account_id: int, reminder_ids: Collection[str]
) -> list[StoredItem]:
    """The invoices of some reminders, in the order in which they are listed. Queries: one."""
    return await fetch_all(
        db,
        """
        SELECT
            t.reminder_id,
            t.invoice_id,
            i.number,
            t.stage,
            t.due_date,
            t.open_amount
        FROM reminder_item t
        JOIN invoice i ON i.account_id = t.account_id AND i.id = t.invoice_id
        WHERE t.account_id = :account_id AND t.reminder_id IN (:ids...)
        ORDER BY t.reminder_id, t.due_date, t.invoice_id
        """,
        {"account_id": account_id, "ids": list(reminder_ids)},
        into=StoredItem,
    )
