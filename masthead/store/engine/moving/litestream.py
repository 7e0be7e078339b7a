"""A SQLite file at a moment, from what Litestream has copied to a folder or to S3.

Each time that Litestream copies the log, it writes a file, with a number and the moment of that.
What was written just before a moment is in the first file *after* it. So that file is restored too,
and the result is of its moment. Litestream's own option `-timestamp` leaves it out, and with it up
to a second of writes that had been acknowledged.
"""

import os
import re
import shutil
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from msgspec import Struct

from masthead.model.types.json_texts import decode_json
from masthead.store.engine.interface import DatabaseError
from masthead.store.engine.moving.programs import running

FILES = "ltx"  # the folder of what it has copied
OLDEST = (0, 5, 17)  # the first with a SQLite that loses no writes while masthead runs
# While masthead runs, it writes every few seconds; Litestream keeps a file for each half minute
GAP = timedelta(seconds=30)
REST = timedelta(milliseconds=999)  # of the second of a file, whose fraction is not told
# What Litestream says of a moment that is not in what it has copied
_NONE = ("timestamp does not exist", "transaction not available")


class _File(Struct, frozen=True):
    """A file of Litestream. timestamp: rounded down to a second."""

    max_txid: str
    timestamp: datetime


class _Plan(Struct, frozen=True):
    """What Litestream would restore."""

    max_txid: str


async def restore_moment(replica: str, at: datetime, path: Path) -> datetime:
    """Write the database of a moment to a new file; the moment that it is of, at the latest.

    It has what was committed up to `at`, and what Litestream copied together with that.
    replica: an absolute path, or a URL such as `s3://bucket/masthead`. Raises: DatabaseError.
    """
    program = await _find_program()
    url = replica if "://" in replica else f"file://{replica}"
    files = decode_json(await _output(program, "ltx", "-level", "all", "-json", url), list[_File])
    if not files:
        raise DatabaseError(f"`{replica}` has nothing that Litestream has written.")
    files = sorted(files, key=lambda each: (each.max_txid, each.timestamp))
    before = await _find_before(program, url, at, path)
    if not before:
        raise _outside(replica, at, files)
    chosen = next(each for each in files if each.max_txid > before)
    if not at.replace(microsecond=0) <= chosen.timestamp <= at + GAP:
        earlier = max(each.timestamp for each in files if each.max_txid <= before)
        raise DatabaseError(
            f"`{replica}` has nothing between {_shown(earlier)} and {_shown(chosen.timestamp)}. "
            "Litestream did not run then, or masthead did not. "
            f"`--at {_shown(earlier)}` restores what was written before that, and "
            f"`--at {_shown(chosen.timestamp)}` also all that was written in between."
        )
    await _output(program, "restore", "-txid", chosen.max_txid, "-o", str(path), url)
    return chosen.timestamp + REST


async def _find_before(program: Path, url: str, at: datetime, path: Path) -> str:
    """The number of the last file before a moment; empty if it is not in what was copied."""
    moment = at.astimezone(UTC).isoformat()
    options = ("-dry-run", "-json", "-timestamp", moment, "-o", str(path))
    try:
        plan = await _output(program, "restore", *options, url)
    except DatabaseError as reason:
        if not any(text in str(reason) for text in _NONE):
            raise
        return ""
    return decode_json(plan, _Plan).max_txid


def _outside(replica: str, at: datetime, files: list[_File]) -> DatabaseError:
    """The error for a moment before the first or after the last file."""
    second = timedelta(seconds=1)
    first, last = files[0].timestamp + second, files[-1].timestamp
    if at <= first:
        return DatabaseError(
            f"`{replica}` begins at {_shown(first)}: nothing before that can be restored."
        )
    return DatabaseError(
        f"`{replica}` ends at {_shown(last)}: give that moment, or an earlier one."
    )


async def _find_program() -> Path:
    """The program `litestream`. Raises: DatabaseError if it is missing or too old."""
    beside = str(Path(sys.executable).parent)
    found = shutil.which("litestream") or shutil.which("litestream", path=beside)
    wanted = ".".join(map(str, OLDEST))
    if found is None:
        raise DatabaseError(f"There is no program `litestream`. Install {wanted} or newer.")
    output = (await _output(Path(found), "version")).decode()
    version = tuple(map(int, re.findall(r"\d+", output)[:3]))
    if version < OLDEST:
        raise DatabaseError(
            f"`{found}` has version {output.strip()}, which is not safe. Install {wanted} or newer."
        )
    return Path(found)


async def _output(program: Path, *words: str) -> bytes:
    """What a command of Litestream writes. Raises: DatabaseError."""
    chunks = []
    async with running([str(program), *words], os.environ) as process:
        while chunk := await process.read():
            chunks.append(chunk)
    return b"".join(chunks)


def _shown(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
