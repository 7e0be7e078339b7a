"""The order form asks before a subscriber gets issues that they have already."""

import re
from typing import Any

import pytest

from masthead.model.orders.offers import Offer
from masthead.model.types.enums import SubscriptionType
from masthead.services.products import create_product
from tests.conftest import BY, Cast
from tests.support.factories import import_row, make_issue, make_membership, make_subscription
from tests.web.conftest import Person, fields_of
from tests.web.orders.conftest import TYPED, WHERE, subscriptions
from tests.web.subscribers.test_pages import words

ADA = {"first_name": "Ada", "last_name": "Byron", **WHERE}
SAID = "Ada Byron has issues 3 to 6 already."
ASKED = "Add it as well"
REFUSED = "The subscriber already has a subscription at that time."
HTMX = {"HX-Request": "true", "Sec-Fetch-Site": "same-origin", "HX-Target": "out"}


@pytest.fixture
async def magazine(acme: Cast) -> Cast:
    """An account with issues 1 to 4, a month apart."""
    for number in range(1, 5):
        await make_issue(acme, number, release_date_actual=f"2026-0{number}-01")
    return acme


async def make_ada(cast: Cast, **fields: Any) -> dict[str, Any]:
    """A subscription of Ada to the issues 3 to 6."""
    given = {**ADA, "email": "ada@example.test", "start_issue": 3, "length": 4, **fields}
    return await make_subscription(cast, **given)


def new_order(owner: Person, made: dict[str, Any]) -> str:
    """The form for the subscriber of a subscription."""
    return f"{owner.address('subscriptions', 'new')}?subscriber={made['subscriber']['id']}"


async def make_member_product(cast: Cast) -> str:
    """A product for months."""
    offer = Offer(type=SubscriptionType.MEMBERSHIP, interval_months=2)
    made = await create_product(cast.db, cast.account_id, name="Member", offer=offer, by=BY)
    return made.id


async def test_the_form_says_which_issues_the_subscriber_has(owner: Person, magazine: Cast) -> None:
    made = await make_ada(magazine)
    page = (await owner.http.get(new_order(owner, made))).text
    assert f"{SAID} Renew that subscription, or choose a later start issue." in words(page)
    path = owner.address("subscriptions", made["id"])
    assert f'<a href="{path}">issues 3 to 6</a>' in page
    assert f'<a href="{path}renew/">Renew that subscription</a>' in page


@pytest.mark.parametrize(
    "typed, is_said",
    [
        ({"start_issue": "1", "length": "2"}, False),
        ({"start_issue": "1", "length": "3"}, True),
        ({"start_issue": "4", "length": "9"}, True),
        ({"start_issue": "4", "length": ""}, True),
        ({"medium": "Digital"}, False),
        ({"medium": "Print + digital"}, True),
        ({"country": "AT"}, True),
        ({"subscriber_id": "", "email": "ADA@example.test"}, True),
        ({"subscriber_id": "", "email": "other@example.test"}, False),
        ({"is_gift": "y", "gifter_first_name": "Eve"}, True),
    ],
    ids=str,
)
async def test_the_notice_follows_what_is_typed(
    owner: Person, magazine: Cast, typed: dict[str, str], is_said: bool
) -> None:
    made = await make_ada(magazine)
    given = {**TYPED, "start_issue": "3", "subscriber_id": made["subscriber"]["id"], **typed}
    shown = await owner.http.post(
        owner.address("subscriptions", "new"), data={**given, "do": "check"}, headers=HTMX
    )
    assert (SAID in words(f"<main>{shown.text}")) is is_said
    assert (ASKED in shown.text) is is_said


async def test_only_live_subscriptions_count(owner: Person, magazine: Cast) -> None:
    made = await make_ada(magazine)
    await magazine.post(f"/v1/subscriptions/{made['id']}/cancel/", {"mode": "cancel"})
    assert ASKED not in (await owner.http.get(new_order(owner, made))).text


