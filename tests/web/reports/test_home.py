"""The home page, the renewal list and the forecast."""

import csv
import io
import re
from datetime import timedelta

import pytest

from masthead.model.clock import now
from masthead.model.identity.rights import STAFF_RIGHTS, Right
from masthead.model.reports.trends import TrendPoint
from masthead.services.background.trends import refresh_trend
from masthead.store.accounts import update_daily_date
from masthead.store.engine.interface import Transaction
from masthead.web.renewals import ending
from masthead.web.reports.home import draw_trend_chart, earlier_points
from tests.conftest import Cast
from tests.support.billing import bill_one, set_exchange_rate, turn_on_billing
from tests.support.days import pass_on
from tests.support.factories import (
    import_row,
    make_issue,
    make_issues,
    make_membership,
    make_subscription,
)
from tests.web.conftest import Person
from tests.web.test_rights import give

PAST_DUE = {"start_issue": "1", "length": "4", "is_recurring": "true", "status": "Past due"}


def words(page: str) -> str:
    """The text of a page, with spaces in place of its markup."""
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


# --- Home ----------------------------------------------------------------------------------------


async def test_an_empty_account_shows_the_first_steps_with_buttons(
    acme: Cast, owner: Person
) -> None:
    page = await owner.text()
    assert "There are no subscriptions yet." in words(page)
    for address in ("issues/new", "subscriptions/new"):
        assert f'href="{owner.address(address)}" role="button"' in page
    assert "Done" in words(page)  # it has sources and keys


async def test_staff_get_no_link_to_the_settings(acme: Cast, staff: Person) -> None:
    page = await staff.text()
    assert "Only an owner of the account can do this." in page
    assert "/settings/" not in page


async def test_a_completed_step_has_no_button(acme: Cast, owner: Person) -> None:
    await make_issue(acme)
    assert f'href="{owner.address("issues/new")}"' not in await owner.text()


async def test_home_shows_the_progress_of_the_current_issue(acme: Cast, owner: Person) -> None:
    issue = await make_issue(acme, 1, date_as_start_issue="2026-01-01", name="Tides")
    await make_subscription(acme)
    await import_row(acme, start_issue="1", length="4", sent_issues="1")
    page = await owner.text()
    assert "Tides (issue 1)" in words(page)
    assert '<progress id="progress" value="1" max="2">' in page
    assert "1 of 2 copies sent" in page
    assert owner.address("issues", issue["id"]) + "?status=Not+sent" in page
    assert owner.address("issues", issue["id"], "dispatch") in page
    assert "1. Prepare mailing 1 (1) … 2. Mark as sent" in numbered(page)


def numbered(page: str) -> str:
    """The text of the first list of what is due, with the numbers of its steps."""
    [due, *_] = re.findall(r'<ol class="due">(.*?)</ol>', page, re.DOTALL)
    items = re.findall(r"<li[^>]*>(.*?)</li>", due, re.DOTALL)
    return " ".join(f"{number}. {words(item)}" for number, item in enumerate(items, start=1))


async def test_home_says_if_there_is_no_current_issue(acme: Cast, owner: Person) -> None:
    await make_issue(acme)
    await make_subscription(acme)
    assert "There is no current issue yet." in await owner.text()


async def test_the_numbers_of_today_are_current_and_link_to_the_lists(
    acme: Cast, owner: Person
) -> None:
    await make_issue(acme)
    await make_subscription(acme)
    before = words(await owner.text())
    await make_subscription(acme)
    page = await owner.text()
    assert "Active subscriptions 1 Active subscribers 1" in before
    assert "Active subscriptions 2 Active subscribers 2" in words(page)
    assert owner.address("subscriptions") + "?status=Past+due" in page


async def test_the_trend_appears_as_charts_and_a_table_once_it_is_calculated(
    acme: Cast, owner: Person
) -> None:
    await make_issue(acme)
    await make_subscription(acme)
    page = await owner.text()
    assert "are not ready yet" in page
    assert "<svg" not in page
    await refresh_trend(acme.db, acme.account_id)
    page = await owner.text()
    assert page.count('<svg class="chart"') == 2
    changes = r"1( \+?[01] since [0-9]+ \w+ [0-9]{4}){2}"
    assert re.search(f"Active subscriptions {changes} Active subscribers {changes} ", words(page))
    table = page[page.index("Active at the end of each month") :]
    assert table[: table.index("</table>")].count('<th scope="row">') == 25


