"""Checks of the source, the product and the renewed order that an order refers to."""

from collections.abc import Collection, Mapping

from masthead.model.errors import Invalid, excerpt
from masthead.model.orders.draft import SubscriptionDraft
from masthead.model.orders.order import Order
from masthead.model.resources import Source
from masthead.model.translations import gettext as _
from masthead.model.types.enums import SourceType, SubscriptionStatus


def is_open(source: Source) -> bool:
    """Whether manual and imported orders can use this source."""
    return source.is_active and source.type is not SourceType.CHECKOUT


def require_open(source: Source | None, id: str) -> None:
    """Raises: Invalid `invalid_source` unless the source with this id exists and is open."""
    if source is None:
        message = _(
            "`source` `{id}` is not a source of this account. Use the id of an active shop or "
            "import source from `GET /v1/sources/`."
        )
    elif is_open(source):
        return
    elif source.type is SourceType.CHECKOUT:
        message = _(
            "`source` `{id}` is masthead's own checkout, which does not accept manual orders. Use "
            "the id of an active shop or import source from `GET /v1/sources/`."
        )
    else:
        message = _(
            "`source` `{id}` is no longer active. Use the id of an active shop or import source "
            "from `GET /v1/sources/`."
        )
    raise Invalid(message.format(id=id), code="invalid_source", field="source", value=id)


def require_offered(product_id: str, offered: Collection[str]) -> None:
    """Raises: Invalid `unknown_product` if the product cannot be ordered."""
    if product_id not in offered:
        raise Invalid(
            _(
                "`product` `{id}` is not an active product of this account. Choose one from the "
                "list."
            ).format(id=excerpt(product_id)),
            code="unknown_product",
            field="product",
            value=product_id,
        )


def require_known(order: Order, known: Mapping[str, str]) -> None:
    """Raises: Invalid `unknown_subscriber` if an order has the id of no subscriber.

    known: the ids of existing subscribers, by the id in the order.
    """
    giver = order.giver.subscriber_id if order.giver else None
    for field, id in (("subscriber_id", order.subscriber_id), ("gifter_id", giver)):
        if id is not None and id not in known:
            raise Invalid(
                _(
                    "`{field}` is `{id}`, which is not a subscriber of this account. Find the "
                    "subscriber again."
                ).format(field=field, id=excerpt(id)),
                code="unknown_subscriber",
                field=field,
                value=id,
            )


def find_renewed(
    order: Order, subscription_ids: Mapping[str, str], drafts: Mapping[str, SubscriptionDraft]
) -> SubscriptionDraft | None:
    """The subscription that an order renews; None if the order creates one.

    subscription_ids: by order id. drafts: by subscription id.
    Raises: Invalid if the order id is already used, or if the subscription cannot be renewed.
    """
    if used := subscription_ids.get(order.order_id):
        raise Invalid(
            _(
                "`order_id` `{order_id}` already belongs to subscription `{used}`; each order id "
                "can be used only once."
            ).format(order_id=order.order_id, used=used),
            code="duplicate_order_id",
            field="order_id",
            value=order.order_id,
            id=used,
        )
    if order.renews is None:
        return None
    if order.renews not in subscription_ids:
        raise Invalid(
            f"`renews` is `{order.renews}`, but there is no such order yet. Rows are read from "
            "top to bottom: put each order above its renewals.",
            field="renews",
            value=order.renews,
        )
    draft = drafts[subscription_ids[order.renews]]
    if draft.status is SubscriptionStatus.CANCELLED:
        raise Invalid(
            f"`renews` is `{order.renews}`, but that subscription is cancelled; leave "
            "`renews` empty to create a new one.",
            field="renews",
            value=order.renews,
        )
    if order.status is not None:
        check_recurring(order.status, is_recurring=draft.columns["is_recurring"])
    return draft


def check_recurring(status: SubscriptionStatus, *, is_recurring: bool) -> None:
    """Raises: Invalid if the status requires a recurring subscription."""
    if not is_recurring and status is not SubscriptionStatus.CANCELLED:
        raise Invalid(
            f"`status` is `{status}`, which only a recurring subscription can have; "
            "set `is_recurring`, or leave `status` empty.",
            field="status",
            value=status,
        )
