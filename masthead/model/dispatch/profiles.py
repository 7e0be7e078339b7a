"""Export profiles: the columns, encoding and layout of the files of a dispatch run."""

from collections import Counter
from enum import StrEnum

from msgspec import Struct, structs

from masthead.model.dispatch.fitting import AddressSpace
from masthead.model.dispatch.labels import L7160, OwnSheet, Sheet, find_sheet, require_range
from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _, gettext_noop
from masthead.model.types.enums import LabelledEnum
from masthead.model.types.fields import required_text
from masthead.model.types.text import short_text

MAX_COLUMNS = 60
MAX_BLOCK_LINES = 12
MAX_BLOCK_WIDTH = 200
MIN_BLOCK_WIDTH = 10


class FileFormat(StrEnum):
    """The formats of files. ZIP: one file for each country group."""

    CSV = "csv"
    XLSX = "xlsx"
    PDF = "pdf"
    ZIP = "zip"


class Separator(LabelledEnum):
    """The character between two cells of a CSV file."""

    SEMICOLON = ";", gettext_noop("Semicolon")
    COMMA = ",", gettext_noop("Comma")


class Encoding(LabelledEnum):
    """The encoding of a CSV file. UTF-8 files begin with a byte order mark."""

    UTF_8 = "utf-8", gettext_noop("UTF-8 (all characters)")
    WINDOWS_1252 = "windows-1252", gettext_noop("Windows-1252")


class FormulaRule(LabelledEnum):
    """What a CSV file does with a text that a spreadsheet would run as a formula.

    space: puts a no-break space in front, which prints as a blank. apostrophe: puts `'` in front,
    for people who open the file in a spreadsheet. keep: nothing, for programs.
    """

    SPACE = "space", gettext_noop("Put a blank in front (safe, and prints well)")
    APOSTROPHE = (
        "apostrophe",
        gettext_noop("Put an apostrophe in front (for spreadsheets only, never for labels)"),
    )
    KEEP = "keep", gettext_noop("Leave it as it is (for programs only)")


class FileField(LabelledEnum):
    """What a column of a file contains; `docs/sending-an-issue.md` explains each."""

    SEQUENCE = "sequence", gettext_noop("Sequence number")
    KEY = "key", gettext_noop("Key")
    SUBSCRIBER_ID = "subscriber_id", gettext_noop("Customer number")
    SUBSCRIPTION_ID = "subscription_id", gettext_noop("Subscription")
    COPY_ID = "copy_id", gettext_noop("Copy")
    ISSUE = "issue", gettext_noop("Issue number")
    SALUTATION = "salutation", gettext_noop("Salutation")
    TITLE = "title", gettext_noop("Title")
    NAME = "name", gettext_noop("Name")
    FIRST_NAME = "first_name", gettext_noop("First name")
    LAST_NAME = "last_name", gettext_noop("Last name")
    COMPANY = "company", gettext_noop("Company")
    EXTRA_LINES = "extra_lines", gettext_noop("Extra address line")
    STREET = "street", gettext_noop("Street")
    PO_BOX = "po_box", gettext_noop("PO box")
    ADDRESS1 = "address1", gettext_noop("Address line 1, as entered")
    ADDRESS2 = "address2", gettext_noop("Address line 2, as entered")
    POSTCODE = "postcode", gettext_noop("Postcode")
    POSTCODE_TEXT = "postcode_text", gettext_noop("Postcode as text")
    CITY = "city", gettext_noop("Town")
    STATE = "state", gettext_noop("State")
    COUNTRY = "country", gettext_noop("Country code")
    COUNTRY_NAME = "country_name", gettext_noop("Country in words")
    COUNTRY_GROUP = "country_group", gettext_noop("Country group")
    MEDIUM = "medium", gettext_noop("Medium")
    COPIES = "copies", gettext_noop("Copies")
    KIND = "kind", gettext_noop("Copy or replacement")
    ADDRESS_LINES = "address_lines", gettext_noop("Address lines")


class FileColumn(Struct, frozen=True):
    """A column. header: its name in the file; for address lines, a number is added to it."""

    field: FileField
    header: str


class ProfileSettings(Struct, frozen=True, kw_only=True):
    """How a file looks. Stored as JSON, so a new field needs a default that changes no file.

    formats: for which the profile can be chosen. contents: the format of the files in a ZIP.
    block: the space for the address lines; for a PDF file, the label is the space.
    sheet: the code of a known sheet of labels. own_sheet: is used instead of it, if there is one.
    joins_copies: whether several copies for one address are one line or label, with their number.
    start_label: the first label of the first sheet, from 1. font_size: in points.
    """

    formats: tuple[FileFormat, ...]
    columns: tuple[FileColumn, ...] = ()
    separator: Separator = Separator.SEMICOLON
    encoding: Encoding = Encoding.UTF_8
    formulas: FormulaRule = FormulaRule.SPACE
    block: AddressSpace | None = None
    contents: FileFormat = FileFormat.CSV
    includes_digital: bool = False
    joins_copies: bool = False
    sheet: str = L7160.code
    own_sheet: OwnSheet | None = None
    start_label: int = 1
    font_size: float = 10.0


