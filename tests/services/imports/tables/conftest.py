"""Workbooks that the process of the test reads."""

from pathlib import Path

import pytest

from masthead.services.imports import workbook, workbook_rows


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The path for a file, with a name that says nothing about its kind."""
    return tmp_path / "upload"


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """No process of its own reads the sheets."""

    def read(path: Path, target: Path, sheet: str | None, memory: int) -> workbook_rows.SheetFound:
        with target.open("w", encoding="utf-8", newline="") as stream:
            return workbook_rows.read_sheet(path, sheet, stream)

    monkeypatch.setattr(workbook, "_read_in_process", read)
