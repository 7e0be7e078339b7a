"""An export whose rows masthead would never have written is refused, with the file and the cell."""

import base64
import csv
import hashlib
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from masthead.model.errors import Invalid
from masthead.model.exports.contents import EXPORT_FILES
from masthead.services.exports.row_checks import DAYS, IBANS, STRUCTS, VALUES
from masthead.services.exports.write import MANIFEST
from tests.conftest import BY, Cast
from tests.services.exports.test_round_trip import load
from tests.services.exports.test_write import export
from tests.support.rich_account import make_rich
from tests.support.subscribers import rows

OTHER_IBAN = "DE89370400440532013000"
REASONS = [
    (exported.table, name)
    for exported in EXPORT_FILES
    for name in exported.columns
    if name.endswith("reason") and name not in VALUES.get(exported.table, {})
]
EMPTY = ("dispatch_file", "import_batch", "import_row")  # tables without rows in the account
FORGED = [
    *((table, name, "nonsense") for table, columns in VALUES.items() for name in columns),
    *(
        (table, name, day)
        for table, text in DAYS.items()
        for name in text.split()
        for day in ("0001-01-01", "9999-12-31")
    ),
    *((table, name, "DE89 3704 0044 0532 0130 01") for table, name in IBANS.items()),
    ("subscriber", "country", "Atlantis"),
    ("subscription", "country", "ZZ"),
    ("period", "currency", "TALER"),
    ("period", "order_date", "0001-01-01"),
    ("revenue_statement", "statement_date", "1899-12-31"),
    ("claim", "actor_kind", "ghost"),
    ("subscriber_note", "deleted_by_kind", "ghost"),
    ("invoice", "document", "{}"),
    ("invoice", "document", "no JSON"),
    ("payment", "amount", "1e9"),
    ("mandate_file", "content", "a"),
    ("letterhead", "width", "wide"),
    *((table, name, '"nonsense"') for table, columns in STRUCTS.items() for name in columns),
    *((table, name, "x" * 256) for table, name in REASONS),
    ("subscription", "last_name", "x" * 256),
    ("subscription", "status", ""),
    ("invoice", "document", ""),
    ("revenue_statement", "statement_date", ""),
    ("mandate", "revoke_reason", "a\0b"),
    ("account", "time_zone", "Mars/Olympus"),
    ("import_mapping", "mapping", '{"time_zone":"Mars/Olympus"}'),
    ("import_mapping", "mapping", '{"columns":{"no_field":{}}}'),
    ("import_mapping", "mapping", '{"status":{"paid":"no status"}}'),
    ("account", "locale", "klingon"),
    ("product", "created_at", "yesterday"),
    ("product", "created_at", "9999-12-31T23:59:59+00:00"),
    ("retention", "ended", "many"),
    ("retention", "ended", str(2**63)),
    ("vat_setting", "digital_percent", "٣"),
    ("exchange_rate", "base_currency", "TALER"),
    *(("exchange_rate", "rate", text) for text in ("", "0", "-1", "1e9", "NaN", "٣")),
    ("subscription", "is_gift", "perhaps"),
]


def cell_of(folder: Path, table: str, column: str, *, row: int = 1) -> str:
    """A cell of a file, by default of its first row."""
    exported = next(each for each in EXPORT_FILES if each.table == table)
    lines = list(csv.reader((folder / exported.path).read_text(encoding="utf-8").splitlines()))
    return lines[row][exported.columns.index(column)]


