"""A publisher moves in: uploads files, maps, rehearses, imports, mends and undoes, in Chromium.

One walk has scripts and a laptop, the other has neither scripts nor a wide screen, and is German.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, expect

from tests.web.browser.conftest import LAPTOP, PASSWORD, Publication, save_screenshot
from tests.web.browser.moving.steps import FILES, ORDERS, furnish, press_import, wait_for
from tests.web.browser.office import AXE, Desk

PHONE = {"width": 390, "height": 844}
UNKNOWN = (
    "Wer;Wohin;PLZ;Ort;Land;Was;Ab;Betrag;Wann\n"
    "Ann Fox;Kai 1;20457;Hamburg;Deutschland;Jahresabo;2;42,00 €;13.01.2026\n"
    "Bo Lund;Gade 2;2100;København;Depot;Jahresabo;2;42,00 €;02.02.2026\n"
)
COLUMNS = {
    "First and last name in one column": "Wer",
    "Street": "Wohin",
    "Start issue": "Ab",
    "Order date": "Wann",
}

pytestmark = pytest.mark.slow


@pytest.fixture
def desk(
    request: pytest.FixtureRequest,
    publication: Publication,
    make_browser_context: Callable[..., BrowserContext],
) -> Desk:
    """The desk of a publication with three issues; its owner is signed in."""
    screen, locale, has_scripts = request.param
    furnish(publication, locale)
    context = make_browser_context(
        viewport=screen, java_script_enabled=has_scripts, locale=locale.replace("_", "-")
    )
    page = context.new_page()
    desk = Desk(page, publication, locale, has_scripts, screen is PHONE, finds_faults=False)
    page.goto(publication.link)
    page.locator("input[type=password]").fill(PASSWORD)
    page.locator("main button").click()
    page.wait_for_url(re.compile(r"/desk/"))
    return desk


def look(desk: Desk, name: str) -> None:
    """Keep a picture of the page, and let axe check it if the browser has scripts."""
    save_screenshot(desk.page, f"moving-in-{desk.locale}-{name}")
    if desk.has_scripts:
        found: Any = Axe().run(desk.page, options=AXE).response
        assert found["violations"] == [], name


def upload(desk: Desk, file: Path, source: str = "") -> None:
    """Upload a file, from the list of imports."""
    desk.open("Subscriptions")
    bar = desk.page.get_by_role("navigation", name=desk.say("Subscriptions"))
    desk.follow(desk.say("Imports"))
    expect(bar).to_be_visible()
    desk.press("Import a file")
    look(desk, "upload")
    desk.page.set_input_files("input[type=file]", file)
    if source:
        desk.choose("Where do these orders come from?", "new")
        desk.type({"Name of the new source": source})
    desk.press("Continue")


def rehearse_and_run(desk: Desk, rows: int) -> None:
    """From the preview to the imported rows."""
    look(desk, "preview")
    desk.press("Rehearse with all rows")
    wait_for(desk, "What the import would do")
    look(desk, "rehearsed")
    press_import(desk, rows)
    wait_for(desk, "This import is done")
    look(desk, "imported")


@pytest.mark.parametrize("desk", [(LAPTOP, "en_GB", True)], indirect=True, ids=["laptop"])
def test_a_file_is_mapped_rehearsed_imported_mended_and_undone(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "list.csv"
    file.write_text(UNKNOWN, encoding="cp1252")
    upload(desk, file, "Old list")
    look(desk, "columns")
    desk.reads("Price paid: Betrag")
    for field, column in COLUMNS.items():
        desk.field(field).first.select_option(label=column)
    desk.page.get_by_label("Number of issues in all rows").fill("4")
    desk.press("Check the columns again")
    desk.press("Continue to the preview")
    desk.reads("“Betrag”: 42,00 € is read as €42.00.")
    rehearse_and_run(desk, 1)
    assert desk.figures(ORDERS) == [1]

    with desk.page.expect_download() as waiting:
        desk.page.get_by_role("button", name="Download the refused row", exact=True).click()
    mended = tmp_path / "mended.csv"
    refused = waiting.value.path().read_text(encoding="utf-8-sig")
    mended.write_text(refused.replace("Depot", "Danmark"), encoding="utf-8")
    desk.follow("Upload the corrected file")
    desk.page.set_input_files("input[type=file]", mended)
    desk.press("Continue")
    desk.press("Continue to the preview")
    rehearse_and_run(desk, 1)
    assert desk.figures(ORDERS) == [2]

    desk.press("Undo this import")
    look(desk, "undo")
    desk.press("Undo this import")
    wait_for(desk, "This import was undone")
    assert desk.figures(ORDERS) == [1]


@pytest.mark.parametrize("desk", [(PHONE, "de_DE", False)], indirect=True, ids=["phone"])
def test_the_file_of_a_shop_is_imported_on_a_phone_without_scripts(desk: Desk) -> None:
    upload(desk, FILES / "stripe-subscriptions.csv", "Stripe")
    look(desk, "columns")
    desk.press("Continue to the preview")
    status = desk.page.locator("select[aria-invalid]")  # `trialing`, without a meaning yet
    status.select_option("leave out")
    desk.press("Continue to the preview")
    desk.press("Rehearse with all rows")
    wait_for(desk, "What the import would do")
    look(desk, "rehearsed")
    figures = desk.page.locator("dl.figures dd")
    press_import(desk, int(figures.nth(1).inner_text()))
    wait_for(desk, "This import is done")
    look(desk, "imported")
    assert desk.figures(ORDERS)[0] > 0
