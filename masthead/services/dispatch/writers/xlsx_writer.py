"""XLSX files: a sheet with the addresses, all as text, and a sheet with the totals."""

from collections.abc import Iterator, Sequence

from masthead.model.dispatch.files import FileTotals
from masthead.model.dispatch.profiles import FileField
from masthead.model.dispatch.runs import DispatchLine
from masthead.services.dispatch.writers.cells import RowBuilder, build_header, list_fields
from masthead.services.dispatch.writers.contents import FileContents, Problems
from masthead.services.xlsx_tables import Properties, Title, Workbook

_WIDTHS = {FileField.SEQUENCE: 10, FileField.COPIES: 8, FileField.COUNTRY: 9, FileField.TITLE: 8}
_NUMBERS = frozenset({FileField.SEQUENCE, FileField.ISSUE, FileField.COPIES})


class XlsxWriter:
    """Writes the lines of a run as a workbook."""

    def __init__(self, contents: FileContents, totals: FileTotals) -> None:
        self._contents, self._totals = contents, totals
        self._problems = Problems()
        self._rows = RowBuilder(contents, totals, self._problems)
        fields = list_fields(contents)
        self._are_numbers = [field in _NUMBERS for field in fields]
        dispatch = contents.dispatch
        self._workbook = Workbook(
            Properties(
                title=f"Issue {dispatch.issue_number}, run {dispatch.number}",
                description=f"run {dispatch.id}, fingerprint {dispatch.fingerprint}",
                created_at=dispatch.created_at,
            )
        )
        widths = [_WIDTHS.get(field, 20) for field in fields]
        self._workbook.begin_table("Addresses", build_header(contents), widths)

    def write(self, lines: Sequence[DispatchLine]) -> bytes:
        """Add lines; returns the bytes of the file that are ready."""
        self._workbook.add(self._values(line) for line in lines)
        return self._workbook.take()

    def _values(self, line: DispatchLine) -> list[str | int]:
        row = self._rows.build(line)
        return [
            int(text) if is_number else text
            for text, is_number in zip(row, self._are_numbers, strict=True)
        ]

    def finish(self) -> Iterator[bytes]:
        """The rest of the bytes. Raises: Invalid."""
        self._problems.require_none(
            "Choose another export profile, such as one with more space, or correct the addresses "
            "and freeze a new run."
        )
        self._workbook.begin_table("Totals", (), (24, 24))
        self._workbook.add((Title(name), value) for name, value in self._list_totals())
        self._workbook.finish()
        yield self._workbook.take()

    def _list_totals(self) -> Iterator[tuple[str, str | int]]:
        dispatch, totals = self._contents.dispatch, self._totals
        yield "Issue", dispatch.issue_number
        yield "Run", dispatch.number
        yield "Run id", dispatch.id
        yield "Fingerprint", dispatch.fingerprint
        yield "Lines", totals.lines
        if self._contents.settings.joins_copies:
            yield "Addresses", totals.addresses
        yield "Digital, not in this file", totals.digital
        yield "Shortened", totals.shortened
        yield "Too long", totals.too_long
        for section, counts in totals.by_section().items():
            for name, count in counts.items():
                yield f"{section.capitalize()}: {name}", count

    def close(self) -> None:
        """Close the workbook."""
        self._workbook.close()
