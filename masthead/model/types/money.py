"""Money: ISO 4217 currency codes, and amounts in minor units (cents)."""

import re
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache

from babel import Locale
from babel.numbers import format_currency
from iso4217 import Currency

from masthead.model.errors import Invalid, excerpt
from masthead.model.translations import current_locale, gettext as _, with_minus_sign
from masthead.model.types.messages import did_you_mean

MONEY = re.compile(r"([0-9]{1,9})(?:\.([0-9]+))?", re.ASCII)
_CODE_BEFORE_DIGIT = re.compile(r"(?<=[^\W\d_])(?=\d)")
_DECIMAL_COMMA = re.compile(r"[0-9]{1,9},[0-9]{1,2}", re.ASCII)  # three digits may be thousands
NOTHING = r"^0+(\.0+)?$"  # an amount of 0
CURRENCIES = {each.code: each.exponent for each in Currency if each.exponent is not None}


def currency_code(field: str, text: str) -> str:
    """The ISO 4217 code in capitals. Raises: Invalid."""
    code = text.upper() if text.isascii() else text
    if code in CURRENCIES:
        return code
    raise Invalid(
        _(
            "`{field}` is `{text}`; expected an ISO 4217 currency code, for example `EUR` or `USD`."
        ).format(field=field, text=excerpt(text)),
        field=field,
        value=text,
    )


def decimal_amount(field: str, text: str) -> str:
    """The text, if it is an amount in any currency. Raises: Invalid."""
    if MONEY.fullmatch(text):
        return text
    message = _(
        "`{field}` is `{text}`; expected a decimal amount such as `42.00`: digits and at most "
        "one point, up to 9 digits before it, without a sign, symbol or separators."
    ).format(field=field, text=excerpt(text))
    if _DECIMAL_COMMA.fullmatch(text):
        message += f" {did_you_mean(text.replace(',', '.'))}"
    raise Invalid(message, field=field, value=text)


@lru_cache(maxsize=4096)
def minor_units(field: str, text: str, currency: str) -> int:
    """A decimal amount in minor units of its currency (cents). Raises: Invalid."""
    match = MONEY.fullmatch(decimal_amount(field, text))
    assert match is not None
    precision = CURRENCIES[currency]
    whole, decimals = match[1], match[2] or ""
    if len(decimals) > precision:
        words = {"field": field, "text": excerpt(text), "currency": currency}
        message = _("`{field}` is `{text}`; {currency} has no decimals.")
        if precision:
            message = _("`{field}` is `{text}`; {currency} has {count} decimals.")
        raise Invalid(message.format(**words, count=precision), field=field, value=text)
    return int(whole + decimals.ljust(precision, "0"))


@lru_cache(maxsize=1024)  # few prices are many
def money_text(amount: int, currency: str) -> str:
    """An amount in minor units as decimal text, with the decimals of its currency: `42.00`."""
    precision = CURRENCIES[currency]
    if precision == 0:
        return str(amount)
    sign, digits = ("-" if amount < 0 else ""), str(abs(amount)).rjust(precision + 1, "0")
    return f"{sign}{digits[:-precision]}.{digits[-precision:]}"


def share_out(amount: int, left: Sequence[int]) -> list[int]:
    """An amount in the ratio of what is left of each; the first ones get what is over.

    amount: at most all that is left together.
    """
    whole = max(sum(left), 1)
    shares = [amount * each // whole for each in left]
    rest = amount - sum(shares)
    for place, each in enumerate(left):
        more = min(rest, each - shares[place])
        shares[place], rest = shares[place] + more, rest - more
    return shares


def money_in_words(amount: int, currency: str) -> str:
    """An amount in minor units as pages write it: `€42.00`, or `42,00 €` in German."""
    return decimal_in_words(money_text(amount, currency), currency)


def decimal_in_words(text: str, currency: str) -> str:
    """A decimal amount such as `42.00` as pages write it, in the locale of the running task."""
    return amount_in(text, currency, current_locale())


def amount_in(amount: str, currency: str, locale: Locale | str) -> str:
    """A decimal amount as pages write it in a locale, with a minus sign."""
    return with_minus_sign(write_amount(amount, currency, locale))


def write_amount(amount: str | Decimal, currency: str, locale: Locale | str) -> str:
    """A decimal amount as letters and invoices write it, whose font has no minus sign.

    `CHF 42.00` is separated, as Babel does not.
    """
    text = str(format_currency(amount, currency, locale=locale, decimal_quantization=False))
    return _CODE_BEFORE_DIGIT.sub("\N{NO-BREAK SPACE}", text)
