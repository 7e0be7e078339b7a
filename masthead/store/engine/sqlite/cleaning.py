"""Rewrite a SQLite file without what was deleted from it.

Deleted rows stay in free pages and in the gaps of pages, and older versions of pages in the log.
`secure_delete` does not reach copies that SQLite left behind when it split a page.
"""

import time
from contextlib import closing
from pathlib import Path

import apsw

from masthead.model.errors import Unavailable
from masthead.store.engine.sqlite.checkpoint_lease import checkpoint_lease
from masthead.store.engine.sqlite.checkpoints import is_left_to_litestream
from masthead.store.engine.sqlite.connection import open_file, translate_error

# Deleted text stays in the parts of the index of the search until they are merged
_MERGE = "INSERT INTO search_index (search_index) VALUES ('optimize')"
ATTEMPTS, PAUSE_SECONDS = 50, 0.1  # to empty the log, while others read or run a checkpoint


def clean_files(path: Path) -> None:
    """Rewrite the file, and empty its log. Raises: Unavailable if others use them all the time.

    Litestream empties the log itself, soon after.
    """
    try:
        with closing(open_file(path, read_only=False)) as connection:
            connection.execute(_MERGE)
            connection.execute("VACUUM")
            if is_left_to_litestream(path):
                return
            for _attempt in range(ATTEMPTS):
                if _empty_log(connection, path):
                    return
                time.sleep(PAUSE_SECONDS)
    except apsw.Error as reason:
        raise translate_error(reason) from reason
    raise Unavailable("The log of the database is in use all the time")


def _empty_log(connection: apsw.Connection, path: Path) -> bool:
    """Copy the log into the file and cut it to nothing; whether that was possible now."""
    try:
        with checkpoint_lease(path) as is_ours:
            if not is_ours:
                return False
            connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            return True
    except apsw.BusyError:  # somebody reads an old snapshot
        return False
