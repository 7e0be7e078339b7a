"""Retention: what is old is deleted, and shown before."""

from datetime import UTC, date, datetime
from types import SimpleNamespace

import pytest
from msgspec import structs

from masthead.model.errors import Invalid
from masthead.model.imports.batches import ImportRow, RowOutcome
from masthead.model.privacy.retention import (
    DEFAULT_MONTHS,
    RetentionKind,
    RetentionRule,
    months_before,
)
from masthead.services.privacy import retention as service
from masthead.services.privacy.finish import finish_erasures
from masthead.services.privacy.retention import list_rules, preview_rule, run_retention, save_rules
from masthead.store.engine.interface import Transaction
from masthead.store.imports.batch_rows import insert_rows
from tests.conftest import BY, Cast
from tests.support.factories import PLACEHOLDER_DOMAIN, make_issue
from tests.support.letters import execute
from tests.support.privacy import erase, find_traces, make_batch, make_known
from tests.support.subscribers import make_gift, make_subscriber, require_sound, rows

LATER = date(2100, 1, 1)


async def switch_on(cast: Cast, *kinds: RetentionKind, months: int = 1) -> None:
    """Switch rules on."""
    rules = [RetentionRule(kind=kind, months=months, is_automatic=True) for kind in kinds]
    await save_rules(cast.db, cast.account_id, rules, by=BY)


async def apply(cast: Cast, day: date = LATER) -> dict[RetentionKind, int]:
    """Apply the rules of the account as of a day."""
    return await run_retention(
        cast.db, cast.account_id, day, placeholder_domain=PLACEHOLDER_DOMAIN, by=BY
    )


async def preview(cast: Cast, kind: RetentionKind, *, months: int = 1, day: date = LATER) -> int:
    """How many records a rule would change, without saving it."""
    rule = RetentionRule(kind=kind, months=months, is_automatic=False)
    async with cast.db.read(is_long=True) as db:
        found = await preview_rule(db, cast.account_id, rule, day=day)
    assert bool(found.count) == bool(found.examples)
    return found.count


@pytest.mark.parametrize(
    "day, months, expected",
    [
        (date(2026, 3, 31), 1, date(2026, 2, 28)),
        (date(2024, 3, 30), 1, date(2024, 2, 29)),
        (date(2026, 1, 15), 12, date(2025, 1, 15)),
        (date(2026, 1, 1), 1, date(2025, 12, 1)),
    ],
)
def test_a_month_earlier_is_a_day_that_exists(day: date, months: int, expected: date) -> None:
    assert months_before(day, months) == expected


async def test_no_rule_is_on_at_first(acme: Cast) -> None:
    rules = await list_rules(acme.db, acme.account_id)
    assert {rule.kind: rule.months for rule in rules} == DEFAULT_MONTHS
    assert not any(rule.is_automatic for rule in rules)
    assert await apply(acme) == {}
    with pytest.raises(Invalid, match="type a number from 1 to 600"):
        await switch_on(acme, RetentionKind.EMAILS, months=0)


