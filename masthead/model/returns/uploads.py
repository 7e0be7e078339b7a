"""A file of a carrier that a user uploads on a page."""

from datetime import datetime, timedelta
from enum import StrEnum

import msgspec
from msgspec import Struct

MAX_UPLOAD = 8 * 1024 * 1024  # bytes; larger files are imported on the command line
KEPT = timedelta(days=30)  # afterwards a file and its report are deleted


class UploadKind(StrEnum):
    """What a file reports."""

    SHIPPED = "shipped"
    RETURNED = "returned"


class CarrierUpload(Struct, frozen=True):
    """An uploaded file. summary: the numbers of rows as JSON, None until it is imported."""

    id: str
    kind: UploadKind
    name: str
    bytes: int
    summary: str | None
    created_at: datetime
    imported_at: datetime | None

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of rows by result; empty until it is imported."""
        return msgspec.json.decode(self.summary, type=dict[str, int]) if self.summary else {}
