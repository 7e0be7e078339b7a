"""Rounds of renewal letters: the batches of a stage that one user sent together, and who renewed.

Letters that are written again on paper, as they could not be sent, are in the round of the first.
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
RECENT = 20  # batches among which the round of a new one is looked for
MAX_COUNTED = 15_000  # letters, besides those of the newest round: 45 ms
_ORDER = list(LetterChannel)


class LetterRound(Struct, frozen=True):
    """The batches that were sent together, by channel: first the emails."""

    batches: Sequence[LetterBatch]

    @property
    def id(self) -> str:
        """The id of the batch that was written first."""
        return _id_of_round(self.batches[0])

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
        return min(each.created_at for each in self.batches)

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


class RoundRenewals(Struct, frozen=True):
    """How many subscriptions a round wrote to, and how many of them were renewed since.

    batches: what became of its letters, by the id of their batch.
    """

    went_out: int
    renewed: int
    batches: Mapping[str, BatchCount]


async def list_rounds(db: Connection, account_id: int, limit: int) -> list[LetterRound]:
    """The newest rounds. Queries: two. Index: letter_batch_by_round."""
    first = await fetch_all(
        db,
        f"{BATCH} AND round_id IS NULL ORDER BY id DESC LIMIT :limit",
        {"account_id": account_id, "limit": limit},
        into=LetterBatch,
    )
    others = await fetch_all(
        db,
        f"{BATCH} AND round_id IN (:ids...)",
        {"account_id": account_id, "ids": [each.id for each in first]},
        into=LetterBatch,
    )
    found = {each.id: [each] for each in first}
    for each in others:
        found[_id_of_round(each)].append(each)
    return [_round_of(batches) for batches in found.values()]


async def find_round(db: Connection, account_id: int, batch: LetterBatch) -> LetterRound:
    """The round of a batch. Queries: one. Index: letter_batch_by_round."""
    return _round_of(
        await fetch_all(
            db,
            f"{BATCH} AND (id = :id OR round_id = :id)",
            {"account_id": account_id, "id": _id_of_round(batch)},
            into=LetterBatch,
        )
    )


async def find_open_round(db: Connection, account_id: int, batch: LetterBatch) -> str | None:
    """The id of the round that a new batch belongs to; None if it begins one.

    It is the newest of the stage, if the same user began it within ten minutes, about the same
    issue, and it has no letters in this channel. Queries: one.
    """
    recent = [
        each
        for each in await list_batches(db, account_id, RECENT)
        if each.stage is batch.stage and batch.created_at - each.created_at <= TOGETHER
    ]
    first = next((each for each in recent if each.round_id is None), None)
    if first is None or _sender(first) != _sender(batch):
        return None
    channels = {each.channel for each in recent if _id_of_round(each) == first.id}
    return None if batch.channel in channels else first.id


def _sender(batch: LetterBatch) -> tuple[str, str, int]:
    return batch.actor_kind, batch.actor_id, batch.issue_number


def _id_of_round(batch: LetterBatch) -> str:
    return batch.round_id or batch.id


def _round_of(batches: Iterable[LetterBatch]) -> LetterRound:
    return LetterRound(sorted(batches, key=lambda each: (_ORDER.index(each.channel), each.id)))


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
