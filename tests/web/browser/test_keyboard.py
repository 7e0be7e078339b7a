"""Keyboard shortcuts: search, help and close; users can turn them off."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.web.browser.conftest import Publication, set_password_and_sign_in
from tests.web.browser.test_dispatch import sign_in_with_subscribers

pytestmark = pytest.mark.slow


def test_slash_opens_the_search(script_page: Page, publication: Publication) -> None:
    set_password_and_sign_in(script_page, publication)
    script_page.goto(publication.at())
    script_page.keyboard.press("/")
    expect(script_page.get_by_role("combobox", name="Search subscribers")).to_be_focused()
    script_page.keyboard.type("a/b?")
    expect(script_page.get_by_role("combobox", name="Search subscribers")).to_have_value("a/b?")
    script_page.keyboard.press("Enter")
    script_page.wait_for_url("**/subscribers/?search=a%2Fb%3F*")


def test_a_caller_is_found_while_the_name_is_typed(
    script_page: Page, publication: Publication, tmp_path: Path
) -> None:
    sign_in_with_subscribers(script_page, publication, tmp_path)
    script_page.goto(publication.at())
    script_page.keyboard.press("Control+k")
    box = script_page.get_by_role("combobox", name="Search subscribers")
    expect(box).to_be_focused()
    expect(box).to_have_attribute("aria-expanded", "false")
    script_page.keyboard.type("vera lidn")  # two letters swapped
    option = script_page.get_by_role("option", name="Vera Lind")
    expect(option).to_be_visible()
    expect(box).to_have_attribute("aria-expanded", "true")
    script_page.keyboard.press("ArrowDown")
    expect(option).to_have_attribute("aria-selected", "true")
    expect(box).to_have_attribute("aria-activedescendant", option.get_attribute("id") or "")
    script_page.keyboard.press("Escape")
    expect(script_page.get_by_role("listbox")).to_be_hidden()
    expect(box).to_have_value("vera lidn")
    script_page.keyboard.press("ArrowDown")
    script_page.keyboard.press("Enter")
    expect(script_page.get_by_role("heading", level=1)).to_contain_text("Vera Lind")


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
    script_page.keyboard.press("Control+k")
    expect(script_page.get_by_role("combobox")).not_to_be_focused()


def test_the_first_tab_stop_skips_to_the_content(
    script_page: Page, publication: Publication
) -> None:
    set_password_and_sign_in(script_page, publication)
    script_page.goto(publication.at())
    script_page.keyboard.press("Tab")
    expect(script_page.get_by_role("link", name="Skip to the content")).to_be_focused()
    script_page.keyboard.press("Enter")
    expect(script_page.locator("main")).to_be_focused()
