"""Sign in by a link in an email: once, for 15 minutes, and with nothing leaked."""

from datetime import timedelta

import pytest

from masthead.model.clock import now
from masthead.model.self_service.settings import Action, SelfService
from masthead.model.self_service.sign_in import digest_of_email
from masthead.model.types.email_addresses import email_key
from masthead.services import accounts
from masthead.services.privacy.erase import erase_subscriber
from masthead.services.self_service.new_email import EmailConfirmation, confirm
from masthead.services.self_service.settings import switch_all, update_settings
from masthead.services.self_service.sign_in import MyPage, find_proven, use_link
from masthead.store.accounts import get_account
from masthead.store.self_service.sessions import SubscriberSession
from masthead.web.subscriber_pages.router import MyRoute
from masthead.web.subscriber_pages.routes import MY_PAGES
from tests.conftest import BY, Cast
from tests.support.cases import for_each
from tests.support.factories import (
    PLACEHOLDER_DOMAIN,
    make_dispatch,
    make_issues,
    make_subscription,
)
from tests.support.letters import execute
from tests.support.subscriber_pages import Reader, links_of, open_page, sent_emails
from tests.support.subscribers import make_subscriber, merge
from tests.support.walk import walk
from tests.web.conftest import Browsers, Person
from tests.web.subscriber_pages.conftest import EMAIL

GUARDED = [page for page in MY_PAGES if not page.is_open]


def path_of(page: MyRoute, subdomain: str) -> str:
    """The path of a page, with ids that do not exist."""
    return page.path.format(subdomain=subdomain, id="1", token="x" * 43, group="x")


def method_of(page: MyRoute) -> str:
    return page.methods.split()[0]


async def test_the_link_signs_in_by_a_button(stranger: Reader) -> None:
    assert "Email address" in await stranger.text()
    asked = await stranger.ask(EMAIL.upper())
    assert "an email is on its way" in asked.text
    [link] = links_of(await sent_emails(stranger.cast))
    for _ in range(2):  # a mail scanner opens it first
        opened = await stranger.http.get(link)
        assert opened.status_code == 200
        assert (await stranger.http.head(link)).status_code == 200
        assert "Lovelace" not in opened.text
    done = await stranger.http.post(link)
    assert done.status_code == 303
    cookie = done.headers["Set-Cookie"]
    assert f"Path=/my/{stranger.cast.subdomain};" in cookie
    assert "HttpOnly" in cookie
    assert "Max-Age=2592000" in cookie
    page = await stranger.text()
    assert "Ada Lovelace" in page
    assert "Lindenstr. 4" in page


async def test_a_used_link_does_not_work_in_another_browser(
    stranger: Reader, browsers: Browsers
) -> None:
    await stranger.ask(EMAIL)
    [link] = links_of(await sent_emails(stranger.cast))
    assert (await stranger.http.post(link)).status_code == 303
    assert (await stranger.http.post(link)).status_code == 303  # signed in already
    forwarded = browsers()
    for response in (await forwarded.get(link), await forwarded.post(link)):
        assert response.status_code == 404
        assert "has expired" in response.text
        assert "Set-Cookie" not in response.headers


async def test_a_link_works_for_15_minutes_and_a_session_for_30_days(reader: Reader) -> None:
    await reader.ask(EMAIL)
    [link] = links_of(await sent_emails(reader.cast))
    late = now() - timedelta(seconds=1)
    rows = await reader.cast.db.fetch_all(
        "SELECT expires_at, created_at FROM subscriber_link WHERE account_id = :id",
        {"id": reader.cast.account_id},
    )
    spans = {row["expires_at"] - row["created_at"] for row in rows}
    assert timedelta(minutes=15) in {timedelta(seconds=round(it.total_seconds())) for it in spans}
    id = reader.cast.account_id
    sql = "UPDATE subscriber_link SET expires_at = :late WHERE account_id = :id"
    await execute(reader.cast, sql, late=late, id=id)
    fresh = await reader.http.get(link)
    assert fresh.status_code == 303  # to the page of the session
    sql = "UPDATE subscriber_session SET created_at = :old WHERE account_id = :id"
    await execute(reader.cast, sql, old=now() - timedelta(days=30), id=id)
    assert "Send me the link" in await reader.text()
    assert (await reader.http.get(link)).status_code == 404


async def test_an_unknown_address_gets_the_same_answer(stranger: Reader) -> None:
    known = await stranger.ask(EMAIL)
    unknown = await stranger.ask("nobody@reader.test")
    assert unknown.text == known.text.replace(EMAIL, "nobody@reader.test")
    assert [to for to, _ in await sent_emails(stranger.cast)] == [EMAIL]


