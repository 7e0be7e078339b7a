"""Run PostgreSQL's own programs. They end with this process, and see no password as an argument.

Everything they read and write goes through pipes of this process. If it is killed, `pg_dump`
cannot write any more, and `psql` gets no COMMIT, so the server rolls back. If one of them fails or
hangs, or this process is asked to stop, all of them have ended before the error is raised.
"""

import contextlib
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from masthead.store.engine.interface import DatabaseError
from masthead.store.engine.moving.programs import Program, running
from masthead.temporary_files import TemporaryFile

VERSION_SECONDS = 60.0  # in which a program says its version
# Others belong to the server; often, only a superuser may create them. `pg_dump` wants one that
# exists: every database has `plpgsql`.
EXTENSIONS = "pg_trgm|plpgsql"
LOCK_MILLISECONDS = 60_000  # that pg_dump waits for a lock, such as the one of a migration
# Newer programs write a setting that PostgreSQL 15 and 16 do not know
_NEWER_SETTING = b"SET transaction_timeout = 0;\n"
_NOT_SHOWN = ("password", "sslpassword", "target_session_attrs")
_SERVICE = "masthead"
_MISSING = (
    "There is no `{name}` {major} or newer for the PostgreSQL server ({found}). Install the "
    "package `postgresql-client-{major}`; masthead looks for it in PATH and in /usr/lib/postgresql."
)


def _installed(name: str) -> list[Path]:
    """The places of a program, those in PATH first."""
    found = [Path(path)] if (path := shutil.which(name)) else []
    return [*found, *sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))]


async def _major(program: Path) -> int:
    """The major version of a program; 0 if it cannot be run."""
    command = [str(program), "--version"]
    with contextlib.suppress(OSError, DatabaseError):
        async with running(command, os.environ, patience=VERSION_SECONDS) as process:
            line = await process.read_line()
        return int((re.search(rb"\d+", line) or [b"0"])[0])
    return 0


async def find_program(name: str, major: int) -> Path:
    """The program of a version, or else of the next newer one. Raises: DatabaseError."""
    versions = {await _major(path): path for path in reversed(_installed(name))}
    usable = [each for each in sorted(versions) if each >= major]
    if not usable:
        found = ", ".join(f"found {versions[each]} {each}" for each in versions) or "found none"
        raise DatabaseError(_MISSING.format(name=name, major=major, found=found))
    return versions[usable[0]]


@contextlib.contextmanager
def connection_of(url: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The URL as an argument of a program, and the environment with the passwords.

    The one of a private key has no variable: it is in a service file that only its owner reads.
    """
    parts = urlsplit(url)
    login, at, hosts = parts.netloc.rpartition("@")
    user, _, password = login.partition(":")
    options = parse_qsl(parts.query, keep_blank_values=True)
    given = dict(options)
    kept = [(name, value) for name, value in options if name not in _NOT_SHOWN]
    environment = os.environ | {
        "PGTARGETSESSIONATTRS": "primary",
        "PGOPTIONS": "-c client_min_messages=warning -c statement_timeout=0",
        "PGCONNECT_TIMEOUT": "10",
        "LC_ALL": "C",
    }
    if secret := unquote(password) or given.get("password"):
        environment["PGPASSWORD"] = secret
    if of_key := given.get("sslpassword"):
        file = TemporaryFile(".conf")
        file.path.write_text(f"[{_SERVICE}]\nsslpassword={of_key}\n", encoding="utf-8")
        environment["PGSERVICEFILE"] = str(file.path)
        kept.append(("service", _SERVICE))
    yield parts._replace(netloc=f"{user}{at}{hosts}", query=urlencode(kept)).geturl(), environment


async def dump(url: str, major: int, snapshot: str, write: Callable[[bytes], None]) -> None:
    """Pass the dump of an exported snapshot to `write`, in the custom format of pg_dump.

    It has no extensions but EXTENSIONS. major: the version of the server. Raises: DatabaseError,
    also after PATIENCE without a byte; errors of `write`.
    """
    command = [
        str(await find_program("pg_dump", major)),
        "--format=custom",
        "--compress=1",
        "--no-owner",
        "--no-privileges",
        "--no-comments",
        f"--extension={EXTENSIONS}",
        f"--lock-wait-timeout={LOCK_MILLISECONDS}",
        f"--snapshot={snapshot}",
    ]
    with connection_of(url) as (shown, environment):
        async with running([*command, f"--dbname={shown}"], environment) as pg_dump:
            while chunk := await pg_dump.read():
                write(chunk)


async def stream_base_backup(url: str, major: int, write: Callable[[bytes], object]) -> None:
    """Pass all files of a server to `write`, as a compressed tar file, without its log.

    The role of the URL needs the right `REPLICATION`. It waits until the log that the files need is
    archived. major: the version of the server. Raises: DatabaseError; errors of `write`.
    """
    command = [
        str(await find_program("pg_basebackup", major)),
        "--pgdata=-",
        "--format=tar",
        "--gzip",
        "--compress=1",
        "--wal-method=none",
        "--checkpoint=fast",
        "--label=masthead",
    ]
    with connection_of(url) as (shown, environment):
        async with running([*command, f"--dbname={shown}"], environment) as pg_basebackup:
            while chunk := await pg_basebackup.read():
                write(chunk)


async def restore(file: Path, url: str, major: int, *, before: str, after: str) -> None:
    """Run a dump in one transaction, between the statements `before` and `after`.

    major: the version of the server. Raises: DatabaseError, also after PATIENCE without a byte;
    then nothing has changed.
    """
    script = [
        str(await find_program("pg_restore", major)),
        "--no-owner",
        "--no-privileges",
        "--file=-",
        str(file),
    ]
    client = [
        str(await find_program("psql", major)),
        "--no-psqlrc",
        "--quiet",
        "--set=ON_ERROR_STOP=1",
    ]
    with connection_of(url) as (shown, environment):
        client.append(f"--dbname={shown}")
        async with running(client, environment, is_written=True) as psql:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # psql says why
                await psql.write(f"BEGIN;\n{before}\n".encode())
                async with running(script, environment) as pg_restore:
                    await psql.write((await _head(pg_restore)).replace(_NEWER_SETTING, b"", 1))
                    while chunk := await pg_restore.read():
                        await psql.write(chunk)
                await psql.write(f"\n{after}\nCOMMIT;\n".encode())


async def _head(script: Program) -> bytes:
    """The first lines of a script, which have its settings."""
    lines = []
    while (line := await script.read_line()) and not line.startswith(b"CREATE"):
        lines.append(line)
    return b"".join([*lines, line])
