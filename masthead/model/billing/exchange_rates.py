"""The VAT of invoices in another currency, in that of the publisher's country.

Article 230 of directive 2006/112/EC asks for it. Amounts are minor units of their currency.
"""

import re
from collections.abc import Iterable
from datetime import date
from decimal import ROUND_HALF_UP, Decimal

from babel.numbers import get_territory_currencies
from msgspec import Struct

from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _
from masthead.model.types.money import CURRENCIES, currency_code

_RATE = re.compile(r"[0-9]{1,9}(\.[0-9]{1,10})?", re.ASCII)
_NEWER = {"BG": "EUR"}  # since 2026, which Babel does not know yet


class ExchangeRate(Struct, frozen=True, kw_only=True):
    """What one unit of a currency is in another, from a day on: 1 EUR is 0.9342 CHF."""

    first_day: date
    base_currency: str
    quote_currency: str
    rate: Decimal

    def __post_init__(self) -> None:
        """Raises: ValueError for what could not be converted, such as in an edited export."""
        if not (self.pair <= CURRENCIES.keys() and len(self.pair) == 2 and is_rate(self.number)):
            raise ValueError("this is no exchange rate")

    @property
    def pair(self) -> frozenset[str]:
        """Both currencies."""
        return frozenset((self.base_currency, self.quote_currency))

    @property
    def text(self) -> str:
        """The rate for programs and the audit trail: `1 EUR = 0.9342 CHF`."""
        return f"1 {self.base_currency} = {self.number} {self.quote_currency}"

    @property
    def number(self) -> str:
        """The number alone, as it is stored: `0.9342`."""
        return f"{self.rate:f}"

    def convert(self, amount: int, currency: str) -> int:
        """An amount in one of both currencies, in the other one, rounded half up."""
        is_base = currency == self.base_currency
        other = self.quote_currency if is_base else self.base_currency
        units = Decimal(amount).scaleb(-CURRENCIES[currency])
        found = units * self.rate if is_base else units / self.rate
        return int(found.scaleb(CURRENCIES[other]).quantize(Decimal(1), ROUND_HALF_UP))


class ConvertedVat(Struct, frozen=True, kw_only=True):
    """The VAT of a document in the currency of the publisher's country, and by which rate."""

    currency: str
    vat: int
    rate: ExchangeRate


def country_currency(country: str) -> str:
    """The currency of a country; empty if it has none of its own."""
    found = [_NEWER[country]] if country in _NEWER else get_territory_currencies(country)
    return next((each for each in found if each in CURRENCIES), "")


def find_exchange_rate(
    rates: Iterable[ExchangeRate], one: str, other: str, day: date
) -> ExchangeRate | None:
    """The newest rate between two currencies that has begun on a day; None if there is none."""
    begun = [each for each in rates if each.pair == {one, other} and each.first_day <= day]
    return max(begun, key=lambda each: each.first_day, default=None)


def is_rate(text: str) -> bool:
    """Whether a text is a number above 0 such as `0.9342`, with up to 10 decimals."""
    return bool(_RATE.fullmatch(text)) and bool(Decimal(text))


def read_exchange_rate(
    first_day: date, base_currency: str, quote_currency: str, rate: str, *, home: str
) -> ExchangeRate:
    """A rate as it was typed, between the currency of a country and another. Raises: Invalid."""
    base = currency_code("base_currency", base_currency)
    quote = currency_code("quote_currency", quote_currency)
    own = country_currency(home)
    if (base == own) == (quote == own):
        raise Invalid(
            _("Exactly one of the two currencies must be {currency}.").format(currency=own),
            field="quote_currency",
            value=quote,
        )
    if not is_rate(rate):
        raise Invalid(
            _("Type a number above 0, such as {example}, with up to 10 decimals.").format(
                example="0.9342"
            ),
            field="rate",
            value=rate,
        )
    return ExchangeRate(
        first_day=first_day, base_currency=base, quote_currency=quote, rate=Decimal(rate)
    )
