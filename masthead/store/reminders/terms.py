"""What was agreed about reminders: of an invoice, and with a payer."""

from datetime import date, datetime

from msgspec import Struct, structs

from masthead.model.clock import now
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_one
from masthead.store.update_statement import upsert_row


class ReminderTerm(Struct, frozen=True, kw_only=True):
    """What was agreed about an invoice. promised_date: until when the payer has promised to pay.

    is_stopped: no reminders of it; is_disputed: because the payer disputes it. reason: why.
    """

    promised_date: date | None = None
    is_stopped: bool = False
    is_disputed: bool = False
    reason: str = ""


class PayerStop(Struct, frozen=True):
    """Since when a payer gets no reminders, and why."""

    since: datetime
    reason: str


async def get_term(db: Connection, account_id: int, invoice_id: str) -> ReminderTerm:
    """What was agreed about an invoice; nothing by default. Queries: one."""
    found = await fetch_one(
        db,
        """
        SELECT promised_date, is_stopped, is_disputed, reason
        FROM reminder_term
        WHERE account_id = :account_id AND invoice_id = :invoice_id
        """,
        {"account_id": account_id, "invoice_id": invoice_id},
        into=ReminderTerm,
    )
    return found or ReminderTerm()


async def save_term(tx: Transaction, account_id: int, invoice_id: str, term: ReminderTerm) -> None:
    """Store what was agreed about an invoice. Queries: one."""
    columns = {**structs.asdict(term), "invoice_id": invoice_id, "updated_at": now()}
    await upsert_row(tx, account_id, "reminder_term", ["invoice_id"], **columns)


async def find_stop(db: Connection, account_id: int, payer_id: str) -> PayerStop | None:
    """Why a payer, or one merged into them, gets no reminders; None if they do. Queries: one."""
    row = await db.fetch_one(
        """
        SELECT y.reminders_stopped_at AS since_at, y.reminders_stop_reason AS reason
        FROM subscriber u
        JOIN payer y ON y.account_id = u.account_id AND y.subscriber_id = u.id
        WHERE u.account_id = :account_id
          AND (u.id = :payer_id OR u.merged_into = :payer_id)
          AND y.reminders_stopped_at IS NOT NULL
        ORDER BY y.reminders_stopped_at
        LIMIT 1
        """,
        {"account_id": account_id, "payer_id": payer_id},
    )
    return PayerStop(row["since_at"], row["reason"] or "") if row else None


async def update_stop(tx: Transaction, account_id: int, payer_id: str, reason: str | None) -> None:
    """Stop reminders to a payer and those merged into them, or allow them again. Queries: one.

    reason: None to allow them.
    """
    await tx.execute(
        """
        UPDATE payer
        SET reminders_stopped_at = :moment, reminders_stop_reason = :reason
        WHERE account_id = :account_id
          AND subscriber_id IN (
              SELECT u.id
              FROM subscriber u
              WHERE u.account_id = :account_id AND (u.id = :payer_id OR u.merged_into = :payer_id)
          )
        """,
        {
            "account_id": account_id,
            "payer_id": payer_id,
            "moment": None if reason is None else now(),
            "reason": reason,
        },
    )