def test_a_chart_uses_the_numbers_of_the_locale() -> None:
    day = now().date().replace(day=1)
    points = [TrendPoint(day - timedelta(days=400), 12_345, 9), TrendPoint(day, 20_000, 9)]
    german, british = draw_trend_chart(points, "de_DE"), draw_trend_chart(points, "en_GB")
    assert german
    assert british
    assert "From 12.345 at" in german
    assert "From 12,345 at" in british


async def test_home_counts_what_ends_soon_and_what_is_past_due(acme: Cast, owner: Person) -> None:
    await make_issue(acme, 1, date_as_start_issue="2026-01-01")
    for number in range(2):
        await make_subscription(acme, length=2, first_name=f"Vera {number}")
    await make_subscription(acme, length=3, first_name="Nils")
    assert "Late Nothing is late." in words(await owner.text())
    for number in range(6):
        await import_row(acme, **PAST_DUE, first_name=f"Rosa {number}")
    await make_subscription(acme, length=2, email="free@x.test", is_comp=True, price="0")
    soon = now().date() + timedelta(days=30)
    await make_membership(acme, period_start="2026-01-01", period_end=str(soon))
    page = await owner.text()
    lines = re.findall("<li>(<span>.*?)</li>", page, re.DOTALL)
    shown = {words(line) for line in lines if owner.address("ending") in line}
    assert shown == {
        "End with issue 1 (memberships: within 30 days), not renewed 1 "
        "Show : End with issue 1 (memberships: within 30 days), not renewed",
        "End with issue 2 (memberships: in 31 to 60 days), not renewed, 1 of them complimentary 3 "
        "Show : End with issue 2 (memberships: in 31 to 60 days), not renewed, "
        "1 of them complimentary",
        "6 renewals are not paid Show : 6 renewals are not paid",
    }
    for address in ("ending", "ending/next", "ending/past-due"):
        assert f'href="{owner.address(address)}" role="button"' in page


async def test_home_says_how_much_is_overdue_to_those_who_see_money(
    acme: Cast, owner: Person, staff: Person
) -> None:
    await turn_on_billing(acme)
    await bill_one(acme, price="49.00")
    await bill_one(acme, price="60.00")
    await set_exchange_rate(acme)
    await bill_one(acme, price="5.00", currency="CHF")
    assert "overdue" not in await owner.text()
    await pass_on(acme, "2099-12-01")
    page = await owner.text()
    address = owner.address("money", "invoices") + "?show=overdue"
    assert f'href="{address}" role="button"' in page
    assert "3 overdue invoices: €109.00" in words(page)
    assert "1 of them is in another currency and not in the sum" in page
    listed = await owner.text("money", "invoices", show="overdue")
    assert listed.count('data-status="Past due"') == 3
    await give(acme.db, acme, staff, STAFF_RIGHTS - {Right.SEE_MONEY})
    assert "overdue" not in await staff.text()


def test_today_is_compared_with_the_last_month_and_a_year_ago() -> None:
    day = now().date()
    points = [TrendPoint(day - timedelta(days=31 * ago), 100 - ago, 9) for ago in range(13, -1, -1)]
    assert earlier_points(points) == [points[-2], points[-13]]
    assert earlier_points(points[-2:]) == points[-2:-1]
    assert earlier_points(points[-1:]) == []


async def test_names_are_escaped(acme: Cast, owner: Person) -> None:
    await make_issue(acme, 1, date_as_start_issue="2026-01-01", name="<script>alert(1)</script>")
    for name in ("<script>alert(2)</script>", "=cmd()", "שלום", "x" * 255):
        await make_subscription(acme, length=1, first_name=name)
    home, listed = await owner.text(), await owner.text("ending")
    assert "<script>alert" not in home + listed
    assert "&lt;script&gt;alert(1)" in home
    for name in ("&lt;script&gt;alert(2)", "=cmd()", "שלום", "x" * 255):
        assert name in listed


# --- The renewal list ----------------------------------------------------------------------------


