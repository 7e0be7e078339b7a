"""A zero that a system writes for no date is no date, in every column of every preset."""

import csv
from pathlib import Path

import pytest

from masthead.model.imports.presets.registry import get_preset, list_presets
from masthead.model.imports.rows.prepared import PreparedRow
from masthead.model.imports.targets import TARGETS
from tests.services.imports.presets.preset_files import FILES, prepare_path

DAYS = {name for name, target in TARGETS.items() if target.kind == "day"}
ZEROS = ("0000-00-00 00:00:00", "0", "30.12.1899", "01/01/1970 00:00")
PRESETS = [preset.name for preset in list_presets()]


def columns_of(preset: str) -> set[str]:
    """The columns with dates that a preset reads, whether or not the file has them."""
    rules = get_preset(preset).mapping.columns
    return {column for name in DAYS & rules.keys() for column in rules[name].columns}


def prepared(rows: list[list[str]], path: Path, preset: str) -> list[tuple[object, ...]]:
    """What becomes of the rows of a file: orders, refusals and rows that are left out."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(rows)
    return [outcome(row) for row in prepare_path(path, preset)]


def outcome(row: PreparedRow) -> tuple[object, ...]:
    return row.order, row.left_out, [reason.text for reason in row.reasons]


@pytest.mark.parametrize("preset", PRESETS)
def test_a_zero_is_the_same_as_an_empty_cell(preset: str, tmp_path: Path) -> None:
    with (FILES / f"{preset}.csv").open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.reader(stream))
    places = [place for place, name in enumerate(rows[0]) if name in columns_of(preset)]
    assert places
    for place in places:

        def changed(text: str, place: int = place) -> list[list[str]]:
            return [rows[0], *([*row[:place], text, *row[place + 1 :]] for row in rows[1:])]

        empty = prepared(changed(""), tmp_path / "a.csv", preset)
        for zero in ZEROS:
            assert prepared(changed(zero), tmp_path / "a.csv", preset) == empty, rows[0][place]
