"""When the supply of an order ends, which decides about its VAT: see decision 0092."""

from datetime import date

from msgspec import Struct

from masthead.model.orders.order import Order
from masthead.model.orders.period_coverage import membership_period_end
from masthead.model.subscriptions.lifecycle import next_day
from masthead.model.subscriptions.stored import StoredPeriod


class SupplyEnd(Struct, frozen=True, kw_only=True):
    """The last issue of an order, or the last day of its membership; None if it is not known."""

    issue: int | None = None
    day: date | None = None


def end_of_order(
    *, start_issue: int | None, length: int | None, start: date | None, months: int | None
) -> SupplyEnd:
    """The end of a first order: of its issues, or of its months from a day on."""
    if start_issue and length:
        return SupplyEnd(issue=start_issue + length - 1)
    return SupplyEnd(day=membership_period_end(start, months) if start and months else None)


def end_of_renewal(
    last: StoredPeriod,
    *,
    length: int | None = None,
    months: int | None = None,
    start: date | None = None,
) -> SupplyEnd:
    """The end of an order that renews a period. What is None continues the period."""
    if last.last_issue is not None:
        return SupplyEnd(issue=last.last_issue + (length or last.length or 0))
    return end_of_order(
        start_issue=None,
        length=None,
        start=start or (next_day(last.period_end) if last.period_end else None),
        months=months or last.interval_months,
    )


def end_of_import(order: Order, last: StoredPeriod | None) -> SupplyEnd:
    """The end of an order of an import. last: the period that it renews; None for a first order."""
    if last is not None:
        return end_of_renewal(
            last, length=order.length, months=order.interval_months, start=order.period_start
        )
    return end_of_order(
        start_issue=order.start_issue,
        length=order.length,
        start=order.period_start,
        months=order.interval_months,
    )
