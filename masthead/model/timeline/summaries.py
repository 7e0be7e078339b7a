"""The issues of a subscriber, each with its state under their subscriptions.

Pure rules without database or clock.
"""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from datetime import date, datetime
from enum import StrEnum
from types import MappingProxyType

from msgspec import Struct, structs

from masthead.model.holds import Hold
from masthead.model.orders.period_coverage import PeriodCoverage
from masthead.model.subscriptions.lifecycle import is_covered
from masthead.model.timeline.codes import CoverageFacts, IssueFacts, WhyCode, decide
from masthead.model.timeline.facts import WhyClaim
from masthead.model.types.enums import CopyStatus, SubscriptionStatus, SubscriptionType

# Without a copy, the other subscriptions need not be mentioned
_DECISIVE = (WhyCode.NO_ISSUE, WhyCode.CANCELLED, WhyCode.SKIPPED, WhyCode.NO_COPY)


class StatusChange(Struct, frozen=True):
    """When the status of a subscription changed, and who changed it.

    is_imported: whether an import created the subscription with this status.
    """

    at: datetime
    by: str
    is_imported: bool = False


class EndReason(StrEnum):
    """Why a subscription did not continue."""

    CANCELLED = "cancelled"
    RENEWALS_STOPPED = "renewals stopped"
    NOT_RENEWED = "not renewed yet"
    NOT_RECURRING = "not recurring"


class SubscriptionFacts(CoverageFacts, frozen=True, kw_only=True):
    """A subscription, with the facts that decide which issues it includes.

    order_date: of its first order. periods: oldest first, at least one.
    cancelled, stopped: the latest cancellation and the latest stop of renewals, if known.
    address: what it shares with the other copies of its order for one address; None without them.
    skipped: the numbers of the issues that it leaves out. hold: why its copies wait; None if they
    do not.
    """

    is_recurring: bool
    order_date: date | None
    periods: Sequence[PeriodCoverage]
    cancelled: StatusChange | None = None
    stopped: StatusChange | None = None
    address: Hashable | None = None
    skipped: Collection[int] = ()
    hold: Hold | None = None

    @property
    def is_membership(self) -> bool:
        """Whether it includes issues by their release dates."""
        return self.type is SubscriptionType.MEMBERSHIP

    @property
    def windows(self) -> list[tuple[date, date]]:
        """The first and the last day of each period of a membership."""
        return [
            (period.period_start, period.period_end)
            for period in self.periods
            if period.period_start is not None and period.period_end is not None
        ]

    @property
    def end(self) -> tuple[EndReason, StatusChange | None]:
        """Why it did not continue, and the change that ended it."""
        if self.status is SubscriptionStatus.CANCELLED:
            return EndReason.CANCELLED, self.cancelled
        if not self.is_recurring:
            return EndReason.NOT_RECURRING, None
        if self.status in (SubscriptionStatus.ACTIVE, SubscriptionStatus.PAST_DUE):
            return EndReason.NOT_RENEWED, None
        return EndReason.RENEWALS_STOPPED, self.stopped


class CopyFacts(Struct, frozen=True):
    """A copy. sent_on: None if it is not sent, or if the date was not recorded.

    dispatch_id: of the run that it went out with; None if it was marked outside of one.
    claim: the newest one that was not withdrawn. returned_on: when the post last reported it as
    undeliverable; None if it did not.
    """

    id: int
    status: CopyStatus
    sent_on: date | None = None
    dispatch_id: str | None = None
    claim: WhyClaim | None = None
    returned_on: date | None = None


class Delivery(Struct, frozen=True, kw_only=True):
    """The state of an issue under one subscription.

    copy: None if there is none. grace: the grace copy, if there is one instead. paid_until, begins:
    the last paid day before the release of the issue, or else the first paid day after it, if a
    membership does not cover the release.
    count: of several copies for one address, all those that have the same status.
    """

    subscription: SubscriptionFacts
    code: WhyCode
    copy: CopyFacts | None = None
    grace: CopyFacts | None = None
    paid_until: date | None = None
    begins: date | None = None
    count: int = 1

    @property
    def status(self) -> CopyStatus | None:
        """The status of the copy, or of the future one. None if the issue is not included."""
        if own := self.copy or self.grace:
            return own.status
        is_promised = self.code is WhyCode.NO_ISSUE and not self.subscription.is_membership
        return CopyStatus.NOT_SENT if is_promised else None


