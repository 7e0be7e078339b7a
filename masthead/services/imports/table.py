"""Open a file that is a table, of any kind."""

from pathlib import Path

from masthead.model.errors import Invalid
from masthead.model.imports.file_kinds import OLE, ZIP
from masthead.model.imports.layouts import FindLayout, find_layout
from masthead.model.imports.tabular_data import Line, Table
from masthead.model.translations import gettext as _
from masthead.services.imports.csv_table import open_csv
from masthead.services.imports.workbook import open_workbook
from masthead.temporary_files import TemporaryFile

__all__ = ["Line", "Table", "is_workbook", "open_table"]


def open_table(
    path: Path,
    *,
    name: str,
    sheet: str | None = None,
    encoding: str | None = None,
    rows: TemporaryFile | None = None,
    find: FindLayout = find_layout,
) -> Table:
    """The table in a file. It reads all of the file; call it in a thread.

    name: of the file, as the user knows it. sheet: the name of the sheet of a workbook; None for
    the first one with rows. encoding: of a text file; None if it is to be found. rows: the file
    for the rows of a workbook; None for a new one. find: finds the columns in the first rows.
    Raises: Invalid with a sentence that says what to do; OSError.
    """
    if is_workbook(path):
        return open_workbook(path, name=name, sheet=sheet, rows=rows, find=find)
    if sheet is not None:
        raise Invalid(
            _("The file has no sheets: only a workbook (.xlsx or .ods) has. Leave out the sheet."),
            field="sheet",
            value=sheet,
        )
    return open_csv(path, name=name, encoding=encoding, find=find)


def is_workbook(path: Path) -> bool:
    """Whether a file is an archive, as workbooks are, or one of old Office programs."""
    with path.open("rb") as stream:
        return stream.read(8).startswith((*ZIP, OLE))
