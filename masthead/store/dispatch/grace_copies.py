"""Grace copies: the issues after the last paid one, which a mailing takes along.

A grace copy exists from the moment on at which a run takes it. Its id is one that no copy has. If
the subscription is renewed, the copy of the issue gets that id and its place in the run, so that
the issue does not go out twice.
"""

from collections.abc import Collection, Sequence
from datetime import date

from msgspec import Struct

from masthead.model.dispatch.runs import DispatchSelection, LeftReason
from masthead.model.ids import first_copy_id
from masthead.store.dispatch.candidates import (
    IS_SELECTED,
    JOIN_CHANGE,
    MUST_WAIT,
    candidate_parameters,
)
from masthead.store.dispatch.grace_candidates import is_grace_due
from masthead.store.dispatch.line_states import leave_lines
from masthead.store.engine.interface import Connection, Ids, Parameters, Transaction
from masthead.store.engine.rows import fetch_all

_IS_DUE = is_grace_due("CAST(:issue_number AS bigint)")

_TAKE = f"""
    INSERT INTO grace_copy (account_id, id, subscription_id, issue_number, dispatch_id, status)
    SELECT
        s.account_id,
        CAST(:last_id AS bigint) + row_number() OVER (ORDER BY s.id),
        s.id,
        CAST(:issue_number AS bigint),
        :id,
        'held'
    FROM subscription s
    {JOIN_CHANGE}
    WHERE s.account_id = :account_id
      AND {_IS_DUE}
      AND :takes_copies
      AND {IS_SELECTED}
      AND NOT {MUST_WAIT}
"""  # noqa: S608 - the conditions are constants


class GraceCopy(Struct, frozen=True, kw_only=True):
    """A grace copy that is in a run. run: the number of the run within the issue."""

    id: int
    subscription_id: str
    issue_number: int
    dispatch_id: str
    run: int
    is_sent: bool
    date_sent: date | None


async def take_grace(
    tx: Transaction, account_id: int, id: str, issue_number: int, selection: DispatchSelection
) -> int:
    """Let a run take the grace copies that it selects; returns how many. Queries: two or three."""
    parameters = candidate_parameters(account_id, issue_number, selection)
    return await insert_numbered(tx, account_id, _TAKE, {**parameters, "id": id})


async def insert_numbered(
    tx: Transaction, account_id: int, sql: str, parameters: Parameters
) -> int:
    """Add copies, or grace copies; returns how many. Queries: two or three.

    Their ids come from the account's counter, whose row is locked.
    """
    counter = await tx.fetch_one(
        "SELECT last_copy FROM account_state WHERE account_id = :account_id",
        {"account_id": account_id},
    )
    assert counter is not None
    last_id = first_copy_id(account_id) + counter["last_copy"]
    added = await tx.execute(sql, {**parameters, "account_id": account_id, "last_id": last_id})
    if added:
        await tx.execute(
            """
            UPDATE account_state
            SET last_copy = last_copy + :added
            WHERE account_id = :account_id
            """,
            {"account_id": account_id, "added": added},
        )
    return added


async def mark_grace(tx: Transaction, account_id: int, id: str, sent_on: date | None) -> None:
    """Mark the grace copies of a run as sent. Queries: one."""
    await tx.execute(
        """
        UPDATE grace_copy
        SET status = 'sent', date_sent = :sent_on
        WHERE account_id = :account_id AND dispatch_id = :id AND status = 'held'
        """,
        {"account_id": account_id, "id": id, "sent_on": sent_on},
    )


async def unmark_grace(tx: Transaction, account_id: int, id: str) -> None:
    """Take back the marking of a run's grace copies; shipped ones have that date. Queries: two."""
    shipped = """(
        SELECT l.shipped_date
        FROM dispatch_line l
        WHERE l.account_id = :account_id
          AND l.copy_id = grace_copy.id
          AND (l.dispatch_id = :id) IS TRUE
    )"""
    for change, condition in (
        ("status = 'held', date_sent = NULL", "IS NULL"),
        (f"date_sent = {shipped}", "IS NOT NULL"),
    ):
        await tx.execute(
            f"""
            UPDATE grace_copy
            SET {change}
            WHERE account_id = :account_id
              AND dispatch_id = :id
              AND status = 'sent'
              AND {shipped} {condition}
            """,  # noqa: S608 - constants
            {"account_id": account_id, "id": id},
        )


