"""The process that reads a large file and prepares its rows, while its parent places them.

It takes the rows to a second core: preparing one takes half as long as placing its order. It writes
MessagePack to its standard output: the names of the columns, then batches of rows.
"""

import gc
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import IO

import msgspec
from msgspec import Struct

from masthead.model.imports.plan import AccountFacts, ImportPlan, Survey
from masthead.model.imports.rows.prepared import PreparedRow
from masthead.model.imports.tabular_data import Corrections, correct_table
from masthead.model.privacy.digests import PersonDetails
from masthead.model.translations import current_language, set_language
from masthead.services.imports.reading import FileReading, prepare
from masthead.services.imports.table import open_table
from masthead.supervision import follow_supervisor, supervised_environment
from masthead.temporary_files import use_own_folder

MODULE = "masthead.services.imports.work.reader_process"
LARGE = 5_000  # rows; the process needs half a second to start
_LARGE_BYTES = 1_000_000  # of a file with about so many rows
_BATCH = 500  # rows that are sent together
_KEPT = ("order_id", *PersonDetails.__struct_fields__)  # of a refused row
_LENGTH = struct.Struct("!I")
_ENCODER = msgspec.msgpack.Encoder()
_ROWS = msgspec.msgpack.Decoder(list[PreparedRow])


class RowsToPrepare(Struct, frozen=True):
    """What the process reads from its standard input. skip: how many rows are done already."""

    path: str
    sheet: str | None
    encoding: str | None
    plan: ImportPlan
    survey: Survey
    facts: AccountFacts
    corrections: Corrections
    skip: int
    language: str


def prepared_rows(reading: FileReading, *, skip: int = 0) -> Iterator[PreparedRow]:
    """The rows of a file after the first ones; those of a large file come from another process.

    Rows of another process have few `fields`. Call it in a thread.
    """
    if reading.table.path is None or reading.survey.rows - skip < LARGE:
        return islice(reading.rows(), skip, None)
    return _read_from_process(task_of(reading, skip=skip))


def task_of(reading: FileReading, *, skip: int) -> RowsToPrepare:
    """What the process has to do."""
    assert reading.table.path is not None
    return RowsToPrepare(
        path=str(reading.table.path.absolute()),
        sheet=reading.sheet,
        encoding=reading.table.encoding,
        plan=reading.plan,
        survey=reading.survey,
        facts=reading.facts,
        corrections=reading.corrections,
        skip=skip,
        language=current_language(),
    )


_started: list[subprocess.Popen[bytes]] = []  # before its task is known


def start_early(path: Path) -> None:
    """Start the process while the rest of the command reads the file for the first time.

    It ends with this process if it gets no task.
    """
    if not _started and path.stat().st_size >= _LARGE_BYTES:
        _started.append(_start())


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - masthead itself
        [sys.executable, "-P", "-m", MODULE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=supervised_environment(),
        start_new_session=True,  # a signal to all processes of a terminal goes only to this one
    )


def _read_from_process(task: RowsToPrepare) -> Iterator[PreparedRow]:
    process = _started.pop() if _started else _start()
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        try:
            with suppress(BrokenPipeError), process.stdin as stream:  # its exit is noticed below
                stream.write(msgspec.json.encode(task))
            names = msgspec.msgpack.decode(_receive(process.stdout), type=dict[str, str])
            while batch := _ROWS.decode(_receive(process.stdout)):
                for row in batch:
                    row.names = names
                    yield row
        finally:
            process.kill()  # it has ended unless this one stops early


def _receive(stream: IO[bytes]) -> bytes:
    """One message. Raises: RuntimeError if the process has failed."""
    head = stream.read(_LENGTH.size)
    length = _LENGTH.unpack(head)[0] if len(head) == _LENGTH.size else -1
    message = stream.read(length) if length >= 0 else b""
    if len(message) != length:
        raise RuntimeError("The process that reads the file of an import has failed.")
    return message


def _send(stream: IO[bytes], message: object) -> None:
    content = _ENCODER.encode(message)
    stream.write(_LENGTH.pack(len(content)) + content)


def send_rows(task: RowsToPrepare, target: IO[bytes]) -> None:
    """Write the prepared rows, and an empty batch after the last one."""
    path = Path(task.path)
    table = open_table(path, name=path.name, sheet=task.sheet, encoding=task.encoding)
    corrected = correct_table(table, task.corrections)
    rows = islice(prepare(corrected, task.plan, task.survey, task.facts), task.skip, None)
    batch = list(islice(rows, _BATCH))
    _send(target, batch[0].names if batch else {})
    while batch:
        for row in batch:
            row.names = {}
            kept = _KEPT if row.reasons else ()
            row.fields = {name: row.fields[name] for name in kept if name in row.fields}
        _send(target, batch)
        batch = list(islice(rows, _BATCH))
    _send(target, [])


def main() -> None:
    """Prepare the rows that standard input describes, if it describes any."""
    follow_supervisor()
    use_own_folder()
    gc.set_threshold(50_000)  # with the default, searching for cycles takes 6 % of the time
    if not (content := sys.stdin.buffer.read()):
        return
    task = msgspec.json.decode(content, type=RowsToPrepare)
    set_language(task.language)
    send_rows(task, sys.stdout.buffer)
    sys.stdout.buffer.flush()


if __name__ == "__main__":  # pragma: no cover - in its own process
    main()
