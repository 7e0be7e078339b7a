"""From Claims, a name or a copy key leads to the form of a claim."""

import pytest

from masthead.model.dispatch.copy_keys import key_of
from tests.conftest import Cast
from tests.support.factories import copies_of, make_issue, make_subscription
from tests.web.claims.conftest import ANNA, Sent
from tests.web.claims.test_claims import new, words
from tests.web.conftest import Person


async def test_claims_finds_the_copies_of_a_subscriber_by_name(staff: Person, sent: Sent) -> None:
    for page in (await staff.text("claims"), await staff.text("claims", "new")):
        assert f'action="{staff.address("claims", "copies")}"' in page
    page = await staff.text("claims", "copies", search="ek anna")
    assert f'href="{new(staff, sent.copy["id"])}" role="button" class="small"' in page
    assert 'aria-label="Issue 1 did not arrive: Anna Ek, Storgatan 1">Did not arrive</a>' in page
    why = staff.address("issues", sent.issue["id"], "why")
    assert f'href="{why}?subscriber={sent.subscriber}"' in page
    assert "Issue 1 Sent on 3 May 2026 Print, issues 1–4" in words(page)


async def test_a_copy_that_is_claimed_already_says_so(staff: Person, sent: Sent) -> None:
    await staff.send(new(staff, sent.copy["id"]), {"reason": "never_arrived"})
    page = await staff.text("claims", "copies", search="ek anna")
    assert ">Did not arrive</a>" not in page
    assert "the replacement waits for the next mailing" in words(page)


async def test_copies_that_were_not_sent_are_listed_if_their_issue_is_out(
    staff: Person, acme: Cast
) -> None:
    await make_issue(acme, 1, release_date_actual="2026-01-05")
    await make_issue(acme, 2, release_date_actual="2099-01-05")
    await make_subscription(acme, **ANNA)
    await make_subscription(acme, **ANNA, medium="Digital")
    page = await staff.text("claims", "copies", search="anna")
    text = words(page)
    assert text.count("Issue 1 Not sent") == 2
    assert "Issue 2" not in text
    assert page.count(">Why?</a>") == 2
    assert ">Did not arrive</a>" not in page


async def test_a_copy_key_or_the_id_of_a_copy_opens_the_form_of_its_claim(
    staff: Person, acme: Cast, sent: Sent
) -> None:
    key = key_of(acme.account_id, sent.run.first_line)
    for typed in (key, f"#{key}#", str(sent.copy["id"])):
        response = await staff.see("claims", "copies", search=typed)
        assert response.headers["Location"] == new(staff, typed.replace("#", "%23"))
    response = await staff.see("claims", "copies", search="#K7M2Q4D9Y#")
    assert response.headers["Location"] == new(staff, "%23K7M2Q4D9Y%23")


@pytest.mark.parametrize(
    "parts, field, message",
    [
        (("claims", "copies"), "search", "Type the name or the address of the subscriber."),
        (("returns", "copies"), "search", "Type the name or the address of the subscriber."),
        (("copy-key",), "key", "Type the copy key on the label, or the copy ID."),
        (
            ("issues", "{issue}", "why"),
            "subscriber",
            "Type the name, the email address or the ID of the subscriber.",
        ),
        (("subscribers", "{subscriber}"), "issue", "Type the number of an issue, such as 21."),
    ],
)
async def test_a_search_for_nothing_says_what_to_type(
    staff: Person, sent: Sent, parts: tuple[str, ...], field: str, message: str
) -> None:
    known = {"issue": sent.issue["id"], "subscriber": sent.subscriber}
    address = [each.format(**known) for each in parts]
    assert message not in await staff.text(*address)
    assert message in (await staff.see(*address, **{field: " "})).text


async def test_a_digital_copy_cannot_be_claimed(staff: Person, acme: Cast, sent: Sent) -> None:
    digital = await make_subscription(acme, **{**ANNA, "medium": "Digital"})
    ids = [copy["id"] for copy in await copies_of(acme, digital["id"])]
    await acme.post("/v1/copies/mark-sent/", {"ids": ids, "date": "2026-05-03"})
    assert ">Did not arrive</a>" not in await staff.text("subscriptions", digital["id"])
    assert ">Did not arrive</a>" in await staff.text("subscriptions", sent.subscription["id"])
