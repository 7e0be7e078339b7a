"""The form of an export profile, and how it becomes settings."""

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct
from starlette.datastructures import FormData
from wtforms import BooleanField, SelectField, StringField
from wtforms.validators import InputRequired
from wtforms.widgets import NumberInput

from masthead.model.dispatch.fitting import AddressSpace, Shortening
from masthead.model.dispatch.labels import SHEETS, OwnSheet, Paper, Sheet
from masthead.model.dispatch.profile_words import CONTENTS
from masthead.model.dispatch.profiles import (
    Encoding,
    ExportProfile,
    FileColumn,
    FileField,
    FileFormat,
    FormulaRule,
    ProfileSettings,
    Separator,
    check_settings,
)
from masthead.model.errors import Invalid, excerpt
from masthead.model.translations import gettext as _, gettext_noop
from masthead.web.kit.forms import BaseForm, choices_of, labels_of, name_field, trimmed

OWN = "own"
SHEET_FIELDS = ("columns", "rows", "width", "height", "left", "top", "column_gap", "row_gap")


class ColumnRow(Struct, frozen=True):
    """A row of the table of columns."""

    field: FileField
    label: str
    header: str
    is_used: bool


def _number(label: str, step: str = "1", *, is_required: bool = False) -> StringField:
    validators = [InputRequired("Type a number.")] if is_required else []
    return StringField(label, validators, [trimmed], widget=NumberInput(step=step, min=0))


def _select(label: str, choices: Iterable[tuple[str, str]]) -> SelectField:
    return SelectField(label, [InputRequired()], choices=choices_of(choices))


class ProfileForm(BaseForm):
    """All settings but the columns. Without lines and width there is no space for address lines."""

    name = name_field("Give the profile a name.")
    csv = BooleanField("CSV")
    xlsx = BooleanField("XLSX (Excel)")
    pdf = BooleanField("PDF labels")
    zip = BooleanField("ZIP: one file each for home, Europe and the rest of the world")
    contents = _select(gettext_noop("Files in a ZIP"), CONTENTS.items())
    includes_digital = BooleanField("Include digital copies")
    joins_copies = BooleanField("Several copies for one address as one line or label")
    encoding = _select(gettext_noop("Encoding of CSV files"), labels_of(Encoding))
    separator = _select(gettext_noop("Separator of CSV files"), labels_of(Separator))
    formulas = _select(
        gettext_noop("A text that a spreadsheet would run as a formula"), labels_of(FormulaRule)
    )
    lines = _number(gettext_noop("Number of lines"))
    width = _number(gettext_noop("Characters in a line"))
    shortening = _select(gettext_noop("An address that is too long"), labels_of(Shortening))
    sheet = _select(
        gettext_noop("Sheet"), [*((code, code) for code in SHEETS), (OWN, gettext_noop("Own size"))]
    )
    start_label = _number(gettext_noop("First label to print on"), is_required=True)
    font_size = _number(gettext_noop("Size of the text in points"), "0.5", is_required=True)
    paper = _select(gettext_noop("Paper"), [(each, each) for each in Paper])
    sheet_columns = _number(gettext_noop("Labels across"))
    sheet_rows = _number(gettext_noop("Labels down"))
    sheet_width = _number(gettext_noop("Width of a label in mm"), "any")
    sheet_height = _number(gettext_noop("Height of a label in mm"), "any")
    sheet_left = _number(gettext_noop("Left margin of the sheet in mm"), "any")
    sheet_top = _number(gettext_noop("Top margin of the sheet in mm"), "any")
    sheet_column_gap = _number(gettext_noop("Gap between columns in mm"), "any")
    sheet_row_gap = _number(gettext_noop("Gap between rows in mm"), "any")


def form_values(profile: ExportProfile) -> dict[str, Any]:
    """The values of the form for a profile."""
    settings = profile.settings
    block, own = settings.block, settings.own_sheet
    sheet = own or _own_sheet(SHEETS[settings.sheet])
    return {
        "name": profile.name,
        **{format.value: format in settings.formats for format in FileFormat},
        "contents": settings.contents.value,
        "includes_digital": settings.includes_digital,
        "joins_copies": settings.joins_copies,
        "encoding": settings.encoding.value,
        "separator": settings.separator.value,
        "formulas": settings.formulas.value,
        "lines": str(block.lines) if block else "",
        "width": str(block.width) if block else "",
        "shortening": (block.shortening if block else Shortening.ARRANGE).value,
        "sheet": OWN if own else settings.sheet,
        "start_label": str(settings.start_label),
        "font_size": f"{settings.font_size:g}",
        "paper": sheet.paper.value,
        **{f"sheet_{name}": f"{getattr(sheet, name):g}" for name in SHEET_FIELDS},
    }


