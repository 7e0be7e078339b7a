"""What the order form says of issues that the subscriber has already."""

from collections.abc import Sequence

from msgspec import Struct

from masthead.model.orders.known_subscribers import KnownSubscriber, Likeness
from masthead.model.orders.overlaps import Overlap
from masthead.services.orders.overlaps import list_overlaps
from masthead.store.engine.interface import Connection
from masthead.web.orders.order_form import OrderForm


class FoundOverlaps(Struct, frozen=True):
    """The live subscriptions with issues of the order. name: of the subscriber."""

    name: str
    items: Sequence[Overlap]

    @property
    def answer(self) -> str:
        """What the form sends if the order is added as well."""
        return ",".join(each.subscription_id for each in self.items)


async def overlaps_of_form(
    db: Connection, account_id: int, form: OrderForm, duplicates: Sequence[KnownSubscriber]
) -> FoundOverlaps | None:
    """What the subscriber has already; None for a new one, or if there is nothing to say.

    duplicates: the subscribers who match what was typed; the one with the email is the subscriber.
    Queries: two at most.
    """
    owner = form.subscriber or next(
        (each for each in duplicates if Likeness.EMAIL in each.likeness), None
    )
    if owner is None:
        return None
    found = await list_overlaps(db, account_id, form.given, owner.id)
    return FoundOverlaps(owner.name, found) if found else None
