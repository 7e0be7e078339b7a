"""Files that take seconds to write, in a real browser."""

import pytest
from playwright.sync_api import Dialog, Page, expect

from tests.web.browser.conftest import Publication, set_password_and_sign_in

pytestmark = pytest.mark.slow

LINK = """
<div class="actions">
  <a href="/slow.pdf" data-prepares="Please stay" download>The PDF</a>
  <form method="post"><button>Mark as printed</button></form>
</div>
"""


def test_who_leaves_while_a_file_is_written_is_asked(
    script_page: Page, publication: Publication
) -> None:
    page, asked = script_page, list[str]()

    def leave(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    set_password_and_sign_in(page, publication)
    page.route("**/slow.pdf", lambda _route: None)  # it never comes
    page.on("dialog", leave)
    page.evaluate(
        "html => document.querySelector('main').insertAdjacentHTML('beforeend', html)", LINK
    )
    page.get_by_role("link", name="The PDF").click()
    expect(page.get_by_role("link", name="Please stay")).to_be_visible()
    expect(page.get_by_role("button", name="Mark as printed")).to_be_disabled()
    page.get_by_role("link", name="Issues").first.click()
    page.wait_for_url("**/issues/")
    assert asked == ["beforeunload"]


def test_a_file_that_cannot_be_written_leads_to_the_page_that_says_why(
    script_page: Page, publication: Publication
) -> None:
    page, asked = script_page, list[str]()
    set_password_and_sign_in(page, publication)
    page.route("**/slow.pdf", lambda route: route.fulfill(status=200, body="No letters are left."))
    page.on("dialog", lambda dialog: asked.append(dialog.type))
    page.evaluate(
        "html => document.querySelector('main').insertAdjacentHTML('beforeend', html)", LINK
    )
    page.get_by_role("link", name="The PDF").click()
    expect(page.get_by_text("No letters are left.")).to_be_visible()
    assert asked == []
