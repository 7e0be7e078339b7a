"""Every page is accessible: on a phone, on a laptop, in dark mode, on paper, by keyboard."""

import os
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, ViewportSize

from tests.web.browser.conftest import PHONE, open_page, save_screenshot
from tests.web.browser.pages import DESK_PAGES, OTHER_PAGES

NAMES = [*DESK_PAGES, *OTHER_PAGES]
SCREENSHOTS = ["subscriber"]  # for docs/web.md
SMALL_LAPTOP: ViewportSize = {"width": 1024, "height": 768}
AXE = {"resultTypes": ["violations"], "rules": {"target-size": {"enabled": True}}}

pytestmark = pytest.mark.slow


def list_cut(page: Page) -> list[str]:
    """The texts of cells of lists that end with an ellipsis."""
    cells = page.locator("main .list td").or_(page.locator("main .list td *"))
    found: list[str] = cells.evaluate_all(
        """all => all.filter(each => getComputedStyle(each).textOverflow === "ellipsis"
            && each.scrollWidth > each.clientWidth + 1).map(each => each.textContent)"""
    )
    return found


def list_broken(page: Page) -> list[str]:
    """The statuses that break into lines, without sentences and those of the widest lists."""
    found: list[str] = page.locator("main .status:not(.long, .list:has(td.letter) *)").evaluate_all(
        "all => all.filter(each => each.getClientRects().length > 1).map(each => each.textContent)"
    )
    return found


BROKEN_WORDS = r"""main => {
    const found = [], range = document.createRange();
    const texts = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
    for (let text; text = texts.nextNode();) {
        if (!text.parentElement.checkVisibility()) continue;
        if (text.parentElement.closest("td")?.title.includes("@")) continue; // an email address
        for (const word of text.data.matchAll(/\p{Script=Latin}{6,}/gu)) {
            range.setStart(text, word.index);
            range.setEnd(text, word.index + word[0].length);
            const tops = [...range.getClientRects()].map(box => Math.round(box.top));
            if (new Set(tops).size > 1) found.push(word[0]);
        }
    }
    return found;
}"""


def list_broken_words(page: Page) -> list[str]:
    """The words that break into lines."""
    found: list[str] = page.locator("main").evaluate(BROKEN_WORDS)
    return found


def list_wide(page: Page) -> list[str]:
    """The fields for one line that are wider than what anyone types."""
    found: list[str] = page.locator("main :is(input, select):visible").evaluate_all(
        "all => all.filter(each => each.offsetWidth > 600).map(each => each.name)"
    )
    return found


def list_cut_off(page: Page) -> list[str]:
    """The tables that scroll sideways without a shadow that says so."""
    found: list[str] = page.locator("main .table").evaluate_all(
        """all => all.filter(each => each.scrollWidth > each.clientWidth
            && !getComputedStyle(each).backgroundImage.includes("gradient"))
            .map(each => each.getAttribute("aria-label"))"""
    )
    return found


def list_violations(page: Page) -> list[str]:
    """The violations that axe finds, each with its element."""
    found: Any = Axe("").run(page, options=AXE).response  # the context adds its script
    return [
        f"{each['id']}: {node['html'][:200]} {node.get('failureSummary', '')[:300]}"
        for each in found["violations"]
        for node in each["nodes"]
    ]


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_accessible_on_a_laptop(tab: Page, ids: dict[str, str], name: str) -> None:
    open_page(tab, name, ids)
    assert list_violations(tab) == []
    assert tab.locator("h1").count() == 1
    assert len(tab.title()) > len(" · masthead")
    reached, wanted = reach_by_keyboard(tab)
    assert reached >= wanted
    assert list_cut(tab) == []
    assert list_broken(tab) == []
    assert list_broken_words(tab) == []
    assert list_wide(tab) == []
    tab.set_viewport_size(SMALL_LAPTOP)
    assert list_broken(tab) == []
    assert list_broken_words(tab) == []
    assert [each for each in list_cut(tab) if "@" in each] == []
    assert tab.evaluate("document.documentElement.scrollWidth") <= SMALL_LAPTOP["width"]


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_accessible_on_a_phone_in_dark_mode(
    tab: Page, ids: dict[str, str], name: str
) -> None:
    tab.emulate_media(color_scheme="dark")
    tab.set_viewport_size(PHONE)
    open_page(tab, name, ids)
    assert list_violations(tab) == []
    assert list_cut_off(tab) == []
    tab.evaluate("document.querySelectorAll('main .more').forEach(menu => menu.open = true)")
    assert tab.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


