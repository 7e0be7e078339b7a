"""Subscriptions and their periods as they are stored, with the columns that rules and pages use."""

from datetime import date

from msgspec import Struct

from masthead.model.types.enums import Medium, SubscriptionStatus, SubscriptionType
from masthead.model.types.postal_fields import PostalFields


class StoredSubscription(PostalFields, frozen=True, kw_only=True):
    """The columns of a subscription. n: its number in the search index."""

    id: str
    n: int
    subscriber_id: str
    source_id: str
    product_id: str
    type: SubscriptionType
    status: SubscriptionStatus
    medium: Medium
    phone: str | None
    notes: str | None
    is_recurring: bool
    is_comp: bool
    is_gift: bool
    gifter_name: str | None
    gifter_email: str | None
    gifter_id: str | None
    bundle_id: str | None
    start_issue: int | None
    last_issue: int | None
    total_length: int


class StoredPeriod(Struct, frozen=True, kw_only=True):
    """The columns of a period. Either issues or days are None, by the type of the subscription.

    source_id, source_name: None if the source is that of the subscription.
    """

    id: int
    subscription_id: str
    order_id: str
    transaction_id: str | None
    order_date: date | None
    is_complete: bool
    first_issue: int | None
    last_issue: int | None
    length: int | None
    interval_months: int | None
    period_start: date | None
    period_end: date | None
    price: int
    discount_amount: int
    refunded: int
    currency: str
    promo_code: str | None
    source_id: str | None
    source_name: str | None

    @property
    def issues(self) -> range:
        """The numbers of its issues; none for a period of days."""
        first, length = self.first_issue or 0, self.length or 0
        return range(first, first + length)
