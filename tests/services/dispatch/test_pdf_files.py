"""Labels: their places on the sheet, their texts and their fonts, read back from the PDF."""

import io
from inspect import signature
from typing import Any

import pytest
from msgspec.structs import replace
from pypdf import PdfReader

from masthead.model.dispatch.built_in_profiles import BUILT_IN
from masthead.model.dispatch.labels import MM, SHEETS, OwnSheet, Paper, Sheet
from masthead.model.dispatch.profiles import FileFormat, ProfileSettings
from masthead.model.errors import Invalid
from masthead.services.dispatch import profiles
from masthead.services.dispatch.writers.label_layout import PADDING, page_size, wrap
from tests.conftest import BY, Cast
from tests.support.dispatch_files import build, freeze_run

PDF = FileFormat.PDF
LABELS = BUILT_IN["labels-l7160"].settings
ADA = {
    "first_name": "Ada",
    "last_name": "Ng",
    "address1": "Am Markt 3",
    "city": "Berlin",
    "postcode": "10115",
}


async def own(cast: Cast, settings: ProfileSettings) -> str:
    """The id of a new profile."""
    made = await profiles.create_profile(
        cast.db, cast.account_id, name="Own", settings=settings, by=BY
    )
    return made.id


def read(content: bytes) -> PdfReader:
    return PdfReader(io.BytesIO(content))


def texts_of(content: bytes, page: int = 0) -> list[tuple[str, float, float, float]]:
    """The texts of a page: text, x and y in points from the upper left corner, and font size."""
    found: list[tuple[str, float, float, float]] = []
    sheet = read(content).pages[page]
    height = float(sheet.mediabox.height)

    def note(text: str, _cm: Any, tm: Any, _font: Any, size: float) -> None:
        if text.strip():
            found.append((text.strip(), tm[4], height - tm[5], size))

    extract: Any = sheet.extract_text
    (callback,) = (name for name in signature(extract).parameters if "r_text" in name)
    extract(**{callback: note})  # called for each text, with its place
    return found


def place_of(sheet: Sheet, x: float, y: float) -> int:
    """The number of the label, from 1, that has a point of the page."""
    for number in range(sheet.columns * sheet.rows):
        row, column = divmod(number, sheet.columns)
        left, top = sheet.left + column * sheet.across, sheet.top + row * sheet.down
        if left < x / MM < left + sheet.width and top < y / MM < top + sheet.height:
            return number + 1
    raise AssertionError(f"{x}, {y} is on no label")


@pytest.mark.parametrize("code", SHEETS)
async def test_each_address_is_on_its_label(acme: Cast, code: str) -> None:
    sheet = SHEETS[code]
    labels = sheet.columns * sheet.rows
    subscribers = [{**ADA, "last_name": f"N{number:02}"} for number in range(1, labels + 2)]
    run = await freeze_run(acme, *subscribers)
    file, content = await build(acme, run, PDF, f"labels-{code.lower()}")
    document = read(content)
    assert len(document.pages) == 2
    box = document.pages[0].mediabox
    assert (float(box.width), float(box.height)) == pytest.approx(page_size(sheet), abs=0.1)
    assert file.lines == labels + 1
    places: dict[int, list[str]] = {}
    for text, x, y, _ in texts_of(content):
        places.setdefault(place_of(sheet, x, y), []).append(text)
    assert places.keys() == set(range(1, labels + 1))
    for number, texts in places.items():
        assert texts[0] == f"Ada N{number:02}"
        assert "Am Markt 3" in texts
        assert texts[-1].startswith("#")
    last = texts_of(content, 1)
    assert last[0][0] == f"Ada N{labels + 1:02}"


@pytest.mark.parametrize(
    "code, rows, columns, size",
    [
        ("L7160", 7, 3, (63.5, 38.1)),
        ("L7163", 7, 2, (99.1, 38.1)),
        ("5160", 10, 3, (66.7, 25.4)),
        ("5163", 5, 2, (101.6, 50.8)),
    ],
)
def test_the_sheets_have_the_sizes_of_the_products(
    code: str, rows: int, columns: int, size: tuple[float, float]
) -> None:
    sheet = SHEETS[code]
    assert (sheet.rows, sheet.columns) == (rows, columns)
    assert (sheet.width, sheet.height) == pytest.approx(size, abs=0.05)
    width, height = (points / MM for points in page_size(sheet))
    right = width - sheet.left - sheet.across * (columns - 1) - sheet.width
    bottom = height - sheet.top - sheet.down * (rows - 1) - sheet.height
    assert right == pytest.approx(sheet.left, abs=0.1)
    assert bottom == pytest.approx(sheet.top, abs=0.1)


async def test_labels_start_at_the_chosen_label_of_the_first_sheet(acme: Cast) -> None:
    run = await freeze_run(acme, *[ADA] * 2)
    settings = replace(LABELS, start_label=21)
    _, content = await build(acme, run, PDF, await own(acme, settings))
    assert len(read(content).pages) == 2
    sheet = SHEETS["L7160"]
    first, second = texts_of(content, 0)[0], texts_of(content, 1)[0]
    assert place_of(sheet, first[1], first[2]) == 21
    assert place_of(sheet, second[1], second[2]) == 1


