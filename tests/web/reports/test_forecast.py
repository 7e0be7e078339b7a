"""The forecast: today's issue, spare copies, and its CSV files."""

import csv
import io
import re
from datetime import date
from typing import Any

import pytest

from masthead.model.reports.forecasts import spare_copies
from masthead.services import accounts
from tests.conftest import BY, Cast
from tests.support.addresses import EARLIER, LATER
from tests.support.cases import for_each
from tests.support.days import count_trend
from tests.support.factories import import_row, make_issue, make_membership, make_subscription
from tests.web.conftest import Person
from tests.web.reports.test_home import words


@for_each(
    "printed, percent, spare",
    [(0, 5, 0), (1, 0, 0), (1, 1, 1), (100, 3, 3), (101, 3, 4), (1000, 100, 1000)],
)
def test_spare_copies_are_rounded_up(printed: int, percent: int, spare: int) -> None:
    assert spare_copies(printed, percent) == spare


@pytest.fixture
async def magazine(acme: Cast) -> Cast:
    """Issue 1 is out, issue 2 is coming."""
    await make_issue(acme, 1, release_date_actual=EARLIER, name="Spring")
    await make_issue(acme, 2, release_date_actual=LATER)
    for fields in (
        {"length": 2},
        {"length": 1, "is_recurring": True},
        {"length": 2, "medium": "Digital"},
        {"length": 1, "country": "AT", "medium": "Print + digital"},
    ):
        await make_subscription(acme, **fields)
    await make_membership(acme, is_recurring="true")
    return acme


async def rows(person: Person, **query: str) -> list[dict[str, Any]]:
    response = await person.see("forecast", "csv", **query)
    assert response.headers["Content-Type"].startswith("text/csv")
    return list(csv.DictReader(io.StringIO(response.text.removeprefix("\ufeff"))))


async def test_todays_issue_is_first_and_does_not_change_the_others(
    staff: Person, magazine: Cast
) -> None:
    page = await staff.text("forecast")
    assert "1 · Spring" in page
    assert "(current)" in page
    found = await rows(staff)
    assert [row["issue_number"] for row in found] == ["1", "2", "3", "4", "5", "6", "7"]
    counts = [[row[name] for name in ("copies", "printed", "digital")] for row in found[:3]]
    assert counts == [["4", "3", "2"], ["2", "1", "1"], ["0", "0", "0"]]
    # who ended with issue 1 may renew, for issue 2; a membership too; for issue 1 it is too late
    assert [row["if_all_renew"] for row in found[:2]] == ["0", "2"]
    assert (found[0]["issue_name"], found[0]["release_date"]) == ("Spring", EARLIER)
    assert 'id="chosen"><bdi>Issue 2' in page
    assert 'id="chosen"><bdi>1 · Spring' in await staff.text("forecast", number="1")


async def test_a_current_issue_that_is_still_coming_is_listed_once(
    staff: Person, acme: Cast
) -> None:
    await make_issue(acme, 1, date_as_start_issue=EARLIER)
    await make_subscription(acme)
    assert [row["issue_number"] for row in await rows(staff)] == ["1", "2", "3", "4", "5", "6"]


async def test_without_issues_the_file_is_empty(staff: Person) -> None:
    assert await rows(staff) == []


async def test_the_parts_add_up_to_the_totals(staff: Person, magazine: Cast) -> None:
    parts = await rows(staff, by="part")
    assert ("AT", "Austria", "Print + digital") in [
        (row["country"], row["country_name"], row["medium"]) for row in parts
    ]
    for total in await rows(staff):
        own = [row for row in parts if row["issue_number"] == total["issue_number"]]
        for name in ("copies", "printed", "digital", "if_all_renew"):
            assert sum(int(row[name]) for row in own) == int(total[name])


async def test_the_page_says_how_many_copies_are_printed_and_digital(
    staff: Person, magazine: Cast
) -> None:
    page = words(await staff.text("forecast", number="1"))
    both = [
        int(row["printed"]) + int(row["digital"]) - int(row["copies"]) for row in await rows(staff)
    ]
    assert both[0] == 1
    assert page.count("1 also printed") == sum(each == 1 for each in both) + 2  # and the totals