async def test_the_renewal_list_is_paginated(acme: Cast, owner: Person) -> None:
    await make_issue(acme, 1, date_as_start_issue="2026-01-01")
    for _ in range(51):
        await make_subscription(acme, length=1)
    first = await owner.text("ending")
    following = re.search(r'href="([^"]+)" rel="next"', first)
    assert following
    second = (await owner.http.get(following[1].replace("&amp;", "&"))).text
    rows = re.compile(r'<th scope="row"[^>]*><a href="([^"]+)"')
    ids = [*rows.findall(first), *rows.findall(second)]
    assert len(ids) == len(set(ids)) == 51
    assert "First page" in second


async def test_the_list_of_memberships_shows_their_last_day(acme: Cast, owner: Person) -> None:
    soon = now().date() + timedelta(days=30)
    await make_membership(acme, period_start="2026-01-01", period_end=str(soon))
    assert str(soon.year) in await owner.text("ending", "memberships")


async def test_empty_renewal_lists_have_a_message(acme: Cast, owner: Person) -> None:
    assert "there are no issues yet" in await owner.text("ending")
    await make_issue(acme)
    assert "No subscriptions end soon, except those that renew" in await owner.text("ending")
    assert "All subscriptions that have ended are complete." in await owner.text("ending", "over")
    assert "No memberships end soon" in await owner.text("ending", "memberships")


async def test_an_account_without_issues_shows_no_issue_number(acme: Cast, owner: Person) -> None:
    for parts in (("ending",), ("ending", "over"), ()):
        assert "issue 0" not in await owner.text(*parts)
    await make_membership(acme)
    assert "issue 0" not in await owner.text()


async def test_ended_subscriptions_have_a_separate_list(acme: Cast, owner: Person) -> None:
    await make_issue(acme, 1)
    await make_issue(acme, 2, date_as_start_issue="2026-01-01")
    old = await make_subscription(acme, start_issue=1, length=1, first_name="Olga")
    await make_subscription(acme, start_issue=2, length=1, first_name="Vera")
    assert "Vera" in await owner.text("ending")
    for parts in ((), ("ending",)):
        page = await owner.text(*parts)
        assert "Olga" not in page
        assert "1 subscription has ended, but one of its copies is not marked as sent" in page
        assert owner.address("ending", "over") in page
    page = await owner.text("ending", "over")
    assert owner.address("subscriptions", old["id"]) in page
    assert "Vera" not in page


async def test_the_renewal_list_is_a_csv_file_without_formulas(
    acme: Cast, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ending, "ROWS", 2)
    soon = now().date() + timedelta(days=30)
    member = {"period_start": "2026-01-01", "period_end": str(soon)}
    await make_membership(acme, first_name="Ida", last_name="", **member)
    await make_issue(acme, 1, date_as_start_issue="2026-01-01")
    for name in ("=cmd()", "Vera", "Nils"):
        await make_subscription(acme, length=1, first_name=name, last_name="")
    assert owner.address("ending", "xlsx") in await owner.text()
    assert owner.address("ending", "csv") in await owner.text("ending")
    response = await owner.see("ending", "csv")
    assert 'filename="ending-soon.csv"' in response.headers["Content-Disposition"]
    rows = list(csv.DictReader(io.StringIO(response.text.removeprefix("\ufeff"))))
    assert [row["full_name"] for row in rows] == ["'=cmd()", "Vera", "Nils", "Ida"]
    assert [row["last_issue"] for row in rows] == ["1", "1", "1", ""]
    assert [row["period_end"] for row in rows] == ["", "", "", str(soon)]
    assert (rows[0]["email"], rows[0]["country_name"]) == ("", "Germany")


async def test_the_csv_file_of_an_account_without_issues_has_its_memberships(
    acme: Cast, owner: Person
) -> None:
    soon = now().date() + timedelta(days=30)
    await make_membership(acme, period_start="2026-01-01", period_end=str(soon))
    assert len((await owner.see("ending", "csv")).text.splitlines()) == 2


async def test_an_invalid_cursor_is_refused_with_a_message(acme: Cast, owner: Person) -> None:
    response = await owner.see("ending", cursor="bogus")
    assert response.status_code == 400
    assert "cursor" in response.text


async def test_users_of_another_account_cannot_see_the_renewal_list(
    acme: Cast, outsider: Person
) -> None:
    assert (await outsider.see("ending")).status_code == 404


# --- The forecast --------------------------------------------------------------------------------


