"""The totals of a print run."""

from masthead.model.reports.forecasts import Part, PrintRun, Total
from masthead.model.types.enums import Medium

RUN = PrintRun(
    7,
    None,
    [
        Part("DE", Medium.PRINT, 5, 1),
        Part("AT", Medium.DIGITAL, 9, 0),
        Part("DE", Medium.PRINT_AND_DIGITAL, 3, 2),
    ],
)


def test_a_print_and_digital_copy_counts_in_both_columns_but_once_in_the_total() -> None:
    assert RUN.total == Total(copies=17, printed=8, digital=12, renewals=3, printed_renewals=3)


def test_countries_and_media_are_sorted_by_copies_most_first() -> None:
    assert list(RUN.by_country) == ["AT", "DE"]
    assert RUN.by_country["DE"] == Total(
        copies=8, printed=8, digital=3, renewals=3, printed_renewals=3
    )
    assert list(RUN.by_medium) == ["Digital", "Print", "Print + digital"]
