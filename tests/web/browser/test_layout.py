"""The pages of the desk on each screen: nothing is cut, and what belongs together is in line."""

import pytest
from playwright.sync_api import Page

from masthead.web.kit.template_filters import unbroken
from tests.web.browser.conftest import LAPTOP, open_page

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("width", [1024, 1280])
def test_the_navigation_is_one_line_on_a_laptop(tab: Page, ids: dict[str, str], width: int) -> None:
    tab.set_viewport_size({"width": width, "height": 800})
    open_page(tab, "subscribers", ids)
    header = tab.locator("header.top")
    links = header.locator("nav.line a:visible")
    assert links.count() >= 7
    tops = {round(link.bounding_box()["y"]) for link in links.all()}  # type: ignore[index]
    assert len(tops) == 1
    assert header.bounding_box()["height"] < 70  # type: ignore[index]
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    rows = tab.locator("tbody tr").all()
    bottoms = [box["y"] + box["height"] for row in rows if (box := row.bounding_box())]
    assert sum(bottom <= LAPTOP["height"] for bottom in bottoms) >= 14


def test_the_navigation_is_a_menu_on_a_phone(tab: Page, ids: dict[str, str]) -> None:
    tab.set_viewport_size({"width": 390, "height": 800})
    open_page(tab, "subscribers", ids)
    assert not tab.locator("nav.line").is_visible()
    tab.locator("details.sections summary").click()
    menu = tab.get_by_role("navigation", name="Menu")
    menu.get_by_role("link", name="Dispatch").click()
    tab.wait_for_url("**/dispatches/")


def test_the_rows_of_a_list_are_cards_on_a_phone(tab: Page, ids: dict[str, str]) -> None:
    tab.set_viewport_size({"width": 390, "height": 800})
    open_page(tab, "subscriptions", ids)
    row = tab.locator("tbody tr").first
    assert row.evaluate("row => getComputedStyle(row).display") == "flex"
    assert row.bounding_box()["width"] <= 390  # type: ignore[index]
    assert row.locator("td").last.is_visible()


LINES = """found => {
    const text = document.createRange();
    text.selectNodeContents(found);
    return new Set([...text.getClientRects()].map(box => Math.round(box.top))).size;
}"""


SET_LABEL = """(label, [html, width]) => {
    label.innerHTML = html;
    label.style.display = "block";
    label.style.width = width + "px";
}"""


EIGHT_COLUMNS = """main => {
    const heads = '<th scope="col" class="number">Rechnungskorrekturen</th>'.repeat(7);
    const amounts = '<td class="number">1.000,00 €</td>'.repeat(7);
    main.innerHTML = `<div class="table"><table class="sums">
        <thead><tr><th scope="col">Währung</th>${heads}</tr></thead>
        <tbody><tr><th scope="row">EUR</th>${amounts}</tr></tbody></table></div>`;
}"""


@pytest.mark.parametrize("width", [1280, 1024, 390])
def test_the_currency_beside_seven_amounts_is_on_one_line(
    tab: Page, ids: dict[str, str], width: int
) -> None:
    tab.set_viewport_size({"width": width, "height": 800})
    open_page(tab, "money-open", ids)
    tab.locator("main").evaluate(EIGHT_COLUMNS)
    assert tab.locator("tbody th").evaluate(LINES) == 1


def test_long_words_and_emails_are_whole_on_a_phone(tab: Page, ids: dict[str, str]) -> None:
    tab.set_viewport_size({"width": 390, "height": 800})
    open_page(tab, "subscription", ids)
    for name in tab.locator(".facts dt").all():
        name.evaluate("name => name.textContent = 'Rechnungsempfängernummer'")
        assert name.evaluate(LINES) == 1
    open_page(tab, "ending", ids)
    emails = tab.locator("tbody td.cut-2 bdi").all()
    assert emails
    assert {email.evaluate(LINES) for email in emails} == {1}


@pytest.mark.parametrize("width", [1280, 1024, 390])
def test_emails_are_whole_when_two_subscribers_are_compared(
    tab: Page, ids: dict[str, str], width: int
) -> None:
    tab.set_viewport_size({"width": width, "height": 800})
    open_page(tab, "subscriber-compare", ids)
    emails = tab.locator(".compared bdi", has_text="@").all()
    assert len(emails) == 2
    assert {email.evaluate(LINES) for email in emails} == {1}


@pytest.mark.parametrize("width, name", [(390, "Mare & Monde"), (360, "Lanterns")])
def test_the_name_of_a_publication_fits_on_a_phone(
    tab: Page, ids: dict[str, str], width: int, name: str
) -> None:
    tab.set_viewport_size({"width": width, "height": 800})
    open_page(tab, "subscribers", ids)
    brand = tab.locator("header .brand")
    brand.evaluate("(brand, name) => brand.textContent = name", name)
    assert brand.evaluate("brand => brand.scrollWidth <= brand.clientWidth")
    for each in tab.locator("header input:visible, header .initial").all():
        box = each.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= width


