"""Processes that were stopped for minutes, while another one took over their import."""

from typing import Any

import pytest
from msgspec import structs

from masthead.model.actors import Actor
from masthead.model.errors import Invalid
from masthead.model.imports.batches import BatchStatus, Counts, Decisions, ImportBatch
from masthead.services.imports import batches as service
from masthead.services.imports.reading import FileReading
from masthead.services.imports.work import page_batches, run_batch as run, undo
from masthead.services.imports.work.leases import UNDO_ABANDONED, LeaseLost, end_abandoned
from masthead.services.imports.work.run_batch import begin_run, run_batch
from masthead.store.imports import batches as store
from tests.conftest import BY, Cast
from tests.services.imports.support import imported, reading_of, row, undone
from tests.services.imports.test_page_batches import end_leases, upload, work
from tests.support.checks import faults
from tests.support.factories import make_issue
from tests.support.walk import walk

COMMAND = type(BY)(kind="command", id="import")


class Killed(Exception):
    pass


def kill(counts: Any) -> None:
    """Stop after the first rows."""
    raise Killed


async def begin(cast: Cast, reading: FileReading) -> ImportBatch:
    """Begin an import of a command, or go on with it."""
    return await begin_run(
        cast.db,
        cast.account_id,
        reading,
        sha256="1",
        size=1,
        source_id=cast.imported,
        holder="one",
        by=COMMAND,
    )


@pytest.fixture
async def half(acme: Cast, monkeypatch: pytest.MonkeyPatch) -> tuple[FileReading, ImportBatch]:
    """A command that has imported two of five rows, and has lost its lease."""
    monkeypatch.setattr(run, "BATCH", 2)
    await make_issue(acme)
    reading = await reading_of(acme, *(row(f"A{n}") for n in range(5)))
    batch = await begin(acme, reading)
    with pytest.raises(Killed):
        await run_batch(acme.db, acme.account_id, batch, reading, holder="one", on_progress=kill)
    await end_leases(acme)
    return reading, await store.get_batch(acme.db, acme.account_id, batch.id)


async def test_a_run_that_another_process_has_ended_adds_nothing(
    acme: Cast, half: tuple[FileReading, ImportBatch]
) -> None:
    reading, stopped = half
    again = await begin(acme, reading)
    done = await run_batch(acme.db, acme.account_id, again, reading, holder="one")
    assert (again.id, done.counts.read, done.counts.imported) == (stopped.id, 5, 5)
    with pytest.raises(LeaseLost):
        await run_batch(acme.db, acme.account_id, stopped, reading, holder="two")
    assert (await store.get_batch(acme.db, acme.account_id, stopped.id)).counts == done.counts
    assert await faults(acme) == []


async def test_a_run_that_was_undone_meanwhile_adds_nothing(
    acme: Cast, half: tuple[FileReading, ImportBatch]
) -> None:
    reading, stopped = half
    await end_abandoned(acme.db, acme.account_id)
    await undone(acme, stopped)
    with pytest.raises(LeaseLost):
        await run_batch(acme.db, acme.account_id, stopped, reading, holder="one")
    now = await store.get_batch(acme.db, acme.account_id, stopped.id)
    assert (now.status, now.counts.undone) == (BatchStatus.UNDONE, 2)
    assert await walk(acme, "/v1/subscriptions/") == []
    assert await faults(acme) == []


async def test_a_run_that_was_given_up_wrongly_goes_on(
    acme: Cast, half: tuple[FileReading, ImportBatch]
) -> None:
    reading, stopped = half
    await end_abandoned(acme.db, acme.account_id)
    done = await run_batch(acme.db, acme.account_id, stopped, reading, holder="one")
    assert (done.status, done.error, done.counts.imported) == (BatchStatus.IMPORTED, None, 5)


@pytest.mark.parametrize("is_rehearsal", [True, False])
async def test_a_process_that_read_the_file_too_slowly_changes_nothing(
    acme: Cast, monkeypatch: pytest.MonkeyPatch, is_rehearsal: bool
) -> None:
    await make_issue(acme)
    id = await upload(acme)
    read, is_first = page_batches._read, [True]

    async def slow(*args: Any) -> FileReading:
        reading = await read(*args)
        if is_first.pop() if is_first else False:
            await work(acme, id)
        return reading

    monkeypatch.setattr(page_batches, "_read", slow)
    if is_rehearsal:
        await service.request_rehearsal(acme.db, acme.account_id, id)
    else:
        await service.request_run(acme.db, acme.account_id, id, by=BY)
    await work(acme, id)
    batch = await store.get_batch(acme.db, acme.account_id, id)
    expected = BatchStatus.REHEARSED if is_rehearsal else BatchStatus.IMPORTED
    assert (batch.status, batch.counts.imported) == (expected, 2)
    assert await faults(acme) == []


