"""An order as programs send it, and as staff enter it from a phone call or a letter."""

from collections.abc import Collection, Mapping
from typing import Annotated, Any, ClassVar

from msgspec import Meta, Struct

from masthead.model import advice
from masthead.model.errors import Invalid
from masthead.model.inputs import Creation, SubscriptionCreate
from masthead.model.orders.field_rules import (
    API_NAMES,
    PAGE_NAMES,
    list_billing_conflicts,
    list_conflicts,
    list_giver_conflicts,
    list_missing_terms,
)
from masthead.model.resources import Subscription
from masthead.model.types.enums import Medium, PaymentMethod, Salutation, SubscriptionType
from masthead.model.types.fields import (
    CountryCode,
    CurrencyCode,
    Day,
    DueDays,
    EmailText,
    IntervalMonths,
    IssueNumber,
    Length,
    ListText,
    MoneyText,
    Name,
    Notes,
    OrderDay,
    PersonalTitle,
    PostalText,
    SourceOfOrders,
    StartIssue,
    Text,
)

MAX_ORDERS = 500  # of a request
MAX_COPIES = 100  # of each issue, to one company
CopyCount = Annotated[int, Meta(ge=1, le=MAX_COPIES)]


class OrderError(Struct, frozen=True):
    """Why an order was refused.

    message: what is wrong, and what to do.
    code: a code for programs.
    field: the field that it is about; null if it is about several.
    """

    message: str
    code: str
    field: str | None


class OrderCreate(Creation, kw_only=True):
    """An order: a subscription, a membership or a gift, of one copy of each issue or of several.

    source: id of an active source of type `shop` or `import`.
    product: id of an active product; by default that of imported subscriptions.
    type: by default that of the product.
    start_issue: number of the first issue; not for memberships.
    length: number of issues; by default as many as the product has. Without a product, it is
        required. Not for memberships.
    interval_months: months of a membership; by default as many as the product has.
    period_start: first day of a membership; by default the date of the order.
    subscriber_id: id of the subscriber; without it, they are found by `email`, or created.
    email: of the subscriber; without it, a placeholder is created.
    company: required if there is no `first_name`.
    phone: phone number with country code.
    notes: internal notes; subscribers do not see them.
    medium: defaults to `Print`.
    copies: copies of each issue, each with a subscription of its own; 1 by default.
    price: amount paid for all copies together; `0` with `is_comp`. It can differ from the price
        of the product.
    currency: defaults to the currency of the account.
    is_comp: whether the subscription is complimentary.
    is_recurring: whether the subscription renews; masthead itself charges nothing.
    is_gift: whether somebody else pays; then `gifter_id`, or `gifter_email` and a name of the
        giver, are required.
    gifter_id: id of the giver, if they are a subscriber; else they are found by `gifter_email`.
    gifter_email: email address of the giver; required for a gift without `gifter_id`.
    gifter_first_name: first name of the giver.
    gifter_last_name: last name of the giver.
    gifter_company: company of the giver; required if there is no `gifter_first_name`.
    order_id: id of the order in the shop; must be unique in the account. Further copies get `-2`,
        `-3` and so on.
    transaction_id: id of the payment at the payment provider.
    send_welcome_email: whether the subscriber receives the welcome email.
    is_billed: whether the payer gets an invoice; then `price` is what they will owe. Without it,
        `price` was paid.
    payer_id: id of the subscriber who gets the invoice; by default the giver of a gift, or else
        the subscriber.
    due_days: days until the invoice is due; by default those of the settings.
    order_reference: the payer's own order number, which is on the invoice.
    is_debited: whether the invoice is collected by direct debit, with a mandate that the payer
        has.
    """

    elsewhere = advice.NEW_ORDER
    noun = "order"
    bulk = SubscriptionCreate.bulk
    names: ClassVar[tuple[str, ...]] = API_NAMES  # of which one is required

    source: SourceOfOrders
    product: Name | None = None
    type: SubscriptionType | None = None
    start_issue: StartIssue | None = None
    length: Length | None = None
    interval_months: IntervalMonths | None = None
    period_start: Day | None = None
    subscriber_id: Text | None = None
    email: EmailText | None = None
    first_name: PostalText | None = None
    last_name: PostalText | None = None
    company: PostalText | None = None
    address1: PostalText | None = None
    address2: PostalText | None = None
    city: PostalText | None = None
    state: PostalText | None = None
    postcode: PostalText | None = None
    country: CountryCode
    phone: PostalText | None = None
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
    gifter_email: EmailText | None = None
    gifter_first_name: PostalText | None = None
    gifter_last_name: PostalText | None = None
    gifter_company: PostalText | None = None
    order_id: Name
    order_date: OrderDay
    transaction_id: Text | None = None
    promo_code: Text | None = None
    send_welcome_email: bool | None = None
    is_billed: bool | None = None
    payer_id: Text | None = None
    due_days: DueDays | None = None
    order_reference: Name | None = None
    is_debited: bool | None = None

    @classmethod
    def list_conflicts(cls, given: Mapping[str, Any], refused: Collection[str]) -> list[Invalid]:
        """The errors of the name, the amounts, the giver, what is ordered, and how it is billed."""
        found = [*list_conflicts(given, refused), *list_giver_conflicts(given, refused)]
        if not {"product", "type"} & {*refused} and "product" not in given:
            found += list_missing_terms(given, refused)
        return [*found, *list_billing_conflicts(given, refused)]


