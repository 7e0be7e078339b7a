"""Orders that exist already: whether an order of an import is the same one."""

from hashlib import blake2b

from msgspec import Struct

from masthead.model.imports.made_order_ids import is_made
from masthead.model.orders.known_subscribers import name_key, postcode_key
from masthead.model.orders.order import Order
from masthead.model.translations import gettext as _
from masthead.model.types.email_addresses import stored_keys
from masthead.model.types.full_names import full_name
from masthead.model.types.money import money_in_words
from masthead.model.types.text import fold

DIGEST_BYTES = 12


class KnownOrder(Struct, frozen=True, kw_only=True):
    """An order with its subscription, its subscriber and the name of its source.

    The names and the address are those of the subscription. email: None if there is none.
    line: of the same file, if the order comes from there. said: the digest of what the row said
    about the subscriber from which the order was imported.
    """

    order_id: str
    subscription_id: str
    subscriber_id: str
    source_id: str
    source_name: str
    price: int
    currency: str
    first_name: str | None
    last_name: str | None
    company: str | None
    address1: str | None
    postcode: str | None
    country: str
    email: str | None
    line: int | None = None
    said: str | None = None

    @property
    def name(self) -> str:
        """The name to show."""
        return full_name(self.first_name, self.last_name, self.company, self.email or "")

    @property
    def place(self) -> str:
        """Where to find it: its subscription, or its line in the same file."""
        if self.line is not None:
            return _("line {line} of this file").format(line=self.line)
        return _("subscription {id}").format(id=self.subscription_id)


def address_key(who: Order | KnownOrder) -> tuple[str, ...]:
    """The name and the address in the form in which they are compared."""
    return (
        name_key(who.first_name, who.last_name) or name_key(who.company),
        fold(who.address1 or ""),
        postcode_key(who.postcode),
        who.country or "",
    )


def said_digest(order: Order) -> str | None:
    """The digest to store of what a row says about its subscriber; None if it says nothing.

    It is that of the email; without one, of the name and the address. An order that renews another
    one belongs to its subscriber.
    """
    return next(iter(_said_digests(order)), None)


def _said_digests(order: Order) -> list[str]:
    """The digests that an equal row may have, those of earlier versions too."""
    if order.renews:
        return []
    return email_said_digests(order.email) if order.email else [_digest(*address_key(order))]


def email_said_digests(email: str) -> list[str]:
    """The digests that rows with an email may have."""
    return [_digest(key) for key in stored_keys(email)]


def _digest(*parts: str) -> str:
    return blake2b("\0".join(parts).encode(), digest_size=DIGEST_BYTES).hexdigest()


def differences(
    order: Order, known: KnownOrder, *, source_id: str, owner_id: str | None
) -> list[str]:
    """What keeps an order from being a known one, in words; empty if it is the same.

    source_id: of the order. owner_id: the subscriber who has the email of the order, or whose
    subscription it renews; None if there is none.
    """
    found = []
    if (order.source_id or source_id) != known.source_id:
        found.append(_("the source"))
    if not _has_same_subscriber(order, known, owner_id):
        found.append(_("the subscriber"))
    if (order.price, order.currency) != (known.price, known.currency):
        found.append(_("the amount"))
    return found


def _has_same_subscriber(order: Order, known: KnownOrder, owner_id: str | None) -> bool:
    if known.said is not None and known.said in _said_digests(order):
        return True  # its subscriber was chosen or corrected since
    if order.subscriber_id is not None:
        return order.subscriber_id == known.subscriber_id
    if order.email_key is not None or order.renews is not None:
        return owner_id == known.subscriber_id
    return address_key(order) == address_key(known)


def describe_known(known: KnownOrder) -> str:
    """What a skipped row matched."""
    if known.line is not None:
        return _("This is the same order as {place}.").format(place=known.place)
    if is_made(known.order_id):
        return _(
            "{name} already has this order ({place}): the product, the dates and the price are "
            "the same."
        ).format(name=known.name, place=known.place)
    return _("`{order_id}` is already an order of {name} ({place}).").format(
        order_id=known.order_id, name=known.name, place=known.place
    )


def describe_conflict(known: KnownOrder, different: list[str]) -> str:
    """Why an order is refused whose id another order has."""
    amount = money_in_words(known.price, known.currency)
    if is_made(known.order_id):
        return _(
            "{name} already has an order with the same product, dates and price: source {source}, "
            "{amount} ({place}). This row differs in {differences}. If both are right, give each "
            "an order number in a column of its own; otherwise leave this row out."
        ).format(
            name=known.name,
            source=known.source_name,
            amount=amount,
            place=known.place,
            differences=", ".join(different),
        )
    return _(
        "`{order_id}` is already the id of another order: of {name}, source {source}, {amount} "
        "({place}). This row differs in {differences}. If it is an order of "
        "another shop, import the file with an order prefix (`--order-prefix`); otherwise give "
        "the row another order id."
    ).format(
        order_id=known.order_id,
        name=known.name,
        source=known.source_name,
        amount=amount,
        place=known.place,
        differences=", ".join(different),
    )
