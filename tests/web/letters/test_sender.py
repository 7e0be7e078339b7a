"""The sender of printed letters."""

from tests.conftest import Cast
from tests.support.billing import turn_on_billing
from tests.support.letters import ADDRESS, add_subscribers, set_up
from tests.web.conftest import Person

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
