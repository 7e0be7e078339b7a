"""The page that tells why a subscriber got an issue or did not, and the links to it."""

import re

from masthead.model.dispatch.copy_keys import key_of
from masthead.model.dispatch.runs import DispatchSelection
from masthead.services.dispatch.runs import freeze_dispatch
from tests.conftest import BY, Cast
from tests.support.dispatches import hold_address
from tests.support.factories import copies_of, make_issue, make_subscription
from tests.web.claims.conftest import ANNA, Sent
from tests.web.claims.test_claims import words
from tests.web.conftest import Person


async def test_the_answer_names_run_day_and_address(staff: Person, sent: Sent) -> None:
    page = await staff.text("issues", sent.issue["id"], "why", subscriber="anna@example.com")
    text = words(page)
    assert (
        "Issue 1 was sent to Anna Ek: mailing 1 of 3 May 2026, to Storgatan 1, 111 22 Stockholm."
        in text
    )
    assert "Mailing 1 , sent on 3 May 2026" in text
    assert f'href="{staff.address("claims", "new")}?copy={sent.copy["id"]}"' in page
    by_id = await staff.text("issues", sent.issue["id"], "why", subscriber=sent.subscriber)
    assert "Issue 1 was sent to Anna Ek" in by_id


async def test_the_first_line_about_sent_copies_is_short(
    staff: Person, acme: Cast, sent: Sent
) -> None:
    def first_line(page: str) -> str:
        [note] = re.findall(r'id="answer"><strong>(.*?)</strong>', page)
        return str(note)

    why = "issues", sent.issue["id"], "why"
    page = await staff.text(*why, subscriber=sent.subscriber)
    assert first_line(page) == "Sent on 3 May 2026."
    assert page.count("Storgatan 1") == 2  # in the facts, and in the sentence that is folded
    other = await make_subscription(acme, **ANNA)
    (copy,) = await copies_of(acme, other["id"])
    await acme.post("/v1/copies/mark-sent/", {"ids": [copy["id"]], "date": "2026-05-20"})
    page = await staff.text(*why, subscriber=sent.subscriber)
    assert first_line(page) == "2 copies were sent, on 3 May 2026 and 20 May 2026."
    assert "Marked as sent outside of a mailing" in page


async def test_a_subscriber_is_found_by_name(staff: Person, acme: Cast, sent: Sent) -> None:
    found = words(await staff.text("issues", sent.issue["id"], "why", subscriber="ek anna"))
    assert "Issue 1 was sent to Anna Ek" in found
    await make_subscription(acme, **{**ANNA, "first_name": "Bo", "email": "bo@example.com"})
    page = await staff.text("issues", sent.issue["id"], "why", subscriber="ek")
    assert "Choose the subscriber" in page
    assert f"?subscriber={sent.subscriber}" in page
    assert "bo@example.com" in page
    assert "Anna Ek , anna@example.com , Storgatan 1, 111 22 Stockholm , Sweden" in words(page)
    none = words(await staff.text("issues", sent.issue["id"], "why", subscriber="zzzz"))
    assert "There is no subscriber zzzz in this account." in none


async def test_each_of_several_subscriptions_is_shown(
    staff: Person, acme: Cast, sent: Sent
) -> None:
    await make_issue(acme, 2)
    await make_subscription(acme, **ANNA, start_issue=2)
    page = words(await staff.text("issues", sent.issue["id"], "why", subscriber=sent.subscriber))
    assert "(The subscriber has 2 subscriptions.)" in page
    assert "No: Anna Ek's subscription starts with issue 2." in page
    assert page.count("Issue 1 was sent to Anna Ek: mailing 1") == 1
    assert "Print, issues 1–4, €" in page, "the subscriptions can be told apart"
    assert "Print, issues 2–5, €" in page


async def test_a_late_order_shows_no_run(staff: Person, acme: Cast, sent: Sent) -> None:
    await make_subscription(acme, **{**ANNA, "first_name": "Bo", "email": "bo@example.com"})
    page = words(await staff.text("issues", sent.issue["id"], "why", subscriber="bo@example.com"))
    assert "was added after mailing 1 was prepared" in page
    assert "Mailing Mailing 1" not in page


async def test_a_search_that_is_too_long_is_refused(staff: Person, sent: Sent) -> None:
    assert "The answer names the mailing" in await staff.text("issues", sent.issue["id"], "why")
    response = await staff.see("issues", sent.issue["id"], "why", subscriber="x" * 256)
    assert response.status_code == 400
    assert "at most 255" in response.text
    missing = await staff.see("issues", "X", "why", subscriber="x")
    assert missing.status_code == 404


