"""A rehearsal says about each row of any small file what a run of the file then does."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from msgspec import structs

from masthead.model.imports.batches import Counts, ImportRow, RowOutcome
from masthead.model.imports.plan import ImportPlan
from masthead.model.pagination import PageRequest
from masthead.services.check.accounts import check_account
from masthead.services.imports.reading import FileReading
from masthead.services.imports.work import run_batch as run
from masthead.services.imports.work.run_batch import rehearse, run_batch
from masthead.store.imports import batch_rows
from tests.conftest import Cast, make_account
from tests.services.imports.support import begin, imported, reading_of, row
from tests.support.factories import import_options, make_issue, make_subscription
from tests.support.privacy import erase
from tests.support.rounds import rounds
from tests.support.walk import walk

PAGE = PageRequest(limit=200, after=None, binding=b"")
RENEWAL = {"start_issue": "", "length": "1"}
GRACE, GONE = "grace@example.test", "gone@example.test"  # known since before, and erased

Rows = list[dict[str, str]]


def cells_of(given: dict[str, str]) -> dict[str, str]:
    """A row of a file: a renewal if it names what it renews."""
    return row(**{**given, **(RENEWAL if given["renews"] else {})})


FILES = st.lists(
    st.fixed_dictionaries(
        {
            "order_id": st.sampled_from(["A", "A", "B", "C", "M", "P"]),
            "email": st.sampled_from(
                ["", "", "ada@a.test", "ADA@a.test", "bob@a.test", GRACE, GONE]
            ),
            "first_name": st.sampled_from(["Ada", "Ada", "Bob"]),
            "address1": st.sampled_from(["12 Square", "12 Square", "7 Lane"]),
            "price": st.sampled_from(["42", "42", "43"]),
            "renews": st.sampled_from(["", "", "", "A", "B", "M", "P"]),
            "start_issue": st.sampled_from(["1", "1", "2"]),
            "country": st.sampled_from(["DE", "DE", "DE", "FR", "XX"]),
        }
    ).map(cells_of),
    min_size=2,
    max_size=6,
)
PREFIXES = st.sampled_from(["", "", "X-"])


async def prepare_account(cast: Cast, earlier: Rows, prefix: str) -> None:
    """An order by hand, an erased subscriber, and an import of an earlier file."""
    await make_issue(cast)
    await make_subscription(cast, email=GRACE, order_id="M", first_name="Ada")
    await imported(cast, row("G", email=GONE, last_name="Gone", address1="9 Road"), sha256="gone")
    [gone] = await walk(cast, "/v1/subscribers/", search=GONE)
    await erase(cast, gone["id"])
    reading = await reading_of(cast, *earlier, plan=ImportPlan(order_prefix=prefix))
    batch = await begin(cast, reading, sha256="earlier")
    await run_batch(cast.db, cast.account_id, batch, reading, holder="me")


def compared(stored: ImportRow) -> tuple[object, ...]:
    """What must be equal of a row: its place, what becomes of it, and why."""
    is_refused = stored.outcome is RowOutcome.REFUSED
    likely = stored.outcome is RowOutcome.LIKELY
    outcome = RowOutcome.IMPORTED if likely else stored.outcome
    reasons = [(each.column, each.value, each.text) for each in stored.reasons]
    return stored.line, stored.part, outcome.value, reasons, stored.cells if is_refused else []


async def rehearsed(cast: Cast, reading: FileReading) -> tuple[list[Any], Counts]:
    """What the rehearsal of a file says about each row."""
    how = import_options(cast, create_issues=reading.plan.create_issues)
    seen = list[ImportRow]()
    tally = await rehearse(cast.db, how, reading, on_row=lambda row, done: seen.append(done.stored))
    known = {each["id"] for each in await walk(cast, "/v1/subscriptions/", 200)}
    assert {each.subscription_id for each in seen} <= {None, *known}
    return [compared(each) for each in seen], structs.replace(tally.counts, likely=0)


async def done(cast: Cast, reading: FileReading) -> tuple[list[Any], Counts]:
    """What the run of a file did with each row."""
    begun = await begin(cast, reading, sha256="file")
    batch = await run_batch(cast.db, cast.account_id, begun, reading, holder="me")
    stored = [
        each
        for outcome in RowOutcome
        for each in (
            await batch_rows.list_rows(cast.db, cast.account_id, batch.id, outcome, PAGE)
        ).items
    ]
    return sorted(compared(each) for each in stored), batch.counts


async def check_file(cast: Cast, rows: Rows, plan: ImportPlan, size: int) -> list[str]:
    """Rehearse and run a file in batches of a size, and compare; returns what became of rows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "BATCH", size)
        reading = await reading_of(cast, *rows, plan=plan)
        said, promised = await rehearsed(cast, reading)
        found, counts = await done(cast, reading)
    assert said == found
    assert promised == counts
    assert [fault async for fault in check_account(cast.db, cast.subdomain)] == []
    return [each[2] for each in found]


