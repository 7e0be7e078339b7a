"""`masthead dispatch shipped` and `masthead dispatch returned`: files that come back."""

import csv
import os
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from datetime import date
from functools import partial
from itertools import count
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from msgspec import structs

from masthead.cli.command import (
    AccountName,
    CommandError,
    Json,
    command_actor,
    parse_date,
    run_on_account,
)
from masthead.cli.output import print_message, print_record, rows_counted
from masthead.model.errors import Invalid
from masthead.model.imports.encodings import encoding_named
from masthead.model.returns.carrier_files import report_header, report_row
from masthead.model.returns.columns import CarrierField
from masthead.model.returns.dates import DateOrder
from masthead.model.types.plausible_days import sent_day
from masthead.services.returns.carrier_files import CarrierFile, UnmatchedRow, inspect_file
from masthead.services.returns.returned import import_returned
from masthead.services.returns.shipped import import_shipped
from masthead.store.accounts import Account
from masthead.store.engine.interface import Database
from masthead.store.engine.private_files import create_private

# What to do about an error in a field, on the command line
OPTIONS = {
    "date": " Use `--dates day-first` or `--dates month-first`.",
    "key": " Use `--column key=NAME`, with the name or the number of the column.",
    "encoding": " `--encoding {value}` chooses the first.",
}

Columns = Annotated[
    list[str] | None,
    Parameter(
        name="--column",
        negative="",
        help="a column of the file, as FIELD=NAME or FIELD=NUMBER; fields: "
        + ", ".join(CarrierField),
    ),
]
Dates = Annotated[
    DateOrder | None,
    Parameter(name="--dates", help="which number comes first in dates such as 03/04/2026"),
]
Encoding = Annotated[
    str | None,
    Parameter(help="encoding of a CSV file, such as windows-1250, if the command does not find it"),
]
Sheet = Annotated[
    str | None,
    Parameter(help="name of the sheet of a workbook; by default the first one with rows"),
]


def import_shipped_copies(
    file: Path,
    /,
    *,
    account: AccountName,
    date: str | None = None,
    column: Columns = None,
    dates: Dates = None,
    sheet: Sheet = None,
    encoding: Encoding = None,
    json: Json = False,
) -> int:
    """Mark the copies as sent that are in a file of shipped copies.

    Each row has a copy key or a copy id. Rows that match no copy are written to
    FILE.unmatched.csv with the reason. A file can be imported again.

    Parameters
    ----------
    file
        CSV in any encoding, with any separator; or .xlsx or .ods
    date
        date on which all copies were shipped; by default the file's date column, or else today
    """
    chosen = parse_columns(column or [])
    given = sent_day("date", parse_date(date)) if date else None
    found = _inspect(file, chosen, dates, sheet, encoding, needs_dates=given is None)
    day = given
    if day is None and CarrierField.DATE not in found.layout.columns:
        day = _today()
        print_message(f"The file has no dates, so the copies get today's date, {day}.")

    by = command_actor("dispatch shipped")
    return _run(account, file, found, partial(import_shipped, day=day, by=by), json=json)


def import_returned_copies(
    file: Path,
    /,
    *,
    account: AccountName,
    column: Columns = None,
    dates: Dates = None,
    sheet: Sheet = None,
    encoding: Encoding = None,
    json: Json = False,
) -> int:
    """Record the copies in a file as undeliverable, or their subscribers as moved.

    Addresses that are undeliverable are on hold until they change. New addresses wait until
    somebody accepts them on the page Returns. Rows that match no copy are written to
    FILE.unmatched.csv with the reason. A file can be imported again.

    Parameters
    ----------
    file
        CSV in any encoding, with any separator; or .xlsx or .ods
    """
    chosen = parse_columns(column or [])
    found = _inspect(file, chosen, dates, sheet, encoding, needs_dates=True)
    by = command_actor("dispatch returned")
    return _run(account, file, found, partial(import_returned, by=by), json=json)


def _run(
    account: str, file: Path, found: CarrierFile, task: Callable[..., Awaitable[Any]], *, json: bool
) -> int:
    """Import the file and print the summary; returns the exit code: 1 if rows are unmatched."""

    async def work(db: Database, owner: Account) -> tuple[Any, Path | None]:
        with ExitStack() as stack:
            report = UnmatchedReport(file, found, stack)
            count = stack.enter_context(rows_counted(found.table.row_count))
            summary = await task(
                db,
                owner.id,
                found,
                on_unmatched=report.add,
                on_progress=lambda so_far: count(so_far.read),
            )
        return summary, report.path

    summary, report = run_on_account(account, work)
    record = structs.asdict(summary)
    print_record({**record, "report": str(report) if report else None}, json=json)
    if report is None:
        return 0
    rows = "row" if summary.unmatched == 1 else "rows"
    print_message(f"{summary.unmatched} {rows} changed nothing; `{report}` says why.")
    return 1


def parse_columns(pairs: Sequence[str]) -> dict[CarrierField, str]:
    """The columns that the user named. Raises: CommandError."""
    chosen = {}
    for pair in pairs:
        field, equals, name = pair.partition("=")
        if field not in tuple(CarrierField) or not equals:
            raise CommandError(
                f"`--column {pair}` must be FIELD=NAME, where FIELD is one of "
                f"{', '.join(CarrierField)}."
            )
        chosen[CarrierField(field)] = name
    return chosen


def _inspect(
    path: Path,
    chosen: dict[CarrierField, str],
    dates: DateOrder | None,
    sheet: str | None,
    encoding: str | None,
    *,
    needs_dates: bool,
) -> CarrierFile:
    """Look at the file, and say how it is read. Raises: CommandError, Invalid, OSError."""
    if not path.is_file():
        raise CommandError(f"There is no file `{path}`.")
    named = encoding_named(encoding) if encoding else None
    try:
        found = inspect_file(
            path,
            chosen=chosen,
            sheet=sheet,
            encoding=named,
            date_order=dates,
            needs_dates=needs_dates,
        )
    except Invalid as reason:
        hint = OPTIONS.get(reason.field, "").format(value=reason.value)
        raise CommandError(f"{reason}{hint}") from None
    print_message(found.describe())
    return found


def _today() -> date:
    return date.today()  # noqa: DTZ011 - the day on the calendar of the user


class UnmatchedReport:
    """Writes unmatched rows to a new file beside the imported one; the first row creates it.

    path: of the file, None if there is no such row.
    """

    def __init__(self, file: Path, found: CarrierFile, stack: ExitStack) -> None:
        self.path: Path | None = None
        self._file, self._found, self._stack = file, found, stack
        self._write: Callable[[Sequence[str]], object] = lambda cells: None

    def add(self, unmatched: UnmatchedRow) -> None:
        """Write a row with its reason."""
        if self.path is None:
            self.path, descriptor = _create_new(self._file)
            stream = os.fdopen(descriptor, "w", encoding="utf-8-sig", newline="")
            self._stack.enter_context(stream)
            self._write = csv.writer(stream).writerow
            self._write(report_header(self._found.layout.names))
        row = unmatched.row
        self._write(report_row([str(row.number), unmatched.reason, *row.cells]))


def _create_new(file: Path) -> tuple[Path, int]:
    """Create FILE.unmatched.csv, or the first FILE.unmatched-N.csv that does not exist."""
    for number in count(1):
        suffix = f"-{number}" if number > 1 else ""
        path = file.with_name(f"{file.name}.unmatched{suffix}.csv")
        try:
            return path, create_private(path)
        except FileExistsError:
            continue
    raise AssertionError  # `count` does not end
