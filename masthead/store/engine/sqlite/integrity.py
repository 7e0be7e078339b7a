"""Compare SQLite's trigram search index with the texts that it indexes.

SQLite maintains its other indexes itself; this one is updated by masthead's statements.
"""

from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw

from masthead.store.engine.interface import DatabaseError
from masthead.store.engine.sqlite.connection import open_file

INDEX = "search_index"
CHECK = "INSERT INTO search_index (search_index, rank) VALUES ('integrity-check', 1)"


def list_damaged(path: Path) -> list[str]:
    """The name of the index, if it differs from the texts.

    The comparison needs the write lock, so it runs on a copy of the database, in the same folder.
    A million rows take a minute. Raises: DatabaseError if there is no disk space for the copy.
    """
    try:
        return _compare_in_copy(path)
    except (apsw.Error, OSError) as reason:
        size = path.stat().st_size // 2**20 + 1
        # A copy of pages that finds no space has no text but "not an error"
        why = "the disk is full" if isinstance(reason, apsw.FullError) else reason
        raise DatabaseError(
            f"The search index cannot be checked: {why}. That needs {size} MiB "
            f"for a copy of the database in `{path.parent}`."
        ) from reason


def _compare_in_copy(path: Path) -> list[str]:
    with (
        TemporaryDirectory(dir=path.parent, prefix=f"{path.stem}-check-") as folder,
        closing(apsw.Connection(str(Path(folder) / path.name))) as copy,
    ):
        with closing(open_file(path, read_only=True)) as source:
            copy_pages(source, copy)
        try:
            copy.execute(CHECK)
        except apsw.CorruptError:
            return [INDEX]
    return []


def copy_pages(source: apsw.Connection, target: apsw.Connection) -> None:
    """Copy a consistent snapshot of a database, while others write to it."""
    with target.backup("main", source, "main") as copying:
        copying.step()
