"""The claims that a run answers with replacements: it takes, marks, unmarks and releases them.

A live run is named by `claim.dispatch_id`, so a claim is in one at most.
"""

from datetime import date

from masthead.model.dispatch.runs import DispatchSelection
from masthead.store.dispatch.candidates import (
    IS_CLAIMED_COPY_SENT,
    IS_ON_HOLD,
    IS_SELECTED,
    candidate_parameters,
)
from masthead.store.engine.interface import Transaction

_TAKE = f"""
    UPDATE claim AS k
    SET dispatch_id = :id, status = 'held'
    WHERE k.account_id = :account_id
      AND k.issue_number = :issue_number
      AND k.status = 'open'
      AND {IS_CLAIMED_COPY_SENT}
      AND EXISTS (
          SELECT 1
          FROM subscription s
          WHERE s.account_id = k.account_id
            AND s.id = k.subscription_id
            AND {IS_SELECTED}
            AND NOT {IS_ON_HOLD}
      )
"""  # noqa: S608 - the conditions are constants


async def take_claims(
    tx: Transaction, account_id: int, id: str, issue_number: int, selection: DispatchSelection
) -> int:
    """Let a run hold the open claims of its issue that it selects; returns how many. Queries: one.

    The replacement goes to the current address of the subscription, unless that is on hold. A claim
    whose copy is not sent after all waits: the copy itself goes out.
    """
    parameters = candidate_parameters(account_id, issue_number, selection)
    return await tx.execute(_TAKE, {**parameters, "id": id})


async def mark_claims(tx: Transaction, account_id: int, id: str, sent_on: date | None) -> None:
    """Mark the replacements of a run as sent. Queries: one."""
    await tx.execute(
        """
        UPDATE claim
        SET status = 'sent', date_sent = :sent_on
        WHERE account_id = :account_id AND dispatch_id = :id AND status = 'held'
        """,
        {"account_id": account_id, "id": id, "sent_on": sent_on},
    )


async def unmark_claims(tx: Transaction, account_id: int, id: str) -> None:
    """Take back the marking of a run's replacements, except those that were shipped."""
    await tx.execute(
        """
        UPDATE claim
        SET status = 'held', date_sent = NULL
        WHERE account_id = :account_id
          AND dispatch_id = :id
          AND status = 'sent'
          AND NOT EXISTS (
              SELECT 1
              FROM dispatch_line l
              WHERE l.account_id = claim.account_id
                AND l.copy_id = claim.copy_id
                AND l.dispatch_id = claim.dispatch_id
                AND l.claim_id = claim.id
                AND l.shipped_date IS NOT NULL
          )
        """,
        {"account_id": account_id, "id": id},
    )


async def release_claims(tx: Transaction, account_id: int, id: str) -> None:
    """Free the claims of a run, so that the next run takes them. Queries: one."""
    await tx.execute(
        """
        UPDATE claim
        SET dispatch_id = NULL, status = 'open'
        WHERE account_id = :account_id AND dispatch_id = :id AND status = 'held'
        """,
        {"account_id": account_id, "id": id},
    )
