"""The settings in a real browser; axe checks each page."""

import json
import re
import shlex
import subprocess
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.web.browser.conftest import Publication, set_password_and_sign_in
from tests.web.browser.test_people import check_accessibility, fill_in, follow

pytestmark = pytest.mark.slow


def test_a_key_can_be_created_used_and_revoked(page: Page, publication: Publication) -> None:
    set_password_and_sign_in(page, publication)
    page.get_by_role("link", name="Settings").click()
    page.get_by_role("definition").first.wait_for()
    page.locator("main").get_by_role("link", name="API keys").click()
    page.get_by_role("button", name="Create an API key").click()
    fill_in(page, {"Name": "Web shop"}, "Create the key")
    line = page.locator("#curl").inner_text()
    answer = subprocess.run(
        shlex.split(line), capture_output=True, text=True, check=True, timeout=30
    ).stdout
    assert answer == page.locator("#answer").inner_text()
    assert json.loads(answer)["scope"] == "read_only"

    page.get_by_role("button", name="I have copied the key").click()
    row = page.get_by_role("row", name=re.compile("Web shop"))
    expect(row).to_contain_text("Active")
    row.get_by_role("link", name="Revoke").click()
    page.get_by_role("button", name="Revoke the key").click()
    expect(page.get_by_role("status")).to_contain_text("Web shop is revoked")
    page.get_by_label("Settings").get_by_role("link", name="All settings").click()
    page.locator("main").get_by_role("link", name="Audit log").click()
    expect(page.get_by_role("row", name=re.compile("API key revoked"))).to_contain_text(
        publication.owner
    )


def test_a_right_cannot_be_ticked_without_the_one_that_it_needs(
    publication: Publication, make_browser_context: Callable[..., BrowserContext]
) -> None:
    page = make_browser_context().new_page()
    set_password_and_sign_in(page, publication)
    page.goto(publication.at("settings", "users", "new"))
    page.get_by_label("Only the rights you choose").check()
    imports, money = page.locator("#right-import"), page.locator("#right-see_money")
    expect(imports).to_be_checked()
    money.uncheck()
    expect(imports).not_to_be_checked()
    expect(imports).to_be_disabled()
    money.check()
    imports.check()
    check_accessibility(page, "Invite a user")


def test_a_double_click_creates_one_key_and_shows_it(
    publication: Publication, make_browser_context: Callable[..., BrowserContext]
) -> None:
    page = make_browser_context(java_script_enabled=False).new_page()
    set_password_and_sign_in(page, publication)
    page.goto(publication.at("settings", "keys", "new"))
    page.get_by_label("Name", exact=True).fill("Web shop")
    page.get_by_role("button", name="Create the key").dblclick()
    expect(page.locator("#key")).to_have_text(re.compile("mh_"))
    page.goto(publication.at("settings", "keys"))
    expect(page.get_by_role("row", name=re.compile("Web shop"))).to_have_count(1)


def test_a_button_copies_the_key(
    publication: Publication, make_browser_context: Callable[..., BrowserContext]
) -> None:
    page = make_browser_context(permissions=["clipboard-read", "clipboard-write"]).new_page()
    set_password_and_sign_in(page, publication)
    page.goto(publication.at("settings", "keys", "new"))
    fill_in(page, {"Name": "Web shop"}, "Create the key")
    page.get_by_role("button", name="Copy the key").click()
    expect(page.get_by_role("button", name="Copied", exact=True)).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.locator("#key").inner_text()


def test_the_audit_log_can_be_filtered(script_page: Page, publication: Publication) -> None:
    page = script_page
    set_password_and_sign_in(page, publication)
    page.goto(publication.at("settings", "sources", "new"))
    fill_in(page, {"Name": "Kiosk"}, "Add the source")
    page.goto(publication.at("settings", "log"))
    page.get_by_label("Action", exact=True).select_option("Source created")
    expect(page.get_by_text("1 entry.")).to_be_visible()
    expect(page).to_have_url(re.compile("action=source.create"))


@pytest.mark.parametrize("width, scheme", [(1280, "light"), (360, "dark")])
def test_the_settings_are_accessible(
    publication: Publication,
    make_browser_context: Callable[..., BrowserContext],
    width: int,
    scheme: Any,
) -> None:
    page = make_browser_context(
        viewport={"width": width, "height": 800}, color_scheme=scheme
    ).new_page()
    set_password_and_sign_in(page, publication)

    def see(name: str, *parts: str) -> None:
        if parts:
            page.goto(publication.at("settings", *parts))
        check_accessibility(page, f"{name}-{width}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name

    page.goto(publication.at("settings"))
    see("settings")
    see("keys-none", "keys")
    page.goto(publication.at("settings", "keys", "new"))
    fill_in(page, {"Expires on optional": "2020-01-01", "Name": "x" * 255}, "Create the key")
    see("key-refused")
    fill_in(page, {"Expires on optional": ""}, "Create the key")
    see("key-made")
    see("keys", "keys")
    follow(page.get_by_role("link", name="Roll"))
    see("key-roll")
    follow(page.get_by_role("button", name="Create the new key"))
    page.goto(publication.at("settings", "keys"))
    see("keys-rolled")
    page.get_by_role("link", name="Revoke").first.click()
    see("key-revoke")
    follow(page.get_by_role("button", name="Revoke the key"))
    page.locator("summary", has_text="Inactive keys").click()
    see("keys-revoked")
    see("sources-none", "sources")
    see("source-new", "sources", "new")
    fill_in(page, {"Name": "<b>Kiosk</b>"}, "Add the source")
    expect(page.get_by_role("status")).to_contain_text("is added")
    see("sources")
    follow(page.get_by_role("button", name="Rename"))
    see("source-edit")
    see("product-new", "products", "new")
    fill_in(page, {"Name": "Premium", "Benefits optional": "Tote bag\nArchive"}, "Add the product")
    see("products")
    follow(page.get_by_role("button", name="Edit Premium"))
    see("product")
    see("account", "account")
    page.get_by_label("Currency").select_option("JPY")
    follow(page.get_by_role("button", name="Save"))
    see("account-currency-question")
    see("welcome-email", "welcome-email")
    follow(page.get_by_role("button", name="Preview"))
    see("welcome-email-preview")
    fill_in(page, {"Subject": "Dear {nmae}"}, "Save")
    see("welcome-email-refused")
    see("log", "log")
