"""Which rate of VAT a sale has, and how much of an amount is VAT."""

from datetime import date

import pytest
from hypothesis import given, strategies as st

from masthead.model.billing.vat import (
    Sale,
    TaxedPart,
    VatCategory,
    VatRate,
    place_in_words,
    tax_of,
    vat_in,
    vat_on,
)
from masthead.model.types.enums import Medium

DAY = date(2026, 6, 30)
RATES = [
    VatRate(first_day=date(2020, 1, 1), place="home", rate=1900),
    VatRate(first_day=date(2020, 1, 1), place="home", medium=Medium.PRINT, rate=700),
    VatRate(first_day=date(2026, 7, 1), place="home", medium=Medium.PRINT, rate=500),
    VatRate(first_day=date(2020, 1, 1), place="eu", rate=700),
    VatRate(first_day=date(2020, 1, 1), place="DK", rate=2500),
    VatRate(first_day=date(2020, 1, 1), place="home", product_id="book", rate=0),
]


def sale(country: str, medium: Medium = Medium.PRINT, **more: object) -> Sale:
    """A sale of a product on the day before a rate changes."""
    defaults = {"day": DAY, "product_id": "magazine", "has_vat_id": False}
    return Sale(country=country, medium=medium, **(defaults | more))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "of, expected",
    [
        (sale("DE"), TaxedPart(VatCategory.STANDARD, 700)),
        (sale("DE", day=date(2026, 7, 1)), TaxedPart(VatCategory.STANDARD, 500)),
        (sale("DE", Medium.DIGITAL), TaxedPart(VatCategory.STANDARD, 1900)),
        (sale("DE", product_id="book"), TaxedPart(VatCategory.ZERO, 0)),
        (sale("FR"), TaxedPart(VatCategory.STANDARD, 700)),
        (sale("DK"), TaxedPart(VatCategory.STANDARD, 2500)),
        (sale("DK", has_vat_id=True), TaxedPart(VatCategory.INTRA_COMMUNITY, 0)),
        (sale("DK", Medium.DIGITAL, has_vat_id=True), TaxedPart(VatCategory.REVERSE_CHARGE, 0)),
        (sale("DE", has_vat_id=True), TaxedPart(VatCategory.STANDARD, 700)),
        (sale("CH"), TaxedPart(VatCategory.EXPORT, 0)),
        (sale("CH", Medium.DIGITAL), TaxedPart(VatCategory.OUTSIDE, 0)),
        (sale("DE", day=date(2019, 12, 31)), None),
    ],
)
def test_the_rate_of_a_sale(of: Sale, expected: TaxedPart | None) -> None:
    assert tax_of(RATES, of, home="DE", is_small_business=False) == expected


def test_the_place_of_a_rate_is_written_in_words() -> None:
    assert [place_in_words(place) for place in ("home", "eu", "other", "DK")] == [
        *("in the publisher’s country", "in other countries of the EU", "in all other countries"),
        "Denmark",
    ]


def test_a_small_business_is_exempt() -> None:
    exempt = TaxedPart(VatCategory.EXEMPT, 0)
    assert tax_of([], sale("DE"), home="DE", is_small_business=True) == exempt


def test_a_publisher_outside_the_eu_exports_to_it() -> None:
    exported = TaxedPart(VatCategory.EXPORT, 0)
    of = sale("DE", has_vat_id=True)
    assert tax_of(RATES, of, home="GB", is_small_business=False) == exported


@pytest.mark.parametrize(
    "gross, rate, vat", [(6000, 700, 393), (107, 700, 7), (1, 700, 0), (0, 1900, 0)]
)
def test_the_vat_in_a_price(gross: int, rate: int, vat: int) -> None:
    assert vat_in(gross, rate) == vat


@pytest.mark.parametrize("net, rate, vat", [(5607, 700, 392), (50, 100, 1), (49, 100, 0)])
def test_the_vat_on_a_net_price(net: int, rate: int, vat: int) -> None:
    assert vat_on(net, rate) == vat


@given(st.integers(0, 10**11), st.integers(0, 3_000))
def test_net_and_vat_are_the_price(gross: int, rate: int) -> None:
    vat = vat_in(gross, rate)
    assert abs(vat_on(gross - vat, rate) - vat) <= 1