@pytest.mark.slow
async def test_each_rule_deletes_what_its_preview_counted(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "BATCH", 3)
    known = await make_known(acme)
    await execute(acme, "UPDATE outbox SET status = 'failed' WHERE account_id = :account_id")
    await execute(
        acme,
        "UPDATE renewal_letter SET status = 'printed', ended_at = created_at"
        " WHERE account_id = :account_id",
    )
    (run,) = await rows(acme, "SELECT id FROM dispatch WHERE account_id = :account_id")
    answer = await acme.post(f"/v1/dispatches/{run['id']}/discard/")
    assert answer.status_code == 200, answer.text
    (gift,) = await rows(
        acme,
        "SELECT id FROM subscription WHERE account_id = :account_id AND gifter_id = :id",
        id=known.id,
    )
    await acme.post(f"/v1/subscriptions/{gift['id']}/cancel/", {"mode": "cancel"})
    others = RetentionKind.ORDER_RECORDS, RetentionKind.INVOICES  # they have tests of their own
    kinds = [kind for kind in RetentionKind if kind not in others]
    counted = {kind: await preview(acme, kind) for kind in kinds}
    assert all(counted.values()), counted
    assert all([await preview(acme, kind, day=date(2026, 1, 1)) == 0 for kind in kinds])
    for _again in range(2):  # the second time, no rule changes
        await switch_on(acme, *kinds)
    done = await apply(acme)
    assert done.keys() == counted.keys()
    for kind in set(kinds) - {RetentionKind.AUDIT_DETAILS, RetentionKind.ENDED_SUBSCRIBERS}:
        assert done[kind] == counted[kind], kind
    assert set(await apply(acme)) == {RetentionKind.AUDIT_DETAILS}  # what the erasures recorded
    assert [await preview(acme, kind) for kind in kinds] == [0] * len(kinds)
    assert await apply(acme) == {}
    assert await find_traces(acme) == []
    await finish_erasures(acme.db)
    await require_sound(acme)


async def test_payment_references_of_erased_subscribers_are_deleted(acme: Cast) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, "a@example.test", length=1, transaction_id="ch_secretword")
    await make_subscriber(acme, "b@example.test", length=1, transaction_id="ch_other")
    assert await preview(acme, RetentionKind.ORDER_RECORDS) == 0
    await erase(acme, id)
    assert await preview(acme, RetentionKind.ORDER_RECORDS) == 1
    await switch_on(acme, RetentionKind.ORDER_RECORDS)
    assert await apply(acme) == {RetentionKind.ORDER_RECORDS: 1}
    assert await find_traces(acme, ["ch_secretword"]) == []
    assert await find_traces(acme, ["ch_other"]) != []


async def test_subscribers_with_something_left_are_not_former(acme: Cast) -> None:
    await make_issue(acme)
    await make_subscriber(acme, "running@example.test", length=1)
    giver = await make_subscriber(acme, "giver@example.test", length=1)
    await make_gift(acme, giver=giver, email="niece@example.test")
    former = await make_subscriber(acme, "former@example.test", length=1)
    for id in (giver, former):
        for row in await rows(
            acme,
            "SELECT id FROM subscription WHERE account_id = :account_id AND subscriber_id = :id",
            id=id,
        ):
            await acme.post(f"/v1/subscriptions/{row['id']}/cancel/", {"mode": "cancel"})
    assert await preview(acme, RetentionKind.ENDED_SUBSCRIBERS) == 1


async def test_a_former_subscriber_who_cannot_be_erased_now_waits(acme: Cast) -> None:
    await make_issue(acme)
    former = await make_subscriber(acme, "former@example.test", length=1)
    (row,) = await rows(acme, "SELECT id FROM subscription WHERE account_id = :account_id")
    await acme.post(f"/v1/subscriptions/{row['id']}/cancel/", {"mode": "cancel"})
    batch = await make_batch(acme, status="running", created_at=datetime(2026, 1, 1, tzinfo=UTC))
    await switch_on(acme, RetentionKind.ENDED_SUBSCRIBERS)
    assert await apply(acme) == {}
    assert await find_traces(acme, ["former@"]) != []
    await execute(
        acme, "DELETE FROM import_batch WHERE account_id = :account_id AND id = :id", id=batch
    )
    assert await apply(acme) == {RetentionKind.ENDED_SUBSCRIBERS: 1}
    assert await find_traces(acme, ["former@"]) == []
    assert former


