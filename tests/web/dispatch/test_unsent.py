"""Copies of earlier issues that are not sent are on Home and on the list of runs."""

from datetime import date

from masthead.store.issues import records as issues
from tests.conftest import Cast
from tests.support.factories import make_delivery_report, make_issue, make_subscription
from tests.web.conftest import Person
from tests.web.dispatch.test_runs import follow, freeze
from tests.web.reports.test_home import words


async def test_unsent_copies_of_earlier_issues_are_due(acme: Cast, owner: Person) -> None:
    early = await make_issue(acme, 1, name="Estuary", release_date_actual="2025-01-01")
    await make_issue(acme, 2)  # without a date, before the current issue
    await make_issue(acme, 3, date_as_start_issue="2026-01-01")
    await make_issue(acme, 4)
    await make_issue(acme, 5, release_date_actual="2099-01-01")
    for start in (1, 1, 2):
        await make_subscription(acme, start_issue=start, length=5)
    for page in (words(await owner.text()), words(await owner.text("dispatches"))):
        assert "3 copies of issue 2 can be sent 2 copies of issue 1, Estuary can be sent" in page
        assert "copies of issue 3" not in page  # the current issue has its own steps
        assert "copies of issue 4" not in page
        assert "copies of issue 5" not in page
    assert owner.address("issues", early["id"], "dispatch") in await owner.text("dispatches")


async def test_copies_in_runs_sent_or_on_hold_are_not_due_again(acme: Cast, owner: Person) -> None:
    old = await make_issue(acme, 1, release_date_actual="2025-01-01")
    current = await make_issue(acme, 2, date_as_start_issue="2026-01-01")
    held = await make_subscription(acme, start_issue=1, length=2)
    await make_delivery_report(acme, held["id"])
    assert "can be sent" not in words(await owner.text("dispatches"))
    await make_subscription(acme, start_issue=1, length=2)
    assert "1 copy of issue 1 can be sent" in words(await owner.text("dispatches"))
    for issue in (old, current):
        await follow(owner, await freeze(owner, issue), "mark", {})
    assert "can be sent" not in words(await owner.text("dispatches"))


async def test_all_issues_count_also_those_that_are_not_listed(acme: Cast, owner: Person) -> None:
    for number in range(1, 14):
        await make_issue(acme, number, date_as_start_issue=f"2025-01-{number:02}")
    for start in (1, 2):
        await make_subscription(acme, start_issue=start, length=13)
    for page in (words(await owner.text()), words(await owner.text("dispatches"))):
        assert "23 copies of 12 issues that are out can be sent" in page
        assert "of earlier issues" not in page  # the same copies are named once
        assert "2 copies of issue 12 can be sent" in page
        assert "2 copies of issue 3 can be sent 3 copies of 2 older issues" in page


async def test_without_a_current_issue_released_issues_count(acme: Cast, owner: Person) -> None:
    for number in (1, 2, 3, 4):
        await make_issue(acme, number, release_date_actual=f"2025-0{number}-01")
    await make_subscription(acme, start_issue=1, length=4)
    page = words(await owner.text("dispatches"))
    assert "1 copy of issue 3 can be sent 1 copy of issue 2 can be sent" in page
    found = await issues.list_all_released(
        acme.db, acme.account_id, today=date(2025, 3, 1), current=0
    )
    assert [each.issue_number for each in found] == [3, 2, 1]
