"""The last letter about each of some periods that went out, or waits to."""

from collections.abc import Collection
from datetime import datetime

from msgspec import Struct

from masthead.model.letters.outcomes import LetterChannel
from masthead.model.renewals.lapsed import RenewalStage
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all

# One letter for several subscriptions is kept with each of them
GOT_LETTER = """(
              l.status IN ('queued', 'sent', 'to_print', 'printed')
              OR (l.status = 'skipped' AND l.reason = 'same_letter')
          )"""


class LatestLetter(Struct, frozen=True):
    """A letter about a period. written_at: when it was sent or printed, or else written."""

    period_id: int
    stage: RenewalStage
    channel: LetterChannel
    written_at: datetime


async def list_latest(
    db: Connection, account_id: int, period_ids: Collection[int]
) -> dict[int, LatestLetter]:
    """The last letters by period, where there are any. Queries: one. Index: renewal_letter_once."""
    found = await fetch_all(
        db,
        f"""
        SELECT l.period_id, l.stage, l.channel, coalesce(l.ended_at, l.created_at) AS written_at
        FROM renewal_letter l
        WHERE l.account_id = :account_id
          AND l.period_id IN (:ids... AS bigint)
          AND {GOT_LETTER}
        ORDER BY l.id
        """,  # noqa: S608 - a constant
        {"account_id": account_id, "ids": list(period_ids)},
        into=LatestLetter,
    )
    return {each.period_id: each for each in found}
