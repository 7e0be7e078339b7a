"""The copies that a carrier's report refers to, and marks as shipped."""

from collections.abc import Collection
from datetime import date

from msgspec import Struct

from masthead.model.dispatch.joined_lines import JOINED_BY, JOINED_IN_GROUP
from masthead.store.engine.interface import Connection, Transaction


class ReportedLine(Struct, frozen=True):
    """A line of a run with the state of its run and its copy. claim_id: empty for a copy."""

    id: int
    dispatch_id: str
    dispatch_number: int
    issue_number: int
    copy_id: int
    claim_id: str
    subscription_id: str
    status: str
    left_reason: str | None
    shipped_date: date | None
    copy_status: str


class ReportedCopy(Struct, frozen=True):
    """A copy. line_id: of the line with its newest label, None if it was in no run."""

    id: int
    status: str
    issue_number: int
    subscription_id: str
    line_id: int | None


# The status of the grace copy `g` in the words of a copy
_GRACE_STATUS = (
    "CASE g.status WHEN 'sent' THEN 'Sent' WHEN 'held' THEN 'Not sent' ELSE 'Cancelled' END"
)
# In the settings of a file that joins copies for one address; they are JSON
_JOINED = '%"joins_copies":true%'
# Whether a run has such a file
_HAS_JOINED = """
    EXISTS (
        SELECT 1
        FROM dispatch_file f
        WHERE f.account_id = :account_id
          AND f.dispatch_id = {run}
          AND f.settings LIKE :joined
    )
"""
# The lines after which a copy of the same subscriber for the same address follows. Each next line
# is looked up by its id: without OFFSET, and with no statistics of the lines of a new run,
# PostgreSQL reads them all for each of them
_FOLLOWING = f"""
    SELECT l.id
    FROM dispatch_line l
    WHERE l.account_id = :account_id
      AND l.id IN (:ids... AS bigint)
      AND EXISTS (
          SELECT 1
          FROM dispatch_line n
          WHERE n.account_id = :account_id
            AND n.id = l.id + 1
            AND n.dispatch_id = l.dispatch_id
            AND n.claim_id = ''
            {" ".join(f"AND n.{name} IS NOT DISTINCT FROM l.{name}" for name in JOINED_BY)}
          LIMIT 1 OFFSET 0
      )
"""  # noqa: S608 - names of columns

_IN_GROUP = f"""
    SELECT l.id, o.id AS other
    FROM dispatch_line l
    JOIN dispatch d ON d.account_id = l.account_id AND d.id = l.dispatch_id
    JOIN dispatch e ON e.account_id = d.account_id AND e.group_id = d.group_id
    JOIN dispatch_line o ON o.account_id = e.account_id AND o.dispatch_id = e.id
    WHERE l.account_id = :account_id
      AND l.id IN (:ids... AS bigint)
      AND d.group_id IS NOT NULL
      AND l.medium <> 'Digital'
      AND o.medium <> 'Digital'
      AND o.id <> l.id
      {" ".join(f"AND o.{name} IS NOT DISTINCT FROM l.{name}" for name in JOINED_IN_GROUP)}
      AND {_HAS_JOINED.format(run="d.group_id")}
    ORDER BY l.id, o.id
"""  # noqa: S608 - names of columns


async def find_lines(
    db: Connection, account_id: int, ids: Collection[int]
) -> dict[int, ReportedLine]:
    """Lines by id. Queries: one."""
    rows = await db.fetch_all(
        f"""
        SELECT
            l.id,
            l.dispatch_id,
            d.number AS dispatch_number,
            l.issue_number,
            l.copy_id,
            l.claim_id,
            l.subscription_id,
            l.status,
            l.left_reason,
            l.shipped_date,
            coalesce(c.status, {_GRACE_STATUS}) AS copy_status
        FROM dispatch_line l
        JOIN dispatch d ON d.account_id = l.account_id AND d.id = l.dispatch_id
        LEFT JOIN copy c ON c.account_id = l.account_id AND c.id = l.copy_id
        LEFT JOIN grace_copy g ON g.account_id = l.account_id AND g.id = l.copy_id
        WHERE l.account_id = :account_id AND l.id IN (:ids... AS bigint)
        """,  # noqa: S608 - a constant
        {"account_id": account_id, "ids": list(ids)},
    )
    return {row["id"]: ReportedLine(**row) for row in rows}


