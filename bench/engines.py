"""A process that runs statements on one of two engines: masthead's SQLite, or the interpreter's.

It reads jobs from stdin and answers each on stdout, a MessagePack object after its length.
"""

import struct
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import msgspec
from msgspec import Struct

from masthead.store.engine.sqlite.connection import open_file

Statement = tuple[str, Any]  # text, values
Run = Callable[[str, Any], list[Any]]
HEAD = struct.Struct("!I")


class Job(Struct):
    """Transactions, or single statements, to run a number of times."""

    statements: list[Statement]
    times: int


class Done(Struct):
    """Microseconds of each run: clock time and processor time."""

    clock: float
    cpu: float


def send(stream: IO[bytes], message: Struct) -> None:
    """Send one message."""
    raw = msgspec.msgpack.encode(message)
    stream.write(HEAD.pack(len(raw)) + raw)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes:
    """One message; empty at the end."""
    head = stream.read(HEAD.size)
    return stream.read(HEAD.unpack(head)[0]) if head else b""


def runner(engine: str, path: Path) -> Run:
    """Run a statement on an engine."""
    if engine == "bundled":
        bundled = open_file(path, read_only=False)
        return lambda sql, values: bundled.execute(sql, values).fetchall()
    import sqlite3  # noqa: PLC0415, TID251 - what masthead is compared with, on a copy

    system = sqlite3.connect(path, isolation_level=None, cached_statements=256)
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        system.execute(f"PRAGMA {pragma}")
    system.execute("PRAGMA wal_autocheckpoint = 0")
    return lambda sql, values: system.execute(sql, values or ()).fetchall()


def measure(run: Run, job: Job) -> Done:
    """Run a job."""
    began, used = time.perf_counter(), time.process_time()
    for _ in range(job.times):
        for sql, values in job.statements:
            run(sql, values)
    return Done(
        (time.perf_counter() - began) / job.times * 1e6,
        (time.process_time() - used) / job.times * 1e6,
    )


def main(engine: str, path: str) -> None:
    """Run jobs until the input ends."""
    run = runner(engine, Path(path))
    while raw := receive(sys.stdin.buffer):
        send(sys.stdout.buffer, measure(run, msgspec.msgpack.decode(raw, type=Job)))


if __name__ == "__main__":
    main(*sys.argv[1:])