def forge(folder: Path, table: str, column: str, text: str) -> str:
    """Change a cell of the first row of a file, and what the manifest says of it."""
    exported = next(each for each in EXPORT_FILES if each.table == table)
    path = folder / "csv" / f"{exported.name}.csv"
    lines = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))
    lines[1][exported.columns.index(column)] = text
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(lines)
    manifest = json.loads((folder / MANIFEST).read_text())
    for each in manifest["files"]:
        if each["name"] == f"csv/{exported.name}.csv":
            each["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
            each["bytes"] = path.stat().st_size
    (folder / MANIFEST).write_text(json.dumps(manifest))
    return exported.name


async def test_forged_rows_are_refused_and_nothing_is_left(
    acme: Cast, rival: Cast, tmp_path: Path
) -> None:
    await make_rich(acme)
    await export(acme, tmp_path / "old")
    forged = [each for each in FORGED if each[0] not in EMPTY]
    for number, (table, column, text) in enumerate(forged):
        folder = tmp_path / str(number)
        shutil.copytree(tmp_path / "old", folder)
        name = forge(folder, table, column, text)
        with pytest.raises(Invalid, match=f"`csv/{name}.csv` cannot be `{column}`"):
            await load(rival.db, rival.account_id, folder, by=BY)
        shutil.rmtree(folder)
    assert await rows(rival, "SELECT 1 AS one FROM invoice WHERE account_id = :account_id") == []


async def test_the_file_of_a_collection_must_collect_its_direct_debits(
    acme: Cast, rival: Cast, tmp_path: Path
) -> None:
    await make_rich(acme)
    await export(acme, tmp_path / "old")
    content = base64.b64decode(cell_of(tmp_path / "old", "collection_file", "content")).decode()
    changes: list[Callable[[str], str]] = [
        lambda text: re.sub(r"(<DbtrAcct>\s*<Id>\s*<IBAN>)\w+", rf"\g<1>{OTHER_IBAN}", text),
        lambda text: re.sub(r"(<InstdAmt Ccy=.EUR.>)\d+", r"\g<1>9", text),
        lambda text: re.sub(r"(<CtrlSum>)\d+", r"\g<1>9", text),
        lambda text: re.sub(r"(<ReqdColltnDt>)\d{4}", r"\g<1>2099", text),
        lambda text: re.sub(r"(<MndtId>)", r"\g<1>X", text),
        lambda text: re.sub(r"<DrctDbtTxInf>.*</DrctDbtTxInf>", "", text, flags=re.DOTALL),
        lambda text: text.replace("?>", "?><!DOCTYPE Document []>", 1),
        lambda text: text.replace("pain.008", "pain.001"),
        lambda text: text[:200],
        lambda text: "<script/>",
        lambda text: "",
    ]
    for number, change in enumerate(changes):
        changed = change(content)
        assert changed != content, number
        folder = tmp_path / str(number)
        shutil.copytree(tmp_path / "old", folder)
        forge(folder, "collection_file", "content", base64.b64encode(changed.encode()).decode())
        with pytest.raises(Invalid, match="does not collect these debits"):
            await load(rival.db, rival.account_id, folder, by=BY)
        shutil.rmtree(folder)


async def test_the_file_of_a_collection_must_pay_the_publisher(
    acme: Cast, rival: Cast, tmp_path: Path
) -> None:
    await make_rich(acme)
    await export(acme, tmp_path / "old")
    content = base64.b64decode(cell_of(tmp_path / "old", "collection_file", "content")).decode()
    [own] = {*re.findall(r"<CdtrAcct>\s*<Id>\s*<IBAN>(\w+)", content)}
    foreign = "GB82WEST12345698765432"
    for number, iban in enumerate((foreign, "nonsense", "", f"{own[:4]} {own[4:]}")):
        folder = tmp_path / str(number)
        shutil.copytree(tmp_path / "old", folder)
        changed = content.replace(f"<IBAN>{own}", f"<IBAN>{iban}").encode()
        forge(folder, "collection_file", "content", base64.b64encode(changed).decode())
        with pytest.raises(Invalid, match="does not pay into a bank account of the publisher"):
            await load(rival.db, rival.account_id, folder, by=BY)
    folder = tmp_path / "2"  # of the file without an IBAN, and now also of the settings without one
    forge(folder, "billing", "iban", "")
    with pytest.raises(Invalid, match="does not pay into a bank account of the publisher"):
        await load(rival.db, rival.account_id, folder, by=BY)
    forge(tmp_path / "old", "billing", "iban", foreign)  # they have another bank since then
    await load(rival.db, rival.account_id, tmp_path / "old", by=BY)


@pytest.mark.parametrize(
    "table, column", [("subscriber", "email"), ("invoice", "number"), ("copy", "issue_id")]
)
async def test_rows_that_break_a_key_are_refused(
    acme: Cast, rival: Cast, tmp_path: Path, table: str, column: str
) -> None:
    await make_rich(acme)
    await export(acme, tmp_path)
    known = cell_of(tmp_path, table, column, row=2)
    name = forge(tmp_path, table, column, "0" * 31 if column == "issue_id" else known)
    with pytest.raises(Invalid, match=f"`csv/{name}.csv` has two rows with one key, or a row that"):
        await load(rival.db, rival.account_id, tmp_path, by=BY)
    assert await rows(rival, "SELECT 1 AS one FROM subscriber WHERE account_id = :account_id") == []


async def test_a_nested_mapping_is_refused(acme: Cast, rival: Cast, tmp_path: Path) -> None:
    await make_rich(acme)
    await export(acme, tmp_path)
    forge(tmp_path, "import_mapping", "mapping", '{"x":' + "[" * 100_000)
    with pytest.raises(Invalid, match="cannot be `mapping`"):
        await load(rival.db, rival.account_id, tmp_path, by=BY)


async def test_reasons_and_names_are_stored_as_forms_store_them(
    acme: Cast, rival: Cast, tmp_path: Path
) -> None:
    """Versions up to 0.2.0 stored line breaks and control characters."""
    await make_rich(acme)
    await export(acme, tmp_path)
    forge(tmp_path, "refund", "reason", "Late\r\ncopy\x1b ")
    await load(rival.db, rival.account_id, tmp_path, by=BY)
    found = await rows(rival, "SELECT reason FROM refund WHERE account_id = :account_id")
    assert "Late copy" in {row["reason"] for row in found}