async def test_a_rehearsal_that_ends_after_the_import_has_run_changes_nothing(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_issue(acme)
    id = await upload(acme)
    rehearse, is_first = run.rehearse, [True]

    async def slow(*args: Any, **options: Any) -> Any:
        tally = await rehearse(*args, **options)
        if is_first:
            is_first.clear()
            await end_leases(acme)
            await work(acme, id)
            await service.request_run(acme.db, acme.account_id, id, by=BY)
            await work(acme, id)
        return tally

    monkeypatch.setattr(page_batches, "rehearse", slow)
    await service.request_rehearsal(acme.db, acme.account_id, id)
    await work(acme, id)
    batch = await store.get_batch(acme.db, acme.account_id, id)
    assert (batch.status, batch.counts.imported) == (BatchStatus.IMPORTED, 2)
    assert await faults(acme) == []


async def test_an_undo_that_another_process_has_ended_ends(
    acme: Cast, half: tuple[FileReading, ImportBatch]
) -> None:
    _, stopped = half
    await end_abandoned(acme.db, acme.account_id)
    await service.request_undo(acme.db, acme.account_id, stopped.id, keep_touched=True, by=BY)
    asked = await store.get_batch(acme.db, acme.account_id, stopped.id)
    await undo.undo_batch(acme.db, acme.account_id, asked, holder="one")
    with pytest.raises(LeaseLost):
        await undo.undo_batch(acme.db, acme.account_id, asked, holder="two")


async def test_an_undo_that_stops_leaves_a_failed_import_failed(acme: Cast) -> None:
    await make_issue(acme)
    id = await upload(acme)
    await service.request_run(acme.db, acme.account_id, id, by=BY)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "BATCH", 1)
        patch.setattr(page_batches, "run_batch", failing)
        with pytest.raises(Killed):
            await work(acme, id)
    await service.fail_batch(acme.db, acme.account_id, id, "It failed.")
    [made] = await walk(acme, "/v1/subscriptions/")
    url = f"/v1/subscriptions/{made['id']}/cancel/"
    assert (await acme.post(url, {"mode": "cancel"})).status_code == 200
    await end_leases(acme)
    await service.request_undo(acme.db, acme.account_id, id, keep_touched=False, by=BY)
    await work(acme, id)
    batch = await store.get_batch(acme.db, acme.account_id, id)
    assert (batch.status, batch.counts.undone) == (BatchStatus.FAILED, 0)
    assert "was touched" in (batch.error or "")
    await service.request_run(acme.db, acme.account_id, id, by=BY)
    await work(acme, id)
    done = await store.get_batch(acme.db, acme.account_id, id)
    assert (done.status, done.counts.imported) == (BatchStatus.IMPORTED, 2)
    assert await faults(acme) == []


def ask_as(by: Actor) -> Any:
    """A function that requests the undo of a batch; returns it."""

    async def ask(cast: Cast, id: str) -> ImportBatch:
        await service.request_undo(cast.db, cast.account_id, id, keep_touched=False, by=by)
        return await store.get_batch(cast.db, cast.account_id, id)

    return ask


@pytest.mark.parametrize("last", [2, 4])
async def test_an_undo_of_a_command_that_died_is_shown_as_stopped_and_goes_on(
    acme: Cast, monkeypatch: pytest.MonkeyPatch, last: int
) -> None:
    monkeypatch.setattr(undo, "PART", 2)
    await make_issue(acme)
    batch = await imported(acme, *(row(f"A{n}") for n in range(4)))
    ask = ask_as(COMMAND)
    asked = await ask(acme, batch.id)

    def kill_late(counts: Counts) -> None:
        if counts.undone == last:
            raise Killed

    with pytest.raises(Killed):
        await undo.undo_batch(acme.db, acme.account_id, asked, holder="one", on_progress=kill_late)
    await end_abandoned(acme.db, acme.account_id)
    assert (await store.get_batch(acme.db, acme.account_id, batch.id)).is_working  # it may be alive
    await end_leases(acme)
    assert acme.account_id in await store.list_command_accounts(acme.db)
    await end_abandoned(acme.db, acme.account_id)
    stopped = await store.get_batch(acme.db, acme.account_id, batch.id)
    assert (stopped.status, stopped.error) == (BatchStatus.FAILED, UNDO_ABANDONED)
    with pytest.raises(Invalid, match="undo of this import stopped"):
        await service.request_run(acme.db, acme.account_id, batch.id, by=BY)
    again = await ask(acme, batch.id)
    assert not again.decisions.had_failed
    done = await undo.undo_batch(acme.db, acme.account_id, again, holder="two")
    assert (done.status, done.counts.undone, done.error) == (BatchStatus.UNDONE, 4, None)
    assert await faults(acme) == []


async def test_an_undo_that_was_only_slow_goes_on(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_issue(acme)
    batch = await imported(acme, row("A1"))
    asked = await ask_as(COMMAND)(acme, batch.id)
    await end_abandoned(acme.db, acme.account_id)
    assert (await store.get_batch(acme.db, acme.account_id, batch.id)).is_half_undone
    done = await undo.undo_batch(acme.db, acme.account_id, asked, holder="one")
    await end_abandoned(acme.db, acme.account_id)
    assert (done.status, done.counts.undone, done.error) == (BatchStatus.UNDONE, 1, None)


async def failing(*args: Any, **options: Any) -> ImportBatch:
    """A run that is killed after its first rows."""
    return await run_batch(*args, **options, on_progress=kill)


async def test_an_import_that_goes_on_attaches_no_orders_to_subscribers_that_it_made(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "BATCH", 2)
    await make_issue(acme)
    await imported(acme, row("M1", last_name="Hopper"), row("M2", last_name="Noether"), sha256="2")
    hopper = {"last_name": "Hopper"}
    rows = [row("A1"), row("A2", **hopper), row("A3"), row("A4", **hopper)]
    reading = await reading_of(acme, *rows)
    batch = await begin(acme, reading)
    decided = structs.replace(batch, decisions=Decisions(attach=True))
    with pytest.raises(Killed):
        await run_batch(acme.db, acme.account_id, decided, reading, holder="one", on_progress=kill)
    stopped = await store.get_batch(acme.db, acme.account_id, batch.id)
    assert stopped.counts.subscribers_made == 1
    again = structs.replace(stopped, decisions=decided.decisions)
    done = await run_batch(acme.db, acme.account_id, again, reading, holder="one")
    assert (done.counts.subscribers_made, done.counts.subscribers_matched) == (2, 2)
    assert await faults(acme) == []
