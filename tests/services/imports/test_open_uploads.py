"""The pages read an uploaded file from one copy, which is kept for a few minutes."""

import asyncio
from pathlib import Path
from typing import Any, cast

import pytest

from masthead.model.errors import Invalid, Unavailable
from masthead.model.imports.guesses import guess_mapping
from masthead.model.imports.mapping import ImportMapping
from masthead.model.imports.plan import Survey
from masthead.model.imports.tabular_data import Table
from masthead.model.translations import in_language
from masthead.services.imports import batches as service
from masthead.services.imports.reading import survey
from masthead.services.imports.work import open_uploads
from masthead.services.imports.work.open_uploads import OpenUpload, OpenUploads
from masthead.store.engine.interface import Database, Transaction
from masthead.store.imports import batches as store, files
from tests.conftest import BY, Cast
from tests.services.imports.support import imported, row
from tests.services.imports.test_page_batches import FILE
from tests.support.factories import make_issue
from tests.support.privacy import erase
from tests.support.waiting import until
from tests.support.walk import walk


async def keep(cast: Cast, content: bytes = FILE) -> str:
    return await service.upload_file(cast.db, cast.account_id, "list.csv", content, by=BY)


async def opened(cast: Cast, uploads: OpenUploads, id: str) -> OpenUpload:
    batch = await store.get_batch(cast.db, cast.account_id, id)
    return await uploads.open(cast.db, cast.account_id, batch, sheet=None)


def path_of(upload: OpenUpload) -> Path:
    assert upload.table.path is not None
    return upload.table.path


async def test_pages_that_ask_for_a_file_get_the_same_copy(acme: Cast) -> None:
    uploads, id = OpenUploads(), await keep(acme)
    first, second = await asyncio.gather(opened(acme, uploads, id), opened(acme, uploads, id))
    assert first is second is await opened(acme, uploads, id)
    assert path_of(first).read_bytes() == FILE
    with in_language("de"):
        other = await opened(acme, uploads, id)
    assert other is not first
    assert other.table.description != first.table.description


async def test_rows_are_surveyed_once_for_the_same_columns(acme: Cast) -> None:
    upload = await opened(acme, OpenUploads(), await keep(acme))
    mapping = guess_mapping(upload.table.columns)
    found = await upload.survey(mapping)
    assert found.rows == upload.table.row_count
    assert await upload.survey(guess_mapping(upload.table.columns)) is found
    for number in range(4):
        await upload.survey(guess_mapping(upload.table.columns[: number + 1]))
    assert await upload.survey(mapping) is not found


