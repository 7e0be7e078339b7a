"""The writer of each format."""

from masthead.model.dispatch.files import FileTotals
from masthead.model.dispatch.profiles import FileFormat
from masthead.services.dispatch.writers.contents import FileContents, FileWriter
from masthead.services.dispatch.writers.csv_writer import CsvWriter
from masthead.services.dispatch.writers.pdf_writer import PdfWriter
from masthead.services.dispatch.writers.xlsx_writer import XlsxWriter
from masthead.services.dispatch.writers.zip_writer import ZipWriter


def open_writer(contents: FileContents, totals: FileTotals) -> FileWriter:
    """A writer for the format of the file. totals: are complete when it has finished."""
    match contents.format:
        case FileFormat.CSV:
            return CsvWriter(contents, totals)
        case FileFormat.XLSX:
            return XlsxWriter(contents, totals)
        case FileFormat.PDF:
            return PdfWriter(contents, totals)
        case FileFormat.ZIP:
            return ZipWriter(contents, totals, open_writer)