@pytest.mark.slow
@pytest.mark.fuzz
@settings(
    max_examples=rounds(30),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    earlier=FILES,
    rows=FILES,
    prefixes=st.tuples(PREFIXES, PREFIXES),
    size=st.sampled_from([1, 1, 2, 3, 1000]),
    create_issues=st.booleans(),
)
async def test_a_rehearsal_says_what_the_run_of_any_file_does(
    service: Any,
    earlier: Rows,
    rows: Rows,
    prefixes: tuple[str, str],
    size: int,
    *,
    create_issues: bool,
) -> None:
    app, client = service
    cast = await make_account(client, app.state.db, "Acme")
    await prepare_account(cast, earlier, prefixes[0])
    plan = ImportPlan(order_prefix=prefixes[1], create_issues=create_issues)
    await check_file(cast, rows, plan, size)


ADA = {"email": "ada@a.test"}
UNNAMED = {"email": ""}
GRACES = {"email": GRACE}
RENEWED = {"renews": "M", "email": "", **RENEWAL}
TWICE = [  # what two rows with the same order id say, and what becomes of the second one
    (ADA, UNNAMED, "skipped"),  # the same name and address
    (ADA, {"email": "", "address1": "7 Lane"}, "refused"),
    (UNNAMED, {"email": "bob@a.test"}, "refused"),
    (UNNAMED, UNNAMED, "skipped"),
    (UNNAMED, {"email": "", "first_name": "Bob"}, "refused"),
    (UNNAMED, {"email": "", "country": "FR"}, "refused"),
    (ADA, {"email": "ADA@a.test", "first_name": "Bob", "address1": "7 Lane"}, "skipped"),
    (ADA, {"email": "ada@a.test", "price": "43"}, "refused"),
    (RENEWED, GRACES, "skipped"),  # the subscriber whose subscription was renewed
    (GRACES, RENEWED, "skipped"),
    (RENEWED, {**RENEWED, "renews": "P"}, "refused"),
    (ADA, {"email": "ada@a.test", "country": "XX"}, "refused"),
    (ADA, {"email": GONE}, "left_out"),
]


@pytest.mark.parametrize("size", [1, 1000])
async def test_an_order_id_twice_in_a_file_is_decided_alike_in_rehearsal_and_run(
    acme: Cast, size: int
) -> None:
    await prepare_account(acme, [row("P")], "")
    first = [row(f"A{n}", **cells) for n, (cells, _second, _outcome) in enumerate(TWICE)]
    second = [row(f"A{n}", **cells) for n, (_first, cells, _outcome) in enumerate(TWICE)]
    found = await check_file(acme, [*first, *second], ImportPlan(), size)
    assert found[: len(TWICE)] == ["imported"] * len(TWICE)
    assert found[len(TWICE) :] == [outcome for _first, _second, outcome in TWICE]


async def test_a_row_names_the_line_of_its_file_that_has_the_order(acme: Cast) -> None:
    await make_issue(acme)
    rows = [row("A"), row("B"), row("A", email="bob@a.test"), row("A")]
    reading = await reading_of(acme, *rows)
    for size in (1, 2, 1000):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(run, "BATCH", size)
            said, _counts = await rehearsed(acme, reading)
        for line in said[2:]:
            assert "line 2 of this file" in line[3][0][2]