@pytest.mark.parametrize("name", ["issue", "subscriber", "subscription"])
def test_a_name_without_spaces_fits_on_a_phone(tab: Page, ids: dict[str, str], name: str) -> None:
    tab.set_viewport_size(PHONE)
    open_page(tab, name, ids)
    names = tab.locator("main :is(h1, p) bdi")
    assert names.count() > 0
    names.evaluate_all("found => found.forEach(each => each.textContent = 'x'.repeat(200))")
    assert tab.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def reach_by_keyboard(page: Page) -> tuple[int, int]:
    """How many controls the tab key reaches, and how many there are."""
    wanted: int = page.evaluate(
        """() => [...document.querySelectorAll(
            "a[href], button, input:not([type=hidden]), select, textarea, summary")]
        .filter(e => !e.disabled && e.checkVisibility() && !e.closest("dialog:not([open])"))
        .filter(e => !e.closest("[aria-hidden=true]") && !(e.type === "radio" && !e.checked))
        .map((e, n) => {
            e.addEventListener("focus", () => { e.dataset.reached = n; });
            return e;
        }).length"""
    )
    reached = page.locator("[data-reached]")
    for pressed in range(1, wanted + 13):
        page.keyboard.press("Tab")
        if pressed >= wanted and reached.count() >= wanted:
            break
    return reached.count(), wanted


@pytest.mark.skipif("MASTHEAD_TEST_PICTURES" not in os.environ, reason="`make pictures` asks")
@pytest.mark.parametrize("name", SCREENSHOTS)
def test_a_screenshot_of_a_page_is_saved_for_the_readme(
    tab: Page, ids: dict[str, str], name: str
) -> None:
    open_page(tab, name, ids)
    save_screenshot(tab, name)
    assert (Path(os.environ["MASTHEAD_TEST_PICTURES"]) / f"{name}.png").stat().st_size > 10_000


@pytest.mark.parametrize("name", ["subscriber", "forecast", "issue", "ending"])
def test_a_printed_page_has_no_navigation_or_buttons(
    tab: Page, ids: dict[str, str], name: str
) -> None:
    open_page(tab, name, ids)
    tab.emulate_media(media="print")
    assert tab.get_by_role("heading", level=1).is_visible()
    assert not tab.locator("header.top").is_visible()
    assert tab.locator("button:visible").count() == 0


def test_the_printed_home_page_has_its_folded_table(tab: Page, ids: dict[str, str]) -> None:
    open_page(tab, "home", ids)
    tab.emulate_media(media="print")
    assert tab.locator("main caption").is_visible()
    assert tab.locator("main tbody tr").last.is_visible()


def test_the_keyboard_check_finds_an_unreachable_control(tab: Page, ids: dict[str, str]) -> None:
    open_page(tab, "key-new", ids)
    tab.evaluate("document.querySelector('main button').tabIndex = -1")
    reached, wanted = reach_by_keyboard(tab)
    assert reached < wanted


def test_the_accessibility_check_finds_a_missing_label(tab: Page, ids: dict[str, str]) -> None:
    open_page(tab, "home", ids)
    tab.evaluate("document.querySelector('main').append(document.createElement('input'))")
    assert any(each.startswith("label:") for each in list_violations(tab))
