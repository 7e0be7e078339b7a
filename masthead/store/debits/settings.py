"""The settings of an account for direct debits."""

from msgspec import structs

from masthead.model.clock import now
from masthead.model.debits.settings import DebitSettings
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_one
from masthead.store.update_statement import upsert_row


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
    columns = structs.asdict(settings)
    await upsert_row(tx, account_id, "debit_settings", [], **columns, updated_at=now())
