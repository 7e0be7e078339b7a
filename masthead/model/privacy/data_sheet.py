"""Everything about a subscriber in words: what both files of the document show."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct


class SheetSection(Struct, frozen=True):
    """A heading and its records: the label and the text of each field."""

    title: str
    records: Sequence[Sequence[tuple[str, str]]]


class DataSheet(Struct, frozen=True):
    """The document in one language. notes: paragraphs below the title."""

    language: str
    title: str
    notes: Sequence[str]
    sections: Sequence[SheetSection]
    written_at: datetime
