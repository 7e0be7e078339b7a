"""LibreOffice opens the files: no formula, and postcodes keep their zeros where we promise it."""

import asyncio
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from masthead.model.dispatch.profiles import FileFormat
from masthead.store.dispatch.runs import get_dispatch
from masthead.store.engine.interface import Transaction
from tests.conftest import Cast
from tests.support.dispatch_files import build
from tests.support.rich_account import make_rich
from tests.support.waiting import PATIENCE
from tests.web.conftest import Person
from tests.web.downloads.test_hostile_texts import HOSTILE, poison

LISTS = "subscribers subscriptions invoices payments bank-lines orders".split()
DAYS = {"from": "2026-01-01", "to": "2026-12-31"}
PROFILE = "spreadsheet"
FORMULA = re.compile(r'table:formula="of:=(?!TRUE\(\)|FALSE\(\))')  # those are yes and no
DIVIDE = "--infilter=CSV:{},34,76,1,,0,false,true,false,false,false,-1,true"  # and run formulas
ZEROS = re.compile(r"<text:p>(<text:tab/>)?01067<")


async def zero_postcodes(cast: Cast) -> None:
    """Give all addresses a postcode with a leading zero, and payers a hostile name."""

    async def work(tx: Transaction) -> None:
        values = {"id": cast.account_id, "text": HOSTILE}
        for table in ("subscriber", "subscription", "dispatch_line"):
            sql = f"UPDATE {table} SET postcode = '01067' WHERE account_id = :id"  # noqa: S608 - a name
            await tx.execute(sql, values)
        await tx.execute("UPDATE invoice SET payer_name = :text WHERE account_id = :id", values)
        await tx.execute("UPDATE payment SET reference = :text WHERE account_id = :id", values)

    await cast.db.write(work, account_id=cast.account_id)


async def write_files(cast: Cast, owner: Person, folder: Path) -> None:
    """Write lists, the journal, the file for DATEV and the files of a run."""
    for kind in ("csv", "xlsx"):
        for name in LISTS:
            answer = await owner.see("downloads", name, kind)
            (folder / f"{name}.{kind}").write_bytes(answer.content)
        answer = await owner.see("money", "bookkeeping", "journal", kind, **DAYS)
        (folder / f"journal.{kind}").write_bytes(answer.content)
    page = await owner.text("money", "bookkeeping", chart="SKR03", **DAYS)
    numbers = dict(re.findall(r'name="(number_[^"]+)"[^>]*value="([^"]*)"', page))
    numbers |= {"number_consultant": "29098", "number_client": "55003"}
    await owner.post(owner.address("money", "bookkeeping", "accounts"), numbers)
    answer = await owner.see("money", "bookkeeping", "datev", **DAYS)
    (folder / "datev.csv").write_bytes(answer.content)
    [row] = await cast.db.fetch_all(
        "SELECT id FROM dispatch WHERE account_id = :id", {"id": cast.account_id}
    )
    run = await get_dispatch(cast.db, cast.account_id, row["id"])
    for format in (FileFormat.CSV, FileFormat.XLSX):
        _file, content = await build(cast, run, format, PROFILE)
        (folder / f"run.{format.value}").write_bytes(content)
    (folder / "control.csv").write_text("a;=1+1,=1+1\n", encoding="utf-8")


def opened(folder: Path, ending: str, *options: str) -> dict[str, str]:
    """What LibreOffice has of each file with an ending, as XML."""
    target = folder / "opened"
    shutil.rmtree(target, ignore_errors=True)
    subprocess.run(
        [
            *("soffice", "--headless", f"-env:UserInstallation=file://{folder}/profile"),
            *options,
            *("--convert-to", "fods", "--outdir", str(target)),
            *map(str, sorted(folder.glob(f"*.{ending}"))),
        ],
        check=True,
        timeout=PATIENCE,
        capture_output=True,
    )
    found = target.iterdir()
    return {path.stem: path.read_text(encoding="utf-8") for path in found}


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("soffice"), reason="needs LibreOffice Calc")
async def test_libreoffice_shows_what_was_typed(acme: Cast, owner: Person, tmp_path: Path) -> None:
    await make_rich(acme)
    await poison(acme)
    await zero_postcodes(acme)
    await write_files(acme, owner, tmp_path)
    csv = {
        separator: await asyncio.to_thread(opened, tmp_path, "csv", DIVIDE.format(ord(separator)))
        for separator in ";,"
    }
    for texts in csv.values():
        assert FORMULA.search(texts.pop("control"))
        assert texts.keys() == {"datev", "journal", "run", *LISTS}
    workbooks = await asyncio.to_thread(opened, tmp_path, "xlsx")
    for texts in (*csv.values(), workbooks):
        assert {name for name, text in texts.items() if FORMULA.search(text)} == set()
    for text in (csv[";"]["run"], workbooks["run"], workbooks["subscriptions"]):
        assert ZEROS.search(text)
        assert ">1067<" not in text
