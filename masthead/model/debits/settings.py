"""The settings of an account for direct debits."""

from typing import TYPE_CHECKING

from msgspec import Struct

from masthead.lazy_modules import LazyModule
from masthead.model.errors import Invalid, excerpt
from masthead.model.translations import gettext as _

if TYPE_CHECKING:
    from stdnum.iso7064 import mod_97_10
else:
    mod_97_10 = LazyModule("stdnum.iso7064.mod_97_10")

FIRST_NOTICE_DAYS, MAX_NOTICE_DAYS = 14, 60
_LONGEST = 35


class DebitSettings(Struct, frozen=True, kw_only=True):
    """creditor_id: without blanks. notice_days: from the invoice to the day of the collection.

    marks_first: whether the first debit by a mandate is `FRST`. charges_bank_fee: whether payers
    owe the fee of the bank for a debit that came back.
    """

    creditor_id: str
    notice_days: int = FIRST_NOTICE_DAYS
    marks_first: bool = False
    charges_bank_fee: bool = False


def check_creditor_id(field: str, text: str) -> str:
    """A SEPA creditor identifier without blanks, such as DE98ZZZ09999999999. Raises: Invalid.

    Its check digits count the country and the national part, but not the business code.
    """
    short = "".join(text.upper().split()).replace("-", "")
    message = ""
    if not (8 <= len(short) <= _LONGEST and short.isascii() and short.isalnum()):
        message = _(
            "`{text}` is not a creditor identifier. It has a country, two check digits, a code of "
            "three characters and a number, such as DE98ZZZ09999999999."
        )
    elif short.startswith("DE") and len(short) != 18:
        message = _("`{text}` is not a creditor identifier: that of Germany has 18 characters.")
    elif not _has_right_digits(short):
        message = _(
            "`{text}` is not a creditor identifier: its check digits do not fit. There is a typing "
            "error."
        )
    if message:
        raise Invalid(message.format(text=excerpt(text)), field=field, value=text)
    return short


def _has_right_digits(short: str) -> bool:
    if not (short[:2].isalpha() and short[2:4].isdigit()):
        return False
    return bool(mod_97_10.is_valid(f"{short[7:]}{short[:4]}"))


def check_notice_days(days: int) -> int:
    """Raises: Invalid if the days are too few or too many."""
    if not 1 <= days <= MAX_NOTICE_DAYS:
        raise Invalid(
            _("Type a whole number from 1 to {most}.").format(most=MAX_NOTICE_DAYS),
            field="notice_days",
            value=days,
        )
    return days


def require_debits(settings: DebitSettings | None) -> DebitSettings:
    """Raises: Invalid `debits_off` if the account has no creditor identifier."""
    if settings is None:
        raise Invalid(
            _(
                "This account collects nothing by direct debit yet. Type the creditor identifier "
                "in the settings, under Direct debits."
            ),
            code="debits_off",
        )
    return settings
