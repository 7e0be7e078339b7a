"""What products offer, and which price counts for an order."""

import pytest

from masthead.model.dispatch.runs import CountryGroup
from masthead.model.errors import Invalid
from masthead.model.orders.offers import Offer, checked_offer, price_for, price_texts
from masthead.model.types.enums import Medium, SubscriptionType

MEMBERSHIP = SubscriptionType.MEMBERSHIP
PRICES = {
    (Medium.PRINT, CountryGroup.HOME): 4200,
    (Medium.PRINT, CountryGroup.EUROPE): 5200,
    (Medium.DIGITAL, CountryGroup.REST): 3000,
}


@pytest.mark.parametrize(
    "medium, country, home, price",
    [
        (Medium.PRINT, "DE", "DE", 4200),
        (Medium.PRINT, "FR", "DE", 5200),
        (Medium.PRINT, "DE", None, 5200),
        (Medium.PRINT, "US", "DE", None),
        (Medium.DIGITAL, "US", "DE", 3000),
        (Medium.DIGITAL, "DE", "DE", None),
        (Medium.PRINT_AND_DIGITAL, "DE", "DE", None),
    ],
)
def test_the_price_is_that_of_the_medium_and_the_group_of_the_country(
    medium: Medium, country: str, home: str | None, price: int | None
) -> None:
    assert price_for(PRICES, medium, country, home=home) == price


def test_an_offer_keeps_only_the_length_of_its_type() -> None:
    issues = checked_offer(Offer(length=4, interval_months=12))
    assert (issues.length, issues.interval_months) == (4, None)
    months = checked_offer(Offer(type=MEMBERSHIP, length=4, interval_months=12))
    assert (months.length, months.interval_months) == (None, 12)


@pytest.mark.parametrize(
    "offer, field",
    [
        (Offer(length=0), "length"),
        (Offer(length=1001), "length"),
        (Offer(type=MEMBERSHIP, interval_months=0), "interval_months"),
        (Offer(type=MEMBERSHIP, interval_months=1201), "interval_months"),
        (Offer(prices={(Medium.PRINT, CountryGroup.HOME): -1}), "prices"),
        (Offer(prices={(Medium.PRINT, CountryGroup.HOME): 10**13}), "prices"),
    ],
)
def test_a_length_or_a_price_out_of_range_is_refused(offer: Offer, field: str) -> None:
    with pytest.raises(Invalid) as refusal:
        checked_offer(offer)
    assert refusal.value.field == field


def test_prices_are_written_with_their_medium_and_group() -> None:
    assert price_texts(PRICES, "EUR") == {
        "Digital, rest": "30.00 EUR",
        "Print, europe": "52.00 EUR",
        "Print, home": "42.00 EUR",
    }
