"""The first day with masthead, from an empty account, with and without JavaScript."""

import json
import re
import shlex
import subprocess

import pytest
from playwright.sync_api import Page, expect

from tests.web.browser.conftest import Publication, set_password_and_sign_in


def test_a_new_owner_can_do_everything_from_the_first_sign_in_to_the_audit_log(
    page: Page, publication: Publication
) -> None:
    set_password_and_sign_in(page, publication)
    _create_and_use_a_key(page, publication)
    _create_an_issue(page, "11", "Salt roads")
    _add_a_subscription(page, publication)
    _correct_the_address(page)
    _create_an_issue(page, "12", "High water")
    _mark_issue_11_sent(page, publication)
    _cancel(page, publication)
    _check_the_issues(page, publication)
    _read_the_audit_log(page, publication)


def _create_and_use_a_key(page: Page, publication: Publication) -> None:
    page.goto(publication.at("settings", "keys"))
    page.get_by_role("button", name="Create an API key").click()
    page.get_by_label("Name").fill("Friday's program")
    page.get_by_role("button", name="Create the key").click()
    line, answer = page.locator("#curl").inner_text(), page.locator("#answer").inner_text()
    done = subprocess.run(
        [*shlex.split(line), "--silent", "--noproxy", "*"],
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    assert json.loads(done.stdout) == json.loads(answer)
    assert json.loads(done.stdout)["scope"] == "read_only"
    key = page.locator("#key").inner_text()
    page.get_by_role("button", name="I have copied the key").click()
    expect(page.get_by_role("row", name=re.compile("Friday's program"))).to_be_visible()
    assert key not in page.content()


def _create_an_issue(page: Page, number: str, name: str) -> None:
    page.get_by_role("link", name="Issues", exact=True).click()
    page.get_by_role("button", name="Create an issue").first.click()
    page.get_by_label("Number").fill(number)
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Create the issue").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(name)


def _add_a_subscription(page: Page, publication: Publication) -> None:
    page.goto(publication.at("subscriptions", "new"))
    page.get_by_role("button", name="Create the source").click()
    page.get_by_label("Email optional").fill("marit@fjord.test")
    page.get_by_label("First name").fill("Marit")
    page.get_by_label("Last name").fill("Solheim")
    page.get_by_label("Street and number").fill("Havnegata 1")
    page.get_by_label("Postcode").fill("5003")
    page.get_by_label("Town").fill("Oslo")
    page.get_by_label("Country", exact=True).select_option(label="Norway")
    page.get_by_label("Number of issues").fill("0")
    page.get_by_label("Price paid").fill("42.00")
    page.get_by_role("button", name="Add the subscription").click()
    wrong = page.get_by_label("Number of issues")
    expect(wrong).to_have_attribute("aria-invalid", "true")  # the field is marked,
    expect(page.get_by_label("Last name")).to_have_value("Solheim")  # and keeps the typed values
    wrong.fill("2")
    page.get_by_role("button", name="Add the subscription").click()
    expect(page.get_by_role("status").first).to_contain_text("Marit Solheim gets 2 issues")


def _correct_the_address(page: Page) -> None:
    page.get_by_role("button", name="Change the address").click()
    page.get_by_label("Town").fill("Bergen")
    page.get_by_role("button", name="Show what will happen").click()
    page.get_by_role("button", name="Change the address").click()
    expect(page.get_by_text("1 subscription has the new address.")).to_be_visible()


def _mark_issue_11_sent(page: Page, publication: Publication) -> None:
    _find_the_subscriber(page, publication)
    page.locator(".records a").first.click()
    page.get_by_label(re.compile("issue 11 was sent")).fill("2026-05-03")
    page.get_by_role("button", name="Mark as sent: issue 11").click()
    copy = page.get_by_role("row", name=re.compile("Issue 11")).first  # above the history
    expect(copy).to_contain_text("3 May 2026")


def _cancel(page: Page, publication: Publication) -> None:
    page.get_by_role("button", name="Cancel", exact=True).click()
    expect(page.get_by_text("1 copy not sent yet")).to_be_visible()  # the preview
    page.get_by_label("Reason").select_option("too expensive")
    page.get_by_role("button", name="Cancel the subscription and 1 copy").click()
    expect(page.locator(".status").first).to_have_text("Cancelled")


def _find_the_subscriber(page: Page, publication: Publication) -> None:
    page.goto(publication.at())
    page.get_by_label("Search subscribers").fill("solhe")
    page.get_by_label("Search subscribers").press("Enter")  # the only match opens at once
    expect(page.get_by_role("heading", name="Marit Solheim", level=1)).to_be_visible()


def _check_the_issues(page: Page, publication: Publication) -> None:
    _find_the_subscriber(page, publication)
    expect(page.locator("#issue-11")).to_contain_text("Sent on 3 May 2026")
    expect(page.locator("#issue-12")).to_contain_text(
        re.compile(
            rf"Not sent: the subscription was cancelled on .* by {re.escape(publication.owner)}"
        )
    )


def _read_the_audit_log(page: Page, publication: Publication) -> None:
    page.goto(publication.at("settings", "log"))
    log = page.locator("main")
    for text in ("Friday's program", "Salt roads", "High water", "Bergen", "Cancelled", "By hand"):
        expect(log).to_contain_text(text)
    expect(log).to_contain_text(publication.owner)


@pytest.mark.slow
def test_a_double_click_creates_one_subscription(
    script_page: Page, publication: Publication
) -> None:
    page = script_page
    set_password_and_sign_in(page, publication)
    page.goto(publication.at("issues", "new"))
    page.get_by_label("Number").fill("1")
    page.get_by_role("button", name="Create the issue").dblclick(no_wait_after=True)
    page.wait_for_url(re.compile(r"/issues/\w{5,}/"))
    page.goto(publication.at("subscriptions", "new"))
    page.get_by_role("button", name="Create the source").dblclick(no_wait_after=True)
    page.get_by_label("First name").fill("Ida")
    page.get_by_label("Medium").select_option("Digital")
    page.get_by_label("Country", exact=True).select_option(label="Norway")
    page.get_by_label("Number of issues").fill("1")
    page.get_by_label("Price paid").fill("8")
    page.get_by_role("button", name="Add the subscription").dblclick(no_wait_after=True)
    page.wait_for_url(re.compile(r"/subscriptions/\w{5,}/"))
    page.goto(publication.at("subscriptions"))
    assert page.get_by_role("link", name="Ida").count() == 1


@pytest.mark.slow
def test_a_list_is_filtered_while_the_user_types(
    script_page: Page, publication: Publication
) -> None:
    page = script_page
    set_password_and_sign_in(page, publication)
    page.goto(publication.at("subscribers"))
    page.locator("main").get_by_role("searchbox").press_sequentially("nobody")
    expect(page.locator("#results")).to_contain_text("No subscribers match")
    page.wait_for_url(re.compile(r"subscribers/\?search=nobody"))
