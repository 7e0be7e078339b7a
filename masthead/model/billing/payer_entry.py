"""Who pays, as staff type it on a page: a company or a person who is no subscriber yet."""

from collections.abc import Mapping
from typing import Any

from msgspec import structs

from masthead.model.billing.imported import ImportedTerms
from masthead.model.dispatch.postal.rules import postal_rules
from masthead.model.errors import Invalid
from masthead.model.imports.values.person_names import split_name
from masthead.model.inputs import Creation
from masthead.model.orders.known_subscribers import NamedPerson
from masthead.model.orders.order import Giver
from masthead.model.subscribers.corrections import NAMES, list_own_address_refusals
from masthead.model.translations import gettext as _
from masthead.model.types.countries import country_in_words
from masthead.model.types.fields import CountryCode, EmailText, LanguageCode, ListText, PostalText
from masthead.model.types.postal_fields import ADDRESS_FIELDS

PREFIX = "payer_"


class PayerEntry(Creation, kw_only=True):
    """A new payer. new_payer: the ids of subscribers who are like the payer, but someone else.

    payer_language: of their invoices, such as `de`; None for that of their country.
    """

    noun = "payer"

    payer_first_name: PostalText | None = None
    payer_last_name: PostalText | None = None
    payer_company: PostalText | None = None
    payer_email: EmailText | None = None
    payer_address1: PostalText | None = None
    payer_address2: PostalText | None = None
    payer_city: PostalText | None = None
    payer_state: PostalText | None = None
    payer_postcode: PostalText | None = None
    payer_country: CountryCode | None = None
    payer_language: LanguageCode | None = None
    new_payer: ListText | None = None

    def columns(self) -> dict[str, Any]:
        """What is known of the payer, by the names of a subscriber."""
        names = ("email", *NAMES, *ADDRESS_FIELDS)
        return {name: getattr(self, PREFIX + name) for name in names}

    @property
    def as_giver(self) -> Giver:
        """The payer as a person with a postal address of their own."""
        return Giver(**self.columns())

    @property
    def as_person(self) -> NamedPerson:
        """The payer as they are compared with subscribers."""
        known = self.columns()
        names = [name for name in NamedPerson.__struct_fields__ if name in known]
        return NamedPerson(**{name: known[name] for name in names})


def list_payer_refusals(given: Mapping[str, Any]) -> list[Invalid]:
    """What a new payer lacks: a name, and the address that an invoice must have."""
    found = []
    if not any(given.get(PREFIX + name) for name in NAMES):
        text = _("Who gets the invoice? Find the payer, or type a company or a name.")
        found.append(Invalid(text, field="payer_company"))
    address = {name: given.get(PREFIX + name) for name in ADDRESS_FIELDS}
    if not any(address[name] for name in ADDRESS_FIELDS[:-1]):
        text = _("The address is missing. An invoice must have the address of who pays.")
        return [*found, Invalid(text, field="payer_address1")]
    return found + list_own_address_refusals(given, prefix=PREFIX)


def list_typed_refusals(given: Mapping[str, Any]) -> list[Invalid]:
    """The same of a payer who is typed: also the postcode, if the post of the country needs one."""
    found, country = list_payer_refusals(given), given.get("payer_country")
    if given.get("payer_postcode") or not country or not given.get("payer_address1"):
        return found
    rules = postal_rules(country)
    if "Z" not in rules.requires:
        return found
    text = _("Type the postcode: in {country}, one looks like {example}.")
    words = {"country": country_in_words(country), "example": rules.example}
    return [*found, Invalid(text.format(**words), field="payer_postcode")]


def entry_of(terms: ImportedTerms) -> PayerEntry:
    """Who pays for the order of an imported row, as a new payer."""
    first, last = split_name(terms.payer_name) if terms.payer_name else (None, None)
    named = structs.asdict(terms)
    shared = [name for name in PayerEntry.__struct_fields__ if name in named]
    return PayerEntry(
        payer_first_name=first, payer_last_name=last, **{name: named[name] for name in shared}
    )
