"""The page that leaves issues out of a subscription, such as during a holiday."""

import re
from datetime import date
from typing import Any

import pytest

from masthead.model.identity.rights import Right
from masthead.store.engine.interface import Database
from masthead.store.reports.forecasts import list_coming_issues, list_print_runs
from tests.conftest import Cast
from tests.support.billing import bill, owed, turn_on_billing
from tests.support.checks import faults
from tests.support.factories import (
    made,
    make_delivery_report,
    make_dispatch,
    make_issue,
    make_issues,
    make_membership,
    make_subscription,
)
from tests.web.conftest import Person
from tests.web.subscribers.test_pages import words
from tests.web.subscriptions.facts import cancel, mark, shown, statuses
from tests.web.subscriptions.test_pages import trail
from tests.web.subscriptions.test_renew import make_bundle
from tests.web.test_rights import give

OPEN = "Not sent"


async def skip(owner: Person, id: str, *numbers: int, **fields: Any) -> Any:
    """Send the form. numbers: of the issues that are ticked."""
    path = owner.address("subscriptions", id, "skip")
    typed: dict[str, Any] = {"issues": [*map(str, numbers)], "instead": "added", **fields}
    return await owner.send(path, typed)


async def why(cast: Cast, subscription: dict[str, Any], issue: str) -> dict[str, Any]:
    """Why the subscriber got an issue or did not."""
    subscriber = subscription["subscriber"]["id"]
    return made(await cast.get(f"/v1/issues/{issue}/why/?subscriber={subscriber}"))


async def test_a_skipped_issue_is_made_up_for_at_the_end(owner: Person, acme: Cast) -> None:
    issues = await make_issues(acme, 1, 5)
    sub = await make_subscription(acme, length=4, price="40.00")
    await mark(acme, sub["id"], 1)
    response = await skip(owner, sub["id"], 3)
    assert response.status_code == 303
    page = words(await owner.text("subscriptions", sub["id"]))
    assert "Issue 3 is skipped. The subscription ends with issue 5 now." in page
    assert "Issue 3 is skipped: one more issue at the end." in page
    assert await statuses(acme, sub["id"]) == {1: "Sent", 2: OPEN, 4: OPEN, 5: OPEN}
    now = await shown(acme, sub["id"])
    assert (now["issue_list"], now["length"], now["total_length"]) == ([1, 2, 4, 5], 5, 5)
    assert (now["refunded"], now["status"]) == ("0.00", "Active")
    [entry] = (await trail(acme, sub["id"]))[1:]
    assert (entry["action"], entry["after"]["issues"]) == ("subscription.skip", "3")
    assert await faults(acme) == []
    answer = await why(acme, sub, issues[2]["id"])
    assert answer["code"] == "skipped"
    assert "has one more issue at its end, and ends with issue 5." in answer["sentence"]


async def test_another_subscription_with_the_issue_is_named(owner: Person, acme: Cast) -> None:
    await make_issues(acme, 1, 5)
    email = {"email": "ada@example.test"}
    first = await make_subscription(acme, length=4, **email)
    second = await make_subscription(acme, length=4, **email)
    await make_subscription(acme, length=4, email="bob@example.test")
    there = owner.address("subscriptions", second["id"], "skip")
    await skip(owner, first["id"], 3)
    page = await owner.text("subscriptions", first["id"])
    assert "Another subscription of this subscriber does not skip it." in page
    assert f'<a href="{there}">Skip issues there, too</a>' in page
    await skip(owner, second["id"], 3)
    assert "does not skip it" not in await owner.text("subscriptions", second["id"])
    await skip(owner, first["id"], 5)
    assert "does not skip it" in await owner.text("subscriptions", first["id"])


async def test_taking_it_back_restores_the_subscription(owner: Person, acme: Cast) -> None:
    await make_issues(acme, 1, 5)
    sub = await make_subscription(acme, length=4)
    before = await shown(acme, sub["id"])
    await skip(owner, sub["id"], 2, 3)
    assert (await shown(acme, sub["id"]))["issue_list"] == [1, 4, 5, 6]
    path = owner.address("subscriptions", sub["id"], "skip")
    for number in ("2", "3", "3"):
        assert (await owner.post(path, {"take_back": number})).status_code == 303
    assert "This was already done." in words(await owner.text("subscriptions", sub["id"]))
    after = await shown(acme, sub["id"])
    changing = ("updated_at", "changed_at")
    assert {k: v for k, v in after.items() if k not in changing} == {
        k: v for k, v in before.items() if k not in changing
    }
    assert await statuses(acme, sub["id"]) == dict.fromkeys(range(1, 5), OPEN)
    assert await faults(acme) == []


