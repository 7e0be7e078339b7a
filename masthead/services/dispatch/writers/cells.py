"""The cells of a table: one text for each column of the profile."""

from collections.abc import Callable, Sequence

from masthead.model.dispatch.address_checks import split_po_box
from masthead.model.dispatch.address_layout import address_lines
from masthead.model.dispatch.fitting import fit_lines
from masthead.model.dispatch.keys import key_of
from masthead.model.dispatch.profiles import AddressBlock, FileField
from masthead.model.dispatch.runs import DispatchLine
from masthead.services.dispatch.writers.contents import FileContents, Problems, kind_of

Cell = Callable[[DispatchLine], str]
_CONTROLS = {code: " " for code in (*range(32), 127)}  # a line break would end the row

# Columns that masthead writes itself, so their texts are never formulas
SAFE_FIELDS = frozenset(
    {
        FileField.SEQUENCE,
        FileField.KEY,
        FileField.SUBSCRIBER_ID,
        FileField.SUBSCRIPTION_ID,
        FileField.COPY_ID,
        FileField.ISSUE,
        FileField.COUNTRY,
        FileField.COUNTRY_GROUP,
        FileField.MEDIUM,
        FileField.COPIES,
        FileField.KIND,
    }
)


def label_key(account_id: int, line: DispatchLine) -> str:
    """The key of a line as it is printed: `#K7M2Q4D9X#`."""
    return f"#{key_of(account_id, line.id)}#"


def plain(text: str | None) -> str:
    """A text on one line: control characters become blanks."""
    if not text:
        return ""
    return text if text.isprintable() else text.translate(_CONTROLS)
