"""The pages about what happened."""

import re

import pytest

from tests.conftest import Cast
from tests.support.factories import copies_of, make_issue, make_subscription
from tests.web.conftest import Person


async def test_each_record_has_its_history(acme: Cast, owner: Person) -> None:
    issue = await make_issue(acme)
    made = await make_subscription(acme, length=1, last_name="Byron")
    [copy] = await copies_of(acme, made["id"])
    await acme.post(f"/v1/copies/{copy['id']}/mark-sent/", {})
    subscriber = made["subscriber"]["id"]
    for part, id, title in (
        ("subscribers", subscriber, "Ada Byron"),
        ("subscriptions", made["id"], "Subscription of Ada Byron"),
        ("issues", issue["id"], "Issue 1"),
    ):
        page = await owner.text(part, id, "history")
        assert f"History: {title}" in page
        assert "Copy of issue 1 marked as sent" in page
        assert f'href="{owner.address(part, id)}"' in page
        assert "API key" in page


async def test_a_group_leads_to_its_entries_in_the_log(acme: Cast, owner: Person) -> None:
    issue = await make_issue(acme)
    ids = [
        (await copies_of(acme, (await make_subscription(acme, length=1))["id"]))[0]["id"]
        for _ in range(3)
    ]
    await acme.post("/v1/copies/mark-sent/", {"ids": ids})
    for parts in (("issues", issue["id"]), ("subscriptions", (await first(acme)))):
        page = await owner.text(*parts, "history")
        links = re.findall(r'href="([^"]+/settings/log/[^"]+)"', page)
        assert links
        for link in links:
            log = (await owner.http.get(link.replace("&amp;", "&"))).text
            assert "No entries match these filters." not in log


async def first(acme: Cast) -> str:
    found = (await acme.get("/v1/subscriptions/")).json()
    return str(found["items"][0]["id"])


async def test_staff_cannot_see_the_log(acme: Cast, staff: Person) -> None:
    issue = await make_issue(acme)
    page = await staff.text("issues", issue["id"], "history")
    assert "Issue created" in page
    assert "/settings/log/" not in page


async def test_a_long_history_has_a_next_page(acme: Cast, owner: Person) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, length=1)
    for number in range(60):
        await acme.patch(f"/v1/subscriptions/{made['id']}/", {"city": f"Town {number}"})
    page = await owner.text("subscriptions", made["id"], "history")
    following = re.search(r'href="([^"]+)" rel="next"', page)
    assert following
    second = (await owner.http.get(following[1])).text
    assert "Subscription ordered" in second
    assert "First page" in second


@pytest.mark.parametrize("part", ["subscribers", "subscriptions", "issues"])
async def test_unknown_records_and_other_accounts_are_not_found(
    acme: Cast, rival: Cast, owner: Person, part: str
) -> None:
    issue = await make_issue(rival)
    made = await make_subscription(rival)
    ids = {
        "subscribers": made["subscriber"]["id"],
        "subscriptions": made["id"],
        "issues": issue["id"],
    }
    for id in (ids[part], "0"):
        assert (await owner.see(part, id, "history")).status_code == 404


async def test_an_empty_page_says_so(acme: Cast, owner: Person) -> None:
    issue = await make_issue(acme)
    assert "Nothing is recorded here." in await owner.text(
        "issues", issue["id"], "history", before="1"
    )


async def test_several_records_lead_to_their_event_type_in_the_log(
    acme: Cast, owner: Person
) -> None:
    await make_issue(acme)
    made = [await make_subscription(acme, email="ada@example.test") for _ in range(2)]
    page = await owner.text("subscribers", made[0]["subscriber"]["id"], "history")
    assert "2 subscriptions ordered" in page
    [link] = re.findall(r'href="([^"]+/settings/log/[^"]+)"', page)
    assert "action=subscription.create" in link