async def test_the_price_of_a_skipped_issue_goes_back(owner: Person, acme: Cast) -> None:
    await make_issues(acme, 1, 4)
    sub = await make_subscription(acme, length=4, price="10.01")
    await mark(acme, sub["id"], 1)
    await skip(owner, sub["id"], 2, 3, instead="credited")
    page = words(await owner.text("subscriptions", sub["id"]))
    assert "Issues 2–3 are skipped. A refund of €5.01 is recorded: pay it back." in page
    now = await shown(acme, sub["id"])
    assert (now["issue_list"], now["length"], now["refunded"]) == ([1, 4], 4, "5.01")
    assert await faults(acme) == []
    path = owner.address("subscriptions", sub["id"], "skip")
    await owner.post(path, {"take_back": "3"})
    text = words(await owner.text("subscriptions", sub["id"]))
    assert "The refund of €2.50 is deleted: make sure that it is not paid out." in text
    assert (await shown(acme, sub["id"]))["refunded"] == "2.51"
    assert await faults(acme) == []


async def test_the_last_issue_of_a_finished_subscription_can_be_taken_back(
    owner: Person, acme: Cast
) -> None:
    await make_issues(acme, 1, 2)
    sub = await make_subscription(acme, length=2, price="10.00")
    await mark(acme, sub["id"], 1)
    await skip(owner, sub["id"], 2, instead="credited")
    assert (await shown(acme, sub["id"]))["status"] == "Complete"
    await owner.post(owner.address("subscriptions", sub["id"], "skip"), {"take_back": "2"})
    assert (await shown(acme, sub["id"]))["status"] == "Active"
    assert await statuses(acme, sub["id"]) == {1: "Sent", 2: OPEN}
    assert await faults(acme) == []


