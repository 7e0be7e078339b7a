"""What ended with an issue, as the renewal rate counts it, and what became of it until now."""

from msgspec import Struct

from masthead.model.renewals.lapsed import RenewalStage
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all
from masthead.store.renewals.lapsed import (
    ENDED_PERIODS,
    IS_ERASED,
    IS_LAST_PERIOD,
    NO_NEWER_THAN_ISSUES,
)

_COUNT = f"""
    SELECT
        t.is_renewed,
        t.is_automatic,
        t.has_letter,
        t.is_erased,
        count(*) AS count
    FROM (
        SELECT
            (NOT ({IS_LAST_PERIOD}) OR NOT ({NO_NEWER_THAN_ISSUES})) AS is_renewed,
            s.status = 'Active' AND s.is_recurring = true AS is_automatic,
            (
                SELECT count(*)
                FROM renewal_letter l
                WHERE l.account_id = :account_id
                  AND l.period_id = p.id
                  AND l.stage = :stage
                  AND l.status IN ('queued', 'sent', 'printed', 'to_print')
            ) > 0 AS has_letter,
            {IS_ERASED} AS is_erased
        {ENDED_PERIODS}
    ) AS t
    GROUP BY t.is_renewed, t.is_automatic, t.has_letter, t.is_erased
"""  # noqa: S608 - the constants above


class EndedCount(Struct, frozen=True, kw_only=True):
    """The number of periods that ended with an issue and are alike.

    is_automatic: whether the subscription renews by itself. has_letter: of the stage.
    is_erased: whether the subscriber was erased.
    """

    is_renewed: bool
    is_automatic: bool
    has_letter: bool
    is_erased: bool
    count: int


async def count_ended(
    db: Connection, account_id: int, *, issue: int, stage: RenewalStage
) -> list[EndedCount]:
    """Count the periods that ended with an issue. Queries: one, read aside. Takes 10 µs for each.

    Index: period_by_last.
    """
    return await fetch_all(
        db,
        _COUNT,
        {"account_id": account_id, "first": issue, "last": issue, "stage": stage},
        into=EndedCount,
    )