PLAIN_LINKS = """rows => rows.filter(row => row.querySelector("button"))
    .flatMap(row => [...row.querySelectorAll("a:not([role=button])")])
    .map(link => link.textContent)"""


@pytest.mark.parametrize(
    "name", ["subscriber-duplicates", "products", "sources", "export-profiles"]
)
def test_actions_of_a_row_are_buttons_alike(tab: Page, ids: dict[str, str], name: str) -> None:
    open_page(tab, name, ids)
    rows = tab.locator(".row-actions")
    assert rows.locator("a").count() > 0
    assert rows.evaluate_all(PLAIN_LINKS) == []


def test_labels_do_not_break_at_the_hyphen_of_a_short_word_on_a_phone(
    tab: Page, ids: dict[str, str]
) -> None:
    open_page(tab, "subscription-new", ids)
    label = tab.locator("label[for=email]")
    for width in range(40, 200, 5):
        label.evaluate(SET_LABEL, [str(unbroken("Name, Anrede, E-Mail, Anschrift")), width])
        assert label.locator(".nowrap").evaluate(LINES) == 1


def test_the_search_is_wide_enough_for_a_name_while_someone_types(
    tab: Page, ids: dict[str, str]
) -> None:
    for width in (700, 1024, 1280):
        tab.set_viewport_size({"width": width, "height": 800})
        open_page(tab, "home", ids)
        box = tab.locator(".find input[type=search]")
        box.focus()
        shown = box.bounding_box()
        assert shown is not None
        assert shown["width"] >= 400
        assert shown["x"] >= 0
        assert shown["x"] + shown["width"] <= width


@pytest.mark.parametrize("width", [1280, 1024, 390])
def test_the_buttons_of_home_are_in_one_column(tab: Page, ids: dict[str, str], width: int) -> None:
    tab.set_viewport_size({"width": width, "height": 800})
    open_page(tab, "home", ids)
    lines = tab.locator(".tasks > li:has(> span):has(> [role=button])").all()
    assert len(lines) >= 4
    for line in lines:
        text, button = line.locator("> span").bounding_box(), line.locator("> a").bounding_box()
        assert text is not None
        assert button is not None
        assert text["x"] + text["width"] <= button["x"]
        assert abs(text["y"] + text["height"] / 2 - button["y"] - button["height"] / 2) < 3
    ends = {round(tab.evaluate(RIGHT, line.element_handle())) for line in lines}
    assert len(ends) == 1


RIGHT = "line => line.querySelector(':scope > a').getBoundingClientRect().right"


def test_what_is_to_do_and_late_is_in_sight_on_a_laptop(tab: Page, ids: dict[str, str]) -> None:
    open_page(tab, "home", ids)
    late = tab.locator("section[aria-labelledby=late]").bounding_box()
    assert late is not None
    assert late["y"] + late["height"] <= LAPTOP["height"]


def test_the_head_of_a_list_stays_in_sight(tab: Page, ids: dict[str, str]) -> None:
    open_page(tab, "subscribers", ids)
    head = tab.locator("thead th").first
    assert head.evaluate("head => head.getBoundingClientRect().top") > 100
    tab.evaluate("window.scrollTo(0, 900)")
    assert head.evaluate("head => head.getBoundingClientRect().top") == 0


def test_a_page_without_a_scrollbar_does_not_jump(tab: Page, ids: dict[str, str]) -> None:
    places = set()
    for name in ("subscribers", "not-found"):
        open_page(tab, name, ids)
        box = tab.locator("header .initial").bounding_box()
        assert box is not None
        places.add((box["x"], tab.evaluate("document.documentElement.scrollHeight > innerHeight")))
    assert len({x for x, _is_long in places}) == 1
    assert {is_long for _x, is_long in places} == {True, False}


def test_the_fields_of_another_file_and_its_button_are_in_line(
    tab: Page, ids: dict[str, str]
) -> None:
    open_page(tab, "run", ids)
    tab.locator("summary", has_text="Another file").click()
    form = tab.locator("div.prepare")
    bottoms = form.locator(":is(select, input, button):visible").evaluate_all(
        "all => all.map(each => Math.round(each.getBoundingClientRect().bottom))"
    )
    assert len(bottoms) >= 3
    assert len(set(bottoms)) == 1, bottoms


def test_the_link_to_the_content_covers_what_is_below_it(tab: Page, ids: dict[str, str]) -> None:
    open_page(tab, "home", ids)
    tab.keyboard.press("Tab")
    link = tab.locator(".skip:focus")
    assert link.evaluate(
        """link => {
            const box = link.getBoundingClientRect();
            const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
            return [top === link, getComputedStyle(link).backgroundColor];
        }"""
    ) == [True, "rgb(255, 255, 255)"]
