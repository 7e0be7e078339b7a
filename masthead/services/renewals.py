"""Which order renewed what ended with an issue, and how it came."""

from collections.abc import Collection
from zoneinfo import ZoneInfo

from msgspec import Struct

from masthead.model.actors import BY_SUBSCRIBER
from masthead.model.letters.outcomes import LetterChannel
from masthead.model.translations import gettext as _, pgettext
from masthead.services.subscribers.names import name_actors
from masthead.store.engine.interface import Connection
from masthead.store.renewals.renewing_orders import (
    RenewingOrder,
    SentLetter,
    find_authors,
    find_renewing_orders,
    list_sent_letters,
)


class RenewedOrder(Struct, frozen=True, kw_only=True):
    """The order that renewed a subscription.

    author: the user who entered it; empty if a program or the subscriber did.
    is_by_subscriber: whether they ordered it on their own page. letter: the last renewal letter
    that went out before it.
    """

    order: RenewingOrder
    author: str
    is_by_subscriber: bool
    letter: SentLetter | None

    @property
    def is_printed(self) -> bool:
        """Whether the letter was printed."""
        return self.letter is not None and self.letter.channel == LetterChannel.PRINT

    @property
    def words(self) -> str:
        """How it came: automatically, by hand, from the subscriber, or from a source."""
        if self.author:
            return _("by hand, by {name}").format(name=self.author)
        if self.is_by_subscriber:
            return _("by the subscriber, on their page")
        if self.order.is_recurring and self.order.subscription_id == self.order.ended_id:
            return pgettext("renewed", "automatically")
        return _("order from “{source}”").format(source=self.order.source_name)


async def find_renewals(
    db: Connection, account_id: int, issue: int, ids: Collection[str], *, zone: ZoneInfo
) -> dict[str, RenewedOrder]:
    """What renewed subscriptions whose orders ended with an issue, by their ids.

    Those that were not renewed are left out. zone: of the account. Queries: five at most.
    """
    orders = await find_renewing_orders(db, account_id, issue, ids) if ids else []
    if not orders:
        return {}
    authors = await find_authors(db, account_id, {each.subscription_id for each in orders})
    users = {each for each in authors.values() if each[0] == "user"}
    names = await name_actors(db, account_id, users) if users else {}
    letters = await list_sent_letters(db, account_id, [each.period_id for each in orders])
    by_subscriber = (BY_SUBSCRIBER.kind, BY_SUBSCRIBER.id)
    return {
        each.ended_id: RenewedOrder(
            order=each,
            author=names.get(authors.get(each.order_id, ("", "")), ""),
            is_by_subscriber=authors.get(each.order_id) == by_subscriber,
            letter=_last_letter(each, letters, zone),
        )
        for each in orders
    }


def _last_letter(
    order: RenewingOrder, letters: Collection[SentLetter], zone: ZoneInfo
) -> SentLetter | None:
    """The last letter about what ended that went out before the order, or on its day."""
    before = [
        each
        for each in letters
        if each.period_id == order.period_id
        and order.order_date is not None
        and each.ended_at.astimezone(zone).date() <= order.order_date
    ]
    return before[-1] if before else None
