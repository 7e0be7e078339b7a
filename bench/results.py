"""Results: one file per part and database, so that each can be measured again alone."""

from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct


class Result(Struct, frozen=True):
    """The results of one part on one database, and where, when and how they were measured."""

    part: str
    database: str
    measured: str
    commit: str
    preset: str
    rounds: int
    seconds: float
    machine: dict[str, str]
    versions: dict[str, str]
    data: Any


def keep(folder: Path, result: Result) -> None:
    """Store a result; it replaces the previous one."""
    folder.mkdir(parents=True, exist_ok=True)
    raw = msgspec.json.encode(_rounded(msgspec.to_builtins(result)))
    path = folder / f"{result.part}-{result.database}.json"
    path.write_bytes(msgspec.json.format(raw, indent=1) + b"\n")


def _rounded(value: Any) -> Any:
    """Numbers with four significant digits: more would only show random differences."""
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {name: _rounded(inner) for name, inner in value.items()}
    return [_rounded(inner) for inner in value] if isinstance(value, list) else value


def load(folder: Path) -> dict[tuple[str, str], Result]:
    """All results by part and database."""
    found = (
        msgspec.json.decode(path.read_bytes(), type=Result)
        for path in sorted(folder.glob("*.json"))
    )
    return {(result.part, result.database): result for result in found}
