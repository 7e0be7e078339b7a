"""Whether a subscriber got an issue, and why not.

Pure rules without database or clock. `day` is the date of the account's last daily pass.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from enum import StrEnum

from msgspec import Struct

from masthead.model.orders.period_coverage import PeriodCoverage
from masthead.model.subscriptions.lifecycle import is_covered, is_released
from masthead.model.types.enums import CopyStatus, SubscriptionStatus, SubscriptionType


class StatusChange(Struct, frozen=True):
    """When the status of a subscription changed, and who changed it.

    is_imported: whether an import created the subscription with this status.
    """

    at: datetime
    by: str
    is_imported: bool = False


class SubscriptionFacts(Struct, frozen=True, kw_only=True):
    """A subscription, with the facts that decide which issues it includes.

    order_date: of its first order. periods: oldest first, at least one.
    cancelled, stopped: the latest cancellation and the latest stop of renewals, if known.
    """

    id: str
    type: SubscriptionType
    status: SubscriptionStatus
    is_recurring: bool
    order_date: date | None
    periods: Sequence[PeriodCoverage]
    cancelled: StatusChange | None = None
    stopped: StatusChange | None = None


class IssueFacts(Struct, frozen=True):
    """An issue. If only its number is known, because it is not created yet, id and name are empty.

    released: its release date, None if it has none.
    """

    number: int
    id: str = ""
    name: str = ""
    released: date | None = None


class CopyFacts(Struct, frozen=True):
    """A copy. sent_on: None if it is not sent, or if the date was not recorded."""

    id: int
    status: CopyStatus
    sent_on: date | None = None


class DeliveryStatus(StrEnum):
    """The state of an issue under a subscription, best first."""

    SENT = "Sent"
    WAITING = "Waiting"  # the issue is out, the copy is not sent
    UPCOMING = "Upcoming"  # the issue is not out, or not created
    CANCELLED = "Cancelled"
    NOT_INCLUDED = "Not included"


class NotIncludedReason(StrEnum):
    """Why a subscription does not include an issue."""

    CANCELLED_BEFORE = "cancelled before the issue was created"
    BETWEEN_PERIODS = "released between two periods"  # of a membership
    ENDED = "ended with an earlier issue"
    PAID_UNTIL = "paid until a day before the release date"
    STARTS_LATER = "starts with a later issue"
    BEGINS_LATER = "begins after the release date"
    NO_RELEASE_DATE = "the issue has no release date"


class EndReason(StrEnum):
    """Why a subscription did not continue."""

    CANCELLED = "cancelled"
    RENEWALS_STOPPED = "renewals stopped"
    NOT_RENEWED = "not renewed yet"
    NOT_RECURRING = "not recurring"


class Delivery(Struct, frozen=True, kw_only=True):
    """The state of an issue under one subscription.

    copy_id: None if there is no copy. day: when the copy was sent, or until when the subscription
    was paid, or when it was ordered or begins. number: of its last or first issue.
    end_reason: why the subscription did not continue. ended_by: the change that ended it.
    """

    subscription_id: str
    status: DeliveryStatus
    copy_id: int | None = None
    reason: NotIncludedReason | None = None
    day: date | None = None
    number: int | None = None
    end_reason: EndReason | None = None
    ended_by: StatusChange | None = None


class IssueSummary(Struct, frozen=True):
    """An issue, and its state under each relevant subscription of one subscriber."""

    issue: IssueFacts
    deliveries: Sequence[Delivery]

    @property
    def status(self) -> DeliveryStatus:
        """The best state under any of the subscriptions."""
        order = list(DeliveryStatus)
        statuses = (delivery.status for delivery in self.deliveries)
        return min(statuses, key=order.index, default=DeliveryStatus.NOT_INCLUDED)


def summarize_issue(
    issue: IssueFacts,
    subscriptions: Iterable[SubscriptionFacts],
    copies: Mapping[str, CopyFacts],
    *,
    day: date,
    current: int | None,
) -> IssueSummary:
    """The state of an issue for one subscriber.

    subscriptions: all that the subscriber has. copies: of the issue, by subscription.
    current: the number of the current issue. Without a copy, the summary names the subscriptions
    that came closest to including the issue.
    """
    everything = list(subscriptions)
    is_out = is_released(issue.released, number=issue.number, day=day, current=current)
    deliveries = [
        _copy_delivery(each, copies[each.id], is_out=is_out)
        for each in everything
        if each.id in copies
    ]
    if not deliveries:
        missing = sorted((_missing_delivery(issue, each) for each in everything), key=_distance)
        closest: dict[tuple[DeliveryStatus, NotIncludedReason | None], Delivery] = {}
        for delivery in missing:
            closest.setdefault((delivery.status, delivery.reason), delivery)
        ranked = sorted(closest.values(), key=_rank)
        deliveries = [delivery for delivery in ranked if _rank(delivery) == 0] or ranked
    return IssueSummary(issue, deliveries)


def _copy_delivery(subscription: SubscriptionFacts, copy: CopyFacts, *, is_out: bool) -> Delivery:
    not_sent = DeliveryStatus.WAITING if is_out else DeliveryStatus.UPCOMING
    status = {
        CopyStatus.SENT: DeliveryStatus.SENT,
        CopyStatus.CANCELLED: DeliveryStatus.CANCELLED,
        CopyStatus.NOT_SENT: not_sent,
    }[copy.status]
    return Delivery(
        subscription_id=subscription.id,
        status=status,
        copy_id=copy.id,
        day=copy.sent_on,
        ended_by=subscription.cancelled if status is DeliveryStatus.CANCELLED else None,
    )


def _missing_delivery(issue: IssueFacts, subscription: SubscriptionFacts) -> Delivery:
    """Why a subscription has no copy of an issue."""
    if subscription.type is SubscriptionType.MEMBERSHIP:
        return _missing_member_delivery(issue, subscription)
    first, last = subscription.periods[0].first_issue, subscription.periods[-1].last_issue
    assert first is not None
    assert last is not None
    if issue.number < first:
        day = subscription.order_date
        return _not_included(subscription, NotIncludedReason.STARTS_LATER, number=first, day=day)
    if issue.number > last:
        return _not_included(subscription, NotIncludedReason.ENDED, number=last, has_ended=True)
    if subscription.status is SubscriptionStatus.CANCELLED:
        return _not_included(subscription, NotIncludedReason.CANCELLED_BEFORE, has_ended=True)
    return Delivery(subscription_id=subscription.id, status=DeliveryStatus.UPCOMING)


def _missing_member_delivery(issue: IssueFacts, subscription: SubscriptionFacts) -> Delivery:
    if issue.released is None:
        return _not_included(subscription, NotIncludedReason.NO_RELEASE_DATE)
    windows = [
        (period.period_start, period.period_end)
        for period in subscription.periods
        if period.period_start is not None and period.period_end is not None
    ]
    begins, paid_until = windows[0][0], windows[-1][1]
    if any(is_covered(issue.released, start, end) for start, end in windows):
        return _not_included(subscription, NotIncludedReason.CANCELLED_BEFORE, has_ended=True)
    if issue.released < begins:
        return _not_included(subscription, NotIncludedReason.BEGINS_LATER, day=begins)
    if issue.released > paid_until:
        reason = NotIncludedReason.PAID_UNTIL
        return _not_included(subscription, reason, day=paid_until, has_ended=True)
    paid_until = max(end for _, end in windows if end < issue.released)
    return _not_included(subscription, NotIncludedReason.BETWEEN_PERIODS, day=paid_until)


def _not_included(
    subscription: SubscriptionFacts,
    reason: NotIncludedReason,
    *,
    number: int | None = None,
    day: date | None = None,
    has_ended: bool = False,
) -> Delivery:
    """has_ended: whether the subscription had ended when the issue came out."""
    end_reason, ended_by = _find_end(subscription) if has_ended else (None, None)
    return Delivery(
        subscription_id=subscription.id,
        status=DeliveryStatus.NOT_INCLUDED,
        reason=reason,
        number=number,
        day=day,
        end_reason=end_reason,
        ended_by=ended_by,
    )


def _find_end(subscription: SubscriptionFacts) -> tuple[EndReason, StatusChange | None]:
    """Why a subscription did not continue, and the change that ended it."""
    if subscription.status is SubscriptionStatus.CANCELLED:
        return EndReason.CANCELLED, subscription.cancelled
    if not subscription.is_recurring:
        return EndReason.NOT_RECURRING, None
    if subscription.status in (SubscriptionStatus.ACTIVE, SubscriptionStatus.PAST_DUE):
        return EndReason.NOT_RENEWED, None
    return EndReason.RENEWALS_STOPPED, subscription.stopped


def _distance(delivery: Delivery) -> int:
    """How close a subscription came to including the issue, among those with the same reason."""
    if delivery.reason is NotIncludedReason.STARTS_LATER:
        return delivery.number or 0
    if delivery.reason is NotIncludedReason.ENDED:
        return -(delivery.number or 0)
    day = delivery.day.toordinal() if delivery.day else 0
    return day if delivery.reason is NotIncludedReason.BEGINS_LATER else -day


def _rank(delivery: Delivery) -> int:
    """How relevant a delivery without a copy is. 0: the others need not be mentioned."""
    if delivery.status is DeliveryStatus.UPCOMING:
        return 0
    reason = delivery.reason or NotIncludedReason.NO_RELEASE_DATE
    is_decisive = reason is NotIncludedReason.CANCELLED_BEFORE
    return 0 if is_decisive else 1 + list(NotIncludedReason).index(reason)
