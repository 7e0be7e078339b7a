"""Tests how a file with our own columns is understood."""

import pytest

from masthead.model.errors import Invalid
from masthead.model.imports.mapping import Rule
from masthead.model.imports.rows.compiled import own_rules
from masthead.model.types.countries import (
    UNKNOWN_COUNTRY,
    country_code,
    country_name,
    known_country,
)


def test_our_own_columns_are_read_as_they_are() -> None:
    columns = ["order_id", "email", "reason", "product", "source"]
    assert own_rules(columns) == {
        "order_id": Rule(columns=("order_id",)),
        "email": Rule(columns=("email",)),
    }


def test_all_unknown_columns_are_named_at_once() -> None:
    with pytest.raises(Invalid) as refused:
        own_rules(["Vorname", "orderid", "email", "email"])
    text = str(refused.value)
    assert text.startswith("The file has no column `order_id`. These columns are unknown: ")
    assert "`Vorname`, `orderid` (did you mean `order_id`?)." in text
    assert "Column `email` appears more than once." in text
    assert text.count("sent_dates") == 1


def test_the_unknown_country_has_a_name_but_cannot_be_entered() -> None:
    assert country_name(UNKNOWN_COUNTRY) == "Unknown Region"
    assert [known_country(code) for code in ("DE", UNKNOWN_COUNTRY, None)] == ["DE", "", ""]
    with pytest.raises(Invalid):
        country_code("country", UNKNOWN_COUNTRY)
