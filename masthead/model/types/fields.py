"""The types of input fields: each annotation has a type, its JSON schema and its rule.

A rule takes the name of the field and the decoded value, and returns the value to store or raises
`Invalid`. `validation` trims and repairs texts, checks types and lengths, and then calls the rule.
"""

from datetime import date
from typing import Annotated

from msgspec import Meta

from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _
from masthead.model.types.clean_text import VISIBLE, one_line
from masthead.model.types.countries import COUNTRIES, country_code
from masthead.model.types.email_addresses import email_address
from masthead.model.types.money import CURRENCIES, currency_code, decimal_amount
from masthead.model.types.plausible_days import order_day, sent_day
from masthead.model.types.recipient_languages import language_code
from masthead.model.types.text import MAX_LIST, MAX_LONG_TEXT, MAX_TEXT, short_text

MAX_NUMBER = 2**31 - 1
MAX_EMAIL = 254  # characters of an email address, by RFC 5321
FIRST_DAY = date(1900, 1, 1)


def required_text(field: str, text: str) -> str:
    """The text on one line, unless it is empty or too long. Raises: Invalid."""
    text = one_line(text)
    if not text:
        raise Invalid(_("`{field}` is empty; it is required.").format(field=field), field=field)
    return short_text(field, text)


def date_from_1900(field: str, day: date) -> date:
    """The date, unless it is before 1900. Raises: Invalid."""
    if day < FIRST_DAY:
        raise Invalid(
            _("`{field}` is `{day}`; expected a date in the years 1900 to 9999.").format(
                field=field, day=day
            ),
            field=field,
            value=day,
        )
    return day


Text = Annotated[str, Meta(extra_json_schema={"maxLength": MAX_TEXT})]
Name = Annotated[
    str,
    Meta(
        extra_json_schema={"pattern": VISIBLE, "maxLength": MAX_TEXT}, extra={"rule": required_text}
    ),
]
# A part of a name or an address, which gets printed: `damaged_texts` repairs it
_POSTAL = Meta(extra={"is_postal": True})
PostalText = Annotated[Text, _POSTAL]
PostalName = Annotated[Name, _POSTAL]
LanguageCode = Annotated[Text, Meta(extra={"rule": language_code})]
SourceOfOrders = Annotated[
    Name, Meta(extra={"advice": "Use the id of a source from `GET /v1/sources/`."})
]
Notes = Annotated[
    str, Meta(extra_json_schema={"maxLength": MAX_LONG_TEXT}, extra={"max_length": MAX_LONG_TEXT})
]
MAX_TITLE = 60  # characters before a name, such as `Prof. Dr.`
PersonalTitle = Annotated[
    str,
    Meta(extra_json_schema={"maxLength": MAX_TITLE}, extra={"max_length": MAX_TITLE}),
]
ListText = Annotated[str, Meta(extra={"max_length": MAX_LIST})]
_CLEARED = Meta(extra={"null_advice": 'Send `""` to clear the field.'})
ClearablePostalText = Annotated[PostalText, _CLEARED]
ClearableNotes = Annotated[Notes, _CLEARED]
EmailText = Annotated[
    str,
    Meta(
        extra_json_schema={"format": "email", "maxLength": MAX_EMAIL}, extra={"rule": email_address}
    ),
]
CountryCode = Annotated[
    str,
    Meta(
        title="CountryCode",
        description="ISO 3166-1 alpha-2 country code, or `XK` for Kosovo; case does not matter",
        extra_json_schema={"enum": sorted(COUNTRIES), "examples": ["DE", "US"]},
        extra={"rule": country_code, "advice": "Send an ISO 3166-1 code, such as `DE`."},
    ),
]
CurrencyCode = Annotated[
    str,
    Meta(
        title="CurrencyCode",
        description="ISO 4217 currency code; case does not matter",
        extra_json_schema={"enum": sorted(CURRENCIES), "examples": ["EUR"]},
        extra={"rule": currency_code},
    ),
]
MoneyText = Annotated[
    str,
    Meta(
        description="decimal amount, with at most as many decimals as the currency has",
        extra_json_schema={"pattern": r"^[0-9]{1,9}(\.[0-9]{1,4})?$", "examples": ["42.00"]},
        extra={
            "rule": decimal_amount,
            "advice": 'Send the amount as text, in quotes, such as `"42.00"`.',
        },
    ),
]
Day = Annotated[
    date,
    Meta(
        extra_json_schema={"pattern": "^(19|[2-9][0-9])[0-9]{2}-", "examples": ["2026-01-15"]},
        extra={"rule": date_from_1900},
    ),
]
# Days on which something happened; their last day depends on today
OrderDay = Annotated[
    date,
    Meta(
        extra_json_schema={"pattern": "^(19|[2-9][0-9])[0-9]{2}-", "examples": ["2026-01-15"]},
        extra={"rule": order_day},
    ),
]
SentDay = Annotated[
    date,
    Meta(
        extra_json_schema={"pattern": "^[2-9][0-9]{3}-", "examples": ["2026-01-15"]},
        extra={"rule": sent_day},
    ),
]

IssueNumber = Annotated[int, Meta(ge=1, le=MAX_NUMBER)]
StartIssue = Annotated[
    int,
    Meta(ge=1, le=MAX_NUMBER, description="number of the first issue; the issue must exist"),
]
Length = Annotated[
    int,
    Meta(ge=1, le=1000, description="issues per period"),
]
IntervalMonths = Annotated[int, Meta(ge=1, le=1200)]
MAX_DUE_DAYS = 365
DueDays = Annotated[int, Meta(ge=0, le=MAX_DUE_DAYS, description="days until an invoice is due")]
