"""Before the first mailing of an issue: what is sent already, what is left, and what is done."""

from tests.conftest import Cast
from tests.support.factories import copies_of, make_issue, make_subscription
from tests.web.conftest import Person
from tests.web.reports.test_home import words

SWEDEN = {"address1": "Storgatan 1", "city": "Lund", "country": "SE"}


async def test_copies_that_were_sent_without_a_mailing_are_named(acme: Cast, owner: Person) -> None:
    issue = await make_issue(acme, date_as_start_issue="2026-01-01")
    made = [await make_subscription(acme), await make_subscription(acme, **SWEDEN)]
    await make_subscription(acme, **SWEDEN)
    [first, *_rest] = await copies_of(acme, made[0]["id"])
    await acme.post(f"/v1/copies/{first['id']}/mark-sent/", {})
    assert "1 was marked as sent without a mailing: in an import, by a program" in words(
        await owner.text()
    )
    page = words(await owner.text("issues", issue["id"], "dispatch"))
    assert "1 other copy was marked as sent without a mailing: in an import, by a program" in page


async def test_the_countries_say_what_is_still_to_send(acme: Cast, owner: Person) -> None:
    issue = await make_issue(acme, date_as_start_issue="2026-01-01")
    await make_subscription(acme)
    await make_subscription(acme, **SWEDEN)
    page = words(await owner.text("issues", issue["id"], "dispatch"))
    assert "Still to send: All countries 2" in page
    assert "Do the addresses fit on a label? not checked" in page
    assert "export profile" not in page


async def test_an_issue_of_which_all_is_sent_is_one_quiet_line(acme: Cast, owner: Person) -> None:
    await make_issue(acme, date_as_start_issue="2026-01-01")
    made = await make_subscription(acme, length=1)
    assert "Done" not in words(await owner.text())
    [copy] = await copies_of(acme, made["id"])
    await acme.post(f"/v1/copies/{copy['id']}/mark-sent/", {})
    page = words(await owner.text())
    assert "Done: 1 copy is sent." in page
    assert "1 of 1 copies sent" not in page
