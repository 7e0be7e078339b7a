"""Attacks on the pages for subscribers. docs/self-service-attacks.md lists all of them."""

import re
from http.cookies import SimpleCookie

import pytest
from starlette.applications import Starlette
from starlette.responses import Response

from masthead.model.self_service.settings import ALL_ON, SelfService
from masthead.services.letters.subscribers import mark_bounced
from masthead.services.privacy.erase import erase_subscriber
from masthead.services.self_service.settings import update_settings
from masthead.web.kit.cookies import Cookies
from masthead.web.subscriber_pages.routes import MY_PAGES
from tests.conftest import BY, Cast
from tests.support.billing import newest_invoices, turn_on_billing
from tests.support.factories import PLACEHOLDER_DOMAIN, make_issues, make_subscription
from tests.support.subscriber_pages import Reader, links_of, open_page, sent_emails
from tests.web.conftest import Browsers
from tests.web.subscriber_pages.conftest import EMAIL
from tests.web.subscriber_pages.test_actions import only_subscription, send_copies, subscriber_id
from tests.web.subscriber_pages.test_sign_in import path_of

SCRIPT = "<script>alert(1)</script>"
LIMIT = 30_000  # bytes of a page with its style


async def every_page(reader: Reader) -> dict[str, str]:
    """The path of each page of a subscriber who has everything, by route."""
    cast = reader.cast
    await turn_on_billing(cast, has_issue=True)
    settings = SelfService(
        is_open=True,
        actions=ALL_ON,
        introduction=f"Hello {SCRIPT}",
        contact=f"Call us {SCRIPT}",
        renewal_url="https://shop.example/?ref={reference}",
    )
    await update_settings(cast.db, cast.account_id, settings, by=BY)
    id = str((await only_subscription(cast))["id"])
    [copy, _] = await send_copies(cast, id)
    assert (await reader.send("renew", id)).status_code == 303
    page = await reader.text("invoices")
    [invoice] = re.findall(r"/invoices/(\w+)/", page)
    ids = {"copies": copy, "label": copy, "renew": id, "renewals": id, "invoices": invoice}
    return {
        route.path: route.path.format(
            subdomain=cast.subdomain,
            id=ids.get(route.path.split("/")[3], ""),
            token="x" * 43,
            group="x",
        )
        for route in MY_PAGES
        if "GET" in route.methods
    }


@pytest.mark.parametrize("language", ["de", "en"])
async def test_every_page_is_small_kept_by_nobody_and_in_no_frame(
    reader: Reader, language: str
) -> None:
    paths = await every_page(reader)
    reader.http.headers["Accept-Language"] = language
    style = await reader.http.get(
        re.findall(r'href="(/static/[^"]+my\.css)"', await reader.text())[0]
    )
    for route, path in paths.items():
        page = await reader.http.get(path)
        assert page.headers["Content-Security-Policy"], route
        if route.endswith(("/colours/", "/logo/")):
            continue  # the same for everyone
        assert page.headers["X-Robots-Tag"] == "noindex, nofollow, noarchive", route
        assert page.headers["Cache-Control"] == "no-store", route
        assert page.headers["Referrer-Policy"] in ("same-origin", "no-referrer"), route
        assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"], route
        if page.headers.get("Content-Type", "").startswith("text/html"):
            assert '<meta name="robots" content="noindex, nofollow, noarchive">' in page.text
            assert len(page.content) + len(style.content) < LIMIT, route
            assert f'<html lang="{language}">' in page.text
            assert "<script" not in page.text, route
            loaded = re.findall(r'src="([^"]*)"', page.text)
            assert all(each.startswith(("/my/", "data:")) for each in loaded), route


async def test_texts_of_owners_and_subscribers_are_never_code(reader: Reader) -> None:
    done = await reader.send("name", last_name=SCRIPT)
    assert done.status_code == 303, done.text
    for path in (await every_page(reader)).values():
        page = await reader.http.get(path)
        assert SCRIPT not in page.text
    page_text = await reader.text()
    assert "Hello &lt;script&gt;" in page_text
    assert "Ada &lt;script&gt;" in page_text


async def test_no_form_can_be_sent_from_another_site(reader: Reader) -> None:
    for headers in (
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://evil.test"},
        {"Origin": "null"},
    ):
        for route in MY_PAGES:
            if "POST" in route.methods:
                path = path_of(route, reader.cast.subdomain)
                response = await reader.http.post(path, headers=headers)
                assert response.status_code == 403, (route.path, headers)
    assert "Ada Lovelace" in await reader.text()