async def make_former(cast: Cast, email: str) -> str:
    """A subscriber of years ago whose subscription was cancelled then."""
    id = await make_subscriber(cast, email, length=1, order_date="2019-01-15")
    (row,) = await rows(
        cast,
        "SELECT id FROM subscription WHERE account_id = :account_id AND subscriber_id = :id",
        id=id,
    )
    await cast.post(f"/v1/subscriptions/{row['id']}/cancel/", {"mode": "cancel"})
    for table in ("subscriber", "subscription", "period"):
        await execute(
            cast,
            f"UPDATE {table} SET created_at = :moment WHERE account_id = :account_id",  # noqa: S608 - constants
            moment=datetime(2019, 1, 15, tzinfo=UTC),
        )
    await execute(
        cast,
        "UPDATE cancellation SET cancelled_date = :day WHERE account_id = :account_id",
        day=date(2019, 2, 1),
    )
    return str(row["id"])


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE period SET order_date = NULL, created_at = :moment WHERE account_id = :account_id",
        "UPDATE cancellation SET cancelled_date = '2020-01-01' WHERE account_id = :account_id",
    ],
    ids=["an order without a date", "a cancellation"],
)
async def test_something_recent_keeps_a_subscriber(acme: Cast, change: str) -> None:
    await make_issue(acme, release_date_actual="2019-01-01")
    await make_former(acme, "former@example.test")
    day, kind = date(2020, 1, 15), RetentionKind.ENDED_SUBSCRIBERS
    assert await preview(acme, kind, day=day) == 1
    if ":moment" in change:
        await execute(acme, change, moment=datetime(2020, 1, 1, tzinfo=UTC))
    else:
        await execute(acme, change)
    assert await preview(acme, kind, day=day) == 0
    assert await preview(acme, kind, day=date(2021, 1, 1)) == 1


async def test_a_night_erases_some_former_subscribers_one_after_the_other(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MOST_SLOW", 2)
    await make_issue(acme)
    for number in range(3):
        await make_former(acme, f"former{number}@example.test")
    await switch_on(acme, RetentionKind.ENDED_SUBSCRIBERS)
    assert await apply(acme) == {RetentionKind.ENDED_SUBSCRIBERS: 2}
    assert await apply(acme) == {RetentionKind.ENDED_SUBSCRIBERS: 1}
    assert await apply(acme) == {}


@pytest.mark.parametrize("months, is_automatic", [(1, False), (600, True)])
async def test_a_rule_that_is_changed_while_it_runs_stops(
    acme: Cast, monkeypatch: pytest.MonkeyPatch, months: int, is_automatic: bool
) -> None:
    await make_issue(acme)
    for number in range(2):
        await make_former(acme, f"former{number}@example.test")
    kind = RetentionKind.ENDED_SUBSCRIBERS
    await switch_on(acme, kind)

    async def change_rule(_: float) -> None:
        """Between two batches."""
        rule = RetentionRule(kind=kind, months=months, is_automatic=is_automatic)
        await save_rules(acme.db, acme.account_id, [rule], by=BY)

    monkeypatch.setattr(service, "asyncio", SimpleNamespace(sleep=change_rule))
    assert await apply(acme) == {kind: 1}
    assert await preview(acme, kind) == 1


async def test_cells_of_a_rehearsal_that_was_not_followed_by_an_import_are_deleted(
    acme: Cast,
) -> None:
    for number in (None, 1):
        id = await make_batch(acme, number=number, created_at=datetime(2026, 1, 1, tzinfo=UTC))
        row = ImportRow(line=2, outcome=RowOutcome.IMPORTED, cells=[["Ada Lund", "Ulm"]])
        kept = row if number is None else structs.replace(row, cells=[])

        async def work(tx: Transaction, id: str = id, kept: ImportRow = kept) -> None:
            await insert_rows(tx, acme.account_id, id, [kept])

        await acme.db.write(work, account_id=acme.account_id)
    assert await preview(acme, RetentionKind.IMPORT_ROWS) == 1
    await switch_on(acme, RetentionKind.IMPORT_ROWS)
    assert await apply(acme) == {RetentionKind.IMPORT_ROWS: 1}
    sql = "SELECT cells FROM import_row WHERE account_id = :account_id"
    assert [each["cells"] for each in await rows(acme, sql)] == [None, None]
    assert await preview(acme, RetentionKind.IMPORT_ROWS) == 0