async def release_grace(tx: Transaction, account_id: int, id: str) -> None:
    """Take the grace copies out of a run that is discarded. Queries: one."""
    await tx.execute(
        """
        UPDATE grace_copy
        SET status = 'left'
        WHERE account_id = :account_id AND dispatch_id = :id AND status = 'held'
        """,
        {"account_id": account_id, "id": id},
    )


async def cancel_grace(tx: Transaction, account_id: int, subscription_ids: Sequence[str]) -> None:
    """Take the unsent grace copies of subscriptions out of their runs. Queries: one or two."""
    rows = await tx.fetch_all(
        """
        UPDATE grace_copy
        SET status = 'left'
        WHERE account_id = :account_id
          AND subscription_id IN (:ids...)
          AND status = 'held'
        RETURNING id
        """,
        {"account_id": account_id, "ids": list(subscription_ids)},
    )
    if rows:
        ids = [row["id"] for row in rows]
        await leave_lines(tx, account_id, ids, LeftReason.CANCELLED)


# A grace copy `g` of the issue of a copy
_PAIR = """
    FROM grace_copy g
    WHERE g.account_id = :account_id
      AND g.status <> 'left'
      AND copy.account_id = g.account_id
      AND copy.subscription_id = g.subscription_id
      AND copy.issue_number = g.issue_number
"""


async def adopt_grace(tx: Transaction, account_id: int, subscription_ids: Ids) -> list[str]:
    """Let new copies take the place of grace copies of the same issue: their id, run and status.

    Call it after copies were added. A copy that was recorded as sent or cancelled outside of the
    run stays so, and the line leaves the run.
    Returns the ids of the subscriptions. Queries: one, and two to four if there are grace copies.
    """
    values = {"account_id": account_id, "ids": subscription_ids}
    found = await tx.fetch_all(
        """
        SELECT g.id, g.subscription_id, g.status, c.status AS copy_status
        FROM grace_copy g
        JOIN copy c
            ON c.account_id = g.account_id
            AND c.subscription_id = g.subscription_id
            AND c.issue_number = g.issue_number
        WHERE g.account_id = :account_id
          AND g.subscription_id IN (:ids...)
          AND g.status <> 'left'
        ORDER BY g.id
        """,
        values,
    )
    if not found:
        return []
    for status, reason in (("Sent", LeftReason.MARKED), ("Cancelled", LeftReason.CANCELLED)):
        ids = [r["id"] for r in found if r["status"] == "held" and r["copy_status"] == status]
        if ids:
            await leave_lines(tx, account_id, ids, reason)
    await tx.execute(
        f"""
        UPDATE copy
        SET
            id = g.id,
            status = CASE g.status WHEN 'sent' THEN 'Sent' ELSE copy.status END,
            date_sent = CASE g.status WHEN 'sent' THEN g.date_sent ELSE copy.date_sent END,
            dispatch_id = CASE
                WHEN g.status = 'sent' OR copy.status = 'Not sent' THEN g.dispatch_id
            END
        {_PAIR}
          AND g.id IN (:adopted... AS bigint)
        """,  # noqa: S608 - a constant
        {"account_id": account_id, "adopted": [row["id"] for row in found]},
    )
    await tx.execute(
        "DELETE FROM grace_copy WHERE account_id = :account_id AND id IN (:adopted... AS bigint)",
        {"account_id": account_id, "adopted": [row["id"] for row in found]},
    )
    return sorted({row["subscription_id"] for row in found})


async def list_grace(
    db: Connection, account_id: int, subscription_ids: Collection[str]
) -> list[GraceCopy]:
    """The grace copies of subscriptions that are in a run, lowest issue first. Queries: one."""
    return await fetch_all(
        db,
        """
        SELECT
            g.id,
            g.subscription_id,
            g.issue_number,
            g.dispatch_id,
            d.number AS run,
            g.status = 'sent' AS is_sent,
            g.date_sent
        FROM grace_copy g
        JOIN dispatch d ON d.account_id = g.account_id AND d.id = g.dispatch_id
        WHERE g.account_id = :account_id
          AND g.subscription_id IN (:ids...)
          AND g.status <> 'left'
        ORDER BY g.issue_number, g.id
        """,
        {"account_id": account_id, "ids": list(subscription_ids)},
        into=GraceCopy,
    )
