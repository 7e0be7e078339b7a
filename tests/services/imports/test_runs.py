"""Runs of imports: known orders, batches that go on, decisions, and what check finds."""

import asyncio
from functools import partial
from typing import Any

import pytest
from msgspec import structs

from masthead.model.errors import Invalid
from masthead.model.imports.batches import (
    BatchStatus,
    Decisions,
    ImportBatch,
    ImportRow,
    RowOutcome,
)
from masthead.model.imports.plan import ImportPlan
from masthead.model.orders.order import OrderDefaults
from masthead.model.pagination import PageRequest, all_pages
from masthead.services.check import imports as check_imports
from masthead.services.check.accounts import check_account
from masthead.services.imports.work import run_batch as run, tally
from masthead.services.imports.work.leases import ABANDONED, LeaseLost, end_abandoned
from masthead.services.imports.work.options import Import
from masthead.services.imports.work.run_batch import begin_run, rehearse, run_batch
from masthead.services.imports.work.undo_preview import preview_undo
from masthead.store.engine.interface import Transaction
from masthead.store.imports import batch_rows, batches as store
from tests.conftest import BY, Cast
from tests.services.imports.support import begin, imported, reading_of, row, undone
from tests.support.factories import (
    PLACEHOLDER_DOMAIN,
    import_options,
    make_issue,
    make_subscription,
)
from tests.support.walk import walk

PAGE = PageRequest(limit=200, after=None, binding=b"")


async def rows_of(cast: Cast, batch: ImportBatch, outcome: RowOutcome) -> list[ImportRow]:
    """The rows of a batch with an outcome."""
    page = await batch_rows.list_rows(cast.db, cast.account_id, batch.id, outcome, PAGE)
    return list(page.items)


async def faults(cast: Cast) -> list[str]:
    """The invariants that are broken."""
    return [fault.invariant async for fault in check_account(cast.db, cast.subdomain)]


async def test_an_order_of_another_shop_with_the_same_id_is_not_lost(acme: Cast) -> None:
    await make_issue(acme)
    await imported(acme, row("1001", email="ann@example.test", first_name="Ann"))
    batch = await imported(
        acme, row("1001", email="bob@example.test"), sha256="2", source_id=acme.shop
    )
    assert (batch.counts.skipped, batch.counts.rejected) == (0, 1)
    [refused] = await rows_of(acme, batch, RowOutcome.REFUSED)
    [reason] = refused.reasons
    assert (reason.column, reason.value) == ("order_id", "1001")
    for part in ("of Ann Lovelace", "the source, the subscriber", "--order-prefix", "42.00"):
        assert part in reason.text
    prefixed = await reading_of(
        acme, row("1001", email="bob@example.test"), plan=ImportPlan(order_prefix="B-")
    )
    begun = await begin(acme, prefixed, sha256="3", source_id=acme.shop)
    done = await run_batch(acme.db, acme.account_id, begun, prefixed, holder="me")
    [row_] = await rows_of(acme, done, RowOutcome.IMPORTED)
    assert row_.order_id == "B-1001"
    assert await faults(acme) == []


async def test_a_known_order_is_skipped_only_if_source_subscriber_and_amount_are_equal(
    acme: Cast,
) -> None:
    await make_issue(acme)
    first = await imported(
        acme,
        row("A1"),
        row("A2", email=""),
        row("A3", renews="A1", start_issue="", length="2", email=""),
    )
    batch = await imported(
        acme,
        row("A1", notes="changed"),
        row("A1", price="43.00"),
        row("A2", email="", first_name="ADA "),
        row("A2", email="", postcode="10999"),
        row("A3", renews="A1", start_issue="", length="2", email=""),
        row("A3", renews="A2", start_issue="", length="2", email=""),
        row("A2", email="new@example.test"),
        sha256="2",
    )
    skipped = await rows_of(acme, batch, RowOutcome.SKIPPED)
    refused = await rows_of(acme, batch, RowOutcome.REFUSED)
    assert [each.line for each in skipped] == [2, 4, 6]
    assert [each.line for each in refused] == [3, 5, 7, 8]
    made = (await rows_of(acme, first, RowOutcome.IMPORTED))[0].subscription_id
    assert made
    assert skipped[0].subscription_id == made
    assert made in skipped[0].reasons[0].text


