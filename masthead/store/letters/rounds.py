"""Rounds of renewal letters: the batches of a stage that one user sent together, and who renewed.

No column names the round of a batch. A round has one batch of each channel at most; those that
the same user sent for the same stage and issue within ten minutes are one.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from msgspec import Struct

from masthead.model.letters.outcomes import LetterChannel
from masthead.model.renewals.lapsed import RenewalStage
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all
from masthead.store.letters.records import BATCH, LetterBatch, list_batches
from masthead.store.letters.renewed import BatchCount, count_outcomes, count_renewed

TOGETHER = timedelta(minutes=10)
_ORDER = list(LetterChannel)
MAX_COUNTED = 15_000  # letters, besides those of the newest round: 45 ms


class LetterRound(Struct, frozen=True):
    """The batches that were sent together, by channel: first the emails."""

    batches: Sequence[LetterBatch]

    @property
    def id(self) -> str:
        """The id of its first batch."""
        return self.batches[0].id

    @property
    def stage(self) -> RenewalStage:
        """The stage of all its letters."""
        return self.batches[0].stage

    @property
    def issue_number(self) -> int:
        """The number of the current issue at that moment."""
        return self.batches[0].issue_number

    @property
    def created_at(self) -> datetime:
        """When its first batch was written."""
        return self.batches[0].created_at

    @property
    def is_by_rule(self) -> bool:
        """Whether masthead sent it by itself."""
        return self.batches[0].actor_kind == "command"

    @property
    def letters(self) -> int:
        """How many letters all its batches have."""
        return sum(each.letters for each in self.batches)

    @property
    def stopped(self) -> int:
        """How many of them were stopped."""
        return sum(each.stopped for each in self.batches)

    def has_room_for(self, batch: LetterBatch) -> bool:
        """Whether an older batch belongs to it."""
        first = self.batches[0]
        return (
            (first.stage, first.issue_number, first.actor_kind, first.actor_id)
            == (batch.stage, batch.issue_number, batch.actor_kind, batch.actor_id)
            and all(each.channel is not batch.channel for each in self.batches)
            and self.created_at - batch.created_at <= TOGETHER
        )


class RoundRenewals(Struct, frozen=True):
    """How many subscriptions a round wrote to, and how many of them were renewed since.

    batches: what became of its letters, by the id of their batch.
    """

    went_out: int
    renewed: int
    batches: Mapping[str, BatchCount]


def group_batches(batches: Iterable[LetterBatch]) -> list[LetterRound]:
    """The rounds of some batches. Both are the newest first."""
    found: list[LetterRound] = []
    for batch in batches:
        # The round before this one is the last with a batch of the same stage
        place = next((n for n in range(len(found) - 1, -1, -1) if found[n].stage == batch.stage), 0)
        if found and found[place].has_room_for(batch):
            both = [*found[place].batches, batch]
            found[place] = LetterRound(sorted(both, key=lambda each: _ORDER.index(each.channel)))
        else:
            found.append(LetterRound([batch]))
    return found


async def list_rounds(db: Connection, account_id: int, limit: int) -> list[LetterRound]:
    """The newest rounds. Queries: one."""
    most = limit * len(LetterChannel) + 1  # so that none of them is cut in two
    return group_batches(await list_batches(db, account_id, most))[:limit]


async def find_round(db: Connection, account_id: int, batch: LetterBatch) -> LetterRound:
    """The round of a batch. Queries: one."""
    near = await fetch_all(
        db,
        f"{BATCH} AND stage = :stage AND created_at BETWEEN :first AND :last ORDER BY id DESC",
        {
            "account_id": account_id,
            "stage": batch.stage,
            "first": batch.created_at - 2 * TOGETHER,
            "last": batch.created_at + 2 * TOGETHER,
        },
        into=LetterBatch,
    )
    [found] = [each for each in group_batches(near) if batch in each.batches]
    return found


async def count_renewed_since(
    db: Connection, account_id: int, rounds: Sequence[LetterRound]
) -> dict[str, RoundRenewals]:
    """How many renewed after the letters of each round, by the round's id.

    The newest round is always counted; older ones, while they have `MAX_COUNTED` letters at most,
    and the others are left out. Queries: two. Takes 4 µs for each letter: read aside.
    """
    counted, left = list[LetterRound](), MAX_COUNTED
    for each in rounds:
        if counted and each.letters > left:
            break
        counted.append(each)
        left -= each.letters
    if not counted:
        return {}
    ids = [batch.id for each in counted for batch in each.batches]
    outcomes = await count_outcomes(db, account_id, ids)
    renewed = await count_renewed(db, account_id, ids)
    found = {}
    for each in counted:
        batches = {batch.id: outcomes[batch.id] for batch in each.batches if batch.id in outcomes}
        found[each.id] = RoundRenewals(
            sum(count.went_out for count in batches.values()),
            sum(renewed.get(id, 0) for id in batches),
            batches,
        )
    return found
