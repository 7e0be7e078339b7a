"""The small words: statuses and media, money, countries, currencies, e-mail addresses, search."""

import re
from enum import StrEnum
from functools import lru_cache

from babel import Locale
from email_validator import SPECIAL_USE_DOMAIN_NAMES, EmailNotValidError, validate_email
from iso4217 import Currency

from masthead.model.errors import Invalid, excerpt
from masthead.model.text import casefold, caseless, fold, normalize, short_text


class SubscriptionType(StrEnum):
    """What was bought: a number of issues, or a span of the calendar."""

    SUBSCRIPTION = "subscription"
    MEMBERSHIP = "membership"


class SubscriptionStatus(StrEnum):
    """Where a subscription stands; `lifecycle` has the rules."""

    ACTIVE = "Active"
    RENEWALS_STOPPED = "Active - Renewals stopped"
    COMPLETE = "Complete"
    CANCELLED = "Cancelled"
    PAST_DUE = "Past due"


class Medium(StrEnum):
    """How a subscription is read."""

    PRINT = "Print"
    DIGITAL = "Digital"
    PRINT_AND_DIGITAL = "Print + digital"


class CopyStatus(StrEnum):
    """Whether a copy went out."""

    SENT = "Sent"
    CANCELLED = "Cancelled"
    NOT_SENT = "Not sent"


class CancelMode(StrEnum):
    """The two ways of cancelling."""

    STOP_RENEWALS = "stop_renewals"
    CANCEL = "cancel"


class Scope(StrEnum):
    """What an API key may do."""

    READ_ONLY = "read_only"
    READ_WRITE = "read_write"


class Role(StrEnum):
    """What a person may do in an account: owners everything, staff all but its settings."""

    OWNER = "owner"
    STAFF = "staff"


class SourceType(StrEnum):
    """Where orders come from; `checkout` is masthead's own."""

    CHECKOUT = "checkout"
    SHOP = "shop"
    IMPORT = "import"


MONEY = re.compile(r"([0-9]{1,9})(?:\.([0-9]+))?", re.ASCII)

SPECIAL_USE_DOMAIN_NAMES.clear()  # addresses are checked by syntax only: .test and .local are fine

# Babel's two-letter regions that are no countries of ISO 3166-1; XK (Kosovo) stays, as in use
_NO_COUNTRIES = frozenset("AC CP CQ DG EA EU EZ IC QO TA UN XA XB ZZ".split())
COUNTRIES = {
    code: name
    for code, name in Locale("en").territories.items()
    if len(code) == 2 and code not in _NO_COUNTRIES
}
CURRENCIES = {each.code: each.exponent for each in Currency if each.exponent is not None}


def country_code(field: str, text: str) -> str:
    """The ISO 3166-1 code in capitals. Raises: Invalid."""
    code = text.upper() if text.isascii() else text  # "ß" would become SS, South Sudan
    if code in COUNTRIES:
        return code
    hint = "the United Kingdom is `GB`" if code == "UK" else "for example `DE`, `GB` or `US`"
    raise Invalid(
        f"`{field}` is `{excerpt(text)}`; expected a two-letter ISO 3166-1 country code, {hint}.",
        field=field,
        value=text,
    )


def country_name(code: str) -> str:
    """The English name of a country."""
    return str(COUNTRIES[code])


def currency_code(field: str, text: str) -> str:
    """The ISO 4217 code in capitals. Raises: Invalid."""
    code = text.upper() if text.isascii() else text
    if code in CURRENCIES:
        return code
    raise Invalid(
        f"`{field}` is `{excerpt(text)}`; expected an ISO 4217 currency code, for example "
        "`EUR` or `USD`.",
        field=field,
        value=text,
    )


def money_form(field: str, text: str) -> str:
    """The text itself if it is an amount in some currency. Raises: Invalid."""
    if MONEY.fullmatch(text):
        return text
    raise Invalid(
        f"`{field}` is `{excerpt(text)}`; expected an amount as decimal text such as `42.00`: "
        "digits and at most one point, up to 9 digits before it, without sign, symbol or "
        "separators.",
        field=field,
        value=text,
    )


@lru_cache(maxsize=4096)
def minor_units(field: str, text: str, currency: str) -> int:
    """An amount as whole minor units of its currency (cents). Raises: Invalid."""
    match = MONEY.fullmatch(money_form(field, text))
    assert match is not None
    precision = CURRENCIES[currency]
    whole, decimals = match[1], match[2] or ""
    if len(decimals) > precision:
        allowed = f"{precision} decimals" if precision else "no decimals"
        raise Invalid(
            f"`{field}` is `{excerpt(text)}`; {currency} has {allowed}.", field=field, value=text
        )
    return int(whole + decimals.ljust(precision, "0"))


def money_text(amount: int, currency: str) -> str:
    """Minor units as decimal text in the currency's own precision, such as `42.00`."""
    precision = CURRENCIES[currency]
    if precision == 0:
        return str(amount)
    sign, digits = ("-" if amount < 0 else ""), str(abs(amount)).rjust(precision + 1, "0")
    return f"{sign}{digits[:-precision]}.{digits[-precision:]}"


# Addresses that need no second look: the library, which takes 30 µs, lets all of them pass
_PLAIN_EMAIL = re.compile(
    r"(?=.{1,254}\Z)(?=[^@]{1,64}@)(?!.*--)[A-Za-z0-9_+-]+(?:\.[A-Za-z0-9_+-]+)*"
    r"@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}"
)


def email_address(field: str, text: str) -> str:
    """The address in NFC if its syntax is right; no network is asked. Raises: Invalid."""
    if _PLAIN_EMAIL.fullmatch(short_text(field, text)):
        return text
    address = normalize("NFC", text)
    try:
        validate_email(address, check_deliverability=False)
    except EmailNotValidError as reason:
        raise Invalid(
            f"`{field}` is `{text}`; expected an e-mail address: {reason}", field=field, value=text
        ) from None
    return address


def domain_key(address: str) -> str:
    """What two spellings of an address's domain have in common, full-width letters included."""
    domain = address.rpartition("@")[2]
    return casefold(domain if domain.isascii() else normalize("NFKC", domain))


def email_key(address: str) -> str:
    """The address in the form for comparison: trimmed, NFC, case folded.

    Raises: Invalid if it is too long.
    """
    return caseless(short_text("email", address.strip()))


def full_name(
    first_name: str | None, last_name: str | None, company: str | None, email: str
) -> str:
    """How a person is called: names, else company, else e-mail."""
    return " ".join(part for part in (first_name, last_name) if part) or company or email


_BLANKS_TO_TIDY = re.compile(r"\s\s|[^\S \n]|\A\s|\s\Z")


def search_text(*parts: str | None) -> str:
    """The searchable parts of a record, folded, one a line; a term never spans two lines."""
    kept = [part for part in parts if part]
    text = "\n".join(kept)
    if text.isascii() and text.count("\n") < max(len(kept), 1) and not _BLANKS_TO_TIDY.search(text):
        return text.lower()  # what follows would say the same of most records, in thrice the time
    return "\n".join(" ".join(fold(part).split()) for part in kept)


def search_terms(search: str) -> list[str]:
    """The texts that must all be found, as `search_text` has them."""
    return [term for word in search.split() if (term := fold(word))]
