"""Converts the rows of an import to orders."""

from collections.abc import Mapping
from datetime import date
from functools import lru_cache
from typing import Any

import msgspec

from masthead.model.errors import Invalid
from masthead.model.inputs import SubscriptionRow, require
from masthead.model.orders.order import Order, Terms, make_order, require_name
from masthead.model.orders.period_coverage import check_window
from masthead.model.orders.references import check_recurring
from masthead.model.types.enums import SubscriptionStatus, SubscriptionType
from masthead.model.types.fields import date_from_1900
from masthead.model.types.messages import shown
from masthead.model.types.text import MAX_DIGITS, is_digits
from masthead.model.validation import Field, decode_input, fields_of

_FIELDS = fields_of(SubscriptionRow)
COLUMNS = tuple(_FIELDS)
REPORT = ("line", "column", "value", "reason")  # the first columns in a file of rejects

# Columns whose values rarely repeat; the checked values of all other columns are cached
_ALL_DIFFERENT = frozenset("order_id email address1 phone transaction_id notes renews".split())

STATED = (
    SubscriptionStatus.PAST_DUE,
    SubscriptionStatus.CANCELLED,
    SubscriptionStatus.RENEWALS_STOPPED,
)

_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def order_of_cells(cells: Mapping[str, str], terms: Terms) -> Order:
    """The order in one row. cells: text by column; an empty cell is absent. Raises: Invalid.

    Takes about 15 µs, because most values are cached. An invalid row is decoded a second time, to
    get the error message of the API.
    """
    if "" in cells:
        raise Invalid("The row has more cells than the first line has columns.", value=cells[""])
    try:
        given = {name: _read(name, text) for name, cell in cells.items() if (text := cell.strip())}
        row = SubscriptionRow(**given)
    except (Invalid, KeyError, TypeError, msgspec.ValidationError):
        row = _read_in_words(cells)
    return order_of_row(row, terms)


def _read_in_words(cells: Mapping[str, str]) -> SubscriptionRow:
    """The row, decoded like a body of the API. Raises: Invalid with the message of the API."""
    raw = {
        name: _value(_FIELDS[name], text.strip()) for name, text in cells.items() if text.strip()
    }
    return decode_input(SubscriptionRow, raw)


def _read(name: str, text: str) -> Any:
    """The checked value of a cell. Raises: Invalid, KeyError, msgspec.ValidationError."""
    if name in _ALL_DIFFERENT:
        return _checked(name, text)
    return _remembered(name, text)


def _checked(name: str, text: str) -> Any:
    field = _FIELDS[name]
    value = _value(field, text)
    if field.kind is not str:
        value = msgspec.convert(value, field.hint)
    return field.check(value)


_remembered = lru_cache(maxsize=4096)(_checked)


def _value(field: Field, text: str) -> object:
    """The text of a cell, converted to the type of its column."""
    if "\0" in text:
        raise Invalid(f"`{field.name}` contains the character NUL.", field=field.name, value=text)
    if field.kind is bool:
        if text.lower() not in _FLAGS:
            raise Invalid(
                f"`{field.name}` is {shown(text)}; expected true or false, yes or no, 1 or 0.",
                field=field.name,
                value=text,
            )
        return _FLAGS[text.lower()]
    if field.kind is int and is_digits(text, at_most=MAX_DIGITS):
        return int(text)
    return text


def order_of_row(row: SubscriptionRow, terms: Terms) -> Order:
    """The order in a decoded row of an import. Raises: Invalid."""
    if row.renews is None:
        _check_new(row)
    if not row.is_comp:
        require("price", row.price, "it is required unless `is_comp` is true")
    require("order_date", row.order_date)
    _check_status(row)
    return make_order(row, terms, sent=_sent(row))


