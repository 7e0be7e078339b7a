"""Issues that an import creates: they are rehearsed, and its undo deletes those without a use."""

from typing import Any

import pytest

from masthead.model.imports.batches import ImportBatch
from masthead.model.imports.plan import ImportPlan
from masthead.services.imports.reading import FileReading
from masthead.services.imports.work import run_batch as run
from masthead.services.imports.work.run_batch import rehearse, run_batch
from tests.conftest import Cast
from tests.services.imports.support import begin, imported, reading_of, row, undone
from tests.support.checks import faults
from tests.support.factories import import_options, make_issue, make_subscription
from tests.support.walk import walk

PLAN = ImportPlan(create_issues=True)


async def read(cast: Cast, *rows: dict[str, str]) -> FileReading:
    """A file whose missing issues are created."""
    return await reading_of(cast, *rows, plan=PLAN)


async def imported_with_issues(cast: Cast, *rows: dict[str, str]) -> ImportBatch:
    """Import rows, and create their missing issues."""
    reading = await read(cast, *rows)
    batch = await begin(cast, reading, sha256="2")
    return await run_batch(cast.db, cast.account_id, batch, reading, holder="me")


async def numbers(cast: Cast) -> list[int]:
    """The numbers of all issues."""
    return sorted(each["number"] for each in await walk(cast, "/v1/issues/"))


@pytest.mark.parametrize("size", [1, 2, 1000])
async def test_a_rehearsal_counts_the_copies_of_issues_that_earlier_rows_create(
    acme: Cast, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(run, "BATCH", size)
    await make_issue(acme)
    reading = await read(
        acme,
        row("A1", start_issue="3"),
        row("A1", start_issue="5"),
        row("A2", start_issue="1", length="9", sent_issues="1|2"),
        row("A3", start_issue="4"),
        row("A4", start_issue="2", length="4"),
        row("A5", renews="A4", start_issue="", length="1"),
    )
    rehearsed = await rehearse(acme.db, import_options(acme, create_issues=True), reading)
    assert await numbers(acme) == [1]
    batch = await begin(acme, reading)
    done = await run_batch(acme.db, acme.account_id, batch, reading, holder="me")
    assert (rehearsed.counts.copies, rehearsed.counts.rejected) == (done.counts.copies, 0)
    assert done.issues == [2, 3, 4, 5]
    assert await faults(acme) == []


async def test_an_undo_deletes_the_issues_that_only_the_import_needed(acme: Cast) -> None:
    await make_issue(acme)
    before = await numbers(acme)
    batch = await imported_with_issues(acme, row("A1", start_issue="2"), row("A2", start_issue="5"))
    assert (batch.issues, await numbers(acme)) == ([2, 5], [1, 2, 5])
    done = await undone(acme, batch)
    assert (done.issues, await numbers(acme)) == ([], before)
    assert await faults(acme) == []
    again = await imported_with_issues(acme, row("A1", start_issue="2"))
    assert (again.counts.imported, again.issues) == (1, [2])


async def test_an_undo_keeps_the_issues_that_something_else_needs(acme: Cast) -> None:
    rows = [row(f"A{n}", start_issue=str(n), length="1") for n in range(1, 7)]
    batch = await imported_with_issues(acme, *rows)
    assert batch.issues == [1, 2, 3, 4, 5, 6]
    await make_subscription(acme, order_id="M1", start_issue=2, length=1)
    await imported(acme, row("B3", start_issue="3", length="1", status="Cancelled"), sha256="3")
    issues = {each["number"]: each["id"] for each in await walk(acme, "/v1/issues/")}
    named = await acme.patch(f"/v1/issues/{issues[5]}/", {"name": "May"})
    assert named.status_code == 200, named.json()
    done = await undone(acme, batch)
    assert (done.counts.undone, done.issues) == (6, [2, 3, 5])
    assert await numbers(acme) == [2, 3, 5]
    assert await faults(acme) == []


async def test_an_undo_deletes_no_issue_that_staff_gave_the_same_number(acme: Cast) -> None:
    batch = await imported_with_issues(acme, row("A1", start_issue="1", length="1"))

    async def forget(tx: Any) -> None:
        await tx.execute("DELETE FROM copy WHERE account_id = :id", {"id": acme.account_id})
        await tx.execute("DELETE FROM issue WHERE account_id = :id", {"id": acme.account_id})

    await acme.db.write(forget)
    assert (await undone(acme, batch)).issues == []
    again = await imported_with_issues(acme, row("A1", start_issue="1", length="1"))
    await acme.db.write(forget)
    await make_issue(acme)
    assert (await undone(acme, again)).issues == [1]
