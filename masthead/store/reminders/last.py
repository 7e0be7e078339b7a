"""The last reminder of each invoice, of those that went out or still wait."""

from collections.abc import Collection

from masthead.store.engine.interface import Transaction

_LAST = """
        FROM reminder_item t
        JOIN reminder r ON r.account_id = t.account_id AND r.id = t.reminder_id
        WHERE t.account_id = :account_id
          AND t.invoice_id = invoice.id
          AND t.stage > 0
          AND r.status <> 'skipped'
"""
_UPDATE = f"""
    UPDATE invoice
    SET reminder_stage = coalesce((SELECT max(t.stage) {_LAST}), 0),
        reminded_date = (SELECT max(r.reminded_date) {_LAST})
    WHERE account_id = :account_id
      AND id IN (
          SELECT n.invoice_id
          FROM reminder_item n
          WHERE n.account_id = :account_id AND n.stage > 0
"""  # noqa: S608 - a constant


async def update_last(tx: Transaction, account_id: int, reminder_ids: Collection[str]) -> None:
    """Store the stage and the day of the last reminder with each invoice of some reminders.

    Queries: one. Index: reminder_item_by_invoice.
    """
    await tx.execute(
        _UPDATE + "AND n.reminder_id IN (:ids...))",
        {"account_id": account_id, "ids": list(reminder_ids)},
    )


async def update_all_last(tx: Transaction, account_id: int) -> None:
    """Store the stage and the day of the last reminder with each invoice. Queries: one."""
    await tx.execute(_UPDATE + ")", {"account_id": account_id})
