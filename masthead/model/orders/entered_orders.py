"""Turns what programs and staff enter into orders: one, or a bundle for one subscriber."""

from msgspec import structs

from masthead.model.advice import with_way_out
from masthead.model.errors import Erased, Invalid, NotFound, all_of, excerpt
from masthead.model.orders.entry import OrderCreate, OrderEntry, OrderError
from masthead.model.orders.field_rules import list_missing_terms, missing_name
from masthead.model.orders.known_subscribers import KnownSubscriber
from masthead.model.orders.order import Giver, Order, OrderDefaults, make_order
from masthead.model.orders.period_coverage import membership_period_end
from masthead.model.subscribers.corrections import (
    FORMS_OF_ADDRESS,
    NAMES,
    list_own_address_refusals,
)
from masthead.model.translations import gettext as _
from masthead.model.types.email_addresses import email_key
from masthead.model.types.enums import SubscriptionType
from masthead.model.types.fields import required_text
from masthead.model.types.full_names import full_name
from masthead.model.types.postal_fields import ADDRESS_FIELDS
from masthead.model.types.text import MAX_TEXT


def orders_of_entry(
    entry: OrderCreate, defaults: OrderDefaults, *, giver: Giver | None
) -> list[Order]:
    """The orders of an entry: one for each copy of an issue, with the price shared among them.

    giver: of a gift, None for other orders. The first order gets the rest of the price, so that
    nothing is lost. Raises: Invalid.
    """
    if not any(getattr(entry, name) for name in entry.names):
        raise missing_name(entry.names)
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
            order_id=copy_order_id(order.order_id, place),
            price=price,
            discount_amount=discount,
            bundle=order.order_id,
        )
        for place, (price, discount) in enumerate(shares, 1)
    ]


def _coverage(entry: OrderCreate) -> dict[str, object]:
    """The fields of the issues or months. Raises: Invalid if one is missing."""
    if missing := list(list_missing_terms(entry.given)):
        raise all_of(missing)
    if entry.type is not SubscriptionType.MEMBERSHIP:
        return dict.fromkeys(("interval_months", "period_start", "period_end"))
    assert entry.interval_months is not None
    start = entry.period_start or entry.order_date
    end = membership_period_end(start, entry.interval_months)
    return {"start_issue": None, "length": None, "period_start": start, "period_end": end}


def _gift(giver: Giver | None) -> dict[str, object]:
    """The fields of a gift; the API shows the giver's name and email."""
    if giver is None:
        return {"is_gift": False, "gifter_email": None}
    name = full_name(giver.first_name, giver.last_name, giver.company, giver.email or "")
    return {
        "is_gift": True,
        "giver": giver,
        "gifter_name": required_text("gifter_first_name", name[:MAX_TEXT]),
        "gifter_email": giver.email,
    }


def copy_order_id(first: str, place: int) -> str:
    """The order id of a copy in a bundle: `X`, `X-2`, `X-3`. Raises: Invalid if it is too long."""
    return first if place == 1 else required_text("order_id", f"{first}-{place}")


def split_amount(amount: int, count: int) -> list[int]:
    """An amount in equal shares; the first one also gets what is left."""
    share, rest = divmod(amount, count)
    return [share + rest, *[share] * (count - 1)]


def with_product(
    body: OrderCreate, terms: tuple[SubscriptionType, int | None, int | None] | None
) -> OrderCreate:
    """The order with the type, the length and the months of its product where it has none.

    terms: of the product; None if there is no such product. Raises: Invalid for another type.
    """
    if terms is None:
        return body
    type, length, months = terms
    if body.type not in (None, type):
        raise Invalid(
            f"`type` is `{body.type}`, but the product is a `{type}`. Leave `type` out, or use "
            "another product.",
            field="type",
            value=body.type,
        )
    is_membership = type is SubscriptionType.MEMBERSHIP
    return structs.replace(
        body,
        type=type,
        length=body.length or (None if is_membership else length),
        interval_months=body.interval_months or (months if is_membership else None),
    )


def giver_of(body: OrderCreate, known: KnownSubscriber | None) -> Giver | None:
    """The giver of a gift, as a program names them; None if the order is not a gift.

    body: without conflicts. known: the subscriber with `gifter_id`. Raises: Invalid.
    """
    if not body.is_gift:
        return None
    if known is not None:
        return known_giver(known)
    if body.gifter_id is not None:
        raise Invalid(
            f"`gifter_id` is `{excerpt(body.gifter_id)}`, which is not a subscriber of this "
            "account. Use the `id` of one from `GET /v1/subscribers/`.",
            code="unknown_subscriber",
            field="gifter_id",
            value=body.gifter_id,
        )
    return Giver(
        email=body.gifter_email,
        first_name=body.gifter_first_name,
        last_name=body.gifter_last_name,
        company=body.gifter_company,
    )


def typed_giver(entry: OrderEntry) -> Giver:
    """A giver as staff typed them, with their own postal address. Raises: Invalid."""
    if refusals := list_own_address_refusals(structs.asdict(entry), prefix="gifter_"):
        raise all_of(refusals)
    names = ("email", *FORMS_OF_ADDRESS, *NAMES, *ADDRESS_FIELDS)
    return Giver(**{name: getattr(entry, f"gifter_{name}") for name in names})


def known_giver(subscriber: KnownSubscriber) -> Giver:
    """A subscriber as the giver of a gift."""
    return Giver(
        subscriber_id=subscriber.id,
        email=subscriber.email,
        first_name=subscriber.first_name,
        last_name=subscriber.last_name,
        company=subscriber.company,
    )


def require_other_giver(
    giver: Giver, *, id: str | None, email: str | None, name: str | None = None
) -> None:
    """Raises: Invalid if the subscriber of a gift is its giver. id, email: of the subscriber."""
    is_same = giver.subscriber_id is not None and giver.subscriber_id == id
    if is_same or (email and giver.email_key == email_key(email)):
        message = _(
            "{name} would get their own gift. Choose another giver, or do not mark the order as a "
            "gift."
        )
        shown = name or full_name(giver.first_name, giver.last_name, giver.company, email or "")
        raise Invalid(message.format(name=shown), field="gifter_first_name")


def require_one_copy(body: OrderCreate) -> None:
    """Raises: Invalid if an order among several has conflicts, or is for more than one copy."""
    if conflicts := body.conflicts:
        raise all_of(conflicts)
    if body.copies not in (None, 1):
        raise Invalid(
            f"`copies` is {body.copies}; among several orders it can only be 1. Send this order "
            "to `POST /v1/orders/`.",
            field="copies",
            value=body.copies,
        )


def describe_refusal(refusal: Invalid | NotFound | Erased) -> OrderError:
    """Why an order was refused."""
    field = refusal.field if isinstance(refusal, Invalid) else ""
    return OrderError(with_way_out(str(refusal), refusal.code), refusal.code, field or None)