async def test_many_requests_are_refused_by_address_and_by_network(stranger: Reader) -> None:
    answers = [await stranger.ask(EMAIL) for _ in range(10)]
    assert {answer.status_code for answer in answers} == {200}
    assert len(await sent_emails(stranger.cast)) == 3
    refused = await stranger.ask("other@reader.test")
    assert refused.status_code == 429
    assert "Try again" in refused.text


async def test_many_guesses_are_refused(stranger: Reader) -> None:
    codes = [
        (await stranger.http.post(stranger.address("link", f"guess{n}"))).status_code
        for n in range(22)
    ]
    assert codes[0] == 404
    assert codes[-1] == 429


async def test_signing_out_ends_the_session(reader: Reader) -> None:
    token = reader.http.cookies["masthead_my"]
    done = await reader.post("sign-out")
    assert done.status_code == 303
    assert "Send me the link" in await reader.text()
    reader.http.cookies.set("masthead_my", token, domain="masthead.test")
    assert "Send me the link" in await reader.text()


@for_each("page", GUARDED, ids=str)
async def test_without_a_session_a_page_shows_nothing(stranger: Reader, page: MyRoute) -> None:
    response = await stranger.http.request(method_of(page), path_of(page, stranger.cast.subdomain))
    assert response.status_code == (303 if method_of(page) == "GET" else 401)
    assert "Lovelace" not in response.text


@for_each("page", GUARDED, ids=str)
async def test_the_session_of_the_desk_opens_no_page(
    stranger: Reader, owner: Person, page: MyRoute
) -> None:
    response = await owner.http.request(method_of(page), path_of(page, stranger.cast.subdomain))
    assert response.status_code == (303 if method_of(page) == "GET" else 401)


async def test_the_session_of_a_subscriber_does_not_open_the_desk(reader: Reader) -> None:
    token = reader.http.cookies["masthead_my"]
    reader.http.cookies.set("masthead_my", token, domain="masthead.test")
    reader.http.cookies.set("masthead_session", token, domain="masthead.test")
    response = await reader.http.get(f"/desk/{reader.cast.subdomain}/")
    assert response.status_code == 303
    assert response.headers["Location"].startswith("/sign-in/")


async def test_a_session_belongs_to_one_account(reader: Reader, rival: Cast) -> None:
    await make_issues(rival, 1, 1)
    await make_subscription(rival, email=EMAIL, last_name="Canary")
    await open_page(rival)
    reader.http.cookies.set(
        "masthead_my", reader.http.cookies["masthead_my"], domain="masthead.test"
    )
    page = await reader.http.get(f"/my/{rival.subdomain}/")
    assert "Send me the link" in page.text
    for route in MY_PAGES:
        response = await reader.http.request(method_of(route), path_of(route, rival.subdomain))
        assert "Canary" not in response.text


@pytest.mark.parametrize("change", ["closed", "inactive", "unknown"])
async def test_a_closed_page_is_like_one_that_does_not_exist(reader: Reader, change: str) -> None:
    cast, path = reader.cast, reader.address()
    if change == "closed":
        await switch_all(cast.db, cast.account_id, is_on=False, by=BY)
    elif change == "inactive":
        await accounts.set_account_active(cast.db, cast.account_id, is_active=False, by=BY)
    else:
        path = "/my/nobody/"
    response = await reader.http.get(path)
    assert response.status_code == 404
    assert "There is no such page" in response.text
    assert response.headers["X-Robots-Tag"].startswith("noindex")


async def test_an_erased_subscriber_is_signed_out(reader: Reader) -> None:
    await reader.ask(EMAIL)
    cast = reader.cast
    [subscriber] = (await cast.get("/v1/subscribers/")).json()["items"]
    await erase_subscriber(
        cast.db,
        cast.account_id,
        subscriber["id"],
        is_cancelling=True,
        placeholder_domain=PLACEHOLDER_DOMAIN,
        by=BY,
    )
    assert "Send me the link" in await reader.text()
    assert links_of(await sent_emails(cast)) == []
    await reader.ask(EMAIL)
    assert await sent_emails(cast) == []
    left = "SELECT subscriber_id FROM subscriber_link WHERE account_id = :account_id"
    assert await cast.db.fetch_all(left, {"account_id": cast.account_id}) == []


async def test_whose_merged_subscriber_is_erased_is_signed_out(reader: Reader) -> None:
    cast = reader.cast
    [merged] = (await cast.get("/v1/subscribers/")).json()["items"]
    kept = await make_subscriber(cast, "a.l@reader.test")
    await merge(cast, kept, merged["id"])
    assert "Send me the link" not in await reader.text()
    await erase_subscriber(
        cast.db,
        cast.account_id,
        kept,
        is_cancelling=True,
        placeholder_domain=PLACEHOLDER_DOMAIN,
        by=BY,
    )
    # Not only because its sessions are deleted
    proof = SubscriberSession("", merged["id"], digest_of_email(email_key(EMAIL)))
    async with cast.db.read() as db:
        assert await find_proven(db, cast.account_id, proof) is None
    assert "Send me the link" in await reader.text()


