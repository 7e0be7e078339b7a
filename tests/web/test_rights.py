"""What a user may open and see with each right: every page, every download."""

import html
import re
from collections.abc import AsyncIterator, Iterator
from urllib.parse import urlsplit

import pytest

from masthead.model.actors import Actor
from masthead.model.identity.rights import ALL_RIGHTS, NEEDED, STAFF_RIGHTS, Right, Rights
from masthead.model.types.enums import Role
from masthead.services.users import change_role
from masthead.store.engine.interface import Database
from masthead.web.kit.router import PageAccess, PageRoute
from masthead.web.routes import PAGES
from tests.conftest import Cast
from tests.support.cases import for_each
from tests.support.rich_account import make_rich
from tests.web.conftest import Person
from tests.web.test_every_page import pages_of, route_of
from tests.web.test_router import filled, method_of

BY = Actor(kind="command", id="test")
OF_USERS = [page for page in PAGES if page.access is PageAccess.MEMBER]
OF_OWNERS = [page for page in PAGES if page.access is PageAccess.OWNER]
AMOUNT = re.compile(r"[€$£]\s?\d|\d[.,]\d\d\s?(?:EUR|USD|GBP|€)|\b(?:EUR|USD|GBP)\s?\d")
# In the help about texts of letters
EXAMPLE = re.compile(r"such as “(?:The renewal costs )?€42\.00")
REFUSED = "You need another right"


async def give(db: Database, acme: Cast, staff: Person, rights: Rights) -> None:
    async with db.read() as connection:
        row = await connection.fetch_one(
            "SELECT id FROM app_user WHERE email = :email", {"email": staff.email}
        )
    assert row is not None
    await change_role(db, acme.account_id, row["id"], role=Role.STAFF, rights=rights, by=BY)


async def is_refused(person: Person, page: PageRoute) -> bool:
    response = await person.http.request(method_of(page), filled(page, person.at))
    return response.status_code == 403 and REFUSED in response.text


def test_every_page_declares_its_rights() -> None:
    undeclared = [page.path for page in PAGES if "{subdomain}" in page.path and page.rights is None]
    assert undeclared == []


def test_rights_that_open_nothing_without_another_one_say_so() -> None:
    """Otherwise a user is given a right that opens no page."""
    for right in Right:
        opened = [{*page.rights} for page in OF_USERS if page.rights and right in page.rights]
        assert opened, right
        missing = set.intersection(*opened) - {right}
        assert missing <= set(NEEDED.get(right, ())), right
        assert bool(missing) == (right in NEEDED), right


def test_users_and_keys_are_only_for_owners() -> None:
    """Otherwise a user with the right to the settings could take more rights than they have.

    The page of a sandbox deletes all its records.
    """
    sections = {page.path.split("/")[4] for page in OF_OWNERS}
    assert sections == {"users", "keys", "sandbox"}


def test_every_download_of_a_list_needs_the_right() -> None:
    """Letters to print, and the files of a run, belong to letters and dispatch."""
    words = ("/csv/", "/xlsx/", "/download", "{format}", "/zip/", "/addresses/", "/refused/")
    files = [page for page in PAGES if any(word in page.path for word in words)]
    assert len(files) >= 15
    assert [each.path for each in files if Right.DOWNLOAD not in (each.rights or ())] == []


@for_each("needed", sorted({page.rights or () for page in OF_USERS}), ids=" ".join)
async def test_a_page_needs_each_of_its_rights_and_no_other(
    needed: tuple[Right, ...], db: Database, acme: Cast, staff: Person
) -> None:
    """More rights refuse nothing: `refuse_missing` looks for those that are missing."""
    pages = [page for page in OF_USERS if (page.rights or ()) == needed]
    await give(db, acme, staff, frozenset(needed))
    assert [page.path for page in pages if await is_refused(staff, page)] == []
    for right in needed:
        await give(db, acme, staff, ALL_RIGHTS - {right})
        assert [page.path for page in pages if not await is_refused(staff, page)] == []


@pytest.mark.slow
@for_each("right", list(Right), ids=str)
async def test_with_all_rights_but_one_exactly_its_pages_are_refused(
    right: Right, db: Database, acme: Cast, staff: Person
) -> None:
    await give(db, acme, staff, ALL_RIGHTS - {right})
    for page in OF_USERS:
        assert await is_refused(staff, page) == (right in (page.rights or ())), page.path


@pytest.mark.slow
@for_each("right", list(Right), ids=str)
async def test_with_one_right_all_other_pages_are_refused(
    right: Right, db: Database, acme: Cast, staff: Person
) -> None:
    await give(db, acme, staff, frozenset({right}))
    for page in OF_USERS:
        assert await is_refused(staff, page) == bool(set(page.rights or ()) - {right}), page.path


