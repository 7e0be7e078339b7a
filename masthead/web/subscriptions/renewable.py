"""What the page shows that renews a subscription."""

from collections.abc import Sequence

from msgspec import Struct

from masthead.model.orders.known_subscribers import KnownSubscriber
from masthead.model.resources import Issue, Source, Subscription
from masthead.model.subscriptions.renewals import SubscriptionEnd
from masthead.model.subscriptions.stored import StoredPeriod
from masthead.model.types.enums import SubscriptionStatus, SubscriptionType
from masthead.store.products import AccountProduct
from masthead.web.subscriptions.renewal_price import RenewalPrice
from masthead.web.subscriptions.together import ChosenCopies


class Renewable(Struct, frozen=True, kw_only=True):
    """What the page shows. ends: of each subscription that is renewed.

    copies: the subscriptions that are renewed. last: the period that is renewed.
    payer: who gets the invoice unless another is chosen.
    was_billed, was_debited: whether the last order was billed, and collected by direct debit.

    gifter_id: the subscriber who gave it, None if it is no gift or the giver has no record.
    price: the proposed one. product: the product that the price of today is from, None if it is
    that of the last order.
    """

    subscription: Subscription
    gifter_id: str | None
    copies: ChosenCopies
    ends: Sequence[SubscriptionEnd]
    last: StoredPeriod
    sources: Sequence[Source]
    currencies: Sequence[str]
    price: RenewalPrice
    length: int | None
    months: int | None
    product: AccountProduct | None
    current: Issue | None
    payer: KnownSubscriber | None
    was_billed: bool
    was_debited: bool

    @property
    def is_membership(self) -> bool:
        """Whether it is for months."""
        return self.subscription.type is SubscriptionType.MEMBERSHIP

    @property
    def is_cancelled(self) -> bool:
        """Whether it must be reopened first."""
        return self.subscription.status is SubscriptionStatus.CANCELLED

    @property
    def next_issue(self) -> int | None:
        """The first issue of the renewal."""
        last = self.ends[0].last_issue
        return None if last is None else last + 1
