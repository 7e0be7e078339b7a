"""Sign-in, invitations, passwords and users in a real browser; axe checks each page."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.web.browser.conftest import (
    PASSWORD,
    Publication,
    new_publication,
    save_screenshot,
    set_password_and_sign_in,
)

pytestmark = pytest.mark.slow

OTHER = "another harbour, at dusk"


def check_accessibility(page: Page, name: str) -> None:
    """Fail if axe finds a violation; save a screenshot if `MASTHEAD_TEST_PICTURES` is set."""
    save_screenshot(page, name)
    found: Any = Axe().run(page, options={"resultTypes": ["violations"]}).response
    assert found["violations"] == []


def fill_in(page: Page, fields: dict[str, str], button: str) -> None:
    """Fill in a form, submit it, and wait for the next page."""
    for label, text in fields.items():
        page.get_by_label(label, exact=True).fill(text)
    follow(page.get_by_role("button", name=button, exact=True))


def follow(control: Locator) -> None:
    """Click on a link or a button, and wait for the next page: a click does not."""
    with control.page.expect_navigation():
        control.click()


def test_the_first_owner_sets_a_password_and_signs_in_with_it(
    page: Page, publication: Publication
) -> None:
    page.goto(publication.link)
    fill_in(page, {"New password": "password1234"}, "Set password")
    expect(page.get_by_role("alert")).to_contain_text("was not set")
    expect(page.get_by_label("New password", exact=True)).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_text("too common")).to_be_visible()
    fill_in(page, {"New password": PASSWORD}, "Set password")
    page.wait_for_url(publication.at())
    expect(page.get_by_role("status")).to_have_text("Your password is set.")

    page.locator("summary:has(.who)").click()
    page.get_by_role("button", name="Sign out", exact=True).click()
    expect(page.get_by_role("status")).to_have_text("You are signed out.")
    page.goto(publication.link)
    expect(page.get_by_role("heading", level=1)).to_have_text("This link no longer works")

    page.goto(publication.at("settings", "users"))
    fill_in(page, {"Email address": publication.owner, "Password": "wrong"}, "Sign in")
    expect(page.get_by_text("do not match")).to_be_visible()
    expect(page.get_by_label("Email address")).to_have_value(publication.owner)
    fill_in(page, {"Password": PASSWORD}, "Sign in")
    page.wait_for_url(publication.at("settings", "users"))


def test_a_user_can_be_invited_promoted_and_removed(
    page: Page, publication: Publication, make_browser_context: Callable[..., BrowserContext]
) -> None:
    email = f"cleo@{publication.subdomain}.test"
    set_password_and_sign_in(page, publication)
    page.goto(publication.at("settings", "users"))
    page.get_by_role("button", name="Invite a user").click()
    fill_in(page, {"Email address": email}, "Invite")
    link = page.locator("#link").inner_text()

    theirs = make_browser_context(java_script_enabled=False).new_page()
    theirs.goto(link)
    fill_in(theirs, {"New password": OTHER}, "Set password")
    theirs.wait_for_url(publication.at())
    expect(theirs.get_by_role("link", name="Settings")).to_have_count(0)
    theirs.goto(publication.at("settings", "users"))
    expect(theirs.get_by_role("heading", level=1)).to_have_text("Owners only")

    page.get_by_role("button", name="Back to the users").click()
    page.get_by_role("link", name=email).click()
    page.get_by_label("Owner: everything").check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_have_text(f"{email} is now an owner.")
    theirs.goto(publication.at("settings", "users"))
    expect(theirs.get_by_role("heading", level=1)).to_have_text("Users")

    page.get_by_role("link", name=email).click()
    page.get_by_role("button", name="Remove …").click()
    expect(page.get_by_text("They have no API keys.")).to_be_visible()
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_role("status")).to_have_text(f"{email} is removed from Lantern.")
    theirs.goto(publication.at())
    expect(theirs.get_by_role("heading", level=1)).to_have_text("Sign in")


def test_users_can_change_their_password_on_their_profile(
    page: Page, publication: Publication
) -> None:
    set_password_and_sign_in(page, publication)
    page.locator("summary:has(.who)").click()
    page.get_by_role("link", name="Your profile").click()
    fill_in(page, {"Current password": "wrong", "New password": OTHER}, "Change password")
    expect(page.get_by_text("This is not your current password.")).to_be_visible()
    fill_in(page, {"Current password": PASSWORD, "New password": OTHER}, "Change password")
    expect(page.get_by_role("status")).to_contain_text("Your password is changed.")
    page.get_by_role("button", name="Sign out everywhere").click()
    fill_in(page, {"Email address": publication.owner, "Password": OTHER}, "Sign in")
    page.wait_for_url(publication.at())


def test_users_can_end_a_session_in_another_browser(
    page: Page, publication: Publication, make_browser_context: Callable[..., BrowserContext]
) -> None:
    set_password_and_sign_in(page, publication)
    lost = make_browser_context().new_page()
    lost.goto(f"{publication.stage.server.url}/sign-in/")
    fill_in(lost, {"Email address": publication.owner, "Password": PASSWORD}, "Sign in")
    page.goto(f"{publication.stage.server.url}/you/")
    expect(page.get_by_text("(this browser)")).to_have_count(1)
    page.get_by_role("button", name="End this session").click()
    expect(page.get_by_role("status")).to_contain_text("The session is ended.")
    expect(page.get_by_role("button", name="End this session")).to_have_count(0)
    lost.goto(publication.at())
    expect(lost.get_by_role("heading", level=1)).to_have_text("Sign in")
    page.goto(publication.at("settings", "users"))
    page.get_by_role("link", name=publication.owner).click()
    expect(page.get_by_text("Signed in, new browser")).to_have_count(1)


def test_a_user_of_another_account_can_accept_an_invitation(
    page: Page, publication: Publication, make_browser_context: Callable[..., BrowserContext]
) -> None:
    other = new_publication(publication.stage)
    set_password_and_sign_in(page, other)
    theirs = make_browser_context().new_page()
    set_password_and_sign_in(theirs, publication)
    theirs.goto(publication.at("settings", "users", "new"))
    fill_in(theirs, {"Email address": other.owner}, "Invite")
    link = theirs.locator("#link").inner_text()
    page.context.clear_cookies()
    page.goto(link)
    expect(page.get_by_role("status")).to_have_text("Sign in to accept the invitation.")
    fill_in(page, {"Email address": other.owner, "Password": PASSWORD}, "Sign in")
    expect(page.get_by_role("heading", level=1)).to_have_text("Invitation to Lantern")
    page.get_by_role("button", name="Accept").click()
    page.wait_for_url(publication.at())
    expect(page.get_by_role("status")).to_have_text("You are now a user of Lantern.")


def test_a_button_copies_a_link(
    publication: Publication, make_browser_context: Callable[..., BrowserContext]
) -> None:
    context = make_browser_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    set_password_and_sign_in(page, publication)
    page.goto(publication.at("settings", "users", "new"))
    fill_in(page, {"Email address": f"cleo@{publication.subdomain}.test"}, "Invite")
    page.get_by_role("button", name="Copy the link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.locator("#link").inner_text()


@pytest.mark.parametrize("width, scheme", [(1280, "light"), (360, "dark")])
def test_the_pages_of_sign_in_and_users_are_accessible(
    publication: Publication,
    make_browser_context: Callable[..., BrowserContext],
    width: int,
    scheme: Any,
) -> None:
    page = make_browser_context(
        viewport={"width": width, "height": 800}, color_scheme=scheme
    ).new_page()
    page.goto(publication.link)
    check_accessibility(page, f"link-{width}")
    fill_in(page, {"New password": "short"}, "Set password")
    check_accessibility(page, f"link-refused-{width}")
    page.goto(f"{publication.stage.server.url}/sign-in/")
    check_accessibility(page, f"sign-in-{width}")
    fill_in(page, {"Email address": publication.owner, "Password": "wrong"}, "Sign in")
    check_accessibility(page, f"sign-in-refused-{width}")
    set_password_and_sign_in(page, publication)
    page.goto(publication.link)
    check_accessibility(page, f"link-over-{width}")
    page.goto(f"{publication.stage.server.url}/you/")
    check_accessibility(page, f"you-{width}")
    page.goto(publication.at("settings", "users", "new"))
    fill_in(page, {"Email address": "nobody@nowhere"}, "Invite")
    check_accessibility(page, f"user-invite-refused-{width}")
    fill_in(page, {"Email address": f"cleo@{publication.subdomain}.test"}, "Invite")
    check_accessibility(page, f"user-invited-{width}")
    page.goto(publication.at("settings", "users"))
    check_accessibility(page, f"users-{width}")
    page.get_by_role("link", name=re.compile("^cleo@")).click()
    page.wait_for_url(re.compile(r"/users/\w{31}/$"))
    check_accessibility(page, f"user-{width}")
    page.get_by_role("button", name="Remove …").click()
    page.wait_for_url("**/remove/")
    check_accessibility(page, f"user-remove-{width}")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
