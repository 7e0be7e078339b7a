"""Two-step sign-in in a real browser: an app, recovery codes and passkeys."""

import re
from collections.abc import Callable, Iterator
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import BrowserContext, CDPSession, Page, Request, expect

from tests.services.identity.factors import code_of
from tests.support.ports import reserved_port
from tests.support.serving import serve
from tests.web.browser.conftest import PASSWORD, Publication, Stage, set_password_and_sign_in
from tests.web.browser.test_people import check_accessibility, fill_in, follow

pytestmark = pytest.mark.slow

WIDTHS = [(1280, "light"), (390, "dark")]


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """A server with a host name, because browsers refuse passkeys for IP addresses."""
    folder = tmp_path_factory.mktemp("two-step")
    url = f"sqlite:///{folder / 'masthead.db'}"
    with (
        reserved_port() as port,
        serve(
            url,
            folder / "log",
            environment={"MASTHEAD_PUBLIC_URL": f"http://localhost:{port}"},
            port=port,
        ) as server,
    ):
        server.url = f"http://localhost:{port}"
        stage = Stage(server, url)
        yield stage
        stage.say("check")


def give_authenticator(page: Page) -> tuple[CDPSession, str]:
    """Add a virtual authenticator to a page; return its ID."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    added = session.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    return session, str(added["authenticatorId"])


def add_app(page: Page, base: str) -> tuple[str, list[str]]:
    """Add an authenticator app; return its key and the recovery codes.

    The current code adds the app, and the next one signs in: each is valid for at least 30 seconds.
    """
    page.goto(f"{base}/you/two-step/")
    page.get_by_role("button", name="Add an authenticator app").click()
    secret = page.locator("code.key").inner_text().replace(" ", "")
    fill_in(page, {"Code from the app": code_of(secret)}, "Add")
    return secret, page.locator("#codes").inner_text().split()


def add_passkey(page: Page, name: str) -> None:
    """Add a passkey, from the overview."""
    page.get_by_role("button", name="Add a passkey").click()
    fill_in(page, {"Name": name}, "Add the passkey")


def sign_out(page: Page, publication: Publication) -> None:
    page.goto(f"{publication.stage.server.url}/help/")
    page.locator("summary:has(.who)").click()
    page.get_by_role("button", name="Sign out", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")


def type_password(page: Page, publication: Publication) -> None:
    fields = {"Email address": publication.owner, "Password": PASSWORD}
    fill_in(page, fields, "Sign in")


def replay(request: Request, *cookies: str) -> httpx.Response:
    """Send a recorded request of the browser again. cookies: further ones, which come first."""
    headers = {**request.all_headers(), "accept-encoding": "identity"}
    headers["cookie"] = "; ".join((headers["cookie"], *cookies))  # the last one of a name counts
    answer = httpx.post(
        request.url, headers=headers, content=request.post_data_buffer, trust_env=False
    )
    assert "masthead_session" not in answer.headers.get("set-cookie", "")
    return answer


def assert_refused(answer: httpx.Response) -> None:
    """Fail if a sign-in with a passkey was accepted."""
    assert (answer.status_code, "was refused" in answer.text) == (HTTPStatus.BAD_REQUEST, True)


def cookies_of(page: Page) -> list[str]:
    return [f"{each['name']}={each['value']}" for each in page.context.cookies()]


def is_second_step(request: Request) -> bool:
    return request.method == "POST" and urlsplit(request.url).path == "/sign-in/second-step/"


def relay(page: Page, base: str, origin: str) -> httpx.Response:
    """Sign in with the answer that a passkey gives to a page of an origin, as a phisher does."""
    options = httpx.post(f"{base}/sign-in/passkey/options/", trust_env=False)
    page.route(f"{origin}/trap/", lambda route: route.fulfill(content_type="text/html"))
    page.goto(f"{origin}/trap/")
    answer = page.evaluate(
        """async (options) => JSON.stringify(await navigator.credentials.get(
            {publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options)}))""",
        options.json(),
    )
    headers = {"Cookie": options.headers["set-cookie"].split(";")[0], "Origin": base}
    sent = {"answer": answer}
    return httpx.post(f"{base}/sign-in/passkey/", data=sent, headers=headers, trust_env=False)


def test_an_app_and_a_recovery_code_work_with_and_without_javascript(
    page: Page, publication: Publication
) -> None:
    base = publication.stage.server.url
    set_password_and_sign_in(page, publication)
    secret, codes = add_app(page, base)
    assert len(codes) == 10
    page.get_by_role("button", name="I have saved them").click()
    expect(page.get_by_text("10 of 10 recovery codes are left")).to_be_visible()

    sign_out(page, publication)
    type_password(page, publication)
    expect(page.get_by_role("heading", level=1)).to_have_text("Second step")
    fill_in(page, {"Code from your authenticator app": "000000"}, "Sign in")
    expect(page.get_by_text("This code does not match")).to_be_visible()
    fill_in(page, {"Code from your authenticator app": code_of(secret, steps=1)}, "Sign in")
    page.wait_for_url(publication.at())

    sign_out(page, publication)
    type_password(page, publication)
    page.get_by_text("Use a recovery code").click()
    fill_in(page, {"Recovery code": codes[0].lower()}, "Sign in with the recovery code")
    page.wait_for_url(publication.at())
    page.goto(f"{base}/you/two-step/")
    expect(page.get_by_text("9 of 10 recovery codes are left")).to_be_visible()
    page.get_by_role("button", name="Remove …").click()
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.get_by_text("Two-step sign-in is off")).to_be_visible()


def test_a_passkey_can_be_added_used_to_sign_in_and_removed(
    script_page: Page, publication: Publication
) -> None:
    page, base = script_page, publication.stage.server.url
    session, authenticator = give_authenticator(page)
    set_password_and_sign_in(page, publication)
    page.goto(f"{base}/you/two-step/")
    add_passkey(page, "Laptop")
    assert len(page.locator("#codes").inner_text().split()) == 10
    kept = session.send("WebAuthn.getCredentials", {"authenticatorId": authenticator})
    (credential,) = kept["credentials"]
    assert (credential["rpId"], credential["isResidentCredential"]) == ("localhost", True)

    page.goto(f"{base}/you/two-step/")
    page.get_by_role("button", name="Add a passkey").click()
    page.get_by_label("Name").fill("Again")
    page.get_by_role("button", name="Add the passkey").click()
    expect(page.get_by_text("This device already has a passkey for you.")).to_be_visible()

    sign_out(page, publication)
    with page.expect_request(f"{base}/sign-in/passkey/") as sent:
        page.get_by_role("button", name="Sign in with a passkey").click()
    page.wait_for_url(publication.at())
    sign_in, signed_in = sent.value, cookies_of(page)
    assert_refused(replay(sign_in))
    assert_refused(replay(sign_in, *signed_in))

    sign_out(page, publication)
    other = httpx.post(f"{base}/sign-in/passkey/options/", trust_env=False)
    for cookies in (list[str](), signed_in, other.headers["set-cookie"].split(";")[:1]):
        assert_refused(replay(sign_in, *cookies))
    assert relay(page, base, base).status_code == HTTPStatus.SEE_OTHER
    assert_refused(relay(page, base, "http://localhost:9"))  # the same host, so browsers allow it
    page.goto(f"{base}/sign-in/")
    type_password(page, publication)
    with page.expect_request(is_second_step) as sent:
        page.get_by_role("button", name="Use a passkey").click()
    page.wait_for_url(publication.at())
    for cookies in (list[str](), cookies_of(page)):
        assert replay(sent.value, *cookies).headers["location"].startswith("/sign-in/")

    page.goto(f"{base}/you/two-step/")
    expect(page.get_by_role("cell", name="Never")).to_have_count(0)
    page.get_by_role("link", name="Remove Laptop").click()
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_text("Two-step sign-in is off")).to_be_visible()
    sign_out(page, publication)
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.get_by_text("This passkey is unknown.")).to_be_visible()


def test_a_passkey_request_that_is_not_confirmed_can_be_repeated(
    script_page: Page, publication: Publication
) -> None:
    page, base = script_page, publication.stage.server.url
    session, authenticator = give_authenticator(page)
    set_password_and_sign_in(page, publication)
    verified = {"authenticatorId": authenticator, "isUserVerified": False}
    session.send("WebAuthn.setUserVerified", verified)
    page.goto(f"{base}/you/two-step/passkeys/new/")
    page.get_by_label("Name").fill("Laptop")
    page.get_by_role("button", name="Add the passkey").click()
    expect(page.get_by_text("The passkey request was cancelled")).to_be_visible()
    session.send("WebAuthn.setUserVerified", {**verified, "isUserVerified": True})
    fill_in(page, {}, "Add the passkey")
    expect(page.get_by_role("heading", level=1)).to_have_text("Recovery codes")


def test_at_another_address_the_page_says_where_passkeys_work(
    script_page: Page, publication: Publication
) -> None:
    base = publication.stage.server.url
    script_page.goto(f"{base.replace('localhost', '127.0.0.1')}/sign-in/")
    expect(script_page.get_by_text(f"Passkeys work only at {base}.")).to_be_visible()
    expect(script_page.get_by_role("button", name="Sign in with a passkey")).to_have_count(0)


def test_without_javascript_the_pages_offer_only_what_works(
    publication: Publication, make_browser_context: Callable[..., BrowserContext]
) -> None:
    page, base = (
        make_browser_context(java_script_enabled=False).new_page(),
        publication.stage.server.url,
    )
    page.goto(f"{base}/sign-in/")
    expect(page.get_by_role("button", name="Sign in with a passkey")).to_be_hidden()
    set_password_and_sign_in(page, publication)
    page.goto(f"{base}/you/two-step/passkeys/new/")
    expect(page.get_by_text("Passkeys need JavaScript")).to_be_visible()
    fill_in(page, {"Name": "Laptop"}, "Add the passkey")
    expect(page.get_by_role("alert").first).to_contain_text("Your browser sent no passkey")


def test_an_account_that_requires_two_step_sign_in_asks_to_set_it_up(
    page: Page, publication: Publication, make_browser_context: Callable[..., BrowserContext]
) -> None:
    base = publication.stage.server.url
    set_password_and_sign_in(page, publication)
    page.goto(publication.at("settings", "account"))
    page.get_by_label("Require two-step sign-in for all users of this account").check()
    fill_in(page, {}, "Save")
    expect(page.get_by_text("Set up two-step sign-in for yourself first").first).to_be_visible()
    add_app(page, base)
    page.goto(publication.at("settings", "account"))
    page.get_by_label("Require two-step sign-in for all users of this account").check()
    fill_in(page, {}, "Save")
    expect(page.get_by_role("status")).to_have_text("The account is saved.")

    made = publication.stage.run(
        *"user invite --account".split(),
        publication.subdomain,
        "--email",
        f"cleo@{publication.subdomain}.test",
    )
    theirs = make_browser_context(java_script_enabled=False).new_page()
    theirs.goto(made["link"])
    fill_in(theirs, {"New password": "another harbour, at dusk"}, "Set password")
    theirs.wait_for_url("**/you/two-step/")
    expect(theirs.get_by_text("Lantern requires two-step sign-in")).to_be_visible()
    add_app(theirs, base)
    theirs.goto(publication.at())
    expect(theirs.get_by_role("heading", level=1)).to_be_visible()
    assert theirs.url == publication.at()


@pytest.mark.parametrize("width, scheme", WIDTHS)
def test_the_pages_of_two_step_sign_in_are_accessible(
    publication: Publication,
    make_browser_context: Callable[..., BrowserContext],
    width: int,
    scheme: Any,
) -> None:
    page = make_browser_context(
        viewport={"width": width, "height": 800}, color_scheme=scheme
    ).new_page()
    base, name = publication.stage.server.url, f"{width}-{scheme}"

    def see(place: str) -> None:
        check_accessibility(page, f"two-step-{place}-{name}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, place

    give_authenticator(page)
    page.goto(f"{base}/sign-in/")
    see("sign-in")
    set_password_and_sign_in(page, publication)
    page.goto(f"{base}/you/")
    see("you")
    page.goto(f"{base}/you/two-step/")
    see("off")
    follow(page.get_by_role("button", name="Add an authenticator app"))
    see("app")
    fill_in(page, {"Code from the app": "nonsense"}, "Add")
    see("app-refused")
    secret, _ = add_app(page, base)
    see("codes")
    page.goto(f"{base}/you/two-step/")
    follow(page.get_by_role("button", name="Add a passkey"))
    see("passkey-new")
    fill_in(page, {"Name": "A telephone with a long name, kept in the drawer"}, "Add the passkey")
    page.wait_for_url(f"{base}/you/two-step/")
    see("on")
    follow(page.get_by_role("link", name=re.compile("^Remove A telephone")))
    see("passkey-remove")
    page.go_back()
    follow(page.get_by_role("link", name=re.compile("^A telephone")))
    see("passkey-rename")
    page.goto(f"{base}/you/confirm/")
    see("confirm")
    page.goto(publication.at("settings", "account"))
    see("account")
    page.goto(publication.at("settings", "users"))
    see("users")
    sign_out(page, publication)
    type_password(page, publication)
    see("second")
    fill_in(page, {"Code from your authenticator app": "000000"}, "Sign in")
    see("second-refused")
    page.get_by_text("Use a recovery code").click()
    see("second-recovery")
    fill_in(page, {"Code from your authenticator app": code_of(secret, steps=1)}, "Sign in")
    page.wait_for_url(publication.at())
