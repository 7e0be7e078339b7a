"""The rules for several fields of an order at once."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _
from masthead.model.types.enums import SubscriptionType
from masthead.model.types.money import minor_units

# The names of which an order needs one: in the API, and on pages, where a last name is enough
API_NAMES = ("first_name", "company")
PAGE_NAMES = ("first_name", "last_name", "company")
AMOUNTS = ("price", "discount_amount", "refunded")
GIVER = ("gifter_id", "gifter_email", "gifter_first_name", "gifter_last_name", "gifter_company")
OF_INVOICES = ("payer_id", "due_days", "order_reference", "is_debited")
OF_PAYMENTS = ("transaction_id", "payment_method")


def amounts_of(given: Mapping[str, Any], currency: str) -> tuple[dict[str, int], list[Invalid]]:
    """The amounts in minor units, 0 if absent, and the errors of those with too many decimals."""
    amounts, refusals = {}, list[Invalid]()
    for name in AMOUNTS:
        try:
            amounts[name] = minor_units(name, given.get(name) or "0", currency)
        except Invalid as refusal:
            refusals.append(refusal)
    return amounts, refusals


def missing_name(names: Collection[str] = API_NAMES) -> Invalid:
    """The error of an order without a name. names: the fields of which it needs one."""
    if "last_name" in names:
        text = _("The name is missing. Type a last name, a first name or a company.")
        return Invalid(text, field="last_name")
    return Invalid(
        _("`first_name` and `company` are both missing; at least one is required."), field="company"
    )


def paid_though_free(price: str) -> Invalid:
    """The error of a complimentary subscription that has a price."""
    message = _(
        "`price` is `{price}`, but `is_comp` is set: a complimentary subscription costs "
        "nothing. Set `price` to 0, or do not set `is_comp`."
    ).format(price=price)
    return Invalid(message, field="price", value=price)


def list_conflicts(given: Mapping[str, Any], refused: Collection[str]) -> Iterator[Invalid]:
    """The errors that need no data of the account. given: the valid fields. refused: the others."""
    if not {*API_NAMES} & {*given, *refused}:
        yield missing_name()
    yield from list_wrong_decimals(given)
    if given.get("is_comp") and given.get("price", "").strip("0."):
        yield paid_though_free(given["price"])


def list_wrong_decimals(given: Mapping[str, Any]) -> list[Invalid]:
    """The errors of the amounts in the currency of an order, if it names one."""
    currency = given.get("currency")
    return amounts_of(given, currency)[1] if currency else []


def list_missing_terms(
    given: Mapping[str, Any], refused: Collection[str] = ()
) -> Iterator[Invalid]:
    """The errors of an order that does not say for which issues, or for how many months, it is."""
    known = {*given, *refused}
    if given.get("type") is SubscriptionType.MEMBERSHIP:
        if "interval_months" not in known:
            text = _("`interval_months` is missing; a membership needs it.")
            yield Invalid(text, field="interval_months")
        return
    for field in ("start_issue", "length"):
        if field not in known:
            text = f"`{field}` is missing; all orders need it, except memberships."
            yield Invalid(text, field=field)


def list_giver_conflicts(given: Mapping[str, Any], refused: Collection[str]) -> Iterator[Invalid]:
    """The errors of the giver, as a program names them."""
    known = {*given, *refused}
    if not given.get("is_gift"):
        for field in GIVER:
            if field in given and "is_gift" not in refused:
                yield Invalid(
                    f"`{field}` is sent, but `is_gift` is not true. Set `is_gift`, or leave "
                    f"`{field}` out.",
                    field=field,
                    value=given[field],
                )
    elif "gifter_id" not in known:
        if "gifter_email" not in known:
            text = "`gifter_email` is missing; a gift needs the email of its giver."
            yield Invalid(text, field="gifter_email")
        if not {"gifter_first_name", "gifter_company"} & known:
            text = "`gifter_first_name` is missing; a gift needs the name of its giver."
            yield Invalid(text, field="gifter_first_name")


def list_billing_conflicts(
    given: Mapping[str, Any], refused: Collection[str] = ()
) -> Iterator[Invalid]:
    """The errors of an order that is billed and paid, or neither of them, but has terms."""
    if "is_billed" in refused:
        return
    if not given.get("is_billed"):
        for field in OF_INVOICES:
            if field in given and given[field] is not False:
                yield needs_billing(field, given[field])
        return
    for field in OF_PAYMENTS:
        if field in given:
            yield not_paid_yet(field, given[field])
    if "price" in given and not given["price"].strip("0."):
        yield nothing_to_bill(given["price"])


def needs_billing(field: str, value: object) -> Invalid:
    """The error of a field for billed orders."""
    text = _("`{field}` is for orders that are billed. Set `is_billed`.")
    return Invalid(text.format(field=field), field=field, value=value)


def not_paid_yet(field: str, value: object) -> Invalid:
    """The error of a field for orders that were paid."""
    text = _(
        "`{field}` says how an order was paid, but this one is billed. Leave it out, and "
        "record the payment when it comes."
    )
    return Invalid(text.format(field=field), field=field, value=value)


def nothing_to_bill(price: str) -> Invalid:
    """The error of a billed order that costs nothing."""
    return Invalid(
        _("Nothing is owed for an order that costs nothing. Set `price`, or do not bill it."),
        code="nothing_to_bill",
        field="price",
        value=price,
    )
