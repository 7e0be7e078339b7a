"""What renewals cost: one rule for letters, the desk, the pages of subscribers and debits."""

from collections.abc import Mapping

from msgspec import Struct

from masthead.model.orders.offers import Prices, price_for
from masthead.model.renewals.lapsed import Candidate
from masthead.model.types.enums import Medium


class RenewedCopies(Struct, frozen=True, kw_only=True):
    """What is renewed. copies: how many together. last: what their last orders cost together.

    is_comp: whether it is complimentary.
    """

    medium: Medium
    country: str
    copies: int
    last: int
    is_comp: bool = False


class PricedRenewal(Struct, frozen=True):
    """The price of all copies, in minor units. is_of_product: not what the last orders cost."""

    amount: int
    is_of_product: bool


def price_renewal(prices: Prices, renewed: RenewedCopies, *, home: str | None) -> PricedRenewal:
    """The price of the product for each copy, or else what the last orders cost.

    prices: of the product on the order date, in the currency of the last orders; empty if it has
    none. home: the publisher's country. What is complimentary costs nothing.
    """
    price = price_for(prices, renewed.medium, renewed.country, home=home)
    amount = renewed.last if price is None else price * renewed.copies
    return PricedRenewal(0 if renewed.is_comp else amount, price is not None)


class RenewalPrices(Struct, frozen=True):
    """What products cost on a day, by currency and product. home: the publisher's country."""

    products: Mapping[str, Mapping[str, Prices]]
    home: str | None

    def find(self, currency: str, product_id: str, renewed: RenewedCopies) -> PricedRenewal:
        """The price of a renewal, in the smallest unit of the currency of the last orders."""
        prices = self.products.get(currency, {}).get(product_id, {})
        return price_renewal(prices, renewed, home=self.home)

    def of(self, candidate: Candidate) -> int:
        """The price of a renewal that a letter is about."""
        return self.priced(candidate).amount

    def priced(self, candidate: Candidate) -> PricedRenewal:
        """That price, and where it is from."""
        renewed = RenewedCopies(
            medium=candidate.medium,
            country=candidate.country,
            copies=candidate.copies,
            last=candidate.price,
        )
        return self.find(candidate.currency, candidate.product_id, renewed)
