"""The pages of subscriptions and subscribers in a real browser; axe checks each page."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.web.browser.conftest import Publication, set_password_and_sign_in
from tests.web.browser.test_people import check_accessibility, fill_in, follow

pytestmark = pytest.mark.slow


def sign_in_with_issues(page: Page, publication: Publication) -> None:
    """Sign in to an account with issues 11 and 12."""
    for number in ("11", "12"):
        publication.stage.run(
            "issue", "create", "--account", publication.subdomain, "--number", number
        )
    set_password_and_sign_in(page, publication)


def add_ada(page: Page, publication: Publication) -> None:
    """Add a subscription manually that includes the issues 11 to 14."""
    page.goto(publication.at("subscriptions"))
    page.get_by_role("button", name="Add a subscription").click()
    page.get_by_role("button", name="Create the source “By hand”").click()
    fields = {"Email optional": "ada@example.test", "First name optional": "Ada"}
    fields |= {"Street and number": "1 Mill Lane", "Postcode": "89073"}
    fields |= {"Town": "Kiel"}
    page.get_by_label("Country", exact=True).select_option("DE")
    page.get_by_label("Start issue", exact=True).select_option("11")
    for label, text in fields.items():
        page.get_by_label(label).fill(text)
    page.get_by_label("Number of issues").fill("4")
    page.get_by_label("Price paid").fill("1.042,00")
    page.get_by_role("button", name="Add the subscription").click()
    expect(page.get_by_label("Price paid")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("First name optional")).to_have_value("Ada")
    page.get_by_label("Price paid").fill("42.00")
    page.get_by_role("button", name="Add the subscription").click()
    expect(page.get_by_role("status")).to_have_text("Ada gets 4 issues.")


def test_a_subscription_can_be_added_edited_and_cancelled(
    page: Page, publication: Publication
) -> None:
    sign_in_with_issues(page, publication)
    add_ada(page, publication)
    page.get_by_label("Date on which issue 11 was sent").fill("2026-05-03")
    page.get_by_role("button", name="Mark as sent: issue 11").click()
    expect(page.get_by_role("status")).to_have_text("The copy is marked as sent.")

    page.get_by_role("button", name="Change the address").click()
    fill_in(page, {"Street and number": "Weg 1", "Town": "Ulm"}, "Show what will happen")
    page.get_by_role("button", name="Change the address").click()
    expect(page.get_by_role("status")).to_have_text("1 subscription has the new address.")
    page.locator(".records a").first.click()

    page.get_by_role("button", name="Cancel", exact=True).click()
    expect(page.get_by_text("1 copy not sent yet (issue 12) will be cancelled.")).to_be_visible()
    page.get_by_label("Reason").select_option("too expensive")
    page.get_by_role("button", name="Cancel the subscription and 1 copy").click()
    expect(page.get_by_role("status")).to_contain_text("1 copy will not be sent")

    page.get_by_label("Search subscribers").fill("ada")
    page.get_by_label("Search subscribers").press("Enter")  # opens the only one that matches
    expect(page.locator("#issue-11")).to_contain_text("Sent on 3 May 2026")
    page.get_by_label("Did this subscriber get issue number").fill("12")
    page.get_by_role("button", name="Check").click()
    answer = page.locator("#answer")
    expect(answer.get_by_role("rowheader", name="Issue 12")).to_be_visible()
    expect(answer).to_contain_text("Not sent: the subscription was cancelled")
    expect(answer).to_contain_text(f"by {publication.owner}")
    expect(page.get_by_role("cell", name="Address changed")).to_be_visible()


def test_a_late_proposal_does_not_replace_what_was_typed(
    script_page: Page, publication: Publication
) -> None:
    page = script_page
    sign_in_with_issues(page, publication)
    page.goto(publication.at("subscriptions", "new"))
    page.get_by_role("button", name="Create the source “By hand”").click()
    held: list[Route] = []
    page.route(re.compile("subscriptions/new"), lambda request: held.append(request))
    with page.expect_request(re.compile("subscriptions/new")):
        page.get_by_label("Medium").select_option("Digital")
    page.get_by_label("Price paid").fill("17.50")
    with page.expect_response(re.compile("subscriptions/new")):
        while held:  # the answer comes now
            held.pop().continue_()
    page.wait_for_timeout(1500)  # time in which the answer could be shown
    expect(page.get_by_label("Price paid")).to_have_value("17.50")


def test_a_field_listens_from_the_moment_it_is_shown(
    script_page: Page, publication: Publication
) -> None:
    page = script_page
    sign_in_with_issues(page, publication)
    add_ada(page, publication)
    page.goto(publication.at("subscriptions", "new"))
    page.evaluate(
        """
        () => new MutationObserver(() => {
          const field = document.querySelector("[name=gifter_find]");
          if (!field || field.value) return;
          field.value = "Ada";
          field.dispatchEvent(new Event("input", {bubbles: true}));
        }).observe(document.body, {childList: true, subtree: true})
        """
    )
    page.get_by_label("For someone else, as a gift").check()
    expect(page.get_by_role("button", name="Use this giver")).to_be_visible()


def test_lists_are_filtered_while_the_user_types(
    script_page: Page, publication: Publication
) -> None:
    page = script_page
    sign_in_with_issues(page, publication)
    add_ada(page, publication)
    page.goto(publication.at("subscribers"))
    search = page.get_by_label("Search by name")
    search.press_sequentially("nobody")
    expect(page.get_by_text("No subscribers match")).to_be_visible()
    expect(search).to_be_focused()
    expect(page).to_have_url(re.compile(r"\?search=nobody$"))
    search.fill("ada")
    expect(page.get_by_role("link", name="Ada", exact=True)).to_be_visible()
    page.goto(publication.at("subscriptions"))
    page.get_by_label("Status").select_option("Cancelled")
    expect(page.get_by_text("No subscriptions match these filters.")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("rowheader", name="Ada")).to_be_visible()


def test_the_pages_of_subscribers_and_subscriptions_are_accessible(
    script_page: Page, publication: Publication
) -> None:
    page = script_page
    sign_in_with_issues(page, publication)
    page.goto(publication.at("subscribers"))
    check_accessibility(page, "subscribers-empty")
    page.goto(publication.at("subscriptions", "new"))
    check_accessibility(page, "subscription-without-source")
    add_ada(page, publication)
    check_accessibility(page, "subscription")
    here = page.url
    for verb in ("edit", "cancel"):
        page.goto(f"{here}{verb}/")
        check_accessibility(page, f"subscription-{verb}")
    page.goto(publication.at("subscriptions"))
    check_accessibility(page, "subscriptions")
    page.goto(publication.at("subscriptions", "new"))
    check_accessibility(page, "subscription-new")
    page.goto(publication.at("subscribers"))
    check_accessibility(page, "subscribers")
    follow(page.get_by_role("link", name="Ada", exact=True))
    check_accessibility(page, "subscriber")
    page.get_by_label("Did this subscriber get issue number").fill("x")
    follow(page.get_by_role("button", name="Check"))
    check_accessibility(page, "subscriber-invalid-number")
