"""A temporary PostgreSQL server that has replayed an archive up to a moment."""

import asyncio
import contextlib
import os
import pwd
import re
import shlex
import shutil
import tarfile
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from masthead.store.engine.interface import DatabaseError
from masthead.store.engine.moving.base_backups import (
    DATA,
    LOG,
    BaseBackup,
    find_base_backup,
    list_missing,
)
from masthead.store.engine.moving.postgres_tools import find_program
from masthead.store.engine.moving.programs import completed, running
from masthead.store.engine.private_files import create_private_folder

LOG_FILE = "log"  # of the temporary server
MAX_PLACE = 60  # characters of the folder for temporary files; the rest of a socket's path needs 40
WAIT_SECONDS = 0.05  # between looking whether it has replayed everything
PIECE = 1_048_576  # bytes of a file that are read at once
SHOWN = 1_000  # characters, of the end of its log
# The socket is in the folder of the data, which only the server and this process may enter; "." is
# short enough for one. Nothing is flushed, as what the server writes is removed in the end.
_SETTINGS = """\
listen_addresses = ''
unix_socket_directories = '.'
hot_standby = off
archive_mode = off
max_prepared_transactions = 1000
fsync = off
full_page_writes = off
lc_messages = 'C'
restore_command = {copy}
recovery_target_action = 'promote'
"""
_LAST = re.compile(r"last completed transaction was at log time (\S+ \S+)")
_TOO_EARLY = "recovery ended before configured recovery target was reached"


class _EndOfLog(DatabaseError):
    """The log, which has no hole, ends before the moment. end: when its last change was."""

    def __init__(self, message: str, end: datetime) -> None:
        super().__init__(message)
        self.end = end


@contextlib.asynccontextmanager
async def open_recovered(archive: Path, at: datetime, folder: Path) -> AsyncIterator[str]:
    """The URL of masthead's database as it was at a moment, on a temporary server in a folder.

    It has what was committed up to that moment. It needs the programs of the version of the server
    that made the archive, and as much space as that server. Raises: DatabaseError.
    """
    path, base = find_base_backup(archive, at)
    program = await _find_server(base.major)
    login = _login()
    data = folder / "data"
    control = [str(program), f"--pgdata={data}", "--silent"]
    with _short_path(data) as socket:
        try:
            try:
                await asyncio.to_thread(_prepare, archive, path / DATA, data, at, login)
                await _replay(control, data, archive, base, login)
            except _EndOfLog as log:
                # PostgreSQL stops at the first change after the moment, and there is none
                if at != log.end:
                    raise
                await asyncio.to_thread(shutil.rmtree, data)
                await asyncio.to_thread(_prepare, archive, path / DATA, data, None, login)
                await _replay(control, data, archive, base, login)
            role, database = quote(base.role, ""), quote(base.database, "")
            yield f"postgresql://{role}@/{database}?host={quote(socket, '')}"
        finally:
            if _read(data / "postmaster.pid"):
                await completed(_run([*control, "stop", "--mode=immediate"], login))


async def _replay(
    control: list[str], data: Path, archive: Path, base: BaseBackup, login: Mapping[str, Any]
) -> None:
    """Start the server of a prepared folder, and wait until it is ready. Raises: DatabaseError."""
    log = data / LOG_FILE
    try:
        await _run([*control, "start", f"--log={log}"], login)
    except DatabaseError as reason:
        raise _failure(_read(log) or str(reason), archive, base) from reason
    while (state := _read(data / "postmaster.pid").splitlines()[-1:]) != ["ready"]:
        if not state:
            raise _failure(_read(log), archive, base)
        await asyncio.sleep(WAIT_SECONDS)


@contextlib.contextmanager
def _short_path(folder: Path) -> Iterator[str]:
    """Another path of a folder for the block; the one of a socket has at most 107 characters."""
    usual = tempfile.gettempdir()
    parent = usual if len(usual) <= MAX_PLACE else "/tmp"  # noqa: S108 - a folder of its own in it
    with tempfile.TemporaryDirectory(prefix="masthead-", dir=parent) as short:
        link = Path(short, "s")
        link.symlink_to(folder)
        yield str(link)


