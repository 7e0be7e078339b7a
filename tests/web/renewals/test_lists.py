"""The pages of who lapsed and who is about to."""

import re

import pytest

from tests.conftest import Cast
from tests.support.cases import for_each
from tests.support.factories import import_row, make_issue, make_issues, make_subscription
from tests.support.privacy import erase
from tests.web.conftest import Person
from tests.web.reports.test_home import words

ROW = re.compile(r'<th scope="row"[^>]*><a href="[^"]+/([^"/]+)/"')


async def rows(owner: Person, *parts: object, **query: str) -> list[str]:
    return ROW.findall(await owner.text("ending", *parts, **query))


async def issues(cast: Cast) -> None:
    """Issues 1 to 6; the current one is 4."""
    await make_issues(cast, 1, 3)
    await make_issue(cast, 4, date_as_start_issue="2026-01-01")
    await make_issues(cast, 5, 6)


async def test_each_tab_has_its_list_and_its_number_of_rows(acme: Cast, owner: Person) -> None:
    await issues(acme)
    made = {length: await make_subscription(acme, length=length) for length in range(1, 7)}
    recurring = await make_subscription(acme, length=6, is_recurring=True)
    await acme.post(f"/v1/subscriptions/{recurring['id']}/cancel/", {"mode": "stop_renewals"})
    due = await import_row(
        acme, start_issue="1", length="4", is_recurring="true", status="Past due"
    )
    assert set(await rows(owner)) == {made[4]["id"], due["id"]}
    assert await rows(owner, "next") == [made[5]["id"]]
    assert await rows(owner, "lapsed") == [made[3]["id"]]
    assert await rows(owner, "lapsed", ago="3") == [made[1]["id"]]
    assert await rows(owner, "past-due") == [due["id"]]
    assert await rows(owner, "stopped") == [recurring["id"]]
    for page in ("", "next", "over", "memberships"):
        tabs = re.findall(
            r'<li><a href="[^"]*/ending/[^>]*>([^<]*)<span class="count">(\(\d+\))',
            await owner.text("ending", *filter(None, [page])),
        )
        assert [(name.strip(), count) for name, count in tabs] == [
            ("Ends with issue 4", "(2)"),
            ("Ends with issue 5", "(1)"),
            ("Lapsed", "(1)"),
            ("Past due", "(1)"),
            ("Renewals stopped", "(1)"),
        ]


async def test_erased_subscribers_are_in_no_list_file_or_letter(acme: Cast, owner: Person) -> None:
    await issues(acme)
    copies = {"start_issue": "3", "length": "2", "sent_issues": "3|4"}
    kept = await import_row(acme, email="kept@example.test", **copies)
    gone = await import_row(acme, email="gone@example.test", **copies)
    assert set(await rows(owner)) == {kept["id"], gone["id"]}
    assert "2 subscriptions" in words(await owner.text("letters", "last"))
    await erase(acme, gone["subscriber"]["id"])
    assert await rows(owner) == [kept["id"]]
    assert ">(1)<" in await owner.text("ending")
    for file in ("csv", "merge-csv"):
        text = (await owner.see("ending", "download", format=file)).text
        assert (kept["id"] in text, gone["id"] in text) == (True, False)
    for page in (("letters", "last"), ("letters", "last", "send")):
        text = await owner.text(*page)
        assert (kept["id"] in text, gone["id"] in text) == (True, False)
    assert "1 personal data erased" in words(await owner.text("letters", "last"))
    assert "not renewed 1 Show" in words(await owner.text())


async def test_a_line_tells_the_parts_of_what_lapsed(acme: Cast, owner: Person) -> None:
    await issues(acme)
    await make_subscription(acme, length=3)
    await make_subscription(acme, length=3, is_recurring=True, is_comp=True, price="0")
    await make_subscription(acme, length=3, is_recurring=True)
    assert (
        "The list has 3 subscriptions: 1 not renewed yet, 1 complimentary,"
        " which gets no letter, 1 renews automatically but is not paid."
    ) in words(await owner.text("ending", "lapsed"))


async def test_the_note_about_what_is_past_due_is_true_for_issues_and_memberships(
    acme: Cast, owner: Person
) -> None:
    await issues(acme)
    await import_row(acme, start_issue="1", length="4", is_recurring="true", status="Past due")
    note = words(await owner.text("ending", "past-due"))
    assert (
        "These subscriptions renew automatically, but no payment for the renewal has arrived. There"
        " is no invoice for it, so it is not among the open items. When it is paid, choose “Renew”"
        " on the page of the subscription."
    ) in note
    assert "These memberships" not in note


async def test_an_account_without_issues_is_asked_to_create_one(owner: Person) -> None:
    page = await owner.text("ending")
    assert "there are no issues yet" in page
    assert owner.address("issues", "new") in page


