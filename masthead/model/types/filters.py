"""The types of the parameters that filter a list, and which of their values can match.

A value that no record can have is refused, so that a mistake is not taken for an empty list.
`tidy` normalizes the text of a parameter; `rule` may refuse it; `record` is the kind of record
whose id it is.
"""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from masthead.model.errors import Invalid, excerpt
from masthead.model.translations import gettext as _, gettext_noop
from masthead.model.types.clean_text import UNSEEN, VISIBLE, one_line
from masthead.model.types.countries import country_code
from masthead.model.types.email_addresses import email_key
from masthead.model.types.fields import CountryCode
from masthead.model.types.meant_days import meant_day
from masthead.model.types.text import MAX_TEXT

TRIMMED = {"tidy": one_line}
ID_PATTERN = "^[0-9]*[A-Za-z][A-Za-z0-9]*$"
EMAIL_PATTERN = f"^[^{UNSEEN}@]+@[^{UNSEEN}@]+$"
_ID, _EMAIL = re.compile(ID_PATTERN[1:-1]), re.compile(EMAIL_PATTERN[1:-1])
# A moment whose `+` became a blank
_PLUS = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.]+ [0-9]{2}:?[0-9]{2}")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
FIRST_MOMENT = datetime(1970, 1, 1, tzinfo=UTC)  # no record was changed before
_LAST_MOMENT = datetime(9999, 12, 31, tzinfo=UTC)  # later, some moments have no date in UTC
# The kinds of records that a filter names by their id, and where their ids are
WHERE_IDS_ARE = {
    "subscriber": gettext_noop("`GET /v1/subscribers/` finds subscribers by `email` or `search`"),
    "subscription": gettext_noop(
        "`GET /v1/subscriptions/` finds subscriptions by `order_id`, `email` or `search`"
    ),
    "issue": gettext_noop("`GET /v1/issues/` lists the `id` and the `number` of each issue"),
    "source": gettext_noop("`GET /v1/sources/` lists the sources"),
    "invoice": gettext_noop("`GET /v1/invoices/` lists the `id` and the `number` of each invoice"),
}
_ROLES = {"payer": "subscriber"}  # filters that name a record by what it is there


def id_filter(field: str, text: str) -> str:
    """The text, which may be an id. Raises: Invalid if no id is like that."""
    if not _ID.fullmatch(text):
        raise _no_id(field, _("`{field}` is `{text}`; expected the `id` of the {record}."), text)
    return text


def record_of(meta: Iterable[Meta]) -> str:
    """The kind of record that a filter names by its id; empty if it is another filter."""
    names = [(each.extra or {}).get("record", "") for each in meta]
    return next(filter(None, names), "")


def wrong_record(field: str, text: str, record: str, found: str) -> Invalid:
    """The error of an id of another kind of record. found: that kind."""
    message = _(
        "`{field}` is `{text}`, the id of another kind of record ({found}); expected the `id` of "
        "the {record}."
    )
    return _no_id(field, message, text, record=record, found=_(found))


def _no_id(field: str, message: str, text: str, *, record: str = "", found: str = "") -> Invalid:
    record = record or _ROLES.get(field, field)
    problem = message.format(field=field, text=excerpt(text), record=_(record), found=found)
    return Invalid(f"{problem} {_(WHERE_IDS_ARE[record])}.", field=field, value=text)


def email_filter(field: str, text: str) -> str:
    """The address for comparison. Raises: Invalid if no address is like that."""
    if len(text.split()) > 1:
        message = _(
            "`{field}` is `{text}`, with a blank. In a query string, `+` means a blank: send "
            "`%2B` for a plus sign."
        )
    elif not _EMAIL.fullmatch(text):
        message = _("`{field}` is `{text}`; expected an email address, such as `ada@example.org`.")
    else:
        return email_key(text)
    raise Invalid(message.format(field=field, text=excerpt(text)), field=field, value=text)


def subscriber_filter(field: str, text: str) -> str:
    """The text, which may be an id or an email address. Raises: Invalid."""
    return email_filter(field, text) if {"@", " "} & {*text} else id_filter(field, text)


