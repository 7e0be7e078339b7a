"""Orders that staff enter, as the service takes them; the tests of the page cover the rest."""

from typing import Any

import pytest

from masthead.model.errors import Invalid
from masthead.model.orders.entry import OrderEntry
from masthead.model.orders.known_subscribers import LikelyDuplicates, NamedPerson
from masthead.model.orders.order import OrderDefaults
from masthead.model.types.enums import SubscriptionType
from masthead.model.validation import decode_input
from masthead.services.orders.enter import EnteredOrder, enter_order
from masthead.services.orders.subscribers import find_namesakes
from masthead.services.subscribers.find import find_callers
from masthead.store.subscribers.corrections import StoredSubscriber, get_subscriber
from tests.conftest import BY, Cast
from tests.support.factories import (
    ABSENT,
    PLACEHOLDER_DOMAIN,
    make_issue,
    make_subscription,
    manual,
)
from tests.support.walk import walk

MEMBER = {"type": "membership", "start_issue": ABSENT, "length": ABSENT}


async def enter(cast: Cast, *, may_correct: Any = True, **fields: Any) -> EnteredOrder:
    """Enter an order."""
    return await enter_order(
        cast.db,
        cast.account_id,
        decode_input(OrderEntry, manual(cast, **fields)),
        defaults=OrderDefaults(cast.currency, PLACEHOLDER_DOMAIN),
        may_correct=may_correct,
        by=BY,
    )


@pytest.mark.parametrize(
    "fields, field",
    [
        (MEMBER, "interval_months"),
        ({"length": ABSENT}, "length"),
        ({"start_issue": ABSENT}, "start_issue"),
        ({"first_name": ABSENT}, "last_name"),
        ({"send_welcome_email": True}, "send_welcome_email"),
        ({"is_gift": True, "gifter_id": "NOSUCH"}, "gifter_id"),
        ({"is_gift": True}, "gifter_first_name"),
        ({"subscriber_id": "NOSUCH"}, "subscriber_id"),
        ({"start_issue": 9}, "start_issue"),
        ({"product": "NOSUCH"}, "product"),
        ({"source": "NOSUCH"}, "source"),
        ({"price": "1", "is_comp": True}, "price"),
    ],
    ids=str,
)
async def test_a_refused_order_writes_nothing(
    acme: Cast, fields: dict[str, Any], field: str
) -> None:
    await make_issue(acme)
    with pytest.raises(Invalid) as refusal:
        await enter(acme, **fields)
    assert refusal.value.field == field
    for path in ("/v1/subscriptions/", "/v1/subscribers/"):
        assert await walk(acme, path) == []


async def test_a_membership_begins_on_the_day_of_its_order(acme: Cast) -> None:
    made = await enter(acme, **MEMBER, interval_months=3)
    assert made.subscription.type is SubscriptionType.MEMBERSHIP
    [period] = made.subscription.periods
    assert (str(period.period_start), str(period.period_end)) == ("2026-01-15", "2026-04-14")


async def test_a_subscriber_with_two_subscriptions_is_a_likely_duplicate_once(acme: Cast) -> None:
    await make_issue(acme)
    where = {"last_name": "Byron", "address1": "1 Mill Lane", "city": "Ulm", "postcode": "89073"}
    first = await enter(acme, **where)
    known = first.subscription.subscriber.id
    await enter(acme, **where, subscriber_id=known, medium="Digital")
    with pytest.raises(LikelyDuplicates) as refusal:
        await enter(acme, **where)
    (subscriber,) = refusal.value.subscribers
    assert subscriber.id == known
    assert list(subscriber.likeness) == list(dict.fromkeys(subscriber.likeness)) != []


async def test_a_refusal_names_the_subscribers_who_may_be_the_same(acme: Cast) -> None:
    await make_issue(acme)
    known = await make_subscription(acme, postcode="89073")
    with pytest.raises(LikelyDuplicates) as refusal:
        await enter(acme, postcode="89073")
    assert (refusal.value.code, refusal.value.is_giver) == ("likely_duplicates", False)
    assert [each.id for each in refusal.value.subscribers] == [known["subscriber"]["id"]]
    made = await enter(acme, postcode="89073", new_subscriber=known["subscriber"]["id"])
    assert made.subscriber.id != known["subscriber"]["id"]


async def test_the_postcode_tells_subscribers_with_the_same_name_apart(acme: Cast) -> None:
    await make_issue(acme)
    await make_subscription(acme, postcode="10890 73")
    for postcode in ("89073", ABSENT):
        await enter(acme, postcode=postcode)
    assert len(await walk(acme, "/v1/subscribers/")) == 3


