"""Numbers that a spreadsheet shows as codes."""

from masthead.model.imports.values.digit_formats import read_format
from tests.support.cases import for_each


@for_each(
    "code, text, shown",
    [
        ("00000", "2134", "02134"),
        ("00000;-00000;", "0", None),
        ("00000;-00000;", "7", "00007"),
        ("[<=99999]00000", "99999", "99999"),
        ("[<=99999]00000", "100000", None),
        ("00000", "", None),
        ("00000", "n/a", None),
        ("00000", "1.5", None),
        ("00000", "1E+15", None),
    ],
)
def test_a_number_has_the_zeros_that_people_see(code: str, text: str, shown: str | None) -> None:
    format = read_format(code)
    assert format is not None
    assert format.show(text) == shown
