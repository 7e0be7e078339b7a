"""The issues of planned changes, and the parts of those for good around those for some issues."""

from collections.abc import Sequence

from masthead.model.addresses.changes import AddressChange
from masthead.store.addresses.changes import insert_changes
from masthead.store.engine.interface import Transaction


async def replace_parts(
    tx: Transaction,
    account_id: int,
    *,
    last: Sequence[AddressChange],
    before: Sequence[AddressChange],
) -> None:
    """Store the parts of planned changes for good. before: the parts before the `last` ones.

    Queries: three, for any number of changes.
    """
    await tx.execute_many(
        """
        DELETE FROM address_change
        WHERE account_id = :account_id
          AND subscription_id = :subscription_id
          AND group_id = :group_id
          AND move_first_issue IS NOT NULL
          AND last_issue IS NOT NULL
        """,
        [
            {
                "account_id": account_id,
                "subscription_id": each.subscription_id,
                "group_id": each.group_id,
            }
            for each in last
        ],
    )
    await update_issues(tx, account_id, last)
    await insert_changes(tx, account_id, before)


async def update_issues(tx: Transaction, account_id: int, changes: Sequence[AddressChange]) -> None:
    """Store the issues of planned changes, and of what they are the last part. Queries: one."""
    await tx.execute_many(
        """
        UPDATE address_change
        SET
            first_issue = :first_issue,
            last_issue = :last_issue,
            move_first_issue = :move_first_issue
        WHERE account_id = :account_id AND id = :id
        """,
        [
            {
                "account_id": account_id,
                "id": each.id,
                "first_issue": each.first_issue,
                "last_issue": each.last_issue,
                "move_first_issue": each.move_first_issue,
            }
            for each in changes
        ],
    )
