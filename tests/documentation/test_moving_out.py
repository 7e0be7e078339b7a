"""docs/moving-out.md describes exactly the files that an export has."""

import re
from pathlib import Path

from masthead.model.exports.contents import EXPORT_FILES, LEFT_OUT
from masthead.services.exports.import_file import ORDER_COLUMNS
from tests.support.cases import for_each

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "moving-out.md").read_text()
SECTIONS = dict(re.findall(r"^### (\w+)\.csv\n\n(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL))
FILES = {exported.name: exported.columns for exported in EXPORT_FILES} | {"orders": ORDER_COLUMNS}


def in_words(text: str) -> str:
    return " ".join(text.split())


@for_each("name", FILES)
def test_a_file_is_described_with_its_columns_in_order(name: str) -> None:
    _about, columns = SECTIONS[name].strip().split("\n\n")
    assert re.findall(r"`(\w+)`", columns) == list(FILES[name])


def test_each_file_says_what_a_row_is() -> None:
    assert SECTIONS.keys() == FILES.keys()
    for exported in EXPORT_FILES:
        assert in_words(exported.about) in in_words(SECTIONS[exported.name])


def test_what_is_left_out_is_named_with_its_reason() -> None:
    text = in_words(PAGE)
    for table, reason in LEFT_OUT.items():
        assert re.search(rf"^\|.*`{table}`.*\| {re.escape(reason)} \|$", PAGE, re.MULTILINE)
    for exported in EXPORT_FILES:
        for column, reason in exported.left_out.items():
            assert f"| `{exported.table}.{column}` | {reason} |" in text
        if exported.stays:
            assert f"`{exported.name}.csv`: {exported.stays}." in text


def test_the_pictures_are_shown_and_small() -> None:
    pages = {"export": PAGE, "privacy": (DOCS / "privacy.md").read_text()}
    pictures = [
        (picture, page)
        for name, page in pages.items()
        for picture in DOCS.glob(f"pictures/{name}-*.png")
    ]
    assert len(pictures) == 5
    for picture, page in pictures:
        assert f"(pictures/{picture.name})" in page
        assert picture.stat().st_size < 100_000
