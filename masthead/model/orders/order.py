"""An order, and the checks of its fields. API requests, forms and import rows become orders."""

from collections.abc import Collection, Mapping
from datetime import date
from typing import Any

from msgspec import Struct, field, structs

from masthead.model.billing.imported import ImportedTerms
from masthead.model.debits.mandates import NewMandate
from masthead.model.errors import Invalid, all_of
from masthead.model.imports.subscription_row import SubscriptionRow
from masthead.model.inputs import SubscriptionCreate
from masthead.model.orders.entry import OrderCreate
from masthead.model.orders.field_rules import (
    API_NAMES,
    PAGE_NAMES,
    amounts_of,
    missing_name,
    paid_though_free,
)
from masthead.model.translations import gettext as _
from masthead.model.types.email_addresses import domain_key, email_key
from masthead.model.types.enums import Medium, PaymentMethod, SubscriptionStatus, SubscriptionType
from masthead.model.types.postal_fields import PersonFields


class Giver(PersonFields, kw_only=True, frozen=True):
    """Who gives a gift: a subscriber by id or by email, who is created if not found.

    address1 to country: their own postal address, if they are created.
    """

    subscriber_id: str | None = None
    email: str | None = None

    @property
    def email_key(self) -> str | None:
        """The form of `email` to find subscribers by, or None if there is no address."""
        return email_key(self.email) if self.email else None


class Order(PersonFields, kw_only=True, frozen=True):
    """An order with valid fields. The data that it refers to is not checked yet.

    price, discount_amount, refunded: in minor units of currency.
    status: the status in an import; None to derive it from the data.
    sent: the date (None: no date) on which each copy was sent, by issue number.
    sent_through: the last issue that is out whose copies were sent before the order came here, on
    days that are not known; 0 for none; None if it does not matter which issues are out.
    renews: an order id of the subscription to renew. The fields that describe the subscription are
    then ignored, and start_issue, length, interval_months, period_start and period_end can be
    None: they default to values that continue the previous period.
    subscriber_id: an existing subscriber, whose email is then not compared with `email`.
    salutation, title: of the subscriber, if they are created.
    giver: of a gift, for whom a subscriber is found or created too.
    bundle: the order id of the first of several orders of one subscriber that belong together.
    bundle_id: of existing subscriptions of the subscriber, whose bundle the new one joins.
    cancelled_date: when the subscription was cancelled; None if the import does not say.
    product_id, source_id: of this order; None for those of the whole batch of orders.
    billing: how an imported order is billed; None if it was paid, or does not come from an import.
    payer_number: the customer number of who paid an imported order. mandate: that an import adds
    to who pays.
    """

    order_id: str
    order_date: date | None
    type: SubscriptionType = SubscriptionType.SUBSCRIPTION
    email: str | None = None
    phone: str | None = None
    notes: str | None = None
    start_issue: int | None = None
    length: int | None = None
    interval_months: int | None = None
    period_start: date | None = None
    period_end: date | None = None
    is_recurring: bool = False
    is_comp: bool = False
    is_gift: bool = False
    gifter_name: str | None = None
    gifter_email: str | None = None
    medium: Medium = Medium.PRINT
    price: int
    currency: str
    discount_amount: int = 0
    refunded: int = 0
    promo_code: str | None = None
    transaction_id: str | None = None
    status: SubscriptionStatus | None = None
    sent: dict[int, date | None] = field(default_factory=dict)
    sent_through: int | None = None
    renews: str | None = None
    subscriber_id: str | None = None
    giver: Giver | None = None
    bundle: str | None = None
    bundle_id: str | None = None
    payment_method: PaymentMethod | None = None
    cancelled_date: date | None = None
    product_id: str | None = None
    source_id: str | None = None
    billing: ImportedTerms | None = None
    payer_number: int | None = None
    mandate: NewMandate | None = None

    @property
    def email_key(self) -> str | None:
        """The form of `email` to find subscribers by, or None if there is no address."""
        return email_key(self.email) if self.email else None


