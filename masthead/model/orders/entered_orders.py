"""Turns what staff entered into orders: one, or a bundle of several for one subscriber."""

from msgspec import structs

from masthead.model.errors import Invalid
from masthead.model.inputs import require
from masthead.model.orders.entry import OrderEntry
from masthead.model.orders.order import Giver, Order, OrderDefaults, make_order, require_name
from masthead.model.orders.period_coverage import membership_period_end
from masthead.model.translations import gettext as _
from masthead.model.types.enums import SubscriptionType
from masthead.model.types.fields import required_text
from masthead.model.types.text import full_name


def orders_of_entry(
    entry: OrderEntry, defaults: OrderDefaults, *, giver: Giver | None
) -> list[Order]:
    """The orders of an entry: one for each copy of an issue, with the price shared among them.

    giver: of a gift, None for other orders. The first order gets the rest of the price, so that
    nothing is lost. Raises: Invalid.
    """
    require_name(entry.first_name, entry.company)
    order = make_order(entry, defaults, **_coverage(entry), **_gift(giver))
    count = entry.copies or 1
    if count == 1:
        return [order]
    shares = zip(
        split_amount(order.price, count), split_amount(order.discount_amount, count), strict=True
    )
    return [
        structs.replace(
            order,
            order_id=_order_id(order.order_id, place),
            price=price,
            discount_amount=discount,
            bundle=order.order_id,
        )
        for place, (price, discount) in enumerate(shares, 1)
    ]


def _coverage(entry: OrderEntry) -> dict[str, object]:
    """The fields of the issues or months. Raises: Invalid if one is missing."""
    issues: tuple[str, ...] = ("start_issue", "length")
    months: tuple[str, ...] = ("interval_months", "period_start", "period_end")
    if entry.type is not SubscriptionType.MEMBERSHIP:
        for field in issues:
            require(field, getattr(entry, field))
        return dict.fromkeys(months)
    start = entry.period_start or entry.order_date
    if entry.interval_months is None:
        raise Invalid(
            _("`interval_months` is missing; a membership needs it."), field="interval_months"
        )
    end = membership_period_end(start, entry.interval_months)
    return {**dict.fromkeys(issues), "period_start": start, "period_end": end}


def _gift(giver: Giver | None) -> dict[str, object]:
    """The fields of a gift; the API shows the giver's name and email."""
    if giver is None:
        return {"is_gift": False, "gifter_email": None}
    name = full_name(giver.first_name, giver.last_name, giver.company, giver.email or "")
    return {
        "is_gift": True,
        "giver": giver,
        "gifter_name": required_text("gifter_first_name", name),
        "gifter_email": giver.email,
    }


def _order_id(first: str, place: int) -> str:
    """The order id of a copy in a bundle: `X`, `X-2`, `X-3`. Raises: Invalid if it is too long."""
    return first if place == 1 else required_text("order_id", f"{first}-{place}")


def split_amount(amount: int, count: int) -> list[int]:
    """An amount in equal shares; the first one also gets what is left."""
    share, rest = divmod(amount, count)
    return [share + rest, *[share] * (count - 1)]
