"""The file of each preset in Chromium: uploaded, recognized, its questions answered, imported.

The presets take turns: one has scripts, the next one has none; two are imported both ways. All
files of a browser are uploaded before the first one is imported, so that no file waits alone.
"""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from masthead.model.imports.presets.registry import get_preset, list_presets
from tests.web.browser.conftest import Publication, Stage, new_publication, set_password_and_sign_in
from tests.web.browser.moving.steps import FILES, ORDERS, furnish, press_import, wait_for
from tests.web.browser.office import Desk

# How the questions of each file are answered: the labels of fields, and what is typed or chosen
ANSWERS: dict[str, dict[str, str]] = {
    "woocommerce-subscriptions": {"Product of Tote bag": "leave"},
    "woocommerce-orders": {
        "Yes: the buyer gives them to the recipient": "",
        "Product of Poster": "leave",
    },
    "shopify-orders": {
        "No: they are for the recipient's own account": "",
        "The issue after that day": "",
        "Product of Back issue 7": "leave",
    },
    "squarespace-orders": {
        "Number of issues of Print subscription - Annual": "4",
        "Number of issues of Print subscription - Half-year": "2",
        "Product of Mug": "leave",
    },
    "stripe-subscriptions": {"What does the status “trialing” mean? Rows with it: 1.": "Active"},
    "patreon-members": {"Product of Tip jar": "leave"},
    "paypal-activity": {
        "Number of issues of Annual subscription": "4",
        "Product of Paper": "leave",
        "Product of Poster": "leave",
    },
    "substack": {"Months of founding": "12"},
    "ghost-members": {"Product of Digital": "leave"},
    "subsail": {"Create issues that do not exist yet": ""},
    "masthead": {"Create issues that do not exist yet": ""},
}
# How many rows are read, and how many orders are made from them
ROWS = {
    "woocommerce-subscriptions": (12, 10),
    "woocommerce-orders": (12, 9),
    "shopify-orders": (13, 10),
    "squarespace-orders": (10, 8),
    "stripe-subscriptions": (10, 9),
    "patreon-members": (9, 7),
    "paypal-activity": (11, 3),
    "substack": (9, 6),
    "ghost-members": (8, 4),
    "subsail": (8, 7),
    "masthead": (8, 8),
}
BOTH = ("shopify-orders", "patreon-members")
WITH_SCRIPTS = [preset.name for preset in list_presets()[::2]]
WITHOUT_SCRIPTS = [preset.name for preset in list_presets()[1::2]]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def signed_in(browser: Browser, stage: Stage) -> tuple[Publication, Any]:
    """A publication, and the cookies with which its owner is signed in."""
    publication = new_publication(stage)
    furnish(publication, "en_GB")
    context = browser.new_context()
    set_password_and_sign_in(context.new_page(), publication)
    cookies = context.storage_state()
    context.close()
    return publication, cookies


@pytest.mark.parametrize("has_scripts", [True, False], ids=["script", "no-script"])
def test_the_file_of_each_preset_is_recognized_rehearsed_and_imported(
    signed_in: tuple[Publication, Any],
    make_browser_context: Callable[..., BrowserContext],
    has_scripts: bool,
) -> None:
    publication, cookies = signed_in
    context = make_browser_context(storage_state=cookies, java_script_enabled=has_scripts)
    page = context.new_page()
    desk = Desk(page, publication, "en_GB", has_scripts, is_phone=False, finds_faults=False)
    presets = dict.fromkeys([*(WITH_SCRIPTS if has_scripts else WITHOUT_SCRIPTS), *BOTH])
    [before] = desk.figures(ORDERS)
    imports = {preset: rehearse(desk, preset) for preset in presets}
    rows: dict[str, tuple[int, ...]] = {}
    for preset, address in imports.items():
        page.goto(address)
        wait_for(desk, "What the import would do")
        figures = page.locator("dl.figures dd")
        rows[preset] = tuple(int(figures.nth(place).inner_text()) for place in (0, 1))
        press_import(desk, rows[preset][1])
    for address in imports.values():
        page.goto(address)
        wait_for(desk, "This import is done")
    assert rows == {preset: ROWS[preset] for preset in presets}
    assert desk.figures(ORDERS) == [before + sum(made for _read, made in rows.values())]


def rehearse(desk: Desk, preset: str) -> str:
    """Upload the file of a preset, answer its questions, and rehearse; the address of its import.

    The numbers of its orders say how it was imported, since two files are imported twice.
    """
    page = desk.page
    page.goto(desk.publication.at("imports", "new"))
    page.set_input_files("input[type=file]", FILES / f"{preset}.csv")
    desk.choose("Where do these orders come from?", "new")
    desk.type({"Name of the new source": f"{preset} {desk.has_scripts}"})
    desk.press("Continue")
    recognized = desk.field("Kind of file").locator("option:checked")
    expect(recognized).to_have_text(get_preset(preset).label)
    for label, answer in ANSWERS[preset].items():
        field = page.get_by_label(label, exact=True)
        if not answer:
            field.check()
        elif field.evaluate("field => field.tagName") == "SELECT":
            field.select_option(answer)
        else:
            field.fill(answer)
    desk.type({"Put before each order number": f"{desk.has_scripts}-"})
    desk.press("Continue to the preview")
    desk.press("Rehearse with all rows")
    return page.url