class OrderDefaults(Struct, frozen=True):
    """The defaults of all orders of an account.

    currency: the account's currency. placeholder_domain: the domain of placeholder addresses, for
    subscribers without an email address.
    """

    currency: str
    placeholder_domain: str


def order_of(body: SubscriptionCreate, defaults: OrderDefaults) -> Order:
    """The order for a manual subscription. Raises: Invalid."""
    if body.first_name is None and body.company is None:
        raise all_of(list_order_refusals(_given(body), defaults))
    return make_order(body, defaults)


# The fields that an order takes from a body or a row
_SHARED = frozenset(Order.__struct_fields__) - {
    *("sent", "giver", "product_id", "source_id", "billing", "payer_number", "mandate"),
}


def make_order(
    asked: SubscriptionCreate | SubscriptionRow | OrderCreate,
    defaults: OrderDefaults,
    **more: object,
) -> Order:
    """The order with the fields of the input, and amounts in minor units. Raises: Invalid.

    more: fields of the order that are not in the input.
    """
    given = {name: value for name, value in _given(asked).items() if name in _SHARED}
    amounts, refusals = _check(given, defaults)
    if refusals:
        raise all_of(refusals)
    currency = asked.currency or defaults.currency
    return Order(**{**given, **amounts, "currency": currency, **more})


def list_combined_refusals(asked: SubscriptionRow, defaults: OrderDefaults) -> list[Invalid]:
    """All errors because of which `make_order` refuses an import row."""
    return _check(_given(asked), defaults)[1]


def _given(asked: SubscriptionCreate | SubscriptionRow | OrderCreate) -> dict[str, Any]:
    return {name: value for name, value in structs.asdict(asked).items() if value is not None}


def list_order_refusals(
    given: Mapping[str, Any],
    defaults: OrderDefaults,
    *,
    refused: Collection[str] = (),
    names: Collection[str] = API_NAMES,
) -> list[Invalid]:
    """All errors of combined fields of a manual subscription, so that a form can show them at once.

    given: the fields that are valid by themselves. refused: the names of the invalid fields.
    names: of which one is required.
    """
    _amounts, refusals = _check(given, defaults)
    has_name = {*names} & {*given, *refused}
    return refusals if has_name else [missing_name(names), *refusals]


def _check(
    given: Mapping[str, Any], defaults: OrderDefaults
) -> tuple[dict[str, int], list[Invalid]]:
    """The amounts of an order in minor units, and the errors of its combined fields."""
    refusals = list[Invalid]()
    for name in ("email", "gifter_email"):
        if name in given and domain_key(given[name]) == domain_key(defaults.placeholder_domain):
            message = _(
                "`{field}` is `{value}`, but addresses at `{domain}` are placeholders. "
                "Leave it out if there is no address."
            ).format(field=name, value=given[name], domain=defaults.placeholder_domain)
            refusals.append(Invalid(message, field=name, value=given[name]))
    currency = given.get("currency") or defaults.currency
    amounts, invalid = amounts_of(given, currency)
    refusals += invalid
    price = amounts.get("price", 0)
    if price and given.get("is_comp"):
        refusals.append(paid_though_free(given["price"]))
    if amounts.get("refunded", 0) > price:
        message = _("`refunded` is more than `price`.")
        refusals.append(Invalid(message, field="refunded", value=given["refunded"]))
    return amounts, refusals


def require_name_kept(
    before: Mapping[str, Any], after: Mapping[str, Any], *, names: Collection[str] = PAGE_NAMES
) -> None:
    """Check a change of a name: imports also accept an email address alone.

    names: of which one must remain. Raises: Invalid if the change removes all of them.
    """
    if any(before[name] for name in names) and not any(after[name] for name in names):
        raise missing_name(names)
