"""A row of an import in the format of masthead: an order, and perhaps its next period."""

from typing import Annotated

from msgspec import Meta

from masthead.model.inputs import Creation
from masthead.model.types.enums import Medium, Salutation, SubscriptionStatus, SubscriptionType
from masthead.model.types.fields import (
    CountryCode,
    CurrencyCode,
    Day,
    DueDays,
    EmailText,
    IntervalMonths,
    Length,
    ListText,
    MoneyText,
    Name,
    Notes,
    OrderDay,
    PersonalTitle,
    StartIssue,
    Text,
)

MAX_PAYER_NUMBER = 99_999_999  # so that accounts of customers have nine digits at most
PayerNumber = Annotated[int, Meta(ge=1, le=MAX_PAYER_NUMBER)]


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
    is_billed: bool | None = None
    payer_number: PayerNumber | None = None
    payer_name: Text | None = None
    payer_company: Text | None = None
    payer_email: EmailText | None = None
    payer_address1: Text | None = None
    payer_address2: Text | None = None
    payer_city: Text | None = None
    payer_state: Text | None = None
    payer_postcode: Text | None = None
    payer_country: CountryCode | None = None
    payer_vat_id: Text | None = None
    due_days: DueDays | None = None
    order_reference: Name | None = None
    iban: Text | None = None
    bic: Text | None = None
    account_holder: Text | None = None
    mandate_reference: Text | None = None
    mandate_date: OrderDay | None = None
    mandate_last_used: OrderDay | None = None


# Its fields about who gets the invoice
PAYER = tuple(each for each in SubscriptionRow.__struct_fields__ if each.startswith("payer_"))
