"""The recipients of a stage's letters, and those who get none, with the reason."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct, structs

from masthead.model.letters.outcomes import (
    Addressee,
    LetterChannel,
    LetterStatus,
    SkipReason,
    choose_channel,
)
from masthead.model.renewals.lapsed import Candidate, RenewalStage, ends_at_stage
from masthead.model.translations import language_of
from masthead.model.types.postal_fields import ADDRESS_FIELDS, PostalFields
from masthead.model.types.recipient_languages import ELSEWHERE, read_rule, spoken_in
from masthead.store.accounts import Account
from masthead.store.engine.interface import Connection
from masthead.store.issues.records import find_current
from masthead.store.letters import planned, subscribers as subscribers
from masthead.store.letters.exclusions import list_excluded
from masthead.store.letters.subscribers import LetterAddress
from masthead.store.renewals.rounds import Outcome, count_ended


class PlannedLetter(Struct, frozen=True):
    """A letter that can be written. to: the subscriber; for a gift, who gave it if they are known.

    address: where a printed letter goes to.
    """

    candidate: Candidate
    to: Addressee
    address: PostalFields
    decision: LetterChannel | SkipReason

    @property
    def goes_out(self) -> bool:
        """Whether it is sent or printed."""
        return isinstance(self.decision, LetterChannel)

    @property
    def is_to_recipient(self) -> bool:
        """Whether it is about a gift, and goes to who got it."""
        return self.candidate.is_gift and self._is_to_subscriber

    @property
    def country(self) -> str | None:
        """Where the subscriber lives; for a giver, a subscription has another address."""
        if self._is_to_subscriber:
            return self.address.country
        return self.to.country or self.to.latest_country

    @property
    def _is_to_subscriber(self) -> bool:
        return self.to.id == self.candidate.subscriber_id


class LetterPlan(Struct, frozen=True):
    """The letters of a stage. issue_number: of the current issue; 0 if there is none."""

    issue_number: int
    letters: Sequence[PlannedLetter]

    def going_out(self, channel: LetterChannel) -> list[PlannedLetter]:
        """The letters that go out in one way."""
        return [each for each in self.letters if each.decision is channel]


class LetterCounts(Struct, frozen=True, kw_only=True):
    """The letters of a stage that can be written.

    outcomes: subscriptions that have one already, by what became of it. skipped: subscribers who
    get none, by reason. ended: what ended with `last_issue`, as the rate of renewals counts it.
    memberships: those of the stage that are not renewed. automatic: what renews by itself.
    renewed_after: how many of the renewed ones had got this letter before. locales: how many of
    those in `by_channel` should get a letter in a locale. spoken: how many of them live where
    another language is spoken, by that language; see `unused_language`. to_recipients: how many of
    those in `by_channel` are about gifts and go to who got them. new_givers: how many
    would go to givers whose email is known, if they were entered. recipients_left_out: how many
    are left out of this round.

    `ended` and `memberships` together are `automatic`, `written` and all others together.
    """

    issue_number: int
    last_issue: int
    ended: int
    memberships: int
    automatic: int
    renewed_after: int
    by_channel: Mapping[LetterChannel, int]
    locales: Mapping[str, int]
    spoken: Mapping[str, int]
    to_recipients: int
    new_givers: int
    recipients_left_out: int
    skipped: Mapping[SkipReason, int]
    outcomes: Mapping[LetterStatus, int]

    @property
    def written(self) -> int:
        """How many subscriptions have one already."""
        return sum(self.outcomes.values())

    @property
    def planned(self) -> int:
        """How many letters `plan_letters` finds, with those that cannot go out."""
        over = sum(self.skipped.get(each, 0) for each in (SkipReason.RENEWED, SkipReason.ERASED))
        return sum(self.by_channel.values()) + sum(self.skipped.values()) - over


async def plan_letters(
    db: Connection,
    account: Account,
    stage: RenewalStage,
    *,
    limit: int = planned.NO_LIMIT,
    after: str = "",
    search: str = "",
    only: Collection[str] | None = None,
    is_to_recipient: bool = False,
    on_paper: bool = False,
) -> LetterPlan:
    """The letters of a stage that are not written yet, the oldest subscriptions first.

    Queries: two to six, read aside. Takes 30 µs for each. limit: of the letters. after: the id of a
    subscription. search: a part of a name or an email address. only: the ids of subscriptions.
    is_to_recipient: only those about gifts that go to who got them. on_paper: also to those who
    have an email address.
    """
    current = await find_current(db, account.id, account.daily_date)
    if current is None:
        return LetterPlan(0, ())
    found = await planned.list_ready(
        db,
        account.id,
        stage,
        issue_number=current.number,
        today=account.daily_date,
        limit=limit,
        after=after,
        search=search,
        only=only,
        is_to_recipient=is_to_recipient,
    )
    givers = await subscribers.find_givers(
        db, account.id, {each.subscription_id for each in found if each.is_gift}
    )
    planned_to = [(each, givers.get(each.subscription_id) or _own(each)) for each in found]
    addresses = await subscribers.find_addresses(
        db,
        account.id,
        {each.subscription_id for each, to in planned_to if on_paper or to.is_placeholder},
        issue_number=current.number,
    )
    letters = [
        _planned(each, to, addresses.get(each.subscription_id), on_paper=on_paper)
        for each, to in planned_to
    ]
    excluded = await list_excluded(db, account.id, stage, {each.period_id for each in found})
    return leave_out(LetterPlan(current.number, letters), excluded)


def leave_out(plan: LetterPlan, period_ids: Collection[int]) -> LetterPlan:
    """The plan without the letters of some periods."""
    if not period_ids:
        return plan
    letters = [
        structs.replace(each, decision=SkipReason.EXCLUDED)
        if each.goes_out and each.candidate.period_id in period_ids
        else each
        for each in plan.letters
    ]
    return LetterPlan(plan.issue_number, letters)


def _planned(
    candidate: Candidate, to: Addressee, address: LetterAddress | None, *, on_paper: bool
) -> PlannedLetter:
    """A letter, and how it goes out. address: for the current issue, if the letter is printed."""
    if address is not None:
        candidate = structs.replace(candidate, **structs.asdict(PostalFields.of(address)))
    own = to.own_address
    is_recipient = to.id == candidate.subscriber_id  # a gift does not go to its giver
    decision = choose_channel(
        is_unsubscribed=to.is_unsubscribed,
        has_bounced=to.has_bounced,
        is_placeholder=on_paper or to.is_placeholder,
        has_address=own is not None
        or bool(is_recipient and candidate.city and (candidate.address1 or candidate.address2)),
        is_on_hold=bool(own is None and address and address.is_on_hold),
    )
    return PlannedLetter(candidate, to, own or address or candidate, decision)


def _own(candidate: Candidate) -> Addressee:
    """The subscriber of the subscription."""
    return Addressee(
        id=candidate.subscriber_id,
        email=candidate.email,
        first_name=candidate.subscriber_first_name,
        last_name=candidate.subscriber_last_name,
        company=candidate.subscriber_company,
        salutation=candidate.subscriber_salutation,
        title=candidate.subscriber_title,
        language=candidate.subscriber_language,
        **{name: getattr(candidate, f"subscriber_{name}") for name in ADDRESS_FIELDS},
        is_placeholder=candidate.is_placeholder,
        is_unsubscribed=candidate.is_unsubscribed,
        has_bounced=candidate.has_bounced,
    )


def locale_of(account: Account, letter: PlannedLetter) -> str:
    """The locale that a letter should be in: that of its recipient."""
    return account.locale_for(letter.to.language, letter.country)


def unused_language(account: Account, language: str | None, country: str | None) -> str | None:
    """The language of a country, if masthead has it but letters there are in another one.

    None if that was chosen: for the person, or for their country. language: of the person.
    """
    rule = read_rule(account.country_languages)
    if language or not country or country in rule or ELSEWHERE in rule:
        return None
    spoken = spoken_in(country)
    return None if spoken == language_of(account.locale) else spoken


async def count_letters(db: Connection, account: Account, stage: RenewalStage) -> LetterCounts:
    """Count the letters of a stage that `plan_letters` would write now.

    Queries: three, read aside. Takes 20 µs for each subscription of the stage.
    """
    current = await find_current(db, account.id, account.daily_date)
    by_channel, skipped = Counter[LetterChannel](), Counter[SkipReason]()
    outcomes, locales, spoken = Counter[LetterStatus](), Counter[str](), Counter[str]()
    last_issue, memberships, to_recipients, new_givers, recipients_left_out = 0, 0, 0, 0, 0
    ended = Counter[Outcome]()
    if current is not None:
        number, today = current.number, account.daily_date
        counts = await planned.count_ready(db, account.id, stage, issue_number=number, today=today)
        last_issue = ends_at_stage(stage, number, today).last_issue
        ended = await count_ended(db, account.id, issue=last_issue, stage=stage)
        memberships = sum(each.count for each in counts if each.is_membership)
        skipped[SkipReason.RENEWED] = ended[Outcome.RENEWED] + ended[Outcome.RENEWED_AFTER]
        skipped[SkipReason.ERASED] = ended[Outcome.ERASED]
        for each in counts:
            decision = choose_channel(
                is_unsubscribed=each.is_unsubscribed,
                has_bounced=each.has_bounced,
                is_placeholder=each.is_placeholder,
                has_address=each.has_address,
                is_on_hold=each.is_on_hold,
            )
            new_givers += each.count if each.has_new_giver and not each.is_excluded else 0
            if each.letter is not None:
                outcomes[each.letter] += each.count
            elif isinstance(decision, LetterChannel) and each.is_excluded:
                skipped[SkipReason.EXCLUDED] += each.count
                recipients_left_out += each.count if each.is_to_recipient else 0
            elif isinstance(decision, LetterChannel):
                by_channel[decision] += each.count
                to_recipients += each.count if each.is_to_recipient else 0
                locales[account.locale_for(each.language, each.country)] += each.count
                if language := unused_language(account, each.language, each.country):
                    spoken[language] += each.count
            else:
                skipped[decision] += each.count
    return LetterCounts(
        issue_number=current.number if current else 0,
        last_issue=last_issue,
        ended=ended.total(),
        memberships=memberships,
        automatic=ended[Outcome.AUTOMATIC],
        renewed_after=ended[Outcome.RENEWED_AFTER],
        by_channel=by_channel,
        locales=locales,
        spoken=spoken,
        to_recipients=to_recipients,
        new_givers=new_givers,
        recipients_left_out=recipients_left_out,
        skipped={reason: count for reason, count in skipped.items() if count},
        outcomes=outcomes,
    )
