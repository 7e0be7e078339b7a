"""The top of the page of a subscriber: what keeps copies from going out as usual."""

import pytest

from masthead.model.identity.rights import Right
from masthead.services.holds.by_hand import hold, release
from tests.conftest import BY, Cast
from tests.support.addresses import EARLIER, HOME, move
from tests.support.factories import make_issue, make_subscription
from tests.support.reminders import due, remind
from tests.web.conftest import Person
from tests.web.reminders.test_pages import two_late
from tests.web.subscribers.test_pages import words
from tests.web.subscriptions.test_renew import make_bundle
from tests.web.subscriptions.test_skip import skip
from tests.web.test_rights import give


async def top_of(person: Person, subscriber: str) -> str:
    """The text of the page above the phone number and the buttons."""
    page = await person.text("subscribers", subscriber)
    return words(page.partition('<div class="contact">')[0])


async def test_copies_that_are_held_by_hand_are_at_the_top(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, first_name="Ada", length=4)
    subscriber = made["subscriber"]["id"]
    assert "Held" not in await top_of(owner, subscriber)
    await hold(acme.db, acme.account_id, made["id"], reason="Moving", by=BY)
    top = await top_of(owner, subscriber)
    assert "Active subscriber Held by hand since" in top
    assert ": Moving. The copies stay owed" in top
    assert "Print, issues 1–4 · Release the copies" in top
    page = await owner.text("subscribers", subscriber)
    assert page.count(f'href="{owner.address("subscriptions", made["id"], "release")}"') == 2
    assert "Active, copies held" in words(page)
    await release(acme.db, acme.account_id, made["id"], reason="Back", by=BY)
    page = words(await owner.text("subscribers", subscriber))
    assert "Release the copies" not in page
    assert "Active, copies held" not in page


async def test_several_copies_for_one_address_have_one_notice(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    [first, *_others] = await make_bundle(acme, 3)
    assert await hold(acme.db, acme.account_id, first, reason="Moving", by=BY) == 3
    made = (await acme.get(f"/v1/subscriptions/{first}/")).json()
    assert (await top_of(owner, made["subscriber"]["id"])).count("Held by hand") == 1


@pytest.mark.usefixtures("mail_server")
async def test_copies_that_wait_for_an_invoice_are_at_the_top(
    owner: Person, staff: Person, acme: Cast
) -> None:
    invoice, _other = await two_late(acme, hold_stage=1)
    await due(acme, 1)
    await remind(acme, 1)
    number = invoice.document.number
    said = f"because invoice {number} is not paid"
    assert said in await top_of(owner, invoice.payer_id)
    address = owner.address("money", "invoices", invoice.id)
    page = await owner.text("subscribers", invoice.payer_id)
    assert f'href="{address}"' in page.partition('<div class="contact">')[0]
    await give(acme.db, acme, staff, frozenset({Right.CORRECT}))
    assert said in await top_of(staff, invoice.payer_id)
    page = await staff.text("subscribers", invoice.payer_id)
    assert f'href="{address}"' not in page


async def test_issues_to_come_that_are_skipped_are_at_the_top(owner: Person, acme: Cast) -> None:
    await make_issue(acme, 1, release_date_actual=EARLIER)
    made = await make_subscription(acme, length=4, price="40.00")
    await skip(owner, made["id"], 2)
    subscriber = made["subscriber"]["id"]
    said = "Issue 2 is skipped: one more issue at the end. Print, issues 1, 3–5"
    assert said in await top_of(owner, subscriber)
    await make_issue(acme, 2, release_date_actual=EARLIER)
    assert "skipped" not in await top_of(owner, subscriber)


async def test_addresses_for_issues_to_come_are_at_the_top_and_with_the_subscription(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme, 1, release_date_actual=EARLIER)
    subscriber = {"email": "ada@subscriber.test", "last_name": "Byron", **HOME}
    made, other = [await make_subscription(acme, length=6, **subscriber) for _ in range(2)]
    await move(acme, made, first=2, last=3)
    await move(acme, made, first=5)
    top = await top_of(owner, made["subscriber"]["id"])
    assert "Issues 2–3, then back: Ring 1, 1010 Wien, Austria. Changes of address" in top
    assert "From issue 5 on, permanently: Ring 1, 1010 Wien, Austria." in top
    page = words(await owner.text("subscriptions", made["id"]))
    assert "Issues 2–3, then back: Ring 1, 1010 Wien, Austria." in page
    assert page.index("From issue 5 on, permanently") > page.index("Issues 2–3")
    assert "then back" not in await owner.text("subscriptions", other["id"])
