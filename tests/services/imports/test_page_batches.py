"""Imports of the pages: from the uploaded file to its rehearsal, its run and its undo."""

from pathlib import Path

import pytest

from masthead.model.actors import Actor
from masthead.model.clock import now
from masthead.model.errors import Invalid, NotFound
from masthead.model.imports.batches import BatchStatus, Decisions, RowOutcome
from masthead.model.imports.plan import ImportPlan
from masthead.model.pagination import PageRequest
from masthead.services.check.accounts import check_account
from masthead.services.imports import batches as service, uploads
from masthead.services.imports.delete import delete_unused, delete_upload
from masthead.services.imports.mappings import save_mapping
from masthead.services.imports.work import page_batches, run_batch as run
from masthead.services.imports.work.page_batches import work_on
from masthead.services.imports.work.rejects import CsvRejects, read_rejects
from masthead.store.engine.interface import Transaction
from masthead.store.identity import people
from masthead.store.imports import batch_rows, batches as store, files, mappings
from tests.conftest import Cast
from tests.support.factories import PLACEHOLDER_DOMAIN, make_issue
from tests.support.walk import walk

BY = Actor(kind="user", id="ann")
PAGE = PageRequest(limit=200, after=None, binding=b"")
FILE = b"""order_id;email;first_name;address1;country;order_date;price;start_issue;length;notes
A1;ann@example.test;Ann;Street 1;DE;2026-01-15;42,00;1;4;=SUM(1)
A2;bob@example.test;Bob;Street 2;Atlantis;2026-01-15;42,00;1;4;=cmd()
A1;ann@example.test;Ann;Street 1;DE;2026-01-15;42,00;1;4;
A3;carl@example.test;Carl;Street 3;DE;2026-01-15;42,00;1;4;
"""


async def upload(cast: Cast, content: bytes | Path = FILE) -> str:
    """Upload a file and choose its source."""
    id = await service.upload_file(cast.db, cast.account_id, "list.csv", content, by=BY)
    await service.choose_plan(
        cast.db, cast.account_id, id, source_id=cast.imported, plan=ImportPlan()
    )
    return id


async def work(cast: Cast, id: str) -> None:
    """Do what the background job does."""
    await work_on(cast.db, cast.account_id, id, placeholder_domain=PLACEHOLDER_DOMAIN)


async def test_a_rehearsal_with_nothing_to_say_stores_only_its_counts(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_batches, "PROGRESS_SECONDS", float("inf"))
    await make_issue(acme)
    head, first, *_others = FILE.splitlines(keepends=True)
    id = await upload(acme, head + first)
    await service.request_rehearsal(acme.db, acme.account_id, id)
    await work(acme, id)
    batch = await store.get_batch(acme.db, acme.account_id, id)
    assert (batch.status, batch.counts.imported) == (BatchStatus.REHEARSED, 1)


