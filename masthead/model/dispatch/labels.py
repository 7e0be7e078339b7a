"""Sheets of labels: the sizes of well-known sheets, and sheets of own sizes."""

from enum import StrEnum

from msgspec import Struct

from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _
from masthead.model.types.messages import closest

MM = 72 / 25.4  # points per millimetre
INCH = 25.4  # millimetres


class Paper(StrEnum):
    """The paper of a sheet."""

    A4 = "A4"
    LETTER = "Letter"


# Width and height in millimetres
PAPER_SIZES = {Paper.A4: (210.0, 297.0), Paper.LETTER: (8.5 * INCH, 11 * INCH)}


class Sheet(Struct, frozen=True, kw_only=True):
    """A sheet of labels. All sizes are in millimetres.

    left, top: the margins of the sheet, up to the first label. across, down: from the edge of a
    label to the same edge of the next one.
    """

    code: str
    paper: Paper
    columns: int
    rows: int
    width: float
    height: float
    left: float
    top: float
    across: float
    down: float


# By the manufacturer's templates for these products
L7160 = Sheet(
    code="L7160",
    paper=Paper.A4,
    columns=3,
    rows=7,
    width=63.5,
    height=38.1,
    left=7.21,
    top=15.15,
    across=66.04,
    down=38.1,
)
L7163 = Sheet(
    code="L7163",
    paper=Paper.A4,
    columns=2,
    rows=7,
    width=99.1,
    height=38.1,
    left=4.65,
    top=15.15,
    across=101.6,
    down=38.1,
)
US5160 = Sheet(
    code="5160",
    paper=Paper.LETTER,
    columns=3,
    rows=10,
    width=2.625 * INCH,
    height=1.0 * INCH,
    left=0.1875 * INCH,
    top=0.5 * INCH,
    across=2.75 * INCH,
    down=1.0 * INCH,
)
US5163 = Sheet(
    code="5163",
    paper=Paper.LETTER,
    columns=2,
    rows=5,
    width=4.0 * INCH,
    height=2.0 * INCH,
    left=0.15625 * INCH,
    top=0.5 * INCH,
    across=4.1875 * INCH,
    down=2.0 * INCH,
)
SHEETS = {sheet.code: sheet for sheet in (L7160, L7163, US5160, US5163)}


class OwnSheet(Struct, frozen=True, kw_only=True):
    """A sheet of an own size, in millimetres. gaps: between two labels."""

    paper: Paper
    columns: int
    rows: int
    width: float
    height: float
    left: float
    top: float
    column_gap: float = 0.0
    row_gap: float = 0.0

    def check(self) -> Sheet:
        """The sheet, if its labels are on the paper and large enough. Raises: Invalid."""
        for field, low, high in (
            ("columns", 1, 10),
            ("rows", 1, 30),
            ("width", 25, 300),
            ("height", 12, 300),
            ("left", 0, 100),
            ("top", 0, 100),
            ("column_gap", 0, 100),
            ("row_gap", 0, 100),
        ):
            require_range(field, getattr(self, field), low, high)
        sheet = Sheet(
            code="",
            paper=self.paper,
            columns=self.columns,
            rows=self.rows,
            width=self.width,
            height=self.height,
            left=self.left,
            top=self.top,
            across=self.width + self.column_gap,
            down=self.height + self.row_gap,
        )
        paper_width, paper_height = PAPER_SIZES[self.paper]
        _require_fit(
            "width", sheet.left + sheet.across * (sheet.columns - 1) + sheet.width, paper_width
        )
        _require_fit(
            "height", sheet.top + sheet.down * (sheet.rows - 1) + sheet.height, paper_height
        )
        return sheet


def _require_fit(field: str, needed: float, available: float) -> None:
    if needed > available + 0.05:  # rounding
        text = _(
            "The labels need {needed} mm of height, but the paper has {available} mm. Make the "
            "labels, the gaps or the margin smaller, or take fewer labels."
        )
        if field == "width":
            text = _(
                "The labels need {needed} mm of width, but the paper has {available} mm. Make the "
                "labels, the gaps or the margin smaller, or take fewer labels."
            )
        raise Invalid(
            text.format(needed=f"{needed:.1f}", available=f"{available:.1f}"), field=field
        )


def find_sheet(code: str) -> Sheet:
    """The known sheet with a code. Raises: Invalid."""
    sheet = SHEETS.get(code)
    if sheet is None:
        raise Invalid(
            f"`sheet` is `{code}`, which is unknown.{closest(code, SHEETS)}", field="sheet"
        )
    return sheet


def require_range(field: str, number: float, low: int, high: int) -> None:
    """Raises: Invalid if a number is out of its range."""
    if not low <= number <= high:
        raise Invalid(
            _("`{field}` is {number}; expected a number from {low} to {high}.").format(
                field=field, number=f"{number:g}", low=low, high=high
            ),
            field=field,
            value=number,
        )
