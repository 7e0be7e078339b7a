"""One line each for the letters, the list and the rate of a stage: how their numbers differ."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial

from msgspec import Struct

from masthead.model.letters.outcomes import LetterChannel, LetterStatus, SkipReason
from masthead.model.letters.stage_texts import StageText
from masthead.model.renewals.lapsed import RenewalList, RenewalListQuery, RenewalStage
from masthead.model.translations import (
    counted,
    format_number,
    gettext as _,
    gettext_noop,
    language_of,
)
from masthead.model.types.recipient_languages import name_language
from masthead.services.letters.price_sources import PriceSources, count_price_sources
from masthead.services.letters.recipients import LetterCounts, LetterPlan, count_letters
from masthead.store.accounts import Account, get_account
from masthead.store.engine.interface import Connection
from masthead.store.renewals.lists import ListCount, count_renewals
from masthead.web.kit.context import PageContext

# The list with the subscriptions of a stage, and for `LAPSED`, how many issues ago they ended
LISTS = {
    RenewalStage.BEFORE: (RenewalList.NEXT, 1),
    RenewalStage.LAST: (RenewalList.ENDING, 1),
    RenewalStage.AFTER_1: (RenewalList.LAPSED, 1),
    RenewalStage.AFTER_2: (RenewalList.LAPSED, 2),
}
_STAGES = {found: stage for stage, found in LISTS.items()}

# Letters that are written, but have not gone out
_NOT_OUT = {
    LetterStatus.QUEUED: gettext_noop("{n} waiting to be sent"),
    LetterStatus.TO_PRINT: gettext_noop("{n} to be printed"),
    LetterStatus.FAILED: gettext_noop("{n} could not be sent"),
}
MAX_NAMED = 3  # people who get no letter, by reason


class Figures(Struct, frozen=True):
    """The numbers of a stage."""

    stage: RenewalStage
    counts: LetterCounts

    def open_line(self, has_mail: bool, named: Mapping[SkipReason, Sequence[str]]) -> str:
        """What becomes of those that are not renewed: one number and its parts.

        named: who gets no letter, by reason, if they are few.
        """
        counts = self.counts
        parts = self._channels(has_mail)
        total = sum(counts.by_channel.values()) + counts.written
        for reason, count in counts.skipped.items():
            if reason in (SkipReason.RENEWED, SkipReason.ERASED):
                continue
            total += count
            text = (
                _("{n} without an address").format(n=format_number(count))
                if reason is SkipReason.NO_ADDRESS
                else f"{format_number(count)} {reason.words}"
            )
            names = ", ".join(named.get(reason, ()))
            parts.append(f"{text} ({names})" if names else text)
        line = _("{n} without a renewal").format(n=format_number(total))
        return f"{line}: {', '.join(parts)}." if parts else f"{line}."

    def letters_line(self, has_mail: bool) -> str:
        """What becomes of all that end with the issue."""
        counts = self.counts
        ended = counted(
            "{n} subscription ends with issue {issue}",
            "{n} subscriptions end with issue {issue}",
            counts.ended,
            issue=counts.last_issue,
        )
        if counts.memberships:
            ended += counted(
                ", and {n} membership ends in these 30 days",
                ", and {n} memberships end in these 30 days",
                counts.memberships,
            )
        parts = ", ".join(self._parts(has_mail))
        return f"{ended}: {parts}." if parts else f"{ended}."

    def _channels(self, has_mail: bool) -> list[str]:
        """How many letters go out in each channel, and went out."""
        counts, found = self.counts, list[str]()
        if by_email := counts.by_channel.get(LetterChannel.EMAIL, 0):
            text = _("{n} by email") if has_mail else _("{n} by email once a mail server is set up")
            found.append(text.format(n=format_number(by_email)))
        if by_print := counts.by_channel.get(LetterChannel.PRINT, 0):
            found.append(_("{n} on paper").format(n=format_number(by_print)))
        if done := sum(n for status, n in counts.outcomes.items() if status not in _NOT_OUT):
            found.append(_("{n} already written to").format(n=format_number(done)))
        for status, text in _NOT_OUT.items():
            if n := counts.outcomes.get(status, 0):
                found.append(_(text).format(n=format_number(n)))
        return found

    def _parts(self, has_mail: bool) -> list[str]:
        counts = self.counts
        return [
            *self._channels(has_mail),
            *self._renewed_parts(),
            *(
                f"{format_number(count)} {reason.words}"
                for reason, count in counts.skipped.items()
                if reason is not SkipReason.RENEWED
            ),
        ]

    def _renewed_parts(self) -> list[str]:
        """What was renewed, and what renews by itself."""
        counts, found = self.counts, self._renewed()
        if counts.automatic:
            found.append(
                counted("{n} renews automatically", "{n} renew automatically", counts.automatic)
            )
        return found

    def _renewed(self) -> list[str]:
        """What was renewed; empty if nothing was."""
        counts = self.counts
        renewed = counts.skipped.get(SkipReason.RENEWED, 0)
        if not renewed:
            return []
        text = _("{n} renewed already").format(n=format_number(renewed))
        if counts.renewed_after:
            after = _("{n} of them after this letter").format(n=format_number(counts.renewed_after))
            text = f"{text} ({after})"
        return [text]

    def rate_line(self) -> str:
        """What the renewal rate counts of them; “not renewed” as in its table."""
        counts = self.counts
        erased = counts.skipped.get(SkipReason.ERASED, 0)
        renewed = counts.skipped.get(SkipReason.RENEWED, 0)
        left = counts.ended - renewed
        ended = counted(
            "{n} paid subscription ends with issue {issue}, besides memberships",
            "{n} paid subscriptions end with issue {issue}, besides memberships",
            counts.ended,
            issue=counts.last_issue,
        )
        parts = [
            *self._renewed(),
            _("{n} not renewed yet").format(n=format_number(left)),
        ]
        text = f"{ended}: {', '.join(parts)}."
        if not left or not (counts.automatic or erased):
            return text
        among = []
        if counts.automatic:
            automatic = _("{n} will be renewed automatically")
            among.append(automatic.format(n=format_number(counts.automatic)))
        if erased:
            among.append(f"{format_number(erased)} {SkipReason.ERASED.words}")
        if asked := left - counts.automatic - erased:
            among.append(_("{n} will need a new order").format(n=format_number(asked)))
        of_these = counted(
            "Of this one: {parts}.", "Of these {n}: {parts}.", left, parts=", ".join(among)
        )
        return f"{text} {of_these}"


class Languages(Struct, frozen=True):
    """The languages of the letters that go out.

    written: how many are in a language. missing: how many of them are for people with another
    language, in which the letter has no text. spoken: how many go to countries with another
    language, which nobody has chosen for them.
    """

    written: Mapping[str, int]
    missing: Mapping[str, int]
    spoken: Mapping[str, int]


def count_in_words(languages: Mapping[str, int]) -> str:
    """How many are in each language, the most first: `English: 88, German: 12`."""
    return ", ".join(
        f"{name_language(language)}: {format_number(n)}"
        for language, n in sorted(languages.items(), key=lambda each: -each[1])
    )


def find_languages(counts: LetterCounts, text: StageText) -> Languages:
    """The languages of the letters of a stage."""
    written, missing = Counter[str](), Counter[str]()
    for locale, count in counts.locales.items():
        _template, used = text.for_locale(locale)
        written[language_of(used)] += count
        if language_of(used) != language_of(locale):
            missing[language_of(locale)] += count
    return Languages(written, missing, counts.spoken)


def few_left_out(plan: LetterPlan, counts: LetterCounts) -> dict[SkipReason, list[str]]:
    """The names of those who get no letter, by reason, where they are three at most."""
    found: dict[SkipReason, list[str]] = {}
    for each in plan.letters:
        reason = each.decision
        if isinstance(reason, SkipReason) and counts.skipped.get(reason, 0) <= MAX_NAMED:
            found.setdefault(reason, []).append(each.to.full_name)
    return found


def list_line(listed: ListCount) -> str:
    """The parts of a list."""
    text = counted(
        "The list has {n} subscription: {open} not renewed yet",
        "The list has {n} subscriptions: {open} not renewed yet",
        listed.rows,
        open=format_number(listed.open),
    )
    if listed.free:
        text += counted(
            ", {n} complimentary, which gets no letter",
            ", {n} complimentary, which get no letter",
            listed.free,
        )
    if listed.unpaid:
        text += counted(
            ", {n} renews automatically but is not paid",
            ", {n} renew automatically but are not paid",
            listed.unpaid,
        )
    return f"{text}."


def stage_of_list(kind: RenewalList, ago: int) -> RenewalStage | None:
    """The stage whose letters go to a list; None if there is none."""
    return _STAGES.get((kind, ago if kind is RenewalList.LAPSED else 1))


async def find_figures(context: PageContext, db: Connection, stage: RenewalStage) -> Figures:
    """The numbers of a stage, counted once. Queries: one, or five; read aside."""
    return await context.count_once(
        db, ("letters", stage), partial(count_figures, db, context.account_id, stage)
    )


async def find_price_sources(
    context: PageContext, db: Connection, account: Account, text: StageText, figures: Figures
) -> PriceSources | None:
    """Where the prices in the letters of a stage are from, counted once; None if they say none."""
    stage, going_out = figures.stage, sum(figures.counts.by_channel.values())
    if not going_out or not text.says_price:
        return None
    count = partial(count_price_sources, db, account, stage)
    return await context.count_once(db, ("price sources", stage), count)


async def count_figures(db: Connection, account_id: int, stage: RenewalStage) -> Figures:
    """The numbers of a stage. Queries: four, read aside."""
    return Figures(stage, await count_letters(db, await get_account(db, account_id), stage))


async def count_listed(db: Connection, account: Account, figures: Figures) -> ListCount:
    """The rows of the list of a stage. Queries: one, read aside."""
    kind, ago = LISTS[figures.stage]
    return await count_renewals(
        db,
        account.id,
        kind,
        RenewalListQuery(ago=ago),
        current=figures.counts.issue_number,
        today=account.daily_date,
    )
