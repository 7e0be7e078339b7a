"""Which subscriptions a subscriber can renew on their page, and what a renewal is."""

from collections.abc import Sequence
from datetime import date

from msgspec import Struct

from masthead.model.subscriptions.stored import StoredSubscription
from masthead.model.types.enums import SubscriptionStatus

CANNOT_RENEW = "cannot_renew"  # a code that only pages show
_RENEWS_BY_ITSELF = (SubscriptionStatus.ACTIVE, SubscriptionStatus.PAST_DUE)


def can_renew(status: str, *, is_comp: bool, is_recurring: bool) -> bool:
    """Whether a subscription is of a kind that is renewed by an order of its payer."""
    renews_by_itself = is_recurring and status in _RENEWS_BY_ITSELF
    return not (renews_by_itself or is_comp or status == SubscriptionStatus.CANCELLED)


def owner_of(row: StoredSubscription) -> str | None:
    """The subscriber who pays for a subscription that nobody is billed for: the giver of a gift.

    None for the gift of somebody who is no subscriber.
    """
    return row.gifter_id if row.is_gift else row.gifter_id or row.subscriber_id


def payer_of(row: StoredSubscription, billed: str | None) -> str | None:
    """The subscriber who pays for a subscription, sees its price, and renews it.

    billed: the payer of its last order; None if that has no invoice.
    """
    return billed or owner_of(row)


class RenewalOffer(Struct, frozen=True, kw_only=True):
    """What a renewal is, before it is ordered.

    ids: of all copies. name: who gets it; empty if it is the one who renews. price: as the prices
    of the account are, and total: what the payer will owe, with VAT; in minor units, of all copies.
    length, first_issue, last_issue: None for memberships; interval_months, first_day: the others.
    due_days: days until the invoice is due. waits: whether the payer gets one invoice for all of
    their orders. seen: a text that changes if anything of this does.
    """

    ids: Sequence[str]
    product: str
    name: str
    price: int
    total: int
    currency: str
    has_vat: bool
    length: int | None
    first_issue: int | None
    interval_months: int | None
    first_day: date | None
    source_id: str
    due_days: int
    waits: bool
    ends: Sequence[str]

    @property
    def count(self) -> int:
        """How many copies of an issue."""
        return len(self.ids)

    @property
    def last_issue(self) -> int | None:
        """The last issue of the renewal; None for a membership."""
        if self.first_issue is None or self.length is None:
            return None
        return self.first_issue + self.length - 1

    @property
    def seen(self) -> str:
        """What a form keeps, so that nothing else is ordered than was shown."""
        terms = self.length or self.interval_months
        return f"{self.total} {self.currency} {terms} {' '.join(self.ends)}"
