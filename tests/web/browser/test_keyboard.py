"""Keyboard shortcuts: search, help and close; users can turn them off."""

import pytest
from playwright.sync_api import Page, expect

from tests.web.browser.conftest import Publication, set_password_and_sign_in

pytestmark = pytest.mark.slow


def test_slash_opens_the_search(script_page: Page, publication: Publication) -> None:
    set_password_and_sign_in(script_page, publication)
    script_page.goto(publication.at())
    script_page.keyboard.press("/")
    expect(script_page.get_by_role("searchbox", name="Search subscribers")).to_be_focused()
    script_page.keyboard.type("a/b?")
    expect(script_page.get_by_role("searchbox", name="Search subscribers")).to_have_value("a/b?")
    script_page.keyboard.press("Enter")
    script_page.wait_for_url("**/subscribers/?search=a%2Fb%3F")


def test_the_question_mark_opens_the_help_and_escape_closes_it(
    script_page: Page, publication: Publication
) -> None:
    set_password_and_sign_in(script_page, publication)
    script_page.goto(publication.at())
    script_page.keyboard.press("?")
    help_ = script_page.get_by_role("dialog", name="Keyboard")
    expect(help_).to_be_visible()
    script_page.keyboard.press("Escape")
    expect(help_).to_be_hidden()


def test_shortcuts_can_be_turned_off(script_page: Page, publication: Publication) -> None:
    set_password_and_sign_in(script_page, publication)
    script_page.goto(f"{publication.stage.server.url}/you/")
    script_page.get_by_role("button", name="Turn them off").click()
    expect(script_page.get_by_role("status")).to_have_text("Keyboard shortcuts are off.")
    script_page.goto(publication.at())
    script_page.keyboard.press("?")
    script_page.keyboard.press("/")
    expect(script_page.locator("dialog")).to_have_count(0)
    expect(script_page.get_by_role("searchbox")).not_to_be_focused()


def test_the_first_tab_stop_skips_to_the_content(
    script_page: Page, publication: Publication
) -> None:
    set_password_and_sign_in(script_page, publication)
    script_page.goto(publication.at())
    script_page.keyboard.press("Tab")
    expect(script_page.get_by_role("link", name="Skip to the content")).to_be_focused()
    script_page.keyboard.press("Enter")
    expect(script_page.locator("main")).to_be_focused()