class OrderEntry(OrderCreate, kw_only=True):
    """An order as staff enter it from a phone call or a letter.

    new_subscriber: ids of the subscribers it is not for. new_giver: the same for the giver.
    gifter_address1 to gifter_country: a postal address of the giver's own, for letters to them.
    is_address_right: whether there is really no street or town, or no or this postcode.
    overlaps: ids of the live subscriptions with some of its issues, if it is added as well.
    sent_through: number of the last issue that is out whose copies were sent before; without it,
    copies of issues that are out are still to send.
    """

    names = PAGE_NAMES

    new_subscriber: ListText | None = None
    new_giver: ListText | None = None
    salutation: Salutation | None = None
    title: PersonalTitle | None = None
    gifter_salutation: Salutation | None = None
    gifter_title: PersonalTitle | None = None
    gifter_address1: PostalText | None = None
    gifter_address2: PostalText | None = None
    gifter_city: PostalText | None = None
    gifter_state: PostalText | None = None
    gifter_postcode: PostalText | None = None
    gifter_country: CountryCode | None = None
    is_address_right: bool | None = None
    overlaps: ListText | None = None
    sent_through: IssueNumber | None = None

    @classmethod
    def list_conflicts(cls, given: Mapping[str, Any], refused: Collection[str]) -> list[Invalid]:
        """Nothing: the form has its own rules."""
        return []


class OrdersCreate(Creation, kw_only=True):
    """Orders to place one after the other. A refused one changes nothing; the others are placed.

    orders: in the order in which they are placed; `copies` can only be 1.
    """

    orders: Annotated[list[OrderCreate], Meta(min_length=1, max_length=MAX_ORDERS)]


class PlacedOrder(Struct, frozen=True):
    """What an order has created.

    order_id: that of the order.
    subscriptions: one for each copy of an issue.
    invoices: ids of the invoices; none if the order was paid, or waits for one.
    """

    order_id: str
    subscriptions: list[Subscription]
    invoices: list[str]


class OrderResult(Struct, frozen=True):
    """What became of an order, in the order of the request.

    order_id: that of the order.
    subscription: id of the new subscription; null if the order was refused.
    error: why it was refused; null if it was placed.
    waiting: why an order that is billed waits for its invoice, such as an address or a rate of VAT
        that is missing; null if it does not, or if the payer gets one invoice for all orders.
    """

    order_id: str
    subscription: str | None
    error: OrderError | None
    waiting: OrderError | None


class OrderResults(Struct, frozen=True):
    """The results of a request.

    error: always false.
    items: one for each order, in the same order.
    """

    error: bool
    items: list[OrderResult]
