"""Pictures and scans of an export, which are written again as uploaded ones are."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct, structs

from masthead.model.errors import Invalid
from masthead.model.exports.export_files import ExportFile
from masthead.services.billing.letterhead import make_letterhead
from masthead.services.debits.mandates import make_signed_file
from masthead.services.issues.covers import make_cover

# How a picture of a table is decoded, and the column that names it
PICTURES: dict[str, tuple[Callable[[bytes], Struct], str, str]] = {
    "issue_cover": (make_cover, "cover of issue", "issue_id"),
    "letterhead": (make_letterhead, "letterhead", "number"),
    "mandate_file": (make_signed_file, "signed mandate", "mandate_id"),
}


def picture_columns(exported: ExportFile, row: Mapping[str, Any]) -> dict[str, object]:
    """The picture of a row, decoded and written again as an uploaded one is. Raises: Invalid.

    A folder can be made by anybody, and what it calls a picture may be a page with a script.
    """
    make, what, key = PICTURES[exported.table]
    try:
        return structs.asdict(make(row["content"]))
    except Invalid as reason:
        text = f"The {what} `{row[key]}` in `{exported.path}` is refused: {reason}"
        raise Invalid(text) from reason
