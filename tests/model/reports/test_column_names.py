"""The headings of the files that staff open."""

import pytest

from masthead.model.renewals.files import LIST_COLUMNS, MERGE_COLUMNS
from masthead.model.reports.column_names import translated_columns
from masthead.web.claims import pages as claims
from masthead.web.issues import fulfilment
from masthead.web.renewals import ending, rates
from masthead.web.reports import forecasts
from masthead.web.revenue import issues, takings_file

FILES = [
    LIST_COLUMNS,
    MERGE_COLUMNS,
    ending.COLUMNS,
    rates.COLUMNS,
    issues.COLUMNS,
    takings_file.COLUMNS,
    fulfilment.COLUMNS,
    claims.COLUMNS,
    forecasts.CSV_TOTALS,
    forecasts.CSV_PARTS,
]


@pytest.mark.parametrize("columns", FILES)
def test_the_english_headings_are_the_names_of_the_columns(columns: list[str]) -> None:
    headings = ["mailing" if name == "run" else name for name in columns]
    assert translated_columns(columns) == headings


def test_a_column_without_a_heading_is_an_error() -> None:
    with pytest.raises(KeyError):
        translated_columns(["email", "surprise"])