async def test_the_pages_of_subscriber_subscription_and_issue_link_to_it(
    staff: Person, sent: Sent
) -> None:
    why = f'{staff.address("issues", sent.issue["id"], "why")}?subscriber={sent.subscriber}"'
    claim = f'{staff.address("claims", "new")}?copy={sent.copy["id"]}"'
    for parts in (
        ("subscribers", sent.subscriber),
        ("subscriptions", sent.subscription["id"]),
        ("issues", sent.issue["id"]),
    ):
        page = await staff.text(*parts)
        assert why in page
        assert claim in page
    search = f'action="{staff.address("issues", sent.issue["id"], "why")}"'
    assert search in await staff.text("issues", sent.issue["id"])


async def test_the_page_of_a_copy_key_links_to_it(staff: Person, acme: Cast, sent: Sent) -> None:
    page = await staff.text("copy-key", key=key_of(acme.account_id, sent.run.first_line))
    assert (
        f'{staff.address("issues", sent.issue["id"], "why")}?subscriber={sent.subscriber}"' in page
    )
    assert f'{staff.address("claims", "new")}?copy={sent.copy["id"]}"' in page


async def test_a_subscriber_without_a_copy_in_a_mailing_is_told_why_and_what_to_do(
    staff: Person, acme: Cast, sent: Sent
) -> None:
    bo = await make_subscription(acme, **{**ANNA, "first_name": "Bo", "email": "bo@example.com"})
    id = bo["subscriber"]["id"]
    prepare = f'href="{staff.address("issues", sent.issue["id"], "dispatch")}">'
    for page in (
        await staff.text("subscribers", id),
        await staff.text("subscribers", id, issue="1"),
        await staff.text("issues", sent.issue["id"], "why", subscriber=id),
    ):
        assert "Not yet: issue 1 for Bo Ek was added after mailing 1 was prepared on" in page
        assert prepare in page
    assert "the issue came out on" not in await staff.text("subscribers", id)


async def test_a_copy_in_a_prepared_mailing_leads_to_marking_it(
    staff: Person, acme: Cast, sent: Sent
) -> None:
    bo = await make_subscription(acme, **{**ANNA, "first_name": "Bo", "email": "bo@example.com"})
    run = await freeze_dispatch(
        acme.db, acme.account_id, sent.issue["id"], DispatchSelection(), by=BY
    )
    for page in (
        await staff.text("subscribers", bo["subscriber"]["id"]),
        await staff.text("issues", sent.issue["id"], "why", subscriber="bo@example.com"),
    ):
        assert "Not yet: issue 1 for Bo Ek is in mailing 2, prepared on" in page
        assert f'href="{staff.address("dispatches", run.id)}#mark">Mark the mailing as sent' in page


async def test_an_address_on_hold_leads_to_its_change(staff: Person, acme: Cast) -> None:
    issue = await make_issue(acme, release_date_actual="2026-01-05")
    made = await make_subscription(acme, **ANNA)
    (copy,) = await copies_of(acme, made["id"])
    await hold_address(acme, copy)
    id = made["subscriber"]["id"]
    change = f'href="{staff.address("subscribers", id, "address")}?begin={made["id"]}">'
    for page in (
        await staff.text("subscribers", id),
        await staff.text("issues", issue["id"], "why", subscriber=id),
    ):
        assert "because its address has been on hold since" in page
        assert change in page


async def test_a_reason_that_holds_for_all_copies_is_told_once(staff: Person, acme: Cast) -> None:
    for number in (1, 2, 3):
        await make_issue(acme, number, release_date_actual=f"2026-01-0{number}")
    made = await make_subscription(acme, **ANNA, length=3)
    first = (await copies_of(acme, made["id"]))[0]
    await hold_address(acme, first)
    page = words(await staff.text("subscribers", made["subscriber"]["id"]))
    assert page.count("because its address has been on hold since") == 1
    assert page.count("Not sent yet: for the same reason as issue 3") == 2


async def test_a_subscriber_who_is_not_found_gets_a_hint(staff: Person, sent: Sent) -> None:
    page = await staff.text("issues", sent.issue["id"], "why", subscriber="zzzz")
    assert "Type the name as it is on the label" in page
