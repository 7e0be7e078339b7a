"""What subscriptions pay whose product has no price for them: what their last order cost."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from masthead.model.dispatch.postal.rules import country_group
from masthead.model.dispatch.runs import CountryGroup
from masthead.model.orders.offers import Prices
from masthead.model.types.enums import Medium


class LastPrice(Struct, frozen=True):
    """How many subscriptions of a medium to a country had this price, in minor units."""

    medium: Medium
    country: str
    price: int
    count: int


# By medium and group of countries: the prices, the most frequent one first, with how many pay them
PaidPrices = Mapping[tuple[Medium, CountryGroup], Sequence[tuple[int, int]]]


def unlisted_prices(found: Iterable[LastPrice], prices: Prices, *, home: str | None) -> PaidPrices:
    """What is paid where the list of the product has no price. home: the publisher's country."""
    paid: dict[tuple[Medium, CountryGroup], Counter[int]] = defaultdict(Counter)
    for each in found:
        place = each.medium, country_group(each.country, home)
        if place not in prices:
            paid[place][each.price] += each.count
    return {
        (medium, group): paid[medium, group].most_common()
        for medium in Medium
        for group in CountryGroup
        if (medium, group) in paid
    }
