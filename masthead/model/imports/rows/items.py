"""The items of an order, and which of them are products of the account."""

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_DOWN, Decimal
from typing import Any

from msgspec import Struct

from masthead.model.errors import Invalid, excerpt
from masthead.model.imports.mapping import ItemOffer
from masthead.model.imports.rows.rules import Lookup
from masthead.model.orders.field_rules import AMOUNTS
from masthead.model.translations import gettext as _
from masthead.model.types.enums import SubscriptionType
from masthead.model.types.money import CURRENCIES

_COUNTED = re.compile(
    r"(?<![\d.,])(\d{1,3})[\s-]*"
    r"(?:issues?|numbers|ausgaben?|hefte?|numéros?|números?|numeri|nummern?|nummers?)\b",
    re.IGNORECASE,
)


class OrderItem(Struct, frozen=True):
    """A thing in an order. price: of one; None if the file does not say."""

    name: str
    quantity: int = 1
    price: Decimal | None = None


class SoldItem(Struct, frozen=True):
    """An item that is an offer of the mapping; None if all items are the same product."""

    offer: ItemOffer | None
    item: OrderItem


class ItemOffers:
    """The offers of a mapping, found by item."""

    def __init__(self, products: Mapping[str, ItemOffer]) -> None:
        self._lookup = Lookup(products)

    def names(self, name: str) -> bool:
        """Whether the mapping says what an item is, even that it is left out."""
        return self._lookup.find(name) is not None

    def is_sold(self, name: str) -> bool:
        """Whether there is an offer for an item."""
        found = self._lookup.find(name)
        return isinstance(found, ItemOffer) and not found.leave_out

    def sold(self, items: Iterable[OrderItem]) -> list[SoldItem]:
        """The items with an offer, in their order, without those to leave out."""
        found = [(self._lookup.find(item.name), item) for item in items]
        return [
            SoldItem(offer, item)
            for offer, item in found
            if isinstance(offer, ItemOffer) and not offer.leave_out
        ]


def describe_unnamed(
    offers: ItemOffers | None, items: Iterable[OrderItem], sold: Iterable[SoldItem]
) -> str:
    """A remark about items of an order that are left out though no mapping says so, or ""."""
    taken = {each.item.name for each in sold}
    others = [item for item in items if item.name and item.name not in taken]
    names = names_of([item for item in others if offers is None or not offers.names(item.name)])
    if not names:
        return ""
    message = _("The order also has `{products}`, which the mapping does not name. It is left out.")
    return message.format(products=excerpt(names))


def length_in(name: str) -> int | None:
    """How many issues an item is for, if its name says so: `One year - 4 issues`."""
    match = _COUNTED.search(name)
    return int(match[1]) or None if match else None


def offer_fields(offer: ItemOffer, given: dict[str, Any]) -> dict[str, Any]:
    """The fields that an offer sets in a row, as text or numbers.

    It sets no length if the row names its first and its last issue.
    """
    length = None if _names_issues(given) else offer.length
    more = {"medium": offer.medium, "length": length, "interval_months": offer.interval_months}
    return {name: value for name, value in more.items() if value}


def _names_issues(given: dict[str, Any]) -> bool:
    """Whether a row names the issues that it begins and ends with."""
    return "start_issue" in given and "last_issue" in given


def names_of(items: Iterable[OrderItem]) -> str:
    """The names of the items, for the count of rows that are left out."""
    return " + ".join(dict.fromkeys(item.name for item in items))


def is_covered(given: dict[str, Any]) -> bool:
    """Whether an order is for a number of issues that is known, or for months."""
    is_membership = given.get("type") is SubscriptionType.MEMBERSHIP
    is_stated = is_membership or _names_issues(given)
    return is_stated or any(name in given for name in ("length", "interval_months"))


def naming_product(refusal: Invalid, product: str) -> Invalid:
    """A missing length, with the product whose length is not known."""
    if not product or refusal.field != "length" or refusal.value != "":
        return refusal
    text = _("How many issues `{product}` is for is not known. Enter a length for this product.")
    return Invalid(text.format(product=excerpt(product)), field="length", value=product)


def share_amounts(
    given: Mapping[str, Any], bundle: Sequence[SoldItem], items: Sequence[OrderItem], currency: str
) -> tuple[list[dict[str, str]], str]:
    """The amounts of each subscription, and a warning that says how they are shared, or "".

    Each gets the share of its price in the prices of all items. Without those prices, all
    subscriptions get equal shares, and other items none. What is left goes with the first one.
    given: with decimal amounts in the currency.
    """
    smallest = Decimal(1).scaleb(-CURRENCIES[currency])
    all_prices = [(item.price or Decimal(0)) * item.quantity for item in items]
    has_prices = all(item.price is not None for item in items) and sum(all_prices) > 0
    weights = [each.item.price or Decimal(0) if has_prices else Decimal(1) for each in bundle]
    total = sum(all_prices, Decimal(0)) if has_prices else sum(weights, Decimal(0))
    shared: list[dict[str, str]] = [{} for _subscription in bundle]
    for name in AMOUNTS:
        if name in given:
            amount = Decimal(given[name])
            parts = [(amount * weight / total).quantize(smallest, ROUND_DOWN) for weight in weights]
            if sum(weights) == total:
                parts[0] += amount - sum(parts)
            for amounts, part in zip(shared, parts, strict=True):
                amounts[name] = str(part)
    return shared, _warning(
        len(bundle), len(items) - len({id(each.item) for each in bundle}), has_prices
    )


def _warning(count: int, others: int, has_prices: bool) -> str:
    notes = []
    if count > 1:
        message = _("The order is for {count} subscriptions, which share its price.")
        notes.append(message.format(count=count))
    if others > 0 and not has_prices:
        notes.append(_("The price includes other products of the order."))
    return " ".join(notes)
