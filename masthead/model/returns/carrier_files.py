"""Where the columns are in the files of carriers and mailing houses, with or without a header.

They are tables of any kind, which `services/imports/table.py` opens, often with title rows. The
names of their columns are in `columns`, their reasons in `reasons`, their dates in `dates`.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from masthead.model.errors import Invalid, excerpt
from masthead.model.imports.layouts import MAX_COLUMNS, Row, width_of
from masthead.model.returns.columns import CarrierField, columns_of_names, names_new_address
from masthead.model.returns.copy_references import is_reference
from masthead.model.returns.dates import is_date_text
from masthead.model.translations import gettext as _
from masthead.model.types.spreadsheets import guarded
from masthead.model.types.text import is_digits

HEADER_LINES = 25  # the header is one of the first lines


class CarrierLayout(Struct, frozen=True):
    """Where the columns are.

    header_line: the number of the line with their names, 0 if there is none. names: of the columns.
    columns: the places of the columns of each field, from 0. has_new_columns: whether the address
    columns are named as a new address.
    """

    header_line: int
    names: tuple[str, ...]
    columns: Mapping[CarrierField, tuple[int, ...]]
    has_new_columns: bool = False


def find_layout(rows: Sequence[Row], chosen: Mapping[CarrierField, str]) -> CarrierLayout:
    """The layout of a file by its first rows.

    chosen: columns that the user named: by the name in the header, or by the number from 1.
    Raises: Invalid if no column has copy keys or copy ids.
    """
    narrow = [row for row in rows if len(row[1]) <= MAX_COLUMNS]
    layouts = [
        found
        for found in _layouts(narrow, chosen)
        if {CarrierField.KEY, CarrierField.COPY} & found.columns.keys()
    ]
    if not layouts:
        raise _no_keys(rows, chosen)
    return max(layouts, key=lambda it: (bool(it.header_line), len(it.columns), len(it.names)))


def _layouts(rows: Sequence[Row], chosen: Mapping[CarrierField, str]) -> Iterator[CarrierLayout]:
    """The layouts that are possible."""
    for place, (number, cells) in enumerate(rows):
        if number > HEADER_LINES:
            break
        names = cells[: width_of(cells, (below for _number, below in rows[place + 1 :]))]
        columns = columns_of_names(names, chosen)
        if columns is not None and not any(is_reference(cell) for cell in names):
            is_new = names_new_address(names, columns, chosen)
            yield CarrierLayout(number, tuple(names), columns, is_new)
    if rows and (found := _by_content(rows, chosen)):
        header_line, names = _header_before(rows, found.get(CarrierField.KEY, (0,))[0])
        if header_line:  # the other columns may have known names
            found = {**(columns_of_names(names, chosen) or {}), **found}
        is_new = names_new_address(names, found, chosen)
        yield CarrierLayout(header_line, names, found, is_new)


def _header_before(rows: Sequence[Row], key_place: int) -> tuple[int, tuple[str, ...]]:
    """Number and cells of the row before the first one with a key, if it can be the header."""
    width = max(len(row) for _, row in rows)
    previous: Row = (0, [])
    for number, cells in rows:
        if is_reference(cells[key_place] if key_place < len(cells) else ""):
            break
        previous = (number, cells)
    if previous[0] and len(previous[1]) == width and all(previous[1]):
        return previous[0], tuple(previous[1])
    return 0, tuple(f"column {place}" for place in range(1, width + 1))


def _by_content(
    rows: Sequence[Row], chosen: Mapping[CarrierField, str]
) -> dict[CarrierField, tuple[int, ...]] | None:
    """The columns of a file without a header, by their cells and the chosen numbers."""
    references, dates = Counter[int](), Counter[int]()
    for _number, cells in rows:
        for place, cell in enumerate(cells):
            references[place] += is_reference(cell)
            dates[place] += is_date_text(cell)
    columns: dict[CarrierField, tuple[int, ...]] = {}
    for counts, field in ((references, CarrierField.KEY), (dates, CarrierField.DATE)):
        (place, count), *_ = counts.most_common(1)
        if count and count * 3 >= len(rows):
            columns[field] = (place,)
    for field, text in chosen.items():
        if not text:
            columns.pop(field, None)
            continue
        places = [int(part) - 1 for part in text.split("+") if is_digits(part, at_most=4)]
        if not places or not all(0 <= place < len(references) for place in places):
            return None
        columns[field] = tuple(places)
    return columns


def _no_keys(rows: Sequence[Row], chosen: Mapping[CarrierField, str]) -> Invalid:
    if not rows:
        return Invalid(_("The file is empty."))
    first = ";".join(rows[0][1])
    if chosen:
        named = ", ".join(f"`{excerpt(text)}`" for text in chosen.values())
        return Invalid(
            _(
                "The file has no header with the columns {columns}. Its first line is `{line}`."
            ).format(columns=named, line=excerpt(first)),
            field="key",
        )
    return Invalid(
        _(
            "The file has no column with copy keys or copy IDs. Name that column in the first line "
            "{key} or {copy}, or say which one it is. The first line is `{line}`."
        ).format(key="`copy_key`", copy="`copy_id`", line=excerpt(first)),
        field="key",
    )


def report_header(names: Sequence[str]) -> list[str]:
    """The names of the columns of a report. names: those of the file."""
    return report_row(["problem_line", "problem", *names])


def report_row(cells: Sequence[str]) -> list[str]:
    """The cells of a row of a report, changed so that no spreadsheet runs one as a formula."""
    return [guarded(cell) for cell in cells]
