"""Products as the API shows them."""

from datetime import date

from msgspec import Struct

from masthead.model.dispatch.runs import CountryGroup
from masthead.model.orders.offers import Prices
from masthead.model.resources import Number
from masthead.model.types.enums import Medium, SubscriptionType
from masthead.model.types.money import money_text


class ProductPrice(Struct, frozen=True):
    """What a product costs.

    medium: of the copies.
    country_group: where the copies go, as seen from the country of the publisher.
    price: for one copy of each issue.
    currency: the currency of the account.
    """

    medium: Medium
    country_group: CountryGroup
    price: str
    currency: str


class OfferedProduct(Struct, frozen=True):
    """A product of the account. Its id is the `product` of new orders.

    name: name of the product, as subscribers see it.
    benefits: what the product includes, in the words of the publisher.
    is_active: whether new orders can have it.
    type: `subscription` for a number of issues, `membership` for a period of time.
    length: number of issues; null if each order chooses it, and for memberships.
    interval_months: months of a membership; null if each order chooses it, and otherwise.
    prices: the prices that hold today.
    prices_from: the first day of those prices; null for the first prices of the product.
    next_prices: the prices that hold next; empty if there are none, or nothing is sold then.
    next_prices_from: the first day of those prices; null if no others are known.
    """

    id: str
    name: str
    benefits: list[str]
    is_active: bool
    type: SubscriptionType
    length: int | None
    interval_months: Number | None
    prices: list[ProductPrice]
    prices_from: date | None
    next_prices: list[ProductPrice]
    next_prices_from: date | None


def price_list(prices: Prices, currency: str) -> list[ProductPrice]:
    """The prices of a product, in a fixed order. currency: of the account."""
    return [
        ProductPrice(medium, group, money_text(price, currency), currency)
        for (medium, group), price in sorted(prices.items())
    ]
