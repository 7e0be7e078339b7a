"""What separates the cells of CSV files, and what the browser remembers of it."""

from pathlib import Path

import pytest

import masthead.web
from tests.conftest import Cast
from tests.support.cases import for_each
from tests.support.factories import make_issue, make_subscription
from tests.web.conftest import Person

MONEY = {"price": "1234.50", "first_name": "=cmd();-2"}


async def use_locale(owner: Person, locale: str) -> None:
    await owner.send(owner.address("settings", "account"), {"locale": locale})


async def read(owner: Person) -> tuple[str, str]:
    """The first two lines of the file of subscriptions."""
    text = (await owner.see("downloads", "subscriptions", "csv")).content.decode("utf-8-sig")
    head, line = text.splitlines()[:2]
    return head, line


@pytest.fixture
async def sold(acme: Cast) -> None:
    await make_issue(acme)
    await make_subscription(acme, **MONEY)


@for_each(
    "locale, separator, price, word",
    [("en_GB", ",", ",1234.50,", ",no,"), ("de_DE", ";", ";1234,50;", ";nein;")],
)
async def test_the_usual_style_is_that_of_the_locale(
    sold: None, owner: Person, locale: str, separator: str, price: str, word: str
) -> None:
    await use_locale(owner, locale)
    head, line = await read(owner)
    assert head.count(separator) > 20
    assert price in line
    assert word in line
    assert "'=cmd();'-2" in line  # no spreadsheet runs it


async def test_the_browser_remembers_another_style(sold: None, owner: Person) -> None:
    page = await owner.text("subscriptions", status="Active")
    assert "CSV with commas and decimal points" in page
    back = owner.address("subscriptions") + "?status=Active"
    answer = await owner.send(owner.address("csv-style"), {"style": "semicolon", "back": back})
    assert answer.headers["Location"] == back
    assert "CSV with semicolons and decimal commas" in await owner.text("subscriptions")
    assert ";1234,50;" in (await read(owner))[1]


async def test_files_to_open_have_words_and_files_for_programs_have_names(
    sold: None, owner: Person
) -> None:
    await use_locale(owner, "de_DE")
    assert "Postleitzahl" in (await read(owner))[0]
    await owner.send(owner.address("csv-style"), {"style": "comma", "back": ""})
    names = (await read(owner))[0]
    assert ",postcode," in names
    assert ",is_gift," in names
    await use_locale(owner, "en_GB")
    assert (await read(owner))[0] == names
    await owner.send(owner.address("csv-style"), {"style": "semicolon", "back": ""})
    assert ";Postcode;" in (await read(owner))[0]


@for_each("back", ["https://evil.test/", "//evil.test/desk/", "/sign-out/", ""])
async def test_a_choice_leads_only_to_pages_of_the_account(owner: Person, back: str) -> None:
    answer = await owner.send(owner.address("csv-style"), {"style": "comma", "back": back})
    assert answer.headers["Location"] == owner.address()


async def test_an_unknown_style_is_refused(owner: Person) -> None:
    answer = await owner.send(owner.address("csv-style"), {"style": "tab", "back": ""})
    assert answer.status_code == 400
    assert "expected one of semicolon, comma" in answer.text


async def test_the_tables_of_money_are_workbooks_too(sold: None, owner: Person) -> None:
    for parts in (("money",), ("ending", "retention"), ("forecast",), ("claims",), ("ending",)):
        answer = await owner.see(*parts, "xlsx")
        assert answer.status_code == 200, parts
        assert answer.content[:2] == b"PK"


def test_no_page_has_a_csv_file_without_a_workbook() -> None:
    for file in (Path(masthead.web.__path__[0]) / "templates").rglob("*.html"):
        text = file.read_text()
        # what is stored with a hash is one file, and what is refused is imported again
        if file.name not in {"statement.html", "macros.html", "result.html"}:
            assert text.count("(CSV)") <= text.count("(Excel)"), file.name
