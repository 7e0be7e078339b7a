"""Two people who enter orders at once, on two workers: each race, and its control without lock."""

import asyncio
from collections.abc import Awaitable
from typing import Any

import pytest

from masthead.model.clock import now
from masthead.model.dispatch.runs import CountryGroup
from masthead.model.errors import CHANGED_MEANWHILE
from masthead.model.orders.entry import OrderEntry
from masthead.model.orders.offers import Offer
from masthead.model.orders.order import OrderDefaults
from masthead.model.types.enums import Medium
from masthead.model.validation import decode_input
from masthead.services import products
from masthead.services.check.accounts import check
from masthead.services.orders.enter import EnteredOrder, enter_order
from masthead.store.orders.product_prices import list_all_prices
from tests.conftest import BY, Cast
from tests.races.support.dispatch_races import outcomes
from tests.races.support.races import Race
from tests.races.test_pages import two_people
from tests.races.test_races import CONTROL_ROUNDS, repeat, run
from tests.support.factories import PLACEHOLDER_DOMAIN, make_issue, manual
from tests.support.protections import REFUSED_OR_BROKEN
from tests.support.rounds import rounds
from tests.support.walk import walk
from tests.web.conftest import fields_of
from tests.web.orders.conftest import TYPED

pytestmark = pytest.mark.races

ROUNDS = rounds(4)
WHERE = {"city": "Ulm", "country": "DE"}


def postcode_of(number: int) -> str:
    """The postcode of a subscriber, which no generated id or order id contains."""
    return f"P{number:05}"


def enter(cast: Cast, number: int, **fields: Any) -> Awaitable[EnteredOrder]:
    """Enter an order of a subscriber in a street and town of their own, from an issue on."""
    where = {**WHERE, "address1": f"{number} Mill Lane", "postcode": postcode_of(number)}
    body = manual(cast, start_issue=number, first_name="Ada", last_name="Byron", **where, **fields)
    return enter_order(
        cast.db,
        cast.account_id,
        decode_input(OrderEntry, body),
        defaults=OrderDefaults(cast.currency, PLACEHOLDER_DOMAIN),
        by=BY,
    )


async def subscribers(cast: Cast, search: str) -> int:
    """How many subscribers match a search."""
    return len(await walk(cast, "/v1/subscribers/", search=search))


async def same_order(one: Cast, two: Cast, number: int) -> None:
    """Two people enter an order with the same order id at once: it is placed once."""
    await make_issue(one, number)
    refused = {"duplicate_order_id", "likely_duplicates"}
    writes = [enter(cast, number, order_id=f"order-{number}-x", copies=2) for cast in (one, two)]
    assert len(await outcomes(*writes, refused=refused)) == 1
    assert len(await walk(one, "/v1/subscriptions/", search=f"order-{number}-x")) == 2


async def same_subscriber(one: Cast, two: Cast, number: int) -> None:
    """Two people enter orders of one subscriber without an email: the second one is asked."""
    await make_issue(one, number)
    writes = [enter(cast, number) for cast in (one, two)]
    assert len(await outcomes(*writes, refused={"likely_duplicates"})) == 1
    assert await subscribers(one, postcode_of(number)) == 1


async def same_giver(one: Cast, two: Cast, number: int) -> None:
    """Two people enter gifts of one giver without an email: the second one is asked."""
    await make_issue(one, number)
    gift = {"is_gift": True, "gifter_first_name": "Bob", "gifter_last_name": f"Miller{number}x"}
    writes = [
        enter(cast, number, **gift, email=f"{name}{number}@example.test", new_subscriber="")
        for name, cast in (("a", one), ("b", two))
    ]
    done = await outcomes(*writes, refused={"likely_duplicates"})
    assert len(done) == 1
    assert await subscribers(one, f"miller{number}x") == 1


async def same_product(one: Cast, two: Cast, number: int) -> None:
    """Two people change the name and the price of a product at once: the second one is told."""
    where = one.db, one.account_id
    made = await products.create_product(*where, name=f"Year {number}", by=BY)
    seen = products.fingerprint(made, [])
    price = (Medium.PRINT, CountryGroup.HOME)
    writes = [
        products.update_product(
            cast.db,
            cast.account_id,
            made.id,
            name=name,
            benefits=(),
            offer=Offer(prices={price: amount}),
            seen=seen,
            by=BY,
        )
        for cast, name, amount in ((one, "A", 100), (two, "B", 200))
    ]
    done = await outcomes(*writes, refused={CHANGED_MEANWHILE})
    assert len(done) == 1
    listed = await list_all_prices(*where, day=now().date())
    assert listed["EUR"][made.id] == {price: {"A": 100, "B": 200}[done[0].name]}


ORDER_RACES: list[Race] = [same_order, same_subscriber, same_giver, same_product]


@pytest.mark.parametrize("race", ORDER_RACES)
async def test_an_order_and_a_subscriber_are_entered_once(
    race: Race, pair: tuple[Cast, Cast]
) -> None:
    await repeat(race, pair, ROUNDS)


@pytest.mark.slow
@pytest.mark.parametrize("race", ORDER_RACES)
async def test_without_the_lock_a_race_of_orders_fails(race: Race, unlocked_url: str) -> None:
    with pytest.raises(REFUSED_OR_BROKEN):
        await run(race, unlocked_url, CONTROL_ROUNDS)


async def enter_on_two_workers(url: str, times: int, *, is_keyed: bool) -> None:
    """Send the same form to two workers at once. is_keyed: with its idempotency key."""
    async with two_people(url) as (cast, *people):
        await make_issue(cast)
        for number in range(1, times + 1):
            address = people[0].address("subscriptions", "new")
            page = fields_of((await people[0].http.get(address)).text)
            own = {"email": f"a{number}@example.test", "address1": str(number)}
            typed = {**page, **TYPED, **own, "postcode": f"{number:05}"}
            if not is_keyed:
                typed["idempotency_key"] = ""
            answers = await asyncio.gather(*(each.post(address, typed) for each in people))
            assert [each.status_code for each in answers] == [303, 303]
            assert len({each.headers["Location"] for each in answers}) == 1
            assert len(await walk(cast, "/v1/subscriptions/", search=page["order_id"])) == 1
        assert [fault async for fault in check(cast.db)] == []


async def test_the_same_form_on_two_workers_makes_one_order(scratch_url: str) -> None:
    await enter_on_two_workers(scratch_url, ROUNDS, is_keyed=True)


@pytest.mark.slow
async def test_without_its_idempotency_key_the_second_form_is_refused(scratch_url: str) -> None:
    with pytest.raises(AssertionError):
        await enter_on_two_workers(scratch_url, 1, is_keyed=False)
