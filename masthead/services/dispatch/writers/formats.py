"""The writer of each format."""

from collections.abc import Callable, Mapping

from masthead.model.dispatch.files import FileTotals
from masthead.model.dispatch.profiles import FileFormat
from masthead.services.dispatch.writers.contents import FileContents, FileWriter
from masthead.services.dispatch.writers.csv_writer import CsvWriter

_WRITERS: Mapping[FileFormat, Callable[[FileContents, FileTotals], FileWriter]] = {
    FileFormat.CSV: CsvWriter,
}


def open_writer(contents: FileContents, totals: FileTotals) -> FileWriter:
    """A writer for the format of the file. totals: are complete when it has finished."""
    return _WRITERS[contents.format](contents, totals)
