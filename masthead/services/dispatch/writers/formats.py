"""The writer of each format."""

from collections.abc import Mapping
from importlib import import_module

from masthead.model.dispatch.files import FileTotals
from masthead.model.dispatch.profiles import FileFormat
from masthead.services.dispatch.writers.contents import FileContents, FileWriter

# Imported when they are needed: the libraries for PDF load slowly and take much memory
_WRITERS: Mapping[FileFormat, tuple[str, str]] = {
    FileFormat.CSV: ("csv_writer", "CsvWriter"),
    FileFormat.XLSX: ("xlsx_writer", "XlsxWriter"),
    FileFormat.PDF: ("pdf_writer", "PdfWriter"),
    FileFormat.ZIP: ("zip_writer", "ZipWriter"),
}


def open_writer(contents: FileContents, totals: FileTotals) -> FileWriter:
    """A writer for the format of the file. totals: are complete when it has finished."""
    module, name = _WRITERS[contents.format]
    make = getattr(import_module(f"masthead.services.dispatch.writers.{module}"), name)
    writer: FileWriter = make(contents, totals)
    return writer
