"""The pages of issues in a real browser: create and edit; axe checks each page."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.web.browser.conftest import Publication, set_password_and_sign_in
from tests.web.browser.test_desk_subscriptions import add_ada, sign_in_with_issues
from tests.web.browser.test_people import check_accessibility

pytestmark = pytest.mark.slow


def test_an_issue_can_be_created_edited_and_previewed(page: Page, publication: Publication) -> None:
    set_password_and_sign_in(page, publication)
    page.get_by_role("button", name="Create an issue").click()
    expect(page.get_by_label("Number", exact=False).first).to_have_value("1")
    page.get_by_label("Number").first.fill("11")
    page.get_by_label("Name").fill("Tides")
    page.get_by_label("Newsstand EAN").fill("4012345678901")
    page.get_by_role("button", name="Create the issue").click()
    expect(page.get_by_role("status")).to_have_text("Tides is created, with 0 copies to send.")
    expect(page.get_by_role("heading", level=1)).to_have_text("Tides (issue 11)")

    page.get_by_role("button", name="Edit").click()
    page.get_by_label("New subscriptions from").fill("2026-01-05")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_have_text("The changes are saved.")
    expect(page.get_by_text("5 January 2026")).to_be_visible()
    here = page.url

    add_ada(page, publication)
    page.goto(publication.at())
    expect(page.get_by_text("0 of 1 copies sent")).to_be_visible()
    page.goto(here)
    page.get_by_role("button", name="Prepare mailing 1 (1)").click()
    expect(page.get_by_text("Mailing 1 takes 1 copy")).to_be_visible()


def test_the_preview_of_copies_changes_with_the_number(
    script_page: Page, publication: Publication
) -> None:
    page = script_page
    sign_in_with_issues(page, publication)
    add_ada(page, publication)
    page.goto(publication.at("issues", "new"))
    expect(page.get_by_text("Issue 13 will have 1 copy")).to_be_visible()
    page.get_by_label("Number").first.fill("15")
    expect(page.get_by_text("Issue 15 will have 0 copies")).to_be_visible()
    page.get_by_label("Number").first.fill("")
    expect(page.get_by_text("Type a number to see")).to_be_visible()


def test_the_copies_of_an_issue_can_be_filtered(
    script_page: Page, publication: Publication
) -> None:
    page = script_page
    sign_in_with_issues(page, publication)
    add_ada(page, publication)
    page.goto(publication.at("issues"))
    page.get_by_role("link", name="Issue 11").click()
    page.get_by_label("Status").select_option("Sent")
    expect(page.get_by_text("No copies match this filter.")).to_be_visible()
    expect(page).to_have_url(re.compile("status=Sent"))


def test_the_home_page_and_the_pages_of_issues_are_accessible(
    script_page: Page, publication: Publication
) -> None:
    page = script_page
    set_password_and_sign_in(page, publication)
    check_accessibility(page, "home-empty")
    page.goto(publication.at("issues"))
    check_accessibility(page, "issues-empty")
    page.goto(publication.at("forecast"))
    check_accessibility(page, "forecast-empty")
    page.goto(publication.at("issues", "new"))
    page.get_by_label("Number").first.fill("11")
    page.get_by_label("New subscriptions from").fill("2026-01-05")
    check_accessibility(page, "issue-new")
    page.get_by_role("button", name="Create the issue").click()
    here = page.url
    page.goto(publication.at("issues", "new"))
    page.get_by_label("Number").first.fill("11")
    page.get_by_role("button", name="Create the issue").click()
    expect(page.get_by_label("Number").first).to_have_attribute("aria-invalid", "true")
    check_accessibility(page, "issue-new-refused")
    add_ada(page, publication)
    page.goto(here)
    page.get_by_text("By country and medium").click()
    check_accessibility(page, "issue")
    for verb in ("edit", "dispatch"):
        page.goto(f"{here}{verb}/")
        check_accessibility(page, f"issue-{verb}")
    for name in ("issues", "forecast", "ending", "ending/memberships"):
        page.goto(publication.at(name))
        check_accessibility(page, name.replace("/", "-"))
    page.goto(publication.at())
    expect(page.locator("svg").first).to_be_visible()
    page.get_by_text("Show the numbers as a table").click()
    check_accessibility(page, "home")
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")  # without color transitions
    check_accessibility(page, "home-dark")
    page.set_viewport_size({"width": 360, "height": 740})
    check_accessibility(page, "home-phone")
