"""Texts that could be a formula, markup or another line are texts in every file and email."""

import csv
import io
import itertools
import re
import zipfile
from email import message_from_bytes
from email.policy import default

import pytest
from pypdf import PdfReader
from python_calamine import CalamineWorkbook

from masthead.mail import compose
from masthead.model.dispatch.profiles import FileFormat
from masthead.model.errors import Invalid
from masthead.model.letters.outcomes import LetterStatus
from masthead.model.privacy.columns import LEFT, REPLACED
from masthead.services.exports import archives
from masthead.services.letters.letter_pdf import write_pdf
from masthead.store.dispatch.runs import get_dispatch
from masthead.store.engine.interface import Transaction
from masthead.store.letters.facts import LetterToPrint
from masthead.web.downloads.lists import LISTS, SETTINGS_LISTS
from masthead.web.renewals.downloads import KINDS
from tests.conftest import BY, Cast
from tests.services.letters.test_printing import HEAD
from tests.support.dispatch_files import build
from tests.support.rich_account import make_rich
from tests.web.conftest import Person

MARK = "<script>alert(1)</script>"
HOSTILE = f"=cmd|' /C calc'!A0,+1;@SUM(1)\t-2\r\n=1+1\nBcc: eve@x.test {MARK}\u202e\u2066\x01"
ENCODED = "=?utf-8?q?=0d=0aBcc:_eve@x.test?="
# JSON, a day, a code
OTHERS = {
    *("settings", "benefits", "cells", "reasons", "said", "release_date_fuzzy", "salutation"),
    *("old_address", "new_address"),
}
MORE = {
    "subscription": "first_name last_name city state postcode phone notes gifter_name",
    "subscriber": "title first_name last_name company address1 address2 city state bounce_reason",
    "delivery_report": "reason",
    "period": "promo_code transaction_id payment_method",
}
PROFILES = ("mailing-house", "spreadsheet")
# The lists with columns that people type into
MARKED = {
    *("audit-log", "bank-lines", "claims", "copies", "delivery-problems", "issues", "keys"),
    *("orders", "products", "refunds", "mailings", "sources", "subscribers", "subscriptions"),
}


async def poison(cast: Cast) -> None:
    """Write the text into every column of the account that people type into."""
    columns: dict[str, set[str]] = {}
    for lists in (REPLACED, LEFT, MORE):
        for table, names in lists.items():
            typed = names.split() if isinstance(names, str) else names
            columns.setdefault(table, set()).update(typed)

    async def work(tx: Transaction) -> None:
        for table, names in columns.items():
            key = "id" if table == "account" else "account_id"
            assigned = ", ".join(f"{name} = :text" for name in sorted(names - OTHERS))
            if assigned:
                sql = f"UPDATE {table} SET {assigned} WHERE {key} = :account_id"  # noqa: S608 - names of columns
                await tx.execute(sql, {"text": HOSTILE, "account_id": cast.account_id})
        await tx.execute(
            "UPDATE period SET order_id = :text || id WHERE account_id = :account_id",
            {"text": HOSTILE, "account_id": cast.account_id},
        )

    await cast.db.write(work, account_id=cast.account_id)


def formulas(content: bytes) -> list[str]:
    """The cells of a CSV file that a spreadsheet may run, at whichever sign it divides the file."""
    text = content.decode("utf-8-sig")
    return [
        cell
        for separator in ",;\t"
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        for cell in row
        if re.match(r" *([=+@\t\r]|-(?![\d.,]+$))", cell)
    ]


def widths(content: bytes, separator: str = ",") -> set[int]:
    """The numbers of cells in the rows of a CSV file."""
    text = io.StringIO(content.decode("utf-8-sig"), newline="")
    return set(map(len, csv.reader(text, delimiter=separator)))


async def queries(cast: Cast) -> dict[str, dict[str, str]]:
    """What the addresses of some lists need."""
    newest = "SELECT max(id) AS id FROM {} WHERE account_id = :account_id"
    own = {"account_id": cast.account_id}
    statement, batch = [
        (await cast.db.fetch_all(newest.format(table), own))[0]["id"]
        for table in ("revenue_statement", "letter_batch")
    ]
    issue = (await cast.get("/v1/issues/")).json()["items"][0]["id"]
    return {
        "copies": {"issue": issue},
        "orders": {"from": "2026-01", "to": "2026-12"},
        "refunds": {"from": "2026-01", "to": "2026-12"},
        "statement-figures": {"statement": statement},
        "statement-orders": {"statement": statement, "currency": "EUR"},
        "letters": {"batch": batch},
        "ended-with-issue": {"issue": "4"},
    }


