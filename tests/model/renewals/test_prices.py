"""One rule says what a renewal costs, whoever renews."""

from datetime import date
from typing import Any

import pytest

from masthead.model.dispatch.runs import CountryGroup
from masthead.model.orders.price_rises import DatedRises, LastOrder, PriceRise
from masthead.model.renewals.prices import PricedRenewal, RenewedCopies, price_renewal
from masthead.model.types.enums import Medium

MARCH, MAY, JULY = (date(2026, month, 1) for month in (3, 5, 7))
ABROAD = Medium.PRINT, CountryGroup.REST
PRICES = {(Medium.PRINT, CountryGroup.HOME): 48_00}


def renewed(**fields: Any) -> RenewedCopies:
    orders = [LastOrder(MARCH, 40_00)] * 3
    common = {"medium": Medium.PRINT, "country": "DE", "copies": 3, "orders": orders}
    return RenewedCopies(**{**common, **fields})


def price(renewed: RenewedCopies, *rises: DatedRises, day: date = MAY) -> PricedRenewal:
    return price_renewal(PRICES, renewed, rises=rises, day=day, home="DE")


@pytest.mark.parametrize(
    "fields, priced",
    [
        ({}, PricedRenewal(144_00, True)),
        ({"country": "CH"}, PricedRenewal(120_00, False)),
        ({"medium": Medium.DIGITAL}, PricedRenewal(120_00, False)),
        ({"is_comp": True}, PricedRenewal(0, True)),
    ],
)
def test_the_price_of_the_product_comes_before_that_of_the_last_orders(
    fields: dict[str, Any], priced: PricedRenewal
) -> None:
    assert price(renewed(**fields)) == priced


def abroad(*orders: tuple[date | None, int]) -> RenewedCopies:
    """Copies that go abroad, for which the product has no price."""
    last = [LastOrder(*each) for each in orders]
    return renewed(country="US", copies=len(last), orders=last)


def rise(day: date, amount: int = 0, rate: int = 0) -> DatedRises:
    return DatedRises(day, {ABROAD: PriceRise(amount, rate)})


@pytest.mark.parametrize(
    "ordered, day, amount",
    [
        (date(2026, 4, 30), MAY, 52_00),
        (date(2026, 4, 30), date(2026, 4, 30), 48_00),  # not yet
        (MAY, JULY, 48_00),  # ordered at the raised price
        (JULY, JULY, 48_00),
        (None, JULY, 52_00),  # an old order whose day was not imported
    ],
)
def test_a_rise_counts_once_for_an_order_from_before_it(
    ordered: date | None, day: date, amount: int
) -> None:
    found = price(abroad((ordered, 48_00)), rise(MAY, 4_00), day=day)
    assert found == PricedRenewal(amount, False, amount != 48_00)


def test_several_rises_count_in_the_order_of_their_days() -> None:
    rises = rise(MAY, 4_00), rise(JULY, rate=10_00)
    assert price(abroad((MARCH, 48_00)), *rises, day=JULY).amount == 57_20
    assert price(abroad((MAY, 52_00)), *rises, day=JULY).amount == 57_20
    assert price(abroad((MARCH, 48_00)), *rises, day=MAY).amount == 52_00


def test_each_copy_is_raised_from_its_own_last_order_on() -> None:
    copies = abroad((MARCH, 40_00), (MARCH, 40_00), (MAY, 44_00))
    assert price(copies, rise(MAY, 4_00)).amount == 2 * 44_00 + 44_00


def test_percent_of_what_was_ordered_together_are_rounded_once() -> None:
    copies = abroad((MARCH, 33_34), (MARCH, 33_33), (MARCH, 33_33))
    assert price(copies, rise(MAY, rate=5_00)).amount == 105_00
    assert price(abroad((MARCH, 52_50)), rise(MAY, rate=5_00)).amount == 55_13  # half up


def test_a_rise_leaves_what_is_free_or_has_a_listed_price() -> None:
    assert price(abroad((MARCH, 0)), rise(MAY, 4_00)) == PricedRenewal(0, False)
    assert price(abroad((MARCH, 0), (MARCH, 40_00)), rise(MAY, 4_00)).amount == 44_00
    home = DatedRises(MAY, {(Medium.PRINT, CountryGroup.HOME): PriceRise(4_00)})
    assert price(renewed(), home).amount == 144_00
    assert price(renewed(country="CH"), rise(MAY, 4_00)).amount == 120_00
    comp = renewed(country="US", is_comp=True)
    assert price(comp, rise(MAY, 4_00)).amount == 0


def test_a_price_is_never_lowered_below_zero() -> None:
    assert price(abroad((MARCH, 3_00)), rise(MAY, -4_00)).amount == 0
