"""VAT IDs, IBANs and BICs, as their owners write them and in their short form."""

import re
from typing import TYPE_CHECKING

from masthead.lazy_modules import LazyModule
from masthead.model.billing.vat import EU
from masthead.model.errors import Invalid, excerpt
from masthead.model.translations import gettext as _
from masthead.model.types.countries import COUNTRIES, country_in_words

if TYPE_CHECKING:
    import schwifty
    from stdnum.eu import vat as eu_vat
else:
    schwifty = LazyModule("schwifty")
    eu_vat = LazyModule("stdnum.eu.vat")


_OTHER_CODES = {"EL", "XI", "EU"}  # Greece, Northern Ireland, and sellers from outside the EU
# What is copied along with a VAT ID, as in `USt-IdNr.: DE136695976`
_LABEL = re.compile(
    "^(?:UST|MWST|VAT|TVA|BTW|IVA|UID|MOMS)(?:ID|NR|NO|NUMBER|REG)*(?=[A-Z]{2,3}[0-9])"
)


def check_vat_id(field: str, text: str) -> str:
    """A VAT ID without blanks. That of an EU country must have its form. Raises: Invalid.

    Its check digits are verified, where the country has some; nobody is asked whether it is in use.
    """
    short = "".join(each for each in text.upper() if each.isalnum())
    short = _LABEL.sub("", short)
    code = short[:2]
    if code not in COUNTRIES.keys() | _OTHER_CODES or not any(map(str.isdigit, short[2:6])):
        raise Invalid(
            _(
                "`{text}` is not a VAT ID. It begins with the code of its country, as in "
                "`DE136695976`."
            ).format(text=excerpt(text)),
            field=field,
            value=text,
        )
    if code not in EU | {"EL", "XI"}:
        return short
    try:
        return str(eu_vat.validate(short))
    except eu_vat.ValidationError:
        raise Invalid(
            _(
                "`{text}` is not a valid VAT ID of {country}. Check the digits; there is a typing "
                "error."
            ).format(text=excerpt(text), country=_country_name(code)),
            field=field,
            value=text,
        ) from None


def _country_name(code: str) -> str:
    return _("Northern Ireland") if code == "XI" else country_in_words(_iso_code(code))


def vat_country(vat_id: str) -> str:
    """The country of a VAT ID of the EU; empty if it is of none."""
    code = _iso_code(vat_id[:2])
    return code if code in EU else ""


def _iso_code(code: str) -> str:
    return "GR" if code == "EL" else code  # only VAT IDs write Greece in another way


def check_iban(field: str, text: str, *, is_debited: bool = False) -> str:
    """An IBAN without blanks. Raises: Invalid, which says what is wrong, without the number.

    is_debited: whether money is collected from it, which only works within SEPA.
    """
    try:
        iban = schwifty.IBAN(text)
    except (schwifty.exceptions.SchwiftyException, ValueError) as reason:
        raise Invalid(
            f"{_('This is not an IBAN.')} {_problem(text, reason)}", field=field
        ) from None
    if is_debited and not iban.in_sepa_zone:
        raise Invalid(
            _("A bank account in {country} cannot be debited: it is outside SEPA.").format(
                country=iban.country_code
            ),
            field=field,
        )
    return str(iban.compact)


def _problem(text: str, reason: Exception) -> str:
    """What is wrong with an IBAN, without its digits."""
    short = "".join(text.upper().split())
    if isinstance(reason, schwifty.exceptions.InvalidCountryCode) or not short[:2].isalpha():
        return _("It must begin with the code of a country, such as DE, and two digits.")
    if isinstance(reason, schwifty.exceptions.InvalidLength):
        return _("It has {count} characters, and one of {country} has another number.").format(
            count=len(short), country=short[:2]
        )
    if isinstance(reason, schwifty.exceptions.InvalidStructure):
        return _("It has a letter or a sign where a digit must be, or the other way round.")
    return _("Its check digits do not fit: there is a typing error, or two digits are swapped.")


def find_bic(iban: str) -> str:
    """The BIC of the bank of a checked IBAN; empty if it is not known."""
    found = schwifty.IBAN(iban).bic
    return str(found.compact) if found else ""


def check_bic(field: str, text: str) -> str:
    """A BIC without blanks. Raises: Invalid."""
    try:
        return str(schwifty.BIC(text).compact)
    except (schwifty.exceptions.SchwiftyException, ValueError):
        raise Invalid(
            _("`{text}` is not a BIC. It has 8 or 11 letters and digits.").format(
                text=excerpt(text)
            ),
            field=field,
            value=text,
        ) from None
