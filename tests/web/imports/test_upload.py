"""Upload a file on the pages of imports."""

import asyncio
import io
import os
import re
from pathlib import Path

import httpx
import pytest
import xlsxwriter
from starlette.applications import Starlette
from starlette.types import Message, Receive, Scope, Send

from masthead.model.errors import Invalid
from masthead.model.imports.mapping import ImportMapping
from masthead.model.types.enums import SourceType
from masthead.services import sources
from masthead.services.imports.work import open_uploads
from masthead.services.imports.work.open_uploads import OpenUploads
from masthead.store.engine.interface import Database, Transaction
from masthead.store.imports import batches, files
from tests.conftest import BY, Cast
from tests.support.cases import for_each
from tests.support.factories import make_issue
from tests.support.privacy import erase
from tests.support.subscribers import make_subscriber
from tests.support.waiting import until
from tests.support.walk import walk
from tests.web.conftest import Person, fields_of
from tests.web.imports.uploads import upload, uploaded

ROWS = b"Name;Mail\nAnn Fox;ann@example.test\n"


async def test_a_file_is_kept_and_its_columns_are_shown(staff: Person, acme: Cast) -> None:
    id = await uploaded(staff, ROWS, "Leser 2026.csv")
    page = await staff.text("imports", id, "columns")
    assert "Columns of <bdi>Leser 2026.csv</bdi>" in page
    assert "columns separated by semicolons" in page
    listed = await staff.text("imports")
    assert "Leser 2026.csv" in listed
    assert staff.email in listed
    assert await files.find_part(acme.db, acme.account_id, id, 0) == ROWS


async def test_the_copy_of_a_file_goes_soon_after_an_erasure(
    staff: Person, acme: Cast, app: Starlette
) -> None:
    rows = b"order_id,email,first_name\nA-1,ann@example.test,Ann\n"
    await make_issue(acme)
    ann = await make_subscriber(acme, email="ann@example.test", first_name="Ann", last_name="Fox")
    id = await uploaded(staff, rows)
    batch = await batches.get_batch(acme.db, acme.account_id, id)
    uploads = app.state.web.uploads
    copy = await uploads.open(acme.db, acme.account_id, batch, sheet=None)
    path = copy.table.path
    assert path.read_bytes() == rows
    await erase(acme, ann)
    async with asyncio.timeout(60):
        while path.exists():  # noqa: ASYNC110 - a task of the application deletes it
            await asyncio.sleep(0.05)
    with pytest.raises(Invalid, match="was deleted"):  # to a page that has begun to read it
        await copy.survey(ImportMapping())


async def test_a_failed_look_for_deleted_files_is_not_the_last(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = asyncio.Event()
    answers = iter([RuntimeError("no such answer")])

    async def forget_deleted(self: OpenUploads, db: Database) -> None:
        for error in answers:
            raise error
        looked.set()

    monkeypatch.setattr(open_uploads, "CHECK_SECONDS", 0.0)
    monkeypatch.setattr(OpenUploads, "forget_deleted", forget_deleted)
    watching = asyncio.create_task(OpenUploads().watch(acme.db))
    await asyncio.wait_for(looked.wait(), 60)
    watching.cancel()


async def test_a_new_source_is_created_once(owner: Person) -> None:
    await uploaded(owner, ROWS, source_name="Web shop")
    await uploaded(owner, ROWS, source_name="web SHOP")
    page = await owner.text("imports", "new")
    assert page.count(">Web shop<") == 1
    assert "web SHOP" not in page


@pytest.mark.parametrize("is_chosen", [True, False])
async def test_the_name_of_a_new_source_counts_more_than_the_choice(
    owner: Person, acme: Cast, is_chosen: bool
) -> None:
    chosen = acme.shop if is_chosen else ""
    id = await uploaded(owner, ROWS, source=chosen, source_name="Old list")
    named = {source["name"]: source["id"] for source in await walk(acme, "/v1/sources/")}
    batch = await batches.get_batch(acme.db, acme.account_id, id)
    assert batch.source_id == named["Old list"]


async def test_the_first_step_for_an_account_without_imports_is_a_file(owner: Person) -> None:
    assert "Nothing has been imported yet." in await owner.text("imports")
    assert fields_of(await owner.text("imports", "new"))["source_name"] == ""
    assert owner.address("imports", "new") in await owner.text()


async def test_the_form_begins_with_the_source_of_the_last_import(
    owner: Person, acme: Cast
) -> None:
    def chosen(page: str) -> str:
        return fields_of(page)["source"]

    await sources.create_source(
        acme.db, acme.account_id, name="By hand", type=SourceType.IMPORT, by=BY
    )
    page = await owner.text("imports", "new")
    assert chosen(page) == "", "none is more likely than the others"
    refused = await upload(owner, ROWS, source="", source_name="")
    assert refused.status_code == 400
    assert "Choose where these orders come from." in refused.text
    await uploaded(owner, ROWS, source=acme.shop, source_name="")
    assert chosen(await owner.text("imports", "new")) == "", "it was not imported"

    async def run(tx: Transaction) -> None:
        await tx.execute(
            "UPDATE import_batch SET number = 1 WHERE account_id = :account",
            {"account": acme.account_id},
        )

    await acme.db.write(run)
    assert chosen(await owner.text("imports", "new")) == acme.shop


async def test_the_first_source_needs_a_name(owner: Person, acme: Cast) -> None:
    for source in await walk(acme, "/v1/sources/"):
        await sources.set_source_active(
            acme.db, acme.account_id, source["id"], is_active=False, by=BY
        )
    field = re.compile(r"<input[^>]*source_name[^>]*>")
    [first] = field.findall(await owner.text("imports", "new"))
    assert "required" in first
    await uploaded(owner, ROWS, source_name="Web shop")
    [later] = field.findall(await owner.text("imports", "new"))
    assert "required" not in later


@for_each(
    "content, fields, says",
    [
        (b"", {}, "is empty"),
        (ROWS, {"source_name": " "}, "Give the new source a name"),
        (ROWS, {"source": "nothing"}, "Choose where these orders come from"),
        (ROWS, {"source": "", "source_name": ""}, "Choose where these orders come from"),
        (b"\x89PNG\r\n\x1a\n" + bytes(200), {}, "picture"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), {}, ".xlsx"),
    ],
)
async def test_a_file_that_cannot_be_read_is_refused_with_the_way_out(
    owner: Person, content: bytes, fields: dict[str, str], says: str
) -> None:
    answer = await upload(owner, content, **fields)
    assert answer.status_code == 400
    assert says in answer.text
    assert "Nothing has been imported yet." in await owner.text("imports")