async def find_joined(
    db: Connection, account_id: int, ids: Collection[int]
) -> dict[int, list[int]]:
    """The lines that one label or line of a file stands for, besides the one with its key, by that.

    Only of runs with a file in which copies for one address are joined; those of a group have one
    for all. Queries: two, and one more for each further copy, at most. Index: the primary key.
    """
    rows = await db.fetch_all(
        f"""
        SELECT l.id
        FROM dispatch_line l
        WHERE l.account_id = :account_id
          AND l.id IN (:ids... AS bigint)
          AND l.claim_id = ''
          AND {_HAS_JOINED.format(run="l.dispatch_id")}
        """,  # noqa: S608 - a constant
        {"account_id": account_id, "ids": list(ids), "joined": _JOINED},
    )
    found: dict[int, list[int]] = {}
    last = {row["id"]: row["id"] for row in rows}  # the first line by the last one that joins it
    while last:
        following = await db.fetch_all(_FOLLOWING, {"account_id": account_id, "ids": list(last)})
        last = {row["id"] + 1: last[row["id"]] for row in following}
        for id, first in last.items():
            found.setdefault(first, []).append(id)
    in_group = await db.fetch_all(
        _IN_GROUP, {"account_id": account_id, "ids": list(ids), "joined": _JOINED}
    )
    for row in in_group:
        others = found.setdefault(row["id"], [])
        if row["other"] not in others:
            others.append(row["other"])
    return found


async def find_copies(
    db: Connection, account_id: int, ids: Collection[int]
) -> dict[int, ReportedCopy]:
    """Copies and grace copies by id, each with its newest line in a run that was not discarded.

    Queries: one.
    """
    rows = await db.fetch_all(
        f"""
        SELECT
            c.id,
            c.status,
            c.issue_number,
            c.subscription_id,
            (
                SELECT max(l.id)
                FROM dispatch_line l
                WHERE l.account_id = :account_id
                  AND l.copy_id = c.id
                  AND l.claim_id = ''
                  AND (l.left_reason IS NULL OR l.left_reason <> 'discarded')
            ) AS line_id
        FROM copy c
        WHERE c.account_id = :account_id AND c.id IN (:ids... AS bigint)
        UNION ALL
        SELECT
            g.id,
            {_GRACE_STATUS},
            g.issue_number,
            g.subscription_id,
            (
                SELECT max(l.id)
                FROM dispatch_line l
                WHERE l.account_id = :account_id
                  AND l.copy_id = g.id
                  AND (l.left_reason IS NULL OR l.left_reason <> 'discarded')
            )
        FROM grace_copy g
        WHERE g.account_id = :account_id AND g.id IN (:ids... AS bigint)
        """,  # noqa: S608 - a constant
        {"account_id": account_id, "ids": list(ids)},
    )
    return {row["id"]: ReportedCopy(**row) for row in rows}


async def ship_lines(tx: Transaction, account_id: int, ids: Collection[int], day: date) -> None:
    """Note that lines were shipped, and mark those that wait with their copies as sent.

    Replacements and grace copies are marked too. Queries: four.
    """
    parameters = {"account_id": account_id, "ids": list(ids), "day": day}
    await tx.execute(
        """
        UPDATE copy
        SET status = 'Sent', date_sent = :day
        WHERE account_id = :account_id
          AND status NOT IN ('Sent', 'Cancelled')
          AND id IN (
              SELECT l.copy_id
              FROM dispatch_line l
              WHERE l.account_id = :account_id
                AND l.id IN (:ids... AS bigint)
                AND l.claim_id = ''
                AND l.status = 'held'
          )
        """,
        parameters,
    )
    await tx.execute(
        """
        UPDATE grace_copy
        SET status = 'sent', date_sent = :day
        WHERE account_id = :account_id
          AND status = 'held'
          AND id IN (
              SELECT l.copy_id
              FROM dispatch_line l
              WHERE l.account_id = :account_id
                AND l.id IN (:ids... AS bigint)
                AND l.status = 'held'
          )
        """,
        parameters,
    )
    await tx.execute(
        """
        UPDATE claim
        SET status = 'sent', date_sent = :day
        WHERE account_id = :account_id
          AND status = 'held'
          AND id IN (
              SELECT l.claim_id
              FROM dispatch_line l
              WHERE l.account_id = :account_id
                AND l.id IN (:ids... AS bigint)
                AND l.claim_id <> ''
                AND l.status = 'held'
          )
        """,
        parameters,
    )
    await tx.execute(
        """
        UPDATE dispatch_line
        SET
            shipped_date = :day,
            status = CASE status WHEN 'held' THEN 'sent' ELSE status END
        WHERE account_id = :account_id AND id IN (:ids... AS bigint)
        """,
        parameters,
    )


async def find_completed(
    db: Connection, account_id: int, dispatch_ids: Collection[str]
) -> dict[str, date]:
    """Those frozen runs of which no line waits any longer, with the last date of shipping.

    Queries: one.
    """
    rows = await db.fetch_all(
        """
        SELECT
            d.id,
            (
                SELECT max(l.shipped_date)
                FROM dispatch_line l
                WHERE l.account_id = :account_id AND l.dispatch_id = d.id AND l.status = 'sent'
            ) AS shipped_date
        FROM dispatch d
        WHERE d.account_id = :account_id
          AND d.id IN (:ids...)
          AND d.status = 'frozen'
          AND NOT EXISTS (
              SELECT 1
              FROM dispatch_line l
              WHERE l.account_id = :account_id AND l.dispatch_id = d.id AND l.status = 'held'
          )
        """,
        {"account_id": account_id, "ids": list(dispatch_ids)},
    )
    return {row["id"]: row["shipped_date"] for row in rows}
