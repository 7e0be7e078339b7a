"""Rows of a list are chosen by their boxes in a real browser."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.web.browser.conftest import Publication, open_page
from tests.web.browser.test_dispatch import sign_in_with_subscribers

pytestmark = pytest.mark.slow


def test_the_box_in_the_head_chooses_the_page_and_the_bar_counts(
    script_page: Page, publication: Publication, tmp_path: Path
) -> None:
    page = script_page
    sign_in_with_subscribers(page, publication, tmp_path)
    page.goto(publication.at("subscribers"))
    bar = page.get_by_role("form", name="Chosen rows")
    expect(bar.get_by_role("status")).to_have_text("0 chosen")
    expect(bar.get_by_role("button")).to_have_count(0)
    count = page.locator("[data-pick]").count()
    page.get_by_role("checkbox", name="All on this page").check()
    expect(bar.get_by_role("status")).to_have_text(f"{count} chosen")
    page.get_by_role("checkbox", name="Choose Vera Lind").uncheck()
    expect(bar.get_by_role("status")).to_have_text(f"{count - 1} chosen")
    bar.get_by_role("button", name="Add a note").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"Note on {count - 1} ")
    page.go_back()
    expect(bar.get_by_role("status")).to_have_text(f"{count - 1} chosen")


def test_without_scripts_the_bar_shows_what_can_be_done(
    make_browser_context: Callable[..., BrowserContext], publication: Publication, tmp_path: Path
) -> None:
    page = make_browser_context(java_script_enabled=False).new_page()
    sign_in_with_subscribers(page, publication, tmp_path)
    page.goto(publication.at("subscribers"))
    page.get_by_role("checkbox", name="Choose Vera Lind").check()
    bar = page.get_by_role("form", name="Chosen rows")
    bar.get_by_role("button", name="Add a note").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Note on 1 subscriber")


def test_the_number_of_letters_follows_the_names_that_are_ticked(
    page: Page, publication: Publication, tmp_path: Path
) -> None:
    sign_in_with_subscribers(page, publication, tmp_path)
    ends = ["--number", "14", "--date-as-start-issue", "2026-02-05"]
    publication.stage.run("issue", "create", "--account", publication.subdomain, *ends)
    page.goto(publication.at("letters", "last", "send"))
    has_scripts = page.evaluate("typeof window.htmx") == "object"
    send = page.get_by_role("main").get_by_role("button", name=re.compile("^Prepare to print"))

    def says(number: int) -> None:
        text = f"Prepare to print ({number})" if has_scripts else "Prepare to print"
        expect(send).to_have_text(text, use_inner_text=True)
        if has_scripts:
            expect(page.get_by_role("main")).to_contain_text(f"Language: English: {number}")

    says(3)
    page.get_by_role("checkbox", name="Vera Lind").uncheck()
    says(2)
    page.get_by_role("button", name="Save the ticks without sending").click()
    expect(page.get_by_role("main")).to_contain_text("2 on paper")
    page.get_by_role("checkbox", name="Vera Lind").check()
    says(3)
    example = page.get_by_text(re.compile("^The letter as .+ gets it on paper"))
    name = re.split("as | gets", example.inner_text())[1]
    page.get_by_role("checkbox", name=name).uncheck()
    says(2)
    if has_scripts:
        expect(example).not_to_contain_text(name)


TICK_BUTTONS = """actions => actions.insertAdjacentHTML("beforeend",
    '<button type="button" data-tick="all">All</button>'
    + '<button type="button" data-tick="none">None</button>')"""


def test_all_letters_of_a_page_are_ticked_and_unticked(tab: Page, ids: dict[str, str]) -> None:
    open_page(tab, "letters-confirm", ids)
    count = tab.locator("[data-letter]").count()
    assert count
    left = tab.locator("[data-left]")
    before = left.all_text_contents()
    tab.locator("main").evaluate(TICK_BUTTONS)
    tab.get_by_role("button", name="None", exact=True).click()
    expect(tab.locator("[data-letter]:checked")).to_have_count(0)
    assert left.all_text_contents() != before
    tab.get_by_role("button", name="All", exact=True).click()
    expect(tab.locator("[data-letter]:checked")).to_have_count(count)
    assert left.all_text_contents() == before
