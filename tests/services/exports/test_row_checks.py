"""An export whose rows masthead would never have written is refused, with the file and the cell."""

import csv
import hashlib
import json
import shutil
from pathlib import Path

import pytest

from masthead.model.errors import Invalid
from masthead.model.exports.contents import NOUNS
from masthead.services.exports.row_checks import DAYS, IBANS, VALUES
from masthead.services.exports.write import MANIFEST
from tests.conftest import BY, Cast
from tests.services.exports.test_round_trip import load
from tests.services.exports.test_write import export
from tests.support.rich_account import make_rich
from tests.support.subscribers import rows

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
]


def forge(folder: Path, table: str, column: str, text: str) -> str:
    """Change a cell of the first row of a file, and what the manifest says of it."""
    noun = next(each for each in NOUNS if each.table == table)
    path = folder / "csv" / f"{noun.name}.csv"
    lines = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))
    lines[1][noun.columns.index(column)] = text
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(lines)
    manifest = json.loads((folder / MANIFEST).read_text())
    for each in manifest["files"]:
        if each["name"] == f"csv/{noun.name}.csv":
            each["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
            each["bytes"] = path.stat().st_size
    (folder / MANIFEST).write_text(json.dumps(manifest))
    return noun.name


async def test_forged_rows_are_refused_and_nothing_is_left(
    acme: Cast, rival: Cast, tmp_path: Path
) -> None:
    await make_rich(acme)
    await export(acme, tmp_path / "old")
    for number, (table, column, text) in enumerate(FORGED):
        folder = tmp_path / str(number)
        shutil.copytree(tmp_path / "old", folder)
        name = forge(folder, table, column, text)
        with pytest.raises(Invalid, match=f"`csv/{name}.csv` cannot be `{column}`"):
            await load(rival.db, rival.account_id, folder, by=BY)
        shutil.rmtree(folder)
    assert await rows(rival, "SELECT 1 AS one FROM invoice WHERE account_id = :account_id") == []
