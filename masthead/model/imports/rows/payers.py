"""Who gets the invoice of a row: the payer of its columns, or who has the billing address."""

from collections.abc import Iterable, Mapping
from typing import Any

from masthead.model.billing.imported import TERMS
from masthead.model.imports.subscription_row import PAYER
from masthead.model.types.email_addresses import email_key
from masthead.model.types.full_names import full_name
from masthead.model.types.postal_fields import ADDRESS_FIELDS
from masthead.model.types.text import fold

Given = dict[str, Any]

PLACE = ("address1", "city", "postcode")
_NAMES_PAYER = {*PAYER} - {"payer_number"}
_PAYER_ADDRESS = {f"payer_{name}" for name in ADDRESS_FIELDS}


def names_payer(given: Given) -> bool:
    """Whether columns say who gets the invoice, not only at which email address."""
    return not given.keys().isdisjoint(_NAMES_PAYER - {"payer_email"})


def find_payer(given: Given, billing: Mapping[str, Any], *, has_name: bool) -> None:
    """The billing name gets the invoice if it is another one, and no column names the payer.

    What is missing of a payer comes from the billing address. If only an email address says where
    the invoice goes, it is that of the recipient. has_name: whether a column has names of payers.
    """
    if "payer_name" in given or "payer_company" in given:
        if given.keys().isdisjoint(_PAYER_ADDRESS):
            bill(given, billing, ADDRESS_FIELDS)
        return
    company, person = billing.get("company"), person_of(billing)
    known = {fold(name_of(given)), fold(given.get("company") or "")}
    is_other = not {fold(each) for each in (company, person) if each} <= known
    if not is_other and (has_name or "payer_email" not in given):
        return
    if not (company or person):
        company, person = given.get("company"), person_of(given)
    if given.keys().isdisjoint(_PAYER_ADDRESS):
        is_at_billing = any(name in billing for name in PLACE)
        bill(given, billing if is_at_billing or is_other else given, ADDRESS_FIELDS)
    bill(given, {"company": company, "name": person}, ("company", "name"))


def bill(given: Given, source: Mapping[str, Any], fields: Iterable[str]) -> None:
    """Copy fields of the payer from another name or address."""
    given.update({f"payer_{name}": source[name] for name in fields if source.get(name)})


def drop_shared_email(given: Given) -> None:
    """An email address that payer and recipient share stays with the recipient.

    Otherwise, it would find the recipient as the payer.
    """
    own, payer = given.get("email"), given.get("payer_email")
    if own and payer and email_key(own) == email_key(payer):
        del given["payer_email"]


def drop_payer(given: Given) -> None:
    """Leave out who would get the invoice of an order that was paid, as shops name them always.

    The customer number stays: that of who paid.
    """
    for name in _NAMES_PAYER | {*TERMS}:
        given.pop(name, None)


def person_of(given: Mapping[str, Any]) -> str:
    """The name of a person; empty for a company alone."""
    return name_of({**given, "company": None})


def name_of(given: Mapping[str, Any]) -> str:
    """The name of a person or a company."""
    whole = given.get("full_name")
    first, last = given.get("first_name"), given.get("last_name")
    return whole or full_name(first, last, given.get("company"), "")
