"""An order as staff enter it from a phone call or a letter: more than the API takes."""

from typing import Annotated

from msgspec import Meta

from masthead.model.inputs import Creation
from masthead.model.types.enums import Medium, PaymentMethod, SubscriptionType
from masthead.model.types.fields import (
    CountryCode,
    CurrencyCode,
    Day,
    EmailText,
    IntervalMonths,
    Length,
    ListText,
    MoneyText,
    Name,
    Notes,
    StartIssue,
    Text,
)

MAX_COPIES = 100  # of each issue, to one company
CopyCount = Annotated[int, Meta(ge=1, le=MAX_COPIES)]


class OrderEntry(Creation, kw_only=True):
    """An order from a phone call or a letter: for a subscriber, a gift, or several copies.

    type: that of the product. period_start: of a membership.
    subscriber_id: null if unknown. new_subscriber: ids of the subscribers it is not for.
    gifter_id, new_giver: the same for the giver of a gift.
    copies: how many copies of each issue. price, discount_amount: of all of them together.
    is_address_complete: whether there is really no street, town or postcode.
    """

    source: Name
    product: Name | None = None
    type: SubscriptionType = SubscriptionType.SUBSCRIPTION
    start_issue: StartIssue | None = None
    length: Length | None = None
    interval_months: IntervalMonths | None = None
    period_start: Day | None = None
    subscriber_id: Text | None = None
    new_subscriber: ListText | None = None
    email: EmailText | None = None
    first_name: Text | None = None
    last_name: Text | None = None
    company: Text | None = None
    address1: Text | None = None
    address2: Text | None = None
    city: Text | None = None
    state: Text | None = None
    postcode: Text | None = None
    country: CountryCode
    phone: Text | None = None
    notes: Notes | None = None
    medium: Medium | None = None
    copies: CopyCount | None = None
    price: MoneyText
    currency: CurrencyCode | None = None
    discount_amount: MoneyText | None = None
    payment_method: PaymentMethod | None = None
    is_comp: bool | None = None
    is_recurring: bool | None = None
    is_gift: bool | None = None
    gifter_id: Text | None = None
    new_giver: ListText | None = None
    gifter_email: EmailText | None = None
    gifter_first_name: Text | None = None
    gifter_last_name: Text | None = None
    gifter_company: Text | None = None
    order_id: Name
    order_date: Day
    transaction_id: Text | None = None
    promo_code: Text | None = None
    send_welcome_email: bool | None = None
    is_address_complete: bool | None = None
