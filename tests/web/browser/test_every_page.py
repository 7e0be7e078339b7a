"""Every page is accessible: on a phone, on a laptop, in dark mode, on paper, by keyboard."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize

from masthead import demo
from masthead.cli.demo import create_publication
from masthead.settings import Settings
from masthead.web.kit.template_filters import unbroken
from tests.support.waiting import PATIENCE
from tests.web.browser.conftest import PASSWORD, Stage, in_thread, save_screenshot
from tests.web.browser.pages import DESK_PAGES, OTHER_PAGES, address_of_page, find_ids

NAMES = [*DESK_PAGES, *OTHER_PAGES]
SCREENSHOTS = ["subscriber"]  # for docs/web.md
PHONE: ViewportSize = {"width": 360, "height": 740}
LAPTOP: ViewportSize = {"width": 1280, "height": 800}
SMALL_LAPTOP: ViewportSize = {"width": 1024, "height": 768}
AXE = {"resultTypes": ["violations"], "rules": {"target-size": {"enabled": True}}}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="session")
def ids(stage: Stage) -> dict[str, str]:
    """Create the demo publication and freeze a run; return the IDs that its pages need."""
    key, _ = create_demo(stage)
    found = find_ids(stage.server.url, key)
    of_issue = ["--account", demo.SUBDOMAIN, "--issue", found["issue_number"]]
    run = stage.run("dispatch", "freeze", *of_issue, "--country", "DE", "--country", "IT")
    stage.run("payments", "import", "--account", demo.SUBDOMAIN, "tests/files/bank/camt_02.xml")
    return {**found, "run": run["id"], "webhook": create_webhook(stage)}


def create_webhook(stage: Stage) -> str:
    """A webhook of the demo publication with one message, which the server may not send."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MASTHEAD_WEBHOOK_ALLOW_PRIVATE", "true")
        of_demo = ["--account", demo.SUBDOMAIN, "--url", "http://127.0.0.1:9/hook"]
        webhook = stage.run("webhook", "create", *of_demo)["id"]
    stage.say("webhook", "test", webhook)
    return webhook


def create_demo(stage: Stage) -> tuple[str, str]:
    """The key and the link of the demo publication, created outside Playwright's event loop."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MASTHEAD_DATABASE_URL", stage.database_url)
        settings = Settings(database_url=stage.database_url)
        return in_thread(lambda: create_publication(settings))


@pytest.fixture(scope="module")
def owner_browser(browser: Browser, stage: Stage, ids: dict[str, str]) -> Iterator[BrowserContext]:
    """A browser in which the owner of the demo publication is signed in."""
    _, token = create_demo(stage)
    context = browser.new_context(base_url=stage.server.url, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE * 1000)
    context.add_init_script(AXE_SCRIPT)  # sent once, not for each page
    page = context.new_page()
    page.goto(f"/link/{token}/")
    page.get_by_label("New password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Set password").click()
    page.wait_for_url("**/desk/**")
    yield context
    context.close()


@pytest.fixture(scope="module")
def shared_tab(owner_browser: BrowserContext) -> Page:
    """The tab of all tests: opening one costs more than loading a page."""
    return owner_browser.new_page()


@pytest.fixture
def tab(shared_tab: Page) -> Page:
    """That tab, with the screen and the colours of a laptop; each test opens a page in it."""
    shared_tab.emulate_media(media="null", color_scheme="null")
    shared_tab.set_viewport_size(LAPTOP)
    return shared_tab


def open_page(page: Page, name: str, ids: dict[str, str]) -> None:
    """Open a page by its name and wait until it is loaded."""
    page.goto(address_of_page(name, demo.SUBDOMAIN, ids))
    # "networkidle" would wait half a second for parts that come later: there are none
    assert page.locator("[hx-trigger*=load]").count() == 0


def list_cut(page: Page) -> list[str]:
    """The texts of cells of lists that end with an ellipsis."""
    cells = page.locator("main .list td").or_(page.locator("main .list td *"))
    found: list[str] = cells.evaluate_all(
        """all => all.filter(each => getComputedStyle(each).textOverflow === "ellipsis"
            && each.scrollWidth > each.clientWidth + 1).map(each => each.textContent)"""
    )
    return found


def list_broken(page: Page) -> list[str]:
    """The statuses that break into lines, without those that are sentences."""
    found: list[str] = page.locator("main .status:not(.long)").evaluate_all(
        "all => all.filter(each => each.getClientRects().length > 1).map(each => each.textContent)"
    )
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
    assert list_wide(tab) == []
    tab.set_viewport_size(SMALL_LAPTOP)
    assert list_broken(tab) == []
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
        .filter(e => !(e.type === "radio" && !e.checked))
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


def test_the_printed_home_page_has_all_its_tables(tab: Page, ids: dict[str, str]) -> None:
    open_page(tab, "home", ids)
    tab.emulate_media(media="print")
    captions = tab.locator("main caption").all()
    assert len(captions) >= 3
    for caption in captions:  # also of the folded table of the trend
        assert caption.is_visible(), caption.text_content()
    assert tab.locator("main tbody tr").last.is_visible()


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
    emails = tab.locator(".cards dd bdi", has_text="@").all()
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


@pytest.mark.parametrize("width", [1280, 1024])
def test_the_columns_of_home_end_on_one_line(tab: Page, ids: dict[str, str], width: int) -> None:
    tab.set_viewport_size({"width": width, "height": 800})
    open_page(tab, "home", ids)
    boxes = [each.bounding_box() for each in tab.locator(".today .card").all()]
    bottoms = [round(box["y"] + box["height"]) for box in boxes if box]
    assert len(bottoms) == 3
    assert bottoms[0] == bottoms[2] > bottoms[1]


def test_the_keyboard_check_finds_an_unreachable_control(tab: Page, ids: dict[str, str]) -> None:
    open_page(tab, "key-new", ids)
    tab.evaluate("document.querySelector('main button').tabIndex = -1")
    reached, wanted = reach_by_keyboard(tab)
    assert reached < wanted


def test_the_accessibility_check_finds_a_missing_label(tab: Page, ids: dict[str, str]) -> None:
    open_page(tab, "home", ids)
    tab.evaluate("document.querySelector('main').append(document.createElement('input'))")
    assert any(each.startswith("label:") for each in list_violations(tab))
