"""Bulk writes: the same number of statements for any number of rows, and the rules of the model."""

import re
from datetime import date

import pytest

from masthead.model.inputs import IssueCreate
from masthead.model.subscriptions.lifecycle import (
    derive_status,
    is_period_complete,
    status_before_completion,
)
from masthead.model.types.enums import SubscriptionStatus, SubscriptionType
from masthead.services.background.daily import run_daily_pass
from masthead.services.check.accounts import check_account
from masthead.services.copies import mark_copies_sent
from masthead.services.imports.work import run_batch
from masthead.services.issues.records import create_issue
from masthead.store.engine.interface import Connection, Database
from masthead.store.subscriptions import periods, status_updates
from tests.conftest import BY, Cast
from tests.support import order_lines as imports
from tests.support.factories import (
    copies_of,
    import_options,
    make_issue,
    make_issues,
    make_membership,
    make_subscription,
)
from tests.support.statement_counter import StatementCounter
from tests.support.walk import walk

SIZES = (10, 1000)
DAY = date(2100, 1, 1)  # by then some memberships have ended, and some end today


def orders(count: int, mark: str, **cells: str) -> list[imports.OrderLine]:
    """Valid rows of an import."""
    return [
        imports.OrderLine(
            number,
            {
                "order_id": f"{mark}-{number}",
                "email": f"{mark}-{number}@example.test",
                "first_name": "Ada",
                "country": "DE",
                "order_date": "2026-01-15",
                "price": "42",
                "start_issue": "1",
                "length": "1",
                **cells,
            },
        )
        for number in range(count)
    ]


async def import_rows(
    cast: Cast, rows: list[imports.OrderLine], db: Database | None = None
) -> None:
    """Import rows, into a database that counts statements if one is given."""
    summary = await imports.import_lines(db or cast.db, rows, import_options(cast))
    assert summary.imported == len(rows)


async def statements_of_marking(cast: Cast, count: int) -> int:
    """The number of statements to mark the last copies of a number of subscriptions as sent."""
    await import_rows(cast, orders(count, f"M{count}"))
    copies = await walk(cast, "/v1/copies/", 200, status="Not sent")
    db = StatementCounter(cast.db)
    marked = await mark_copies_sent(db, cast.account_id, [c["id"] for c in copies], None, by=BY)
    assert marked.updated_count == count
    return len(db.statements)


@pytest.mark.slow
async def test_marking_a_thousand_copies_takes_as_many_statements_as_marking_ten(
    acme: Cast,
) -> None:
    await make_issue(acme)
    few, many = [await statements_of_marking(acme, size) for size in SIZES]
    assert few == many <= 22
    ended = await walk(acme, "/v1/subscriptions/", 200)
    assert {each["status"] for each in ended} == {"Complete"}


async def statements_of_import(cast: Cast, count: int) -> int:
    """The number of statements to import a number of rows, some of them with sent copies."""
    db = StatementCounter(cast.db)
    await import_rows(cast, orders(count, f"I{count}", sent_issues="1"), db)
    return len(db.statements)


async def test_a_batch_of_a_thousand_rows_takes_as_many_statements_as_a_batch_of_ten(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_batch, "FEW", run_batch.BATCH)  # rows of the first batch
    await make_issue(acme)
    few, many = [await statements_of_import(acme, size) for size in SIZES]
    assert few == many <= 27


async def test_stats_calculated_in_memory_match_a_recount(acme: Cast) -> None:
    await make_issue(acme)
    more = [
        {"email": "ada@example.test", "order_date": day, "country": country, "currency": currency}
        for day, country, currency in (
            ("2026-02-01", "DE", "EUR"),
            ("2026-03-01", "FR", "USD"),
            ("2026-01-01", "AT", "EUR"),
            ("2026-03-01", "CH", "EUR"),
        )
    ]
    rows = orders(4, "F")
    lines = [
        imports.OrderLine(n, {**row.cells, **m})
        for n, (row, m) in enumerate(zip(rows, more, strict=True))
    ]
    await import_rows(acme, lines)
    (shown,) = (await acme.get("/v1/subscribers/")).json()["items"]
    assert (shown["subscription_count"], shown["ltv"]) == (4, "126.00")
    assert (shown["latest_order_date"], shown["latest_country"]) == ("2026-03-01", "CH")
    assert [each async for each in check_account(acme.db, acme.subdomain)] == []


async def statements_of_granting(cast: Cast, count: int, number: int) -> int:
    """The number of statements to create an issue for a number of additional memberships."""
    year = {"period_start": f"{number}-01-01", "period_end": f"{number}-12-31"}
    member = {"type": "membership", "start_issue": "", "length": "", "interval_months": "12"}
    await import_rows(cast, orders(count, f"G{count}", **member, **year))
    db = StatementCounter(cast.db)
    body = IssueCreate(number=number, release_date_actual=date(number, 6, 1))
    await create_issue(db, cast.account_id, body, by=BY)
    issue = next(i for i in await walk(cast, "/v1/issues/", 200) if i["number"] == number)
    assert len(await walk(cast, f"/v1/issues/{issue['id']}/copies/", 200)) == count
    return len(db.statements)


async def test_an_issue_with_a_thousand_copies_takes_as_many_statements_as_one_with_ten(
    acme: Cast,
) -> None:
    few, many = [
        await statements_of_granting(acme, size, number)
        for size, number in zip(SIZES, (2080, 2081), strict=True)
    ]
    assert few == many <= 21
    assert {each["total_length"] for each in await walk(acme, "/v1/subscriptions/", 200)} == {1}


