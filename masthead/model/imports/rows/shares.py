"""The amounts of an order with several products or copies, shared among them."""

from collections.abc import Mapping, Sequence
from decimal import ROUND_DOWN, Decimal
from typing import Any

from masthead.model.imports.rows.items import OrderItem, SoldItem
from masthead.model.translations import gettext as _
from masthead.model.types.money import CURRENCIES

_SHARED = ("price", "discount_amount", "refunded")


def share_amounts(
    given: Mapping[str, Any], copies: Sequence[SoldItem], items: Sequence[OrderItem], currency: str
) -> tuple[list[dict[str, str]], str]:
    """The amounts of each copy, and a warning that says how they are shared; "" if there is none.

    Each copy gets the share of its price in the prices of all items. Without those prices, all
    copies get equal shares, and other items none. What is left goes with the first copy.
    given: with decimal amounts in the currency.
    """
    smallest = Decimal(1).scaleb(-CURRENCIES[currency])
    all_prices = [(item.price or Decimal(0)) * item.quantity for item in items]
    has_prices = all(item.price is not None for item in items) and sum(all_prices) > 0
    weights = [each.item.price or Decimal(0) if has_prices else Decimal(1) for each in copies]
    total = sum(all_prices, Decimal(0)) if has_prices else sum(weights, Decimal(0))
    shared: list[dict[str, str]] = [{} for _copy in copies]
    for name in _SHARED:
        if name in given:
            amount = Decimal(given[name])
            parts = [(amount * weight / total).quantize(smallest, ROUND_DOWN) for weight in weights]
            if sum(weights) == total:
                parts[0] += amount - sum(parts)
            for amounts, part in zip(shared, parts, strict=True):
                amounts[name] = str(part)
    return shared, _warning(
        len(copies), len(items) - len({id(each.item) for each in copies}), has_prices
    )


def _warning(copies: int, others: int, has_prices: bool) -> str:
    notes = []
    if copies > 1:
        message = _("The order is for {count} subscriptions, which share its price.")
        notes.append(message.format(count=copies))
    if others > 0 and not has_prices:
        notes.append(_("The price includes other products of the order."))
    return " ".join(notes)
