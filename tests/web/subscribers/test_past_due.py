"""A subscriber whose subscription is past due is not called active."""

import pytest

from tests.conftest import Cast
from tests.support.factories import import_row, make_issues
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
