"""Rows as lines of text that are the same on both engines, and digests of tables.

A line is in the text format of PostgreSQL's COPY: its columns in the order of their names,
separated by tabs. A boolean is 0 or 1, a date is `2026-01-31`, a moment is in UTC with
microseconds (`2026-01-31T12:00:00.000000+00:00`), and bytes are hexadecimal.
"""

import hashlib
import re
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from itertools import chain
from typing import Any

from msgspec import Struct

BATCH = 500  # lines that are read and written together
NULL = r"\N"
_MODULUS = 2**128
_MEANING = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "\\": "\\"}
_ESCAPES = str.maketrans({meant: f"\\{letter}" for letter, meant in _MEANING.items()})
_ESCAPED = re.compile(r"\\(.)")
_CONTROL = re.compile(r"[\n\r\x08\f\v]")
_MOMENT = len("2026-01-31T12:00:00.000000+00:00")

Lines = AsyncIterator[list[str]]  # in batches


class StoredTable(Struct, frozen=True):
    """A table: its columns with their types, sorted by name."""

    name: str
    columns: tuple[tuple[str, str], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its columns."""
        return tuple(name for name, _ in self.columns)

    def positions(self, type: str) -> list[int]:
        """The positions of the columns of a type."""
        return [each for each, (_, found) in enumerate(self.columns) if found == type]


class TableDigest(Struct, frozen=True):
    """The number of rows of a table, and a digest of them that does not depend on their order."""

    rows: int
    digest: str


class Digester:
    """Adds up the hashes of lines."""

    def __init__(self) -> None:
        self._rows, self._sum = 0, 0

    def add(self, lines: Sequence[str]) -> None:
        """Add lines."""
        hashed, convert = hashlib.blake2b, int.from_bytes
        self._sum += sum(
            convert(hashed(line.encode(), digest_size=16).digest(), "big") for line in lines
        )
        self._rows += len(lines)

    @property
    def outcome(self) -> TableDigest:
        """The number of lines so far, and their digest."""
        return TableDigest(self._rows, f"{self._sum % _MODULUS:032x}")


def digest_of_all(tables: dict[str, TableDigest]) -> str:
    """One digest of all tables."""
    lines = (f"{name} {each.rows} {each.digest}\n" for name, each in sorted(tables.items()))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def encoder_of(table: StoredTable) -> Callable[[Iterable[Sequence[Any]]], list[str]]:
    """The function that turns rows of SQLite into lines."""
    moments, separators = table.positions("timestamptz"), len(table.columns) - 1

    def encode(rows: Iterable[Sequence[Any]]) -> list[str]:
        lines = []
        for row in rows:
            cells = [
                each
                if each.__class__ is str
                else str(each)
                if each.__class__ is int
                else _encode_rare(each)
                for each in row
            ]
            for position in moments:
                cell = cells[position]
                if not (len(cell) == _MOMENT and cell.endswith("+00:00")) and cell != NULL:
                    cells[position] = _format_moment(cell)
            line = "\t".join(cells)
            if (
                line.count("\\") != row.count(None)
                or line.count("\t") != separators
                or _CONTROL.search(line)
            ):
                line = "\t".join(
                    [
                        cell.translate(_ESCAPES) if value.__class__ is str else cell
                        for cell, value in zip(cells, row, strict=True)
                    ]
                )
            lines.append(line)
        return lines

    return encode


def _encode_rare(value: object) -> str:
    if value is None:
        return NULL
    if isinstance(value, bytes):
        return rf"\\x{value.hex()}"
    return str(value)


@lru_cache
def _format_moment(text: str) -> str:
    """A moment that was stored without microseconds, or in another time zone."""
    moment = datetime.fromisoformat(text)
    return (
        moment.replace(tzinfo=moment.tzinfo or UTC)
        .astimezone(UTC)
        .isoformat(timespec="microseconds")
    )


def decoder_of(table: StoredTable) -> Callable[[Iterable[str]], list[Sequence[Any]]]:
    """The function that turns lines into rows for SQLite.

    Numbers remain text: SQLite converts them by the type of their column.
    """
    blobs = frozenset(table.positions("bytea"))

    def decode(lines: Iterable[str]) -> list[Sequence[Any]]:
        return [
            [_decode(cell, position in blobs) for position, cell in enumerate(line.split("\t"))]
            if "\\" in line
            else line.split("\t")
            for line in lines
        ]

    return decode


def _decode(cell: str, is_blob: bool) -> str | bytes | None:
    if cell == NULL:
        return None
    if is_blob:
        return bytes.fromhex(cell[3:])  # after `\\x`
    return _ESCAPED.sub(lambda match: _MEANING[match[1]], cell) if "\\" in cell else cell


async def digested(lines: Lines, digester: Digester) -> Lines:
    """The same lines, which are added to a digest on their way."""
    async for batch in lines:
        digester.add(batch)
        yield batch


async def digest(lines: Lines) -> TableDigest:
    """Read all lines of a table, for their digest."""
    digester = Digester()
    async for batch in lines:
        digester.add(batch)
    return digester.outcome


def as_bytes(batches: Iterable[Sequence[str]]) -> bytes:
    """Lines as COPY sends and receives them."""
    return "".join([f"{line}\n" for line in chain.from_iterable(batches)]).encode()
