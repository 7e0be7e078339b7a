"""Statements of a day: worked out from dates, stored, and the same a year later."""

import csv
import hashlib
from datetime import date, timedelta

import pytest

from masthead.model.audit_entries import EntryType
from masthead.model.errors import Invalid, NotFound
from masthead.services.check.revenue import figures_by_kind, recount_figures
from masthead.services.revenue import statements as service
from masthead.services.revenue.statement_orders import compare_statements
from masthead.store.engine.interface import Database, Transaction
from masthead.store.revenue import statements as store
from masthead.store.revenue.statements import Statement, StatementFile, StatementStatus
from tests.conftest import BY, Cast, Client, make_account
from tests.support.factories import import_row, make_issue
from tests.support.revenue import DAY, TODAY, add_refund, is_balanced, make_orders, make_statement


@pytest.fixture(scope="module")
async def with_orders(client: Client, db: Database) -> Cast:
    """An account with orders of every kind, which tests share that only read."""
    cast = await make_account(client, db, "Acme")
    await make_orders(cast)
    return cast


async def content(cast: Cast, statement: Statement, file: StatementFile) -> bytes:
    parts = service.read_file(cast.db, cast.account_id, statement.id, file)
    return b"".join([part async for part in parts])


async def test_the_figures_of_a_day(acme: Cast) -> None:
    await make_orders(acme)
    figures = (await make_statement(acme)).figures
    assert figures is not None
    assert [each.currency for each in figures.currencies] == ["EUR", "USD"]
    euros, dollars = figures.currencies
    paid = euros.subscriptions
    assert (paid.orders, paid.price) == (7, 42_00 * 4 + 100_01 + 80_00)
    # 2/4 of 42, 2/6 of 100.01, 12 left of 42 after the refund, 2/8 of 80, half of 42
    assert paid.earned == 21_00 + 33_33 + 12_00 + 20_00 + 21_00
    assert paid.refunds == 30_00
    assert paid.kept == 60_00
    assert paid.deferred == 21_00 + 66_68 + 42_00 + 21_00
    assert [(each.number, each.copies, each.earned) for each in euros.sent_issues] == [
        (1, 6, 10_50 + 16_66 + 10_50 + 10_00 + 21_00),
        (2, 5, 10_50 + 16_67 + 1_50 + 10_00),
    ]
    assert (euros.later, euros.later_issues) == (100_01 - 66_67, 2)
    members = euros.memberships
    assert (members.orders, members.price, members.refunds) == (2, 146_00, 10_00)
    assert members.earned == 7300 * 181 // 365 + 7300 * 10 // 365
    assert members.kept == 7300 - 7300 * 10 // 365
    assert (dollars.total.price, dollars.total.deferred) == (30_00, 30_00)
    assert is_balanced(euros.total)
    assert is_balanced(dollars.total)


@pytest.mark.parametrize("day", ["2025-12-31", "2026-01-15", "2026-02-02", "2026-05-05"])
async def test_the_database_adds_up_the_same_figures(with_orders: Cast, day: str) -> None:
    db, account_id = with_orders.db, with_orders.account_id
    for each in (date.fromisoformat(day), date.fromisoformat(day) + timedelta(days=70)):
        figures = await service.work_out(db, account_id, each)
        assert figures_by_kind(figures) == await recount_figures(db, account_id, each)


async def test_a_statement_is_the_same_after_everything_changed(acme: Cast) -> None:
    await make_orders(acme)
    statement = await make_statement(acme)
    files = {file: await content(acme, statement, file) for file in StatementFile}
    await add_refund(acme, "PLAIN", "2026-02-01", 4200)
    await import_row(acme, order_id="NEW", start_issue="1", length="4")
    found = await store.get_statement(acme.db, acme.account_id, statement.id)
    assert found == statement
    assert {file: await content(acme, found, file) for file in StatementFile} == files
    assert hashlib.sha256(files[StatementFile.FIGURES]).hexdigest() == statement.sha256
    assert hashlib.sha256(files[StatementFile.ORDERS]).hexdigest() == statement.orders_sha256


async def test_the_file_of_orders_adds_up_to_the_figures(acme: Cast) -> None:
    await make_orders(acme)
    statement = await make_statement(acme)
    text = (await content(acme, statement, StatementFile.ORDERS)).decode("utf-8-sig")
    rows = list(csv.DictReader(text.splitlines()))
    assert "LATER" not in {row["order_id"] for row in rows}
    cents = sum(int(row["deferred"].replace(".", "")) for row in rows if row["currency"] == "EUR")
    assert statement.figures is not None
    assert statement.figures.currencies[0].total.deferred == cents


