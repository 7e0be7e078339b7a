"""What the order form says of issues that the subscriber has already."""

from collections.abc import Sequence

from msgspec import Struct

from masthead.model.addresses.days import Release
from masthead.model.orders.known_subscribers import KnownSubscriber, Likeness
from masthead.model.orders.overlaps import Overlap, find_overlaps
from masthead.store.engine.interface import Connection
from masthead.store.orders.live_periods import list_live_periods
from masthead.web.orders.order_choices import OrderChoices
from masthead.web.orders.order_form import OrderForm


class FoundOverlaps(Struct, frozen=True):
    """The live subscriptions with issues of the order. name: of the subscriber."""

    name: str
    items: Sequence[Overlap]

    @property
    def answer(self) -> str:
        """What the form sends if the order is added as well."""
        return ",".join(each.subscription_id for each in self.items)


async def list_overlaps(
    db: Connection,
    account_id: int,
    form: OrderForm,
    choices: OrderChoices,
    duplicates: Sequence[KnownSubscriber],
) -> FoundOverlaps | None:
    """What the subscriber has already; None for a new one, or if there is nothing to say.

    duplicates: the subscribers who match what was typed; the one with the email is the subscriber.
    Queries: one at most.
    """
    owner = form.subscriber or next(
        (each for each in duplicates if Likeness.EMAIL in each.likeness), None
    )
    if owner is None:
        return None
    periods = await list_live_periods(db, account_id, owner.id)
    releases = sorted(
        (
            Release(each.number, each.release_date_actual)
            for each in choices.issues
            if each.release_date_actual
        ),
        key=lambda each: each.number,
    )
    found = find_overlaps(form.given, periods, releases)
    return FoundOverlaps(owner.name, found) if found else None