async def _find_server(major: int) -> Path:
    """The program that starts a server of that version. Raises: DatabaseError."""
    program = await find_program("pg_ctl", major)
    async with running([str(program), "--version"], os.environ) as process:
        line = await process.read_line()
    if f"{major}." not in line.decode():
        raise DatabaseError(
            f"The archive needs the programs of PostgreSQL {major}; found {program}. Install the "
            f"package `postgresql-{major}`."
        )
    return program


def _login() -> Mapping[str, Any]:
    """The user of the server, which does not run as root; empty for the one of this process.

    Raises: DatabaseError.
    """
    if os.geteuid() != 0:
        return {}
    try:
        entry = pwd.getpwnam("postgres")
    except KeyError:
        raise DatabaseError(
            "PostgreSQL does not run as root, and there is no user `postgres`. Run the command as "
            "the user of masthead."
        ) from None
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": [], "cwd": "/"}


def _prepare(
    archive: Path, base: Path, data: Path, at: datetime | None, login: Mapping[str, Any]
) -> None:
    """Unpack a base backup into a new folder, with the settings of a recovery up to a moment.

    at: None for the end of the log.
    """
    data.mkdir(mode=0o700)
    with tarfile.open(base) as tar:
        for member in tar:
            _unpack(tar, member, data)
    log = shlex.quote(str(archive / LOG)).replace("%", "%%")
    settings = _SETTINGS.format(copy=_quoted(f"cp {log}/%f %p"))
    if at is not None:
        settings += f"recovery_target_time = '{at.astimezone(UTC).isoformat(' ')}'\n"
    for name, text in {
        "postgresql.conf": settings,
        "postgresql.auto.conf": "",
        "pg_hba.conf": "local all all trust\n",
        "pg_ident.conf": "",
        "recovery.signal": "",
    }.items():
        (data / name).write_text(text, encoding="utf-8")
    if login:  # it must be able to enter, too
        for path in (data.parent, data, *data.rglob("*")):
            os.chown(path, login["user"], login["group"])


def _unpack(tar: tarfile.TarFile, member: tarfile.TarInfo, folder: Path) -> None:
    """Write a file or folder of a base backup, for its owner alone; never outside of `folder`.

    Python has filters for `extractall` only from 3.11.4 on, and Debian 12 has 3.11.2.
    Raises: DatabaseError.
    """
    path = folder / member.name
    if not path.resolve().is_relative_to(folder.resolve()):
        raise DatabaseError(f"`{member.name}` in the base backup is outside of its folder.")
    if member.isdir():
        create_private_folder(path)
    elif (source := tar.extractfile(member)) is not None:
        with source, path.open("xb") as target:
            shutil.copyfileobj(source, target, PIECE)
        path.chmod(0o600)


def _quoted(text: str) -> str:
    """A value of a settings file of PostgreSQL."""
    return "'" + text.replace("'", "''") + "'"


async def _run(command: list[str], login: Mapping[str, Any]) -> None:
    """Run `pg_ctl`. Raises: DatabaseError."""
    async with running(command, os.environ | {"LC_ALL": "C"}, login=login):
        pass


def _read(file: Path) -> str:
    """The text of a file of the server, without white space at its end; empty if there is none."""
    with contextlib.suppress(FileNotFoundError):
        return "\n".join(map(str.rstrip, file.read_text(errors="replace").rstrip().splitlines()))
    return ""


def _failure(log: str, archive: Path, base: BaseBackup) -> DatabaseError:
    """The error for a server that has ended: mostly, the log does not reach the moment."""
    hole = ""
    if missing := list_missing(archive, base):
        hole = f"`{archive / LOG}` has a hole, which begins with `{missing[0]}`. "
    if _TOO_EARLY not in log:
        return DatabaseError(f"{hole}PostgreSQL cannot replay the log: {log[-SHOWN:]}")
    end = base.finished_at
    if last := _LAST.findall(log):
        end = datetime.fromisoformat(last[-1]).astimezone(UTC)
    message = (
        f"{hole}The last change that can be restored is of {end.isoformat()}: give that moment, or "
        "an earlier one."
    )
    return DatabaseError(message) if hole else _EndOfLog(message, end)