async def test_an_own_sheet_is_used(acme: Cast) -> None:
    run = await freeze_run(acme, *[ADA] * 3)
    sheet = OwnSheet(
        paper=Paper.LETTER, columns=2, rows=1, width=90, height=60, left=10, top=20, column_gap=5
    )
    _, content = await build(acme, run, PDF, await own(acme, replace(LABELS, own_sheet=sheet)))
    assert len(read(content).pages) == 2
    _, right = (text for text in texts_of(content) if text[0] == "Ada Ng")
    assert right[1] == pytest.approx(105 * MM + PADDING, abs=0.1)


async def test_the_font_shrinks_and_lines_wrap_before_an_address_is_refused(acme: Cast) -> None:
    middling = "Verein der Bahnhofsfreunde Süd e. V."
    long = "Verein der Freunde und Förderer des alten Bahnhofs von Neustadt an der Weinstraße e. V."
    run = await freeze_run(acme, {**ADA, "company": middling}, {**ADA, "company": long})
    _, content = await build(acme, run, PDF)
    found = texts_of(content)
    (shrunk,) = (text for text in found if text[0] == middling)
    assert 8 <= shrunk[3] < 10
    first = next(place for place, text in enumerate(found) if text[0].startswith("Verein der F"))
    pieces = found[first : first + 3]
    assert " ".join(text[0] for text in pieces).startswith(long)
    assert min(text[3] for text in pieces) >= 6


async def test_an_address_that_does_not_fit_is_named_and_stops_the_file(acme: Cast) -> None:
    run = await freeze_run(
        acme, {**ADA, "postcode": "1"}, {**ADA, "postcode": "2", "address1": "x" * 120}
    )
    with pytest.raises(Invalid, match=r"Line 2 \(Ada Ng\): .* even at 6 points"):
        await build(acme, run, PDF)


async def test_characters_that_no_font_has_stop_the_pdf_alone(acme: Cast) -> None:
    run = await freeze_run(acme, {**ADA, "last_name": "ཀ"}, {**ADA, "last_name": "Ng"})
    with pytest.raises(Invalid, match=r"\(Ada ཀ\): no font of masthead has `ཀ` \(U\+0F40, TIB"):
        await build(acme, run, PDF)
    file, _ = await build(acme, run, FileFormat.CSV)
    assert file.lines == 2


async def test_other_scripts_and_braces_are_drawn(acme: Cast) -> None:
    run = await freeze_run(
        acme,
        {**ADA, "last_name": "שלום", "company": "{nb} हिन्दी", "postcode": "1"},
        {**ADA, "last_name": "Zoe\u0308", "company": "العربية", "postcode": "2"},
    )
    _, content = await build(acme, run, PDF)
    text = read(content).pages[0].extract_text()
    assert "{nb}" in text
    assert "Zoë" in text
    fonts = read(content).pages[0]["/Resources"]["/Font"]  # type: ignore[index]
    names = {font.get_object()["/BaseFont"].partition("+")[2] for font in fonts.values()}
    assert names == {"NotoSans", "NotoSansArabic", "NotoSansDevanagari", "NotoSansHebrew"}


async def test_a_label_has_no_apostrophe_before_a_formula(acme: Cast) -> None:
    run = await freeze_run(acme, {**ADA, "first_name": "=cmd", "company": "+1"})
    _, content = await build(acme, run, PDF)
    texts = [text for text, *_ in texts_of(content)]
    assert "=cmd Ng" in texts
    assert "+1" in texts
    assert not [text for text in texts if "'" in text]


async def test_the_document_carries_its_totals_and_the_fingerprint(acme: Cast) -> None:
    run = await freeze_run(acme, ADA, {**ADA, "country": "FR"}, {**ADA, "medium": "Digital"})
    _, content = await build(acme, run, PDF)
    about = read(content).metadata
    assert about is not None
    assert about.title == "Issue 1, run 1: 2 labels"
    assert "countries: DE 1, FR 1" in str(about.subject)
    assert run.fingerprint in str(about["/Keywords"])
    assert about.creation_date == run.created_at.replace(microsecond=0)


async def test_the_document_asks_viewers_to_print_it_at_its_size_and_on_one_side(
    acme: Cast,
) -> None:
    _file, content = await build(acme, await freeze_run(acme, ADA), PDF, "labels-l7160")
    root: Any = read(content).trailer["/Root"]
    asked = root["/ViewerPreferences"]
    assert (asked["/PrintScaling"], asked["/Duplex"]) == ("/None", "/Simplex")


async def test_a_run_without_labels_gives_an_empty_page(acme: Cast) -> None:
    run = await freeze_run(acme, {"medium": "Digital"})
    file, content = await build(acme, run, PDF)
    assert (file.lines, len(read(content).pages)) == (0, 1)


def test_a_line_is_wrapped_between_words() -> None:
    assert wrap("one two three", 7, len) == ["one two", "three"]
    assert wrap("one", 2, len) == ["one"]
    assert wrap("unbreakable one", 5, len) == ["unbreakable", "one"]
