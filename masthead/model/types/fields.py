"""The kinds of fields in what we are asked: type, schema and rule of each in one annotation.

A rule takes the field's name and its decoded value and gives back the value to keep, or raises
`Invalid`. `decoding` trims a text, and once the types are right it checks the length and runs the
rule.
"""

from datetime import date
from typing import Annotated

from msgspec import Meta

from masthead.model.errors import Invalid
from masthead.model.types.countries import COUNTRIES, country_code
from masthead.model.types.email_addresses import email_address
from masthead.model.types.money import CURRENCIES, currency_code, money_form
from masthead.model.types.text import MAX_LIST, MAX_NOTES, MAX_TEXT, short_text

MAX_NUMBER = 2**31 - 1
WHOLE = {"multipleOf": 1}  # such integers are `number` in the specification
FIRST_DAY = date(1900, 1, 1)


def named_text(field: str, text: str) -> str:
    """A short text that is not empty. Raises: Invalid."""
    if not text:
        raise Invalid(f"`{field}` is empty; expected a text.", field=field)
    return short_text(field, text)


def storable_day(field: str, day: date) -> date:
    """A day from 1900 on. Raises: Invalid."""
    if day < FIRST_DAY:
        raise Invalid(
            f"`{field}` is `{day}`; the years 1900 to 9999 are allowed.", field=field, value=day
        )
    return day


Text = Annotated[str, Meta(extra_json_schema={"maxLength": MAX_TEXT})]
Name = Annotated[
    str,
    Meta(extra_json_schema={"pattern": r"\S", "maxLength": MAX_TEXT}, extra={"rule": named_text}),
]
Notes = Annotated[
    str, Meta(extra_json_schema={"maxLength": MAX_NOTES}, extra={"max_length": MAX_NOTES})
]
ListText = Annotated[str, Meta(extra={"max_length": MAX_LIST})]
_CLEARED = Meta(extra={"advice": 'Send `""` to empty it.'})
ClearableText = Annotated[Text, _CLEARED]
ClearableNotes = Annotated[Notes, _CLEARED]
EmailText = Annotated[
    str,
    Meta(
        extra_json_schema={"format": "email", "maxLength": MAX_TEXT}, extra={"rule": email_address}
    ),
]
CountryCode = Annotated[
    str,
    Meta(
        title="CountryCode",
        description="ISO 3166-1 alpha-2 country code, or `XK`; lower case is understood too",
        extra_json_schema={"enum": sorted(COUNTRIES), "examples": ["DE", "US"]},
        extra={"rule": country_code},
    ),
]
CurrencyCode = Annotated[
    str,
    Meta(
        title="CurrencyCode",
        description="ISO 4217 currency code; lower case is understood too",
        extra_json_schema={"enum": sorted(CURRENCIES), "examples": ["EUR"]},
        extra={"rule": currency_code},
    ),
]
MoneyText = Annotated[
    str,
    Meta(
        description="amount as decimal text, in at most the currency's own precision",
        extra_json_schema={"pattern": r"^[0-9]{1,9}(\.[0-9]{1,4})?$", "examples": ["42.00"]},
        extra={"rule": money_form},
    ),
]
Day = Annotated[
    date,
    Meta(
        extra_json_schema={"pattern": "^(19|[2-9][0-9])[0-9]{2}-", "examples": ["2026-01-15"]},
        extra={"rule": storable_day},
    ),
]

IssueNumber = Annotated[int, Meta(ge=1, le=MAX_NUMBER)]
StartIssue = Annotated[
    int,
    Meta(
        ge=1,
        le=MAX_NUMBER,
        description="number of the first issue, which must exist",
        extra_json_schema=WHOLE,
    ),
]
Length = Annotated[
    int,
    Meta(
        ge=1,
        le=1000,
        description="issues per period",
        extra_json_schema=WHOLE,
    ),
]
IntervalMonths = Annotated[int, Meta(ge=1, le=1200)]
