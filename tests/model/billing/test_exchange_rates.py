"""Exchange rates: amounts converted to the cent, and what is no rate."""

from datetime import date
from decimal import Decimal

import msgspec
import pytest
from msgspec import structs

from masthead.model.billing.exchange_rates import (
    ExchangeRate,
    country_currency,
    find_exchange_rate,
    read_exchange_rate,
)
from masthead.model.errors import Invalid

DAY = date(2026, 7, 1)
FRANCS = ExchangeRate(
    first_day=DAY, base_currency="EUR", quote_currency="CHF", rate=Decimal("0.9342")
)
KRONER = ExchangeRate(
    first_day=DAY, base_currency="EUR", quote_currency="DKK", rate=Decimal("7.4604")
)
YEN = ExchangeRate(first_day=DAY, base_currency="EUR", quote_currency="JPY", rate=Decimal("162.32"))


@pytest.mark.parametrize(
    "rate, amount, currency, converted",
    [
        (FRANCS, 3_93, "CHF", 4_21),  # 4.2068…
        (FRANCS, 1_00, "EUR", 93),  # 0.9342
        (KRONER, 3_93, "EUR", 29_32),  # 29.319…
        (YEN, 393, "JPY", 2_42),  # yen have no decimals
        (YEN, 1_00, "EUR", 162),
        (structs.replace(FRANCS, rate=Decimal("2")), 1, "CHF", 1),  # half a cent
        (FRANCS, 0, "CHF", 0),
    ],
)
def test_an_amount_is_converted_to_the_cent(
    rate: ExchangeRate, amount: int, currency: str, converted: int
) -> None:
    assert rate.convert(amount, currency) == converted


def test_the_newest_rate_that_has_begun_holds_in_either_direction() -> None:
    later = ExchangeRate(
        first_day=date(2026, 8, 1),
        base_currency="CHF",
        quote_currency="EUR",
        rate=Decimal("1.06"),
    )
    rates = [FRANCS, KRONER, later]
    for day, found in [
        (date(2026, 6, 30), None),
        (DAY, FRANCS),
        (date(2026, 7, 31), FRANCS),
        (date(2026, 8, 1), later),
    ]:
        assert find_exchange_rate(rates, "EUR", "CHF", day) == found
        assert find_exchange_rate(rates, "CHF", "EUR", day) == found
    assert find_exchange_rate(rates, "DKK", "CHF", DAY) is None


@pytest.mark.parametrize(
    "country, currency", [("DE", "EUR"), ("DK", "DKK"), ("BG", "EUR"), ("CH", "CHF"), ("AQ", "")]
)
def test_a_country_has_a_currency(country: str, currency: str) -> None:
    assert country_currency(country) == currency


@pytest.mark.parametrize(
    "base, quote, rate, field",
    [
        ("EUR", "TALER", "1", "quote_currency"),
        ("", "EUR", "1", "base_currency"),
        ("EUR", "EUR", "1", "quote_currency"),
        ("CHF", "USD", "1", "quote_currency"),
        ("EUR", "CHF", "0", "rate"),
        ("EUR", "CHF", "0.00", "rate"),
        ("EUR", "CHF", "-1", "rate"),
        ("EUR", "CHF", "1.12345678901", "rate"),
        ("EUR", "CHF", "1e3", "rate"),
        ("EUR", "CHF", "٣", "rate"),
    ],
)
def test_what_is_no_rate_is_refused(base: str, quote: str, rate: str, field: str) -> None:
    with pytest.raises(Invalid) as refusal:
        read_exchange_rate(DAY, base, quote, rate, home="DE")
    assert refusal.value.field == field


def test_a_rate_is_written_as_it_was_typed() -> None:
    rate = read_exchange_rate(DAY, "eur", "chf", "0.9342", home="DE")
    assert (rate, rate.text) == (FRANCS, "1 EUR = 0.9342 CHF")
    assert read_exchange_rate(DAY, "EUR", "DKK", "7.4604", home="DK") == KRONER


@pytest.mark.parametrize("change", [{"rate": "NaN"}, {"rate": "0"}, {"base_currency": "CHF"}])
def test_stored_text_that_is_no_rate_is_not_read(change: dict[str, str]) -> None:
    stored = msgspec.to_builtins(FRANCS) | change
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(stored, ExchangeRate, strict=False)
