"""The uploaded file of an import as a file of this process, which other programs can read."""

from pathlib import Path

from masthead.model.errors import Invalid
from masthead.model.imports.batches import ImportBatch
from masthead.model.translations import gettext as _
from masthead.services.child_process import run_in_file_thread
from masthead.store.engine.interface import Connection
from masthead.store.imports import files
from masthead.temporary_files import TemporaryFile


async def copy_stored(db: Connection, account_id: int, batch: ImportBatch) -> TemporaryFile:
    """Copy the file of a batch out of the database. Raises: Invalid if it was deleted."""
    copied = TemporaryFile(Path(batch.name).suffix[:10])
    with copied.path.open("wb") as stream:
        part = 0
        while (content := await files.find_part(db, account_id, batch.id, part)) is not None:
            await run_in_file_thread(stream.write, content)
            part += 1
    if not part:
        raise deleted_error()
    return copied


def deleted_error() -> Invalid:
    """The error for an import whose file is no longer there."""
    return Invalid(_("The file of this import was deleted. Upload it again."), field="file")
