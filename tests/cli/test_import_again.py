"""`masthead import` of files that were imported before, and what it refuses before it begins."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import python_calamine
import xlsxwriter

from masthead.cli.imports import import_file
from masthead.services.imports.work.leases import LeaseLost
from tests.cli.conftest import CommandLine
from tests.cli.test_import import HEADER, NOTHING, Shop, row


@pytest.fixture
def shop(masthead: CommandLine, tmp_path: Path) -> Shop:
    """An account to import into."""
    return Shop(masthead, tmp_path)


def test_the_rejects_of_corrected_rejects_are_numbered(shop: Shop) -> None:
    shop.write(row("A1", country="XX"))
    found = shop.full(code=1)["rejects"]
    for number in (2, 3):
        found = shop.full(code=1, path=Path(found))["rejects"]
        assert Path(found).name == f"list.csv.rejects-{number}.csv"
    Path(found).write_text(Path(found).read_text().replace("XX", "DE"))
    assert shop.run(path=Path(found)) == {**NOTHING, "read": 1, "imported": 1}


def test_the_rejects_of_a_workbook_are_a_workbook(shop: Shop, tmp_path: Path) -> None:
    file = tmp_path / "list.xlsx"
    write_workbook(
        file, HEADER.split(","), row("A1").split(","), row("A2", country="XX").split(",")
    )
    told = shop.full("--dry-run", "--rejects", str(tmp_path / "told.xlsx"), path=file, code=1)
    found = Path(shop.full(path=file, code=1)["rejects"])
    assert found.name == "list.xlsx.rejects.xlsx"
    assert Path(told["rejects"]).read_bytes() == found.read_bytes()
    head, line = python_calamine.load_workbook(found).get_sheet_by_index(0).to_python()
    write_workbook(found, head, ["DE" if cell == "XX" else cell for cell in line])
    assert shop.run(path=found) == {**NOTHING, "read": 1, "imported": 1}
    found.unlink()
    write_workbook(found, head, line)
    assert Path(shop.full(path=found, code=1)["rejects"]).name == "list.xlsx.rejects-2.xlsx"


def write_workbook(file: Path, *rows: Sequence[object]) -> None:
    with xlsxwriter.Workbook(file) as book:
        sheet = book.add_worksheet()
        for number, values in enumerate(rows):
            sheet.write_row(number, 0, values)


def test_a_dry_run_of_a_known_file_says_what_the_import_does(shop: Shop, tmp_path: Path) -> None:
    shop.write(row("A1"))
    shop.run()
    mapping = tmp_path / "m.toml"
    names = "\n".join(f'{name} = "{name}"' for name in HEADER.split(",") if name != "price")
    mapping.write_text(f'[columns]\n{names}\nprice = {{constant = "43.00"}}\n')
    for options in (["--dry-run"], []):
        said = shop.run("--mapping", str(mapping), *options)
        assert said == {**NOTHING, "read": 1, "skipped": 1}


def test_an_order_with_several_copies_is_rejected_and_corrected_as_one_row(
    shop: Shop, tmp_path: Path
) -> None:
    shop.write(row("A1", country="XX") + ",Paper,2", header=HEADER + ",item,pieces")
    mapping = tmp_path / "m.toml"
    names = "\n".join(f'{name} = "{name}"' for name in HEADER.split(","))
    mapping.write_text(f'[columns]\n{names}\nproduct = "item"\nquantity = "pieces"\n')
    told = tmp_path / "told.csv"
    said = shop.full("--mapping", str(mapping), "--dry-run", "--rejects", str(told), code=1)
    found = Path(shop.full("--mapping", str(mapping), code=1)["rejects"])
    text = found.read_text()
    assert (said["rejected"], len(text.splitlines())) == (2, 2)
    assert told.read_text() == text
    found.write_text(text.replace("XX", "DE"))
    said = shop.run("--mapping", str(mapping), path=found)
    assert said == {**NOTHING, "read": 2, "imported": 2}


def test_a_dry_run_saves_no_mapping(shop: Shop) -> None:
    shop.write(row("A1"))
    shop.run("--dry-run", "--save-mapping", "till")
    words = f"import --account {shop.account} --source {shop.source} {shop.path}"
    assert "No mapping is saved" in shop.masthead(words, "--mapping", "till", code=1).said
    shop.run("--save-mapping", "till")
    assert shop.run("--mapping", "till")["skipped"] == 1


def test_rejects_that_cannot_be_written_are_refused_before_the_import(
    shop: Shop, tmp_path: Path
) -> None:
    shop.write(row("A1"), row("A2", country="XX"))
    words = f"import --account {shop.account} --source {shop.source} {shop.path}"
    ended = shop.masthead(words, "--rejects", str(tmp_path / "no" / "rejects.csv"), code=1)
    assert "cannot be created" in ended.said
    assert shop.masthead(f"imports list --account {shop.account} --json").json["items"] == []


@pytest.mark.parametrize(
    "content, message",
    [
        (b"[columns\norder_id = 1", "not valid TOML"),
        ('# Stra\xdfe\n[columns]\norder_id = "order_id"'.encode("latin-1"), "Save it as UTF-8"),
    ],
)
def test_a_mapping_that_cannot_be_read_is_refused_with_a_sentence(
    shop: Shop, tmp_path: Path, content: bytes, message: str
) -> None:
    shop.write(row("A1"))
    mapping = tmp_path / "m.toml"
    mapping.write_bytes(content)
    words = f"import --account {shop.account} --source {shop.source} {shop.path}"
    ended = shop.masthead(words, "--mapping", str(mapping), code=1)
    assert message in ended.said
    assert "Traceback" not in ended.err


def test_a_mapping_may_have_a_byte_order_mark(shop: Shop, tmp_path: Path) -> None:
    shop.write(row("A1"))
    mapping = tmp_path / "m.toml"
    names = "\n".join(f'{name} = "{name}"' for name in HEADER.split(","))
    mapping.write_text(f"[columns]\n{names}\n", encoding="utf-8-sig")
    assert shop.run("--mapping", str(mapping))["imported"] == 1


def test_a_run_that_another_process_took_over_says_so(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.write(row("A1"))

    async def lose(*args: Any, **options: Any) -> None:
        raise LeaseLost

    monkeypatch.setattr(import_file, "run_batch", lose)
    words = f"import --account {shop.account} --source {shop.source} {shop.path}"
    assert "Another process goes on with import 1" in shop.masthead(words, code=1).said
