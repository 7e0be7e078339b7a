"""Rises of what renewals cost whose product has no price for them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import ROUND_HALF_UP, Decimal

from babel.numbers import format_percent
from msgspec import Struct

from masthead.model.dispatch.runs import CountryGroup
from masthead.model.orders.offers import place_name
from masthead.model.translations import current_language, gettext as _
from masthead.model.types.enums import Medium
from masthead.model.types.money import decimal_in_words, money_text

_WHOLE = 10_000  # a rate that doubles a price


class PriceRise(Struct, frozen=True):
    """A rise of prices; below zero, it lowers them.

    amount: of one copy, in minor units. rate: in hundredths of a percent.
    """

    amount: int = 0
    rate: int = 0

    def apply(self, price: int, copies: int = 1) -> int:
        """The new price; percent are rounded to the minor unit, half up. It is never negative.

        price: of all copies.
        """
        raised = price + self.amount * copies + Decimal(price * self.rate) / _WHOLE
        return max(int(raised.quantize(Decimal(1), ROUND_HALF_UP)), 0)

    def text(self, currency: str) -> str:
        """The rise for the audit trail, such as `4.00 EUR` or `2.5 %`."""
        if self.rate:
            return f"{self.rate / 100:g} %"
        return f"{money_text(self.amount, currency)} {currency}"


Rises = Mapping[tuple[Medium, CountryGroup], PriceRise]


def rise_in_words(text: str) -> str:
    """A rise as pages write it, such as `+€4.00`. text: that of the audit trail."""
    number, _blank, unit = text.partition(" ")
    words = decimal_in_words(number, unit) if unit != "%" else _percent(Decimal(number))
    return words if number.startswith("-") else f"+{words}"


def _percent(percent: Decimal) -> str:
    return format_percent(percent / 100, locale=current_language(), decimal_quantization=False)


def rise_name(raised: str) -> str:
    """What is raised, in words. raised: a key of the audit trail, such as `Print, europe`."""
    medium, place = place_name(raised)
    text = _("Price rise of renewals ({place}, {medium})")
    return text.format(place=place, medium=medium)


class DatedRises(Struct, frozen=True):
    """The rises of a product from a day on, at most one for each medium and group of countries."""

    first_day: date
    rises: Rises


class LastOrder(Struct, frozen=True):
    """What the last order of one copy cost. day: None if it is not known."""

    day: date | None
    price: int


def merge_rises(known: Sequence[DatedRises], added: DatedRises) -> list[DatedRises]:
    """All rises, oldest first, after some are added: they replace those of their day and place."""
    by_day = {each.first_day: each.rises for each in known}
    by_day[added.first_day] = {**by_day.get(added.first_day, {}), **added.rises}
    return [DatedRises(day, by_day[day]) for day in sorted(by_day)]


def raise_orders(
    dated: Sequence[DatedRises],
    place: tuple[Medium, CountryGroup],
    orders: Sequence[LastOrder],
    day: date,
) -> int:
    """What a renewal costs on a day, after the rises of its product since its last orders.

    dated: oldest first. A rise counts for an order from before its first day; one without a day
    is from before all of them. What cost nothing stays free.
    """
    paid: dict[date, list[int]] = defaultdict(list)
    for order in orders:
        if order.price:
            paid[order.day or date.min].append(order.price)
    total = 0
    for ordered, prices in paid.items():
        price = sum(prices)
        for each in dated:
            if ordered < each.first_day <= day and (rise := each.rises.get(place)):
                price = rise.apply(price, len(prices))
        total += price
    return total
