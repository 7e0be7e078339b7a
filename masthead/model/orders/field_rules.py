"""The rules for several fields of an order at once."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _
from masthead.model.types.money import minor_units

# The names of which an order needs one: in the API, and on pages, where a last name is enough
API_NAMES = ("first_name", "company")
PAGE_NAMES = ("first_name", "last_name", "company")
AMOUNTS = ("price", "discount_amount", "refunded")


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
    """The error of an order for nobody. names: of which it needs one."""
    if "last_name" in names:
        text = _("The name is missing. Type a last name, a first name or a company.")
        return Invalid(text, field="last_name")
    return Invalid(
        _("`first_name` and `company` are both missing; at least one is required."),
        field="company",
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
    if currency := given.get("currency"):
        yield from amounts_of(given, currency)[1]
    if given.get("is_comp") and given.get("price", "").strip("0."):
        yield paid_though_free(given["price"])
