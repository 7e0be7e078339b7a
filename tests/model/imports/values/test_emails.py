"""Email addresses as address books and mail programs write them."""

from masthead.model.imports.rows.converters import bare_email
from tests.support.cases import for_each


@for_each(
    "text, address",
    [
        ("ada@x.org", "ada@x.org"),
        ("Ada Bell <ada@x.org>", "ada@x.org"),
        ('"Bell, Ada" <ada@x.org>;', "ada@x.org"),
        ("<ada@x.org>", "ada@x.org"),
        ("'ada@x.org' <Ada@x.org>", "Ada@x.org"),
        ("mailto:ada@x.org", "ada@x.org"),
        ("<MAILTO:ada@x.org>", "ada@x.org"),
        ("ada@x.org, ", "ada@x.org"),
        *(
            (text, text)
            for text in (
                "ada@x.org; bob@x.org",
                "ada@x.org <bob@x.org>",
                "Ada <ada@x.org>, Bob <bob@x.org>",
            )
        ),
    ],
)
def test_what_stands_around_an_address_goes(text: str, address: str) -> None:
    assert bare_email(text) == address
