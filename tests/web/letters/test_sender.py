"""The sender of printed letters, and what users who may not see money read of a letter."""

from masthead.model.identity.rights import STAFF_RIGHTS, Right
from tests.conftest import Cast
from tests.support.billing import turn_on_billing
from tests.support.letters import ADDRESS, add_subscribers, set_up
from tests.web.conftest import Person
from tests.web.test_rights import give

MISSING = "Printed letters have no sender yet"


async def test_the_page_to_send_says_if_printed_letters_have_no_sender(
    acme: Cast, owner: Person
) -> None:
    await set_up(acme)
    await add_subscribers(acme, 1, email="", **ADDRESS)
    page = await owner.text("letters", "last", "send")
    assert MISSING in page
    assert f'href="{owner.address("settings", "account")}#postal_address"' in page
    await turn_on_billing(acme, has_issue=True)
    assert MISSING not in await owner.text("letters", "last", "send")


async def test_letters_by_email_need_no_postal_address(acme: Cast, owner: Person) -> None:
    await set_up(acme)
    await add_subscribers(acme, 1)
    assert MISSING not in await owner.text("letters", "last", "send")


async def test_users_who_may_not_see_money_read_the_letter_without_what_a_renewal_costs(
    acme: Cast, owner: Person, staff: Person
) -> None:
    await set_up(acme)
    await add_subscribers(acme, 1)
    assert "The renewal costs €42.00 for 3 issues." in await owner.text("letters", "last")
    await give(acme.db, acme, staff, STAFF_RIGHTS - {Right.SEE_MONEY})
    page = await staff.text("letters", "last")
    assert "answer this letter" in page
    assert "The renewal costs" not in page
