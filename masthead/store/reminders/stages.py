"""The stages of reminders, and the settings of an account for them."""

from msgspec import structs

from masthead.model.clock import now
from masthead.model.reminders.stages import ReminderSettings, ReminderStage
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all, fetch_one
from masthead.store.update_statement import upsert_row

_NAMES = ReminderStage.__struct_fields__


async def list_stages(db: Connection, account_id: int) -> list[ReminderStage]:
    """The stages, in their order; empty if the account reminds nobody. Queries: one."""
    return await fetch_all(
        db,
        f"""
        SELECT {", ".join(_NAMES)}
        FROM reminder_stage
        WHERE account_id = :account_id
        ORDER BY stage
        """,  # noqa: S608 - names of columns
        {"account_id": account_id},
        into=ReminderStage,
    )


async def save_stage(tx: Transaction, account_id: int, stage: ReminderStage) -> None:
    """Add a stage, or replace the one in its place. Queries: one."""
    columns = structs.asdict(stage)
    await upsert_row(tx, account_id, "reminder_stage", ["stage"], **columns, updated_at=now())


async def delete_stage(tx: Transaction, account_id: int, stage: int) -> None:
    """Delete a stage. Queries: one."""
    await tx.execute(
        "DELETE FROM reminder_stage WHERE account_id = :account_id AND stage = :stage",
        {"account_id": account_id, "stage": stage},
    )


async def get_settings(db: Connection, account_id: int) -> ReminderSettings:
    """The settings; those of a new account if nothing was saved. Queries: one."""
    found = await fetch_one(
        db,
        """
        SELECT least_amount, hold_stage
        FROM reminder_setting
        WHERE account_id = :account_id
        """,
        {"account_id": account_id},
        into=ReminderSettings,
    )
    return found or ReminderSettings()


async def save_settings(tx: Transaction, account_id: int, settings: ReminderSettings) -> None:
    """Store the settings. Queries: one."""
    columns = structs.asdict(settings)
    await upsert_row(tx, account_id, "reminder_setting", [], **columns, updated_at=now())
