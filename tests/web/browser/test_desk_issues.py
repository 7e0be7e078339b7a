"""An issue from its form until it is out, in a real browser; axe looks at each page."""

from playwright.sync_api import Page, expect

from tests.web.browser.conftest import Publication, enter
from tests.web.browser.test_desk_subscriptions import add_ada, begin
from tests.web.browser.test_people import look


def test_an_issue_is_made_changed_and_sent_out(page: Page, publication: Publication) -> None:
    enter(page, publication)
    page.get_by_role("button", name="Create an issue").click()
    expect(page.get_by_label("Number", exact=False).first).to_have_value("1")
    page.get_by_label("Number").first.fill("11")
    page.get_by_label("Name").fill("Tides")
    page.get_by_label("Newsstand EAN").fill("4012345678901")
    page.get_by_role("button", name="Create the issue").click()
    expect(page.get_by_role("status")).to_have_text("Tides is created, with 0 copies to send.")
    expect(page.get_by_role("heading", level=1)).to_have_text("Tides")

    page.get_by_role("button", name="Edit").click()
    page.get_by_label("New subscriptions start with it from").fill("2026-01-05")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_have_text("The changes are saved.")
    expect(page.get_by_text("5 January 2026")).to_be_visible()
    here = page.url

    add_ada(page, publication)
    page.goto(publication.at())
    expect(page.get_by_text("0 of 1 copies sent")).to_be_visible()
    page.goto(here)
    page.get_by_role("button", name="Mark copies as sent").click()
    page.get_by_label("Sent on").fill("2026-05-03")
    page.get_by_role("button", name="Mark 1 copy as sent").click()
    expect(page.get_by_role("status")).to_have_text("1 copy is marked as sent.")
    page.goto(publication.at())
    expect(page.get_by_text("1 of 1 copies sent")).to_be_visible()


def test_how_many_copies_an_issue_will_make_follows_its_number(
    script_page: Page, publication: Publication
) -> None:
    page = script_page
    begin(page, publication)
    add_ada(page, publication)
    page.goto(publication.at("issues", "new"))
    expect(page.get_by_text("Issue 13 will have 1 copy")).to_be_visible()
    page.get_by_label("Number").first.fill("15")
    expect(page.get_by_text("Issue 15 will have 0 copies")).to_be_visible()
    page.get_by_label("Number").first.fill("")
    expect(page.get_by_text("Type a number to see")).to_be_visible()


def test_copies_of_an_issue_follow_the_filter(script_page: Page, publication: Publication) -> None:
    page = script_page
    begin(page, publication)
    add_ada(page, publication)
    page.goto(publication.at("issues"))
    page.get_by_role("link", name="Issue 11").click()
    page.get_by_label("Status").select_option("Sent")
    expect(page.get_by_text("No copies match this filter.")).to_be_visible()
    assert "status=Sent" in page.url


def test_axe_finds_nothing_on_home_nor_among_issues(
    script_page: Page, publication: Publication
) -> None:
    page = script_page
    enter(page, publication)
    look(page, "home-empty")
    page.goto(publication.at("issues"))
    look(page, "issues-empty")
    page.goto(publication.at("forecast"))
    look(page, "forecast-empty")
    page.goto(publication.at("issues", "new"))
    page.get_by_label("Number").first.fill("11")
    page.get_by_label("New subscriptions start with it from").fill("2026-01-05")
    look(page, "issue-new")
    page.get_by_role("button", name="Create the issue").click()
    here = page.url
    page.goto(publication.at("issues", "new"))
    page.get_by_label("Number").first.fill("11")
    page.get_by_role("button", name="Create the issue").click()
    expect(page.get_by_label("Number").first).to_have_attribute("aria-invalid", "true")
    look(page, "issue-new-refused")
    add_ada(page, publication)
    page.goto(here)
    page.get_by_text("By country and medium").click()
    look(page, "issue")
    for verb in ("edit", "send"):
        page.goto(f"{here}{verb}/")
        look(page, f"issue-{verb}")
    for name in ("issues", "forecast", "ending", "ending/memberships"):
        page.goto(publication.at(name))
        look(page, name.replace("/", "-"))
    page.goto(publication.at())
    expect(page.locator("svg").first).to_be_visible()
    page.get_by_text("Show the numbers as a table").click()
    look(page, "home")
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")  # no colour in between
    look(page, "home-dark")
    page.set_viewport_size({"width": 360, "height": 740})
    look(page, "home-phone")