class IssueSummary(Struct, frozen=True):
    """An issue, and its state under each relevant subscription of one subscriber, best first."""

    issue: IssueFacts
    deliveries: Sequence[Delivery]

    @property
    def status(self) -> CopyStatus | None:
        """The best status under any of the subscriptions; None if none includes the issue."""
        found = {delivery.status for delivery in self.deliveries}
        best = (CopyStatus.SENT, CopyStatus.NOT_SENT, CopyStatus.CANCELLED)
        return next((status for status in best if status in found), None)


def summarize_issue(
    issue: IssueFacts,
    subscriptions: Iterable[SubscriptionFacts],
    copies: Mapping[str, CopyFacts],
    grace: Mapping[str, CopyFacts] = MappingProxyType({}),
) -> IssueSummary:
    """The state of an issue for one subscriber.

    subscriptions: all that the subscriber has. copies, grace: the copies and the grace copies of
    the issue, by subscription.
    Without a copy, the summary names the subscriptions that came closest to including the issue.
    """
    deliveries = sorted(
        _join(
            _deliver(issue, each, copies.get(each.id), grace.get(each.id)) for each in subscriptions
        ),
        key=lambda delivery: delivery.code.rank,
    )
    having = [delivery for delivery in deliveries if delivery.copy or delivery.grace]
    if having or not deliveries:
        return IssueSummary(issue, having)
    closest: dict[tuple[object, ...], Delivery] = {}
    for delivery in sorted(deliveries, key=_distance):
        side = (delivery.code, delivery.paid_until is None)
        closest.setdefault(side, delivery)
    first, *_ = deliveries
    ranked = sorted(closest.values(), key=lambda delivery: delivery.code.rank)
    return IssueSummary(issue, [first] if first.code in _DECISIVE else ranked)


def _deliver(
    issue: IssueFacts,
    subscription: SubscriptionFacts,
    copy: CopyFacts | None,
    grace: CopyFacts | None,
) -> Delivery:
    if grace and not copy:
        return Delivery(subscription=subscription, code=WhyCode.GRACE_COPY, grace=grace)
    windows, released = subscription.windows, issue.released
    covers = any(is_covered(released, *window) for window in windows)
    code = decide(
        issue,
        subscription,
        copy.status if copy else None,
        is_covered=covers,
        is_skipped=issue.number in subscription.skipped,
    )
    is_waiting = code in (WhyCode.WAITING, WhyCode.NOT_OUT)
    if is_waiting and subscription.hold and copy and not copy.dispatch_id:
        code = WhyCode.HELD
    paid_until = begins = None
    if code is WhyCode.OUTSIDE_MEMBERSHIP and released is not None:
        paid_until = max((end for _, end in windows if end < released), default=None)
        begins = min((start for start, _ in windows if start > released), default=None)
    return Delivery(
        subscription=subscription, code=code, copy=copy, paid_until=paid_until, begins=begins
    )


def _join(deliveries: Iterable[Delivery]) -> list[Delivery]:
    """One delivery for the copies for one address that have the same status."""
    found: dict[Hashable, Delivery] = {}
    for each in deliveries:
        own, copy = each.subscription, each.copy or each.grace
        claim = copy and copy.claim
        state = copy and (
            copy.status,
            copy.sent_on,
            copy.dispatch_id,
            claim and claim.status,
            copy.returned_on,
        )
        key: Hashable = (
            own.id if own.address is None else (own.address, own.status, each.code, state)
        )
        if (before := found.get(key)) is None:
            found[key] = each
        else:  # they come newest first, and the oldest is the one that the pages show
            oldest = min(before, each, key=lambda delivery: delivery.subscription.id)
            found[key] = structs.replace(oldest, count=before.count + 1)
    return list(found.values())


def _distance(delivery: Delivery) -> int:
    """How close a subscription came to including the issue, among those with the same reason."""
    own = delivery.subscription
    if delivery.code is WhyCode.BEFORE_START:
        return own.first_issue or 0
    if delivery.code is WhyCode.AFTER_END:
        return -(own.last_issue or 0)
    if delivery.paid_until:
        return -delivery.paid_until.toordinal()
    return delivery.begins.toordinal() if delivery.begins else 0
