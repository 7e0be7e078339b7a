"""Whether SQLite's index of trigrams has what the texts have.

SQLite keeps its other indexes right by itself; this one is told what to add and what to forget.
"""

from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw

from masthead.store.engine.interface import DatabaseError
from masthead.store.engine.sqlite.connection import open_file

INDEX = "search_index"


def list_damaged(path: Path) -> list[str]:
    """The name of the index, if it is not whole.

    SQLite compares as a writer, and so keeps others from writing: it does it in a copy. Needs as
    much room on the disk as the database, in its folder; a million rows take a minute.
    Raises: DatabaseError if there is no room.
    """
    try:
        return _compare_in_copy(path)
    except (apsw.Error, OSError) as reason:
        size = path.stat().st_size // 2**20 + 1
        raise DatabaseError(
            f"The search index cannot be checked: {reason}. That needs {size} MiB "
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
            copy.execute(f"INSERT INTO {INDEX} ({INDEX}, rank) VALUES ('integrity-check', 1)")  # noqa: S608
        except apsw.CorruptError:
            return [INDEX]
    return []


def copy_pages(source: apsw.Connection, target: apsw.Connection) -> None:
    """Copy a whole database as of one moment, while others continue to write to it."""
    with target.backup("main", source, "main") as copying:
        copying.step()
