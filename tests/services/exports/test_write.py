"""Exports: the files, their bytes, and what happens to the folder."""

import csv
import hashlib
import json
from functools import partial
from pathlib import Path

import msgspec
import pytest

from masthead.model.errors import Invalid
from masthead.model.pagination import all_pages
from masthead.services.exports import csv_files
from masthead.services.exports.write import ExportManifest, export_account, unfinished_folder
from masthead.store.accounts import get_account
from tests.conftest import BY, Cast
from tests.support.factories import import_row, make_issues, make_subscription
from tests.support.walk import walk

FORMULA = "=cmd|' /C calc'!A0"


async def export(cast: Cast, folder: Path) -> ExportManifest:
    account = await get_account(cast.db, cast.account_id)
    return await export_account(cast.db, account, folder, by=BY)


def rows_of(folder: Path, name: str, part: str = "csv") -> list[dict[str, str]]:
    encoding = "utf-8" if part == "csv" else "utf-8-sig"
    with (folder / part / f"{name}.csv").open(encoding=encoding, newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("name", ["subscribers", "subscriptions", "issues", "copies", "sources"])
async def test_json_has_the_bytes_that_the_api_returns(
    acme: Cast, tmp_path: Path, name: str
) -> None:
    await make_issues(acme, 1, 3)
    one = await make_subscription(acme, first_name='Zoë "Z"', email="zoe@example.org")
    await import_row(acme, start_issue="1", length="4", sent_issues="1", sent_dates="2026-01-31")
    await export(acme, tmp_path / "out")
    lines = (tmp_path / "out" / "json" / f"{name}.ndjson").read_bytes().splitlines()
    assert sorted(lines) == sorted(
        msgspec.json.encode(item) for item in await walk(acme, f"/v1/{name}/", limit=200)
    )
    if name == "subscriptions":
        response = await acme.get(f"/v1/subscriptions/{one['id']}/")
        assert response.content in lines


async def test_csv_is_exact_and_spreadsheets_get_no_formulas(acme: Cast, tmp_path: Path) -> None:
    await make_issues(acme, 1, 1)
    await make_subscription(acme, first_name=FORMULA, notes='A "B",\nC', price="12.5")
    await export(acme, tmp_path / "out")
    (exact,) = rows_of(tmp_path / "out", "subscriptions")
    (safe,) = rows_of(tmp_path / "out", "subscriptions", "spreadsheet")
    assert exact["first_name"] == FORMULA
    assert safe == {**exact, "first_name": f"'{FORMULA}"}
    assert exact["notes"] == 'A "B",\nC'
    (period,) = rows_of(tmp_path / "out", "periods")
    assert (period["price"], period["discount_amount"]) == ("12.50", "0.00")
    assert (period["order_date"], period["is_complete"]) == ("2026-01-15", "false")
    raw = (tmp_path / "out" / "csv" / "subscriptions.csv").read_bytes()
    assert not raw.startswith(b"\xef\xbb\xbf")
    assert raw.endswith(b"\r\n")


async def test_the_manifest_has_counts_and_hashes(acme: Cast, tmp_path: Path) -> None:
    await make_issues(acme, 1, 2)
    await export(acme, tmp_path / "out")
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_bytes())
    assert manifest["account"] == acme.subdomain
    found = {
        str(path.relative_to(tmp_path / "out"))
        for path in (tmp_path / "out").rglob("*")
        if path.is_file()
    }
    assert found == {file["name"] for file in manifest["files"]} | {"manifest.json"}
    for file in manifest["files"]:
        content = (tmp_path / "out" / file["name"]).read_bytes()
        assert len(content) == file["bytes"]
        assert hashlib.sha256(content).hexdigest() == file["sha256"]
    (issues,) = [file for file in manifest["files"] if file["name"] == "csv/issues.csv"]
    assert issues["rows"] == 2
    assert issues["columns"][:3] == ["id", "number", "name"]


async def test_only_the_account_is_exported(acme: Cast, rival: Cast, tmp_path: Path) -> None:
    await make_issues(rival, 1, 1)
    await make_subscription(rival, first_name="Secretive")
    await export(acme, tmp_path / "out")
    for path in (tmp_path / "out").rglob("*.*"):
        assert not path.is_file() or b"Secretive" not in path.read_bytes()


async def test_pages_and_large_tables_lose_no_row(
    acme: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_issues(acme, 1, 7)
    monkeypatch.setattr("masthead.store.exports.file_rows.PAGE", 2)
    monkeypatch.setattr(csv_files, "SHEET_ROWS", 3)
    in_twos = partial(all_pages, limit=2)
    monkeypatch.setattr("masthead.services.exports.api_shapes.all_pages", in_twos)
    monkeypatch.setattr("masthead.store.exports.subscriptions.PAGE", 2)
    await export(acme, tmp_path / "out")
    assert [row["number"] for row in rows_of(tmp_path / "out", "issues")] == list("1234567")
    lines = (tmp_path / "out" / "json" / "issues.ndjson").read_bytes().splitlines()
    assert sorted(json.loads(line)["number"] for line in lines) == list(range(1, 8))
    names = ("issues", "issues-2", "issues-3")
    sheets = [rows_of(tmp_path / "out", name, "spreadsheet") for name in names]
    assert [[row["number"] for row in rows] for rows in sheets] == [
        list("123"),
        list("456"),
        ["7"],
    ]


async def test_a_folder_with_files_is_refused_and_not_touched(acme: Cast, tmp_path: Path) -> None:
    (tmp_path / "kept.txt").write_text("mine")
    with pytest.raises(Invalid, match="not an empty folder"):
        await export(acme, tmp_path)
    assert names_in(tmp_path) == ["kept.txt"]


async def test_an_interrupted_export_leaves_nothing_that_looks_whole(
    acme: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = tmp_path / "out.unfinished"  # as after `kill -9`
    (left / "csv").mkdir(parents=True)
    (left / "csv" / "issues.csv").write_text("half")
    (left / "manifest.json").write_text("{}")
    (tmp_path / "out").mkdir()
    await export(acme, tmp_path / "out")
    assert not left.exists()
    assert (tmp_path / "out" / "README.txt").exists()
    monkeypatch.setattr(csv_files.TableFiles, "close", _fail)
    with pytest.raises(RuntimeError):
        await export(acme, tmp_path / "other")
    assert names_in(tmp_path) == ["out"]


def names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def _fail(self: object) -> None:
    raise RuntimeError


async def test_two_exports_do_not_write_the_same_folder(acme: Cast, tmp_path: Path) -> None:
    refused: list[Invalid] = []

    def start_another(rows: int) -> None:
        with pytest.raises(Invalid, match="Another export") as caught:
            unfinished_folder(tmp_path / "out").__enter__()
        refused.append(caught.value)

    account = await get_account(acme.db, acme.account_id)
    await export_account(acme.db, account, tmp_path / "out", by=BY, on_progress=start_another)
    assert refused
    assert (tmp_path / "out" / "manifest.json").exists()