async def statements_of_passing(cast: Cast, count: int, year: int) -> int:
    """The number of statements to end a number of memberships."""
    span = {"period_start": f"{year}-01-01", "period_end": f"{year}-12-31"}
    member = {"type": "membership", "start_issue": "", "length": "", "interval_months": "12"}
    await import_rows(cast, orders(count, f"P{count}", **member, **span))
    db = StatementCounter(cast.db)
    await run_daily_pass(db, cast.account_id, date(year + 1, 1, 1), by=BY)
    return len(db.statements)


@pytest.mark.slow
async def test_a_daily_pass_of_a_thousand_memberships_takes_as_many_statements_as_one_of_ten(
    acme: Cast,
) -> None:
    few, many = [
        await statements_of_passing(acme, size, year)
        for size, year in zip(SIZES, (2080, 2081), strict=True)
    ]
    assert few == many <= 23
    ended = await walk(acme, "/v1/subscriptions/", 200)
    assert {each["status"] for each in ended} == {"Complete"}


# --- the response of mark-sent, which SQL composes -----------------------------------------------


@pytest.mark.parametrize(
    "name",
    ['"', "\\", "a b, c.", "</script>", "Zoë 東京 🗞 \u200a.", "{}[],:'", "\\u0041 \\n %"],
)
async def test_marked_copies_are_shown_as_in_lists(acme: Cast, name: str) -> None:
    await make_issue(acme, 1, name=name)
    made = await make_subscription(acme)
    ids = [copy["id"] for copy in await copies_of(acme, made["id"])]
    for day in ("2026-12-01", None, "2000-01-01"):
        answer = (await acme.post("/v1/copies/mark-sent/", {"ids": ids, "date": day})).json()
        assert answer["items"] == await copies_of(acme, made["id"])
        assert [(each["date_sent"], each["issue"]["name"]) for each in answer["items"]] == [
            (day, name)
        ]


# --- the rules, in SQL as in the model ------------------------------------------------------------


def case_of(statement: str) -> str:
    """The CASE expression of a statement."""
    [case] = re.findall(r"\bCASE\b.*\bEND\b", statement, re.DOTALL)
    return str(case)


async def status_by_sql(
    db: Connection,
    statement: str,
    status: SubscriptionStatus,
    type: SubscriptionType,
    *,
    is_recurring: bool,
) -> str:
    """The status that the CASE expression of a statement returns."""
    row = await db.fetch_one(
        f"""
        SELECT {case_of(statement)} AS new_status
        FROM (
            SELECT
                CAST(:status AS text) AS status,
                CAST(:type AS text) AS type,
                {is_recurring} AS is_recurring
        ) AS s
        """,  # noqa: S608 - a constant of the store
        {"status": status, "type": type},
    )
    assert row
    return str(row["new_status"])


@pytest.mark.parametrize("status", list(SubscriptionStatus))
@pytest.mark.parametrize("type", list(SubscriptionType))
@pytest.mark.parametrize("is_recurring", [True, False])
async def test_the_sql_returns_the_same_status_as_the_model(
    acme: Cast, status: SubscriptionStatus, type: SubscriptionType, is_recurring: bool
) -> None:
    def by_model(*complete: bool) -> SubscriptionStatus:
        return derive_status(
            status, type=type, is_recurring=is_recurring, periods_complete=complete
        )

    for statement in (
        status_updates.FIND_SETTLED,
        status_updates.SETTLED_ENTRIES,
        status_updates.SETTLE,
    ):
        by_sql = await status_by_sql(acme.db, statement, status, type, is_recurring=is_recurring)
        assert by_sql == by_model(True, True)
    assert status == by_model(False) == by_model(True, False)  # SQL does not run in these cases
    for statement in (
        status_updates.FIND_REOPENED,
        status_updates.REOPENED_ENTRIES,
        status_updates.REOPEN,
    ):
        by_sql = await status_by_sql(acme.db, statement, status, type, is_recurring=is_recurring)
        assert by_sql == status_before_completion(status, is_recurring=is_recurring)


async def complete_by_sql(db: Connection, account_id: int, day: date) -> dict[int, bool]:
    """Whether periods are complete, by the CASE expression of the store."""
    is_complete = case_of(status_updates.FIND_CHANGED_PERIODS)
    rows = await db.fetch_all(
        f"""
        SELECT p.id, {is_complete} AS is_complete
        FROM period p
        WHERE p.account_id = :account_id
        """,  # noqa: S608 - a constant of the store
        {"account_id": account_id, "day": day},
    )
    return {row["id"]: row["is_complete"] for row in rows}


async def test_the_sql_and_the_model_agree_which_periods_are_complete(acme: Cast) -> None:
    await make_issues(acme, 1, 3)
    for length in (1, 3, 4):  # the last one has an issue that is missing
        for sent in (0, 1, 3):
            made = await make_subscription(acme, length=length)
            ids = [copy["id"] for copy in (await copies_of(acme, made["id"]))[:sent]]
            if ids:
                await acme.post("/v1/copies/mark-sent/", {"ids": ids})
            if sent == 1:
                await acme.post(f"/v1/subscriptions/{made['id']}/cancel/", {"mode": "cancel"})
    for end in ("2099-12-30", "2099-12-31", "2100-01-01", "9999-12-31"):
        await make_membership(acme, period_end=end)
    async with acme.db.read() as connection:
        ids = [each["id"] for each in await walk(acme, "/v1/subscriptions/", 200)]
        facts = await periods.list_completion(connection, acme.account_id, ids)
        by_sql = await complete_by_sql(connection, acme.account_id, DAY)
    by_model = {
        row.id: is_period_complete(
            period_end=row.period_end,
            day=DAY,
            missing_issues=row.missing_issues,
            unsent_copies=row.unsent_copies,
        )
        for rows in facts.values()
        for row in rows
    }
    assert by_sql == by_model
    assert set(by_model.values()) == {True, False}
