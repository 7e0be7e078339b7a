"""Imports of old lists: copies of issues that are out count as sent, or are still to send."""

import itertools
from datetime import date, timedelta

import pytest
from msgspec import structs

from masthead.model.clock import now
from masthead.model.errors import Invalid
from masthead.model.imports.batches import BatchStatus, Counts, ImportBatch, OutThrough
from masthead.model.imports.mapping import ImportMapping
from masthead.model.imports.plan import ImportPlan
from masthead.services.check.accounts import check_account
from masthead.services.imports import batches as service
from masthead.services.imports.work import run_batch as work
from masthead.services.imports.work.page_batches import work_on
from masthead.services.imports.work.run_batch import run_batch
from masthead.store.imports import batches as store
from tests.conftest import BY, Cast
from tests.services.imports.support import begin, reading_of, row, undone
from tests.support.factories import PLACEHOLDER_DOMAIN, copies_of, make_issue
from tests.support.walk import walk

OPTIONS: list[int | str] = ["", "released", "none", 2]
MONTHS = {"start_issue": "", "length": "", "type": "membership", "interval_months": "12"}


@pytest.fixture
async def magazine(acme: Cast) -> Cast:
    """An account with five issues, of which the first three are out."""
    today = now().date()
    for number in range(1, 6):
        released = today + timedelta(days=30 * (number - 3))
        await make_issue(acme, number, release_date_actual=released.isoformat())
    return acme


def old_list() -> list[dict[str, str]]:
    """Orders of all kinds: five copies of each kind of subscription."""
    start = (now().date() - timedelta(days=90)).isoformat()
    return [
        row("A1", length="2"),
        row("A2", length="5"),
        row("A3", start_issue="4", length="2"),
        row("A4", status="Cancelled"),
        row("A5", **MONTHS, period_start=start, period_end="2099-01-01"),
        row("A6", renews="A1", start_issue="", length="2", email=""),
        row("A7", renews="A6", start_issue="", length="1", email="", status="Cancelled"),
    ]


def planned(through: int | str) -> ImportPlan:
    """The plan of a file with our own columns. through: what its mapping says."""
    return ImportPlan(mapping=ImportMapping(sent_through=through))


async def rehearsed(cast: Cast, *rows: dict[str, str], plan: ImportPlan) -> ImportBatch:
    """A file that was uploaded and rehearsed on the pages."""
    columns = list(dict.fromkeys(name for each in rows for name in each))
    lines = [columns, *([each.get(name, "") for name in columns] for each in rows)]
    content = "\n".join(map(",".join, lines)).encode()
    id = await service.upload_file(cast.db, cast.account_id, "list.csv", content, by=BY)
    await service.choose_plan(cast.db, cast.account_id, id, source_id=cast.imported, plan=plan)
    await service.request_rehearsal(cast.db, cast.account_id, id)
    return await worked_on(cast, id)


async def worked_on(cast: Cast, id: str) -> ImportBatch:
    """The batch after its background work."""
    await work_on(cast.db, cast.account_id, id, placeholder_domain=PLACEHOLDER_DOMAIN)
    return await store.get_batch(cast.db, cast.account_id, id)


async def stored(cast: Cast) -> list[tuple[int, str, str | None]]:
    """The issue, the status and the day of all copies."""
    rows = await cast.db.fetch_all(
        "SELECT issue_number, status, date_sent FROM copy WHERE account_id = :account",
        {"account": cast.account_id},
    )
    return sorted((row["issue_number"], row["status"], row["date_sent"]) for row in rows)


def out_of(counts: Counts) -> tuple[dict[int, int], int]:
    return counts.copies_out, counts.copies_sent


@pytest.mark.parametrize("through, few", list(itertools.product(OPTIONS, [1, 25])))
async def test_an_import_does_what_its_rehearsal_says(
    magazine: Cast, monkeypatch: pytest.MonkeyPatch, through: int | str, few: int
) -> None:
    monkeypatch.setattr(work, "FEW", few)  # rows that are written together
    batch = await rehearsed(magazine, *old_list(), plan=planned(through))
    assert batch.status is BatchStatus.REHEARSED, batch.error
    would = batch.counts
    assert would.copies_out == {1: 3, 2: 3, 3: 3}
    assert would.copies_sent == {"": 9, "released": 9, "none": 0, 2: 6}[through]
    assert batch.decisions.sent_through == {"": 3, "released": 3, "none": 0, 2: 2}[through]
    assert await stored(magazine) == []
    await service.request_run(magazine.db, magazine.account_id, batch.id, by=BY)
    monkeypatch.setattr(work, "FEW", 26 - few)
    done = await worked_on(magazine, batch.id)
    assert done.counts == would
    sent = [each for each in await stored(magazine) if each[1] == "Sent"]
    assert len(sent) == would.copies_sent
    assert {day for _number, _status, day in sent} <= {None}
    unsent = [each for each in await stored(magazine) if each[0] <= 3 and each[1] == "Not sent"]
    left = {"": 0, "released": 0, "none": 6, 2: 2}  # without what order A7 cancels
    assert len(unsent) == left[through]
    assert [fault async for fault in check_account(magazine.db, magazine.subdomain)] == []