async def test_what_an_invoice_was_credited_for_stays_skipped(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    id = (await bill(acme, length=4)).subscriptions[0].id
    await skip(owner, id, 2, instead="credited")
    refused = await owner.post(owner.address("subscriptions", id, "skip"), {"take_back": "2"})
    assert refused.status_code == 400
    assert "00001, so nothing would be owed for it. Enter a new order" in words(refused)
    assert await owed(acme) == [(60_00, 45_00), (-15_00, 0)]
    assert (await shown(acme, id))["refunded"] == "15.00"
    assert await faults(acme) == []


async def test_days_find_the_issues_of_a_holiday_before_anything_is_saved(
    owner: Person, acme: Cast
) -> None:
    for number, day in enumerate(["2099-01-01", "2099-02-01", "2099-03-01", "2099-04-01"], 1):
        await make_issue(acme, number, release_date_actual=day)
    sub = await make_subscription(acme, length=6)
    path = owner.address("subscriptions", sub["id"], "skip")
    days = {"first_day": "2099-02-01", "last_day": "2099-03-15", "action": "days"}
    await owner.http.get(path)
    moved = await owner.send(path, {**days, "instead": "added"})
    found = f"{path}?first_day=2099-02-01&last_day=2099-03-15&instead=added"
    assert moved.headers["location"] == found  # so that “Back” shows it again
    page = await owner.http.get(found)
    assert page.status_code == 200
    assert 'value="2" checked' in page.text
    assert 'value="3" checked' in page.text
    assert 'value="4" checked' not in page.text
    assert "Nothing has been changed yet." in words(page)
    assert await statuses(acme, sub["id"]) == dict.fromkeys(range(1, 5), OPEN)
    await skip(owner, sub["id"], 2, 3)
    assert await statuses(acme, sub["id"]) == dict.fromkeys((1, 4), OPEN)
    days = {"first_day": "2101-01-01", "last_day": "2101-12-31"}
    later = await owner.send(path, {**days, "action": "days"})
    assert "which this subscription does not have" in words(later)
    again = await owner.http.get(path, params=days)
    assert "which this subscription does not have" in words(again)
    assert 'value="2099-' not in (await owner.http.get(f"{path}?first_day=x")).text


async def test_the_button_that_skips_is_the_last_one(owner: Person, acme: Cast) -> None:
    await make_issues(acme, 1, 4)
    sub = await make_subscription(acme, length=4)
    page = await owner.text("subscriptions", sub["id"], "skip")
    form = page.partition('name="first_day"')[2].partition("</form>")[0]
    assert re.findall(r"<button[^>]*>([^<]+)", form) == [
        "Tick the issues of these days",
        "Skip these issues",
    ]


async def test_issues_that_are_out_or_in_a_run_stay(owner: Person, acme: Cast) -> None:
    await make_issue(acme, 1, release_date_actual="2020-01-01")
    [second, *_] = await make_issues(acme, 2, 4)
    sub = await make_subscription(acme, length=4)
    await make_dispatch(acme, second["id"])
    await mark(acme, sub["id"], 4)
    for numbers, text in (
        ([1], "Issue 1 is out, so it cannot be skipped."),
        (
            [2],
            "issue 2 is in mailing 1 of that issue, which is prepared. Discard that mailing first",
        ),
        ([3, 4], "issue 4 was sent, so the issue cannot be skipped."),
        ([5], "has the issues 1 to 4, so issue 5 cannot be skipped."),
        ([], "Choose the issues to skip."),
    ):
        response = await skip(owner, sub["id"], *numbers)
        assert response.status_code == 400
        assert text in words(response)
    page = (await owner.http.get(owner.address("subscriptions", sub["id"], "skip"))).text
    assert [number for number in range(1, 6) if f'value="{number}"' in page] == [3]
    assert (await shown(acme, sub["id"]))["issue_list"] == [1, 2, 3, 4]


async def test_a_copy_that_a_report_is_about_stays(owner: Person, acme: Cast) -> None:
    [issue, _] = await make_issues(acme, 1, 2)
    sub = await make_subscription(acme, length=2)
    run = await make_dispatch(acme, issue["id"])
    await acme.post(f"/v1/dispatches/{run['id']}/mark-sent/", {"date": "2026-02-01"})
    await make_delivery_report(acme, sub["id"])
    opened = owner.address("dispatches", run["id"])
    await owner.send(owner.address("dispatches", run["id"], "undo"), opened=opened)
    await owner.send(owner.address("dispatches", run["id"], "discard"))
    response = await skip(owner, sub["id"], 1)
    assert "There is a claim or a delivery report about the copy of issue 1" in words(response)


async def test_memberships_and_ended_subscriptions_have_no_issue_to_skip(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    member = await make_membership(acme)
    ended = await make_subscription(acme)
    await cancel(acme, ended["id"])
    for id, text in ((member["id"], "paid for months"), (ended["id"], "Reopen it first")):
        assert text in words(await owner.http.get(owner.address("subscriptions", id, "skip")))
        assert text in words(
            await owner.send(
                owner.address("subscriptions", id, "skip"), {"issues": "1", "instead": "added"}
            )
        )


async def test_skip_issues_of_a_membership_says_what_there_is_instead(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    member = await make_membership(acme)
    skip = owner.address("subscriptions", member["id"], "skip")
    for path in (("subscriptions", member["id"]), ("subscribers", member["subscriber"]["id"])):
        [entry] = re.findall(rf'<li><a href="{skip}"[^>]*>([^<]*)</a>', await owner.text(*path))
        assert entry == "Skip issues"
    page = await owner.text("subscriptions", member["id"], "skip")
    for instead in (
        owner.address("subscribers", member["subscriber"]["id"], "address"),
        owner.address("subscriptions", member["id"], "hold"),
        owner.address("subscriptions", member["id"], "refund"),
    ):
        assert f'href="{instead}"' in page
        assert (await owner.http.get(instead)).is_success


async def test_the_entry_says_that_no_issue_is_left_to_skip(owner: Person, acme: Cast) -> None:
    await make_issue(acme, 1, release_date_actual="2026-01-01")
    made = await make_subscription(acme, start_issue=1, length=1)
    skip = owner.address("subscriptions", made["id"], "skip")
    for path in (("subscriptions", made["id"]), ("subscribers", made["subscriber"]["id"])):
        [entry] = re.findall(rf'<a href="{skip}"[^>]*>([^<]*)</a>', await owner.text(*path))
        assert entry == "Skip issues: none is left"


async def test_the_page_that_holds_copies_leads_to_skipping(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme)
    page = await owner.text("subscriptions", made["id"], "hold")
    assert owner.address("subscriptions", made["id"], "skip") in page


async def test_an_issue_that_is_created_later_adds_no_copy(owner: Person, acme: Cast) -> None:
    await make_issue(acme, 1)
    sub = await make_subscription(acme, length=2)
    await skip(owner, sub["id"], 2)
    await make_issues(acme, 2, 3)
    assert await statuses(acme, sub["id"]) == dict.fromkeys((1, 3), OPEN)
    assert await faults(acme) == []


@pytest.mark.parametrize("field, value", [("start_issue", "2"), ("length", "2")])
async def test_other_terms_do_not_lose_a_skipped_issue(
    owner: Person, acme: Cast, field: str, value: str
) -> None:
    await make_issues(acme, 1, 3)
    sub = await make_subscription(acme, length=3)
    await skip(owner, sub["id"], 3)
    path = owner.address("subscriptions", sub["id"], "terms")
    await owner.http.get(path)
    response = await owner.send(path, {field: value})
    assert "Issue 3 is skipped. Take that back first" in words(response)


async def test_a_renewal_follows_the_added_issue(owner: Person, acme: Cast) -> None:
    await make_issues(acme, 1, 6)
    sub = await make_subscription(acme, length=2)
    await skip(owner, sub["id"], 2)
    body = {
        "source": acme.shop,
        "order_id": "again",
        "order_date": "2026-01-01",
        "length": 2,
        "price": "20.00",
    }
    made(await acme.post(f"/v1/subscriptions/{sub['id']}/renewals/", body))
    periods = [each["issue_list"] for each in (await shown(acme, sub["id"]))["periods"]]
    assert periods == [[1, 3], [4, 5]]
    await skip(owner, sub["id"], 3)
    periods = [each["issue_list"] for each in (await shown(acme, sub["id"]))["periods"]]
    assert periods == [[1, 4], [5, 6]]
    assert await faults(acme) == []


async def test_copies_that_were_ordered_together_skip_together(owner: Person, acme: Cast) -> None:
    await make_issues(acme, 1, 3)
    *ids, complete = await make_bundle(acme, 3)
    await mark(acme, complete, 1, 2)
    await skip(owner, ids[1], 2)
    assert await statuses(acme, complete) == {1: "Sent", 2: "Sent"}
    for id in ids:
        assert await statuses(acme, id) == dict.fromkeys((1, 3), OPEN)
    page = words(await owner.text("subscriptions", ids[1]))
    assert "This is for all 2 copies for this address." in page
    await owner.post(owner.address("subscriptions", ids[0], "skip"), {"take_back": "2"})
    for id in ids:
        assert await statuses(acme, id) == dict.fromkeys((1, 2), OPEN)


async def test_a_forecast_and_a_run_leave_skipped_copies_out(owner: Person, acme: Cast) -> None:
    await make_issues(acme, 1, 3)
    for place in range(3):
        sub = await make_subscription(acme, length=4)
        if place:
            await skip(owner, sub["id"], 3, 4)
    async with acme.db.read() as db:
        coming = await list_coming_issues(db, acme.account_id, date(2026, 1, 1))
        runs = await list_print_runs(db, acme.account_id, coming)
    copies = {run.number: sum(part.copies for part in run.parts) for run in runs}
    assert copies == {1: 3, 2: 3, 3: 1, 4: 1, 5: 2, 6: 2} | {n: 0 for n in copies if n > 6}
    assert await faults(acme) == []


async def test_users_without_the_right_to_money_cannot_let_it_go_back(
    db: Database, owner: Person, staff: Person, acme: Cast
) -> None:
    await make_issues(acme, 1, 3)
    sub = await make_subscription(acme, length=2)
    await give(db, acme, staff, frozenset({Right.CORRECT}))
    page = await staff.text("subscriptions", sub["id"], "skip")
    assert "credited" not in page
    response = await skip(staff, sub["id"], 2, instead="credited")
    assert "Choose one more issue at the end." in words(response)
    assert (await skip(staff, sub["id"], 2)).status_code == 303
    paid = await make_subscription(acme, length=2, price="10.00")
    await skip(owner, paid["id"], 2, instead="credited")
    assert "Include again" not in words(await staff.text("subscriptions", paid["id"]))
    path = staff.address("subscriptions", paid["id"], "skip")
    refusal = await staff.post(path, {"take_back": "2"})
    assert "only users who see money include it again" in words(refusal)
    assert (await shown(acme, paid["id"]))["refunded"] == "5.00"
