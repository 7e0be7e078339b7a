"""A row of an import in the format of masthead: an order, and perhaps its next period."""

from masthead.model.inputs import Creation
from masthead.model.types.enums import Medium, Salutation, SubscriptionStatus, SubscriptionType
from masthead.model.types.fields import (
    CountryCode,
    CurrencyCode,
    Day,
    EmailText,
    IntervalMonths,
    Length,
    ListText,
    MoneyText,
    Notes,
    PersonalTitle,
    StartIssue,
    Text,
)


class SubscriptionRow(Creation, kw_only=True):
    """A row of an import: a new subscription or membership, or with `renews` its next period."""

    order_id: Text
    type: SubscriptionType | None = None
    email: EmailText | None = None
    salutation: Salutation | None = None
    title: PersonalTitle | None = None
    first_name: Text | None = None
    last_name: Text | None = None
    company: Text | None = None
    address1: Text | None = None
    address2: Text | None = None
    city: Text | None = None
    state: Text | None = None
    postcode: Text | None = None
    country: CountryCode | None = None
    phone: Text | None = None
    start_issue: StartIssue | None = None
    length: Length | None = None
    interval_months: IntervalMonths | None = None
    period_start: Day | None = None
    period_end: Day | None = None
    is_recurring: bool | None = None
    status: SubscriptionStatus | None = None
    is_comp: bool | None = None
    is_gift: bool | None = None
    gifter_name: Text | None = None
    gifter_email: EmailText | None = None
    medium: Medium | None = None
    price: MoneyText | None = None
    currency: CurrencyCode | None = None
    discount_amount: MoneyText | None = None
    refunded: MoneyText | None = None
    promo_code: Text | None = None
    order_date: Day | None = None
    transaction_id: Text | None = None
    notes: Notes | None = None
    sent_issues: ListText | None = None
    sent_dates: ListText | None = None
    renews: Text | None = None
    cancelled_date: Day | None = None
