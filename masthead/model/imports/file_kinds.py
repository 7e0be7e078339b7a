"""The kind of a file by its first bytes, and what to do with a file that is not a table."""

import re

from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _, gettext_noop

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # old Office files, and new ones with a password
OLD_WORKBOOK = gettext_noop(
    "The file is a workbook of Excel 97 (.xls). Open it in Excel or LibreOffice, save it as .xlsx "
    "or CSV UTF-8, and use that file."
)
ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")

_BIFF = (b"\t\0\4\0", b"\t\2\6\0", b"\t\4\6\0", b"\t\x08\x08\0", b"\t\x08\x10\0")  # Excel 2 to 5

_NOT_TABLES = (
    (re.compile(rb"\x89PNG|\xff\xd8\xff|GIF8|BM.{4}\0{4}|II\*\0|MM\0\*", re.DOTALL), "picture"),
    (re.compile(rb"RIFF.{4}WEBP|.{4}ftyp", re.DOTALL), "picture"),
    (re.compile(rb"%PDF"), "pdf"),
    (
        re.compile(rb"\x1f\x8b|BZh[1-9]1AY|\xfd7zXZ\0|7z\xbc\xaf|Rar!\x1a|\x28\xb5\x2f\xfd"),
        "packed",
    ),
    (re.compile(rb"\{\\rtf"), "rtf"),
    (re.compile(rb"SQLite format 3\0"), "database"),
    (re.compile(rb"<\?xml.{0,600}?<(ss:)?Workbook\b", re.DOTALL | re.IGNORECASE), "xml workbook"),
    (re.compile(rb"<(!doctype html|html|head|meta|table|body|div|style)\b", re.IGNORECASE), "html"),
    (re.compile(rb"<\?xml"), "xml"),
    (re.compile(rb"\{\s*[\"}]|\[\s*[\[{\]]|\[\s*\"[^\"]*\"\s*[,\]]"), "json"),
)
_MESSAGES = {
    "picture": gettext_noop(
        "The file is a picture. Export the table as CSV or save it as .xlsx, and use that file."
    ),
    "pdf": gettext_noop(
        "The file is a PDF, from which no table can be read. Export the table as CSV or save it as "
        ".xlsx, and use that file."
    ),
    "packed": gettext_noop(
        "The file is compressed. Unpack it and use the CSV file or workbook that is inside."
    ),
    "rtf": gettext_noop(
        "The file is a text document. Save the table in it as CSV UTF-8 or .xlsx and use that file."
    ),
    "database": gettext_noop(
        "The file is an SQLite database. Export the table as CSV and use that file."
    ),
    "xml workbook": gettext_noop(
        "The file is an XML workbook of Excel 2003. Open it in Excel or LibreOffice, save it as "
        ".xlsx or CSV UTF-8, and use that file."
    ),
    "html": gettext_noop(
        "The file is a web page, whatever its name says. Open it in Excel or LibreOffice, save it "
        "as .xlsx or CSV UTF-8, and use that file."
    ),
    "xml": gettext_noop(
        "The file is XML. Export the table as CSV or save it as .xlsx, and use that file."
    ),
    "json": gettext_noop(
        "The file is JSON. Export the table as CSV or save it as .xlsx, and use that file."
    ),
}


def check_kind(head: bytes) -> None:
    """Refuse files that are known not to be text tables. head: the first bytes. Raises: Invalid."""
    if head.startswith(_BIFF):
        raise Invalid(_(OLD_WORKBOOK))
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    for pattern, kind in _NOT_TABLES:
        if pattern.match(start):
            raise Invalid(_(_MESSAGES[kind]))
