"""What renewals cost."""

from collections.abc import Mapping

from msgspec import Struct

from masthead.model.orders.offers import Prices, price_for
from masthead.model.renewals.lapsed import Candidate


class RenewalPrices(Struct, frozen=True):
    """What products cost on a day, by currency and product. home: the publisher's country."""

    products: Mapping[str, Mapping[str, Prices]]
    home: str | None

    def of(self, candidate: Candidate) -> int:
        """The price of a renewal of all copies: of the product, or what the last periods cost.

        In the smallest unit of the currency of the last period.
        """
        prices = self.products.get(candidate.currency, {}).get(candidate.product_id, {})
        price = price_for(prices, candidate.medium, candidate.country, home=self.home)
        return candidate.price if price is None else price * candidate.copies
