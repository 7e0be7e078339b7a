"""Error messages are for people: each names the field, the value and the solution."""

from collections.abc import Mapping

import pytest

from masthead.api.http.codec import decode_json_body
from masthead.model.errors import Busy, Invalid
from masthead.model.inputs import (
    Change,
    Creation,
    IssueCreate,
    MarkSent,
    SubscriptionCancel,
    SubscriptionUpdate,
)
from masthead.model.orders.entry import OrderCreate
from masthead.model.validation import decode_input

NUMBERS = "expected a list of 1 to 10000 whole numbers."


@pytest.mark.parametrize(
    "struct, raw, message",
    [
        (MarkSent, {"ids": []}, f"`ids` has 0 elements; {NUMBERS}"),
        (MarkSent, {"ids": [1] * 10_001}, f"`ids` has 10001 elements; {NUMBERS}"),
        (MarkSent, {"ids": [1, "2"]}, '`ids[1]` is "2"; expected a whole number.'),
        (MarkSent, {"ids": 1}, f"`ids` is 1; {NUMBERS}"),
        (
            SubscriptionUpdate,
            {"city": None},
            '`city` is null; expected text. Send `""` to clear the field.',
        ),
        (SubscriptionUpdate, {"country": None}, "`country` is null; expected text."),
        (
            IssueCreate,
            {"number": 1, "release_date_actual": "2026-02-30"},
            '`release_date_actual` is "2026-02-30"; expected a date as YYYY-MM-DD. There is no ',
        ),
        (IssueCreate, {}, "`number` is required, but missing; expected a whole number from 1 to "),
    ],
)
def test_a_message_says_what_is_wrong_and_what_is_allowed(
    struct: type[Creation | Change], raw: Mapping[str, object], message: str
) -> None:
    with pytest.raises(Invalid) as refusal:
        decode_input(struct, raw)
    assert str(refusal.value).startswith(message)


def told(struct: type[Creation | Change], field: str, value: object) -> str:
    """The message about this value."""
    with pytest.raises(Invalid) as refusal:
        decode_input(struct, {field: value})
    (message,) = [str(each) for each in refusal.value.all if each.field.startswith(field)]
    return message


@pytest.mark.parametrize(
    "struct, field, value, way_out",
    [
        (IssueCreate, "number", "22", "Send `22`, without quotes."),
        (MarkSent, "ids", [1, "2"], "Send `2`, without quotes."),
        (OrderCreate, "is_gift", "true", "Send `true`, without quotes."),
        (OrderCreate, "postcode", 50667, 'Send `"50667"`, in quotes.'),
        (SubscriptionUpdate, "postcode", 50667, 'Send `"50667"`, in quotes.'),
        (SubscriptionUpdate, "postcode", None, 'Send `""` to clear the field.'),
        (OrderCreate, "price", 42.5, 'Send the amount as text, in quotes, such as `"42.00"`.'),
        (OrderCreate, "source", 7, "Use the id of a source from `GET /v1/sources/`."),
        (OrderCreate, "medium", "print", "Did you mean `Print`?"),
        (OrderCreate, "payment_method", "BANK_TRANSFER", "Did you mean `bank transfer`?"),
        (SubscriptionCancel, "mode", "stop_renewal", "Did you mean `stop_renewals`?"),
        (OrderCreate, "order_date", "31.12.2026", "Did you mean `2026-12-31`?"),
        (OrderCreate, "order_date", "1. 2. 2026", "Did you mean `2026-02-01`?"),
        (OrderCreate, "order_date", "2026/11/3", "Did you mean `2026-11-03`?"),
        (OrderCreate, "order_date", "2026-11-30T12:00:00Z", "Did you mean `2026-11-30`?"),
        (OrderCreate, "order_date", " 2026-11-30", "Did you mean `2026-11-30`?"),
        (OrderCreate, "order_date", "2026-12-32", "There is no such day."),
        (OrderCreate, "price", "42,50", "Did you mean `42.50`?"),
    ],
)
def test_a_message_says_what_would_be_right(
    struct: type[Creation | Change], field: str, value: object, way_out: str
) -> None:
    assert told(struct, field, value).endswith(f" {way_out}")


@pytest.mark.parametrize(
    "struct, field, value, end",
    [
        (IssueCreate, "number", "0", "expected a whole number from 1 to 2147483647."),
        (IssueCreate, "number", 2.5, "expected a whole number from 1 to 2147483647."),
        (OrderCreate, "city", True, "expected text."),
        (OrderCreate, "is_gift", "perhaps", "expected true or false."),
        (OrderCreate, "medium", "stone", "expected one of `Print`, `Digital`, `Print + digital`."),
        # Either of two days, or none
        (OrderCreate, "order_date", "03/04/2026", "expected a date as YYYY-MM-DD."),
        (OrderCreate, "order_date", "31.02.2026", "expected a date as YYYY-MM-DD."),
        (OrderCreate, "order_date", "tomorrow", "expected a date as YYYY-MM-DD."),
        (OrderCreate, "price", "1,234,5", "without a sign, symbol or separators."),
    ],
)
def test_a_message_does_not_guess(
    struct: type[Creation | Change], field: str, value: object, end: str
) -> None:
    assert told(struct, field, value).endswith(f" {end}")


def test_busy_says_what_the_request_waited_for() -> None:
    assert str(Busy()).startswith(
        "Other work on this account, such as an import, its dry run or maintenance of the database,"
    )


def test_the_message_for_a_missing_body_says_that_it_is_missing() -> None:
    with pytest.raises(Invalid, match="The body is empty; send a JSON object") as refusal:
        decode_json_body(b"", None, IssueCreate)
    assert refusal.value.code == "invalid_json"
