"""Keyboard shortcuts: search, help and close; users can turn them off."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.web.browser.conftest import Publication, open_page, set_password_and_sign_in
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


def test_n_begins_an_order(tab: Page, ids: dict[str, str]) -> None:
    open_page(tab, "home", ids)
    tab.keyboard.press("n")
    tab.wait_for_url("**/subscriptions/new/")
    tab.locator("#find").press("n")
    expect(tab.locator("#find")).to_have_value("n")


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


def test_the_menu_of_a_subscription_works_with_the_keyboard(tab: Page, ids: dict[str, str]) -> None:
    open_page(tab, "subscriber", ids)
    menu = tab.locator(".records details.more").first
    menu.locator("summary").focus()
    tab.keyboard.press("Enter")
    tab.keyboard.press("Tab")
    links = menu.get_by_role("link")
    expect(links.first).to_be_focused()
    tab.keyboard.press("Escape")
    expect(links.first).to_be_hidden()
    expect(menu.locator("summary")).to_be_focused()
    tab.keyboard.press("Enter")
    for _ in range(links.count()):
        tab.keyboard.press("Tab")
    expect(links.last).to_be_focused()
    tab.keyboard.press("Tab")
    expect(links.last).to_be_hidden()


FOCUSED = """() => {
    const it = document.activeElement;
    const [box, style] = [it.getBoundingClientRect(), getComputedStyle(it)];
    return {
        name: `${it.tagName} ${it.id || it.name} ${it.value ?? it.textContent}`,
        column: it.closest("aside") ? 1 : 0, // what is beside the fields of an order is read last
        top: Math.round(box.top + window.scrollY),
        is_inside: document.querySelector("main").contains(it),
        is_seen: it.checkVisibility() && box.width > 0 && style.outlineStyle !== "none",
    };
}"""


@pytest.mark.parametrize("name", ["subscription-new", "freeze", "subscriber-address"])
def test_a_form_is_walked_through_in_reading_order(
    tab: Page, ids: dict[str, str], name: str
) -> None:
    open_page(tab, name, ids)
    tab.locator("main").focus()
    address, reached = tab.url, []
    tab.keyboard.press("Tab")
    while (focused := tab.evaluate(FOCUSED))["is_inside"]:
        reached.append(focused)
        tab.keyboard.press("Tab")
    assert len(reached) > 10
    assert tab.url == address
    assert [each["name"] for each in reached if not each["is_seen"]] == []
    tops = [(each["column"], each["top"]) for each in reached if not each["name"].startswith("A ")]
    assert tops == sorted(tops)


def test_a_choice_and_what_is_typed_before_its_answer_are_both_kept(
    tab: Page, ids: dict[str, str]
) -> None:
    open_page(tab, "subscription-new", ids)
    held: list[Route] = []
    tab.route("**/subscriptions/new/", lambda route: held.append(route), times=1)
    tab.locator("#is_gift-no").focus()
    with tab.expect_request("**/subscriptions/new/"):
        tab.keyboard.press("ArrowDown")
    tab.keyboard.press("Tab")
    tab.keyboard.type("Vera")
    held[0].continue_()
    expect(tab.locator("#gifter_find")).to_be_visible()
    expect(tab.locator("#is_gift")).to_be_checked()
    expect(tab.locator("#first_name")).to_have_value("Vera")
    expect(tab.locator("#first_name")).to_be_focused()


def test_a_giver_is_chosen_with_the_keyboard(tab: Page, ids: dict[str, str]) -> None:
    open_page(tab, "subscription-new", ids)
    tab.locator("#is_gift-no").focus()
    tab.keyboard.press("ArrowDown")
    tab.locator("#gifter_find").fill("Solheim")
    tab.locator("#givers button").first.wait_for()
    tab.keyboard.press("Enter")  # does not send the order
    expect(tab.locator("#givers button").first).to_be_focused()
    tab.keyboard.press("Enter")
    expect(tab.get_by_role("button", name="Choose another giver")).to_be_focused()
    tab.keyboard.press("Enter")
    expect(tab.locator("#gifter_find")).to_be_focused()


def test_a_refused_order_begins_with_what_is_to_be_corrected_first(
    tab: Page, ids: dict[str, str]
) -> None:
    open_page(tab, "subscription-new", ids)
    tab.evaluate("document.querySelector('#order').noValidate = true")
    tab.locator("#first_name").fill("Ida")
    tab.locator("#price").fill("")
    tab.locator("#length").fill("")
    tab.keyboard.press("Control+Enter")
    expect(tab.locator(".refused")).to_be_visible()
    wrong = tab.locator(".refused li a").first.get_attribute("href") or ""
    expect(tab.locator(wrong)).to_be_focused()
    expect(tab.locator(wrong)).to_have_attribute("aria-invalid", "true")
    expect(tab.locator("small.keys")).to_be_visible()
    tab.locator(".refused").focus()
    with tab.expect_navigation():
        tab.keyboard.press("Control+Enter")


def test_enter_goes_to_the_next_field_of_an_order_and_ctrl_enter_saves_it(
    tab: Page, ids: dict[str, str]
) -> None:
    open_page(tab, "subscription-new", ids)
    address = tab.url
    tab.locator("#last_name").fill("Falk")
    tab.locator("#length").fill("6")
    tab.keyboard.press("Enter")
    expect(tab.locator("#price")).to_be_focused()
    assert tab.url == address
    tab.route("**/subscriptions/new/", lambda route: route.abort(), times=1)
    with tab.expect_request("**/subscriptions/new/") as sent:
        tab.keyboard.press("Control+Enter")
    typed = sent.value.post_data or ""
    assert sent.value.is_navigation_request(), "as by the button, not to fill in a part"
    assert "last_name=Falk" in typed
    assert "do=" not in typed
