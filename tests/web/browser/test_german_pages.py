"""Every page in German, whose words are long: no text is cut, no button is ambiguous."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page

from tests.web.browser.conftest import LAPTOP, open_page
from tests.web.browser.pages import DESK_PAGES, OTHER_PAGES

pytestmark = pytest.mark.slow

NAMES = [*DESK_PAGES, *OTHER_PAGES]
TEXTS = (
    "td, th, button, [role=button], summary, label, legend, h1, h2, h3, dd, dt, .parts a, .chips a,"
    " figcaption, p, li"
)
# The texts that are wider than their boxes. Of lists, the chosen option; of fields, the example.
CUT = """(main, texts) => {
    const seen = each => each.checkVisibility() && !each.closest(".hidden") && each.clientWidth > 1;
    const wide = [...main.querySelectorAll(texts)].filter(each => seen(each)
        && getComputedStyle(each).display !== "inline" && each.scrollWidth > each.clientWidth + 2);
    const pen = document.createElement("canvas").getContext("2d");
    const narrow = [...main.querySelectorAll("select:not([multiple]), input[placeholder]")];
    return [...wide, ...narrow.filter(each => {
        const style = getComputedStyle(each);
        const text = each.matches("select") ? each.selectedOptions[0]?.textContent.trim()
            : each.value || each.placeholder;
        pen.font = style.font;
        const edges = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight);
        const room = each.clientWidth - edges;
        return seen(each) && pen.measureText(text || "").width > room + 1;
    })].map(each => `${each.tagName} ${each.name || ""} ${each.textContent.slice(0, 80)}`);
}"""
# Headings, legends and captions that say the same as another one before them
TWICE = """main => {
    const heads = [...main.querySelectorAll("h1, h2, legend, caption, figcaption")]
        .filter(each => each.checkVisibility() && !each.closest(".cards"))
        .map(each => each.textContent.replace(/\\s+/g, " ").trim());
    return heads.filter((head, place) => heads.indexOf(head) < place);
}"""
# Buttons with one name that lead to different places
ALIKE = """main => {
    const places = new Map();
    for (const each of main.querySelectorAll("button, [role=button][href]")) {
        if (!each.checkVisibility()) continue;
        const name = each.getAttribute("aria-label") || each.textContent.trim();
        const sends = `${each.form?.action} ${each.name} ${each.value}`;
        const place = each.href?.replace(/#.*/, "") || sends;
        places.set(name, (places.get(name) || new Set()).add(place));
    }
    return [...places].filter(([_name, found]) => found.size > 1).map(([name]) => name);
}"""


def choose_language(page: Page, locale: str) -> None:
    """Choose the language of the user; empty for that of the account."""
    page.goto("/you/")
    form = page.locator("form:has(select[name=locale])")
    form.locator("select").select_option(locale)
    with page.expect_navigation():
        form.locator("button").click()


@pytest.fixture(scope="module")
def german_tab(owner_browser: BrowserContext) -> Iterator[Page]:
    """A tab of the owner, who reads German."""
    page = owner_browser.new_page()
    choose_language(page, "de_DE")
    yield page
    choose_language(page, "")
    page.close()


@pytest.mark.parametrize("width", [390, LAPTOP["width"]])
@pytest.mark.parametrize("name", NAMES)
def test_no_text_is_cut_and_no_button_is_ambiguous(
    german_tab: Page, ids: dict[str, str], name: str, width: int
) -> None:
    german_tab.set_viewport_size({"width": width, "height": 800})
    open_page(german_tab, name, ids)
    main = german_tab.locator("main")
    cut: list[Any] = main.evaluate(CUT, TEXTS)
    assert cut == []
    if name != "returns-found":  # people of the same name
        assert main.evaluate(TWICE) == []
    assert main.evaluate(ALIKE) == []
    assert german_tab.evaluate("document.documentElement.scrollWidth") <= width


def test_the_check_finds_what_is_cut_twice_or_ambiguous(
    german_tab: Page, ids: dict[str, str]
) -> None:
    open_page(german_tab, "key-new", ids)
    main = german_tab.locator("main")
    main.evaluate(
        """main => main.insertAdjacentHTML("beforeend", `<h2>Eins</h2><h2>Eins</h2>
            <select id="narrow"><option>Donaudampfschifffahrt</option></select>
            <a role="button" href="/a">Weiter</a><a role="button" href="/b">Weiter</a>`)"""
    )
    main.locator("#narrow").evaluate("each => each.style.width = '4rem'")
    assert len(main.evaluate(CUT, TEXTS)) == 1
    assert main.evaluate(TWICE) == ["Eins"]
    assert main.evaluate(ALIKE) == ["Weiter"]
