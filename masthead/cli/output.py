"""Print the output of commands: data to stdout, messages to stderr."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any, TextIO

import msgspec
from rich.cells import cell_len
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from masthead.model.types.clean_text import one_line


class OutputClosedError(Exception):
    """Nothing reads stdout any more, as after `| head -1`."""


def print_message(text: str) -> None:
    """Print a message to stderr; a command whose messages have no reader does its work too."""
    try:
        print(text, file=sys.stderr, flush=True)  # noqa: T201 - all messages pass here
    except BrokenPipeError:
        _discard(sys.stderr)


def print_data(text: str) -> None:
    """Print data to stdout. Raises: OutputClosedError."""
    try:
        print(text, flush=True)  # noqa: T201 - all data passes here
    except BrokenPipeError:
        _discard(sys.stdout)
        raise OutputClosedError from None


def _discard(stream: TextIO) -> None:
    """Let the flush at the end of the process succeed; its pipe has no reader."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def print_json(record: Mapping[str, Any]) -> None:
    """Print one JSON object."""
    print_data(msgspec.json.encode(record).decode())


def print_record(record: Mapping[str, Any], *, json: bool) -> None:
    """Print one record: as JSON, or one field per line."""
    if json:
        print_json(record)
    else:
        width = max(map(len, record))
        for name, value in record.items():
            print_data(f"{name:<{width}}  {_cell(value)}".rstrip())


def print_done(record: Mapping[str, Any], message: str, *, json: bool) -> None:
    """Say what was done: one record as JSON, or a message."""
    if json:
        print_json(record)
    else:
        print_message(message)


def print_records(records: Iterable[Mapping[str, Any]], *, json: bool) -> None:
    """Print records: as JSON under `items`, or as a table with one line per record."""
    rows = list(records)
    if json:
        print_json({"items": rows})
    elif rows:
        lines = [list(rows[0]), *([_cell(value) for value in row.values()] for row in rows)]
        widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
        for line in lines:
            pairs = zip(line, widths, strict=True)
            padded = (text + " " * (width - cell_len(text)) for text, width in pairs)
            print_data("  ".join(padded).rstrip())


def _cell(value: object) -> str:
    """A value as visible text on one line: some texts are from others."""
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else one_line(str(value))


def progress_bar() -> Progress:
    """A progress bar on stderr, which only a terminal shows."""
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


@contextmanager
def rows_counted(total: int | None = None) -> Iterator[Callable[[int], None]]:
    """A progress bar for the block, as a function that takes how many rows are done."""
    with progress_bar() as progress:
        task = progress.add_task("rows", total=total)
        yield lambda rows: progress.update(task, completed=rows)
