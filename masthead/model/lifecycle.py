"""The pure rules of subscriptions: issues covered, periods, status, charge dates.

Facts in, answers out; no database, no clock. `day` is the date of the account's last daily pass.
Source: docs/decisions/0008.
"""

from collections.abc import Iterable
from datetime import date, timedelta

from masthead.model.errors import Invalid
from masthead.model.types.enums import SubscriptionStatus, SubscriptionType

LIVE = frozenset(
    {
        SubscriptionStatus.ACTIVE,
        SubscriptionStatus.RENEWALS_STOPPED,
        SubscriptionStatus.PAST_DUE,
    }
)


def issues_covered(start: int, length: int) -> range:
    """The issue numbers of a period: `length` of them, from `start` on, existing or not."""
    return range(start, start + length)


def day_after(day: date) -> date | None:
    """The next day, None after the last one of the calendar."""
    return day + timedelta(days=1) if day < date.max else None


def has_ended(period_end: date, day: date) -> bool:
    """Whether a membership period is over: its last day has passed."""
    return period_end < day


def is_covered(released: date | None, period_start: date, period_end: date) -> bool:
    """Whether a membership period is granted an issue released on that day."""
    return released is not None and period_start <= released <= period_end


def is_period_complete(
    *, period_end: date | None, day: date, missing_issues: int, unsent_copies: int
) -> bool:
    """Whether a period has been delivered.

    period_end: last day of a membership period, None for issue periods.
    missing_issues: numbers of its list that are no issue yet; unsent_copies: its Not sent ones.
    """
    if period_end is not None:
        return has_ended(period_end, day)
    return missing_issues == 0 and unsent_copies == 0


def settled(
    status: SubscriptionStatus,
    *,
    type: SubscriptionType,
    is_recurring: bool,
    periods_complete: Iterable[bool],
) -> SubscriptionStatus:
    """The status once what has come true is taken into account.

    Not recurring or renewals stopped, and all periods complete: Complete. A recurring membership
    whose periods are over: Past due. Otherwise, and in the states that only a renewal leaves:
    unchanged.
    """
    if status in (SubscriptionStatus.CANCELLED, SubscriptionStatus.COMPLETE):
        return status
    if not all(periods_complete):
        return status
    if not is_recurring or status is SubscriptionStatus.RENEWALS_STOPPED:
        return SubscriptionStatus.COMPLETE
    if type is SubscriptionType.MEMBERSHIP:
        return SubscriptionStatus.PAST_DUE
    return status


def reopened(status: SubscriptionStatus, *, is_recurring: bool) -> SubscriptionStatus:
    """The status of a membership before `settled`, if its periods have not ended after all.

    A recurring one is Complete only after its renewals were stopped.
    """
    if status is SubscriptionStatus.COMPLETE and is_recurring:
        return SubscriptionStatus.RENEWALS_STOPPED
    if status in (SubscriptionStatus.COMPLETE, SubscriptionStatus.PAST_DUE):
        return SubscriptionStatus.ACTIVE
    return status


def require_recurring(*, is_recurring: bool) -> None:
    """Raises: Invalid `not_recurring` unless there are renewals to stop."""
    if not is_recurring:
        raise Invalid(
            "`mode` is `stop_renewals`, but this subscription is not recurring; there is nothing "
            "to stop. Use `cancel` to end it.",
            code="not_recurring",
            field="mode",
        )


def with_renewals_stopped(status: SubscriptionStatus) -> SubscriptionStatus:
    """The status after `stop_renewals`, before `settled`: only Active and Past due change."""
    if status in (SubscriptionStatus.ACTIVE, SubscriptionStatus.PAST_DUE):
        return SubscriptionStatus.RENEWALS_STOPPED
    return status


def renewed(status: SubscriptionStatus) -> SubscriptionStatus:
    """The status after a renewal, before `settled`: Complete and Past due become Active."""
    if status in (SubscriptionStatus.COMPLETE, SubscriptionStatus.PAST_DUE):
        return SubscriptionStatus.ACTIVE
    return status


def next_charge_date(
    status: SubscriptionStatus,
    *,
    is_recurring: bool,
    period_end: date | None,
    charge_date: date | None,
) -> date | None:
    """When the next charge is due, None if there is none.

    period_end: last day of a membership's last period; charge_date: `recurring_charge_date` of the
    issue that follows an issue subscription's last one.
    """
    if not is_recurring or status not in (SubscriptionStatus.ACTIVE, SubscriptionStatus.PAST_DUE):
        return None
    return day_after(period_end) if period_end is not None else charge_date
