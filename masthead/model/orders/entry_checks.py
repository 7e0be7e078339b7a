"""What the order form asks for, beyond what the API asks for."""

from collections.abc import Iterator, Mapping
from typing import Any

from masthead.model.dispatch.postal.rules import is_unusual_postcode, postal_rules
from masthead.model.errors import Invalid
from masthead.model.subscribers.corrections import list_own_address_refusals
from masthead.model.translations import gettext as _
from masthead.model.types.countries import country_in_words
from masthead.model.types.enums import Medium

INCOMPLETE_ADDRESS = "incomplete_address"  # the code of a missing street, town or postcode
UNUSUAL_POSTCODE = "unusual_postcode"
ADDRESS_DOUBTS = (INCOMPLETE_ADDRESS, UNUSUAL_POSTCODE)  # the user may say that it is right


def list_missing_address(given: Mapping[str, Any]) -> list[Invalid]:
    """What the post needs of the address of a printed copy, and what is missing.

    given: address1, address2, city, state, postcode, country and medium; a missing medium is print.
    """
    country = given.get("country")
    if not country or given.get("medium") is Medium.DIGITAL:
        return []
    needs = postal_rules(country).requires
    return [
        Invalid(message, code=INCOMPLETE_ADDRESS, field=field)
        for field, message in _missing(given, needs)
    ]


def list_address_doubts(given: Mapping[str, Any]) -> list[Invalid]:
    """What is missing, and a postcode that has not the form of its country: ask the user.

    given: as for `list_missing_address`.
    """
    country, postcode = given.get("country"), given.get("postcode")
    doubts = list_missing_address(given)
    is_posted = given.get("medium") is not Medium.DIGITAL
    if is_posted and country and postcode and is_unusual_postcode(country, postcode):
        text = _("Is the postcode right? In {country}, one looks like `{example}`.").format(
            country=country_in_words(country), example=postal_rules(country).example
        )
        doubts.append(Invalid(text, code=UNUSUAL_POSTCODE, field="postcode", value=postcode))
    return doubts


def list_new_doubts(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Invalid]:
    """What is doubtful about an address after a change, and was not before."""
    known = {each.field for each in list_address_doubts(before)}
    return [each for each in list_address_doubts(after) if each.field not in known]


def _missing(given: Mapping[str, Any], needs: str) -> Iterator[tuple[str, str]]:
    """The missing fields, by the same rules as the address checks of runs."""
    state, postcode = given.get("state"), given.get("postcode")
    if "A" in needs and not (given.get("address1") or given.get("address2")):
        yield "address1", _("The street or PO box is missing. Printed issues need it.")
    if not given.get("city") and ("C" in needs or ("S" in needs and not state)):
        yield "city", _("The town is missing. Printed issues need it.")
    if not postcode and "Z" in needs:
        yield "postcode", _("The postcode is missing. Printed issues need it.")
    if not postcode and "Z" not in needs and "S" in needs and "C" in needs and not state:
        yield "state", _("The state or the postcode is missing. Printed issues need one of them.")


def list_entry_refusals(given: Mapping[str, Any]) -> list[Invalid]:
    """What the order form refuses although the API takes it.

    given: the fields that are valid by themselves.
    """
    found = [] if given.get("is_address_right") else list_address_doubts(given)
    names = ("gifter_id", "gifter_first_name", "gifter_last_name", "gifter_company")
    if given.get("is_gift") and not any(given.get(name) for name in names):
        message = _("Who gives it? Find the giver, or type a name or a company.")
        found.append(Invalid(message, field="gifter_first_name"))
    if given.get("is_gift"):
        found += list_own_address_refusals(given, prefix="gifter_")
    return found