async def test_spare_copies_are_set_where_they_are_needed(
    owner: Person, staff: Person, magazine: Cast
) -> None:
    assert "To print, with" not in await owner.text("forecast")
    address = owner.address("forecast", "spare")
    refused = await owner.post(address, {"spare_percent": "101"})
    assert refused.status_code == 400
    assert "from 0 to 100" in refused.text
    assert 'value="101"' in refused.text
    response = await owner.post(address, {"spare_percent": "50 %"})
    assert response.status_code == 303, response.text
    assert 'value="50"' in await owner.text("settings", "account")
    page = await owner.text("forecast")
    assert "To print, with 50% spare" in page
    assert 'data-label="To print, with 50% spare"><' in page  # issue 1 is printed
    assert 'data-label="To print, with 50% spare">2<' in page  # in the card of a phone
    assert 'value="50"' in page
    seen = await staff.text("forecast")
    assert "Spare copies, in addition to the printed ones: 50%." in seen
    assert address not in seen
    assert (await staff.post(address, {"spare_percent": "1"})).status_code == 403
    address = owner.address("settings", "account")
    found = await rows(owner)
    assert [(row["spare"], row["to_print"]) for row in found[:2]] == [("2", "5"), ("1", "2")]
    # two renew, one of them a membership; both are printed: 3 and their spare copies
    assert [row["to_print_if_all_renew"] for row in found[:2]] == ["5", "5"]
    assert 'data-label="To print if all renew">5<' in page
    assert "To print if all renew: 1 printed + 2 renewals + 2 spare copies = 5" in words(page)
    assert "Percent and number are added together." in page
    await owner.send(address, {"spare_percent": ""})
    assert 'value="0"' in await owner.text("settings", "account")


@for_each("typed", ["101", "-1", "3.5", "many"])
async def test_an_impossible_percentage_is_refused_at_its_field(owner: Person, typed: str) -> None:
    response = await owner.send(owner.address("settings", "account"), {"spare_percent": typed})
    assert response.status_code == 400
    assert 'id="spare_percent-error"' in response.text
    assert "from 0 to 100" in response.text


async def test_other_changes_of_the_account_keep_the_percentage(
    owner: Person, magazine: Cast
) -> None:
    await owner.send(owner.address("settings", "account"), {"spare_percent": "7"})
    await accounts.update_account(magazine.db, magazine.account_id, name="New", by=BY)
    assert 'value="7"' in await owner.text("settings", "account")


async def test_the_spare_copies_come_before_the_numbers_they_change(
    magazine: Cast, owner: Person
) -> None:
    page = await owner.text("forecast")
    assert page.index("/forecast/spare/") < page.index("<table")  # what it changes
    menus = re.findall(r"Download: ([^<]+)</summary>(.*?)</details>", page, re.DOTALL)
    assert [name for name, _menu in menus] == [
        "all issues of this table",
        "all issues, by country and medium",
    ]
    assert [menu.count(" download>") for _name, menu in menus] == [2, 2]
    assert page.index("all issues of this table") < page.index("<table")
    assert page.index("by country and medium</summary>") < page.index("By medium</caption>")


async def test_the_usual_renewals_are_between_none_and_all(owner: Person, acme: Cast) -> None:
    for number in range(1, 7):
        await make_issue(acme, number, release_date_actual=f"2026-{number:02}-01")
    await make_issue(acme, 7, release_date_actual=LATER)
    for order in ("A", "B", "C", "D"):
        await import_row(acme, start_issue="1", length="2", order_id=f"OLD-{order}")
    await import_row(acme, renews="OLD-A", start_issue="", length="1", order_date="2026-02-03")
    for _ in range(4):
        await make_subscription(acme, start_issue=6, length=1, is_recurring=True)
    await make_subscription(acme, start_issue=7, length=1)
    assert "usual renewals" not in await owner.text("forecast")
    await count_trend(acme, date(2026, 6, 15))
    page = await owner.text("forecast")
    ended = 'href="{}">{} of what ended with issues 2 to 3</a>'
    assert ended.format(owner.address("ending", "retention"), "20%") in page
    assert "To print with the usual renewals (20%)" in page
    assert "was renewed within three issues: 1 of 5." in page
    assert "New subscribers are not counted." in page
    [row] = [row for row in await rows(owner) if row["issue_number"] == "7"]
    names = ("to_print", "usual_renewals", "to_print_usual_renewals", "to_print_if_all_renew")
    assert [row[name] for name in names] == ["1", "1", "2", "5"]
    assert "<strong>2</strong>" in page


async def test_spare_copies_are_a_number_or_a_percentage_or_both(
    owner: Person, magazine: Cast
) -> None:
    address = owner.address("forecast", "spare")
    refused = await owner.post(address, {"spare_percent": "", "spare_copies": "30 %"})
    assert refused.status_code == 400
    assert "whole number of copies from 0 to 100,000" in refused.text
    await owner.post(address, {"spare_percent": "", "spare_copies": "30"})
    page = await owner.text("forecast")
    assert 'data-label="To print, with 30 spare">31<' in page
    assert 'data-label="To print, with 30 spare">0<' in page  # nothing is printed of issue 3
    await owner.post(address, {"spare_percent": "100", "spare_copies": "30"})
    assert 'data-label="To print, with 100% + 30 spare">32<' in await owner.text("forecast")
    assert [row["spare"] for row in await rows(owner)][:2] == ["33", "31"]
    await owner.post(address, {"spare_percent": "0"})
    assert 'value="30"' in await owner.text("forecast")