async def test_no_address_leads_to_another_site(reader: Reader) -> None:
    evil = "https://evil.test/"
    for route in MY_PAGES:
        path = path_of(route, reader.cast.subdomain)
        for method in route.methods.split():
            response = await reader.http.request(
                method, f"{path}?next={evil}&done={evil}&of={evil}&key={evil}", data={"next": evil}
            )
            assert response.headers.get("Location", "/my/").startswith("/my/"), route.path
            assert f'href="{evil}' not in response.text
    response = await reader.http.get(f"/my//evil.test/{reader.cast.subdomain}/")
    assert response.status_code == 404


async def test_the_link_has_the_address_of_the_service_and_not_of_the_request(
    stranger: Reader,
) -> None:
    http = stranger.http
    headers = {
        "Host": "evil.test",
        "X-Forwarded-Host": "evil.test",
        "Sec-Fetch-Site": "same-origin",
    }
    response = await http.post(stranger.address(), data={"email": EMAIL}, headers=headers)
    assert response.status_code == 200
    [(_, body)] = await sent_emails(stranger.cast)
    assert "evil.test" not in body
    assert links_of([("", body)])


async def test_the_host_name_of_a_page_has_no_pages_of_others(
    app: Starlette, acme: Cast, rival: Cast, reader: Reader
) -> None:
    await open_page(rival)
    http, page = reader.http, reader.address()
    await http.get(f"/my/{rival.subdomain}/")

    async def statuses(path: str, *hosts: str) -> set[int]:
        return {(await http.get(path, headers={"Host": host})).status_code for host in hosts}

    app.state.web.subscriber_hosts.update({"my.acme.test": acme.subdomain})
    own = ("my.acme.test", "MY.ACME.TEST:443", "my.acme.test.")
    others = (f"/my/{rival.subdomain}/", "/sign-in/", f"/desk/{acme.subdomain}/", "/you/")
    try:
        assert await statuses(page, *own) == {200}
        assert await statuses("/", *own) == {303}
        for path in others:
            assert await statuses(path, *own) == {404}, path
            assert await statuses(path, "masthead.test") <= {200, 303}, path
        stolen = await http.post("/sign-in/", data={}, headers={"Host": "my.acme.test"})
        assert stolen.status_code == 404
        assert "set-cookie" not in stolen.headers
    finally:
        app.state.web.subscriber_hosts.clear()


@pytest.mark.parametrize(
    "typed",
    [
        f"{EMAIL}\r\nBcc: eve@reader.test",
        f"{EMAIL}%0d%0aBcc:eve@reader.test",
        f"{EMAIL},eve@reader.test",
        f"Eve <eve@reader.test> {EMAIL}",
        "аda@reader.test",
        "ada@reader.test\0",
        "' OR 1=1 --@reader.test",
        "a" * 5_000 + "@reader.test",
    ],
)
async def test_a_strange_address_sends_nothing_to_it(stranger: Reader, typed: str) -> None:
    response = await stranger.ask(typed)
    assert response.status_code in (200, 400)
    assert "Lovelace" not in response.text
    assert {to for to, _ in await sent_emails(stranger.cast)} <= {EMAIL}


async def test_an_address_that_looks_alike_gets_no_link(stranger: Reader) -> None:
    await make_subscription(stranger.cast, email="kate@reader.test")
    await stranger.ask("\u212aate@reader.test")  # a Kelvin sign, whose small letter is a k
    assert [to for to, _ in await sent_emails(stranger.cast)] in ([], ["kate@reader.test"])


async def test_a_bounced_address_gets_the_same_answer(stranger: Reader) -> None:
    cast = stranger.cast
    id = await subscriber_id(cast)
    await mark_bounced(cast.db, cast.account_id, id, reason="550 no such user", by=BY)
    asked = await stranger.ask(EMAIL)
    assert "an email is on its way" in asked.text
    assert [to for to, _ in await sent_emails(cast)] == [EMAIL]  # the box may work again


async def test_people_who_share_an_address_are_one_subscriber(reader: Reader) -> None:
    await make_subscription(
        reader.cast, email=EMAIL.upper(), first_name="Charles", address1="Other 9", city="Ulm"
    )
    page = await reader.text()
    assert "Lindenstr. 4" in page
    assert "Other 9" in page


async def test_signing_in_replaces_the_session_of_before(reader: Reader) -> None:
    jar, path = reader.http.cookies, f"/my/{reader.cast.subdomain}"
    planted = str(jar["masthead_my"])
    await reader.sign_in(EMAIL)
    assert jar["masthead_my"] != planted
    await reader.post("sign-out")
    assert "Send me the link" in await reader.text()
    jar.set("masthead_my", "A" * 43, domain="masthead.test", path=path)  # without a signature
    assert "Send me the link" in await reader.text()


