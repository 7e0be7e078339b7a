"""A subscriber whose subscription is past due is not called active."""

import pytest

from tests.conftest import Cast
from tests.support.billing import turn_on_billing
from tests.support.factories import import_row, make_issues, make_membership
from tests.web.conftest import Person
from tests.web.subscribers.test_pages import words

ROW = {"start_issue": "1", "length": "4", "is_recurring": "true", "last_name": "Quist"}


@pytest.mark.parametrize(
    "statuses, word",
    [
        (["Past due"], "past due"),
        (["Past due", "Cancelled"], "past due"),
        (["Past due", "Active"], "active"),
        (["Active"], "active"),
        (["Cancelled"], "ended"),
    ],
)
async def test_lists_and_searches_say_what_the_page_says(
    owner: Person, acme: Cast, statuses: list[str], word: str
) -> None:
    await make_issues(acme, 1, 2)
    made = [await import_row(acme, status=each, email="quist@x.test", **ROW) for each in statuses]
    summary = f"{len(statuses)}, {word}"
    assert summary in words(await owner.see("subscribers"))
    assert summary in words(await owner.see("subscribers", search="quist"))
    assert summary in words(await owner.see("subscribers", made[0]["subscriber"]["id"]))


@pytest.mark.parametrize("status", ["Active", "Past due"])
async def test_renew_is_the_main_button_unless_it_renews_by_itself(
    owner: Person, acme: Cast, status: str
) -> None:
    await make_issues(acme, 1, 2)
    made = await import_row(acme, status=status, **ROW)
    page = await owner.text("subscriptions", made["id"])
    button = page[page.index('/renew/" role="button"') :].partition(">")[0]
    assert ("secondary" in button) is (status == "Active")


async def test_a_renewal_that_is_past_due_has_no_invoice_and_every_page_says_so(
    owner: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    days = {"period_start": "2025-01-01", "period_end": "2025-12-31"}
    due = await make_membership(acme, is_recurring="yes", **days)
    assert due["status"] == "Past due"
    listed = words(await owner.see("ending", "past-due"))
    assert "There is no invoice for it, so it is not among the open items." in listed
    own = words(await owner.see("subscriptions", due["id"]))
    assert "no payment for the time from 1 January 2026 on has arrived. There is no invoice" in own
    assert "the next charge is on" not in own
    person = words(await owner.see("subscribers", due["subscriber"]["id"]))
    assert "no open invoices A renewal that is past due has no invoice." in person
    account = words(await owner.see("subscribers", due["subscriber"]["id"], "account"))
    assert "no open invoices" in account


async def test_who_is_not_past_due_just_has_no_open_invoices(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    made = await import_row(acme, status="Active", **ROW)
    person = words(await owner.see("subscribers", made["subscriber"]["id"]))
    assert "no open invoices" in person
    assert "past due" not in person