async def test_a_form_without_a_file_is_refused(owner: Person) -> None:
    answer = await owner.http.post(
        owner.address("imports", "new"),
        data={"source": "new"},
        files={"file": ("", b"", "application/octet-stream")},
        headers={"Sec-Fetch-Site": "same-origin"},
    )
    assert answer.status_code == 400
    assert "Choose a file." in answer.text


async def test_a_form_that_is_cut_is_refused(owner: Person) -> None:
    body = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n' + ROWS
    answer = await owner.http.post(
        owner.address("imports", "new"),
        content=body,
        headers={
            "Sec-Fetch-Site": "same-origin",
            "Content-Type": "multipart/form-data; boundary=x",
        },
    )
    assert answer.status_code == 400
    assert "did not arrive completely" in answer.text


async def test_a_file_that_was_not_imported_is_deleted(owner: Person) -> None:
    id = await uploaded(owner, ROWS)
    assert "Delete <bdi>list.csv</bdi>?" in await owner.text("imports", id, "delete")
    assert (await owner.send(owner.address("imports", id, "delete"))).status_code == 303
    assert "list.csv is deleted" in await owner.text("imports")
    assert (await owner.see("imports", id)).status_code == 404


def slow_workbook() -> bytes:
    """A small workbook that takes seconds to read, and then too much memory."""
    target = io.BytesIO()
    with xlsxwriter.Workbook(target) as book:
        sheet = book.add_worksheet()
        sheet.write(0, 0, "a")
        sheet.write(1_048_575, 60, "b")
    return target.getvalue()


def children() -> set[str]:
    """The processes that this one has started."""
    return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())


@pytest.mark.parametrize("leaves", [True, False])
async def test_a_file_is_read_for_as_long_as_its_client_waits(
    staff: Person, app: Starlette, *, leaves: bool
) -> None:
    leave, before = asyncio.Event(), children()

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        has_body = False

        async def receive_or_leave() -> Message:
            nonlocal has_body
            if has_body:
                await leave.wait()
                return {"type": "http.disconnect"}
            message = await receive()
            has_body = not message.get("more_body", False)
            return message

        await app(scope, receive_or_leave, send)

    transport = httpx.ASGITransport(serve)
    async with httpx.AsyncClient(
        transport=transport, base_url="http://masthead.test", cookies=staff.http.cookies
    ) as http:
        sent = asyncio.create_task(upload(Person(http, staff.at), slow_workbook(), "list.xlsx"))
        await until(lambda: children() != before)
        if leaves:
            leave.set()
        assert ("too much memory or time" in (await sent).text) is not leaves
    assert children() == before
