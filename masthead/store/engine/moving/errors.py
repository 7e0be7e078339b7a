"""Errors of databases and disks while a whole database is moved, as sentences."""

import contextlib
import errno
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs

import apsw
import asyncpg

from masthead.store.engine.interface import DatabaseError, is_postgres, sqlite_path
from masthead.store.engine.postgres.session import REFUSALS


@contextlib.contextmanager
def named_errors(url: str, folder: Path | None = None) -> Iterator[None]:
    """Turn errors of the drivers and of the disk into a DatabaseError about that database.

    folder: where files are written, unless that is beside the file of SQLite.
    """
    try:
        yield
    except apsw.FullError as reason:
        raise full_error(sqlite_path(url).parent) from reason
    except apsw.Error as reason:
        raise DatabaseError(f"`{sqlite_path(url)}`: {str(reason).rstrip('.')}.") from reason
    except asyncpg.InsufficientPrivilegeError as reason:
        raise DatabaseError(
            f"PostgreSQL refuses: {reason}. The role of the URL must own the database, or at "
            "least have the right to create tables in it: `GRANT CREATE ON SCHEMA public TO …`."
        ) from reason
    except asyncpg.DiskFullError as reason:
        raise DatabaseError(f"The disk of PostgreSQL is full: {reason}.") from reason
    except REFUSALS as reason:
        if isinstance(reason, OSError) and is_disk_full(reason):
            beside = folder or Path("." if is_postgres(url) else sqlite_path(url))
            raise full_error(Path(reason.filename or beside)) from reason
        if not is_postgres(url):
            raise
        text = str(reason) or type(reason).__name__
        raise DatabaseError(f"{name_database(url)}: {text}.") from reason


def name_database(url: str) -> str:
    """The database of a URL in a message: its path, or its server and name; never a password."""
    if not is_postgres(url):
        return "SQLite" if "@" in url else f"`{url.removeprefix('sqlite:///')}`"
    login, _, rest = url.partition("://")[2].rpartition("@")
    if any(sign in login for sign in "/?#"):  # an "@" is missing, so the rest may be a password
        return "PostgreSQL"
    address, _, options = rest.partition("?")
    if address.startswith("/"):
        address = ",".join(parse_qs(options).get("host", [])) + address
    return f"PostgreSQL (`{address}`)"


def is_disk_full(reason: OSError) -> bool:
    """Whether an error says that there is no space left."""
    return reason.errno in (errno.ENOSPC, errno.EDQUOT)


def full_error(folder: Path) -> DatabaseError:
    """The error for a disk without space."""
    folder = folder.absolute()
    while not folder.is_dir():
        folder = folder.parent
    free = shutil.disk_usage(folder).free // 2**20
    return DatabaseError(
        f"The disk of `{folder}` is full ({free} MiB free). Free some space, and run the command "
        "again; what it began is removed."
    )
