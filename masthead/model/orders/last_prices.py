"""What renewals cost whose product has no price for them: the last order, with its rises."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import TypeVar

from msgspec import Struct

from masthead.model.dispatch.postal.rules import country_group
from masthead.model.dispatch.runs import CountryGroup
from masthead.model.orders.offers import Prices
from masthead.model.orders.price_rises import DatedRises, LastOrder, merge_rises, raise_orders
from masthead.model.types.enums import Medium

Place = tuple[Medium, CountryGroup]


class LastPrice(Struct, frozen=True):
    """How many subscriptions of a medium to a country had this price, in minor units."""

    medium: Medium
    country: str
    order_date: date | None
    price: int
    count: int


T = TypeVar("T")
# By medium and group of countries: the prices, the most frequent one first, with how many pay them
PaidPrices = Mapping[Place, Sequence[tuple[int, int]]]
# The same with the prices before and after a rise
RaisedPrices = Mapping[Place, Sequence[tuple[tuple[int, int], int]]]


class Unlisted(Struct, frozen=True):
    """The active subscriptions of a product for which its list has no price.

    rises: those of the product, oldest first. home: the publisher's country. other_currencies: how
    many active subscriptions of the product are in another currency than the list.
    """

    found: Sequence[LastPrice]
    prices: Prices
    rises: Sequence[DatedRises]
    home: str | None
    other_currencies: int = 0

    def on(self, day: date) -> PaidPrices:
        """What their renewals cost on a day."""
        return _most_common(
            (place, _price(self.rises, place, each, day), each.count)
            for place, each in self._placed()
        )

    def raised_by(self, added: DatedRises) -> RaisedPrices:
        """What they cost on the first day of a rise, without it and with it, where it raises."""
        day, before = added.first_day, self.rises
        after = merge_rises(before, added)
        return _most_common(
            (
                place,
                (_price(before, place, each, day), _price(after, place, each, day)),
                each.count,
            )
            for place, each in self._placed()
            if place in added.rises and each.price
        )

    def _placed(self) -> Iterable[tuple[Place, LastPrice]]:
        for each in self.found:
            place = each.medium, country_group(each.country, self.home)
            if place not in self.prices:
                yield place, each


def count_steep(prices: Sequence[tuple[tuple[int, int], int]]) -> int:
    """How many are raised by more than half of what they pay. prices: of a place."""
    return sum(count for (before, after), count in prices if 2 * after > 3 * before)


def _price(rises: Sequence[DatedRises], place: Place, each: LastPrice, day: date) -> int:
    return raise_orders(rises, place, [LastOrder(each.order_date, each.price)], day)


def _most_common(counted: Iterable[tuple[Place, T, int]]) -> Mapping[Place, list[tuple[T, int]]]:
    """What is counted, by place in the order of the form, the most frequent first."""
    paid: dict[Place, Counter[T]] = defaultdict(Counter)
    for place, price, count in counted:
        paid[place][price] += count
    return {
        (medium, group): paid[medium, group].most_common()
        for medium in Medium
        for group in CountryGroup
        if (medium, group) in paid
    }
