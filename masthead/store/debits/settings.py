"""The settings of an account for direct debits."""

from msgspec import structs

from masthead.model.clock import now
from masthead.model.debits.settings import DebitSettings
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_one


async def find_settings(db: Connection, account_id: int) -> DebitSettings | None:
    """The settings; None if the account collects nothing. Queries: one."""
    return await fetch_one(
        db,
        """
        SELECT
            creditor_id,
            notice_days,
            coalesce(marks_first, FALSE) AS marks_first,
            coalesce(charges_bank_fee, FALSE) AS charges_bank_fee
        FROM debit_settings
        WHERE account_id = :account_id
        """,
        {"account_id": account_id},
        into=DebitSettings,
    )


async def save_settings(tx: Transaction, account_id: int, settings: DebitSettings) -> None:
    """Store the settings. Queries: one."""
    await tx.execute(
        """
        INSERT INTO debit_settings (
            account_id, creditor_id, notice_days, marks_first, charges_bank_fee, updated_at
        )
        VALUES (
            :account_id, :creditor_id, :notice_days, :marks_first, :charges_bank_fee, :moment
        )
        ON CONFLICT (account_id) DO UPDATE
        SET creditor_id = excluded.creditor_id,
            notice_days = excluded.notice_days,
            marks_first = excluded.marks_first,
            charges_bank_fee = excluded.charges_bank_fee,
            updated_at = excluded.updated_at
        """,
        {
            **structs.asdict(settings),
            "account_id": account_id,
            "moment": now(),
        },
    )
