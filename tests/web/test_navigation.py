"""Tests of the navigation: sections, their tabs, and the pages that belong to no account."""

import re

import pytest
from starlette.applications import Starlette

from masthead.model.identity.rights import STAFF_RIGHTS, Right
from masthead.services.users import add_user
from masthead.store.engine.interface import Transaction
from masthead.web.kit.cookies import DESK
from tests.conftest import BY, Cast
from tests.support.cases import for_each
from tests.support.factories import make_issue, make_subscription
from tests.web.conftest import Browsers, Person, signed_in
from tests.web.test_rights import give

NAV = re.compile(r'<nav class="line".*?</nav>', re.DOTALL)
TABS = re.compile(r'<nav class="parts".*?</nav>', re.DOTALL)
CURRENT = re.compile(r'<a href="([^"]*)" aria-current="page">')


@for_each(
    "page, section, tab",
    [
        ("", "", None),
        ("subscribers", "subscribers", None),
        ("issues", "issues", "issues"),
        ("forecast", "issues", "forecast"),
        ("claims", "dispatches", "claims"),
        ("ending/over", "ending", "ending"),
        ("settings/keys/new", "settings", "settings/keys"),
        ("settings/webhooks/new", "settings", "settings/webhooks"),
        ("settings/export", "settings", "settings/export"),
        ("settings/export-profiles", "settings", "settings/export-profiles"),
    ],
)
async def test_a_page_names_its_section_and_its_tab(
    owner: Person, page: str, section: str, tab: str | None
) -> None:
    text = await owner.text(*page.split("/")) if page else await owner.text()
    wanted = owner.address(*section.split("/")) if section else owner.address()
    assert CURRENT.findall(NAV.findall(text)[0]) == [wanted]
    tabs = [each for found in TABS.findall(text) for each in CURRENT.findall(found)]
    assert tabs == ([owner.address(*tab.split("/"))] if tab else [])


async def test_the_menu_of_phones_has_the_same_sections_without_scripts(owner: Person) -> None:
    text = await owner.text()
    menu = re.findall(r'<details class="menu sections">.*?</details>', text, re.DOTALL)[0]
    links = re.compile(r'href="([^"]*)"')
    assert links.findall(menu) == links.findall(NAV.findall(text)[0])


async def test_a_page_of_the_settings_has_the_tabs_of_its_group(owner: Person) -> None:
    links = re.compile(r'href="([^"]*)"')
    [tabs] = TABS.findall(await owner.text("settings", "vat"))
    money = ("settings/billing", "settings/vat", "settings/debits", "settings/reminders")
    wanted = [owner.address(*each.split("/")) for each in ("settings", *money)]
    assert links.findall(tabs) == wanted
    listed = re.findall(r'<dt><a href="([^"]*)"', await owner.text("settings"))
    assert set(wanted[1:]) <= set(listed)
    assert len(listed) == len(set(listed)) == 20
    assert owner.address("imports") in listed


async def test_the_tabs_of_money_are_in_three_groups(owner: Person) -> None:
    [tabs] = TABS.findall(await owner.text("money", "deferred"))
    groups = [re.findall(r'href="[^"]*/money/(\w*)', each) for each in tabs.split("<ul>")[1:]]
    assert groups == [
        ["", "issues", "deferred", "bookkeeping"],
        ["invoices", "open", "reminders"],
        ["payments", "statements", "debits"],
    ]
    assert CURRENT.findall(tabs) == [owner.address("money", "deferred")]


async def test_staff_see_no_settings(acme: Cast, app: Starlette, browsers: Browsers) -> None:
    await add_user(acme.db, acme.account_id, email="bo@acme.test", by=BY)
    bo = await signed_in(app, acme, "bo@acme.test", browsers())
    assert bo.address("settings") not in await bo.text()


@pytest.mark.parametrize("path", ["/you/", "/help/"])
async def test_a_page_without_an_account_follows_the_account_used_last(
    app: Starlette, acme: Cast, rival: Cast, browsers: Browsers, path: str
) -> None:
    await add_user(rival.db, rival.account_id, email=acme.owner, by=BY)

    async def work(tx: Transaction) -> None:
        for cast, locale in ((acme, "en_GB"), (rival, "de_AT")):
            await tx.execute(
                "UPDATE account SET locale = :locale WHERE id = :id",
                {"locale": locale, "id": cast.account_id},
            )

    await acme.db.write(work)
    person = await signed_in(app, acme, acme.owner, browsers())
    for cast, date in (
        (rival, r"\d\d\.\d\d\.\d{4}"),
        (acme, r"\d+ \w+ \d{4}"),
        (rival, r"\d\d\.\d\d\.\d{4}"),
    ):
        person.at = cast.subdomain
        await person.text()
        page = (await person.http.get(path)).text
        assert person.address("subscribers") in NAV.findall(page)[0]
        assert path == "/help/" or re.search(rf'<td class="when[^"]*">{date}', page)


async def test_a_changed_or_foreign_cookie_shows_the_first_account(
    owner: Person, rival: Cast
) -> None:
    await owner.text()
    owner.http.cookies.set(DESK, f"{rival.subdomain}.signature", domain="masthead.test")
    page = (await owner.http.get("/help/")).text
    assert owner.address("subscribers") in NAV.findall(page)[0]


async def test_the_help_page_needs_no_sign_in(browsers: Browsers) -> None:
    page = (await browsers().get("/help/")).text
    assert not NAV.findall(page)
    assert "Terms" in page


async def test_a_message_of_an_account_is_not_shown_on_pages_of_another(
    owner: Person, acme: Cast, rival: Cast
) -> None:
    await add_user(rival.db, rival.account_id, email=acme.owner, by=BY)
    issue = await make_issue(acme)
    response = await owner.send(owner.address("issues", issue["id"], "edit"), {"name": "Spring"})
    assert response.status_code == 303, response.text
    other = await owner.http.get(f"/desk/{rival.subdomain}/")
    assert other.status_code == 200
    assert 'class="message" role="status"' not in other.text
    assert 'class="message" role="status"' in (await owner.see("issues", issue["id"])).text


@pytest.mark.parametrize("section", ["subscribers", "subscriptions"])
async def test_imports_are_beside_the_orders_that_they_add(
    owner: Person, staff: Person, acme: Cast, section: str
) -> None:
    """On an empty list and on a full one; for those who may import."""
    address = owner.address("imports", "new")
    await make_issue(acme)
    for _order in range(2):
        assert f'<a href="{address}" role="button"' in await owner.text(section)
        await make_subscription(acme)
    await give(acme.db, acme, staff, STAFF_RIGHTS - {Right.IMPORT})
    assert address not in await staff.text(section)