def test_a_cookie_belongs_to_one_publisher_and_to_https() -> None:
    response = Response()
    cookies = Cookies(b"s" * 32, is_secure=True)
    cookies.set_subscriber(response, "token", path="/my/acme")
    cookies.set_reading(response, "token", path="/my/acme")
    for header in response.headers.getlist("Set-Cookie"):
        [cookie] = SimpleCookie(header).values()
        assert cookie.key.startswith("__Secure-masthead_my")
        assert cookie["path"] == "/my/acme"
        assert cookie["domain"] == ""
        assert cookie["secure"]
        assert cookie["httponly"]
        assert cookie["samesite"] == "lax"


async def test_large_bodies_and_many_fields_are_refused(reader: Reader) -> None:
    headers = {"Sec-Fetch-Site": "same-origin"}
    large = await reader.http.post(
        reader.address("name"), data={"last_name": "a" * 2_000_000}, headers=headers
    )
    assert large.status_code == 413
    many = {f"field{number}": "a" for number in range(20_000)}
    refused = await reader.http.post(reader.address("name"), data=many, headers=headers)
    assert refused.status_code in (400, 413)
    long = await reader.send("name", last_name="a" * 5_000)
    assert long.status_code == 400
    assert "Ada Lovelace" in await reader.text()


async def test_a_second_wish_for_an_email_address_ends_the_first(
    reader: Reader, browsers: Browsers
) -> None:
    assert (await reader.send("email", email="first@new.test")).status_code == 303
    first = await sent_emails(reader.cast)
    assert (await reader.send("email", email="second@new.test")).status_code == 303
    second = await sent_emails(reader.cast)
    assert len(first) == len(second) == 2
    http = browsers()
    for link in links_of(first):
        assert (await http.post(link)).status_code == 404
    old, new = (
        next(path for to, body in second if to == each for path in links_of([(to, body)]))
        for each in (EMAIL, "second@new.test")
    )
    assert (await http.post(old)).status_code == 200
    assert EMAIL in await reader.text()  # one of the two is not enough
    assert (await http.post(new)).status_code == 200
    await reader.sign_in("second@new.test")
    assert "second@new.test" in await reader.text()


async def test_paths_that_are_made_up_show_nothing(reader: Reader) -> None:
    for path in (
        "copies/%00/",
        "copies/-1/",
        "copies/99999999999999999999/",
        "renewals/%2e%2e%2f/",
        "invoices/%27/",
        f"invoices/{'a' * 5_000}/",
        "read/%00/",
        "link/%F0%9F%98%80/",
        "address/%27/cancel/",
    ):
        response = await reader.http.get(reader.address() + path)
        assert response.status_code in (303, 404, 405), path
        assert response.headers.get("Location", reader.address()) == reader.address()
        assert "Traceback" not in response.text


async def test_the_ids_of_others_show_nothing(
    reader: Reader, rival: Cast, browsers: Browsers
) -> None:
    paths = await every_page(reader)
    [invoice] = [each.document.number for each in await newest_invoices(reader.cast)]
    await make_subscription(reader.cast, email="eve@reader.test")
    await make_issues(rival, 1, 1)
    await make_subscription(rival, email="eve@reader.test")
    await open_page(rival)
    for number, cast in enumerate((reader.cast, rival)):
        eve = Reader(browsers(), cast)
        eve.http.headers["X-Forwarded-For"] = f"2001:db8:99:{number}::1"
        await eve.sign_in("eve@reader.test")
        for path in paths.values():
            own = path.replace(f"/{reader.cast.subdomain}/", f"/{cast.subdomain}/")
            for method in ("GET", "POST"):
                page = await eve.http.request(method, own)
                for canary in ("Lovelace", "Lindenstr", EMAIL, invoice):
                    assert canary not in page.text, (method, own)


async def test_the_download_has_only_the_data_of_the_subscriber(reader: Reader) -> None:
    await make_subscription(reader.cast, email="eve@reader.test", last_name="Canary")
    done = await reader.send("data")
    assert done.json()["email"] == EMAIL
    assert "Canary" not in done.text
    assert reader.http.cookies["masthead_my"].partition(".")[0] not in done.text
    assert "digest" not in done.text


async def test_an_erased_address_gets_the_answer_of_an_unknown_one(stranger: Reader) -> None:
    cast = stranger.cast
    await erase_subscriber(
        cast.db,
        cast.account_id,
        await subscriber_id(cast),
        is_cancelling=True,
        placeholder_domain=PLACEHOLDER_DOMAIN,
        by=BY,
    )
    erased, unknown = await stranger.ask(EMAIL), await stranger.ask("nobody@reader.test")
    assert erased.text == unknown.text.replace("nobody@reader.test", EMAIL)
    assert await sent_emails(cast) == []


async def test_what_needs_invoices_does_not_exist_without_billing(reader: Reader) -> None:
    id = (await only_subscription(reader.cast))["id"]
    for path in (("renew", id), ("invoices",)):
        response = await reader.http.get(reader.address(*path))
        assert response.status_code == 404
    assert "/renew/" not in await reader.text()