async def test_a_row_without_an_order_number_is_named_by_its_person(acme: Cast) -> None:
    await make_issue(acme)
    made = f"ROW-{'A7D1' * 4}"
    lines = row(made), row(made, email="eve@example.test"), row(f"S-{made}-2")
    batch = await imported(acme, *lines, row(made))
    [refused] = await rows_of(acme, batch, RowOutcome.REFUSED)
    [skipped] = await rows_of(acme, batch, RowOutcome.SKIPPED)
    known = "This is the same order as line 2 of this file."
    [same] = skipped.reasons
    assert (same.column, same.value) == ("last_name", "Ada Lovelace")
    assert same.text.startswith(known)
    [conflict] = refused.reasons
    assert conflict.text.startswith("Ada Lovelace already has an order with the same product")
    assert "This row differs in the subscriber." in conflict.text
    assert "ROW-" not in conflict.text + same.text
    placed = await rows_of(acme, batch, RowOutcome.IMPORTED)
    assert [each.order_number for each in placed] == ["", ""]
    await acme.post(f"/v1/subscriptions/{placed[0].subscription_id}/cancel/", {"mode": "cancel"})
    [touched] = (await preview_undo(acme.db, acme.account_id, batch)).touched
    assert touched.name == "Ada Lovelace"
    assert "line 2 (Ada Lovelace: cancelled)" in str((await undone(acme, batch)).error)


async def test_the_same_file_from_another_source_is_refused(acme: Cast) -> None:
    await make_issue(acme)
    await imported(acme, row("A1"))
    batch = await imported(acme, row("A1"), source_id=acme.shop)
    assert (batch.counts.skipped, batch.counts.rejected) == (0, 1)


async def test_a_line_that_was_skipped_is_compared_again_if_another_order_has_its_id(
    acme: Cast,
) -> None:
    await make_issue(acme)
    first = await imported(acme, row("A1"))
    assert (await imported(acme, row("A1"))).counts.skipped == 1
    await undone(acme, first)
    await imported(acme, row("A1", email="bob@example.test"), sha256="2")
    assert (await imported(acme, row("A1"))).counts.rejected == 1


@pytest.mark.parametrize(
    "is_shared, expected", [(False, [2, 6, 8, 16, 17]), (True, [2, 4, 6, 8, 10, 12, 14, 16, 17])]
)
async def test_transactions_have_few_rows_while_others_write(
    acme: Cast, monkeypatch: pytest.MonkeyPatch, is_shared: bool, expected: list[int]
) -> None:
    monkeypatch.setattr(run, "BATCH", 8)
    monkeypatch.setattr(run, "FEW", 2)
    monkeypatch.setattr(acme.db, "is_shared", lambda: is_shared)
    await make_issue(acme)
    reading = await reading_of(acme, *(row(f"A{n}") for n in range(17)))
    batch, seen = await begin(acme, reading), list[int]()
    done = await run_batch(
        acme.db,
        acme.account_id,
        batch,
        reading,
        holder="me",
        on_progress=lambda counts: seen.append(counts.read),
    )
    assert seen == expected
    assert done.counts.imported == 17
    assert await faults(acme) == []


