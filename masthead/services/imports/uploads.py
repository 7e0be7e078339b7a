"""The content of uploaded files, and the space that they take until they are imported."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from masthead.model.errors import Invalid
from masthead.model.imports.batches import MAX_UPLOAD, PART_BYTES
from masthead.model.translations import gettext as _
from masthead.store.engine.interface import Connection
from masthead.store.imports import batches as store

MAX_WAITING = 4 * MAX_UPLOAD  # bytes of the files of an account that are not imported yet


async def require_space(db: Connection, account_id: int, size: int) -> None:
    """Raises: Invalid if the files that wait take too much space. size: of one more."""
    waiting = await store.sum_waiting_bytes(db, account_id)
    if waiting + size > MAX_WAITING:
        message = _(
            "The files that are not imported yet take {size} MB; at most {most} MB are kept. "
            "Delete some of them in the list of imports, then upload this one."
        )
        megabytes = {"size": waiting // 1024**2, "most": MAX_WAITING // 1024**2}
        raise Invalid(message.format(**megabytes), field="file")


def measure(content: bytes | Path) -> tuple[str, int]:
    """The SHA-256 and the size of a file. It reads all of it; call it in a thread."""
    digest, size = hashlib.sha256(), 0
    for part in parts_of(content):
        digest.update(part)
        size += len(part)
    return digest.hexdigest(), size


def parts_of(content: bytes | Path) -> Iterator[bytes]:
    """The content in parts, as they are stored."""
    if isinstance(content, bytes):
        for start in range(0, len(content), PART_BYTES):
            yield content[start : start + PART_BYTES]
        return
    with content.open("rb") as file:
        while part := file.read(PART_BYTES):
            yield part
