"""Links in emails that open the page for reading: what they show, what ends them, and no more."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest
from msgspec import structs

from masthead.model.clock import now
from masthead.model.self_service.settings import Action, SelfService
from masthead.services import accounts
from masthead.services.identity.server_secrets import get_secret
from masthead.services.privacy.erase import erase_subscriber
from masthead.services.self_service.reading import PageLinks
from masthead.services.self_service.settings import switch_all, update_settings
from masthead.services.subscribers.merge import merge_subscribers
from masthead.store.self_service.settings import get_settings
from masthead.web.subscriber_pages.routes import MY_PAGES
from tests.conftest import BY, Cast
from tests.support.factories import PLACEHOLDER_DOMAIN, make_issues, make_subscription
from tests.support.letters import execute
from tests.support.subscriber_pages import (
    READING,
    Reader,
    history_of,
    links_of,
    open_page,
    sent_emails,
)
from tests.web.conftest import Browsers
from tests.web.subscriber_pages.conftest import EMAIL, HOME
from tests.web.subscriber_pages.test_actions import only_subscription, subscriber_id
from tests.web.subscriber_pages.test_sign_in import GUARDED, method_of, path_of

NEW = {"address1": "Hauptstr. 1", "postcode": "80331", "city": "München", "country": "DE"}


async def link_for(cast: Cast, *, age: timedelta = timedelta()) -> str:
    """The path of a link for Ada, as an email has it that was written some time ago."""
    secret = await get_secret(cast.db)
    links = PageLinks(cast.account_id, f"/my/{cast.subdomain}/", secret, now() - age)
    return links.of(await subscriber_id(cast), EMAIL)


async def opens(browsers: Browsers, link: str) -> bool:
    """Whether a link shows the page in a new browser."""
    http = browsers()
    response = await http.get(link)
    if response.status_code != 303:
        assert response.status_code == 404
        assert "Set-Cookie" not in response.headers
        assert "Type the email address" in response.text
        return False
    page = await http.get(response.headers["Location"])
    return "Lindenstr. 4" in page.text


@pytest.fixture
async def guest(stranger: Reader) -> Reader:
    """A browser that opened Ada's page by a link in an email."""
    response = await stranger.http.get(await link_for(stranger.cast))
    assert response.status_code == 303
    return stranger


async def test_no_page_names_the_product_of_orders_without_one(guest: Reader) -> None:
    page = await guest.text()
    assert "<h2><bdi>Acme" in page
    assert "Imported subscription" not in page


async def test_a_link_opens_the_page_and_leaves_its_address(stranger: Reader) -> None:
    response = await stranger.http.get(await link_for(stranger.cast))
    assert response.headers["Location"] == stranger.address()
    assert response.headers["Referrer-Policy"] == "no-referrer"
    assert response.headers["X-Robots-Tag"].startswith("noindex")
    cookie = response.headers["Set-Cookie"]
    assert f"Path=/my/{stranger.cast.subdomain};" in cookie
    assert "Max-Age=3600" in cookie
    assert "HttpOnly" in cookie
    page = await stranger.text()
    assert "Lindenstr. 4" in page
    assert "Ada Lovelace" in page
    assert EMAIL not in page
    assert "a…@reader.test" in page
    assert "An email opened this page for you to read" in page


async def test_reading_changes_nothing_and_asks_for_the_link_first(guest: Reader) -> None:
    before = await history_of(guest.cast, await subscriber_id(guest.cast))
    for route in GUARDED:
        path, method = path_of(route, guest.cast.subdomain), method_of(route)
        response = await guest.http.request(method, path)
        if method == "GET":
            assert response.headers["Location"] == guest.address("sign-in"), path
        for _ in range("POST" in route.methods):
            response = await guest.http.post(path, data={"last_name": "Eve", "wanted": "no"})
            assert response.status_code == 401, path
    assert await history_of(guest.cast, await subscriber_id(guest.cast)) == before
    page = await guest.text("sign-in")
    assert "we send a link to <bdi>a…@reader.test</bdi>" in page
    assert "is on its way" in (await guest.post("sign-in")).text
    [link] = links_of(await sent_emails(guest.cast))
    assert (await guest.http.post(link)).status_code == 303
    assert (await guest.send("letters", wanted="no")).status_code == 303


