"""Open a file that is a table, whatever its kind."""

from pathlib import Path

from masthead.model.errors import Invalid
from masthead.model.imports.file_kinds import OLE, ZIP
from masthead.model.imports.tabular_data import Line, Table
from masthead.model.translations import gettext as _
from masthead.services.imports.csv_table import open_csv
from masthead.services.imports.workbook import open_workbook

__all__ = ["Line", "Table", "open_table"]


def open_table(path: Path, *, name: str, sheet: str | None = None) -> Table:
    """The table in a file. It reads all of the file; call it in a thread.

    name: of the file, as the user knows it. sheet: the name of the sheet of a workbook; None for
    the first one with rows. Raises: Invalid with a sentence that says what to do; OSError.
    """
    with path.open("rb") as stream:
        head = stream.read(8)
    if head.startswith((*ZIP, OLE)):
        return open_workbook(path, name=name, sheet=sheet)
    if sheet is not None:
        raise Invalid(
            _("The file has no sheets: only a workbook (.xlsx or .ods) has. Leave out the sheet."),
            field="sheet",
            value=sheet,
        )
    return open_csv(path, name=name)