def _check_new(row: SubscriptionRow) -> None:
    """Raises: Invalid if a row does not have the right fields for a new subscription."""
    require_name(row.first_name, row.company)
    require("country", row.country)
    if row.type is SubscriptionType.MEMBERSHIP:
        for name in ("interval_months", "period_start", "period_end"):
            require(name, getattr(row, name), "a membership needs it")
        for name in ("start_issue", "length"):
            if getattr(row, name) is not None:
                raise Invalid(f"`{name}` is for subscriptions; leave it empty.", field=name)
    else:
        require("start_issue", row.start_issue)
        require("length", row.length)
        for name in ("interval_months", "period_start", "period_end"):
            if getattr(row, name) is not None:
                raise Invalid(
                    f"`{name}` is for memberships; leave it empty, or set `type` to `membership`.",
                    field=name,
                )
    check_window(row.period_start, row.period_end)
    if row.is_gift:
        for name in ("gifter_name", "gifter_email"):
            require(name, getattr(row, name), "a gift needs it")
    elif row.gifter_name is not None or row.gifter_email is not None:
        raise Invalid(
            "`gifter_name` or `gifter_email` is set, but `is_gift` is not true; set `is_gift`, "
            "or leave both empty.",
            field="is_gift",
        )


def _check_status(row: SubscriptionRow) -> None:
    if row.cancelled_date is not None:
        _check_cancelled_date(row, row.cancelled_date)
    if row.status is None:
        return
    if row.status not in STATED:
        allowed = ", ".join(f"`{each}`" for each in STATED)
        raise Invalid(
            f"`status` is `{row.status}`; expected {allowed}, or an empty cell. Other statuses are "
            "derived from the data.",
            field="status",
            value=row.status,
        )
    if row.renews is None and row.status is not SubscriptionStatus.CANCELLED:
        check_recurring(row.status, is_recurring=row.is_recurring or False)


def _check_cancelled_date(row: SubscriptionRow, day: date) -> None:
    """Raises: Invalid unless the row is cancelled, on a day on which its order existed."""
    if row.status is not SubscriptionStatus.CANCELLED:
        raise Invalid(
            "`cancelled_date` is for cancelled subscriptions; leave it empty, or set `status` to "
            "`Cancelled`.",
            field="cancelled_date",
            value=day,
        )
    if row.order_date is not None and day < row.order_date:
        raise Invalid(
            f"`cancelled_date` is `{day}`, which is before `order_date`, `{row.order_date}`.",
            field="cancelled_date",
            value=day,
        )


def _sent(row: SubscriptionRow) -> dict[int, date | None]:
    """The dates in `sent_dates` by the numbers in `sent_issues`. Raises: Invalid."""
    if not row.sent_issues and not row.sent_dates:
        return {}
    numbers = _split(row.sent_issues)
    days = _split(row.sent_dates)
    for number in numbers:
        if not is_digits(number, at_most=10):
            raise Invalid(
                f"`sent_issues` contains {shown(number)}; expected issue numbers such as `3|4`.",
                field="sent_issues",
                value=row.sent_issues,
            )
    if days and len(days) != len(numbers):
        raise Invalid(
            f"`sent_dates` has {len(days)} entries, but `sent_issues` has {len(numbers)}; expected "
            "one date for each issue, such as `2016-06-01|2016-09-01`, or an empty cell.",
            field="sent_dates",
            value=row.sent_dates,
        )
    return {
        int(number): _sent_day(row, day)
        for number, day in zip(numbers, days or [""] * len(numbers), strict=True)
    }


def _split(cell: str | None) -> list[str]:
    return [part.strip() for part in cell.split("|")] if cell else []


def _sent_day(row: SubscriptionRow, text: str) -> date | None:
    if not text:
        return None
    try:
        return date_from_1900("sent_dates", msgspec.convert(text, date))
    except msgspec.ValidationError:
        raise Invalid(
            f"`sent_dates` contains {shown(text)}; expected dates as YYYY-MM-DD.",
            field="sent_dates",
            value=row.sent_dates,
        ) from None