async def test_lists_have_it_as_text(acme: Cast, owner: Person) -> None:
    await make_rich(acme)
    await poison(acme)
    asked = await queries(acme)
    files = [
        ((*folder, "downloads", name), asked.get(name, {}))
        for folder, lists in (((), LISTS), (("settings",), SETTINGS_LISTS))
        for name in lists
    ]
    marked = set()
    for path, query in files:
        text = (await owner.see(*path, "csv", **query)).content
        assert formulas(text) == [], path
        assert len(widths(text)) == 1, path
        marked |= {path[-1]} if MARK.encode() in text else set()
        is_in_book = await has_mark(owner, *path, "xlsx", **query)
        assert is_in_book is (path[-1] in marked), path
    assert marked >= MARKED
    for kind in KINDS:
        for listed in ("", "past-due", "stopped"):
            query = {"format": kind, "list": listed}
            if kind.endswith("csv"):
                text = (await owner.see("ending", "download", **query)).content
                assert formulas(text) == [], query
            else:
                await has_mark(owner, "ending", "download", **query)


async def has_mark(owner: Person, *parts: str, **query: str) -> bool:
    """Whether a workbook has the text; it has no formula."""
    content = (await owner.see(*parts, **query)).content
    with zipfile.ZipFile(io.BytesIO(content)) as book:
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
    assert not re.search(r"<f[ >]|<hyperlink", sheet)
    rows = CalamineWorkbook.from_filelike(io.BytesIO(content)).get_sheet_by_index(0).to_python()
    return any(MARK in str(cell) for row in rows for cell in row)


async def test_files_of_runs_and_exports_have_it_as_text(acme: Cast, owner: Person) -> None:
    await make_rich(acme)
    await poison(acme)
    (row,) = await acme.db.fetch_all(
        "SELECT id FROM dispatch WHERE account_id = :id", {"id": acme.account_id}
    )
    run = await get_dispatch(acme.db, acme.account_id, row["id"])
    for format, profile in itertools.product((FileFormat.CSV, FileFormat.XLSX), PROFILES):
        _file, content = await build(acme, run, format, profile)
        if format is FileFormat.CSV:
            assert formulas(content) == [], profile
            assert MARK.encode() in content
            assert len(widths(content, ";")) == 1
        else:
            book = CalamineWorkbook.from_filelike(io.BytesIO(content))
            cells = [cell for row in book.get_sheet_by_index(0).to_python() for cell in row]
            assert any(MARK in str(cell) for cell in cells)
    with pytest.raises(Invalid, match="does not fit on the label"):
        await build(acme, run, FileFormat.PDF)
    id = await archives.request_archive(acme.db, acme.account_id, by=BY)
    await archives.make_archive(acme.db, acme.account_id, id)
    answer = await owner.see("settings", "export", id, "zip")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as file:
        sheets = [name for name in file.namelist() if re.search(r"spreadsheet/.*csv", name)]
        assert len(sheets) > 10
        for name in sheets:
            assert formulas(file.read(name)) == [], name
            assert len(widths(file.read(name))) == 1, name


@pytest.mark.parametrize("text", [HOSTILE, ENCODED])
def test_an_email_has_it_as_text(text: str) -> None:
    email = compose(
        sender="Acme <hello@acme.test>",
        recipient="ada@x.test",
        subject=text,
        body=f"Dear {text}",
        message_id="<1@acme.test>",
        unsubscribe_url=None,
    )
    read = message_from_bytes(email.as_bytes(), policy=default)
    assert {name.lower() for name in read} == {name.lower() for name in email}
    assert "bcc" not in {name.lower() for name in read}
    assert [part.get_content_type() for part in read.walk()] == ["text/plain"]
    assert (MARK if text == HOSTILE else text) in read.get_content()


def test_a_letter_has_it_as_text() -> None:
    letter = LetterToPrint(
        "L",
        LetterStatus.TO_PRINT,
        subject=HOSTILE,
        body=HOSTILE,
        address=f"Ada {HOSTILE}\nBonn",
        locale="",
    )
    content = write_pdf(HEAD, [letter])
    (page,) = PdfReader(io.BytesIO(content)).pages
    assert page.extract_text().replace("\n", "").count(MARK) == 3
    assert not re.search(rb"/(JavaScript|Launch|URI)\b", content)
