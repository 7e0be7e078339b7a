"""The cells of a table: one text for each column of the profile."""

from collections.abc import Callable
from operator import attrgetter

from masthead.model.dispatch.address_layout import (
    address_lines,
    fit_address,
    person_name,
    split_po_box,
)
from masthead.model.dispatch.copy_keys import key_of, printed
from masthead.model.dispatch.files import FileTotals
from masthead.model.dispatch.fitting import FittedAddress
from masthead.model.dispatch.joined_lines import issues_of
from masthead.model.dispatch.line_resources import kind_of
from masthead.model.dispatch.postal.forms_of_address import salutation_word
from masthead.model.dispatch.profiles import FileField
from masthead.model.dispatch.runs import DispatchLine
from masthead.model.types.clean_text import one_line
from masthead.services.dispatch.writers.contents import FileContents, Problems

Cell = Callable[[DispatchLine], str]
Row = list[str]

# Columns that masthead fills itself, so their texts are never formulas
OWN_FIELDS = frozenset(
    {
        FileField.SEQUENCE,
        FileField.KEY,
        FileField.SUBSCRIBER_ID,
        FileField.SUBSCRIPTION_ID,
        FileField.COPY_ID,
        FileField.ISSUE,
        FileField.SALUTATION,
        FileField.COUNTRY,
        FileField.COUNTRY_NAME,
        FileField.COUNTRY_GROUP,
        FileField.MEDIUM,
        FileField.COPIES,
        FileField.KIND,
    }
)


def plain(text: str | None) -> str:
    """A text on one line, without what cannot be seen; it may be older than the rule for inputs."""
    if not text:
        return ""
    return text if text.isprintable() else one_line(text)


def build_header(contents: FileContents) -> list[str]:
    """The names of the columns."""
    header: list[str] = []
    for column in contents.settings.columns:
        if column.field is FileField.ADDRESS_LINES:
            block = contents.settings.block
            assert block is not None
            header += [f"{column.header}{number}" for number in range(1, block.lines + 1)]
        else:
            header.append(column.header)
    return header


def list_fields(contents: FileContents) -> list[FileField]:
    """The field of each column; the address lines have one column each."""
    fields: list[FileField] = []
    for column in contents.settings.columns:
        block = contents.settings.block
        is_block = column.field is FileField.ADDRESS_LINES and block is not None
        fields += [column.field] * (block.lines if is_block and block else 1)
    return fields


class RowBuilder:
    """Builds the rows of a file. problems: gets the lines whose address cannot be written."""

    def __init__(self, contents: FileContents, totals: FileTotals, problems: Problems) -> None:
        self._contents, self._totals, self._problems = contents, totals, problems
        fields = [column.field for column in contents.settings.columns]
        divided = _DividedAddress()
        self._cells = [
            _cell_of(field, contents, divided) for field in fields if field is not _BLOCK
        ]
        self._block_at = fields.index(_BLOCK) if _BLOCK in fields else None

    def build(self, line: DispatchLine) -> Row:
        """The cells of a line. Takes about 10 µs."""
        row = [cell(line) for cell in self._cells]
        if self._block_at is not None:
            row[self._block_at : self._block_at] = self._fit(line)
        return row

    def _fit(self, line: DispatchLine) -> Row:
        """The address lines, as many as the block has."""
        space = self._contents.settings.block
        assert space is not None
        texts = address_lines(line, self._contents.dispatch.layout)
        fitted = fit_address(line, texts, space)
        lines = fitted.lines
        if len(lines) > space.lines:
            self._problems.add(
                f"{self._contents.describe(line)}: the address has {len(lines)} lines, but there "
                f"is space for {space.lines}."
            )
        elif fitted.shortened or fitted.too_wide:
            self._note(line, fitted)
        return (lines + [""] * space.lines)[: space.lines]

    def _note(self, line: DispatchLine, fitted: FittedAddress) -> None:
        named = self._contents.describe(line)
        if fitted.shortened:
            self._totals.shortened += 1
            texts = ", ".join(f"`{text}`" for text in fitted.shortened)
            self._totals.add_note(f"{named}: {texts} was shortened.")
        if fitted.too_wide:
            self._totals.too_long += 1
            texts = ", ".join(f"`{text}`" for text in fitted.too_wide)
            self._totals.add_note(f"{named}: {texts} is too long.")


_BLOCK = FileField.ADDRESS_LINES


class _DividedAddress:
    """Divides the address lines of a line; three columns of a row may need it."""

    def __init__(self) -> None:
        self._line_id, self._parts = 0, ("", "", "")

    def __call__(self, line: DispatchLine) -> tuple[str, str, str]:
        """The extra lines, the street and the PO box."""
        if line.id != self._line_id:
            streets, box = split_po_box(line)
            self._line_id = line.id
            self._parts = ", ".join(streets[1:]), streets[0] if streets else "", box
        return self._parts


def _salutation(line: DispatchLine) -> str:
    """The salutation in the language of the country; empty if there is none."""
    return salutation_word(line.salutation, line.country) if line.salutation else ""


def _cell_of(field: FileField, contents: FileContents, divided: _DividedAddress) -> Cell:
    """The function that returns the text of a field."""
    account_id, layouts = contents.account_id, contents.dispatch.layout.countries
    cells: dict[FileField, Cell] = {
        FileField.SEQUENCE: lambda line: str(contents.sequence(line)),
        FileField.KEY: lambda line: printed(key_of(account_id, line.id)),
        FileField.SUBSCRIBER_ID: attrgetter("subscriber_id"),
        FileField.SUBSCRIPTION_ID: attrgetter("subscription_id"),
        FileField.COPY_ID: lambda line: str(line.copy_id),
        FileField.ISSUE: issues_of,
        FileField.SALUTATION: _salutation,
        FileField.TITLE: lambda line: plain(line.title),
        FileField.NAME: person_name,
        FileField.FIRST_NAME: lambda line: plain(line.first_name),
        FileField.LAST_NAME: lambda line: plain(line.last_name),
        FileField.COMPANY: lambda line: plain(line.company),
        FileField.EXTRA_LINES: lambda line: divided(line)[0],
        FileField.STREET: lambda line: divided(line)[1],
        FileField.PO_BOX: lambda line: divided(line)[2],
        FileField.ADDRESS1: lambda line: plain(line.address1),
        FileField.ADDRESS2: lambda line: plain(line.address2),
        FileField.POSTCODE: lambda line: plain(line.postcode),
        FileField.POSTCODE_TEXT: lambda line: plain(line.postcode),
        FileField.CITY: lambda line: plain(line.city),
        FileField.STATE: lambda line: plain(line.state),
        FileField.COUNTRY: attrgetter("country"),
        FileField.COUNTRY_NAME: lambda line: layouts[line.country].name,
        FileField.COUNTRY_GROUP: lambda line: layouts[line.country].group.value,
        FileField.MEDIUM: attrgetter("medium"),  # its text
        FileField.COPIES: lambda line: str(line.quantity),
        FileField.KIND: kind_of,
    }
    return cells[field]
