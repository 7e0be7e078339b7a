"""What a ZIP archive is by the names in it, and what to do with one that is no workbook."""

import lzma
import struct
import zipfile
import zlib
from collections.abc import Collection

from masthead.model.errors import Invalid, excerpt
from masthead.model.translations import format_number, gettext as _, gettext_noop

EXCEL = gettext_noop("an Excel workbook")
OPEN_DOCUMENT = gettext_noop("an OpenDocument spreadsheet")
MAX_BYTES = 2 * 1024**3  # of all entries, unpacked
MAX_RATIO = 250  # how much a workbook shrinks when it is packed; a real one less than 100
LEAST_MEMORY = 1024**3  # bytes that a workbook may take, however small the file is
_SMALL = 50 * 1024**2  # bytes: a smaller workbook may be packed as much as it likes
# What reading an archive raises if it is damaged. Its packers have errors of their own
DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    RuntimeError,
    EOFError,
    OSError,
    ValueError,
)
_TABLES = (".csv", ".tsv", ".xlsx", ".ods")

ODS_TYPE = b"application/vnd.oasis.opendocument.spreadsheet"


def kind_of_archive(names: Collection[str], mimetype: bytes) -> str:
    """The kind of a workbook. mimetype: the content of the entry of that name.

    Raises: Invalid if it is something else.
    """
    known = {name.lower().replace("\\", "/").lstrip("/") for name in names}
    if mimetype.startswith(ODS_TYPE):
        return OPEN_DOCUMENT
    if "xl/workbook.xml" in known:
        return EXCEL
    if "xl/workbook.bin" in known:
        raise Invalid(
            _(
                "The file is a binary Excel workbook (.xlsb). Save it as .xlsx or CSV UTF-8 and "
                "use that file."
            )
        )
    if any(name.endswith((".iwa", "index.zip", "index.xml")) for name in known):
        raise Invalid(
            _(
                "The file is a document of Apple Numbers. Choose File > Export To > CSV in Numbers "
                "and use that file."
            )
        )
    if mimetype or "word/document.xml" in known or "ppt/presentation.xml" in known:
        raise Invalid(
            _(
                "The file is a document without a table of rows and columns. Save its table as CSV "
                "UTF-8 or .xlsx and use that file."
            )
        )
    files = [name for name in names if not name.endswith("/")]
    tables = [name for name in files if name.lower().endswith(_TABLES)]
    own = [name for name in tables if name.endswith("csv/orders.csv")]  # of an export
    first = next(iter([*own, *tables, *files]), "")
    text = _(
        "The file is a ZIP archive. Unpack it and use the CSV file or workbook that is inside, "
        "such as `{name}`."
    )
    raise Invalid(text.format(name=excerpt(first)))


def check_size(packed: int, unpacked: int) -> None:
    """Refuse a ZIP bomb. packed, unpacked: bytes of all entries. Raises: Invalid."""
    if unpacked > MAX_BYTES or (unpacked > _SMALL and unpacked > packed * MAX_RATIO):
        text = _(
            "The workbook would take {size} MB when it is unpacked, which is too much. Save the "
            "sheet as CSV UTF-8 and use that file."
        )
        raise Invalid(text.format(size=format_number(unpacked // 1_000_000)))


def memory_limit(unpacked: int, most: int) -> int:
    """The bytes of memory that reading a workbook may take. most: of any process.

    unpacked: bytes of all entries. A workbook needs about twice as much, and more if it has cells
    far from all others.
    """
    wanted = LEAST_MEMORY // 2 + 3 * unpacked
    return max(LEAST_MEMORY, min(wanted, most))