async def test_pages_that_ask_at_once_wait_for_one_survey(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload, surveyed = await opened(acme, OpenUploads(), await keep(acme)), list[ImportMapping]()

    def note(table: Table, mapping: ImportMapping) -> Survey:
        surveyed.append(mapping)
        return survey(table, mapping)

    monkeypatch.setattr(open_uploads, "survey", note)
    mapping = guess_mapping(upload.table.columns)
    first, second = await asyncio.gather(upload.survey(mapping), upload.survey(mapping))
    assert first is second
    assert surveyed == [mapping]


async def test_a_file_is_not_opened_any_more_when_no_page_waits(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    uploads, id, begun = OpenUploads(), await keep(acme), asyncio.Event()
    was_ended = asyncio.Event()

    async def open_for_ever(*_arguments: object) -> OpenUpload:
        begun.set()
        try:
            return await asyncio.Event().wait()  # type: ignore[return-value]
        finally:
            was_ended.set()

    monkeypatch.setattr(open_uploads, "_copy_and_open", open_for_ever)
    pages = [asyncio.create_task(opened(acme, uploads, id)) for _ in range(2)]
    await begun.wait()
    await until(lambda: uploads._kept[next(iter(uploads._kept))].waiting == 2)
    pages[0].cancel()
    await asyncio.wait(pages[:1])
    assert not was_ended.is_set()
    pages[1].cancel()
    await asyncio.wait(pages)
    await was_ended.wait()
    await until(lambda: not uploads._kept)


async def test_a_few_copies_are_kept_for_some_time(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    uploads = OpenUploads()
    ids = [await keep(acme) for _place in range(3)]
    monkeypatch.setattr(open_uploads, "MOST_FILES", 2)
    paths = [path_of(await opened(acme, uploads, id)) for id in ids]
    assert [path.exists() for path in paths] == [False, True, True]
    monkeypatch.setattr(open_uploads, "MOST_BYTES", 0)
    upload = await opened(acme, uploads, ids[2])
    assert [path.exists() for path in paths] == [False, False, True]
    monkeypatch.setattr(open_uploads, "KEPT_SECONDS", 0.0)
    await opened(acme, uploads, ids[0])
    await asyncio.sleep(0.01)
    assert path_of(upload).exists(), "a page still needs it"
    del upload
    assert not any(path.exists() for path in paths)


async def test_a_deleted_file_is_not_read_from_its_copy(acme: Cast) -> None:
    uploads, id = OpenUploads(), await keep(acme)
    await opened(acme, uploads, id)

    async def lose(tx: Transaction) -> None:
        await files.delete_files(tx, acme.account_id, [id])

    await acme.db.write(lose, account_id=acme.account_id)
    assert uploads._kept
    with pytest.raises(Invalid, match="Upload it again"):
        await opened(acme, uploads, id)
    assert not uploads._kept


async def test_an_error_that_is_not_about_the_file_is_not_called_a_deleted_file(
    acme: Cast,
) -> None:
    def fail(_table: Table) -> None:
        raise RuntimeError("a mistake of masthead")

    upload = await opened(acme, OpenUploads(), await keep(acme))
    with pytest.raises(RuntimeError, match="a mistake of masthead"):
        await upload.run(fail)
    path_of(upload).unlink()
    with pytest.raises(Invalid, match="Upload it again"):
        await upload.run(fail)


@pytest.mark.parametrize("is_read", [True, False], ids=["read before", "read after"])
async def test_a_file_that_is_deleted_while_it_is_opened_is_read_by_no_page(
    acme: Cast, monkeypatch: pytest.MonkeyPatch, is_read: bool
) -> None:
    uploads, id = OpenUploads(), await keep(acme)
    begun, may_end = asyncio.Event(), asyncio.Event()
    copy = open_uploads._copy_and_open

    async def wait(*arguments: Any) -> OpenUpload:
        made = await copy(*arguments) if is_read else None
        begun.set()
        await may_end.wait()
        return made or await copy(*arguments)

    async def lose(tx: Transaction) -> None:
        await files.delete_files(tx, acme.account_id, [id])

    monkeypatch.setattr(open_uploads, "_copy_and_open", wait)
    page = asyncio.create_task(opened(acme, uploads, id))
    await begun.wait()
    await acme.db.write(lose, account_id=acme.account_id)
    await uploads.forget_deleted(acme.db)
    assert not uploads._kept
    may_end.set()

    async def read() -> None:
        upload = await page
        assert not path_of(upload).exists()
        await upload.survey(guess_mapping(upload.table.columns))

    with pytest.raises(Invalid, match="Upload it again"):
        await read()


async def test_the_copies_of_a_file_go_when_an_erasure_deletes_it(acme: Cast) -> None:
    await make_issue(acme)
    await imported(acme, row("A1", email="ann@example.test"))
    uploads, others = OpenUploads(), b"order_id,email\nB1,bea@example.test\n"
    ids = [await keep(acme), await keep(acme, others)]
    paths = [path_of(await opened(acme, uploads, id)) for id in ids]
    with in_language("de"):
        paths.append(path_of(await opened(acme, uploads, ids[0])))
    [ann] = await walk(acme, "/v1/subscribers/")
    await uploads.forget_deleted(acme.db)
    assert [path.exists() for path in paths] == [True, True, True]
    await erase(acme, ann["id"])
    await uploads.forget_deleted(acme.db)
    assert [path.exists() for path in paths] == [False, True, False]


async def test_a_file_that_cannot_be_looked_up_is_looked_up_again(acme: Cast) -> None:
    uploads, id = OpenUploads(), await keep(acme)
    read = await opened(acme, uploads, id)  # by a page that keeps its copy
    path = path_of(read)

    class NotResponding:
        async def fetch_one(self, sql: str, parameters: object) -> None:
            raise Unavailable

    async def delete(tx: Transaction) -> None:
        await files.delete_files(tx, acme.account_id, [id])

    await acme.db.write(delete, account_id=acme.account_id)
    await uploads.forget_deleted(cast(Database, NotResponding()))
    assert path.exists()
    await uploads.forget_deleted(acme.db)
    assert not path.exists()


async def test_a_file_that_cannot_be_read_is_tried_again(acme: Cast) -> None:
    uploads, id = OpenUploads(), await keep(acme, b"\x89PNG\r\n\x1a\n\0")
    for _attempt in range(2):
        with pytest.raises(Invalid):
            await opened(acme, uploads, id)
    await asyncio.sleep(0)
    assert not uploads._kept


async def test_a_file_that_fails_after_others_took_its_place_is_forgotten(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_uploads, "MOST_FILES", 1)
    uploads, begun, fails = OpenUploads(), asyncio.Event(), asyncio.Event()
    copy = open_uploads._copy_and_open

    async def fail(*_arguments: object) -> OpenUpload:
        begun.set()
        await fails.wait()
        raise Invalid("damaged")

    monkeypatch.setattr(open_uploads, "_copy_and_open", fail)
    damaged = asyncio.create_task(opened(acme, uploads, await keep(acme)))
    await begun.wait()
    monkeypatch.setattr(open_uploads, "_copy_and_open", copy)
    other = await keep(acme, FILE + b"\n")
    found = await opened(acme, uploads, other)
    fails.set()
    with pytest.raises(Invalid, match="damaged"):
        await damaged
    assert await opened(acme, uploads, other) is found
