"""Users who may send letters, but not see money, read no amounts in any of their kinds."""

from collections.abc import Awaitable, Callable

import pytest

from masthead.model.identity.rights import ALL_RIGHTS, Right
from masthead.model.letters.outcomes import LetterChannel
from tests.conftest import Cast
from tests.support.letters import ADDRESS, add_subscribers, emails_of, set_up, write
from tests.web.bulk.test_bulk import BOX
from tests.web.conftest import Person
from tests.web.test_rights import AMOUNT, give

TEXT = "Dear {name}: {end}. {offer} {price} {renewal_price} stay."

Reading = Callable[[Person, Cast], Awaitable[str]]


async def _preview(staff: Person, _cast: Cast) -> str:
    return await staff.text("letters", "last")


async def _preview_before_sending(staff: Person, _cast: Cast) -> str:
    return await staff.text("letters", "last", "send")


async def _preview_of_settings(staff: Person, _cast: Cast) -> str:
    here = staff.address("settings", "renewal-letters", "last")
    return (await staff.send(here, {"subject": "S", "text": TEXT, "do": "preview"})).text


async def _preview_of_chosen(staff: Person, _cast: Cast) -> str:
    ids = BOX.findall(await staff.text("subscriptions"))
    address = staff.address("chosen", "subscriptions", "letter")
    return (await staff.http.get(address, params={"id": ids})).text


async def _last_email(cast: Cast) -> str:
    email = (await emails_of(cast))[-1]
    return f"{email['subject']} {email['body']}"


async def _test(staff: Person, cast: Cast) -> str:
    await staff.send(staff.address("letters", "last"), {"do": "test"})
    return await _last_email(cast)


async def _test_before_sending(staff: Person, cast: Cast) -> str:
    await staff.send(staff.address("letters", "last", "send"), {"do": "test"})
    return await _last_email(cast)


async def _test_of_settings(staff: Person, cast: Cast) -> str:
    here = staff.address("settings", "renewal-letters", "last")
    await staff.send(here, {"subject": "{price}", "text": TEXT, "do": "test"})
    return await _last_email(cast)


KINDS: list[Reading] = [
    _preview,
    _preview_before_sending,
    _preview_of_settings,
    _preview_of_chosen,
    _test,
    _test_before_sending,
    _test_of_settings,
]


@pytest.mark.usefixtures("mail_server")
@pytest.mark.parametrize("read", KINDS, ids=lambda read: read.__name__)
@pytest.mark.parametrize("sees_money", [True, False])
async def test_a_letter_has_amounts_only_for_users_who_see_money(
    owner: Person, staff: Person, acme: Cast, read: Reading, sees_money: bool
) -> None:
    await set_up(acme)
    await add_subscribers(acme, 1)
    here = owner.address("settings", "renewal-letters", "last")
    await owner.send(here, {"subject": "S", "text": TEXT})
    await give(acme.db, acme, staff, ALL_RIGHTS - (set() if sees_money else {Right.SEE_MONEY}))
    text = await read(staff, acme)
    assert "Dear Ada No. 0: with issue 3." in text
    letter = text.partition("Dear Ada No. 0")[2].partition("stay.")[0]
    assert bool(AMOUNT.search(letter)) is sees_money
    assert ("The renewal costs €42.00 for 3 issues." in text) is sees_money
    assert ("(amount)" in text) is not sees_money


async def test_a_preview_says_that_amounts_are_left_out(
    owner: Person, staff: Person, acme: Cast
) -> None:
    await set_up(acme)
    await add_subscribers(acme, 1)
    note = "The letters that go out have them."
    assert note not in await owner.text("letters", "last")
    await give(acme.db, acme, staff, ALL_RIGHTS - {Right.SEE_MONEY})
    assert note in await staff.text("letters", "last")


async def test_letters_to_print_need_the_right_to_see_money(
    owner: Person, staff: Person, acme: Cast
) -> None:
    await set_up(acme)
    await add_subscribers(acme, 1, email="", **ADDRESS)
    batch = await write(acme, channel=LetterChannel.PRINT)
    pdf = owner.address("letters", "batches", batch.id, "pdf", "1")
    await give(acme.db, acme, staff, ALL_RIGHTS - {Right.SEE_MONEY})
    assert (await staff.http.get(pdf)).status_code == 403
    assert (await owner.http.get(pdf)).status_code == 200


async def test_a_mail_merge_has_no_prices_for_users_who_may_not_see_money(
    owner: Person, staff: Person, acme: Cast
) -> None:
    await set_up(acme)
    await add_subscribers(acme, 1)
    file = f"{owner.address('ending', 'download')}?list=&format=merge-csv"
    assert "42.00" in (await owner.http.get(file)).text
    await give(acme.db, acme, staff, ALL_RIGHTS - {Right.SEE_MONEY})
    found = (await staff.http.get(file)).text
    assert "No. 0" in found
    assert "42.00" not in found
