"""What renewals cost: one rule for letters, the desk, the pages of subscribers and debits."""

from collections.abc import Mapping, Sequence
from datetime import date

from msgspec import Struct

from masthead.model.dispatch.postal.rules import country_group
from masthead.model.orders.offers import Prices, price_for
from masthead.model.orders.price_rises import DatedRises, LastOrder, raise_orders
from masthead.model.renewals.lapsed import Candidate
from masthead.model.types.enums import Medium


class RenewedCopies(Struct, frozen=True, kw_only=True):
    """What is renewed. copies: how many together. orders: the last one of each, in one currency.

    is_comp: whether it is complimentary.
    """

    medium: Medium
    country: str
    copies: int
    orders: Sequence[LastOrder]
    is_comp: bool = False

    @property
    def last(self) -> int:
        """What the last orders cost together."""
        return sum(each.price for each in self.orders)


class PricedRenewal(Struct, frozen=True):
    """The price of all copies, in minor units. is_of_product: not what the last orders cost.

    is_raised: what the last orders cost, changed by rises since then.
    """

    amount: int
    is_of_product: bool
    is_raised: bool = False


def price_renewal(
    prices: Prices,
    renewed: RenewedCopies,
    *,
    rises: Sequence[DatedRises],
    day: date,
    home: str | None,
) -> PricedRenewal:
    """The price of the product for each copy, or else what the last orders cost, with its rises.

    prices: of the product on `day`, the order date, in the currency of the last orders; empty if
    it has none. rises: of the product in that currency. home: the publisher's country. What is
    complimentary costs nothing.
    """
    price = price_for(prices, renewed.medium, renewed.country, home=home)
    if renewed.is_comp:
        return PricedRenewal(0, is_of_product=price is not None)
    if price is not None:
        return PricedRenewal(price * renewed.copies, is_of_product=True)
    place = renewed.medium, country_group(renewed.country, home)
    amount = raise_orders(rises, place, renewed.orders, day)
    return PricedRenewal(amount, is_of_product=False, is_raised=amount != renewed.last)


class RenewalPrices(Struct, frozen=True):
    """What renewals cost on a day. products, rises: by currency and product.

    home: the publisher's country.
    """

    products: Mapping[str, Mapping[str, Prices]]
    rises: Mapping[str, Mapping[str, Sequence[DatedRises]]]
    day: date
    home: str | None

    def find(self, currency: str, product_id: str, renewed: RenewedCopies) -> PricedRenewal:
        """The price of a renewal, in the smallest unit of the currency of the last orders."""
        return price_renewal(
            self.products.get(currency, {}).get(product_id, {}),
            renewed,
            rises=self.rises.get(currency, {}).get(product_id, ()),
            day=self.day,
            home=self.home,
        )

    def of(self, candidate: Candidate) -> int:
        """The price of a renewal that a letter is about."""
        return self.priced(candidate).amount

    def priced(self, candidate: Candidate) -> PricedRenewal:
        """That price, and where it is from."""
        renewed = RenewedCopies(
            medium=candidate.medium,
            country=candidate.country,
            copies=candidate.copies,
            orders=candidate.last_orders,
            is_comp=candidate.is_comp,
        )
        return self.find(candidate.currency, candidate.product_id, renewed)
