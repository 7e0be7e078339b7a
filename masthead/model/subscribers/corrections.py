"""Corrections of the name and the email address of a subscriber."""

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET, UnsetType

from masthead.model import advice
from masthead.model.errors import Invalid
from masthead.model.inputs import Change
from masthead.model.translations import gettext as _
from masthead.model.types.enums import Salutation
from masthead.model.types.fields import (
    CountryCode,
    EmailText,
    LanguageCode,
    PersonalTitle,
    PostalText,
)
from masthead.model.types.postal_fields import ADDRESS_FIELDS

FORMS_OF_ADDRESS = ("salutation", "title")
NAMES = ("first_name", "last_name", "company")
CORRECTABLE = (*FORMS_OF_ADDRESS, *NAMES, "email", "language", *ADDRESS_FIELDS)

EMAIL_TAKEN = (
    "email_taken"  # the code if the email belongs to another subscriber, whose id is `value`
)
MERGED_MEANWHILE = (
    "merged_meanwhile"  # the code if the subscriber was merged; `value`: into which one
)


class SubscriberFields(Change, kw_only=True):
    """The fields of a subscriber that programs can change, too; null clears a field.

    email: without one, the subscriber gets a placeholder address, which receives no emails.
    """

    salutation: Salutation | None | UnsetType = UNSET
    title: PersonalTitle | None | UnsetType = UNSET
    first_name: PostalText | None | UnsetType = UNSET
    last_name: PostalText | None | UnsetType = UNSET
    company: PostalText | None | UnsetType = UNSET
    email: EmailText | None | UnsetType = UNSET
    address1: PostalText | None | UnsetType = UNSET
    address2: PostalText | None | UnsetType = UNSET
    city: PostalText | None | UnsetType = UNSET
    state: PostalText | None | UnsetType = UNSET
    postcode: PostalText | None | UnsetType = UNSET
    country: CountryCode | None | UnsetType = UNSET


class SubscriberCorrection(SubscriberFields, kw_only=True):
    """The fields of a subscriber to change; null clears a field.

    language: of what they get, such as `de`.
    """

    language: LanguageCode | None | UnsetType = UNSET


class SubscriberUpdate(SubscriberFields, kw_only=True):
    """The fields of a subscriber to change; null clears a field.

    salutation: `ms` or `mr`; null for none.
    title: before the name, such as `Prof. Dr.`.
    first_name, company: one of the names, the company or the email address must remain.
    company: name of the company; it is shown as `full_name` if there are no names.
    email: without one, the subscriber gets a placeholder address, which receives no emails.
    address1, address2, city, state, postcode, country: postal address for letters to a subscriber
        whose copies go elsewhere, such as a giver; it needs a street, a town or postcode, and a
        country.
    with_subscriptions: whether the subscriptions that have the old name get the new one too; by
        default, they do not.
    """

    elsewhere = advice.SUBSCRIBER
    noun = "subscriber"

    with_subscriptions: bool | UnsetType = UNSET


def list_own_address_refusals(address: Mapping[str, Any], *, prefix: str = "") -> list[Invalid]:
    """What an own postal address lacks; nothing if it is empty.

    address: the fields `ADDRESS_FIELDS`, each after the prefix.
    """
    given = {name for name in ADDRESS_FIELDS if address.get(prefix + name)}
    if not given:
        return []
    found = []
    if not given & {"address1", "address2"}:
        found.append(("address1", _("The street or PO box of the postal address is missing.")))
    if not given & {"city", "postcode"}:
        found.append(("city", _("The town or the postcode of the postal address is missing.")))
    if "country" not in given:
        found.append(("country", _("The country of the postal address is missing.")))
    return [Invalid(message, field=prefix + field) for field, message in found]


def placeholder_address(id: str, domain: str) -> str:
    """The placeholder email address of a subscriber. domain: of all placeholders."""
    return f"subscriber-{id.lower()}@{domain}"
