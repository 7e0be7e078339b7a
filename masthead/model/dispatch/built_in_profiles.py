"""The built-in export profiles, and the default profile of each format."""

import re

from masthead.model.dispatch.fitting import AddressSpace, Shortening
from masthead.model.dispatch.labels import SHEETS, find_sheet
from masthead.model.dispatch.profiles import (
    Encoding,
    ExportProfile,
    FileColumn,
    FileField,
    FileFormat,
    FormulaRule,
    ProfileSettings,
)
from masthead.model.translations import gettext as _, gettext_noop

TABLES = (FileFormat.CSV, FileFormat.XLSX, FileFormat.ZIP)
LETTER_COUNTRIES = frozenset("US CA MX PH CL CO CR GT PA VE PR".split())  # use Letter paper


def columns_of(*fields: FileField) -> tuple[FileColumn, ...]:
    """Columns with the names of their fields as headers; address lines are `line1`, `line2`, …"""
    return tuple(
        FileColumn(field, "line" if field is FileField.ADDRESS_LINES else field.value)
        for field in fields
    )


_FIELDS = columns_of(
    FileField.SEQUENCE,
    FileField.KEY,
    FileField.SUBSCRIBER_ID,
    FileField.TITLE,
    FileField.NAME,
    FileField.COMPANY,
    FileField.EXTRA_LINES,
    FileField.STREET,
    FileField.PO_BOX,
    FileField.POSTCODE,
    FileField.CITY,
    FileField.STATE,
    FileField.COUNTRY_NAME,
    FileField.COUNTRY,
    FileField.MEDIUM,
    FileField.COPIES,
    FileField.KIND,
    FileField.COPY_ID,
)
_SPREADSHEET = columns_of(
    FileField.SEQUENCE,
    FileField.KEY,
    FileField.SUBSCRIBER_ID,
    FileField.SUBSCRIPTION_ID,
    FileField.COPY_ID,
    FileField.KIND,
    FileField.MEDIUM,
    FileField.COPIES,
    FileField.FIRST_NAME,
    FileField.LAST_NAME,
    FileField.COMPANY,
    FileField.ADDRESS1,
    FileField.ADDRESS2,
    FileField.POSTCODE_TEXT,
    FileField.CITY,
    FileField.STATE,
    FileField.COUNTRY,
    FileField.COUNTRY_NAME,
    FileField.COUNTRY_GROUP,
)
_LINES = columns_of(
    FileField.SEQUENCE,
    FileField.KEY,
    FileField.ADDRESS_LINES,
    FileField.COUNTRY,
    FileField.COPIES,
    FileField.COPY_ID,
)


def _built_in(id: str, name: str, settings: ProfileSettings) -> ExportProfile:
    return ExportProfile(id=id, name=name, settings=settings, is_active=True, is_built_in=True)


def _lines(lines: int, width: int, shortening: Shortening) -> ExportProfile:
    block = AddressSpace(lines=lines, width=width, shortening=shortening)
    return _built_in(
        f"lines-{lines}x{width}",
        f"{lines} lines × {width} characters",
        ProfileSettings(formats=TABLES, columns=_LINES, block=block, joins_copies=True),
    )


def _labels(code: str) -> ExportProfile:
    sheet = SHEETS[code]
    return _built_in(
        f"labels-{code.lower()}",
        f"Labels {code} ({sheet.columns} × {sheet.rows}, {sheet.paper})",
        ProfileSettings(
            formats=(FileFormat.PDF, FileFormat.ZIP),
            contents=FileFormat.PDF,
            joins_copies=True,
            sheet=code,
        ),
    )


BUILT_IN = {
    profile.id: profile
    for profile in (
        _built_in(
            "mailing-house",
            gettext_noop("Mailing house (CSV)"),
            ProfileSettings(formats=TABLES, columns=_FIELDS, joins_copies=True),
        ),
        _built_in(
            "mailing-house-windows",
            gettext_noop("Mailing house (Windows-1252)"),
            ProfileSettings(
                formats=TABLES, columns=_FIELDS, encoding=Encoding.WINDOWS_1252, joins_copies=True
            ),
        ),
        _built_in(
            "spreadsheet",
            gettext_noop("Spreadsheet (Excel)"),
            ProfileSettings(
                formats=TABLES,
                columns=_SPREADSHEET,
                formulas=FormulaRule.APOSTROPHE,
                contents=FileFormat.XLSX,
            ),
        ),
        _lines(7, 35, Shortening.ABBREVIATE),
        _lines(8, 50, Shortening.ABBREVIATE),
        _lines(4, 30, Shortening.CUT),
        *(_labels(code) for code in SHEETS),
    )
}


_LINES_ID = re.compile(r"lines-(?P<lines>\d+)x(?P<width>\d+)")
_IDS = {profile.name: id for id, profile in BUILT_IN.items()}


def profile_name(name: str) -> str:
    """The name of a profile in the language of the page; own profiles keep theirs."""
    id = _IDS.get(name, "")
    if found := _LINES_ID.fullmatch(id):
        return _("{lines} lines × {width} characters").format(**found.groupdict())
    if id.startswith("labels-"):
        sheet = find_sheet(BUILT_IN[id].settings.sheet)
        return _("Labels {code} ({columns} × {rows}, {paper})").format(
            code=sheet.code, columns=sheet.columns, rows=sheet.rows, paper=sheet.paper
        )
    return _(name) if id else name


def default_profile(format: FileFormat, home: str | None) -> ExportProfile:
    """The profile of a file for which none is chosen. home: the publisher's country."""
    match format:
        case FileFormat.XLSX:
            return BUILT_IN["spreadsheet"]
        case FileFormat.PDF:
            return BUILT_IN["labels-5160" if home in LETTER_COUNTRIES else "labels-l7160"]
        case _:
            return BUILT_IN["mailing-house"]