def _own_sheet(sheet: Sheet) -> OwnSheet:
    """A known sheet as a sheet of an own size, to start from."""
    return OwnSheet(
        paper=sheet.paper,
        columns=sheet.columns,
        rows=sheet.rows,
        width=round(sheet.width, 2),
        height=round(sheet.height, 2),
        left=round(sheet.left, 2),
        top=round(sheet.top, 2),
        column_gap=round(sheet.across - sheet.width, 2),
        row_gap=round(sheet.down - sheet.height, 2),
    )


def rows_of_settings(settings: ProfileSettings) -> list[ColumnRow]:
    """The table of columns: those of the file in their order, then all others."""
    used = {column.field: column for column in settings.columns}
    rows = [
        ColumnRow(column.field, column.field.words, column.header, True) for column in used.values()
    ]
    return rows + [
        ColumnRow(field, field.words, _default_header(field), False)
        for field in FileField
        if field not in used
    ]


def read_rows(fields: FormData) -> list[ColumnRow]:
    """The table of columns, as it was sent; a button may have moved a row."""
    given = [str(value) for value in fields.getlist("column")]
    order = [FileField(value) for value in dict.fromkeys(given) if value in set(FileField)]
    order += [field for field in FileField if field not in order]
    verb, _colon, moved = str(fields.get("do", "")).partition(":")
    if verb in ("up", "down") and moved in order:
        place = order.index(FileField(moved))
        other = max(place - 1, 0) if verb == "up" else min(place + 1, len(order) - 1)
        order[place], order[other] = order[other], order[place]
    used = {str(value) for value in fields.getlist("used")}
    return [
        ColumnRow(
            field,
            field.words,
            str(fields.get(f"header-{field}", "")).strip() or _default_header(field),
            field in used,
        )
        for field in order
    ]


def read_settings(form: ProfileForm, rows: Sequence[ColumnRow]) -> ProfileSettings:
    """The settings in the form. Raises: Invalid."""
    own = form.sheet.data == OWN
    settings = ProfileSettings(
        formats=tuple(format for format in FileFormat if form.data[format.value]),
        columns=tuple(FileColumn(row.field, row.header) for row in rows if row.is_used),
        separator=Separator(form.separator.data),
        encoding=Encoding(form.encoding.data),
        formulas=FormulaRule(form.formulas.data),
        block=_read_block(form),
        contents=FileFormat(form.contents.data),
        includes_digital=bool(form.includes_digital.data),
        joins_copies=bool(form.joins_copies.data),
        sheet=ProfileSettings(formats=()).sheet if own else str(form.sheet.data),
        own_sheet=_read_sheet(form) if own else None,
        start_label=_whole(form, "start_label"),
        font_size=_decimal(form, "font_size"),
    )
    return check_settings(settings)


def _read_block(form: ProfileForm) -> AddressSpace | None:
    if not form.lines.data and not form.width.data:
        return None
    return AddressSpace(
        lines=_whole(form, "lines"),
        width=_whole(form, "width"),
        shortening=Shortening(form.shortening.data),
    )


def _read_sheet(form: ProfileForm) -> OwnSheet:
    """The sheet of an own size. Raises: Invalid, with the name of the field of the form."""
    sheet = OwnSheet(
        paper=Paper(form.paper.data),
        columns=_whole(form, "sheet_columns"),
        rows=_whole(form, "sheet_rows"),
        width=_decimal(form, "sheet_width"),
        height=_decimal(form, "sheet_height"),
        left=_decimal(form, "sheet_left"),
        top=_decimal(form, "sheet_top"),
        column_gap=_decimal(form, "sheet_column_gap"),
        row_gap=_decimal(form, "sheet_row_gap"),
    )
    try:
        sheet.check()
    except Invalid as reason:
        text = str(reason).replace(f"`{reason.field}`", f"`sheet_{reason.field}`")
        raise Invalid(text, field=f"sheet_{reason.field}") from None
    return sheet


def _decimal(form: ProfileForm, name: str) -> float:
    text = str(form.data[name] or "").replace(",", ".")
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if number != number or number in (float("inf"), float("-inf")):
        message = _("`{field}` is “{text}”. Type a number, such as {example}.")
        raise Invalid(message.format(field=name, text=excerpt(text), example="12.5"), field=name)
    return number


def _whole(form: ProfileForm, name: str) -> int:
    number = _decimal(form, name)
    if number != int(number):
        message = _("`{field}` is {number}. Type a whole number.")
        raise Invalid(message.format(field=name, number=f"{number:g}"), field=name)
    return int(number)


def _default_header(field: FileField) -> str:
    return "line" if field is FileField.ADDRESS_LINES else field.value
