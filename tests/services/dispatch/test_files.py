"""Files of runs: requested once, built once, and the same bytes for ever."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from masthead.model.dispatch.built_in_profiles import BUILT_IN
from masthead.model.dispatch.files import (
    MAX_ATTEMPTS,
    MEDIA_TYPES,
    PART_BYTES,
    DispatchFile,
    FileStatus,
)
from masthead.model.dispatch.profiles import FileFormat
from masthead.model.errors import Invalid, NotFound, Unavailable
from masthead.services.dispatch import file_builds, files, profiles
from masthead.services.dispatch.runs import discard_dispatch
from masthead.store.dispatch import files as store
from masthead.store.engine.interface import Database, Transaction
from tests.conftest import BY, Cast
from tests.support.dispatch_files import build, content_of, freeze_run, request, rows_of

CSV = FileFormat.CSV
ADA = {"address1": "Am Markt 3", "city": "Berlin", "postcode": "01067"}


async def test_a_file_contains_each_postal_copy_once_with_its_totals(acme: Cast) -> None:
    run = await freeze_run(
        acme,
        {**ADA, "first_name": "Ada", "last_name": "Ng"},
        {"first_name": "Bo", "country": "FR"},
        {"first_name": "Cy", "medium": "Digital"},
    )
    file, content = await build(acme, run, CSV)
    assert [row["name"] for row in rows_of(content)] == ["Ada Ng", "Bo"]
    assert (file.status, file.name) == (FileStatus.READY, "issue-1-mailing-1-mailing-house-csv.csv")
    assert (file.lines, file.bytes, file.media_type) == (2, len(content), "text/csv")
    assert file.sha256 == hashlib.sha256(content).hexdigest()
    assert file.totals is not None
    assert (file.totals.lines, file.totals.digital) == (2, 1)
    assert file.totals.by_section()["countries"] == {"DE": 1, "FR": 1}
    assert file.totals.by_section()["media"] == {"Print": 2}
    assert file.totals.by_section()["kinds"] == {"copy": 2}


async def test_a_file_is_built_once_and_its_bytes_never_change(acme: Cast) -> None:
    run = await freeze_run(acme, ADA)
    first, content = await build(acme, run, CSV)
    again = await request(acme, run, CSV)
    assert (again.id, again.sha256) == (first.id, first.sha256)
    with pytest.raises(file_builds.FileTaken):
        await file_builds.prepare_file(acme.db, acme.account_id, first.id)
    assert await content_of(acme, again) == content


async def test_another_address_or_a_late_order_does_not_change_a_frozen_run(acme: Cast) -> None:
    run = await freeze_run(acme, ADA)
    _, content = await build(acme, run, CSV, "mailing-house")
    (row,) = rows_of(content)
    listed = await acme.get("/v1/subscriptions/")
    subscription = listed.json()["items"][0]["id"]
    await acme.patch(f"/v1/subscriptions/{subscription}/", {"city": "Bonn"})
    _, other = await build(acme, run, CSV, "mailing-house-windows")
    (same,) = rows_of(other, encoding="cp1252")
    assert (same["city"], same["key"]) == ("Berlin", row["key"])


async def test_an_edited_profile_makes_a_new_file_and_leaves_the_old_one(acme: Cast) -> None:
    run = await freeze_run(acme, ADA)
    settings = BUILT_IN["mailing-house"].settings
    own = await profiles.create_profile(
        acme.db, acme.account_id, name="Ours", settings=settings, by=BY
    )
    old, content = await build(acme, run, CSV, "ours")
    changed = BUILT_IN["mailing-house-windows"].settings
    await profiles.update_profile(
        acme.db, acme.account_id, own.id, name="Theirs", settings=changed, by=BY
    )
    new = await request(acme, run, CSV, own.id)
    assert new.id != old.id
    assert await content_of(acme, old) == content
    assert old.settings == settings


async def test_labels_can_start_on_a_partly_used_sheet(acme: Cast) -> None:
    run = await freeze_run(acme, ADA)

    async def start_at(number: int | None) -> str:
        file = await files.request_file(
            acme.db, acme.account_id, run.id, FileFormat.PDF, None, first_label=number, by=BY
        )
        assert file.settings.start_label == (number or 1)
        return file.id

    plain, fifth = await start_at(None), await start_at(5)
    assert plain != fifth
    assert (await start_at(None), await start_at(1), await start_at(5)) == (plain, plain, fifth)
    with pytest.raises(Invalid, match="`first_label` is 22; expected a number from 1 to 21"):
        await start_at(22)


@pytest.mark.parametrize("format", [CSV])
async def test_a_run_without_postal_copies_gives_a_file_without_lines(
    acme: Cast, format: FileFormat
) -> None:
    run = await freeze_run(acme, {"medium": "Digital"})
    file, content = await build(acme, run, format)
    assert file.totals is not None
    assert (file.lines, file.totals.digital) == (0, 1)
    assert content.startswith(b"\xef\xbb\xbfsequence;key;")
    assert content.count(b"\r\n") == 1


async def test_a_large_file_is_stored_in_parts(acme: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_builds, "PART_BYTES", 100)
    monkeypatch.setattr(file_builds, "BATCH", 2)
    run = await freeze_run(acme, *[ADA] * 5)
    progress: list[tuple[int, int]] = []
    file = await request(acme, run, CSV)
    file = await file_builds.prepare_file(
        acme.db, acme.account_id, file.id, lambda *step: progress.append(step)
    )
    assert [step for step, _ in progress] == [2, 4, 5, 5]
    parts = [part async for part in files.read_file(acme.db, acme.account_id, file.id)]
    assert {len(part) for part in parts[:-1]} == {100}
    assert hashlib.sha256(b"".join(parts)).hexdigest() == file.sha256
    assert PART_BYTES == 2**20


async def test_a_file_that_ends_with_a_part_has_no_empty_part(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = await freeze_run(acme, ADA)
    _, content = await build(acme, run, CSV)
    monkeypatch.setattr(file_builds, "PART_BYTES", len(content))
    file, again = await build(acme, run, CSV, "lines-8x50")
    assert file.bytes == len(again)
    monkeypatch.setattr(file_builds, "PART_BYTES", len(again))
    other = await freeze_run(acme, number=2)
    assert other.lines == 1
    file, content = await build(acme, other, CSV, "lines-8x50")
    parts = [part async for part in files.read_file(acme.db, acme.account_id, file.id)]
    assert b"".join(parts) == content
    assert all(parts)


async def test_an_unfinished_file_cannot_be_read(acme: Cast, rival: Cast) -> None:
    run = await freeze_run(acme, ADA)
    file = await request(acme, run, CSV)
    with pytest.raises(NotFound):
        await content_of(acme, file)
    file, _ = await build(acme, run, CSV)
    with pytest.raises(NotFound):
        await content_of(rival, file)


async def test_building_starts_again_where_another_process_has_ended(acme: Cast) -> None:
    run = await freeze_run(acme, ADA)
    file = await request(acme, run, CSV)
    lost = file_builds._Build(acme.db, acme.account_id, file.id, "killed", lambda *step: None)
    await lost.begin()
    await lost._store(b"half a file")
    with pytest.raises(file_builds.FileTaken):
        await file_builds.prepare_file(acme.db, acme.account_id, file.id)
    await file_builds.end_failed(acme.db, acme.account_id, file.id, holder="killed")
    waiting = await store.get_file(acme.db, acme.account_id, file.id)
    assert (waiting.status, waiting.attempts) == (FileStatus.WAITING, 1)
    ready = await file_builds.prepare_file(acme.db, acme.account_id, file.id)
    assert rows_of(await content_of(acme, ready))
    with pytest.raises(file_builds.FileTaken):
        await lost._store(b"too late")


async def test_a_process_that_lost_its_file_cannot_finish_it(acme: Cast) -> None:
    run = await freeze_run(acme, ADA)
    file = await request(acme, run, CSV)
    lost = file_builds._Build(acme.db, acme.account_id, file.id, "stalled", lambda *step: None)
    contents = await lost.begin()
    await file_builds.end_failed(acme.db, acme.account_id, file.id, holder="stalled")
    assert await file_builds.reserve_file(acme.db, file.id, holder="other")
    with pytest.raises(file_builds.FileTaken):
        await lost.run(contents)
    still = await store.get_file(acme.db, acme.account_id, file.id)
    assert still.status is FileStatus.WAITING
    await file_builds.end_failed(
        acme.db, acme.account_id, file.id, holder="stalled"
    )  # not its file


async def test_a_file_that_fails_three_times_is_failed_and_can_be_requested_again(
    acme: Cast,
) -> None:
    run = await freeze_run(acme, ADA)
    file = await request(acme, run, CSV)
    for _ in range(MAX_ATTEMPTS):
        attempt = file_builds._Build(acme.db, acme.account_id, file.id, "dies", lambda *step: None)
        await attempt.begin()
        await file_builds.end_failed(acme.db, acme.account_id, file.id, holder="dies")
    failed = await store.get_file(acme.db, acme.account_id, file.id)
    assert (failed.status, failed.error) == (FileStatus.FAILED, file_builds.GIVEN_UP)
    again = await request(acme, run, CSV)
    assert (again.id, again.status, again.attempts) == (file.id, FileStatus.WAITING, 3)
    _, content = await build(acme, run, CSV)
    assert rows_of(content)


async def test_a_discarded_run_gives_no_new_files(acme: Cast) -> None:
    run = await freeze_run(acme, ADA)
    file, content = await build(acme, run, CSV)
    await discard_dispatch(acme.db, acme.account_id, run.id, by=BY)
    assert await content_of(acme, file) == content
    with pytest.raises(Invalid, match="discarded"):
        await request(acme, run, CSV, "mailing-house-windows")


async def test_a_download_is_in_the_audit_trail(acme: Cast) -> None:
    run = await freeze_run(acme, ADA)
    file, _ = await build(acme, run, CSV)
    await files.record_download(acme.db, acme.account_id, file, by=BY)
    rows = await acme.db.fetch_all(
        "SELECT subject_id, after FROM audit WHERE account_id = :a AND action = :action",
        {"a": acme.account_id, "action": "dispatch.download"},
    )
    ((subject, after),) = [(row["subject_id"], row["after"]) for row in rows]
    assert subject == run.id
    assert str(file.sha256) in after


async def begin_slowly(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> tuple[DispatchFile, Any]:
    """A file, and its build by the holder `slow`, which has done one line and has no pauses."""
    monkeypatch.setattr(file_builds, "BEAT_SECONDS", 0.0)
    file = await request(cast, await freeze_run(cast, ADA), CSV)
    build: Any = file_builds._Build(cast.db, cast.account_id, file.id, "slow", lambda *step: None)
    await build.begin()
    build._done = 1
    return file, build


async def test_the_progress_of_a_slow_file_is_stored(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, build = await begin_slowly(acme, monkeypatch)
    beat = asyncio.create_task(build.keep_alive())
    async with asyncio.timeout(20):
        while (await store.get_file(acme.db, acme.account_id, file.id)).progress != 1:  # noqa: ASYNC110 - the file is stored by a task
            await asyncio.sleep(0)
    assert not beat.done()
    beat.cancel()
    with pytest.raises(asyncio.CancelledError):
        await beat


async def test_a_slow_file_that_another_process_builds_is_given_up(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, build = await begin_slowly(acme, monkeypatch)
    await file_builds.end_failed(acme.db, acme.account_id, file.id, holder="slow")
    assert await file_builds.reserve_file(acme.db, file.id, holder="other")
    await build.keep_alive()  # ends, because the lease is lost
    with pytest.raises(file_builds.FileTaken):
        await build._add(b"")


class _FailsOnce:
    """A database whose first write fails."""

    def __init__(self, db: Database) -> None:
        self._db, self.failures = db, 0

    async def write(self, work: Callable[[Transaction], Awaitable[Any]], **options: Any) -> Any:
        if not self.failures:
            self.failures += 1
            raise Unavailable("The database is busy")
        return await self._db.write(work, **options)


async def test_the_lease_is_renewed_when_the_database_is_back(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_builds, "BEAT_SECONDS", 0.0)
    run = await freeze_run(acme, ADA)
    file = await request(acme, run, CSV)
    failing: Any = _FailsOnce(acme.db)
    build = file_builds._Build(failing, acme.account_id, file.id, "slow", lambda *step: None)
    failing.failures = 1
    await build.begin()
    await file_builds.end_failed(acme.db, acme.account_id, file.id, holder="slow")
    failing.failures = 0
    await build.keep_alive()  # fails, tries again, and ends because the file is not its own
    assert failing.failures == 1


def test_a_file_has_the_media_type_of_its_format() -> None:
    assert MEDIA_TYPES.keys() == set(FileFormat)
