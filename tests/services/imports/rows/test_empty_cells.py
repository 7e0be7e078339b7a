"""What an empty cell means, if the mapping says so."""

import pytest

from masthead.model.imports.mapping import ImportMapping, Rule
from masthead.model.imports.rows.prepared import PreparedRow
from tests.support.import_tables import ROW, mapping_of, prepared

EMPTY = {**ROW, "Land": "", "Issues": " "}
ADVICE = "If an empty cell means the same in all rows"


def texts_of(row: PreparedRow) -> dict[str, str]:
    """The reasons against a row, by column."""
    return {each.column: each.text for each in row.reasons}


def test_empty_cells_get_the_value_that_the_mapping_names() -> None:
    columns = {
        "country": Rule(columns=("Land",), otherwise="Germany"),
        "length": Rule(columns=("Issues",), otherwise="6"),
    }
    [empty, filled] = prepared([EMPTY, {**ROW, "Land": "FR"}], mapping_of(columns))
    assert empty.order is not None
    assert filled.order is not None
    assert (empty.order.country, empty.order.length) == ("DE", 6)
    assert (filled.order.country, filled.order.length) == ("FR", 4)


def test_a_refused_empty_cell_says_how_to_give_it_a_meaning() -> None:
    [row] = prepared([EMPTY], mapping_of())
    reasons = texts_of(row)
    assert reasons["Land"].startswith("`Land` is missing; it is required. " + ADVICE)
    assert ADVICE in reasons["Issues"]


def test_a_country_of_two_addresses_or_without_a_column_gets_no_such_advice() -> None:
    [row] = prepared([{**EMPTY, "Country": ""}], mapping_of({"billing_country": "Country"}))
    assert ADVICE not in texts_of(row)["Land"]
    [row] = prepared([EMPTY], mapping_of({"country": Rule(columns=("Gone",))}))
    assert "No column of the file is mapped to it." in texts_of(row)["country"]
    assert ADVICE not in texts_of(row)["country"]


@pytest.mark.parametrize("otherwise", [None, "DE"])
def test_columns_of_our_own_stay_our_own_with_a_meaning_of_empty_cells(
    otherwise: str | None,
) -> None:
    own = {
        "order_id": "A1",
        "first_name": "Ada",
        "order_date": "2026-01-15",
        "price": "42",
        "length": "4",
        "start_issue": "",
        "country": "DE",
    }
    rules = {name: Rule(columns=(name,), otherwise=None) for name in own}
    rules["country"] = Rule(columns=("country",), otherwise=otherwise)
    [row] = prepared([own], ImportMapping(columns=rules))
    assert list(texts_of(row)) == ["start_issue"]  # which is not made from the date
