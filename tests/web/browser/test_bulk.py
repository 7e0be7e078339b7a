"""Rows of a list are chosen by their boxes in a real browser."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.web.browser.conftest import Publication
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
    count = page.locator("[data-pick]").count()
    page.get_by_role("checkbox", name="All on this page").check()
    expect(bar.get_by_role("status")).to_have_text(f"{count} chosen")
    page.get_by_role("checkbox", name="Choose Vera Lind").uncheck()
    expect(bar.get_by_role("status")).to_have_text(f"{count - 1} chosen")
    bar.get_by_role("button", name="Add a note").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"Note on {count - 1} ")
    page.go_back()
    expect(bar.get_by_role("status")).to_have_text(f"{count - 1} chosen")
