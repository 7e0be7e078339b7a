"""No cell of a CSV file becomes a formula, wherever a spreadsheet splits the file."""

import csv
import io
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from masthead.model.types.spreadsheets import guarded, unguarded
from tests.support.cases import for_each
from tests.support.waiting import PATIENCE

SIGNS = set("=+-@")
TEXTS = st.lists(
    st.sampled_from([*SIGNS, *",;\t\r\n\"' \xa0", "x", "1", "=cmd|'/C calc'!A0"]), max_size=12
).map("".join)


def split(content: str, separator: str) -> list[str]:
    """The cells of a file, as a program reads it that does not know its separator."""
    lines = content.replace("\r\n", "\n").replace("\r", "\n").splitlines(keepends=True)
    return [cell for row in csv.reader(lines, delimiter=separator) for cell in row]


def written(text: str, separator: str = ",") -> str:
    """A file with a text between two others."""
    target = io.StringIO(newline="")
    csv.writer(target, delimiter=separator).writerow(["a", text, "b"])
    return target.getvalue()


@for_each(
    "text, safe",
    [
        ("Ada", "Ada"),
        ("", ""),
        ("=1+1", "'=1+1"),
        (" -1", "' -1"),
        ("\tx", "'\tx"),
        ("Ada;=cmd|'/C calc'!A0", "Ada;'=cmd|'/C calc'!A0"),
        ('Ada;"=1"', 'Ada;\'"=1"'),
        ("12,-3", "12,'-3"),
        ("12, Hauptstraße 4-6", "12, Hauptstraße 4-6"),
        ("one\n=2", "one\n'=2"),
        ("O'Brien; 's-Hertogenbosch", "O'Brien; 's-Hertogenbosch"),
        ("+49 421 1234", "'+49 421 1234"),
    ],
)
def test_a_guard_stands_where_a_formula_could_begin(text: str, safe: str) -> None:
    assert guarded(text) == safe
    assert unguarded(safe) == text


@given(TEXTS)
def test_no_separator_makes_a_formula(text: str) -> None:
    for separator in ",;\t":
        for other in ",;\t":
            for cell in split(written(guarded(text), separator), other):
                assert cell.lstrip(" \xa0'\"")[:1] not in SIGNS or cell[:1] == "'", (text, cell)


@given(TEXTS)
def test_the_text_before_is_found_again(text: str) -> None:
    assert unguarded(guarded(text)) == text


def test_without_the_guard_a_semicolon_makes_a_formula() -> None:
    assert any(cell.startswith("=") for cell in split(written("Ada;=1+1"), ";"))


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("soffice"), reason="needs LibreOffice Calc")
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_libreoffice_runs_no_formula(tmp_path: Path, separator: str) -> None:
    texts = ["Ada;=1+1", "Ada,=1+1", "Ada\t=1+1", "=1+1", 'Ada;"=1+1"', "Ada; =1+1", "a\n=1+1"]
    for name, safe in (("safe", True), ("control", False)):
        content = "".join(written(guarded(text) if safe else text) for text in texts)
        (tmp_path / f"{name}.csv").write_text(content, encoding="utf-8")
        subprocess.run(
            [
                *("soffice", "--headless", f"-env:UserInstallation=file://{tmp_path}/profile"),
                f"--infilter=CSV:{ord(separator)},34,76,1,,0,false,true",
                *("--convert-to", "fods", "--outdir", str(tmp_path), str(tmp_path / f"{name}.csv")),
            ],
            check=True,
            timeout=PATIENCE,
            capture_output=True,
        )
    assert "table:formula" not in (tmp_path / "safe.fods").read_text(encoding="utf-8")
    assert "table:formula" in (tmp_path / "control.fods").read_text(encoding="utf-8")