async def test_who_was_deleted_with_an_import_is_signed_out(reader: Reader) -> None:
    gone = "UPDATE subscriber_session SET subscriber_id = 'GONE' WHERE account_id = :account_id"
    await execute(reader.cast, gone)
    assert "Send me the link" in await reader.text()


async def test_a_link_does_only_what_it_was_sent_for(reader: Reader) -> None:
    cast = reader.cast
    await reader.ask(EMAIL)
    await reader.send("email", email="ada@new.test")
    tokens = {link.split("/")[3]: link.split("/")[4] for link in links_of(await sent_emails(cast))}
    async with cast.db.read() as db:
        account = await get_account(db, cast.account_id)
    page = MyPage(account=account, url="https://x.test/", domain="acme.test", locale="en_GB")
    assert await use_link(cast.db, cast.account_id, tokens["confirm"]) is None
    assert await confirm(cast.db, page, tokens["link"]) is EmailConfirmation.EXPIRED
    only = SelfService(is_open=True, actions=frozenset({Action.NAME}))
    await update_settings(cast.db, cast.account_id, only, by=BY)
    assert await confirm(cast.db, page, tokens["confirm"]) is EmailConfirmation.EXPIRED
    assert await use_link(cast.db, cast.account_id, tokens["link"])


async def test_a_corrected_email_ends_sessions_and_links(reader: Reader) -> None:
    cast = reader.cast
    await reader.ask(EMAIL)
    [link] = links_of(await sent_emails(cast))
    [subscriber] = (await cast.get("/v1/subscribers/")).json()["items"]
    await cast.patch(f"/v1/subscribers/{subscriber['id']}/", {"email": "new@reader.test"})
    assert "Send me the link" in await reader.text()
    assert (await reader.http.get(link)).status_code == 404


async def test_a_scanned_label_asks_for_the_email_and_then_shows_its_copy(
    stranger: Reader, browsers: Browsers
) -> None:
    cast = stranger.cast
    await make_subscription(cast, email="eve@reader.test", last_name="Canary")
    [issue] = [each for each in await walk(cast, "/v1/issues/") if each["number"] == 1]
    run = await make_dispatch(cast, issue["id"])
    lines = {
        each["last_name"]: each for each in await walk(cast, f"/v1/dispatches/{run['id']}/lines/")
    }
    await cast.post(f"/v1/dispatches/{run['id']}/mark-sent/", {})
    scanned = {"key": lines["Lovelace"]["key"]}
    page = await stranger.http.get(stranger.address(), params=scanned)
    assert "Type the email address that you gave us" in page.text
    assert "Lovelace" not in page.text
    phone = Reader(browsers(), cast)  # the link is opened on another device
    for typed, opens in ((lines["Lovelace"]["key"], True), (lines["Canary"]["key"], False)):
        asked = await stranger.scan(typed.lower(), EMAIL)
        assert "an email is on its way" in asked.text
        [link] = links_of(await sent_emails(cast))
        assert link.endswith(f"/?key={typed}")
        assert f'action="{link}"' in (await phone.http.get(link)).text
        signed_in = await phone.post_at(link)
        page = await phone.http.get(signed_in.headers["Location"])
        if not opens:
            assert "Ada Lovelace" in page.text
            assert "Canary" not in page.text
            continue
        label = phone.address("label", lines["Lovelace"]["copy_id"])
        assert page.headers["Location"] == label
        page = await phone.http.get(label)
        assert "How can we help?" in page.text
        assert f"/copies/{lines['Lovelace']['copy_id']}/" in page.text
        assert "when=from_day" in page.text
        assert "when=days" in page.text
    other = await phone.http.get(phone.address("label", lines["Canary"]["copy_id"]))
    assert other.status_code == 404
    await phone.send("copies", lines["Lovelace"]["copy_id"])
    assert "You told us already" in await phone.text("label", lines["Lovelace"]["copy_id"])
    assert "you told us that it did not arrive" in await phone.text()


@pytest.mark.parametrize("key", ["", "AAAAAAAAA", "x&next=//evil.example", "<b>", "9" * 300])
async def test_a_text_that_is_no_key_is_not_in_the_email(stranger: Reader, key: str) -> None:
    await stranger.scan(key, EMAIL)
    [link] = links_of(await sent_emails(stranger.cast))
    assert link.endswith("/")
    signed_in = await stranger.post_at(link)
    assert signed_in.headers["Location"] == stranger.address()
