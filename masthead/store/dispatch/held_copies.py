"""The copies of a run: a run takes, marks, unmarks and releases them, all in one statement each.

A live run is named by `copy.dispatch_id`, so a copy is in one at most.
"""

from datetime import date

from masthead.model.dispatch.runs import DispatchSelection
from masthead.store.dispatch.candidates import IS_ON_HOLD, IS_SELECTED, candidate_parameters
from masthead.store.engine.interface import Connection, Transaction

_TAKE = f"""
    UPDATE copy
    SET dispatch_id = :id
    WHERE account_id = :account_id
      AND issue_number = :issue_number
      AND status = 'Not sent'
      AND dispatch_id IS NULL
      AND :takes_copies
      AND EXISTS (
          SELECT 1
          FROM subscription s
          WHERE s.account_id = copy.account_id
            AND s.id = copy.subscription_id
            AND {IS_SELECTED}
            AND NOT {IS_ON_HOLD}
      )
"""  # noqa: S608 - the conditions are constants


async def take_copies(
    tx: Transaction, account_id: int, id: str, issue_number: int, selection: DispatchSelection
) -> int:
    """Let a run hold the free copies that it selects; returns how many. Queries: one.

    A copy is free if it is not sent, no live run holds it and its address is not on hold.
    """
    parameters = candidate_parameters(account_id, issue_number, selection)
    return await tx.execute(_TAKE, {**parameters, "id": id})


async def mark_copies(tx: Transaction, account_id: int, id: str, sent_on: date | None) -> int:
    """Mark the unsent copies of a run as sent; returns how many. Queries: one."""
    return await tx.execute(
        """
        UPDATE copy
        SET status = 'Sent', date_sent = :sent_on
        WHERE account_id = :account_id
          AND dispatch_id = :id
          AND status NOT IN ('Sent', 'Cancelled')
        """,
        {"account_id": account_id, "id": id, "sent_on": sent_on},
    )


async def unmark_copies(tx: Transaction, account_id: int, id: str) -> int:
    """Take back the marking of a run's copies; returns how many are no longer sent. Queries: one.

    A copy of a subscription that was cancelled meanwhile becomes Cancelled. A copy that the carrier
    reported as shipped stays Sent.
    """
    return await tx.execute(
        """
        UPDATE copy
        SET
            date_sent = NULL,
            status = CASE
                WHEN EXISTS (
                    SELECT 1
                    FROM subscription s
                    WHERE s.account_id = copy.account_id
                      AND s.id = copy.subscription_id
                      AND s.status = 'Cancelled'
                ) THEN 'Cancelled'
                ELSE 'Not sent'
            END
        WHERE account_id = :account_id
          AND dispatch_id = :id
          AND status = 'Sent'
          AND NOT EXISTS (
              SELECT 1
              FROM dispatch_line l
              WHERE l.account_id = copy.account_id
                AND l.copy_id = copy.id
                AND l.dispatch_id = copy.dispatch_id
                AND l.claim_id = ''
                AND l.shipped_date IS NOT NULL
          )
        """,
        {"account_id": account_id, "id": id},
    )


async def release_copies(tx: Transaction, account_id: int, id: str) -> None:
    """Free the copies of a run that are not sent. Queries: one."""
    await tx.execute(
        """
        UPDATE copy
        SET dispatch_id = NULL
        WHERE account_id = :account_id AND dispatch_id = :id AND status <> 'Sent'
        """,
        {"account_id": account_id, "id": id},
    )


async def release_cancelled(tx: Transaction, account_id: int, id: str) -> None:
    """Free the copies of a run that are cancelled. Queries: one."""
    await tx.execute(
        """
        UPDATE copy
        SET dispatch_id = NULL
        WHERE account_id = :account_id AND dispatch_id = :id AND status = 'Cancelled'
        """,
        {"account_id": account_id, "id": id},
    )


async def find_subscriptions(db: Connection, account_id: int, id: str) -> str | None:
    """The subscriptions whose copies a run holds, as JSON; None if there are none. Queries: one."""
    row = await db.fetch_one(
        """
        SELECT count(*) AS count, json_group_array(DISTINCT subscription_id) AS ids
        FROM copy
        WHERE account_id = :account_id AND dispatch_id = :id
        """,
        {"account_id": account_id, "id": id},
    )
    return str(row["ids"]) if row and row["count"] else None