async def test_a_namesake_has_the_whole_name(acme: Cast) -> None:
    await make_issue(acme)
    for name in ("Adam", "Ada"):
        await make_subscription(acme, first_name=name)
    async with acme.db.read() as db:
        found = await find_namesakes(db, acme.account_id, NamedPerson(first_name="ADA"))
        assert [each.name for each in found] == ["Ada"]
        assert await find_namesakes(db, acme.account_id, NamedPerson()) == []
        assert await find_callers(db, acme.account_id, "  ", limit=8) == []
        assert len(await find_callers(db, acme.account_id, "ada", limit=8)) == 2


async def test_subscribers_of_another_account_are_not_found(acme: Cast, rival: Cast) -> None:
    await make_issue(acme)
    await make_issue(rival)
    same = {"postcode": "89073", "phone": "+49 731 123456", "email": "ada@example.test"}
    await make_subscription(rival, **same)
    await enter(acme, **same)
    async with acme.db.read() as db:
        [found] = await find_callers(db, acme.account_id, "ada", limit=8)
    assert found.email == "ada@example.test"
    assert len(await walk(rival, "/v1/subscribers/")) == 1


async def test_a_last_name_is_enough_on_the_page_and_not_in_the_api(acme: Cast) -> None:
    await make_issue(acme)
    person = {"first_name": ABSENT, "last_name": "Schmidt", "salutation": "ms"}
    made = await enter(acme, **person)
    assert (made.subscriber.salutation, made.subscriber.name) == ("ms", "Schmidt")
    for path in ("/v1/subscriptions/", "/v1/orders/"):
        refused = await acme.post(path, manual(acme, **person | {"salutation": ABSENT}))
        assert "`first_name` and `company` are both missing" in refused.text


GIFT = {"is_gift": True, "gifter_last_name": "Ng", "gifter_email": "ng@example.test"}
OWN = {"gifter_address1": "Quay 1", "gifter_city": "Bath", "gifter_country": "GB"}


async def giver_of(cast: Cast, made: EnteredOrder) -> StoredSubscriber:
    [row] = await cast.db.fetch_all(
        "SELECT gifter_id FROM subscription WHERE account_id = :account_id AND id = :id",
        {"account_id": cast.account_id, "id": made.subscription.id},
    )
    async with cast.db.read() as db:
        return await get_subscriber(db, cast.account_id, row["gifter_id"])


async def test_a_new_giver_has_a_postal_address_of_their_own(acme: Cast) -> None:
    await make_issue(acme)
    made = await enter(acme, **GIFT, **OWN, gifter_salutation="mr", gifter_title="Dr.")
    giver = await giver_of(acme, made)
    assert (giver.greeting, giver.address1, giver.country) == ("Dear Dr. Ng", "Quay 1", "GB")
    async with acme.db.read() as db:
        [found] = await find_callers(db, acme.account_id, "ng@example", limit=8)
    assert (found.address1, found.city, found.country) == ("Quay 1", "Bath", "GB")


async def test_a_known_giver_without_an_address_gets_the_one_that_is_typed(acme: Cast) -> None:
    await make_issue(acme)
    first = await giver_of(acme, await enter(acme, **GIFT))
    assert first.country is None
    again = await enter(acme, **GIFT, **OWN, new_subscriber=ABSENT)
    known = await giver_of(acme, again)
    assert (known.id, known.address1) == (first.id, "Quay 1")
    await enter(acme, **GIFT, **OWN | {"gifter_address1": "Elsewhere 2"})
    assert (await giver_of(acme, again)).address1 == "Quay 1"


async def test_an_incomplete_address_of_a_giver_is_refused(acme: Cast) -> None:
    await make_issue(acme)
    with pytest.raises(Invalid) as refusal:
        await enter(acme, **GIFT, gifter_address1="Quay 1", gifter_country="GB")
    assert refusal.value.field == "gifter_city"
    assert await walk(acme, "/v1/subscribers/") == []


async def test_the_salutation_of_a_known_subscriber_is_stored_under_their_name(acme: Cast) -> None:
    await make_issue(acme)
    made = await enter(acme, last_name="Ng")
    known, had = made.subscriber.id, made.subscription_ids
    for typed, stored in (({"first_name": "Tom"}, None), ({}, "Dr.")):
        typed |= {"title": "Dr.", "last_name": "Ng", "overlaps": ",".join(had)}
        made = await enter(acme, subscriber_id=known, **typed)
        had = had + made.subscription_ids
        assert made.subscriber.id == known
        async with acme.db.read() as db:
            assert (await get_subscriber(db, acme.account_id, known)).title == stored


async def test_who_may_not_correct_subscribers_changes_none_with_an_order(acme: Cast) -> None:
    await make_issue(acme)
    known = (await enter(acme, last_name="Ng")).subscriber.id
    typed = {"title": "Dr.", "last_name": "Ng", "medium": "Digital"}
    await enter(acme, subscriber_id=known, **typed, may_correct=False)
    async with acme.db.read() as db:
        assert (await get_subscriber(db, acme.account_id, known)).title is None
