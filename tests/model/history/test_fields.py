"""Changed fields on the page of the audit log."""

from datetime import UTC, date, datetime

import pytest

from masthead.model.history.fields import differences


@pytest.mark.parametrize(
    "value, text",
    [(None, ""), (True, "yes"), (False, "no"), (0, "0"), ("", ""), (["a", "b"], "a; b"), ([], "")],
)
def test_values_are_shown_as_text(value: object, text: str) -> None:
    assert differences({"it": value}, None) == [("it", text, "")]


def test_date_fields_are_dates_and_a_name_that_looks_like_a_date_is_text() -> None:
    moment = datetime(2026, 2, 3, 4, 5, tzinfo=UTC)
    after = {
        "order_date": "2026-02-28",
        "expires_at": moment.isoformat(),
        "name": "2026-02-30",
        "release_date_fuzzy": "2026-02-30",
    }
    assert [value for _, _, value in differences(None, after)] == [
        date(2026, 2, 28),
        moment,
        "2026-02-30",
        "2026-02-30",
    ]


def test_the_differences_name_each_field_once() -> None:
    before, after = {"city": "Berlin", "is_active": True}, {"city": "Paris", "first_name": "Ada"}
    assert differences(before, after) == [
        ("town", "Berlin", "Paris"),
        ("active", "yes", ""),
        ("first name", "", "Ada"),
    ]
    assert differences(None, {"city": "Paris"}) == [("town", "", "Paris")]
    assert differences(None, None) == []
    assert differences(None, {"is_new_browser": True}) == [("new browser", "", "yes")]
