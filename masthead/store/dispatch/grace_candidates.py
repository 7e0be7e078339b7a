"""Grace copies that are due: which subscriptions get them, of which issues, and how many."""

from collections.abc import Collection, Mapping

from masthead.model.dispatch.preview import CandidateLine
from masthead.model.dispatch.runs import DispatchSelection
from masthead.store.addresses.in_force import COLUMNS, COUNTRY, must_wait
from masthead.store.dispatch.candidates import (
    IS_SELECTED,
    JOIN_CHANGE,
    MUST_WAIT,
    CandidateCount,
    candidate_parameters,
)
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all

# Whether the last order of the subscription `s` was paid, and nothing speaks against grace copies:
# nobody who reads them pays for a gift or a complimentary subscription, who stopped the renewals
# does not want more, and an erased subscriber has no address
IS_PAID = """s.is_comp = false
          AND s.is_gift = false
          AND s.is_recurring = false
          AND EXISTS (
              SELECT 1
              FROM period paid
              WHERE paid.account_id = :account_id
                AND paid.subscription_id = s.id
                AND (paid.last_issue = s.last_issue) IS TRUE
                AND paid.price > 0
                AND paid.refunded = 0
                AND NOT EXISTS (
                    SELECT 1
                    FROM billed_order b
                    LEFT JOIN invoice v ON v.account_id = b.account_id AND v.id = b.invoice_id
                    WHERE b.account_id = :account_id
                      AND b.period_id = paid.id
                      AND coalesce(v.open_amount, 1) > 0
                )
          )
          AND NOT EXISTS (
              SELECT 1
              FROM erasure gone
              WHERE gone.account_id = :account_id AND gone.subscriber_id = s.subscriber_id
          )"""


def is_after_end(issue: str) -> str:
    """The condition that an issue is one of the grace copies after the last one of `s`.

    issue: the expression of its number.
    """
    most = "(SELECT own.grace_copies FROM account own WHERE own.id = :account_id)"
    return f"(s.last_issue BETWEEN {issue} - {most} AND {issue} - 1)"


def is_grace_due(issue: str) -> str:
    """The condition that the next run of an issue takes a grace copy for the subscription `s`.

    All of its paid issues are sent, the subscriber has no other copy of the issue, and no later
    issue is out: nobody gets old issues because an old one is sent to somebody else.
    """
    return f"""{is_after_end(issue)}
          AND s.status = 'Complete'
          AND {IS_PAID}
          AND NOT EXISTS (
              SELECT 1
              FROM copy other
              WHERE other.account_id = :account_id
                AND other.subscriber_id = s.subscriber_id
                AND (other.issue_number = {issue}) IS TRUE
                AND (other.status <> 'Cancelled') IS TRUE
          )
          AND NOT EXISTS (
              SELECT 1
              FROM grace_copy taken
              WHERE taken.account_id = :account_id
                AND taken.subscription_id = s.id
                AND taken.issue_number = {issue}
                AND taken.status <> 'left'
          )
          AND NOT EXISTS (
              SELECT 1
              FROM issue later
              JOIN account_state own_state ON own_state.account_id = later.account_id
              WHERE later.account_id = :account_id
                AND later.number > {issue}
                AND later.release_date_actual <= own_state.daily_date
          )"""  # noqa: S608 - constants


_IS_DUE = is_grace_due("CAST(:issue_number AS bigint)")

_COUNT = f"""
    SELECT reason, country, medium, source_id, count(*) AS count
    FROM (
        SELECT
            CASE WHEN {MUST_WAIT} THEN 'waits' ELSE 'free' END AS reason,
            {COUNTRY} AS country,
            s.medium,
            s.source_id
        FROM subscription s
        {JOIN_CHANGE}
        WHERE s.account_id = :account_id
          AND {_IS_DUE}
    ) AS t
    GROUP BY country, medium, source_id, reason
    ORDER BY country, medium, source_id
"""  # noqa: S608 - the conditions are constants

_LIST = f"""
    SELECT
        0 AS copy_id,
        CAST(:issue_number AS bigint) AS issue_number,
        s.id AS subscription_id,
        s.subscriber_id,
        {COLUMNS}
    FROM subscription s
    {JOIN_CHANGE}
    WHERE s.account_id = :account_id
      AND {_IS_DUE}
      AND :takes_copies
      AND s.medium <> 'Digital'
      AND {IS_SELECTED}
      AND NOT {MUST_WAIT}
    ORDER BY s.id
"""  # noqa: S608 - the conditions are constants

# By an expression: to group by a column, SQLite might read the rows in the order of another index
_COUNT_TO_PRINT = f"""
    SELECT coalesce(s.country, '') AS country, s.medium, count(*) AS count
    FROM subscription s
    WHERE s.account_id = :account_id
      AND {is_after_end("CAST(:issue_number AS bigint)")}
      AND s.status IN ('Active', 'Complete')
      AND {IS_PAID}
    GROUP BY coalesce(s.country, ''), s.medium
"""  # noqa: S608 - the conditions are constants

_COUNT_DUE = f"""
    SELECT i.number, count(*) AS count
    FROM issue i
    CROSS JOIN subscription s
    WHERE i.account_id = :account_id
      AND i.number IN (:numbers... AS bigint)
      AND s.account_id = i.account_id
      AND {is_grace_due("i.number")}
      AND NOT {must_wait("s.id", "i.number")}
    GROUP BY i.number
"""  # noqa: S608 - the conditions are constants


async def count_grace(db: Connection, account_id: int, issue_number: int) -> list[CandidateCount]:
    """The grace copies that are due with an issue and in no run, by country, medium and source.

    reason: `waits`, or `free`: a run of everything takes it. Queries: one, about 10 µs for each
    subscription that ended with the issues before: read aside.
    """
    parameters = {"account_id": account_id, "issue_number": issue_number}
    return await fetch_all(db, _COUNT, parameters, into=CandidateCount)


async def list_candidates(
    db: Connection, account_id: int, issue_number: int, selection: DispatchSelection
) -> list[CandidateLine]:
    """The addresses of the grace copies by post that a run would take; no copy id. Queries: one."""
    parameters = candidate_parameters(account_id, issue_number, selection)
    return await fetch_all(db, _LIST, parameters, into=CandidateLine)


async def count_due(db: Connection, account_id: int, numbers: Collection[int]) -> dict[int, int]:
    """How many grace copies a run of all copies would take, by issue number. Queries: one.

    About 10 µs for each subscription that ended with the issues before: read aside.
    """
    values = {"account_id": account_id, "numbers": list(numbers)}
    rows = await db.fetch_all(_COUNT_DUE, values)
    return {row["number"]: row["count"] for row in rows}


async def count_grace_to_print(
    db: Connection, account_id: int, numbers: Collection[int]
) -> Mapping[int, Mapping[tuple[str, str], int]]:
    """The grace copies of issues by country and medium if nobody renews, by issue number.

    Queries: one for each issue, read aside.
    """
    counts: dict[int, dict[tuple[str, str], int]] = {}
    for number in numbers:
        values = {"account_id": account_id, "issue_number": number}
        rows = await db.fetch_all(_COUNT_TO_PRINT, values)
        counts[number] = {(row["country"], row["medium"]): row["count"] for row in rows}
    return counts
