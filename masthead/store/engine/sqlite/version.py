"""The SQLite library that masthead uses, and the versions that it refuses.

SQLite 3.7.0 to 3.51.2 has the WAL-reset defect (https://sqlite.org/wal.html#walresetbug): a
checkpoint beside a commit that restarts the log can lose committed writes and damage the file.
decision 0028.
"""

import apsw

from masthead.store.engine.interface import DatabaseError

Version = tuple[int, int, int]

FIRST_WITH_WAL: Version = (3, 7, 0)
FIXED: Version = (3, 51, 3)
BACKPORTS = {(3, 50): 7, (3, 44): 6}  # the first release with the fix in an older series


def engine_name() -> str:
    """The name of the SQLite library of this process, such as `SQLite 3.54.1`."""
    return f"SQLite {apsw.sqlite_lib_version()}"


def has_wal_reset_defect(version: Version) -> bool:
    """Whether this version of SQLite has the WAL-reset defect."""
    if not FIRST_WITH_WAL <= version < FIXED:
        return False
    major, minor, patch = version
    first_fixed = BACKPORTS.get((major, minor))
    return first_fixed is None or patch < first_fixed


def require_fixed_engine() -> None:
    """Raises: DatabaseError if the SQLite library of this process has the WAL-reset defect."""
    text = apsw.sqlite_lib_version()
    major, minor, patch = map(int, text.split(".")[:3])
    if has_wal_reset_defect((major, minor, patch)):
        raise DatabaseError(
            f"SQLite {text} can lose committed writes (the WAL-reset defect, "
            "https://sqlite.org/wal.html#walresetbug). Install the `apsw` package from PyPI, which "
            "includes a fixed SQLite, or use SQLite 3.51.3 or newer."
        )
