"""QR codes of the page for subscribers, on labels and letters."""

import re
from itertools import groupby

import segno
from msgspec import structs

from masthead.model.dispatch.address_layout import build_layout
from masthead.model.dispatch.built_in_profiles import BUILT_IN
from masthead.model.dispatch.copy_keys import key_of
from masthead.model.dispatch.files import FileTotals
from masthead.model.dispatch.profiles import FileFormat
from masthead.services.dispatch.writers.contents import FileContents
from masthead.services.dispatch.writers.formats import open_writer
from tests.services.dispatch.test_golden_files import (
    ACCOUNT,
    SUBSCRIBERS,
    make_line,
    make_run,
    uncompressed,
)

URL = "https://masthead.acme.test/my/acme/"


def bars_of(code_url: str, subscriber: tuple[str | None, ...], profile: str) -> int:
    """How many rectangles the label of a subscriber has."""
    contents = FileContents(
        account_id=ACCOUNT,
        dispatch=structs.replace(make_run(), layout=build_layout({"DE", "FR", "US", "GB"}, "DE")),
        format=FileFormat.PDF,
        profile_name=BUILT_IN[profile].name,
        settings=BUILT_IN[profile].settings,
        code_url=code_url,
    )
    writer = open_writer(contents, FileTotals())
    try:
        writer.write([make_line(0, subscriber)])
        content = uncompressed(FileFormat.PDF, b"".join(writer.finish()))
        return len(re.findall(rb" re f\b", content))
    finally:
        writer.close()


FAR = ("Ada", "Lovelace", None, "1 Long Acre", None, "London", None, "E1W 1AA", "GB")


def test_only_a_line_beside_the_code_takes_its_room() -> None:
    """The country below the code may be long; a street beside it may not."""
    profile = "labels-l7160"
    street = (*FAR[:3], "1 The Old and Very Long Herring Street", *FAR[4:])
    assert [bars_of(URL, each, profile) > 0 for each in (FAR, street)] == [True, False]


def test_a_label_has_the_code_of_its_copy() -> None:
    profile = next(name for name, it in BUILT_IN.items() if FileFormat.PDF in it.settings.formats)
    found = [bars_of(URL, each, profile) for each in SUBSCRIBERS]
    key = key_of(ACCOUNT, make_line(0, SUBSCRIBERS[0]).id)
    rows = segno.make(f"{URL}?key={key}", error="l", micro=False).matrix
    bars = sum(1 for row in rows for dark, _cells in groupby(map(bool, row)) if dark)
    assert bars in found
    assert set(found) <= {0, bars}  # a long address leaves no room for it
    assert {bars_of("", each, profile) for each in SUBSCRIBERS} == {0}
