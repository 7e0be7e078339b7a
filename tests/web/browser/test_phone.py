"""The desk on a phone: all is read without moving sideways, and large enough to tap."""

from itertools import pairwise

import pytest
from playwright.sync_api import BrowserContext, Page

from tests.web.browser.conftest import Stage, open_page

pytestmark = pytest.mark.slow

BOXES = "all => all.map(each => each.getBoundingClientRect().toJSON())"
MONEY = ("money", "money-deferred", "money-bookkeeping", "money-open", "money-debits")


@pytest.fixture
def phone(tab: Page) -> Page:
    """The tab with the screen of a phone."""
    tab.set_viewport_size({"width": 390, "height": 844})
    return tab


@pytest.mark.parametrize("name", ["users", "keys", "money", "money-debits", "claims", "ending"])
def test_all_tabs_of_a_section_are_in_sight(phone: Page, ids: dict[str, str], name: str) -> None:
    open_page(phone, name, ids)
    for box in phone.locator("nav.parts a").evaluate_all(BOXES):
        assert box["left"] >= 0
        assert box["right"] <= 390
    assert phone.locator("nav.parts").first.bounding_box()["height"] <= 130  # type: ignore[index]


def test_the_way_back_to_all_settings_has_its_own_line(phone: Page, ids: dict[str, str]) -> None:
    open_page(phone, "users", ids)
    back, *tabs = phone.locator("nav.parts a").evaluate_all(BOXES)
    assert min(tab["top"] for tab in tabs) >= back["bottom"]


def test_no_tab_moves_from_page_to_page(tab: Page, ids: dict[str, str]) -> None:
    places = []
    for name in MONEY:
        open_page(tab, name, ids)
        places.append(tab.locator("nav.parts a").evaluate_all(BOXES))
    assert all(each == places[0] for each in places)
    assert len({box["top"] for box in places[0]}) == 1


def test_the_menu_is_a_list_to_tap(phone: Page, ids: dict[str, str]) -> None:
    open_page(phone, "home", ids)
    phone.locator("details.sections summary").click()
    boxes = phone.locator("details.sections a").evaluate_all(BOXES)
    assert len(boxes) >= 7
    assert len({box["left"] for box in boxes}) == 1
    assert len({box["top"] for box in boxes}) == len(boxes)
    assert all(box["height"] >= 44 for box in boxes)


MOVES_SIDEWAYS = """tables => tables.filter(each => each.scrollWidth > each.clientWidth)
    .map(each => each.textContent)"""
WITHOUT_NAME = """cells => cells.filter(each => each.textContent && !each.dataset.label)
    .map(each => each.textContent)"""


@pytest.mark.parametrize("name", ["money", "money-all"])
def test_figures_are_below_the_name_of_their_row(
    phone: Page, ids: dict[str, str], name: str
) -> None:
    open_page(phone, name, ids)
    assert phone.locator(".sums td.number[data-label]:visible").count() >= 3
    assert phone.locator(".sums td.number").evaluate_all(WITHOUT_NAME) == []
    assert phone.locator(".table").evaluate_all(MOVES_SIDEWAYS) == []
    row, figure = phone.locator(".sums th[scope=row], .sums td.number").evaluate_all(BOXES)[:2]
    assert figure["top"] >= row["bottom"]


@pytest.mark.parametrize("name", ["money-countries", "forecast"])
def test_a_country_is_a_line_with_its_main_figure_and_the_others_are_below(
    phone: Page, ids: dict[str, str], name: str
) -> None:
    open_page(phone, name, ids)
    assert phone.locator(".table").evaluate_all(MOVES_SIDEWAYS) == []
    row = phone.locator(".still:visible").last.locator("tbody tr").first
    [country] = row.locator("th").evaluate_all(BOXES)
    [main] = row.locator(".main").evaluate_all(BOXES)
    others = row.locator("td:not(.main):not(:empty)").evaluate_all(BOXES)
    assert main["left"] >= country["right"]
    assert main["top"] < country["bottom"]
    assert others
    assert all(each["top"] >= country["bottom"] - 1 for each in others)
    assert row.locator("td.number").evaluate_all(WITHOUT_NAME) == []


