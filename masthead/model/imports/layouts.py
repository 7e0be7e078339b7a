"""Where the columns of a table are: its separator, its header, its names, and its totals."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import median_high

from msgspec import Struct

from masthead.model.errors import MAX_EXCERPT, Invalid, excerpt
from masthead.model.translations import gettext as _, gettext_noop

SEPARATORS = {  # in the order of preference
    ",": gettext_noop("commas"),
    ";": gettext_noop("semicolons"),
    "\t": gettext_noop("tabs"),
    "|": gettext_noop("vertical bars"),
}
MAX_COLUMNS = 500
SAMPLE_ROWS = 100  # rows at the beginning that decide about separator and header
_HEADER_ROWS = 25  # the header is one of the first rows

_TOTAL = re.compile(
    r"((grand|sub|sum|order)[ -]?)?totals?|sum|count|(gesamt|end|zwischen)?summe|gesamt|insgesamt"
    r"|anzahl|total g[ée]n[ée]ral|totale|totaal",
    re.IGNORECASE,
)
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_NUMBER = re.compile(r"[^\w]*\d[\d.,'\s]*[^\w]*([A-Za-z]{1,3})?[^\w]*")

_LONG = 60  # characters; longer cells are texts

Row = tuple[int, Sequence[str]]  # the number of its first line, and its cells


class TableLayout(Struct, frozen=True):
    """Where the columns are.

    header: the number of the first line of the row with their names; 0 if there is none.
    keeps_all: nothing is left out or refused: totals, a file that is cut, a table without rows.
    """

    header: int
    columns: tuple[str, ...]
    notes: tuple[str, ...] = ()
    keeps_all: bool = False

    def named_in(self) -> str:
        """Where the names of the columns are, as a message says it."""
        if not self.header:
            return _("no line with column names")
        return _("column names in line {line}").format(line=self.header)


FindLayout = Callable[[Sequence[Row]], TableLayout]


def choose_separator(samples: Mapping[str, Sequence[Row]], unreadable: Mapping[str, int]) -> str:
    """The separator that gives most rows as many cells as the header.

    samples: the rows that each separator gives. unreadable: how many it cannot read.
    """
    return max(samples, key=lambda mark: _quality(samples[mark], unreadable[mark]))


def _quality(rows: Sequence[Row], unreadable: int) -> tuple[int, int]:
    place = _header_place(rows)
    if place is None or (width := _extent(rows[place][1])) < 2:
        return 0, 0
    fitting = sum(1 < _extent(cells) <= width for _number, cells in rows[place + 1 :])
    others = len(rows) - 1 + unreadable
    return min(fitting * 10 // others, 8) if others else 8, width


def find_layout(rows: Sequence[Row]) -> TableLayout:
    """The layout of a table by its first rows. Raises: Invalid if no row can be the header."""
    place = _header_place(rows)
    if place is None:
        raise Invalid(
            _(
                "The file is empty. Export the table again, with column names in its first line, "
                "and use that file."
            )
        )
    header, cells = rows[place]
    below = [row for _number, row in rows[place + 1 :]]
    width = width_of(cells, below)
    if width > MAX_COLUMNS:
        text = _(
            "The table has {count} columns; at most {most} are allowed. Delete the columns that "
            "you do not need and use the file again."
        )
        raise Invalid(text.format(count=width, most=MAX_COLUMNS))
    values = [cell for cell in cells if len(cell) <= MAX_EXCERPT and _EMAIL.fullmatch(cell)]
    if values:
        text = _(
            "Line {line} must contain the names of the columns, but `{value}` is a value. Add a "
            "first line with names such as `email`, and use the file again."
        )
        raise Invalid(text.format(line=header, value=excerpt(values[0])))
    notes = []
    if skipped := [number for number, row in rows[:place] if any(row)]:
        notes.append(
            _("Line {line} is a title and is left out.").format(line=skipped[0])
            if len(skipped) == 1
            else _("Lines {first} to {last} are titles and are left out.").format(
                first=skipped[0], last=skipped[-1]
            )
        )
    columns, renamed = name_columns(cells[:width])
    notes += renamed
    return TableLayout(header, columns, tuple(notes))


def _header_place(rows: Sequence[Row]) -> int | None:
    """The place of the row with the names: the first one that is about as wide as the table."""
    counts = [sum(map(bool, cells)) for _number, cells in rows]
    widths = [_extent(cells) for _number, cells in rows if any(cells)]
    if not widths:
        return None
    wide = median_high(widths[len(widths) // 2 :])  # there are no titles
    for place, (_number, cells) in enumerate(rows[:_HEADER_ROWS]):
        if _extent(cells) * 10 >= wide * 6 and counts[place] * 2 >= wide:
            return place
    return next(place for place, count in enumerate(counts) if count)


def width_of(cells: Sequence[str], below: Iterable[Sequence[str]]) -> int:
    """The number of columns of a table: of its names, and of cells below that have no name."""
    return max([_extent(cells), *(_extent(row) for row in below if len(row) <= len(cells))])


def _extent(cells: Sequence[str]) -> int:
    """The number of cells without empty ones at the end."""
    extent = len(cells)
    while extent and not cells[extent - 1]:
        extent -= 1
    return extent


def name_columns(cells: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
    """The names of the columns, each one once, and notes about names that were changed."""
    names, notes = list[str](), list[str]()
    wanted = [" ".join(cell.split()) for cell in cells]
    taken = {name.lower() for name in wanted}
    seen = Counter[str]()
    for place, name in enumerate(wanted, 1):
        if not name:
            name = _free(_("Column {number}").format(number=place), taken)
        seen[name.lower()] += 1
        if (count := seen[name.lower()]) > 1:
            new = _free(f"{name} ({count})", taken)
            text = _(
                "More than one column is called `{name}`; column {number} is now `{new}`. It is "
                "used only if you choose it for a field."
            )
            notes.append(text.format(name=excerpt(name), number=place, new=excerpt(new)))
            name = new
        names.append(name)
    return tuple(names), notes


def _free(name: str, taken: set[str]) -> str:
    """The name, or one like it that no other column has."""
    free, number = name, 2
    while free.lower() in taken:
        free, number = f"{name} ({number})", number + 1
    taken.add(free.lower())
    return free


def is_total(cells: Sequence[str], *, is_first_filled: bool) -> bool:
    """Whether the last row has totals, not an order.

    is_first_filled: whether the rows above have a first cell.
    """
    filled = [cell for cell in cells if cell]
    if not filled or max(map(len, filled)) > _LONG:
        return False
    numbers = [cell for cell in filled[1:] if _NUMBER.fullmatch(cell)]
    if _TOTAL.fullmatch(filled[0].rstrip(": ")):
        return len(numbers) == len(filled) - 1
    return (
        is_first_filled
        and not cells[0]
        and len(filled) * 2 <= len(cells)
        and len(numbers) == len(filled) - 1
        and bool(_NUMBER.fullmatch(filled[0]))
    )
