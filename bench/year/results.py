"""The results of the simulation: one file for each database."""

from pathlib import Path

import msgspec
from msgspec import Struct

from bench.year.simulate import Month
from bench.year.sizes import TableSize


class YearResult(Struct, frozen=True):
    """A simulated year, and where, when and how it was measured.

    before, after: the tables at the start and at the end. seconds: of the whole simulation.
    """

    database: str
    subscribers: int
    measured: str
    commit: str
    machine: dict[str, str]
    seconds: float
    months: list[Month]
    before: dict[str, TableSize]
    after: dict[str, TableSize]


def keep(folder: Path, result: YearResult) -> None:
    """Store a result; it replaces the previous one of its database."""
    folder.mkdir(parents=True, exist_ok=True)
    raw = msgspec.json.format(msgspec.json.encode(result), indent=1)
    (folder / f"{result.database}.json").write_bytes(raw + b"\n")


def load(folder: Path) -> list[YearResult]:
    """All results, SQLite first."""
    paths = sorted(folder.glob("*.json"), reverse=True)
    return [msgspec.json.decode(path.read_bytes(), type=YearResult) for path in paths]