def test_each_price_is_beside_its_name(phone: Page, ids: dict[str, str]) -> None:
    open_page(phone, "product-new", ids)
    assert phone.locator(".table").evaluate_all(MOVES_SIDEWAYS) == []
    longest = "cells => cells[0].dataset.label = 'Your country: United Kingdom of Great Britain'"
    phone.locator(".form td").evaluate_all(longest)
    boxes = phone.locator(".form input").evaluate_all(BOXES)
    assert len({(box["left"], box["width"]) for box in boxes}) == 1
    for cell in phone.locator(".form td").all():
        assert cell.evaluate("cell => getComputedStyle(cell, '::before').content") != "none"
        box = cell.locator("input").bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= 390


def test_the_buttons_of_an_issue_are_whole_and_apart(
    owner_browser: BrowserContext, stage: Stage, ids: dict[str, str]
) -> None:
    signed_in = owner_browser.storage_state()
    browser = owner_browser.browser
    assert browser is not None
    context = browser.new_context(
        base_url=stage.server.url,
        storage_state=signed_in,
        viewport={"width": 390, "height": 844},
        has_touch=True,
        is_mobile=True,
    )
    phone = context.new_page()
    open_page(phone, "subscriber", ids)
    buttons = phone.locator(".issues-of [role=button]:visible")
    assert buttons.count() >= 6
    for box in buttons.evaluate_all(BOXES):
        assert 36 <= box["height"] < 48  # one line
    lines: dict[float, list[dict[str, float]]] = {}
    for box in buttons.evaluate_all(BOXES):
        lines.setdefault(round(box["top"]), []).append(box)
    for line in lines.values():
        assert all(b["left"] - a["right"] >= 6 for a, b in pairwise(line))
    context.close()


def test_the_last_option_of_the_search_opens_all_results(phone: Page, ids: dict[str, str]) -> None:
    open_page(phone, "home", ids)
    phone.locator("header input[type=search]").fill("an")
    last = phone.get_by_role("option", name="All results")
    last.wait_for()
    box = last.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 844
    phone.keyboard.press("ArrowUp")
    phone.keyboard.press("Enter")
    phone.wait_for_url("**/subscribers/?search=an")


@pytest.mark.parametrize("name", ["log", "subscriptions", "ending-lapsed", "ending-past-due"])
def test_filters_are_folded_on_a_phone_alone(tab: Page, ids: dict[str, str], name: str) -> None:
    open_page(tab, name, ids)
    summary, field = tab.locator(".folded > summary"), tab.locator(".folded select").first
    is_set = name == "ending-lapsed"  # this page has `ago=3`
    assert not summary.is_visible()
    assert field.is_visible()
    button = tab.locator("form.filters button").evaluate_all(BOXES)[-1]
    assert abs(field.evaluate_all(BOXES)[0]["bottom"] - button["bottom"]) < 2
    tab.set_viewport_size({"width": 390, "height": 844})
    assert field.is_visible() == is_set
    summary.click()
    assert field.is_visible() != is_set


def test_a_filter_that_is_set_is_in_sight(phone: Page, ids: dict[str, str]) -> None:
    open_page(phone, "subscriptions-filtered", ids)
    assert phone.get_by_label("Status").is_visible()


# As with a mail server: a button for both channels, and one for each
THREE_BUTTONS = """bar => bar.innerHTML =
    "<button>Send by email (100) and prepare to print (13)</button>"
    + "<button>Send by email (100)</button><button>Prepare to print (13)</button>";"""


def test_the_buttons_that_send_letters_leave_room_for_the_letter(
    phone: Page, ids: dict[str, str]
) -> None:
    open_page(phone, "letters-confirm", ids)
    bar = phone.locator(".send")
    bar.evaluate(THREE_BUTTONS)
    [box] = bar.evaluate_all(BOXES)
    assert box["bottom"] - box["top"] <= 100
    tops = {round(each["top"]) for each in bar.locator("button").evaluate_all(BOXES)}
    assert len(tops) == 2
    for each in bar.locator("button").evaluate_all(BOXES):
        assert each["height"] >= 30
