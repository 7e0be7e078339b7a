"""The copies and claims of a run: it takes, marks, unmarks and releases them in one statement each.

A live run is named by `copy.dispatch_id` and `claim.dispatch_id`, so each is in one at most.
"""

from collections.abc import Collection
from datetime import date

from masthead.model.dispatch.runs import DispatchSelection
from masthead.store.copies import IS_FREE
from masthead.store.dispatch.candidates import (
    IS_CLAIMED_COPY_SENT,
    IS_SELECTED,
    JOIN_CHANGE,
    MUST_WAIT,
    candidate_parameters,
)
from masthead.store.engine.interface import Connection, Ids, Parameters, Transaction

_TAKE_COPIES = f"""
    UPDATE copy AS c
    SET dispatch_id = :id
    WHERE c.account_id = :account_id
      AND c.issue_number = :issue_number
      AND {IS_FREE}
      AND :takes_copies
      AND EXISTS (
          SELECT 1
          FROM subscription s
          {JOIN_CHANGE}
          WHERE s.account_id = :account_id
            AND s.id = c.subscription_id
            AND {IS_SELECTED}
            AND NOT {MUST_WAIT}
      )
"""  # noqa: S608 - the conditions are constants


async def take_copies(
    tx: Transaction, account_id: int, id: str, issue_number: int, selection: DispatchSelection
) -> int:
    """Put the free copies that a run selects into it; returns how many. Queries: one.

    Without those that wait: their subscription is held, or their address is on hold.
    """
    parameters = candidate_parameters(account_id, issue_number, selection)
    return await tx.execute(_TAKE_COPIES, {**parameters, "id": id})


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


async def unmark_copies(tx: Transaction, account_id: int, id: str, *, shipped: Ids) -> int:
    """Take back the marking of a run's copies; returns how many are no longer sent. Queries: one.

    shipped: the ids of copies that stay Sent.
    """
    # no join: with the statistics from before the freeze, PostgreSQL would choose a slow one
    return await tx.execute(
        """
        UPDATE copy
        SET status = 'Not sent', date_sent = NULL
        WHERE account_id = :account_id
          AND dispatch_id = :id
          AND (status = 'Sent') IS TRUE
          AND id NOT IN (:shipped... AS bigint)
        """,
        {"account_id": account_id, "id": id, "shipped": shipped},
    )


async def date_shipped_copies(tx: Transaction, account_id: int, id: str, *, shipped: Ids) -> None:
    """Let shipped copies of a run have the date of the carrier's report. Queries: one.

    shipped: the ids of the copies, which stay Sent when the marking is taken back.
    """
    await tx.execute(
        """
        UPDATE copy
        SET date_sent = (
            SELECT max(l.shipped_date)
            FROM dispatch_line l
            WHERE l.account_id = :account_id
              AND l.copy_id = copy.id
              AND (l.dispatch_id = :id) IS TRUE
              AND l.claim_id = ''
        )
        WHERE account_id = :account_id AND id IN (:shipped... AS bigint)
        """,
        {"account_id": account_id, "id": id, "shipped": shipped},
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


async def find_subscriptions(db: Connection, account_id: int, id: str) -> str | None:
    """The subscriptions with copies in a run, as JSON; None if there are none. Queries: one."""
    row = await db.fetch_one(
        """
        SELECT count(*) AS count, json_group_array(DISTINCT subscription_id) AS ids
        FROM copy
        WHERE account_id = :account_id AND dispatch_id = :id
        """,
        {"account_id": account_id, "id": id},
    )
    return str(row["ids"]) if row and row["count"] else None


_TAKE_CLAIMS = f"""
    UPDATE claim AS k
    SET dispatch_id = :id, status = 'held'
    WHERE k.account_id = :account_id
      AND k.issue_number = :issue_number
      AND k.status = 'open'
      AND (:all_claims OR k.id IN (:claims...))
      AND {IS_CLAIMED_COPY_SENT}
      AND EXISTS (
          SELECT 1
          FROM subscription s
          {JOIN_CHANGE}
          WHERE s.account_id = :account_id
            AND s.id = k.subscription_id
            AND {IS_SELECTED}
            AND NOT {MUST_WAIT}
      )
    RETURNING id
"""  # noqa: S608 - the conditions are constants


async def take_claims(
    tx: Transaction,
    account_id: int,
    id: str,
    issue_number: int,
    selection: DispatchSelection,
    *,
    only: Collection[str] | None = None,
) -> list[str]:
    """Put the open claims that a run selects into it; returns their ids. Queries: one.

    only: the ids of those that it may take; None for all.

    The replacement goes to the address for its issue, unless that is on hold. A claim
    whose copy is not sent after all waits: the copy itself goes out.
    """
    parameters = candidate_parameters(account_id, issue_number, selection)
    chosen = {"all_claims": only is None, "claims": list(only or ())}
    return await _changed_claims(tx, _TAKE_CLAIMS, {**parameters, **chosen, "id": id})


async def _changed_claims(tx: Transaction, sql: str, parameters: Parameters) -> list[str]:
    """The ids that an UPDATE of claims returns, lowest first."""
    return sorted(row["id"] for row in await tx.fetch_all(sql, parameters))


async def mark_claims(tx: Transaction, account_id: int, id: str, sent_on: date | None) -> list[str]:
    """Mark the replacements of a run as sent; returns the ids of their claims. Queries: one."""
    return await _changed_claims(
        tx,
        """
        UPDATE claim
        SET status = 'sent', date_sent = :sent_on
        WHERE account_id = :account_id AND dispatch_id = :id AND status = 'held'
        RETURNING id
        """,
        {"account_id": account_id, "id": id, "sent_on": sent_on},
    )


async def unmark_claims(tx: Transaction, account_id: int, id: str) -> list[str]:
    """Take back the marking of a run's replacements, except those that were shipped.

    Returns the ids of their claims.
    """
    return await _changed_claims(
        tx,
        """
        UPDATE claim
        SET status = 'held', date_sent = NULL
        WHERE account_id = :account_id
          AND dispatch_id = :id
          AND status = 'sent'
          AND NOT EXISTS (
              SELECT 1
              FROM dispatch_line l
              WHERE l.account_id = :account_id
                AND l.copy_id = claim.copy_id
                AND (l.dispatch_id = claim.dispatch_id) IS TRUE
                AND l.claim_id = claim.id
                AND l.shipped_date IS NOT NULL
          )
        RETURNING id
        """,
        {"account_id": account_id, "id": id},
    )


async def release_claims(tx: Transaction, account_id: int, id: str) -> list[str]:
    """Free the claims of a run for the next one; returns their ids. Queries: one."""
    return await _changed_claims(
        tx,
        """
        UPDATE claim
        SET dispatch_id = NULL, status = 'open'
        WHERE account_id = :account_id AND dispatch_id = :id AND status = 'held'
        RETURNING id
        """,
        {"account_id": account_id, "id": id},
    )
