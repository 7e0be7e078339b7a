"""The settings of export profiles in words."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from masthead.model.dispatch.profiles import FileFormat, ProfileSettings
from masthead.model.translations import gettext as _, gettext_noop

CONTENTS = {
    FileFormat.CSV: gettext_noop("CSV"),
    FileFormat.XLSX: gettext_noop("XLSX"),
    FileFormat.PDF: gettext_noop("PDF labels"),
}


def settings_in_words(stored: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Each setting of a profile: its name and its value. stored: as the audit trail has it."""
    it = msgspec.convert(stored, ProfileSettings)
    yield _("Files that can be made with it"), ", ".join(each.upper() for each in it.formats)
    yield _("Files in a ZIP"), _(CONTENTS[it.contents])
    yield _("Columns"), ", ".join(each.header for each in it.columns)
    joins = _("Several copies for one address as one line or label")
    yield joins, _("yes") if it.joins_copies else _("no")
    yield _("Include digital copies"), _("yes") if it.includes_digital else _("no")
    yield _("Encoding of CSV files"), it.encoding.words
    yield _("Separator of CSV files"), it.separator.words
    yield _("A text that a spreadsheet would run as a formula"), it.formulas.words
    if it.block:
        space = _("{lines} lines × {width} characters")
        yield _("Address lines"), space.format(lines=it.block.lines, width=it.block.width)
        yield _("An address that is too long"), it.block.shortening.words
    own = _("{columns} × {rows} labels on {paper}")
    yield (
        _("Labels"),
        own.format(columns=it.own_sheet.columns, rows=it.own_sheet.rows, paper=it.own_sheet.paper)
        if it.own_sheet
        else it.sheet,
    )
    yield _("First label to print on"), str(it.start_label)
    yield _("Size of the text in points"), f"{it.font_size:g}"
