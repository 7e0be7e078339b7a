"""What an order and the live subscriptions of its subscriber have in common: issues, or days."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from msgspec import Struct

from masthead.model.addresses.days import Release, find_span
from masthead.model.errors import Invalid
from masthead.model.orders.period_coverage import membership_period_end
from masthead.model.subscriptions.lifecycle import issues_covered
from masthead.model.translations import gettext as _
from masthead.model.types.enums import Medium, SubscriptionType
from masthead.model.types.fields import MAX_NUMBER

MOST = 5  # overlapping subscriptions that a user is asked about


class LivePeriod(Struct, frozen=True, kw_only=True):
    """A period of a live subscription: issues, or days."""

    subscription_id: str
    medium: Medium
    first_issue: int | None
    last_issue: int | None
    period_start: date | None
    period_end: date | None


class Overlap(Struct, frozen=True):
    """A live subscription with issues or days of an order.

    first, last: its issues, from those that the order has too; None for a membership. end: the last
    day of a membership.
    """

    subscription_id: str
    first: int | None
    last: int | None
    end: date | None


def find_overlaps(
    given: Mapping[str, Any], periods: Iterable[LivePeriod], releases: Sequence[Release]
) -> list[Overlap]:
    """The subscriptions that have an issue of an order, or a day of a membership, at most `MOST`.

    given: the valid fields of an `OrderCreate`. periods: of one subscriber, oldest first.
    releases: of issues with a release date, by number; they say which issues a membership has.
    """
    wanted = _as_period(given)
    if wanted is None:
        return []
    of_each: dict[str, list[LivePeriod]] = {}
    for each in periods:
        known = of_each.setdefault(each.subscription_id, [])
        if known or (_share_medium(each.medium, wanted.medium) and _meet(each, wanted, releases)):
            known.append(each)
    return [_joined(id, met) for id, met in of_each.items() if met][:MOST]


def require_answer(found: Iterable[Overlap], answer: str | None) -> None:
    """Check that the user has said of each subscription that the order is added as well.

    answer: ids separated by commas. Raises: Invalid.
    """
    ids = set((answer or "").split(","))
    if any(each.subscription_id not in ids for each in found):
        message = _(
            "The subscriber already has a subscription at that time. Renew it, or tick “Add it as "
            "well”."
        )
        raise Invalid(message, field="overlaps")


def _as_period(given: Mapping[str, Any]) -> LivePeriod | None:
    """The issues or days of an order; None if they are not known yet."""
    start = months = first = last = None
    if given.get("type") is SubscriptionType.MEMBERSHIP:
        start = given.get("period_start") or given.get("order_date")
        months = given.get("interval_months")
        if start is None or months is None:
            return None
    else:
        first = given.get("start_issue")
        if first is None:
            return None
        last = issues_covered(first, given.get("length") or 1)[-1]
    return LivePeriod(
        subscription_id="",
        medium=given.get("medium") or Medium.PRINT,
        first_issue=first,
        last_issue=last,
        period_start=start,
        period_end=membership_period_end(start, months) if start and months else None,
    )


def _share_medium(one: Medium, other: Medium) -> bool:
    return one is other or Medium.PRINT_AND_DIGITAL in (one, other)


def _meet(one: LivePeriod, other: LivePeriod, releases: Sequence[Release]) -> bool:
    """Whether two periods have a day, or an issue, in common."""
    if one.period_start and one.period_end and other.period_start and other.period_end:
        return one.period_start <= other.period_end and other.period_start <= one.period_end
    first, last = _issues(one, releases)
    other_first, other_last = _issues(other, releases)
    return first <= other_last and other_first <= last


def _issues(period: LivePeriod, releases: Sequence[Release]) -> tuple[int, int]:
    """The first and the last issue of a period; the last is before the first if it has none."""
    if period.period_start is None or period.period_end is None:
        return period.first_issue or 1, period.last_issue or MAX_NUMBER
    try:
        span = find_span(releases, period.period_start, period.period_end)
    except Invalid:  # there is none, or it is not known which
        numbers = [
            each.number for each in releases if period.period_start <= each.day <= period.period_end
        ]
        return min(numbers, default=1), max(numbers, default=0)
    return span.first.number, span.last.number if span.last else MAX_NUMBER


def _joined(id: str, periods: Sequence[LivePeriod]) -> Overlap:
    """What the periods of a subscription have, from the first that overlaps to the last."""
    return Overlap(
        id,
        periods[0].first_issue,
        max((each.last_issue for each in periods if each.last_issue is not None), default=None),
        max((each.period_end for each in periods if each.period_end is not None), default=None),
    )