async def test_what_happens_later_does_not_change_the_past(acme: Cast) -> None:
    await make_orders(acme)
    before = await make_statement(acme)
    await add_refund(acme, "PLAIN", "2026-07-01", 4200)
    await import_row(acme, start_issue="1", length="4", order_date="2026-07-01")
    after = await make_statement(acme)
    assert before.id != after.id
    assert (before.sha256, before.orders_sha256) == (after.sha256, after.orders_sha256)
    assert (await compare_statements(acme.db, acme.account_id, before, after, limit=9)).count == 0


async def test_a_comparison_names_the_orders_that_differ(acme: Cast) -> None:
    await make_orders(acme)
    before = await make_statement(acme)
    await add_refund(acme, "PLAIN", "2026-06-30", 100)
    await import_row(acme, order_id="FORGOTTEN", start_issue="1", length="4")
    after = await make_statement(acme)
    found = await compare_statements(acme.db, acme.account_id, before, after, limit=9)
    assert [(each.order_id, each.is_new) for each in found.first] == [
        ("PLAIN", False),
        ("FORGOTTEN", True),
    ]
    assert found.first[0].after == {"refunds": "1.00", "deferred": "20.00"}
    short = await compare_statements(acme.db, acme.account_id, before, after, limit=1)
    assert (len(short.first), short.count) == (1, 2)


async def test_a_day_in_the_future_is_refused(acme: Cast) -> None:
    message = "2 January 2027 is in the future: its statement is possible from that day on"
    with pytest.raises(Invalid, match=message):
        await make_statement(acme, TODAY + timedelta(days=1))


async def test_a_statement_of_an_account_without_orders_is_empty(acme: Cast) -> None:
    statement = await make_statement(acme)
    assert statement.figures is not None
    assert statement.figures.currencies == []


async def test_a_statement_is_worked_out_once(acme: Cast) -> None:
    await make_issue(acme)
    statement = await make_statement(acme)
    await import_row(acme, start_issue="1", length="1")
    assert await service.make_statement(acme.db, acme.account_id, statement.id) == statement


async def test_of_two_that_work_it_out_the_first_stores_its_result(acme: Cast) -> None:
    statement = await make_statement(acme)
    figures = statement.figures
    assert figures is not None

    async def work(tx: Transaction) -> bool:
        return await store.complete_statement(
            tx,
            acme.account_id,
            statement.id,
            figures=figures,
            sha256="other",
            orders_sha256="other",
            parts=[(StatementFile.ORDERS, b"")],
        )

    assert not await acme.db.write(work, account_id=acme.account_id)
    assert await store.get_statement(acme.db, acme.account_id, statement.id) == statement


async def test_a_failed_statement_says_why_and_is_not_found_by_its_day(acme: Cast) -> None:
    id = await service.request_statement(acme.db, acme.account_id, DAY, today=TODAY, by=BY)
    found = await store.find_statement_of(acme.db, acme.account_id, DAY)
    assert found is not None
    assert (found.id, found.status) == (id, StatementStatus.WAITING)
    await service.fail_statement(acme.db, acme.account_id, id, "out of memory")
    failed = await store.get_statement(acme.db, acme.account_id, id)
    assert (failed.status, failed.error) == (StatementStatus.FAILED, "out of memory")
    assert await store.find_statement_of(acme.db, acme.account_id, DAY) is None
    assert await store.find_latest_ready(acme.db, acme.account_id) is None


async def test_the_latest_day_is_found_not_the_latest_statement(acme: Cast) -> None:
    latest = await make_statement(acme, DAY)
    await make_statement(acme, DAY - timedelta(days=1))
    found = await store.find_latest_ready(acme.db, acme.account_id)
    assert found is not None
    assert found.id == latest.id


async def test_a_statement_of_another_account_does_not_exist(acme: Cast, rival: Cast) -> None:
    statement = await make_statement(acme)
    with pytest.raises(NotFound):
        await store.get_statement(rival.db, rival.account_id, statement.id)


async def test_making_a_statement_is_in_the_audit_trail(acme: Cast) -> None:
    statement = await make_statement(acme)
    row = await acme.db.fetch_one(
        "SELECT subject_id, after FROM audit WHERE account_id = :a AND action = :action",
        {"a": acme.account_id, "action": EntryType.REVENUE_STATEMENT_CREATE.value},
    )
    assert row is not None
    assert row["subject_id"] == statement.id


async def test_few_orders_are_worked_out_within_a_request(
    with_orders: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await service.is_small(with_orders.db, with_orders.account_id)
    monkeypatch.setattr(service, "SMALL", 3)
    assert not await service.is_small(with_orders.db, with_orders.account_id)
