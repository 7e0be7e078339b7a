"""VAT ids, IBANs and BICs, as their owners write them and in their short form."""

from schwifty import BIC, IBAN
from schwifty.exceptions import SchwiftyException
from stdnum.eu import vat as eu_vat
from stdnum.exceptions import ValidationError

from masthead.model.billing.vat import EU
from masthead.model.errors import Invalid, excerpt
from masthead.model.translations import gettext as _


def check_vat_id(field: str, text: str) -> str:
    """A VAT id without blanks. That of an EU country must have its form. Raises: Invalid.

    Its check digits are verified, where the country has some; nobody is asked whether it is in use.
    """
    short = "".join(each for each in text.upper() if each.isalnum())
    if short[:2] not in EU | {"EL", "XI"}:
        return short
    try:
        return str(eu_vat.validate(short))
    except ValidationError:
        raise Invalid(
            _(
                "`{text}` is not a VAT id of {country}. Check the digits; there is a typing error."
            ).format(text=excerpt(text), country=short[:2]),
            field=field,
            value=text,
        ) from None


def vat_country(vat_id: str) -> str:
    """The country of a VAT id of the EU; empty if it is of none."""
    code = {"EL": "GR"}.get(vat_id[:2], vat_id[:2])
    return code if code in EU else ""


def check_iban(field: str, text: str) -> str:
    """An IBAN without blanks. Raises: Invalid, without the number."""
    try:
        return str(IBAN(text).compact)
    except (SchwiftyException, ValueError):
        raise Invalid(
            _("This is not an IBAN. Check its digits; there is a typing error."), field=field
        ) from None


def check_bic(field: str, text: str) -> str:
    """A BIC without blanks. Raises: Invalid."""
    try:
        return str(BIC(text).compact)
    except (SchwiftyException, ValueError):
        raise Invalid(
            _("`{text}` is not a BIC. It has 8 or 11 letters and digits.").format(
                text=excerpt(text)
            ),
            field=field,
            value=text,
        ) from None
