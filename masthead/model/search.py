"""What subscribers and subscriptions are found by: their fields, folded, one a line.

A subscriber and the subscription that made them are found by nearly the same, so that they share a
row, by a number `n` that both carry; later subscriptions have rows of their own. A subscription is
found by `shared_text` and `subscription_text` of its row, a subscriber by `shared_text` and
`subscriber_text`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from masthead.model.types.text import fold

Row = Mapping[str, Any]

_PART = "first_name last_name company address1 address2 city postcode phone".split()
_MORE = "state notes gifter_name gifter_email".split()


_BLANKS_TO_TIDY = re.compile(r"\s\s|[^\S \n]|\A\s|\s\Z")


def search_text(*parts: str | None) -> str:
    """The searchable parts of a record, folded, one a line; a term never spans two lines."""
    kept = [part for part in parts if part]
    text = "\n".join(kept)
    if text.isascii() and text.count("\n") < max(len(kept), 1) and not _BLANKS_TO_TIDY.search(text):
        return text.lower()  # what follows would say the same of most records, in thrice the time
    return "\n".join(" ".join(fold(part).split()) for part in kept)


def search_terms(search: str) -> list[str]:
    """The texts that must all be found, as `search_text` has them."""
    return [term for word in search.split() if (term := fold(word))]


def _subscriber_text(subscriber: Row) -> str:
    """The subscriber's own part of what their search looks at."""
    return search_text(
        subscriber["id"], subscriber["first_name"], subscriber["last_name"], subscriber["email"]
    )


def _part(subscription: Row, orders: Iterable[Row]) -> str:
    """What a subscription adds to the search for its subscriber."""
    fields = (subscription[field] for field in _PART)
    return search_text(subscription["id"], *(order["order_id"] for order in orders), *fields)


def _more(subscription: Row, orders: Iterable[Row]) -> str:
    """What the search for a subscription alone looks at."""
    fields = (subscription[field] for field in _MORE)
    return search_text(*fields, *(order["promo_code"] for order in orders))


def _lines(texts: Sequence[str]) -> str:
    """The lines of texts. Two ends of line at the end: every letter has two that follow it."""
    filled = [text for text in texts if text]
    return "\n".join(filled) + "\n\n" if filled else ""


def searchable_rows(
    subscriber: Row, subscriptions: Sequence[tuple[Row, Sequence[Row]]]
) -> Iterator[dict[str, Any]]:
    """The rows that a subscriber and all their subscriptions are found by.

    subscriptions: own columns, and orders, oldest first.
    """
    own = _subscriber_text(subscriber)
    parts = {row["n"]: _part(row, orders) for row, orders in subscriptions}
    first = subscriber["n"]
    for row, orders in subscriptions:
        n, more = row["n"], _more(row, orders)
        is_first = n == first
        others = [part for other, part in parts.items() if other != n] if is_first else []
        yield {
            "n": n,
            "subscriber_id": subscriber["id"] if is_first else None,
            "subscription_id": row["id"],
            "shared_text": _lines([own, parts[n]] if is_first else []),
            "subscription_text": _lines([more] if is_first else [own, parts[n], more]),
            "subscriber_text": _lines(others),
        }
    if first not in parts:
        yield {
            "n": first,
            "subscriber_id": subscriber["id"],
            "subscription_id": None,
            "shared_text": "",
            "subscription_text": "",
            "subscriber_text": _lines([own, *parts.values()]),
        }
