"""What every page owes everybody: on a phone, on a desk, in the dark, on paper, by keyboard."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize

from masthead import demo
from masthead.cli.demo import create_publication
from masthead.settings import Settings
from tests.web.browser.conftest import PASSWORD, SECONDS, Stage, save_picture
from tests.web.browser.places import OUTSIDE, PLACES, address_of, ids_of

NAMES = [*PLACES, *OUTSIDE]
PICTURED = ["home", "subscriber"]  # for the README
PHONE: ViewportSize = {"width": 360, "height": 740}
LAPTOP: ViewportSize = {"width": 1280, "height": 800}
AXE = {"resultTypes": ["violations"], "rules": {"target-size": {"enabled": True}}}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def ids(stage: Stage) -> dict[str, str]:
    """The demo publication is there; ids of it to look at."""
    key, _ = publish(stage)
    return ids_of(stage.server.url, key)


def publish(stage: Stage) -> tuple[str, str]:
    """The demo publication's key and link, made beside the event loop of Playwright."""
    with ThreadPoolExecutor(1) as thread, pytest.MonkeyPatch.context() as patch:
        patch.setenv("MASTHEAD_DATABASE_URL", stage.database_url)
        settings = Settings(database_url=stage.database_url)
        return thread.submit(create_publication, settings).result()


@pytest.fixture(scope="module")
def keeper(browser: Browser, stage: Stage, ids: dict[str, str]) -> Iterator[BrowserContext]:
    """A browser in which the owner of the demo publication is signed in."""
    _, token = publish(stage)
    context = browser.new_context(base_url=stage.server.url)
    context.set_default_timeout(SECONDS * 1000)
    page = context.new_page()
    page.goto(f"/link/{token}/")
    page.get_by_label("New password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Set password").click()
    page.wait_for_url("**/desk/**")
    yield context
    context.close()


@pytest.fixture
def sheet(keeper: BrowserContext) -> Iterator[Page]:
    """A new tab of that browser."""
    page = keeper.new_page()
    yield page
    page.close()


def show(page: Page, name: str, ids: dict[str, str]) -> None:
    """Go to a place."""
    page.goto(address_of(name, demo.SUBDOMAIN, ids))
    page.wait_for_load_state("networkidle")


def complaints_of(page: Page) -> list[str]:
    """What axe finds amiss, with the element that has it."""
    found: Any = Axe().run(page, options=AXE).response
    return [
        f"{each['id']}: {node['html'][:200]} {node.get('failureSummary', '')[:300]}"
        for each in found["violations"]
        for node in each["nodes"]
    ]


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_fit_for_everybody_by_day(sheet: Page, ids: dict[str, str], name: str) -> None:
    sheet.set_viewport_size(LAPTOP)
    show(sheet, name, ids)
    assert complaints_of(sheet) == []
    assert sheet.locator("h1").count() == 1
    assert len(sheet.title()) > len(" · masthead")
    reached, wanted = reach_by_keyboard(sheet)
    assert reached >= wanted


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_fit_for_everybody_at_night_on_a_phone(
    sheet: Page, ids: dict[str, str], name: str
) -> None:
    sheet.emulate_media(color_scheme="dark")
    sheet.set_viewport_size(PHONE)
    show(sheet, name, ids)
    assert complaints_of(sheet) == []
    assert sheet.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def reach_by_keyboard(page: Page) -> tuple[int, int]:
    """How many of the things that can be done the tab key reaches, and how many there are."""
    wanted: int = page.evaluate(
        """() => [...document.querySelectorAll(
            "a[href], button, input:not([type=hidden]), select, textarea, summary")]
        .filter(e => !e.disabled && e.checkVisibility() && !e.closest("dialog:not([open])"))
        .filter(e => !(e.type === "radio" && !e.checked))
        .map((e, n) => { e.dataset.n = n; return e; }).length"""
    )
    reached = set()
    for _ in range(wanted + 12):
        page.keyboard.press("Tab")
        here = page.evaluate("document.activeElement?.dataset?.n ?? null")
        if here is not None:
            reached.add(here)
        if len(reached) >= wanted:
            break
    return len(reached), wanted


@pytest.mark.skipif("MASTHEAD_TEST_PICTURES" not in os.environ, reason="`make pictures` asks")
@pytest.mark.parametrize("name", PICTURED)
def test_a_page_is_pictured(sheet: Page, ids: dict[str, str], name: str) -> None:
    sheet.set_viewport_size(LAPTOP)
    for _ in range(60):  # the months are worked out some seconds after the import
        show(sheet, name, ids)
        if name != "home" or sheet.locator("main details td").nth(2).text_content() != "0":
            break
        sheet.wait_for_timeout(500)
    save_picture(sheet, name)
    assert (Path(os.environ["MASTHEAD_TEST_PICTURES"]) / f"{name}.png").stat().st_size > 10_000


@pytest.mark.parametrize("name", ["subscriber", "forecast", "issue", "ending"])
def test_paper_has_what_matters_and_no_buttons(sheet: Page, ids: dict[str, str], name: str) -> None:
    show(sheet, name, ids)
    sheet.emulate_media(media="print")
    assert sheet.get_by_role("heading", level=1).is_visible()
    assert not sheet.locator("header.top").is_visible()
    assert sheet.locator("button:visible").count() == 0


def test_the_control_the_keyboard_misses_what_it_cannot_reach(
    sheet: Page, ids: dict[str, str]
) -> None:
    show(sheet, "key-new", ids)
    sheet.evaluate("document.querySelector('main button').tabIndex = -1")
    reached, wanted = reach_by_keyboard(sheet)
    assert reached < wanted


def test_the_control_axe_finds_what_is_amiss(sheet: Page, ids: dict[str, str]) -> None:
    show(sheet, "home", ids)
    sheet.evaluate("document.querySelector('main').append(document.createElement('input'))")
    assert any(each.startswith("label:") for each in complaints_of(sheet))
