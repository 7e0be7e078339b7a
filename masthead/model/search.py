"""The searchable fields of subscribers and subscriptions, and their text in the search index.

Fields are stored as `fold_searched` returns them, one on each line. A name is there without its
apostrophes, too, a postcode without blanks, and a phone number as its digits. A subscriber and
their first subscription have most fields in common, so they share a row of the index and its
number `n`; later subscriptions have separate rows.
The search for subscriptions looks at `shared_text` and `subscription_text`, and the search for
subscribers at `shared_text` and `subscriber_text`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from msgspec import Struct

from masthead.model.orders.known_subscribers import postcode_key
from masthead.model.types.phone_numbers import MIN_DIGITS, digits_of, significant_digits
from masthead.model.types.text import fold_ascii, fold_searched

Row = Mapping[str, Any]


class SearchTexts(Struct, frozen=True, kw_only=True):
    """A row of the search index. subscriber_id, subscription_id: at least one of them."""

    n: int
    subscriber_id: str | None
    subscription_id: str | None
    shared_text: str
    subscription_text: str
    subscriber_text: str

    @property
    def owners(self) -> tuple[str | None, str | None]:
        """The subscriber and the subscription, whose number another row may have taken."""
        return self.subscriber_id, self.subscription_id

    @property
    def is_outdated(self) -> bool:
        """Whether an earlier version wrote the row, so that it is to be written again."""
        text = self.subscriber_text + self.shared_text + self.subscription_text
        return text.endswith("\n\n") and not text.endswith(END)


SUBSCRIBER_FIELDS = "id first_name last_name email".split()
# Fields of a subscriber without a first subscription, such as a payer: it would have these, too
OWN_SUBSCRIBER_FIELDS = "company address1 address2 city postcode".split()
# Fields of a subscription. `order_id` of its orders is also a shared field, and `promo_code` an own
# field. The search for subscribers looks at the shared fields, too
SHARED_FIELDS = "first_name last_name company address1 address2 city postcode phone".split()
OWN_FIELDS = "state notes gifter_name gifter_email".split()

# After each text. A text with another end was written by an earlier version, with other folding
END = "\n\n\n\n"
_INSIDE = re.compile(r"(?<=[^\W\d_])'(?=[^\W\d_])")
# As staff type one: with the code of a country, or with the zero before that of a town
_PHONE = re.compile(r"(?<!\S)(?:\([+0-9]|[+0])[0-9 ()/.-]{6,}(?!\S)")
_DATE = re.compile(r"[0-9]{2}[./-][0-9]{2}[./-][0-9]{4}")

_subscriber_values = itemgetter(*SUBSCRIBER_FIELDS)
_own_subscriber_values = itemgetter(*OWN_SUBSCRIBER_FIELDS)
_shared_values = itemgetter(*SHARED_FIELDS)
_own_values = itemgetter(*OWN_FIELDS)


def search_text(*parts: str | None) -> str:
    """The searchable fields of a record, one a line. A search term never extends over two lines.

    A field with an apostrophe in a word is there without it, too.
    """
    kept = list(filter(None, parts))
    if not kept:
        return ""
    text = "\n".join(kept)
    if text.isascii():
        folded = fold_ascii(text)
    else:  # most parts are ASCII, which costs a quarter
        folded = "\n".join([fold_ascii(p) if p.isascii() else fold_searched(p) for p in kept])
    has_no_breaks = folded.count("\n") < len(kept)
    if has_no_breaks and " ".join(folded.split()) == folded.replace("\n", " "):
        lines = folded  # nothing to tidy: the same result as below, in a tenth of the time
    else:
        lines = "\n".join(" ".join(fold_searched(part).split()) for part in kept)
    if "'" not in lines:
        return lines
    others = [_without_apostrophes(line) for line in lines.split("\n") if _INSIDE.search(line)]
    return "\n".join([lines, *others])


def _without_apostrophes(text: str) -> str:
    """The text without those inside of its words."""
    return _INSIDE.sub("", text)


def search_terms(search: str) -> list[str]:
    """The terms that must all be found, folded as in `search_text`.

    The comma in `Lovelace, Ada` belongs to no name.
    """
    return [word.strip(",;") or word for word in fold_searched(search).split()]


def other_terms(terms: Sequence[str]) -> list[list[str]]:
    """The same terms in other spellings: names without apostrophes, and digits of phone numbers."""
    names = [_without_apostrophes(term) for term in terms]
    return [each for each in (names if names != list(terms) else [], phone_terms(terms)) if each]


def phone_terms(terms: Sequence[str]) -> list[str]:
    """The same terms with the digits that each spelling of a phone number has; empty without one.

    `+49 421 123456` finds `0421/123456` in this way, and `030 12345` finds `+49 30 12345`.
    """
    text = " ".join(terms)
    found = _PHONE.sub(_phone_digits, text)
    return found.split() if found != text else []


def _phone_digits(match: re.Match[str]) -> str:
    return match[0] if _DATE.fullmatch(match[0]) else significant_digits(match[0]) or match[0]


def _subscriber_text(subscriber: Row) -> str:
    """The fields of the subscriber."""
    return search_text(*_subscriber_values(subscriber))


def _shared_fields(subscription: Row, orders: Sequence[Row]) -> str:
    """The fields of a subscription that the search for subscribers looks at, too."""
    order_ids = [order["order_id"] for order in orders]
    return search_text(
        subscription["id"], *order_ids, *_shared_values(subscription), *_joined(subscription)
    )


def _joined(subscription: Row) -> Iterator[str]:
    """The postcode without blanks and the digits of the phone, if they are typed with others."""
    postcode, phone = subscription["postcode"] or "", subscription["phone"] or ""
    if not postcode.isalnum() and (key := postcode_key(postcode)):
        yield key
    digits = digits_of(phone)
    if len(digits) >= MIN_DIGITS and digits not in phone:
        yield digits


def _own_fields(subscription: Row, orders: Sequence[Row]) -> str:
    """The fields of a subscription that only the search for subscriptions looks at."""
    return search_text(*_own_values(subscription), *[order["promo_code"] for order in orders])


def _lines(texts: Sequence[str]) -> str:
    """The texts on separate lines, and the end, so that two characters follow each one."""
    filled = list(filter(None, texts))
    return "\n".join(filled) + END if filled else ""


def searchable_rows(
    subscriber: Row, subscriptions: Sequence[tuple[Row, Sequence[Row]]]
) -> Iterator[SearchTexts]:
    """The rows of the search index for a subscriber and all their subscriptions.

    subscriptions: the columns of each, and its orders, oldest first.
    """
    own = _subscriber_text(subscriber)
    parts = {row["n"]: _shared_fields(row, orders) for row, orders in subscriptions}
    first = subscriber["n"]
    for row, orders in subscriptions:
        n, more = row["n"], _own_fields(row, orders)
        is_first = n == first
        others = [part for other, part in parts.items() if other != n] if is_first else []
        yield SearchTexts(
            n=n,
            subscriber_id=subscriber["id"] if is_first else None,
            subscription_id=row["id"],
            shared_text=_lines([own, parts[n]] if is_first else []),
            subscription_text=_lines([more] if is_first else [own, parts[n], more]),
            subscriber_text=_lines(others),
        )
    if first not in parts:
        postcode = subscriber["postcode"] or ""
        whole = search_text(
            *_subscriber_values(subscriber),
            *_own_subscriber_values(subscriber),
            "" if postcode.isalnum() else postcode_key(postcode),
        )
        yield SearchTexts(
            n=first,
            subscriber_id=subscriber["id"],
            subscription_id=None,
            shared_text="",
            subscription_text="",
            subscriber_text=_lines([whole, *parts.values()]),
        )


def join_rows(rows: Iterable[SearchTexts]) -> list[SearchTexts]:
    """The rows, with one for each number: of a subscriber, and of a subscription that moved away.

    Each is found by its own texts only.
    """
    joined: dict[int, SearchTexts] = {}
    for row in rows:
        other = joined.get(row.n)
        joined[row.n] = row if other is None else _joined_rows(other, row)
    return list(joined.values())


def _joined_rows(one: SearchTexts, other: SearchTexts) -> SearchTexts:
    return SearchTexts(
        n=one.n,
        subscriber_id=one.subscriber_id or other.subscriber_id,
        subscription_id=one.subscription_id or other.subscription_id,
        shared_text=one.shared_text + other.shared_text,
        subscription_text=one.subscription_text + other.subscription_text,
        subscriber_text=one.subscriber_text + other.subscriber_text,
    )
