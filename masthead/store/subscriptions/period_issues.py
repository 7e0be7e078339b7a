"""The issues of periods: shift them, or change how many there are."""

from masthead.store.engine.interface import Transaction


async def shift_periods(tx: Transaction, account_id: int, id: str, by: int) -> None:
    """Let all periods of a subscription start and end later, or earlier. Queries: one.

    by: how many issues later; negative for earlier.
    """
    await tx.execute(
        """
        UPDATE period
        SET first_issue = first_issue + :by, last_issue = last_issue + :by
        WHERE account_id = :account_id AND subscription_id = :subscription
        """,
        {"account_id": account_id, "subscription": id, "by": by},
    )


async def update_length(tx: Transaction, account_id: int, period_id: int, length: int) -> None:
    """Set how many issues a period has; it starts as before. Queries: one."""
    await tx.execute(
        """
        UPDATE period
        SET length = :length, last_issue = first_issue + :length - 1
        WHERE account_id = :account_id AND id = :period
        """,
        {"account_id": account_id, "period": period_id, "length": length},
    )