def country_filter(field: str, text: str) -> str:
    """The country code in capitals. Raises: Invalid, also for several codes."""
    if "," in text:
        message = _("`{field}` is `{text}`; expected one country code. Send one request for each.")
        raise Invalid(message.format(field=field, text=excerpt(text)), field=field, value=text)
    return country_code(field, text.upper() if len(text) == 2 else text)


def moment_filter(field: str, text: str) -> datetime:
    """The moment, or the beginning of the day, in UTC. Raises: Invalid."""
    whole = f"{text}T00:00:00Z" if _DATE.fullmatch(text) else text
    try:
        moment: datetime = msgspec.convert(whole, Annotated[datetime, Meta(tz=True)])
    except msgspec.ValidationError:
        message = _(
            "`{field}` is `{text}`; expected a moment such as `2026-01-31T09:00:00Z`, or a date."
        ).format(field=field, text=excerpt(text))
        raise Invalid(
            f"{message} {_meant_moment(text)}".rstrip(), field=field, value=text
        ) from None
    return min(max(moment, FIRST_MOMENT), _LAST_MOMENT).astimezone(UTC)


def _meant_moment(text: str) -> str:
    """What to send in place of a text that is no moment; empty if that is not clear."""
    if _PLUS.fullmatch(text):
        plus = _("Send the `+` of an offset from UTC as `%2B`: `{value}`.")
        return plus.format(value=text.replace(" ", "%2B"))
    try:
        msgspec.convert(f"{text}Z", datetime)
    except msgspec.ValidationError:
        return meant_day(text)
    return _("Say the offset from UTC: `{value}` for UTC.").format(value=f"{text}Z")


Search = Annotated[
    str,
    Meta(
        max_length=255,
        description="search terms, separated by spaces; all of them must match, as words or parts "
        "of words; case and accents are ignored",
        extra=TRIMMED,
    ),
]
RecordId = Annotated[
    str,
    Meta(
        min_length=1,
        extra_json_schema={"pattern": ID_PATTERN, "maxLength": MAX_TEXT},
        extra={**TRIMMED, "rule": id_filter},
    ),
]
SubscriberId = Annotated[
    RecordId, Meta(description="id of the subscriber", extra={"record": "subscriber"})
]
SubscriptionId = Annotated[
    RecordId, Meta(description="id of the subscription", extra={"record": "subscription"})
]
SourceId = Annotated[
    RecordId, Meta(description="id of the source of the first order", extra={"record": "source"})
]
IssueId = Annotated[
    RecordId, Meta(description="id of the issue, not its number", extra={"record": "issue"})
]
SubscriberIdOrEmail = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=255,
        description="id or email address of the subscriber",
        extra_json_schema={"pattern": f"{ID_PATTERN}|{EMAIL_PATTERN}"},
        extra={
            **TRIMMED,
            "rule": subscriber_filter,
            "record": "subscriber",
            "advice": "Send the id or the email address of the subscriber.",
        },
    ),
]
OrderId = Annotated[
    str,
    Meta(
        min_length=1,
        description="id of one of its orders, including renewals",
        extra_json_schema={"pattern": VISIBLE, "maxLength": MAX_TEXT},
        extra=TRIMMED,
    ),
]
EmailFilter = Annotated[
    str,
    Meta(
        min_length=1,
        description="email address of the subscriber, with `%2B` for a plus sign; case does not "
        "matter",
        extra_json_schema={"pattern": EMAIL_PATTERN, "maxLength": MAX_TEXT},
        extra={**TRIMMED, "rule": email_filter},
    ),
]
Country = Annotated[
    CountryCode,
    Meta(
        description="ISO 3166-1 alpha-2 country code of the shipping address",
        extra={**TRIMMED, "rule": country_filter},
    ),
]
ChangedSince = Annotated[
    datetime,
    Meta(
        tz=True,
        description="only records that were created or changed at this moment or later: a moment "
        "with its offset from UTC, or a date, which begins at 00:00 UTC",
        extra={"rule": moment_filter},
    ),
]
