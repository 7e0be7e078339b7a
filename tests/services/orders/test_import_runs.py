"""Runs of the importer: batches, progress, dry runs, and interrupted runs."""

from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from masthead.model.errors import Invalid
from masthead.model.orders.order import OrderDefaults
from masthead.services.imports.work import run_batch
from tests.conftest import BY, Cast
from tests.support import order_lines as imports
from tests.support.factories import PLACEHOLDER_DOMAIN, import_options, make_issue
from tests.support.walk import walk


def row(order_id: str, **cells: str) -> dict[str, str]:
    """A valid row."""
    return {
        "order_id": order_id,
        "first_name": "Ada",
        "country": "DE",
        "order_date": "2026-01-15",
        "price": "42",
        "start_issue": "1",
        "length": "4",
        **cells,
    }


def lines(*rows: dict[str, str]) -> list[imports.OrderLine]:
    """Rows, as read from a file."""
    return [imports.OrderLine(number, cells) for number, cells in enumerate(rows, 2)]


async def everything(cast: Cast) -> list[list[dict[str, Any]]]:
    """Everything that the API shows of an account."""
    paths = ("subscribers", "subscriptions", "issues", "copies")
    return [await walk(cast, f"/v1/{path}/", limit=200) for path in paths]


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the size of a batch to two rows."""
    monkeypatch.setattr(run_batch, "BATCH", 2)


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("run", [imports.import_lines, imports.try_lines])
async def test_progress_is_reported_after_each_batch(acme: Cast, run: Any) -> None:
    await make_issue(acme)
    seen: list[int] = []
    rows = [row(f"A{number}") for number in range(5)]
    await run(
        acme.db, lines(*rows), import_options(acme), on_progress=lambda told: seen.append(told.read)
    )
    assert seen == [2, 4, 5]


@pytest.mark.usefixtures("small_batches")
async def test_refusals_are_reported_in_the_order_of_the_lines(acme: Cast) -> None:
    await make_issue(acme)
    rows = [
        row("A1", country="UK"),  # found in the row itself
        row("A2", start_issue="9"),  # found in the data
        row("A3"),
        row("A4", length="0"),
        row("A1"),
        row("A6", renews="A2"),
    ]
    rejects: list[imports.Reject] = []
    summary = await imports.import_lines(
        acme.db, lines(*rows), import_options(acme), on_reject=rejects.append
    )
    assert [reject.line.number for reject in rejects] == [2, 3, 5, 7]
    assert (summary.read, summary.imported, summary.rejected) == (6, 2, 4)


@pytest.mark.parametrize("create_issues", [True, False])
async def test_a_dry_run_reports_what_the_run_will_do_and_changes_nothing(
    acme: Cast, create_issues: bool
) -> None:
    await make_issue(acme)
    rows = [
        row("A1", email="ada@example.test"),
        row("A2", start_issue="7"),
        row("A3", renews="A1", start_issue="", length="2"),
        row("A3"),
        row("A4", country="UK"),
        row("A5", status="Cancelled", sent_issues="1"),
    ]
    before = await everything(acme)
    told: list[imports.Reject] = []
    options = import_options(acme, create_issues=create_issues)
    promised = await imports.try_lines(acme.db, lines(*rows), options, on_reject=told.append)
    assert await everything(acme) == before
    found: list[imports.Reject] = []
    done = await imports.import_lines(acme.db, lines(*rows), options, on_reject=found.append)
    assert done == promised
    assert found == told
    assert await everything(acme) != before


async def test_a_dry_run_does_not_use_numbers(acme: Cast) -> None:
    await make_issue(acme)

    async def counters() -> dict[str, Any]:
        async with acme.db.read() as connection:
            sql = "SELECT * FROM account_state WHERE account_id = :id"
            return dict(await connection.fetch_one(sql, {"id": acme.account_id}) or {})

    before = await counters()
    await imports.try_lines(acme.db, lines(row("A1")), import_options(acme))
    assert await counters() == before


@pytest.mark.parametrize("run", [imports.import_lines, imports.try_lines])
async def test_a_source_that_accepts_no_orders_is_refused_before_any_row_is_read(
    acme: Cast, run: Any
) -> None:
    await make_issue(acme)
    for source in (acme.checkout, acme.inactive_source, "0" * 31):
        options = imports.Import(
            acme.account_id, source, OrderDefaults(acme.currency, PLACEHOLDER_DOMAIN), BY
        )
        with pytest.raises(Invalid, match=source):
            await run(acme.db, lines(row("A1")), options)
    assert (await acme.get("/v1/subscriptions/")).json()["items"] == []


@pytest.mark.usefixtures("small_batches")
async def test_batches_before_an_interruption_are_kept_and_are_skipped_the_next_time(
    acme: Cast,
) -> None:
    await make_issue(acme)
    rows = lines(*(row(f"A{number}") for number in range(5)))

    def breaking(rows: Iterable[imports.OrderLine]) -> Iterator[imports.OrderLine]:
        for place, line in enumerate(rows):
            if place == 3:
                raise Invalid("Line 5 cannot be read.")
            yield line

    with pytest.raises(Invalid, match="Line 5"):
        await imports.import_lines(acme.db, breaking(rows), import_options(acme))
    assert len((await acme.get("/v1/subscriptions/")).json()["items"]) == 2
    summary = await imports.import_lines(acme.db, rows, import_options(acme))
    assert (summary.imported, summary.skipped) == (3, 2)


async def test_without_rows_nothing_is_done(acme: Cast) -> None:
    for run in (imports.import_lines, imports.try_lines):
        assert await run(acme.db, [], import_options(acme)) == imports.Summary()