@pytest.mark.parametrize("size", [1, 1000])
async def test_the_same_id_twice_in_a_file_is_the_same_in_rehearsal_and_run(
    acme: Cast, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(run, "BATCH", size)
    await make_issue(acme)
    await make_subscription(acme, email="grace@example.test", order_id="M1")
    rows = [
        row("A1"),
        row("A1"),
        row("A1", email="other@example.test"),
        row("A2", email="A1@EXAMPLE.test"),
        row("A3", renews="A2", start_issue="", length="2"),
        row("A4", renews="M1", start_issue="", length="2"),
        row("A5", renews="A4", start_issue="", length="1"),
        row("A5", renews="A4", start_issue="", length="1"),
        row("A6", email=""),
        row("A6", email=""),
        row("A7", email="", postcode="20095"),
        row("A8", renews="A9", start_issue="", length="1"),
        row("A9", country="Atlantis"),
    ]
    reading = await reading_of(acme, *rows)
    how = import_options(acme)
    seen: list[tuple[int, RowOutcome]] = []
    rehearsed = await rehearse(
        acme.db,
        how,
        reading,
        on_row=lambda row, placed: seen.append((placed.stored.line, placed.stored.outcome)),
    )
    batch = await begin(acme, reading)
    done = await run_batch(acme.db, acme.account_id, batch, reading, holder="me")
    stored = [
        (each.line, outcome)
        for outcome in (RowOutcome.IMPORTED, RowOutcome.SKIPPED, RowOutcome.REFUSED)
        for each in await rows_of(acme, done, outcome)
    ]
    assert sorted(stored) == [
        (line, RowOutcome.IMPORTED if outcome is RowOutcome.LIKELY else outcome)
        for line, outcome in seen
    ]
    assert structs.replace(rehearsed.counts, likely=0) == done.counts
    assert (done.counts.subscribers_made, done.counts.renewals, done.counts.skipped) == (3, 3, 3)
    assert await faults(acme) == []


async def test_an_import_that_stopped_goes_on_with_the_same_number(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "BATCH", 2)
    await make_issue(acme)
    reading = await reading_of(acme, *(row(f"A{n}") for n in range(5)))
    command = structs.replace(BY, kind="command", id="import")

    async def begin_as(holder: str) -> ImportBatch:
        return await begin_run(
            acme.db,
            acme.account_id,
            reading,
            sha256="1",
            size=1,
            source_id=acme.imported,
            holder=holder,
            by=command,
        )

    class Killed(Exception):
        pass

    def kill(counts: Any) -> None:
        raise Killed

    batch = await begin_as("one")
    with pytest.raises(Killed):
        await run_batch(acme.db, acme.account_id, batch, reading, holder="one", on_progress=kill)
    assert (await begin_as("two")).number == 2  # the lease of the first is not over yet
    with pytest.raises(LeaseLost):
        await run_batch(acme.db, acme.account_id, batch, reading, holder="three")
    await end_leases(acme)
    await end_abandoned(acme.db, acme.account_id)
    stopped = await store.get_batch(acme.db, acme.account_id, batch.id)
    assert (stopped.status, stopped.error) == (BatchStatus.FAILED, ABANDONED)
    again = await begin_as("four")
    assert again.number == 2
    assert again.id != batch.id
    done = await run_batch(acme.db, acme.account_id, again, reading, holder="four")
    assert (done.status, done.counts.skipped, done.counts.imported) == ("imported", 2, 3)
    assert await faults(acme) == []


async def end_leases(cast: Cast) -> None:
    """Let the leases of all processes be over."""

    async def work(tx: Transaction) -> None:
        await tx.execute("DELETE FROM lease", {})

    await cast.db.write(work)


async def test_two_people_who_import_the_same_file_at_once_make_each_order_once(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "BATCH", 2)
    await make_issue(acme)
    rows = [row(f"A{n}") for n in range(6)]
    readings = [await reading_of(acme, *rows) for _ in range(2)]
    begun = [await begin(acme, reading, holder=str(n)) for n, reading in enumerate(readings)]
    done = await asyncio.gather(
        *(
            run_batch(acme.db, acme.account_id, batch, reading, holder=str(n))
            for n, (batch, reading) in enumerate(zip(begun, readings, strict=True))
        )
    )
    assert sum(batch.counts.imported for batch in done) == 6
    assert sum(batch.counts.skipped for batch in done) == 6
    assert len(await walk(acme, "/v1/subscriptions/")) == 6
    assert await faults(acme) == []


async def test_likely_duplicates_go_to_the_existing_subscriber_as_decided(acme: Cast) -> None:
    await make_issue(acme)
    await imported(acme, row("M1", email="ada@old.test"))
    [ada] = await walk(acme, "/v1/subscribers/")
    rows = [
        row("A1", email=""),
        row("A2", email="ada@new.test"),
        row("A3", postcode="1", address1="9"),
    ]
    rows += [row("A4", email="ada@old.test"), row("A5", renews="M1", start_issue="", length="1")]
    reading = await reading_of(acme, *rows)
    defaults = OrderDefaults(acme.currency, PLACEHOLDER_DOMAIN)
    found: dict[int, str | None] = {}
    rehearsed = await rehearse(
        acme.db,
        Import(acme.account_id, acme.imported, defaults, BY),
        reading,
        on_row=lambda row, placed: found.update(
            {placed.stored.line: placed.stored.subscriber_id}
            if placed.stored.outcome is RowOutcome.LIKELY
            else {}
        ),
    )
    assert found == {2: ada["id"], 3: ada["id"]}
    assert (rehearsed.counts.likely, rehearsed.counts.subscribers_made) == (2, 3)
    begun = await begin(acme, reading, sha256="2")
    for decisions in (Decisions(attach=True, decided={3: ""}), Decisions(decided={2: ada["id"]})):
        batch = structs.replace(begun, decisions=decisions)
        if decisions.attach:
            done = await run_batch(acme.db, acme.account_id, batch, reading, holder="me")
            assert (done.counts.subscribers_made, done.counts.imported) == (2, 5)
        else:
            extra = await reading_of(acme, row("B1", email="x@new.test"))
            other = structs.replace(await begin(acme, extra, sha256="3"), decisions=decisions)
            done = await run_batch(acme.db, acme.account_id, other, extra, holder="me")
            assert (done.counts.subscribers_made, done.counts.subscribers_matched) == (0, 1)
    assert await faults(acme) == []


async def test_a_source_or_product_that_cannot_be_used_makes_no_batch(acme: Cast) -> None:
    await make_issue(acme)
    reading = await reading_of(acme, row("A1"))
    with pytest.raises(Invalid, match="no longer active"):
        await begin(acme, reading, source_id=acme.inactive_source)
    other = await reading_of(acme, row("A1"), plan=ImportPlan(product_id="NOSUCH"))
    with pytest.raises(Invalid, match="NOSUCH"):
        await begin(acme, other)
    assert (await store.list_batches(acme.db, acme.account_id, PAGE)).items == []


async def test_check_reads_the_batches_page_by_page(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check_imports, "all_pages", partial(all_pages, limit=1))
    await make_issue(acme)
    first = await imported(acme, row("A1"))
    await imported(acme, row("A2"), sha256="2")

    async def damage(tx: Transaction) -> None:
        await tx.execute(
            "DELETE FROM import_row WHERE account_id = :account AND batch_id = :id",
            {"account": acme.account_id, "id": first.id},
        )

    await acme.db.write(damage)
    assert await faults(acme) == ["the counts of an import match its rows"]


async def test_check_finds_counts_and_orders_that_are_not_those_of_the_rows(acme: Cast) -> None:
    await make_issue(acme)
    batch = await imported(acme, row("A1"), row("A2"))
    assert await faults(acme) == []

    async def damage(tx: Transaction) -> None:
        await tx.execute(
            "UPDATE import_row SET period_id = 99 WHERE account_id = :id AND line = 2",
            {"id": acme.account_id},
        )
        await tx.execute(
            "DELETE FROM import_row WHERE account_id = :id AND line = 3", {"id": acme.account_id}
        )

    await acme.db.write(damage)
    assert await faults(acme) == [
        "an imported row has its order",
        "the counts of an import match its rows",
    ]
    assert batch.number == 1


async def test_refused_rows_are_grouped_by_their_reasons_up_to_a_limit(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tally, "MOST_REASONS", 1)
    await make_issue(acme)
    batch = await imported(
        acme,
        row("A1", country="XX"),
        row("A2", country="XY"),
        row("A3", price="x"),
        row("A4", length="0"),
    )
    assert [(each.count, each.line) for each in batch.reasons] == [(2, 2), (2, 4)]
    assert batch.reasons[1].text == "Other reasons."
    assert batch.undone_by is None
    assert await faults(acme) == []
