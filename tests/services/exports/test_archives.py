"""Exports as ZIP files: written once, read in parts, deleted after a week."""

import io
import json
from datetime import timedelta
from zipfile import ZipFile

import pytest

from masthead.model.clock import now
from masthead.model.errors import Invalid, NotFound
from masthead.services.exports import archives as service
from masthead.store.exports import archives as store
from masthead.store.exports.archives import ArchiveStatus
from tests.conftest import BY, Cast
from tests.support.factories import make_issues


async def content_of(cast: Cast, id: str) -> bytes:
    parts = service.read_archive(cast.db, cast.account_id, id)
    return b"".join([part async for part in parts])


async def test_an_export_is_a_zip_file(acme: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "PART_BYTES", 1_000)
    await make_issues(acme, 1, 2)
    id = await service.request_archive(acme.db, acme.account_id, by=BY)
    with pytest.raises(Invalid, match="being written already"):
        await service.request_archive(acme.db, acme.account_id, by=BY)
    with pytest.raises(Invalid, match="being written already"):
        await service.delete_archive(acme.db, acme.account_id, id)
    await service.make_archive(acme.db, acme.account_id, id)
    await service.make_archive(acme.db, acme.account_id, id)  # it is ready
    archive = await store.get_archive(acme.db, acme.account_id, id)
    assert archive.status is ArchiveStatus.READY
    content = await content_of(acme, id)
    assert len(content) == archive.bytes
    with ZipFile(io.BytesIO(content)) as file:
        (name,) = [each for each in file.namelist() if each.endswith("manifest.json")]
        assert name.startswith(f"{acme.subdomain}-20")
        manifest = json.loads(file.read(name))
        assert len(file.namelist()) == len(manifest["files"]) + 1
    await service.delete_archive(acme.db, acme.account_id, id)
    with pytest.raises(NotFound):
        await store.get_archive(acme.db, acme.account_id, id)


async def test_old_exports_are_deleted_with_their_files(acme: Cast) -> None:
    id = await service.request_archive(acme.db, acme.account_id, by=BY)
    await service.make_archive(acme.db, acme.account_id, id)
    await service.delete_old_archives(acme.db, now() + timedelta(days=6))
    assert await store.count_parts(acme.db, acme.account_id, id) > 0
    await service.delete_old_archives(acme.db, now() + timedelta(days=7, minutes=1))
    assert await store.list_archives(acme.db, acme.account_id) == []
    assert await store.count_parts(acme.db, acme.account_id, id) == 0


async def test_a_failed_export_says_why_and_frees_the_way(acme: Cast) -> None:
    id = await service.request_archive(acme.db, acme.account_id, by=BY)
    await service.fail_archive(acme.db, acme.account_id, id, "The disk is full.")
    archive = await store.get_archive(acme.db, acme.account_id, id)
    assert (archive.status, archive.error) == (ArchiveStatus.FAILED, "The disk is full.")
    await service.request_archive(acme.db, acme.account_id, by=BY)
