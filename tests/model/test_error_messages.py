"""Error messages are for people: each names the field, the value and the solution."""

from collections.abc import Mapping

import pytest

from masthead.api.http.codec import decode_json_body
from masthead.model.errors import Busy, Invalid
from masthead.model.inputs import Change, Creation, IssueCreate, MarkSent, SubscriptionUpdate
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
            '`release_date_actual` is "2026-02-30"; expected a date as YYYY-MM-DD.',
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


def test_busy_says_what_the_request_waited_for() -> None:
    assert str(Busy()).startswith(
        "Other work on this account, such as an import, its dry run or maintenance of the database,"
    )


def test_the_message_for_a_missing_body_says_that_it_is_missing() -> None:
    with pytest.raises(Invalid, match="The body is empty; send a JSON object") as refusal:
        decode_json_body(b"", None, IssueCreate)
    assert refusal.value.code == "invalid_json"
