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

    @property
    def has_no_end(self) -> bool:
        """Whether no issue is its last one: it is for months, or renews automatically."""
        return self.type == SubscriptionType.MEMBERSHIP or bool(self.is_recurring)


class StoredPeriod(Struct, frozen=True, kw_only=True):
    """The columns of a period. Either issues or days are None, by the type of the subscription.

    source_id, source_name: None if the source is that of the subscription. skipped: the numbers of
    the issues that the subscription leaves out, with blanks between them; None without any.
    added: for how many of them the period has one more issue.
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
    skipped: str | None = None
    added: int = 0

    @property
    def issues(self) -> range:
        """The numbers of its issues, with the skipped ones; none for a period of days."""
        first, length = self.first_issue or 0, self.length or 0
        return range(first, first + length)

    @property
    def included(self) -> list[int]:
        """The numbers of its issues, without the skipped ones."""
        if not self.skipped:
            return list(self.issues)
        skipped = set(map(int, self.skipped.split()))
        return [number for number in self.issues if number not in skipped]

    @property
    def paid_issues(self) -> int:
        """How many issues the price is for: as many as were ordered; none for a period of days."""
        return (self.length or 0) - self.added