async def test_the_rehearsal_counts_up_to_each_issue_and_the_user_decides(magazine: Cast) -> None:
    batch = await rehearsed(magazine, *old_list(), plan=ImportPlan())
    three = [OutThrough(3, 3, 9), OutThrough(2, 2, 6), OutThrough(1, 1, 3)]
    assert batch.counts.out_through() == three
    for wrong, said in ((4, "issue 4 is not out yet"), (9, "no issue with that number")):
        with pytest.raises(Invalid, match=said):
            await service.request_run(
                magazine.db, magazine.account_id, batch.id, sent_through=wrong, by=BY
            )
    await service.request_run(magazine.db, magazine.account_id, batch.id, sent_through=2, by=BY)
    done = await worked_on(magazine, batch.id)
    assert out_of(done.counts) == ({1: 3, 2: 3, 3: 3}, 6)
    [entry] = await magazine.db.fetch_all(
        "SELECT after FROM audit WHERE account_id = :account AND action = 'import_batch.run'",
        {"account": magazine.account_id},
    )
    assert '"sent_through":2' in str(entry["after"]).replace(" ", "")


async def test_an_issue_that_comes_out_after_the_rehearsal_changes_nothing(magazine: Cast) -> None:
    batch = await rehearsed(magazine, *old_list(), plan=ImportPlan())
    [fourth] = [each for each in await walk(magazine, "/v1/issues/") if each["number"] == 4]
    day = now().date().isoformat()
    await magazine.patch(f"/v1/issues/{fourth['id']}/", {"release_date_actual": day})
    await service.request_run(magazine.db, magazine.account_id, batch.id, by=BY)
    done = await worked_on(magazine, batch.id)
    assert done.counts.copies_sent == batch.counts.copies_sent == 9


async def test_a_file_that_says_what_was_sent_is_believed(magazine: Cast) -> None:
    rows = [row("A1", sent_issues="1"), row("A2", sent_issues="")]
    believed = await rehearsed(magazine, *rows, plan=ImportPlan())
    assert out_of(believed.counts) == ({1: 1, 2: 2, 3: 2}, 0)
    asked = await rehearsed(magazine, *rows, plan=planned("released"))
    assert out_of(asked.counts) == ({1: 1, 2: 2, 3: 2}, 5)


async def test_the_status_in_the_file_is_compared_with_what_follows(magazine: Cast) -> None:
    rows = [row("A1", length="3", status="Complete"), row("A2", length="4", status="Active")]
    fits = await rehearsed(magazine, *rows, plan=ImportPlan())
    assert fits.counts.warned == 0, fits.reasons
    unsent = await rehearsed(magazine, *rows, plan=planned("none"))
    assert [each.line for each in unsent.reasons] == [2]  # A1 is active then


@pytest.mark.parametrize(
    "through, said", [(4, "issue 4 is not out yet"), (99, "no issue with that number")]
)
async def test_a_mapping_with_an_issue_that_is_not_out_is_refused(
    magazine: Cast, through: int, said: str
) -> None:
    batch = await rehearsed(magazine, row("A1"), plan=planned(through))
    assert batch.status is BatchStatus.FAILED
    assert said in (batch.error or "")
    assert "the newest one is 3" in (batch.error or "")
    with pytest.raises(Invalid, match=said):
        await begin(magazine, await reading_of(magazine, row("A1"), plan=planned(through)))


async def test_an_undo_takes_back_copies_that_count_as_sent(magazine: Cast) -> None:
    reading = await reading_of(magazine, *old_list())
    batch = await begin(magazine, reading)
    done = await run_batch(magazine.db, magazine.account_id, batch, reading, holder="me")
    assert done.counts.copies_sent == 9
    gone = await undone(magazine, done)
    assert (gone.status, gone.counts.kept) == (BatchStatus.UNDONE, 0)
    assert await stored(magazine) == []


async def test_a_run_that_goes_on_keeps_its_answer(magazine: Cast) -> None:
    reading = await reading_of(magazine, *old_list(), plan=planned(2))
    batch = await begin(magazine, reading)
    assert batch.decisions.sent_through == 2
    other = structs.replace(reading, plan=planned("none"))
    done = await run_batch(magazine.db, magazine.account_id, batch, other, holder="me")
    assert done.counts.copies_sent == 6


async def test_issues_that_the_import_creates_count_if_they_precede_the_current_one(
    acme: Cast,
) -> None:
    await make_issue(acme, 7, date_as_start_issue=date(2020, 1, 1).isoformat())
    plan = ImportPlan(create_issues=True)
    batch = await rehearsed(acme, row("A1", start_issue="6", length="3"), plan=plan)
    assert out_of(batch.counts) == ({6: 1, 7: 1}, 2)
    await service.request_run(acme.db, acme.account_id, batch.id, by=BY)
    assert (await worked_on(acme, batch.id)).counts == batch.counts
    [made] = await walk(acme, "/v1/subscriptions/")
    assert {each["status"] for each in await copies_of(acme, made["id"])} == {"Sent"}