async def test_an_empty_list_says_so(acme: Cast, owner: Person) -> None:
    await issues(acme)
    for part in ("lapsed", "past-due", "stopped"):
        assert "There are no subscriptions in this list." in await owner.text("ending", part)


@pytest.mark.parametrize(
    "query",
    [
        {"medium": "Digital"},
        {"country": "fr"},
        {"source": "imported"},
        {"is_comp": "true"},
    ],
)
async def test_filters_narrow_the_list(acme: Cast, owner: Person, query: dict[str, str]) -> None:
    await make_issue(acme)
    await make_subscription(acme, length=1)
    wanted = await import_row(
        acme, start_issue="1", length="1", medium="Digital", country="FR", is_comp="true", price="0"
    )
    query = {name: acme.imported if name == "source" else text for name, text in query.items()}
    assert len(await rows(owner)) == 2
    assert await rows(owner, **query) == [wanted["id"]]
    page = await owner.text("ending", **query)
    assert "1 subscription, newest first<" in page
    assert "No subscriptions match these filters." in await owner.text("ending", country="LI")


async def test_the_list_is_sorted_by_name_day_or_order(acme: Cast, owner: Person) -> None:
    await make_issue(acme)
    names = ["Öhler", "zander", "Anders", "Ohm"]
    made = {name: (await make_subscription(acme, length=1, last_name=name))["id"] for name in names}
    by_name = [made[name] for name in ("Anders", "Öhler", "Ohm", "zander")]
    by_order = sorted(made.values())
    assert await rows(owner, sort="name") == by_name
    assert await rows(owner, sort="-name") == by_name[::-1]
    assert await rows(owner, sort="ordered") == by_order
    assert await rows(owner) == await rows(owner, sort="-ends") == by_order[::-1]
    page = await owner.text("ending", sort="name")
    assert 'aria-sort="ascending"' in page
    assert "sort=-name" in page


async def test_the_order_date_sorts_the_list_only_if_its_head_has_the_arrow(
    acme: Cast, owner: Person
) -> None:
    await make_issue(acme)
    days = ("2025-03-12", "2026-11-19", "2024-01-31")
    made = [
        (await import_row(acme, start_issue="1", length="1", order_date=day))["id"] for day in days
    ]
    page = await owner.text("ending")
    assert "3 subscriptions, newest first" in page
    assert "aria-sort" not in page
    assert await rows(owner) == made[::-1]
    page = await owner.text("ending", sort="-ordered")
    assert "newest first" not in page
    assert 'aria-sort="descending"' in page
    assert await rows(owner, sort="-ordered") == [made[1], made[0], made[2]]
    assert await rows(owner, sort="ordered") == [made[2], made[0], made[1]]


async def test_the_pages_of_a_sorted_list_have_each_row_once(acme: Cast, owner: Person) -> None:
    await make_issue(acme)
    for number in range(51):
        await make_subscription(acme, length=1, last_name=f"{'x' * 40} {number % 3}")
    for sort in ("name", "-name", "ordered", "-ends"):
        first = await owner.text("ending", sort=sort)
        following = re.search(r'href="([^"]+)" rel="next"', first)
        assert following
        second = (await owner.http.get(following[1].replace("&amp;", "&"))).text
        found = [*ROW.findall(first), *ROW.findall(second)]
        assert len(found) == len(set(found)) == 51, sort
        assert "First page" in second


@for_each("query", [{"ago": "13"}, {"ago": "x"}, {"medium": "Stone"}, {"sort": "shoe size"}])
async def test_a_wrong_filter_is_explained(owner: Person, query: dict[str, str]) -> None:
    response = await owner.see("ending", "lapsed", **query)
    assert response.status_code == 400
    assert 'role="alert"' in response.text


async def test_an_empty_page_leads_to_the_first_one(acme: Cast, owner: Person) -> None:
    await make_issue(acme)
    made = [await make_subscription(acme, length=1) for _ in range(51)]
    first = await owner.text("ending", sort="ordered")
    following = re.search(r'href="([^"]+)" rel="next"', first)
    assert following
    last = max(each["id"] for each in made)
    await acme.post(f"/v1/subscriptions/{last}/cancel/", {"mode": "cancel"})
    second = (await owner.http.get(following[1].replace("&amp;", "&"))).text
    assert "This page is empty." in second


async def test_only_the_results_are_sent_to_htmx(acme: Cast, owner: Person) -> None:
    await make_issue(acme)
    await make_subscription(acme, length=1)
    response = await owner.http.get(
        owner.address("ending"), headers={"HX-Request": "true", "HX-Target": "results"}
    )
    assert "<html" not in response.text
    assert len(ROW.findall(response.text)) == 1


async def test_other_accounts_are_not_listed(acme: Cast, rival: Cast, owner: Person) -> None:
    await make_issue(acme)
    await make_issue(rival)
    await make_subscription(rival, length=1)
    assert await rows(owner) == []
