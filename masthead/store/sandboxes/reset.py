"""Delete what a sandbox has, but not its settings, users and keys."""

from datetime import date

from masthead.model.exports.contents import SETTINGS
from masthead.store.account_deletion import TABLES, delete_search_index
from masthead.store.engine.interface import Transaction

# Settings, and what connects programs: a reset keeps them
KEPT = frozenset(exported.table for exported in SETTINGS).union(
    "account_state api_key audit sandbox self_service source webhook".split()
)


async def delete_records(tx: Transaction, account_id: int) -> None:
    """Delete the records of a sandbox, and what was stored about them."""
    await delete_search_index(tx, account_id)
    for table in TABLES:
        if table not in KEPT:
            await tx.execute(
                f"DELETE FROM {table} WHERE account_id = :account_id",  # noqa: S608 - constants
                {"account_id": account_id},
            )


async def begin_again(tx: Transaction, account_id: int, first_date: date) -> None:
    """Set the clock to its first day, and number copies and periods from the beginning.

    Events and audit entries are numbered on, so that programs and pages see the newest ones.
    """
    values = {"account_id": account_id, "day": first_date}
    await tx.execute(
        """
        UPDATE account_state
        SET last_copy = 0,
            last_period = 0,
            last_line = 0,
            owed_copies = 0,
            owed_date = NULL,
            trend_at = NULL,
            trend_date = NULL,
            trend_writes = -1,
            daily_date = :day
        WHERE account_id = :account_id
        """,
        values,
    )
    await tx.execute(
        """
        UPDATE sandbox
        SET done_date = :day, goal_date = :day
        WHERE account_id = :account_id
        """,
        values,
    )
