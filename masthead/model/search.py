"""What search looks at: the fields of a record, folded, one a line."""

from collections.abc import Iterable, Mapping
from typing import Any

from masthead.model.values import search_text

Row = Mapping[str, Any]


def subscriber_text(subscriber: Row) -> str:
    """The subscriber's own part of what their search looks at."""
    return search_text(
        subscriber["id"], subscriber["first_name"], subscriber["last_name"], subscriber["email"]
    )


def subscription_part(subscription: Row, order_ids: Iterable[str]) -> str:
    """What a subscription adds to the search for its subscriber."""
    fields = "first_name last_name company address1 address2 city postcode phone".split()
    return search_text(subscription["id"], *order_ids, *(subscription[field] for field in fields))


def subscription_text(
    subscription: Row, order_ids: Iterable[str], promo_codes: Iterable[str | None], subscriber: Row
) -> str:
    """All that the search for a subscription looks at."""
    fields = "state notes gifter_name gifter_email".split()
    return "\n".join(
        (
            subscription_part(subscription, order_ids),
            search_text(*(subscription[field] for field in fields), *promo_codes),
            subscriber_text(subscriber),
        )
    )
