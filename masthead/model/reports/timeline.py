"""Did they get that issue, and why not? The answer for each issue.

Facts in, answers out; no database, no clock. `day` is the date of the account's last daily pass.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from enum import StrEnum

from msgspec import Struct

from masthead.model.lifecycle import is_covered
from masthead.model.orders.period_coverage import PeriodCoverage
from masthead.model.types.enums import CopyStatus, SubscriptionStatus, SubscriptionType


class Deed(Struct, frozen=True):
    """When something was done, and by whom. is_stated: an import says that it was so before."""

    at: datetime
    by: str
    is_stated: bool = False


class Bought(Struct, frozen=True, kw_only=True):
    """A subscription, with what decides which issues it includes.

    ordered: date of its first order. spans: of its periods, oldest first; one at least.
    cancelled, stopped: the cancel and the stop of renewals that hold now, as far as known.
    """

    id: str
    type: SubscriptionType
    status: SubscriptionStatus
    is_recurring: bool
    ordered: date | None
    spans: Sequence[PeriodCoverage]
    cancelled: Deed | None = None
    stopped: Deed | None = None


class IssueFacts(Struct, frozen=True):
    """An issue, or a number that is none yet: then id and name are empty."""

    number: int
    id: str = ""
    name: str = ""
    released: date | None = None


class Sending(Struct, frozen=True):
    """A copy. sent_on: None if it was not sent, or on a day that nobody noted."""

    id: int
    status: CopyStatus
    sent_on: date | None = None


class Verdict(StrEnum):
    """What became of an issue under a subscription."""

    SENT = "Sent"
    WAITING = "Waiting"  # the issue is out, the copy has not been sent
    TO_COME = "To come"  # neither
    CANCELLED = "Cancelled"
    NOT_INCLUDED = "Not included"


class Why(StrEnum):
    """Why a subscription does not include an issue."""

    CANCELLED_BEFORE = "cancelled before the issue was there"
    UNPAID = "not paid on the day of its release"  # between two periods of a membership
    ENDED = "ended with an issue before"
    PAID_UNTIL = "paid until a day before its release"
    STARTS = "starts with a later issue"
    BEGINS = "begins after its release"
    UNDATED = "the issue has no date of release"


class Cause(StrEnum):
    """Why a subscription has not gone on."""

    CANCELLED = "cancelled"
    STOPPED = "renewals stopped"
    NOT_RENEWED = "not renewed yet"
    ONCE = "not recurring"


class Fate(Struct, frozen=True, kw_only=True):
    """What became of an issue under one subscription.

    copy_id: of the copy, None if there is none. day: on which the copy was sent; on which what was
    paid ended; on which the subscription was ordered or begins. number: of the last or first issue.
    cause: why the subscription has not gone on. deed: what ended it.
    """

    subscription_id: str
    verdict: Verdict
    copy_id: int | None = None
    why: Why | None = None
    day: date | None = None
    number: int | None = None
    cause: Cause | None = None
    deed: Deed | None = None


class Line(Struct, frozen=True):
    """An issue, and what became of it under each subscription that has to do with it."""

    issue: IssueFacts
    fates: Sequence[Fate]

    @property
    def verdict(self) -> Verdict:
        """In one word: the best that happened."""
        order = list(Verdict)
        return min((fate.verdict for fate in self.fates), key=order.index, default=order[-1])


def tell(
    issue: IssueFacts, bought: Iterable[Bought], copies: Mapping[str, Sending], *, day: date
) -> Line:
    """What became of an issue. bought: all that the subscriber has. copies: by subscription.

    If there is no copy: why, by the subscriptions that came closest to including it.
    """
    everything = list(bought)
    fates = [
        _fate_of_copy(issue, each, copies[each.id], day) for each in everything if each.id in copies
    ]
    if not fates:
        closest: dict[tuple[Verdict, Why | None], Fate] = {}
        for fate in sorted((_fate_without(issue, each) for each in everything), key=_distance):
            closest.setdefault((fate.verdict, fate.why), fate)
        told = sorted(closest.values(), key=_telling)
        best = [fate for fate in told if _telling(fate) == 0]
        fates = best or told
    return Line(issue, fates)


def _fate_of_copy(issue: IssueFacts, bought: Bought, copy: Sending, day: date) -> Fate:
    is_out = issue.released is not None and issue.released <= day
    waiting = Verdict.WAITING if is_out else Verdict.TO_COME
    verdict = {
        CopyStatus.SENT: Verdict.SENT,
        CopyStatus.CANCELLED: Verdict.CANCELLED,
        CopyStatus.NOT_SENT: waiting,
    }[copy.status]
    return Fate(
        subscription_id=bought.id,
        verdict=verdict,
        copy_id=copy.id,
        day=copy.sent_on,
        deed=bought.cancelled if verdict is Verdict.CANCELLED else None,
    )


def _fate_without(issue: IssueFacts, bought: Bought) -> Fate:
    """Why a subscription has no copy of an issue."""
    if bought.type is SubscriptionType.MEMBERSHIP:
        return _fate_of_member(issue, bought)
    first, last = bought.spans[0].first_issue, bought.spans[-1].last_issue
    assert first is not None
    assert last is not None
    if issue.number < first:
        return _absent(bought, Why.STARTS, number=first, day=bought.ordered)
    if issue.number > last:
        return _absent(bought, Why.ENDED, number=last, is_over=True)
    if bought.status is SubscriptionStatus.CANCELLED:
        return _absent(bought, Why.CANCELLED_BEFORE, is_over=True)
    return Fate(subscription_id=bought.id, verdict=Verdict.TO_COME)  # it is no issue yet


def _fate_of_member(issue: IssueFacts, bought: Bought) -> Fate:
    if issue.released is None:
        return _absent(bought, Why.UNDATED)
    windows = [
        (span.period_start, span.period_end)
        for span in bought.spans
        if span.period_start is not None and span.period_end is not None
    ]
    if any(is_covered(issue.released, start, end) for start, end in windows):
        return _absent(bought, Why.CANCELLED_BEFORE, is_over=True)
    if issue.released < windows[0][0]:
        return _absent(bought, Why.BEGINS, day=windows[0][0])
    if issue.released > windows[-1][1]:
        return _absent(bought, Why.PAID_UNTIL, day=windows[-1][1], is_over=True)
    paid_until = max(end for _, end in windows if end < issue.released)
    return _absent(bought, Why.UNPAID, day=paid_until)


def _absent(
    bought: Bought,
    why: Why,
    *,
    number: int | None = None,
    day: date | None = None,
    is_over: bool = False,
) -> Fate:
    """No copy. is_over: the issue came when the subscription had nothing more to give."""
    cause, deed = _end_of(bought) if is_over else (None, None)
    return Fate(
        subscription_id=bought.id,
        verdict=Verdict.NOT_INCLUDED,
        why=why,
        number=number,
        day=day,
        cause=cause,
        deed=deed,
    )


def _end_of(bought: Bought) -> tuple[Cause, Deed | None]:
    """Why a subscription has not gone on, and what ended it."""
    if bought.status is SubscriptionStatus.CANCELLED:
        return Cause.CANCELLED, bought.cancelled
    if not bought.is_recurring:
        return Cause.ONCE, None
    if bought.status in (SubscriptionStatus.ACTIVE, SubscriptionStatus.PAST_DUE):
        return Cause.NOT_RENEWED, None
    return Cause.STOPPED, bought.stopped


def _distance(fate: Fate) -> int:
    """How far a subscription was from including the issue, among those for the same reason."""
    if fate.why is Why.STARTS:
        return fate.number or 0
    if fate.why is Why.ENDED:
        return -(fate.number or 0)
    day = fate.day.toordinal() if fate.day else 0
    return day if fate.why is Why.BEGINS else -day


def _telling(fate: Fate) -> int:
    """How much a fate without a copy says: 0 makes all others beside the point."""
    is_final = fate.verdict is Verdict.TO_COME or fate.why is Why.CANCELLED_BEFORE
    return 0 if is_final else 1 + list(Why).index(fate.why or Why.UNDATED)
