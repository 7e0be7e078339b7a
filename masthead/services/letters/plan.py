"""Who gets a letter of a stage now, how it goes out, and who gets none and why."""

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import Struct

from masthead.model.letters.letters import (
    Addressee,
    LetterChannel,
    SkipReason,
    choose_channel,
)
from masthead.model.reports.lapsed import Candidate, RenewalStage
from masthead.model.types.text import full_name
from masthead.store.accounts import Account
from masthead.store.engine.interface import Connection
from masthead.store.issues import find_current
from masthead.store.letters import letters, readers
from masthead.store.reports import lapsed


class PlannedLetter(Struct, frozen=True):
    """A letter that can be written. to: the reader; for a gift, who gave it."""

    candidate: Candidate
    to: Addressee


class LetterPlan(Struct, frozen=True, kw_only=True):
    """The letters of a stage. issue_number: of the current issue, None if there is none.

    skipped: candidates that get no letter, with the reason. written: how many have one already.
    """

    stage: RenewalStage
    issue_number: int | None
    by_channel: Mapping[LetterChannel, Sequence[PlannedLetter]]
    skipped: Sequence[tuple[PlannedLetter, SkipReason]]
    written: int

    def letters(self, channel: LetterChannel) -> Sequence[PlannedLetter]:
        """The letters that go out in one way, oldest order first."""
        return self.by_channel.get(channel, ())

    def count_reasons(self) -> list[tuple[SkipReason, int]]:
        """Why candidates get no letter, with how many, most first."""
        return Counter(reason for _, reason in self.skipped).most_common()


async def plan_letters(db: Connection, account: Account, stage: RenewalStage) -> LetterPlan:
    """The letters of a stage that can be written now.

    Queries: four to seven, read aside. Takes 20 µs for each candidate.
    """
    current = await find_current(db, account.id, account.daily_date)
    if current is None:
        return LetterPlan(stage=stage, issue_number=None, by_channel={}, skipped=(), written=0)
    candidates = await lapsed.find_candidates(
        db, account.id, stage, issue_number=current.number, today=account.daily_date
    )
    written = await letters.find_written(
        db, account.id, stage, [each.period_id for each in candidates]
    )
    open = [each for each in candidates if each.period_id not in written]
    givers = await readers.find_addressees(
        db, account.id, {each.gifter_id for each in open if each.is_gift and each.gifter_id}
    )
    planned = [PlannedLetter(each, givers.get(each.gifter_id or "") or _own(each)) for each in open]
    on_hold = await readers.find_on_hold(
        db,
        account.id,
        {each.candidate.subscription_id for each in planned if each.to.is_placeholder},
    )
    by_channel: dict[LetterChannel, list[PlannedLetter]] = {each: [] for each in LetterChannel}
    skipped = []
    for letter in planned:
        is_on_hold = letter.candidate.subscription_id in on_hold
        decision = choose_channel(letter.candidate, letter.to, is_on_hold=is_on_hold)
        if isinstance(decision, LetterChannel):
            by_channel[decision].append(letter)
        else:
            skipped.append((letter, decision))
    return LetterPlan(
        stage=stage,
        issue_number=current.number,
        by_channel=by_channel,
        skipped=skipped,
        written=len(written),
    )


def _own(candidate: Candidate) -> Addressee:
    """The reader of the subscription."""
    return Addressee(
        id=candidate.subscriber_id,
        email=candidate.email,
        full_name=full_name(
            candidate.subscriber_first_name,
            candidate.subscriber_last_name,
            candidate.subscriber_company,
            candidate.email,
        ),
        is_placeholder=candidate.is_placeholder,
        is_unsubscribed=candidate.is_unsubscribed,
        has_bounced=candidate.has_bounced,
    )
