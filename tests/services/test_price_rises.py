"""Rises of what renewals without a price cost: stored, replaced, deleted, recorded, and paid."""

from collections.abc import Sequence
from datetime import date, timedelta

import pytest

from masthead.model.clock import now
from masthead.model.dispatch.runs import CountryGroup
from masthead.model.errors import Invalid, NotFound
from masthead.model.history.entries import RecordNames
from masthead.model.history.fields import changes_in_log
from masthead.model.orders.offers import Offer
from masthead.model.orders.price_rises import DatedRises, PriceRise
from masthead.model.translations import in_language
from masthead.model.types.enums import Medium
from masthead.services.accounts import update_account
from masthead.services.price_rises import delete_rises
from masthead.store.orders import price_rises as store
from tests.conftest import BY, Cast
from tests.services.test_products import trail
from tests.support.letters import add_subscribers, emails_of, execute, set_up, write
from tests.support.price_rises import EVERYWHERE, raise_renewals
from tests.web.subscriptions.test_renew import make_bundle

TODAY = now().date()
SOON, LATER = (TODAY + timedelta(days=days) for days in (30, 60))
HOME = Medium.PRINT, CountryGroup.HOME
EUROPE = Medium.PRINT, CountryGroup.EUROPE
FOUR = PriceRise(400)


async def stored(cast: Cast, id: str) -> Sequence[DatedRises]:
    async with cast.db.read() as db:
        return await store.list_product_rises(db, cast.account_id, id, currency="EUR")


async def log_of(cast: Cast, id: str, language: str = "en_GB") -> list[str]:
    """The newest change of a product, as the audit log shows it."""
    _action, before, after = (await trail(cast, id))[-1]
    with in_language(language):
        changes = changes_in_log("product.update", before, after, RecordNames({}, {}))
    return [f"{each.label}: {each.before} → {each.after}" for each in changes]


def words(day: date) -> str:
    return f"{day.day} {day:%B} {day.year}"


async def test_a_rise_is_stored_where_the_list_has_no_price(acme: Cast) -> None:
    id = await raise_renewals(acme, FOUR, SOON, prices=Offer(prices={HOME: 4800}))
    [dated] = await stored(acme, id)
    assert dated.first_day == SOON
    assert dated.rises == dict.fromkeys([each for each in EVERYWHERE if each != HOME], FOUR)


async def test_a_rise_of_the_same_day_replaces_that_of_its_place(acme: Cast) -> None:
    await raise_renewals(acme, {HOME: FOUR, EUROPE: FOUR}, SOON)
    await raise_renewals(acme, {EUROPE: FOUR}, LATER)
    id = await raise_renewals(acme, {EUROPE: PriceRise(rate=250)}, SOON)
    first, second = await stored(acme, id)
    assert first == DatedRises(SOON, {HOME: FOUR, EUROPE: PriceRise(rate=250)})
    assert second == DatedRises(LATER, {EUROPE: FOUR})
    assert await log_of(acme, id) == [
        f"Price rise of renewals (Europe, print): +€4.00 → +2.5% from {words(SOON)}"
    ]


async def test_a_rise_is_recorded_in_words_and_a_coming_one_can_be_deleted(acme: Cast) -> None:
    id = await raise_renewals(acme, {EUROPE: PriceRise(-400)}, SOON)
    name = "Price rise of renewals (Europe, print)"
    assert await log_of(acme, id) == [f"{name}: None → −€4.00 from {words(SOON)}"]
    assert "Preiserhöhung der Verlängerungen (Europa, Print)" in (await log_of(acme, id, "de"))[0]
    await delete_rises(acme.db, acme.account_id, id, SOON, by=BY)
    assert await stored(acme, id) == []
    assert await log_of(acme, id) == [f"{name}: −€4.00 from {words(SOON)} → "]
    with pytest.raises(NotFound):
        await delete_rises(acme.db, acme.account_id, id, SOON, by=BY)


async def test_a_rise_begins_today_or_later_and_then_stays(acme: Cast) -> None:
    with pytest.raises(Invalid, match="begin today or later"):
        await raise_renewals(acme, FOUR, TODAY - timedelta(days=1))
    id = await raise_renewals(acme, FOUR)
    with pytest.raises(Invalid, match="holds already"):
        await delete_rises(acme.db, acme.account_id, id, TODAY, by=BY)
    [dated] = await stored(acme, id)
    assert dated.first_day == TODAY


async def test_letters_have_the_raised_price(acme: Cast) -> None:
    await set_up(acme)
    old = {"order_date": "2026-01-15"}
    await add_subscribers(acme, 1, prefix="full", price="48.00", **old)
    await add_subscribers(acme, 1, prefix="student", price="40.00", **old)
    await add_subscribers(acme, 1, prefix="new", price="52.00", order_date=TODAY.isoformat())
    await add_subscribers(acme, 1, prefix="usd", price="48.00", currency="USD", **old)
    await add_subscribers(acme, 1, prefix="digital", price="30.00", medium="Digital", **old)
    await raise_renewals(acme, {(Medium.PRINT, group): FOUR for group in CountryGroup})
    await raise_renewals(acme, FOUR, SOON)
    await write(acme)
    said = {
        each["recipient"].partition("0@")[0]: each["body"].partition("€")[2][:5]
        for each in await emails_of(acme)
    }
    assert said.pop("usd") == ""
    assert said == {"full": "52.00", "student": "44.00", "new": "52.00", "digital": "30.00"}


async def test_each_copy_of_a_letter_is_raised_from_its_own_order_on(acme: Cast) -> None:
    await set_up(acme, current=2)
    await update_account(acme.db, acme.account_id, country="DE", by=BY)
    ids = await make_bundle(acme, 3)
    await execute(
        acme,
        "UPDATE period SET order_date = :day"
        " WHERE account_id = :account_id AND subscription_id = :id",
        day=TODAY,
        id=ids[2],
    )
    await raise_renewals(acme, {HOME: FOUR})
    await write(acme)
    [email] = await emails_of(acme)
    assert "€38.00" in email["body"]  # 2 × 14.00 + 10.00