async def test_all_rights_do_not_open_the_users_and_keys(
    db: Database, acme: Cast, staff: Person
) -> None:
    await give(db, acme, staff, ALL_RIGHTS)
    for page in OF_OWNERS:
        response = await staff.http.request(method_of(page), filled(page, staff.at))
        assert response.status_code == 403, page.path


async def test_staff_may_do_what_they_could(staff: Person) -> None:
    """Everything except the settings, erasing, and all data of a person."""
    refused = {page.path for page in OF_USERS if await is_refused(staff, page)}
    words = ("/settings/", "/forecast/spare/", "/bookkeeping/accounts/", "/erase/", "/privacy/{")
    assert [path for path in refused if not any(word in path for word in words)] == []
    assert ALL_RIGHTS - {Right.ERASE, Right.SETTINGS} == STAFF_RIGHTS


async def test_a_refused_page_names_the_right_and_the_owners(
    db: Database, acme: Cast, staff: Person
) -> None:
    await give(db, acme, staff, STAFF_RIGHTS - {Right.SEE_MONEY})
    response = await staff.see("money")
    assert response.status_code == 403
    assert Right.SEE_MONEY.label in response.text
    assert acme.owner in response.text


async def test_rights_change_in_an_open_session(db: Database, acme: Cast, staff: Person) -> None:
    assert (await staff.see("money")).status_code == 200
    await give(db, acme, staff, frozenset())
    assert (await staff.see("money")).status_code == 403
    home = await staff.see()
    assert home.status_code == 200
    assert staff.address("money") not in home.text


async def test_with_the_right_pages_show_amounts(acme: Cast, staff: Person) -> None:
    await make_rich(acme)
    assert AMOUNT.search(html.unescape((await staff.see("subscribers")).text))


FILE = re.compile(r"/(csv|xlsx|pdf|zip|download|\{format\})/")
ACTION = re.compile(r'(?:href|action|formaction|hx-get|hx-post)="([^"#]+)')


def page_of(address: str) -> PageRoute | None:
    """The page of an address."""
    return next(iter(pages_of(urlsplit(address).path)), None)


def actions_of(text: str) -> Iterator[tuple[str, PageRoute]]:
    """The addresses in a page that open pages or send forms, and whose they are."""
    for address in map(html.unescape, ACTION.findall(text)):
        if page := page_of(address):
            yield address, page


async def each_page(staff: Person) -> AsyncIterator[tuple[str, str]]:
    """One address of each page that links lead to, and its HTML. Files are not downloaded."""
    waiting, opened = [staff.address()], set[str]()
    while waiting:
        address = waiting.pop()
        route = route_of(address)
        if route is None or route in opened or FILE.search(route):
            continue
        opened.add(route)
        response = await staff.http.get(address)
        if "html" in response.headers.get("Content-Type", ""):
            waiting += [found for found, _ in actions_of(response.text)]
            yield address, response.text


async def test_no_page_offers_what_the_user_may_not_do(
    db: Database, acme: Cast, staff: Person
) -> None:
    """Opens, without a right, the pages that show a link to its pages to those who have it.

    The menu is the same everywhere: that of the home page is looked at.
    """
    await make_rich(acme)
    await give(db, acme, staff, ALL_RIGHTS)
    offering = {right: {staff.address()} for right in Right}
    async for address, text in each_page(staff):
        for _, page in actions_of(text.partition("<main")[2]):
            for right in page.rights or ():
                offering[right].add(address)
    assert len(set().union(*offering.values())) > 50
    wrong = set[str]()
    for right, addresses in offering.items():
        await give(db, acme, staff, ALL_RIGHTS - {right})
        for address in addresses:
            text = (await staff.http.get(address)).text
            wrong |= {
                f"{right}: {route_of(address)} -> {page.path}"
                for _, page in actions_of(text)
                if right in (page.rights or ())
            }
    assert not wrong, "\n".join(sorted(wrong))


@pytest.mark.slow
@pytest.mark.parametrize("right", list(Right), ids=str)
async def test_no_page_that_is_open_without_a_right_offers_what_needs_it(
    right: Right, db: Database, acme: Cast, staff: Person
) -> None:
    """The same with all pages that links lead to, whatever those with the right see there."""
    await make_rich(acme)
    await give(db, acme, staff, ALL_RIGHTS - {right})
    wrong = {
        f"{route_of(address)} -> {page.path}"
        async for address, text in each_page(staff)
        for _, page in actions_of(text)
        if right in (page.rights or ())
    }
    assert not wrong, "\n".join(sorted(wrong))