async def test_a_mail_scanner_does_no_harm(stranger: Reader, browsers: Browsers) -> None:
    link = await link_for(stranger.cast)
    scanner = browsers()
    for _ in range(30):
        assert (await scanner.get(link)).status_code == 303
        assert (await scanner.head(link)).status_code == 303
    assert (await scanner.post(link)).status_code == 405
    assert await opens(browsers, link)
    assert await sent_emails(stranger.cast) == []


async def test_a_page_for_reading_closes_after_an_hour_and_by_a_click(
    guest: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as later:
        later.setattr("masthead.web.kit.cookies.READING_SECONDS", -1)
        assert "Send me the link" in await guest.text()
    assert "Lindenstr. 4" in await guest.text()
    assert (await guest.post("sign-out")).status_code == 303
    assert "Send me the link" in await guest.text()


async def the_address_changes(cast: Cast) -> None:
    id = (await only_subscription(cast))["id"]
    done = await cast.patch(f"/v1/subscriptions/{id}/", {"address1": "Hauptstr. 1"})
    assert done.status_code == 200, done.text


async def the_email_changes(cast: Cast) -> None:
    await cast.patch(f"/v1/subscribers/{await subscriber_id(cast)}/", {"email": "x@reader.test"})


async def they_are_merged(cast: Cast) -> None:
    merged = await subscriber_id(cast)
    other = await make_subscription(cast, email="a.l@reader.test")
    kept = other["subscriber"]["id"]
    await merge_subscribers(cast.db, cast.account_id, kept_id=kept, merged_id=merged, by=BY)


async def another_is_merged_into_them(cast: Cast) -> None:
    kept = await subscriber_id(cast)
    other = await make_subscription(cast, email="a.l@reader.test")
    merged = other["subscriber"]["id"]
    await merge_subscribers(cast.db, cast.account_id, kept_id=kept, merged_id=merged, by=BY)


async def they_are_erased(cast: Cast) -> None:
    await erase_subscriber(
        cast.db,
        cast.account_id,
        await subscriber_id(cast),
        is_cancelling=True,
        placeholder_domain=PLACEHOLDER_DOMAIN,
        by=BY,
    )


async def links_are_off_for_a_moment(cast: Cast) -> None:
    off = SelfService(is_open=True, actions=frozenset({Action.NAME}))
    await update_settings(cast.db, cast.account_id, off, by=BY)
    await open_page(cast)


async def the_page_is_closed_for_a_moment(cast: Cast) -> None:
    await switch_all(cast.db, cast.account_id, is_on=False, by=BY)
    await open_page(cast)


async def the_account_is_inactive_for_a_moment(cast: Cast) -> None:
    for is_active in (False, True):
        await accounts.set_account_active(cast.db, cast.account_id, is_active=is_active, by=BY)


@pytest.mark.parametrize(
    "change",
    [
        the_address_changes,
        the_email_changes,
        they_are_merged,
        another_is_merged_into_them,
        they_are_erased,
        links_are_off_for_a_moment,
        the_page_is_closed_for_a_moment,
        the_account_is_inactive_for_a_moment,
    ],
    ids=lambda change: change.__name__,
)
async def test_what_ends_a_link_and_the_page_that_it_opened(
    guest: Reader, browsers: Browsers, change: Callable[[Cast], Awaitable[None]]
) -> None:
    link = await link_for(guest.cast)
    assert await opens(browsers, link)
    await change(guest.cast)
    assert not await opens(browsers, link)
    assert "Send me the link" in await guest.text()


async def test_other_settings_end_no_link(guest: Reader, browsers: Browsers) -> None:
    link = await link_for(guest.cast)
    async with guest.cast.db.read() as db:
        known = await get_settings(db, guest.cast.account_id)
    changed = structs.replace(known, contact="Call us")
    await update_settings(guest.cast.db, guest.cast.account_id, changed, by=BY)
    assert await opens(browsers, link)


async def test_a_planned_holiday_address_ends_links_too(guest: Reader, browsers: Browsers) -> None:
    link = await link_for(guest.cast)
    await guest.sign_in(EMAIL)
    done = await guest.send("address", **NEW, when="between", first_issue="3", last_issue="3")
    assert done.status_code == 303, done.text
    assert not await opens(browsers, link)
    # the email about the change has a link that shows the new address
    [(_, body)] = await sent_emails(guest.cast)
    found = READING.search(body)
    assert found
    assert await opens(browsers, found[1])


async def test_a_link_works_for_60_days(stranger: Reader, browsers: Browsers) -> None:
    cast = stranger.cast
    sql = "UPDATE audit SET happened_at = :old WHERE account_id = :id"
    await execute(cast, sql, old=now() - timedelta(days=90), id=cast.account_id)
    assert await opens(browsers, await link_for(cast, age=timedelta(days=59)))
    assert not await opens(browsers, await link_for(cast, age=timedelta(days=60)))
    assert not await opens(browsers, await link_for(cast, age=-timedelta(hours=1)))


async def test_links_of_others_and_changed_ones_do_not_work(
    stranger: Reader, rival: Cast, browsers: Browsers
) -> None:
    link = await link_for(stranger.cast)
    await make_issues(rival, 1, 1)
    await make_subscription(rival, email=EMAIL, last_name="Canary", **HOME)
    await open_page(rival)
    token = link.split("/")[-2]
    for bad in (token[:-1] + ("0" if token[-1] != "0" else "1"), "x", token[31:], token.upper()):
        assert not await opens(browsers, f"/my/{stranger.cast.subdomain}/read/{bad}/")
    assert not await opens(browsers, f"/my/{rival.subdomain}/read/{token}/")
    codes = [
        (await stranger.http.get(stranger.address("read", f"guess{n}"))).status_code
        for n in range(22)
    ]
    assert codes[-1] == 429


async def test_a_session_is_not_replaced_by_a_link(reader: Reader) -> None:
    other = await make_subscription(reader.cast, email="eve@reader.test", last_name="Canary")
    links = PageLinks(
        reader.cast.account_id, reader.address(), await get_secret(reader.cast.db), now()
    )
    link = links.of(other["subscriber"]["id"], "eve@reader.test")
    response = await reader.http.get(link)
    assert response.headers["Location"] == reader.address()
    assert "Set-Cookie" not in response.headers
    assert "Canary" not in await reader.text()


async def test_welcome_and_gift_emails_have_a_link(stranger: Reader, browsers: Browsers) -> None:
    cast = stranger.cast
    await sent_emails(cast)
    await make_subscription(cast, email="new@reader.test", send_welcome_email=True, **HOME)
    [(to, body)] = await sent_emails(cast)
    assert to == "new@reader.test"
    found = READING.search(body)
    assert found
    assert await opens(browsers, found[1])
    settings = SelfService(is_open=True, actions=frozenset({Action.NAME}))
    await update_settings(cast.db, cast.account_id, settings, by=BY)
    await make_subscription(cast, email="newer@reader.test", send_welcome_email=True, **HOME)
    [(_, body)] = await sent_emails(cast)
    assert "/my/" not in body


async def test_the_old_address_gets_no_link_when_the_email_changes(
    reader: Reader, browsers: Browsers
) -> None:
    assert (await reader.send("email", email="ada@new.test")).status_code == 303
    for link in links_of(await sent_emails(reader.cast)):
        assert (await browsers().post(link)).status_code == 200
    emails = await sent_emails(reader.cast)
    assert len(emails) == 2
    assert not any(READING.search(body) for _to, body in emails)


def test_pages_that_can_be_opened_without_a_session_are_known() -> None:
    paths = {page.path.removeprefix("/my/{subdomain}/") for page in MY_PAGES if page.is_open}
    assert paths == {
        "",
        "colours/",
        "confirm/{token}/",
        "link/{token}/",
        "logo/",
        "read/{token}/",
        "sign-in/",
        "sign-out/",
    }