class ExportProfile(Struct, frozen=True, kw_only=True):
    """A named set of settings. Built-in profiles cannot be changed."""

    id: str
    name: str
    settings: ProfileSettings
    is_active: bool
    is_built_in: bool = False


def check_settings(settings: ProfileSettings) -> ProfileSettings:
    """The settings, if files can be written by them. Raises: Invalid."""
    if not settings.formats:
        raise Invalid(_("Choose at least one format of files."), field="formats")
    if settings.contents is FileFormat.ZIP:
        raise Invalid("`contents` is `zip`; expected `csv`, `xlsx` or `pdf`.", field="contents")
    if needs_columns(settings):
        _check_columns(settings)
    if settings.block is not None:
        _check_block(settings.block)
    _check_labels(settings)
    return settings


def needs_columns(settings: ProfileSettings) -> bool:
    """Whether a file of the profile can be a table."""
    return bool(_formats(settings) & {FileFormat.CSV, FileFormat.XLSX})


def prints_labels(settings: ProfileSettings) -> bool:
    """Whether a file of the profile can be sheets of labels."""
    return FileFormat.PDF in _formats(settings)


def _formats(settings: ProfileSettings) -> set[FileFormat]:
    inside = {settings.contents} if FileFormat.ZIP in settings.formats else set()
    return {*settings.formats, *inside}


def _check_columns(settings: ProfileSettings) -> None:
    columns = settings.columns
    if not columns:
        raise Invalid(_("Choose at least one column."), field="columns")
    if len(columns) > MAX_COLUMNS:
        raise Invalid(
            _("The file has {count} columns; at most {most} are allowed.").format(
                count=len(columns), most=MAX_COLUMNS
            ),
            field="columns",
        )
    for column in columns:
        required_text("header", column.header)
        short_text("header", column.header, 60)
        _check_header(column.header, settings.encoding)
    [(header, count)] = Counter(column.header for column in columns).most_common(1)
    if count > 1:
        raise Invalid(
            _("{count} columns have the name `{header}`. Give each column another name.").format(
                count=count, header=header
            ),
            field="columns",
        )
    lines = [column for column in columns if column.field is FileField.ADDRESS_LINES]
    if lines and settings.block is None:
        raise Invalid(
            _(
                "The columns have the address lines, so say how many lines of how many characters "
                "there are."
            ),
            field="block",
        )
    if len(lines) > 1:
        raise Invalid(
            _("The columns have the address lines twice; once is enough, for all of them."),
            field="columns",
        )


def _check_header(header: str, encoding: Encoding) -> None:
    if any(ord(character) < 32 for character in header):
        raise Invalid(
            _("The name of a column contains a line break or a tab; remove it."), field="columns"
        )
    if encoding is Encoding.WINDOWS_1252 and not is_windows_1252(header):
        raise Invalid(
            _(
                "The name `{header}` of a column has characters that Windows-1252 does not have. "
                "Choose other words, or UTF-8."
            ).format(header=header),
            field="columns",
            value=header,
        )


def is_windows_1252(text: str) -> bool:
    """Whether Windows-1252 has all characters of a text."""
    try:
        text.encode("cp1252")
    except UnicodeEncodeError:
        return False
    return True


def _check_block(block: AddressSpace) -> None:
    require_range("lines", block.lines, 2, MAX_BLOCK_LINES)
    require_range("width", block.width, MIN_BLOCK_WIDTH, MAX_BLOCK_WIDTH)


def sheet_of(settings: ProfileSettings) -> Sheet:
    """The sheet of labels. Raises: Invalid if it is unknown or its labels do not fit."""
    return settings.own_sheet.check() if settings.own_sheet else find_sheet(settings.sheet)


def start_at_label(settings: ProfileSettings, number: int) -> ProfileSettings:
    """The settings with another first label, for a sheet that is partly used. Raises: Invalid."""
    sheet = sheet_of(settings)
    require_range("first_label", number, 1, sheet.columns * sheet.rows)
    return structs.replace(settings, start_label=number)


def _check_labels(settings: ProfileSettings) -> None:
    sheet = sheet_of(settings)
    require_range("start_label", settings.start_label, 1, sheet.columns * sheet.rows)
    require_range("font_size", settings.font_size, 6, 24)