async def test_a_file_is_rehearsed_run_and_undone(
    acme: Cast, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(run, "BATCH", 2)
    monkeypatch.setattr(page_batches, "PROGRESS_SECONDS", -1)
    await make_issue(acme)
    path = tmp_path / "list.csv"
    path.write_bytes(FILE)
    db, account_id, id = acme.db, acme.account_id, await upload(acme, path)
    for _ in range(2):  # the rows of the first rehearsal are deleted
        await service.request_rehearsal(db, account_id, id)
        assert id in [each.id for each in await store.list_working(db, limit=200)]
        with pytest.raises(Invalid, match="is working"):
            await service.request_run(db, account_id, id, by=BY)
        await work(acme, id)
    batch = await store.get_batch(db, account_id, id)
    assert (batch.status, batch.number, batch.percent) == (BatchStatus.REHEARSED, None, 100)
    counts = batch.counts
    assert (counts.imported, counts.skipped, counts.rejected, counts.copies) == (2, 1, 1, 2)
    assert batch.layout.separator == ";"
    assert [(each.outcome, each.count, each.line) for each in batch.reasons] == [
        (RowOutcome.REFUSED, 1, 3),
        (RowOutcome.SKIPPED, 1, 4),
    ]
    assert await walk(acme, "/v1/subscriptions/") == []
    await service.decide_duplicates(db, account_id, id, Decisions(attach=True))
    assert await service.request_run(db, account_id, id, by=BY) == 1
    await work(acme, id)
    done = await store.get_batch(db, account_id, id)
    assert (done.status, done.number, done.counts.imported) == (BatchStatus.IMPORTED, 1, 2)
    assert done.can_be_undone
    assert await files.find_part(db, account_id, id, 0) is not None  # to import it again
    writer = CsvRejects(done.layout.separator)
    parts = read_rejects(db, account_id, id, done.layout.columns, writer)
    text = b"".join([part async for part in parts]).decode()
    head, refused = text.splitlines()
    assert head.startswith("\ufeffline;column;value;reason;order_id;email;")
    assert refused.startswith("3;country;Atlantis;")
    assert refused.endswith(
        ";A2;bob@example.test;Bob;Street 2;Atlantis;2026-01-15;42,00;1;4;'=cmd()"
    )
    mended = (text.replace("Atlantis", "DE")).encode()
    second = await upload(acme, mended)
    assert await service.request_run(db, account_id, second, by=BY) == 2
    await work(acme, second)
    [made] = (await batch_rows.list_rows(db, account_id, second, RowOutcome.IMPORTED, PAGE)).items
    [bob] = await walk(acme, "/v1/subscriptions/", search="bob@example.test")
    assert (made.subscription_id, bob["notes"]) == (bob["id"], "=cmd()")
    [known] = await batch_rows.list_imports_of(db, account_id, bob["id"])
    assert (known.number, known.order_id) == (2, "A2")
    await service.request_undo(db, account_id, id, keep_touched=False, by=BY)
    assert (await store.get_batch(db, account_id, id)).percent is None  # not 0 for seconds
    await work(acme, id)
    assert (await store.get_batch(db, account_id, id)).status is BatchStatus.UNDONE
    assert [each["id"] for each in await walk(acme, "/v1/subscriptions/")] == [bob["id"]]
    assert [fault async for fault in check_account(db, acme.subdomain)] == []
    await work(acme, id)  # nothing is left to do


async def test_a_run_that_was_killed_goes_on_where_it_stopped(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "BATCH", 1)
    await make_issue(acme)
    id = await upload(acme)
    await service.request_run(acme.db, acme.account_id, id, by=BY)
    insert, left = batch_rows.insert_rows, [2]

    class Killed(Exception):
        pass

    async def dying(*args: object) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise Killed
        await insert(*args)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(batch_rows, "insert_rows", dying)
        with pytest.raises(Killed):
            await work(acme, id)
    half = await store.get_batch(acme.db, acme.account_id, id)
    assert (half.status, half.counts.read) == (BatchStatus.RUNNING, 2)
    await work(acme, id)  # the lease of the killed process is not over
    assert (await store.get_batch(acme.db, acme.account_id, id)).counts.read == 2
    await end_leases(acme)
    await work(acme, id)
    done = await store.get_batch(acme.db, acme.account_id, id)
    assert (done.status, done.counts.read, done.counts.imported) == ("imported", 4, 2)
    assert [fault async for fault in check_account(acme.db, acme.subdomain)] == []


async def end_leases(cast: Cast) -> None:
    """Let the leases of all processes be over."""

    async def delete(tx: Transaction) -> None:
        await tx.execute("DELETE FROM lease", {})

    await cast.db.write(delete)


async def test_a_file_that_cannot_be_read_fails_with_a_sentence(acme: Cast) -> None:
    id = await upload(acme, b"\x89PNG\r\n\x1a\n123")
    await service.request_rehearsal(acme.db, acme.account_id, id)
    await work(acme, id)
    batch = await store.get_batch(acme.db, acme.account_id, id)
    assert (batch.status, batch.error and "picture" in batch.error) == (BatchStatus.FAILED, True)
    await service.choose_plan(
        acme.db, acme.account_id, id, source_id=None, plan=ImportPlan(order_prefix="X")
    )
    with pytest.raises(Invalid, match="source"):
        await service.request_run(acme.db, acme.account_id, id, by=BY)
    with pytest.raises(Invalid, match="cannot be done"):
        await service.decide_duplicates(acme.db, acme.account_id, id, Decisions())
    with pytest.raises(Invalid, match="empty"):
        await service.upload_file(acme.db, acme.account_id, "a.csv", b"", by=BY)


async def test_reasons_are_in_the_language_of_who_uploaded_the_file(acme: Cast) -> None:
    await make_issue(acme)
    find = "SELECT user_id FROM account_user WHERE account_id = :id"
    user = (await acme.db.fetch_all(find, {"id": acme.account_id}))[0]
    by = Actor(kind="user", id=user["user_id"])

    async def choose(tx: Transaction) -> None:
        await people.update_locale(tx, by.id, "de_DE")

    await acme.db.write(choose)
    for actor, said in ((by, "ist `Atlantis`"), (BY, "is `Atlantis`")):
        name = f"{actor.id}.csv"
        id = await service.upload_file(acme.db, acme.account_id, name, FILE, by=actor)
        await service.choose_plan(
            acme.db, acme.account_id, id, source_id=acme.imported, plan=ImportPlan()
        )
        await service.request_rehearsal(acme.db, acme.account_id, id)
        await work(acme, id)
        batch = await store.get_batch(acme.db, acme.account_id, id)
        assert any(said in reason.text for reason in batch.reasons), batch.reasons


async def test_files_that_wait_take_limited_space(
    acme: Cast, rival: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "MAX_WAITING", 2 * len(FILE))
    ids = [await upload(acme), await upload(acme)]
    with pytest.raises(Invalid, match="Delete some of them"):
        await upload(acme)
    await upload(rival)
    await delete_upload(acme.db, acme.account_id, ids[0], by=BY)
    await upload(acme)


async def test_a_file_with_a_long_ending_is_read(acme: Cast) -> None:
    name = "list." + "\N{EURO SIGN}" * 90
    id = await service.upload_file(acme.db, acme.account_id, name, FILE, by=BY)
    batch = await store.get_batch(acme.db, acme.account_id, id)
    async with page_batches.stored_file(acme.db, acme.account_id, batch) as path:
        assert path.read_bytes() == FILE


async def test_a_rehearsal_needs_a_source_and_a_file(acme: Cast) -> None:
    db, account_id, id = acme.db, acme.account_id, await upload(acme)
    await service.choose_plan(db, account_id, id, source_id=None, plan=ImportPlan())
    await service.request_rehearsal(db, account_id, id)
    await work(acme, id)
    assert "source" in ((await store.get_batch(db, account_id, id)).error or "")

    async def lose(tx: Transaction) -> None:
        await files.delete_files(tx, account_id, [id])

    await db.write(lose, account_id=account_id)
    await service.request_rehearsal(db, account_id, id)
    await work(acme, id)
    assert "Upload it again" in ((await store.get_batch(db, account_id, id)).error or "")


async def test_unused_uploads_are_deleted_with_their_rehearsal(acme: Cast) -> None:
    await make_issue(acme)
    db, account_id = acme.db, acme.account_id
    ids = [await upload(acme), await upload(acme)]
    for id in ids:
        await service.request_rehearsal(db, account_id, id)
        await work(acme, id)
    await service.request_run(db, account_id, ids[1], by=BY)
    await work(acme, ids[1])
    await delete_unused(db, now())
    with pytest.raises(NotFound, match="import"):
        await store.get_batch(db, account_id, ids[0])
    with pytest.raises(Invalid, match="imported"):
        await delete_upload(db, account_id, ids[1], by=BY)
    assert (await store.get_batch(db, account_id, ids[1])).number == 1


async def test_a_failed_run_keeps_its_number_and_goes_on(acme: Cast) -> None:
    db, account_id, id = acme.db, acme.account_id, await upload(acme)
    await service.request_run(db, account_id, id, by=BY)
    await service.fail_batch(db, account_id, id, "It failed.")
    await service.fail_batch(db, account_id, id, "This does not change what is over.")
    failed = await store.get_batch(db, account_id, id)
    assert (failed.error, failed.number, failed.can_be_undone) == ("It failed.", 1, False)
    with pytest.raises(Invalid, match="stays in the list"):
        await delete_upload(db, account_id, id, by=BY)
    with pytest.raises(Invalid, match="no order of it is left"):
        await service.request_undo(db, account_id, id, keep_touched=True, by=BY)
    assert await service.request_run(db, account_id, id, by=BY) == 1
    await service.fail_batch(db, account_id, id, "It failed.")  # no job shall find it


async def test_mappings_are_saved_by_name(acme: Cast) -> None:
    for text in ("{}", '{"order_prefix":"A-"}'):
        await save_mapping(acme.db, acme.account_id, " Shop ", text)
    [saved] = await mappings.list_mappings(acme.db, acme.account_id)
    assert (saved.name, saved.mapping) == ("Shop", '{"order_prefix":"A-"}')
    assert await mappings.find_mapping(acme.db, acme.account_id, "Shop") == saved
    assert await mappings.find_mapping(acme.db, acme.account_id, "Other") is None
    with pytest.raises(Invalid, match="name"):
        await save_mapping(acme.db, acme.account_id, " ", "{}")

    async def delete(tx: Transaction) -> None:
        await mappings.delete_mapping(tx, acme.account_id, "Shop")

    await acme.db.write(delete, account_id=acme.account_id)
    assert await mappings.list_mappings(acme.db, acme.account_id) == []
