"""Run PostgreSQL's own programs. They end with this process, and see no password as an argument.

Everything they read and write goes through pipes of this process. If it is killed, `pg_dump`
cannot write any more, and `psql` gets no COMMIT, so the server rolls back. If one of them fails or
hangs, or this process is asked to stop, all of them have ended before the error is raised.
"""

import asyncio
import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import TypeVar
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from masthead.store.engine.interface import DatabaseError
from masthead.temporary_files import TemporaryFile

CHUNK = 256 * 1024
# Seconds in which a program may move no byte. `psql` moves none while PostgreSQL creates the
# indexes of a large database. Nothing limits the whole: a restore may take hours.
PATIENCE = 4 * 3600.0
STOP_SECONDS = 10.0  # to cancel the statement after SIGINT, and to end after SIGKILL
ERROR_BYTES = 4_000  # of the end of what a program says
# Others belong to the server; often, only a superuser may create them. `pg_dump` wants one that
# exists: every database has `plpgsql`.
EXTENSIONS = "pg_trgm|plpgsql"
LOCK_MILLISECONDS = 60_000  # that pg_dump waits for a lock, such as the one of a migration
# Newer programs write a setting that PostgreSQL 15 and 16 do not know
_NEWER_SETTING = b"SET transaction_timeout = 0;\n"
_NOT_SHOWN = ("password", "sslpassword", "target_session_attrs")
_SERVICE = "masthead"
_HANGING = (
    "`{name}` has read and written nothing for {hours:g} hours, and was stopped. The server may be "
    "unreachable, or `pg_stat_activity` shows what it waits for. Then run the command again."
)
_MISSING = (
    "There is no `{name}` {major} or newer for the PostgreSQL server ({found}). Install the "
    "package `postgresql-client-{major}`; masthead looks for it in PATH and in /usr/lib/postgresql."
)

T = TypeVar("T")


def _installed(name: str) -> list[Path]:
    """The places of a program, those in PATH first."""
    found = [Path(path)] if (path := shutil.which(name)) else []
    return [*found, *sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))]


def _major(program: Path) -> int:
    """The major version of a program; 0 if it cannot be run."""
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        told = subprocess.run(  # noqa: S603 - a program of PostgreSQL
            [program, "--version"], capture_output=True, text=True, check=True, timeout=60
        ).stdout
        return int((re.search(r"\d+", told) or ["0"])[0])
    return 0


def find_program(name: str, major: int) -> Path:
    """The program of a version, or else of the next newer one. Raises: DatabaseError."""
    versions = {_major(path): path for path in reversed(_installed(name))}
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
        str(find_program("pg_dump", major)),
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
        async with _running([*command, f"--dbname={shown}"], environment) as process:
            assert process.stdout is not None
            while chunk := await _in_time("pg_dump", process.stdout.read(CHUNK)):
                write(chunk)


async def restore(file: Path, url: str, major: int, *, before: str, after: str) -> None:
    """Run a dump in one transaction, between the statements `before` and `after`.

    major: the version of the server. Raises: DatabaseError, also after PATIENCE without a byte;
    then nothing has changed.
    """
    script = [
        str(find_program("pg_restore", major)),
        "--no-owner",
        "--no-privileges",
        "--file=-",
        str(file),
    ]
    client = [
        str(find_program("psql", major)),
        "--no-psqlrc",
        "--quiet",
        "--set=ON_ERROR_STOP=1",
    ]
    with connection_of(url) as (shown, environment):
        async with _running([*client, f"--dbname={shown}"], environment) as psql:
            assert psql.stdin is not None
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # psql says why
                psql.stdin.write(f"BEGIN;\n{before}\n".encode())
                async with _running(script, environment) as reading:
                    assert reading.stdout is not None
                    head = await _in_time("pg_restore", _head(reading.stdout))
                    psql.stdin.write(head.replace(_NEWER_SETTING, b"", 1))
                    while chunk := await _in_time("pg_restore", reading.stdout.read(CHUNK)):
                        psql.stdin.write(chunk)
                        await _in_time("psql", psql.stdin.drain())
                psql.stdin.write(f"\n{after}\nCOMMIT;\n".encode())


async def _head(stream: asyncio.StreamReader) -> bytes:
    """The first lines of a script, which have its settings."""
    lines = []
    while (line := await stream.readline()) and not line.startswith(b"CREATE"):
        lines.append(line)
    return b"".join([*lines, line])


@contextlib.asynccontextmanager
async def _running(
    command: list[str], environment: dict[str, str]
) -> AsyncIterator[asyncio.subprocess.Process]:
    """A program with pipes, for the block; it must succeed, and has ended after the block.

    Raises: DatabaseError with the end of its message.
    """
    name = Path(command[0]).name
    with tempfile.TemporaryFile() as errors:
        process = await asyncio.create_subprocess_exec(
            *command,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE if name != "psql" else subprocess.DEVNULL,
            stderr=errors,
            limit=CHUNK,
            start_new_session=True,  # Ctrl-C goes only to this process, which stops the program
        )
        try:
            yield process
            await _in_time(name, process.communicate(b""))
        finally:
            await _stop(process)
        if process.returncode:
            errors.seek(max(errors.seek(0, os.SEEK_END) - ERROR_BYTES, 0))
            said = errors.read().decode(errors="replace").strip()
            raise DatabaseError(f"`{name}` failed: {said or f'exit code {process.returncode}'}")


async def _in_time(name: str, step: Awaitable[T]) -> T:
    """The result of the next step of a program. Raises: DatabaseError if it takes PATIENCE."""
    try:
        async with asyncio.timeout(PATIENCE):
            return await step
    except TimeoutError:
        raise DatabaseError(_HANGING.format(name=name, hours=PATIENCE / 3600)) from None


async def _stop(process: asyncio.subprocess.Process) -> None:
    """End a program that still runs; on SIGINT, it cancels its statement on the server.

    `communicate` reads what it has written: asyncio waits for the end of all pipes.
    """
    for number in (signal.SIGINT, signal.SIGKILL):
        if process.returncode is None:
            process.send_signal(number)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(STOP_SECONDS):
                    await process.communicate(b"")
