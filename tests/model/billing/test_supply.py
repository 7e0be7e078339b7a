"""The end of what a renewal supplies."""

from datetime import date

from msgspec import structs

from masthead.model.billing.supply import SupplyEnd, end_of_renewal
from masthead.model.subscriptions.stored import StoredPeriod
from tests.model.subscriptions.test_skips import period


def test_a_renewal_of_issues_ends_as_many_issues_later() -> None:
    before = period(1, 5, 4)
    assert end_of_renewal(before) == SupplyEnd(issue=12)
    assert end_of_renewal(before, length=6) == SupplyEnd(issue=14)


def membership(period_end: date | None) -> StoredPeriod:
    """A period of twelve months."""
    days = structs.replace(period(1, 0, 0), first_issue=None, last_issue=None, length=None)
    return structs.replace(days, interval_months=12, period_end=period_end)


def test_a_renewal_of_a_membership_begins_on_the_day_after() -> None:
    before = membership(date(2026, 6, 30))
    assert end_of_renewal(before) == SupplyEnd(day=date(2027, 6, 30))
    assert end_of_renewal(before, months=6) == SupplyEnd(day=date(2026, 12, 31))
    assert end_of_renewal(before, start=date(2026, 9, 1)) == SupplyEnd(day=date(2027, 8, 31))


def test_a_membership_without_a_last_day_has_no_known_end() -> None:
    assert end_of_renewal(membership(None)) == SupplyEnd()
