"""The list of subscribers, and the page of a subscriber with the issues they got."""

import re

import httpx
import pytest

from tests.conftest import Cast
from tests.support.cases import for_each
from tests.support.factories import (
    copies_of,
    import_row,
    make_issue,
    make_issues,
    make_membership,
    make_subscription,
)
from tests.web.conftest import Person

HOSTILE = [
    "=cmd()",
    "<script>alert(1)</script>",
    "שלום עולם",
    "M" * 255,
    "{{ 7654321 * 7 }}",
    "' onfocus='x",
]


def words(response: httpx.Response | str) -> str:
    """The text of a page, without its markup."""
    page = response if isinstance(response, str) else response.text
    plain = re.sub(r"<[^>]+>", "", page.partition("<main")[2])
    return " ".join(plain.replace("&#39;", "'").replace("&amp;", "&").split())


async def make_subscriber(cast: Cast, **fields: object) -> str:
    """The ID of the subscriber of a new subscription."""
    subscription = await make_subscription(cast, **fields)
    return str(subscription["subscriber"]["id"])


async def test_an_empty_list_offers_to_add_a_subscription(owner: Person) -> None:
    page = await owner.text("subscribers")
    assert "There are no subscribers yet" in page
    for place, label in (
        ("subscriptions/new", "Add a subscription"),
        ("imports/new", "Import a file"),
    ):
        assert page.count(f'href="{owner.address(*place.split("/"))}"') == page.count(label) == 1