async def test_who_gives_has_issues_of_their_own(owner: Person, magazine: Cast) -> None:
    made = await make_ada(magazine)
    given = {"is_gift": "y", "gifter_id": made["subscriber"]["id"], "start_issue": "3"}
    sent = await owner.send(
        owner.address("subscriptions", "new"),
        {**TYPED, **given, "email": "eve@example.test", "first_name": "Eve"},
    )
    assert sent.status_code == 303, words(sent)


@pytest.mark.parametrize("is_chosen", [True, False])
async def test_a_second_subscription_is_saved_only_if_the_user_says_so(
    owner: Person, magazine: Cast, is_chosen: bool
) -> None:
    made = await make_ada(magazine)
    address = owner.address("subscriptions", "new")
    opened = new_order(owner, made) if is_chosen else address
    typed = {**TYPED, **ADA, "start_issue": "3", "email": "ada@example.test"}
    sent = await owner.send(address, typed, opened=opened)
    assert sent.status_code == 400
    assert SAID in words(sent)
    assert REFUSED in words(sent)
    assert len(await subscriptions(magazine)) == 1
    shown = fields_of(sent.text)
    assert "overlaps" not in shown
    other = await owner.post(address, {**shown, "overlaps": "another"})
    assert other.status_code == 400
    [answer] = re.findall(r'name="overlaps" value="([^"]*)"', sent.text)
    saved = await owner.post(address, {**fields_of(other.text), "overlaps": answer})
    assert saved.status_code == 303, words(saved)
    assert len(await subscriptions(magazine)) == 2


async def test_a_later_start_issue_is_not_asked_about(owner: Person, magazine: Cast) -> None:
    made = await make_ada(magazine, length=1)
    typed = {**TYPED, **ADA, "start_issue": "4"}
    address = owner.address("subscriptions", "new")
    sent = await owner.send(address, typed, opened=new_order(owner, made))
    assert sent.status_code == 303, words(sent)


async def test_several_copies_of_one_order_are_one(owner: Person, magazine: Cast) -> None:
    address = owner.address("subscriptions", "new")
    typed = {**TYPED, **ADA, "start_issue": "3", "copies": "3", "email": "ada@example.test"}
    assert (await owner.send(address, typed)).status_code == 303
    *_rest, oldest = await subscriptions(magazine)
    page = (await owner.http.get(new_order(owner, oldest))).text
    assert words(page).count(SAID) == 1


async def test_a_renewed_subscription_is_named_with_all_its_issues(
    owner: Person, magazine: Cast
) -> None:
    made = await make_ada(magazine)
    renewal = {"renews": made["periods"][0]["order_id"], "length": "3"}
    await import_row(magazine, **renewal)
    page = (await owner.http.get(new_order(owner, made))).text
    assert "Ada Byron has issues 3 to 9 already." in words(page)


async def test_a_membership_that_covers_the_issues_is_named(owner: Person, magazine: Cast) -> None:
    days = {"period_start": "2026-03-15", "period_end": "2099-12-31"}
    made = await make_membership(magazine, **ADA, email="ada@example.test", **days)
    address = owner.address("subscriptions", "new")
    given = {**TYPED, "subscriber_id": made["subscriber"]["id"], "do": "check"}
    for typed, is_said in (
        ({"start_issue": "3", "length": "1"}, False),
        ({"start_issue": "3", "length": "2"}, True),
        ({"start_issue": "1", "length": "2"}, False),
    ):
        shown = await owner.http.post(address, data={**given, **typed}, headers=HTMX)
        text = words(f"<main>{shown.text}")
        said = "Ada Byron has a membership until 31 December 2099 already." in text
        assert said is is_said, (typed, text)


async def test_a_membership_is_asked_about_too(owner: Person, magazine: Cast) -> None:
    made = await make_ada(magazine)
    product = await make_member_product(magazine)
    address = owner.address("subscriptions", "new")
    given = {**TYPED, **ADA, "product": product, "interval_months": "2", "price": "9"}
    early = {**given, "period_start": "2026-01-01"}
    late = {**given, "period_start": "2026-02-15"}
    opened = new_order(owner, made)
    refused = await owner.send(address, late, opened=opened)
    assert refused.status_code == 400
    assert "Renew that subscription, or choose a later first day." in words(refused)
    assert (await owner.send(address, early, opened=opened)).status_code == 303
