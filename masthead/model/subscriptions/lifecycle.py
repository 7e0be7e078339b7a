"""The rules of a subscription: its status (when it is Past due or Complete), periods and charges.

Pure functions, without a database or a clock; `store.status_updates` builds its SQL from them.
`day` is the date of the last daily pass of the account. Decision 0008 has the sources.
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
    """The numbers of the issues in a period, whether the issues exist or not."""
    return range(start, start + length)


def next_day(day: date) -> date | None:
    """The next day, None after the last day of the year 9999."""
    return day + timedelta(days=1) if day < date.max else None


def has_ended(period_end: date, day: date) -> bool:
    """Whether the last day of a membership period has passed."""
    return period_end < day


def is_covered(released: date | None, period_start: date, period_end: date) -> bool:
    """Whether a membership period includes an issue that was released on this day."""
    return released is not None and period_start <= released <= period_end


def is_released(release_date: date | None, *, number: int, day: date, current: int | None) -> bool:
    """Whether an issue is out.

    An issue is out on and after its release date. Without a release date, an issue is out if it is
    the current issue or an earlier one. A copy that was sent early changes nothing.
    number: that of the issue. current: that of the current issue, None if there is none.
    """
    if release_date is not None:
        return release_date <= day
    return current is not None and number <= current


def is_period_complete(
    *, period_end: date | None, day: date, missing_issues: int | None, unsent_copies: int
) -> bool:
    """Whether a period is complete: all issues were sent, or the membership period has ended.

    period_end: last day of a membership period, None for a number of issues.
    missing_issues: issues of the period that do not exist yet; None for a membership.
    unsent_copies: copies to send.
    """
    if period_end is not None:
        return has_ended(period_end, day)
    return missing_issues == 0 and unsent_copies == 0


def derive_status(
    status: SubscriptionStatus,
    *,
    type: SubscriptionType,
    is_recurring: bool,
    periods_complete: Iterable[bool],
) -> SubscriptionStatus:
    """The status that follows from the current one and the periods.

    Once all periods are complete, a subscription is Complete if it does not renew: it is not
    recurring, or its renewals were stopped. A recurring membership is then Past due. The status is
    unchanged in all other cases; only a renewal changes Complete and Cancelled.
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


def status_before_completion(
    status: SubscriptionStatus, *, is_recurring: bool
) -> SubscriptionStatus:
    """The status to restore after a wrong clock, for a membership whose periods have not ended.

    A recurring membership is Complete only after its renewals were stopped.
    """
    if status is SubscriptionStatus.COMPLETE and is_recurring:
        return SubscriptionStatus.RENEWALS_STOPPED
    if status in (SubscriptionStatus.COMPLETE, SubscriptionStatus.PAST_DUE):
        return SubscriptionStatus.ACTIVE
    return status


def require_recurring(*, is_recurring: bool) -> None:
    """Raises: Invalid `not_recurring` if there are no renewals to stop."""
    if not is_recurring:
        raise Invalid(
            "`mode` is `stop_renewals`, but this subscription is not recurring, so it has no "
            "renewals. Use `cancel` to end it.",
            code="not_recurring",
            field="mode",
        )


def status_after_stop_renewals(status: SubscriptionStatus) -> SubscriptionStatus:
    """The status after `stop_renewals`, before `derive_status`: Active and Past due change."""
    if status in (SubscriptionStatus.ACTIVE, SubscriptionStatus.PAST_DUE):
        return SubscriptionStatus.RENEWALS_STOPPED
    return status


def status_after_renewal(status: SubscriptionStatus) -> SubscriptionStatus:
    """The status after a renewal, before `derive_status`: Complete and Past due become Active."""
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
    """The date of the next charge, None if there is none or the date is not known.

    period_end: last day of the last period of a membership. charge_date: of a subscription for a
    number of issues, the `recurring_charge_date` of the issue after its last one.
    """
    if not is_recurring or status not in (SubscriptionStatus.ACTIVE, SubscriptionStatus.PAST_DUE):
        return None
    return next_day(period_end) if period_end is not None else charge_date