async def test_subscribers_are_listed_and_searched(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    await make_subscriber(acme, first_name="Ada", last_name="Byron", email="ada@example.test")
    await make_subscriber(acme, first_name="Zoë")
    everyone = words(await owner.text("subscribers"))
    assert "Ada Byron" in everyone
    assert "no email" in everyone
    assert "placeholder" not in everyone
    found = await owner.text("subscribers", search="zoe")
    assert "Zoë" in found
    assert "Ada Byron" not in found
    assert 'value="zoe"' in found
    none = words(await owner.text("subscribers", search="nobody"))
    assert "No subscribers match “nobody”" in none
    assert "Show all subscribers Add a subscription for “nobody”" in none


async def test_the_search_of_each_page_opens_the_only_match(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    ada = await make_subscriber(acme, first_name="Ada", last_name="Byron")
    await make_subscriber(acme, first_name="Zoë", last_name="Byron")
    opened = await owner.see("subscribers", search="ada", open="one")
    assert opened.headers["location"] == owner.address("subscribers", ada)
    for search in ("byron", "adda", "nobody"):  # two match; one is similar; none
        assert (await owner.see("subscribers", search=search, open="one")).status_code == 200
    assert (await owner.see("subscribers", search="ada")).status_code == 200


async def test_typing_in_a_search_field_replaces_only_the_rows(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    await make_subscriber(acme, first_name="Ada")
    headers = {"HX-Request": "true", "HX-Target": "results"}
    for noun in ("subscribers", "subscriptions"):
        answer = await owner.http.get(owner.address(noun), params={"search": "a"}, headers=headers)
        assert "Ada" in answer.text
        assert "<html" not in answer.text
        assert '<form class="filters"' not in answer.text


async def test_the_page_of_a_subscriber_shows_their_address_and_active_subscriptions(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    who = {"email": "ada@example.test", "address1": "1 Mill Lane", "city": "Ulm"}
    id = await make_subscriber(acme, **who, company="Acme & Sons")
    text = words(await owner.text("subscribers", id))
    assert "Print, issues 1–4, €42.00, ordered" in text
    assert "Acme & Sons1 Mill LaneULM" in text
    assert "Active subscriber" in text
    assert "Active · Source: " in text
    assert "Added on" in text
    assert "Subscriptions 1, active" in text
    [first] = await subscriptions(acme)
    await acme.post(f"/v1/subscriptions/{first['id']}/cancel/", {"mode": "cancel"})
    assert "Subscriptions 1, ended" in words(await owner.text("subscribers", id))
    await make_subscriber(acme, **who)
    text = words(await owner.text("subscribers", id))
    assert "Subscriptions 2, active" in text
    assert "2, active" in words(await owner.text("subscribers"))


async def test_the_page_of_a_subscriber_leads_to_the_correction_of_an_email(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme)
    page = await owner.text("subscribers", id)
    assert f'href="{owner.address("subscribers", id, "edit")}"' in page
    assert "Correct name or email" in words(page)
    [newest] = await subscriptions(acme)
    assert f'href="{owner.address("subscriptions", newest["id"], "edit")}"' in page


async def test_a_search_that_is_too_long_is_refused_and_stays_in_its_field(owner: Person) -> None:
    for noun in ("subscribers", "subscriptions"):
        response = await owner.see(noun, search="x" * 256)
        assert response.status_code == 400
        assert "at most 255 characters" in response.text
        assert "x" * 256 in response.text


async def test_long_lists_are_paginated(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    for number in range(52):
        await make_subscriber(acme, first_name=f"Reader{number:02}")
    for noun in ("subscribers", "subscriptions"):
        first = await owner.text(noun, search="subscriber")
        [following] = re.findall(r'<a href="([^"]+)" rel="next"', first)
        second = (await owner.http.get(following.replace("&amp;", "&"))).text
        assert "First page" in second
        assert 'rel="next"' not in second
        names = [set(re.findall(r"Reader\d\d", page)) for page in (first, second)]
        assert [len(each) for each in names] == [50, 2]
        assert not names[0] & names[1]


@for_each("noun", ["subscribers", "subscriptions"])
@for_each("cursor", ["x", "AAAA"])
async def test_a_tampered_cursor_is_refused(owner: Person, noun: str, cursor: str) -> None:
    assert (await owner.see(noun, cursor=cursor)).status_code == 400


async def test_a_sent_issue_shows_its_date(owner: Person, acme: Cast) -> None:
    await make_issues(acme, 1, 2)
    id = await make_subscriber(acme, start_issue=1, length=2)
    [first, second] = await copies_of(acme, (await subscriptions(acme))[0]["id"])
    await acme.post("/v1/copies/mark-sent/", {"ids": [first["id"]], "date": "2026-05-03"})
    await acme.post("/v1/copies/mark-sent/", {"ids": [second["id"]]})
    text = words(await owner.text("subscribers", id))
    assert "Issue 1 Sent on 3 May 2026" in text
    assert "Issue 2 Sent, no date recorded" in text


async def subscriptions(cast: Cast) -> list[dict[str, str]]:
    """All subscriptions of the account, newest first."""
    items: list[dict[str, str]] = (await cast.get("/v1/subscriptions/")).json()["items"]
    return items


async def test_a_cancelled_issue_shows_when_and_by_which_user(owner: Person, acme: Cast) -> None:
    await make_issues(acme, 11, 12)
    id = await make_subscriber(acme, start_issue=11, length=4)
    [subscription] = await subscriptions(acme)
    path = owner.address("subscriptions", subscription["id"], "cancel")
    assert (await owner.send(path, {"reason": "other"})).status_code == 303
    await make_issue(acme, 13)
    text = words(await owner.text("subscribers", id))
    today = re.search(
        r"Issue 12 Not sent: the subscription was cancelled on (\d+ \w+ \d{4}) by", text
    )
    assert today, text
    cancelled = f"the subscription was cancelled on {today[1]} by {owner.email}"
    assert f"Issue 12 Not sent: {cancelled}" in text
    assert f"Issue 13 Not included: {cancelled}, before the issue was created" in text
    answer = words(await owner.text("subscribers", id, issue="10"))
    assert "Issue 10 Not included: the subscription starts with issue 11" in answer
    assert "(ordered on 15 January 2026)" in answer


async def test_a_subscription_imported_as_cancelled_is_shown_as_imported(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    row = await import_row(acme, start_issue="1", length="2", status="Cancelled")
    text = words(await owner.text("subscribers", row["subscriber"]["id"]))
    expected = r"Not sent: the subscription was imported as cancelled on .* by masthead tests"
    assert re.search(expected, text)


@pytest.mark.parametrize(
    "fields, text",
    [
        ({"length": 1}, "the subscription ends with issue 1"),
        ({"length": 1, "is_recurring": True}, "ends with issue 1; it has not been renewed yet"),
        ({"start_issue": 3}, "starts with issue 3 (ordered on 15 January 2026)"),
        ({"length": 2}, "Not sent yet: the issue has no release date yet"),
    ],
)
async def test_an_issue_without_a_sent_copy_has_a_reason(
    owner: Person, acme: Cast, fields: dict[str, object], text: str
) -> None:
    await make_issues(acme, 1, 3)
    id = await make_subscriber(acme, **fields)
    assert text in words(await owner.text("subscribers", id, issue="2"))


async def test_the_reason_names_stopped_renewals_and_cancellations(
    owner: Person, acme: Cast
) -> None:
    await make_issues(acme, 1, 2)
    for mode, text in (
        ("stop_renewals", "ends with issue 1; its renewals were stopped on"),
        ("cancel", "ended with issue 1; it was cancelled on"),
    ):
        id = await make_subscriber(acme, length=1, is_recurring=True)
        [newest, *_] = await subscriptions(acme)
        await acme.post(f"/v1/subscriptions/{newest['id']}/cancel/", {"mode": mode})
        page = words(await owner.text("subscribers", id, issue="2"))
        assert text in page


async def test_the_end_of_a_complete_subscription_is_over(owner: Person, acme: Cast) -> None:
    await make_issues(acme, 1, 2)
    row = await import_row(acme, start_issue="1", length="1", sent_issues="1")
    text = words(await owner.text("subscribers", row["subscriber"]["id"], issue="2"))
    assert "Not included: the subscription ended with issue 1" in text


async def test_a_membership_shows_whether_the_release_date_was_paid(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme, 1, release_date_actual="2098-01-01")
    await make_issue(acme, 2, release_date_actual="2100-01-01")
    await make_issue(acme, 3)
    await make_issue(acme, 4, release_date_actual="2101-06-01")
    member = await make_membership(acme, order_id="M-1", is_recurring="yes")
    renewal = {"period_start": "2101-01-01", "period_end": "2101-03-31", "interval_months": "3"}
    await import_row(acme, renews="M-1", **renewal)
    text = words(await owner.text("subscribers", member["subscriber"]["id"]))
    assert "begins on 1 January 2099, after the release date, 1 January 2098" in text
    assert "was not paid on the release date, 1 January 2100" in text
    assert "is paid until 31 March 2101, before the release date, 1 June 2101" in text
    assert "the issue has no release date" in text


async def test_why_a_copy_is_not_sent_is_told_at_length_for_three_issues(
    owner: Person, acme: Cast
) -> None:
    for number in range(1, 6):
        await make_issue(acme, number, release_date_actual=f"2026-01-0{number}")
    id = await make_subscriber(acme, length=5)
    text = words(await owner.text("subscribers", id))
    assert text.count("is in no mailing yet. It is in the next one. Prepare the next mailing") == 3
    assert text.count("Not sent yet: in no mailing") == 2


async def test_a_copy_to_send_shows_when_its_issue_comes_out(owner: Person, acme: Cast) -> None:
    await make_issue(acme, 1, release_date_actual="2026-01-05")
    await make_issue(acme, 2, release_date_actual="2099-01-05")
    id = await make_subscriber(acme, length=3)
    text = words(await owner.text("subscribers", id, issue="3"))
    assert "Not yet: issue 1 for Ada is in no mailing yet. It is in the next one." in text
    assert "Not sent yet: the issue comes out on 5 January 2099" in text
    assert (
        "Issue 3 Upcoming: included in the subscription, but the issue has not been created yet"
        in text
    )


@pytest.mark.parametrize("typed", ["eleven", "1.5", "-1", "9" * 30, "１１"])
async def test_an_invalid_issue_number_is_refused_and_stays_in_its_field(
    owner: Person, acme: Cast, typed: str
) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme)
    response = await owner.see("subscribers", id, issue=typed)
    assert response.status_code == 400
    assert "expected a number such as 11" in response.text
    assert f'value="{typed}"' in response.text


async def test_many_issues_are_paginated(owner: Person, acme: Cast) -> None:
    await make_issues(acme, 1, 30)
    id = await make_subscriber(acme, length=1000)
    first = await owner.text("subscribers", id)
    assert first.count('<tr id="issue-') == 24
    assert "Show issues before issue 7" in first
    assert (await owner.text("subscribers", id, before="7")).count('<tr id="issue-') == 6
    assert "There are no earlier issues." in await owner.text("subscribers", id, before="1")


async def test_the_history_shows_who_made_each_change(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme)
    [subscription] = await subscriptions(acme)
    path = owner.address("subscriptions", subscription["id"], "edit")
    for number in range(25):
        await owner.send(path, {"notes": f"Ulm {number}"})
    page = await owner.text("subscribers", id)
    assert f"Notes changed {owner.email}" in words(page)
    [before] = re.findall(r'<a href="([^"]+)">Older changes', page)
    assert "Ordered API key" in words(await owner.http.get(before.replace("&amp;", "&")))


async def test_the_page_of_a_subscriber_links_to_all_their_subscriptions(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    id = ""
    for _ in range(21):
        id = await make_subscriber(acme, email="ada@example.test")
    page = await owner.text("subscribers", id)
    assert page.count('data-status="Active"') == 20
    [more] = re.findall(r'<a href="([^"]+)">Show all 21 subscriptions', page)
    listed = await owner.http.get(more)
    assert listed.text.count('data-status="Active"') == 21
    assert "Only the subscriptions of" in words(listed)


@pytest.mark.parametrize("name", HOSTILE, ids=lambda name: name[:12])
async def test_any_name_is_escaped(owner: Person, acme: Cast, name: str) -> None:
    await make_issue(acme)
    id = await make_subscriber(
        acme, first_name=name, last_name=None, city=name, notes=name, company=name
    )
    [subscription] = await subscriptions(acme)
    pages = [
        await owner.text("subscribers"),
        await owner.text("subscribers", search=name),
        await owner.text("subscribers", id),
        await owner.text("subscriptions"),
        await owner.text("subscriptions", subscription["id"]),
        await owner.text("subscriptions", subscription["id"], "edit"),
        await owner.text("subscriptions", subscription["id"], "cancel"),
        await owner.text("subscriptions", "new", subscriber=id),
    ]
    from_markup = name.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    for page in pages:
        assert from_markup.replace("'", "&#39;") in page
        assert "<script>alert" not in page
        assert "53580247" not in page


@pytest.mark.parametrize(
    "parts", [("subscribers",), ("subscriptions",), ("subscriptions", "edit")], ids=str
)
async def test_records_of_another_account_are_not_found(
    owner: Person, outsider: Person, acme: Cast, rival: Cast, parts: tuple[str, ...]
) -> None:
    await make_issue(rival)
    other = await make_subscription(rival)
    ids = {"subscribers": other["subscriber"]["id"], "subscriptions": other["id"]}
    noun, *rest = parts
    for id in (ids[noun], ids[noun][:-1], "x", "%00", "'", "0" * 31, ids[noun].lower()):
        assert (await owner.see(noun, id, *rest)).status_code == 404
    assert (await owner.see(noun, search="\0")).status_code == 404
    assert (await outsider.see(noun, ids[noun], *rest)).status_code == 404


async def test_a_search_shows_what_tells_callers_apart(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    address = {"address1": "Mill Lane 4", "postcode": "10115", "city": "Berlin"}
    id = await make_subscriber(acme, first_name="Ada", last_name="Schmidt", **address)
    exact = words(await owner.text("subscribers", search="schmidt"))
    for part in ("Mill Lane 4", "10115 Berlin, Germany", "1, active"):
        assert part in exact
    assert id not in exact
    assert "Similar spelling" not in exact
    similar = words(await owner.text("subscribers", search="schmitt"))
    assert "No subscriber matches “schmitt” exactly." in similar
    assert similar.index("Similar spelling") < similar.index("Mill Lane 4")


EMAIL = "a&b@post.test"


async def test_suggestions_are_options(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    id = await make_subscriber(
        acme, first_name="<Ada>", last_name="Schmidt", city="Ulm", email=EMAIL
    )
    page = await owner.text("subscribers", "suggestions", search="Schmitt")
    assert page.count('role="option"') == 2  # with the line that says that they are similar
    assert page.count("data-address") == 1
    assert f'data-address="{owner.address("subscribers", id)}"' in page
    assert "&lt;Ada&gt; Schmidt" in page
    assert "a&amp;b<wbr>@post.<wbr>test" in page  # where it may break
    assert id not in words(page)
    assert "<main" not in page
    assert "No subscriber matches." in await owner.text("subscribers", "suggestions", search="x!")
    assert 'role="option"' in await owner.text("subscribers", "suggestions", search="a" * 300)
