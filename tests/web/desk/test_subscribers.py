"""Subscribers at the desk: found as one types, and a page that says what they got and why."""

import re

import httpx
import pytest

from tests.conftest import Cast
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
    "\u202egnirts",
    "M" * 255,
    "{{ 7654321 * 7 }}",
    "' onfocus='x",
]


def words(response: httpx.Response | str) -> str:
    """What a page says, without its markup."""
    page = response if isinstance(response, str) else response.text
    plain = re.sub(r"<[^>]+>", "", page.partition("<main")[2])
    return " ".join(plain.replace("&#39;", "'").replace("&amp;", "&").split())


async def made(cast: Cast, **fields: object) -> str:
    """The id of a new subscriber, of issue 1 on."""
    subscription = await make_subscription(cast, **fields)
    return str(subscription["subscriber"]["id"])


async def test_an_empty_list_says_what_to_do_with_one_button(owner: Person) -> None:
    page = await owner.text("subscribers")
    assert "There are no subscribers yet" in page
    assert page.count('role="button"') == 1
    assert f'href="{owner.address("subscriptions", "new")}"' in page


async def test_subscribers_are_listed_and_searched_at_an_address_to_share(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    await made(acme, first_name="Ada", last_name="Byron", email="ada@example.test")
    await made(acme, first_name="Zoë")
    everybody = words(await owner.text("subscribers"))
    assert "Ada Byron" in everybody
    assert "no e-mail" in everybody
    assert "placeholder" not in everybody
    found = await owner.text("subscribers", search="zoe")
    assert "Zoë" in found
    assert "Ada Byron" not in found
    assert 'value="zoe"' in found
    none = words(await owner.text("subscribers", search="nobody"))
    assert "Nobody is found by “nobody”" in none


async def test_a_list_answers_typing_with_its_rows_alone(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    await made(acme, first_name="Ada")
    headers = {"HX-Request": "true", "HX-Target": "results"}
    for noun in ("subscribers", "subscriptions"):
        answer = await owner.http.get(owner.address(noun), params={"search": "a"}, headers=headers)
        assert "Ada" in answer.text
        assert "<html" not in answer.text
        assert "<form" not in answer.text


async def test_a_subscribers_page_says_where_they_live_and_what_has_ended(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    who = {"email": "ada@example.test", "address1": "1 Mill Lane", "city": "Ulm"}
    id = await made(acme, **who, company="Acme & Sons")
    told = words(await owner.text("subscribers", id))
    assert "Newest address Acme & Sons, 1 Mill Lane, Ulm, Germany" in told
    assert "In masthead since" in told
    assert "Subscriptions 1, not ended" in told
    [first] = await subscriptions(acme)
    await acme.post(f"/v1/subscriptions/{first['id']}/cancel/", {"mode": "cancel"})
    assert "Subscriptions 1, ended" in words(await owner.text("subscribers", id))
    await made(acme, **who)
    told = words(await owner.text("subscribers", id))
    assert "Subscriptions 2, not all ended" in told
    assert "2, not all ended" in words(await owner.text("subscribers"))


async def test_a_subscribers_page_says_how_a_wrong_e_mail_is_put_right(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    page = await owner.text("subscribers", await made(acme))
    assert "stay as the first order gave them" in words(page)
    [newest] = await subscriptions(acme)
    assert f'href="{owner.address("subscriptions", newest["id"], "edit")}"' in page


async def test_a_search_that_is_too_long_is_told_and_kept(owner: Person) -> None:
    for noun in ("subscribers", "subscriptions"):
        response = await owner.see(noun, search="x" * 256)
        assert response.status_code == 400
        assert "at most 255 characters" in response.text
        assert "x" * 256 in response.text


async def test_long_lists_are_walked_page_by_page(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    for number in range(52):
        await made(acme, first_name=f"Reader{number:02}")
    for noun in ("subscribers", "subscriptions"):
        first = await owner.text(noun, search="reader")
        [following] = re.findall(r'<a href="([^"]+)" rel="next"', first)
        second = (await owner.http.get(following.replace("&amp;", "&"))).text
        assert "First page" in second
        assert 'rel="next"' not in second
        names = [set(re.findall(r"Reader\d\d", page)) for page in (first, second)]
        assert [len(each) for each in names] == [50, 2]
        assert not names[0] & names[1]


@pytest.mark.parametrize("noun", ["subscribers", "subscriptions"])
@pytest.mark.parametrize("cursor", ["x", "AAAA"])
async def test_a_tampered_cursor_is_refused(owner: Person, noun: str, cursor: str) -> None:
    assert (await owner.see(noun, cursor=cursor)).status_code == 400


async def test_an_issue_that_went_out_says_when(owner: Person, acme: Cast) -> None:
    await make_issues(acme, 1, 2)
    id = await made(acme, start_issue=1, length=2)
    [first, second] = await copies_of(acme, (await subscriptions(acme))[0]["id"])
    await acme.post("/v1/copies/mark-sent/", {"ids": [first["id"]], "date": "2026-05-03"})
    await acme.post("/v1/copies/mark-sent/", {"ids": [second["id"]]})
    told = words(await owner.text("subscribers", id))
    assert "Issue 1 — sent 3 May 2026" in told
    assert "Issue 2 — sent, on a day that was not noted" in told


async def subscriptions(cast: Cast) -> list[dict[str, str]]:
    """All of the account, newest first."""
    items: list[dict[str, str]] = (await cast.get("/v1/subscriptions/")).json()["items"]
    return items


async def test_an_issue_that_was_cancelled_says_when_and_by_whom(owner: Person, acme: Cast) -> None:
    await make_issues(acme, 11, 12)
    id = await made(acme, start_issue=11, length=4)
    [subscription] = await subscriptions(acme)
    path = owner.address("subscriptions", subscription["id"], "cancel")
    assert (await owner.send(path)).status_code == 303
    await make_issue(acme, 13)
    told = words(await owner.text("subscribers", id))
    today = re.search(r"Issue 12 — not sent: subscription cancelled (\d+ \w+ \d{4}) by", told)
    assert today, told
    assert f"Issue 12 — not sent: subscription cancelled {today[1]} by {owner.email}" in told
    assert f"Issue 13 — not included: subscription cancelled {today[1]} by {owner.email}" in told
    asked = words(await owner.text("subscribers", id, issue="10"))
    assert "Issue 10 — not included: subscription starts with issue 11" in asked
    assert "(ordered 15 January 2026)" in asked


async def test_an_import_that_came_cancelled_says_so(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    row = await import_row(acme, start_issue="1", length="2", status="Cancelled")
    told = words(await owner.text("subscribers", row["subscriber"]["id"]))
    assert re.search(r"not sent: subscription imported as cancelled on .* by masthead tests", told)


@pytest.mark.parametrize(
    "fields, told",
    [
        ({"length": 1}, "ended with issue 1"),
        ({"length": 1, "is_recurring": True}, "ended with issue 1; it has not been renewed yet"),
        ({"start_issue": 3}, "starts with issue 3 (ordered 15 January 2026)"),
        ({"length": 2}, "not sent yet: still to come"),
    ],
)
async def test_an_issue_without_a_copy_says_why(
    owner: Person, acme: Cast, fields: dict[str, object], told: str
) -> None:
    await make_issues(acme, 1, 3)
    id = await made(acme, **fields)
    assert told in words(await owner.text("subscribers", id, issue="2"))


async def test_stopped_renewals_and_cancels_after_the_end_are_told(
    owner: Person, acme: Cast
) -> None:
    await make_issues(acme, 1, 2)
    for mode, told in (("stop_renewals", "; renewals stopped"), ("cancel", ", and was cancelled")):
        id = await made(acme, length=1, is_recurring=True)
        [newest, *_] = await subscriptions(acme)
        await acme.post(f"/v1/subscriptions/{newest['id']}/cancel/", {"mode": mode})
        page = words(await owner.text("subscribers", id, issue="2"))
        assert f"ended with issue 1{told}" in page


async def test_a_membership_says_what_was_paid_on_the_day_of_release(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme, 1, release_date_actual="2098-01-01")
    await make_issue(acme, 2, release_date_actual="2100-01-01")
    await make_issue(acme, 3)
    await make_issue(acme, 4, release_date_actual="2101-06-01")
    member = await make_membership(acme, order_id="M-1", is_recurring="yes")
    renewal = {"period_start": "2101-01-01", "period_end": "2101-03-31", "interval_months": "3"}
    await import_row(acme, renews="M-1", **renewal)
    told = words(await owner.text("subscribers", member["subscriber"]["id"]))
    assert "begins 1 January 2099, after the release on 1 January 2098" in told
    assert "was not paid on 1 January 2100, the day of release" in told
    assert "was paid until 31 March 2101, before the release on 1 June 2101" in told
    assert "the issue has no date of release" in told


async def test_a_waiting_copy_says_since_when_its_issue_is_out(owner: Person, acme: Cast) -> None:
    await make_issue(acme, 1, release_date_actual="2026-01-05")
    await make_issue(acme, 2, release_date_actual="2099-01-05")
    id = await made(acme, length=3)
    told = words(await owner.text("subscribers", id, issue="3"))
    assert "not sent yet: it waits; the issue is out since 5 January 2026" in told
    assert "still to come; the issue comes out 5 January 2099" in told
    assert "Issue 3 — to come: bought (subscription), and the issue has not been made yet" in told


@pytest.mark.parametrize("typed", ["eleven", "1.5", "-1", "9" * 30, "１１"])
async def test_a_number_that_is_none_is_told_and_kept(
    owner: Person, acme: Cast, typed: str
) -> None:
    await make_issue(acme)
    id = await made(acme)
    response = await owner.see("subscribers", id, issue=typed)
    assert response.status_code == 400
    assert "expected a number such as 11" in response.text
    assert f'value="{typed}"' in response.text


async def test_a_thousand_issues_come_in_windows(owner: Person, acme: Cast) -> None:
    await make_issues(acme, 1, 30)
    id = await made(acme, length=1000)
    first = await owner.text("subscribers", id)
    assert first.count('<li id="issue-') == 24
    assert "Issues before issue 7" in first
    assert (await owner.text("subscribers", id, before="7")).count('<li id="issue-') == 6
    assert "There are no issues before that" in await owner.text("subscribers", id, before="1")


async def test_what_happened_is_told_with_who_did_it(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    id = await made(acme)
    [subscription] = await subscriptions(acme)
    path = owner.address("subscriptions", subscription["id"], "edit")
    for number in range(25):
        await owner.send(path, {"city": f"Ulm {number}"})
    page = await owner.text("subscribers", id)
    assert f"Address changed {owner.email}" in words(page)
    [before] = re.findall(r'<a href="([^"]+)">What happened before', page)
    assert "Ordered the API key" in words(await owner.http.get(before.replace("&amp;", "&")))


async def test_all_that_a_subscriber_has_is_listed(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    id = ""
    for _ in range(21):
        id = await made(acme, email="ada@example.test")
    page = await owner.text("subscribers", id)
    assert page.count('data-status="Active"') == 20
    [more] = re.findall(r'<a href="([^"]+)">All 21 subscriptions', page)
    listed = await owner.http.get(more)
    assert listed.text.count('data-status="Active"') == 21
    assert "Only those of" in words(listed)


@pytest.mark.parametrize("name", HOSTILE, ids=lambda name: name[:12])
async def test_whatever_a_name_is_it_is_shown_harmlessly(
    owner: Person, acme: Cast, name: str
) -> None:
    await make_issue(acme)
    id = await made(acme, first_name=name, last_name=None, city=name, notes=name, company=name)
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
async def test_what_is_another_accounts_is_not_found(
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