async def test_the_forecast_has_a_row_for_each_upcoming_issue(acme: Cast, owner: Person) -> None:
    await make_issues(acme, 1, 2)
    await make_subscription(acme, length=3, medium="Print + digital")
    await make_subscription(acme, length=1, country="AT", is_recurring=True)
    page = await owner.text("forecast")
    table = page[page.index("<caption>Print runs") :]
    rows = [words(row) for row in table[: table.index("</table>")].split("<tr>")[2:]]
    assert len(rows) == 6
    assert "no date yet 2 2 1 1 also printed 2 Shown below" in rows[0]
    assert "no date yet 1 1 1 1 also printed 2 By country and medium" in rows[1]
    assert "not created yet" in rows[2]
    assert "Austria" in page
    assert page.count("<svg") == 2  # one for each width
    assert "counts as one copy, but appears in both" in page


async def test_the_forecast_splits_the_chosen_issue_by_country(acme: Cast, owner: Person) -> None:
    await make_issue(acme)
    await make_subscription(acme, length=2, country="AT")
    await make_subscription(acme, length=1, country="FR")
    first, second = await owner.text("forecast"), await owner.text("forecast", number="2")
    assert "France" in first
    assert f'href="{owner.address("forecast")}?number=2#chosen"' in first
    assert "France" not in second
    assert "Austria" in second
    assert "France" in await owner.text("forecast", number="99")
    assert (await owner.see("forecast", number="x")).status_code == 400


async def test_the_forecast_shows_number_and_name_and_a_total(acme: Cast, owner: Person) -> None:
    await make_issue(acme, 1, name="Lighthouses with names too long for a bar")
    await make_issue(acme, 2)
    await make_subscription(acme, length=2, country="AT")
    await make_subscription(acme, length=1, country="FR", medium="Digital")
    page = await owner.text("forecast")
    full = "1 · Lighthouses with names too long for a bar"
    assert f'<h2 id="chosen"><bdi>{full}</bdi></h2>' in page
    assert f'<bdi class="cut">{full}</bdi></a>' in page
    assert "Issue 1: 2; Issue 2: 1;" in page
    assert ">1</text>" in page
    assert re.search(">Lig[^<]*…</text>", page)
    assert words(page).count("Total 2 1 1 + 0") == 2


async def test_the_forecast_compares_with_the_current_issue(acme: Cast, owner: Person) -> None:
    await make_issue(acme, 1, name="Salt", release_date_actual="2026-01-01")
    await make_issue(acme, 2, release_date_actual="2999-01-01")
    for number in (1, 1, 2):
        await make_subscription(acme, start_issue=number, length=2)
    page = await owner.text("forecast")
    assert "Issue 1: 2; Issue 2: 3;" in page
    assert page.count("chart-bar chart-now") == 2  # one chart for each width
    assert "1 · Salt (current) 1 Jan 2026 2" in words(page)


async def test_a_forecast_that_has_the_current_issue_marks_it(acme: Cast, owner: Person) -> None:
    await make_issue(acme, 1, date_as_start_issue="2026-01-01")
    await make_subscription(acme, length=2)
    page = await owner.text("forecast")
    assert page.count("chart-bar chart-now") == 2  # one chart for each width
    assert "Issue 1: 1;" in page


async def test_a_forecast_without_copies_has_no_chart(acme: Cast, owner: Person) -> None:
    await make_issue(acme)
    page = await owner.text("forecast")
    assert "<svg" not in page
    assert "Print runs" in page


async def test_without_issues_the_forecast_offers_to_create_one(acme: Cast, owner: Person) -> None:
    page = await owner.text("forecast")
    assert f'href="{owner.address("issues/new")}" role="button"' in page


# --- Outdated statuses ---------------------------------------------------------------------------


@pytest.mark.parametrize("days, has_warning", [(-2, True), (-1, False), (0, False), (400, True)])
async def test_a_page_warns_if_the_statuses_are_outdated(
    acme: Cast, owner: Person, days: int, has_warning: bool
) -> None:
    day = now().date() + timedelta(days=days)

    async def work(tx: Transaction) -> None:
        await update_daily_date(tx, acme.account_id, day)

    await acme.db.write(work)
    page = words(await owner.text("subscribers"))
    assert ("The statuses on these pages are from" in page) == has_warning
    assert ("masthead check" in page) == has_warning
